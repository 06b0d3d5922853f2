/* copies.c - what happens to the copies in private caches: they go, they are read by others, they are recalled. */
#include "config.h"

#include "sim/coherence/engine_parts.h"

#include <string.h>

static bool
can_write(const struct rp_coherence *k, uint8_t state)
{
	return k->protocol->cache_state[state].flags & COH_CAN_WRITE;
}

bool
coh_write_memory(
    struct rp_coherence *k, uint32_t c, uint32_t record, uint64_t *why, struct rp_err *err)
{
	k->home.mem_writes++;
	++*why;
	if (k->memory_version)
		k->memory_version[record] = k->version[record];
	return !k->hooks.memory ||
	       k->hooks.memory(k->hooks.to, coh_line(&k->lines, record)->number, true, c, err);
}

/* What a way keeps of its line's statistics goes to the record. */
static void
settle(struct rp_coherence *k, uint32_t c, struct coh_way *w)
{
	struct coh_line *x = coh_line(&k->lines, w->line);
	if (!k->lines.stats)
		return;
	coh_stats(&k->lines, x)->accesses += w->hits;
	if (w->read)
		coh_add(coh_set(&k->lines, x, COH_READERS), c);
	w->hits = 0;
	w->read = false;
}

void
coh_settle(struct rp_coherence *k)
{
	size_t places = (size_t)k->geometry.sets * k->geometry.ways;
	for (uint32_t c = 0; c < k->n; c++)
		for (size_t p = 0; p < places; p++)
			if (k->cache[c].way[p].state)
				settle(k, c, &k->cache[c].way[p]);
}

/* The owner's copy may not be written any more: what was stored to it is news to the others. */
static void
publish(struct rp_coherence *k, uint32_t c, size_t place)
{
	struct coh_cache *cache = &k->cache[c];
	struct coh_line *x = coh_line(&k->lines, cache->way[place].line);
	coh_lines_tell(&k->lines, x, c, coh_stored_at(k, cache, place));
	coh_mask_clear(coh_stored_at(k, cache, place), k->geometry.mask_words);
}

/* A lifetime ends undecided: what it did not use stays unseen. */
static void
close_as_false(struct rp_coherence *k, struct coh_cache *cache, struct coh_way *w)
{
	struct coh_stats *s = coh_stats_of(k, coh_line(&k->lines, w->line));
	w->open = false;
	cache->count.coherence_false++;
	if (s)
		s->false_sharing++;
}

void
coh_lose(struct rp_coherence *k, uint32_t c, size_t place, enum coh_cause cause)
{
	struct coh_cache *cache = &k->cache[c];
	struct coh_way *w = &cache->way[place];
	struct coh_line *x = coh_line(&k->lines, w->line);
	if (w->open)
		close_as_false(k, cache, w);
	if (can_write(k, w->state))
		publish(k, c, place);
	settle(k, c, w);
	coh_remove(coh_set(&k->lines, x, COH_HOLDERS), c);
	uint8_t *taken = coh_set(&k->lines, x, COH_TAKEN),
		*recalled = coh_set(&k->lines, x, COH_RECALLED);
	(cause == COH_BY_INV || cause == COH_BY_FWD ? coh_add : coh_remove)(taken, c);
	(cause == COH_BY_RECALL ? coh_add : coh_remove)(recalled, c);
	if (cause == COH_BY_EVICT)
		coh_remove(coh_set(&k->lines, x, COH_STORED), c);
	coh_empty(
	    &k->geometry, cache, coh_set_of(&k->geometry, x->number), place, cause != COH_BY_EVICT);
}

void
coh_forget_reference(struct rp_coherence *k, struct coh_line *x, uint32_t record, uint32_t c)
{
	struct coh_reference *r = &k->cache[c].reference;
	uint8_t *listed = coh_set(&k->lines, x, COH_LISTED);
	if (!coh_has(listed, c))
		return;
	coh_remove(listed, c);
	uint32_t node = coh_reference_find(r, record);
	if (node != COH_NONE)
		coh_reference_drop(r, node);
}

bool
coh_receive(struct rp_coherence *k, uint32_t c, uint32_t record, enum coh_cache_event event,
    bool *dirty, struct rp_err *err)
{
	static const enum coh_cause cause[COH_CACHE_EVENTS] = {
		[COH_INV] = COH_BY_INV, [COH_INV_BACK] = COH_BY_RECALL, [COH_FWD_GETM] = COH_BY_FWD
	};
	struct coh_cache *cache = &k->cache[c];
	uint64_t number = coh_line(&k->lines, record)->number;
	size_t place = coh_find(&k->geometry, cache, coh_set_of(&k->geometry, number), number);
	uint8_t state = place == SIZE_MAX ? COH_ABSENT : cache->way[place].state;
	const struct coh_reaction *r = &k->protocol->cache[state][event];
	bool inv = event == COH_INV || event == COH_INV_BACK;
	cache->count.inv_received += inv;
	cache->count.back_inv_received += event == COH_INV_BACK;
	cache->count.inv_received_stale += inv && !state;
	cache->count.fwd_gets_received += event == COH_FWD_GETS;
	cache->count.fwd_getm_received += event == COH_FWD_GETM;
	if (!r->actions)
		k->broken = "a message came to a cache in a state where it cannot come";
	*dirty = k->protocol->cache_state[state].flags & COH_IS_DIRTY;
	if ((r->actions & COH_DO_DATA_MEMORY) &&
	    !coh_write_memory(k, c, record,
		event == COH_FWD_GETS ? &k->home.wb_fwd_gets : &k->home.wb_back_inv, err))
		return false;
	if (r->actions & COH_DO_LOSE) {
		coh_lose(k, c, place, cause[event]);
	} else if (state && r->actions) {
		if (can_write(k, state) && !can_write(k, r->next))
			publish(k, c, place);
		cache->way[place].state = r->next;
	}
	if (r->actions & COH_DO_ACK)
		k->home.inv_acks += coh_arrives(k, COH_SEND_ACK, c, record);
	return true;
}
