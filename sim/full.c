/* full.c - fully associative caches: memory, the log, and single lines. */
#include "config.h"

#include "sim/full.h"
#include "sim/kernels.h"

#include "base/mem.h"

#include <stdlib.h>

enum {
	ALIGN = 64,
	LINES_MOST = 1 << 28, /* places have 32 bits, nodes among them */
	/* Buckets hold 1 to 2 lines on average; where that is more than the second-level cache, 2 to 4: memory costs more
	 * than a chain now and then. From the same size on they are prefetched. */
	BUCKETS_SPARSE = 4096,
	AHEAD_FROM = 1024, /* buckets: more than a first-level cache */
	/* The log is as long as so many times the lines that are there, and one chunk, before it is compacted: less where
	 * that is more than the second-level cache. */
	LOG_TIMES = 8,
	LOG_TIMES_LARGE = 4,
	LOG_LARGE = 8192, /* lines */
	/* Steps pay where more than one lookup in so many misses, unless one in so many is of a line that comes back in the
	 * step in which it left. */
	MISSES_FEW = 3,
	RETURNS_MANY = 32
};

static bool
fits(const struct rp_cache_spec *s)
{
	return s->sets == 1 && s->ways <= LINES_MOST;
}

static size_t
buckets(const struct rp_full *c)
{
	return (size_t)1 << c->bits;
}

static size_t
log_times(const struct rp_full *c)
{
	return c->lines > LOG_LARGE ? LOG_TIMES_LARGE : LOG_TIMES;
}

static size_t
log_most(const struct rp_full *c)
{
	/* Up to 31 behind an entry are read with it. */
	return log_times(c) * c->lines + 2 * RP_CHUNK + RP_FULL_LOG_FIRST + 32;
}

/* Zeroes all, and nothing is touched before it is used. */
bool
rp_full_open(struct rp_full *c, uint32_t known, uint32_t passing, struct rp_err *err)
{
	c->lines = c->cache.spec->ways;
	/* A table that fits the first-level cache had better stay there. */
	uint32_t most = known < RP_CHUNK ? known : known + passing;
	for (c->bits = 4; buckets(c) < (most + 1) / 2 && buckets(c) < BUCKETS_SPARSE;)
		c->bits++;
	while (buckets(c) < (known + 3) / 4)
		c->bits++;
	c->memory = rp_mem_array(buckets(c) + 1, sizeof *c->bucket, err);
	c->node = rp_mem_array((size_t)known + passing + 1, sizeof *c->node, err);
	if (!c->memory || !c->node)
		return false;
	c->bucket = (struct rp_bucket *)((char *)c->memory + (-(uintptr_t)c->memory & (ALIGN - 1)));
	return true;
}

/* The log is the only one who knows the place. */
static void
drop_entry(struct rp_full *c, uint32_t place)
{
	c->log[*full_at(c, place) >> 1] = RP_FULL_NONE;
}

static void
drop_random(struct rp_full *c, uint32_t place)
{
	uint32_t at = *full_at(c, place) >> 1;
	c->log[at] = 0;
	if (at < c->oldest)
		c->oldest = at;
}

static bool
open_full(struct rp_cache *cache, enum rp_full_order order, struct rp_err *err)
{
	struct rp_full *c = (struct rp_full *)cache;
	if (!rp_full_open(c, cache->spec->ways, order == RP_FULL_LRU ? RP_FULL_STEP : 0, err))
		return false;
	c->order = order;
	c->dropped = order == RP_FULL_RANDOM ? drop_random : drop_entry;
	c->rng = rp_rng_for(cache->spec->seed, "sim/policy", 0);
	c->log = rp_mem_array(log_most(c), sizeof *c->log, err);
	c->pos = c->oldest = order == RP_FULL_RANDOM ? 0 : RP_FULL_LOG_FIRST;
	return c->log;
}

static bool
open_lru(struct rp_cache *c, struct rp_err *err)
{
	return open_full(c, RP_FULL_LRU, err);
}

