/* engine.c - one line access as an atomic transaction.
 *
 * The order of what happens matters to counters, and is kept: the reference cache, the private cache, the victim, the
 * directory's victim, the home's answer, the fill, the masks. Who does what is in the protocol's tables. */
#include "config.h"

#include "sim/coherence/engine.h"

#include <string.h>

/* Why a copy was lost. */
enum cause { BY_EVICT, BY_INV, BY_FWD, BY_RECALL };

/* Which rule a miss fell under. */
enum miss { MISS_COLD, MISS_TAKEN, MISS_RECALLED, MISS_REPLACED };

static unsigned
arrives(const struct rp_coherence *k, enum coh_message m, uint32_t c, uint32_t record)
{
	return k->hooks.arrives ? k->hooks.arrives(k->hooks.to, m, c, record) : 1;
}

static bool
can_write(const struct rp_coherence *k, uint8_t state)
{
	return k->protocol->cache_state[state].flags & COH_CAN_WRITE;
}

static struct coh_stats *
stats_of(const struct rp_coherence *k, struct coh_line *x)
{
	return k->lines.stats ? coh_stats(&k->lines, x) : NULL;
}

static uint64_t *
news_at(const struct rp_coherence *k, struct coh_cache *c, size_t place)
{
	return c->news + place * k->geometry.mask_words;
}

static uint64_t *
stored_at(const struct rp_coherence *k, struct coh_cache *c, size_t place)
{
	return c->stored + place * k->geometry.mask_words;
}

/* A line goes to memory from cache c. */
static bool
write_memory(struct rp_coherence *k, uint32_t c, uint32_t record, uint64_t *why, struct rp_err *err)
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
	coh_lines_tell(&k->lines, x, c, stored_at(k, cache, place));
	memset(stored_at(k, cache, place), 0, k->geometry.mask_words * sizeof *cache->stored);
}

/* A lifetime ends undecided: what it did not use stays unseen. */
static void
close_as_false(struct rp_coherence *k, struct coh_cache *cache, struct coh_way *w)
{
	struct coh_stats *s = stats_of(k, coh_line(&k->lines, w->line));
	w->open = false;
	cache->count.coherence_false++;
	if (s)
		s->false_sharing++;
}

/* A copy goes. */
static void
lose(struct rp_coherence *k, uint32_t c, size_t place, enum cause cause)
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
	(cause == BY_INV || cause == BY_FWD ? coh_add : coh_remove)(taken, c);
	(cause == BY_RECALL ? coh_add : coh_remove)(recalled, c);
	if (cause == BY_EVICT)
		coh_remove(coh_set(&k->lines, x, COH_STORED), c);
	coh_empty(&k->geometry, cache, place, cause != BY_EVICT);
}

/* Another's store, or a recall, reaches the reference cache too, whether or not the line is cached. */
static void
forget_reference(struct rp_coherence *k, struct coh_line *x, uint32_t record, uint32_t c)
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

/* A message comes to a cache: what it does. NULL with *err filled: no memory. */
static const struct coh_reaction *
receive(struct rp_coherence *k, uint32_t c, uint32_t record, enum coh_cache_event event,
    bool *dirty, struct rp_err *err)
{
	static const enum cause cause[COH_CACHE_EVENTS] = {
		[COH_INV] = BY_INV, [COH_INV_BACK] = BY_RECALL, [COH_FWD_GETM] = BY_FWD
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
	    !write_memory(k, c, record,
		event == COH_FWD_GETS ? &k->home.wb_fwd_gets : &k->home.wb_back_inv, err))
		return NULL;
	if (r->actions & COH_DO_LOSE) {
		lose(k, c, place, cause[event]);
	} else if (state && r->actions) {
		if (can_write(k, state) && !can_write(k, r->next))
			publish(k, c, place);
		cache->way[place].state = r->next;
	}
	if (r->actions & COH_DO_ACK)
		k->home.inv_acks += arrives(k, COH_SEND_ACK, c, record);
	return r;
}

