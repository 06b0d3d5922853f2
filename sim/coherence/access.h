/* access.h - one line access as an atomic transaction. A part of the engine (sim/coherence/shape.h).
 *
 * The order of what happens matters to counters, and is kept: the reference cache, the private cache, the victim, the
 * directory's victim, the home's answer, the fill, the masks. Who does what is in the protocol's tables. */
#ifndef RP_SIM_COHERENCE_ACCESS_H
#define RP_SIM_COHERENCE_ACCESS_H

#include "sim/coherence/home.h"

/* Which rule a miss fell under. */
enum miss { MISS_COLD, MISS_TAKEN, MISS_RECALLED, MISS_REPLACED };

/* A copy leaves to make room, completely: the home is told what it is to be told. */
static inline bool
evict(struct rp_coherence *k, uint32_t c, uint32_t set, size_t place, struct rp_err *err)
{
	struct coh_cache *cache = &k->cache[c];
	uint8_t state = cache->way[place].state;
	uint32_t record = cache->way[place].line;
	struct coh_line *x = coh_line(&k->lines, record);
	unsigned actions = k->protocol->cache[state][COH_REPLACE].actions;
	bool dirty = k->protocol->cache_state[state].flags & COH_IS_DIRTY;
	*(dirty ? &cache->count.evict_dirty : &cache->count.evict_clean) += 1;
	lose(k, x, c, set, place, BY_EVICT);
	bool puts = (actions & COH_DO_PUTS) && !k->config.silent;
	if (!puts && !(actions & COH_DO_PUTM))
		return true;
	for (unsigned n = arrives(k, COH_SEND_PUT, c, record); n; n--)
		if (!put_home(k, x, record, c, puts ? COH_PUTS : COH_PUTM, err))
			return false;
	return true;
}

/* Makes a way free for a miss: the first that is, or a victim's. */
static inline bool
make_room(struct rp_coherence *k, const struct coh_request *q, uint32_t set, size_t *place,
    struct coh_outcome *out, struct rp_err *err)
{
	struct coh_cache *cache = &k->cache[q->cache];
	if (IS_WORD(k) && !k->hooks.pinned) {
		*place = coh_last_place(&k->geometry, cache, set);
		if (!cache->way[*place].state)
			return true;
	} else if (cache->valid[set] < k->geometry.ways) {
		*place = coh_free_way(&k->geometry, cache, set);
		return true;
	} else {
		*place = coh_victim_of(k, q, set);
	}
	out->victim = cache->tag[*place];
	return evict(k, q->cache, set, *place, err);
}

/* Why a miss missed, by the first rule that applies. */
static inline enum miss
classify(struct rp_coherence *k, const struct coh_request *q, struct coh_line *x, bool in_reference)
{
	struct rp_coherence_counters *n = &k->cache[q->cache].count;
	uint32_t c = q->cache;
	if (!has(set_of(k, x, COH_EVER), c)) {
		n->cold++;
		return MISS_COLD;
	}
	if (has(set_of(k, x, COH_TAKEN), c)) {
		n->coherence++;
		return MISS_TAKEN;
	}
	if (has(set_of(k, x, COH_RECALLED), c)) {
		n->coherence++;
		n->coherence_dir++;
		return MISS_RECALLED;
	}
	*(in_reference ? &n->conflict : &n->capacity) += 1;
	n->repl_remote_written += has(set_of(k, x, COH_STORED), c);
	return MISS_REPLACED;
}

static inline void
count_miss(struct rp_coherence *k, const struct coh_request *q, struct coh_line *x, enum miss miss)
{
	struct rp_coherence_counters *n = &k->cache[q->cache].count;
	struct coh_stats *s = stats_of(k, x);
	n->misses++;
	*(q->store ? &n->write_misses : &n->read_misses) += 1;
	n->remote_present += coh_has_others(set_of(k, x, COH_HOLDERS), SET_BYTES(k), q->cache);
	if (!s)
		return;
	s->accesses++;
	s->misses++;
	s->dir += miss == MISS_RECALLED;
	add(set_of(k, x, q->store ? COH_WRITERS : COH_READERS), q->cache);
}

/* Whether an access uses bytes that others wrote. */
static inline bool
uses(const struct rp_coherence *k, const uint64_t *unseen, const uint64_t *mask)
{
	uint64_t any = 0;
	(void)k;
	for (unsigned w = 0; w < MASK_WORDS(k); w++)
		any |= unseen[w] & mask[w];
	return any;
}

