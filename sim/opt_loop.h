/* opt_loop.h - the loops of Belady's MIN (sim/opt.h); part of kernels.c. */
#ifndef RP_SIM_OPT_LOOP_H
#define RP_SIM_OPT_LOOP_H

#include "sim/kernels.h"
#include "sim/opt.h"
#include "sim/ways.h"

enum {
	OPT_AHEAD = 16,
	OPT_NEAR = 32 << 10 /* bytes that the first-level cache holds */
};

/* One lookup that hits no way: the way that makes room, or `ways` if nothing is brought in. */
struct opt_miss {
	unsigned way;
	uint8_t outcome;
};

RP_INLINE struct opt_miss
opt_make_room(const struct rp_opt_sets *c, const void *set, uint64_t dirty, uint64_t next,
    bool no_fill, bool bypass, bool wide, unsigned lanes)
{
	unsigned ways = c->cache.spec->ways, way = ways_least(set, wide, lanes, ways);
	uint64_t old = ways_key(set, way, wide);
	if (no_fill || (bypass && old && next < old))
		return (struct opt_miss){ ways, RP_MISSED | RP_NO_FILL };
	return (struct opt_miss){ way,
		(uint8_t)(RP_MISSED | (old ? RP_EVICTED : 0) | (dirty >> way & 1) << 2) };
}

/* `wide`, `ahead` and, of 8 and 16, `lanes` are constants. */
RP_INLINE void
opt_sets_loop(struct rp_opt_sets *c, const struct rp_lookups *in, uint8_t *restrict outcome,
    bool wide, unsigned lanes, bool ahead)
{
	static const uint8_t none[RP_CHUNK];
	const struct rp_cache_spec *spec = c->cache.spec;
	const uint8_t *dirtying = spec->write == RP_WRITE_BACK ? in->dirty : none,
		      *store = in->store;
	bool no_write = spec->allocate == RP_ALLOCATE_NO_WRITE, bypass = spec->arg[RP_OPT_BYPASS];
	size_t stride = lanes * (wide ? sizeof(uint64_t) : sizeof(uint32_t)), ways = spec->ways;
	uint64_t mask = wide ? UINT64_MAX : UINT32_MAX, *dirty = c->dirty;
	const uint32_t *sets = c->set;
	const uint64_t *nexts = in->next;
	for (size_t i = 0, n = in->n; i < n; i++) {
		uint32_t s = sets[i];
		uint64_t want = ~(in->number + i) & mask, next = ~nexts[i] & mask, w = dirtying[i];
		unsigned char *set = c->keys + s * stride;
		if (ahead)
			for (size_t at = 0; at < stride; at += 64)
				__builtin_prefetch(c->keys + sets[i + OPT_AHEAD] * stride + at, 1);
		uint64_t m = ways_exchange(set, want, next, wide, lanes);
		outcome[i] = 0;
		if (!m) {
			struct opt_miss miss = opt_make_room(
			    c, set, dirty[s], next, no_write && store[i], bypass, wide, lanes);
			outcome[i] = miss.outcome;
			if (miss.outcome & RP_NO_FILL)
				continue;
			m = UINT64_C(1) << miss.way;
			c->line[s * ways + miss.way] = in->line[i];
			dirty[s] &= ~m;
			ways_put_if(set, miss.way, 1, next, wide, lanes);
		}
		dirty[s] |= m & -w;
	}
}

#define OPT_RUN(name, wide, lanes, ahead)                                                          \
	static void name(struct rp_opt_sets *c, const struct rp_lookups *in, uint8_t *outcome)     \
	{                                                                                          \
		opt_sets_loop(c, in, outcome, wide, lanes, ahead);                                 \
	}
