/* same.h - caches whose counters are equal by construction. */
#ifndef RP_SIM_SWEEP_SAME_H
#define RP_SIM_SWEEP_SAME_H

#include "sim/cache.h"
#include "sim/sweep/wants.h"

/* The plainest cache that gives the same of the counters that are wanted (and of those that a sweep always gives), on any
 * trace:
 * - of one set, no matter how it is chosen;
 * - of one way: whatever comes in replaces what was there, whoever chooses; so it is lru's;
 * - plru of two ways: its one bit points away from the line used last, which makes it lru;
 * - MSHRs with stall=count and time in lookups: after a miss at t its entry is taken until t + latency, so before any later
 *   lookup at most latency - 1 entries are taken, and at most latency - 1 lookups find it: as many are as good as
 *   unlimited;
 * - the same with latency 0 or 1: nothing is ever found on its way, so what hits is as without MSHRs;
 * - write=through, if nothing of what goes down is wanted: the lines that come in are the same.
 * The strings of `s` are borrowed. */
struct rp_cache_spec rp_sweep_plainest(
    const struct rp_cache_spec *s, const struct rp_sweep_wants *wants);

#endif
