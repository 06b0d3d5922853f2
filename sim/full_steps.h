/* full_steps.h - lru over a full cache in steps of many lookups, without a branch for hit or miss; part of kernels.c.
 *
 * Where many lookups miss, a branch on whether one does is mispredicted so often that it costs more than all else. So first
 * every line is found, or put in, as if nothing ever left: where it stood in the log before. As many lines as the step has
 * lookups may leave in it at most, so a lookup hits if its line stood behind the oldest so many. The others are gone through
 * in order: one has hit if its line stands behind the oldest that has not left; else it misses, and the oldest line leaves.
 *
 * A step has no more lookups than the cache has lines, so no line leaves in the step that brought it in. */
#ifndef RP_SIM_FULL_STEPS_H
#define RP_SIM_FULL_STEPS_H

#include "sim/full_loop.h"

#include <string.h>

/* a if x is not 0, else b. Left to itself the compiler makes a branch of it. */
RP_INLINE uint64_t
either(uint64_t x, uint64_t a, uint64_t b)
{
#if defined __x86_64__
	__asm__("test %1, %1\n\tcmovz %2, %0" : "+r"(a) : "r"(x), "r"(b) : "cc");
	return a;
#else
	return x ? a : b;
#endif
}

/* Finds a line whose bucket has a chain or no way free, or puts it in, with this word `at`, and dirty if it was: its
 * word before, or 0. */
static uint32_t
steps_find_chained(
    struct rp_full *c, uint32_t b, uint32_t key, uint64_t line, uint32_t at, bool wide)
{
	uint32_t place = full_chained(c, c->bucket[b].chain, line), before = 0;
	if (place == RP_FULL_NONE) {
		place = full_insert(c, b, key, line, at, wide);
	} else {
		before = c->node[place >> 3].at;
		c->node[place >> 3].at = at | (before & 1);
	}
	c->log[before >> 1] = RP_FULL_NONE;
	c->log[at >> 1] = place;
	return before;
}

/* The words `at` of the lines of lookups [from, to), in c->before; new ones are as if none of them had left. */
RP_INLINE void
steps_find(struct rp_full *c, const struct rp_lookups *in, const uint8_t *dirtying, size_t from,
    size_t to, bool wide, bool ahead)
{
	const uint32_t *home = c->home, *keys = c->key;
	const uint64_t *lines = in->line;
	struct rp_bucket *bucket = c->bucket;
	uint32_t *before = c->before, *log = c->log, pos = c->pos, nowhere;
	for (size_t i = from; i < to; i++, pos++) {
		uint32_t b = home[i], key = keys[i], at = pos << 1 | dirtying[i];
		struct rp_bucket *k = &bucket[b];
		if (ahead)
			__builtin_prefetch(&bucket[home[i + RP_FULL_AHEAD]], 1);
		/* Bit 7 of `room`: there is no chain. */
		uint32_t m = full_match(c, b, key, lines[i], wide), room = bucket_match(k->key, 0);
		uint32_t ways = (uint32_t)either(m, m | 0x80, room);
		if (__builtin_expect(ways <= 0x80, 0)) {
			before[i] = steps_find_chained(c, b, key, lines[i], at, wide);
			continue;
		}
		unsigned way = (unsigned)__builtin_ctz(ways);
		uint32_t was = k->at[way];
		before[i] = was;
		k->at[way] = at | (was & 1);
		if (wide)
			c->line[b << 3 | way] = lines[i];
		log[was >> 1] = RP_FULL_NONE;
		log[pos] = b << 3 | way;
		/* Not where it is the same, since the next load of the keys would wait for it. */
		*(uint32_t *)either(m, (uintptr_t)&nowhere, (uintptr_t)&k->key[way]) = key;
	}
}

/* In the log, beside a lookup: its line left, and came back. */
#define STEPS_BACK (UINT32_C(1) << 31)

enum { BLOCK = 16 };

/* Whether a line stood at entry pos before one of so many lookups. */
RP_INLINE bool
is_among(const uint32_t *before, uint32_t pos)
{
	uint32_t any = 0;
	for (unsigned k = 0; k < BLOCK; k++)
		any |= before[k] >> 1 == pos;
	return any;
}

/* The line of lookup i came back, so it is dirty only if it or a lookup that follows writes; those found it as it was. */
static void
steps_clean(struct rp_full *c, const uint8_t *dirtying, size_t i, size_t from, size_t to)
{
	uint32_t *before = c->before;
	for (size_t k = i; !dirtying[k];) {
		uint32_t pos = c->pos + (uint32_t)(k - from);
		for (k++; k + BLOCK <= to && !is_among(before + k, pos);)
			k += BLOCK;
		while (k < to && before[k] >> 1 != pos)
			k++;
		if (k == to) {
			*full_at(c, c->log[pos]) &= ~(uint32_t)1;
			return;
		}
		before[k] &= ~(uint32_t)1;
	}
}

