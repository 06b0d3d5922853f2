/* lists_kernels.c - the loops over small sets of lfu, sieve, s3fifo and arc (sim/lists.h): compiled once for each level of
 * the instruction set, as kernels.c is. */
#include "config.h"

#include "sim/kernels.h"
#include "sim/lists.h"
#include "sim/policy/arc.h"
#include "sim/policy/lfu.h"
#include "sim/sets_loop.h"
#include "sim/ways.h"

/* a where miss is 1, b where it is 0, without a branch. */
RP_INLINE uint64_t
choose(uint64_t miss, uint64_t a, uint64_t b)
{
	return b ^ ((a ^ b) & -miss);
}

/* ---- Queues in a word ---- */

#define QUEUE_ONES UINT64_C(0x1111111111111111)
#define QUEUE_ALL  UINT64_C(0xfedcba9876543210) /* the ways in order of number */

/* Bits up to and with the top one of the way's first place. */
RP_INLINE uint64_t
queue_upto(uint64_t queue, unsigned way)
{
	uint64_t y = queue ^ way * QUEUE_ONES, z = (y - QUEUE_ONES) & ~y & QUEUE_ONES << 3;
	return z ^ (z - 1);
}

/* Moves a way that is there to the front. */
RP_INLINE uint64_t
queue_first(uint64_t queue, unsigned way)
{
	uint64_t upto = queue_upto(queue, way);
	return (queue & ~upto) | (queue << 4 & upto) | way;
}

RP_INLINE uint64_t
queue_without(uint64_t queue, unsigned way)
{
	uint64_t below = queue_upto(queue, way) >> 4;
	return (queue & below) | (queue >> 4 & ~below);
}

RP_INLINE unsigned
queue_last(uint64_t queue, unsigned n)
{
	return queue >> 4 * (n - 1) & 15;
}

/* What every loop does for a lookup before its own step. */
RP_INLINE void
lists_prefetch(
    const struct rp_lists *c, const struct loop *l, size_t i, unsigned lanes, size_t size)
{
	const char *state = (const char *)c->state + l->set[i + RP_AHEAD] * size;
	prefetch_set(l, i + RP_AHEAD, lanes);
	for (size_t at = 0; at < size; at += 64)
		__builtin_prefetch(state + at, 1);
}

RP_INLINE bool
lists_no_write(const struct rp_lists *c)
{
	return c->sets.cache.spec->allocate == RP_ALLOCATE_NO_WRITE;
}

/* Puts the line of lookup i into a way, which is empty or whose line goes: the outcome. */
RP_INLINE uint8_t
lists_put(const struct loop *l, size_t i, unsigned way, bool wide, unsigned lanes, uint64_t *victim)
{
	uint32_t s = l->set[i];
	unsigned char *set = l->keys + s * l->stride;
	uint64_t d = dirty_get(l, s, lanes), old = ways_key(set, way, wide);
	if (victim)
		victim[i] = (old - 1) * l->sets + s;
	ways_put(set, way, l->key[i], wide);
	dirty_set(l, s, lanes, (d & ~(UINT64_C(1) << way)) | (uint64_t)l->dirtying[i] << way);
	return (uint8_t)(RP_MISSED | (old != 0) << 1 | (d >> way & 1) << 2);
}

/* ---- lfu ---- */

/* A use of a way, which then has c uses, is the same step for a hit and a miss: it goes in front of all ways with as many
 * uses or fewer. Those with more are counted, so nothing depends on where the way goes but its place. */
