/* copies.h - what happens to the copies in private caches: they go, they are read by others, they are recalled. A part of
 * the engine (sim/coherence/shape.h). */
#ifndef RP_SIM_COHERENCE_COPIES_H
#define RP_SIM_COHERENCE_COPIES_H

#include "sim/coherence/shape.h"

/* Why a copy was lost. */
enum cause { BY_EVICT, BY_INV, BY_FWD, BY_RECALL };

static inline bool
can_write(const struct rp_coherence *k, uint8_t state)
{
	return k->protocol->cache_state[state].flags & COH_CAN_WRITE;
}

/* A line goes to memory from cache c, counted in *why too. */
static inline bool
write_memory(struct rp_coherence *k, uint32_t c, uint32_t record, const struct coh_line *x,
    uint64_t *why, struct rp_err *err)
{
	k->home.mem_writes++;
	++*why;
	if (k->memory_version)
		k->memory_version[record] = k->version[record];
	return !k->hooks.memory || k->hooks.memory(k->hooks.to, x->number, true, c, err);
}

/* Bytes that cache c stored to are news to all others that ever held the line. */
static inline void
tell(struct rp_coherence *k, struct coh_line *x, uint32_t c, const uint64_t *stored)
{
#if COH_SHAPE == 8
	uint8_t *news = set_of(k, x, COH_NEWS), *ever = set_of(k, x, COH_EVER);
	uint64_t *unseen = coh_pool_at(&k->lines.masks, x->unseen), own;
	unsigned had = *news, to = *ever & ~(1U << c);
	size_t n = (size_t)1 << x->room;
	own = unseen[c];
	for (unsigned d = 0; d < n; d++)
		unseen[d] = (unseen[d] & -(uint64_t)(had >> d & 1)) | *stored;
	unseen[c] = own;
	*news = (uint8_t)(had | to);
#else
	coh_lines_tell(&k->lines, x, c, stored);
#endif
}

/* The owner's copy may not be written any more. */
static inline void
publish(struct rp_coherence *k, struct coh_line *x, uint32_t c, size_t place)
{
	uint64_t *stored = stored_at(k, &k->cache[c], place);
	if (x->room)
		tell(k, x, c, stored);
	coh_mask_clear(stored, MASK_WORDS(k));
}

/* A lifetime ends undecided: what it did not use stays unseen. */
static inline void
close_as_false(
    struct rp_coherence *k, struct coh_line *x, struct coh_cache *cache, struct coh_way *w)
{
	struct coh_stats *s = stats_of(k, x);
	w->open = false;
	cache->count.coherence_false++;
	if (s)
		s->false_sharing++;
}

/* What a way keeps of its line's statistics goes to the record. */
static inline void
settle(struct rp_coherence *k, struct coh_line *x, uint32_t c, struct coh_way *w)
{
	if (!k->lines.stats)
		return;
	coh_stats(&k->lines, x)->accesses += w->hits;
	if (w->read)
		add(set_of(k, x, COH_READERS), c);
	w->hits = 0;
	w->read = false;
}

/* The copy of cache c goes. */
static inline void
lose(struct rp_coherence *k, struct coh_line *x, uint32_t c, uint32_t set, size_t place,
    enum cause cause)
{
	struct coh_cache *cache = &k->cache[c];
	struct coh_way *w = &cache->way[place];
	if (w->open)
		close_as_false(k, x, cache, w);
	if (can_write(k, w->state))
		publish(k, x, c, place);
	settle(k, x, c, w);
	drop(set_of(k, x, COH_HOLDERS), c);
	/* What it lost its last copy to was forgotten when this one came. */
	if (cause == BY_EVICT)
		drop(set_of(k, x, COH_STORED), c);
	else
		add(set_of(k, x, cause == BY_RECALL ? COH_RECALLED : COH_TAKEN), c);
	coh_empty(&k->geometry, cache, set, place, cause != BY_EVICT);
}

/* Another's store, or a recall, takes a line out of the reference cache of c, whether or not it is cached there. */
static inline void
forget_reference(struct rp_coherence *k, struct coh_line *x, uint32_t record, uint32_t c)
{
	struct coh_reference *r = &k->cache[c].reference;
	uint8_t *listed = set_of(k, x, COH_LISTED);
	const uint16_t *hint = hint_of(k, x, c);
	if (!has(listed, c))
		return;
	drop(listed, c);
	uint32_t node = coh_reference_find(r, record, hint);
	if (node != COH_FREE)
		coh_reference_drop(r, node, hint != NULL);
}

static inline void
count_message(struct rp_coherence_counters *n, enum coh_cache_event event, bool absent)
{
	bool inv = event == COH_INV || event == COH_INV_BACK;
	n->inv_received += inv;
	n->back_inv_received += event == COH_INV_BACK;
	n->inv_received_stale += inv && absent;
	n->fwd_gets_received += event == COH_FWD_GETS;
	n->fwd_getm_received += event == COH_FWD_GETM;
}

/* A message comes to a cache, which does what its table says; *dirty: its copy was. */
static bool
receive(struct rp_coherence *k, struct coh_line *x, uint32_t record, uint32_t c,
    enum coh_cache_event event, bool *dirty, struct rp_err *err)
{
	struct coh_cache *cache = &k->cache[c];
	uint32_t set = coh_set_of(&k->geometry, x->number);
	size_t place = coh_find(&k->geometry, cache, set, x->number);
	uint8_t state = place == SIZE_MAX ? COH_ABSENT : cache->way[place].state;
	const struct coh_reaction *r = &k->protocol->cache[state][event];
	count_message(&cache->count, event, !state);
	if (!r->actions)
		k->broken = "a message came to a cache in a state where it cannot come";
	*dirty = k->protocol->cache_state[state].flags & COH_IS_DIRTY;
	if ((r->actions & COH_DO_DATA_MEMORY) &&
	    !write_memory(k, c, record, x,
		event == COH_FWD_GETS ? &k->home.wb_fwd_gets : &k->home.wb_back_inv, err))
		return false;
	if (r->actions & COH_DO_LOSE) {
		lose(k, x, c, set, place,
		    event == COH_INV        ? BY_INV
		    : event == COH_INV_BACK ? BY_RECALL
					    : BY_FWD);
	} else if (state && r->actions) {
		if (can_write(k, state) && !can_write(k, r->next))
			publish(k, x, c, place);
		cache->way[place].state = r->next;
	}
	if (r->actions & COH_DO_ACK)
		k->home.inv_acks += arrives(k, COH_SEND_ACK, c, record);
	return true;
}

#endif
