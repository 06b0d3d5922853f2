/* chain.h - places found by a hash: chains through an array of places, of a fixed number. */
#ifndef RP_SIM_COHERENCE_CHAIN_H
#define RP_SIM_COHERENCE_CHAIN_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

struct coh_chain {
	uint32_t *first, *next; /* a place + 1; 0: none */
	uint32_t mask;
};

static inline bool
coh_chain_open(struct coh_chain *c, size_t places, struct rp_err *err)
{
	size_t n = 2;
	while (n < places + places / 2)
		n *= 2;
	c->mask = (uint32_t)(n - 1);
	c->first = rp_mem_array(n, sizeof *c->first, err);
	c->next = rp_mem_array(places, sizeof *c->next, err);
	return c->first && c->next;
}

static inline void
coh_chain_close(struct coh_chain *c)
{
	free(c->first);
	free(c->next);
}

/* Numbers that follow each other spread, and so do those that lie far apart. */
static inline uint32_t *
coh_chain_of(const struct coh_chain *c, uint64_t key)
{
	return &c->first[(uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & c->mask];
}

static inline void
coh_chain_add(struct coh_chain *c, uint64_t key, uint32_t place)
{
	uint32_t *first = coh_chain_of(c, key);
	c->next[place] = *first;
	*first = place + 1;
}

/* The place is in the key's chain. */
static inline void
coh_chain_remove(struct coh_chain *c, uint64_t key, uint32_t place)
{
	uint32_t *p = coh_chain_of(c, key);
	while (*p != place + 1)
		p = &c->next[*p - 1];
	*p = c->next[place];
}

#endif
