/* lru - replace the line used longest ago.
 *
 * State of a set: its ways linked in order of use. */
#include "config.h"

#include "sim/full.h"
#include "sim/policy.h"
#include "sim/policy/links.h"
#include "sim/sets.h"

static size_t
set_bytes(uint32_t ways, const uint64_t *arg)
{
	(void)arg;
	return rp_links_bytes(ways);
}

static void
use(const struct rp_at *at, uint32_t way)
{
	rp_links_first(at->set, way);
}

static void
drop(const struct rp_at *at, uint32_t way)
{
	rp_links_out(at->set, way);
}

static uint32_t
victim(const struct rp_at *at)
{
	const struct rp_links *l = at->set;
	return l->last - 1;
}

const struct rp_policy rp_policy_lru = {
	.abi = RP_POLICY_ABI,
	.name = "lru",
	.what = "replace the line used longest ago",
	.source = "Mattson et al., IBM Systems Journal 9(2), 1970",
	.set_bytes = set_bytes,
	.hit = use,
	.fill = use,
	.drop = drop,
	.victim = victim,
	.engines = { &rp_engine_sets_lru, &rp_engine_full_lru },
};
