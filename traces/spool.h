/* spool.h - rows of a trace kept in a temporary file and read again.
 *
 * For what has to know a trace's end before it can begin, when the trace may be a pipe. */
#ifndef RP_TRACES_SPOOL_H
#define RP_TRACES_SPOOL_H

#include "traces/batch.h"

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct rp_spool;

/* Gives (rp_spool_free). RP_RESOURCE: no temporary file, no memory. */
struct rp_spool *rp_spool_new(struct rp_err *err);
void rp_spool_free(struct rp_spool *s); /* accepts NULL; the file is gone */

/* Appends the rows of a batch, marks and all columns. RP_RESOURCE: the disk is full. */
bool rp_spool_put(struct rp_spool *s, const struct rp_batch *b, struct rp_err *err);

/* No more rows come: from now on they are read, from the first one on; again, if they were read before. */
bool rp_spool_rewind(struct rp_spool *s, struct rp_err *err);

/* The next rows, in batches that do not depend on how they came, with the columns they came with: borrowed until the next
 * call. NULL at the end, or when err->code is set. */
const struct rp_batch *rp_spool_next(struct rp_spool *s, struct rp_err *err);

/* The same from the end back: the batches of rp_spool_next, the last one first. */
bool rp_spool_unwind(struct rp_spool *s, struct rp_err *err);
const struct rp_batch *rp_spool_before(struct rp_spool *s, struct rp_err *err);

uint64_t rp_spool_bytes(const struct rp_spool
	*s); /* that the rows take in a file; 0: they are few, and there is none */

#endif
