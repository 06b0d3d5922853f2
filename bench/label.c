/* label.c - how fast traces are labelled, and how long the data set of examples/mlcrp-default.yaml takes.
 *
 * Labels are those of 24 caches of the design for traces of 10,000 accesses, each with empty caches of its own. The baseline
 * is a plain loop for one cache after the other: a set's ways in order of use, and a hash table of lines on their way. */
#include "config.h"

#include "bench/bench.h"
#include "learn/design.h"

#include "base/map.h"
#include "base/xoshiro.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRACES = 8, N = 10000, CACHES = 24, SETS = 1024, WAYS = 16 };

struct work {
	uint64_t line[TRACES][N];
	struct rp_label_cache cache[TRACES][CACHES];
	uint64_t sum[2]; /* of primaries, by the one and the other */
};

static void
labeller(void *to)
{
	struct work *w = to;
	struct rp_err err = { 0 };
	w->sum[0] = 0;
	for (int t = 0; t < TRACES; t++) {
		struct rp_label label[CACHES];
		struct rp_labeller *l = rp_labeller_new(w->cache[t], CACHES, 1, &err);
		if (!l || !rp_labeller_add(l, w->line[t], N, &err))
			bench_fail(&err);
		rp_labeller_take(l, label);
		rp_labeller_free(l);
		for (int i = 0; i < CACHES; i++)
			w->sum[0] += label[i].primary;
	}
}

/* Whether the line was there; it is first in its set then. */
static bool
plain_use(uint64_t *way, uint32_t ways, uint64_t line)
{
	uint32_t w = 0;
	while (w < ways - 1 && way[w] != line)
		w++;
	bool was = way[w] == line;
	memmove(way + 1, way, w * sizeof *way);
	way[0] = line;
	return was;
}

static uint64_t
plain_cache(const struct rp_label_cache *c, const uint64_t *line)
{
	static uint64_t way[SETS * WAYS], due[N];
	struct rp_map ready = { 0 };
	uint64_t primary = 0, first = 0, made = 0;
	memset(way, 0xff, sizeof way);
	for (uint64_t t = 0; t < N; t++) {
		while (first < made && due[first] <= t)
			first++;
		bool was = plain_use(way + (line[t] & (c->sets - 1)) * c->ways, c->ways, line[t]);
		uint64_t *when = rp_map_at(&ready, line[t], NULL);
		if (*when > t || was)
			continue;
		primary++;
		if (!c->entries || made - first < c->entries)
			due[made++] = *when = t + c->latency;
	}
	rp_map_free(&ready);
	return primary;
}

static void
plain(void *to)
{
	struct work *w = to;
	w->sum[1] = 0;
	for (int t = 0; t < TRACES; t++)
		for (int i = 0; i < CACHES; i++)
			w->sum[1] += plain_cache(&w->cache[t][i], w->line[t]);
}

static void
label_traces(const struct rp_design *d)
{
	static struct work w;
	struct rp_err err = { 0 };
	for (int t = 0; t < TRACES; t++) {
		char text[96];
		snprintf(text, sizeof text,
		    "mixture,peaks=%d,max-rd=%d,length=%d,recipe=wide,seed=%d", 1 + 2 * t,
		    48 << t % 7, N, t);
		struct rp_batch *b = bench_made(text, 0, N);
		struct rp_xoshiro rng = rp_xoshiro_seed((uint64_t)t);
		struct rp_label_cache *cache;
		size_t n;
		if (!rp_pool_draw(&d->pool, 64, &rng, &cache, &n, &err) || n != CACHES)
			bench_fail(&err);
		memcpy(w.cache[t], cache, sizeof w.cache[t]);
		for (int i = 0; i < N; i++)
			w.line[t][i] = b->addr[i] / 64;
		free(cache);
		rp_batch_free(b);
	}
	struct bench_variant v[] = { { labeller, &w, 0 }, { plain, &w, 0 } };
	bench_turns(v, 2, 5, false);
	if (w.sum[0] != w.sum[1]) {
		fprintf(stderr, "label: the two count differently\n");
		exit(1);
	}
	double done = (double)TRACES * N * CACHES / 1e6;
	bench_row("label: 10,000 accesses, 24 caches", done / v[0].best, "M/s", "-", NAN, 40);
	bench_row("  beside plain loops", done / v[0].best, "M/s", "plain loops",
	    v[1].best / v[0].best, NAN);
}

struct sample {
	const struct rp_design *d;
	uint32_t traces, every;
};

static void
make_some(void *to)
{
	const struct sample *s = to;
	struct rp_buf out = { 0 };
	struct rp_err err = { 0 };
	for (uint32_t i = 0; i < s->traces; i += s->every, out.n = 0)
		if (!rp_design_make(s->d, i, &out, &err))
			bench_fail(&err);
	rp_buf_free(&out);
}

int
main(void)
{
	struct rp_err err = { 0 };
	struct rp_design d = { 0 };
	if (!rp_design_read(RP_TOP_SRCDIR "/examples/mlcrp-default.yaml", 1,
		&(struct rp_pool_text){ .count = RP_POOL_USUAL }, &d, &err))
		bench_fail(&err);
	label_traces(&d);
	/* 53 and the traces of a pair have no common factor, so all pairs have their share. */
	struct sample s = { &d, (uint32_t)d.pairs * d.text.traces, 53 };
	struct bench_variant v[] = { { make_some, &s, 0 } };
	bench_turns(v, 1, 3, false);
	bench_row_most(
	    "default data set, 2 cores, from 1 in 53", v[0].best * 53 / 2 / 60, "min", "-", NAN, 3);
	rp_design_free(&d);
	return 0;
}
