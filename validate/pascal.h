/* pascal.h - closed forms for parallel scans with fixed phases (PASCAL, sections 3.1 to 3.4).
 *
 * N blocks in a ring, M workers; in round k worker m requests block (k + s_m) mod N, workers in order of their index. All
 * of it follows from the phases s_m: nothing here generates or replays a trace, and nothing decides by floating point.
 *
 * What is prepared once costs O(M log M); a question about one capacity C then costs O(log M), except where said. C counts
 * blocks and is at least 1. A miss count without "cold" is per round, once a policy is warm; there is no waterline for
 * C >= N, where every policy that keeps what it has misses nothing.
 *
 * Where the paper leaves a condition out it is added here:
 * - Theorem 3 needs D <= C. Phases (0, 1, 0), N = 6, C = 1: TTL misses 2, LRU 3, outside [K(T* + 1), K(T* - 1)] = [2, 2].
 * - Its lower end may be 0 although LRU misses at least once a round for C < N (an LRU cache that stopped missing would hold
 *   all N blocks); `lo_sharp` is max(1, lo).
 * - Theorem 4 needs no correction from an empty cache: a hit then has its previous request inside the trace. From any other
 *   contents at most min(C, N) hits have not, rather than N.
 * - Proposition 7 needs rings of one size; with it D may be floor(D / 2); it does not need the same cyclic order
 *   (validate/margin.h). */
#ifndef RP_VALIDATE_PASCAL_H
#define RP_VALIDATE_PASCAL_H

#include "base/err.h"
#include "validate/fraction.h"

#include <stdbool.h>
#include <stdint.h>

/* The previous request of the block that a worker requests: `lag` rounds ago, by `worker`. */
struct rp_pascal_reuse {
	uint64_t lag; /* 0: in the same round */
	uint32_t worker;
};

/* Read-only for callers. */
struct rp_pascal {
	uint64_t blocks;                  /* N */
	uint32_t workers, distinct;       /* M; D, distinct phases */
	uint64_t *phase;                  /* M: s_m */
	uint64_t *gap;                    /* D: g_i, from the lowest phase on; their sum is N */
	uint64_t *sorted;                 /* D: the same, ascending */
	struct rp_pascal_reuse *previous; /* M: of each worker's request */
	uint64_t *delta; /* M: M times the time since then (Theorem 4); their sum is N M */
	uint64_t *rd;    /* M: reuse distances; NULL before rp_pascal_distances */

	/* private to pascal*.c */
	struct rp_pascal_group *group; /* D: who stands at each distinct phase */
	uint64_t *gap_sum;             /* D + 1: of the i smallest gaps */
	uint64_t *delta_sorted;        /* M: delta, ascending */
	uint64_t *delta_sum;           /* M + 1: of the i smallest */
	uint32_t *by_rd;               /* M: workers by reuse distance, ascending */
	uint64_t *cold_sum;            /* M + 1: of min(rounds, lag) of the first i of by_rd */
	uint64_t rounds;               /* that cold_sum is for */
};

/* Prepares all but the reuse distances. Copies `phase` (workers of them, at least 1, each below `blocks`). RP_USAGE: N M is
 * 2^62 or more, a phase is no block; RP_RESOURCE. Gives (rp_pascal_free). */
struct rp_pascal *rp_pascal_new(
    const uint64_t *phase, uint32_t workers, uint64_t blocks, struct rp_err *err);
void rp_pascal_free(struct rp_pascal *p); /* accepts NULL */

/* U(t): distinct blocks of any t consecutive rounds, sum of min(g_i, t) (Lemma 1). */
uint64_t rp_pascal_footprint(const struct rp_pascal *p, uint64_t t);

/* K(t) = U(t + 1) - U(t): gaps longer than t. K(-1) is by convention D, as K(0). */
uint32_t rp_pascal_gaps_above(const struct rp_pascal *p, uint64_t t);

/* The waterline: sum of min(g_i, theta) = C (Eq. 3); window = floor(theta) = T*, the longest one whose footprint fits C. false
 * for C >= N, where there is none. */
struct rp_waterline {
	struct rp_fraction theta;
	uint64_t window;
};
bool rp_pascal_waterline(const struct rp_pascal *p, uint64_t capacity, struct rp_waterline *w);

/* K_TTL = K(T*): misses of the slotted TTL cache of T* rounds (Theorem 2). 0 for C >= N. Exact from round T* on. */
uint32_t rp_pascal_ttl(const struct rp_pascal *p, uint64_t capacity);

/* lo <= K_LRU <= hi (Theorem 3). false where it does not apply: D > C or C >= N. */
struct rp_pascal_certificate {
	uint32_t lo, hi;   /* K(T* + 1), K(T* - 1) */
	uint32_t lo_sharp; /* max(1, lo) */
};
bool rp_pascal_certificate(
    const struct rp_pascal *p, uint64_t capacity, struct rp_pascal_certificate *c);

/* Fills `rd`: other blocks strictly between a worker's request and the previous one of the same block. Once; later calls do
 * nothing. O(M log M) for all workers together, where the paper's way is O(M^2 log M). RP_RESOURCE. */
bool rp_pascal_distances(struct rp_pascal *p, struct rp_err *err);

/* K_LRU: workers whose reuse distance is `capacity` or more (fully associative LRU; every round from N on of a trace that
 * starts empty). Needs the distances. */
uint32_t rp_pascal_lru(const struct rp_pascal *p, uint64_t capacity);

/* V(C): the most hits a round that residency for C M units of time allows (Theorem 4), a fractional knapsack; and the bound
 * M - V(C) below the long-run misses of every policy that fetches on demand only. M and 0 for C >= N. */
struct rp_fraction rp_pascal_hits_most(const struct rp_pascal *p, uint64_t capacity);
struct rp_fraction rp_pascal_bound(const struct rp_pascal *p, uint64_t capacity);

/* Totals of the first `rounds` rounds from an empty cache: exact misses of the slotted TTL (sum over gaps g of g > T* ?
 * rounds : min(rounds, g)) and of LRU (the same over workers, by reuse distance and lag), and the least that a demand policy
 * can have, ceil(rounds (M - V)). rounds times M is below 2^63. rp_pascal_cold_lru needs rp_pascal_horizon, which prepares
 * for one number of rounds (O(M)), and needs the distances. */
uint64_t rp_pascal_cold_ttl(const struct rp_pascal *p, uint64_t capacity, uint64_t rounds);
uint64_t rp_pascal_cold_bound(const struct rp_pascal *p, uint64_t capacity, uint64_t rounds);
bool rp_pascal_horizon(struct rp_pascal *p, uint64_t rounds, struct rp_err *err);
uint64_t rp_pascal_cold_lru(const struct rp_pascal *p, uint64_t capacity);

/* Phase clusters: groups of phases linked by gaps of at most `gap` blocks. max(1, gaps longer than that); the paper's is
 * 32. */
uint32_t rp_pascal_clusters(const struct rp_pascal *p, uint64_t gap);

#endif
