/* rpz_rows_avx2.c - the passes of rpz_rows.h with AVX2, chosen at run time. */
#include "config.h"

#include "traces/format/rpz_rows.h"

#ifdef __x86_64__

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi,popcnt")))

enum { LENGTH = 7, ROW = 16 /* entries of a table that one shuffle looks up */ };

/* Two tables of up to 256 bytes at once, 16 entries a turn: adding 0x70 with saturation leaves the top bit clear for
 * indices 0 to 15 only, and a shuffle gives 0 where that bit is set. */
AVX2 static inline void
look_up(__m256i index, const uint8_t *a, const uint8_t *b, unsigned entries, __m256i *out_a,
    __m256i *out_b)
{
	const __m256i top = _mm256_set1_epi8(0x70), row = _mm256_set1_epi8(ROW);
	__m256i x = _mm256_setzero_si256(), y = x;
	for (unsigned at = 0; at < entries; at += ROW) {
		__m256i k = _mm256_adds_epu8(index, top);
		__m256i ta =
		    _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(a + at)));
		__m256i tb =
		    _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(b + at)));
		x = _mm256_or_si256(x, _mm256_shuffle_epi8(ta, k));
		y = _mm256_or_si256(y, _mm256_shuffle_epi8(tb, k));
		index = _mm256_sub_epi8(index, row);
	}
	*out_a = x;
	*out_b = y;
}

AVX2 static void
split_tokens(struct rp_rpz_rows_state *s, size_t n)
{
	uint8_t *class = s->class + RP_RPZ_SLACK;
	const __m256i one = _mm256_set1_epi8(1), last = _mm256_set1_epi8((char)(s->tokens - 1));
	const __m256i codes = _mm256_set1_epi8(RP_RPZ_CODES - 1);
	__m256i over = _mm256_setzero_si256();
	for (size_t i = 0; i < n; i += 32) {
		__m256i t = _mm256_loadu_si256((const __m256i *)(s->token + i)), op, code;
		if (n - i >= 32)
			over = _mm256_or_si256(over, _mm256_subs_epu8(t, last));
		look_up(t, s->token_op, s->token_code, s->tokens, &op, &code);
		_mm256_storeu_si256((__m256i *)(class + i), _mm256_add_epi8(op, one));
		_mm256_storeu_si256((__m256i *)(s->code + i), _mm256_and_si256(code, codes));
	}
	for (size_t i = n & ~(size_t)31; i < n; i++)
		s->bad |= s->token_code[s->token[i]];
	if (!_mm256_testz_si256(over, over))
		s->bad |= RP_RPZ_BAD;
	s->token += n;
}

/* The bytes at *from, one for each bit of `mask`, each in its bit's place; moves *from. */
AVX2 static inline __m128i
spread_bytes(const struct rp_rpz_rows_state *s, const uint8_t **from, unsigned mask)
{
	__m128i bytes = _mm_loadl_epi64((const __m128i *)*from);
	*from += __builtin_popcount(mask);
	return _mm_shuffle_epi8(bytes, _mm_loadl_epi64((const __m128i *)s->spread[mask]));
}

/* Residuals of more than two bytes, which are few; low: their two low bytes. */
AVX2 static void
spread_long(struct rp_rpz_rows_state *s, const uint8_t *code, const uint16_t *low, unsigned mask,
    uint64_t *change)
{
	static const uint8_t more[8] = { 0, 0, 0, 1, 2, 3, 4, 6 };
	for (; mask; mask &= mask - 1) {
		unsigned i = (unsigned)__builtin_ctz(mask), k = more[code[i] & LENGTH];
		uint64_t bits = rp_get64(s->rest) & ((UINT64_C(1) << 8 * k) - 1);
		s->rest += k;
		change[i] = rp_unzigzag(low[i] | bits << 16) << s->shift;
	}
}

AVX2 static void
spread(struct rp_rpz_rows_state *s, size_t n)
{
	const __m256i length = _mm256_set1_epi8(LENGTH), one = _mm256_set1_epi8(1),
		      two = _mm256_set1_epi8(2);
	const __m128i bit = _mm_set1_epi16(1), zero = _mm_setzero_si128(),
		      shift = _mm_cvtsi32_si128(s->shift);
	for (size_t i = 0; i < n; i += 32) {
		__m256i l =
		    _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(s->code + i)), length);
		uint32_t real = n - i >= 32 ? UINT32_MAX : (UINT32_C(1) << (n - i)) - 1;
		uint32_t some = real & ~(uint32_t)_mm256_movemask_epi8(
					   _mm256_cmpeq_epi8(l, _mm256_setzero_si256()));
		uint32_t pair = real & (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(l, one));
		uint32_t more = real & (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(l, two));
		uint16_t low[32];
		for (unsigned k = 0; k < 32; k += 8) {
			__m128i a = spread_bytes(s, &s->first, some >> k & 255);
			__m128i b = spread_bytes(s, &s->second, pair >> k & 255);
			__m128i r = _mm_unpacklo_epi8(a, b);
			__m128i sign = _mm_sub_epi16(zero, _mm_and_si128(r, bit));
			__m128i x = _mm_xor_si128(_mm_srli_epi16(r, 1), sign);
			__m256i x0 = _mm256_cvtepi16_epi64(x),
				x1 = _mm256_cvtepi16_epi64(_mm_srli_si128(x, 8));
			_mm_storeu_si128((__m128i *)(low + k), r);
			_mm256_storeu_si256(
			    (__m256i *)(s->change + i + k), _mm256_sll_epi64(x0, shift));
			_mm256_storeu_si256(
			    (__m256i *)(s->change + i + k + 4), _mm256_sll_epi64(x1, shift));
		}
		if (more)
			spread_long(s, s->code + i, low, more, s->change + i);
	}
}

