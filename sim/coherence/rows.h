/* rows.h - functional mode: rows of a batch, each one atomic transaction for each of its lines. A part of the engine
 * (sim/coherence/shape.h).
 *
 * What an access needs of a line that is not cached lies anywhere in memory. So some accesses ahead the slot of its line's
 * number is asked for, its record when the slot has come, and then what the record names. */
#ifndef RP_SIM_COHERENCE_ROWS_H
#define RP_SIM_COHERENCE_ROWS_H

#include "sim/coherence/access.h"

enum { SLOT_AHEAD = 28, RECORD_AHEAD = 18, REST_AHEAD = 8, MASK_AHEAD = 3, RING = 32 };

/* A row on its way: what is known of its line. */
struct ahead {
	uint64_t number, hash;
	uint32_t record; /* probably; COH_NONE: not known */
};

/* What only prefetches is always inlined: gcc takes such a function for one without effect and leaves out calls of it. */
#define COH_ASK static inline __attribute__((always_inline)) void

/* The parts of a record that an access looks at. */
COH_ASK
ask_for_record(const struct coh_line *x)
{
	__builtin_prefetch(x);
	if (COH_SHAPE != 8) /* it is longer */
		__builtin_prefetch((const char *)x + 64);
}

/* Asks for what a cache knows of the set of a line. That of few caches is near anyway. */
COH_ASK
ask_for_set(const struct rp_coherence *k, const struct ahead *a, uint32_t cache)
{
	if (COH_SHAPE == 8 || cache == COH_NONE || !IS_WORD(k))
		return;
	const struct coh_cache *c = &k->cache[cache];
	uint32_t set = coh_set_of(&k->geometry, a->number);
	const struct coh_way *w = &c->way[(size_t)set * k->geometry.ways];
	__builtin_prefetch(coh_order(c, set));
	__builtin_prefetch(w);
	__builtin_prefetch(w + 4);
	__builtin_prefetch(&c->reference.node[c->reference.first]);
}

/* Asks for what a miss needs of the reference cache: the node that is next, and the chains of the line and of the node's. */
COH_ASK
ask_for_reference(const struct rp_coherence *k, const struct ahead *a, const struct coh_cache *c)
{
	const struct coh_reference *r = &c->reference;
	const struct coh_node *next = &r->node[r->node[r->first].before];
	if (COH_SHAPE == 8 || !r->chain.first)
		return;
	(void)k;
	__builtin_prefetch(coh_chain_of(&r->chain, a->record));
	__builtin_prefetch(coh_chain_of(&r->chain, next->line));
}

/* Asks for what the access of a row, whose record and set have come, will need besides: its masks, the record of the
 * victim. */
COH_ASK
ask_for_rest(const struct rp_coherence *k, const struct ahead *a, uint32_t cache)
{
	const struct coh_geometry *g = &k->geometry;
	if (a->record != COH_NONE && coh_line(&k->lines, a->record)->room)
		__builtin_prefetch(
		    coh_pool_at(&k->lines.masks, coh_line(&k->lines, a->record)->unseen));
	if (cache == COH_NONE || !IS_WORD(k))
		return;
	const struct coh_cache *c = &k->cache[cache];
	const struct coh_way *w = &c->way[coh_last_place(g, c, coh_set_of(g, a->number))];
	if (w->state)
		ask_for_record(coh_line(&k->lines, w->line));
	ask_for_reference(k, a, c);
}

/* Asks for the masks of the line that a row, whose record has come, will replace: it may be news to others. */
COH_ASK
ask_for_victim(const struct rp_coherence *k, const struct ahead *a, uint32_t cache)
{
	if (cache == COH_NONE || !IS_WORD(k))
		return;
	const struct coh_geometry *g = &k->geometry;
	const struct coh_cache *c = &k->cache[cache];
	const struct coh_way *w = &c->way[coh_last_place(g, c, coh_set_of(g, a->number))];
	if (!can_write(k, w->state))
		return;
	const struct coh_line *x = coh_line(&k->lines, w->line);
	if (x->room)
		__builtin_prefetch(coh_pool_at(&k->lines.masks, x->unseen));
}

