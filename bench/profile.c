/* profile.c - reuse profiles: eight cache sizes at once, samples, and how far these are from the exact curve. */
#include "config.h"

#include "bench/bench.h"

#include "sim/observe/profile.h"
#include "sim/observe/reuse.h"
#include "sim/observe/sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 16000000, ROUNDS = 3, LINE_BITS = 6, SIZES = 8, STEPS = 100 };

struct job {
	uint64_t *line;
	size_t n;
	struct rp_profile_opts o;
	uint64_t size[SIZES]; /* lines, ascending */
	double ratio[SIZES];
	uint64_t sum;
	struct rp_profile *kept;
};

/* The baseline: the distance of every lookup. */
static void
run_exact(void *to)
{
	struct job *j = to;
	struct rp_err err = { 0 };
	struct rp_reuse *r = rp_reuse_new(RP_LEVEL_BEST, &err);
	uint32_t d[RP_REUSE_CHUNK];
	j->sum = 0;
	for (size_t at = 0; r && at < j->n; at += RP_REUSE_CHUNK) {
		size_t n = j->n - at < RP_REUSE_CHUNK ? j->n - at : RP_REUSE_CHUNK;
		if (!rp_reuse_run(r, j->line + at, n, d, &err))
			bench_fail(&err);
		for (size_t i = 0; i < n; i++)
			j->sum += d[i];
	}
	if (!r)
		bench_fail(&err);
	rp_reuse_free(r);
}

static struct rp_profile *
profile_of(const struct job *j, const struct rp_profile_opts *o)
{
	struct rp_err err = { 0 };
	struct rp_profile *p = rp_profile_new(o, &err);
	if (!p || !rp_profile_run(p, j->line, NULL, j->n, &err) || !rp_profile_settle(p, &err))
		bench_fail(&err);
	return p;
}

static void
run_profile(void *to)
{
	struct job *j = to;
	struct rp_profile *p = profile_of(j, &j->o);
	rp_profile_misses(p, RP_PART_ALL, j->size, SIZES, j->ratio);
	rp_profile_free(p);
}

static void
run_filter(void *to)
{
	struct job *j = to;
	struct rp_sample s = rp_sample_of(j->o.rate, 1, RP_LEVEL_BEST);
	uint32_t index[RP_REUSE_CHUNK];
	j->sum = 0;
	for (size_t at = 0; at < j->n; at += RP_REUSE_CHUNK) {
		size_t n = j->n - at < RP_REUSE_CHUNK ? j->n - at : RP_REUSE_CHUNK;
		j->sum += rp_sample_take(&s, j->line + at, n, 0, index);
	}
}

/* Eight fully associative lru caches, the largest of `most` lines, and their misses against those of all distances. */
static void
eight_sizes(const char *name, struct job *j, const struct rp_profile *exact, uint64_t most)
{
	struct bench_variant v[2] = { { run_exact, j, 0 }, { run_profile, j, 0 } };
	double want[SIZES];
	char what[96];
	for (unsigned k = 0; k < SIZES; k++)
		j->size[k] = most >> (SIZES - 1 - k);
	j->o = (struct rp_profile_opts){ .bound = most };
	bench_turns(v, 2, ROUNDS, false);
	rp_profile_misses(exact, RP_PART_ALL, j->size, SIZES, want);
	for (unsigned k = 0; k < SIZES; k++)
		if (want[k] != j->ratio[k]) {
			fprintf(stderr, "profile: %s: the curves differ\n", name);
			exit(1);
		}
	snprintf(what, sizeof what, "eight lru sizes at once, up to %llu lines, %s",
	    (unsigned long long)most, name);
	bench_row_most(what, (double)j->n / v[1].best / 1e6, "M/s", "exact distances, time",
	    v[1].best / v[0].best, 1.5);
	j->o = (struct rp_profile_opts){ 0 };
	bench_turns(v, 2, ROUNDS, false);
	snprintf(what, sizeof what, "whole curve, %s", name);
	bench_row_most(what, (double)j->n / v[1].best / 1e6, "M/s", "exact distances, time",
	    v[1].best / v[0].best, NAN);
}

