/* reuse.c - exact reuse distances, against a Fenwick tree over the lookups with compaction. */
#include "config.h"

#include "bench/bench.h"

#include "base/hash.h"
#include "sim/observe/reuse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 16000000, ROUNDS = 5, LINE_BITS = 6 };

/* The baseline: where each line was looked up last, by open addressing; a tree of sums over those times; when the times
 * are used up, the last ones are renumbered in order. */
struct plain {
	uint64_t *line;
	uint32_t *time, *tree, *entry_of; /* time + 1 of entry i; tree over times; entry by time */
	uint64_t mask, used;
	uint32_t now, times;
};

static void
add(struct plain *p, uint32_t at, uint32_t by)
{
	for (at++; at <= p->times; at += at & -at)
		p->tree[at] += by;
}

static uint32_t
sum_to(const struct plain *p, uint32_t at)
{
	uint32_t s = 0;
	for (at++; at; at -= at & -at)
		s += p->tree[at];
	return s;
}

static void *
zeroed(size_t n, size_t size)
{
	void *m = calloc(n, size);
	if (!m)
		exit(4);
	return m;
}

static uint64_t
entry(const struct plain *p, uint64_t line)
{
	uint64_t i = rp_mix64(line) & p->mask;
	while (p->time[i] && p->line[i] != line)
		i = (i + 1) & p->mask;
	return i;
}

static void
grow(struct plain *p)
{
	struct plain old = *p;
	p->mask = 2 * p->mask + 1;
	p->line = zeroed(p->mask + 1, sizeof *p->line);
	p->time = zeroed(p->mask + 1, sizeof *p->time);
	for (uint64_t i = 0; i <= old.mask; i++)
		if (old.time[i]) {
			uint64_t to = entry(p, old.line[i]);
			p->line[to] = old.line[i];
			p->time[to] = old.time[i];
			p->entry_of[p->time[to] - 1] = (uint32_t)to;
		}
	free(old.line);
	free(old.time);
}

static void
compact(struct plain *p)
{
	uint32_t n = 0, times = p->times;
	for (uint32_t t = 0; t < p->now; t++) {
		uint32_t e = p->entry_of[t];
		if (p->time[e] == t + 1) {
			p->entry_of[n] = e;
			p->time[e] = ++n;
		}
	}
	p->times = 4 * n > times ? 4 * n : times;
	p->entry_of = realloc(p->entry_of, p->times * sizeof *p->entry_of);
	free(p->tree);
	p->tree = zeroed((size_t)p->times + 1, sizeof *p->tree);
	if (!p->entry_of)
		exit(4);
	for (uint32_t t = 1; t <= p->times; t++) {
		p->tree[t] += t <= n;
		if (t + (t & -t) <= p->times)
			p->tree[t + (t & -t)] += p->tree[t];
	}
	p->now = n;
}

static uint32_t
distance_of(struct plain *p, uint64_t line)
{
	uint32_t d = RP_COLD;
	if (p->now == p->times)
		compact(p);
	uint64_t e = entry(p, line);
	if (p->time[e]) {
		d = (uint32_t)p->used - sum_to(p, p->time[e] - 1);
		add(p, p->time[e] - 1, UINT32_MAX);
	} else {
		if (2 * ++p->used > p->mask) {
			grow(p);
			e = entry(p, line);
		}
		p->line[e] = line;
	}
	add(p, p->now, 1);
	p->entry_of[p->now] = (uint32_t)e;
	p->time[e] = ++p->now;
	return d;
}

struct job {
	const struct rp_batch *batch;
	uint64_t plain, ours; /* sums of the distances, to compare */
	uint64_t lines, bytes;
};

static void
run_plain(void *to)
{
	struct job *j = to;
	enum { START = 1 << 13 };
	struct plain p = { zeroed(START, 8), zeroed(START, 4), zeroed(START + 1, 4),
		zeroed(START, 4), START - 1, 0, 0, START };
	j->plain = 0;
	for (size_t i = 0; i < j->batch->n; i++)
		j->plain += distance_of(&p, j->batch->addr[i] >> LINE_BITS);
	free(p.line);
	free(p.time);
	free(p.tree);
	free(p.entry_of);
}

static void
run_ours(void *to)
{
	struct job *j = to;
	struct rp_err err = { 0 };
	struct rp_reuse *r = rp_reuse_new(RP_LEVEL_BEST, &err);
	uint64_t line[RP_REUSE_CHUNK];
	uint32_t d[RP_REUSE_CHUNK];
	j->ours = 0;
	for (size_t at = 0; r && at < j->batch->n; at += RP_REUSE_CHUNK) {
		size_t n = j->batch->n - at < RP_REUSE_CHUNK ? j->batch->n - at : RP_REUSE_CHUNK;
		for (size_t i = 0; i < n; i++)
			line[i] = j->batch->addr[at + i] >> LINE_BITS;
		if (!rp_reuse_run(r, line, n, d, &err))
			bench_fail(&err);
		for (size_t i = 0; i < n; i++)
			j->ours += d[i];
	}
	if (!r)
		bench_fail(&err);
	j->lines = rp_reuse_lines(r);
	j->bytes = rp_reuse_bytes(r);
	rp_reuse_free(r);
}

static void
measure(const char *name, const struct rp_batch *b, double floor)
{
	struct job j = { .batch = b };
	struct bench_variant v[2] = { { run_plain, &j, 0 }, { run_ours, &j, 0 } };
	char what[96];
	bench_turns(v, 2, ROUNDS, false);
	if (j.plain != j.ours) {
		fprintf(stderr, "reuse: %s: the distances differ\n", name);
		exit(1);
	}
	snprintf(what, sizeof what, "exact reuse distances, %s", name);
	bench_row(what, (double)b->n / v[1].best / 1e6, "M/s", "Fenwick tree",
	    v[0].best / v[1].best, floor);
	snprintf(
	    what, sizeof what, "their memory, %s, %llu lines", name, (unsigned long long)j.lines);
	bench_row_most(what, (double)j.bytes / (double)j.lines, "B/line", "-", NAN, 64);
}

int
main(int argc, char **argv)
{
	(void)argc;
	struct rp_batch *b = bench_load(argv, "gzip.rpz", 0, ROWS);
	if (b)
		measure("gzip", b, 2.2);
	rp_batch_free(b);
	b = bench_load(argv, "sqlite.rpz", 0, ROWS);
	if (b)
		measure("sqlite", b, NAN);
	rp_batch_free(b);
	b = bench_made("zipf,exponent=0.9,lines=1048576", 0, ROWS);
	measure("zipf over 1 M lines", b, 3.5);
	rp_batch_free(b);
	return 0;
}