/* One Inv; `event` says which. */
static bool
send_inv(struct rp_coherence *k, uint32_t c, uint32_t record, enum coh_cache_event event,
    struct rp_err *err)
{
	bool dirty, back = event == COH_INV_BACK;
	k->home.inv_sent++;
	k->home.inv_sent_demand += !back;
	k->home.inv_sent_back += back;
	k->home.back_invalidations += back;
	if (k->lines.stats)
		coh_stats(&k->lines, coh_line(&k->lines, record))->inv_sent++;
	for (unsigned n = arrives(k, COH_SEND_INV, c, record); n; n--)
		if (!receive(k, c, record, event, &dirty, err))
			return false;
	return true;
}

/* Inv to all of the entry but `but` (COH_NONE: to all). How many, or -1. */
static long
send_invs(struct rp_coherence *k, uint32_t record, uint32_t but, enum coh_cache_event event,
    struct rp_err *err)
{
	struct coh_line *x = coh_line(&k->lines, record);
	const uint8_t *sharers = coh_set(&k->lines, x, COH_SHARERS);
	size_t bytes = k->lines.set_bytes;
	long sent = 0;
	for (size_t i = 0; i < coh_set_words(bytes); i++)
		for (uint64_t m = coh_word_but(sharers, i, bytes, but); m; m &= m - 1) {
			uint32_t d = (uint32_t)(i * 64) + (unsigned)__builtin_ctzll(m);
			if (event == COH_INV_BACK)
				forget_reference(k, x, record, d);
			if (!send_inv(k, d, record, event, err))
				return -1;
			sent++;
		}
	return sent;
}

static void
free_entry(struct rp_coherence *k, struct coh_line *x)
{
	memset(coh_set(&k->lines, x, COH_SHARERS), 0, k->lines.set_bytes);
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
	    r->actions & COH_DO_INV_ALL ? send_invs(k, victim, COH_NONE, COH_INV_BACK, err) : 0;
	out->back_invs = (uint32_t)sent;
	free_entry(k, coh_line(&k->lines, victim));
	return sent >= 0;
}

/* An entry for a line that has none. */
static bool
allocate(struct rp_coherence *k, uint32_t record, struct coh_outcome *out, struct rp_err *err)
{
	struct coh_line *x = coh_line(&k->lines, record);
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
static bool
forward(struct rp_coherence *k, const struct coh_request *q, uint32_t record, bool exclusive,
    struct coh_outcome *out, struct rp_err *err)
{
	struct coh_line *x = coh_line(&k->lines, record);
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
			k, owner, record, exclusive ? COH_FWD_GETM : COH_FWD_GETS, &dirty, err))
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
static void
announce_store(struct rp_coherence *k, uint32_t record, uint32_t c)
{
	struct coh_line *x = coh_line(&k->lines, record);
	size_t bytes = k->lines.set_bytes;
	const uint8_t *listed = coh_set(&k->lines, x, COH_LISTED);
	for (size_t i = 0; i < coh_set_words(bytes); i++)
		for (uint64_t m = coh_word_but(listed, i, bytes, c); m; m &= m - 1)
			forget_reference(
			    k, x, record, (uint32_t)(i * 64) + (unsigned)__builtin_ctzll(m));
	memset(coh_set(&k->lines, x, COH_STORED), 0xff, bytes);
}

