/* table2.h - the 95 static configurations of PASCAL's Table 2: 33 of phase clusters, 62 of phase patterns and sizes.
 *
 * The paper does not list them; these are the choices of our specification: 1 to 48 clusters of 48 workers on 8,192 blocks of
 * 4, 8 or 16 KiB in 20 MiB; seven patterns of 12, 24 and 48 workers on 1.25, 2 and 4 times the 10,240 blocks of 2 KiB, the
 * first 62 of them. */
#ifndef RP_VALIDATE_TABLE2_H
#define RP_VALIDATE_TABLE2_H

#include "validate/suite.h"

enum {
	RP_TABLE2_CLUSTERS = 33,
	RP_TABLE2_PATTERNS = 62,
	RP_TABLE2_ROWS = 95,
	RP_TABLE2_DRAWN = 1212
};

/* Phases of the patterns that were drawn at random, one vector after the other. */
extern const uint16_t rp_table2_phases[RP_TABLE2_DRAWN];

struct rp_table2_row {
	const char *pattern;
	uint32_t clusters;                 /* of the pattern "clusters" */
	uint32_t workers, block;           /* M; bytes */
	uint64_t blocks, capacity, window; /* N, C, T* */
	uint32_t pascal;                   /* K of the slotted TTL law */
	double sdcm, che;                  /* of SDCM with one set; of independent requests */
	double ttl, lru; /* simulated: misses a round, of the rounds after the first N */
};

/* All rows, replayed and checked. */
bool rp_suite_table2(
    struct rp_suite *s, struct rp_table2_row rows[RP_TABLE2_ROWS], struct rp_err *err);

#endif
