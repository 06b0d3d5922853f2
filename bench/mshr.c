/* mshr.c - what MSHRs beside a cache cost: against the cache alone, and against a plain loop with the same counters. */
#include "config.h"

#include "bench/bench.h"

#include "gen/gen.h"
#include "sim/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8000000, ROUNDS = 5, WAYS_MOST = 16, ENTRIES = 32, MERGE = 8, LATENCY = 100 };

/* The plain loop's cache: ways in order of use; entries searched end to end. */
struct plain {
	uint64_t tag[WAYS_MOST];
	uint8_t dirty[WAYS_MOST];
};

struct entry {
	uint64_t line, ready, joined;
};

/* One cache, three ways. */
struct job {
	struct rp_cache_spec alone, with;
	const struct rp_batch *batch;
	struct rp_counters plain, ours, bare;
};

static void
plain_line(
    struct plain *set, unsigned ways, uint64_t line, bool write, struct rp_counters *c, bool *hit)
{
	unsigned w = 0;
	while (w < ways && set->tag[w] != line + 1)
		w++;
	*hit = w < ways;
	if (!*hit) {
		w = ways - 1;
		c->evictions += set->tag[w] != 0;
		c->writebacks += set->dirty[w];
	}
	uint8_t dirty = (uint8_t)((*hit && set->dirty[w]) || write);
	for (; w > 0; w--) {
		set->tag[w] = set->tag[w - 1];
		set->dirty[w] = set->dirty[w - 1];
	}
	set->tag[0] = line + 1;
	set->dirty[0] = dirty;
}

static void
plain_mshr(struct entry *e, size_t *n, uint64_t line, uint64_t t, bool hit, struct rp_counters *c)
{
	size_t kept = 0, k = 0;
	for (size_t i = 0; i < *n; i++)
		if (e[i].ready > t)
			e[kept++] = e[i];
	*n = kept;
	while (k < *n && e[k].line != line)
		k++;
	c->misses += !hit || k < *n;
	if (k < *n && e[k].joined < MERGE) {
		e[k].joined++;
		c->merged++;
	} else if (k < *n) {
		c->merge_full++;
		c->fetches++;
	} else if (!hit) {
		c->fetches++;
		if (*n < ENTRIES)
			e[(*n)++] = (struct entry){ .line = line, .ready = t + LATENCY };
		else
			c->mshr_full++;
	}
	c->mshr_held += *n;
	if (*n > c->mshr_occupancy_max)
		c->mshr_occupancy_max = *n;
}

static void
run_plain(void *to)
{
	struct job *j = to;
	const struct rp_batch *b = j->batch;
	struct plain *set = calloc(j->alone.sets, sizeof *set);
	struct entry entry[ENTRIES];
	size_t n = 0;
	uint64_t t = 0;
	struct rp_counters c = { 0 };
	for (size_t i = 0; set && i < b->n; i++) {
		uint64_t end = (b->addr[i] + b->size[i] - 1) / 64;
		bool write = b->kind[i] == RP_WRITE;
		for (uint64_t line = b->addr[i] / 64; line <= end; line++, t++) {
			bool hit;
			plain_line(
			    &set[line & (j->alone.sets - 1)], j->alone.ways, line, write, &c, &hit);
			uint64_t before = c.misses;
			plain_mshr(entry, &n, line, t, hit, &c);
			c.lookups++;
			c.writes += write;
			c.write_misses += write && c.misses > before;
		}
	}
	free(set);
	j->plain = c;
}

static void
replay(const struct rp_cache_spec *s, const struct rp_batch *b, struct rp_counters *out)
{
	struct rp_err err = { 0 };
	struct rp_replay *r = rp_replay_new(s, 1, &(struct rp_replay_opts){ 0 }, &err);
	for (size_t at = 0; r && at < b->n; at += RP_BATCH) {
		size_t left = b->n - at, n = left < RP_BATCH ? left : RP_BATCH;
		struct rp_batch part = { .n = n,
			.cap = n,
			.addr = b->addr + at,
			.size = b->size + at,
			.kind = b->kind + at };
		if (!rp_replay_run(r, &part, &err))
			bench_fail(&err);
	}
	if (!r || !rp_replay_end(r, &err))
		bench_fail(&err);
	rp_replay_counters(r, 0, out);
	rp_replay_free(r);
}

static void
run_alone(void *to)
{
	struct job *j = to;
	replay(&j->alone, j->batch, &j->bare);
}

static void
run_with(void *to)
{
	struct job *j = to;
	replay(&j->with, j->batch, &j->ours);
}

static bool
same(const struct rp_counters *a, const struct rp_counters *b)
{
	return a->lookups == b->lookups && a->misses == b->misses && a->writes == b->writes &&
	       a->write_misses == b->write_misses && a->evictions == b->evictions &&
	       a->writebacks == b->writebacks && a->merged == b->merged &&
	       a->fetches == b->fetches && a->mshr_full == b->mshr_full &&
	       a->merge_full == b->merge_full && a->mshr_held == b->mshr_held &&
	       a->mshr_occupancy_max == b->mshr_occupancy_max;
}

static void
measure(const char *spec, const struct rp_batch *b, const char *name)
{
	struct job j = { .batch = b };
	struct rp_err err = { 0 };
	char with[160], what[200];
	snprintf(
	    with, sizeof with, "%s,mshr=%d,merge=%d,latency=%d", spec, ENTRIES, MERGE, LATENCY);
	if (!rp_cache_spec_parse(spec, 64, 1, &j.alone, &err) ||
	    !rp_cache_spec_parse(with, 64, 1, &j.with, &err))
		bench_fail(&err);
	struct bench_variant v[3] = { { run_plain, &j, 0 }, { run_alone, &j, 0 },
		{ run_with, &j, 0 } };
	bench_turns(v, 3, ROUNDS, false);
	if (!same(&j.plain, &j.ours)) {
		fprintf(
		    stderr, "mshr: %s on %s: the plain loop counts something else\n", with, name);
		exit(1);
	}
	double rate = (double)j.ours.lookups / v[2].best / 1e6;
	snprintf(what, sizeof what, "%s, %s", with, name);
	bench_row(what, rate, "M/s", "plain loop", v[0].best / v[2].best, NAN);
	snprintf(what, sizeof what, "the same: time, %s", name);
	bench_row_most(what, v[2].best * 1e3, "ms", "the cache alone", v[2].best / v[1].best, 2);
	rp_cache_spec_free(&j.alone);
	rp_cache_spec_free(&j.with);
}

/* usage: mshr FOLDER */
int
main(int argc, char **argv)
{
	struct rp_err err = { 0 };
	struct rp_batch *gzip = argc > 1 ? bench_load(argv, "gzip.rpz", 0, ROWS) : NULL;
	struct rp_source *s = rp_gen_open("zipf,exponent=0.9,lines=1048576,writes=0.3", 1, &err);
	if (!s)
		bench_fail(&err);
	struct rp_batch *zipf = bench_collect(s, 0, ROWS / 2);
	rp_source_close(s);
	if (gzip)
		measure("lru,sets=64,ways=8", gzip, "gzip");
	measure("lru,sets=1024,ways=16", zipf, "zipf 1 M lines");
	rp_batch_free(gzip);
	rp_batch_free(zipf);
	return 0;
}
