/* caches.h - a private cache: which lines it has in which ways, in which states, and what its policy replaces.
 *
 * A hit stays within it, so what a hit changes of a line's record is kept beside the way and carried over when the copy
 * goes or its state does: how often it was hit, whether it was read, and which bytes its owner stored to. */
#ifndef RP_SIM_COHERENCE_CACHES_H
#define RP_SIM_COHERENCE_CACHES_H

#include "sim/coherence/coherence.h"
#include "sim/coherence/lines.h"
#include "sim/coherence/order.h"
#include "sim/coherence/reference.h"
#include "sim/policy/links.h"

struct coh_way {
	uint32_t line; /* its record */
	uint32_t node; /* where the reference cache had it last */
	uint32_t hits; /* not yet counted in the record */
	uint8_t state; /* COH_ABSENT: the way is free */
	bool open;     /* fetched by a coherence miss, of which kind is not decided */
	bool read;     /* by one of the hits */
};

/* Up to 16 ways lru's order is a word (sim/coherence/order.h); more, and fifo's, are linked (sim/policy/links.h). */
enum coh_policy { COH_LRU_WORD, COH_LRU_LINKS, COH_FIFO, COH_ANY_POLICY };

/* What all private caches have in common. */
struct coh_geometry {
	uint32_t sets, ways;
	uint32_t set_mask; /* sets - 1, if that is a mask; else 0 */
	bool hashed;       /* many ways: they are found by a hash */
	unsigned mask_words;
	enum coh_policy how;
	const struct rp_policy *policy;
	const uint64_t *arg;
	uint64_t seed;
	size_t set_bytes; /* of the policy's state of a set */
};

static inline bool
coh_is_lru(const struct coh_geometry *g)
{
	return g->how == COH_LRU_WORD || g->how == COH_LRU_LINKS;
}

/* Places of ways are set * ways + way. */
struct coh_cache {
	uint32_t stream; /* that it serves, or its number */
	uint64_t *tag;   /* numbers of lines, by place; of free ways: any */
	struct coh_way *way;
	uint64_t *news;    /* masks by place: unseen bytes, of an open lifetime; else anything */
	uint64_t *stored;  /* bytes stored to since the line was modified; 0 where it is not */
	uint64_t *version; /* of copies, with verify; else NULL */
	uint32_t *valid;   /* ways in use, by set */
	char *set_state;
	void *all_state;
	struct rp_rng rng;
	struct coh_chain index; /* of tags, if hashed */
	struct coh_reference reference;
	struct rp_coherence_counters count;
};

/* `hinted`: records of lines have hints for the reference cache. */
bool coh_cache_open(struct coh_cache *c, const struct coh_geometry *g, uint32_t stream, bool hinted,
    bool versions, struct rp_err *err);
void coh_cache_close(struct coh_cache *c);

/* A line access; pc, stream and kind are for policies that want to know. */
struct coh_request {
	uint64_t line;          /* number */
	uint32_t record;        /* probably the line's; COH_NONE: not known */
	uint32_t cache, offset; /* offset: of its first byte in the line */
	bool store;
	const uint64_t *mask; /* bytes it uses; empty of a prefetch */
	uint64_t pc;
	uint32_t stream;
	uint8_t kind;
};

static inline uint32_t
coh_set_of(const struct coh_geometry *g, uint64_t line)
{
	return g->set_mask || g->sets == 1 ? (uint32_t)line & g->set_mask
	                                   : (uint32_t)(line % g->sets);
}

static inline uint64_t *
coh_order(const struct coh_cache *c, uint32_t set)
{
	return (uint64_t *)c->set_state + set;
}

static inline struct rp_links *
coh_links(const struct coh_geometry *g, const struct coh_cache *c, uint32_t set)
{
	return (struct rp_links *)(c->set_state + set * g->set_bytes);
}

/* Where lru's order is a word: the place that is free or replaced next. */
static inline size_t
coh_last_place(const struct coh_geometry *g, const struct coh_cache *c, uint32_t set)
{
	return (size_t)set * g->ways + coh_order_at(*coh_order(c, set), g->ways - 1);
}

/* Place of a line that is cached, or SIZE_MAX. */
static inline size_t
coh_find(const struct coh_geometry *g, const struct coh_cache *c, uint32_t set, uint64_t line)
{
	if (g->hashed) {
		size_t at = *coh_chain_of(&c->index, line);
		while (at && c->tag[at - 1] != line)
			at = c->index.next[at - 1];
		return at - 1;
	}
	size_t base = (size_t)set * g->ways;
	for (size_t w = 0; w < g->ways; w++)
		if (c->tag[base + w] == line && c->way[base + w].state)
			return base + w;
	return SIZE_MAX;
}

/* Tells the policy that a place was looked up. */
void coh_touch_any(const struct coh_geometry *g, struct coh_cache *c, uint32_t set, uint32_t way,
    const struct coh_request *q);

static inline void
coh_touch(const struct coh_geometry *g, struct coh_cache *c, uint32_t set, size_t place,
    const struct coh_request *q)
{
	uint32_t way = (uint32_t)(place - (size_t)set * g->ways);
	if (g->how == COH_LRU_WORD) {
		uint64_t *order = coh_order(c, set);
		*order = coh_order_first(*order, way);
	} else if (g->how == COH_LRU_LINKS) {
		struct rp_links *l = coh_links(g, c, set);
		if (l->first != way + 1)
			rp_links_first(l, way);
	} else if (g->how == COH_ANY_POLICY) {
		coh_touch_any(g, c, set, way, q);
	}
}

/* A free way of the set, the first, or SIZE_MAX. */
size_t coh_free_way(const struct coh_geometry *g, const struct coh_cache *c, uint32_t set);

/* The way to replace in a set without a free one. `pinned`, unless NULL, has a bit for each way that may not be: not all
 * of them; *skips grows by the better ones passed over. */
size_t coh_victim(const struct coh_geometry *g, struct coh_cache *c, uint32_t set,
    const struct coh_request *q, const uint64_t *pinned, uint64_t *skips);

/* Puts a line into a free way of its set, in a state. Its masks are the caller's to clear. */
void coh_fill(const struct coh_geometry *g, struct coh_cache *c, uint32_t set, size_t place,
    uint32_t record, uint8_t state, const struct coh_request *q);

/* Frees a way; `from_outside`: not to fill it at once. */
void coh_empty(const struct coh_geometry *g, struct coh_cache *c, uint32_t set, size_t place,
    bool from_outside);

/* Tells the policy that a way is free and stays so. */
void coh_forget_way(const struct coh_geometry *g, struct coh_cache *c, uint32_t set, uint32_t way);

#endif
