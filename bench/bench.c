/* bench.c - what the programs of `make bench` share. */
#include "config.h"

#include "bench/bench.h"

#include "gen/gen.h"
#include "traces/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void
row(const char *sense, const char *what, double value, const char *unit, const char *baseline,
    double ratio, double bound)
{
	printf("row\t%s\t%s\t%.6g\t%s\t%s\t", sense, what, value, unit, baseline);
	printf(isnan(ratio) ? "-\t" : "%.4g\t", ratio);
	printf(isnan(bound) ? "-\n" : "%.4g\n", bound);
	fflush(stdout);
}

void
bench_row(const char *what, double value, const char *unit, const char *baseline, double ratio,
    double floor)
{
	row("least", what, value, unit, baseline, ratio, floor);
}

void
bench_row_most(const char *what, double value, const char *unit, const char *baseline, double ratio,
    double most)
{
	row("most", what, value, unit, baseline, ratio, most);
}

void
bench_skip(const char *what, const char *why)
{
	printf("skip\t%s\t%s\n", what, why);
	fflush(stdout);
}

static double
seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double
bench_cpu(void)
{
	return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

double
bench_wall(void)
{
	return seconds(CLOCK_MONOTONIC);
}

void
bench_turns(struct bench_variant *v, size_t n, unsigned rounds, bool wall)
{
	for (size_t i = 0; i < n; i++)
		v[i].best = INFINITY;
	for (unsigned r = 0; r < rounds; r++)
		for (size_t i = 0; i < n; i++) {
			double from = wall ? bench_wall() : bench_cpu();
			v[i].run(v[i].to);
			double took = (wall ? bench_wall() : bench_cpu()) - from;
			if (took < v[i].best)
				v[i].best = took;
		}
}

void
bench_fail(const struct rp_err *err)
{
	fprintf(stderr, "bench: %s\n", err->text);
	exit(1);
}

/* The same rows in a batch with room for `cap`; frees the old one. */
static struct rp_batch *
grown(struct rp_batch *old, size_t cap, unsigned columns)
{
	struct rp_err err = { 0 };
	struct rp_batch *b = rp_batch_new(cap, columns, &err);
	if (!b)
		bench_fail(&err);
	if (old)
		rp_batch_append(b, old, 0, old->n);
	rp_batch_free(old);
	return b;
}

struct rp_batch *
bench_collect(struct rp_source *s, unsigned columns, size_t limit)
{
	struct rp_err err = { 0 };
	struct rp_batch *b = grown(NULL, limit ? limit : (size_t)1 << 20, columns);
	ptrdiff_t n = 1;
	while (n > 0 && (!limit || b->n < limit)) {
		if (b->n == b->cap)
			b = grown(b, 2 * b->cap, columns);
		n = rp_source_pull(s, b, &err);
	}
	if (n < 0)
		bench_fail(&err);
	return b;
}

struct rp_batch *
bench_load(char **argv, const char *name, unsigned columns, size_t limit)
{
	char path[4096];
	struct rp_err err = { 0 };
	struct rp_read_opts o = { .threads = 1 };
	if (!argv[1] || snprintf(path, sizeof path, "%s/%s", argv[1], name) >= (int)sizeof path ||
	    access(path, R_OK)) {
		bench_skip(name, "not made: see bench/run.sh");
		return NULL;
	}
	struct rp_source *s = rp_trace_open(path, &o, &err);
	if (!s)
		bench_fail(&err);
	struct rp_batch *b = bench_collect(s, columns, limit);
	rp_source_close(s);
	return b;
}

struct rp_batch *
bench_made(const char *what, unsigned columns, size_t limit)
{
	struct rp_err err = { 0 };
	struct rp_source *s = rp_gen_open(what, 1, &err);
	if (!s)
		bench_fail(&err);
	struct rp_batch *b = bench_collect(s, columns, limit);
	rp_source_close(s);
	return b;
}
