/* grid_slices.h - lookups through stacks of 32-bit keys a slice at a time, as wide as a vector; for grid_kernels.c.
 *
 * A lookup goes through the first slice of its stack: the places up to where its key was, or all if it was in none, move up
 * by one, and the key becomes the first. If it was in none, the key that fell out is to enter the next slice, which does the
 * same with it: a list of such lookups, made in passing, is what goes through that slice. So no branch depends on the trace,
 * and what is rare, a deep place, costs little. */
#ifndef RP_SIM_OBSERVE_GRID_SLICES_H
#define RP_SIM_OBSERVE_GRID_SLICES_H

#include "sim/observe/grid_state.h"
#include "sim/ways.h"

#if defined __AVX512F__ && defined __AVX512BW__ && defined __AVX512VL__

#include <immintrin.h>

#define SLICE_PLACES 16
/* By place, what slice_turn counted, of up to SLICE_MOST lookups. */
#define SLICE_MOST UINT32_MAX
typedef uint32_t slice_count;
typedef __m512i slice_keys, slice_counts;

/* `width` keys; the same key in all places. */
RP_INLINE slice_keys
slice_load(const uint32_t *at, unsigned width)
{
	return width == 8 ? _mm512_castsi256_si512(_mm256_load_si256((const void *)at))
	                  : _mm512_loadu_si512(at);
}

RP_INLINE void
slice_store(uint32_t *at, slice_keys v, unsigned width)
{
	if (width == 8)
		_mm256_store_si256((void *)at, _mm512_castsi512_si256(v));
	else
		_mm512_storeu_si512(at, v);
}

RP_INLINE slice_keys
slice_all(const uint32_t *key)
{
	return _mm512_broadcastd_epi32(_mm_loadu_si32(key));
}

/* The keys once `key`, in all places, was looked for and `first` went in. Bit p of *place: it was at place p. *count: of each
 * place, how often; here, how often not. */
RP_INLINE slice_keys
slice_turn(slice_keys v, slice_keys key, slice_keys first, unsigned width, slice_counts *count,
    unsigned *place)
{
	__mmask16 other = _mm512_cmpneq_epi32_mask(v, key);
	unsigned m = (uint16_t)~other & (width == 8 ? 0xffu : 0xffffu);
	*count = _mm512_mask_sub_epi32(*count, other, *count, _mm512_set1_epi32(-1));
	*place = m;
	return _mm512_mask_alignr_epi32(v, (__mmask16)(m ^ (m - 1)), v, first, 15);
}

/* How many of n lookups were found at a place, by its count. */
RP_INLINE uint32_t
slice_lookups_at(slice_count count, size_t n)
{
	return (uint32_t)n - count;
}

#elif defined __AVX2__

#include <immintrin.h>

#define SLICE_PLACES 16
#define SLICE_MOST   UINT32_MAX
typedef uint32_t slice_count;
typedef struct {
	__m256i low, high; /* `high` of 16 places only */
} slice_keys, slice_counts;

RP_INLINE slice_keys
slice_load(const uint32_t *at, unsigned width)
{
	const __m256i *v = (const void *)at;
	return (slice_keys){ v[0], width == 8 ? v[0] : v[1] };
}

RP_INLINE void
slice_store(uint32_t *at, slice_keys v, unsigned width)
{
	_mm256_store_si256((void *)at, v.low);
	if (width > 8)
		_mm256_store_si256((void *)(at + 8), v.high);
}

RP_INLINE slice_keys
slice_all(const uint32_t *key)
{
	__m256i x = _mm256_broadcastd_epi32(_mm_loadu_si32(key));
	return (slice_keys){ x, x };
}

/* Those of `up`, in lanes 0..p. */
RP_INLINE __m256i
slice_moved(__m256i v, __m256i up, const int32_t *upto_p)
{
	__m256i moved = _mm256_loadu_si256((const void *)upto_p);
	__asm__("" : "+x"(moved)); /* gcc 12 compares it with 0 first, for nothing */
	return _mm256_blendv_epi8(v, up, moved);
}

