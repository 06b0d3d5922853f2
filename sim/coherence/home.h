/* home.h - the home: its answers to requests, by the protocol's table, and the directory's entries. A part of the engine
 * (sim/coherence/shape.h). */
#ifndef RP_SIM_COHERENCE_HOME_H
#define RP_SIM_COHERENCE_HOME_H

#include "sim/coherence/copies.h"

/* One Inv; `event` says which. */
static inline bool
send_inv(struct rp_coherence *k, struct coh_line *x, uint32_t record, uint32_t c,
    enum coh_cache_event event, struct rp_err *err)
{
	bool dirty, back = event == COH_INV_BACK;
	struct coh_stats *s = stats_of(k, x);
	k->home.inv_sent++;
	k->home.inv_sent_demand += !back;
	k->home.inv_sent_back += back;
	k->home.back_invalidations += back;
	if (s)
		s->inv_sent++;
	for (unsigned n = arrives(k, COH_SEND_INV, c, record); n; n--)
		if (!receive(k, x, record, c, event, &dirty, err))
			return false;
	return true;
}

/* Inv to all of the entry but `but` (COH_NONE: to all). How many, or -1. */
static inline long
send_invs(struct rp_coherence *k, struct coh_line *x, uint32_t record, uint32_t but,
    enum coh_cache_event event, struct rp_err *err)
{
	const uint8_t *sharers = set_of(k, x, COH_SHARERS);
	long sent = 0;
	for (size_t i = 0; i < coh_set_words(SET_BYTES(k)); i++)
		for (uint64_t m = coh_word_but(sharers, i, SET_BYTES(k), but); m; m &= m - 1) {
			uint32_t d = (uint32_t)(i * 64) + (unsigned)__builtin_ctzll(m);
			if (event == COH_INV_BACK)
				forget_reference(k, x, record, d);
			if (!send_inv(k, x, record, d, event, err))
				return -1;
			sent++;
		}
	return sent;
}

static inline void
free_entry(struct rp_coherence *k, struct coh_line *x)
{
	coh_set_all(set_of(k, x, COH_SHARERS), SET_BYTES(k), false);
	x->state = COH_ABSENT;
	k->entries--;
	if (k->config.sparse)
		coh_directory_remove(&k->directory, x->place);
}

/* Replaces an entry of the set that a line wants one in. */
static bool
recall(struct rp_coherence *k, uint64_t number, struct coh_outcome *out, struct rp_err *err)
{
	uint32_t victim = coh_directory_victim(
	    &k->directory, number, k->hooks.may_recall, k->hooks.to, &k->home.dir_victim_skips);
	if (victim == COH_NONE)
		return rp_fail(err, RP_FAILED, "no directory entry can be replaced");
	struct coh_line *x = coh_line(&k->lines, victim);
	const struct coh_reaction *r = &k->protocol->home[x->state][COH_RECALL];
	k->home.dir_evictions++;
	long sent =
	    r->actions & COH_DO_INV_ALL ? send_invs(k, x, victim, COH_NONE, COH_INV_BACK, err) : 0;
	out->back_invs = (uint32_t)sent;
	free_entry(k, x);
	return sent >= 0;
}

/* An entry for a line that has none. */
static inline bool
allocate(struct rp_coherence *k, struct coh_line *x, uint32_t record, struct coh_outcome *out,
    struct rp_err *err)
{
	if (k->config.sparse) {
		if (!coh_directory_has_room(&k->directory, x->number) &&
		    !recall(k, x->number, out, err))
			return false;
		x->place = coh_directory_add(&k->directory, x->number, record);
	}
	k->home.dir_allocs++;
	k->entries++;
	if (k->entries > k->home.dir_peak_entries)
		k->home.dir_peak_entries = k->entries;
	return true;
}

/* The owner supplies the data. */
static inline bool
forward(struct rp_coherence *k, const struct coh_request *q, struct coh_line *x, uint32_t record,
    bool exclusive, struct coh_outcome *out, struct rp_err *err)
{
	struct coh_stats *s = stats_of(k, x);
	bool dirty = false;
	uint32_t owner = x->owner;
	k->home.forwards++;
	*(exclusive ? &k->home.fwd_getm : &k->home.fwd_gets) += 1;
	out->forwarded = true;
	if (s)
		s->forwards++;
	for (unsigned n = arrives(k, COH_SEND_FWD, owner, record); n; n--)
		if (!receive(
			k, x, record, owner, exclusive ? COH_FWD_GETM : COH_FWD_GETS, &dirty, err))
			return false;
	if (!dirty)
		return true;
	k->cache[q->cache].count.hitm++;
	if (!s)
		return true;
	s->hitm++;
	return coh_lines_offset(&k->lines, record, q->offset, q->cache, err);
}

