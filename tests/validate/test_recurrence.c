/* test_recurrence.c - tests validate/recurrence.c. */
#include "tests/check.h"

#include "base/rng.h"
#include "validate/recurrence.h"

#include <jansson.h>

enum { ISSUES = 3000, DEPTH = 9 };

static bool
is(struct rp_fraction f, long long num, long long den)
{
	return f.num == num && f.den == den;
}

/* Section 9. */
RP_TEST(recurrence, examples_of_the_paper_come_out)
{
	static const struct {
		uint32_t depth;
		int alpha, hit[2], miss[2], overlap, gain[2];
	} at[] = {
		{ 2, 20, { 350, 1 }, { 700, 1 }, 20, { 350, 1 } },
		{ 3, 20, { 175, 1 }, { 350, 1 }, 140, { 175, 1 } },
		{ 4, 20, { 120, 1 }, { 700, 3 }, 260, { 340, 3 } },
		{ 4, 200, { 300, 1 }, { 300, 1 }, 800, { 0, 1 } },
	};
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		struct rp_pipeline p = { at[i].depth, 1, at[i].alpha, 100, 250, 600, NULL };
		cr_assert(rp_pipeline_check(&p, NULL));
		cr_assert(is(rp_pipeline_period(&p, 250), at[i].hit[0], at[i].hit[1]));
		cr_assert(is(rp_pipeline_period(&p, 600), at[i].miss[0], at[i].miss[1]));
		cr_assert(is(rp_pipeline_overlap(&p), at[i].overlap, 1));
		cr_assert(is(rp_pipeline_gain(&p), at[i].gain[0], at[i].gain[1]));
	}
}

static rp_wide
number(const json_t *o, const char *name)
{
	return json_integer_value(json_object_get(o, name));
}

static bool
same(struct rp_fraction f, const json_t *pair)
{
	return f.num == json_integer_value(json_array_get(pair, 0)) &&
	       f.den == json_integer_value(json_array_get(pair, 1));
}

static size_t
numbers(const json_t *o, const char *name, rp_wide *to)
{
	size_t i;
	json_t *x;
	json_array_foreach(json_object_get(o, name), i, x) to[i] = json_integer_value(x);
	return json_array_size(json_object_get(o, name));
}

RP_TEST(recurrence, cases_of_the_fixture_come_out)
{
	char path[4096];
	json_t *all = json_load_file(
		   rp_test_file(path, "validate/files/theorem6_cases.json"), 0, NULL),
	       *one;
	size_t i;
	cr_assert(json_array_size(all) == 20);
	json_array_foreach(all, i, one)
	{
		rp_wide init[64], latency[64], wanted[64], issue[2001];
		struct rp_pipeline p = { (uint32_t)number(one, "d"), 1, number(one, "alpha"),
			number(one, "beta"), number(one, "lam_hit"), number(one, "lam_miss"),
			init };
		cr_assert_eq(numbers(one, "init", init), p.depth - 1);
		numbers(one, "latencies", latency);
		size_t n = numbers(one, "I", wanted);
		cr_assert(rp_pipeline_check(&p, NULL));
		cr_assert(same(rp_pipeline_period(&p, p.hit), json_object_get(one, "P_hit")));
		cr_assert(same(rp_pipeline_period(&p, p.miss), json_object_get(one, "P_miss")));
		cr_assert(same(rp_pipeline_gain(&p), json_object_get(one, "G")));
		cr_assert(is(rp_pipeline_overlap(&p), (long long)number(one, "theta"), 1));
		rp_pipeline_issues(&p, latency, 1, n, issue);
		cr_assert_arr_eq(issue, wanted, n * sizeof *issue);
		rp_pipeline_issues(&p, &p.miss, 0, 2001, issue);
		cr_assert(issue[2000] == number(one, "I_const_miss_2000"));
	}
	json_decref(all);
}

static struct rp_pipeline
random_pipeline(struct rp_rng *rng, rp_wide *init)
{
	struct rp_pipeline p = { (uint32_t)(2 + rp_rng_below(rng, DEPTH - 1)), 12,
		(rp_wide)rp_rng_below(rng, 100), (rp_wide)(1 + rp_rng_below(rng, 100)),
		(rp_wide)rp_rng_below(rng, 400), 0, init };
	p.miss = p.hit + (rp_wide)rp_rng_below(rng, 800);
	for (uint32_t j = 0; j + 1 < p.depth; j++)
		init[j] = (rp_wide)rp_rng_below(rng, 500);
	return p;
}

/* I[n] is within n P + lower .. n P + upper for one latency. */
static void
check_bounds(const struct rp_pipeline *p, rp_wide latency)
{
	rp_wide issue[ISSUES];
	struct rp_fraction period = rp_pipeline_period(p, latency),
			   upper = rp_pipeline_upper(p, latency),
			   lower = rp_pipeline_lower(p, latency);
	rp_pipeline_issues(p, &latency, 0, ISSUES, issue);
	for (rp_wide n = p->depth - 1; n < ISSUES; n++) {
		/* Times of I[n], n P and the bound in parts of all denominators. */
		rp_wide at = issue[n] * period.den * upper.den,
			by = n * period.num * p->unit * upper.den;
		cr_assert(at <= by + upper.num * p->unit * period.den);
		at = issue[n] * period.den * lower.den;
		by = n * period.num * p->unit * lower.den;
		cr_assert(at >= by + lower.num * p->unit * period.den);
	}
}

