/* full_loop.h - the loop over a fully associative cache (sim/full.h); part of kernels.c. */
#ifndef RP_SIM_FULL_LOOP_H
#define RP_SIM_FULL_LOOP_H

#include "sim/full_find.h"
#include "sim/kernels.h"

/* Bucket and key of each lookup; all bits of the tags and 1 more each. What lies behind the last one is prepared too, and
 * only prefetched. */
static uint64_t
full_prepare(struct rp_full *c, const struct rp_lookups *in)
{
	uint64_t all = 0;
	unsigned bits = c->bits;
	for (size_t i = 0; i < in->n; i += RP_BLOCK) {
		const uint64_t *line = in->line + i;
		uint32_t *restrict home = c->home + i, *restrict keys = c->key + i;
		for (size_t j = 0; j < RP_BLOCK; j++) {
			uint64_t tag = line[j] >> bits;
			uint32_t key = full_key(tag);
			all |= tag + 1;
			keys[j] = key;
			home[j] = full_home(line[j], key, bits);
		}
	}
	return all;
}

/* Numbers of the entries from *at on that have a place, about `want` of them or all up to `end`, in out, which has room for
 * 16 more: how many. *at goes on behind them. */
RP_INLINE uint32_t
full_entries(const uint32_t *log, uint32_t *at, uint32_t end, uint32_t *out, uint32_t want)
{
	uint32_t n = 0;
	for (; *at < end && n < want; *at += 16)
		n += ways_within16(out + n, log + *at, 0, RP_FULL_NONE - 1, *at);
	return n;
}

/* Copies the entries that have a place to the front of the log. */
static void
full_compact(struct rp_full *c)
{
	uint32_t to = RP_FULL_LOG_FIRST, from[512 + 16], *log = c->log;
	for (uint32_t i = 0; i < 16; i++)
		log[c->pos + i] = RP_FULL_NONE;
	while (c->oldest < c->pos) {
		uint32_t n = full_entries(log, &c->oldest, c->pos, from, 512);
		for (uint32_t k = 0; k < n; k++) {
			uint32_t place = log[from[k]], *at = full_at(c, place);
			*at = to << 1 | (*at & 1);
			log[to++] = place;
		}
	}
	c->pos = to;
	c->oldest = RP_FULL_LOG_FIRST;
}

/* The state that every miss changes, in locals of the loop. */
struct full_state {
	uint32_t count, oldest;
	size_t missed;
	struct rp_rng rng;
};

/* A place in the order for a new line, and what it replaces: the outcome; *at is where it will stand in the log, *left,
 * unless NULL, the line replaced. */
RP_INLINE uint8_t
full_make_room(
    struct rp_full *c, struct full_state *s, bool random, bool ahead, uint32_t *at, uint64_t *left)
{
	s->missed++;
	if (__builtin_expect(s->count < c->lines, 0)) {
		s->count++;
		if (random) {
			while (c->log[s->oldest])
				s->oldest++;
			*at = s->oldest;
		}
		return RP_MISSED;
	}
	uint32_t victim;
	if (random) {
		*at = (uint32_t)rp_rng_below(&s->rng, c->lines);
		victim = c->log[*at] - 1;
	} else {
		s->oldest += ways_first_other(c->log + s->oldest, RP_FULL_NONE);
		victim = c->log[s->oldest++];
		if (ahead) /* its bucket will be written soon */
			__builtin_prefetch(&c->bucket[c->log[s->oldest] >> 3], 1);
	}
	if (left)
		*left = full_line(c, victim);
	return (uint8_t)(RP_MISSED | RP_EVICTED | full_remove(c, victim) << 2);
}

/* `order` is a constant. The log has room for the chunk (full.c). */
RP_INLINE void
full_loop(struct rp_full *c, const struct rp_lookups *in, uint8_t *restrict outcome,
    uint64_t *restrict victim, enum rp_full_order order, bool wide, bool ahead)
{
	bool lru = order == RP_FULL_LRU, random = order == RP_FULL_RANDOM;
	static const uint8_t none[RP_CHUNK];
	bool no_write = c->cache.spec->allocate == RP_ALLOCATE_NO_WRITE;
	const uint8_t *dirtying = c->cache.spec->write == RP_WRITE_BACK ? in->dirty : none,
		      *store = in->store;
	const uint32_t *home = c->home, *keys = c->key;
	struct full_state s = { c->count, c->oldest, 0, c->rng };
	const uint64_t *lines = in->line;
	struct rp_bucket *bucket = c->bucket;
	uint32_t *log = c->log, pos = c->pos;
	for (size_t i = 0, n = in->n; i < n; i++) {
		uint32_t b = home[i], key = keys[i], w = dirtying[i], place = RP_FULL_NONE;
		struct rp_bucket *k = &bucket[b];
		if (ahead)
			__builtin_prefetch(&bucket[home[i + RP_FULL_AHEAD]], 1);
		uint32_t m = full_match(c, b, key, lines[i], wide);
		if (m) {
			unsigned way = (unsigned)__builtin_ctz(m);
			uint32_t at = k->at[way];
			outcome[i] = 0;
			if (!lru) {
				k->at[way] = at | w;
				continue;
			}
			k->at[way] = pos << 1 | (at & 1) | w;
			log[at >> 1] = RP_FULL_NONE;
			log[pos++] = b << 3 | way;
			continue;
		}
		if (k->chain && (place = full_chained(c, k->chain, lines[i])) != RP_FULL_NONE) {
			struct rp_node *node = &c->node[place >> 3];
			uint32_t at = node->at;
			outcome[i] = 0;
			node->at = (lru ? pos << 1 | (at & 1) : at) | w;
			if (!lru)
				continue;
			log[at >> 1] = RP_FULL_NONE;
			log[pos++] = place;
			continue;
		}
		if (no_write && store[i]) {
			outcome[i] = RP_MISSED | RP_NO_FILL;
			continue;
		}
		uint32_t at = pos;
		outcome[i] = full_make_room(c, &s, random, ahead, &at, victim ? &victim[i] : NULL);
		place = full_insert(c, b, key, lines[i], at << 1 | w, wide);
		if (random)
			log[at] = place + 1;
		else
			log[pos++] = place;
	}
	c->pos = pos;
	c->count = s.count;
	c->oldest = s.oldest;
	c->rng = s.rng;
	c->missed = s.missed;
	c->returned = 0;
}

#define FULL_RUN(name, order, wide, ahead)                                                         \
	static void name(struct rp_full *c, const struct rp_lookups *in,                           \
	    uint8_t *restrict outcome, uint64_t *restrict victim)                                  \
	{                                                                                          \
		full_loop(c, in, outcome, victim, order, wide, ahead);                             \
	}
#define FULL_RUNS(name, order)                                                                     \
	FULL_RUN(name, order, false, false)                                                        \
	FULL_RUN(name##_ahead, order, false, true)                                                 \
	FULL_RUN(name##_wide, order, true, false)                                                  \
	FULL_RUN(name##_wide_ahead, order, true, true)
FULL_RUNS(full_lru, RP_FULL_LRU)
FULL_RUNS(full_fifo, RP_FULL_FIFO)
FULL_RUNS(full_random, RP_FULL_RANDOM)

#define FULL_TABLE(name)                                                                           \
	{                                                                                          \
		{ name, name##_ahead }, { name##_wide, name##_wide_ahead }                         \
	}

#endif
