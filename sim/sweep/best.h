/* best.h - which caches of a sweep are worth their size. */
#ifndef RP_SIM_SWEEP_BEST_H
#define RP_SIM_SWEEP_BEST_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A cache; those of one family differ in nothing but size, sets and ways. */
struct rp_sweep_cache {
	size_t family;
	uint64_t size, misses, lookups;
	uint32_t ways;
};

/* A cache that no smaller or equally large one of its family equals in misses. */
struct rp_sweep_step {
	size_t cache; /* its number */
	bool doubles; /* its family has caches of twice its size or more */
	uint64_t
	    doubled; /* then: the least misses of its family's caches of up to twice its size */
	bool knee;
};

/* The steps of all families, family by family in ascending order of size: out[0..], for which there is room for n; how
 * many. Of caches of one size the one with the least misses counts, then the one with the fewest ways, then the first.
 *
 * Doubling a step pays if `pays` or more of its misses (a share) are gone with at most twice its size. A knee is a step of
 * which it is known that doubling it does not pay, after one that it pays to double, or of which it saves as large a share
 * itself: a cliff may lie farther off than one doubling. If no step of a family pays in either way, it is the first one, if
 * it is known of that. RP_RESOURCE. */
bool rp_sweep_steps(const struct rp_sweep_cache *cache, size_t n, double pays,
    struct rp_sweep_step *out, size_t *steps, struct rp_err *err);

/* The smallest cache of each family whose misses are at most `ratio` of its lookups, by the same order: out[0..], smallest
 * first, then by misses, then by family; how many. */
bool rp_sweep_reach(const struct rp_sweep_cache *cache, size_t n, double ratio, size_t *out,
    size_t *reached, struct rp_err *err);

#endif
