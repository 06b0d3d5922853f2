/* plan.h - the caches of a sweep: a grid of specifications written out, and how each of them is to be computed.
 *
 * What comes out the same by construction is computed once (sim/sweep/same.h). Of the rest, LRU caches whose sets are
 * chosen by low bits come from one pass for all of a line size (sim/observe/grid.h), or, where they have more ways than
 * that and one set, from reuse distances; all others are replayed. */
#ifndef RP_SIM_SWEEP_PLAN_H
#define RP_SIM_SWEEP_PLAN_H

#include "sim/cache.h"
#include "sim/sweep/wants.h"

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RP_SWEEP_POINTS = 1 << 20 }; /* combinations of the lists, at most */

/* Lists as the user types them, each of a key of a cache's specification; NULL: not given. All are borrowed. */
struct rp_sweep_axes {
	const char *policy; /* names; NULL: lru */
	const char *line, *size, *sets,
	    *ways; /* rp_parse_list; ways also `full`; a line is 64 bytes unless told */
	const char *index, *mshr, *merge,
	    *latency; /* mshr also `none`, `unlimited`; merge also `unlimited` */
	const char *const *
	    with; /* further KEY=VALUE of all caches; a key of a policy's own: of those that have it */
	size_t n_with;
	uint64_t seed;
	const struct rp_plugins *plugins; /* NULL: none */
};

enum rp_sweep_how {
	RP_SWEEP_GRID,  /* with all LRU caches of its line size */
	RP_SWEEP_STACK, /* from reuse distances */
	RP_SWEEP_REPLAY /* by itself */
};

/* A cache of the grid. */
struct rp_sweep_point {
	struct rp_cache_spec spec;
	size_t as; /* the point that is computed for it: its own number, or a smaller one */
	size_t
	    share; /* of points that have to be computed in one share, the number; see rp_sweep_plan_shares */
	enum rp_sweep_how how; /* if it is computed itself */
	bool mine;             /* it is of this share */
	bool done;             /* its counters are known; of those computed themselves */
	struct rp_counters
	    *counters; /* of those computed themselves, else NULL: private to the plan */
};

struct rp_sweep_plan {
	struct rp_sweep_point
	    *point; /* in order: policy, line, size, sets, ways, index, mshr, merge, latency */
	size_t n;
	size_t shares;     /* numbers that `share` may have */
	uint64_t left_out; /* combinations that are no cache */
	uint64_t repeated; /* combinations that are the same cache as one before */
	char why[512];     /* of the first one left out */
	uint64_t hash;     /* of all points and of what is counted: equal for equal sweeps */
};

/* How accesses are counted, which decides what can be computed how. */
struct rp_sweep_count {
	bool once, flush; /* as in struct rp_replay_opts */
	uint64_t warmup;
	const struct rp_sweep_wants *wants; /* borrowed while the plan is made */
};

/* Fills *out (rp_sweep_plan_free, also after a failure). RP_USAGE: a value that is none, one that fits into no combination,
 * more combinations than RP_SWEEP_POINTS, or no cache. */
bool rp_sweep_plan_make(struct rp_sweep_plan *out, const struct rp_sweep_axes *axes,
    const struct rp_sweep_count *count, struct rp_err *err);
void rp_sweep_plan_free(struct rp_sweep_plan *plan);

/* Keeps share number `share` (from 1) of `of`: which points those are depends on the grid and these two alone. What is
 * computed once, and what one pass computes of a line size, is in one share; the rest is dealt in turn. */
void rp_sweep_plan_share(struct rp_sweep_plan *plan, uint64_t share, uint64_t of);

/* Counters of point i, once the point that is computed for it is done. */
static inline const struct rp_counters *
rp_sweep_counters(const struct rp_sweep_plan *plan, size_t i)
{
	return plan->point[plan->point[i].as].counters;
}

/* Points that are still to be computed, or that are, in this share. */
size_t rp_sweep_plan_left(const struct rp_sweep_plan *plan);
size_t rp_sweep_plan_computed(const struct rp_sweep_plan *plan);

/* Whether point i is computed itself, in this share. */
static inline bool
rp_sweep_is_own(const struct rp_sweep_plan *plan, size_t i)
{
	return plan->point[i].mine && plan->point[i].as == i;
}

#endif
