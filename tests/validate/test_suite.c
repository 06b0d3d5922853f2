/* test_suite.c - tests validate/suite.c and the checks behind it: all holds, and what is wrong is caught. */
#include "tests/check.h"

#include "validate/table2.h"

#include "sim/ttl.h"

#include <jansson.h>

static struct rp_suite
suite(uint64_t seed)
{
	struct rp_suite s = { .how.lab = { .line = 64, .seed = 1 },
		.seed = seed,
		.cases = { .threads = 1 },
		.blocks = { 7, 48 },
		.workers = { 1, 12 } };
	rp_checks_init(&s.checks);
	return s;
}

static void
all_held(const struct rp_suite *s)
{
	for (unsigned t = 0; t < RP_THEOREMS; t++)
		cr_assert(
		    rp_theorem_is_negative((enum rp_theorem)t) || !s->checks.count[t].violations,
		    "%s: %s", rp_theorem_table[t].name, s->checks.count[t].first);
	cr_assert_eq(rp_checks_failed(&s->checks), 0);
}

static void
caught(struct rp_suite *s, enum rp_theorem t, const char *what)
{
	cr_assert_gt(s->checks.count[t].violations, 0, "%s: not caught by %s", what,
	    rp_theorem_table[t].name);
	cr_assert(strstr(s->checks.count[t].first, "reprise validate pascal --"), "%s",
	    s->checks.count[t].first);
	cr_assert_gt(rp_checks_failed(&s->checks), 0);
}

RP_TEST(suite, every_small_scan_holds_and_comes_up_as_often_as_it_should)
{
	struct rp_err err = { 0 };
	struct rp_suite s = suite(1);
	cr_assert(rp_suite_exhaustive(&s, &err), "%s", err.text);
	all_held(&s);
	cr_assert_eq(s.checks.count[RP_LRU_ROUNDS].cases, 2254);
	cr_assert_eq(s.checks.count[RP_BOUND].cases, 2254);
	cr_assert_eq(s.checks.count[RP_CERTIFICATE].cases, 1554);
	cr_assert_eq(s.checks.count[RP_WITHOUT_CERTIFICATE].violations, 70);
	cr_assert_eq(s.checks.count[RP_WITHOUT_CORRECTION].violations, 16);
	cr_assert_eq(s.checks.count[RP_ENUMERATION].cases, 701);
	rp_checks_free(&s.checks);
}

RP_TEST(suite, random_scans_hold_and_do_not_depend_on_the_threads)
{
	struct rp_err err = { 0 };
	struct rp_checks one;
	uint64_t seed = rp_test_seed("random scans"), n = 60 * rp_test_scale();
	for (unsigned threads = 1; threads <= 3; threads += 2) {
		struct rp_suite s = suite(seed);
		s.cases.threads = threads;
		cr_assert(rp_suite_random(&s, n, &err), "%s", err.text);
		cr_assert(rp_suite_margins(&s, n, &err), "%s", err.text);
		cr_assert(rp_suite_histories(&s, n, &err), "%s", err.text);
		cr_assert(rp_suite_recurrence(&s, n, &err), "%s", err.text);
		all_held(&s);
		cr_assert_eq(s.checks.count[RP_LRU_TOTAL].cases, n);
		cr_assert_eq(s.checks.count[RP_RECURRENCE].cases, n);
		cr_assert_gt(s.checks.count[RP_HISTORY_THEOREM5].cases, n / 4);
		cr_assert_gt(s.checks.count[RP_MARGIN].cases, n / 4);
		for (unsigned t = 0; threads > 1 && t < RP_THEOREMS; t++)
			cr_assert(one.count[t].cases == s.checks.count[t].cases &&
				  one.count[t].slack == s.checks.count[t].slack);
		if (threads == 1)
			one = s.checks; /* which holds no text */
		else
			rp_checks_free(&s.checks);
	}
}

