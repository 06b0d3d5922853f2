/* test_policies.c - tests sim/policy/lru.c, fifo.c and random.c on traces worked out by hand. */
#include "tests/sim/replay_check.h"

static const enum rp_level levels[] = { RP_LEVEL_MODEL, RP_LEVEL_C, RP_LEVEL_V3, RP_LEVEL_V4 };

enum { LEVELS = sizeof levels / sizeof *levels };

static uint64_t
misses_at(const char *spec, const char *text, enum rp_level level)
{
	return replay_text(spec, text, &(struct rp_replay_opts){ .level = level }).misses;
}

/* Misses, the same whichever loop runs. */
static uint64_t
misses(const char *spec, const char *text)
{
	uint64_t n = misses_at(spec, text, RP_LEVEL_BEST);
	for (size_t i = 0; i < LEVELS; i++)
		if (rp_level_runs(levels[i]))
			cr_assert_eq(misses_at(spec, text, levels[i]), n, "%s at level %d", spec,
			    (int)levels[i]);
	return n;
}

/* One set of two ways, lines A B C of 64 bytes. In brackets the set, used last first.
 * A miss [A]; B miss [BA]; A hit [AB]; C miss, B goes [CA]; A hit [AC]; B miss, C goes [BA]; C miss, A goes [CB]. */
RP_TEST(lru, replaces_the_line_used_longest_ago)
{
	cr_assert_eq(misses("lru,size=128", "R0 R40 R0 R80 R0 R40 R80"), 5);
}

/* The same trace: A miss [A]; B miss [BA]; A hit [BA]; C miss, A goes [CB]; A miss, B goes [AC]; B miss, C goes [BA];
 * C miss, A goes. */
RP_TEST(fifo, replaces_the_line_brought_in_longest_ago)
{
	cr_assert_eq(misses("fifo,size=128", "R0 R40 R0 R80 R0 R40 R80"), 6);
}

/* Belady's sequence 1 2 3 4 1 2 5 1 2 3 4 5: FIFO misses 9 times with 3 lines and 10 times with 4 (Belady, Nelson, Shedler,
 * CACM 12(6), 1969). LRU misses 10 and 8 times. */
RP_TEST(fifo, may_miss_more_with_more_lines)
{
	static const char trace[] = "R40 R80 Rc0 R100 R40 R80 R140 R40 R80 Rc0 R100 R140";
	cr_assert_eq(misses("fifo,size=192", trace), 9);
	cr_assert_eq(misses("fifo,size=256", trace), 10);
	cr_assert_eq(misses("lru,size=192", trace), 10);
	cr_assert_eq(misses("lru,size=256", trace), 8);
}

/* Three sets: line 0, 3 and 6 share set 0. With one way each goes for the next; line 1 stays in set 1. */
RP_TEST(lru, takes_any_number_of_sets)
{
	cr_assert_eq(misses("lru,sets=3,ways=1", "R0 R40 Rc0 R0 R180 R40"), 5);
	cr_assert_eq(misses("lru,sets=3,ways=2", "R0 R40 Rc0 R0 R180 R40"), 4);
}

/* Invalidation leaves a hole that the next line fills, and fifo's order is still that of filling: A B, drop A, then C goes
 * where A was; D replaces B, the older, so C hits. */
RP_TEST(fifo, keeps_its_order_through_an_invalidation)
{
	cr_assert_eq(misses("fifo,size=128", "R0 R40 D0 R80 Rc0 R80"), 4);
	cr_assert_eq(misses("lru,size=128", "R0 R40 D0 R80 Rc0 R80"), 4);
}

/* While there is room nothing is replaced; a full set loses one of its lines for each miss, so of a set of two after A B C
 * exactly one of A and B is left. */
RP_TEST(random, replaces_only_when_the_set_is_full)
{
	cr_assert_eq(misses("random,size=128", "R0 R40 R0 R40 R0 R40"), 2);
	for (int seed = 0; seed < 50; seed++) {
		char spec[64];
		snprintf(spec, sizeof spec, "random,size=128,seed=%d", seed);
		uint64_t a = misses(spec, "R0 R40 R80 R0"), b = misses(spec, "R0 R40 R80 R40");
		cr_assert_eq(a + b, 7);
	}
}

/* New lines, each asked for once more after the next one: 0 1 0 2 1 3 2 ... in a set of four. With p the chance that the
 * second request misses, a line must outlive the fill of its successor (lost with 1/4) and the fill of its predecessor's
 * second request before that (p/4): p = 1 - (1 - 1/4)(1 - p/4), so p = 4/13, and 4,000 lines miss 4,000 + 1,231 times, with a
 * standard deviation of 29. Five deviations are allowed. */
RP_TEST(random, gives_each_line_the_same_chance)
{
	struct rp_batch *b = rp_batch_new(8192, 0, NULL);
	for (uint64_t i = 0; i < 4000; i++) {
		rp_batch_put(b, &(struct rp_access){ .addr = 64 * i, .size = 1 });
		if (i)
			rp_batch_put(b, &(struct rp_access){ .addr = 64 * (i - 1), .size = 1 });
	}
	struct rp_counters c = replay_one("random,size=256,seed=5", b, NULL);
	cr_assert_gt(c.misses, 5231 - 146);
	cr_assert_lt(c.misses, 5231 + 146);
	rp_batch_free(b);
}