RP_TEST(recurrence, clocks_stay_within_their_bounds)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("recurrence"), "test", 0);
	for (unsigned i = 0; i < 40 * rp_test_scale(); i++) {
		rp_wide init[DEPTH], issue[ISSUES], hits[ISSUES], misses[ISSUES], latency[ISSUES];
		struct rp_pipeline p = random_pipeline(&rng, init);
		check_bounds(&p, p.hit);
		check_bounds(&p, p.miss);
		for (size_t k = 0; k < ISSUES; k++)
			latency[k] =
			    p.hit + (rp_wide)rp_rng_below(&rng, (uint64_t)(p.miss - p.hit) + 1);
		rp_pipeline_issues(&p, latency, 1, ISSUES, issue);
		rp_pipeline_issues(&p, &p.hit, 0, ISSUES, hits);
		rp_pipeline_issues(&p, &p.miss, 0, ISSUES, misses);
		for (size_t n = 0; n < ISSUES; n++)
			cr_assert(hits[n] <= issue[n] && issue[n] <= misses[n]);
		/* G is 0 if and only if misses are hidden, or no slower than hits. */
		struct rp_fraction g = rp_pipeline_gain(&p), hidden = rp_pipeline_overlap(&p);
		cr_assert_eq(
		    g.num == 0, p.miss * hidden.den <= hidden.num * p.unit || p.hit == p.miss);
		cr_assert(g.num >= 0);
	}
}

/* Theorem 6: the second worker at its fastest, the first at its slowest. */
RP_TEST(recurrence, a_separated_worker_stays_behind)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("separation"), "test", 0);
	unsigned apart = 0;
	for (unsigned i = 0; i < 100 * rp_test_scale(); i++) {
		rp_wide init[2][DEPTH], slow[ISSUES], fast[ISSUES];
		struct rp_pipeline p = random_pipeline(&rng, init[0]),
				   q = random_pipeline(&rng, init[1]);
		struct rp_separation s = rp_pipeline_separation(&p, &q);
		rp_pipeline_issues(&p, &p.miss, 0, ISSUES, slow);
		rp_pipeline_issues(&q, &q.hit, 0, ISSUES, fast);
		for (rp_wide n = DEPTH; n < ISSUES; n++)
			cr_assert((fast[n] - slow[n]) * s.eps.den * s.slack.den >=
				  (n * s.eps.num * s.slack.den - s.slack.num * s.eps.den) * p.unit);
		apart += s.eps.num > 0;
	}
	cr_assert(apart > 10 && apart < 90 * rp_test_scale());
}

RP_TEST(recurrence, refuses_what_has_none)
{
	static const struct {
		struct rp_pipeline p;
		const char *say;
	} at[] = {
		{ { 1, 1, 20, 100, 250, 600, NULL }, "depth 1: wanted 2" },
		{ { 2, 1, 20, 0, 250, 600, NULL }, "beta: wanted more than 0" },
		{ { 2, 1, -1, 100, 250, 600, NULL }, "negative" },
		{ { 2, 1, 20, 100, 250, 249, NULL }, "a hit takes longer" },
		{ { 2, 1, 20, 100, 250, (rp_wide)1 << 60, NULL }, "too large" },
	};
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		struct rp_err err = { 0 };
		cr_assert_not(rp_pipeline_check(&at[i].p, &err));
		cr_assert(err.code == RP_USAGE && strstr(err.text, at[i].say), "%s", err.text);
	}
}

/* At the limits nothing overflows: the sanitizer build would tell, and what the periods are is known. */
RP_TEST(recurrence, the_largest_times_are_exact)
{
	rp_wide top = RP_TIME_MOST - 1;
	struct rp_pipeline p = { RP_DEPTH_MOST, ((rp_wide)1 << 40) - 1, top, top, 0, top, NULL },
			   q = { RP_DEPTH_MOST - 1, ((rp_wide)1 << 40) - 1, 0, 1, top, top, NULL };
	struct rp_separation s = rp_pipeline_separation(&q, &p);
	struct rp_fraction period = rp_pipeline_period(&p, top);
	cr_assert(period.num * p.unit == 2 * top * period.den);
	cr_assert(s.eps.num > 0 && rp_pipeline_gain(&p).num == 0);
}

RP_TEST(fraction, is_parsed_exactly_and_printed)
{
	static const struct {
		const char *text;
		long long num, den;
	} at[] = { { "250", 250, 1 }, { "0.25", 1, 4 }, { "1/3", 1, 3 }, { "10/4", 5, 2 },
		{ "0", 0, 1 }, { "007.50", 15, 2 },
		{ "999999999999999999", 999999999999999999, 1 } };
	static const char *const wrong[] = { "", "-1", "1.", "1/", "1/0", ".5", "1e3", "x", "1/2/3",
		"1234567890123456789", "0.1234567890123456789", "1 " };
	struct rp_fraction f;
	struct rp_err err;
	char text[RP_WIDE_ROOM];
	for (size_t i = 0; i < sizeof at / sizeof *at; i++)
		cr_assert(rp_fraction_parse(at[i].text, &f, NULL) && is(f, at[i].num, at[i].den),
		    "%s", at[i].text);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		cr_assert(
		    !rp_fraction_parse(wrong[i], &f, &err) && err.code == RP_USAGE, "%s", wrong[i]);
	cr_assert(is(rp_fraction(-6, 4), -3, 2) && is(rp_fraction(6, -4), -3, 2) &&
		  is(rp_fraction(0, -7), 0, 1));
	cr_assert(
	    rp_wide_floor(-7, 2) == -4 && rp_wide_ceil(-7, 2) == -3 && rp_wide_ceil(7, 2) == 4);
	cr_assert_str_eq(rp_wide_print(text, ((rp_wide)1 << 126) - 1 + ((rp_wide)1 << 126)),
	    "170141183460469231731687303715884105727");
	cr_assert_str_eq(rp_wide_print(text, -120), "-120");
}
