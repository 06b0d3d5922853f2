/* test_prior.c - tests learn/prior.c. */
#include "tests/check.h"

#include "learn/prior.h"

#include "base/rng.h"

#include <jansson.h>
#include <math.h>

static double
column(const json_t *row, size_t i)
{
	return json_number_value(json_array_get(row, i));
}

static void
near(double a, double b)
{
	cr_assert(fabs(a - b) <= 1e-9, "%.12g, wanted %.12g", a, b);
}

static struct rp_features
features_of(const uint64_t *line, size_t n, uint32_t bins)
{
	struct rp_extractor_opts o = { .bins = bins, .sample = 1 };
	struct rp_features f = { 0 };
	struct rp_extractor *x = rp_extractor_new(&o, NULL);
	cr_assert(rp_extractor_add(x, line, n, NULL) && rp_extractor_take(x, &f, NULL));
	rp_extractor_free(x);
	return f;
}

static void
check_case(const json_t *o, const struct rp_features *f)
{
	const json_t *row;
	size_t i;
	json_array_foreach(json_object_get(o, "sdcm"), i, row)
	    near(rp_prior_random(
		     f->rp, f->bins, f->n, (uint64_t)column(row, 0), (uint64_t)column(row, 1)),
		column(row, 2));
	json_array_foreach(json_object_get(o, "prior"), i, row)
	{
		struct rp_prior_cache c = { (uint64_t)column(row, 0), (uint64_t)column(row, 1),
			(uint64_t)column(row, 2), (uint64_t)column(row, 3) };
		struct rp_prior p = rp_prior(f, &c);
		near(p.miss_rate, column(row, 4));
		near(p.merge_rate, column(row, 5));
		near(p.fetch_rate, p.miss_rate * (1 - p.merge_rate));
	}
	double share[64], touches[8];
	uint64_t latency[8];
	cr_assert_eq(f->bins, 64);
	for (int d = 0; d < 64; d++)
		share[d] = f->rp[d] / (double)f->n;
	json_array_foreach(json_object_get(o, "chain_V"), i, row) latency[i] =
	    (uint64_t)column(row, 0);
	cr_assert(rp_prior_touches(share, 64, latency, i, touches, NULL));
	json_array_foreach(json_object_get(o, "chain_V"), i, row) near(touches[i], column(row, 1));
}

RP_TEST(prior, the_published_values_come_out)
{
	char path[4096];
	json_t *doc =
		   json_load_file(rp_test_file(path, "learn/files/mlcrp-features.json"), 0, NULL),
	       *o, *v;
	size_t k, i;
	json_array_foreach(json_object_get(doc, "cases"), k, o)
	{
		uint64_t line[1000];
		json_array_foreach(json_object_get(o, "trace"), i, v) line[i] =
		    (uint64_t)json_integer_value(v);
		struct rp_features f = features_of(line, i, 64);
		check_case(o, &f);
		rp_features_free(&f);
	}
	cr_assert_eq(k, 3);
	json_array_foreach(json_object_get(doc, "erlang_b"), i, v)
	{
		double b = rp_prior_erlang((uint64_t)column(v, 0), column(v, 1));
		cr_assert(fabs(b - column(v, 2)) <= 1e-9 * column(v, 2), "%g", b);
	}
	cr_assert_eq(i, 5);
	json_decref(doc);
}

/* The sum over the binomial distribution, by log-gamma. */
static double
slow_random(const struct rp_features *f, double sets, uint64_t ways)
{
	double sum = f->rp[f->bins] + (double)f->rp[f->bins + 1];
	for (uint32_t d = 0; d < f->bins; d++) {
		double miss = 0;
		for (uint64_t k = ways; k <= d; k++)
			miss += exp(lgamma(d + 1.0) - lgamma((double)k + 1) -
				    lgamma((double)(d - k) + 1) - (double)k * log(sets) +
				    (double)(d - k) * log(1 - 1 / sets));
		sum += f->rp[d] * miss;
	}
	return sum / (double)f->n;
}

