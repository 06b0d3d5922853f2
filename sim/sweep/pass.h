/* pass.h - one pass over a trace of a sweep: as many points as go together, over threads.
 *
 * The first pass takes all that grids and reuse distances compute. Each of the others takes as many replays as fit the
 * host's cache, as what they keep is gone through for every batch, and at most eight for each thread, so that a pass that
 * is lost is not much. Which points are in which pass depends on the host; what comes out does not. */
#ifndef RP_SIM_SWEEP_PASS_H
#define RP_SIM_SWEEP_PASS_H

#include "sim/sweep/part.h"

struct rp_sweep_pass;

/* The next points of the plan that are not done. The plan and the options are borrowed. Gives (rp_sweep_pass_free).
 * RP_RESOURCE: no memory. */
struct rp_sweep_pass *rp_sweep_pass_new(
    struct rp_sweep_plan *plan, const struct rp_sweep_opts *o, struct rp_err *err);
void rp_sweep_pass_free(struct rp_sweep_pass *p); /* accepts NULL */

/* Hands over the next rows, which are borrowed until rp_sweep_pass_wait. */
void rp_sweep_pass_give(struct rp_sweep_pass *p, const struct rp_batch *b);
/* Waits until all is done with them. Fails as rp_sweep_part_run. */
bool rp_sweep_pass_wait(struct rp_sweep_pass *p, struct rp_err *err);

/* The trace has ended: finishes all points, and fills in their counters. RP_STOPPED: opts.stop said so. */
bool rp_sweep_pass_end(struct rp_sweep_pass *p, struct rp_err *err);

size_t rp_sweep_pass_points(const struct rp_sweep_pass *p); /* that it computes */

/* Number of passes that the points of the plan that are not done take, and more if the trace drops lines. SIZE_MAX:
 * RP_RESOURCE. */
size_t rp_sweep_passes(
    const struct rp_sweep_plan *plan, const struct rp_sweep_opts *o, struct rp_err *err);

#endif
