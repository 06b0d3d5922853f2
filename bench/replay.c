/* replay.c - how fast batches go through one cache, against plain loops with the same counters. */
#include "config.h"

#include "bench/bench.h"
#include "bench/plain.h"

#include "gen/gen.h"
#include "sim/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8000000, ROUNDS = 7 };

struct input {
	const char *name, *what; /* a trace of bench/run.sh, or what follows gen: */
	bool made;
	struct rp_batch *batch;
};

enum { GZIP, ZIPF_1M, ZIPF_4M, INPUTS };
static struct input inputs[INPUTS] = {
	[GZIP] = { "gzip", "gzip.rpz", false, NULL },
	[ZIPF_1M] = { "zipf 1 M lines", "zipf,exponent=0.9,lines=1048576,writes=0.3", true, NULL },
	[ZIPF_4M] = { "zipf 4 M lines", "zipf,exponent=0.9,lines=4194304,writes=0.3", true, NULL },
};

static const struct figure {
	int input;
	const char *spec;
	double floor;
} figures[] = {
	{ GZIP, "lru,sets=64,ways=8", 1.3 },
	{ ZIPF_1M, "lru,sets=1024,ways=16", 2.5 },
	{ GZIP, "lru,size=32KiB", 1.5 },
	{ ZIPF_1M, "lru,size=256KiB", 3 },
	{ ZIPF_1M, "lru,size=6400000", 2 },
	{ ZIPF_4M, "lru,size=8MiB,ways=16", 1.3 },
	{ ZIPF_4M, "lru,size=64MiB", 1.5 },
	{ ZIPF_1M, "fifo,sets=1024,ways=16", 2 },
	{ ZIPF_1M, "random,sets=1024,ways=16", 2 },
	{ ZIPF_1M, "clock,sets=1024,ways=16", 2 },
	{ ZIPF_1M, "nru,sets=1024,ways=16", 2 },
	{ ZIPF_1M, "plru,sets=1024,ways=16", 2 },
	{ ZIPF_1M, "mru,sets=1024,ways=16", 2 },
	{ ZIPF_1M, "lip,sets=1024,ways=16", 2 },
	{ ZIPF_1M, "bip,sets=1024,ways=16", 2 },
	{ ZIPF_1M, "dip,sets=1024,ways=16", 2 },
	{ ZIPF_1M, "srrip,sets=1024,ways=16", 2 },
	{ ZIPF_1M, "brrip,sets=1024,ways=16", 2 },
	{ ZIPF_1M, "drrip,sets=1024,ways=16", 2 },
	{ ZIPF_1M, "lfu,sets=1024,ways=16", 2 },
	{ ZIPF_1M, "sieve,sets=1024,ways=16", 2 },
	{ ZIPF_1M, "s3fifo,sets=1024,ways=16", 2 },
	{ ZIPF_1M, "arc,sets=1024,ways=16", 2 },
	{ ZIPF_1M, "lfu,size=256KiB", 1 },
	{ ZIPF_1M, "sieve,size=256KiB", 1 },
	{ ZIPF_1M, "s3fifo,size=256KiB", 1 },
	{ ZIPF_1M, "arc,size=256KiB", 1 },
	{ ZIPF_1M, "fifo,size=256KiB", NAN },
	{ ZIPF_1M, "random,size=256KiB", NAN },
	{ GZIP, "lru,sets=63,ways=8", NAN },
	{ ZIPF_1M, "lru,sets=256,ways=64", NAN },
};

/* One cache, by both ways. */
struct job {
	struct rp_cache_spec spec;
	const struct rp_batch *batch;
	struct rp_counters plain, ours;
};

static void
run_plain(void *to)
{
	struct job *j = to;
	plain_replay(&j->spec, j->batch, &j->plain);
}

static struct rp_batch
slice(const struct rp_batch *b, size_t from, size_t n)
{
	return (struct rp_batch){ .n = n,
		.cap = n,
		.addr = b->addr + from,
		.size = b->size + from,
		.kind = b->kind + from };
}

static void
run_ours(void *to)
{
	struct job *j = to;
	struct rp_err err = { 0 };
	struct rp_replay *r = rp_replay_new(&j->spec, 1, &(struct rp_replay_opts){ 0 }, &err);
	for (size_t at = 0; r && at < j->batch->n; at += RP_BATCH) {
		size_t left = j->batch->n - at;
		struct rp_batch part = slice(j->batch, at, left < RP_BATCH ? left : RP_BATCH);
		if (!rp_replay_run(r, &part, &err))
			bench_fail(&err);
	}
	if (!r || !rp_replay_end(r, &err))
		bench_fail(&err);
	rp_replay_counters(r, 0, &j->ours);
	rp_replay_free(r);
}

static struct rp_batch *
load(struct input *in, char **argv)
{
	struct rp_err err = { 0 };
	if (!in->made)
		return bench_load(argv, in->what, 0, ROWS);
	struct rp_source *s = rp_gen_open(in->what, 1, &err);
	if (!s)
		bench_fail(&err);
	struct rp_batch *b = bench_collect(s, 0, ROWS);
	rp_source_close(s);
	return b;
}

static bool
same(const struct job *j)
{
	return j->plain.lookups == j->ours.lookups && j->plain.misses == j->ours.misses &&
	       j->plain.writes == j->ours.writes && j->plain.write_misses == j->ours.write_misses &&
	       j->plain.evictions == j->ours.evictions && j->plain.writebacks == j->ours.writebacks;
}

static void
measure(const struct figure *f, const struct input *in)
{
	struct job j = { .batch = in->batch };
	struct rp_err err = { 0 };
	char what[128];
	if (!rp_cache_spec_parse(f->spec, 64, 1, &j.spec, &err))
		bench_fail(&err);
	struct bench_variant v[2] = { { run_plain, &j, 0 }, { run_ours, &j, 0 } };
	bench_turns(v, 2, ROUNDS, false);
	if (!same(&j)) {
		fprintf(stderr, "replay: %s on %s: the plain loop counts something else\n", f->spec,
		    in->name);
		exit(1);
	}
	snprintf(what, sizeof what, "replay %s, %s", f->spec, in->name);
	bench_row(what, (double)j.ours.lookups / v[1].best / 1e6, "M/s", "plain loop",
	    v[0].best / v[1].best, f->floor);
	rp_cache_spec_free(&j.spec);
}

/* usage: replay FOLDER [PART]: only figures of which PART is part of the specification or the input's name. */
static bool
asked(const struct figure *f, const char *part)
{
	return !part || strstr(f->spec, part) || strstr(inputs[f->input].name, part);
}

int
main(int argc, char **argv)
{
	const char *part = argc > 2 ? argv[2] : NULL;
	for (int i = 0; i < INPUTS; i++)
		inputs[i].batch = load(&inputs[i], argv);
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		if (inputs[figures[i].input].batch && asked(&figures[i], part))
			measure(&figures[i], &inputs[figures[i].input]);
	for (int i = 0; i < INPUTS; i++)
		rp_batch_free(inputs[i].batch);
	return 0;
}