RP_TEST(prior, random_placement_is_a_sum_over_the_binomial_distribution)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("prior"), "tests/prior", 0);
	enum { N = 4000 };
	uint64_t *line = malloc(N * sizeof *line);
	for (size_t i = 0; i < N; i++)
		line[i] = rp_rng_below(&rng, 1 + rp_rng_below(&rng, 400));
	struct rp_features f = features_of(line, N, 256);
	for (uint64_t sets = 2; sets <= 64; sets *= 4)
		for (uint64_t ways = 1; ways <= 12; ways += 3)
			near(rp_prior_random(f.rp, f.bins, f.n, sets, ways),
			    slow_random(&f, (double)sets, ways));
	/* One set: what has so many others in between. */
	for (uint64_t ways = 1; ways < 300; ways += 50) {
		double miss = f.rp[256] + (double)f.rp[257];
		for (uint64_t d = ways; d < 256; d++)
			miss += f.rp[d];
		near(rp_prior_random(f.rp, f.bins, f.n, 1, ways), miss / N);
	}
	rp_features_free(&f);
	free(line);
}

RP_TEST(prior, it_is_within_bounds_and_falls_with_what_a_cache_has)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("prior"), "tests/prior", 1);
	enum { N = 8000 };
	uint64_t *line = malloc(N * sizeof *line);
	for (size_t i = 0; i < N; i++)
		line[i] = (uint64_t)(3000 * pow(rp_rng_unit(&rng), 3));
	struct rp_features f = features_of(line, N, 4096);
	static const uint64_t latency[] = { 0, 1, 2, 4, 7, 100, 1024, 5000 },
			      entry[] = { 0, 1, 16, 1000 };
	for (uint64_t sets = 1; sets <= 2048; sets *= 2)
		for (size_t t = 0; t < 8; t++)
			for (size_t e = 0; e < 4; e++) {
				double last = 1;
				for (uint64_t ways = 1; ways <= 32; ways *= 2) {
					struct rp_prior_cache c = { sets, ways, latency[t],
						entry[e] };
					struct rp_prior p = rp_prior(&f, &c);
					cr_assert(p.miss_rate >= 0 && p.miss_rate <= 1 + 1e-12);
					cr_assert(p.merge_rate >= 0 && p.merge_rate <= 1);
					cr_assert(latency[t] > 1 || p.merge_rate == 0);
					/* The conflict profile goes to 16 ways; beyond it another estimate does. */
					cr_assert(ways == 32 || p.tag_miss <= last + 1e-12);
					last = p.tag_miss;
					if (latency[t] <= 1)
						near(p.miss_rate, p.tag_miss);
				}
			}
	/* A fully associative cache on the grid without limits is the surface itself. */
	for (unsigned c = 1; c + 1 < RP_CAPACITIES - 1; c++)
		for (unsigned t = 0; t < RP_LATENCIES; t++) {
			struct rp_prior_cache cache = { 1, rp_capacity(c), 4u << t, 0 };
			struct rp_prior p = rp_prior(&f, &cache);
			near(p.fetch_rate, (double)f.surface.primary[c][t] / N);
			near(p.miss_rate - p.fetch_rate, (double)f.surface.merged[c][t] / N);
		}
	rp_features_free(&f);
	free(line);
}

RP_TEST(prior, erlangs_formula_is_the_quotient_of_sums)
{
	for (unsigned e = 0; e <= 60; e += 7)
		for (double load = 0.25; load < 200; load *= 3) {
			double term = 1, sum = 1;
			for (unsigned k = 1; k <= e; k++)
				sum += term *= load / k;
			near(rp_prior_erlang(e, load), term / sum);
		}
	near(rp_prior_erlang(5, 0), 0);
	near(rp_prior_erlang(1 << 20, 1), 0);
}

RP_TEST(prior, no_access_no_miss)
{
	struct rp_features f = features_of(NULL, 0, 64);
	struct rp_prior p = rp_prior(&f, &(struct rp_prior_cache){ 4, 4, 100, 8 });
	cr_assert(p.miss_rate == 0 && p.merge_rate == 0 && p.tag_miss == 0);
	rp_features_free(&f);
}
