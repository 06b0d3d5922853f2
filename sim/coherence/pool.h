/* pool.h - items of one size that never move much and are many: named by number, in chunks.
 *
 * They are looked up at random, so a chunk lies in huge pages where the system has them; the first one grows by moving
 * until it is whole, so that few items take little. */
#ifndef RP_SIM_COHERENCE_POOL_H
#define RP_SIM_COHERENCE_POOL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts as zeroes, but for bits and stride. */
struct coh_pool {
	unsigned bits; /* log2 of the items of a chunk */
	size_t stride; /* bytes of an item */
	size_t n;      /* items in use */
	/* private to pool.c */
	unsigned char **chunk;
	size_t chunks, chunk_room;
	size_t first_room; /* items that the first chunk has room for */
};

/* n more items behind those in use, zeroed, that lie in one chunk (n at most a chunk's): the number of the first, or
 * UINT32_MAX: no memory. What is left of a chunk where they do not fit is not used. */
uint32_t coh_pool_take(struct coh_pool *p, size_t n, struct rp_err *err);
/* The same, not zeroed. */
uint32_t coh_pool_take_raw(struct coh_pool *p, size_t n, struct rp_err *err);
void coh_pool_close(struct coh_pool *p); /* it is empty then */

/* An item; `bits` are the pool's, which the caller may know. */
static inline void *
coh_pool_of(const struct coh_pool *p, uint32_t i, unsigned bits)
{
	return p->chunk[i >> bits] + (i & ((UINT32_C(1) << bits) - 1)) * p->stride;
}

static inline void *
coh_pool_at(const struct coh_pool *p, uint32_t i)
{
	return coh_pool_of(p, i, p->bits);
}

size_t coh_pool_bytes(const struct coh_pool *p); /* of the items in use */

#endif
