/* sample.c - a sample of lines, chosen by a hash of the line. */
#include "config.h"

#include "sim/observe/sample.h"

#include "sim/kernels.h"
#include "sim/observe/reuse_state.h"

#include "base/rng.h"

struct rp_sample
rp_sample_of(double rate, uint64_t seed, enum rp_level level)
{
	struct rp_rng rng = rp_rng_for(seed, "sim/observe/sample", 0);
	struct rp_sample s = { .salt = rp_rng_next(&rng), .below = RP_SAMPLE_ALL };
	if (rate < 1)
		s.below = (uint64_t)(rate * (double)RP_SAMPLE_ALL + 0.5);
	if (!s.below)
		s.below = 1;
	s.loop = rp_kernels_of(level)->reuse->sample;
	return s;
}
