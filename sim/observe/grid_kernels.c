/* grid_kernels.c - the hot loops of grids of LRU caches: compiled once for each level of the instruction set. */
#include "config.h"

#include "sim/kernels.h"
#include "sim/observe/grid_levels.h"
#include "sim/observe/grid_slices.h"
#include "sim/observe/grid_state.h"
#include "sim/ways.h"

RP_INLINE uint64_t
key_of(const void *list, size_t i, bool wide)
{
	return wide ? ((const uint64_t *)list)[i] : ((const uint32_t *)list)[i];
}

RP_INLINE void
put_key(void *list, size_t i, uint64_t key, bool wide)
{
	if (wide)
		((uint64_t *)list)[i] = key;
	else
		((uint32_t *)list)[i] = (uint32_t)key;
}

/* Some twenty instructions without a branch: found or not, the lanes up to where the key was, or to the last one, move up by
 * one, and the key becomes the first. Where it was: its position, or `lanes`. */
RP_INLINE unsigned
visit_key(unsigned char *keys, uint32_t mask, uint64_t key, unsigned lanes, bool wide)
{
	size_t stride = lanes * (wide ? sizeof(uint64_t) : sizeof(uint32_t));
	unsigned char *set = keys + ((uint32_t)key & mask) * stride;
	uint64_t m = ways_match(set, key, wide, lanes);
	unsigned p = lanes < 64 ? (unsigned)__builtin_ctzll(m | UINT64_C(1) << (lanes & 63))
	             : m        ? (unsigned)__builtin_ctzll(m)
	                        : 64;
	ways_rotate(set, key, wide, lanes, (int)(lanes < 64 || p < 64 ? p : 63));
	return p;
}

/* What a pass over a list counts, until it is added to the stacks' own. */
struct counts {
	uint32_t at[2][RP_GRID_WAYS + 1];
	uint8_t back[RP_GRID_WAYS] __attribute__((aligned(16)));
};

RP_INLINE void
add_backs(struct rp_stacks *s, struct counts *c, unsigned lanes)
{
	for (unsigned j = 0; j < lanes; j++)
		s->back[j] += c->back[j];
	memset(c->back, 0, sizeof c->back);
}

RP_INLINE void
add_counts(struct rp_stacks *s, struct counts *c, unsigned lanes, bool writes)
{
	for (unsigned w = 0; w < (writes ? 2u : 1u); w++)
		for (unsigned p = 0; p <= lanes; p++)
			s->at[w][p] += c->at[w][p];
	if (writes)
		add_backs(s, c, lanes);
}

enum { HANDS = 3 }; /* lists abreast */

/* A list on its way through its stacks. */
struct hand {
	struct rp_visit *v;
	size_t i, kept; /* lookups done, and of them those that stay in the list */
	struct counts c;
};

/* Lookup i through its stack; it stays in the list, as its kept-th, unless that is all there is to it. */
RP_INLINE size_t
visit_one(const struct rp_visit *v, unsigned char *keys, size_t i, size_t kept, struct counts *c,
    unsigned lanes, bool wide, bool writes)
{
	uint64_t key = key_of(v->list, i, wide);
	unsigned p = visit_key(keys, v->mask, key, lanes, wide);
	put_key(v->list, kept, key, wide);
	if (!writes) {
		c->at[0][p]++;
		return kept + (p != 0);
	}
	unsigned bits = v->bits[i];
	uint8_t *level = v->stacks->level + ((uint32_t)key & v->mask) * level_stride(lanes);
	unsigned before = level_before(level, p, lanes);
	levels_push(level, c->back, p, level_after(before, p, bits), lanes);
	c->at[bits & RP_GRID_FIRST][p]++;
	v->bits[kept] = (uint8_t)bits;
	return kept + ((p != 0) | ((bits & RP_GRID_DIRTIES) && before != 1));
}

