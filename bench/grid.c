/* grid.c - the misses of 960 LRU geometries in one pass, against one plain replay of the same trace. */
#include "config.h"

#include "bench/bench.h"
#include "bench/plain.h"

#include "gen/gen.h"
#include "sim/observe/grid.h"
#include "sim/replay.h"
#include "traces/source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* All 960 caches are replayed for some rows only: it takes as long as it takes. */
enum { ROWS = 2000000, ROUNDS = 3, SOME = 50000 };

static const struct rp_grid_opts geometries = {
	.line_bits = { 4, 5, 6, 7, 8, 9 },
	.lines = 6,
	.set_bits = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 },
	.sets = 10,
	.ways = 16,
};

struct job {
	const struct rp_batch *batch;
	struct rp_cache_spec spec;
	struct rp_counters plain;
	enum rp_level level;
	bool writes;
	uint64_t misses, visits;
};

static void
run_plain(void *to)
{
	struct job *j = to;
	plain_replay(&j->spec, j->batch, &j->plain);
}

static void
run_grid(void *to)
{
	struct job *j = to;
	struct rp_err err = { 0 };
	struct rp_grid_opts o = geometries;
	o.level = j->level;
	o.writes = j->writes;
	struct rp_grid *g = rp_grid_new(&o, &err);
	if (!g || !rp_grid_run(g, j->batch, &err))
		bench_fail(&err);
	j->misses = rp_grid_misses(g, 2, 6, 8);
	j->visits = rp_grid_visits(g);
	rp_grid_free(g);
}

/* Every cache by itself. */
static void
run_replays(void *to)
{
	struct job *j = to;
	for (size_t l = 0; l < geometries.lines; l++)
		for (size_t s = 0; s < geometries.sets; s++)
			for (unsigned w = 1; w <= geometries.ways; w++) {
				struct rp_err err = { 0 };
				struct rp_cache_spec spec;
				char text[64];
				snprintf(text, sizeof text, "lru,sets=%u,ways=%u",
				    1u << geometries.set_bits[s], w);
				if (!rp_cache_spec_parse(
					text, 1u << geometries.line_bits[l], 1, &spec, &err))
					bench_fail(&err);
				struct rp_replay *r =
				    rp_replay_new(&spec, 1, &(struct rp_replay_opts){ 0 }, &err);
				if (!r || !rp_replay_run(r, j->batch, &err) ||
				    !rp_replay_end(r, &err))
					bench_fail(&err);
				rp_replay_free(r);
				rp_cache_spec_free(&spec);
			}
}

static void
against_replays(const char *name, const struct rp_batch *b)
{
	struct rp_batch some = *b;
	char what[96];
	some.n = b->n < SOME ? b->n : SOME;
	struct job j = { .batch = &some };
	struct bench_variant v[2] = { { run_replays, &j, 0 }, { run_grid, &j, 0 } };
	bench_turns(v, 2, 1, false);
	snprintf(what, sizeof what, "960 geometries of some rows, %s", name);
	bench_row(what, v[1].best * 1e9 / (double)some.n, "ns/access", "960 replays",
	    v[0].best / v[1].best, NAN);
}

static void
measure(const char *name, const struct rp_batch *b, double most)
{
	struct job j = { .batch = b }, writes = { .batch = b, .writes = true };
	static const struct {
		enum rp_level level;
		const char *name;
	} levels[] = { { RP_LEVEL_C, "plain C" }, { RP_LEVEL_V3, "AVX2" },
		{ RP_LEVEL_V4, "AVX-512" } };
	struct job at[3];
	struct rp_err err = { 0 };
	char what[96];
	if (!rp_cache_spec_parse("lru,sets=1024,ways=16", 64, 1, &j.spec, &err))
		bench_fail(&err);
	struct bench_variant v[6] = { { run_plain, &j, 0 }, { run_grid, &j, 0 },
		{ run_grid, &writes, 0 } };
	size_t n = 3, run[3];
	for (size_t k = 0; k < 3; k++) {
		at[k] = (struct job){ .batch = b, .level = levels[k].level };
		run[k] = rp_level_runs(levels[k].level) ? n++ : 0;
		if (run[k])
			v[run[k]] = (struct bench_variant){ run_grid, &at[k], 0 };
	}
	bench_turns(v, n, ROUNDS, false);
	snprintf(what, sizeof what, "960 LRU geometries, %s", name);
	bench_row_most(what, v[1].best * 1e9 / (double)b->n, "ns/access", "plain replay, 1024x16",
	    v[1].best / v[0].best, most);
	/* The work that filtering leaves, of 60 stacks an access, and what each of it takes. */
	snprintf(what, sizeof what, "their stacks searched, %s", name);
	bench_row(what, (double)j.visits / (double)b->n, "/access", "-", NAN, NAN);
	snprintf(what, sizeof what, "time for each stack searched, %s", name);
	bench_row(what, v[1].best * 1e9 / (double)j.visits, "ns", "-", NAN, NAN);
	snprintf(what, sizeof what, "the same with write-backs, %s", name);
	bench_row_most(what, v[2].best * 1e9 / (double)b->n, "ns/access", "without",
	    v[2].best / v[1].best, NAN);
	for (size_t k = 0; k < 3; k++) {
		snprintf(what, sizeof what, "the same by %s, %s", levels[k].name, name);
		if (run[k])
			bench_row_most(what, v[run[k]].best * 1e9 / (double)b->n, "ns/access",
			    "best of this machine", v[run[k]].best / v[1].best, 2);
		else
			bench_skip(what, "this machine does not have it");
	}
	against_replays(name, b);
	rp_cache_spec_free(&j.spec);
}

int
main(int argc, char **argv)
{
	static const char *const trace[] = { "gzip", "sqlite" };
	struct rp_err err = { 0 };
	(void)argc;
	for (size_t i = 0; i < 2; i++) {
		char name[32];
		snprintf(name, sizeof name, "%s.rpz", trace[i]);
		struct rp_batch *b = bench_load(argv, name, 0, ROWS);
		if (b)
			measure(trace[i], b, 15);
		rp_batch_free(b);
	}
	struct rp_source *s = rp_gen_open("zipf,exponent=0.9,lines=1048576", 1, &err);
	if (!s)
		bench_fail(&err);
	struct rp_batch *b = bench_collect(s, 0, ROWS / 2);
	measure("zipf over 1 M lines", b, NAN);
	rp_batch_free(b);
	rp_source_close(s);
	return 0;
}