/* Larger rings and crews, and capacities at boundaries. */
RP_TEST(suite, larger_scans_hold)
{
	struct rp_err err = { 0 };
	struct rp_suite s = suite(rp_test_seed("larger scans"));
	s.blocks[0] = 100;
	s.blocks[1] = 300;
	s.workers[0] = 20;
	s.workers[1] = 60;
	cr_assert(rp_suite_random(&s, 4 * rp_test_scale(), &err), "%s", err.text);
	all_held(&s);
	rp_checks_free(&s.checks);
}

/* Case i of a seed is case 0 of seed + i: that is how a counterexample is seen again. */
RP_TEST(suite, a_case_depends_on_seed_and_number_alone)
{
	static const char *const own[] = { "lru" };
	struct rp_err err = { 0 };
	struct rp_suite_own sum = { 0 }, got = { 0 };
	for (uint64_t i = 0; i <= 5; i++) {
		struct rp_suite s = suite(i < 5 ? 40 + i : 40);
		s.how.own = own;
		s.how.n_own = 1;
		s.how.only_own = true;
		s.own = i < 5 ? &sum : &got;
		cr_assert(rp_suite_random(&s, i < 5 ? 1 : 5, &err), "%s", err.text);
		rp_checks_free(&s.checks);
	}
	cr_assert(got.cases == 5 && sum.cases == 5 && got.misses == sum.misses &&
		  got.bound == sum.bound && got.least == sum.least);
	cr_assert(got.misses > got.bound && got.misses >= got.least);
}

/* What may leave out blocks is held against the MIN that may too. */
RP_TEST(suite, a_cache_with_bypass_is_held_against_min_with_bypass)
{
	static const char *const both[] = { "opt", "opt,bypass=yes" };
	struct rp_err err = { 0 };
	struct rp_suite_own got[2] = { 0 };
	struct rp_suite s = suite(1);
	s.how.own = both;
	s.how.n_own = 2;
	s.how.only_own = true;
	s.own = got;
	cr_assert(rp_suite_random(&s, 5, &err), "%s", err.text);
	all_held(&s);
	cr_assert_eq(got[0].misses, got[0].least);
	cr_assert_eq(got[1].misses, got[1].least);
	cr_assert_lt(got[1].misses, got[0].misses);
	rp_checks_free(&s.checks);
}

/* ---- What is wrong is caught ---- */

static void
one_line_more(void *to, enum rp_lab_role role, struct rp_cache_spec *spec)
{
	(void)to;
	if (role == RP_LAB_LRU) {
		spec->ways++;
		spec->size += spec->line;
	}
}

static void
one_line_less(void *to, enum rp_lab_role role, struct rp_cache_spec *spec)
{
	(void)to;
	if (role == RP_LAB_LRU && spec->ways > 1) {
		spec->ways--;
		spec->size -= spec->line;
	}
}

/* Replaces the line used last but one longest ago: the order of use is kept in 16-bit counts. */
struct stamp {
	uint64_t now, used[64];
};

static size_t
stamp_bytes(uint32_t ways, const uint64_t *arg)
{
	(void)ways;
	(void)arg;
	return sizeof(struct stamp);
}

static void
stamp_use(const struct rp_at *at, uint32_t way)
{
	struct stamp *s = at->set;
	s->used[way] = ++s->now;
}

static uint32_t
second_oldest(const struct rp_at *at)
{
	const struct stamp *s = at->set;
	uint32_t oldest = 0, second = UINT32_MAX;
	for (uint32_t w = 1; w < at->ways; w++)
		oldest = s->used[w] < s->used[oldest] ? w : oldest;
	for (uint32_t w = 0; w < at->ways; w++)
		if (w != oldest && (second == UINT32_MAX || s->used[w] < s->used[second]))
			second = w;
	return second == UINT32_MAX ? 0 : second;
}

static const struct rp_policy nearly_lru = { .abi = RP_POLICY_ABI,
	.name = "lru",
	.what = "lru that takes the second oldest",
	.set_bytes = stamp_bytes,
	.hit = stamp_use,
	.fill = stamp_use,
	.victim = second_oldest };

static void
takes_second_oldest(void *to, enum rp_lab_role role, struct rp_cache_spec *spec)
{
	(void)to;
	if (role == RP_LAB_LRU && spec->ways <= 64)
		spec->policy = &nearly_lru;
}