/* `steps` lookups of each of n lists (a constant), one of each in turn. */
RP_INLINE void
run_hands(struct hand *h, unsigned n, size_t steps, unsigned lanes, bool wide, bool writes)
{
	const struct rp_visit v0 = *h[0].v, v1 = *h[n > 1].v, v2 = *h[n > 2 ? 2 : 0].v;
	unsigned char *k0 = v0.stacks->keys, *k1 = v1.stacks->keys, *k2 = v2.stacks->keys;
	size_t i0 = h[0].i, i1 = h[n > 1].i, i2 = h[n > 2 ? 2 : 0].i;
	size_t a = h[0].kept, b = h[n > 1].kept, c = h[n > 2 ? 2 : 0].kept;
	for (size_t s = 0; s < steps; s++) {
		a = visit_one(&v0, k0, i0 + s, a, &h[0].c, lanes, wide, writes);
		if (n > 1)
			b = visit_one(&v1, k1, i1 + s, b, &h[n > 1].c, lanes, wide, writes);
		if (n > 2)
			c = visit_one(&v2, k2, i2 + s, c, &h[n > 2 ? 2 : 0].c, lanes, wide, writes);
	}
	const size_t kept[HANDS] = { a, b, c };
	for (unsigned k = 0; k < n; k++) {
		h[k].i += steps;
		h[k].kept = kept[k];
		if (writes)
			add_backs(h[k].v->stacks, &h[k].c, lanes);
	}
}

/* All lists, as many abreast as there are hands: with few sets a lookup waits for the one before it, and others fill the
 * time. Where one ends, the next takes its place. */
RP_INLINE void
visit_lists(struct rp_visit *v, size_t lists, unsigned lanes, bool wide, bool writes)
{
	struct hand hand[HANDS];
	size_t next = 0;
	unsigned held = 0;
	for (;;) {
		for (; held < HANDS && next < lists; next++)
			if (v[next].n)
				hand[held++] = (struct hand){ .v = &v[next] };
		if (!held)
			return;
		size_t steps = writes ? LEVELS_MOST : SIZE_MAX;
		for (unsigned k = 0; k < held; k++)
			steps = hand[k].v->n - hand[k].i < steps ? hand[k].v->n - hand[k].i : steps;
		if (held == 3)
			run_hands(hand, 3, steps, lanes, wide, writes);
		else if (held == 2)
			run_hands(hand, 2, steps, lanes, wide, writes);
		else
			run_hands(hand, 1, steps, lanes, wide, writes);
		for (unsigned k = held; k-- > 0;) {
			if (hand[k].i < hand[k].v->n)
				continue;
			add_counts(hand[k].v->stacks, &hand[k].c, lanes, writes);
			hand[k].v->n = hand[k].kept;
			hand[k] = hand[--held];
		}
	}
}

#define VISIT(name, width, wide, writes)                                                           \
	static void name(struct rp_visit *v, size_t lists, unsigned lanes)                         \
	{                                                                                          \
		(void)lanes;                                                                       \
		visit_lists(v, lists, width, wide, writes);                                        \
	}
#ifdef SLICE_PLACES
#define VISIT_PLAIN(name, width)                                                                   \
	static void name(struct rp_visit *v, size_t lists, unsigned lanes)                         \
	{                                                                                          \
		(void)lanes;                                                                       \
		visit_slices(v, lists, width);                                                     \
	}
#else
#define VISIT_PLAIN(name, width) VISIT(name, width, false, false)
#endif
VISIT_PLAIN(visit8, 8)
VISIT_PLAIN(visit16, 16)
VISIT_PLAIN(visit_any, lanes)
VISIT(visit8_wide, 8, true, false)
VISIT(visit16_wide, 16, true, false)
VISIT(visit_any_wide, lanes, true, false)
VISIT(write8, 8, false, true)
VISIT(write16, 16, false, true)
VISIT(write_any, lanes, false, true)
VISIT(write8_wide, 8, true, true)
VISIT(write16_wide, 16, true, true)
VISIT(write_any_wide, lanes, true, true)

RP_INLINE size_t
lengthen_loop(const void *in, size_t n, unsigned shift, uint64_t *last, void *out, bool wide)
{
	size_t kept = 0;
	uint64_t before = *last;
	for (size_t i = 0; i < n; i++) {
		uint64_t key = key_of(in, i, wide) >> shift;
		put_key(out, kept, key, wide);
		kept += key != before;
		before = key;
	}
	*last = before;
	return kept;
}