/* GetS or GetM comes to the home: the state in which the cache gets the line, in *grant. */
static bool
ask_home(struct rp_coherence *k, const struct coh_request *q, uint32_t record,
    enum coh_home_event event, uint8_t *grant, struct coh_outcome *out, struct rp_err *err)
{
	uint32_t c = q->cache;
	struct coh_line *x = coh_line(&k->lines, record);
	k->home.gets += event == COH_GETS;
	k->home.getm += event != COH_GETS;
	k->home.upgrades += event == COH_GETM_COPY;
	const struct coh_reaction *r = &k->protocol->home[x->state][event];
	if (!r->actions) {
		k->broken = "a request came to the home in a state where it cannot come";
		return true;
	}
	if (r->actions & COH_DO_ALLOCATE) {
		if (!allocate(k, record, out, err))
			return false;
	} else if (k->config.sparse) {
		coh_directory_touch(&k->directory, x->place);
	}
	if (event != COH_GETS)
		announce_store(k, record, c);
	if (r->actions & (COH_DO_FWD_GETS | COH_DO_FWD_GETM)) {
		if (!forward(k, q, record, r->actions & COH_DO_FWD_GETM, out, err))
			return false;
	}
	if (r->actions & COH_DO_MEMORY) {
		k->home.mem_reads++;
		out->memory = true;
		if (k->hooks.memory && !k->hooks.memory(k->hooks.to, x->number, false, c, err))
			return false;
	}
	if (r->actions & COH_DO_INV_OTHERS) {
		long sent = send_invs(k, record, c, COH_INV, err);
		if (sent < 0)
			return false;
		out->invs = (uint32_t)sent;
	}
	uint8_t *sharers = coh_set(&k->lines, x, COH_SHARERS);
	if (r->actions & COH_DO_OWN) {
		coh_only(sharers, k->lines.set_bytes, c);
		x->owner = c;
	}
	if (r->actions & COH_DO_ADD)
		coh_add(sharers, c);
	x->state = r->next;
	*grant = r->grant;
	return true;
}

/* PutS or PutM comes to the home. */
static bool
put_home(struct rp_coherence *k, uint32_t c, uint32_t record, enum coh_home_event event,
    struct rp_err *err)
{
	struct coh_line *x = coh_line(&k->lines, record);
	const struct coh_reaction *r = &k->protocol->home[x->state][event];
	uint8_t *sharers = coh_set(&k->lines, x, COH_SHARERS);
	k->home.puts += event == COH_PUTS;
	k->home.putm += event == COH_PUTM;
	if (!r->actions) {
		k->broken = "a Put came to the home in a state where it cannot come";
		return true;
	}
	if ((r->actions & COH_DO_WRITE) && !write_memory(k, c, record, &k->home.wb_putm, err))
		return false;
	if (r->actions & COH_DO_REMOVE)
		coh_remove(sharers, c);
	x->state = r->next;
	if ((r->actions & COH_DO_FREE) ||
	    ((r->actions & COH_DO_FREE_IF_EMPTY) && coh_is_empty(sharers, k->lines.set_bytes))) {
		k->home.dir_frees++;
		free_entry(k, x);
	}
	return true;
}

/* The ways of a set that may not be replaced, or NULL if all may. */
static const uint64_t *
pinned_ways(const struct rp_coherence *k, uint32_t c, uint32_t set, uint64_t *bits)
{
	uint32_t ways = k->geometry.ways;
	const uint64_t *tag = k->cache[c].tag + (size_t)set * ways;
	bool any = false;
	if (!k->hooks.pinned)
		return NULL;
	memset(bits, 0, (ways + 63) / 64 * sizeof *bits);
	for (uint32_t w = 0; w < ways; w++)
		if (k->hooks.pinned(k->hooks.to, c, tag[w])) {
			bits[w / 64] |= UINT64_C(1) << w % 64;
			any = true;
		}
	return any ? bits : NULL;
}

/* Makes a way free for a miss: the first that is, or a victim's, which leaves completely. */
static bool
make_room(struct rp_coherence *k, const struct coh_request *q, uint32_t set, size_t *place,
    struct rp_err *err)
{
	struct coh_cache *cache = &k->cache[q->cache];
	if ((*place = coh_free_way(&k->geometry, cache, set)) != SIZE_MAX)
		return true;
	*place = coh_victim(&k->geometry, cache, set, q, pinned_ways(k, q->cache, set, k->pinned),
	    &cache->count.victim_skips);
	uint8_t state = cache->way[*place].state;
	uint32_t record = cache->way[*place].line;
	const struct coh_reaction *r = &k->protocol->cache[state][COH_REPLACE];
	bool dirty = k->protocol->cache_state[state].flags & COH_IS_DIRTY;
	*(dirty ? &cache->count.evict_dirty : &cache->count.evict_clean) += 1;
	lose(k, q->cache, *place, BY_EVICT);
	bool puts = (r->actions & COH_DO_PUTS) && !k->config.silent;
	if (!puts && !(r->actions & COH_DO_PUTM))
		return true;
	for (unsigned n = arrives(k, COH_SEND_PUT, q->cache, record); n; n--)
		if (!put_home(k, q->cache, record, puts ? COH_PUTS : COH_PUTM, err))
			return false;
	return true;
}