static inline void
count_true(struct rp_coherence *k, struct coh_cache *cache, struct coh_line *x)
{
	struct coh_stats *s = stats_of(k, x);
	cache->count.coherence_true++;
	if (s)
		s->true_sharing++;
}

/* The masks after a miss: a line that was taken away may bring news, anything else was needed anyway. */
static inline void
begin_life(struct rp_coherence *k, const struct coh_request *q, struct coh_line *x, size_t place,
    enum miss miss)
{
	struct coh_cache *cache = &k->cache[q->cache];
	if (miss == MISS_COLD) /* its mask is new */
		return;
	uint8_t *news = set_of(k, x, COH_NEWS);
	const uint64_t *unseen = has(news, q->cache) ? unseen_of(k, x, q->cache) : NULL;
	if (miss == MISS_TAKEN && !(unseen && uses(k, unseen, q->mask))) {
		cache->way[place].open = true;
		for (unsigned w = 0; w < MASK_WORDS(k); w++)
			news_at(k, cache, place)[w] = unseen ? unseen[w] : 0;
		return;
	}
	if (miss == MISS_TAKEN) {
		cache->count.first_ref_true++;
		count_true(k, cache, x);
	}
	drop(news, q->cache);
}

/* The masks after an access that found the line. */
static inline void
use_copy(struct rp_coherence *k, const struct coh_request *q, size_t place)
{
	struct coh_cache *cache = &k->cache[q->cache];
	if (!cache->way[place].open || !uses(k, news_at(k, cache, place), q->mask))
		return;
	struct coh_line *x = coh_line(&k->lines, cache->way[place].line);
	cache->way[place].open = false;
	drop(set_of(k, x, COH_NEWS), q->cache);
	count_true(k, cache, x);
}

/* A store in a copy that may be written. */
static inline void
store_to(struct rp_coherence *k, const struct coh_request *q, size_t place)
{
	uint64_t *stored = stored_at(k, &k->cache[q->cache], place);
	for (unsigned w = 0; w < MASK_WORDS(k); w++)
		stored[w] |= q->mask[w];
}

/* The reference cache's part of an access that found the line. */
static inline void
refer(struct rp_coherence *k, uint32_t c, struct coh_way *w)
{
	struct coh_reference *r = &k->cache[c].reference;
	bool found;
	if (r->node[w->node].line == w->line)
		coh_reference_first(r, w->node);
	else
		w->node = coh_reference_use(
		    r, w->line, hint_of(k, coh_line(&k->lines, w->line), c), &found);
}

static inline void
hit(struct rp_coherence *k, const struct coh_request *q, uint32_t set, size_t place)
{
	struct coh_cache *cache = &k->cache[q->cache];
	struct coh_way *w = &cache->way[place];
	refer(k, q->cache, w);
	*(q->store ? &cache->count.write_hits : &cache->count.read_hits) += 1;
	coh_touch(&k->geometry, cache, set, place, q);
	if (!++w->hits && k->lines.stats)
		coh_stats(&k->lines, coh_line(&k->lines, w->line))->accesses += UINT64_C(1) << 32;
	w->read |= !q->store;
	use_copy(k, q, place);
	if (q->store)
		store_to(k, q, place);
	if (cache->version)
		coh_look_at_version(k, q, place);
}

/* Makes masks for a line that cache c gets when others had it and somebody could write. */
static inline bool
give_masks(struct rp_coherence *k, struct coh_line *x, uint32_t c, struct rp_err *err)
{
	return x->room || !x->written || !coh_has_others(set_of(k, x, COH_EVER), SET_BYTES(k), c) ||
	       coh_lines_make_masks(&k->lines, x, err);
}

static inline bool
upgrade(struct rp_coherence *k, const struct coh_request *q, uint32_t set, size_t place,
    struct coh_outcome *out, struct rp_err *err)
{
	struct coh_cache *cache = &k->cache[q->cache];
	struct coh_way *w = &cache->way[place];
	uint32_t record = w->line;
	struct coh_line *x = coh_line(&k->lines, record);
	struct coh_stats *s = stats_of(k, x);
	uint8_t grant = COH_ABSENT;
	out->record = record;
	refer(k, q->cache, w);
	cache->count.upgrades++;
	coh_touch(&k->geometry, cache, set, place, q);
	if (s) {
		s->accesses++;
		s->upgrades++;
		add(set_of(k, x, COH_WRITERS), q->cache);
	}
	for (unsigned n = arrives(k, COH_SEND_REQUEST, q->cache, record); n; n--)
		if (!ask_home(k, q, x, record, COH_GETM_COPY, &grant, out, err))
			return false;
	if (!grant)
		return true;
	if (!give_masks(k, x, q->cache, err))
		return false;
	w->state = grant;
	use_copy(k, q, place);
	store_to(k, q, place);
	if (cache->version)
		coh_look_at_version(k, q, place);
	return true;
}