#if defined __AVX512F__
/* Whole vectors of 16 keys; how many keys are done. `out` may be `in`: a store ends no later than what was loaded. */
static size_t
lengthen_vectors(
    const uint32_t *in, size_t n, unsigned shift, uint64_t *last, uint32_t *out, size_t *kept)
{
	const __m128i by = _mm_cvtsi32_si128((int)shift);
	__m512i before = _mm512_set1_epi32((int)(uint32_t)*last);
	size_t i = 0, at = 0;
	for (; i + 16 <= n; i += 16) {
		__m512i key = _mm512_srl_epi32(_mm512_loadu_si512(in + i), by);
		__mmask16 differs =
		    _mm512_cmpneq_epi32_mask(key, _mm512_alignr_epi32(key, before, 15));
		_mm512_storeu_si512(out + at, _mm512_maskz_compress_epi32(differs, key));
		at += (unsigned)__builtin_popcount(differs);
		before = key;
	}
	*last = (uint32_t)_mm_extract_epi32(_mm512_extracti32x4_epi32(before, 3), 3);
	*kept = at;
	return i;
}
#else
static size_t
lengthen_vectors(
    const uint32_t *in, size_t n, unsigned shift, uint64_t *last, uint32_t *out, size_t *kept)
{
	(void)in, (void)n, (void)shift, (void)last, (void)out;
	*kept = 0;
	return 0;
}
#endif

static size_t
lengthen(const void *in, size_t n, unsigned shift, uint64_t *last, void *out)
{
	size_t kept, done = lengthen_vectors(in, n, shift, last, out, &kept);
	return kept + lengthen_loop((const uint32_t *)in + done, n - done, shift, last,
			  (uint32_t *)out + kept, false);
}

static size_t
lengthen_wide(const void *in, size_t n, unsigned shift, uint64_t *last, void *out)
{
	return lengthen_loop(in, n, shift, last, out, true);
}

/* Lookups i .. i + 63 of a list that repeat the one two before, a bit each; there are i + 64. */
RP_INLINE uint64_t
repeats(const void *list, size_t i, bool wide)
{
	uint64_t m = 0;
	for (unsigned k = 0; k < 64; k += 8) {
		const unsigned char *at = (const unsigned char *)list + (i + k) * (wide ? 8 : 4);
		m |= (uint64_t)ways_equal8(at, at - 2 * (wide ? 8 : 4), wide) << k;
	}
	return m;
}

/* Of bits in a row an even number, from the first on; none of the last bit. */
RP_INLINE uint64_t
even_runs(uint64_t m)
{
	const uint64_t even = UINT64_C(0x5555555555555555);
	m &= UINT64_MAX >> 1;
	uint64_t first = m & ~(m << 1);
	/* A carry runs through a row: one that begins at an even bit and ends behind an odd one is of an odd number. */
	uint64_t behind = (m + (first & even)) & ~m & ~even;
	behind |= (m + (first & ~even)) & ~m & even;
	return m & ~(behind >> 1);
}

/* A B A B: the second A and B leave every stack as it was. */
RP_INLINE size_t
strip_loop(void *list, size_t n, uint64_t *pair, size_t *pairs, bool wide)
{
	size_t kept = 0, dropped = *pairs;
	for (size_t i = 0; i < n; i += 64) {
		size_t end = n - i < 64 ? n - i : 64;
		uint64_t drop = end < 64 ? UINT64_MAX >> (64 - end) : UINT64_MAX;
		drop = even_runs(repeats(list, i, wide) & drop & (i ? UINT64_MAX : ~UINT64_C(3)));
		for (uint64_t d = drop; d; d &= d - 1) {
			size_t k = i + (unsigned)__builtin_ctzll(d);
			d &= d - 1;
			pair[dropped++] = key_of(list, k, wide) ^ key_of(list, k + 1, wide);
		}
		for (size_t k = 0; k < end; k++) {
			put_key(list, kept, key_of(list, i + k, wide), wide);
			kept += !(drop >> k & 1);
		}
	}
	*pairs = dropped;
	return kept;
}

