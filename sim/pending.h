/* pending.h - the entries of the MSHRs: what has been asked for below and is on its way.
 *
 * Every request takes equally long and time never runs back, so entries end in the order in which they began: a ring. They
 * are found by a hash table of chains, the youngest first, with as many heads as the ring has places. Nothing is done to a
 * chain when an entry ends: heads and links may be to places that have ended, or have begun anew in another chain. The age
 * of a place tells: a chain goes on as long as places are in use and ever older. Most lookups find the head not in use. */
#ifndef RP_SIM_PENDING_H
#define RP_SIM_PENDING_H

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rp_pending {
	uint64_t line, due; /* what is on its way, the time when it is there */
	uint64_t merged;    /* lookups that joined it */
	uint32_t next;      /* private: place of the one before it in its chain */
};

/* Starts as zeroes. */
struct rp_pendings {
	struct rp_pending *ring; /* entry number i stands at ring[i & mask] */
	uint32_t *head;          /* place of the youngest of a chain */
	uint64_t first, end;     /* numbers of the oldest entry, and of the next one to come */
	uint64_t chained;        /* those before this number are in the table */
	uint32_t mask;           /* places - 1 */
	unsigned shift;          /* 32 - log2 of the places */
};

/* Room for `more` entries besides those that are pending. RP_RESOURCE: no memory, or more than 2^31 of them. */
bool rp_pendings_room(struct rp_pendings *p, uint64_t more, struct rp_err *err);
void rp_pendings_free(struct rp_pendings *p);

static inline uint64_t
rp_pendings_count(const struct rp_pendings *p)
{
	return p->end - p->first;
}

/* A hash of a line, the high bits of which differ for neighbours and for lines a power of two apart. */
static inline uint32_t
rp_pendings_mix(uint64_t line)
{
	return (uint32_t)(line ^ line >> 32) * UINT32_C(0x9e3779b1);
}

/* The oldest; there must be one. */
static inline struct rp_pending *
rp_pendings_first(const struct rp_pendings *p)
{
	return &p->ring[p->first & p->mask];
}

/* How many entries are older than that at a place; no less than there are, if it is not in use. */
static inline uint64_t
rp_pendings_older(const struct rp_pendings *p, uint32_t place)
{
	return (place - p->first) & p->mask;
}

/* The entry of a line; NULL: none. Room must have been made once, and all be in the table. */
static inline struct rp_pending *
rp_pendings_find(const struct rp_pendings *p, uint64_t line)
{
	uint32_t at = p->head[rp_pendings_mix(line) >> p->shift];
	for (uint64_t most = rp_pendings_count(p), older; (older = rp_pendings_older(p, at)) < most;
	     most = older) {
		if (p->ring[at].line == line)
			return &p->ring[at];
		at = p->ring[at].next;
	}
	return NULL;
}

/* Puts those in the table that are not: before rp_pendings_find. */
static inline void
rp_pendings_chain(struct rp_pendings *p)
{
	for (uint64_t i = p->chained < p->first ? p->first : p->chained; i < p->end; i++) {
		uint32_t at = (uint32_t)(i & p->mask);
		uint32_t *head = &p->head[rp_pendings_mix(p->ring[at].line) >> p->shift];
		p->ring[at].next = *head;
		*head = at;
	}
	p->chained = p->end;
}

/* Begins one, if `begins` is 1, not in the table; if it is 0 there is none, whatever was written. There is room for it, and
 * its line has none. `due` is not before that of any other. */
static inline struct rp_pending *
rp_pendings_put(struct rp_pendings *p, uint64_t line, uint64_t due, uint64_t begins)
{
	struct rp_pending *e = &p->ring[p->end & p->mask];
	e->line = line;
	e->due = due;
	e->merged = 0;
	p->end += begins;
	return e;
}

/* The same, and it is in the table, as all others are. */
static inline void
rp_pendings_begin(struct rp_pendings *p, uint64_t line, uint64_t due)
{
	rp_pendings_put(p, line, due, 1);
	rp_pendings_chain(p);
}

/* Ends the oldest. */
static inline void
rp_pendings_end(struct rp_pendings *p)
{
	p->first++;
}

typedef void rp_pending_done(void *to, const struct rp_pending *e);

/* Time moves from *now on to `then`; what is due by then ends, in order, and done() (NULL: nobody) is told before. Entries in
 * use, summed over the units of time. */
uint64_t rp_pendings_pass(
    struct rp_pendings *p, uint64_t *now, uint64_t then, rp_pending_done *done, void *to);

/* now + by, but no more than there is: stamps may be any number. */
static inline uint64_t
rp_later(uint64_t now, uint64_t by)
{
	return now + by < now ? UINT64_MAX : now + by;
}

#endif
