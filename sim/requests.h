/* requests.h - what a cache asks of the level below, in trace order.
 *
 * For each lookup in turn: the line it fetches, or the bytes of a write that passes it by; then the line that left for it,
 * if that was dirty. */
#ifndef RP_SIM_REQUESTS_H
#define RP_SIM_REQUESTS_H

#include "sim/cache.h"
#include "sim/lookup.h"

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rp_request {
	RP_ASK_FETCH, /* bring bytes in */
	RP_ASK_WRITE, /* a write that passed through or around the cache */
	RP_ASK_BACK   /* dirty bytes of a line that left */
};

struct rp_requests {
	size_t n;
	uint64_t *addr; /* of the first byte */
	uint32_t
	    *bytes;    /* how many; of a masked GPU write those it touches (the mask: of its row) */
	uint32_t *row; /* of the batch: the access that caused it */
	uint8_t *what; /* enum rp_request */
	size_t cap;    /* private: room */
};

/* Room for `more` requests behind those there are. Starts as zeroes; rp_requests_free gives back. RP_RESOURCE: no memory;
 * what is there stays. */
bool rp_requests_room(struct rp_requests *r, size_t more, struct rp_err *err);
void rp_requests_free(struct rp_requests *r); /* accepts NULL */

/* Appends one; there must be room. */
static inline void
rp_requests_put(
    struct rp_requests *r, enum rp_request what, uint64_t addr, uint32_t bytes, uint32_t row)
{
	size_t i = r->n++;
	r->addr[i] = addr;
	r->bytes[i] = bytes;
	r->row[i] = row;
	r->what[i] = (uint8_t)what;
}

/* How many rp_requests_of appends for a chunk, at most. */
size_t rp_requests_most(const struct rp_cache_spec *s, const struct rp_lookups *in);

/* Appends what a chunk of lookups through a cache sends down. outcome[i] (enum rp_outcome) tells of lookup i, victim[i] is the
 * line that left for it where it says RP_WROTE_BACK, and back[i], if the cache has sectors, which of them were dirty:
 * neighbours among them are one request. Wants in->bytes if writes pass the cache. */
bool rp_requests_of(struct rp_requests *r, const struct rp_cache_spec *s,
    const struct rp_lookups *in, const uint8_t *outcome, const uint64_t *victim,
    const uint64_t *back, struct rp_err *err);

#endif
