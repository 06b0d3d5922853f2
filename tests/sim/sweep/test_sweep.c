/* test_sweep.c - every point of a sweep, held against a replay of that cache by itself. */
#include "tests/sim/sweep/sweeping.h"

static struct rp_err err;

/* What a sweep is of, and how. */
struct request {
	struct rp_sweep_axes axes;
	const char *counters;
	struct rp_sweep_opts o;
};

/* How many of its points were computed in each way; and that all equal a replay. */
static void
check(const struct request *q, const struct rp_batch *b, struct rp_rng *rng, size_t how[3])
{
	struct rp_sweep_wants wants;
	struct rp_sweep_plan plan;
	struct rp_sweep_opts o = q->o;
	cr_assert(rp_sweep_wants_parse(q->counters, false, &wants, &err), "%s", err.text);
	const struct rp_sweep_count count = {
		.once = o.once, .flush = o.flush, .warmup = o.warmup, .wants = &wants
	};
	cr_assert(rp_sweep_plan_make(&plan, &q->axes, &count, &err), "%s", err.text);
	o.wants = &wants;
	size_t expected = rp_sweep_passes(&plan, &o, &err), passes = sweep_all(&plan, &o, b, rng);
	if (!b->marks)
		cr_assert_eq(passes, expected);
	for (size_t i = 0; i < plan.n; i++) {
		struct rp_counters c = replayed(&plan.point[i].spec, b, &o);
		expect_same(&wants, &plan.point[i].spec, rp_sweep_counters(&plan, i), &c);
		if (how && plan.point[i].as == i)
			how[plan.point[i].how]++;
	}
	rp_sweep_plan_free(&plan);
}

RP_TEST(sweep, every_point_is_a_replay_of_that_cache)
{
	static const char *const window[] = { "window=100" };
	static const struct request request[] = {
		{ .axes = { .line = "16..128", .sets = "1..64", .ways = "1..16" } },
		{ .axes = { .line = "32,64", .sets = "1..16", .ways = "1..9:+2" },
		    .counters = "writebacks,evictions,read_misses,write_misses,fills,bytes_filled,"
				"bytes_written,ifetches,atomics,prefetches,reads,writes" },
		{ .axes = { .line = "64", .size = "1KiB..16KiB", .ways = "2..8,full" },
		    .counters = "evictions,read_misses" },
		{ .axes = { .line = "16", .size = "512..32KiB" },
		    .counters = "write_misses,fills,evictions" },
		{ .axes = { .line = "64", .sets = "3,4,12", .ways = "2,3" }, .counters = "all" },
		{ .axes = { .policy = "lru,fifo,plru,random,opt,srrip,arc",
		      .sets = "1..8",
		      .ways = "1..4" },
		    .counters = "evictions" },
		{ .axes = { .sets = "4",
		      .ways = "2",
		      .index = "mod,xor,hash",
		      .mshr = "none,2,unlimited",
		      .merge = "1,unlimited",
		      .latency = "0,1,7" },
		    .counters = "fetches,merge_ratio,mshr_occupancy_mean,mshr_full" },
		{ .axes = { .policy = "ttl,lru",
		      .sets = "2",
		      .ways = "2",
		      .with = window,
		      .n_with = 1 } },
		{ .axes = { .sets = "2..4", .ways = "2" },
		    .counters = "cold,capacity,conflict,anticonflict" },
	};
	struct rp_rng rng = rp_rng_for(rp_test_seed("sweep"), "points", 0);
	for (unsigned k = 0; k < sizeof request / sizeof *request * rp_test_scale(); k++) {
		struct request q = request[k % (sizeof request / sizeof *request)];
		struct rp_batch *b = random_rows(&rng, 6000, 4096u << rp_rng_below(&rng, 4), 0);
		q.o.warmup = rp_rng_below(&rng, 2) ? rp_rng_below(&rng, 7000) : 0;
		q.o.flush = rp_rng_below(&rng, 2);
		q.o.threads = 1 + (unsigned)rp_rng_below(&rng, 4);
		q.o.cache = rp_rng_below(&rng, 2) ? 1 : 0; /* a replay a pass, or several */
		q.axes.seed = 5;
		check(&q, b, &rng, NULL);
		q.o.once = true;
		if (k % 3 == 0)
			check(&q, b, &rng, NULL);
		rp_batch_free(b);
	}
}

RP_TEST(sweep, each_way_of_computing_is_taken)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("sweep"), "ways", 0);
	struct rp_batch *b = random_rows(&rng, 4000, 1 << 16, 0);
	size_t how[3] = { 0 };
	const struct request q = {
		.axes = { .policy = "lru,fifo", .size = "8KiB..16KiB", .ways = "4,full" }
	};
	check(&q, b, &rng, how);
	cr_assert_eq(how[RP_SWEEP_GRID], 2);
	cr_assert_eq(how[RP_SWEEP_STACK], 2);
	cr_assert_eq(how[RP_SWEEP_REPLAY], 4);
	rp_batch_free(b);
}

