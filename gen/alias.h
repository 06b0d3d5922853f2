/* alias.h - numbers drawn with given weights, in constant time (Walker, Electronics Letters 10(8), 1974; filled by
 * sweeping, Huebschle-Schneider and Sanders, ESA 2019).
 *
 * Every number has a slot of the same size. A slot keeps what its number's weight fills of it and gives the rest to one
 * other number. Weights are rounded to multiples of 2^-32 of a slot, so that each probability is right to 2^-32 / n. */
#ifndef RP_GEN_ALIAS_H
#define RP_GEN_ALIAS_H

#include "base/err.h"

#include <stdint.h>

struct rp_alias_slot {
	uint32_t keep;  /* of 2^32 */
	uint32_t other; /* the slot's own number when it is full */
};

struct rp_alias {
	struct rp_alias_slot *slot;
	uint32_t n;
};

/* Builds a table for n (at least 1) weights, each below 2^63, not all zero. The weights are used up. Gives
 * (rp_alias_free). RP_RESOURCE without memory: 8 bytes a number. */
bool rp_alias_build(struct rp_alias *a, uint64_t *weight, uint32_t n, struct rp_err *err);
void rp_alias_free(struct rp_alias *a);

/* A draw in two steps, so that many can have their slots fetched at once. */
struct rp_alias_draw {
	uint32_t slot, place;
};

static inline struct rp_alias_draw
rp_alias_aim(const struct rp_alias *a, uint64_t random)
{
	unsigned __int128 x = (unsigned __int128)random * a->n;
	return (struct rp_alias_draw){ (uint32_t)(x >> 64), (uint32_t)(x >> 32) };
}

static inline uint32_t
rp_alias_take(const struct rp_alias *a, struct rp_alias_draw d)
{
	struct rp_alias_slot s = a->slot[d.slot];
	return d.place < s.keep ? d.slot : s.other;
}

#endif