/* A store: the line leaves the others' reference caches, and they will find that somebody wrote. */
static inline void
announce_store(struct rp_coherence *k, struct coh_line *x, uint32_t record, uint32_t c)
{
	const uint8_t *listed = set_of(k, x, COH_LISTED);
	for (size_t i = 0; i < coh_set_words(SET_BYTES(k)); i++)
		for (uint64_t m = coh_word_but(listed, i, SET_BYTES(k), c); m; m &= m - 1)
			forget_reference(
			    k, x, record, (uint32_t)(i * 64) + (unsigned)__builtin_ctzll(m));
	coh_set_all(set_of(k, x, COH_STORED), SET_BYTES(k), true);
}

/* Who supplies the data and who loses a copy, by the home's answer. */
static inline bool
act(struct rp_coherence *k, const struct coh_request *q, struct coh_line *x, uint32_t record,
    unsigned actions, struct coh_outcome *out, struct rp_err *err)
{
	if ((actions & (COH_DO_FWD_GETS | COH_DO_FWD_GETM)) &&
	    !forward(k, q, x, record, actions & COH_DO_FWD_GETM, out, err))
		return false;
	if (actions & COH_DO_MEMORY) {
		k->home.mem_reads++;
		out->memory = true;
		if (k->hooks.memory &&
		    !k->hooks.memory(k->hooks.to, x->number, false, q->cache, err))
			return false;
	}
	if (actions & COH_DO_INV_OTHERS) {
		long sent = send_invs(k, x, record, q->cache, COH_INV, err);
		if (sent < 0)
			return false;
		out->invs = (uint32_t)sent;
	}
	return true;
}

/* GetS or GetM comes to the home. *grant: the state in which the cache gets the line; left alone if it cannot. */
static inline bool
ask_home(struct rp_coherence *k, const struct coh_request *q, struct coh_line *x, uint32_t record,
    enum coh_home_event event, uint8_t *grant, struct coh_outcome *out, struct rp_err *err)
{
	k->home.gets += event == COH_GETS;
	k->home.getm += event != COH_GETS;
	k->home.upgrades += event == COH_GETM_COPY;
	const struct coh_reaction *r = &k->protocol->home[x->state][event];
	if (!r->actions) {
		k->broken = "a request came to the home in a state where it cannot come";
		return true;
	}
	if (r->actions & COH_DO_ALLOCATE) {
		if (!allocate(k, x, record, out, err))
			return false;
	} else if (k->config.sparse) {
		coh_directory_touch(&k->directory, x->place);
	}
	if (event != COH_GETS)
		announce_store(k, x, record, q->cache);
	if (!act(k, q, x, record, r->actions, out, err))
		return false;
	uint8_t *sharers = set_of(k, x, COH_SHARERS);
	if (r->actions & COH_DO_OWN) {
		coh_only(sharers, SET_BYTES(k), q->cache);
		x->owner = q->cache;
		x->written = 1;
	}
	if (r->actions & COH_DO_ADD)
		add(sharers, q->cache);
	x->state = r->next;
	*grant = r->grant;
	return true;
}

/* PutS or PutM of cache c comes to the home. */
static inline bool
put_home(struct rp_coherence *k, struct coh_line *x, uint32_t record, uint32_t c,
    enum coh_home_event event, struct rp_err *err)
{
	const struct coh_reaction *r = &k->protocol->home[x->state][event];
	uint8_t *sharers = set_of(k, x, COH_SHARERS);
	k->home.puts += event == COH_PUTS;
	k->home.putm += event == COH_PUTM;
	if (!r->actions) {
		k->broken = "a Put came to the home in a state where it cannot come";
		return true;
	}
	if ((r->actions & COH_DO_WRITE) && !write_memory(k, c, record, x, &k->home.wb_putm, err))
		return false;
	if (r->actions & COH_DO_REMOVE)
		drop(sharers, c);
	x->state = r->next;
	if ((r->actions & COH_DO_FREE) ||
	    ((r->actions & COH_DO_FREE_IF_EMPTY) && coh_is_empty(sharers, SET_BYTES(k)))) {
		k->home.dir_frees++;
		free_entry(k, x);
	}
	return true;
}

#endif