RP_INLINE slice_keys
slice_turn(slice_keys v, slice_keys key, slice_keys first, unsigned width, slice_counts *count,
    unsigned *place)
{
	const __m256i next = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
	__m256i same = _mm256_cmpeq_epi32(v.low, key.low);
	unsigned m = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(same));
	__m256i up = _mm256_permutevar8x32_epi32(v.low, next);
	count->low = _mm256_sub_epi32(count->low, same);
	if (width > 8) {
		same = _mm256_cmpeq_epi32(v.high, key.low);
		m |= (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(same)) << 8;
		count->high = _mm256_sub_epi32(count->high, same);
	}
	const int32_t *upto = ways_upto32 + 63 - __builtin_ctz(m | 1u << (width - 1));
	if (width > 8)
		v.high = slice_moved(v.high,
		    _mm256_blend_epi32(_mm256_permutevar8x32_epi32(v.high, next), up, 1), upto + 8);
	v.low = slice_moved(v.low, _mm256_blend_epi32(up, first.low, 1), upto);
	*place = m;
	return v;
}

RP_INLINE uint32_t
slice_lookups_at(slice_count count, size_t n)
{
	(void)n;
	return count;
}

#elif defined __SSE2__

#include <emmintrin.h>

#define SLICE_PLACES 16
#define SLICE_MOST   UINT8_MAX
enum { SLICE_VECTORS = SLICE_PLACES / 4 };
typedef struct {
	__m128i at[SLICE_VECTORS]; /* of 8 places the first two */
} slice_keys;
typedef uint8_t slice_count; /* all in one register */
typedef __m128i slice_counts;

RP_INLINE slice_keys
slice_load(const uint32_t *at, unsigned width)
{
	const __m128i *v = (const void *)at;
	return (slice_keys){ { v[0], v[1], v[width == 8 ? 0 : 2], v[width == 8 ? 1 : 3] } };
}

RP_INLINE void
slice_store(uint32_t *at, slice_keys v, unsigned width)
{
#pragma GCC unroll 4
	for (unsigned i = 0; i < width / 4; i++)
		_mm_store_si128((void *)(at + i * 4), v.at[i]);
}

RP_INLINE slice_keys
slice_all(const uint32_t *key)
{
	__m128i x = _mm_shuffle_epi32(_mm_cvtsi32_si128((int)*key), 0);
	return (slice_keys){ { x, x, x, x } };
}

/* Row p: all ones in places 0..p. */
static const int32_t slice_upto[SLICE_PLACES][SLICE_PLACES] __attribute__((aligned(64))) = {
	{ [0] = -1 },
	{ [0 ... 1] = -1 },
	{ [0 ... 2] = -1 },
	{ [0 ... 3] = -1 },
	{ [0 ... 4] = -1 },
	{ [0 ... 5] = -1 },
	{ [0 ... 6] = -1 },
	{ [0 ... 7] = -1 },
	{ [0 ... 8] = -1 },
	{ [0 ... 9] = -1 },
	{ [0 ... 10] = -1 },
	{ [0 ... 11] = -1 },
	{ [0 ... 12] = -1 },
	{ [0 ... 13] = -1 },
	{ [0 ... 14] = -1 },
	{ [0 ... 15] = -1 },
};

/* The last of `below`, then the first three of v. */
RP_INLINE __m128i
slice_up(__m128i below, __m128i v)
{
	__m128 b = _mm_castsi128_ps(below), t = _mm_castsi128_ps(v);
	return _mm_castps_si128(_mm_shuffle_ps(_mm_shuffle_ps(b, t, 0x0f), t, 0x98));
}

