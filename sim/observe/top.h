/* top.h - which instructions, lines or streams miss most.
 *
 * Exact counts of every distinct key, in memory that is bounded by how many there are. */
#ifndef RP_SIM_OBSERVE_TOP_H
#define RP_SIM_OBSERVE_TOP_H

#include "sim/lookup.h"

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rp_top_by {
	RP_TOP_LINE,  /* address / line size: in->line >> shift */
	RP_TOP_PC,    /* 0 in a trace without that column */
	RP_TOP_STREAM /* the same */
};

/* What a key's lookups came to. */
struct rp_top_row {
	uint64_t key, lookups, misses;
	uint64_t writebacks; /* by line: of that line; else: of what its lookups replaced */
	uint64_t cold, capacity, conflict, anticonflict; /* 0 if not classified */
};

struct rp_top_opts {
	enum rp_top_by by;
	/* An access of several lines is one lookup of its instruction and stream, and at most one miss, of the class of all
	 * together (sim/classes.h). By line each of its lines is looked up once in any case. */
	bool once;
	bool classes;   /* count them */
	unsigned shift; /* log2 of the sectors of a line, if it is these that are looked up */
};

struct rp_top;

struct rp_top *rp_top_new(
    const struct rp_top_opts *o, struct rp_err *err); /* gives (rp_top_free) */
void rp_top_free(struct rp_top *t);                   /* accepts NULL */

/* Adds a chunk. outcome[i] and, if classified, class[i] tell of lookup i; by line, victim[i] is the line that left where the
 * outcome has RP_WROTE_BACK. */
bool rp_top_chunk(struct rp_top *t, const struct rp_lookups *in, const uint8_t *outcome,
    const uint8_t *class, const uint64_t *victim, struct rp_err *err);

/* Adds what another of the same options counted, which forgets it. RP_RESOURCE: no memory; neither may be used any more. */
bool rp_top_move(struct rp_top *to, struct rp_top *from, struct rp_err *err);

size_t rp_top_keys(const struct rp_top *t); /* distinct keys */

/* The n keys with most misses, most first, of equals the smaller key: how many there are, at most n. `rows` has room. */
size_t rp_top_best(const struct rp_top *t, size_t n, struct rp_top_row *rows);

/* "line", "pc", "stream", NULL: in the order of enum rp_top_by. */
extern const char *const rp_top_names[];

#endif