RP_INLINE void
lists_lfu(struct rp_lists *c, const struct rp_lookups *in, uint8_t *restrict outcome,
    uint64_t *restrict victim, bool wide, unsigned lanes)
{
	const struct loop l = loop_over(&c->sets, in, wide, lanes);
	const bool no_write = lists_no_write(c), ahead = c->ahead;
	struct rp_lfu_set *restrict state = c->state;
	uint64_t *restrict order = c->order;
	for (size_t i = 0; i < l.n; i++) {
		uint32_t s = l.set[i];
		uint64_t key = l.key[i], w = l.dirtying[i];
		unsigned char *set = l.keys + s * l.stride;
		int32_t *uses = state[s].uses;
		if (ahead)
			lists_prefetch(c, &l, i, lanes, sizeof *state);
		uint64_t d = dirty_get(&l, s, lanes), m = ways_match(set, key, wide, lanes);
		uint64_t miss = !m, o = order[s] ? order[s] : QUEUE_ALL;
		if (no_write && (miss & l.store[i])) {
			outcome[i] = RP_MISSED | RP_NO_FILL;
			continue;
		}
		__asm__("" : "+r"(miss)); /* else compilers see what miss is, and branch */
		uint64_t to = m | miss << queue_last(o, l.ways);
		unsigned way = (unsigned)__builtin_ctzll(to);
		int32_t now = uses[way];
		now += now < RP_LFU_USES;
		now = (int32_t)choose(miss, 1, (uint32_t)now);
		uint64_t more = ways_above(uses, now, lanes) & ~to;
		unsigned at = 4 * (unsigned)__builtin_popcountll(more);
		uint64_t move = queue_upto(o, way) & ~((UINT64_C(1) << at) - 1);
		order[s] =
		    (o & ~move) | (o << 4 & move & ~(UINT64_C(15) << at)) | (uint64_t)way << at;
		uses[way] = now;
		uint64_t old = ways_key(set, way, wide), full = old != 0;
		ways_put(set, way, choose(miss, key, old), wide);
		if (victim)
			victim[i] = (old - 1) * l.sets + s;
		dirty_set(&l, s, lanes, (d & ~(to & -miss)) | (to & -w));
		outcome[i] = (uint8_t)((1 | full << 1 | (d >> way & 1) << 2) & -miss);
	}
}

/* ---- sieve ---- */

/* The place whose line goes, in a full set: the last one up to the hand that has no mark, or, if all have, behind the hand.
 * Marks that the hand passes go. */
RP_INLINE unsigned
sieve_pick(uint64_t *used, uint64_t hand, unsigned ways)
{
	uint64_t all = UINT64_MAX >> (64 - ways), upto = all >> ((ways - hand) & -(hand != 0));
	uint64_t here = ~*used & upto, kept = here ? *used : *used & ~upto;
	uint64_t from = here ? here : ~kept & all;
	unsigned k = 63 - (unsigned)__builtin_clzll(from);
	uint64_t passed = (here ? upto : all) & ~(UINT64_MAX >> (63 - k));
	*used = kept & ~passed;
	return k;
}

RP_INLINE void
lists_sieve(struct rp_lists *c, const struct rp_lookups *in, uint8_t *restrict outcome,
    uint64_t *restrict victim, bool wide, unsigned lanes)
{
	const struct loop l = loop_over(&c->sets, in, wide, lanes);
	const bool no_write = lists_no_write(c), ahead = c->ahead;
	struct rp_sieve_set *restrict state = c->state;
	for (size_t i = 0; i < l.n; i++) {
		uint32_t s = l.set[i];
		uint64_t key = l.key[i], w = l.dirtying[i];
		unsigned char *set = l.keys + s * l.stride;
		if (ahead)
			lists_prefetch(c, &l, i, lanes, sizeof *state);
		uint64_t d = dirty_get(&l, s, lanes), m = ways_match(set, key, wide, lanes);
		uint64_t miss = !m, used = state[s].used, hand = state[s].hand, then = used;
		if (no_write && (miss & l.store[i])) {
			outcome[i] = RP_MISSED | RP_NO_FILL;
			continue;
		}
		__asm__("" : "+r"(miss)); /* else compilers see what miss is, and branch */
		uint64_t full = ways_key(set, l.ways - 1, wide) != 0, next;
		unsigned k;
		if (__builtin_expect(full, 1)) {
			k = sieve_pick(&then, hand, l.ways);
			next = k ? k + 1 : 0; /* the one before it, which moves to its place */
		} else {
			k = (unsigned)__builtin_ctzll(ways_match(set, 0, wide, lanes));
			next = hand + (hand != 0);
		}
		/* On a hit nothing moves and the line gets its mark. */
		uint64_t move = (UINT64_MAX >> (63 - k)) & -miss;
		then = choose(miss, then, used | m);
		if (victim)
			victim[i] = (ways_key(set, k, wide) - 1) * l.sets + s;
		outcome[i] = (uint8_t)((1 | full << 1 | (d >> k & 1) << 2) & -miss);
		state[s].used = (then & ~move) | (then << 1 & move);
		state[s].hand = choose(miss, next, hand);
		ways_rotate(set, key, wide, lanes, (int)((k + 1) & -(unsigned)miss) - 1);
		dirty_set(&l, s, lanes, (d & ~move) | (d << 1 & move) | (m & -w) | (miss & w));
	}
}

