/* rpz_rows_avx512.c - the passes of rpz_rows.h with AVX-512 and its byte instructions (VBMI, VBMI2), chosen at run time. */
#include "config.h"

#include "traces/format/rpz_rows_wide.h"

#ifdef __x86_64__

#include <immintrin.h>

#define AVX512                                                                                     \
	__attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi,popcnt")))

enum {
	ROW = 64 /* entries of a table that one permutation looks up, and tokens done at once */,
	GROUP = 32 /* rows done at once */,
	HALF = GROUP / 2
};

/* A table of up to 256 bytes. */
struct table {
	__m512i row[4];
	bool small; /* the first row is all of it */
};

AVX512 static inline struct table
table_of(const uint8_t *from, unsigned entries)
{
	struct table t = { .small = entries <= ROW };
	for (size_t k = 0; k < 4; k++)
		t.row[k] = _mm512_loadu_si512(from + k * ROW);
	return t;
}

AVX512 static inline __m512i
look_up(const struct table *t, __m512i index)
{
	if (t->small)
		return _mm512_permutexvar_epi8(index, t->row[0]);
	__m512i low = _mm512_permutex2var_epi8(t->row[0], index, t->row[1]);
	__m512i high = _mm512_permutex2var_epi8(t->row[2], index, t->row[3]);
	return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(index), high);
}

/* Ops and how addresses are made, of all tokens. */
AVX512 static void
split_tokens(struct rp_rpz_rows_state *s, size_t n)
{
	uint8_t *class = s->class + RP_RPZ_SLACK;
	const struct table op = table_of(s->token_op, s->tokens);
	const struct table how = table_of(s->token_how, s->tokens);
	const __m512i one = _mm512_set1_epi8(1), last = _mm512_set1_epi8((char)(s->tokens - 1));
	__mmask64 over = 0;
	for (size_t i = 0; i < n; i += ROW) {
		__m512i t = _mm512_loadu_si512(s->token + i);
		over |= _mm512_cmpgt_epu8_mask(t, last) & rp_rpz_rows_there(i, n, ROW);
		_mm512_storeu_si512(class + i, _mm512_add_epi8(look_up(&op, t), one));
		_mm512_storeu_si512(s->how + i, look_up(&how, t));
	}
	if (over)
		s->bad |= RP_RPZ_BAD;
	s->token += n;
}

/* Ops of up to 64 kinds with sizes of a byte: one permutation each. */
AVX512 static void
look_few(const struct rp_rpz_rows_state *s, size_t n, uint32_t *size, uint8_t *kind, uint8_t *flags)
{
	const uint8_t *class = s->class + RP_RPZ_SLACK;
	uint8_t small[ROW];
	for (unsigned op = 0; op < ROW; op++)
		small[op] = (uint8_t)s->op_size[op];
	const __m512i sizes = _mm512_loadu_si512(small), kinds = _mm512_loadu_si512(s->op_kind);
	const __m512i flag = _mm512_loadu_si512(s->op_flags), one = _mm512_set1_epi8(1);
	for (size_t i = 0; i < n; i += ROW) {
		__mmask64 there = rp_rpz_rows_there(i, n, ROW);
		__m512i op = _mm512_sub_epi8(_mm512_loadu_si512(class + i), one);
		uint8_t z[ROW];
		_mm512_storeu_si512(z, _mm512_permutexvar_epi8(op, sizes));
		for (size_t k = 0; k < ROW; k += 16)
			_mm512_mask_storeu_epi32(size + i + k, (__mmask16)(there >> k),
			    _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(z + k))));
		_mm512_mask_storeu_epi8(kind + i, there, _mm512_permutexvar_epi8(op, kinds));
		if (flags)
			_mm512_mask_storeu_epi8(
			    flags + i, there, _mm512_permutexvar_epi8(op, flag));
	}
}

AVX512 static void
split(struct rp_rpz_rows_state *s, size_t n, uint32_t *size, uint8_t *kind, uint8_t *flags)
{
	split_tokens(s, n);
	if (s->ops <= ROW && s->small_sizes)
		look_few(s, n, size, kind, flags);
	else
		rp_rpz_look(s, 0, n, size, kind, flags);
}

/* The bytes at *from, one for each bit of `mask`, each in its bit's place; moves *from. */
AVX512 static inline __m512i
spread_bytes(const uint8_t **from, __mmask32 mask)
{
	__m256i bytes = _mm256_loadu_si256((const __m256i *)*from);
	*from += __builtin_popcount(mask);
	return _mm512_cvtepu8_epi16(_mm256_maskz_expand_epi8(mask, bytes));
}

AVX512 static __attribute__((noinline)) const uint8_t *
spread_long(const struct rp_rpz_rows_state *s, const uint8_t *token, const uint8_t *rest,
    __m512i low, size_t mask, uint64_t *change)
{
	uint16_t r[GROUP];
	_mm512_storeu_si512(r, low);
	return rp_rpz_spread_long(s, token, rest, r, mask, change);
}