/* Row i has come near. */
static inline void
look_ahead(const struct rp_coherence *k, const struct rp_batch *b, size_t i, struct ahead *ring,
    const uint32_t *cache)
{
	const struct coh_lines *l = &k->lines;
	if (i + SLOT_AHEAD < b->n) {
		struct ahead *a = &ring[(i + SLOT_AHEAD) % RING];
		a->number = coh_line_number(k, b->addr[i + SLOT_AHEAD]);
		a->hash = coh_lines_hash(a->number);
		__builtin_prefetch(&l->slot[coh_lines_slot(l, a->hash)]);
		ask_for_set(k, a, cache[i + SLOT_AHEAD]);
	}
	if (i + RECORD_AHEAD < b->n) {
		struct ahead *a = &ring[(i + RECORD_AHEAD) % RING];
		a->record = coh_lines_probable(l, a->hash);
		if (a->record != COH_NONE)
			ask_for_record(coh_line(l, a->record));
	}
	if (i + REST_AHEAD < b->n)
		ask_for_rest(k, &ring[(i + REST_AHEAD) % RING], cache[i + REST_AHEAD]);
	if (i + MASK_AHEAD < b->n)
		ask_for_victim(k, &ring[(i + MASK_AHEAD) % RING], cache[i + MASK_AHEAD]);
}

/* Whether a row is the plain case: in one line, its bytes from the first to the last, used. */
static inline bool
is_plain(const struct rp_coherence *k, const struct rp_batch *b, size_t i, uint32_t offset)
{
	return b->size[i] && b->size[i] <= k->config.line - offset && !b->mask &&
	       b->kind[i] != RP_PREFETCH && MASK_WORDS(k) == 1;
}

/* The parts of a row that lie in several lines, or use some of their bytes. */
static inline bool
run_parts(
    struct rp_coherence *k, const struct rp_batch *b, size_t i, uint32_t cache, struct rp_err *err)
{
	uint64_t mask[RP_COHERENCE_MASK_WORDS], last = coh_line_number(k, rp_batch_last(b, i));
	struct coh_outcome out;
	for (uint64_t number = coh_line_number(k, b->addr[i]);; number++) {
		struct coh_request q = coh_request_of(k, b, i, number, cache, mask);
		if (!access(k, &q, &out, err))
			return false;
		if (number == last)
			return true;
	}
}

static inline bool
run_row(struct rp_coherence *k, const struct rp_batch *b, size_t i, uint32_t cache,
    const struct ahead *a, struct rp_err *err)
{
	uint32_t offset = (uint32_t)(b->addr[i] - a->number * k->config.line);
	if (!is_plain(k, b, i, offset))
		return run_parts(k, b, i, cache, err);
	struct coh_outcome out;
	uint64_t mask;
	coh_mask_range(k, &mask, offset, offset + b->size[i] - 1);
	const struct coh_request q = { .line = a->number,
		.record = a->record,
		.cache = cache,
		.offset = offset,
		.store = coh_is_store(b->kind[i]),
		.mask = &mask,
		.pc = b->pc ? b->pc[i] : 0,
		.stream = b->stream ? b->stream[i] : 0,
		.kind = b->kind[i] };
	return access(k, &q, &out, err);
}

/* All rows of a batch; cache[i] is that of row i. */
static inline bool
run_rows(
    struct rp_coherence *k, const struct rp_batch *b, const uint32_t *cache, struct rp_err *err)
{
	struct ahead ring[RING];
	for (size_t i = 0; i < RING && i < b->n; i++) {
		uint64_t number = coh_line_number(k, b->addr[i]);
		ring[i] = (struct ahead){ number, coh_lines_hash(number), COH_NONE };
	}
	for (size_t i = 0; i < b->n; i++) {
		look_ahead(k, b, i, ring, cache);
		if (b->kind[i] < RP_MARKS && !run_row(k, b, i, cache[i], &ring[i % RING], err))
			return false;
	}
	return true;
}

#endif
