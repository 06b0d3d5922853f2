/* verify.c - what must hold after every access: of a line, of all, and between the counters. */
#include "config.h"

#include "sim/coherence/engine.h"

#include <inttypes.h>

/* Identities of the counters. Those that counters of copies take part in hold for a run from its beginning, so nothing is
 * left out of them for a warm-up. */
struct sums {
	struct rp_coherence_counters c;
	const struct rp_coherence_home *h;
	uint64_t open, dirty, clean, entries; /* copies: in open lifetimes, dirty, clean */
	bool silent;
};

#define LAWS(LAW)                                                                                  \
	LAW("accesses by outcome", s->c.accesses,                                                  \
	    s->c.read_hits + s->c.write_hits + s->c.upgrades + s->c.misses)                        \
	LAW("accesses by kind", s->c.accesses, s->c.reads + s->c.writes)                           \
	LAW("misses by kind", s->c.misses, s->c.read_misses + s->c.write_misses)                   \
	LAW("misses by class", s->c.misses,                                                        \
	    s->c.cold + s->c.capacity + s->c.conflict + s->c.coherence)                            \
	LAW("coherence misses by kind", s->c.coherence,                                            \
	    s->c.coherence_true + s->c.coherence_false + s->c.coherence_dir + s->open)             \
	LAW("misses and requests", s->c.misses, s->h->gets + s->h->getm - s->h->upgrades)          \
	LAW("misses by source", s->c.misses, s->h->mem_reads + s->c.hitm)                          \
	LAW("upgrades sent and received", s->c.upgrades, s->h->upgrades)                           \
	LAW("forwards by kind", s->h->forwards, s->h->fwd_gets + s->h->fwd_getm)                   \
	LAW("forwards sent and received", s->h->forwards,                                          \
	    s->c.fwd_gets_received + s->c.fwd_getm_received)                                       \
	LAW("forwards and hit-modified misses", s->h->forwards, s->c.hitm)                         \
	LAW("Inv sent and received", s->h->inv_sent, s->c.inv_received)                            \
	LAW("Inv sent and acknowledged", s->h->inv_sent, s->h->inv_acks)                           \
	LAW("Inv by reason", s->h->inv_sent, s->h->inv_sent_demand + s->h->inv_sent_back)          \
	LAW("back-invalidations", s->h->back_invalidations, s->h->inv_sent_back)                   \
	LAW("back-invalidations received", s->h->inv_sent_back, s->c.back_inv_received)            \
	LAW("stale Inv", s->silent ? 0 : s->c.inv_received_stale, 0)                               \
	LAW("ownership", s->h->getm, s->h->putm + s->h->forwards + s->h->wb_back_inv + s->dirty)   \
	LAW("memory writes", s->h->mem_writes,                                                     \
	    s->h->wb_putm + s->h->wb_fwd_gets + s->h->wb_back_inv)                                 \
	LAW("write-backs of owners", s->h->mem_writes, s->h->getm - s->h->fwd_getm - s->dirty)     \
	LAW("shared copies", s->h->gets + s->h->fwd_gets,                                          \
	    s->h->upgrades + s->c.evict_clean + s->c.inv_received - s->c.inv_received_stale -      \
		s->h->wb_back_inv + s->clean)                                                      \
	LAW("directory entries", s->h->dir_allocs,                                                 \
	    s->h->dir_frees + s->h->dir_evictions + s->entries)                                    \
	LAW("PutM and dirty evictions", s->h->putm, s->c.evict_dirty)                              \
	LAW("PutS and clean evictions", s->h->puts, s->silent ? 0 : s->c.evict_clean)

static bool
check_sums(const struct sums *s, struct rp_err *err)
{
#define LAW(name, left, right)                                                                     \
	if ((left) != (right))                                                                     \
		return rp_fail(err, RP_FAILED,                                                     \
		    "invariant: " name ": %" PRIu64 " are not %" PRIu64, (uint64_t)(left),         \
		    (uint64_t)(right));
	LAWS(LAW)
	return true;
}

/* The copies of all caches, of one line if it is not COH_NONE. */
static bool
check_copy(struct rp_coherence *k, uint32_t c, size_t place, struct rp_err *err)
{
	const struct rp_protocol *p = k->protocol;
	const struct coh_cache *cache = &k->cache[c];
	const struct coh_way *w = &cache->way[place];
	struct coh_line *x = coh_line(&k->lines, w->line);
	unsigned flags = p->cache_state[w->state].flags;
	size_t bytes = k->lines.set_bytes;
	uint64_t address = x->number * k->config.line;
	const char *wrong = NULL;
	if (x->number != cache->tag[place] || !coh_has(coh_set(&k->lines, x, COH_HOLDERS), c))
		wrong = "a copy that is not on record";
	else if ((flags & COH_CAN_WRITE) &&
		 coh_has_others(coh_set(&k->lines, x, COH_HOLDERS), bytes, c))
		wrong = "a line may be written in one cache and is in another (SWMR)";
	else if (!x->state || !coh_has(coh_set(&k->lines, x, COH_SHARERS), c))
		wrong = "the directory does not name a cache that has a copy";
	else if (!!(flags & COH_IS_OWNER) != (p->home_state[x->state].owned && x->owner == c))
		wrong = "cache and directory do not agree on the owner";
	else if (cache->version && cache->version[place] != k->version[w->line])
		wrong = "a copy is not the latest version";
	return !wrong ||
	       rp_fail(err, RP_FAILED, "invariant: line 0x%" PRIx64 ", cache %" PRIu32 ": %s",
		   address, cache->stream, wrong);
}

