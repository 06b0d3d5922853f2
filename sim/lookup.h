/* lookup.h - a batch of accesses as line requests: done once for all caches of one line size.
 *
 * A chunk holds the lookups of some rows in order. It ends before a mark, when enough accesses have begun, or when it is
 * full: an access of many lines may go on in the next chunk. */
#ifndef RP_SIM_LOOKUP_H
#define RP_SIM_LOOKUP_H

#include "sim/level.h"

#include "base/err.h"
#include "traces/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RP_CHUNK_ROWS = 1024,
	RP_CHUNK = 2 * RP_CHUNK_ROWS
}; /* rows and lookups of a chunk, at most */

/* A row of several lookups, all in this chunk or part of them. */
struct rp_crossing {
	uint32_t first, n; /* its lookups in the chunk */
	bool begins;       /* here; else it began in an earlier chunk */
};

/* What is known of a whole trace's lookups before it is replayed (sim/future.h). */
struct rp_ahead {
	uint64_t lookups, lines; /* all of them; distinct lines */
	uint64_t marks;          /* that clean or drop lines */
	uint64_t bytes;          /* private to future.c */
};

struct rp_lookups {
	const struct rp_batch *in;
	size_t n;               /* lookups */
	size_t accesses;        /* that begin here */
	size_t bypassed;        /* rows left out because they bypass L1 */
	size_t kinds[RP_KINDS]; /* lookups of each kind */
	const uint64_t *line;   /* address / line size */
	const uint8_t *kind;    /* enum rp_kind */
	const uint8_t *store;   /* 1: a write */
	const uint8_t *dirty;   /* 1: a write or an atomic */
	const uint32_t *row;    /* of the batch */
	const uint32_t *
	    bytes; /* written: touched in this line by a write or an atomic, else 0; NULL if not asked for */
	const struct rp_crossing *crossing;
	size_t crossings;
	/* Of policies that ask for the future, else NULL: when each line is looked up next, as a key (sim/future.h); the
	 * number of the first lookup, from 1; what is known of the whole. */
	const uint64_t *next;
	uint64_t number;
	const struct rp_ahead *ahead;
};

/* First and last line of a mark, row `row` of the batch. */
static inline void
rp_mark_lines(
    const struct rp_batch *b, size_t row, unsigned line_bits, uint64_t *first, uint64_t *last)
{
	*first = b->addr[row] >> line_bits;
	*last = rp_batch_last(b, row) >> line_bits;
}

struct rp_expand;

/* Gives (rp_expand_free). `bytes`: fill that column. `bypassed`: keep rows that bypass L1. */
struct rp_expand *rp_expand_new(
    unsigned line_bits, bool bytes, bool bypassed, enum rp_level level, struct rp_err *err);
void rp_expand_free(struct rp_expand *e); /* accepts NULL */

/* The next chunk of rows *row, ... of the batch, borrowed until the next call: *row moves behind what is done. Ends before
 * a mark, or when `most` accesses have begun and are whole: at least 1, or 0 where one is open, which then ends it. May be
 * empty of lookups while rows are left. */
const struct rp_lookups *rp_expand_next(
    struct rp_expand *e, const struct rp_batch *b, size_t *row, uint64_t most);

/* Whether the last chunk ended within an access, which goes on in the next. */
bool rp_expand_open(const struct rp_expand *e);

#endif
