/* fifo - replace the line brought in longest ago.
 *
 * State of a set: its ways linked in the order they were filled. A pointer that goes round the ways would be smaller, but
 * is another order once a line has been invalidated and its way filled again. */
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
fill(const struct rp_at *at, uint32_t way)
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

const struct rp_policy rp_policy_fifo = {
	.abi = RP_POLICY_ABI,
	.name = "fifo",
	.what = "replace the line brought in longest ago",
	.source = "Belady, IBM Systems Journal 5(2), 1966",
	.set_bytes = set_bytes,
	.fill = fill,
	.drop = drop,
	.victim = victim,
	.engines = { &rp_engine_sets_fifo, &rp_engine_full_fifo },
};
