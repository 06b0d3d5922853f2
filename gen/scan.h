/* scan.h - the parameters of gen scan, for those who know laws of such scans. */
#ifndef RP_GEN_SCAN_H
#define RP_GEN_SCAN_H

#include "gen/gen.h"
#include "gen/phases.h"

/* What rp_gen_with tells of rp_generator_scan. */
struct rp_scan_params {
	struct rp_phases_params start;
	uint64_t blocks, rounds, base, limit; /* rounds and limit 0: endless */
	uint32_t block, line;                 /* bytes; line 0: a block is one access */
};

extern const struct rp_generator rp_generator_scan;

#endif
