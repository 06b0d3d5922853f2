/* mshr_state.h - the MSHRs of stall=count (sim/mshr.h): what sim/mshr.c and the loop of sim/mshr_loop.h share. */
#ifndef RP_SIM_MSHR_STATE_H
#define RP_SIM_MSHR_STATE_H

#include "sim/cache.h"
#include "sim/kernels.h"
#include "sim/lookup.h"
#include "sim/mshr.h"
#include "sim/pending.h"

struct rp_mshr {
	const struct rp_kernels *kernels;
	uint64_t entries, merge, latency; /* UINT64_MAX: unlimited */
	bool clock, started;
	uint64_t now; /* of the next lookup, at least */
	struct rp_pendings pending;
	/* Of the chunk at hand, for sim/mshr_loop.h: 16 bits of each lookup's hash; lookups that ask for their line, a bit each. */
	uint16_t key[RP_CHUNK + 192];
	uint64_t ask[RP_CHUNK / 64 + 1];
};

/* Whether a lookup is a write that goes past the cache, which asks for nothing and joins nothing. */
static inline bool
rp_mshr_passes(const struct rp_lookups *in, size_t i, uint8_t outcome)
{
	return (outcome & RP_NO_FILL) && in->store[i];
}

/* A lookup's outcome once it has found its line's entry. */
static inline uint8_t
rp_mshr_joined(const struct rp_mshr *m, struct rp_pending *e, uint8_t outcome)
{
	bool joins = e->merged < m->merge;
	e->merged += joins;
	return outcome | (outcome & RP_MISSED ? 0 : RP_MISSED | RP_PRESENT) |
	       (joins ? RP_MERGED : RP_MERGE_FULL);
}

#endif
