/* dip - lru or bip, whichever misses less: set duelling (sim/policy/duel.h), lru being the first.
 *
 * Common to all sets: the counter of the duel. Random numbers are drawn where bip would. */
#include "config.h"

#include "sim/policy.h"
#include "sim/policy/duel.h"
#include "sim/policy/links.h"
#include "sim/words.h"

enum { THROTTLE, LEADERS, PSEL };

static void
init(const struct rp_at *at)
{
	*(uint32_t *)at->all = rp_duel_start(at->arg[PSEL]);
}

static void
fill(const struct rp_at *at, uint32_t way)
{
	enum rp_duel_role role = rp_duel_role(at->index, at->sets, at->arg[LEADERS]);
	if (rp_duel_miss(at->all, role, at->arg[PSEL]))
		rp_links_bimodal(at, way, at->arg[THROTTLE]);
	else
		rp_links_first(at->set, way);
}

const struct rp_policy rp_policy_dip = {
	.abi = RP_POLICY_ABI,
	.name = "dip",
	.what = "lru or bip, whichever misses less in sets dedicated to each",
	.source = "Qureshi et al., ISCA 2007: DIP-SD, complement select",
	.differs = "at most a quarter of the sets is dedicated to either side, but of two to seven "
		   "sets one; one set alone is lru",
	.params = { { "throttle", "where bip is followed, one new line in so many is as by lru", 1,
			UINT32_MAX, 32 },
	    { "leaders", "sets dedicated to each, at most a quarter of all", 1, UINT32_MAX, 32 },
	    { "psel", "bits of the counter that chooses", 1, RP_DUEL_PSEL, 10 } },
	.chance = true,
	.set_bytes = rp_links_set_bytes,
	.all_bytes = rp_duel_all_bytes,
	.init = init,
	.hit = rp_links_use,
	.fill = fill,
	.drop = rp_links_drop,
	.victim = rp_links_last,
	.engines = { &rp_engine_words_dip },
};