/* Why a miss missed, by the first rule that applies. */
static enum miss
classify(struct rp_coherence *k, const struct coh_request *q, struct coh_line *x, bool in_reference)
{
	struct rp_coherence_counters *n = &k->cache[q->cache].count;
	uint32_t c = q->cache;
	if (!coh_has(coh_set(&k->lines, x, COH_EVER), c)) {
		n->cold++;
		return MISS_COLD;
	}
	if (coh_has(coh_set(&k->lines, x, COH_TAKEN), c)) {
		n->coherence++;
		return MISS_TAKEN;
	}
	if (coh_has(coh_set(&k->lines, x, COH_RECALLED), c)) {
		n->coherence++;
		n->coherence_dir++;
		return MISS_RECALLED;
	}
	*(in_reference ? &n->conflict : &n->capacity) += 1;
	n->repl_remote_written += coh_has(coh_set(&k->lines, x, COH_STORED), c);
	return MISS_REPLACED;
}

static void
count_miss(struct rp_coherence *k, const struct coh_request *q, struct coh_line *x, enum miss miss)
{
	struct rp_coherence_counters *n = &k->cache[q->cache].count;
	struct coh_stats *s = stats_of(k, x);
	n->misses++;
	*(q->store ? &n->write_misses : &n->read_misses) += 1;
	n->remote_present +=
	    coh_has_others(coh_set(&k->lines, x, COH_HOLDERS), k->lines.set_bytes, q->cache);
	if (!s)
		return;
	s->accesses++;
	s->misses++;
	s->dir += miss == MISS_RECALLED;
	coh_add(coh_set(&k->lines, x, q->store ? COH_WRITERS : COH_READERS), q->cache);
}

/* Whether an access uses bytes that others wrote. */
static bool
uses(const struct rp_coherence *k, const uint64_t *unseen, const uint64_t *mask)
{
	uint64_t any = 0;
	for (unsigned w = 0; w < k->lines.mask_words; w++)
		any |= unseen[w] & mask[w];
	return any;
}

static void
count_true(struct rp_coherence *k, struct coh_cache *cache, struct coh_line *x)
{
	struct coh_stats *s = stats_of(k, x);
	cache->count.coherence_true++;
	if (s)
		s->true_sharing++;
}

/* The masks after a miss: a line that was taken away may bring news, anything else was needed anyway. */
static void
begin_life(struct rp_coherence *k, const struct coh_request *q, uint32_t record, size_t place,
    enum miss miss)
{
	struct coh_line *x = coh_line(&k->lines, record);
	struct coh_cache *cache = &k->cache[q->cache];
	uint64_t *unseen = coh_unseen(&k->lines, x, q->cache);
	size_t bytes = k->lines.mask_words * sizeof *unseen;
	if (miss == MISS_TAKEN && !(unseen && uses(k, unseen, q->mask))) {
		cache->way[place].open = true;
		if (unseen)
			memcpy(news_at(k, cache, place), unseen, bytes);
		return;
	}
	if (miss == MISS_TAKEN) {
		cache->count.first_ref_true++;
		count_true(k, cache, x);
	}
	if (unseen)
		memset(unseen, 0, bytes);
}

/* The masks after an access that found the line. */
static void
use_copy(struct rp_coherence *k, const struct coh_request *q, size_t place)
{
	struct coh_cache *cache = &k->cache[q->cache];
	struct coh_way *w = &cache->way[place];
	uint64_t *news = news_at(k, cache, place), *unseen;
	size_t bytes = k->lines.mask_words * sizeof *news;
	if (!uses(k, news, q->mask))
		return;
	struct coh_line *x = coh_line(&k->lines, w->line);
	w->open = false;
	memset(news, 0, bytes);
	if ((unseen = coh_unseen(&k->lines, x, q->cache)))
		memset(unseen, 0, bytes);
	count_true(k, cache, x);
}

