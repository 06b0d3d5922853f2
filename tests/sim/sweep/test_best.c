/* test_best.c - knees, and the smallest cache that reaches a miss ratio. */
#include "tests/check.h"

#include "base/rng.h"
#include "sim/sweep/best.h"

static struct rp_err err;

RP_TEST(sweep_best, knees_are_where_doubling_stops_paying)
{
	/* Sizes 1..64: 100, 60, 58, 20, 19, 18.9 and 18 misses. From 1 to 2 40% go, from 2 to 4 3%, from 4 to 8 65%, from
	 * 8 to 16 5%, from 16 to 32 less than 1%; behind 64 nothing is known. */
	const struct rp_sweep_cache c[] = { { 0, 1, 1000, 10000, 1 }, { 0, 2, 600, 10000, 1 },
		{ 0, 4, 580, 10000, 1 }, { 0, 8, 200, 10000, 1 }, { 0, 16, 190, 10000, 1 },
		{ 0, 32, 189, 10000, 1 }, { 0, 64, 120, 10000, 1 } };
	struct rp_sweep_step step[7];
	size_t n;
	cr_assert(rp_sweep_steps(c, 7, 0.1, step, &n, &err));
	cr_assert_eq(n, 7);
	const bool knee[] = { false, true, false, true, false, false, false };
	for (size_t i = 0; i < n; i++) {
		cr_assert_eq(step[i].cache, i);
		cr_assert_eq(step[i].knee, knee[i], "%zu", i);
		cr_assert_eq(step[i].doubles, i < 6);
		if (i < 6)
			cr_assert_eq(step[i].doubled, c[i + 1].misses);
	}
}

RP_TEST(sweep_best, only_caches_that_no_smaller_one_equals_are_steps)
{
	const struct rp_sweep_cache c[] = { { 1, 8, 50, 100, 4 }, { 1, 8, 50, 100, 2 },
		{ 1, 8, 60, 100, 1 }, { 1, 12, 50, 100, 3 }, { 1, 16, 10, 100, 4 },
		{ 0, 8, 7, 100, 1 } };
	struct rp_sweep_step step[6];
	size_t n;
	cr_assert(rp_sweep_steps(c, 6, 0.1, step, &n, &err));
	cr_assert_eq(n, 3);
	cr_assert_eq(step[0].cache, 5);
	cr_assert_not(step[0].doubles);
	cr_assert_eq(step[1].cache, 1); /* fewer ways */
	cr_assert(step[1].doubles && step[1].doubled == 10);
	cr_assert_eq(step[2].cache, 4);
}

RP_TEST(sweep_best, the_smallest_that_reaches_a_ratio_is_first)
{
	const struct rp_sweep_cache c[] = { { 0, 8, 50, 100, 4 }, { 0, 16, 20, 100, 4 },
		{ 0, 16, 10, 100, 8 }, { 1, 8, 20, 100, 1 }, { 2, 4, 21, 100, 1 },
		{ 3, 16, 5, 100, 1 }, { 4, 1, 0, 0, 1 } };
	size_t out[7], n;
	cr_assert(rp_sweep_reach(c, 7, 0.2, out, &n, &err));
	cr_assert_eq(n, 3);
	cr_assert_eq(out[0], 3);
	cr_assert_eq(out[1], 5); /* 5 misses, family 0 has 10 */
	cr_assert_eq(out[2], 2);
	cr_assert(rp_sweep_reach(c, 7, 0.01, out, &n, &err));
	cr_assert_eq(n, 0);
}

/* By the definition in the header, searched end to end. */
RP_TEST(sweep_best, steps_are_those_of_a_plain_search)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("sweep_best"), "best", 0);
	for (unsigned k = 0; k < 300 * rp_test_scale(); k++) {
		struct rp_sweep_cache c[40];
		struct rp_sweep_step step[40];
		size_t n = (size_t)rp_rng_below(&rng, 41), steps, at = 0;
		for (size_t i = 0; i < n; i++)
			c[i] = (struct rp_sweep_cache){ rp_rng_below(&rng, 2),
				1 + rp_rng_below(&rng, 40), rp_rng_below(&rng, 60), 100,
				(uint32_t)rp_rng_below(&rng, 4) };
		cr_assert(rp_sweep_steps(c, n, 0.25, step, &steps, &err));
		for (size_t family = 0; family < 2; family++) {
			bool paid_before = false, paid = false;
			size_t first = at;
			for (uint64_t size = 1; size <= 40; size++) {
				uint64_t smaller = UINT64_MAX, equal = UINT64_MAX,
					 doubled = UINT64_MAX;
				uint64_t most = 0;
				for (size_t i = 0; i < n; i++) {
					if (c[i].family != family)
						continue;
					most = c[i].size > most ? c[i].size : most;
					if (c[i].size < size && c[i].misses < smaller)
						smaller = c[i].misses;
					if (c[i].size == size && c[i].misses < equal)
						equal = c[i].misses;
					if (c[i].size <= 2 * size && c[i].misses < doubled)
						doubled = c[i].misses;
				}
				if (equal >= smaller)
					continue;
				bool known = most >= 2 * size;
				bool idle =
				    known && (!equal || equal - doubled < 0.25 * (double)equal);
				bool won = at > first && smaller - equal >= 0.25 * (double)smaller;
				cr_assert_lt(at, steps);
				cr_assert_eq(c[step[at].cache].size, size);
				cr_assert_eq(c[step[at].cache].misses, equal);
				cr_assert_eq(step[at].doubles, known);
				if (at > first)
					cr_assert_eq(step[at].knee, idle && (paid_before || won));
				paid_before = known && !idle;
				paid |= paid_before || won;
				at++;
			}
			if (at > first)
				cr_assert_eq(step[first].knee, step[first].doubles && !paid);
		}
		cr_assert_eq(at, steps);
	}
}

/* Twelve lines in a cycle of 20 rounds: no cache below 12 lines hits, so that one is a cliff. */
RP_TEST(sweep_best, a_cliff_farther_off_than_a_doubling_is_a_knee)
{
	struct rp_sweep_cache c[9];
	struct rp_sweep_step step[9];
	size_t steps;
	for (size_t i = 0; i < 9; i++)
		c[i] = (struct rp_sweep_cache){ 0, UINT64_C(64) << i, i < 4 ? 240 : 12, 240, 1 };
	cr_assert(rp_sweep_steps(c, 9, 0.1, step, &steps, &err));
	cr_assert_eq(steps, 2);
	cr_assert(!step[0].knee && step[1].knee);
	cr_assert_eq(c[step[1].cache].size, 1024);
}
