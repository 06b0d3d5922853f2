/* rpz_rows_avx2.c - the passes of rpz_rows.h with AVX2, chosen at run time. */
#include "config.h"

#include "traces/format/rpz_rows_wide.h"

#ifdef __x86_64__

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi,popcnt")))

enum {
	ROW = 16 /* entries of a table that one shuffle looks up */,
	GROUP = 8 /* rows done at once */
};

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
	__m256i over = _mm256_setzero_si256();
	for (size_t i = 0; i < n; i += 32) {
		__m256i t = _mm256_loadu_si256((const __m256i *)(s->token + i)), op, how;
		if (n - i >= 32)
			over = _mm256_or_si256(over, _mm256_subs_epu8(t, last));
		look_up(t, s->token_op, s->token_how, s->tokens, &op, &how);
		_mm256_storeu_si256((__m256i *)(class + i), _mm256_add_epi8(op, one));
		_mm256_storeu_si256((__m256i *)(s->how + i), how);
	}
	for (size_t i = n & ~(size_t)31; i < n; i++)
		s->bad |= s->token_code[s->token[i]];
	if (!_mm256_testz_si256(over, over))
		s->bad |= RP_RPZ_BAD;
	s->token += n;
}

/* The bytes at *from, one for each bit of `mask`, each in its bit's place; moves *from. */
AVX2 static inline __m128i
spread_bytes(const struct rp_rpz_rows_state *s, const uint8_t **from, size_t mask)
{
	__m128i bytes = _mm_loadl_epi64((const __m128i *)*from);
	*from += __builtin_popcountll(mask);
	__asm__("" : "+r"(*from)); /* or gcc makes one vector of two cursors, which is slower */
	return _mm_shuffle_epi8(bytes, _mm_loadl_epi64((const __m128i *)s->spread[mask]));
}

/* RP_RPZ_NOW - 1 + i, of the first 8 rows. */
AVX2 static inline __m256i
first_back(void)
{
	return _mm256_add_epi32(
	    _mm256_set1_epi32(RP_RPZ_NOW - 1), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

AVX2 static __attribute__((noinline)) const uint8_t *
spread_long(const struct rp_rpz_rows_state *s, const uint8_t *token, const uint8_t *rest,
    __m128i low, size_t mask, uint64_t *change)
{
	uint16_t r[GROUP];
	_mm_storeu_si128((__m128i *)r, low);
	return rp_rpz_spread_long(s, token, rest, r, mask, change);
}

/* change[] of rows i to i + 7, of which those in `real` are there: SIZE_MAX for all. */
AVX2 static inline void
spread_8(const struct rp_rpz_rows_state *s, struct rp_rpz_cursors *c, size_t i, size_t real,
    uint64_t *change)
{
	const __m128i shift = _mm_cvtsi32_si128(s->shift);
	__m128i first = _mm_loadl_epi64((const __m128i *)(s->how + i));
	__m128i second = _mm_add_epi8(first, first), more = _mm_add_epi8(second, second);
	size_t longer = (size_t)_mm_movemask_epi8(more) & real;
	__m128i a = spread_bytes(s, &c->first, (size_t)_mm_movemask_epi8(first) & real);
	__m128i b = spread_bytes(s, &c->second, (size_t)_mm_movemask_epi8(second) & real);
	__m128i r = _mm_unpacklo_epi8(a, b);
	__m128i sign = _mm_srai_epi16(_mm_slli_epi16(r, 15), 15);
	__m128i x = _mm_xor_si128(_mm_srli_epi16(r, 1), sign);
	__m256i x0 = _mm256_cvtepi16_epi64(x), x1 = _mm256_cvtepi16_epi64(_mm_srli_si128(x, 8));
	_mm256_storeu_si256((__m256i *)change, _mm256_sll_epi64(x0, shift));
	_mm256_storeu_si256((__m256i *)(change + 4), _mm256_sll_epi64(x1, shift));
	if (__builtin_expect(longer != 0, 0))
		c->rest = spread_long(s, c->token + i, c->rest, r, longer, change);
}

AVX2 static void
spread(struct rp_rpz_rows_state *s, size_t n)
{
	struct rp_rpz_cursors c = rp_rpz_cursors_of(s, n);
	for (size_t i = 0; i < n; i += GROUP)
		spread_8(s, &c, i, rp_rpz_rows_there(i, n, GROUP), s->change + i);
	rp_rpz_cursors_back(s, &c);
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

/* Where 8 rows are predicted from; back: RP_RPZ_NOW - 1 + i. */
AVX2 static inline __m256i
from_of_8(const uint8_t *how, __m256i slot, __m256i back)
{
	const __m256i low = _mm256_set1_epi32(RP_RPZ_PREDICTOR);
	__m256i p = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)how));
	__m256i far = _mm256_sub_epi32(back, _mm256_and_si256(p, low));
	__m256i table = _mm256_slli_epi32(p, 28); /* RP_RPZ_OF_TABLE as the sign */
	return _mm256_castps_si256(_mm256_blendv_ps(
	    _mm256_castsi256_ps(far), _mm256_castsi256_ps(slot), _mm256_castsi256_ps(table)));
}

