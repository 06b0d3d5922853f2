/* nru - replace the first line, in order of the ways, that was not used since the last time that all had been.
 *
 * One bit a line: used. When every line of a full set has been used and one is to go, all bits are taken off. That is rrip
 * with predictions of one bit. */
#include "config.h"

#include "sim/policy.h"
#include "sim/policy/rrip.h"
#include "sim/words.h"

enum { BITS = 1 };

static size_t
set_bytes(uint32_t ways, const uint64_t *arg)
{
	(void)arg;
	return rp_rrip_bytes(ways, BITS);
}

static void
use(const struct rp_at *at, uint32_t way)
{
	rp_rrip_set(at, BITS, way, 0);
}

static uint32_t
victim(const struct rp_at *at)
{
	return rp_rrip_victim(at, BITS);
}

const struct rp_policy rp_policy_nru = {
	.abi = RP_POLICY_ABI,
	.name = "nru",
	.what = "replace the first line not used since all had been",
	.source = "Jaleel et al., ISCA 2010",
	.set_bytes = set_bytes,
	.hit = use,
	.fill = use,
	.victim = victim,
	.engines = { &rp_engine_words_nru },
};
