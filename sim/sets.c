/* sets.c - sets of up to 64 ways: memory, choice of the loop, and single lines. */
#include "config.h"

#include "sim/sets.h"
#include "sim/index.h"
#include "sim/kernels.h"
#include "sim/ways.h"

#include "base/mem.h"

#include <stdlib.h>

enum {
	ALIGN = 64,
	/* Keys that do not fit into the second-level cache are prefetched. */
	AHEAD_FROM = 512 << 10,
	/* After a chunk of which less than half hit the first way, so many are run without looking there first. */
	MRU_REST = 31
};

bool
rp_sets_fits(const struct rp_cache_spec *s)
{
	/* With one set, and by hash, a key is the line + 1, which must not overflow. */
	return s->ways <= RP_SETS_WAYS &&
	       ((s->sets > 1 && s->index != RP_INDEX_HASH) || s->line > 1);
}

static size_t
stride(const struct rp_sets *c)
{
	return c->lanes * (c->wide ? sizeof(uint64_t) : sizeof(uint32_t));
}

/* Keys for all sets, empty: pages that are never used stay the system's. */
static unsigned char *
new_keys(const struct rp_sets *c, void **memory, struct rp_err *err)
{
	*memory = rp_mem_array(c->sets + (size_t)ALIGN / 32, stride(c), err);
	uintptr_t at = (uintptr_t)*memory;
	return *memory ? (unsigned char *)*memory + (-at & (ALIGN - 1)) : NULL;
}

/* See divide() in kernels.c: 2^64 * (2^(shift + 1) - sets) / sets + 1, for 2^shift < sets < 2^(shift + 1). */
uint64_t
rp_sets_division(uint32_t sets, unsigned *shift)
{
	*shift = 31 - (unsigned)__builtin_clz(sets);
	return (uint64_t)(((((unsigned __int128)2 << *shift) - sets) << 64) / sets) + 1;
}

bool
rp_sets_open(struct rp_cache *cache, enum rp_sets_order order, struct rp_err *err)
{
	struct rp_sets *c = (struct rp_sets *)cache;
	c->order = order;
	c->ways = cache->spec->ways;
	c->lanes = c->ways <= 8 ? 8 : c->ways <= 16 ? 16 : (c->ways + 7) / 8 * 8;
	c->sets = cache->spec->sets;
	c->rng = rp_rng_for(cache->spec->seed, "sim/policy", 0);
	c->power = (c->sets & (c->sets - 1)) == 0;
	c->magic = rp_sets_division(c->sets, &c->shift);
	c->keys = new_keys(c, &c->memory, err);
	c->dirty = rp_mem_array(c->sets, c->lanes <= 16 ? sizeof(uint16_t) : sizeof(uint64_t), err);
	return c->keys && c->dirty;
}

static bool
open_lru(struct rp_cache *c, struct rp_err *err)
{
	return rp_sets_open(c, RP_SETS_LRU, err);
}

static bool
open_fifo(struct rp_cache *c, struct rp_err *err)
{
	return rp_sets_open(c, RP_SETS_FIFO, err);
}

static bool
open_random(struct rp_cache *c, struct rp_err *err)
{
	return rp_sets_open(c, RP_SETS_PLACED, err);
}

void
rp_sets_close(struct rp_cache *cache)
{
	struct rp_sets *c = (struct rp_sets *)cache;
	free(c->memory);
	free(c->dirty);
}

static bool
widen(struct rp_sets *c, struct rp_err *err)
{
	uint32_t *from = (uint32_t *)c->keys;
	void *memory;
	c->wide = true;
	uint64_t *to = (uint64_t *)new_keys(c, &memory, err);
	if (!to) {
		c->wide = false;
		return false;
	}
	for (size_t i = 0, n = (size_t)c->sets * c->lanes; i < n; i++)
		if (from[i]) /* not to touch pages for nothing */
			to[i] = from[i];
	free(c->memory);
	c->memory = memory;
	c->keys = (unsigned char *)to;
	return true;
}

/* Set and key together give the line back. The hashes of GPUs only xor the low bits with a function of those above, so the
 * key is as without one; by hash it is the whole line. */
static uint64_t
key_of(const struct rp_sets *c, uint64_t line)
{
	return (c->cache.spec->index == RP_INDEX_HASH ? line : line / c->sets) + 1;
}