static void
keeps_a_round_more(void *to, enum rp_lab_role role, struct rp_cache_spec *spec)
{
	(void)to;
	spec->arg[RP_TTL_WINDOW] += role == RP_LAB_TTL;
}

/* MIN that takes the next use of a line to be at most three lookups off. */
static void
blurred_use(const struct rp_at *at, uint32_t way)
{
	struct stamp *s = at->set;
	s->used[way] = at->next ^ 3;
}

static uint32_t
farthest(const struct rp_at *at)
{
	const struct stamp *s = at->set;
	uint32_t far = 0;
	for (uint32_t w = 1; w < at->ways; w++)
		far = s->used[w] > s->used[far] ? w : far;
	return far;
}

static const struct rp_policy blurred_min = { .abi = RP_POLICY_ABI,
	.name = "opt",
	.what = "opt with next uses that are a little wrong",
	.set_bytes = stamp_bytes,
	.hit = blurred_use,
	.fill = blurred_use,
	.victim = farthest,
	.future = true };

static void
sees_badly(void *to, enum rp_lab_role role, struct rp_cache_spec *spec)
{
	(void)to;
	if (role == RP_LAB_MIN && spec->ways <= 64)
		spec->policy = &blurred_min;
}

static uint64_t
more_than_any(const struct rp_pascal *p, uint64_t capacity, uint64_t rounds)
{
	(void)capacity;
	return rounds * p->workers + 1;
}

/* Theorem 4 with whole items only: V is too small, and the bound too large. */
static uint64_t
whole_items_only(const struct rp_pascal *p, uint64_t capacity, uint64_t rounds)
{
	uint64_t left = capacity * p->workers, hits = 0;
	if (capacity >= p->blocks)
		return 0;
	while (hits < p->workers && p->delta_sorted[hits] <= left)
		left -= p->delta_sorted[hits++];
	return rounds * (p->workers - hits);
}

RP_TEST(suite, wrong_caches_are_caught)
{
	static const struct {
		const char *what;
		void (*tamper)(void *to, enum rp_lab_role role, struct rp_cache_spec *spec);
		enum rp_theorem by[4];
	} at[] = {
		{ "LRU with a line more", one_line_more,
		    { RP_LRU_ROUNDS, RP_LRU_TOTAL, RP_CERTIFICATE, RP_TABLE2_SIMULATED } },
		{ "LRU with a line less", one_line_less,
		    { RP_LRU_ROUNDS, RP_LRU_TOTAL, RP_HISTORY_DISTANCES, RP_HISTORY_THEOREM5 } },
		{ "LRU that takes the second oldest", takes_second_oldest,
		    { RP_LRU_ROUNDS, RP_LRU_TOTAL, RP_CERTIFICATE, RP_HISTORY_DISTANCES } },
		{ "TTL that keeps a round more", keeps_a_round_more,
		    { RP_TTL_ROUNDS, RP_TTL_HELD, RP_TTL_TOTAL, RP_TTL_ROUNDS } },
		{ "MIN with wrong next uses", sees_badly,
		    { RP_MIN_PLAIN, RP_MIN_PLAIN, RP_MIN_PLAIN, RP_MIN_PLAIN } },
	};
	struct rp_err err = { 0 };
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		struct rp_suite s = suite(3);
		s.how.lab.tamper = at[i].tamper;
		cr_assert(rp_suite_random(&s, 60, &err), "%s: %s", at[i].what, err.text);
		cr_assert(rp_suite_histories(&s, 60, &err), "%s: %s", at[i].what, err.text);
		for (size_t k = 0; k < 4; k++)
			if (at[i].by[k] != RP_TABLE2_SIMULATED)
				caught(&s, at[i].by[k], at[i].what);
		rp_checks_free(&s.checks);
	}
}

