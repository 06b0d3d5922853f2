/* plain.c - obvious loops over caches, with the same counters. */
#include "config.h"

#include "bench/plain.h"
#include "bench/bench.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "sim/policy/duel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIKE static inline __attribute__((always_inline))

static void *
array(size_t n, size_t size)
{
	struct rp_err err = { 0 };
	void *p = rp_mem_array(n, size, &err);
	if (!p)
		bench_fail(&err);
	return p;
}

/* The set of a line; `power`: their number is a power of two. */
LIKE uint64_t
set_of(uint64_t line, uint64_t sets, bool power)
{
	return power ? line & (sets - 1) : line % sets;
}

/* What a miss counts, with the line that goes. */
LIKE void
count_miss(struct rp_counters *c, bool write, bool valid, bool dirty)
{
	c->misses++;
	c->write_misses += write;
	c->evictions += valid;
	c->writebacks += dirty;
}

/* Set duelling, as sim/policy/duel.h has it. */
struct duel {
	uint64_t leaders, top;
	uint64_t counter;
};

static struct duel
duel_new(uint64_t leaders, uint64_t psel)
{
	uint64_t top = (UINT64_C(1) << psel) - 1;
	return (struct duel){ leaders, top, top / 2 };
}

/* Whether a set that missed does as the second policy. */
LIKE bool
duel_second(struct duel *d, uint32_t set, uint32_t sets)
{
	enum rp_duel_role role = rp_duel_role(set, sets, d->leaders);
	if (role == RP_DUEL_FIRST && d->counter < d->top)
		d->counter++;
	if (role == RP_DUEL_SECOND && d->counter > 0)
		d->counter--;
	return role == RP_DUEL_SECOND || (role == RP_DUEL_FOLLOWS && d->counter > d->top / 2);
}

/* Where a new line goes: first (lru), last but for chance (bip; lip has none), or as the duel says (dip). */
enum insert { LRU, LIP, BIP, DIP };

/* Sets, the ways in order of use: tag[0] was used last. */
LIKE void
sets_ordered(const struct rp_cache_spec *spec, const struct rp_batch *b, struct rp_counters *out,
    enum insert insert)
{
	size_t ways = spec->ways, sets = spec->sets;
	bool power = (sets & (sets - 1)) == 0;
	unsigned bits = (unsigned)__builtin_ctz(spec->line);
	uint64_t *tag = array(spec->sets * ways, sizeof *tag);
	uint8_t *dirty = array(spec->sets * ways, 1);
	uint64_t throttle = spec->arg[0];
	struct duel duel = duel_new(spec->arg[1], insert == DIP ? spec->arg[2] : 1);
	struct rp_rng rng = rp_rng_for(spec->seed, "sim/policy", 0);
	struct rp_counters c = { 0 };
	for (size_t i = 0; i < b->n; i++) {
		bool write = b->kind[i] == RP_WRITE;
		uint64_t end = (b->addr[i] + b->size[i] - 1) >> bits;
		c.accesses++;
		for (uint64_t line = b->addr[i] >> bits; line <= end; line++) {
			uint64_t set = set_of(line, sets, power), *t = tag + set * ways,
				 key = line + 1;
			uint8_t *d = dirty + set * ways;
			size_t w = 0, to = 0;
			while (w < ways && t[w] != key)
				w++;
			bool miss = w == ways;
			c.lookups++;
			c.writes += write;
			if (miss) {
				w--;
				count_miss(&c, write, t[w] != 0, d[w]);
				bool last = insert == LIP || insert == BIP ||
				            (insert == DIP &&
						duel_second(&duel, (uint32_t)set, spec->sets));
				if (last && (insert == LIP || rp_rng_below(&rng, throttle)))
					while (to < w && t[to])
						to++;
			}
			uint8_t kept = (!miss && d[w]) || write;
			for (; w > to; w--) {
				t[w] = t[w - 1];
				d[w] = d[w - 1];
			}
			t[to] = key;
			d[to] = kept;
		}
	}
	*out = c;
	free(tag);
	free(dirty);
}

/* What a policy knows of a set whose lines stay where they were put. */
struct place {
	size_t ways;
	uint32_t *number; /* of the set */
	uint8_t *note;    /* of each way */
	uint64_t top, throttle;
	struct rp_rng *rng;
};

typedef void place_use(struct place *p, size_t w);
typedef size_t place_victim(struct place *p);

LIKE void
use_none(struct place *p, size_t w)
{
	(void)p, (void)w;
}

LIKE size_t
victim_random(struct place *p)
{
	return rp_rng_below(p->rng, p->ways);
}

LIKE size_t
victim_fifo(struct place *p)
{
	return (*p->number)++ % p->ways;
}

LIKE void
use_mark(struct place *p, size_t w)
{
	p->note[w] = 1;
}

