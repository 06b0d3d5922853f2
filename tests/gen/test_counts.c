/* test_counts.c - tests gen/counts.c. */
#include "tests/check.h"

#include "gen/counts.h"

#include "base/rng.h"

#include <math.h>

static struct rp_counts
read_counts(const char *text)
{
	struct rp_counts c = { 0 };
	struct rp_err err = { 0 };
	json_t *doc = json_loads(text, 0, NULL);
	cr_assert(doc && rp_counts_from_json(&c, doc, &err), "%s: %s", text, err.text);
	json_decref(doc);
	return c;
}

RP_TEST(counts, a_profile_is_read_in_both_spellings)
{
	struct rp_counts a = read_counts("{\"counts\": {\"0\": 3, \"7\": 2}, \"cold\": 6}"),
			 b = read_counts("{\"cold\": 6, \"histogram\": [[0, 0, 3], [7, 7, 2]]}");
	cr_assert_eq(rp_counts_sum(&a), 11);
	cr_assert_eq(rp_counts_depth(&a), 8);
	cr_assert_eq(rp_counts_l1(&a, &b), 0);
	b.count[7] = 9;
	b.cold = 1;
	cr_assert_eq(rp_counts_l1(&a, &b), 12);
	rp_counts_free(&a);
	rp_counts_free(&b);
}

RP_TEST(counts, what_is_no_profile_is_refused)
{
	static const char *const bad[][2] = {
		{ "{}",
		    "found neither \"counts\" nor \"histogram\": wanted {\"counts\": {\"0\": 3, "
		    "...}, \"cold\": 6}" },
		{ "{\"counts\": {\"x\": 3}}",
		    "\"counts\": \"x\": wanted a reuse distance, a whole number" },
		{ "{\"counts\": {\"07\": 3}}",
		    "\"counts\": \"07\": wanted a reuse distance, a whole number" },
		{ "{\"counts\": {\"1\": -3}}",
		    "\"counts\": \"1\" is -3: wanted a whole number from 0 to 2147483647" },
		{ "{\"counts\": {\"1\": 1.5}}",
		    "\"counts\": \"1\" is 1.5: wanted a whole number from 0 to 2147483647" },
		{ "{\"counts\": {\"999999999999\": 1}}",
		    "distance 999999999999: wanted less than 536870912" },
		{ "{\"counts\": {\"0\": 2147483647}, \"cold\": 1}",
		    "the counts sum to 2147483648: wanted 1 to 2147483647 accesses" },
		{ "{\"counts\": {}}", "the counts sum to 0: wanted 1 to 2147483647 accesses" },
		{ "{\"histogram\": [[0, 3, 7]]}",
		    "\"histogram\": bin 0 holds distances 0 to 3: wanted a distance a bin (profile "
		    "without --bins)" },
		{ "{\"histogram\": [7]}", "\"histogram\": bin 0: wanted [low, high, count]" },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct rp_counts c = { 0 };
		struct rp_err err = { 0 };
		json_t *doc = json_loads(bad[i][0], 0, NULL);
		cr_assert(!rp_counts_from_json(&c, doc, &err), "%s", bad[i][0]);
		cr_assert_eq(err.code, RP_INPUT);
		cr_assert_str_eq(err.text, bad[i][1]);
		json_decref(doc);
		rp_counts_free(&c);
	}
}

/* One unit after the other, as section 5 has it. */
static uint64_t
slow_repair(struct rp_counts *c, uint64_t prewarm)
{
	uint64_t moved = 0;
	for (size_t depth; (depth = rp_counts_depth(c)) > c->cold + prewarm; moved++) {
		c->count[depth - 1]--;
		c->cold++;
	}
	return moved;
}

RP_TEST(counts, the_deepest_become_cold_one_by_one)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("counts"), "tests/counts", 0);
	for (unsigned round = 0; round < 500 * rp_test_scale(); round++) {
		struct rp_counts c, slow;
		uint64_t prewarm = rp_rng_below(&rng, 5);
		cr_assert(rp_counts_new(&c, 1 + rp_rng_below(&rng, 60), NULL));
		for (size_t d = 0; d < c.n; d++)
			c.count[d] = rp_rng_below(&rng, 3) ? 0 : (uint32_t)rp_rng_below(&rng, 9);
		c.cold = rp_rng_below(&rng, 20);
		cr_assert(rp_counts_copy(&slow, &c, NULL));
		uint64_t sum = rp_counts_sum(&c), moved = rp_counts_repair(&c, prewarm);
		cr_assert_eq(moved, slow_repair(&slow, prewarm));
		cr_assert_eq(rp_counts_l1(&c, &slow), 0);
		cr_assert_eq(rp_counts_sum(&c), sum);
		cr_assert_geq(c.cold + prewarm, rp_counts_depth(&c));
		rp_counts_free(&c);
		rp_counts_free(&slow);
	}
}

/* 7 accesses in shares of a third: two each and one that is missing, which the first of equals gets. */
RP_TEST(counts, what_is_missing_goes_to_the_largest_remainders)
{
	struct rp_counts c;
	const double third[] = { 1.0 / 3, 1.0 / 3 }, some[] = { 0.05, 0.25, 0.45 };
	cr_assert(rp_counts_apportion(&c, third, 2, 1.0 / 3, 7, NULL));
	cr_assert(c.count[0] == 3 && c.count[1] == 2 && c.cold == 2);
	rp_counts_free(&c);
	/* 0.5, 2.5, 4.5 and 2.5: two are missing, all remainders alike. */
	cr_assert(rp_counts_apportion(&c, some, 3, 0.25, 10, NULL));
	cr_assert(c.count[0] == 1 && c.count[1] == 3 && c.count[2] == 4 && c.cold == 2);
	rp_counts_free(&c);
}

RP_TEST(counts, no_count_strays_a_unit_from_its_share)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("counts"), "tests/counts", 1);
	for (int round = 0; round < 200; round++) {
		double share[50], sum = 0, cold = rp_rng_unit(&rng);
		uint64_t length = 1 + rp_rng_below(&rng, 100000);
		struct rp_counts c;
		for (int d = 0; d < 50; d++)
			sum += share[d] = rp_rng_unit(&rng);
		sum += cold;
		for (int d = 0; d < 50; d++)
			share[d] /= sum;
		cr_assert(rp_counts_apportion(&c, share, 50, cold / sum, length, NULL));
		cr_assert_eq(rp_counts_sum(&c), length);
		for (int d = 0; d < 50; d++)
			cr_assert(fabs(c.count[d] - share[d] * (double)length) < 1);
		rp_counts_free(&c);
	}
}