/* What is needed to predict 8 rows. */
struct group {
	uint64_t change[GROUP];
	uint32_t slot[GROUP], from[GROUP];
};

AVX2 static inline void
prepare(const struct rp_rpz_rows_state *s, struct rp_rpz_cursors *c, __m256i *back, size_t i,
    size_t real, struct group *g)
{
	__m256i slot = slots_of_8(s->class + RP_RPZ_SLACK + i);
	spread_8(s, c, i, real, g->change);
	_mm256_storeu_si256((__m256i *)g->slot, slot);
	_mm256_storeu_si256((__m256i *)g->from, from_of_8(s->how + i, slot, *back));
	*back = _mm256_add_epi32(*back, _mm256_set1_epi32(GROUP));
}

static inline __attribute__((always_inline)) void
predict(uint64_t *memory, size_t i, size_t n, const struct group *g)
{
	rp_rpz_predict(memory, i, n, g->from, g->slot, g->change);
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
	bool few = s->ops <= ROW && s->small_sizes;
	rp_rpz_look(s, few ? look_few(s, n, size, kind, flags) : 0, n, size, kind, flags);
}

static void
split(struct rp_rpz_rows_state *s, size_t n, uint32_t *size, uint8_t *kind, uint8_t *flags)
{
	split_tokens(s, n);
	look(s, n, size, kind, flags);
}

/* Predicting is slow for what each row waits for, not for how much there is to do: the next rows are prepared
 * meanwhile. */
AVX2 static void
keyed(struct rp_rpz_rows_state *s, size_t n)
{
	struct rp_rpz_cursors c = rp_rpz_cursors_of(s, n);
	__m256i back = first_back();
	struct group a, b;
	size_t i = 0;
	prepare(s, &c, &back, 0, rp_rpz_rows_there(0, n, GROUP), &a);
	for (; i + 3 * GROUP <= n; i += 2 * GROUP) {
		prepare(s, &c, &back, i + GROUP, SIZE_MAX, &b);
		predict(s->memory, i, GROUP, &a);
		prepare(s, &c, &back, i + 2 * GROUP, SIZE_MAX, &a);
		predict(s->memory, i + GROUP, GROUP, &b);
	}
	for (; i + GROUP < n; i += GROUP) {
		prepare(s, &c, &back, i + GROUP, rp_rpz_rows_there(i + GROUP, n, GROUP), &b);
		predict(s->memory, i, GROUP, &a);
		a = b;
	}
	predict(s->memory, i, n - i, &a);
	rp_rpz_cursors_back(s, &c);
}

const struct rp_rpz_passes rp_rpz_passes_avx2 = { split, spread, keyed };

#endif
