/* digest.h - a number that tells traces apart: a hash of all rows, however they come in batches. */
#ifndef RP_TRACES_DIGEST_H
#define RP_TRACES_DIGEST_H

#include "traces/batch.h"

#include "base/err.h"

struct rp_digest;

/* Of no rows yet. Gives (rp_digest_free). RP_RESOURCE: no memory. */
struct rp_digest *rp_digest_new(struct rp_err *err);
void rp_digest_free(struct rp_digest *d); /* accepts NULL */

/* Adds rows, with all columns that the batch has (which must be the same every time) and marks. */
void rp_digest_batch(struct rp_digest *d, const struct rp_batch *b);

/* XXH3 (64 bits) of the columns' XXH3s, in host byte order, and of which columns there are: equal for equal rows. */
uint64_t rp_digest_value(const struct rp_digest *d);

#endif
