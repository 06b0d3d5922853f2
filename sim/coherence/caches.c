/* caches.c - private caches: memory, and what asks the policy. */
#include "config.h"

#include "sim/coherence/caches.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

bool
coh_reference_open(struct coh_reference *r, uint32_t lines, bool hinted, struct rp_err *err)
{
	if (!(r->node = rp_mem_array(lines, sizeof *r->node, err)))
		return false;
	for (uint32_t i = 0; i < lines; i++)
		r->node[i] = (struct coh_node){ COH_FREE, (i ? i : lines) - 1, (i + 1) % lines };
	return hinted || coh_chain_open(&r->chain, lines, err);
}

bool
coh_reference_unhint(struct coh_reference *r, uint32_t lines, struct rp_err *err)
{
	if (!coh_chain_open(&r->chain, lines, err))
		return false;
	for (uint32_t i = 0; i < lines; i++)
		if (r->node[i].line != COH_FREE)
			coh_chain_add(&r->chain, r->node[i].line, i);
	return true;
}

void
coh_reference_close(struct coh_reference *r)
{
	free(r->node);
	coh_chain_close(&r->chain);
}

static struct rp_at
at_place(const struct coh_geometry *g, struct coh_cache *c, uint32_t set, uint64_t line,
    const struct coh_request *q)
{
	struct rp_at at = { .set = c->set_state + set * g->set_bytes,
		.all = c->all_state,
		.arg = g->arg,
		.sets = g->sets,
		.ways = g->ways,
		.index = set,
		.line = line,
		.rng = &c->rng,
		.draw = rp_rng_below };
	if (q) {
		at.stream = q->stream;
		at.pc = q->pc;
		at.kind = q->kind;
	}
	return at;
}

bool
coh_cache_open(struct coh_cache *c, const struct coh_geometry *g, uint32_t stream, bool hinted,
    bool versions, struct rp_err *err)
{
	size_t places = (size_t)g->sets * g->ways;
	const struct rp_policy *p = g->policy;
	c->stream = stream;
	c->rng = rp_rng_for(g->seed, "sim/coherence", stream);
	c->tag = rp_mem_aligned(CACHE_LINE, places, sizeof *c->tag, err);
	c->way = rp_mem_aligned(CACHE_LINE, places, sizeof *c->way, err);
	c->news = rp_mem_array(places, g->mask_words * sizeof *c->news, err);
	c->stored = rp_mem_array(places, g->mask_words * sizeof *c->stored, err);
	c->valid = rp_mem_array(g->sets, sizeof *c->valid, err);
	c->set_state = rp_mem_array(g->sets, g->set_bytes, err);
	c->all_state =
	    rp_mem_array(1, p->all_bytes ? p->all_bytes(g->sets, g->ways, g->arg) : 0, err);
	if (versions)
		c->version = rp_mem_array(places, sizeof *c->version, err);
	if (!c->tag || !c->way || !c->news || !c->stored || !c->valid || !c->set_state ||
	    !c->all_state || (versions && !c->version) ||
	    (g->hashed && !coh_chain_open(&c->index, places, err)) ||
	    !coh_reference_open(&c->reference, (uint32_t)places, hinted, err))
		return false;
	if (g->how == COH_LRU_WORD) {
		for (uint32_t i = 0; i < g->sets; i++)
			*coh_order(c, i) = COH_ORDER_FIRST;
		return true;
	}
	for (uint32_t i = 0; p->init && i < g->sets; i++) {
		struct rp_at at = at_place(g, c, i, 0, NULL);
		p->init(&at);
	}
	return true;
}

void
coh_cache_close(struct coh_cache *c)
{
	free(c->tag);
	free(c->way);
	free(c->news);
	free(c->stored);
	free(c->version);
	free(c->valid);
	free(c->set_state);
	free(c->all_state);
	coh_chain_close(&c->index);
	coh_reference_close(&c->reference);
}

void
coh_touch_any(const struct coh_geometry *g, struct coh_cache *c, uint32_t set, uint32_t way,
    const struct coh_request *q)
{
	struct rp_at at = at_place(g, c, set, q->line, q);
	if (g->policy->hit)
		g->policy->hit(&at, way);
}

size_t
coh_free_way(const struct coh_geometry *g, const struct coh_cache *c, uint32_t set)
{
	size_t place = (size_t)set * g->ways;
	if (c->valid[set] == g->ways)
		return SIZE_MAX;
	if (g->how == COH_LRU_WORD)
		return coh_last_place(g, c, set);
	while (c->way[place].state)
		place++;
	return place;
}

static bool
is_pinned(const uint64_t *pinned, uint32_t way)
{
	return pinned && pinned[way / 64] >> way % 64 & 1;
}

