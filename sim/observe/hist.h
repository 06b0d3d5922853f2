/* hist.h - how often each reuse distance occurs.
 *
 * A count for each distance up to the largest one seen, and a bit for each 64 of them that says whether any is not 0. So
 * going through a histogram or emptying it takes time in proportion to what is in it, and pages that
 * no distance falls in stay the system's. */
#ifndef RP_SIM_OBSERVE_HIST_H
#define RP_SIM_OBSERVE_HIST_H

#include "sim/observe/reuse.h"

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts as zeroes; released with rp_hist_free. */
struct rp_hist {
	uint64_t cold;  /* first lookups */
	uint64_t total; /* all, the cold among them */
	/* private to hist.c */
	uint64_t *count, *used; /* by distance; a bit for each 64 of these */
	uint64_t cap;           /* distances that there is room for: 0 or a power of two */
};

/* Counts n distances (RP_COLD among them), none above `most`. RP_RESOURCE: no memory. */
bool rp_hist_add(
    struct rp_hist *h, const uint32_t *distance, size_t n, uint32_t most, struct rp_err *err);

/* Those of distance[0..n) whose kind[i] is `which`. */
bool rp_hist_add_kind(struct rp_hist *h, const uint32_t *distance, const uint8_t *kind,
    uint8_t which, size_t n, uint32_t most, struct rp_err *err);

/* Empties it; it keeps its memory. */
void rp_hist_clear(struct rp_hist *h);
void rp_hist_free(struct rp_hist *h); /* it is empty then */

/* The least distance from `from` on that occurs: *distance and how often, 0 if there is none. */
uint64_t rp_hist_next(const struct rp_hist *h, uint64_t from, uint64_t *distance);

/* Lookups with a distance of `lines` or more, cold ones too: the misses of a fully associative LRU cache of so many lines
 * (Mattson et al., IBM Systems Journal 9(2), 1970). */
uint64_t rp_hist_misses(const struct rp_hist *h, uint64_t lines);

/* Bytes it holds, at most: pages without any count are not there. */
uint64_t rp_hist_bytes(const struct rp_hist *h);

#endif
