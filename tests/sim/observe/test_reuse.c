/* test_reuse.c - exact reuse distances against a list searched end to end, and worked examples. */
#include "config.h"

#include "sim/observe/reuse.h"

#include "base/rng.h"
#include "tests/check.h"
#include "tests/sim/observe/slow_stack.h"

#include <string.h>

static const enum rp_level level[] = { RP_LEVEL_C, RP_LEVEL_V3, RP_LEVEL_V4 };
enum { LEVELS = 3 };

static struct rp_reuse *
new_reuse(enum rp_level l)
{
	struct rp_err err = { 0 };
	struct rp_reuse *r = rp_reuse_new(l, &err);
	cr_assert_not_null(r, "%s", err.text);
	return r;
}

/* In pieces of up to `piece`. */
static void
run(struct rp_reuse *r, const uint64_t *line, size_t n, uint32_t *d, size_t piece)
{
	struct rp_err err = { 0 };
	for (size_t i = 0; i < n; i += piece)
		cr_assert(rp_reuse_run(r, line + i, n - i < piece ? n - i : piece, d + i, &err),
		    "%s", err.text);
}

static void
check(const uint64_t *line, size_t n, const char *what)
{
	uint32_t *want = malloc(n * sizeof *want), *d = malloc(n * sizeof *d);
	struct slow_stack s = { malloc((n + 1) * sizeof *s.list), 0 };
	cr_assert(want && d && s.list);
	for (size_t i = 0; i < n; i++)
		want[i] = slow_distance(&s, line[i]);
	for (size_t l = 0; l < LEVELS; l++) {
		if (!rp_level_runs(level[l]))
			continue;
		struct rp_reuse *r = new_reuse(level[l]);
		for (size_t piece = RP_REUSE_CHUNK; piece; piece /= 37) {
			rp_reuse_reset(r);
			run(r, line, n, d, piece);
			for (size_t i = 0; i < n; i++)
				cr_assert_eq(d[i], want[i],
				    "%s, pieces of %zu, lookup %zu: %u, not %u", what, piece, i,
				    d[i], want[i]);
			cr_assert_eq(rp_reuse_lines(r), s.n);
		}
		rp_reuse_free(r);
	}
	free(want);
	free(d);
	free(s.list);
}

RP_TEST(reuse, the_example_of_the_specification)
{
	/* 1 2 3 2 2 1 4 3 1: spec-mlcrp 1. */
	static const uint64_t line[] = { 1, 2, 3, 2, 2, 1, 4, 3, 1 };
	static const uint32_t want[] = { RP_COLD, RP_COLD, RP_COLD, 1, 0, 2, RP_COLD, 3, 2 };
	struct rp_reuse *r = new_reuse(RP_LEVEL_BEST);
	uint32_t d[9];
	run(r, line, 9, d, 9);
	cr_assert_arr_eq(d, want, sizeof want);
	cr_assert_eq(rp_reuse_lines(r), 4);
	rp_reuse_free(r);
}

RP_TEST(reuse, distances_are_those_of_a_list_searched_end_to_end)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("reuse"), "reuse", 0);
	static const uint64_t most[] = { 3, 17, 100, 1000, 5000 };
	enum { N = 20000 };
	uint64_t *line = malloc(N * sizeof *line);
	cr_assert_not_null(line);
	for (unsigned k = 0; k < 5 * rp_test_scale(); k++) {
		uint64_t lines = most[k % 5];
		for (size_t i = 0; i < N; i++)
			line[i] = rp_rng_below(&rng, 4) ? rp_rng_below(&rng, lines)
			                                : rp_rng_below(&rng, 1 + lines / 10);
		check(line, N, "a few lines");
	}
	free(line);
}

RP_TEST(reuse, slots_are_packed_again_and_again)
{
	/* More deep lookups than slots, many times over: 40 lines round and round, and new ones in between. */
	enum { N = 200000 };
	uint64_t *line = malloc(N * sizeof *line);
	cr_assert_not_null(line);
	for (size_t i = 0; i < N; i++)
		line[i] = i % 100 == 99 ? 1000 + i / 100 % 300 : i % 40;
	check(line, N, "round and round");
	free(line);
}

