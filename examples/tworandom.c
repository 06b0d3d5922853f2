/* tworandom.c - a replacement policy of one's own: of a few ways drawn at random, replace the one used longest ago.
 *
 *     cc -shared -fPIC tworandom.c $(pkg-config --cflags reprise) -o tworandom.so
 *     reprise sim --plugin ./tworandom.so --cache two-random,size=32KiB,ways=8 trace.rpz
 *
 * With one way drawn it is random replacement, with many it comes near to LRU; two already do most of that, and nothing has
 * to be kept in order (Mitzenmacher, "The power of two choices in randomized load balancing", IEEE TPDS 12(10), 2001).
 *
 * State of a set: for each way the time of its last use, counted in uses of the set. */
#include <reprise.h>

enum { DRAWS }; /* the parameters, by their number */

struct set {
	uint64_t now;
	uint64_t used[]; /* by way */
};

static size_t
set_bytes(uint32_t ways, const uint64_t *arg)
{
	(void)arg;
	return sizeof(struct set) + ways * sizeof(uint64_t);
}

static void
use(const struct rp_at *at, uint32_t way)
{
	struct set *set = at->set;
	set->used[way] = ++set->now;
}

static uint32_t
victim(const struct rp_at *at)
{
	const struct set *set = at->set;
	uint32_t oldest = (uint32_t)at->draw(at->rng, at->ways);
	for (uint64_t i = 1; i < at->arg[DRAWS]; i++) {
		uint32_t way = (uint32_t)at->draw(at->rng, at->ways);
		if (set->used[way] < set->used[oldest])
			oldest = way;
	}
	return oldest;
}

RP_API const struct rp_policy rp_plugin = {
	.abi = RP_POLICY_ABI,
	.name = "two-random",
	.what = "of a few ways drawn at random, replace the one used longest ago",
	.source = "Mitzenmacher, IEEE TPDS 12(10), 2001, applied to replacement",
	.params = { { "draws", "ways that are drawn for each replacement", 1, 64, 2, false } },
	.set_bytes = set_bytes,
	.hit = use,
	.fill = use,
	.victim = victim,
	.chance = true,
};
