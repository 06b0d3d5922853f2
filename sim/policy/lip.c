/* lip - as lru, but a new line is the next to be replaced, unless it is hit.
 *
 * State of a set: its ways linked in order of use, new ones behind all others. */
#include "config.h"

#include "sim/policy.h"
#include "sim/policy/links.h"
#include "sim/words.h"

static void
fill(const struct rp_at *at, uint32_t way)
{
	rp_links_end(at->set, way);
}

const struct rp_policy rp_policy_lip = {
	.abi = RP_POLICY_ABI,
	.name = "lip",
	.what = "lru, but a new line is the next to go unless it is hit",
	.source = "Qureshi et al., ISCA 2007: LIP",
	.set_bytes = rp_links_set_bytes,
	.hit = rp_links_use,
	.fill = fill,
	.drop = rp_links_drop,
	.victim = rp_links_last,
	.engines = { &rp_engine_words_lip },
};
