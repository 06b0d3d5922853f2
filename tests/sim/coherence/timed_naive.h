/* timed_naive.h - timed mode cycle by cycle, in the plainest way: every cycle looks at every access under way.
 *
 * Only the transactions themselves are the library's; who waits, when, and how long is written here from the rules. */
#ifndef RP_TESTS_SIM_COHERENCE_TIMED_NAIVE_H
#define RP_TESTS_SIM_COHERENCE_TIMED_NAIVE_H

#include "sim/coherence/coherence.h"

enum { NAIVE_STREAMS = 6, NAIVE_ROWS = 60 };

/* The rows of each stream, in its order. */
struct naive_trace {
	size_t streams, n[NAIVE_STREAMS];
	struct rp_access row[NAIVE_STREAMS][NAIVE_ROWS];
	uint64_t gap[NAIVE_STREAMS][NAIVE_ROWS];
};

/* Runs a trace through k, which has config.caches = streams; out->finish has room for as many. */
void naive_timed(struct rp_coherence *k, const struct naive_trace *t,
    struct rp_coherence_timed *count, uint64_t *finish, const char **verdict);

#endif
