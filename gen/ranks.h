/* ranks.h - counts in a row, and which of them the k-th unit falls on.
 *
 * A tree of nodes of 16 lanes. A lane holds how many units there are in its child and in those before it within the node, so
 * the child that a unit falls on is found by comparing all at once, and a unit more or less changes a part of one node a level. */
#ifndef RP_GEN_RANKS_H
#define RP_GEN_RANKS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

/* Sets the first n counts, and 0 behind them. Their sum is below 2^31. */
void rp_ranks_set(struct rp_ranks *r, const uint32_t *count, size_t n);

/* A node, by four lanes: as vectors of a length that every machine has, and without loops that a compiler may leave. */
typedef int32_t rp_four __attribute__((vector_size(16)));
struct rp_lanes {
	rp_four a, b, c, d;
};

/* The first lane of a node that has more than u, of all of its units; those behind it have more too. *more: -1 in each. */
static inline size_t
rp_lanes_above(const uint32_t *node, uint32_t u, struct rp_lanes *more)
{
	struct rp_lanes x;
	memcpy(&x, node, sizeof x);
	more->a = x.a > (int32_t)u;
	more->b = x.b > (int32_t)u;
	more->c = x.c > (int32_t)u;
	more->d = x.d > (int32_t)u;
#ifdef __SSE2__
	__m128i low = _mm_packs_epi32((__m128i)more->a, (__m128i)more->b),
		high = _mm_packs_epi32((__m128i)more->c, (__m128i)more->d);
	unsigned set = (unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high));
	return (size_t)(unsigned)__builtin_ctz(set | 1u << (RP_LANES - 1));
#else
	rp_four less = 4 + more->a + more->b + more->c + more->d;
	size_t j = (size_t)(less[0] + less[1] + less[2] + less[3]);
	return j < RP_LANES ? j : RP_LANES - 1;
#endif
}

/* Units of a node before lane j, without a branch that nothing foretells. */
static inline uint32_t
rp_lanes_before(const uint32_t *node, size_t j)
{
	return node[j - (j > 0)] & -(uint32_t)(j > 0);
}

static inline void
rp_lanes_add(uint32_t *node, const struct rp_lanes *by)
{
	struct rp_lanes x;
	memcpy(&x, node, sizeof x);
	x.a += by->a;
	x.b += by->b;
	x.c += by->c;
	x.d += by->d;
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
		struct rp_lanes more; /* and one less in each of them */
		size_t j = rp_lanes_above(node, u, &more);
		u -= rp_lanes_before(node, j);
		rp_lanes_add(node, &more);
		at = at * RP_LANES + j;
	}
	*k = u;
	return at;
}

/* Fetches what taking a unit will need that may be far away: the node of the last level. */
static inline void
rp_ranks_prefetch(const struct rp_ranks *r, uint32_t u)
{
	size_t at = 0;
	for (unsigned l = 0; l + 1 < r->levels; l++) {
		const uint32_t *node = r->level[l] + at * RP_LANES;
		struct rp_lanes more;
		size_t j = rp_lanes_above(node, u, &more);
		u -= rp_lanes_before(node, j);
		at = at * RP_LANES + j;
	}
	__builtin_prefetch(r->level[r->levels - 1] + at * RP_LANES, 1);
}

/* From lane 16 - j on, lanes j and up are 1. */
extern const uint32_t rp_ranks_ones[2 * RP_LANES];

/* One more of count `at`. */
static inline void
rp_ranks_add(struct rp_ranks *r, size_t at)
{
	for (unsigned l = r->levels; l-- > 0; at /= RP_LANES) {
		struct rp_lanes one;
		memcpy(&one, rp_ranks_ones + RP_LANES - at % RP_LANES, sizeof one);
		rp_lanes_add(r->level[l] + at / RP_LANES * RP_LANES, &one);
	}
}

/* Count `at`. */
static inline uint32_t
rp_ranks_at(const struct rp_ranks *r, size_t at)
{
	const uint32_t *leaf = r->level[r->levels - 1];
	return leaf[at] - (at % RP_LANES ? leaf[at - 1] : 0);
}

#endif
