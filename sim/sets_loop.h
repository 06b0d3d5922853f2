/* sets_loop.h - what the loops over sets (sim/sets.h, sim/words.h) share; part of kernels.c. */
#ifndef RP_SIM_SETS_LOOP_H
#define RP_SIM_SETS_LOOP_H

#include "sim/sets.h"
#include "sim/ways.h"

/* What a loop over sets reads and writes, in locals of its own: stores of bytes could change any memory, so what is not
 * local would be read again for every lookup. */
struct loop {
	size_t n, stride;
	const uint32_t *set;
	const uint64_t *key;
	const uint8_t *dirtying, *store;
	unsigned char *keys;
	uint16_t *dirty16; /* of up to 16 lanes */
	uint64_t *dirty64;
	uint64_t sets; /* what a victim's key is multiplied by: see rp_sets_victims() */
	unsigned ways;
};

RP_INLINE struct loop
loop_over(struct rp_sets *c, const struct rp_lookups *in, bool wide, unsigned lanes)
{
	static const uint8_t none[RP_CHUNK];
	return (struct loop){
		.n = in->n,
		.stride = lanes * (wide ? sizeof(uint64_t) : sizeof(uint32_t)),
		.set = c->set,
		.key = c->key,
		.dirtying = c->cache.spec->write == RP_WRITE_BACK ? in->dirty : none,
		.store = in->store,
		.keys = c->keys,
		.dirty16 = (uint16_t *)c->dirty,
		.dirty64 = c->dirty,
		.sets = c->cache.spec->index == RP_INDEX_HASH ? 1 : c->sets,
		.ways = c->ways,
	};
}

RP_INLINE uint64_t
dirty_get(const struct loop *l, uint32_t s, unsigned lanes)
{
	return lanes <= 16 ? l->dirty16[s] : l->dirty64[s];
}

RP_INLINE void
dirty_set(const struct loop *l, uint32_t s, unsigned lanes, uint64_t bits)
{
	if (lanes <= 16)
		l->dirty16[s] = (uint16_t)bits;
	else
		l->dirty64[s] = bits;
}

RP_INLINE void
prefetch_set(const struct loop *l, size_t i, unsigned lanes)
{
	const unsigned char *p = l->keys + l->set[i] * l->stride;
	for (size_t at = 0; at < l->stride; at += 64)
		__builtin_prefetch(p + at, 1);
	__builtin_prefetch(
	    lanes <= 16 ? (void *)(l->dirty16 + l->set[i]) : (void *)(l->dirty64 + l->set[i]), 1);
}

#endif