/* change[] of rows i to i + 31, of which those in `real` are there. */
AVX512 static inline void
spread_32(const struct rp_rpz_rows_state *s, struct rp_rpz_cursors *c, size_t i, size_t real,
    uint64_t *change)
{
	const __m128i shift = _mm_cvtsi32_si128(s->shift);
	__m256i first = _mm256_loadu_si256((const __m256i *)(s->how + i));
	__m256i second = _mm256_add_epi8(first, first), more = _mm256_add_epi8(second, second);
	__mmask32 there = (__mmask32)real, longer = _mm256_movepi8_mask(more) & there;
	__m512i a = spread_bytes(&c->first, _mm256_movepi8_mask(first) & there);
	__m512i b = spread_bytes(&c->second, _mm256_movepi8_mask(second) & there);
	__m512i r = _mm512_or_si512(a, _mm512_slli_epi16(b, 8));
	__m512i sign = _mm512_srai_epi16(_mm512_slli_epi16(r, 15), 15);
	__m512i x = _mm512_xor_si512(_mm512_srli_epi16(r, 1), sign);
	const __m128i part[4] = { _mm512_castsi512_si128(x), _mm512_extracti32x4_epi32(x, 1),
		_mm512_extracti32x4_epi32(x, 2), _mm512_extracti32x4_epi32(x, 3) };
	for (size_t k = 0; k < 4; k++)
		_mm512_storeu_si512(
		    change + 8 * k, _mm512_sll_epi64(_mm512_cvtepi16_epi64(part[k]), shift));
	if (__builtin_expect(longer != 0, 0))
		c->rest = spread_long(s, c->token + i, c->rest, r, longer, change);
}

AVX512 static void
spread(struct rp_rpz_rows_state *s, size_t n)
{
	struct rp_rpz_cursors c = rp_rpz_cursors_of(s, n);
	for (size_t i = 0; i < n; i += GROUP)
		spread_32(s, &c, i, rp_rpz_rows_there(i, n, GROUP), s->change + i);
	rp_rpz_cursors_back(s, &c);
}

/* What is needed to predict 32 rows. */
struct group {
	uint64_t change[GROUP];
	uint32_t slot[GROUP], from[GROUP];
};

/* Slots and places to predict from, of the 16 rows at `row`, a half of the group from i on. `near`: 64 classes, from the
 * fifth before the group's first on; each row's windows of four are taken out of it. */
AVX512 static inline void
place_16(const struct rp_rpz_rows_state *s, __m512i near, size_t i, size_t half, struct group *g)
{
	const __m512i lane =
	    _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	/* Byte k of lane j is class j + k of `near`. */
	const __m512i before =
	    _mm512_add_epi32(_mm512_mullo_epi32(lane, _mm512_set1_epi32(0x01010101)),
		_mm512_set1_epi32((int)(0x03020100 + 0x01010101 * half)));
	const __m512i last = _mm512_add_epi8(before, _mm512_set1_epi8(2));
	__m512i a = _mm512_mullo_epi32(
	    _mm512_permutexvar_epi8(last, near), _mm512_set1_epi32((int)RP_RPZ_OP_MUL1));
	__m512i b = _mm512_mullo_epi32(
	    _mm512_permutexvar_epi8(before, near), _mm512_set1_epi32((int)RP_RPZ_OP_MUL2));
	__m512i slot = _mm512_srli_epi32(_mm512_add_epi32(a, b), 20);
	__m512i p = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(s->how + i + half)));
	__m512i back = _mm512_add_epi32(lane, _mm512_set1_epi32((int)(RP_RPZ_NOW - 1 + i + half)));
	__m512i far =
	    _mm512_sub_epi32(back, _mm512_and_si512(p, _mm512_set1_epi32(RP_RPZ_PREDICTOR)));
	__mmask16 table = _mm512_test_epi32_mask(p, _mm512_set1_epi32(RP_RPZ_OF_TABLE));
	_mm512_storeu_si512(g->slot + half, slot);
	_mm512_storeu_si512(g->from + half, _mm512_mask_mov_epi32(far, table, slot));
}

AVX512 static inline void
prepare(const struct rp_rpz_rows_state *s, struct rp_rpz_cursors *c, size_t i, size_t real,
    struct group *g)
{
	__m512i near = _mm512_loadu_si512(s->class + RP_RPZ_SLACK + i - 5);
	spread_32(s, c, i, real, g->change);
	place_16(s, near, i, 0, g);
	place_16(s, near, i, HALF, g);
}

/* The next rows are prepared while those before are predicted, which waits more than it works. */
AVX512 static void
keyed(struct rp_rpz_rows_state *s, size_t n)
{
	struct rp_rpz_cursors c = rp_rpz_cursors_of(s, n);
	struct group g[2];
	size_t i = 0;
	prepare(s, &c, 0, rp_rpz_rows_there(0, n, GROUP), &g[0]);
	for (unsigned now = 0; i + GROUP < n; i += GROUP, now ^= 1) {
		prepare(s, &c, i + GROUP, rp_rpz_rows_there(i + GROUP, n, GROUP), &g[now ^ 1]);
		rp_rpz_predict(s->memory, i, GROUP, g[now].from, g[now].slot, g[now].change);
	}
	const struct group *left = &g[i / GROUP & 1];
	rp_rpz_predict(s->memory, i, n - i, left->from, left->slot, left->change);
	rp_rpz_cursors_back(s, &c);
}

const struct rp_rpz_passes rp_rpz_passes_avx512 = { split, spread, keyed };

#endif
