/* brrip - as srrip, but nearly all new lines are predicted distant, so that most are gone before they push out others.
 *
 * One new line in `throttle`, drawn by the cache's random numbers at each fill, is predicted as by srrip. */
#include "config.h"

#include "sim/policy.h"
#include "sim/policy/rrip.h"
#include "sim/words.h"

enum { BITS, THROTTLE };

static size_t
set_bytes(uint32_t ways, const uint64_t *arg)
{
	return rp_rrip_bytes(ways, arg[BITS]);
}

static void
hit(const struct rp_at *at, uint32_t way)
{
	rp_rrip_set(at, at->arg[BITS], way, 0);
}

static void
fill(const struct rp_at *at, uint32_t way)
{
	uint64_t bits = at->arg[BITS];
	rp_rrip_set(at, bits, way, rp_rrip_bimodal(at, bits, at->arg[THROTTLE]));
}

static uint32_t
victim(const struct rp_at *at)
{
	return rp_rrip_victim(at, at->arg[BITS]);
}

const struct rp_policy rp_policy_brrip = {
	.abi = RP_POLICY_ABI,
	.name = "brrip",
	.what = "srrip that predicts most new lines furthest away",
	.source = "Jaleel et al., ISCA 2010: BRRIP",
	.params = { { "bits", "of a line's prediction", 1, RP_RRIP_BITS, 2 },
	    { "throttle", "one new line in so many, by chance, is predicted as by srrip", 1,
		UINT32_MAX, 32 } },
	.chance = true,
	.set_bytes = set_bytes,
	.hit = hit,
	.fill = fill,
	.victim = victim,
	.engines = { &rp_engine_words_brrip },
};
