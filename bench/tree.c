/* tree.c - how fast batches go through hierarchies: two levels against one, and a whole GPU. */
#include "config.h"

#include "bench/bench.h"

#include "gen/gen.h"
#include "sim/replay.h"
#include "sim/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 8000000, GPU_ROWS = 2000000, ROUNDS = 5, SMS = 80, BURST = 8 };

static const char two[] =
    "levels:\n  - cache: lru,sets=64,ways=8\n  - cache: lru,sets=1024,ways=16\n";
static const char inclusive[] = "levels:\n  - cache: lru,sets=64,ways=8\n"
				"  - cache: lru,sets=1024,ways=16\n    inclusion: inclusive\n";
/* The sizes of a V100: 128 KiB an L1, and 64 slices of 96 KiB. */
static const char plain_gpu[] =
    "levels:\n"
    "  - cache: lru,size=128KiB,ways=64,line=128,write=through,allocate=no-write\n    per: "
    "stream\n"
    "  - cache: lru,size=96KiB,ways=24,line=128\n    slices: 64\n    slice_hash: ipoly\n";
static const char preset_gpu[] = "levels:\n  - cache: preset=V100\n    per: stream\n"
				 "  - cache: preset=V100,level=l2\n";

struct job {
	const struct rp_batch *batch;
	struct rp_tree_spec tree;
	struct rp_cache_spec one;
	uint64_t lookups; /* of all levels */
};

static struct rp_batch
slice(const struct rp_batch *b, size_t from, size_t n)
{
	return (struct rp_batch){ .n = n,
		.cap = n,
		.addr = b->addr + from,
		.size = b->size + from,
		.stream = b->stream ? b->stream + from : NULL,
		.flags = b->flags ? b->flags + from : NULL,
		.kind = b->kind + from };
}

static void
run_tree(void *to)
{
	struct job *j = to;
	struct rp_err err = { 0 };
	struct rp_tree *t = rp_tree_new(&j->tree, &(struct rp_tree_opts){ 0 }, &err);
	for (size_t at = 0; t && at < j->batch->n; at += RP_BATCH) {
		size_t left = j->batch->n - at;
		struct rp_batch part = slice(j->batch, at, left < RP_BATCH ? left : RP_BATCH);
		if (!rp_tree_run(t, &part, &err))
			bench_fail(&err);
	}
	if (!t || !rp_tree_end(t, &err))
		bench_fail(&err);
	j->lookups = 0;
	for (size_t i = 0; i < j->tree.levels; i++) {
		struct rp_counters c;
		rp_tree_counters(t, i, &c);
		j->lookups += c.lookups;
	}
	rp_tree_free(t);
}

static void
run_one(void *to)
{
	struct job *j = to;
	struct rp_err err = { 0 };
	struct rp_replay *r = rp_replay_new(&j->one, 1, &(struct rp_replay_opts){ 0 }, &err);
	for (size_t at = 0; r && at < j->batch->n; at += RP_BATCH) {
		size_t left = j->batch->n - at;
		struct rp_batch part = slice(j->batch, at, left < RP_BATCH ? left : RP_BATCH);
		if (!rp_replay_run(r, &part, &err))
			bench_fail(&err);
	}
	if (!r || !rp_replay_end(r, &err))
		bench_fail(&err);
	rp_replay_free(r);
}

static void
read_tree(const char *text, struct rp_tree_spec *out)
{
	char path[] = "/tmp/reprise-bench.XXXXXX";
	struct rp_err err = { 0 };
	int fd = mkstemp(path);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) {
		perror(path);
		exit(1);
	}
	close(fd);
	bool ok = rp_tree_spec_read(path, 64, 1, NULL, out, &err);
	unlink(path);
	if (!ok)
		bench_fail(&err);
}

/* Two levels beside the upper one alone, on one trace. */
static void
measure_two(const char *what, const char *text, const struct rp_batch *b, double floor)
{
	struct job j = { .batch = b };
	struct rp_err err = { 0 };
	read_tree(text, &j.tree);
	if (!rp_cache_spec_parse("lru,sets=64,ways=8", 64, 1, &j.one, &err))
		bench_fail(&err);
	struct bench_variant v[2] = { { run_one, &j, 0 }, { run_tree, &j, 0 } };
	bench_turns(v, 2, ROUNDS, false);
	bench_row(what, (double)b->n / v[1].best / 1e6, "M/s", "the upper level alone",
	    v[0].best / v[1].best, floor);
	rp_cache_spec_free(&j.one);
	rp_tree_spec_free(&j.tree);
}

/* Accesses of 32 bytes as of coalesced warps, four to a line, a third of them writes, in bursts from each SM in turn; the
 * lines are zipf over 32 MiB. */
static struct rp_batch *
gpu_rows(void)
{
	struct rp_err err = { 0 };
	struct rp_source *s =
	    rp_gen_open("zipf,exponent=0.8,lines=262144,writes=0.3,line=128", 1, &err);
	if (!s)
		bench_fail(&err);
	struct rp_batch *b = bench_collect(s, RP_COL_STREAM | RP_COL_FLAGS, GPU_ROWS);
	rp_source_close(s);
	for (size_t i = 0; i < b->n; i++) {
		b->size[i] = 32;
		b->addr[i] = (b->addr[i & ~(size_t)3] & ~UINT64_C(127)) + 32 * (i & 3);
		b->kind[i] = b->kind[i & ~(size_t)3];
		b->stream[i] = (uint32_t)(i / BURST % SMS);
		b->flags[i] = RP_GLOBAL;
	}
	return b;
}

static void
measure_gpu(const char *what, const char *text, const struct rp_batch *b, double floor)
{
	struct job j = { .batch = b };
	read_tree(text, &j.tree);
	struct bench_variant v = { run_tree, &j, 0 };
	bench_turns(&v, 1, ROUNDS, false);
	bench_row(what, (double)j.lookups / v.best / 1e6, "M/s", "-", NAN, floor);
	rp_tree_spec_free(&j.tree);
}

/* usage: tree FOLDER [PART]: only figures of which PART is part of the name. */
int
main(int argc, char **argv)
{
	static const struct {
		const char *what, *text;
		bool gpu;
		double floor;
	} figures[] = { { "tree 64x8 + 1024x16 lru, gzip", two, false, 0.6 },
		{ "tree the same, inclusive, gzip", inclusive, false, NAN },
		{ "tree 80 L1 + L2 of 64 slices, lru", plain_gpu, true, 10 },
		{ "tree 80 L1 + L2 of 64 slices, preset V100", preset_gpu, true, 10 } };
	const char *part = argc > 2 ? argv[2] : "";
	struct rp_batch *gzip = bench_load(argv, "gzip.rpz", 0, ROWS), *gpu = gpu_rows();
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		if (strstr(figures[i].what, part) && (figures[i].gpu ? gpu : gzip))
			(figures[i].gpu ? measure_gpu : measure_two)(figures[i].what,
			    figures[i].text, figures[i].gpu ? gpu : gzip, figures[i].floor);
	rp_batch_free(gzip);
	rp_batch_free(gpu);
	return 0;
}
