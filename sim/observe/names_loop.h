/* names_loop.h - names of lines whose regions are at hand (sim/observe/names.h); part of kernels.c. */
#ifndef RP_SIM_OBSERVE_NAMES_LOOP_H
#define RP_SIM_OBSERVE_NAMES_LOOP_H

#include "sim/observe/names.h"

#if defined __AVX512F__

#include <immintrin.h>

_Static_assert(RP_NAME_NEAR == 16, "two vectors are looked up at once");

/* Eight lines at a time, up to the first eight with a region that is not among n->near: how many lines. */
static size_t
names_near(const struct rp_names *n, uint64_t *key, size_t count)
{
	const __m512i region0 = _mm512_loadu_si512(n->near_region),
		      region8 = _mm512_loadu_si512(n->near_region + 8),
		      name0 = _mm512_loadu_si512(n->near_name),
		      name8 = _mm512_loadu_si512(n->near_name + 8),
		      within = _mm512_set1_epi64((1LL << n->bits) - 1);
	const __m128i bits = _mm_cvtsi32_si128((int)n->bits);
	size_t i = 0;
	for (; i + 8 <= count; i += 8) {
		__m512i line = _mm512_loadu_si512(key + i), region = _mm512_srl_epi64(line, bits);
		__m512i near = _mm512_permutex2var_epi64(region0, region, region8);
		if (_mm512_cmpneq_epi64_mask(near, region))
			break;
		__m512i name = _mm512_permutex2var_epi64(name0, region, name8);
		name = _mm512_or_si512(name, _mm512_and_si512(line, within));
		_mm512_storeu_si512(key + i, name);
	}
	return i;
}

#else

#define names_near NULL

#endif

#endif
