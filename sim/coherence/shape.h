/* shape.h - what the engine's loops know when they are compiled: how wide a set of caches is, and a mask.
 *
 * The engine (access.h, home.h, copies.h, rows.h) is compiled once for up to 8 caches with hints, once for up to 64, both
 * with masks of one word and LRU of up to 16 ways, and once for everything. A file that includes these defines COH_SHAPE as 8, 64 or 0. */
#ifndef RP_SIM_COHERENCE_SHAPE_H
#define RP_SIM_COHERENCE_SHAPE_H

#include "sim/coherence/engine.h"

#if COH_SHAPE == 8
#define SET_BYTES(k) ((size_t)1)
#define SETS_AT(k)   offsetof(struct coh_line, rest)
#elif COH_SHAPE == 64
#define SET_BYTES(k) ((size_t)8)
#define SETS_AT(k)   ((size_t)24)
#else
#define SET_BYTES(k) ((k)->lines.set_bytes)
#define SETS_AT(k)   ((k)->lines.sets_at)
#endif

#if COH_SHAPE
#define MASK_WORDS(k) 1U
#define IS_WORD(k)    true
#else
#define MASK_WORDS(k) ((k)->geometry.mask_words)
#define IS_WORD(k)    ((k)->geometry.how == COH_LRU_WORD)
#endif

/* Sets of caches of a line, and their members. */
static inline uint8_t *
set_of(const struct rp_coherence *k, const struct coh_line *x, unsigned which)
{
	(void)k;
	return (uint8_t *)x + SETS_AT(k) + which * SET_BYTES(k);
}

#if COH_SHAPE == 8
#define BYTE_OF(c) 0
#else
#define BYTE_OF(c) ((c) / 8)
#endif

static inline bool
has(const uint8_t *set, uint32_t c)
{
	return set[BYTE_OF(c)] >> c % 8 & 1;
}

static inline void
add(uint8_t *set, uint32_t c)
{
	set[BYTE_OF(c)] |= (uint8_t)(1U << c % 8);
}

static inline void
drop(uint8_t *set, uint32_t c)
{
	set[BYTE_OF(c)] &= (uint8_t) ~(1U << c % 8);
}

/* The statistics of a line, or NULL. */
static inline struct coh_stats *
stats_of(const struct rp_coherence *k, struct coh_line *x)
{
	return k->lines.stats ? coh_stats(&k->lines, x) : NULL;
}

/* The masks of a place: unseen bytes of an open lifetime; bytes its owner stored to. */
static inline uint64_t *
news_at(const struct rp_coherence *k, struct coh_cache *c, size_t place)
{
	(void)k;
	return c->news + place * MASK_WORDS(k);
}

static inline uint64_t *
stored_at(const struct rp_coherence *k, struct coh_cache *c, size_t place)
{
	(void)k;
	return c->stored + place * MASK_WORDS(k);
}

/* The mask of a cache that ever held the line, which has masks. */
static inline uint64_t *
unseen_of(const struct rp_coherence *k, const struct coh_line *x, uint32_t c)
{
#if COH_SHAPE == 8
	uint32_t place = c;
#else
	uint32_t place = coh_mask_place(&k->lines, x, c);
#endif
	return coh_pool_at(&k->lines.masks, x->unseen + place);
}

/* At which node a cache's reference cache had the line last; NULL: it has no hints. */
static inline uint16_t *
hint_of(const struct rp_coherence *k, const struct coh_line *x, uint32_t c)
{
#if COH_SHAPE == 8
	(void)k;
	return (uint16_t *)((unsigned char *)x + COH_HINTS_AT) + c;
#elif COH_SHAPE == 64
	(void)k, (void)x, (void)c;
	return NULL;
#else
	return coh_hint(&k->lines, x, c);
#endif
}

/* How often a message arrives: once, but for tests. */
static inline unsigned
arrives(const struct rp_coherence *k, enum coh_message m, uint32_t c, uint32_t record)
{
	return k->hooks.arrives ? k->hooks.arrives(k->hooks.to, m, c, record) : 1;
}

#endif