RP_INLINE slice_keys
slice_turn(slice_keys v, slice_keys key, slice_keys first, unsigned width, slice_counts *count,
    unsigned *place)
{
	__m128i same[SLICE_VECTORS] = { { 0 }, { 0 }, { 0 }, { 0 } };
#pragma GCC unroll 4
	for (unsigned i = 0; i < width / 4; i++)
		same[i] = _mm_cmpeq_epi32(v.at[i], key.at[0]);
	__m128i all =
	    _mm_packs_epi16(_mm_packs_epi32(same[0], same[1]), _mm_packs_epi32(same[2], same[3]));
	unsigned m = (unsigned)_mm_movemask_epi8(all);
	*count = _mm_sub_epi8(*count, all);
	const int32_t *upto = slice_upto[__builtin_ctz(m | 1u << (width - 1))];
#pragma GCC unroll 4
	for (unsigned i = width / 4; i-- > 0;) {
		__m128i up = slice_up(i ? v.at[i - 1] : first.at[0], v.at[i]);
		__m128i moved = _mm_load_si128((const void *)(upto + i * 4));
		v.at[i] = _mm_xor_si128(v.at[i], _mm_and_si128(_mm_xor_si128(up, v.at[i]), moved));
	}
	*place = m;
	return v;
}

RP_INLINE uint32_t
slice_lookups_at(slice_count count, size_t n)
{
	(void)n;
	return count;
}

#endif

#ifdef SLICE_PLACES

/* A list on its way through a slice of its stacks. */
struct slice_hand {
	struct rp_visit *v;
	uint32_t *list, *stacks; /* keys */
	uint32_t *fallen,
	    *enter; /* of lookups that go on to the next slice: keys; what enters there */
	size_t n, i, kept, going; /* lookups; those done, that stay in the list, that go on */
	slice_counts count;
};

/* What is the same for all lookups of a call. */
struct slice {
	uint32_t mask;         /* sets - 1 */
	unsigned lanes, width; /* of a stack; of the slice */
	unsigned from;         /* its first place */
	bool first, last;      /* of the stack's slices */
	bool alone;            /* there is one set only */
};

/* Lookup i of a list. *held is the slice where it is alone: in a register, since what is stored is there to be loaded only
 * after a while. */
RP_INLINE void
slice_one(struct slice_hand *h, size_t i, slice_keys *held, struct slice s)
{
	const uint32_t *key = s.first ? &h->list[i] : &h->fallen[i];
	uint32_t k = *key,
		 *at = h->stacks + s.from + (s.alone ? 0 : (size_t)(k & s.mask) * s.lanes);
	uint32_t falls = s.last ? 0 : at[s.width - 1];
	unsigned place;
	slice_keys x = slice_all(key), v = s.alone ? *held : slice_load(at, s.width);
	*held = slice_turn(v, x, s.first ? x : slice_all(&h->enter[i]), s.width, &h->count, &place);
	if (!s.alone || !s.last)
		slice_store(at, *held, s.width);
	if (s.first) {
		h->list[h->kept] = k;
		h->kept += ~place & 1;
	}
	if (!s.last) {
		h->fallen[h->going] = k;
		h->enter[h->going] = falls;
		h->going += !place;
	}
}

/* `steps` lookups, at most SLICE_MOST, of each of n lists (a constant), one of each in turn: with few sets a lookup waits
 * for the one before it, and others fill the time. */
RP_INLINE void
slice_steps(struct slice_hand *hand, unsigned n, size_t steps, struct slice s)
{
	struct slice_hand h[RP_GRID_ABREAST];
	slice_keys held[RP_GRID_ABREAST];
#pragma GCC unroll 8
	for (unsigned k = 0; k < n; k++) {
		h[k] = hand[k];
		held[k] = slice_load(h[k].stacks + s.from, s.width);
	}
	for (size_t j = 0; j < steps; j++) {
#pragma GCC unroll 8
		for (unsigned k = 0; k < n; k++)
			slice_one(&h[k], h[k].i + j, &held[k], s);
	}
#pragma GCC unroll 8
	for (unsigned k = 0; k < n; k++) {
		if (s.alone)
			slice_store(h[k].stacks + s.from, held[k], s.width);
		hand[k] = h[k];
		hand[k].i += steps;
	}
}

