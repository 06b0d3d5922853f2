/* opt.c - Belady's MIN: memory, choice of the loop, single lines, and what is not hot. */
#include "config.h"

#include "sim/opt.h"
#include "sim/kernels.h"
#include "sim/ways.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	ALIGN = 64,
	AHEAD_FROM =
	    512 << 10,   /* keys that do not fit into the second-level cache are prefetched */
	HALF_TIMES = 16, /* lookups of a half: so many times the lines, a power of two */
	HALF_LEAST = 12  /* log2 */
};

/* Below this the keys of all lookups, and of those that are never used again, differ in their low 32 bits. */
#define NARROW_LOOKUPS (UINT64_C(1) << 31)

/* ---- Sets of up to 64 ways ---- */

static bool
sets_fits(const struct rp_cache_spec *s)
{
	return s->sets > 1 && s->ways <= RP_SETS_WAYS;
}

static bool
sets_open(struct rp_cache *cache, struct rp_err *err)
{
	struct rp_opt_sets *c = (struct rp_opt_sets *)cache;
	const struct rp_cache_spec *s = cache->spec;
	c->lanes = s->ways <= 8 ? 8 : s->ways <= 16 ? 16 : (s->ways + 7) / 8 * 8;
	c->power = (s->sets & (s->sets - 1)) == 0;
	c->magic = rp_sets_division(s->sets, &c->shift);
	c->line = rp_mem_array((size_t)s->sets * s->ways, sizeof *c->line, err);
	c->dirty = rp_mem_array(s->sets, sizeof *c->dirty, err);
	return c->line && c->dirty;
}

static void
sets_close(struct rp_cache *cache)
{
	struct rp_opt_sets *c = (struct rp_opt_sets *)cache;
	free(c->memory);
	free(c->line);
	free(c->dirty);
}

static size_t
stride(const struct rp_opt_sets *c)
{
	return c->lanes * (c->wide ? sizeof(uint64_t) : sizeof(uint32_t));
}

/* Zeroes are empty ways, and nothing is touched before it is used. */
static bool
sets_begin(struct rp_opt_sets *c, const struct rp_lookups *in, struct rp_err *err)
{
	c->wide = in->ahead->lookups >= NARROW_LOOKUPS;
	c->memory = rp_mem_array(c->cache.spec->sets + (size_t)ALIGN / 32, stride(c), err);
	if (!c->memory)
		return false;
	c->keys = (unsigned char *)c->memory + (-(uintptr_t)c->memory & (ALIGN - 1));
	c->begun = true;
	return true;
}

static bool
sets_run(struct rp_cache *cache, const struct rp_lookups *in, uint8_t *outcome, uint64_t *victim,
    struct rp_err *err)
{
	struct rp_opt_sets *c = (struct rp_opt_sets *)cache;
	(void)victim;
	if (!c->begun && !sets_begin(c, in, err))
		return false;
	unsigned size = c->lanes <= 8 ? 0 : c->lanes <= 16 ? 1 : 2;
	bool ahead = stride(c) * cache->spec->sets >= AHEAD_FROM;
	cache->kernels->opt_prepare(c, in);
	cache->kernels->opt_sets[c->wide][size][ahead](c, in, outcome);
	return true;
}

static bool
clean_way(struct rp_opt_sets *c, uint32_t s, unsigned way)
{
	uint64_t bit = UINT64_C(1) << way, was = c->dirty[s] & bit;
	c->dirty[s] &= ~bit;
	return was;
}

static bool
drop_way(struct rp_opt_sets *c, uint32_t s, unsigned way)
{
	ways_put(c->keys + s * stride(c), way, 0, c->wide);
	c->dirty[s] &= ~(UINT64_C(1) << way);
	return true;
}

typedef bool way_fn(struct rp_opt_sets *c, uint32_t s, unsigned way);

/* f for the ways of a set that hold a line first..last: how often it said true. */
static uint64_t
each_way(struct rp_opt_sets *c, uint32_t s, uint64_t first, uint64_t last, way_fn *f)
{
	uint64_t n = 0;
	const unsigned char *set = c->keys + s * stride(c);
	for (unsigned w = 0; w < c->cache.spec->ways; w++) {
		uint64_t line = c->line[(size_t)s * c->cache.spec->ways + w];
		n += ways_key(set, w, c->wide) && line >= first && line <= last && f(c, s, w);
	}
	return n;
}

