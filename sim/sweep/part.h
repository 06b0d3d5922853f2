/* part.h - some points of a sweep that are computed together in one pass over a trace. */
#ifndef RP_SIM_SWEEP_PART_H
#define RP_SIM_SWEEP_PART_H

#include "sim/level.h"
#include "sim/sweep/plan.h"

#include "traces/batch.h"
#include "traces/trace.h"

#include <signal.h>

/* How a sweep is run. */
struct rp_sweep_opts {
	bool once, flush, keep_bypassed; /* as in struct rp_replay_opts */
	uint64_t warmup;
	const struct rp_sweep_wants *wants; /* borrowed */
	enum rp_level level; /* for tests: which of the loops, that all give the same */
	unsigned threads;    /* 0: one */
	uint64_t cache;      /* bytes of the host's cache for a thread; 0: as the host says */
	const struct rp_trace *trace;      /* borrowed: what is known of kernels; NULL: nothing */
	const volatile sig_atomic_t *stop; /* ends rp_sweep_pass_more early; NULL: never */
};

struct rp_sweep_part;

/* The n points of the plan with these numbers, all to be computed in the same way; the numbers are copied, the plan and
 * the options are borrowed. Gives (rp_sweep_part_free). RP_RESOURCE: no memory for them. */
struct rp_sweep_part *rp_sweep_part_new(struct rp_sweep_plan *plan, const size_t *point, size_t n,
    const struct rp_sweep_opts *o, struct rp_err *err);
void rp_sweep_part_free(struct rp_sweep_part *p); /* accepts NULL */

/* The next rows of the trace. RP_USAGE: clock=time, and the trace has no times. Otherwise as rp_replay_run. */
bool rp_sweep_part_run(struct rp_sweep_part *p, const struct rp_batch *b, struct rp_err *err);

/* The trace has ended: does what is left to do, which for a policy that wants the future is all of it. */
bool rp_sweep_part_finish(struct rp_sweep_part *p, struct rp_err *err);

/* Fills in the counters of the points, which are done then. Where the trace drops lines, or cleans some and write-backs are
 * wanted, what is computed of many caches at once is no good: then the points are still to be done, by replay. */
void rp_sweep_part_keep(struct rp_sweep_part *p);

#endif