RP_TEST(suite, wrong_caches_are_caught_by_small_scans_alone)
{
	static const struct {
		void (*tamper)(void *to, enum rp_lab_role role, struct rp_cache_spec *spec);
		enum rp_theorem by;
	} at[] = { { one_line_more, RP_LRU_ROUNDS }, { keeps_a_round_more, RP_TTL_ROUNDS },
		{ sees_badly, RP_MIN_PLAIN } };
	struct rp_err err = { 0 };
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		struct rp_suite s = suite(3);
		s.how.only_own = true;
		s.how.lab.tamper = at[i].tamper;
		cr_assert(rp_suite_exhaustive(&s, &err), "%s", err.text);
		caught(&s, at[i].by, "small scans");
		rp_checks_free(&s.checks);
	}
}

/* The command that shows a counterexample again has the caches that were looked at, and the message their names. */
RP_TEST(suite, a_counterexample_names_the_users_caches)
{
	static const char *const own[] = { "srrip,ways=1" }, *const file[] = { "./a policy.so" };
	struct rp_err err = { 0 };
	struct rp_suite_own got = { 0 };
	struct rp_suite s = suite(3);
	s.how.own = own;
	s.how.n_own = 1;
	s.how.only_own = true;
	s.how.plugin_files = file;
	s.how.n_plugin_files = 1;
	s.how.bound = more_than_any;
	s.own = &got;
	cr_assert(rp_suite_random(&s, 3, &err), "%s", err.text);
	caught(&s, RP_BOUND, "a bound above all");
	const char *first = s.checks.count[RP_BOUND].first;
	cr_assert(strstr(first, " --plugin './a policy.so' --cache 'srrip,ways=1'"), "%s", first);
	rp_checks_free(&s.checks);
}

RP_TEST(suite, a_bound_without_the_fractional_item_is_caught)
{
	struct rp_err err = { 0 };
	struct rp_suite s = suite(3);
	s.how.bound = whole_items_only;
	cr_assert(rp_suite_random(&s, 60, &err), "%s", err.text);
	caught(&s, RP_BOUND, "the bound");
	cr_assert(s.checks.count[RP_BOUND].slack < 0);
	rp_checks_free(&s.checks);
}

/* The counterexample says which scan it is, what was found and what was wanted, and how to see it again. */
RP_TEST(suite, a_counterexample_is_told_in_full)
{
	static const uint64_t phase[] = { 0, 1, 5 };
	const struct rp_scan_case c = { .scan = { phase, 3, 12, 72, 64 }, .capacity = 7 };
	struct rp_err err = { 0 };
	struct rp_suite s = suite(3);
	s.how.lab.tamper = one_line_more;
	cr_assert(rp_suite_one(&s, &c, &err), "%s", err.text);
	cr_assert_str_eq(s.checks.count[RP_LRU_ROUNDS].first,
	    "misses of LRU, round 12: found 1, wanted 2\n"
	    "N = 12, M = 3, C = 7, 72 rounds, phases 0,1,5\n"
	    "reprise validate pascal --blocks 12 --capacity 7 --rounds 72 --phases 0,1,5");
	rp_checks_free(&s.checks);
}

RP_TEST(suite, statements_fail_without_their_condition)
{
	struct rp_err err = { 0 };
	struct rp_suite s = suite(1);
	cr_assert(rp_suite_conditions(&s, &err), "%s", err.text);
	all_held(&s);
	for (unsigned t = RP_WITHOUT_CERTIFICATE; t < RP_THEOREMS; t++)
		cr_assert_gt(s.checks.count[t].violations, 0, "%s holds without %s",
		    rp_theorem_table[t].what, rp_theorem_table[t].source);
	rp_checks_free(&s.checks);
}

RP_TEST(suite, sdcm_describes_random_sets)
{
	struct rp_err err = { 0 };
	struct rp_suite s = suite(1);
	cr_assert(rp_suite_sets(&s, 2 * rp_test_scale(), &err), "%s", err.text);
	all_held(&s);
	cr_assert_eq(s.checks.count[RP_SDCM_SETS].cases, 8 * rp_test_scale());
	rp_checks_free(&s.checks);
}

/* ---- Fixtures ---- */

