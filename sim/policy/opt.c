/* opt - replace the line whose next use is farthest ahead: Belady's MIN, within each set.
 *
 * State of a set: its ways in a heap, the one with the greatest key (sim/future.h) first. */
#include "config.h"

#include "sim/opt.h"
#include "sim/policy.h"

struct heap {
	uint32_t n; /* ways that were ever filled; an invalidated one has key 0 */
	uint32_t ways;
};

/* The arrays behind it. */
static uint64_t *
keys(const struct rp_at *at)
{
	return (uint64_t *)((struct heap *)at->set + 1);
}

static uint32_t *
order(const struct rp_at *at)
{
	return (uint32_t *)(keys(at) + at->ways);
}

/* Where in `order` a way stands, from 1; 0: nowhere yet. */
static uint32_t *
places(const struct rp_at *at)
{
	return order(at) + at->ways;
}

static size_t
set_bytes(uint32_t ways, const uint64_t *arg)
{
	(void)arg;
	return sizeof(struct heap) + (size_t)ways * (sizeof(uint64_t) + 2 * sizeof(uint32_t));
}

static void
put(const struct rp_at *at, uint32_t place, uint32_t way)
{
	order(at)[place] = way;
	places(at)[way] = place + 1;
}

/* Moves what stands at a place to where its key belongs. */
static void
settle(const struct rp_at *at, uint32_t place)
{
	uint32_t n = ((struct heap *)at->set)->n, way = order(at)[place];
	const uint64_t *key = keys(at);
	for (; place && key[order(at)[(place - 1) / 2]] < key[way]; place = (place - 1) / 2)
		put(at, place, order(at)[(place - 1) / 2]);
	for (;;) {
		uint64_t child = 2 * (uint64_t)place + 1;
		if (child + 1 < n && key[order(at)[child]] < key[order(at)[child + 1]])
			child++;
		if (child >= n || key[order(at)[child]] <= key[way])
			break;
		put(at, place, order(at)[child]);
		place = (uint32_t)child;
	}
	put(at, place, way);
}

static void
use(const struct rp_at *at, uint32_t way)
{
	struct heap *h = at->set;
	keys(at)[way] = at->next;
	if (!places(at)[way])
		put(at, h->n++, way);
	settle(at, places(at)[way] - 1);
}

static void
drop(const struct rp_at *at, uint32_t way)
{
	keys(at)[way] = 0;
	settle(at, places(at)[way] - 1);
}

static uint32_t
victim(const struct rp_at *at)
{
	return order(at)[0];
}

static bool
admit(const struct rp_at *at)
{
	return at->next < keys(at)[order(at)[0]];
}

const struct rp_policy rp_policy_opt = {
	.abi = RP_POLICY_ABI,
	.name = "opt",
	.what = "replace the line whose next use is farthest ahead",
	.source = "Belady, IBM Systems Journal 5(2), 1966",
	.differs = "sets are replaced in one by one, where the source has one for all; bypass=yes "
		   "may leave a line out, which the source does not; with sectors or "
		   "allocate=no-write, which it has not, another policy can miss less",
	.params = { [RP_OPT_BYPASS] = { .name = "bypass",
			.what = "leave out a line whose next use is farther than that of all that "
				"are there",
			.most = 1 } },
	.set_bytes = set_bytes,
	.hit = use,
	.fill = use,
	.drop = drop,
	.victim = victim,
	.admit = admit,
	.future = true,
	.engines = { &rp_engine_opt_sets, &rp_engine_opt_full },
};
