/* test_plan.c - the caches of a sweep: which there are, what is computed for which, and shares. */
#include "tests/sim/sweep/sweeping.h"

#include "sim/sweep/same.h"

static struct rp_err err;
static const struct rp_sweep_wants nothing;

static struct rp_sweep_plan
planned(const struct rp_sweep_axes *axes, const struct rp_sweep_wants *wants)
{
	struct rp_sweep_plan plan;
	const struct rp_sweep_count count = { .wants = wants };
	cr_assert(rp_sweep_plan_make(&plan, axes, &count, &err), "%s", err.text);
	return plan;
}

static void
refused(const struct rp_sweep_axes *axes, const char *why)
{
	struct rp_sweep_plan plan;
	const struct rp_sweep_count count = { .wants = &nothing };
	err = (struct rp_err){ 0 };
	cr_assert_not(rp_sweep_plan_make(&plan, axes, &count, &err));
	cr_assert_eq(err.code, RP_USAGE);
	cr_assert(strstr(err.text, why), "%s", err.text);
	rp_sweep_plan_free(&plan);
}

RP_TEST(sweep_plan, a_grid_is_written_out_in_the_order_of_its_columns)
{
	struct rp_sweep_plan p = planned(
	    &(struct rp_sweep_axes){
		.policy = "lru,fifo", .line = "32,64", .sets = "2..8", .ways = "1,4..6:+1" },
	    &nothing);
	cr_assert_eq(p.n, 2u * 2 * 3 * 4);
	size_t i = 0;
	for (unsigned policy = 0; policy < 2; policy++)
		for (unsigned line = 32; line <= 64; line *= 2)
			for (unsigned sets = 2; sets <= 8; sets *= 2)
				for (unsigned w = 0; w < 4; w++, i++) {
					const struct rp_cache_spec *s = &p.point[i].spec;
					cr_assert_str_eq(s->policy->name, policy ? "fifo" : "lru");
					cr_assert_eq(s->line, line);
					cr_assert_eq(s->sets, sets);
					cr_assert_eq(s->ways, w ? 3 + w : 1);
				}
	rp_sweep_plan_free(&p);
}

RP_TEST(sweep_plan, size_and_ways_give_the_sets_and_what_is_no_cache_is_left_out)
{
	struct rp_sweep_plan p = planned(
	    &(struct rp_sweep_axes){ .size = "1KiB..4KiB", .ways = "8..64,full" }, &nothing);
	/* 1 KiB has 16 lines, 2 KiB 32: no 32 or 64 ways in the first, no 64 in the second. Of one set it is full. */
	cr_assert_eq(p.left_out, 3);
	cr_assert(strstr(p.why, "size=1KiB is less than ways * line"), "%s", p.why);
	cr_assert_eq(p.repeated, 3);
	cr_assert_eq(p.n, 2u + 3 + 4);
	cr_assert_eq(p.point[0].spec.sets, 2);
	cr_assert_eq(p.point[1].spec.sets, 1);
	rp_sweep_plan_free(&p);
}

RP_TEST(sweep_plan, a_value_that_fits_nowhere_is_told)
{
	refused(&(struct rp_sweep_axes){ .size = "1KiB,1000", .ways = "2" }, "--size 1000");
	refused(&(struct rp_sweep_axes){ .line = "48,64", .sets = "4", .ways = "2" }, "--line 48");
	refused(&(struct rp_sweep_axes){ .sets = "2..4", .ways = "full", .size = "1KiB" },
	    "ways=full is one set");
	refused(&(struct rp_sweep_axes){ .sets = "4", .ways = "0" }, "ways=: 0");
	refused(
	    &(struct rp_sweep_axes){ .sets = "4,12", .ways = "2", .index = "xor" }, "--sets 12");
	refused(
	    &(struct rp_sweep_axes){ .sets = "4", .ways = "2", .index = "mod,foo" }, "--index foo");
	refused(
	    &(struct rp_sweep_axes){ .policy = "lru,fiof", .sets = "4", .ways = "2" }, "'fifo'");
	refused(&(struct rp_sweep_axes){ .sets = "4" }, "--size");
	refused(&(struct rp_sweep_axes){ .sets = "4", .ways = "2,x" }, "--ways");
	refused(&(struct rp_sweep_axes){ .sets = "4", .ways = "2", .latency = "5" }, "--mshr");
	refused(
	    &(struct rp_sweep_axes){
		.sets = "4", .ways = "2", .with = (const char *const[]){ "bits=3" }, .n_with = 1 },
	    "none of the policies");
	refused(
	    &(struct rp_sweep_axes){
		.sets = "4", .ways = "2", .with = (const char *const[]){ "ways=3" }, .n_with = 1 },
	    "--ways");
	refused(&(struct rp_sweep_axes){ .sets = "1..1048576:+1", .ways = "1..64:+1" },
	    "more than 1048576 combinations");
}

RP_TEST(sweep_plan, keys_of_a_policy_go_to_those_that_have_it)
{
	struct rp_sweep_plan p =
	    planned(&(struct rp_sweep_axes){ .policy = "lru,srrip,ttl",
			.sets = "4..8",
			.ways = "4",
			.with = (const char *const[]){ "bits=3", "write=through", "window=50" },
			.n_with = 3 },
		&nothing);
	cr_assert_eq(p.n, 5); /* ttl has no sets, so one of it */
	char *text = rp_cache_spec_print(&p.point[2].spec, NULL);
	cr_assert(strstr(text, "bits=3") && strstr(text, "write=through"), "%s", text);
	free(text);
	cr_assert(p.point[4].spec.policy->unbounded);
	rp_sweep_plan_free(&p);
}

