/* level.h - which build of the loops runs: they are compiled once for each level of the instruction set. */
#ifndef RP_SIM_LEVEL_H
#define RP_SIM_LEVEL_H

#include <stdbool.h>

enum rp_level {
	RP_LEVEL_BEST,  /* the highest that this machine has */
	RP_LEVEL_MODEL, /* no specialised loop: the plain one with the policy's functions */
	RP_LEVEL_C,     /* plain C */
	RP_LEVEL_V3,    /* x86-64-v3: AVX2 */
	RP_LEVEL_V4,    /* x86-64-v4: AVX-512 */
	RP_LEVELS
};

/* Whether this machine, and this build, has that level. */
bool rp_level_runs(enum rp_level level);

/* The level whose loops serve this one: RP_LEVEL_C, _V3 or _V4. */
enum rp_level rp_level_of(enum rp_level level);

#endif
