/* ranking.h - what misses most in the whole of a run, and in each of its intervals.
 *
 * A table of every key (top.h) for the whole, and the best of each interval that has ended. */
#ifndef RP_SIM_OBSERVE_RANKING_H
#define RP_SIM_OBSERVE_RANKING_H

#include "sim/observe/top.h"

struct rp_cache_spec;
struct rp_ranking;

/* Of the n best keys of a cache; `intervals`: of intervals too. Gives (rp_ranking_free). RP_RESOURCE: no memory. */
struct rp_ranking *rp_ranking_new(const struct rp_cache_spec *s, enum rp_top_by by, bool once,
    size_t n, bool intervals, struct rp_err *err);
void rp_ranking_free(struct rp_ranking *r); /* accepts NULL */

/* As rp_top_chunk. */
bool rp_ranking_chunk(struct rp_ranking *r, const struct rp_lookups *in, const uint8_t *outcome,
    const uint8_t *class, const uint64_t *victim, struct rp_err *err);

/* Ends an interval. RP_RESOURCE: no memory; the ranking may not be used any more. */
bool rp_ranking_close(struct rp_ranking *r, struct rp_err *err);

/* The best keys of the whole (of the intervals that ended, if there are any) and how many there are; `rows` has room for
 * the n best. */
size_t rp_ranking_best(const struct rp_ranking *r, struct rp_top_row *rows);
size_t rp_ranking_interval(const struct rp_ranking *r, size_t interval, struct rp_top_row *rows);
size_t rp_ranking_keys(const struct rp_ranking *r); /* distinct keys */

#endif