static bool
open_fifo(struct rp_cache *c, struct rp_err *err)
{
	return open_full(c, RP_FULL_FIFO, err);
}

static bool
open_random(struct rp_cache *c, struct rp_err *err)
{
	return open_full(c, RP_FULL_RANDOM, err);
}

void
rp_full_close(struct rp_full *c)
{
	free(c->memory);
	free(c->node);
	free(c->line);
}

static void
close_full(struct rp_cache *cache)
{
	struct rp_full *c = (struct rp_full *)cache;
	free(c->log);
	rp_full_close(c);
}

/* Whether there is a line at a place in a bucket. */
static bool
is_used(const struct rp_full *c, uint32_t place)
{
	return c->bucket[place >> 3].key[place & 7] != 0;
}

/* From now on whole lines are kept by place. */
static bool
widen(struct rp_full *c, struct rp_err *err)
{
	uint64_t *line = rp_mem_array(buckets(c) * 8, sizeof *line, err);
	if (!line)
		return false;
	for (uint32_t b = 0; b < buckets(c); b++)
		for (uint32_t place = b << 3; place < (b << 3 | RP_BUCKET_WAYS); place++)
			if (is_used(c, place))
				line[place] = full_line(c, place);
	c->line = line;
	c->wide = true;
	return true;
}

bool
rp_full_prepare(struct rp_full *c, const struct rp_lookups *in, struct rp_err *err)
{
	return c->cache.kernels->full_prepare(c, in) <= UINT32_MAX || c->wide || widen(c, err);
}

bool
rp_full_ahead(const struct rp_full *c)
{
	return buckets(c) >= AHEAD_FROM;
}

/* Whether the next n lookups are better taken in steps, if they are as the last ones. */
static bool
pay_steps(const struct rp_full *c, size_t n)
{
	return c->missed * MISSES_FEW > n && c->returned * RETURNS_MANY < n &&
	       c->cache.spec->allocate != RP_ALLOCATE_NO_WRITE;
}

static bool
run(struct rp_cache *cache, const struct rp_lookups *in, uint8_t *outcome, uint64_t *victim,
    struct rp_err *err)
{
	struct rp_full *c = (struct rp_full *)cache;
	if (!rp_full_prepare(c, in, err))
		return false;
	if (c->order != RP_FULL_RANDOM && c->pos + in->n > log_times(c) * c->count + 2 * RP_CHUNK)
		cache->kernels->full_compact(c);
	bool steps = c->order == RP_FULL_LRU && c->count == c->lines && pay_steps(c, in->n);
	(steps ? cache->kernels->full_steps
	       : cache->kernels->full[c->order])[c->wide][rp_full_ahead(c)](c, in, outcome, victim);
	return true;
}

/* Whether what is at a place that is in use is not there any more. */
static bool
is_ghost(const struct rp_full *c, uint32_t place)
{
	return c->ghosts && (*full_at(c, place) & RP_FULL_GHOST);
}

/* Place of a line, or none. */
static uint32_t
find(const struct rp_full *c, uint64_t line)
{
	uint32_t key = full_key(full_tag(c, line)), b = full_home(line, key, c->bits);
	for (uint32_t place = b << 3; place < (b << 3 | RP_BUCKET_WAYS); place++)
		if (is_used(c, place) && full_line(c, place) == line)
			return place;
	for (uint32_t n = c->bucket[b].chain; n; n = c->node[n].next)
		if (c->node[n].line == line)
			return n << 3 | RP_BUCKET_WAYS;
	return RP_FULL_NONE;
}

static bool
is_dirty(const struct rp_full *c, uint32_t place)
{
	return *full_at(c, place) & RP_FULL_DIRTY;
}

static bool
clean_place(struct rp_full *c, uint32_t place)
{
	bool was = is_dirty(c, place);
	*full_at(c, place) &= ~(uint32_t)RP_FULL_DIRTY;
	return was;
}

static bool
soil_place(struct rp_full *c, uint32_t place)
{
	*full_at(c, place) |= RP_FULL_DIRTY;
	return true;
}

