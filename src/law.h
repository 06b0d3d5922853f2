/* law.h - the closed forms of a generated scan beside what caches were simulated to miss: --law of sim and sweep. */
#ifndef RP_LAW_H
#define RP_LAW_H

#include "base/emit.h"
#include "input.h"
#include "sim/cache.h"

struct law;

/* Of one gen:scan that is replayed as it is. Gives (law_free). RP_USAGE: the trace, or an option, is another. */
struct law *law_open(
    const struct rp_input_opts *in, int n, char **traces, uint64_t warmup, struct rp_err *err);
void law_free(struct law *l); /* accepts NULL */

/* What the scan's law says of a cache that has seen `accesses` rows, warm-up included: an object of
 * - form: "lru", "ttl" (exact), "sdcm" (LRU sets: a model), "bound" (any other policy: the least), "none" (and why);
 * - C: blocks that fit; K: misses a round once warm; misses: of all that was counted, where that is whole rounds from empty, or
 *   behind a warm-up of whole rounds that is long enough; simulated: the same, simulated. Gives. */
json_t *law_row(const struct law *l, const struct rp_cache_spec *s, uint64_t accesses,
    uint64_t misses, struct rp_err *err);

/* For people: a table of objects that have "name" and "law". */
bool law_print(struct rp_out *to, json_t *rows, struct rp_err *err);

/* Columns of CSV for objects that have "law"; LAW_VIEWS of them. */
enum { LAW_VIEWS = 3 };
extern const struct rp_view law_views[LAW_VIEWS];

#endif
