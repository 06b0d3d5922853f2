/* level.c - which build of the loops runs. */
#include "config.h"

#include "sim/kernels.h"

extern const struct rp_kernels rp_kernels_c;
#ifdef HAVE_V3
extern const struct rp_kernels rp_kernels_v3;
#endif

bool
rp_level_runs(enum rp_level level)
{
#ifdef HAVE_V3
	/* What x86-64-v3 adds to the baseline and the loops may use; gcc 12 has no name for the level as a whole. */
	if (level == RP_LEVEL_V3)
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
		       __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
#endif
	return level < RP_LEVEL_V3;
}

const struct rp_kernels *
rp_kernels_of(enum rp_level level)
{
#ifdef HAVE_V3
	if (level == RP_LEVEL_V3 || (level == RP_LEVEL_BEST && rp_level_runs(RP_LEVEL_V3)))
		return &rp_kernels_v3;
#endif
	(void)level;
	return &rp_kernels_c;
}
