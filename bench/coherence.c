/* coherence.c - functional coherence: how fast, how often the private caches hit, and what a line of the footprint takes.
 *
 * Zipf over 1 M lines is the hard case: nine of ten accesses miss in 32 KiB, and what the home knows of their lines lies
 * anywhere in memory. The rate is held against the floor; beside it is what one such cache takes for the same accesses by
 * itself. */
#include "config.h"

#include "bench/bench.h"

#include "base/mem.h"
#include "gen/gen.h"
#include "sim/coherence/coherence.h"
#include "sim/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 6000000, ROUNDS = 2, KIB_32_SETS = 64, KIB_32_WAYS = 8 };

struct job {
	const struct rp_batch *batch;
	bool lines;
	struct rp_coherence_counters totals;
	uint64_t footprint;
	double bytes; /* resident, for a line of the footprint */
};

/* The part of a batch from row `at` on, at most RP_BATCH rows. */
static struct rp_batch
part_of(const struct rp_batch *b, size_t at)
{
	size_t left = b->n - at;
	return (struct rp_batch){ .n = left < RP_BATCH ? left : RP_BATCH,
		.addr = b->addr + at,
		.size = b->size + at,
		.kind = b->kind + at,
		.stream = b->stream + at };
}

static double
resident(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (f && fscanf(f, "%*s %ld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void
coherent(void *to)
{
	struct job *j = to;
	struct rp_err err = { 0 };
	const struct rp_coherence_config config = { .protocol = &rp_protocol_msi,
		.line = 64,
		.word_bytes = 1,
		.sets = KIB_32_SETS,
		.ways = KIB_32_WAYS,
		.policy = rp_policy_find("lru", &err),
		.lines = j->lines };
	double before = resident();
	struct rp_coherence *k = rp_coherence_new(&config, &err);
	for (size_t at = 0; k && at < j->batch->n; at += RP_BATCH) {
		struct rp_batch part = part_of(j->batch, at);
		if (!rp_coherence_run(k, &part, &err))
			bench_fail(&err);
	}
	if (!k)
		bench_fail(&err);
	rp_coherence_end(k);
	rp_coherence_totals(k, &j->totals);
	j->footprint = rp_coherence_footprint(k);
	j->bytes = (resident() - before) / (double)j->footprint;
	rp_coherence_free(k);
}

/* One such cache alone, for all streams. */
static void
alone(void *to)
{
	struct job *j = to;
	struct rp_err err = { 0 };
	struct rp_cache_spec spec;
	if (!rp_cache_spec_parse("lru,size=32KiB,ways=8,classify=yes", 64, 1, &spec, &err))
		bench_fail(&err);
	struct rp_replay *r = rp_replay_new(&spec, 1, &(struct rp_replay_opts){ 0 }, &err);
	for (size_t at = 0; r && at < j->batch->n; at += RP_BATCH) {
		struct rp_batch part = part_of(j->batch, at);
		if (!rp_replay_run(r, &part, &err))
			bench_fail(&err);
	}
	if (!r || !rp_replay_end(r, &err))
		bench_fail(&err);
	rp_replay_free(r);
	rp_cache_spec_free(&spec);
}

static void
measure(const char *gen, const char *name, double floor, double memory)
{
	struct rp_err err = { 0 };
	struct rp_source *s = rp_gen_open(gen, 1, &err);
	if (!s)
		bench_fail(&err);
	struct job j = { .batch = bench_collect(s, RP_COL_STREAM, ROWS) }, with;
	rp_source_close(s);
	char what[200];
	with = j;
	with.lines = true;
	struct bench_variant v[3] = { { coherent, &j, 0 }, { coherent, &with, 0 },
		{ alone, &j, 0 } };
	bench_turns(v, 3, ROUNDS, false);
	double n = (double)j.batch->n / 1e6;
	double ratio = 1 - (double)j.totals.misses / (double)j.totals.accesses;
	snprintf(what, sizeof what, "coherence, %s", name);
	bench_row(what, n / v[0].best, "M/s", "-", NAN, floor);
	bench_row("the same, with statistics by line", n / v[1].best, "M/s", "without",
	    v[0].best / v[1].best, NAN);
	bench_row("the same, beside one classified cache", n / v[0].best, "M/s", "that cache",
	    v[2].best / v[0].best, NAN);
	bench_row("the same: hit ratio", ratio, "", "-", NAN, NAN);
	if (!isnan(memory)) {
		bench_row_most("the same: memory for a line", j.bytes, "bytes", "-", NAN, memory);
		bench_row_most(
		    "the same, with statistics by line", with.bytes, "bytes", "-", NAN, memory);
	}
	rp_batch_free((struct rp_batch *)j.batch);
}

/* The rate alone. */
static void
measure_pattern(const char *pattern)
{
	char gen[96], what[96];
	struct rp_err err = { 0 };
	snprintf(gen, sizeof gen, "sharing,streams=8,lines=64,work=8,pattern=%s", pattern);
	struct rp_source *s = rp_gen_open(gen, 1, &err);
	if (!s)
		bench_fail(&err);
	struct job j = { .batch = bench_collect(s, RP_COL_STREAM, ROWS / 4) };
	rp_source_close(s);
	struct bench_variant v = { coherent, &j, 0 };
	bench_turns(&v, 1, ROUNDS, false);
	snprintf(what, sizeof what, "coherence, gen:sharing,pattern=%s, hit ratio %.2f", pattern,
	    1 - (double)j.totals.misses / (double)j.totals.accesses);
	bench_row(what, (double)j.batch->n / v.best / 1e6, "M/s", "-", NAN, NAN);
	rp_batch_free((struct rp_batch *)j.batch);
}

int
main(void)
{
	static const char *const patterns[] = { "false", "true", "private", "migratory",
		"producer-consumer", "read-mostly", "lock", "barrier" };
	measure("zipf,exponent=0.9,lines=1048576,writes=0.2,streams=8",
	    "8 x 32 KiB, zipf 1 M lines", 5, 200);
	measure("zipf,exponent=0.9,lines=1048576,writes=0.2,streams=64",
	    "64 x 32 KiB, zipf 1 M lines", 2.5, NAN);
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
		measure_pattern(patterns[i]);
	return 0;
}
