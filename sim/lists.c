/* lists.c - small sets of lfu, sieve, s3fifo and arc: memory, and what happens when a line is dropped. */
#include "config.h"

#include "sim/lists.h"
#include "sim/kernels.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

static bool
fits(const struct rp_cache_spec *s)
{
	return rp_sets_fits(s) && s->ways <= RP_LISTS_WAYS;
}

/* ---- A line that is dropped: the hooks of sim/sets.h, which are called before it is gone ---- */

/* A queue of n things of four bits without x; *n is one less. x is there. */
static uint64_t
without(uint64_t queue, unsigned x, uint8_t *n)
{
	unsigned at = 0;
	while ((queue >> 4 * at & 15) != x)
		at++;
	uint64_t below = (UINT64_C(1) << 4 * at) - 1;
	--*n;
	return (queue & below) | (queue >> 4 & ~below);
}

/* It has no uses any more, and goes behind all ways that have some. */
static void
drop_lfu(struct rp_sets *sets, uint32_t s, unsigned way)
{
	struct rp_lists *c = (struct rp_lists *)sets;
	int32_t *uses = ((struct rp_lfu_set *)c->state)[s].uses;
	uint8_t n = RP_LISTS_WAYS;
	unsigned used = 0;
	uses[way] = 0;
	for (unsigned w = 0; w < sets->ways; w++)
		used += uses[w] > 0;
	uint64_t rest = without(c->order[s], way, &n), below = (UINT64_C(1) << 4 * used) - 1;
	c->order[s] = (rest & below) | (uint64_t)way << 4 * used | (rest & ~below) << 4;
}

static void
drop_sieve(struct rp_sets *sets, uint32_t s, unsigned place)
{
	struct rp_sieve_set *v = &((struct rp_sieve_set *)((struct rp_lists *)sets)->state)[s];
	uint64_t below = (UINT64_C(1) << place) - 1;
	v->used = (v->used & below) | (v->used >> 1 & ~below);
	v->hand -= v->hand > place; /* the hand goes to the one before, if it was there */
}

static void
drop_s3fifo(struct rp_sets *sets, uint32_t s, unsigned way)
{
	struct rp_s3fifo_set *q = &((struct rp_s3fifo_set *)((struct rp_lists *)sets)->state)[s];
	for (unsigned i = 0; i < q->n_small; i++)
		if ((q->small >> 4 * i & 15) == way) {
			q->small = without(q->small, way, &q->n_small);
			return;
		}
	q->main = without(q->main, way, &q->n_main);
}

static void
drop_arc(struct rp_sets *sets, uint32_t s, unsigned way)
{
	struct rp_arc_set *a = &((struct rp_arc_set *)((struct rp_lists *)sets)->state)[s];
	unsigned list = a->in_t2 >> way & 1 ? RP_ARC_T2 : RP_ARC_T1;
	a->list[list] = without(a->list[list], way, &a->n[list]);
}

/* ---- The engines ---- */

static bool
open_lists(struct rp_cache *cache, enum rp_lists_loop loop, size_t state,
    void (*dropped)(struct rp_sets *c, uint32_t s, unsigned way), struct rp_err *err)
{
	struct rp_lists *c = (struct rp_lists *)cache;
	const struct rp_cache_spec *s = cache->spec;
	if (!rp_sets_open(cache, loop == RP_LISTS_SIEVE ? RP_SETS_FIFO : RP_SETS_PLACED, err))
		return false;
	c->loop = loop;
	c->sets.dropped = dropped;
	c->ahead = rp_sets_ahead(&c->sets);
	c->state = rp_mem_aligned(ALIGN, s->sets, state, err);
	c->order = rp_mem_array(loop == RP_LISTS_LFU ? s->sets : 0, sizeof *c->order, err);
	return c->state && c->order;
}

static bool
open_lfu(struct rp_cache *c, struct rp_err *err)
{
	return open_lists(c, RP_LISTS_LFU, sizeof(struct rp_lfu_set), drop_lfu, err);
}

static bool
open_sieve(struct rp_cache *c, struct rp_err *err)
{
	return open_lists(c, RP_LISTS_SIEVE, sizeof(struct rp_sieve_set), drop_sieve, err);
}

static bool
open_s3fifo(struct rp_cache *cache, struct rp_err *err)
{
	struct rp_lists *c = (struct rp_lists *)cache;
	uint64_t small = cache->spec->arg[0], ways = cache->spec->ways;
	c->small_least = (uint32_t)((small * ways + 99) / 100);
	c->ghosts = (uint32_t)((100 - small) * ways / 100);
	c->hits = (uint32_t)cache->spec->arg[1];
	return open_lists(cache, RP_LISTS_S3FIFO, sizeof(struct rp_s3fifo_set), drop_s3fifo, err);
}

static bool
open_arc(struct rp_cache *c, struct rp_err *err)
{
	return open_lists(c, RP_LISTS_ARC, sizeof(struct rp_arc_set), drop_arc, err);
}

static void
close_lists(struct rp_cache *cache)
{
	struct rp_lists *c = (struct rp_lists *)cache;
	free(c->state);
	free(c->order);
	rp_sets_close(cache);
}

static bool
run(struct rp_cache *cache, const struct rp_lookups *in, uint8_t *outcome, uint64_t *victim,
    struct rp_err *err)
{
	struct rp_lists *c = (struct rp_lists *)cache;
	if (!rp_sets_prepare(&c->sets, in, err))
		return false;
	unsigned size = c->sets.lanes <= 8 ? 0 : c->sets.lanes <= 16 ? 1 : 2;
	cache->kernels->lists->run[c->loop][c->sets.wide][size](c, in, outcome, victim);
	return true;
}

#define LISTS_ENGINE(policy, which)                                                                \
	const struct rp_engine rp_engine_lists_##policy = {                                        \
		.name = "lists",                                                                   \
		.bytes = sizeof(struct rp_lists),                                                  \
		.fits = which,                                                                     \
		.victims = true,                                                                   \
		.open = open_##policy,                                                             \
		.close = close_lists,                                                              \
		.run = run,                                                                        \
		.clean = rp_sets_clean,                                                            \
		.drop = rp_sets_drop,                                                              \
		.walk = rp_sets_walk,                                                              \
		.soil = rp_sets_soil,                                                              \
	}
LISTS_ENGINE(lfu, fits);
LISTS_ENGINE(sieve, rp_sets_fits);
LISTS_ENGINE(s3fifo, fits);
LISTS_ENGINE(arc, fits);
