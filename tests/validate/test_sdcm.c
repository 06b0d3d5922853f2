/* test_sdcm.c - tests validate/sdcm.c. */
#include "tests/validate/slow_scan.h"

#include "validate/sdcm.h"

#include <jansson.h>
#include <math.h>

/* Eq. 6 term by term in long double, for cases whose terms it can hold. */
static double
slow_hit(uint64_t distance, uint64_t ways, uint64_t lines)
{
	long double p = (long double)ways / (long double)lines, q = 1 - p, sum = 0, term = 1;
	for (uint64_t i = 0; i < distance; i++)
		term *= q;
	for (uint64_t a = 0; a < ways && a <= distance; a++) {
		sum += term;
		term *= (long double)(distance - a) / (long double)(a + 1) * p / q;
	}
	return (double)(sum < 1 ? sum : 1);
}

RP_TEST(sdcm, hits_are_those_of_the_fixture)
{
	char path[4096];
	json_t *all =
		   json_load_file(rp_test_file(path, "validate/files/sdcm_points.json"), 0, NULL),
	       *one;
	size_t i;
	cr_assert(json_array_size(all) > 40);
	json_array_foreach(all, i, one)
	{
		json_int_t a, b, r;
		double hit, ppt;
		cr_assert_eq(json_unpack(one, "{sI sI sI sF sF}", "A", &a, "B", &b, "R", &r,
				 "p_hit", &hit, "p_hit_ppt", &ppt),
		    0);
		uint64_t ways = (uint64_t)a, lines = (uint64_t)b, rd = (uint64_t)r;
		cr_assert_float_eq(rp_sdcm_hit(rd, ways, lines), hit, 1e-9, "A=%d B=%d R=%d",
		    (int)a, (int)b, (int)r);
		cr_assert_float_eq(rp_ppt_hit(rd, ways, lines), ppt, 1e-9);
	}
	json_decref(all);
}

RP_TEST(sdcm, hits_are_the_sum_of_the_terms)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("sdcm"), "test", 0);
	for (unsigned i = 0; i < 2000 * rp_test_scale(); i++) {
		uint64_t lines = 2 + rp_rng_below(&rng, 3000),
			 ways = 1 + rp_rng_below(&rng, lines - 1);
		uint64_t r = rp_rng_below(&rng, 2 * lines);
		if ((double)r * log1p(-(double)ways / (double)lines) < -11000)
			continue;
		double slow = slow_hit(r, ways, lines);
		cr_assert_float_eq(rp_sdcm_hit(r, ways, lines), slow, 1e-12,
		    "R=%d A=%d B=%d: %.17g, wanted %.17g", (int)r, (int)ways, (int)lines,
		    rp_sdcm_hit(r, ways, lines), slow);
	}
}

/* Fully associative: a hit below the capacity. Fewer lines than ways between: a hit. More lines: less likely. */
RP_TEST(sdcm, limits_are_exact_and_hits_fall_with_the_distance)
{
	for (uint64_t r = 0; r < 200; r++) {
		cr_assert_eq(rp_sdcm_hit(r, 100, 100), r < 100);
		cr_assert(r >= 8 || rp_sdcm_hit(r, 8, 1280) == 1);
		cr_assert_leq(rp_sdcm_hit(r + 1, 8, 64), rp_sdcm_hit(r, 8, 64));
	}
	/* One way: no line of R may fall into the set. */
	cr_assert_float_eq(rp_sdcm_hit(1000000, 1, 1000000), exp(-1.0000005), 1e-12);
	/* A distribution function far out, in its middle, and behind it. */
	cr_assert_eq(rp_sdcm_hit(UINT64_C(1) << 40, 16, 1 << 20), 0);
	cr_assert_float_eq(rp_sdcm_hit(UINT64_C(1) << 30, 1 << 12, UINT64_C(1) << 30), 0.5, 0.01);
	cr_assert_float_eq(rp_sdcm_hit(UINT64_C(1) << 29, 1 << 12, UINT64_C(1) << 30), 1, 1e-15);
}

RP_TEST(sdcm, the_sum_over_distances_is_the_sum_of_its_terms)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("sdcm sum"), "test", 0);
	for (unsigned i = 0; i < 300 * rp_test_scale(); i++) {
		uint64_t lines = 2 + rp_rng_below(&rng, 2000), ways = 1 + rp_rng_below(&rng, lines);
		uint64_t low = rp_rng_below(&rng, 2 * lines), high = low + rp_rng_below(&rng, 500);
		double slow = 0;
		for (uint64_t r = low; r <= high; r++)
			slow += rp_sdcm_hit(r, ways, lines);
		cr_assert_float_eq(rp_sdcm_hits(low, high, ways, lines), slow, 1e-8,
		    "%d..%d A=%d B=%d", (int)low, (int)high, (int)ways, (int)lines);
	}
}

/* Section 17, item 6, first half; and the mean over random maps of lines to sets is what SDCM says. */
RP_TEST(sdcm, one_set_is_lru)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("sdcm lru"), "test", 0);
	for (unsigned i = 0; i < 50; i++) {
		struct slow_scan s = slow_random(&rng, 2000, 100);
		struct rp_pascal *p = rp_pascal_new(s.phase, s.workers, s.blocks, NULL);
		cr_assert(p && rp_pascal_distances(p, NULL));
		uint64_t c = 1 + rp_rng_below(&rng, s.blocks + 1);
		double sum = 0;
		cr_assert_eq(rp_pascal_sdcm(p, c, c), rp_pascal_lru(p, c));
		for (uint32_t m = 0; m < s.workers; m++)
			sum += 1 - rp_sdcm_hit(p->rd[m], 1, c);
		cr_assert_float_eq(rp_pascal_sdcm(p, 1, c), sum, 1e-9);
		rp_pascal_free(p);
	}
}

RP_TEST(sdcm, independent_requests_miss_what_the_cache_leaves_out)
{
	struct rp_fraction f = rp_che_miss(8192, 5120), none = rp_che_miss(10, 10);
	cr_assert(f.num == 3 && f.den == 8 && none.num == 0 && none.den == 1);
	none = rp_che_miss(10, 11);
	cr_assert(none.num == 0);
}