/* What must hold of a line's entry. */
static bool
check_entry(struct rp_coherence *k, uint32_t record, struct rp_err *err)
{
	struct coh_line *x = coh_line(&k->lines, record);
	const uint8_t *holders = coh_set(&k->lines, x, COH_HOLDERS),
		      *sharers = coh_set(&k->lines, x, COH_SHARERS);
	size_t bytes = k->lines.set_bytes, n = coh_count(sharers, bytes);
	const char *wrong = NULL;
	if (!x->state != !n)
		wrong = "an entry without caches, or caches without an entry";
	else if (k->protocol->home_state[x->state].owned &&
		 (n != 1 || !coh_has(sharers, x->owner) || !coh_has(holders, x->owner)))
		wrong = "an owned entry that is not its owner's alone";
	else if ((!k->config.silent && memcmp(holders, sharers, bytes) != 0))
		wrong = "the entry names other caches than have copies";
	else if (k->memory_version && !k->protocol->home_state[x->state].owned &&
		 k->memory_version[record] != k->version[record])
		wrong = "memory is not the latest version though no cache is";
	else if (k->config.sparse && x->state && k->directory.entry[x->place] != record)
		wrong = "the directory has another line in its place";
	return !wrong || rp_fail(err, RP_FAILED, "invariant: line 0x%" PRIx64 ": %s",
			     x->number * k->config.line, wrong);
}

/* One set and LRU: what the reference cache has is what the cache has. */
static bool
check_reference(struct rp_coherence *k, uint32_t c, struct rp_err *err)
{
	const struct coh_cache *cache = &k->cache[c];
	const struct coh_reference *r = &cache->reference;
	bool same = cache->count.conflict == 0;
	size_t listed = 0;
	for (uint32_t n = 0; n < k->geometry.ways; n++)
		listed += r->node[n].line != COH_FREE;
	for (size_t p = 0; p < k->geometry.ways; p++) {
		uint32_t record = cache->way[p].line;
		if (!cache->way[p].state)
			continue;
		const uint16_t *hint = coh_hint(&k->lines, coh_line(&k->lines, record), c);
		same = same && coh_reference_find(r, record, hint) != COH_FREE;
	}
	return (same && listed == cache->valid[0]) ||
	       rp_fail(err, RP_FAILED,
		   "invariant: cache %" PRIu32 ": one set and lru, but its lines are not those of "
		   "the fully associative list",
		   cache->stream);
}

static bool
check_counters(struct rp_coherence *k, struct rp_err *err)
{
	struct sums s = { .h = &k->home, .entries = k->entries, .silent = k->config.silent };
	size_t places = (size_t)k->geometry.sets * k->geometry.ways;
	for (size_t c = 0; c < k->n; c++) {
		rp_coherence_counters_add(&s.c, &k->cache[c].count);
		for (size_t p = 0; p < places; p++) {
			const struct coh_way *w = &k->cache[c].way[p];
			unsigned flags = k->protocol->cache_state[w->state].flags;
			s.open += w->state && w->open;
			s.dirty += (flags & COH_IS_DIRTY) != 0;
			s.clean += w->state && !(flags & COH_IS_DIRTY);
		}
	}
	s.open += k->forgotten;
	return check_sums(&s, err);
}

static bool
is_broken(const struct rp_coherence *k, struct rp_err *err)
{
	return k->broken && !rp_fail(err, RP_FAILED, "invariant: %s", k->broken);
}

bool
rp_coherence_check(struct rp_coherence *k, struct rp_err *err)
{
	size_t places = (size_t)k->geometry.sets * k->geometry.ways;
	uint64_t holders = 0, copies = 0, entries = 0;
	if (is_broken(k, err))
		return false;
	for (uint32_t c = 0; c < k->n; c++)
		for (size_t p = 0; p < places; p++)
			if (k->cache[c].way[p].state) {
				copies++;
				if (!check_copy(k, c, p, err))
					return false;
			}
	for (uint32_t i = 0; i < k->lines.records.n; i++) {
		struct coh_line *x = coh_line(&k->lines, i);
		holders += coh_count(coh_set(&k->lines, x, COH_HOLDERS), k->lines.set_bytes);
		entries += x->state != COH_ABSENT;
		if (!check_entry(k, i, err))
			return false;
	}
	if (holders != copies || entries != k->entries)
		return rp_fail(err, RP_FAILED,
		    "invariant: %" PRIu64 " copies and %" PRIu64 " entries, on record are %" PRIu64
		    " and %" PRIu64,
		    copies, k->entries, holders, entries);
	bool mirrored = k->geometry.sets == 1 && coh_is_lru(&k->geometry) && !k->forced &&
	                !k->home.dir_victim_skips;
	for (uint32_t c = 0; mirrored && c < k->n; c++)
		if (!k->cache[c].count.victim_skips && !check_reference(k, c, err))
			return false;
	return check_counters(k, err);
}

bool
coh_check_line(struct rp_coherence *k, uint32_t record, struct rp_err *err)
{
	struct coh_line *x = coh_line(&k->lines, record);
	if (is_broken(k, err) || !check_entry(k, record, err))
		return false;
	for (uint32_t c = 0; c < k->n; c++) {
		uint32_t set = coh_set_of(&k->geometry, x->number);
		size_t place = coh_find(&k->geometry, &k->cache[c], set, x->number);
		bool holds = coh_has(coh_set(&k->lines, x, COH_HOLDERS), c);
		if (holds != (place != SIZE_MAX))
			return rp_fail(err, RP_FAILED,
			    "invariant: line 0x%" PRIx64 ": cache %" PRIu32
			    " has a copy, or has none, and the record says otherwise",
			    x->number * k->config.line, k->cache[c].stream);
		if (holds && !check_copy(k, c, place, err))
			return false;
	}
	return true;
}
