/* level.c - which build of the loops runs. */
#include "config.h"

#include "sim/kernels.h"

/* gcc 12 gets the masks of AVX-512 wrong (arc of 16 ways, for one) with the address and the undefined-behaviour sanitizer
 * together at -O1. clang does not, nor does gcc at -O2 or with one of them. tests/sim/avx512_model.h is there all the same. */
#if defined SANITIZED && !defined __clang__
#undef HAVE_V4
#endif

extern const struct rp_kernels rp_kernels_c, rp_kernels_v3, rp_kernels_v4;

bool
rp_level_runs(enum rp_level level)
{
	/* What the levels add to the baseline and the loops may use; gcc 12 has no name for a level as a whole. */
#ifdef HAVE_V4
	if (level == RP_LEVEL_V4)
		return rp_level_runs(RP_LEVEL_V3) && __builtin_cpu_supports("avx512f") &&
		       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
		       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
#ifdef HAVE_V3
	if (level == RP_LEVEL_V3)
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
		       __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
#endif
	return level < RP_LEVEL_V3;
}

enum rp_level
rp_level_of(enum rp_level level)
{
	if (level == RP_LEVEL_MODEL)
		return RP_LEVEL_C;
	if (level != RP_LEVEL_BEST)
		return level;
	return rp_level_runs(RP_LEVEL_V4)   ? RP_LEVEL_V4
	       : rp_level_runs(RP_LEVEL_V3) ? RP_LEVEL_V3
	                                    : RP_LEVEL_C;
}

const struct rp_kernels *
rp_kernels_of(enum rp_level level)
{
	switch (rp_level_of(level)) {
#ifdef HAVE_V4
	case RP_LEVEL_V4:
		return &rp_kernels_v4;
#endif
#ifdef HAVE_V3
	case RP_LEVEL_V3:
		return &rp_kernels_v3;
#endif
	default:
		return &rp_kernels_c;
	}
}
