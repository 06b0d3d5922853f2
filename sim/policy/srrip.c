/* srrip - predict that a new line is used again after long, one that was hit soon; replace what is furthest away.
 *
 * State and victim: sim/policy/rrip.h. With one bit it is nru. */
#include "config.h"

#include "sim/policy.h"
#include "sim/policy/rrip.h"
#include "sim/words.h"

enum { BITS };

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
	rp_rrip_set(at, at->arg[BITS], way, rp_rrip_long(at->arg[BITS]));
}

static uint32_t
victim(const struct rp_at *at)
{
	return rp_rrip_victim(at, at->arg[BITS]);
}

const struct rp_policy rp_policy_srrip = {
	.abi = RP_POLICY_ABI,
	.name = "srrip",
	.what =
	    "replace the line predicted furthest away; new ones are predicted far, hit ones near",
	.source = "Jaleel et al., ISCA 2010: SRRIP-HP",
	.params = { { "bits", "of a line's prediction", 1, RP_RRIP_BITS, 2 } },
	.set_bytes = set_bytes,
	.hit = hit,
	.fill = fill,
	.victim = victim,
	.engines = { &rp_engine_words_srrip },
};
