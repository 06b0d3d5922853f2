/* grid_levels.h - levels of dirtiness: write-backs of caches of all numbers of ways at once; for grid_kernels.c.
 *
 * The level of a line in a stack is the least number of ways in which it is dirty; it is dirty in all greater ones that
 * hold it; 0: in none. A lookup at position p (from 0; `lanes`: at none) pushes the lines before p one on: the line at j
 * leaves the cache of j + 1 ways, dirty if its level is at most that. Caches of p ways and less then bring the looked up
 * line in clean: its level rises to p + 1 at least. A write makes it 1. */
#ifndef RP_SIM_OBSERVE_GRID_LEVELS_H
#define RP_SIM_OBSERVE_GRID_LEVELS_H

#include "sim/observe/grid_state.h"
#include "sim/ways.h"

/* Counts of one pass over a list, a byte each, so of up to this many lookups. */
enum { LEVELS_MOST = 255 };

/* The level of what is looked up at position p: before, and after. */
RP_INLINE unsigned
level_before(const uint8_t *level, unsigned p, unsigned lanes)
{
	return level[p] & (p < lanes ? 0xffu : 0u);
}

RP_INLINE unsigned
level_after(unsigned before, unsigned p, unsigned bits)
{
	unsigned read = before > p + 1 ? before : before ? p + 1 : 0;
	return bits & RP_GRID_DIRTIES ? 1 : read;
}

#ifdef __SSE2__

#include <emmintrin.h>

/* All ones for lanes below `upto`: lane j reads 80 + j - upto. */
static const uint8_t levels_below[160] = { [0 ... 79] = 0xff };
static const uint8_t levels_number[64] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39,
	40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62,
	63 };

/* Levels before position p move up by one, over p, `now` becomes the first; back[j] counts those at j that leave dirty. */
RP_INLINE void
levels_push(uint8_t *level, uint8_t *back, unsigned p, unsigned now, unsigned lanes)
{
	const __m128i one = _mm_set1_epi8(1);
	for (unsigned i = (lanes - 1) / 16 * 16 + 16; i > 0;) {
		i -= 16;
		__m128i *at = (__m128i *)(void *)(level + i),
			*count = (__m128i *)(void *)(back + i);
		const uint8_t *mask = levels_below + 80 - p + i;
		__m128i j = _mm_load_si128((const void *)(levels_number + i));
		__m128i before = _mm_loadu_si128((const void *)mask);
		__m128i upto = _mm_loadu_si128((const void *)(mask - 1));
		__m128i t = _mm_load_si128(at), less = _mm_sub_epi8(t, one);
		__m128i dirty = _mm_cmpeq_epi8(_mm_min_epu8(less, j), less);
		__m128i up = _mm_or_si128(
		    _mm_slli_si128(t, 1), _mm_cvtsi32_si128((int)(i ? level[i - 1] : now)));
		_mm_store_si128(
		    count, _mm_sub_epi8(_mm_load_si128(count), _mm_and_si128(dirty, before)));
		_mm_store_si128(
		    at, _mm_or_si128(_mm_and_si128(upto, up), _mm_andnot_si128(upto, t)));
	}
}

#else

RP_INLINE void
levels_push(uint8_t *level, uint8_t *back, unsigned p, unsigned now, unsigned lanes)
{
	unsigned j = p < lanes ? p : lanes - 1;
	for (unsigned i = 0; i < p; i++)
		back[i] = (uint8_t)(back[i] + (level[i] && level[i] <= i + 1));
	for (; j > 0; j--)
		level[j] = level[j - 1];
	level[0] = (uint8_t)now;
}

#endif

#endif
