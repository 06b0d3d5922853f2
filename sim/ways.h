/* ways.h - the keys of a small set: found, and rotated. The only place with vector instructions for sets.
 *
 * A set is `lanes` keys (a multiple of 8) of 32 or 64 bits, aligned to 32 bytes; 0 is no line. `wide` and, where it is one
 * of 8 and 16, `lanes` are constants to the caller, so loops unroll. */
#ifndef RP_SIM_WAYS_H
#define RP_SIM_WAYS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define RP_INLINE static inline __attribute__((always_inline))

/* RP_WAYS_512: tests have the instructions of AVX-512 from elsewhere, where the machine has none. */
#if defined RP_WAYS_512 || (defined __AVX512F__ && defined __AVX512BW__ && defined __AVX512VL__)
#define WAYS_512 1

#ifndef RP_WAYS_512
#include <immintrin.h>
#endif

RP_INLINE uint64_t
ways_match(const void *set, uint64_t key, bool wide, unsigned lanes)
{
	const char *v = set;
	uint64_t m = 0;
	if (!wide && lanes == 8)
		return _mm256_cmpeq_epi32_mask(
		    _mm256_loadu_si256(set), _mm256_set1_epi32((int)key));
	if (wide)
		for (unsigned i = 0; i < lanes; i += 8)
			m |= (uint64_t)_mm512_cmpeq_epi64_mask(
				 _mm512_loadu_si512(v + i * 8), _mm512_set1_epi64((long long)key))
			     << i;
	else
		for (unsigned i = 0; i < lanes; i += 16) {
			/* Of 16 keys the last 8 may be behind the set: not looked at. */
			__mmask16 in = lanes - i < 16 ? 0xff : 0xffff;
			m |= (uint64_t)_mm512_mask_cmpeq_epi32_mask(in,
				 _mm512_maskz_loadu_epi32(in, v + i * 4),
				 _mm512_set1_epi32((int)key))
			     << i;
		}
	return m;
}

RP_INLINE void
ways_rotate(void *set, uint64_t key, bool wide, unsigned lanes, int k)
{
	/* Without a branch on k < 0, which where a hit moves nothing is a branch on the hit. */
	uint64_t upto = lanes < 64 || k < 63 ? (UINT64_C(1) << (k + 1)) - 1 : UINT64_MAX;
	char *v = set;
	if (!wide && lanes == 8) {
		__m256i t = _mm256_loadu_si256(set), x = _mm256_set1_epi32((int)key);
		_mm256_storeu_si256(set, _mm256_mask_alignr_epi32(t, (__mmask8)upto, t, x, 7));
		return;
	}
	if (wide) {
		__m512i x = _mm512_set1_epi64((long long)key);
		for (unsigned i = (lanes - 1) / 8 * 8; i < lanes; i -= 8) {
			__m512i t = _mm512_loadu_si512(v + i * 8),
				below = i ? _mm512_loadu_si512(v + (i - 8) * 8) : x;
			_mm512_storeu_si512(v + i * 8,
			    _mm512_mask_alignr_epi64(t, (__mmask8)(upto >> i), t, below, 7));
		}
		return;
	}
	__m512i x = _mm512_set1_epi32((int)key);
	for (unsigned i = (lanes - 1) / 16 * 16; i < lanes; i -= 16) {
		__mmask16 in = lanes - i < 16 ? 0xff : 0xffff;
		__m512i t = _mm512_maskz_loadu_epi32(in, v + i * 4),
			below = i ? _mm512_loadu_si512(v + (i - 16) * 4) : x;
		t = _mm512_mask_alignr_epi32(t, (__mmask16)(upto >> i), t, below, 15);
		_mm512_mask_storeu_epi32(v + i * 4, in, t);
	}
}

RP_INLINE uint32_t
bucket_match(const uint32_t *keys, uint32_t key)
{
	return _mm256_cmpeq_epi32_mask(
	    _mm256_load_si256((const __m256i *)keys), _mm256_set1_epi32((int)key));
}

#elif defined __AVX2__

#include <immintrin.h>

/* -1 for lanes 0..k of those at hand, 0 for the others: lane j reads 64 + j - (k + 1). */
static const int32_t ways_upto32[128] = { [0 ... 63] = -1 };
static const int64_t ways_upto64[128] = { [0 ... 63] = -1 };

