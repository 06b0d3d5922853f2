/* grid_kernels.c - the hot loops of grids of LRU caches: compiled once for each level of the instruction set. */
#include "config.h"

#include "sim/kernels.h"
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

RP_INLINE void
add_positions(struct rp_stacks *s, const uint32_t *at, unsigned lanes)
{
	for (unsigned p = 0; p <= lanes; p++)
		s->at[p] += at[p];
}

RP_INLINE void
visit_list(struct rp_visit *v, unsigned lanes, bool wide)
{
	unsigned char *keys = v->stacks->keys;
	void *list = v->list;
	uint32_t mask = v->mask, at[RP_GRID_WAYS + 1] = { 0 };
	size_t n = v->n, kept = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t key = key_of(list, i, wide);
		unsigned p = visit_key(keys, mask, key, lanes, wide);
		at[p]++;
		put_key(list, kept, key, wide);
		kept += p != 0;
	}
	add_positions(v->stacks, at, lanes);
	v->n = kept;
}

/* A list that ends before the longest one goes on with its last lookup, which then changes nothing. */
RP_INLINE size_t
pad_lists(struct rp_visit *v, bool wide)
{
	size_t most = 0;
	for (unsigned k = 0; k < RP_GRID_ABREAST; k++)
		most = v[k].n > most ? v[k].n : most;
	for (unsigned k = 0; k < RP_GRID_ABREAST; k++)
		for (size_t i = v[k].n; i < most; i++)
			put_key(v[k].list, i, key_of(v[k].list, v[k].n - 1, wide), wide);
	return most;
}

RP_INLINE void
visit_abreast(struct rp_visit *v, unsigned lanes, bool wide)
{
	size_t n = pad_lists(v, wide), a = 0, b = 0, c = 0;
	unsigned char *keys[] = { v[0].stacks->keys, v[1].stacks->keys, v[2].stacks->keys };
	void *list[] = { v[0].list, v[1].list, v[2].list };
	uint32_t at[RP_GRID_ABREAST][RP_GRID_WAYS + 1] = { { 0 } };
	uint32_t mask = v[0].mask;
	for (size_t i = 0; i < n; i++) {
		uint64_t key = key_of(list[0], i, wide);
		unsigned p = visit_key(keys[0], mask, key, lanes, wide);
		at[0][p]++;
		put_key(list[0], a, key, wide);
		a += p != 0;
		key = key_of(list[1], i, wide);
		p = visit_key(keys[1], mask, key, lanes, wide);
		at[1][p]++;
		put_key(list[1], b, key, wide);
		b += p != 0;
		key = key_of(list[2], i, wide);
		p = visit_key(keys[2], mask, key, lanes, wide);
		at[2][p]++;
		put_key(list[2], c, key, wide);
		c += p != 0;
	}
	for (unsigned k = 0; k < RP_GRID_ABREAST; k++)
		add_positions(v[k].stacks, at[k], lanes);
	v[0].n = a;
	v[1].n = b;
	v[2].n = c;
}

#define VISIT(name, width, wide)                                                                   \
	static void name(struct rp_visit *v, unsigned lanes)                                       \
	{                                                                                          \
		(void)lanes;                                                                       \
		visit_list(v, width, wide);                                                        \
	}                                                                                          \
	static void name##_abreast(struct rp_visit *v, unsigned lanes)                             \
	{                                                                                          \
		(void)lanes;                                                                       \
		visit_abreast(v, width, wide);                                                     \
	}
VISIT(visit8, 8, false)
VISIT(visit16, 16, false)
VISIT(visit_any, lanes, false)
VISIT(visit8_wide, 8, true)
VISIT(visit16_wide, 16, true)
VISIT(visit_any_wide, lanes, true)

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

extern const struct rp_grid_kernels RP_KERNELS_PART(grid);
const struct rp_grid_kernels RP_KERNELS_PART(grid) = {
	.visit = { { visit8, visit16, visit_any }, { visit8_wide, visit16_wide, visit_any_wide } },
	.abreast = { { visit8_abreast, visit16_abreast, visit_any_abreast },
	    { visit8_wide_abreast, visit16_wide_abreast, visit_any_wide_abreast } },
	.lengthen = { lengthen, lengthen_wide },
	.strip = { strip, strip_wide },
};
