/* slow_scan.h - scans with fixed phases, event by event: what the closed forms are held against. */
#ifndef RP_TESTS_SLOW_SCAN_H
#define RP_TESTS_SLOW_SCAN_H

#include "tests/check.h"

#include "base/rng.h"

enum { SLOW_WORKERS = 200 };

struct slow_scan {
	uint64_t blocks, phase[SLOW_WORKERS];
	uint32_t workers;
};

/* The block of event e: worker e mod M in round e / M. */
static inline uint64_t
slow_block(const struct slow_scan *s, uint64_t e)
{
	return (e / s->workers + s->phase[e % s->workers]) % s->blocks;
}

/* The event before e on the same block; UINT64_MAX: none. */
static inline uint64_t
slow_previous(const struct slow_scan *s, uint64_t e)
{
	for (uint64_t p = e; p-- > 0;)
		if (slow_block(s, p) == slow_block(s, e))
			return p;
	return UINT64_MAX;
}

/* Different blocks of the events from `from` up to, not including, `to`. */
static inline uint64_t
slow_different(const struct slow_scan *s, uint64_t from, uint64_t to)
{
	unsigned char *seen = calloc(s->blocks, 1);
	uint64_t n = 0;
	for (uint64_t e = from; e < to; e++) {
		uint64_t b = slow_block(s, e);
		n += !seen[b];
		seen[b] = 1;
	}
	free(seen);
	return n;
}

/* Misses in each of `rounds` rounds from an empty cache of fully associative LRU: a list of blocks, last used first. */
static inline void
slow_lru(const struct slow_scan *s, uint64_t capacity, uint64_t rounds, uint32_t *misses)
{
	uint64_t *list = calloc(capacity + 1, sizeof *list), n = 0;
	memset(misses, 0, rounds * sizeof *misses);
	for (uint64_t e = 0; e < rounds * s->workers; e++) {
		uint64_t b = slow_block(s, e), at = 0;
		while (at < n && list[at] != b)
			at++;
		if (at == n) {
			misses[e / s->workers]++;
			if (n < capacity)
				n++;
			else
				at--;
		}
		memmove(list + 1, list, at * sizeof *list);
		list[0] = b;
	}
	free(list);
}

/* The same of a slotted TTL cache: at the start of a round it holds the blocks of the `window` rounds before; *most is the
 * most it held then. */
static inline void
slow_ttl(
    const struct slow_scan *s, uint64_t window, uint64_t rounds, uint32_t *misses, uint64_t *most)
{
	uint64_t *last =
	    calloc(s->blocks, sizeof *last); /* round of the last request, from 1; 0: none */
	memset(misses, 0, rounds * sizeof *misses);
	*most = 0;
	for (uint64_t k = 1; k <= rounds; k++) {
		uint64_t held = 0;
		for (uint64_t b = 0; b < s->blocks; b++)
			held += last[b] && k - last[b] <= window;
		*most = held > *most ? held : *most;
		for (uint32_t m = 0; m < s->workers; m++) {
			uint64_t b = slow_block(s, (k - 1) * s->workers + m);
			misses[k - 1] += !(last[b] && (last[b] == k || k - last[b] <= window));
			last[b] = k;
		}
	}
	free(last);
}

/* A random scan of up to `blocks` blocks and `workers` workers: of all kinds, from one phase to all different. */
static inline struct slow_scan
slow_random(struct rp_rng *rng, uint64_t blocks, uint32_t workers)
{
	struct slow_scan s = { .blocks = 1 + rp_rng_below(rng, blocks),
		.workers = (uint32_t)(1 + rp_rng_below(rng, workers)) };
	uint64_t spread = 1 + rp_rng_below(rng, s.blocks), start = rp_rng_below(rng, s.blocks),
		 grain = 1 + rp_rng_below(rng, 1 + spread / 2);
	for (uint32_t m = 0; m < s.workers; m++)
		s.phase[m] = (start + rp_rng_below(rng, spread) / grain * grain) % s.blocks;
	return s;
}

#endif
