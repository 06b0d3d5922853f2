/* reference.h - the reference cache: a fully associative LRU list of lines, tags only, beside each private cache.
 *
 * It tells capacity from conflict: what it still has, a cache of that size could have kept. Another cache's store and the
 * directory's recall reach it, the private cache's own replacements do not. Lines are numbers of records
 * (sim/coherence/lines.h). */
#ifndef RP_SIM_COHERENCE_REFERENCE_H
#define RP_SIM_COHERENCE_REFERENCE_H

#include "sim/coherence/chain.h"
#include "sim/policy/links.h"

struct coh_reference {
	uint32_t lines, used; /* that fit; nodes that were ever in use */
	uint32_t spare;       /* first free node + 1, of those once in use; 0: none */
	uint32_t *line;       /* by node; of a free one COH_NONE, and its link leads to the next */
	struct rp_links *order;
	struct coh_chain chain;
};

bool coh_reference_open(struct coh_reference *r, uint32_t lines, struct rp_err *err);
void coh_reference_close(struct coh_reference *r);

/* The node that has a line, or COH_NONE. */
static inline uint32_t
coh_reference_find(const struct coh_reference *r, uint32_t line)
{
	uint32_t at = *coh_chain_of(&r->chain, line);
	while (at && r->line[at - 1] != line)
		at = r->chain.next[at - 1];
	return at - 1;
}

/* Takes a node out. */
static inline void
coh_reference_drop(struct coh_reference *r, uint32_t node)
{
	coh_chain_remove(&r->chain, r->line[node], node);
	rp_links_out(r->order, node);
	r->line[node] = UINT32_MAX;
	r->chain.next[node] = r->spare;
	r->spare = node + 1;
}

/* Makes a line the last used; *found: whether it was there. Its node. */
static inline uint32_t
coh_reference_use(struct coh_reference *r, uint32_t line, bool *found)
{
	uint32_t node = coh_reference_find(r, line);
	*found = node != UINT32_MAX;
	if (!*found) {
		if (r->spare) {
			node = r->spare - 1;
			r->spare = r->chain.next[node];
		} else if (r->used < r->lines) {
			node = r->used++;
		} else {
			node = r->order->last - 1;
			coh_chain_remove(&r->chain, r->line[node], node);
		}
		r->line[node] = line;
		coh_chain_add(&r->chain, line, node);
	}
	if (r->order->first != node + 1)
		rp_links_first(r->order, node);
	return node;
}

/* The same of a line that was at `node` last time, if it still is. */
static inline uint32_t
coh_reference_again(struct coh_reference *r, uint32_t line, uint32_t node)
{
	bool found;
	if (r->line[node] != line)
		return coh_reference_use(r, line, &found);
	if (r->order->first != node + 1)
		rp_links_first(r->order, node);
	return node;
}

#endif
