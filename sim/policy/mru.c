/* mru - replace the line used last.
 *
 * State of a set: the way used last. That is enough after an invalidation too: a line is replaced when every way is taken,
 * and by then the way that became free has been filled, which is a use. */
#include "config.h"

#include "sim/policy.h"
#include "sim/words.h"

static size_t
set_bytes(uint32_t ways, const uint64_t *arg)
{
	(void)ways, (void)arg;
	return sizeof(uint32_t);
}

static void
use(const struct rp_at *at, uint32_t way)
{
	*(uint32_t *)at->set = way;
}

static uint32_t
victim(const struct rp_at *at)
{
	return *(const uint32_t *)at->set;
}

const struct rp_policy rp_policy_mru = {
	.abi = RP_POLICY_ABI,
	.name = "mru",
	.what = "replace the line used last",
	.source = "Chou and DeWitt, VLDB 1985",
	.set_bytes = set_bytes,
	.hit = use,
	.fill = use,
	.victim = victim,
	.engines = { &rp_engine_words_mru },
};
