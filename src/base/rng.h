/* rng.h - random numbers that are the same on every machine.
 *
 * A stream is named (what it is for, and which one), so that a stream added elsewhere does not shift this one. The
 * generator is splitmix64 (Steele, Lea, Flood, OOPSLA 2014): eight bytes of state, one multiply-and-shift chain. */
#ifndef RP_BASE_RNG_H
#define RP_BASE_RNG_H

#include "base/hash.h"

#include <stdint.h>

struct rp_rng {
	uint64_t state;
};

/* Stream number `index` of those called `name` ("sim/policy/random"), for the user's seed. */
struct rp_rng rp_rng_for(uint64_t seed, const char *name, uint64_t index);

static inline uint64_t
rp_rng_next(struct rp_rng *r)
{
	r->state += UINT64_C(0x9e3779b97f4a7c15);
	return rp_mix64(r->state);
}

/* Uniform in 0 .. n - 1, n at least 1, by the high half of a product; the bias is below n / 2^64. */
static inline uint64_t
rp_rng_below(struct rp_rng *r, uint64_t n)
{
	return (uint64_t)((unsigned __int128)rp_rng_next(r) * n >> 64);
}

/* Uniform in [0, 1), 53 bits. */
static inline double
rp_rng_unit(struct rp_rng *r)
{
	return (double)(rp_rng_next(r) >> 11) * 0x1p-53;
}

#endif
