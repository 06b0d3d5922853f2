/* pascal_bound.c - the residency bound on every demand policy (PASCAL, Theorem 4).
 *
 * A hit needs its block resident all the time since the request before it, delta M units; C blocks give C M units a round. The
 * most hits for that budget: the shortest stays that fit, and a part of the next one. */
#include "config.h"

#include "validate/pascal_state.h"

struct rp_fraction
rp_pascal_hits_most(const struct rp_pascal *p, uint64_t capacity)
{
	if (capacity >= p->blocks)
		return rp_fraction(p->workers, 1);
	uint64_t budget = capacity * p->workers;
	/* Their sum is N M, which is more: not all fit. */
	size_t n = pascal_below(p->delta_sum, (size_t)p->workers + 1, budget + 1) - 1;
	rp_wide next = p->delta_sorted[n];
	return rp_fraction((rp_wide)n * next + (budget - p->delta_sum[n]), next);
}

struct rp_fraction
rp_pascal_bound(const struct rp_pascal *p, uint64_t capacity)
{
	struct rp_fraction most = rp_pascal_hits_most(p, capacity);
	return rp_fraction(p->workers * most.den - most.num, most.den);
}

uint64_t
rp_pascal_cold_bound(const struct rp_pascal *p, uint64_t capacity, uint64_t rounds)
{
	struct rp_fraction f = rp_pascal_bound(p, capacity);
	/* By whole and rest: below 2^63 each, where the product of rounds and num may need more than 127 bits. */
	rp_wide whole = f.num / f.den, rest = f.num % f.den;
	return (uint64_t)(whole * rounds + rp_wide_ceil(rest * rounds, f.den));
}
