/* plain.c - obvious loops over caches, with the same counters. */
#include "config.h"

#include "bench/plain.h"
#include "bench/bench.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"

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

/* Sets, the ways in order of use: tag[0] was used last. */
LIKE void
sets_lru(const struct rp_cache_spec *spec, const struct rp_batch *b, struct rp_counters *out)
{
	size_t ways = spec->ways, sets = spec->sets;
	bool power = (sets & (sets - 1)) == 0;
	unsigned bits = (unsigned)__builtin_ctz(spec->line);
	uint64_t *tag = array(spec->sets * ways, sizeof *tag);
	uint8_t *dirty = array(spec->sets * ways, 1);
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
			bool miss = w == ways;
			c.lookups++;
			c.writes += write;
			if (miss) {
				w--;
				count_miss(&c, write, t[w] != 0, d[w]);
			}
			uint8_t kept = (!miss && d[w]) || write;
			for (; w > 0; w--) {
				t[w] = t[w - 1];
				d[w] = d[w - 1];
			}
			t[0] = key;
			d[0] = kept;
		}
	}
	*out = c;
	free(tag);
	free(dirty);
}

/* Sets, each line where it was put: at a pointer that goes round, or anywhere. */
LIKE void
sets_placed(const struct rp_cache_spec *spec, const struct rp_batch *b, struct rp_counters *out,
    bool random)
{
	size_t ways = spec->ways, sets = spec->sets;
	bool power = (sets & (sets - 1)) == 0;
	unsigned bits = (unsigned)__builtin_ctz(spec->line);
	uint64_t *tag = array(spec->sets * ways, sizeof *tag);
	uint8_t *dirty = array(spec->sets * ways, 1);
	uint32_t *filled = array(spec->sets, sizeof *filled);
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
			uint32_t *f = &filled[set];
			size_t w = 0;
			while (w < ways && t[w] != key)
				w++;
			c.lookups++;
			c.writes += write;
			if (w < ways) {
				d[w] |= write;
				continue;
			}
			w = *f < ways ? *f : random ? rp_rng_below(&rng, ways) : *f % ways;
			++*f;
			count_miss(&c, write, t[w] != 0, d[w]);
			t[w] = key;
			d[w] = write;
		}
	}
	*out = c;
	free(tag);
	free(dirty);
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

void
plain_replay(const struct rp_cache_spec *spec, const struct rp_batch *b, struct rp_counters *out)
{
	bool lru = !strcmp(spec->policy->name, "lru"),
	     random = !strcmp(spec->policy->name, "random");
	if (spec->sets == 1 && lru)
		full(spec, b, out, true, false);
	else if (spec->sets == 1)
		full(spec, b, out, false, random);
	else if (lru)
		sets_lru(spec, b, out);
	else
		sets_placed(spec, b, out, random);
}