RP_INLINE __m256i
ways_all(uint64_t key, bool wide)
{
	return wide ? _mm256_set1_epi64x((long long)key) : _mm256_set1_epi32((int)key);
}

/* Bit j: lane j of the set is the key. */
RP_INLINE uint64_t
ways_match(const void *set, uint64_t key, bool wide, unsigned lanes)
{
	const __m256i *v = set, x = ways_all(key, wide);
	unsigned per = wide ? 4 : 8;
	uint64_t m = 0;
	for (unsigned i = 0; i < lanes / per; i++) {
		unsigned bits = wide ? (unsigned)_mm256_movemask_pd(
					   _mm256_castsi256_pd(_mm256_cmpeq_epi64(v[i], x)))
		                     : (unsigned)_mm256_movemask_ps(
					   _mm256_castsi256_ps(_mm256_cmpeq_epi32(v[i], x)));
		m |= (uint64_t)bits << (i * per);
	}
	return m;
}

/* Lanes 0..k - 1 move up by one, over lane k, and the key becomes lane 0. Nothing happens for k = -1; with fewer
 * than 64 lanes k may be `lanes`, which is as good as the last one. */
RP_INLINE void
ways_rotate(void *set, uint64_t key, bool wide, unsigned lanes, int k)
{
	__m256i *v = set, x = ways_all(key, wide);
	unsigned per = wide ? 4 : 8, n = lanes / per;
	for (unsigned i = n; i-- > 0;) {
		__m256i t = v[i], below = i ? v[i - 1] : x;
		/* The half below each half, to take its top key from. */
		__m256i joint = _mm256_permute2x128_si256(below, t, 0x21);
		__m256i up =
		    wide ? _mm256_alignr_epi8(t, joint, 8) : _mm256_alignr_epi8(t, joint, 12);
		int at = 64 - (k + 1) + (int)(i * per);
		const void *mask =
		    wide ? (const void *)(ways_upto64 + at) : (const void *)(ways_upto32 + at);
		__m256i rotated = _mm256_loadu_si256(mask);
		__asm__("" : "+x"(rotated)); /* gcc 12 compares it with 0 first, for nothing */
		v[i] = _mm256_blendv_epi8(t, up, rotated);
	}
}

/* Bit j: key j of 8 in a row, aligned to 32 bytes, is this one. */
RP_INLINE uint32_t
bucket_match(const uint32_t *keys, uint32_t key)
{
	__m256i e = _mm256_cmpeq_epi32(*(const __m256i *)keys, _mm256_set1_epi32((int)key));
	return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(e));
}

#else

RP_INLINE uint64_t
ways_match(const void *set, uint64_t key, bool wide, unsigned lanes)
{
	const uint32_t *narrow = set;
	const uint64_t *w = set;
	for (unsigned i = 0; i < lanes; i++)
		if (wide ? w[i] == key : narrow[i] == (uint32_t)key)
			return UINT64_C(1) << i;
	return 0;
}

RP_INLINE void
ways_rotate(void *set, uint64_t key, bool wide, unsigned lanes, int k)
{
	uint32_t *narrow = set;
	uint64_t *w = set;
	for (int i = k < (int)lanes ? k : (int)lanes - 1; i > 0; i--)
		if (wide)
			w[i] = w[i - 1];
		else
			narrow[i] = narrow[i - 1];
	if (k < 0)
		return;
	if (wide)
		w[0] = key;
	else
		narrow[0] = (uint32_t)key;
}

#ifdef __SSE2__

#include <emmintrin.h>

RP_INLINE uint32_t
bucket_match(const uint32_t *keys, uint32_t key)
{
	__m128i x = _mm_set1_epi32((int)key), e0 = _mm_cmpeq_epi32(((const __m128i *)keys)[0], x);
	__m128i e1 = _mm_cmpeq_epi32(((const __m128i *)keys)[1], x), e = _mm_packs_epi32(e0, e1);
	return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(e, e)) & 0xff;
}

#else

RP_INLINE uint32_t
bucket_match(const uint32_t *keys, uint32_t key)
{
	uint32_t m = 0;
	for (unsigned i = 0; i < 8; i++)
		m |= (uint32_t)(keys[i] == key) << i;
	return m;
}

#endif

#endif

