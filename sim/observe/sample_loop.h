/* sample_loop.h - which lines are in a spatially hashed sample; a part of reuse_kernels.c.
 *
 * A line is in it when the upper half of rp_mix64(line + salt) is below a bound. Most are not, so 16 are hashed at a time and
 * one branch passes over them. */
#include "base/hash.h"

enum { SAMPLE_BLOCK = 16 };

#if defined __AVX512F__ && defined __AVX512DQ__

RP_INLINE __m512i
mix8(__m512i x)
{
	x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 30));
	x = _mm512_mullo_epi64(x, _mm512_set1_epi64((long long)UINT64_C(0xbf58476d1ce4e5b9)));
	x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 27));
	x = _mm512_mullo_epi64(x, _mm512_set1_epi64((long long)UINT64_C(0x94d049bb133111eb)));
	return _mm512_xor_si512(x, _mm512_srli_epi64(x, 31));
}

/* Bit i: addr[i] >> shift is in the sample. */
RP_INLINE uint32_t
sample16(const uint64_t *addr, unsigned shift, uint64_t salt, uint64_t below)
{
	__m512i add = _mm512_set1_epi64((long long)salt), end = _mm512_set1_epi64((long long)below);
	__m128i by = _mm_cvtsi32_si128((int)shift);
	uint32_t m = 0;
	for (unsigned i = 0; i < SAMPLE_BLOCK; i += 8) {
		__m512i x = _mm512_srl_epi64(_mm512_loadu_si512(addr + i), by);
		__m512i h = _mm512_srli_epi64(mix8(_mm512_add_epi64(x, add)), 32);
		m |= (uint32_t)_mm512_cmplt_epu64_mask(h, end) << i;
	}
	return m;
}

#elif defined __AVX2__

/* x * k modulo 2^64: there is no such instruction. */
RP_INLINE __m256i
times4(__m256i x, uint64_t k)
{
	__m256i low = _mm256_set1_epi64x((long long)(k & UINT32_MAX)),
		high = _mm256_set1_epi64x((long long)(k >> 32));
	__m256i cross = _mm256_add_epi64(
	    _mm256_mul_epu32(_mm256_srli_epi64(x, 32), low), _mm256_mul_epu32(x, high));
	return _mm256_add_epi64(_mm256_mul_epu32(x, low), _mm256_slli_epi64(cross, 32));
}

RP_INLINE __m256i
mix4(__m256i x)
{
	x = _mm256_xor_si256(x, _mm256_srli_epi64(x, 30));
	x = times4(x, UINT64_C(0xbf58476d1ce4e5b9));
	x = _mm256_xor_si256(x, _mm256_srli_epi64(x, 27));
	x = times4(x, UINT64_C(0x94d049bb133111eb));
	return _mm256_xor_si256(x, _mm256_srli_epi64(x, 31));
}

RP_INLINE uint32_t
sample16(const uint64_t *addr, unsigned shift, uint64_t salt, uint64_t below)
{
	__m256i add = _mm256_set1_epi64x((long long)salt),
		end = _mm256_set1_epi64x((long long)below);
	__m128i by = _mm_cvtsi32_si128((int)shift);
	uint32_t m = 0;
	for (unsigned i = 0; i < SAMPLE_BLOCK; i += 4) {
		__m256i x = _mm256_srl_epi64(_mm256_loadu_si256((const void *)(addr + i)), by);
		__m256i h = _mm256_srli_epi64(mix4(_mm256_add_epi64(x, add)), 32);
		__m256i in = _mm256_cmpgt_epi64(end, h);
		m |= (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(in)) << i;
	}
	return m;
}

#else

RP_INLINE uint32_t
sample16(const uint64_t *addr, unsigned shift, uint64_t salt, uint64_t below)
{
	uint32_t m = 0;
	for (unsigned i = 0; i < SAMPLE_BLOCK; i++)
		m |= (uint32_t)(rp_mix64((addr[i] >> shift) + salt) >> 32 < below) << i;
	return m;
}

#endif

static size_t
sample(const uint64_t *addr, size_t n, unsigned shift, uint64_t salt, uint64_t below,
    uint32_t *restrict index)
{
	size_t kept = 0, i = 0;
	for (; i + SAMPLE_BLOCK <= n; i += SAMPLE_BLOCK)
		for (uint32_t m = sample16(addr + i, shift, salt, below); m; m &= m - 1)
			index[kept++] = (uint32_t)i + (uint32_t)__builtin_ctz(m);
	for (; i < n; i++)
		if (rp_mix64((addr[i] >> shift) + salt) >> 32 < below)
			index[kept++] = (uint32_t)i;
	return kept;
}
