/* margin.h - how far a change of the phases moves the waterline and the slotted TTL's misses (PASCAL, Proposition 7).
 *
 * Two scans of D distinct phases on rings of one size, whose gaps can be paired so that those of a pair differ by at most e:
 *
 *	|theta - theta'| <= d e,   |F - F'| <= #{ i : |g_i - theta| <= (d + 1) e },   F = K_TTL,
 *
 * with d = D in the paper, and d = floor(D / 2) as well: both gap vectors have the sum N, so that what some gaps gain others
 * lose, and the gain is at most e times the fewer of the two. The paper pairs gaps in cyclic order and does not say that the
 * rings are of one size, which it needs. Its proof uses no order, so the closest pairing will do: the i-th smallest with the
 * i-th smallest, which makes e least. */
#ifndef RP_VALIDATE_MARGIN_H
#define RP_VALIDATE_MARGIN_H

#include "validate/pascal.h"

struct rp_margin {
	uint64_t e;                       /* largest difference of two gaps */
	struct rp_fraction theta, other;  /* waterlines */
	struct rp_fraction moved;         /* |theta - theta'| */
	uint64_t moved_most, moved_sharp; /* D e; floor(D / 2) e */
	uint32_t misses, other_misses;    /* F, F' */
	uint32_t change_most,
	    change_sharp; /* gaps within (D + 1) e of theta; within (floor(D / 2) + 1) e */
};

/* The proposition for a change from `p` to `q` at a capacity below N. RP_USAGE: rings of two sizes, numbers of distinct
 * phases that differ, no waterline. */
bool rp_pascal_margin(const struct rp_pascal *p, const struct rp_pascal *q, uint64_t capacity,
    struct rp_margin *m, struct rp_err *err);

#endif
