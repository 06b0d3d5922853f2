/* xoshiro.h - the generator of MLCRP's traces: xoshiro256** (Blackman, Vigna, ACM TOMS 47(4), 2021).
 *
 * Its words are part of what a published data set says: four successive outputs of splitmix64 are the state, so that a trace
 * can be made again from its seed by anybody. Everything else of ours draws from base/rng.h. */
#ifndef RP_BASE_XOSHIRO_H
#define RP_BASE_XOSHIRO_H

#include <stdint.h>

struct rp_xoshiro {
	uint64_t s[4];
};

/* The generator that a seed stands for. */
struct rp_xoshiro rp_xoshiro_seed(uint64_t seed);

static inline uint64_t
rp_xoshiro_next(struct rp_xoshiro *r)
{
	uint64_t *s = r->s, five = s[1] * 5, out = (five << 7 | five >> 57) * 9, t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = s[3] << 45 | s[3] >> 19;
	return out;
}

/* In 0 .. n - 1: the high half of a product. One draw. */
static inline uint64_t
rp_xoshiro_below(struct rp_xoshiro *r, uint64_t n)
{
	return (uint64_t)((unsigned __int128)rp_xoshiro_next(r) * n >> 64);
}

/* In [0, 1), 53 bits. One draw. */
static inline double
rp_xoshiro_unit(struct rp_xoshiro *r)
{
	return (double)(rp_xoshiro_next(r) >> 11) * 0x1p-53;
}

#endif