/* A store in a copy that may be written. */
static void
store_to(struct rp_coherence *k, const struct coh_request *q, size_t place)
{
	uint64_t *stored = stored_at(k, &k->cache[q->cache], place);
	for (unsigned w = 0; w < k->lines.mask_words; w++)
		stored[w] |= q->mask[w];
}

/* With verify: the copy is what the line is; a store makes a new one. */
static void
look_at_version(struct rp_coherence *k, const struct coh_request *q, size_t place)
{
	struct coh_cache *cache = &k->cache[q->cache];
	uint32_t record = cache->way[place].line;
	if (cache->version[place] != k->version[record])
		k->broken = "an access found a copy that is not the latest";
	if (q->store)
		cache->version[place] = ++k->version[record];
}

static void
hit(struct rp_coherence *k, const struct coh_request *q, uint32_t set, size_t place)
{
	struct coh_cache *cache = &k->cache[q->cache];
	struct coh_way *w = &cache->way[place];
	w->node = coh_reference_again(&cache->reference, w->line, w->node);
	*(q->store ? &cache->count.write_hits : &cache->count.read_hits) += 1;
	coh_touch(&k->geometry, cache, set, place, q);
	if (!++w->hits && k->lines.stats)
		coh_stats(&k->lines, coh_line(&k->lines, w->line))->accesses += UINT64_C(1) << 32;
	w->read |= !q->store;
	use_copy(k, q, place);
	if (q->store)
		store_to(k, q, place);
	if (cache->version)
		look_at_version(k, q, place);
}

static bool
upgrade(struct rp_coherence *k, const struct coh_request *q, uint32_t set, size_t place,
    struct coh_outcome *out, struct rp_err *err)
{
	struct coh_cache *cache = &k->cache[q->cache];
	struct coh_way *w = &cache->way[place];
	uint32_t record = w->line;
	struct coh_line *x = coh_line(&k->lines, record);
	struct coh_stats *s = stats_of(k, x);
	uint8_t grant = COH_ABSENT;
	w->node = coh_reference_again(&cache->reference, record, w->node);
	cache->count.upgrades++;
	coh_touch(&k->geometry, cache, set, place, q);
	if (s) {
		s->accesses++;
		s->upgrades++;
		coh_add(coh_set(&k->lines, x, COH_WRITERS), q->cache);
	}
	for (unsigned n = arrives(k, COH_SEND_REQUEST, q->cache, record); n; n--)
		if (!ask_home(k, q, record, COH_GETM_COPY, &grant, out, err))
			return false;
	if (!grant)
		return true;
	w->state = grant;
	use_copy(k, q, place);
	store_to(k, q, place);
	if (cache->version)
		look_at_version(k, q, place);
	return true;
}

/* Records that are new have versions of 0. */
static bool
make_versions(struct rp_coherence *k, struct rp_err *err)
{
	if (!k->config.verify || k->lines.n <= k->versions)
		return true;
	size_t n = 2 * k->lines.n;
	uint64_t *version = rp_mem_grow(k->version, n, sizeof *version, err);
	if (!version)
		return false;
	k->version = version;
	uint64_t *memory = rp_mem_grow(k->memory_version, n, sizeof *memory, err);
	if (!memory)
		return false;
	k->memory_version = memory;
	memset(version + k->versions, 0, (n - k->versions) * sizeof *version);
	memset(memory + k->versions, 0, (n - k->versions) * sizeof *memory);
	k->versions = n;
	return true;
}

/* The line arrives. */
static bool
arrive(struct rp_coherence *k, const struct coh_request *q, uint32_t record, size_t place,
    uint8_t state, struct rp_err *err)
{
	struct coh_cache *cache = &k->cache[q->cache];
	if (!coh_lines_hold(&k->lines, record, q->cache, err))
		return false;
	struct coh_line *x = coh_line(&k->lines, record);
	coh_fill(&k->geometry, cache, place, record, state, q);
	coh_add(coh_set(&k->lines, x, COH_HOLDERS), q->cache);
	coh_remove(coh_set(&k->lines, x, COH_TAKEN), q->cache);
	coh_remove(coh_set(&k->lines, x, COH_RECALLED), q->cache);
	if (cache->version)
		cache->version[place] = k->version[record];
	return true;
}

