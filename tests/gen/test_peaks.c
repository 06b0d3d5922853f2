/* test_peaks.c - tests gen/peaks.c and gen/mixture.c. */
#include "tests/gen/draw.h"

#include "gen/counts.h"
#include "gen/mixture.h"
#include "gen/peaks.h"

static double
number(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static double
at(const json_t *list, size_t i)
{
	return json_number_value(json_array_get(list, i));
}

static void
same_counts(const struct rp_counts *c, const json_t *want, double cold)
{
	char key[24];
	for (size_t d = 0; d < c->n; d++) {
		snprintf(key, sizeof key, "%zu", d);
		cr_assert_eq(c->count[d], (uint32_t)number(want, key), "distance %zu", d);
	}
	cr_assert_eq(c->cold, (uint64_t)cold);
}

RP_TEST(peaks, the_published_mixtures_come_out)
{
	char path[4096], key[24];
	json_t *doc = json_load_file(rp_test_file(path, "gen/files/mlcrp-mixture.json"), 0, NULL),
	       *o;
	double tolerance = number(doc, "tolerance");
	size_t k;
	json_array_foreach(json_object_get(doc, "cases"), k, o)
	{
		const json_t *mu = json_object_get(o, "mu"), *sigma = json_object_get(o, "sigma"),
			     *weight = json_object_get(o, "weight"), *f = json_object_get(o, "f");
		struct rp_peak peak[16];
		double share[100], cold = number(o, "cold"), sum = cold;
		size_t n = json_array_size(mu), m = (size_t)number(o, "M");
		cr_assert(n <= 16 && m <= 100);
		cr_assert_eq(cold, number(o, "cold_weight"));
		for (size_t i = 0; i < n; i++)
			peak[i] = (struct rp_peak){ at(mu, i), at(sigma, i), at(weight, i) };
		rp_peaks_share(peak, n, share, m);
		for (size_t d = 0; d < m; d++) {
			snprintf(key, sizeof key, "%zu", d);
			cr_assert(fabs(share[d] - number(f, key)) <= tolerance);
			sum += share[d];
		}
		cr_assert(fabs(sum - 1) <= 1e-12);
		struct rp_counts c;
		cr_assert(rp_counts_apportion(&c, share, m, cold, (uint64_t)number(o, "L"), NULL));
		same_counts(&c, json_object_get(o, "counts"), number(o, "cold_count"));
		bool feasible = json_is_true(json_object_get(o, "feasible"));
		cr_assert_eq(rp_counts_depth(&c) <= c.cold, feasible);
		cr_assert_eq(rp_counts_repair(&c, 0), (uint64_t)number(o, "moved"));
		same_counts(&c, json_object_get(o, "repaired_counts"), number(o, "repaired_cold"));
		rp_counts_free(&c);
	}
	cr_assert_eq(k, 3);
	json_decref(doc);
}

/* However narrow, however far outside. */
RP_TEST(peaks, each_keeps_its_weight_when_tails_are_cut)
{
	static const struct rp_peak one[] = { { 0, 2, 1 }, { 11.9, 5, 1 }, { -40, 1, 1 },
		{ 60, 3, 1 }, { 5.5, 0, 1 }, { 5.49, 1e-4, 1 }, { 3.3, 0.05, 1 }, { 6, 1000, 1 } };
	for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
		double share[12], sum = 0;
		rp_peaks_share(one + i, 1, share, 12);
		for (int d = 0; d < 12; d++)
			sum += share[d];
		cr_assert(fabs(sum - 1) < 1e-12, "peak %zu: %.17g", i, sum);
	}
	double share[12];
	rp_peaks_share(one + 2, 1, share, 12);
	cr_assert_eq(share[0], 1);
	rp_peaks_share(one + 3, 1, share, 12);
	cr_assert_eq(share[11], 1);
	rp_peaks_share(one + 4, 1, share, 12);
	cr_assert_eq(share[6], 1);
	rp_peaks_share(one + 5, 1, share, 12);
	cr_assert_eq(share[5], 1);
}

RP_TEST(peaks, what_is_drawn_keeps_to_the_recipe)
{
	struct rp_trace_key key = { rp_test_seed("peaks"), 5, 400, 0 };
	unsigned wide = 0, rare = 0, all = 2000;
	for (key.index = 0; key.index < all; key.index++) {
		struct rp_peak peak[5];
		struct rp_peaks_recipe how = { 0, 2, true, -1 };
		struct rp_xoshiro rng = rp_trace_chance(&key, "profile", 0);
		double cold, sum = 0, sigma = 0;
		rp_peaks_draw(peak, 5, &cold, 400, &how, &rng);
		for (int i = 0; i < 5; i++) {
			sum += peak[i].weight;
			sigma = fmax(sigma, peak[i].sigma);
			cr_assert(peak[i].mu >= 0 && peak[i].mu < 400 && peak[i].weight >= 0);
			cr_assert(peak[i].sigma >= 0 && peak[i].sigma <= 100);
		}
		cr_assert(fabs(sum + cold - 1) < 1e-12);
		wide += sigma > 2;
		how.cold = 0.25;
		rng = rp_trace_chance(&key, "profile", 0);
		rp_peaks_draw(peak, 5, &sum, 400, &how, &rng);
		cr_assert_eq(sum, 0.25);
		how.wide = false;
		how.cold = -1;
		rng = rp_trace_chance(&key, "profile", 0);
		rp_peaks_draw(peak, 5, &sum, 400, &how, &rng);
		for (int i = 0; i < 5; i++)
			cr_assert(peak[i].sigma <= 2);
		rare += cold < sum;
	}
	/* Half of them, six standard deviations of 22.4 either way. */
	cr_assert(wide > 850 && wide < 1150 && rare > 850 && rare < 1150, "%u %u", wide, rare);
}

RP_TEST(peaks, a_purpose_does_not_disturb_another)
{
	static const struct {
		struct rp_trace_key key;
		const char *purpose;
		uint64_t stream;
	} of[] = { { { 1, 2, 3, 4 }, "order", 0 }, { { 1, 2, 3, 4 }, "layout", 0 },
		{ { 1, 2, 3, 4 }, "order", 1 }, { { 9, 2, 3, 4 }, "order", 0 },
		{ { 1, 9, 3, 4 }, "order", 0 }, { { 1, 2, 9, 4 }, "order", 0 },
		{ { 1, 2, 3, 9 }, "order", 0 } };
	uint64_t first[sizeof of / sizeof *of];
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		first[i] = rp_trace_chance(&of[i].key, of[i].purpose, of[i].stream).s[0];
	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		for (size_t k = 0; k < i; k++)
			cr_assert_neq(first[i], first[k]);
	cr_assert_eq(rp_trace_chance(&of[0].key, "order", 0).s[0], first[0]);
}

RP_TEST(peaks, a_mixture_that_does_not_fit_is_refused)
{
	draw_refuses("mixture,sigma=3", "gen:mixture: sigma=3: wanted LOW..HIGH, as 0..2");
	draw_refuses("mixture,sigma=3..2", "gen:mixture: sigma=3..2: wanted LOW..HIGH, as 0..2");
	draw_refuses("mixture,cold=2", "gen:mixture: cold=2: wanted a share from 0 to 1");
	draw_refuses(
	    "mixture,at=3:1:0.5", "gen:mixture: at=: the weights and cold= sum to 0.5: wanted 1");
	draw_refuses("mixture,at=3:1", "gen:mixture: at=...1: wanted MU:SIGMA:WEIGHT,...");
}