/* The line arrives. */
static inline bool
arrive(struct rp_coherence *k, const struct coh_request *q, struct coh_line *x, uint32_t record,
    uint32_t set, size_t place, uint8_t state, struct rp_err *err)
{
	struct coh_cache *cache = &k->cache[q->cache];
	if (!has(set_of(k, x, COH_EVER), q->cache) &&
	    !coh_lines_hold(&k->lines, record, q->cache, err))
		return false;
	if (!give_masks(k, x, q->cache, err))
		return false;
	coh_fill(&k->geometry, cache, set, place, record, state, q);
	add(set_of(k, x, COH_HOLDERS), q->cache);
	drop(set_of(k, x, COH_TAKEN), q->cache);
	drop(set_of(k, x, COH_RECALLED), q->cache);
	if (cache->version)
		cache->version[place] = k->version[record];
	return true;
}

/* The reference cache's part of a miss; *found: it has the line. The line's node. */
static inline uint32_t
refer_to_absent(
    struct rp_coherence *k, struct coh_line *x, uint32_t record, uint32_t c, bool *found)
{
	struct coh_reference *r = &k->cache[c].reference;
	uint16_t *hint = hint_of(k, x, c);
	uint8_t *listed = set_of(k, x, COH_LISTED);
	*found = false;
	if (has(listed, c))
		return coh_reference_use(r, record, hint, found);
	add(listed, c);
	return coh_reference_add(r, record, hint);
}

static inline bool
miss(struct rp_coherence *k, const struct coh_request *q, uint32_t set, struct coh_outcome *out,
    struct rp_err *err)
{
	struct coh_cache *cache = &k->cache[q->cache];
	uint32_t record = q->record;
	size_t place;
	uint8_t grant = COH_ABSENT;
	bool found;
	if (record == COH_NONE || coh_line(&k->lines, record)->number != q->line)
		record = coh_lines_make(&k->lines, q->line, err);
	if (record == COH_NONE || (k->config.verify && !coh_make_versions(k, err)))
		return false;
	out->record = record;
	struct coh_line *x = coh_line(&k->lines, record);
	uint32_t node = refer_to_absent(k, x, record, q->cache, &found);
	enum miss why = classify(k, q, x, found);
	count_miss(k, q, x, why);
	if (!make_room(k, q, set, &place, out, err))
		return false;
	for (unsigned n = arrives(k, COH_SEND_REQUEST, q->cache, record); n; n--)
		if (!ask_home(k, q, x, record, q->store ? COH_GETM : COH_GETS, &grant, out, err))
			return false;
	unsigned data = grant ? arrives(k, COH_SEND_DATA, q->cache, record) : 0;
	if (data > 1)
		k->broken = "data came for a line that nobody waits for";
	if (!data)
		return true;
	if (!arrive(k, q, x, record, set, place, grant, err))
		return false;
	cache->way[place].node = node;
	begin_life(k, q, x, place, why);
	if (q->store)
		store_to(k, q, place);
	if (cache->version)
		coh_look_at_version(k, q, place);
	return true;
}

/* Whether the line's record, where it is known, says that the cache does not have it: that spares the search. */
static inline bool
is_elsewhere(const struct rp_coherence *k, const struct coh_request *q)
{
	if (q->record == COH_NONE)
		return false;
	const struct coh_line *x = coh_line(&k->lines, q->record);
	return x->number == q->line && !has(set_of(k, x, COH_HOLDERS), q->cache);
}

static inline bool
access(struct rp_coherence *k, const struct coh_request *q, struct coh_outcome *out,
    struct rp_err *err)
{
	struct coh_cache *cache = &k->cache[q->cache];
	uint32_t set = coh_set_of(&k->geometry, q->line);
	size_t place = is_elsewhere(k, q) ? SIZE_MAX : coh_find(&k->geometry, cache, set, q->line);
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

#endif