/* The entries that may leave in a step of n lookups, and behind them one that has a place throughout: the step's last. */
RP_INLINE void
steps_foresee(struct rp_full *c, uint32_t n)
{
	uint32_t at = c->oldest;
	full_entries(c->log, &at, UINT32_MAX, c->leaving, n);
	c->leaving[n] = c->pos + n - 1;
}

/* Which of lookups [from, to), whose lines are not among those that may not leave, miss: c->missing, how many. Where their
 * lines stood they are put into the log. */
RP_INLINE uint32_t
steps_sieve(struct rp_full *c, size_t from, size_t to)
{
	uint32_t *before = c->before, n = 0, most = c->leaving[to - from - 1] << 1 | 1;
	memset(before + to, 0xff, 16 * sizeof *before);
	for (size_t i = from; i < to; i += 16)
		n += ways_within16(c->missing + n, before + i, 2, most, (uint32_t)i);
	for (uint32_t k = 0; k < n; k++)
		c->log[before[c->missing[k]] >> 1] = STEPS_BACK | c->missing[k];
	n = 0;
	for (size_t i = from; i < to; i += 16)
		n += ways_within16(c->missing + n, before + i, 0, most, (uint32_t)i);
	return n;
}

/* The line of an entry leaves, for good or to come back: the outcome. */
RP_INLINE uint8_t
steps_leave(
    struct rp_full *c, const struct rp_lookups *in, uint32_t place, uint64_t *restrict victim)
{
	uint32_t at;
	if (__builtin_expect(place & STEPS_BACK, 0)) {
		at = c->before[place & ~STEPS_BACK];
		if (victim)
			*victim = in->line[place & ~STEPS_BACK];
	} else {
		if (victim)
			*victim = full_line(c, place);
		at = full_remove(c, place);
	}
	return (uint8_t)(RP_MISSED | RP_EVICTED | (at & 1) * RP_WROTE_BACK);
}

/* Lookups c->missing, n of them, of [from, to) one by one. */
RP_INLINE void
steps_age(struct rp_full *c, const struct rp_lookups *in, const uint8_t *dirtying, uint32_t n,
    size_t from, size_t to, uint8_t *restrict outcome, uint64_t *restrict victim, bool ahead)
{
	enum { AHEAD = 8 };
	const uint32_t *missing = c->missing, *next = c->leaving;
	uint32_t *log = c->log, *before = c->before, oldest = *next, place = log[oldest];
	size_t hits = 0, returned = 0;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = missing[k], at = before[i] >> 1;
		if (__builtin_expect(at >= oldest, 0)) {
			log[at] = RP_FULL_NONE;
			hits++;
			if (at != oldest)
				continue;
		} else {
			if (ahead)
				__builtin_prefetch(&c->bucket[log[next[AHEAD]] >> 3], 1);
			outcome[i] = steps_leave(c, in, place, victim ? &victim[i] : NULL);
			if (__builtin_expect(at != 0, 0)) {
				returned++;
				if (before[i] & 1)
					steps_clean(c, dirtying, i, from, to);
			}
		}
		do
			place = log[oldest = *++next];
		while (__builtin_expect(place == RP_FULL_NONE, 0));
	}
	/* All that may leave has left before the one behind is the oldest. */
	uint32_t last = c->leaving[to - from - 1];
	c->oldest = oldest <= last ? oldest : last + 1;
	c->missed += n - hits;
	c->returned += returned;
}

RP_INLINE void
full_in_steps(struct rp_full *c, const struct rp_lookups *in, uint8_t *restrict outcome,
    uint64_t *restrict victim, bool wide, bool ahead)
{
	static const uint8_t none[RP_CHUNK];
	const uint8_t *dirtying = c->cache.spec->write == RP_WRITE_BACK ? in->dirty : none;
	memset(outcome, 0, in->n);
	const size_t step = c->lines < RP_FULL_STEP ? c->lines : RP_FULL_STEP;
	c->missed = c->returned = 0;
	for (size_t from = 0, to; from < in->n; from = to) {
		to = in->n - from > step ? from + step : in->n;
		steps_foresee(c, (uint32_t)(to - from));
		steps_find(c, in, dirtying, from, to, wide, ahead);
		uint32_t n = steps_sieve(c, from, to);
		steps_age(c, in, dirtying, n, from, to, outcome, victim, ahead);
		c->pos += (uint32_t)(to - from);
	}
}

#define FULL_STEPS(name, wide, ahead)                                                              \
	static void name(struct rp_full *c, const struct rp_lookups *in,                           \
	    uint8_t *restrict outcome, uint64_t *restrict victim)                                  \
	{                                                                                          \
		full_in_steps(c, in, outcome, victim, wide, ahead);                                \
	}
FULL_STEPS(full_steps, false, false)
FULL_STEPS(full_steps_ahead, false, true)
FULL_STEPS(full_steps_wide, true, false)
FULL_STEPS(full_steps_wide_ahead, true, true)

#endif
