/* ranks.h - counts in a row, and which of them the k-th unit falls on.
 *
 * A tree of nodes of 16 lanes. A lane holds how many units there are in its child and in those before it within the node, so
 * the child that a unit falls on is found by four comparisons, and a unit more or less changes a part of one node a level,
 * all lanes at once. */
#ifndef RP_GEN_RANKS_H
#define RP_GEN_RANKS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { RP_LANES = 16, RP_RANKS_DEEP = 8 };

/* Starts as zeroes. */
struct rp_ranks {
	/* private: */
	uint32_t *level[RP_RANKS_DEEP]; /* the root first */
	unsigned levels;
	size_t lanes; /* of the last level */
	void *memory;
};

/* Room for n counts (1 to 2^31), all 0. RP_RESOURCE: no memory. */
bool rp_ranks_open(struct rp_ranks *r, size_t n, struct rp_err *err);
void rp_ranks_close(struct rp_ranks *r);

/* Sets the first n counts, and 0 behind them. Their sum is below 2^32. */
void rp_ranks_set(struct rp_ranks *r, const uint32_t *count, size_t n);

/* From lane 16 - j on, lanes j and up are 1. */
extern const uint32_t rp_ranks_ones[2 * RP_LANES];

/* Adds 1, or takes it away, in lanes `j` and up. */
static inline void
rp_ranks_shift(uint32_t *node, size_t j, bool more)
{
	typedef uint32_t lanes __attribute__((vector_size(4 * RP_LANES)));
	lanes x, one;
	memcpy(&x, node, sizeof x);
	memcpy(&one, rp_ranks_ones + RP_LANES - j, sizeof one);
	x = more ? x + one : x - one;
	memcpy(node, &x, sizeof x);
}

/* Takes unit *k (from 0, below their sum) away: the count it fell on. *k becomes its number within that count. */
static inline size_t
rp_ranks_take(struct rp_ranks *r, uint32_t *k)
{
	size_t at = 0;
	uint32_t u = *k;
	for (unsigned l = 0; l < r->levels; l++) {
		uint32_t *node = r->level[l] + at * RP_LANES;
		size_t j = node[7] <= u ? 8 : 0;
		j += node[j + 3] <= u ? 4 : 0;
		j += node[j + 1] <= u ? 2 : 0;
		j += node[j] <= u ? 1 : 0;
		u -= j ? node[j - 1] : 0;
		rp_ranks_shift(node, j, false);
		at = at * RP_LANES + j;
	}
	*k = u;
	return at;
}

/* One more of count `at`. */
static inline void
rp_ranks_add(struct rp_ranks *r, size_t at)
{
	for (unsigned l = r->levels; l-- > 0; at /= RP_LANES)
		rp_ranks_shift(r->level[l] + at / RP_LANES * RP_LANES, at % RP_LANES, true);
}

/* Count `at`. */
static inline uint32_t
rp_ranks_at(const struct rp_ranks *r, size_t at)
{
	const uint32_t *leaf = r->level[r->levels - 1];
	return leaf[at] - (at % RP_LANES ? leaf[at - 1] : 0);
}

#endif