static bool
miss(struct rp_coherence *k, const struct coh_request *q, uint32_t set, struct coh_outcome *out,
    struct rp_err *err)
{
	struct coh_cache *cache = &k->cache[q->cache];
	uint32_t record = coh_lines_make(&k->lines, q->line, err);
	size_t place;
	uint8_t grant = COH_ABSENT;
	bool found;
	if (record == COH_NONE || !make_versions(k, err))
		return false;
	struct coh_line *x = coh_line(&k->lines, record);
	uint32_t node = coh_reference_use(&cache->reference, record, &found);
	coh_add(coh_set(&k->lines, x, COH_LISTED), q->cache);
	enum miss why = classify(k, q, x, found);
	count_miss(k, q, x, why);
	if (!make_room(k, q, set, &place, err))
		return false;
	for (unsigned n = arrives(k, COH_SEND_REQUEST, q->cache, record); n; n--)
		if (!ask_home(k, q, record, q->store ? COH_GETM : COH_GETS, &grant, out, err))
			return false;
	if (!grant || !arrives(k, COH_SEND_DATA, q->cache, record))
		return true;
	if (!arrive(k, q, record, place, grant, err))
		return false;
	cache->way[place].node = node;
	begin_life(k, q, record, place, why);
	if (q->store)
		store_to(k, q, place);
	if (cache->version)
		look_at_version(k, q, place);
	return true;
}

bool
coh_access(struct rp_coherence *k, const struct coh_request *q, struct coh_outcome *out,
    struct rp_err *err)
{
	struct coh_cache *cache = &k->cache[q->cache];
	uint32_t set = coh_set_of(&k->geometry, q->line);
	size_t place = coh_find(&k->geometry, cache, set, q->line);
	uint8_t state = place == SIZE_MAX ? COH_ABSENT : cache->way[place].state;
	unsigned actions = k->protocol->cache[state][q->store ? COH_STORE : COH_LOAD].actions;
	bool ok = true;
	cache->count.accesses++;
	*(q->store ? &cache->count.writes : &cache->count.reads) += 1;
	*out = (struct coh_outcome){ .how = COH_HIT };
	if (actions & COH_DO_HIT) {
		hit(k, q, set, place);
	} else if (actions & COH_DO_UPGRADE) {
		out->how = COH_UPGRADE;
		ok = upgrade(k, q, set, place, out, err);
	} else {
		out->how = COH_MISS;
		ok = miss(k, q, set, out, err);
	}
	return ok &&
	       (!k->config.verify || coh_check_line(k, coh_lines_find(&k->lines, q->line), err));
}

enum coh_how
coh_peek(const struct rp_coherence *k, uint32_t cache, uint64_t number, bool store)
{
	const struct coh_cache *c = &k->cache[cache];
	size_t place = coh_find(&k->geometry, c, coh_set_of(&k->geometry, number), number);
	uint8_t state = place == SIZE_MAX ? COH_ABSENT : c->way[place].state;
	unsigned actions = k->protocol->cache[state][store ? COH_STORE : COH_LOAD].actions;
	return actions & COH_DO_HIT ? COH_HIT : actions & COH_DO_UPGRADE ? COH_UPGRADE : COH_MISS;
}

bool
coh_entry_waits(const struct rp_coherence *k, uint64_t number)
{
	uint64_t skips = 0;
	if (!k->config.sparse || coh_directory_has_room(&k->directory, number))
		return false;
	uint32_t record = coh_lines_find(&k->lines, number);
	if (record != COH_NONE && coh_line(&k->lines, record)->state)
		return false;
	return coh_directory_victim(
		   &k->directory, number, k->hooks.may_recall, k->hooks.to, &skips) == COH_NONE;
}
