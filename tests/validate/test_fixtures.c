/* test_fixtures.c - the closed forms of validate/ against the cases of the specification. */
#include "tests/check.h"

#include "gen/phases.h"
#include "validate/sdcm.h"

#include <jansson.h>
#include <math.h>

static json_t *
load(const char *name)
{
	char path[4096];
	json_t *all = json_load_file(rp_test_file(path, name), 0, NULL);
	cr_assert(all, "%s", name);
	return all;
}

static uint64_t
number(const json_t *one, const char *name)
{
	const json_t *v = json_object_get(one, name);
	cr_assert(json_is_integer(v), "%s", name);
	return (uint64_t)json_integer_value(v);
}

static bool
same(struct rp_fraction f, const json_t *pair)
{
	return f.num == json_integer_value(json_array_get(pair, 0)) &&
	       f.den == json_integer_value(json_array_get(pair, 1));
}

static void
same_list(const json_t *one, const char *name, const uint64_t *x, size_t n)
{
	const json_t *list = json_object_get(one, name), *v;
	size_t i;
	cr_assert_eq(json_array_size(list), n, "%s", name);
	json_array_foreach(list, i, v)
	    cr_assert_eq(x[i], (uint64_t)json_integer_value(v), "%s[%zu]", name, i);
}

/* The law of a case with listed phases. */
static struct rp_pascal *
law(const json_t *one)
{
	const json_t *list = json_object_get(one, "phases"), *v;
	uint64_t phase[1024];
	size_t i;
	cr_assert_leq(json_array_size(list), 1024);
	json_array_foreach(list, i, v) phase[i] = (uint64_t)json_integer_value(v);
	struct rp_pascal *p =
	    rp_pascal_new(phase, (uint32_t)json_array_size(list), number(one, "N"), NULL);
	cr_assert(p && rp_pascal_distances(p, NULL));
	return p;
}

static void
check_ring(const json_t *one, const struct rp_pascal *p)
{
	const json_t *v;
	size_t i;
	cr_assert_eq(p->distinct, number(one, "distinct"));
	cr_assert_eq(rp_pascal_clusters(p, 32), number(one, "clusters_gap32"));
	same_list(one, "gaps", p->gap, p->distinct);
	same_list(one, "sorted_gaps", p->sorted, p->distinct);
	same_list(one, "rd", p->rd, p->workers);
	same_list(one, "delta_times_M", p->delta, p->workers);
	json_array_foreach(json_object_get(one, "U"), i, v)
	    cr_assert_eq(rp_pascal_footprint(p, (uint64_t)json_integer_value(json_array_get(v, 0))),
		(uint64_t)json_integer_value(json_array_get(v, 1)));
	json_array_foreach(json_object_get(one, "prev_lag_worker"), i, v)
	    cr_assert(p->previous[i].lag == (uint64_t)json_integer_value(json_array_get(v, 0)) &&
		      p->previous[i].worker == json_integer_value(json_array_get(v, 1)));
}

static void
check_sdcm(const json_t *one, const struct rp_pascal *p, uint64_t c)
{
	static const uint64_t ways[] = { 1, 4, 16 };
	char name[32];
	for (size_t i = 0; i < 3; i++) {
		snprintf(name, sizeof name, "K_sdcm_A%d", (int)ways[i]);
		const json_t *v = json_object_get(one, name);
		cr_assert(!v || fabs(rp_pascal_sdcm(p, ways[i], c) - json_number_value(v)) < 1e-8);
	}
}

/* Totals from an empty cache, and Belady's misses, which no bound may exceed. */
static void
check_cold(const json_t *one, struct rp_pascal *p, uint64_t c)
{
	uint64_t rounds = number(one, "rounds_6N");
	const json_t *lru = json_object_get(one, "lru_6N_cold"),
		     *ttl = json_object_get(one, "ttl_6N_cold"),
		     *belady = json_object_get(one, "belady_bypass_6N");
	cr_assert(rp_pascal_horizon(p, rounds, NULL));
	cr_assert(
	    !json_is_integer(lru) || rp_pascal_cold_lru(p, c) == (uint64_t)json_integer_value(lru));
	cr_assert(!json_is_integer(ttl) ||
		  rp_pascal_cold_ttl(p, c, rounds) == (uint64_t)json_integer_value(ttl));
	cr_assert(!json_is_integer(belady) ||
		  rp_pascal_cold_bound(p, c, rounds) <= (uint64_t)json_integer_value(belady));
}

