/* pending.c - the entries of the MSHRs: their memory. */
#include "config.h"

#include "sim/pending.h"

#include <stdlib.h>

enum { PLACES_LEAST_BITS = 10, PLACES_MOST_BITS = 31 };

bool
rp_pendings_room(struct rp_pendings *p, uint64_t more, struct rp_err *err)
{
	uint64_t count = rp_pendings_count(p), want;
	unsigned bits = PLACES_LEAST_BITS;
	if (__builtin_add_overflow(count, more, &want) || want > UINT64_C(1) << PLACES_MOST_BITS)
		return rp_fail(err, RP_RESOURCE, "more than 2^31 requests on their way at a time");
	if (p->ring && want <= (uint64_t)p->mask + 1)
		return true;
	while (want > UINT64_C(1) << bits)
		bits++;
	struct rp_pendings q = { .mask = (uint32_t)((UINT64_C(1) << bits) - 1),
		.shift = 32 - bits };
	q.ring = rp_mem_array((size_t)1 << bits, sizeof *q.ring, err);
	q.head = rp_mem_array((size_t)1 << bits, sizeof *q.head, err);
	if (!q.ring || !q.head) {
		rp_pendings_free(&q);
		return false;
	}
	for (uint64_t i = p->first; i < p->end; i++) {
		const struct rp_pending *e = &p->ring[i & p->mask];
		rp_pendings_begin(&q, e->line, e->due);
		q.ring[(q.end - 1) & q.mask].merged = e->merged;
	}
	rp_pendings_free(p);
	*p = q;
	return true;
}

void
rp_pendings_free(struct rp_pendings *p)
{
	free(p->ring);
	free(p->head);
	*p = (struct rp_pendings){ 0 };
}

uint64_t
rp_pendings_pass(
    struct rp_pendings *p, uint64_t *now, uint64_t then, rp_pending_done *done, void *to)
{
	uint64_t held = 0;
	while (rp_pendings_count(p) && rp_pendings_first(p)->due <= then) {
		const struct rp_pending *e = rp_pendings_first(p);
		held += (e->due - *now) * rp_pendings_count(p);
		*now = e->due;
		if (done)
			done(to, e);
		rp_pendings_end(p);
	}
	held += (then - *now) * rp_pendings_count(p);
	*now = then;
	return held;
}
