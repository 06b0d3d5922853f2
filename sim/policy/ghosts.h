/* ghosts.h - lines that a set remembers after they have left it: numbered, and found by a hash table.
 *
 * Which of them to forget is the policy's, which queues them by number (sim/policy/queue.h). */
#ifndef RP_SIM_POLICY_GHOSTS_H
#define RP_SIM_POLICY_GHOSTS_H

#include "sim/policy/queue.h"

#include "base/hash.h"

#include <stddef.h>
#include <stdint.h>

/* Where the parts lie in the set's state, for at most `cap` lines. */
struct rp_ghosts {
	struct rp_ghosts_head {
		uint32_t used,
		    spare; /* numbers ever given out; the first that is free again, + 1 */
	} * head;
	uint64_t *line;  /* by number */
	uint32_t *table; /* the first number, + 1, of each chain */
	uint32_t *next;  /* by number: the one behind it in its chain, or of the free ones, + 1 */
	uint32_t mask;
};

enum { RP_NO_GHOST = UINT32_MAX };

static inline uint32_t
rp_ghosts_slots(uint32_t cap)
{
	uint32_t most = UINT32_C(1) << 30, last = cap < most ? 2 * cap - (cap > 0) : most;
	return UINT32_C(2) << (31 - __builtin_clz(last | 1));
}

static inline size_t
rp_ghosts_bytes(uint32_t cap)
{
	return sizeof(struct rp_ghosts_head) + rp_part_bytes(cap, sizeof(uint64_t)) +
	       rp_part_bytes((size_t)rp_ghosts_slots(cap) + cap, sizeof(uint32_t));
}

static inline struct rp_ghosts
rp_ghosts_in(void *memory, uint32_t cap)
{
	char *p = memory;
	struct rp_ghosts g = { .head = (struct rp_ghosts_head *)(void *)p };
	g.line = (uint64_t *)(void *)(p += sizeof *g.head);
	g.table = (uint32_t *)(void *)(p + rp_part_bytes(cap, sizeof *g.line));
	g.next = g.table + rp_ghosts_slots(cap);
	g.mask = rp_ghosts_slots(cap) - 1;
	return g;
}

static inline uint32_t *
rp_ghosts_chain(const struct rp_ghosts *g, uint64_t line)
{
	return &g->table[(uint32_t)rp_mix64(line) & g->mask];
}

/* Number of a line, or RP_NO_GHOST. */
static inline uint32_t
rp_ghosts_find(const struct rp_ghosts *g, uint64_t line)
{
	uint32_t n = *rp_ghosts_chain(g, line);
	while (n && g->line[n - 1] != line)
		n = g->next[n - 1];
	return n - 1;
}

/* Remembers a line, which is not remembered, while fewer than `cap` are: its number, below `cap`. */
static inline uint32_t
rp_ghosts_add(struct rp_ghosts *g, uint64_t line)
{
	uint32_t n = g->head->spare ? g->head->spare - 1 : g->head->used++;
	uint32_t *chain = rp_ghosts_chain(g, line);
	if (g->head->spare)
		g->head->spare = g->next[n];
	g->line[n] = line;
	g->next[n] = *chain;
	*chain = n + 1;
	return n;
}

/* Forgets number n. */
static inline void
rp_ghosts_forget(struct rp_ghosts *g, uint32_t n)
{
	uint32_t *p = rp_ghosts_chain(g, g->line[n]);
	while (*p != n + 1)
		p = &g->next[*p - 1];
	*p = g->next[n];
	g->next[n] = g->head->spare;
	g->head->spare = n + 1;
}

#endif