/* Bit j: keys j of two rows of 8, aligned to nothing, are equal. */
RP_INLINE uint32_t
ways_equal8(const void *a, const void *b, bool wide)
{
#if defined __AVX2__ && !defined RP_WAYS_512
	const __m256i *x = a, *y = b;
	if (!wide)
		return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(
		    _mm256_cmpeq_epi32(_mm256_loadu_si256(x), _mm256_loadu_si256(y))));
	uint32_t low = (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(
		     _mm256_cmpeq_epi64(_mm256_loadu_si256(x), _mm256_loadu_si256(y)))),
		 high = (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(
		     _mm256_cmpeq_epi64(_mm256_loadu_si256(x + 1), _mm256_loadu_si256(y + 1))));
	return low | high << 4;
#else
	uint32_t m = 0;
	for (unsigned j = 0; j < 8; j++) {
		uint64_t x = 0, y = 0;
		memcpy(&x, (const char *)a + j * (wide ? 8 : 4), wide ? 8 : 4);
		memcpy(&y, (const char *)b + j * (wide ? 8 : 4), wide ? 8 : 4);
		m |= (uint32_t)(x == y) << j;
	}
	return m;
#endif
}

#if defined __AVX2__ && !defined RP_WAYS_512

/* Where a set has the key `old` it gets `key`: bit j says that it was lane j. Stored whole, since a load of all that comes
 * soon would wait for a store of parts. */
RP_INLINE uint64_t
ways_exchange(void *set, uint64_t old, uint64_t key, bool wide, unsigned lanes)
{
	__m256i *v = set;
	__m256i x = wide ? _mm256_set1_epi64x((long long)old) : _mm256_set1_epi32((int)old);
	__m256i y = wide ? _mm256_set1_epi64x((long long)key) : _mm256_set1_epi32((int)key);
	unsigned per = wide ? 4 : 8;
	uint64_t m = 0;
	for (unsigned i = 0; i < lanes / per; i++) {
		__m256i e = wide ? _mm256_cmpeq_epi64(v[i], x) : _mm256_cmpeq_epi32(v[i], x);
		unsigned bits = wide ? (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(e))
		                     : (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(e));
		v[i] = _mm256_blendv_epi8(v[i], y, e);
		m |= (uint64_t)bits << (i * per);
	}
	return m;
}

/* -1 for lanes from `ways` on: lane j reads 64 + j - ways. */
static const int32_t ways_behind32[128] = { [64 ... 127] = -1 };

/* The lane of the first `ways` that holds the least of 32-bit keys. */
RP_INLINE unsigned
ways_least32(const void *set, unsigned lanes, unsigned ways)
{
	const __m256i *v = set;
	__m256i least = _mm256_set1_epi32(-1), none, t;
	unsigned n = lanes / 8;
	uint64_t m = 0;
	for (unsigned i = 0; i < n; i++) {
		none = _mm256_loadu_si256((const void *)(ways_behind32 + 64 - ways + i * 8));
		least = _mm256_min_epu32(least, _mm256_or_si256(v[i], none));
	}
	least = _mm256_min_epu32(least, _mm256_permute2x128_si256(least, least, 1));
	least = _mm256_min_epu32(least, _mm256_shuffle_epi32(least, 0x4e));
	least = _mm256_min_epu32(least, _mm256_shuffle_epi32(least, 0xb1));
	for (unsigned i = 0; i < n; i++) {
		t = _mm256_cmpeq_epi32(v[i], least);
		m |= (uint64_t)(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(t)) << (i * 8);
	}
	return (unsigned)__builtin_ctzll(m);
}

/* The least of 16 numbers j with state & mask[j] == want[j]; there is one. */
RP_INLINE unsigned
ways_led(const uint16_t *mask, const uint16_t *want, uint16_t state)
{
	__m256i m = _mm256_loadu_si256((const void *)mask);
	__m256i w = _mm256_loadu_si256((const void *)want);
	__m256i e = _mm256_cmpeq_epi16(_mm256_and_si256(m, _mm256_set1_epi16((short)state)), w);
	return (unsigned)__builtin_ctz((unsigned)_mm256_movemask_epi8(e)) / 2;
}

/* Bit j: number j of the `lanes` is greater. */
RP_INLINE uint64_t
ways_above(const int32_t *x, int32_t than, unsigned lanes)
{
	const __m256i *v = (const __m256i *)x, y = _mm256_set1_epi32(than);
	uint64_t m = 0;
	for (unsigned i = 0; i < lanes / 8; i++) {
		__m256i above = _mm256_cmpgt_epi32(v[i], y);
		m |= (uint64_t)(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(above)) << 8 * i;
	}
	return m;
}

