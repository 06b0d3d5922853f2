/* test_plru.c - tests sim/policy/plru.c. */
#include "tests/sim/policy/slow.h"

/* A power of two of ways: the tree as a heap, node i above 2i and 2i + 1, whose leaves are nodes ways..2 * ways - 1; notes
 * hold the bits. "On a use, each bit on the path is set away from it; the victim is found by following the bits." */
static void
use_heap(struct slow *c, uint32_t w)
{
	for (uint32_t i = w + c->ways; i > 1; i /= 2)
		c->now[i / 2].note = i % 2 == 0;
}

static uint32_t
victim_heap(struct slow *c)
{
	uint32_t i = 1;
	while (i < c->ways)
		i = 2 * i + (uint32_t)c->now[i].note;
	return i - c->ways;
}

/* Any number: ways from..to - 1 are cut in two, the first part not smaller. The bit of the node lies with the first way of
 * the second part. */
static void
use_range(struct slow *c, uint32_t from, uint32_t to, uint32_t w)
{
	uint32_t middle = (from + to + 1) / 2;
	if (to - from == 1)
		return;
	c->now[middle].note = w < middle;
	if (w < middle)
		use_range(c, from, middle, w);
	else
		use_range(c, middle, to, w);
}

static uint32_t
victim_range(struct slow *c, uint32_t from, uint32_t to)
{
	uint32_t middle = (from + to + 1) / 2;
	if (to - from == 1)
		return from;
	return c->now[middle].note ? victim_range(c, middle, to) : victim_range(c, from, middle);
}

static bool
heap(const struct slow *c)
{
	return (c->ways & (c->ways - 1)) == 0;
}

static void
use(struct slow *c, uint32_t w)
{
	if (heap(c))
		use_heap(c, w);
	else
		use_range(c, 0, c->ways, w);
}

static uint32_t
victim(struct slow *c)
{
	return heap(c) ? victim_heap(c) : victim_range(c, 0, c->ways);
}

RP_TEST(plru, is_what_was_published)
{
	slow_compare(
	    &(struct slow_policy){ .name = "plru", .hit = use, .fill = use, .victim = victim });
}

/* Powers of two, which random numbers of ways seldom are. */
RP_TEST(plru, is_a_heap_of_bits_for_powers_of_two)
{
	struct slow_policy p = { .name = "plru", .hit = use, .fill = use, .victim = victim };
	struct rp_rng rng = { rp_test_seed("plru") };
	for (unsigned ways = 1; ways <= 4096; ways *= 2)
		for (unsigned sets = 1; sets <= 5; sets += 2) {
			char text[64];
			struct rp_batch *b =
			    slow_trace(&rng, 3000, 0, (uint64_t)ways * sets * 3 / 2 + 2);
			snprintf(text, sizeof text, "plru,sets=%u,ways=%u", sets, ways);
			for (int level = 0; level < RP_LEVELS && ways * sets <= 4096; level++)
				if (rp_level_runs((enum rp_level)level))
					slow_one(&p, text, b, (enum rp_level)level);
			rp_batch_free(b);
		}
}

RP_TEST(plru, is_lru_with_two_ways)
{
	struct rp_rng rng = { rp_test_seed("plru and lru") };
	for (unsigned i = 0; i < 20; i++) {
		char plru[64], lru[64];
		struct rp_batch *b = slow_trace(&rng, 4000, 0, 2 + i * 4);
		snprintf(plru, sizeof plru, "plru,sets=%u,ways=%u", i + 1, 1 + i % 2);
		snprintf(lru, sizeof lru, "lru,sets=%u,ways=%u", i + 1, 1 + i % 2);
		struct rp_counters x = replay_one(plru, b, NULL), y = replay_one(lru, b, NULL);
		expect_same(&x, &y, plru);
		rp_batch_free(b);
	}
}

/* Four ways: A B | C D, all missed in this order, so the root points left and the left node to A. A hits: the root points
 * right, and the right node, last set by D, to C: E replaces C, the second oldest, where lru would replace B. The root now
 * points left and the left node to B: F replaces B, and A and D hit. */
RP_TEST(plru, is_not_quite_lru_with_four_ways)
{
	static const char trace[] = "R0 R40 R80 Rc0 R0 R100 R140 R0 Rc0";
	cr_assert_eq(slow_misses("plru,size=256", trace), 6);
	cr_assert_eq(slow_misses("plru,size=256", "R0 R40 R80 Rc0 R0 R100 R40"), 5);
	cr_assert_eq(slow_misses("lru,size=256", "R0 R40 R80 Rc0 R0 R100 R40"), 6);
}

/* Three ways: A B | C. After A B C the root points left and the node to A. D replaces A; the root points to C. E replaces C;
 * the root points left, the node to B. B hits; F must replace E's half: E misses again, and replaces D. */
RP_TEST(plru, halves_three_ways_as_two_and_one)
{
	cr_assert_eq(slow_misses("plru,size=192", "R0 R40 R80 Rc0 R100 R40 R140 R40"), 6);
	cr_assert_eq(slow_misses("plru,size=192", "R0 R40 R80 Rc0 R100 R40 R140 R100 R40"), 7);
}
