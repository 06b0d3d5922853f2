/* engine.c - one line access as an atomic transaction.
 *
 * The order of what happens matters to counters, and is kept: the reference cache, the private cache, the victim, the
 * directory's victim, the home's answer, the fill, the masks. Who does what is in the protocol's tables. */
#include "config.h"

#include "sim/coherence/engine_parts.h"

#include <string.h>

/* Which rule a miss fell under. */
enum miss { MISS_COLD, MISS_TAKEN, MISS_RECALLED, MISS_REPLACED };

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
	coh_lose(k, q->cache, *place, COH_BY_EVICT);
	bool puts = (r->actions & COH_DO_PUTS) && !k->config.silent;
	if (!puts && !(r->actions & COH_DO_PUTM))
		return true;
	for (unsigned n = coh_arrives(k, COH_SEND_PUT, q->cache, record); n; n--)
		if (!coh_put_home(k, q->cache, record, puts ? COH_PUTS : COH_PUTM, err))
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
	struct coh_stats *s = coh_stats_of(k, x);
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
	struct coh_stats *s = coh_stats_of(k, x);
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
			memcpy(coh_news_at(k, cache, place), unseen, bytes);
		return;
	}
	if (miss == MISS_TAKEN) {
		cache->count.first_ref_true++;
		count_true(k, cache, x);
	}
	if (unseen)
		coh_mask_clear(unseen, k->lines.mask_words);
}

/* The masks after an access that found the line. */
static void
use_copy(struct rp_coherence *k, const struct coh_request *q, size_t place)
{
	struct coh_cache *cache = &k->cache[q->cache];
	struct coh_way *w = &cache->way[place];
	uint64_t *news = coh_news_at(k, cache, place), *unseen;
	if (!uses(k, news, q->mask))
		return;
	struct coh_line *x = coh_line(&k->lines, w->line);
	w->open = false;
	coh_mask_clear(news, k->lines.mask_words);
	if ((unseen = coh_unseen(&k->lines, x, q->cache)))
		coh_mask_clear(unseen, k->lines.mask_words);
	count_true(k, cache, x);
}

/* A store in a copy that may be written. */
static void
store_to(struct rp_coherence *k, const struct coh_request *q, size_t place)
{
	uint64_t *stored = coh_stored_at(k, &k->cache[q->cache], place);
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
	struct coh_stats *s = coh_stats_of(k, x);
	uint8_t grant = COH_ABSENT;
	w->node = coh_reference_again(&cache->reference, record, w->node);
	cache->count.upgrades++;
	coh_touch(&k->geometry, cache, set, place, q);
	if (s) {
		s->accesses++;
		s->upgrades++;
		coh_add(coh_set(&k->lines, x, COH_WRITERS), q->cache);
	}
	for (unsigned n = coh_arrives(k, COH_SEND_REQUEST, q->cache, record); n; n--)
		if (!coh_ask_home(k, q, record, COH_GETM_COPY, &grant, out, err))
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
	if (!k->config.verify || k->lines.records.n <= k->versions)
		return true;
	size_t n = 2 * k->lines.records.n;
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
	coh_fill(&k->geometry, cache, coh_set_of(&k->geometry, q->line), place, record, state, q);
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
	uint32_t record = q->record;
	if (record == COH_NONE || coh_line(&k->lines, record)->number != q->line)
		record = coh_lines_make(&k->lines, q->line, err);
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
	for (unsigned n = coh_arrives(k, COH_SEND_REQUEST, q->cache, record); n; n--)
		if (!coh_ask_home(k, q, record, q->store ? COH_GETM : COH_GETS, &grant, out, err))
			return false;
	if (!grant || !coh_arrives(k, COH_SEND_DATA, q->cache, record))
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