/* Key w of 8 becomes this one. Stored whole, since a load of all that comes soon would wait for a store of parts. */
RP_INLINE void
bucket_put(uint32_t *keys, unsigned w, uint32_t key)
{
	const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	__m256i here = _mm256_cmpeq_epi32(lanes, _mm256_set1_epi32((int)w));
	*(__m256i *)keys = _mm256_blendv_epi8(*(__m256i *)keys, _mm256_set1_epi32((int)key), here);
}

#else

RP_INLINE uint64_t
ways_exchange(void *set, uint64_t old, uint64_t key, bool wide, unsigned lanes)
{
	uint64_t m = ways_match(set, old, wide, lanes);
	for (uint64_t rest = m; rest; rest &= rest - 1)
		if (wide)
			((uint64_t *)set)[__builtin_ctzll(rest)] = key;
		else
			((uint32_t *)set)[__builtin_ctzll(rest)] = (uint32_t)key;
	return m;
}

RP_INLINE unsigned
ways_least32(const void *set, unsigned lanes, unsigned ways)
{
	const uint32_t *key = set;
	unsigned way = 0;
	(void)lanes;
	for (unsigned i = 1; i < ways; i++)
		way = key[i] < key[way] ? i : way;
	return way;
}

RP_INLINE unsigned
ways_led(const uint16_t *mask, const uint16_t *want, uint16_t state)
{
	unsigned j = 0;
	while ((state & mask[j]) != want[j])
		j++;
	return j;
}

RP_INLINE uint64_t
ways_above(const int32_t *x, int32_t than, unsigned lanes)
{
	uint64_t m = 0;
	for (unsigned i = 0; i < lanes; i++)
		m |= (uint64_t)(x[i] > than) << i;
	return m;
}

RP_INLINE void
bucket_put(uint32_t *keys, unsigned w, uint32_t key)
{
	keys[w] = key;
}

#endif

/* Bit j: number j of 64, aligned to nothing, is this one. */
RP_INLINE uint64_t
ways_among16(const uint16_t *x, uint16_t number)
{
	uint64_t m = 0;
#if defined __AVX512BW__ && !defined RP_WAYS_512
	const __m512i y = _mm512_set1_epi16((short)number);
	m = _mm512_cmpeq_epi16_mask(_mm512_loadu_si512(x + 32), y);
	m = m << 32 | _mm512_cmpeq_epi16_mask(_mm512_loadu_si512(x), y);
#elif defined __AVX2__ && !defined RP_WAYS_512
	const __m256i *v = (const void *)x, y = _mm256_set1_epi16((short)number);
	for (unsigned i = 0; i < 2; i++) {
		__m256i low = _mm256_cmpeq_epi16(_mm256_loadu_si256(v + 2 * i), y),
			high = _mm256_cmpeq_epi16(_mm256_loadu_si256(v + 2 * i + 1), y);
		__m256i both = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
		m |= (uint64_t)(unsigned)_mm256_movemask_epi8(both) << 32 * i;
	}
#elif defined __SSE2__ && !defined RP_WAYS_512
	const __m128i *v = (const void *)x, y = _mm_set1_epi16((short)number);
	for (unsigned i = 0; i < 4; i++) {
		__m128i low = _mm_cmpeq_epi16(_mm_loadu_si128(v + 2 * i), y),
			high = _mm_cmpeq_epi16(_mm_loadu_si128(v + 2 * i + 1), y);
		m |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high)) << 16 * i;
	}
#else
	for (unsigned j = 0; j < 64; j++)
		m |= (uint64_t)(x[j] == number) << j;
#endif
	return m;
}

/* Number of the first of words, aligned to nothing, that is another; there is one. Up to 31 behind it are read. */
RP_INLINE uint32_t
ways_first_other(const uint32_t *x, uint32_t than)
{
	uint32_t i = 0;
#if defined __AVX2__ && !defined RP_WAYS_512
	for (uint32_t m = 0;; i += 32) {
		for (unsigned j = 0; j < 32; j += 8) {
			__m256i v = _mm256_loadu_si256((const void *)(x + i + j));
			__m256i e = _mm256_cmpeq_epi32(v, _mm256_set1_epi32((int)than));
			m |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(e)) << j;
		}
		if (~m)
			return i + (uint32_t)__builtin_ctz(~m);
		m = 0;
	}