static bool
drop_place(struct rp_full *c, uint32_t place)
{
	c->dropped(c, place);
	full_remove(c, place);
	c->count--;
	return true;
}

typedef bool place_fn(struct rp_full *c, uint32_t place);

/* f for one place if its line is first..last. */
static bool
within(struct rp_full *c, uint32_t place, uint64_t first, uint64_t last, place_fn *f)
{
	uint64_t line = full_line(c, place);
	return line >= first && line <= last && !is_ghost(c, place) && f(c, place);
}

static uint64_t
each_in_bucket(struct rp_full *c, uint32_t b, uint64_t first, uint64_t last, place_fn *f)
{
	uint64_t n = 0;
	for (uint32_t place = b << 3; place < (b << 3 | RP_BUCKET_WAYS); place++)
		n += is_used(c, place) && within(c, place, first, last, f);
	for (uint32_t node = c->bucket[b].chain, next; node; node = next) {
		next = c->node[node].next;
		n += within(c, node << 3 | RP_BUCKET_WAYS, first, last, f);
	}
	return n;
}

/* f for each of the lines that is there: how often it said true. */
static uint64_t
each(struct rp_full *c, uint64_t first, uint64_t last, place_fn *f)
{
	uint64_t n = 0;
	if (last - first < c->lines) {
		for (uint64_t i = 0; i <= last - first; i++) {
			uint32_t place = find(c, first + i);
			n += place != RP_FULL_NONE && !is_ghost(c, place) && f(c, place);
		}
		return n;
	}
	for (uint32_t b = 0; b < buckets(c); b++)
		n += each_in_bucket(c, b, first, last, f);
	return n;
}

uint64_t
rp_full_clean(struct rp_cache *c, uint64_t first, uint64_t last)
{
	return each((struct rp_full *)c, first, last, clean_place);
}

uint64_t
rp_full_drop(struct rp_cache *c, uint64_t first, uint64_t last)
{
	return each((struct rp_full *)c, first, last, drop_place);
}

bool
rp_full_soil(struct rp_cache *c, uint64_t line)
{
	return each((struct rp_full *)c, line, line, soil_place);
}

/* f for the line at a place, if it is one of those asked for. */
static void
tell(
    const struct rp_full *c, uint32_t place, uint64_t first, uint64_t last, rp_line_fn *f, void *to)
{
	uint64_t line = full_line(c, place);
	if (line >= first && line <= last && !is_ghost(c, place))
		f(to, line, is_dirty(c, place));
}

void
rp_full_walk(struct rp_cache *cache, uint64_t first, uint64_t last, rp_line_fn *f, void *to)
{
	struct rp_full *c = (struct rp_full *)cache;
	if (last - first < c->lines) {
		for (uint64_t i = 0; i <= last - first; i++) {
			uint32_t place = find(c, first + i);
			if (place != RP_FULL_NONE)
				tell(c, place, first, last, f, to);
		}
		return;
	}
	for (uint32_t b = 0; b < buckets(c); b++) {
		for (uint32_t place = b << 3; place < (b << 3 | RP_BUCKET_WAYS); place++)
			if (is_used(c, place))
				tell(c, place, first, last, f, to);
		for (uint32_t n = c->bucket[b].chain; n; n = c->node[n].next)
			tell(c, n << 3 | RP_BUCKET_WAYS, first, last, f, to);
	}
}

#define FULL_ENGINE(policy)                                                                        \
	const struct rp_engine rp_engine_full_##policy = {                                         \
		.name = "full",                                                                    \
		.bytes = sizeof(struct rp_full),                                                   \
		.fits = fits,                                                                      \
		.victims = true,                                                                   \
		.open = open_##policy,                                                             \
		.close = close_full,                                                               \
		.run = run,                                                                        \
		.clean = rp_full_clean,                                                            \
		.drop = rp_full_drop,                                                              \
		.walk = rp_full_walk,                                                              \
		.soil = rp_full_soil,                                                              \
	}
FULL_ENGINE(lru);
FULL_ENGINE(fifo);
FULL_ENGINE(random);