/* The way that a word, or a list, puts last of those that may leave. */
static uint32_t
last_in_word(uint64_t order, uint32_t ways, const uint64_t *pinned, uint64_t *skips)
{
	uint32_t at = ways - 1;
	for (; is_pinned(pinned, coh_order_at(order, at)); at--)
		++*skips;
	return coh_order_at(order, at);
}

static uint32_t
last_in_list(const struct rp_links *l, const uint64_t *pinned, uint64_t *skips)
{
	uint32_t w = l->last - 1;
	for (; is_pinned(pinned, w); w = l->way[w].before - 1)
		++*skips;
	return w;
}

/* Two ways of a set change places; each has the other's standing in the policy then. */
static void
swap_ways(const struct coh_geometry *g, struct coh_cache *c, size_t a, size_t b)
{
	size_t bytes = g->mask_words * sizeof *c->news;
	uint64_t mask[RP_COHERENCE_MASK_WORDS];
	struct coh_way way = c->way[a];
	uint64_t tag = c->tag[a];
	if (g->hashed) {
		coh_chain_remove(&c->index, c->tag[a], (uint32_t)a);
		coh_chain_remove(&c->index, c->tag[b], (uint32_t)b);
	}
	c->way[a] = c->way[b];
	c->way[b] = way;
	c->tag[a] = c->tag[b];
	c->tag[b] = tag;
	uint64_t *const both[] = { c->news, c->stored };
	for (size_t i = 0; i < 2; i++) {
		memcpy(mask, both[i] + a * g->mask_words, bytes);
		memcpy(both[i] + a * g->mask_words, both[i] + b * g->mask_words, bytes);
		memcpy(both[i] + b * g->mask_words, mask, bytes);
	}
	if (c->version) {
		uint64_t version = c->version[a];
		c->version[a] = c->version[b];
		c->version[b] = version;
	}
	if (g->hashed) {
		coh_chain_add(&c->index, c->tag[a], (uint32_t)a);
		coh_chain_add(&c->index, c->tag[b], (uint32_t)b);
	}
}

size_t
coh_victim(const struct coh_geometry *g, struct coh_cache *c, uint32_t set,
    const struct coh_request *q, const uint64_t *pinned, uint64_t *skips)
{
	size_t base = (size_t)set * g->ways;
	if (g->how == COH_LRU_WORD)
		return base + last_in_word(*coh_order(c, set), g->ways, pinned, skips);
	if (g->how != COH_ANY_POLICY)
		return base + last_in_list(coh_links(g, c, set), pinned, skips);
	struct rp_at at = at_place(g, c, set, q->line, q);
	at.pinned = pinned;
	uint32_t w = g->policy->victim(&at), other = w = w < g->ways ? w : 0;
	if (!is_pinned(pinned, w))
		return base + w;
	/* As struct rp_at has it: the line that waits takes the place of the one that leaves. */
	while (is_pinned(pinned, other)) {
		++*skips;
		other = (other + 1) % g->ways;
	}
	swap_ways(g, c, base + w, base + other);
	return base + w;
}

void
coh_fill(const struct coh_geometry *g, struct coh_cache *c, uint32_t set, size_t place,
    uint32_t record, uint8_t state, const struct coh_request *q)
{
	uint32_t way = (uint32_t)(place - (size_t)set * g->ways);
	struct coh_way *w = &c->way[place];
	w->line = record;
	w->hits = 0;
	w->state = state;
	w->open = w->read = false;
	c->tag[place] = q->line;
	c->valid[set]++;
	if (g->hashed)
		coh_chain_add(&c->index, q->line, (uint32_t)place);
	if (g->how == COH_LRU_WORD) {
		uint64_t *order = coh_order(c, set);
		*order = coh_order_first(*order, way);
	} else if (g->how != COH_ANY_POLICY) {
		rp_links_first(coh_links(g, c, set), way);
	} else if (g->policy->fill) {
		struct rp_at at = at_place(g, c, set, q->line, q);
		g->policy->fill(&at, way);
	}
}

void
coh_empty(const struct coh_geometry *g, struct coh_cache *c, uint32_t set, size_t place,
    bool from_outside)
{
	uint32_t way = (uint32_t)(place - (size_t)set * g->ways);
	c->way[place].state = COH_ABSENT;
	c->valid[set]--;
	if (g->hashed)
		coh_chain_remove(&c->index, c->tag[place], (uint32_t)place);
	if (from_outside)
		coh_forget_way(g, c, set, way);
}

void
coh_forget_way(const struct coh_geometry *g, struct coh_cache *c, uint32_t set, uint32_t way)
{
	if (g->how == COH_LRU_WORD) {
		uint64_t *order = coh_order(c, set);
		*order = coh_order_last(*order, way, g->ways);
	} else if (g->how != COH_ANY_POLICY) {
		rp_links_out(coh_links(g, c, set), way);
	} else if (g->policy->drop) {
		struct rp_at at = at_place(g, c, set, c->tag[(size_t)set * g->ways + way], NULL);
		g->policy->drop(&at, way);
	}
}
