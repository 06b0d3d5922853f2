/* test_times.c - reuse times and windows, against their definitions. */
#include "sim/observe/times.h"

#include "base/rng.h"
#include "tests/check.h"

#include <math.h>

/* Distinct lines of line[from..to). */
static unsigned
distinct(const uint64_t *line, size_t from, size_t to)
{
	unsigned n = 0;
	for (size_t i = from; i < to; i++) {
		size_t k = from;
		while (line[k] != line[i])
			k++;
		n += k == i;
	}
	return n;
}

static void
check(const uint64_t *line, size_t n, size_t warmup)
{
	struct rp_err err = { 0 };
	struct rp_times *t = rp_times_new(&err);
	uint64_t *since = malloc((n + 1) * sizeof *since), count[RP_TIME_BINS] = { 0 };
	cr_assert(t && since);
	cr_assert(rp_times_run(t, line, NULL, warmup, warmup, since, &err));
	if (warmup)
		rp_times_start(t);
	cr_assert(
	    rp_times_run(t, line + warmup, NULL, n - warmup, n - warmup, since + warmup, &err));
	rp_times_close(t);
	for (size_t i = 0; i < n; i++) {
		size_t k = i;
		while (k && line[k - 1] != line[i])
			k--;
		uint64_t want = k ? i - (k - 1) : 0;
		cr_assert_eq(since[i], want, "lookup %zu", i);
		if (want && i >= warmup)
			count[rp_log_bin(want, RP_TIME_BITS)]++;
	}
	for (unsigned b = 0; b < RP_TIME_BINS; b++)
		cr_assert_eq(rp_times_count(t, b), count[b]);
	line += warmup;
	n -= warmup;
	cr_assert_eq(rp_times_lookups(t), n);
	for (unsigned b = 0; rp_log_low(b, RP_TIME_BITS) <= n; b++) {
		size_t w = rp_log_low(b, RP_TIME_BITS);
		double footprint = 0, working = 0;
		for (size_t i = 0; i + w <= n; i++)
			footprint += distinct(line, i, i + w);
		for (size_t i = 1; i <= n; i++)
			working += distinct(line, i > w ? i - w : 0, i);
		footprint /= (double)(n - w + 1);
		cr_assert_lt(fabs(rp_times_footprint(t, b) - footprint), 1e-9, "window %zu", w);
		if (n)
			cr_assert_lt(fabs(rp_times_working_set(t, b) - working / (double)n), 1e-9);
	}
	rp_times_free(t);
	free(since);
}

RP_TEST(times, windows_are_those_of_the_definitions)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("times"), "times", 0);
	enum { N = 400 };
	uint64_t line[N];
	for (unsigned k = 0; k < 12 * rp_test_scale(); k++) {
		uint64_t lines = 1 + rp_rng_below(&rng, 60);
		size_t n = k ? rp_rng_below(&rng, N + 1) : 0;
		for (size_t i = 0; i < n; i++)
			line[i] = rp_rng_below(&rng, lines) << 33;
		check(line, n, 0);
		check(line, n, n / 3);
	}
}

/* Round and round over N lines: a window of w touches min(w, N), wherever it begins (PASCAL's U(t) with one worker, spec 2),
 * and every time is N. */
RP_TEST(times, a_scan_touches_as_much_as_its_window)
{
	enum { LINES = 300, N = 5 * LINES };
	struct rp_err err = { 0 };
	struct rp_times *t = rp_times_new(&err);
	uint64_t line[N];
	for (size_t i = 0; i < N; i++)
		line[i] = i % LINES;
	cr_assert(rp_times_run(t, line, NULL, N, N, NULL, &err));
	rp_times_close(t);
	cr_assert_eq(rp_times_count(t, rp_log_bin(LINES, RP_TIME_BITS)), N - LINES);
	for (unsigned b = 0; rp_log_low(b, RP_TIME_BITS) <= N; b++) {
		uint64_t w = rp_log_low(b, RP_TIME_BITS);
		cr_assert_lt(
		    fabs(rp_times_footprint(t, b) - (double)(w < LINES ? w : LINES)), 1e-9);
	}
	rp_times_free(t);
}

/* Of some lines only, at the times that they have in the whole. */
RP_TEST(times, lines_left_out_take_time_all_the_same)
{
	struct rp_err err = { 0 };
	struct rp_times *t = rp_times_new(&err);
	/* A . A B . . B . | . A of ten lookups. */
	static const uint64_t line[] = { 7, 7, 9, 9 }, last[] = { 7 };
	static const uint32_t index[] = { 0, 2, 3, 6 }, at[] = { 1 };
	uint64_t since[4];
	cr_assert(rp_times_run(t, line, index, 4, 8, since, &err));
	cr_assert_eq(since[0], 0);
	cr_assert_eq(since[1], 2);
	cr_assert_eq(since[2], 0);
	cr_assert_eq(since[3], 3);
	cr_assert(rp_times_run(t, last, at, 1, 2, since, &err));
	cr_assert_eq(since[0], 7);
	rp_times_close(t);
	cr_assert_eq(rp_times_lookups(t), 10);
	cr_assert_eq(rp_times_footprint(t, 10), 2);
	/* Windows of one: 5 of the 10 touch a line. */
	cr_assert_lt(fabs(rp_times_footprint(t, 1) - 0.5), 1e-12);
	rp_times_forget(t);
	cr_assert(rp_times_run(t, last, at, 1, 2, since, &err));
	cr_assert_eq(since[0], 0);
	rp_times_free(t);
}
