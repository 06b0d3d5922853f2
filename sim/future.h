/* future.h - when each lookup's line is looked up again: known before a trace is replayed, by seeing it twice.
 *
 * All rows are shown from the end of the trace back, with a table from line to the lookup of it seen last; the next uses go to
 * a temporary file, or stay in memory if they are few, and are read while the same rows are replayed. In memory are the
 * table, of 16 to 32 bytes for each distinct line, half as much again while it grows, and the first 2 MiB of the file. With
 * invalidations, 2^32 lookups or very many regions of lines it is twice that table.
 *
 * Lookups are numbered from 1. What a policy compares is a key: the number of the line's next lookup; UINT64_MAX - number of
 * this lookup if there is none. So all keys of lines that are present differ, one that is never used again is greater than
 * all that are, and among those the one used longest ago is the greatest. A line that is invalidated before its next lookup
 * is not used again: keeping it is for nothing. */
#ifndef RP_SIM_FUTURE_H
#define RP_SIM_FUTURE_H

#include "sim/level.h"
#include "sim/lookup.h"

#include "base/err.h"
#include "traces/batch.h"

#include <stdbool.h>
#include <stdint.h>

struct rp_future;

/* For lookups of 2^unit_bits bytes, and lines of 2^sectors of those; `bypassed` as in rp_expand_new. Gives
 * (rp_future_free). RP_RESOURCE: no temporary file, no memory. */
struct rp_future *rp_future_new(
    unsigned unit_bits, unsigned sectors, bool bypassed, enum rp_level level, struct rp_err *err);
void rp_future_free(struct rp_future *f); /* accepts NULL */

/* Shows the rows before those shown so far. RP_RESOURCE: the disk is full, no memory. */
bool rp_future_before(struct rp_future *f, const struct rp_batch *b, struct rp_err *err);

/* All rows have been shown. */
void rp_future_known(struct rp_future *f);

/* Fills in->next, in->number and in->ahead for the next in->n lookups: borrowed until the next call. */
bool rp_future_next(struct rp_future *f, struct rp_lookups *in, struct rp_err *err);

uint64_t rp_future_bytes(const struct rp_future *f); /* that went to temporary files */

#endif
