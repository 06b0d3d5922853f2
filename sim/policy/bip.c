/* bip - as lip, but a few new lines, by chance, are put where lru puts all.
 *
 * One in `throttle`, drawn by the cache's random numbers at each fill (the article's epsilon is 1 / throttle). */
#include "config.h"

#include "sim/policy.h"
#include "sim/policy/links.h"
#include "sim/words.h"

enum { THROTTLE };

static void
fill(const struct rp_at *at, uint32_t way)
{
	rp_links_bimodal(at, way, at->arg[THROTTLE]);
}

const struct rp_policy rp_policy_bip = {
	.abi = RP_POLICY_ABI,
	.name = "bip",
	.what = "lip that keeps a few new lines as lru does",
	.source = "Qureshi et al., ISCA 2007: BIP",
	.params = { { "throttle", "one new line in so many, by chance, is kept as by lru", 1,
	    UINT32_MAX, 32 } },
	.chance = true,
	.set_bytes = rp_links_set_bytes,
	.hit = rp_links_use,
	.fill = fill,
	.drop = rp_links_drop,
	.victim = rp_links_last,
	.engines = { &rp_engine_words_bip },
};
