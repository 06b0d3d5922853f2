/* history.h - closed forms for scans whose workers progress at their own pace (PASCAL, section 3.5 and Eq. 15).
 *
 * A history is one sequence of events; event u is a request of worker[u]. Worker i's request number j, counted from 0 and
 * never reset, goes to block (phase[i] + j) mod N. */
#ifndef RP_VALIDATE_HISTORY_H
#define RP_VALIDATE_HISTORY_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rp_history {
	uint64_t blocks;        /* N, at least 1 */
	uint32_t workers;       /* M */
	const uint64_t *phase;  /* M; NULL: all 0 */
	const uint32_t *worker; /* of each event, below M; borrowed */
	size_t events;
};

/* sigma: the largest lead of a worker over another, in requests, at any time (Eq. 8). Theorem 5: with all phases 0, an empty
 * fully associative LRU cache of 2 sigma - 1 blocks or more hits each request whose number some worker has had before; it
 * does not need C < N. RP_RESOURCE: then *sigma is not set. */
bool rp_history_spread(const struct rp_history *h, uint64_t *sigma, struct rp_err *err);

#define RP_HISTORY_COLD UINT64_MAX

/* rd[u]: other blocks between event u and the last one before it on the same block: the size of the union of one cyclic
 * interval a worker (Eq. 15); RP_HISTORY_COLD if there is none. LRU of C blocks hits where rd[u] < C. O(M log M) an event
 * and 8 N M bytes. RP_RESOURCE. */
bool rp_history_distances(const struct rp_history *h, uint64_t *rd, struct rp_err *err);

#endif
