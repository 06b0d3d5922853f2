/* clock - replace the first line, going round the ways, that was not used since the hand last passed it.
 *
 * A way is marked when it is filled, which is a use too, and when it is hit. The hand goes round the ways, takes the marks
 * off and stops at the first way that has none; it then stands behind it. Each step of it takes a mark off that an access
 * put there, so a replacement takes constant time on average, whatever the number of ways. */
#include "config.h"

#include "sim/policy.h"
#include "sim/words.h"

struct clock {
	uint32_t hand;
	uint8_t used[];
};

static size_t
set_bytes(uint32_t ways, const uint64_t *arg)
{
	(void)arg;
	return sizeof(struct clock) + ways;
}

static void
use(const struct rp_at *at, uint32_t way)
{
	((struct clock *)at->set)->used[way] = 1;
}

static uint32_t
victim(const struct rp_at *at)
{
	struct clock *c = at->set;
	for (;;) {
		uint32_t way = c->hand;
		c->hand = way + 1 < at->ways ? way + 1 : 0;
		if (!c->used[way])
			return way;
		c->used[way] = 0;
	}
}

const struct rp_policy rp_policy_clock = {
	.abi = RP_POLICY_ABI,
	.name = "clock",
	.what = "replace the first line, going round, that was not used since the last round",
	.source = "Corbato, A Paging Experiment with the Multics System, MIT, 1968",
	.set_bytes = set_bytes,
	.hit = use,
	.fill = use,
	.victim = victim,
	.engines = { &rp_engine_words_clock },
};