#define OPT_RUNS(size, lanes)                                                                      \
	OPT_RUN(opt_##size##_32, false, lanes, false)                                              \
	OPT_RUN(opt_##size##_32_ahead, false, lanes, true)                                         \
	OPT_RUN(opt_##size##_64, true, lanes, false)                                               \
	OPT_RUN(opt_##size##_64_ahead, true, lanes, true)
OPT_RUNS(8, 8)
OPT_RUNS(16, 16)
OPT_RUNS(more, c->lanes)

#define OPT_TABLE                                                                                  \
	{                                                                                          \
		{ { opt_8_32, opt_8_32_ahead }, { opt_16_32, opt_16_32_ahead },                    \
			{ opt_more_32, opt_more_32_ahead } },                                      \
		    { { opt_8_64, opt_8_64_ahead }, { opt_16_64, opt_16_64_ahead },                \
			    { opt_more_64, opt_more_64_ahead } },                                  \
	}

/* ---- One set ---- */

RP_INLINE unsigned
opt_top(uint64_t word)
{
	return 63 - (unsigned)__builtin_clzll(word);
}

/* The floor sinks by a word of `some`. */
static void
opt_sink(struct rp_opt_full *c)
{
	uint64_t at = opt_place(c, c->floor -= 64 * 64), some = 0;
	for (unsigned i = 0; i < 64; i++)
		some |= (uint64_t)(ways_with(c->here + at + 64 * i, RP_OPT_LIVE) != 0) << i;
	c->some[at >> 12] = some;
	c->more[at >> c->fold] |= (uint64_t)(some != 0) << (at >> 12 & 63);
}

/* The place of the last line in the window; there is one that is not past. *others: those of its word, bits. */
RP_INLINE uint64_t
opt_last(struct rp_opt_full *c, uint64_t *others)
{
	uint64_t half = (c->base >> c->bits & 1) ^ (c->ahead != 0), more = c->high[half];
	while (!c->more[more])
		if (more == opt_place(c, c->floor - 1) >> c->fold)
			opt_sink(c);
		else
			more--;
	c->high[half] = more;
	uint64_t some = ((more << c->fold >> 12) & ~UINT64_C(63)) | opt_top(c->more[more]);
	uint64_t word = some << 6 | opt_top(c->some[some]);
	uint64_t live = ways_with(c->here + (word << 6), RP_OPT_LIVE), top = opt_top(live);
	*others = live ^ UINT64_C(1) << top;
	return word << 6 | top;
}

/* Takes the line out that is wanted last: whether it was dirty. The cache is full. */
RP_INLINE uint64_t
opt_evict(struct rp_opt_full *c)
{
	if (c->n_dead) {
		uint64_t dirty = c->dead[c->dead_at];
		c->dead_at = (c->dead_at + 1) & (c->dead_room - 1);
		c->n_dead--;
		return dirty;
	}
	if (c->n_far)
		return rp_opt_far_pop(c) & 1;
	uint64_t others, at = opt_last(c, &others), word = at >> 6;
	uint64_t dirty = c->here[at] / RP_OPT_DIRTY;
	c->here[at] = 0;
	c->ahead -= c->ahead != 0;
	if (!others && !(c->some[word >> 6] &= ~(UINT64_C(1) << (word & 63))))
		c->more[at >> c->fold] &= ~(UINT64_C(1) << (word >> 6 & 63));
	return dirty;
}

/* Whether every line that is there is wanted before `key`. */
RP_INLINE bool
opt_is_farthest(struct rp_opt_full *c, uint64_t key)
{
	if (c->n_dead)
		return false;
	if (c->n_far)
		return key > c->far[0] >> 1;
	if ((key - c->base) >> c->bits > 1)
		return true;
	/* Both in the window, whose halves may lie either way round. */
	uint64_t window = (UINT64_C(2) << c->bits) - 1, from = c->base & window, others;
	return ((key - from) & window) > ((opt_last(c, &others) - from) & window);
}

/* Lookups [from, to) of the chunk, all in the half at hand. `ahead`, a constant: prefetch. */
RP_INLINE void
opt_full_loop(struct rp_opt_full *c, const struct rp_lookups *in, size_t from, size_t to,
    uint8_t *restrict outcome, bool ahead)
{
	static const uint8_t none[RP_CHUNK];
	const struct rp_cache_spec *spec = c->cache.spec;
	const uint8_t *dirtying = spec->write == RP_WRITE_BACK ? in->dirty : none,
		      *store = in->store;
	bool no_write = spec->allocate == RP_ALLOCATE_NO_WRITE, bypass = spec->arg[RP_OPT_BYPASS];
	const uint64_t *nexts = in->next, window = (UINT64_C(2) << c->bits) - 1;
	uint64_t at = opt_place(c, in->number + from), floor = c->floor;
	uint8_t *here = c->here;
	for (size_t i = from; i < to; i++, at++) {
		uint64_t next = nexts[i];
		unsigned was = here[at], flags = was | RP_OPT_LIVE | dirtying[i] * RP_OPT_DIRTY;
		if (ahead && i + OPT_AHEAD < to)
			__builtin_prefetch(&here[nexts[i + OPT_AHEAD] & window], 1);
		if (was) {
			outcome[i] = 0;
		} else if (no_write && store[i]) {
			outcome[i] = RP_MISSED | RP_NO_FILL;
			continue;
		} else if (c->count < c->lines) {
			c->count++;
			outcome[i] = RP_MISSED;
		} else if (bypass && opt_is_farthest(c, next)) {
			outcome[i] = RP_MISSED | RP_NO_FILL;
			floor = c->floor;
			continue;
		} else {
			outcome[i] = (uint8_t)(RP_MISSED | RP_EVICTED | opt_evict(c) << 2);
			floor = c->floor;
		}
		if (next < floor)
			here[next & window] = (uint8_t)flags;
		else
			opt_insert(c, next, flags / RP_OPT_DIRTY);
	}
}

static void
opt_full_run(struct rp_opt_full *c, const struct rp_lookups *in, size_t from, size_t to,
    uint8_t *restrict outcome)
{
	if (UINT64_C(2) << c->bits > OPT_NEAR)
		opt_full_loop(c, in, from, to, outcome, true);
	else
		opt_full_loop(c, in, from, to, outcome, false);
}

/* The set of each lookup; what lies behind the last one is only prefetched. */
static void
opt_prepare(struct rp_opt_sets *c, const struct rp_lookups *in)
{
	uint64_t sets = c->cache.spec->sets, mask = sets - 1, magic = c->magic;
	unsigned shift = c->shift;
	const uint64_t *line = in->line;
	uint32_t *restrict set = c->set;
	if (c->power)
		for (size_t i = 0; i < in->n; i++)
			set[i] = (uint32_t)(line[i] & mask);
	else
		for (size_t i = 0; i < in->n; i++)
			set[i] = (uint32_t)(line[i] - divide(line[i], magic, shift) * sets);
}

#endif
