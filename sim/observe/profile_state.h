/* profile_state.h - what a reuse profile keeps; private to sim/observe/profile*. */
#ifndef RP_SIM_OBSERVE_PROFILE_STATE_H
#define RP_SIM_OBSERVE_PROFILE_STATE_H

#include "sim/observe/profile.h"

#include "sim/observe/hist.h"
#include "sim/observe/sample.h"

enum {
	RP_FINE_BITS = 8,     /* of the bins where the rate has changed */
	RP_FINE_OCTAVES = 40, /* 2^29 lines in a sample, and rates down to 2^-11 of these */
	RP_FINE_BINS = (4 << RP_FINE_BITS) + ((RP_FINE_OCTAVES - RP_FINE_BITS - 2) << RP_FINE_BITS)
};

/* Distances counted at the rate of now, and what was counted at others, in lookups of all. */
struct rp_spread {
	struct rp_hist hist;
	double *fine, fine_cold, fine_total; /* fine: by log bin; NULL: there was no other */
	uint64_t lookups;                    /* of all lines, in the sample or not */
};

struct rp_profile {
	struct rp_profile_opts o;
	bool sampled; /* some lines may be left out */
	struct rp_sample sample;
	struct rp_reuse *reuse;
	struct rp_times *times;
	struct rp_spread part[RP_PARTS];
	uint64_t in_sample; /* counted lookups of lines that were in it */
	/* Distinct lines in the sample since counting began, and since the last cut: exact, as a lookup is the first of its
	 * line since then if it is farther than all lines there were. */
	uint64_t distinct, recent;
	bool started, forgotten;
	/* Smaller samples that this one is made of. */
	struct rp_reuse *piece[RP_ERROR_PARTS];
	struct rp_spread piece_part[RP_ERROR_PARTS];
	/* Lookups in the sample that wait for a full chunk. */
	size_t waiting;
	uint64_t *line;
	uint8_t *store;
	uint32_t *index, *distance;
};

static inline double
rp_profile_scale(const struct rp_profile *p)
{
	return 1 / rp_sample_rate(&p->sample);
}

#endif