RP_TEST(sweep_plan, without_mshr_there_is_no_merge_and_no_latency)
{
	struct rp_sweep_plan p = planned(
	    &(struct rp_sweep_axes){
		.sets = "4", .ways = "2", .mshr = "none,4,8", .merge = "1,2", .latency = "50,100" },
	    &nothing);
	cr_assert_eq(p.n, 1u + 2 * 2 * 2);
	cr_assert_eq(p.repeated, 0);
	cr_assert_not(p.point[0].spec.mshr.on);
	rp_sweep_plan_free(&p);
}

RP_TEST(sweep_plan, what_is_equal_by_construction_is_computed_once)
{
	/* One way: lru's, whatever the policy; two ways of plru are lru's too. Of one set, any index is the same. */
	struct rp_sweep_plan p = planned(&(struct rp_sweep_axes){ .policy = "lru,plru,fifo,random",
					     .sets = "1,8",
					     .ways = "1..4",
					     .index = "mod,hash" },
	    &nothing);
	size_t own = 0, grid = 0;
	for (size_t i = 0; i < p.n; i++) {
		own += p.point[i].as == i;
		grid += p.point[i].as == i && p.point[i].how == RP_SWEEP_GRID;
	}
	cr_assert_eq(p.n, 4u * 2 * 3 * 2);
	/* lru: 3 of one set, 6 of eight; the others without one way, plru without two: 3 + 1 + 2 + 2 of one set ... */
	cr_assert_eq(own, 3u + 6 + (1 + 2) + (2 + 4) + (2 + 4));
	cr_assert_eq(grid, 6);
	cr_assert_eq(rp_sweep_plan_left(&p), own);
	rp_sweep_plan_free(&p);
}

RP_TEST(sweep_plan, shares_have_every_point_once_and_are_the_same_whatever_came_before)
{
	const struct rp_sweep_axes axes = {
		.policy = "lru,fifo,plru", .line = "32..128", .sets = "1..16", .ways = "1..8"
	};
	struct rp_sweep_plan p = planned(&axes, &nothing), q = planned(&axes, &nothing);
	cr_assert_eq(p.hash, q.hash);
	for (uint64_t of = 1; of < 9; of++) {
		size_t seen = 0;
		for (uint64_t share = 1; share <= of; share++) {
			rp_sweep_plan_share(&p, share, of);
			rp_sweep_plan_share(&q, of - share + 1, of);
			for (size_t i = 0; i < p.n; i++) {
				seen += p.point[i].mine;
				/* What is computed for it is in its share. */
				cr_assert_eq(p.point[i].mine, p.point[p.point[i].as].mine);
			}
		}
		cr_assert_eq(seen, p.n);
	}
	rp_sweep_plan_free(&p);
	rp_sweep_plan_free(&q);
}

/* Specifications at random, on traces at random: the plainest cache has the same counters. */
RP_TEST(sweep_plan, the_plainest_cache_counts_the_same)
{
	static const char *const policy[] = { "lru", "fifo", "random", "plru", "nru", "srrip",
		"lip", "arc", "s3fifo", "sieve", "lfu", "dip", "opt", "mru", "clock" };
	static const char *const more[] = { "", ",write=through", ",allocate=no-write",
		",write=through,allocate=no-write", ",index=hash", ",sector=32", ",bypass=yes" };
	static const char *const counters[] = { NULL, "read_misses,write_misses,evictions", "all",
		"writebacks", "fetches,merged,mshr_full,merge_full,mshr_occupancy_max" };
	struct rp_rng rng = rp_rng_for(rp_test_seed("sweep_plan"), "plain", 0);
	for (unsigned k = 0; k < 150 * rp_test_scale(); k++) {
		struct rp_batch *b =
		    random_rows(&rng, 3000, 2048u << rp_rng_below(&rng, 4), k % 3 ? 0 : 2);
		struct rp_sweep_wants wants;
		struct rp_cache_spec s, other;
		char text[192];
		bool waits = rp_rng_below(&rng, 2);
		int n = snprintf(text, sizeof text, "%s,sets=%u,ways=%u%s",
		    policy[rp_rng_below(&rng, sizeof policy / sizeof *policy)],
		    1u << rp_rng_below(&rng, 3), 1u << rp_rng_below(&rng, 3),
		    more[rp_rng_below(&rng, sizeof more / sizeof *more)]);
		if (waits)
			snprintf(text + n, sizeof text - (size_t)n,
			    ",mshr=%u,merge=%u,latency=%u,stall=%s",
			    (unsigned)rp_rng_below(&rng, 9), (unsigned)rp_rng_below(&rng, 9),
			    (unsigned)rp_rng_below(&rng, 9),
			    rp_rng_below(&rng, 4) ? "count" : "skip");
		if (rp_cache_spec_parse(text, 64, 7, &s, NULL)) {
			cr_assert(rp_sweep_wants_parse(
			    counters[rp_rng_below(&rng, 5)], false, &wants, &err));
			const struct rp_sweep_opts o = { 0 };
			other = rp_sweep_plainest(&s, &wants);
			struct rp_counters a = replayed(&s, b, &o), c = replayed(&other, b, &o);
			if (s.mshr.on && !other.mshr.on)
				cr_assert_not(wants.waits);
			/* Those of MSHRs are looked at by whoever has MSHRs. */
			for (size_t i = 0; !s.mshr.on && i < wants.n; i++)
				if (wants.row[i]->group == RP_COUNT_MSHR)
					wants.row[i] = wants.row[--wants.n], i--;
			expect_same(&wants, &s, &c, &a);
			rp_cache_spec_free(&s);
		}
		rp_batch_free(b);
	}
}