LIKE size_t
victim_clock(struct place *p)
{
	size_t w = *p->number;
	while (p->note[w]) {
		p->note[w] = 0;
		w = w + 1 < p->ways ? w + 1 : 0;
	}
	*p->number = (uint32_t)(w + 1 < p->ways ? w + 1 : 0);
	return w;
}

LIKE size_t
victim_nru(struct place *p)
{
	for (size_t w = 0; w < p->ways; w++)
		if (!p->note[w])
			return w;
	memset(p->note, 0, p->ways);
	return 0;
}

LIKE void
use_last(struct place *p, size_t w)
{
	*p->number = (uint32_t)w;
}

LIKE size_t
victim_last(struct place *p)
{
	return *p->number;
}

/* The tree is a heap, node i above 2i and 2i + 1; a power of two of ways. */
LIKE void
use_tree(struct place *p, size_t w)
{
	for (size_t i = w + p->ways; i > 1; i /= 2)
		p->note[i / 2] = i % 2 == 0;
}

LIKE size_t
victim_tree(struct place *p)
{
	size_t i = 1;
	while (i < p->ways)
		i = 2 * i + p->note[i];
	return i - p->ways;
}

LIKE void
use_near(struct place *p, size_t w)
{
	p->note[w] = 0;
}

LIKE size_t
victim_far(struct place *p)
{
	for (;;) {
		for (size_t w = 0; w < p->ways; w++)
			if (p->note[w] == p->top)
				return w;
		for (size_t w = 0; w < p->ways; w++)
			p->note[w]++;
	}
}

LIKE void
fill_long(struct place *p, size_t w)
{
	p->note[w] = (uint8_t)(p->top - 1);
}

LIKE void
fill_bimodal(struct place *p, size_t w)
{
	p->note[w] = (uint8_t)(p->top - (rp_rng_below(p->rng, p->throttle) == 0));
}

/* Sets, each line where it was put. `second`: what a fill is in a set that does as the second policy of a duel, or NULL. */
LIKE void
sets_placed(const struct rp_cache_spec *spec, const struct rp_batch *b, struct rp_counters *out,
    place_use *hit, place_use *fill, place_victim *victim, place_use *second)
{
	size_t ways = spec->ways, sets = spec->sets;
	bool power = (sets & (sets - 1)) == 0;
	unsigned bits = (unsigned)__builtin_ctz(spec->line);
	uint64_t *tag = array(spec->sets * ways, sizeof *tag);
	uint8_t *dirty = array(spec->sets * ways, 1), *note = array(spec->sets * ways, 1);
	uint32_t *number = array(spec->sets, sizeof *number);
	uint32_t *filled = array(spec->sets, sizeof *filled);
	struct rp_rng rng = rp_rng_for(spec->seed, "sim/policy", 0);
	struct place p = { ways, NULL, NULL, (1u << spec->arg[0] % 8) - 1, spec->arg[1], &rng };
	struct duel duel = duel_new(spec->arg[2], second ? spec->arg[3] : 1);
	struct rp_counters c = { 0 };
	for (size_t i = 0; i < b->n; i++) {
		bool write = b->kind[i] == RP_WRITE;
		uint64_t end = (b->addr[i] + b->size[i] - 1) >> bits;
		c.accesses++;
		for (uint64_t line = b->addr[i] >> bits; line <= end; line++) {
			uint64_t set = set_of(line, sets, power), *t = tag + set * ways,
				 key = line + 1;
			uint8_t *d = dirty + set * ways;
			size_t w = 0;
			while (w < ways && t[w] != key)
				w++;
			c.lookups++;
			c.writes += write;
			p.number = number + set;
			p.note = note + set * ways;
			if (w < ways) {
				d[w] |= write;
				hit(&p, w);
				continue;
			}
			w = filled[set] < ways ? filled[set]++ : victim(&p);
			count_miss(&c, write, t[w] != 0, d[w]);
			t[w] = key;
			d[w] = write;
			if (second && duel_second(&duel, (uint32_t)set, spec->sets))
				second(&p, w);
			else
				fill(&p, w);
		}
	}
	*out = c;
	free(tag);
	free(dirty);
	free(note);
	free(number);
	free(filled);
}

/* Fully associative: nodes in a chained hash table and, for lru, in a list. Node 0 stands for none. */
struct node {
	uint64_t line;
	uint32_t chain, before, after;
	bool dirty;
};