static void
sampled(const char *name, struct job *j, double floor)
{
	struct bench_variant v[4] = { { run_exact, j, 0 }, { run_profile, j, 0 },
		{ run_filter, j, 0 } };
	char what[96];
	j->o = (struct rp_profile_opts){ .rate = 0.01, .error = true, .seed = 1 };
	bench_turns(v, 3, ROUNDS, false);
	snprintf(what, sizeof what, "sampled curve at 0.01 and its error, %s", name);
	bench_row(what, (double)j->n / v[1].best / 1e6, "M/s", "exact distances",
	    v[0].best / v[1].best, floor);
	snprintf(what, sizeof what, "of these the choice of lines, %s", name);
	bench_row(what, (double)j->n / v[2].best / 1e6, "M/s", "exact distances",
	    v[0].best / v[2].best, NAN);
	j->o = (struct rp_profile_opts){ .lines = 8192, .error = true, .seed = 1 };
	bench_turns(v, 2, 2, false);
	snprintf(what, sizeof what, "sampled curve of at most 8192 lines, %s", name);
	bench_row(what, (double)j->n / v[1].best / 1e6, "M/s", "exact distances",
	    v[0].best / v[1].best, NAN);
}

/* Mean of the absolute difference over a hundred sizes in equal steps up to the footprint. */
static double
curve_error(const struct rp_profile *exact, const struct rp_profile *p)
{
	uint64_t lines[STEPS];
	double a[STEPS], b[STEPS], sum = 0;
	double footprint = rp_profile_footprint(exact, RP_PART_ALL);
	for (unsigned k = 0; k < STEPS; k++)
		lines[k] = 1 + (uint64_t)(footprint * k / STEPS);
	rp_profile_misses(exact, RP_PART_ALL, lines, STEPS, a);
	rp_profile_misses(p, RP_PART_ALL, lines, STEPS, b);
	for (unsigned k = 0; k < STEPS; k++)
		sum += fabs(a[k] - b[k]);
	return sum / STEPS;
}

/* Mean over a few samples, since one may be lucky; and what they say themselves. */
static void
errors(const char *name, const struct job *j, const struct rp_profile *exact)
{
	static const struct {
		double rate;
		uint64_t lines;
		double most;
	} how[] = { { 0.1, 0, NAN }, { 0.01, 0, 0.01 }, { 0.001, 0, NAN }, { 1, 8192, NAN } };
	enum { SEEDS = 3, FEW_LINES = 100 };
	char what[96], rate[32];
	for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
		double is = 0, said = 0, lines = 0;
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			const struct rp_profile_opts o = { .rate = how[k].rate,
				.lines = how[k].lines,
				.error = true,
				.seed = seed };
			struct rp_profile *p = profile_of(j, &o);
			struct rp_profile_error e;
			rp_profile_error(p, &e);
			is += curve_error(exact, p) / SEEDS;
			said += e.mean / SEEDS;
			lines += (double)rp_profile_lines(p) / SEEDS;
			rp_profile_free(p);
		}
		snprintf(rate, sizeof rate, "%g", how[k].rate);
		snprintf(what, sizeof what, "mean error at %s, %.0f lines, %s",
		    how[k].lines ? "most 8192" : rate, lines, name);
		/* `profile` itself warns below that: the row stays, without a bound. */
		bool few = lines < FEW_LINES;
		bench_row_most(what, is, "", few ? "too few lines to promise" : "-", NAN,
		    few ? NAN : how[k].most);
		snprintf(what, sizeof what, "as the samples say, %s", name);
		bench_row_most(what, said, "", "-", NAN, NAN);
	}
}

/* Takes the rows. */
static void
measure(const char *name, struct rp_batch *b, uint64_t most, double floor)
{
	struct job j = { .line = b->addr, .n = b->n };
	for (size_t i = 0; i < b->n; i++)
		b->addr[i] >>= LINE_BITS;
	struct rp_profile *exact = profile_of(&j, &(struct rp_profile_opts){ 0 });
	if (most) {
		eight_sizes(name, &j, exact, most);
		sampled(name, &j, floor);
	}
	errors(name, &j, exact);
	rp_profile_free(exact);
	rp_batch_free(b);
}

int
main(int argc, char **argv)
{
	(void)argc;
	struct rp_batch *b = bench_load(argv, "gzip.rpz", 0, ROWS);
	if (b)
		measure("gzip", b, 2048, 8);
	b = bench_load(argv, "sqlite.rpz", 0, ROWS);
	if (b)
		measure("sqlite", b, 8192, 8);
	b = bench_load(argv, "xz.rpz", 0, ROWS);
	if (b)
		measure("xz", b, 0, NAN);
	measure("zipf over 1 M lines", bench_made("zipf,exponent=0.9,lines=1048576", 0, ROWS),
	    65536, 8);
	measure("scan over 4 M lines",
	    bench_made("scan,blocks=4194304,rounds=16777216,block=64", 0, ROWS), 0, NAN);
	return 0;
}