/* Slots of 8 rows, 32 bits each. Windows of four classes for each row come from one load of 16. */
AVX2 static inline __m256i
slots_of_8(const uint8_t *class)
{
	const __m256i last = _mm256_setr_epi8(2, 3, 4, 5, 3, 4, 5, 6, 4, 5, 6, 7, 5, 6, 7, 8, 6, 7,
	    8, 9, 7, 8, 9, 10, 8, 9, 10, 11, 9, 10, 11, 12);
	const __m256i before = _mm256_sub_epi8(last, _mm256_set1_epi8(2));
	__m256i near = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(class - 5)));
	__m256i a = _mm256_mullo_epi32(
	    _mm256_shuffle_epi8(near, last), _mm256_set1_epi32((int)RP_RPZ_OP_MUL1));
	__m256i b = _mm256_mullo_epi32(
	    _mm256_shuffle_epi8(near, before), _mm256_set1_epi32((int)RP_RPZ_OP_MUL2));
	return _mm256_srli_epi32(_mm256_add_epi32(a, b), 20);
}

/* from[] of 8 rows; back: RP_RPZ_NOW - 1 + i. */
AVX2 static inline __m256i
from_of_8(const uint8_t *code, __m256i slot, __m256i back)
{
	__m256i p =
	    _mm256_srli_epi32(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)code)), 3);
	__m256i table = _mm256_cmpeq_epi32(p, _mm256_set1_epi32(RP_RPZ_TABLE));
	__m256i last = _mm256_cmpeq_epi32(p, _mm256_setzero_si256());
	__m256i from = _mm256_blendv_epi8(_mm256_sub_epi32(back, p), slot, table);
	return _mm256_blendv_epi8(from, _mm256_set1_epi32(RP_RPZ_LAST), last);
}

AVX2 static inline __m256i
pack(__m256i a, __m256i b) /* 16 of 32 bits to 16 bits, in order */
{
	return _mm256_permute4x64_epi64(_mm256_packus_epi32(a, b), 0xd8);
}

AVX2 static void
slots(struct rp_rpz_rows_state *s, size_t n)
{
	const uint8_t *class = s->class + RP_RPZ_SLACK;
	const __m256i eight = _mm256_set1_epi32(8);
	__m256i back = _mm256_add_epi32(
	    _mm256_set1_epi32(RP_RPZ_NOW - 1), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
	for (size_t i = 0; i < n; i += 16) {
		__m256i a = slots_of_8(class + i), b = slots_of_8(class + i + 8);
		__m256i next = _mm256_add_epi32(back, eight);
		__m256i from =
		    pack(from_of_8(s->code + i, a, back), from_of_8(s->code + i + 8, b, next));
		_mm256_storeu_si256((__m256i *)(s->slot + i), pack(a, b));
		_mm256_storeu_si256((__m256i *)(s->from + i), from);
		back = _mm256_add_epi32(next, eight);
	}
}

/* Ops of up to 16 kinds with sizes of a byte: one shuffle each. Whole vectors only; the rest row by row. */
AVX2 static size_t
look_few(const struct rp_rpz_rows_state *s, size_t n, uint32_t *size, uint8_t *kind, uint8_t *flags)
{
	const uint8_t *class = s->class + RP_RPZ_SLACK;
	uint8_t small[ROW];
	for (unsigned op = 0; op < ROW; op++)
		small[op] = (uint8_t)s->op_size[op];
	const __m128i sizes = _mm_loadu_si128((const __m128i *)small);
	const __m128i kinds = _mm_loadu_si128((const __m128i *)s->op_kind);
	const __m128i flag = _mm_loadu_si128((const __m128i *)s->op_flags);
	size_t i = 0;
	for (; i + 16 <= n; i += 16) {
		__m128i op =
		    _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(class + i)), _mm_set1_epi8(1));
		__m128i z = _mm_shuffle_epi8(sizes, op);
		_mm256_storeu_si256((__m256i *)(size + i), _mm256_cvtepu8_epi32(z));
		_mm256_storeu_si256(
		    (__m256i *)(size + i + 8), _mm256_cvtepu8_epi32(_mm_srli_si128(z, 8)));
		_mm_storeu_si128((__m128i *)(kind + i), _mm_shuffle_epi8(kinds, op));
		if (flags)
			_mm_storeu_si128((__m128i *)(flags + i), _mm_shuffle_epi8(flag, op));
	}
	return i;
}

AVX2 static void
look(const struct rp_rpz_rows_state *s, size_t n, uint32_t *size, uint8_t *kind, uint8_t *flags)
{
	const uint8_t *class = s->class + RP_RPZ_SLACK;
	size_t i = s->ops <= ROW && s->small_sizes ? look_few(s, n, size, kind, flags) : 0;
	for (; i < n; i++) {
		unsigned op = class[i] - 1u;
		size[i] = s->op_size[op];
		kind[i] = s->op_kind[op];
		if (flags)
			flags[i] = s->op_flags[op];
	}
}

static void
split(struct rp_rpz_rows_state *s, size_t n, uint32_t *size, uint8_t *kind, uint8_t *flags)
{
	split_tokens(s, n);
	look(s, n, size, kind, flags);
}

static void
keyed(struct rp_rpz_rows_state *s, size_t n)
{
	spread(s, n);
	slots(s, n);
	rp_rpz_rows_predict(s, n);
}

const struct rp_rpz_passes rp_rpz_passes_avx2 = { split, spread, keyed };

#endif
