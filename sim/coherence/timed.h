/* timed.h - timed mode: how long accesses take when the home is busy, its table full, caches wait for answers.
 *
 * The accesses are the atomic transactions of functional mode; events order them. A request that the home accepts takes
 * effect at once and wholly, and the requester gets its answer some cycles later; until then the line is busy at the home,
 * so nobody sees a transaction half done. Streams have no common order: each goes on when its own accesses let it, so its
 * rows are asked for as it goes.
 *
 * Events are processed in ascending order of time, class (completions, then arrivals at the home, then issues), stream and
 * number of the access in its stream; nothing else has a say in the order. */
#ifndef RP_SIM_COHERENCE_TIMED_H
#define RP_SIM_COHERENCE_TIMED_H

#include "sim/coherence/coherence.h"

/* Where the rows of streams come from; borrowed while the run lasts. */
struct rp_timed_feed {
	void *to;
	unsigned columns; /* enum rp_column: of batches */
	/* Appends accesses of stream i, no marks, until *out is full or the stream ends, and to gap[j] the idle cycles
	 * before row j may issue. How many, 0 at the end, -1 on error. */
	ptrdiff_t (*pull)(
	    void *to, size_t i, struct rp_batch *out, uint64_t *gap, struct rp_err *err);
};

struct rp_timed;

/* n streams, ascending, each with a cache of its own: that of its number if config.caches is given, else the one of k with
 * that stream, made if there is none. Borrows k, which may have run in functional mode before. Counts from 0 cycles on.
 * Gives (rp_timed_free). */
struct rp_timed *rp_timed_new(struct rp_coherence *k, const uint32_t *streams, size_t n,
    const struct rp_timed_feed *feed, struct rp_err *err);
void rp_timed_free(struct rp_timed *t); /* accepts NULL */

/* Goes on until n more accesses have taken effect, or everything has completed: 1, and 0 at the end; -1 on error (RP_INPUT:
 * of the feed, or time beyond 2^64 cycles; RP_FAILED: an invariant is broken). */
int rp_timed_run(struct rp_timed *t, uint64_t n, struct rp_err *err);

uint64_t rp_timed_done(const struct rp_timed *t); /* accesses that took effect so far */

/* Issues nothing more: what is under way completes in the next runs. */
void rp_timed_stop(struct rp_timed *t);

/* What was counted. Before the end the table may be in use. Gives out->finish (free). */
bool rp_timed_results(struct rp_timed *t, struct rp_coherence_times *out, struct rp_err *err);

/* At the end: RP_FAILED unless Little's law holds as an identity of integers (the table's occupancy summed over time is the
 * residence summed over transactions) and table and queue are empty. */
bool rp_timed_check(const struct rp_timed *t, struct rp_err *err);

/* For tests: calls `effect` for each line access when it takes effect, with its stream and its number in it. The calls in
 * their order, in functional mode, give the same counters, unless victims were skipped. */
void rp_timed_watch(
    struct rp_timed *t, void (*effect)(void *to, size_t stream, uint64_t index), void *to);

#endif
