/* test_columns.c - tests learn/columns.c. */
#include "tests/check.h"

#include "learn/columns.h"

#include "base/rng.h"

#include <math.h>

enum { N = 3000, BINS = 100 };

static struct rp_features
some_features(size_t n)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("columns"), "tests/columns", 0);
	uint64_t line[N];
	struct rp_extractor_opts o = { .bins = BINS };
	struct rp_features f = { 0 };
	struct rp_extractor *x = rp_extractor_new(&o, NULL);
	for (size_t i = 0; i < n; i++)
		line[i] = (uint64_t)(500 * pow(rp_rng_unit(&rng), 3));
	cr_assert(rp_extractor_add(x, line, n, NULL) && rp_extractor_take(x, &f, NULL));
	rp_extractor_free(x);
	return f;
}

static float *
filled(const char *name, const struct rp_features *f, size_t *n)
{
	const struct rp_feature_column *c = rp_feature_column(name);
	cr_assert(c, "%s", name);
	*n = rp_feature_width(c, f->bins);
	float *x = malloc((*n + 1) * sizeof *x);
	x[*n] = -7;
	c->fill(f, x);
	cr_assert_eq(x[*n], -7, "%s is wider than it says", name);
	return x;
}

RP_TEST(columns, profiles_are_shares_that_sum_to_one)
{
	static const char *const names[] = { "rp", "lrp", "srp", "rtp" };
	struct rp_features f = some_features(N);
	for (size_t i = 0; i < 4; i++) {
		size_t n;
		float *x = filled(names[i], &f, &n);
		double sum = 0;
		cr_assert_eq(n, i ? 66 : BINS + 2);
		for (size_t k = 0; k < n; k++)
			sum += x[k];
		cr_assert(fabs(sum - 1) < 1e-5, "%s: %g", names[i], sum);
		cr_assert(fabs(x[n - 1] * N - f.cold) < 0.01 || i == 2);
		free(x);
	}
	rp_features_free(&f);
}

RP_TEST(columns, tables_lie_by_rows)
{
	struct rp_features f = some_features(N);
	size_t n;
	float *x = filled("conf", &f, &n);
	cr_assert_eq(n, 45);
	cr_assert(x[3 * 5 + 2] == (float)f.conf[3][2] && x[44] == (float)f.conf[8][4]);
	free(x);
	x = filled("mg", &f, &n);
	cr_assert_eq(n, 72);
	cr_assert_eq(x[2 * 9 + 5], (float)((double)f.surface.merged[2][5] / N));
	free(x);
	x = filled("pr", &f, &n);
	cr_assert_eq(x[7 * 9 + 8], (float)((double)f.surface.primary[7][8] / N));
	free(x);
	x = filled("pz", &f, &n);
	cr_assert_eq(x[9], (float)f.surface.dispersion[1][0]);
	free(x);
	x = filled("ratio", &f, &n);
	cr_assert(n == 9 && x[1] == (float)f.ratio[1]);
	free(x);
	x = filled("disp", &f, &n);
	cr_assert(n == 9 && x[8] == (float)f.disp[8]);
	free(x);
	cr_assert_null(rp_feature_column("none"));
	rp_features_free(&f);
}

RP_TEST(columns, an_empty_interval_has_numbers_too)
{
	struct rp_features f = some_features(0);
	for (const struct rp_feature_column *c = rp_feature_columns; c->name; c++) {
		size_t n;
		float *x = filled(c->name, &f, &n);
		for (size_t k = 0; k < n; k++)
			cr_assert(isfinite(x[k]), "%s", c->name);
		free(x);
	}
	rp_features_free(&f);
}
