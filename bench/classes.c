/* classes.c - what it costs to tell why lookups miss: a classified cache against the same cache without, and a fully
 * associative lru cache of its size, replayed one after the other. */
#include "config.h"

#include "bench/bench.h"

#include "gen/gen.h"
#include "sim/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8000000, ROUNDS = 7 };

static const struct input {
	const char *name, *what; /* a trace of bench/run.sh, or what follows gen: */
	bool made;
	const char *const spec[4]; /* sets and ways, by themselves */
} inputs[] = {
	{ "gzip", "gzip.rpz", false, { "lru,sets=64,ways=8", "fifo,sets=64,ways=8", NULL } },
	{ "zipf 1 M lines", "zipf,exponent=0.9,lines=1048576,writes=0.3", true,
	    { "lru,sets=64,ways=8", "lru,sets=1024,ways=16", NULL } },
};

struct job {
	const char *spec;
	const struct rp_batch *batch;
	struct rp_counters counters;
};

static void
replay(void *to)
{
	struct job *j = to;
	struct rp_err err = { 0 };
	struct rp_cache_spec spec;
	if (!rp_cache_spec_parse(j->spec, 64, 1, &spec, &err))
		bench_fail(&err);
	struct rp_replay *r = rp_replay_new(&spec, 1, &(struct rp_replay_opts){ 0 }, &err);
	for (size_t at = 0; r && at < j->batch->n; at += RP_BATCH) {
		size_t left = j->batch->n - at;
		struct rp_batch part = { .n = left < RP_BATCH ? left : RP_BATCH,
			.addr = j->batch->addr + at,
			.size = j->batch->size + at,
			.kind = j->batch->kind + at };
		if (!rp_replay_run(r, &part, &err))
			bench_fail(&err);
	}
	if (!r || !rp_replay_end(r, &err))
		bench_fail(&err);
	rp_replay_counters(r, 0, &j->counters);
	rp_replay_free(r);
	rp_cache_spec_free(&spec);
}

static void
measure(const char *spec, const char *name, const struct rp_batch *b)
{
	char full[64], classified[96], what[128];

	struct rp_cache_spec s;
	struct rp_err err = { 0 };
	if (!rp_cache_spec_parse(spec, 64, 1, &s, &err))
		bench_fail(&err);
	snprintf(full, sizeof full, "lru,size=%llu", (unsigned long long)s.size);
	snprintf(classified, sizeof classified, "%s,classify=yes", spec);
	rp_cache_spec_free(&s);
	struct job job[] = { { spec, b, { 0 } }, { full, b, { 0 } }, { classified, b, { 0 } } };
	struct bench_variant v[] = { { replay, &job[0], 0 }, { replay, &job[1], 0 },
		{ replay, &job[2], 0 } };
	bench_turns(v, 3, ROUNDS, false);
	if (job[0].counters.misses != job[2].counters.misses ||
	    job[1].counters.misses != job[2].counters.full_misses) {
		fprintf(stderr, "classes: %s: the parts miss something else\n", spec);
		exit(1);
	}
	snprintf(what, sizeof what, "classify %s, %s", spec, name);
	bench_row_most(what, (double)b->n / v[2].best / 1e6, "M/s", "it and its twin",
	    v[2].best / (v[0].best + v[1].best), 1.5);
}

int
main(int argc, char **argv)
{
	(void)argc;
	for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
		const struct input *in = &inputs[i];
		struct rp_err err = { 0 };
		struct rp_source *s = in->made ? rp_gen_open(in->what, 1, &err) : NULL;
		if (in->made && !s)
			bench_fail(&err);
		struct rp_batch *b =
		    s ? bench_collect(s, 0, ROWS) : bench_load(argv, in->what, 0, ROWS);
		rp_source_close(s);
		for (size_t k = 0; b && in->spec[k]; k++)
			measure(in->spec[k], in->name, b);
		rp_batch_free(b);
	}
	return 0;
}
