/* grid_kernels.c - the hot loops of grids of LRU caches: compiled once for each level of the instruction set. */
#include "config.h"

#include "sim/observe/grid_state.h"
#include "sim/ways.h"

/* One visit is about twenty instructions without a branch: found or not, the lanes up to where the key was, or to the last
 * one, move up by one, and the key becomes the first. */
RP_INLINE size_t
visit_loop(struct rp_stacks *s, unsigned lanes, uint32_t mask, const void *in, size_t n,
    void *restrict out, bool wide)
{
	unsigned char *keys = s->keys;
	size_t stride = lanes * (wide ? sizeof(uint64_t) : sizeof(uint32_t)), kept = 0;
	uint32_t at[RP_GRID_WAYS + 1] = { 0 };
	for (size_t i = 0; i < n; i++) {
		uint64_t key = wide ? ((const uint64_t *)in)[i] : ((const uint32_t *)in)[i];
		unsigned char *set = keys + ((uint32_t)key & mask) * stride;
		uint64_t m = ways_match(set, key, wide, lanes);
		unsigned p = lanes < 64 ? (unsigned)__builtin_ctzll(m | UINT64_C(1) << (lanes & 63))
		                        : (m ? (unsigned)__builtin_ctzll(m) : 64);
		at[p]++;
		ways_rotate(set, key, wide, lanes, (int)(p < lanes ? p : lanes - 1));
		if (wide)
			((uint64_t *)out)[kept] = key;
		else
			((uint32_t *)out)[kept] = (uint32_t)key;
		kept += p != 0;
	}
	for (unsigned p = 0; p <= lanes; p++)
		s->at[p] += at[p];
	return kept;
}

#define VISIT(name, width, wide)                                                                   \
	static size_t name(struct rp_stacks *s, unsigned lanes, uint32_t mask, const void *in,     \
	    size_t n, void *out)                                                                   \
	{                                                                                          \
		(void)lanes;                                                                       \
		return visit_loop(s, width, mask, in, n, out, wide);                               \
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
		uint64_t key =
		    (wide ? ((const uint64_t *)in)[i] : ((const uint32_t *)in)[i]) >> shift;
		if (wide)
			((uint64_t *)out)[kept] = key;
		else
			((uint32_t *)out)[kept] = (uint32_t)key;
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

#define PASTE(a, b) a##b
#define NAME(level) PASTE(level, _grid)

const struct rp_grid_kernels NAME(RP_KERNELS) = {
	.visit = { { visit8, visit16, visit_any }, { visit8_wide, visit16_wide, visit_any_wide } },
	.lengthen = { lengthen, lengthen_wide },
};
