/* reference.h - the reference cache: a fully associative LRU list of lines, tags only, beside each private cache.
 *
 * It tells capacity from conflict: what it still has, a cache of that size could have kept. Another cache's store and the
 * directory's recall reach it, the private cache's own replacements do not. Lines are numbers of records
 * (sim/coherence/lines.h).
 *
 * Its nodes are a ring in the order of use, free ones last. So the node before the first is free or has the line used longest
 * ago, and to put a new line first it only becomes the first. A line's record remembers at which node a cache had it last
 * ("hint": whether it is still there, the node says); where records have no room for that, nodes are found by a hash. */
#ifndef RP_SIM_COHERENCE_REFERENCE_H
#define RP_SIM_COHERENCE_REFERENCE_H

#include "sim/coherence/chain.h"

enum { COH_FREE = UINT32_MAX, COH_HINTED_LINES = UINT16_MAX + 1 /* that hints can tell apart */ };

struct coh_node {
	uint32_t line; /* COH_FREE: none */
	uint32_t before, after;
};

struct coh_reference {
	uint32_t first;
	struct coh_node *node;
	struct coh_chain chain; /* where there are no hints */
};

/* `lines`: that fit. */
bool coh_reference_open(struct coh_reference *r, uint32_t lines, bool hinted, struct rp_err *err);
void coh_reference_close(struct coh_reference *r);
/* Finds nodes by a hash from now on. false: no memory. */
bool coh_reference_unhint(struct coh_reference *r, uint32_t lines, struct rp_err *err);

/* The node that has a line, or COH_FREE. `hint`: the line's; NULL: there are none. */
static inline uint32_t
coh_reference_find(const struct coh_reference *r, uint32_t line, const uint16_t *hint)
{
	if (hint)
		return r->node[*hint].line == line ? *hint : COH_FREE;
	uint32_t at = *coh_chain_of(&r->chain, line);
	while (at && r->node[at - 1].line != line)
		at = r->chain.next[at - 1];
	return at - 1;
}

/* Moves a node before the first, to the ring's end. */
static inline void
coh_reference_last(struct coh_reference *r, uint32_t n)
{
	struct coh_node *node = r->node, *x = &node[n];
	if (r->first == n) { /* going round, it is there already */
		r->first = x->after;
		return;
	}
	node[x->before].after = x->after;
	node[x->after].before = x->before;
	x->after = r->first;
	x->before = node[r->first].before;
	node[x->before].after = n;
	node[x->after].before = n;
}

/* A node's line is the one used last. */
static inline void
coh_reference_first(struct coh_reference *r, uint32_t n)
{
	if (r->first == n)
		return;
	coh_reference_last(r, n);
	r->first = n;
}

/* Frees a node. */
static inline void
coh_reference_drop(struct coh_reference *r, uint32_t n, bool hinted)
{
	if (!hinted)
		coh_chain_remove(&r->chain, r->node[n].line, n);
	r->node[n].line = COH_FREE;
	coh_reference_last(r, n);
}

/* A line that is not there becomes the one used last. Its node. */
static inline uint32_t
coh_reference_add(struct coh_reference *r, uint32_t line, uint16_t *hint)
{
	uint32_t n = r->first = r->node[r->first].before;
	if (!hint && r->node[n].line != COH_FREE)
		coh_chain_remove(&r->chain, r->node[n].line, n);
	r->node[n].line = line;
	if (hint)
		*hint = (uint16_t)n;
	else
		coh_chain_add(&r->chain, line, n);
	return n;
}

/* Makes a line the last used; *found: whether it was there. Its node. */
static inline uint32_t
coh_reference_use(struct coh_reference *r, uint32_t line, uint16_t *hint, bool *found)
{
	uint32_t n = coh_reference_find(r, line, hint);
	*found = n != COH_FREE;
	if (!*found)
		return coh_reference_add(r, line, hint);
	coh_reference_first(r, n);
	return n;
}

#endif
