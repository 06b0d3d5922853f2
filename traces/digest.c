/* digest.c - a hash of all rows of a trace. Each column has one of its own, so where batches end says nothing. */
#include "config.h"

#include "traces/digest.h"

#include "base/mem.h"

#include <xxhash.h>

enum { COLUMNS = 8 };

struct rp_digest {
	XXH3_state_t *of[COLUMNS];
	unsigned columns; /* enum rp_column */
	uint64_t rows;
};

struct rp_digest *
rp_digest_new(struct rp_err *err)
{
	struct rp_digest *d = rp_mem_array(1, sizeof *d, err);
	for (unsigned i = 0; d && i < COLUMNS; i++) {
		if ((d->of[i] = XXH3_createState())) {
			XXH3_64bits_reset(d->of[i]);
			continue;
		}
		rp_fail(err, RP_RESOURCE, "out of memory: a trace's hash");
		rp_digest_free(d);
		return NULL;
	}
	return d;
}

void
rp_digest_free(struct rp_digest *d)
{
	for (unsigned i = 0; d && i < COLUMNS; i++)
		XXH3_freeState(d->of[i]);
	free(d);
}

void
rp_digest_batch(struct rp_digest *d, const struct rp_batch *b)
{
	const struct {
		const void *from;
		size_t size;
	} column[COLUMNS] = { { b->addr, sizeof *b->addr }, { b->time, sizeof *b->time },
		{ b->pc, sizeof *b->pc }, { b->size, sizeof *b->size },
		{ b->stream, sizeof *b->stream }, { b->mask, sizeof *b->mask },
		{ b->kind, sizeof *b->kind }, { b->flags, sizeof *b->flags } };
	for (unsigned i = 0; i < COLUMNS; i++)
		if (column[i].from)
			XXH3_64bits_update(d->of[i], column[i].from, b->n * column[i].size);
	d->columns = rp_batch_columns(b);
	d->rows += b->n;
}

uint64_t
rp_digest_value(const struct rp_digest *d)
{
	uint64_t all[COLUMNS + 2] = { d->rows ? d->columns : 0, d->rows };
	for (unsigned i = 0; i < COLUMNS; i++)
		all[2 + i] = XXH3_64bits_digest(d->of[i]);
	return XXH3_64bits(all, sizeof all);
}
