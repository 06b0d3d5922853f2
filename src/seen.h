/* seen.h - which streams a trace has, and whether their times rise, seen as batches go by. */
#ifndef RP_SEEN_H
#define RP_SEEN_H

#include "traces/batch.h"

/* Starts as zeroes; released with rp_seen_free. A bit a stream, in pages made when first needed. */
struct rp_seen {
	uint64_t streams; /* distinct ones in the batches so far; marks do not count */
	uint64_t accesses, marks;
	uint64_t times_fall; /* time stamps below the one before in their stream */
	/* private */
	uint64_t **page, **time; /* a bit a stream; the last time of each */
	size_t pages;
};

bool rp_seen_batch(struct rp_seen *s, const struct rp_batch *b, struct rp_err *err);
void rp_seen_free(struct rp_seen *s);

#endif