static uint64_t
line_of(const struct rp_sets *c, uint64_t key, uint32_t s)
{
	const struct rp_cache_spec *spec = c->cache.spec;
	if (spec->index == RP_INDEX_HASH)
		return key - 1;
	uint64_t first = (key - 1) * c->sets; /* with low bits of 0 */
	return first + (spec->index == RP_INDEX_MOD ? s : s ^ rp_index_of(spec, first));
}

void
rp_sets_victims(const struct rp_sets *c, size_t n, uint64_t *victim)
{
	const struct rp_cache_spec *spec = c->cache.spec;
	if (!victim || spec->index == RP_INDEX_MOD)
		return;
	for (size_t i = 0; i < n; i++) {
		uint64_t first = victim[i] - c->set[i];
		victim[i] = spec->index == RP_INDEX_HASH
		                ? first
		                : first + (c->set[i] ^ rp_index_of(spec, first));
	}
}

/* As sets_prepare(), for any index. */
static uint64_t
prepare_indexed(struct rp_sets *c, const struct rp_lookups *in)
{
	uint64_t all = 0;
	for (size_t i = 0; i < in->n; i++) {
		c->set[i] = rp_index_of(c->cache.spec, in->line[i]);
		c->key[i] = key_of(c, in->line[i]);
		all |= c->key[i];
	}
	return all;
}

bool
rp_sets_prepare(struct rp_sets *c, const struct rp_lookups *in, struct rp_err *err)
{
	uint64_t keys = c->cache.spec->index == RP_INDEX_MOD ? c->cache.kernels->sets_prepare(c, in)
	                                                     : prepare_indexed(c, in);
	return keys <= UINT32_MAX || c->wide || widen(c, err);
}

bool
rp_sets_ahead(const struct rp_sets *c)
{
	return stride(c) * c->sets >= AHEAD_FROM;
}

static bool
run(struct rp_cache *cache, const struct rp_lookups *in, uint8_t *outcome, uint64_t *victim,
    struct rp_err *err)
{
	struct rp_sets *c = (struct rp_sets *)cache;
	const struct rp_kernels *k = cache->kernels;
	if (!rp_sets_prepare(c, in, err))
		return false;
	unsigned size = c->lanes <= 8 ? 0 : c->lanes <= 16 ? 1 : 2;
	bool ahead = rp_sets_ahead(c), keep = victim != NULL,
	     no_write = cache->spec->allocate == RP_ALLOCATE_NO_WRITE;
	if (c->order == RP_SETS_FIFO) {
		(no_write ? k->fifo_no_write[keep][c->wide] : k->fifo[keep][c->wide][size][ahead])(
		    c, in, outcome, victim);
	} else if (c->order == RP_SETS_PLACED) {
		(no_write ? k->random_no_write[c->wide] : k->random[c->wide][size][ahead])(
		    c, in, outcome, victim);
	} else if (no_write) {
		k->lru_no_write[keep][c->wide](c, in, outcome, victim);
	} else if (c->mru_rest) {
		c->mru_rest--;
		k->lru[keep][c->wide][size][ahead](c, in, outcome, victim);
	} else if (k->lru_first[keep][c->wide][size][ahead](c, in, outcome, victim) < in->n / 3) {
		c->mru_rest = MRU_REST;
	}
	rp_sets_victims(c, in->n, victim);
	return true;
}

static uint64_t
get_dirty(const struct rp_sets *c, uint32_t s)
{
	return c->lanes <= 16 ? ((const uint16_t *)c->dirty)[s] : c->dirty[s];
}

static void
set_dirty(struct rp_sets *c, uint32_t s, uint64_t bits)
{
	if (c->lanes <= 16)
		((uint16_t *)c->dirty)[s] = (uint16_t)bits;
	else
		c->dirty[s] = bits;
}

static bool
clean_way(struct rp_sets *c, uint32_t s, unsigned way)
{
	uint64_t d = get_dirty(c, s), bit = UINT64_C(1) << way;
	set_dirty(c, s, d & ~bit);
	return d & bit;
}