LIKE void
full(const struct rp_cache_spec *spec, const struct rp_batch *b, struct rp_counters *out, bool lru,
    bool random)
{
	size_t lines = spec->ways, size = 64;
	while (size < 2 * lines)
		size *= 2;
	unsigned bits = (unsigned)__builtin_ctz(spec->line);
	struct node *node = array(lines + 1, sizeof *node);
	uint32_t *head = array(size, sizeof *head), used = 0, turn = 0;
	struct rp_rng rng = rp_rng_for(spec->seed, "sim/policy", 0);
	struct rp_counters c = { 0 };
	for (size_t i = 0; i < b->n; i++) {
		bool write = b->kind[i] == RP_WRITE;
		uint64_t end = (b->addr[i] + b->size[i] - 1) >> bits;
		c.accesses++;
		for (uint64_t line = b->addr[i] >> bits; line <= end; line++) {
			uint32_t *h = &head[rp_mix64(line) & (size - 1)], n = *h;
			while (n && node[n].line != line)
				n = node[n].chain;
			c.lookups++;
			c.writes += write;
			if (!n) {
				if (used < lines) {
					n = ++used;
					count_miss(&c, write, false, false);
				} else {
					n = lru      ? node[0].before
					    : random ? 1 + (uint32_t)rp_rng_below(&rng, lines)
					             : 1 + turn;
					turn = turn + 1 < lines ? turn + 1 : 0;
					count_miss(&c, write, true, node[n].dirty);
					uint32_t *p = &head[rp_mix64(node[n].line) & (size - 1)];
					while (*p != n)
						p = &node[*p].chain;
					*p = node[n].chain;
				}
				node[n].line = line;
				node[n].dirty = false;
				node[n].chain = *h;
				*h = n;
			}
			node[n].dirty |= write;
			if (!lru || node[0].after == n)
				continue;
			if (node[n].after || node[n].before || node[0].before == n) {
				node[node[n].before].after = node[n].after;
				node[node[n].after].before = node[n].before;
			}
			node[n].after = node[0].after;
			node[n].before = 0;
			node[node[0].after].before = n;
			node[0].after = n;
		}
	}
	*out = c;
	free(node);
	free(head);
}

#define PLAIN(name, call)                                                                          \
	static void plain_##name(                                                                  \
	    const struct rp_cache_spec *s, const struct rp_batch *b, struct rp_counters *out)      \
	{                                                                                          \
		call;                                                                              \
	}
PLAIN(lru, sets_ordered(s, b, out, LRU))
PLAIN(lip, sets_ordered(s, b, out, LIP))
PLAIN(bip, sets_ordered(s, b, out, BIP))
PLAIN(dip, sets_ordered(s, b, out, DIP))
PLAIN(random, sets_placed(s, b, out, use_none, use_none, victim_random, NULL))
PLAIN(fifo, sets_placed(s, b, out, use_none, use_none, victim_fifo, NULL))
PLAIN(clock, sets_placed(s, b, out, use_mark, use_mark, victim_clock, NULL))
PLAIN(nru, sets_placed(s, b, out, use_mark, use_mark, victim_nru, NULL))
PLAIN(mru, sets_placed(s, b, out, use_last, use_last, victim_last, NULL))
PLAIN(plru, sets_placed(s, b, out, use_tree, use_tree, victim_tree, NULL))
PLAIN(srrip, sets_placed(s, b, out, use_near, fill_long, victim_far, NULL))
PLAIN(brrip, sets_placed(s, b, out, use_near, fill_bimodal, victim_far, NULL))
PLAIN(drrip, sets_placed(s, b, out, use_near, fill_long, victim_far, fill_bimodal))
PLAIN(full_lru, full(s, b, out, true, false))
PLAIN(full_fifo, full(s, b, out, false, false))
PLAIN(full_random, full(s, b, out, false, true))

static const struct {
	const char *name;
	void (*sets)(const struct rp_cache_spec *, const struct rp_batch *, struct rp_counters *);
	void (*full)(const struct rp_cache_spec *, const struct rp_batch *, struct rp_counters *);
} loops[] = {
	{ "lru", plain_lru, plain_full_lru },
	{ "fifo", plain_fifo, plain_full_fifo },
	{ "random", plain_random, plain_full_random },
	{ "clock", plain_clock, plain_clock },
	{ "nru", plain_nru, plain_nru },
	{ "mru", plain_mru, plain_mru },
	{ "plru", plain_plru, plain_plru },
	{ "lip", plain_lip, plain_lip },
	{ "bip", plain_bip, plain_bip },
	{ "dip", plain_dip, plain_dip },
	{ "srrip", plain_srrip, plain_srrip },
	{ "brrip", plain_brrip, plain_brrip },
	{ "drrip", plain_drrip, plain_drrip },
	{ "lfu", plain_lfu, plain_lfu },
	{ "sieve", plain_sieve, plain_sieve },
	{ "s3fifo", plain_s3fifo, plain_s3fifo },
	{ "arc", plain_arc, plain_arc },
};

void
plain_replay(const struct rp_cache_spec *spec, const struct rp_batch *b, struct rp_counters *out)
{
	size_t k = 0, n = sizeof loops / sizeof *loops;
	while (k < n && strcmp(loops[k].name, spec->policy->name))
		k++;
	if (k == n) {
		fprintf(stderr, "bench: no plain loop for %s\n", spec->policy->name);
		exit(1);
	}
	(spec->sets == 1 ? loops[k].full : loops[k].sets)(spec, b, out);
}