RP_TEST(fixtures, static_cases_come_out)
{
	json_t *all = load("validate/files/static_cases.json"), *one;
	size_t i;
	cr_assert_eq(json_array_size(all), 60);
	json_array_foreach(all, i, one)
	{
		struct rp_pascal *p = law(one);
		struct rp_waterline w;
		struct rp_pascal_certificate c;
		uint64_t capacity = number(one, "C");
		const json_t *theta = json_object_get(one, "theta"),
			     *thm3 = json_object_get(one, "thm3");
		check_ring(one, p);
		cr_assert_eq(rp_pascal_waterline(p, capacity, &w), !json_is_null(theta));
		cr_assert(json_is_null(theta) ||
			  (same(w.theta, theta) && w.window == number(one, "T_star")));
		cr_assert_eq(rp_pascal_ttl(p, capacity), number(one, "K_ttl"));
		cr_assert_eq(rp_pascal_lru(p, capacity), number(one, "K_lru"));
		cr_assert_eq(rp_pascal_certificate(p, capacity, &c), !json_is_null(thm3));
		cr_assert(json_is_null(thm3) ||
			  (c.lo == number(thm3, "lo") && c.hi == number(thm3, "hi")));
		cr_assert(same(rp_pascal_hits_most(p, capacity), json_object_get(one, "V")));
		cr_assert(same(rp_pascal_bound(p, capacity), json_object_get(one, "bound")));
		check_sdcm(one, p, capacity);
		check_cold(one, p, capacity);
		rp_pascal_free(p);
	}
	json_decref(all);
}

static void
check_table_row(const json_t *one, const struct rp_pascal *p)
{
	struct rp_waterline w;
	uint64_t c = number(one, "C");
	cr_assert(rp_pascal_waterline(p, c, &w) && w.window == number(one, "T_star"));
	cr_assert_eq(rp_pascal_ttl(p, c), number(one, "K_pascal"));
	cr_assert_eq(rp_pascal_lru(p, c), number(one, "K_sdcm_fa"));
	cr_assert_float_eq(p->workers * rp_fraction_double(rp_che_miss(p->blocks, c)),
	    json_number_value(json_object_get(one, "K_che_irm")), 1e-9);
}

/* The 33 cases of the cluster sweep, made by the pattern. */
RP_TEST(fixtures, clusters_of_table_2_come_out)
{
	json_t *all = load("validate/files/table2.json"), *one;
	size_t i;
	cr_assert_eq(json_array_size(json_object_get(all, "cluster_cases")), 33);
	json_array_foreach(json_object_get(all, "cluster_cases"), i, one)
	{
		char text[32];
		struct rp_phases f;
		snprintf(text, sizeof text, "clusters:%d", (int)number(one, "clusters"));
		struct rp_phases_params start = { text, (uint32_t)number(one, "M"), false };
		cr_assert(rp_phases_make(&start, number(one, "N"), 1, &f, NULL));
		struct rp_pascal *p = rp_pascal_new(f.phase, f.workers, number(one, "N"), NULL);
		cr_assert(p && rp_pascal_distances(p, NULL));
		check_table_row(one, p);
		rp_pascal_free(p);
		free(f.phase);
	}
	json_decref(all);
}

RP_TEST(fixtures, phases_and_sizes_of_table_2_come_out)
{
	json_t *all = load("validate/files/table2.json"), *one;
	size_t i;
	cr_assert_eq(json_array_size(json_object_get(all, "phase_size_cases")), 62);
	json_array_foreach(json_object_get(all, "phase_size_cases"), i, one)
	{
		struct rp_pascal *p = law(one);
		check_table_row(one, p);
		rp_pascal_free(p);
	}
	json_decref(all);
}