static json_t *
fixture(const char *name)
{
	char path[4096], file[64];
	json_error_t e;
	snprintf(file, sizeof file, "validate/files/%s", name);
	json_t *all = json_load_file(rp_test_file(path, file), 0, &e);
	cr_assert(all, "%s: %s", path, e.text);
	return all;
}

static uint64_t
number(json_t *object, const char *name)
{
	json_t *x = json_object_get(object, name);
	cr_assert(json_is_integer(x), "%s", name);
	return (uint64_t)json_integer_value(x);
}

RP_TEST(suite, table_2_is_that_of_the_fixture)
{
	struct rp_err err = { 0 };
	struct rp_suite s = suite(1);
	struct rp_table2_row rows[RP_TABLE2_ROWS];
	json_t *all = fixture("table2.json"), *one;
	size_t i;
	cr_assert(rp_suite_table2(&s, rows, &err), "%s", err.text);
	all_held(&s);
	json_t *cases = json_array();
	json_array_extend(cases, json_object_get(all, "cluster_cases"));
	json_array_extend(cases, json_object_get(all, "phase_size_cases"));
	cr_assert_eq(json_array_size(cases), RP_TABLE2_ROWS);
	json_array_foreach(cases, i, one)
	{
		const struct rp_table2_row *r = &rows[i];
		json_t *pattern = json_object_get(one, "pattern");
		cr_assert_str_eq(r->pattern, pattern ? json_string_value(pattern) : "clusters");
		cr_assert(r->blocks == number(one, "N") && r->workers == number(one, "M") &&
			  r->capacity == number(one, "C") && r->window == number(one, "T_star") &&
			  r->pascal == number(one, "K_pascal"));
		cr_assert_float_eq(
		    r->sdcm, json_number_value(json_object_get(one, "K_sdcm_fa")), 1e-9);
		cr_assert_float_eq(
		    r->che, json_number_value(json_object_get(one, "K_che_irm")), 1e-9);
		cr_assert(r->lru == r->pascal && r->ttl == r->pascal);
	}
	json_decref(cases);
	json_decref(all);
	rp_checks_free(&s.checks);
}

/* Totals of 6 N rounds from empty that the fixture has, by replay. */
RP_TEST(suite, replays_come_to_the_totals_of_the_fixture)
{
	static const struct {
		const char *name;
		enum rp_lab_role role;
	} at[] = { { "belady_6N", RP_LAB_MIN }, { "belady_bypass_6N", RP_LAB_BYPASS },
		{ "lru_6N_cold", RP_LAB_LRU }, { "ttl_6N_cold", RP_LAB_TTL } };
	const struct rp_lab lab = { .line = 64, .seed = 1 };
	struct rp_err err = { 0 };
	json_t *all = fixture("static_cases.json"), *one;
	size_t i, done = 0;
	json_array_foreach(all, i, one)
	{
		json_t *list = json_object_get(one, "phases");
		uint64_t phase[256];
		struct rp_lab_scan scan = { phase, (uint32_t)number(one, "M"), number(one, "N"),
			6 * number(one, "N"), 64 };
		cr_assert_leq(scan.workers, 256);
		for (size_t m = 0; m < scan.workers; m++)
			phase[m] = (uint64_t)json_integer_value(json_array_get(list, m));
		for (size_t k = 0; k < 4; k++) {
			json_t *want = json_object_get(one, at[k].name),
			       *window = json_object_get(one, "T_star");
			uint64_t got, size = at[k].role == RP_LAB_TTL
			                         ? (uint64_t)json_integer_value(window)
			                         : number(one, "C");
			if (!json_is_integer(want) ||
			    (at[k].role == RP_LAB_TTL && !json_is_integer(window)))
				continue;
			cr_assert(rp_lab_scan_misses(&lab, &scan, at[k].role, size, 0, &got, &err),
			    "%s", err.text);
			cr_assert_eq(got, (uint64_t)json_integer_value(want), "%s of case %zu: %lu",
			    at[k].name, i, got);
			done++;
		}
	}
	cr_assert_gt(done, 150);
	json_decref(all);
}
