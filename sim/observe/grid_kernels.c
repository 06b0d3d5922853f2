/* grid_kernels.c - the hot loops of grids of LRU caches: compiled once for each level of the instruction set. */
#include "config.h"

#include "sim/kernels.h"
#include "sim/observe/grid_levels.h"
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

/* Lookup i through its stack; it stays in the list, as its kept-th, unless that is all there is to it. */
RP_INLINE size_t
visit_one(const struct rp_visit *v, size_t i, size_t kept, struct counts *c, unsigned lanes,
    bool wide, bool writes)
{
	uint64_t key = key_of(v->list, i, wide);
	unsigned p = visit_key(v->stacks->keys, v->mask, key, lanes, wide);
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

RP_INLINE void
visit_list(struct rp_visit *v, unsigned lanes, bool wide, bool writes)
{
	const struct rp_visit in = *v;
	struct counts c = { .back = { 0 } };
	size_t n = v->n, kept = 0;
	for (size_t i = 0; i < n;) {
		size_t end = writes && n - i > LEVELS_MOST ? i + LEVELS_MOST : n;
		for (; i < end; i++)
			kept = visit_one(&in, i, kept, &c, lanes, wide, writes);
		if (writes)
			add_backs(v->stacks, &c, lanes);
	}
	add_counts(v->stacks, &c, lanes, writes);
	v->n = kept;
}

/* A list that ends before the longest one goes on with its last lookup, which then changes nothing: it is first, and a read
 * of what it dirtied itself. */
RP_INLINE size_t
pad_lists(struct rp_visit *v, bool wide, bool writes)
{
	size_t most = 0;
	for (unsigned k = 0; k < RP_GRID_ABREAST; k++)
		most = v[k].n > most ? v[k].n : most;
	for (unsigned k = 0; k < RP_GRID_ABREAST; k++)
		for (size_t i = v[k].n; i < most; i++) {
			put_key(v[k].list, i, key_of(v[k].list, v[k].n - 1, wide), wide);
			if (writes)
				v[k].bits[i] = 0;
		}
	return most;
}

RP_INLINE void
visit_abreast(struct rp_visit *v, unsigned lanes, bool wide, bool writes)
{
	size_t n = pad_lists(v, wide, writes), a = 0, b = 0, c = 0;
	const struct rp_visit va = v[0], vb = v[1], vc = v[2];
	struct counts count[RP_GRID_ABREAST] = { { .back = { 0 } } };
	for (size_t i = 0; i < n;) {
		size_t end = writes && n - i > LEVELS_MOST ? i + LEVELS_MOST : n;
		for (; i < end; i++) {
			a = visit_one(&va, i, a, &count[0], lanes, wide, writes);
			b = visit_one(&vb, i, b, &count[1], lanes, wide, writes);
			c = visit_one(&vc, i, c, &count[2], lanes, wide, writes);
		}
		for (unsigned k = 0; writes && k < RP_GRID_ABREAST; k++)
			add_backs(v[k].stacks, &count[k], lanes);
	}
	for (unsigned k = 0; k < RP_GRID_ABREAST; k++)
		add_counts(v[k].stacks, &count[k], lanes, writes);
	v[0].n = a;
	v[1].n = b;
	v[2].n = c;
}

#define VISIT(name, width, wide, writes)                                                           \
	static void name(struct rp_visit *v, unsigned lanes)                                       \
	{                                                                                          \
		(void)lanes;                                                                       \
		visit_list(v, width, wide, writes);                                                \
	}                                                                                          \
	static void name##_abreast(struct rp_visit *v, unsigned lanes)                             \
	{                                                                                          \
		(void)lanes;                                                                       \
		visit_abreast(v, width, wide, writes);                                             \
	}
VISIT(visit8, 8, false, false)
VISIT(visit16, 16, false, false)
VISIT(visit_any, lanes, false, false)
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

static size_t
lengthen(const void *in, size_t n, unsigned shift, uint64_t *last, void *out)
{
	return lengthen_loop(in, n, shift, last, out, false);
}

static size_t
lengthen_wide(const void *in, size_t n, unsigned shift, uint64_t *last, void *out)
{
	return lengthen_loop(in, n, shift, last, out, true);
}

/* A B A B: the second A and B leave every stack as it was. */
RP_INLINE size_t
strip_loop(void *list, size_t n, uint64_t *pair, size_t *pairs, bool wide)
{
	size_t kept = n < 2 ? n : 2, i = kept, dropped = *pairs;
	while (i + 1 < n) {
		uint64_t a = key_of(list, i, wide), b = key_of(list, i + 1, wide);
		uint64_t x = key_of(list, kept - 2, wide), y = key_of(list, kept - 1, wide);
		bool again = (a == x) & (b == y);
		put_key(list, kept, a, wide);
		pair[dropped] = x ^ y;
		kept += !again;
		dropped += again;
		i += 1u + again;
	}
	if (i < n)
		put_key(list, kept++, key_of(list, i, wide), wide);
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
	.abreast = { { { visit8_abreast, visit16_abreast, visit_any_abreast },
			 { visit8_wide_abreast, visit16_wide_abreast, visit_any_wide_abreast } },
	    { { write8_abreast, write16_abreast, write_any_abreast },
		{ write8_wide_abreast, write16_wide_abreast, write_any_wide_abreast } } },
	.lengthen = { lengthen, lengthen_wide },
	.strip = { strip, strip_wide },
	.lengthen_bits = { lengthen_bits, lengthen_bits_wide },
	.strip_bits = { strip_bits, strip_bits_wide },
};