static uint64_t
each_set(struct rp_opt_sets *c, uint64_t first, uint64_t last, way_fn *f)
{
	uint64_t n = 0, sets = c->cache.spec->sets;
	if (!c->begun)
		return 0;
	if (last - first < sets) {
		for (uint64_t i = 0; i <= last - first; i++)
			n += each_way(c, (uint32_t)((first + i) % sets), first + i, first + i, f);
		return n;
	}
	for (uint32_t s = 0; s < sets; s++)
		n += each_way(c, s, first, last, f);
	return n;
}

static uint64_t
sets_clean(struct rp_cache *c, uint64_t first, uint64_t last)
{
	return each_set((struct rp_opt_sets *)c, first, last, clean_way);
}

static uint64_t
sets_drop(struct rp_cache *c, uint64_t first, uint64_t last)
{
	return each_set((struct rp_opt_sets *)c, first, last, drop_way);
}

const struct rp_engine rp_engine_opt_sets = {
	.name = "opt_sets",
	.bytes = sizeof(struct rp_opt_sets),
	.fits = sets_fits,
	.open = sets_open,
	.close = sets_close,
	.run = sets_run,
	.clean = sets_clean,
	.drop = sets_drop,
};

/* ---- One set ---- */

static bool
full_fits(const struct rp_cache_spec *s)
{
	return s->sets == 1;
}

static bool
full_open(struct rp_cache *cache, struct rp_err *err)
{
	struct rp_opt_full *c = (struct rp_opt_full *)cache;
	(void)err;
	c->lines = cache->spec->ways;
	return true;
}

static void
full_close(struct rp_cache *cache)
{
	struct rp_opt_full *c = (struct rp_opt_full *)cache;
	rp_cache_free(c->plain);
	free(c->here);
	free(c->some);
	free(c->more);
	free(c->far);
	free(c->dead);
}

static uint64_t
half_length(const struct rp_opt_full *c)
{
	return UINT64_C(1) << c->bits;
}

/* The floor rises to the end of the half at hand, of which nothing is told any more. */
static void
raise_floor(struct rp_opt_full *c)
{
	uint64_t half = half_length(c), at = c->base & half;
	memset(c->more + (at >> c->fold), 0, (half >> c->fold) * sizeof *c->more);
	c->high[at != 0] = (at + half - 1) >> c->fold;
	c->floor = c->base + half;
}

static bool
full_begin(struct rp_opt_full *c, const struct rp_lookups *in, struct rp_err *err)
{
	uint64_t lines = in->ahead->lines < c->lines ? in->ahead->lines : c->lines;
	if (in->ahead->marks) {
		c->plain = rp_cache_new(c->cache.spec, RP_LEVEL_MODEL, false, err);
		return c->plain;
	}
	for (c->bits = HALF_LEAST; half_length(c) < lines * HALF_TIMES;)
		c->bits++;
	c->fold = c->bits < 18 ? c->bits : 18;
	c->base = in->number & ~(half_length(c) - 1);
	c->high[1] = half_length(c) >> c->fold;
	uint64_t window = 2 * half_length(c);
	c->here = rp_mem_aligned(ALIGN, window, 1, err);
	c->some = rp_mem_array(window >> 12, sizeof *c->some, err);
	c->more = rp_mem_array(window >> c->fold, sizeof *c->more, err);
	if (!c->here || !c->some || !c->more)
		return false;
	raise_floor(c);
	return true;
}

/* Room for `more` lines each in the heap and the ring. */
static bool
reserve(struct rp_opt_full *c, size_t more, struct rp_err *err)
{
	if (c->n_far + more > c->far_room) {
		size_t room = 2 * (c->n_far + more);
		uint64_t *far = rp_mem_grow(c->far, room, sizeof *far, err);
		if (!far)
			return false;
		c->far = far;
		c->far_room = room;
	}
	if (c->n_dead + more <= c->dead_room)
		return true;
	size_t room = 1;
	while (room < c->n_dead + more)
		room *= 2;
	uint8_t *dead = rp_mem_array(room, 1, err);
	if (!dead)
		return false;
	for (size_t i = 0; i < c->n_dead; i++)
		dead[i] = c->dead[(c->dead_at + i) & (c->dead_room - 1)];
	free(c->dead);
	c->dead = dead;
	c->dead_at = 0;
	c->dead_room = room;
	return true;
}

