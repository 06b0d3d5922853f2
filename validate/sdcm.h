/* sdcm.h - what associativity makes of a reuse distance, and what independent requests would miss.
 *
 * These are models, not laws: real numbers, for comparison with what is exact. */
#ifndef RP_VALIDATE_SDCM_H
#define RP_VALIDATE_SDCM_H

#include "validate/fraction.h"
#include "validate/pascal.h"

#include <stdint.h>

/* SDCM (Brehob and Enbody; PASCAL, Eq. 6): the probability that a request with `distance` other lines since the last one
 * hits in `lines` lines of `ways` ways (1 <= ways <= lines) when lines are mapped to sets at random: fewer than `ways` of
 * them fell into its set. Within 1e-12. */
double rp_sdcm_hit(uint64_t distance, uint64_t ways, uint64_t lines);

/* The sum of that over the distances low .. high (low <= high). */
double rp_sdcm_hits(uint64_t low, uint64_t high, uint64_t ways, uint64_t lines);

/* The Gaussian map of PPT (section 13 of the specification), which comes back to 1 for large distances. */
double rp_ppt_hit(uint64_t distance, uint64_t ways, uint64_t lines);

/* Expected misses a round of the scan, K_SDCM: the sum of 1 - rp_sdcm_hit over the workers' distances, which it needs. O(M)
 * and a hit probability for each different distance. */
double rp_pascal_sdcm(const struct rp_pascal *p, uint64_t ways, uint64_t lines);

/* Che's approximation for N equally likely independent blocks: misses of each request, 1 - C / N, 0 for C >= N. */
struct rp_fraction rp_che_miss(uint64_t blocks, uint64_t capacity);

#endif
