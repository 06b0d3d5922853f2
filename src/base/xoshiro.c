/* xoshiro.c - the generator of MLCRP's traces. */
#include "config.h"

#include "base/xoshiro.h"

#include "base/rng.h"

struct rp_xoshiro
rp_xoshiro_seed(uint64_t seed)
{
	struct rp_rng split = { seed };
	struct rp_xoshiro r;
	for (int i = 0; i < 4; i++)
		r.s[i] = rp_rng_next(&split);
	return r;
}