/* ---- s3fifo ---- */

RP_INLINE void
s3fifo_remember(struct rp_s3fifo_set *q, uint64_t key, uint32_t most)
{
	if (!most)
		return;
	ways_rotate(q->ghost, key, true, RP_LISTS_WAYS, (int)most - 1);
	q->n_ghost = (uint8_t)(q->n_ghost + (q->n_ghost < most));
}

/* Whether it was remembered, and is not any more. */
RP_INLINE bool
s3fifo_recall(struct rp_s3fifo_set *q, uint64_t key)
{
	uint64_t m = ways_match(q->ghost, key, true, RP_LISTS_WAYS);
	if (!m)
		return false;
	q->n_ghost--;
	for (unsigned i = (unsigned)__builtin_ctzll(m); i < RP_LISTS_WAYS - 1; i++)
		q->ghost[i] = q->ghost[i + 1];
	return true;
}

/* The way to replace in a full set (sim/policy/s3fifo.c). */
RP_INLINE unsigned
s3fifo_pick(struct rp_s3fifo_set *q, const struct rp_lists *c, const unsigned char *set, bool wide)
{
	if (q->n_small >= c->small_least)
		while (q->n_small) {
			unsigned way = queue_last(q->small, q->n_small--);
			if ((q->uses >> 2 * way & 3) < c->hits) {
				s3fifo_remember(q, ways_key(set, way, wide), c->ghosts);
				return way;
			}
			q->uses &= ~(UINT32_C(3) << 2 * way);
			q->main = q->main << 4 | way;
			q->n_main++;
		}
	for (;;) {
		unsigned way = queue_last(q->main, q->n_main);
		if (!(q->uses >> 2 * way & 3)) {
			q->n_main--;
			return way;
		}
		q->uses -= UINT32_C(1) << 2 * way;
		q->main = q->main << 4 | way;
	}
}

RP_INLINE void
lists_s3fifo(struct rp_lists *c, const struct rp_lookups *in, uint8_t *restrict outcome,
    uint64_t *restrict victim, bool wide, unsigned lanes)
{
	const struct loop l = loop_over(&c->sets, in, wide, lanes);
	const bool no_write = lists_no_write(c), ahead = c->ahead;
	const uint64_t all = UINT64_MAX >> (64 - l.ways);
	struct rp_s3fifo_set *restrict state = c->state;
	for (size_t i = 0; i < l.n; i++) {
		uint32_t s = l.set[i];
		uint64_t key = l.key[i], w = l.dirtying[i];
		unsigned char *set = l.keys + s * l.stride;
		struct rp_s3fifo_set *q = &state[s];
		if (ahead)
			lists_prefetch(c, &l, i, lanes, sizeof *state);
		uint64_t m = ways_match(set, key, wide, lanes);
		if (m) {
			unsigned way = (unsigned)__builtin_ctzll(m);
			uint32_t uses = q->uses >> 2 * way & 3;
			q->uses += (uint32_t)(uses < 3) << 2 * way;
			if (w)
				dirty_set(&l, s, lanes, dirty_get(&l, s, lanes) | m);
			outcome[i] = 0;
			continue;
		}
		if (no_write && l.store[i]) {
			outcome[i] = RP_MISSED | RP_NO_FILL;
			continue;
		}
		bool full = (unsigned)(q->n_small + q->n_main) == l.ways;
		unsigned way =
		    full ? s3fifo_pick(q, c, set, wide)
			 : (unsigned)__builtin_ctzll(ways_match(set, 0, wide, lanes) & all);
		q->uses &= ~(UINT32_C(3) << 2 * way);
		if (s3fifo_recall(q, key)) {
			q->main = q->main << 4 | way;
			q->n_main++;
		} else {
			q->small = q->small << 4 | way;
			q->n_small++;
		}
		outcome[i] = lists_put(&l, i, way, wide, lanes, victim);
	}
}

