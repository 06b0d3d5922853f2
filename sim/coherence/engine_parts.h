/* engine_parts.h - what the parts of the engine ask of each other: accesses (engine.c), copies in caches (copies.c), the home
 * (home.c). */
#ifndef RP_SIM_COHERENCE_ENGINE_PARTS_H
#define RP_SIM_COHERENCE_ENGINE_PARTS_H

#include "sim/coherence/engine.h"

/* Why a copy was lost. */
enum coh_cause { COH_BY_EVICT, COH_BY_INV, COH_BY_FWD, COH_BY_RECALL };

/* How often a message arrives: once, but for tests. */
static inline unsigned
coh_arrives(const struct rp_coherence *k, enum coh_message m, uint32_t c, uint32_t record)
{
	return k->hooks.arrives ? k->hooks.arrives(k->hooks.to, m, c, record) : 1;
}

/* The statistics of a line, or NULL. */
static inline struct coh_stats *
coh_stats_of(const struct rp_coherence *k, struct coh_line *x)
{
	return k->lines.stats ? coh_stats(&k->lines, x) : NULL;
}

/* The masks of a place: unseen bytes of an open lifetime; bytes its owner stored to. */
static inline uint64_t *
coh_news_at(const struct rp_coherence *k, struct coh_cache *c, size_t place)
{
	return c->news + place * k->geometry.mask_words;
}

static inline uint64_t *
coh_stored_at(const struct rp_coherence *k, struct coh_cache *c, size_t place)
{
	return c->stored + place * k->geometry.mask_words;
}

/* A copy of cache c goes. */
void coh_lose(struct rp_coherence *k, uint32_t c, size_t place, enum coh_cause cause);

/* Another's store, or a recall, takes a line out of the reference cache of c, whether or not it is cached there. */
void coh_forget_reference(struct rp_coherence *k, struct coh_line *x, uint32_t record, uint32_t c);

/* A message comes to a cache, which does what its table says; *dirty: its copy was. RP_RESOURCE and whatever
 * hooks.memory fails with. */
bool coh_receive(struct rp_coherence *k, uint32_t c, uint32_t record, enum coh_cache_event event,
    bool *dirty, struct rp_err *err);

/* A line goes to memory from cache c, counted in *why too. */
bool coh_write_memory(
    struct rp_coherence *k, uint32_t c, uint32_t record, uint64_t *why, struct rp_err *err);

/* GetS or GetM comes to the home. *grant: the state in which the cache gets the line; left alone if it cannot. */
bool coh_ask_home(struct rp_coherence *k, const struct coh_request *q, uint32_t record,
    enum coh_home_event event, uint8_t *grant, struct coh_outcome *out, struct rp_err *err);

/* PutS or PutM of cache c comes to the home. */
bool coh_put_home(struct rp_coherence *k, uint32_t c, uint32_t record, enum coh_home_event event,
    struct rp_err *err);

#endif