/* Lines that are dropped, or cleaned where write-backs are wanted, are for replays: another pass has them. */
RP_TEST(sweep, traces_that_drop_and_clean_lines_are_exact_too)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("sweep"), "marks", 0);
	const struct request request[] = {
		{ .axes = { .line = "32,64", .sets = "1..8", .ways = "1..4" },
		    .counters = "writebacks" },
		{ .axes = { .size = "4KiB..8KiB" } },
	};
	for (unsigned k = 0; k < 2; k++) {
		struct rp_batch *b = random_rows(&rng, 4000, 1 << 14, 1);
		size_t how[3] = { 0 };
		cr_assert_gt(b->marks, 0);
		check(&request[k], b, &rng, how);
		cr_assert(how[RP_SWEEP_REPLAY] && !how[RP_SWEEP_GRID] && !how[RP_SWEEP_STACK]);
		rp_batch_free(b);
	}
}

/* Misses of the caches of a grid, one after the other: out[0..n). */
static size_t
misses(
    const struct rp_sweep_axes *axes, const struct rp_batch *b, struct rp_rng *rng, uint64_t *out)
{
	struct rp_sweep_wants wants = { 0 };
	struct rp_sweep_plan plan;
	const struct rp_sweep_count count = { .wants = &wants };
	const struct rp_sweep_opts o = { .wants = &wants };
	cr_assert(rp_sweep_plan_make(&plan, axes, &count, &err), "%s", err.text);
	sweep_all(&plan, &o, b, rng);
	size_t n = plan.n;
	for (size_t i = 0; i < n; i++)
		out[i] = rp_sweep_counters(&plan, i)->misses;
	rp_sweep_plan_free(&plan);
	return n;
}

RP_TEST(sweep, other_names_for_lines_change_nothing_in_one_set)
{
	/* Bits above the line are shuffled by an odd multiplication: a bijection on line numbers. */
	struct rp_rng rng = rp_rng_for(rp_test_seed("sweep"), "shuffle", 0);
	const struct rp_sweep_axes axes = { .size = "64..64KiB" };
	struct rp_batch *b = random_rows(&rng, 8000, 1 << 16, 0);
	uint64_t before[64], after[64];
	for (size_t i = 0; i < b->n; i++) /* none crosses a line, which names would tear apart */
		b->addr[i] &= ~UINT64_C(63), b->size[i] = 8;
	size_t n = misses(&axes, b, &rng, before);
	for (size_t i = 0; i < b->n; i++)
		b->addr[i] = (b->addr[i] >> 6) * UINT64_C(0x9e3779b97f4a7c15) << 20 >> 14;
	cr_assert_eq(misses(&axes, b, &rng, after), n);
	cr_assert_arr_eq(before, after, n * sizeof *before);
	rp_batch_free(b);
}

RP_TEST(sweep, bits_above_the_sets_may_be_shuffled)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("sweep"), "shuffle", 1);
	const struct rp_sweep_axes axes = { .line = "16..64", .sets = "1..16", .ways = "1..8" };
	struct rp_batch *b = random_rows(&rng, 8000, 1 << 16, 0);
	uint64_t before[256], after[256];
	for (size_t i = 0; i < b->n; i++)
		b->addr[i] &= ~UINT64_C(15), b->size[i] = 8;
	size_t n = misses(&axes, b, &rng, before);
	for (size_t i = 0; i < b->n; i++) {
		uint64_t high = b->addr[i] >> 10; /* 64-byte lines, 16 sets */
		b->addr[i] = (b->addr[i] & 1023) | (rp_mix64(high) << 10);
	}
	cr_assert_eq(misses(&axes, b, &rng, after), n);
	cr_assert_arr_eq(before, after, n * sizeof *before);
	rp_batch_free(b);
}

RP_TEST(sweep, a_trace_twice_only_misses_again_what_does_not_fit)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("sweep"), "twice", 0);
	const struct rp_sweep_axes axes = { .size = "64..256KiB" };
	struct rp_batch *b = random_rows(&rng, 5000, 1 << 15, 0),
			*twice = rp_batch_new(10000, RP_COL_ALL, NULL);
	uint64_t once[64], both[64];
	cr_assert_not_null(twice);
	rp_batch_append(twice, b, 0, b->n);
	rp_batch_append(twice, b, 0, b->n);
	size_t n = misses(&axes, b, &rng, once);
	cr_assert_eq(misses(&axes, twice, &rng, both), n);
	for (size_t i = 0; i < n; i++) {
		/* The second time misses no more than the first, which began empty. */
		cr_assert(both[i] >= once[i] && both[i] <= 2 * once[i]);
		if (64u << i >= 2u << 15)
			cr_assert_eq(both[i], once[i]); /* all lines fit */
	}
	rp_batch_free(b);
	rp_batch_free(twice);
}