#else
	while (x[i] == than)
		i++;
	return i;
#endif
}

/* Which of 16 words, aligned to nothing, are least..most, by numbers of which the first word has `first`: how many. There is
 * room for 16 in `out`. */
RP_INLINE uint32_t
ways_within16(uint32_t *out, const uint32_t *x, uint32_t least, uint32_t most, uint32_t first)
{
#if defined __AVX512F__ && !defined RP_WAYS_512
	const __m512i lanes =
	    _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	__m512i above = _mm512_sub_epi32(_mm512_loadu_si512(x), _mm512_set1_epi32((int)least));
	__mmask16 in = _mm512_cmple_epu32_mask(above, _mm512_set1_epi32((int)(most - least)));
	__m512i number = _mm512_add_epi32(lanes, _mm512_set1_epi32((int)first));
	/* In a register first: a compressing store takes many times as long. */
	_mm512_storeu_si512(out, _mm512_maskz_compress_epi32(in, number));
	return (uint32_t)__builtin_popcount(in);
#else
	uint32_t n = 0;
	for (uint32_t j = 0; j < 16; j++) {
		out[n] = first + j;
		n += x[j] - least <= most - least;
	}
	return n;
#endif
}

/* The bytes of a word that are not 0, a bit each. */
RP_INLINE uint64_t
ways_some(uint64_t word)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
	uint64_t top = (((word & low) + low) | word) & ~low;
	return top * UINT64_C(0x0002040810204081) >> 56;
}

/* Bit j: byte j of 64, aligned to nothing, has a bit of these. */
RP_INLINE uint64_t
ways_with(const uint8_t *x, uint8_t bits)
{
	uint64_t m = 0;
#if defined __AVX512BW__ && !defined RP_WAYS_512
	m = _mm512_test_epi8_mask(_mm512_loadu_si512(x), _mm512_set1_epi8((char)bits));
#else
	for (unsigned i = 0; i < 8; i++) {
		uint64_t eight;
		memcpy(&eight, x + 8 * i, sizeof eight);
		m |= ways_some(eight & bits * UINT64_C(0x0101010101010101)) << 8 * i;
	}
#endif
	return m;
}

RP_INLINE uint64_t
ways_key(const void *set, unsigned lane, bool wide)
{
	return wide ? ((const uint64_t *)set)[lane] : ((const uint32_t *)set)[lane];
}

RP_INLINE void
ways_put(void *set, unsigned lane, uint64_t key, bool wide)
{
	if (wide)
		((uint64_t *)set)[lane] = key;
	else
		((uint32_t *)set)[lane] = (uint32_t)key;
}

/* The lane becomes the key if `miss` is 1 and stays if it is 0, without a branch. Where that is cheap the set is stored
 * whole, as a load of all of it that comes soon would wait for a store of a part. */
RP_INLINE void
ways_put_if(void *set, unsigned lane, uint64_t miss, uint64_t key, bool wide, unsigned lanes)
{
#ifdef WAYS_512
	uint64_t here = miss << lane;
	if (!wide && lanes == 8) {
		__m256i t = _mm256_loadu_si256(set), x = _mm256_set1_epi32((int)key);
		_mm256_storeu_si256(set, _mm256_mask_mov_epi32(t, (__mmask8)here, x));
		return;
	}
	if (!wide && lanes == 16) {
		__m512i t = _mm512_loadu_si512(set), x = _mm512_set1_epi32((int)key);
		_mm512_storeu_si512(set, _mm512_mask_mov_epi32(t, (__mmask16)here, x));
		return;
	}
#endif
	(void)lanes;
	uint64_t was = ways_key(set, lane, wide);
	ways_put(set, lane, was ^ ((was ^ key) & -miss), wide);
}

/* The lane of the first `ways` that holds the least key. */
RP_INLINE unsigned
ways_least(const void *set, bool wide, unsigned lanes, unsigned ways)
{
	const uint64_t *key = set;
	unsigned way = 0;
	if (!wide)
		return ways_least32(set, lanes, ways);
	for (unsigned i = 1; i < ways; i++)
		way = key[i] < key[way] ? i : way;
	return way;
}

#endif