static void
sink(uint64_t *heap, size_t n, size_t at)
{
	uint64_t entry = heap[at];
	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		child += child + 1 < n && heap[child + 1] > heap[child];
		if (heap[child] <= entry)
			break;
		heap[at] = heap[child];
	}
	heap[at] = entry;
}

void
rp_opt_far_push(struct rp_opt_full *c, uint64_t entry)
{
	size_t at = c->n_far++;
	for (; at && c->far[(at - 1) / 2] < entry; at = (at - 1) / 2)
		c->far[at] = c->far[(at - 1) / 2];
	c->far[at] = entry;
}

uint64_t
rp_opt_far_pop(struct rp_opt_full *c)
{
	uint64_t top = c->far[0];
	c->far[0] = c->far[--c->n_far];
	if (c->n_far)
		sink(c->far, c->n_far, 0);
	return top;
}

/* The half at hand is over: it becomes the one after the next. */
static void
next_half(struct rp_opt_full *c)
{
	uint64_t half = half_length(c), at = c->base & half;
	size_t kept = 0;
	memset(c->here + at, 0, half);
	memset(c->some + (at >> 12), 0, (half >> 12) * sizeof *c->some);
	memset(c->more + (at >> c->fold), 0, (half >> c->fold) * sizeof *c->more);
	c->high[at != 0] = at >> c->fold;
	c->base += half;
	c->ahead = 0;
	raise_floor(c);
	for (size_t i = 0; i < c->n_far; i++) {
		uint64_t entry = c->far[i];
		if (((entry >> 1) - c->base) >> c->bits > 1)
			c->far[kept++] = entry;
		else
			opt_insert(c, entry >> 1, entry & 1);
	}
	c->n_far = kept;
	for (size_t i = kept / 2; i-- > 0;)
		sink(c->far, kept, i);
}

static bool
full_run(struct rp_cache *cache, const struct rp_lookups *in, uint8_t *outcome, uint64_t *victim,
    struct rp_err *err)
{
	struct rp_opt_full *c = (struct rp_opt_full *)cache;
	if (!c->here && !c->plain && !full_begin(c, in, err))
		return false;
	if (c->plain)
		return rp_cache_run(c->plain, in, outcome, victim, err);
	if (!reserve(c, in->n, err))
		return false;
	for (size_t at = 0; at < in->n;) {
		uint64_t number = in->number + at, end = c->base + half_length(c);
		if (number == end) {
			next_half(c);
			continue;
		}
		size_t to = in->n - at < end - number ? in->n : at + (size_t)(end - number);
		cache->kernels->opt_full(c, in, at, to, outcome);
		at = to;
	}
	c->now = in->number + in->n - 1;
	return true;
}

/* Without marks that clean lines this is asked at the end, of all lines. */
static uint64_t
full_clean(struct rp_cache *cache, uint64_t first, uint64_t last)
{
	struct rp_opt_full *c = (struct rp_opt_full *)cache;
	uint64_t n = 0, half = half_length(c), now = c->now - c->base;
	if (c->plain)
		return rp_cache_clean(c->plain, first, last);
	if (!c->here)
		return 0;
	for (uint64_t i = now + 1; i < 2 * half; i++) { /* what lies before is past */
		uint8_t *here = &c->here[opt_place(c, c->base + i)];
		n += *here / RP_OPT_DIRTY;
		*here &= RP_OPT_LIVE;
	}
	for (size_t i = 0; i < c->n_far; i++) {
		n += c->far[i] & 1;
		c->far[i] &= ~UINT64_C(1);
	}
	for (size_t i = 0; i < c->n_dead; i++) {
		uint8_t *dirty = &c->dead[(c->dead_at + i) & (c->dead_room - 1)];
		n += *dirty;
		*dirty = 0;
	}
	return n;
}

static uint64_t
full_drop(struct rp_cache *cache, uint64_t first, uint64_t last)
{
	struct rp_opt_full *c = (struct rp_opt_full *)cache;
	return c->plain ? rp_cache_drop(c->plain, first, last) : 0;
}

const struct rp_engine rp_engine_opt_full = {
	.name = "opt_full",
	.bytes = sizeof(struct rp_opt_full),
	.fits = full_fits,
	.open = full_open,
	.close = full_close,
	.run = full_run,
	.clean = full_clean,
	.drop = full_drop,
};