/* ---- arc ---- */

RP_INLINE void
arc_push(struct rp_arc_set *a, unsigned list, unsigned x)
{
	a->list[list] = a->list[list] << 4 | x;
	a->n[list]++;
}

/* The last of a list that is not empty, out of it. */
RP_INLINE unsigned
arc_pop(struct rp_arc_set *a, unsigned list)
{
	return queue_last(a->list[list], a->n[list]--);
}

/* T1 or T2's way is used: it goes to the front of T2. */
RP_INLINE void
arc_hit(struct rp_arc_set *a, unsigned way)
{
	if (a->in_t2 >> way & 1) {
		a->list[RP_ARC_T2] = queue_first(a->list[RP_ARC_T2], way);
		return;
	}
	a->list[RP_ARC_T1] = queue_without(a->list[RP_ARC_T1], way);
	a->n[RP_ARC_T1]--;
	a->in_t2 |= (uint16_t)(1u << way);
	arc_push(a, RP_ARC_T2, way);
}

/* Which list the line goes to; *ghost: the list it was remembered in, 0 if in none. */
RP_INLINE unsigned
arc_case(struct rp_arc_set *a, uint64_t key, unsigned ways, unsigned *ghost)
{
	uint64_t m = ways_match(a->ghost, key, true, RP_LISTS_WAYS);
	*ghost = 0;
	if (m) {
		unsigned slot = (unsigned)__builtin_ctzll(m);
		bool in_b2 = a->in_b2 >> slot & 1;
		*ghost = in_b2 ? RP_ARC_B2 : RP_ARC_B1;
		a->p = rp_arc_adapted(
		    a->p, in_b2, a->n[RP_ARC_B1], a->n[RP_ARC_B2], RP_ARC_PART, ways);
		a->list[*ghost] = queue_without(a->list[*ghost], slot);
		a->n[*ghost]--;
		a->ghost[slot] = 0;
		return RP_ARC_T2;
	}
	unsigned l1 = (unsigned)a->n[RP_ARC_T1] + a->n[RP_ARC_B1],
		 l2 = (unsigned)a->n[RP_ARC_T2] + a->n[RP_ARC_B2];
	if (l1 == ways) {
		if (a->n[RP_ARC_B1])
			a->ghost[arc_pop(a, RP_ARC_B1)] = 0;
	} else if (l1 + l2 == 2 * ways) {
		a->ghost[arc_pop(a, RP_ARC_B2)] = 0;
	}
	return RP_ARC_T1;
}

/* REPLACE of the source. */
RP_INLINE unsigned
arc_replace(struct rp_arc_set *a, unsigned ghost, const unsigned char *set, bool wide)
{
	uint64_t t1 = a->n[RP_ARC_T1] * RP_ARC_PART;
	bool first = t1 && (t1 > a->p || (ghost == RP_ARC_B2 && t1 == a->p));
	unsigned way = arc_pop(a, first ? RP_ARC_T1 : RP_ARC_T2);
	uint64_t free = ways_match(a->ghost, 0, true, RP_LISTS_WAYS);
	unsigned slot = (unsigned)__builtin_ctzll(free);
	a->ghost[slot] = ways_key(set, way, wide);
	a->in_b2 = (uint16_t)((a->in_b2 & ~(1u << slot)) | (unsigned)!first << slot);
	arc_push(a, first ? RP_ARC_B1 : RP_ARC_B2, slot);
	return way;
}

