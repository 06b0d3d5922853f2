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
	uint64_t *line;  /* by number; of a free one, the next free one + 1 */
	uint32_t *table; /* number + 1, by open addressing; at most half full */
	uint32_t mask;
};

enum { RP_NO_GHOST = UINT32_MAX };

static inline uint32_t
rp_ghosts_slots(uint32_t cap)
{
	uint32_t n = 2;
	while (n < UINT32_C(1) << 31 && n / 2 < cap)
		n *= 2;
	return n;
}

static inline size_t
rp_ghosts_bytes(uint32_t cap)
{
	return sizeof(struct rp_ghosts_head) + rp_part_bytes(cap, sizeof(uint64_t)) +
	       rp_part_bytes(rp_ghosts_slots(cap), sizeof(uint32_t));
}

static inline struct rp_ghosts
rp_ghosts_in(void *memory, uint32_t cap)
{
	char *p = memory;
	struct rp_ghosts g = { .head = (struct rp_ghosts_head *)(void *)p };
	g.line = (uint64_t *)(void *)(p += sizeof *g.head);
	g.table = (uint32_t *)(void *)(p + rp_part_bytes(cap, sizeof *g.line));
	g.mask = rp_ghosts_slots(cap) - 1;
	return g;
}

/* The slot where a line is, or where it would go. */
static inline uint32_t
rp_ghosts_slot(const struct rp_ghosts *g, uint64_t line)
{
	uint32_t i = (uint32_t)rp_mix64(line) & g->mask;
	while (g->table[i] && g->line[g->table[i] - 1] != line)
		i = (i + 1) & g->mask;
	return i;
}

/* Number of a line, or RP_NO_GHOST. */
static inline uint32_t
rp_ghosts_find(const struct rp_ghosts *g, uint64_t line)
{
	return g->table[rp_ghosts_slot(g, line)] - 1;
}

/* Remembers a line, which is not remembered, while fewer than `cap` are: its number, below `cap`. */
static inline uint32_t
rp_ghosts_add(struct rp_ghosts *g, uint64_t line)
{
	uint32_t n = g->head->spare ? g->head->spare - 1 : g->head->used++;
	if (g->head->spare)
		g->head->spare = (uint32_t)g->line[n];
	g->line[n] = line;
	g->table[rp_ghosts_slot(g, line)] = n + 1;
	return n;
}

/* Forgets number n: what follows in the table moves up, so that no search ends early. */
static inline void
rp_ghosts_forget(struct rp_ghosts *g, uint32_t n)
{
	uint32_t hole = rp_ghosts_slot(g, g->line[n]);
	for (uint32_t i = (hole + 1) & g->mask; g->table[i]; i = (i + 1) & g->mask) {
		uint32_t home = (uint32_t)rp_mix64(g->line[g->table[i] - 1]) & g->mask;
		if (((i - home) & g->mask) < ((i - hole) & g->mask))
			continue;
		g->table[hole] = g->table[i];
		hole = i;
	}
	g->table[hole] = 0;
	g->line[n] = g->head->spare;
	g->head->spare = n + 1;
}

#endif