/* The ways behind move up where they are in order. */
static bool
drop_way(struct rp_sets *c, uint32_t s, unsigned way)
{
	unsigned char *set = c->keys + s * stride(c);
	uint64_t d = get_dirty(c, s), below = (UINT64_C(1) << way) - 1;
	if (c->dropped)
		c->dropped(c, s, way);
	if (c->order == RP_SETS_PLACED) {
		ways_put(set, way, 0, c->wide);
		if (c->taken)
			c->taken[s]--;
		set_dirty(c, s, d & ~(UINT64_C(1) << way));
		return true;
	}
	for (unsigned i = way; i + 1 < c->ways; i++)
		ways_put(set, i, ways_key(set, i + 1, c->wide), c->wide);
	ways_put(set, c->ways - 1, 0, c->wide);
	set_dirty(c, s, (d & below) | (d >> 1 & ~below));
	return true;
}

typedef bool way_fn(struct rp_sets *c, uint32_t s, unsigned way);

/* f for the line, if it is there: what f said. */
static bool
one(struct rp_sets *c, uint64_t line, way_fn *f)
{
	uint32_t s = rp_index_of(c->cache.spec, line);
	uint64_t key = key_of(c, line);
	const unsigned char *set = c->keys + s * stride(c);
	for (unsigned w = 0; w < c->ways; w++)
		if (ways_key(set, w, c->wide) == key)
			return f(c, s, w);
	return false;
}

/* f for every line first..last that is there: how often it said true. From the last way on, as dropping one moves those
 * behind it. */
static uint64_t
each(struct rp_sets *c, uint64_t first, uint64_t last, way_fn *f)
{
	uint64_t n = 0;
	if (last - first < (uint64_t)c->sets * c->ways) {
		for (uint64_t i = 0; i <= last - first; i++)
			n += one(c, first + i, f);
		return n;
	}
	for (uint32_t s = 0; s < c->sets; s++)
		for (unsigned w = c->ways; w-- > 0;) {
			uint64_t key = ways_key(c->keys + s * stride(c), w, c->wide),
				 line = line_of(c, key, s);
			n += key && line >= first && line <= last && f(c, s, w);
		}
	return n;
}

static bool
soil_way(struct rp_sets *c, uint32_t s, unsigned way)
{
	set_dirty(c, s, get_dirty(c, s) | UINT64_C(1) << way);
	return true;
}

void
rp_sets_walk(struct rp_cache *cache, uint64_t first, uint64_t last, rp_line_fn *f, void *to)
{
	struct rp_sets *c = (struct rp_sets *)cache;
	bool few = last - first < c->sets && cache->spec->index == RP_INDEX_MOD;
	uint64_t sets = few ? last - first + 1 : c->sets;
	for (uint64_t i = 0; i < sets; i++) {
		uint32_t s = (uint32_t)(few ? (first + i) % c->sets : i);
		uint64_t dirty = get_dirty(c, s);
		for (unsigned w = 0; w < c->ways; w++) {
			uint64_t key = ways_key(c->keys + s * stride(c), w, c->wide),
				 line = line_of(c, key, s);
			if (key && line >= first && line <= last)
				f(to, line, dirty >> w & 1);
		}
	}
}

bool
rp_sets_soil(struct rp_cache *c, uint64_t line)
{
	return one((struct rp_sets *)c, line, soil_way);
}

uint64_t
rp_sets_clean(struct rp_cache *c, uint64_t first, uint64_t last)
{
	return each((struct rp_sets *)c, first, last, clean_way);
}

uint64_t
rp_sets_drop(struct rp_cache *c, uint64_t first, uint64_t last)
{
	return each((struct rp_sets *)c, first, last, drop_way);
}

#define SETS_ENGINE(policy)                                                                        \
	const struct rp_engine rp_engine_sets_##policy = {                                         \
		.name = "sets",                                                                    \
		.bytes = sizeof(struct rp_sets),                                                   \
		.fits = rp_sets_fits,                                                              \
		.indexed = true,                                                                   \
		.victims = true,                                                                   \
		.open = open_##policy,                                                             \
		.close = rp_sets_close,                                                            \
		.run = run,                                                                        \
		.clean = rp_sets_clean,                                                            \
		.drop = rp_sets_drop,                                                              \
		.walk = rp_sets_walk,                                                              \
		.soil = rp_sets_soil,                                                              \
	}
SETS_ENGINE(lru);
SETS_ENGINE(fifo);
SETS_ENGINE(random);
