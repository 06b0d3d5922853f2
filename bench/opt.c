/* opt.c - Belady's MIN: next uses and replay from batches in memory, against a map and a heap; and its memory. */
#include "config.h"

#include "bench/bench.h"

#include "base/hash.h"
#include "base/mem.h"
#include "sim/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8000000, ROUNDS = 5 };

static void *
array(size_t n, size_t size)
{
	struct rp_err err = { 0 };
	void *p = rp_mem_array(n, size, &err);
	if (!p)
		bench_fail(&err);
	return p;
}

/* ---- The obvious way: a hash table from line to node, and a heap of nodes for each set ---- */

struct node {
	uint64_t line, next;   /* next use of the line */
	uint32_t chain, place; /* in the heap, from 1; 0: not there */
	bool dirty;
};

struct map {
	struct node *node; /* from 1 on */
	uint32_t *head, nodes, mask;
};

static uint32_t
node_of(struct map *m, uint64_t line)
{
	uint32_t *h = &m->head[rp_mix64(line) & m->mask], n = *h;
	while (n && m->node[n].line != line)
		n = m->node[n].chain;
	if (!n) {
		n = ++m->nodes;
		m->node[n] = (struct node){ .line = line, .chain = *h };
		*h = n;
	}
	return n;
}

static void
sift(struct node *node, uint32_t *heap, uint32_t n, uint32_t at)
{
	uint32_t it = heap[at];
	for (; at > 1 && node[heap[at / 2]].next < node[it].next; at /= 2) {
		heap[at] = heap[at / 2];
		node[heap[at]].place = at;
	}
	for (uint32_t child; (child = 2 * at) <= n; at = child) {
		child += child < n && node[heap[child]].next < node[heap[child + 1]].next;
		if (node[heap[child]].next <= node[it].next)
			break;
		heap[at] = heap[child];
		node[heap[at]].place = at;
	}
	heap[at] = it;
	node[it].place = at;
}

static void
plain_opt(const struct rp_cache_spec *spec, const struct rp_batch *b, struct rp_counters *out)
{
	size_t lookups = 0, i = 0, lines = 2 * b->n, sets = spec->sets, ways = spec->ways;
	unsigned bits = (unsigned)__builtin_ctz(spec->line);
	struct map m = { .node = array(lines + 1, sizeof *m.node),
		.head = array(1 << 21, sizeof *m.head),
		.mask = (1 << 21) - 1 };
	uint64_t *line = array(lines, sizeof *line), *next = array(lines, sizeof *next);
	uint8_t *kind = array(lines, 1);
	uint32_t *heap = array(sets * (ways + 1), sizeof *heap), *used = array(sets, sizeof *used);
	struct rp_counters c = { .accesses = b->n };
	for (; i < b->n; i++)
		for (uint64_t l = b->addr[i] >> bits, end = (b->addr[i] + b->size[i] - 1) >> bits;
		     l <= end; l++) {
			line[lookups] = l;
			kind[lookups++] = b->kind[i];
		}
	for (i = lookups; i-- > 0;) {
		struct node *n = &m.node[node_of(&m, line[i])];
		next[i] = n->next ? n->next : UINT64_MAX - i;
		n->next = i + 1;
	}
	c.lookups = lookups;
	for (i = 0; i < lookups; i++) {
		uint32_t k = node_of(&m, line[i]), *h = heap + line[i] % sets * (ways + 1),
			 *n = &used[line[i] % sets];
		bool write = kind[i] == RP_WRITE;
		c.writes += write;
		m.node[k].next = next[i];
		if (!m.node[k].place) {
			uint32_t at = 1;
			c.misses++;
			c.write_misses += write;
			if (*n < ways) {
				at = ++*n;
			} else {
				struct node *victim = &m.node[h[1]];
				c.evictions++;
				c.writebacks += victim->dirty;
				victim->dirty = false;
				victim->place = 0;
			}
			h[at] = k;
			m.node[k].place = at;
		}
		m.node[k].dirty |= write;
		sift(m.node, h, *n, m.node[k].place);
	}
	*out = c;
	free(m.node);
	free(m.head);
	free(line);
	free(next);
	free(kind);
	free(heap);
	free(used);
}

/* ---- Ours ---- */

struct job {
	struct rp_cache_spec spec;
	const struct rp_batch *batch;
	struct rp_counters plain, ours;
	uint64_t spilled;
};

static void
run_plain(void *to)
{
	struct job *j = to;
	plain_opt(&j->spec, j->batch, &j->plain);
}

static void
run_ours(void *to)
{
	struct job *j = to;
	struct rp_err err = { 0 };
	const struct rp_batch *b = j->batch;
	struct rp_replay *r = rp_replay_new(&j->spec, 1, &(struct rp_replay_opts){ 0 }, &err);
	for (size_t at = 0; r && at < b->n; at += RP_BATCH) {
		size_t n = b->n - at < RP_BATCH ? b->n - at : RP_BATCH;
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
	rp_replay_counters(r, 0, &j->ours);
	j->spilled = rp_replay_spilled(r);
	rp_replay_free(r);
}

static bool
same(const struct job *j)
{
	return j->plain.lookups == j->ours.lookups && j->plain.misses == j->ours.misses &&
	       j->plain.writes == j->ours.writes && j->plain.write_misses == j->ours.write_misses &&
	       j->plain.evictions == j->ours.evictions && j->plain.writebacks == j->ours.writebacks;
}

static void
measure(const char *spec, const char *input, const struct rp_batch *b)
{
	struct job j = { .batch = b };
	struct rp_err err = { 0 };
	char what[128];
	if (!rp_cache_spec_parse(spec, 64, 1, &j.spec, &err))
		bench_fail(&err);
	struct bench_variant v[2] = { { run_plain, &j, 0 }, { run_ours, &j, 0 } };
	bench_turns(v, 2, ROUNDS, false);
	if (!same(&j)) {
		fprintf(
		    stderr, "opt: %s on %s: the plain loop counts something else\n", spec, input);
		exit(1);
	}
	snprintf(what, sizeof what, "next uses and replay %s, %s", spec, input);
	bench_row(what, (double)j.ours.lookups / v[1].best / 1e6, "M/s", "map and heap",
	    v[0].best / v[1].best, 5);
	snprintf(what, sizeof what, "spilled by %s, %s", spec, input);
	bench_row_most(
	    what, (double)j.spilled / (double)j.ours.accesses, "B/access", "-", NAN, NAN);
	rp_cache_spec_free(&j.spec);
}

/* usage: opt FOLDER [PART]: only figures of which PART is part of "SPEC, INPUT". */
int
main(int argc, char **argv)
{
	static const struct {
		const char *spec;
		bool zipf;
	} figures[] = { { "opt,sets=64,ways=8", false }, { "opt,size=256KiB", true },
		{ "opt,size=32KiB", false }, { "opt,sets=1024,ways=16", true },
		{ "opt,size=6400000", true } };
	const char *part = argc > 2 ? argv[2] : "";
	struct rp_batch *gzip = bench_load(argv, "gzip.rpz", 0, ROWS);
	struct rp_batch *zipf = bench_made("zipf,exponent=0.9,lines=1048576,writes=0.3", 0, ROWS);
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
		const char *input = figures[i].zipf ? "zipf 1 M lines" : "gzip";
		const struct rp_batch *b = figures[i].zipf ? zipf : gzip;
		char name[128];
		snprintf(name, sizeof name, "%s, %s", figures[i].spec, input);
		if (b && strstr(name, part))
			measure(figures[i].spec, input, b);
	}
	rp_batch_free(gzip);
	rp_batch_free(zipf);
	return 0;
}