/* What lookups found, all or up to SLICE_MOST, to the counts of their stacks. */
RP_INLINE void
slice_counted(struct slice_hand *h, struct slice s)
{
	uint64_t *at = h->v->stacks->at[0];
	slice_count count[SLICE_PLACES];
	memcpy(count, &h->count, sizeof count);
	for (unsigned p = 0; p < s.width; p++) {
		uint32_t found = slice_lookups_at(count[p], h->n);
		at[s.from + p] += found;
		at[s.lanes] -= found;
	}
	memset(&h->count, 0, sizeof h->count);
}

/* All lookups of up to six lists through one slice. Those done change places with the last, so that the others are abreast. */
RP_INLINE void
slice_pass(struct slice_hand *h, unsigned held, struct slice s)
{
	while (held) {
		size_t steps = SLICE_MOST;
		for (unsigned k = 0; k < held; k++)
			steps = h[k].n - h[k].i < steps ? h[k].n - h[k].i : steps;
		switch (held) {
		case 1:
			slice_steps(h, 1, steps, s);
			break;
		case 2:
			slice_steps(h, 2, steps, s);
			break;
		case 3:
			slice_steps(h, 3, steps, s);
			break;
		case 4:
			slice_steps(h, 4, steps, s);
			break;
		case 5:
			slice_steps(h, 5, steps, s);
			break;
		case 6:
			slice_steps(h, 6, steps, s);
			break;
		}
		for (unsigned k = 0; SLICE_MOST < RP_GRID_CHUNK && k < held; k++)
			slice_counted(&h[k], s);
		for (unsigned k = held; k-- > 0;)
			if (h[k].i == h[k].n) {
				struct slice_hand done = h[k];
				h[k] = h[--held];
				h[held] = done;
			}
	}
}

/* Counts what a slice found, and takes up what goes on. */
RP_INLINE void
slice_ends(struct slice_hand *h, struct slice s)
{
	slice_counted(h, s);
	if (s.first)
		h->v->n = h->kept;
	h->n = h->going;
	h->i = h->going = 0;
}

/* Some lists through all slices of their stacks. */
RP_INLINE void
slice_lists(struct slice_hand *h, unsigned held, struct slice s)
{
	for (unsigned k = 0; k < held; k++)
		h[k].v->stacks->at[0][s.lanes] += h[k].n;
	for (; s.from < s.lanes; s.from += s.width) {
		s.first = s.from == 0;
		s.width = s.lanes - s.from < SLICE_PLACES ? s.lanes - s.from : SLICE_PLACES;
		s.last = s.from + s.width == s.lanes;
		slice_pass(h, held, s);
		for (unsigned k = 0; k < held; k++)
			slice_ends(&h[k], s);
	}
}

RP_INLINE void
visit_slices(struct rp_visit *v, size_t lists, unsigned lanes)
{
	struct slice_hand hand[RP_GRID_ABREAST];
	for (size_t l = 0; l < lists; l += RP_GRID_ABREAST) {
		unsigned held = 0;
		for (; held < RP_GRID_ABREAST && l + held < lists; held++) {
			struct rp_visit *at = &v[l + held];
			hand[held] = (struct slice_hand){ .v = at,
				.list = at->list,
				.stacks = at->stacks->keys,
				.fallen = at->fallen[held],
				.enter = at->enter[held],
				.n = at->n };
		}
		if (v->mask)
			slice_lists(hand, held, (struct slice){ .lanes = lanes, .mask = v->mask });
		else
			slice_lists(hand, held, (struct slice){ .lanes = lanes, .alone = true });
	}
}

#endif

#endif
