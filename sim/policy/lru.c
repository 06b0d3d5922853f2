/* lru - replace the line used longest ago.
 *
 * State of a set: its ways linked in order of use. */
#include "config.h"

#include "sim/full.h"
#include "sim/policy.h"
#include "sim/policy/links.h"
#include "sim/sets.h"

const struct rp_policy rp_policy_lru = {
	.abi = RP_POLICY_ABI,
	.name = "lru",
	.what = "replace the line used longest ago",
	.source = "Mattson et al., IBM Systems Journal 9(2), 1970",
	.set_bytes = rp_links_set_bytes,
	.hit = rp_links_use,
	.fill = rp_links_use,
	.drop = rp_links_drop,
	.victim = rp_links_last,
	.engines = { &rp_engine_sets_lru, &rp_engine_full_lru },
};
