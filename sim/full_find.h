/* full_find.h - lines in the buckets of sim/full.h: found, and put in; part of kernels.c and queues_kernels.c. */
#ifndef RP_SIM_FULL_FIND_H
#define RP_SIM_FULL_FIND_H

#include "sim/full.h"
#include "sim/ways.h"

enum { FULL_WAYS = (1 << RP_BUCKET_WAYS) - 1 }; /* a bit each */

/* Bit w: way w of bucket b holds the line. */
RP_INLINE uint32_t
full_match(const struct rp_full *c, uint32_t b, uint32_t key, uint64_t line, bool wide)
{
	const struct rp_bucket *k = &c->bucket[b];
	uint32_t m = bucket_match(k->key, key) & FULL_WAYS;
	if (wide)
		for (uint32_t left = m; left; left &= left - 1)
			if (c->line[b << 3 | (unsigned)__builtin_ctz(left)] != line)
				m &= ~(left & -left);
	return m;
}

/* Place of a line in a chain: NONE if it is not there. */
RP_INLINE uint32_t
full_chained(const struct rp_full *c, uint32_t chain, uint64_t line)
{
	for (uint32_t n = chain; n; n = c->node[n].next)
		if (c->node[n].line == line)
			return n << 3 | RP_BUCKET_WAYS;
	return RP_FULL_NONE;
}

/* Puts a line, which is not there, into bucket b: its place. `at`: as a bucket has it. */
static inline uint32_t
full_insert(struct rp_full *c, uint32_t b, uint32_t key, uint64_t line, uint32_t at, bool wide)
{
	struct rp_bucket *k = &c->bucket[b];
	uint32_t room = bucket_match(k->key, 0) & FULL_WAYS;
	if (room) {
		unsigned w = (unsigned)__builtin_ctz(room);
		bucket_put(k->key, w, key);
		k->at[w] = at;
		if (wide)
			c->line[b << 3 | w] = line;
		return b << 3 | w;
	}
	uint32_t n = c->spare ? c->spare : ++c->nodes;
	if (c->spare)
		c->spare = c->node[n].next;
	c->node[n] = (struct rp_node){ .line = line, .at = at, .next = k->chain };
	k->chain = n;
	return n << 3 | RP_BUCKET_WAYS;
}

#endif
