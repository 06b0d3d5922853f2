/* axes.h - the lists that span the grid of a sweep, each of texts that stand behind a key of a specification. */
#ifndef RP_SIM_SWEEP_AXES_H
#define RP_SIM_SWEEP_AXES_H

#include "sim/sweep/plan.h"

/* In the order in which points follow each other: the first changes last. */
enum rp_sweep_axis {
	RP_AXIS_POLICY,
	RP_AXIS_LINE,
	RP_AXIS_SIZE,
	RP_AXIS_SETS,
	RP_AXIS_WAYS,
	RP_AXIS_INDEX,
	RP_AXIS_MSHR,
	RP_AXIS_MERGE,
	RP_AXIS_LATENCY,
	RP_AXES
};

extern const char *const rp_sweep_axis_name[RP_AXES]; /* the key, and the option */

/* Values of an axis: one that is NULL if the list is not given. `fits`: it is in a combination that is a cache; `why`, if
 * not: why not, of the first one. */
struct rp_sweep_values {
	struct rp_sweep_value {
		char *text, *why;
		bool fits;
	} * value;
	size_t n;
};

/* Fills v[RP_AXES] (rp_sweep_values_free, also after a failure). RP_USAGE: a list that is none, a policy that is not
 * there, more than RP_SWEEP_POINTS values. */
bool rp_sweep_values_make(
    struct rp_sweep_values v[RP_AXES], const struct rp_sweep_axes *axes, struct rp_err *err);
void rp_sweep_values_free(struct rp_sweep_values v[RP_AXES]);

#endif
