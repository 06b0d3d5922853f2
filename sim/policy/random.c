/* random - replace any line of the set, each with the same chance.
 *
 * No state but the cache's random numbers: one is drawn for each replacement, in trace order. */
#include "config.h"

#include "sim/full.h"
#include "sim/policy.h"
#include "sim/sets.h"
#include "sim/words.h"

static uint32_t
victim(const struct rp_at *at)
{
	return (uint32_t)rp_rng_below(at->rng, at->ways);
}

const struct rp_policy rp_policy_random = {
	.abi = RP_POLICY_ABI,
	.name = "random",
	.what = "replace any line of the set, each with the same chance",
	.source = "Belady, IBM Systems Journal 5(2), 1966",
	.chance = true,
	.victim = victim,
	.engines = { &rp_engine_words_random, &rp_engine_sets_random, &rp_engine_full_random },
};
