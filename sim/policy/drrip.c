/* drrip - srrip or brrip, whichever misses less: set duelling (sim/policy/duel.h), srrip being the first.
 *
 * Common to all sets: the counter of the duel. Random numbers are drawn where brrip would. */
#include "config.h"

#include "sim/policy.h"
#include "sim/policy/duel.h"
#include "sim/policy/rrip.h"
#include "sim/words.h"

enum { BITS, THROTTLE, LEADERS, PSEL };

static size_t
set_bytes(uint32_t ways, const uint64_t *arg)
{
	return rp_rrip_bytes(ways, arg[BITS]);
}

static void
init(const struct rp_at *at)
{
	*(uint32_t *)at->all = rp_duel_start(at->arg[PSEL]);
}

static void
hit(const struct rp_at *at, uint32_t way)
{
	rp_rrip_set(at, at->arg[BITS], way, 0);
}

static void
fill(const struct rp_at *at, uint32_t way)
{
	const uint64_t *arg = at->arg;
	enum rp_duel_role role = rp_duel_role(at->index, at->sets, arg[LEADERS]);
	bool bimodal = rp_duel_miss(at->all, role, arg[PSEL]);
	rp_rrip_set(at, arg[BITS], way,
	    bimodal ? rp_rrip_bimodal(at, arg[BITS], arg[THROTTLE]) : rp_rrip_long(arg[BITS]));
}

static uint32_t
victim(const struct rp_at *at)
{
	return rp_rrip_victim(at, at->arg[BITS]);
}

const struct rp_policy rp_policy_drrip = {
	.abi = RP_POLICY_ABI,
	.name = "drrip",
	.what = "srrip or brrip, whichever misses less in sets dedicated to each",
	.source = "Jaleel et al., ISCA 2010: DRRIP",
	.differs = "at most a quarter of the sets is dedicated to either side, but of two to seven "
		   "sets one; one set alone is srrip",
	.params = { { "bits", "of a line's prediction", 1, RP_RRIP_BITS, 2 },
	    { "throttle", "where brrip is followed, one new line in so many is as by srrip", 1,
		UINT32_MAX, 32 },
	    { "leaders", "sets dedicated to each, at most a quarter of all", 1, UINT32_MAX, 32 },
	    { "psel", "bits of the counter that chooses", 1, RP_DUEL_PSEL, 10 } },
	.chance = true,
	.set_bytes = set_bytes,
	.all_bytes = rp_duel_all_bytes,
	.init = init,
	.hit = hit,
	.fill = fill,
	.victim = victim,
	.engines = { &rp_engine_words_drrip },
};