static size_t
strip(void *list, size_t n, uint64_t *pair, size_t *pairs)
{
	return strip_loop(list, n, pair, pairs, false);
}

static size_t
strip_wide(void *list, size_t n, uint64_t *pair, size_t *pairs)
{
	return strip_loop(list, n, pair, pairs, true);
}

RP_INLINE size_t
lengthen_bits_loop(const void *in, const uint8_t *bits, size_t n, unsigned shift, uint64_t *last,
    void *out, uint8_t *bits_out, bool wide)
{
	size_t kept = 0, i = 0;
	uint64_t before = *last;
	while (i < n && key_of(in, i, wide) >> shift == before && !(bits[i] & RP_GRID_DIRTIES))
		i++;
	for (; i < n; i++) {
		uint64_t key = key_of(in, i, wide) >> shift;
		unsigned b = bits[i];
		bool again = kept && key == before;
		size_t to = kept - again;
		b = again ? bits_out[to] | (b & RP_GRID_DIRTIES) : b;
		put_key(out, to, key, wide);
		bits_out[to] = (uint8_t)b;
		kept = to + 1;
		before = key;
	}
	*last = before;
	return kept;
}

static size_t
lengthen_bits(const void *in, const uint8_t *bits, size_t n, unsigned shift, uint64_t *last,
    void *out, uint8_t *bits_out)
{
	return lengthen_bits_loop(in, bits, n, shift, last, out, bits_out, false);
}

static size_t
lengthen_bits_wide(const void *in, const uint8_t *bits, size_t n, unsigned shift, uint64_t *last,
    void *out, uint8_t *bits_out)
{
	return lengthen_bits_loop(in, bits, n, shift, last, out, bits_out, true);
}

/* B A B, then A B again, of which only the first B may dirty anything: where A and B share a set, both were found second
 * and so are clean in one way; nothing is written back, and all stays as it was. */
RP_INLINE size_t
strip_bits_loop(void *list, uint8_t *bits, size_t n, uint64_t *pair, size_t *pairs, bool wide)
{
	size_t kept = n < 3 ? n : 3, i = kept, dropped = *pairs;
	while (i + 1 < n) {
		uint64_t a = key_of(list, i, wide), b = key_of(list, i + 1, wide);
		uint64_t x = key_of(list, kept - 2, wide), y = key_of(list, kept - 1, wide);
		unsigned any = bits[i] | bits[i + 1] | bits[kept - 2] | bits[kept - 1];
		bool again = (a == x) & (b == y) & (key_of(list, kept - 3, wide) == y) &
		             !(any & RP_GRID_DIRTIES);
		put_key(list, kept, a, wide);
		bits[kept] = bits[i];
		pair[dropped] = x ^ y;
		kept += !again;
		dropped += again;
		i += 1u + again;
	}
	if (i < n) {
		bits[kept] = bits[i];
		put_key(list, kept++, key_of(list, i, wide), wide);
	}
	*pairs = dropped;
	return kept;
}

static size_t
strip_bits(void *list, uint8_t *bits, size_t n, uint64_t *pair, size_t *pairs)
{
	return strip_bits_loop(list, bits, n, pair, pairs, false);
}

static size_t
strip_bits_wide(void *list, uint8_t *bits, size_t n, uint64_t *pair, size_t *pairs)
{
	return strip_bits_loop(list, bits, n, pair, pairs, true);
}

extern const struct rp_grid_kernels RP_KERNELS_PART(grid);
const struct rp_grid_kernels RP_KERNELS_PART(grid) = {
	.visit = { { { visit8, visit16, visit_any },
		       { visit8_wide, visit16_wide, visit_any_wide } },
	    { { write8, write16, write_any }, { write8_wide, write16_wide, write_any_wide } } },
	.lengthen = { lengthen, lengthen_wide },
	.strip = { strip, strip_wide },
	.lengthen_bits = { lengthen_bits, lengthen_bits_wide },
	.strip_bits = { strip_bits, strip_bits_wide },
};
