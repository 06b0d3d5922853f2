/* full_steps.h - lru over a full cache in steps of many lookups, without a branch for hit or miss; part of kernels.c.
 *
 * Where many lookups miss, a branch on whether one does is mispredicted so often that it costs more than all else. So first
 * every line is found, or put in, as if nothing ever left: where it stood in the log before. Then, in order, a lookup has
 * hit if that entry is not older than the oldest live one, and each that has not makes the oldest line leave. Lines that
 * left and came back in the same step are put right, and last the others that left are taken out of their buckets.
 *
 * A step has no more lookups than the cache has lines, so no line leaves in the step that brought it in. */
#ifndef RP_SIM_FULL_STEPS_H
#define RP_SIM_FULL_STEPS_H

#include "sim/full_find.h"
#include "sim/kernels.h"

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
	if (place == FULL_NONE) {
		place = full_insert(c, b, key, line, at, wide);
	} else {
		before = c->node[place >> 3].at;
		c->node[place >> 3].at = at | (before & 1);
	}
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
	uint32_t *before = c->before, *log = c->log, pos = c->pos;
	for (size_t i = from; i < to; i++, pos++) {
		uint32_t b = home[i], key = keys[i], at = pos << 1 | dirtying[i];
		struct rp_bucket *k = &bucket[b];
		if (ahead)
			__builtin_prefetch(&bucket[home[i + RP_FULL_AHEAD]], 1);
		uint32_t m = full_match(c, b, key, lines[i], wide),
			 old = (uint32_t)either(m, UINT32_MAX, 0);
		uint32_t room = k->chain ? 0 : ~k->valid & ((1 << RP_BUCKET_WAYS) - 1);
		uint32_t ways = (uint32_t)either(m, m, room);
		if (__builtin_expect(!ways, 0)) {
			before[i] = steps_find_chained(c, b, key, lines[i], at, wide);
			continue;
		}
		unsigned way = (unsigned)__builtin_ctz(ways);
		uint32_t was = k->at[way] & old;
		before[i] = was;
		k->at[way] = at | (was & 1);
		if (wide)
			c->line[b << 3 | way] = lines[i];
		log[pos] = b << 3 | way;
		bucket_put(k->key, way, key, k->valid | UINT32_C(1) << way);
	}
}

/* What a step did. */
struct step {
	size_t left, back; /* so many of c->left, of c->back */
};

/* Which of lookups [from, to) miss: c->left and c->back. `here` is the word of `live` with the oldest live
 * entry, as it is at the lookup in hand. */
static struct step
steps_age(struct rp_full *c, size_t from, size_t to)
{
	const uint32_t *before = c->before;
	uint64_t *live = c->live, *left = c->left;
	uint32_t word = c->oldest, *back = c->back;
	struct step s = { 0, 0 };
	while (!live[word])
		word++;
	uint64_t here = live[word];
	for (size_t i = from; i < to; i++) {
		uint32_t at = before[i] >> 1, in = at / 64;
		uint64_t mine = (uint64_t)(in == word) << at % 64;
		/* Any bit does for a line of a later word. */
		uint64_t hit = here & (mine - (uint64_t)(in > word)), miss = !hit;
		live[in] &= ~(UINT64_C(1) << at % 64);
		left[s.left] = (uint64_t)i << 32 | (word * 64 + (uint32_t)__builtin_ctzll(here));
		s.left += miss;
		back[s.back] = (uint32_t)i;
		s.back += (at != 0) & miss;
		here = either(hit, here & ~mine, here & (here - 1));
		if (__builtin_expect(!here, 0)) {
			live[word] = 0;
			while (!live[word])
				word++;
			here = live[word];
		}
	}
	live[word] = here;
	c->oldest = word;
	return s;
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

/* Marks the lines that came back in the log. */
static void
steps_return(
    struct rp_full *c, const uint8_t *dirtying, const struct step *s, size_t from, size_t to)
{
	for (size_t k = 0; k < s->back; k++) {
		uint32_t i = c->back[k], was = c->before[i];
		c->log[was >> 1] = STEPS_BACK | i;
		if (was & 1)
			steps_clean(c, dirtying, i, from, to);
	}
}

/* Takes the lines of c->left out, but for those that came back. victim: by lookup, or NULL. */
RP_INLINE void
steps_leave(struct rp_full *c, const struct rp_lookups *in, size_t n, uint8_t *restrict outcome,
    uint64_t *restrict victim, bool ahead)
{
	enum { AHEAD = 8 };
	const uint32_t *log = c->log;
	const uint64_t *left = c->left;
	for (size_t k = 0; k < n; k++) {
		uint32_t place = log[(uint32_t)left[k]], by = (uint32_t)(left[k] >> 32), at;
		if (ahead && k + AHEAD < n)
			__builtin_prefetch(&c->bucket[log[(uint32_t)left[k + AHEAD]] >> 3], 1);
		if (__builtin_expect(place & STEPS_BACK, 0)) {
			at = c->before[place & ~STEPS_BACK];
			if (victim)
				victim[by] = in->line[place & ~STEPS_BACK];
		} else {
			at = *full_at(c, place);
			if (victim)
				victim[by] = full_line(c, place);
			full_remove(c, place);
		}
		outcome[by] = (uint8_t)(RP_MISSED | RP_EVICTED | (at & 1) * RP_WROTE_BACK);
	}
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
		steps_find(c, in, dirtying, from, to, wide, ahead);
		struct step s = steps_age(c, from, to);
		steps_return(c, dirtying, &s, from, to);
		steps_leave(c, in, s.left, outcome, victim, ahead);
		c->pos += (uint32_t)(to - from);
		c->missed += s.left;
		c->returned += s.back;
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
