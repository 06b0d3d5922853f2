/* engine.c - one line access as an atomic transaction: which of the compiled engines does it, and what they share. */
#include "config.h"

#include "sim/coherence/engine.h"

#include "base/mem.h"

#include <string.h>

static const struct coh_engine *
engine_of(const struct rp_coherence *k)
{
	bool plain = k->geometry.mask_words == 1 && k->geometry.how == COH_LRU_WORD;
	return plain && k->lines.hints_at         ? &coh_engine_8
	       : plain && k->lines.set_bytes == 8 ? &coh_engine_64
	                                          : &coh_engine_any;
}

bool
coh_access(struct rp_coherence *k, const struct coh_request *q, struct coh_outcome *out,
    struct rp_err *err)
{
	return engine_of(k)->one(k, q, out, err);
}

bool
coh_evict(struct rp_coherence *k, uint32_t cache, uint64_t number, struct rp_err *err)
{
	uint32_t set = coh_set_of(&k->geometry, number);
	size_t place = coh_find(&k->geometry, &k->cache[cache], set, number);
	k->forced = true;
	return place == SIZE_MAX || engine_of(k)->leave(k, cache, set, place, err);
}

bool
coh_rows(
    struct rp_coherence *k, const struct rp_batch *b, const uint32_t *cache, struct rp_err *err)
{
	return engine_of(k)->rows(k, b, cache, err);
}

size_t
coh_victim_of(struct rp_coherence *k, const struct coh_request *q, uint32_t set)
{
	uint32_t ways = k->geometry.ways;
	struct coh_cache *cache = &k->cache[q->cache];
	const uint64_t *tag = cache->tag + (size_t)set * ways;
	bool any = false;
	memset(k->pinned, 0, (ways + 63) / 64 * sizeof *k->pinned);
	for (uint32_t w = 0; k->hooks.pinned && w < ways; w++)
		if (k->hooks.pinned(k->hooks.to, q->cache, tag[w])) {
			k->pinned[w / 64] |= UINT64_C(1) << w % 64;
			any = true;
		}
	return coh_victim(
	    &k->geometry, cache, set, q, any ? k->pinned : NULL, &cache->count.victim_skips);
}

void
coh_look_at_version(struct rp_coherence *k, const struct coh_request *q, size_t place)
{
	struct coh_cache *cache = &k->cache[q->cache];
	uint32_t record = cache->way[place].line;
	if (cache->version[place] != k->version[record])
		k->broken = "an access found a copy that is not the latest";
	if (q->store)
		cache->version[place] = ++k->version[record];
}

bool
coh_make_versions(struct rp_coherence *k, struct rp_err *err)
{
	if (k->lines.records.n <= k->versions)
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

void
coh_settle(struct rp_coherence *k)
{
	size_t places = (size_t)k->geometry.sets * k->geometry.ways;
	for (uint32_t c = 0; k->lines.stats && c < k->n; c++)
		for (size_t p = 0; p < places; p++) {
			struct coh_way *w = &k->cache[c].way[p];
			if (!w->state)
				continue;
			struct coh_line *x = coh_line(&k->lines, w->line);
			coh_stats(&k->lines, x)->accesses += w->hits;
			if (w->read)
				coh_add(coh_set(&k->lines, x, COH_READERS), c);
			w->hits = 0;
			w->read = false;
		}
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
