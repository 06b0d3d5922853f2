/* ttl - a line stays present for a time after its last lookup; there is no capacity.
 *
 * Slotted, as PASCAL has it: time goes in rounds, the trace's time column. At the start of round k the lines are present
 * that were looked up in rounds k - window .. k - 1, and in the round a line is present from its first lookup on. Not
 * slotted, time is the number of the lookup among the cache's own, and a line is present if its last lookup was at most
 * `window` lookups ago. Either way: the lookup at time t of a line last looked up at u hits if t - u <= window.
 *
 * A line whose time is over is not present; what is left of it goes when a fill takes its place, the oldest first, or when
 * it comes back itself: only then is it counted as evicted, and written back if it was dirty. */
#include "config.h"

#include "sim/policy.h"
#include "sim/ttl.h"

const struct rp_policy rp_policy_ttl = {
	.abi = RP_POLICY_ABI,
	.name = "ttl",
	.what = "a line stays for a time after its last lookup, without any capacity",
	.source =
	    "PASCAL: A Phase-Aware Shared-Cache Model for Parallel Scans, section 3 (slotted)",
	.differs = "slotted=no, which counts lookups in place of rounds, is not in the source",
	.params = { [RP_TTL_WINDOW] = { "window",
			"rounds, or lookups with slotted=no, that a line stays after its last "
			"lookup",
			0, UINT64_MAX, 0, .wanted = true },
	    [RP_TTL_SLOTTED] = { "slotted",
		"count in rounds, the time column of the trace, not in lookups", 0, 1, 1 } },
	.unbounded = true,
	.engines = { &rp_engine_ttl },
};
