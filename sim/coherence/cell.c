/* cell.c - a coherent cache as part of a hierarchy. */
#include "config.h"

#include "sim/coherence/cell.h"
#include "sim/coherence/engine.h"

#include "base/mem.h"

#include <stdlib.h>

struct rp_cell {
	struct rp_coherence *k;
	uint32_t number; /* of the cache in the system */
	/* Of the lookup at hand. */
	struct rp_requests *down;
	uint32_t row;
};

struct rp_cell *
rp_cell_new(struct rp_coherence *k, uint32_t number, struct rp_err *err)
{
	struct rp_cell *c = rp_mem_array(1, sizeof *c, err);
	if (!c)
		return NULL;
	c->k = k;
	c->number = (uint32_t)k->n;
	if (coh_add_cache(k, number, err))
		return c;
	free(c);
	return NULL;
}

void
rp_cell_free(struct rp_cell *c)
{
	free(c);
}

static bool
ask(void *to, uint64_t number, bool write, uint32_t cache, struct rp_err *err)
{
	struct rp_cell *c = to;
	uint32_t bytes = c->k->config.line;
	(void)cache;
	if (!c->down || !rp_requests_room(c->down, 1, err))
		return !c->down;
	rp_requests_put(c->down, write ? RP_ASK_BACK : RP_ASK_FETCH, number * bytes, bytes, c->row);
	return true;
}

/* What the cache evicted for the lookup, if it did, by its counters before and after. */
static uint8_t
left(const struct rp_coherence_counters *before, const struct rp_coherence_counters *after)
{
	if (after->evict_dirty != before->evict_dirty)
		return RP_EVICTED | RP_WROTE_BACK;
	return after->evict_clean != before->evict_clean ? RP_EVICTED : 0;
}

bool
rp_cell_run(struct rp_cell *c, const struct rp_lookups *in, uint8_t *outcome, uint64_t *victim,
    struct rp_requests *down, struct rp_err *err)
{
	struct rp_coherence *k = c->k;
	uint64_t mask[RP_COHERENCE_MASK_WORDS];
	struct coh_outcome out;
	k->hooks.to = c;
	k->hooks.memory = ask;
	c->down = down;
	for (size_t i = 0; i < in->n; i++) {
		struct coh_request q =
		    coh_request_of(k, in->in, in->row[i], in->line[i], c->number, mask);
		const struct rp_coherence_counters before = k->cache[c->number].count;
		q.store = in->dirty[i];
		c->row = in->row[i];
		if (!coh_access(k, &q, &out, err))
			return false;
		outcome[i] = (uint8_t)((out.how == COH_MISS ? RP_MISSED : 0) |
				       left(&before, &k->cache[c->number].count));
		if (victim)
			victim[i] = out.victim;
	}
	return true;
}

void
rp_cell_walk(struct rp_cell *c, uint64_t first, uint64_t last, rp_line_fn *f, void *to)
{
	const struct rp_coherence *k = c->k;
	const struct coh_cache *cache = &k->cache[c->number];
	size_t places = (size_t)k->geometry.sets * k->geometry.ways;
	for (size_t p = 0; p < places; p++)
		if (cache->way[p].state && cache->tag[p] >= first && cache->tag[p] <= last)
			f(to, cache->tag[p],
			    k->protocol->cache_state[cache->way[p].state].flags & COH_IS_DIRTY);
}