RP_TEST(reuse, lines_of_many_regions_get_numbers_when_names_run_out)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("reuse"), "reuse", 1);
	enum { N = 12000 };
	uint64_t *line = malloc(N * sizeof *line);
	cr_assert_not_null(line);
	/* 6,000 regions, more than there are names for; extreme line numbers among them. */
	for (size_t i = 0; i < N; i++)
		line[i] = (rp_rng_below(&rng, 6000) << 40) + rp_rng_below(&rng, 2);
	line[5] = line[4000] = line[11000] = UINT64_MAX;
	line[6] = line[4001] = line[11001] = 0;
	check(line, N, "many regions");
	free(line);
}

RP_TEST(reuse, a_trace_behind_itself_has_no_first_lookups)
{
	enum { N = 3000 };
	struct rp_reuse *r = new_reuse(RP_LEVEL_BEST);
	uint64_t line[N];
	uint32_t d[N];
	for (size_t i = 0; i < N; i++)
		line[i] = i * 7;
	run(r, line, N, d, 2048);
	for (size_t i = 0; i < N; i++)
		cr_assert_eq(d[i], RP_COLD);
	run(r, line, N, d, 2048);
	for (size_t i = 0; i < N; i++)
		cr_assert_eq(d[i], N - 1);
	rp_reuse_reset(r);
	run(r, line, 10, d, 2048);
	for (size_t i = 0; i < 10; i++)
		cr_assert_eq(d[i], RP_COLD);
	rp_reuse_free(r);
}

/* What is known of a bounded stack: the `bound` lines looked up last. */
static void
check_bounded(const uint64_t *line, size_t n, uint64_t bound, enum rp_level l, const char *what)
{
	uint32_t *d = malloc(n * sizeof *d);
	struct slow_stack s = { malloc((n + 1) * sizeof *s.list), 0 };
	struct rp_reuse *r = new_reuse(l);
	cr_assert(d && s.list);
	rp_reuse_bound(r, bound);
	run(r, line, n, d, 777);
	for (size_t i = 0; i < n; i++) {
		uint32_t want = slow_distance(&s, line[i]);
		want = want < bound ? want : RP_COLD;
		cr_assert_eq(d[i], want, "%s, bound %llu, lookup %zu: %u, not %u", what,
		    (unsigned long long)bound, i, d[i], want);
	}
	cr_assert_leq(rp_reuse_lines(r), bound);
	rp_reuse_free(r);
	free(d);
	free(s.list);
}

RP_TEST(reuse, bounded_stacks_know_exactly_the_lines_below_the_bound)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("reuse"), "reuse", 2);
	static const uint64_t bound[] = { 17, 18, 40, 300, 5000 };
	enum { N = 20000 };
	uint64_t *line = malloc(N * sizeof *line);
	cr_assert_not_null(line);
	for (unsigned k = 0; k < 10 * rp_test_scale(); k++) {
		bool many = k % 2; /* regions, so that names run out */
		for (size_t i = 0; i < N; i++) {
			uint64_t x = rp_rng_below(&rng, 3) ? rp_rng_below(&rng, 60)
			                                   : rp_rng_below(&rng, 5000);
			line[i] = many ? x << 30 : x;
		}
		for (size_t l = 0; l < LEVELS; l++)
			if (rp_level_runs(level[l]))
				check_bounded(line, N, bound[k / 2 % 5], level[l],
				    many ? "many regions" : "one region");
	}
	free(line);
}

static void
take(void *to, uint64_t line)
{
	uint64_t **at = to;
	*(*at)++ = line;
}

RP_TEST(reuse, a_walk_goes_from_the_line_used_longest_ago_to_the_last)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("reuse"), "reuse", 3);
	enum { N = 5000, LINES = 700 };
	uint64_t line[N], walked[LINES], *at = walked;
	uint32_t d[N];
	struct slow_stack s = { malloc((LINES + 1) * sizeof *s.list), 0 };
	struct rp_reuse *r = new_reuse(RP_LEVEL_BEST);
	for (size_t i = 0; i < N; i++) {
		line[i] = rp_rng_below(&rng, LINES) << 28;
		slow_distance(&s, line[i]);
		if (i == 5 || i == 3000) { /* the top is not full; and some time later */
			rp_reuse_reset(r);
			run(r, line, i + 1, d, 512);
			at = walked;
			rp_reuse_walk(r, take, &at);
			cr_assert_eq((size_t)(at - walked), s.n);
			for (size_t k = 0; k < s.n; k++)
				cr_assert_eq(walked[k], s.list[s.n - 1 - k]);
		}
	}
	rp_reuse_free(r);
	free(s.list);
}