/* A way for a new line, and the list that it goes to. */
RP_INLINE unsigned
arc_pick(struct rp_arc_set *a, uint64_t key, const unsigned char *set, bool wide, unsigned lanes,
    unsigned ways, unsigned *list)
{
	unsigned ghost, t1 = a->n[RP_ARC_T1];
	bool full = t1 + a->n[RP_ARC_T2] == ways;
	*list = arc_case(a, key, ways, &ghost);
	if (!full)
		return (unsigned)__builtin_ctzll(
		    ways_match(set, 0, wide, lanes) & UINT64_MAX >> (64 - ways));
	if (t1 == ways && !ghost)
		return arc_pop(a, RP_ARC_T1);
	return arc_replace(a, ghost, set, wide);
}

RP_INLINE void
lists_arc(struct rp_lists *c, const struct rp_lookups *in, uint8_t *restrict outcome,
    uint64_t *restrict victim, bool wide, unsigned lanes)
{
	const struct loop l = loop_over(&c->sets, in, wide, lanes);
	const bool no_write = lists_no_write(c), ahead = c->ahead;
	struct rp_arc_set *restrict state = c->state;
	for (size_t i = 0; i < l.n; i++) {
		uint32_t s = l.set[i];
		uint64_t key = l.key[i], w = l.dirtying[i];
		unsigned char *set = l.keys + s * l.stride;
		struct rp_arc_set *a = &state[s];
		if (ahead)
			lists_prefetch(c, &l, i, lanes, sizeof *state);
		uint64_t m = ways_match(set, key, wide, lanes);
		if (m) {
			arc_hit(a, (unsigned)__builtin_ctzll(m));
			if (w)
				dirty_set(&l, s, lanes, dirty_get(&l, s, lanes) | m);
			outcome[i] = 0;
			continue;
		}
		if (no_write && l.store[i]) {
			outcome[i] = RP_MISSED | RP_NO_FILL;
			continue;
		}
		unsigned list, way = arc_pick(a, key, set, wide, lanes, l.ways, &list);
		a->in_t2 = (uint16_t)((a->in_t2 & ~(1u << way)) | (list == RP_ARC_T2) << way);
		arc_push(a, list, way);
		outcome[i] = lists_put(&l, i, way, wide, lanes, victim);
	}
}

#define LISTS_RUN(name, ...)                                                                       \
	static void name(struct rp_lists *c, const struct rp_lookups *in,                          \
	    uint8_t *restrict outcome, uint64_t *restrict victim)                                  \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
	}
#define LISTS_RUNS(policy)                                                                         \
	LISTS_RUN(policy##_8_32, lists_##policy(c, in, outcome, victim, false, 8))                 \
	LISTS_RUN(policy##_8_64, lists_##policy(c, in, outcome, victim, true, 8))                  \
	LISTS_RUN(policy##_16_32, lists_##policy(c, in, outcome, victim, false, 16))               \
	LISTS_RUN(policy##_16_64, lists_##policy(c, in, outcome, victim, true, 16))
LISTS_RUNS(lfu)
LISTS_RUNS(sieve)
LISTS_RUNS(s3fifo)
LISTS_RUNS(arc)
LISTS_RUN(sieve_more_32, lists_sieve(c, in, outcome, victim, false, c->sets.lanes))
LISTS_RUN(sieve_more_64, lists_sieve(c, in, outcome, victim, true, c->sets.lanes))

#define TABLE(policy, more32, more64)                                                              \
	{                                                                                          \
		{ policy##_8_32, policy##_16_32, more32 },                                         \
		{                                                                                  \
			policy##_8_64, policy##_16_64, more64                                      \
		}                                                                                  \
	}

extern const struct rp_lists_kernels RP_KERNELS_PART(lists);
const struct rp_lists_kernels RP_KERNELS_PART(lists) = {
	.run = { [RP_LISTS_LFU] = TABLE(lfu, NULL, NULL),
	    [RP_LISTS_SIEVE] = TABLE(sieve, sieve_more_32, sieve_more_64),
	    [RP_LISTS_S3FIFO] = TABLE(s3fifo, NULL, NULL),
	    [RP_LISTS_ARC] = TABLE(arc, NULL, NULL) },
};
