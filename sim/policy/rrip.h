/* rrip.h - re-reference interval prediction: what nru, srrip, brrip and drrip have in common.
 *
 * Each line has a prediction of `bits` bits of how far away its next use is, from 0 (near) to the top, 2^bits - 1 (distant).
 * A hit makes it 0 ("hit priority"). The victim is the first way, in order of number, that is at the top; while there is
 * none all lines age by one (Jaleel et al., ISCA 2010).
 *
 * In a set of thousands of ways neither search nor ageing may go through them. So there is a set of ways for each
 * prediction (sim/policy/bits.h), and ageing renames these: the ways of prediction p are in group (p - age) mod 2^bits. */
#ifndef RP_SIM_POLICY_RRIP_H
#define RP_SIM_POLICY_RRIP_H

#include "sim/policy.h"
#include "sim/policy/bits.h"

enum { RP_RRIP_BITS = 4 }; /* at most */

/* Behind it the groups: rp_bits_words(ways) words each. Behind these each way's group + 1, a byte; 0: never filled. */
struct rp_rrip {
	uint64_t age;
	uint64_t group[];
};

static inline uint8_t *
rp_rrip_in(const struct rp_at *at, uint64_t bits)
{
	struct rp_rrip *r = at->set;
	return (uint8_t *)(r->group + (rp_bits_words(at->ways) << bits));
}

static inline size_t
rp_rrip_bytes(uint32_t ways, uint64_t bits)
{
	return sizeof(struct rp_rrip) + (rp_bits_words(ways) << bits) * sizeof(uint64_t) + ways;
}

/* Predicts for a way, wherever it was. One that was invalidated stays in its group until it is filled again, which is
 * before anybody looks for a victim. */
static inline void
rp_rrip_set(const struct rp_at *at, uint64_t bits, uint32_t way, uint64_t prediction)
{
	struct rp_rrip *r = at->set;
	size_t words = rp_bits_words(at->ways);
	uint8_t *in = rp_rrip_in(at, bits) + way;
	uint64_t to = (prediction - r->age) & ((UINT64_C(1) << bits) - 1);
	if (*in)
		rp_bits_remove(r->group + (*in - 1u) * words, at->ways, way);
	rp_bits_add(r->group + to * words, at->ways, way);
	*in = (uint8_t)(to + 1);
}

static inline uint32_t
rp_rrip_victim(const struct rp_at *at, uint64_t bits)
{
	struct rp_rrip *r = at->set;
	size_t words = rp_bits_words(at->ways);
	uint64_t top = (UINT64_C(1) << bits) - 1;
	uint32_t way;
	while (!rp_bits_first(r->group + ((top - r->age) & top) * words, at->ways, &way))
		r->age++;
	return way;
}

/* What a new line is predicted: long by srrip, one below the top; distant by brrip, but for one in `throttle`. */
static inline uint64_t
rp_rrip_long(uint64_t bits)
{
	return (UINT64_C(1) << bits) - 2;
}

static inline uint64_t
rp_rrip_bimodal(const struct rp_at *at, uint64_t bits, uint64_t throttle)
{
	return rp_rrip_long(bits) + (rp_rng_below(at->rng, throttle) != 0);
}

#endif
