/* plru - replace the line that a tree of bits points to, each bit to the half that was not used last.
 *
 * A node stands for some ways, the root for all; it has one bit and two children that halve its ways. A use of a way makes
 * every node above it point to the other half; the victim is where the bits lead from the root. With two ways that is lru.
 *
 * The article's trees have a power of two of ways. Here any number is halved, the first half being the larger by one if it
 * is odd: the same tree where the article has one, and with 12 or 24 ways one that is level down to groups of three.
 *
 * State of a set: a bit for each node, by the first way of its second half: that way is no other node's. */
#include "config.h"

#include "sim/policy.h"
#include "sim/words.h"

static size_t
set_bytes(uint32_t ways, const uint64_t *arg)
{
	(void)arg;
	return ((size_t)ways + 63) / 64 * sizeof(uint64_t);
}

static void
use(const struct rp_at *at, uint32_t way)
{
	uint64_t *second = at->set; /* bit: points to the second half */
	for (uint32_t from = 0, n = at->ways; n > 1;) {
		uint32_t half = n - n / 2, middle = from + half;
		uint64_t bit = UINT64_C(1) << middle % 64;
		if (way < middle) {
			second[middle / 64] |= bit;
			n = half;
		} else {
			second[middle / 64] &= ~bit;
			from = middle;
			n -= half;
		}
	}
}

static uint32_t
victim(const struct rp_at *at)
{
	const uint64_t *second = at->set;
	uint32_t from = 0;
	for (uint32_t n = at->ways; n > 1;) {
		uint32_t half = n - n / 2, middle = from + half;
		if (second[middle / 64] >> middle % 64 & 1) {
			from = middle;
			n -= half;
		} else {
			n = half;
		}
	}
	return from;
}

const struct rp_policy rp_policy_plru = {
	.abi = RP_POLICY_ABI,
	.name = "plru",
	.what = "replace the line that a tree of bits points to, away from what was used last",
	.source = "Handy, The Cache Memory Book, 1993; Jimenez, MICRO 2013",
	.differs = "any number of ways is halved, the first half being the larger by one if it is "
		   "odd, where the source has powers of two",
	.set_bytes = set_bytes,
	.hit = use,
	.fill = use,
	.victim = victim,
	.engines = { &rp_engine_words_plru },
};
