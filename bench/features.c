/* features.c - how fast the features of intervals are extracted: all of them, one reuse of 16 looked at.
 *
 * From decoded line numbers, in intervals of 10,000. The baseline is exact reuse distances alone, which are a part of it. */
#include "config.h"

#include "bench/bench.h"
#include "gen/gen.h"
#include "learn/prior.h"
#include "sim/observe/reuse.h"

#include <math.h>
#include <stdio.h>

enum { INTERVAL = 10000 };

struct lines {
	uint64_t *line;
	size_t n;
};

static void
extract(void *to)
{
	const struct lines *l = to;
	struct rp_err err = { 0 };
	struct rp_features f = { 0 };
	struct rp_extractor *x = rp_extractor_new(&(struct rp_extractor_opts){ 0 }, &err);
	for (size_t at = 0; x && at < l->n; at += INTERVAL) {
		size_t n = l->n - at < INTERVAL ? l->n - at : INTERVAL;
		if (!rp_extractor_add(x, l->line + at, n, &err) || !rp_extractor_take(x, &f, &err))
			bench_fail(&err);
		bench_keep(f.max_rd);
	}
	rp_features_free(&f);
	rp_extractor_free(x);
}

static void
distances(void *to)
{
	const struct lines *l = to;
	struct rp_err err = { 0 };
	uint32_t distance[RP_REUSE_CHUNK];
	struct rp_reuse *r = rp_reuse_new(RP_LEVEL_BEST, &err);
	for (size_t at = 0; r && at < l->n; at += RP_REUSE_CHUNK) {
		size_t n = l->n - at < RP_REUSE_CHUNK ? l->n - at : RP_REUSE_CHUNK;
		if (!rp_reuse_run(r, l->line + at, n, distance, &err))
			bench_fail(&err);
		bench_keep(distance[0]);
	}
	rp_reuse_free(r);
}

static void
measure(const char *what, struct rp_batch *b, double floor)
{
	struct lines l = { b->addr, b->n };
	for (size_t i = 0; i < b->n; i++)
		b->addr[i] /= 64;
	struct bench_variant v[] = { { extract, &l, 0 }, { distances, &l, 0 } };
	bench_turns(v, 2, 3, false);
	bench_row(what, (double)l.n / v[0].best / 1e6, "M/s", "-", NAN, floor);
	bench_row("  beside exact distances alone", (double)l.n / v[0].best / 1e6, "M/s",
	    "reuse distances", v[1].best / v[0].best, NAN);
	rp_batch_free(b);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *what, *text;
	} at[] = {
		{ "features: mixture, MaxRD 4,096",
		    "mixture,peaks=8,max-rd=4096,length=500000,streams=2,recipe=wide" },
		{ "features: sparse matrix by vector", "kernel,kernel=spmv,n=65536,limit=1000000" },
		{ "features: zipf(0.9) over 65,536 lines", "zipf,lines=65536,limit=1000000" },
	};
	struct rp_err err = { 0 };
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		struct rp_source *s = rp_gen_open(at[i].text, 1, &err);
		if (!s)
			bench_fail(&err);
		measure(at[i].what, bench_collect(s, 0, 1000000), 3);
		rp_source_close(s);
	}
	struct rp_batch *b = argc > 1 ? bench_load(argv, "gzip.rpz", 0, 1000000) : NULL;
	if (b)
		measure("features: gzip", b, 3);
	return 0;
}
