/* queues_kernels.c - the loops over one set of many lines of lfu, sieve, s3fifo and arc (sim/queues.h): compiled once for
 * each level of the instruction set, as kernels.c is. */
#include "config.h"

#include "sim/full_find.h"
#include "sim/kernels.h"
#include "sim/policy/arc.h"
#include "sim/policy/lfu.h"
#include "sim/queues.h"

/* The word `at` of a place in a queue. */
RP_INLINE uint32_t
queue_at(uint32_t at, unsigned queue)
{
	return at << RP_QUEUE_AT_SHIFT | queue << RP_QUEUE_SHIFT;
}

/* A line that is there is used: its word. `now`: number of the lookup. */
typedef uint32_t queues_use(struct rp_queues *q, uint32_t place, uint32_t at, uint64_t now);

/* A miss. */
struct queues_miss {
	uint32_t
	    ghost; /* place where the line is remembered, or RP_FULL_NONE; it may be forgotten on the way */
	uint64_t *left; /* where the line that leaves is told, or NULL; if `full` */
	bool full, dirty;
};

RP_INLINE void
queues_tell(const struct rp_queues *q, const struct queues_miss *m, uint32_t place)
{
	if (m->left)
		*m->left = full_line(&q->full, place);
}

/* Takes a line out of a full cache; the queue to which the new one goes, with its place still unknown. */
typedef unsigned queues_make_room(struct rp_queues *q, struct queues_miss *m);

/* Takes the first entry out of a log that is not empty: its place. */
RP_INLINE uint32_t
log_pop(struct rp_log *l)
{
	uint32_t at = log_first(l);
	log_take(l, at);
	return l->place[at];
}

/* The line of a place leaves for good. */
RP_INLINE void
queues_leave(struct rp_queues *q, struct queues_miss *m, uint32_t place)
{
	queues_tell(q, m, place);
	m->dirty = full_remove(&q->full, place);
}

/* It leaves and is remembered. */
RP_INLINE void
queues_haunt(struct rp_queues *q, struct queues_miss *m, uint32_t place, unsigned ghosts)
{
	uint32_t *at = full_at(&q->full, place);
	queues_tell(q, m, place);
	m->dirty = *at & RP_FULL_DIRTY;
	*at = queue_at(log_push(&q->log[ghosts], place), ghosts);
}

/* The bucket of a place that may go next will be written soon. */
RP_INLINE void
queues_prefetch(const struct rp_queues *q, uint32_t place)
{
	__builtin_prefetch(&q->full.bucket[place >> 3], 1);
}

/* ---- lfu ---- */

RP_INLINE uint32_t
lfu_use(struct rp_queues *q, uint32_t place, uint32_t at, uint64_t now)
{
	unsigned level = at >> RP_QUEUE_SHIFT & 15;
	if (!level) {
		struct rp_lfu_line *line = &q->high[at >> RP_QUEUE_AT_SHIFT];
		line->uses += line->uses < RP_LFU_USES;
		line->last = now;
		return at;
	}
	log_take(&q->log[level], at >> RP_QUEUE_AT_SHIFT);
	level += RP_LFU_STEP;
	if (level == RP_QUEUES)
		return queue_at(rp_queues_raise(q, place, RP_QUEUES / RP_LFU_STEP, now), 0) |
		       (at & RP_FULL_DIRTY);
	return queue_at(log_push(&q->log[level], place), level) | (at & RP_FULL_DIRTY);
}

RP_INLINE unsigned
lfu_make_room(struct rp_queues *q, struct queues_miss *m)
{
	unsigned level = RP_LFU_STEP;
	while (m->full && level < RP_QUEUES && !q->log[level].n)
		level += RP_LFU_STEP;
	if (m->full)
		queues_leave(
		    q, m, level < RP_QUEUES ? log_pop(&q->log[level]) : rp_queues_lowest(q));
	return RP_LFU_STEP;
}

/* ---- sieve ---- */

RP_INLINE uint32_t
sieve_use(struct rp_queues *q, uint32_t place, uint32_t at, uint64_t now)
{
	(void)q, (void)place, (void)now;
	return at | RP_QUEUE_MARK;
}

/* The hand goes on to the next line without a mark, round the end if it has to, and takes the marks of those it passes. */
RP_INLINE unsigned
sieve_make_room(struct rp_queues *q, struct queues_miss *m)
{
	struct rp_log *l = &q->log[0];
	uint32_t hand = q->hand, place;
	if (!m->full)
		return 0;
	for (;; hand = log_around(l, hand + 1)) {
		place = l->place[hand & l->mask];
		uint32_t *at = full_at(&q->full, place);
		if (!(*at & RP_QUEUE_MARK))
			break;
		*at &= ~(uint32_t)RP_QUEUE_MARK;
	}
	log_take(l, hand & l->mask);
	q->hand = log_around(l, hand + 1);
	queues_prefetch(q, l->place[q->hand & l->mask]);
	queues_leave(q, m, place);
	return 0;
}

/* ---- s3fifo (sim/policy/s3fifo.c) ---- */

RP_INLINE unsigned
s3fifo_uses(uint32_t at)
{
	return at >> RP_QUEUE_USES_SHIFT & 3;
}

RP_INLINE uint32_t
s3fifo_use(struct rp_queues *q, uint32_t place, uint32_t at, uint64_t now)
{
	(void)q, (void)place, (void)now;
	return at + ((uint32_t)(s3fifo_uses(at) < 3) << RP_QUEUE_USES_SHIFT);
}

/* A line goes to the front of the main queue, with so many uses. */
RP_INLINE void
s3fifo_renew(struct rp_queues *q, uint32_t place, uint32_t *at, unsigned uses)
{
	*at = queue_at(log_push(&q->log[RP_QUEUE_MAIN], place), RP_QUEUE_MAIN) |
	      uses << RP_QUEUE_USES_SHIFT | (*at & RP_FULL_DIRTY);
}

RP_INLINE void
s3fifo_remember(struct rp_queues *q, struct queues_miss *m, uint32_t place)
{
	struct rp_log *ghosts = &q->log[RP_QUEUE_SMALL_GHOST];
	if (!q->ghosts) {
		queues_leave(q, m, place);
		return;
	}
	if (ghosts->n == q->ghosts) {
		uint32_t forgotten = log_pop(ghosts);
		full_remove(&q->full, forgotten);
		m->ghost = m->ghost == forgotten ? RP_FULL_NONE : m->ghost;
	}
	queues_haunt(q, m, place, RP_QUEUE_SMALL_GHOST);
}

static void
s3fifo_evict(struct rp_queues *q, struct queues_miss *m)
{
	struct rp_log *small = &q->log[RP_QUEUE_SMALL], *main = &q->log[RP_QUEUE_MAIN];
	for (bool due = small->n >= q->small_least; due && small->n;) {
		uint32_t place = log_pop(small), *at = full_at(&q->full, place);
		if (s3fifo_uses(*at) < q->hits) {
			s3fifo_remember(q, m, place);
			return;
		}
		s3fifo_renew(q, place, at, 0);
	}
	for (;;) {
		uint32_t place = log_pop(main), *at = full_at(&q->full, place);
		unsigned uses = s3fifo_uses(*at);
		if (!uses) {
			queues_leave(q, m, place);
			return;
		}
		s3fifo_renew(q, place, at, uses - 1);
	}
}

RP_INLINE unsigned
s3fifo_make_room(struct rp_queues *q, struct queues_miss *m)
{
	if (m->full)
		s3fifo_evict(q, m);
	if (m->ghost == RP_FULL_NONE)
		return RP_QUEUE_SMALL;
	log_take(&q->log[RP_QUEUE_SMALL_GHOST], *full_at(&q->full, m->ghost) >> RP_QUEUE_AT_SHIFT);
	return RP_QUEUE_MAIN;
}

/* ---- arc (sim/policy/arc.c) ---- */

RP_INLINE uint32_t
arc_use(struct rp_queues *q, uint32_t place, uint32_t at, uint64_t now)
{
	(void)now;
	log_take(&q->log[at >> RP_QUEUE_SHIFT & 3], at >> RP_QUEUE_AT_SHIFT);
	return queue_at(log_push(&q->log[RP_QUEUE_T2], place), RP_QUEUE_T2) | (at & RP_FULL_DIRTY);
}

/* The ghost list that the line was in, or 0; forgets a ghost if there would be too many. */
RP_INLINE unsigned
arc_case(struct rp_queues *q, uint32_t ghost)
{
	struct rp_log *l = q->log;
	uint32_t ways = q->full.lines;
	if (ghost != RP_FULL_NONE) {
		uint32_t at = *full_at(&q->full, ghost);
		unsigned list = at >> RP_QUEUE_SHIFT & 3;
		q->p = rp_arc_adapted(
		    q->p, list == RP_QUEUE_B2, l[RP_QUEUE_B1].n, l[RP_QUEUE_B2].n, q->part, ways);
		log_take(&l[list], at >> RP_QUEUE_AT_SHIFT);
		return list;
	}
	uint32_t l1 = l[RP_QUEUE_T1].n + l[RP_QUEUE_B1].n, l2 = l[RP_QUEUE_T2].n + l[RP_QUEUE_B2].n;
	if (l1 == ways) {
		if (l[RP_QUEUE_B1].n)
			full_remove(&q->full, log_pop(&l[RP_QUEUE_B1]));
	} else if (l1 + l2 == 2 * ways) {
		full_remove(&q->full, log_pop(&l[RP_QUEUE_B2]));
	}
	return 0;
}

/* REPLACE of the source. */
RP_INLINE void
arc_replace(struct rp_queues *q, struct queues_miss *m, unsigned ghost)
{
	uint64_t t1 = q->part * q->log[RP_QUEUE_T1].n;
	bool first = t1 && (t1 > q->p || (ghost == RP_QUEUE_B2 && t1 == q->p));
	unsigned from = first ? RP_QUEUE_T1 : RP_QUEUE_T2;
	queues_haunt(q, m, log_pop(&q->log[from]), from + 1);
}

RP_INLINE unsigned
arc_make_room(struct rp_queues *q, struct queues_miss *m)
{
	bool all_once = q->log[RP_QUEUE_T1].n == q->full.lines;
	unsigned ghost = arc_case(q, m->ghost);
	if (m->full) {
		if (!all_once || ghost)
			arc_replace(q, m, ghost);
		else
			queues_leave(q, m, log_pop(&q->log[RP_QUEUE_T1]));
	}
	return ghost ? RP_QUEUE_T2 : RP_QUEUE_T1;
}

/* ---- The loop ---- */

/* A line that misses comes in: what became of it. */
RP_INLINE uint8_t
queues_fill(struct rp_queues *q, queues_make_room *make_room, uint32_t ghost, uint32_t b,
    uint32_t key, uint64_t line, uint32_t dirty, uint64_t *left, bool wide)
{
	struct rp_full *c = &q->full;
	struct queues_miss m = { .ghost = ghost, .left = left, .full = c->count == c->lines };
	unsigned queue = make_room(q, &m);
	uint8_t outcome = RP_MISSED;
	if (m.full)
		outcome |= (uint8_t)(RP_EVICTED | m.dirty << 2);
	else
		c->count++;
	struct rp_log *l = &q->log[queue];
	uint32_t at = queue_at(l->end & l->mask, queue) | dirty;
	if (m.ghost == RP_FULL_NONE)
		m.ghost = full_insert(c, b, key, line, at, wide);
	else
		*full_at(c, m.ghost) = at;
	log_push(l, m.ghost);
	return outcome;
}

RP_INLINE void
queues(struct rp_queues *q, const struct rp_lookups *in, uint8_t *restrict outcome,
    uint64_t *restrict victim, queues_use *use, queues_make_room *make_room, bool ghosts, bool wide,
    bool ahead)
{
	struct rp_full *c = &q->full;
	static const uint8_t none[RP_CHUNK];
	bool no_write = c->cache.spec->allocate == RP_ALLOCATE_NO_WRITE;
	const uint8_t *dirtying = c->cache.spec->write == RP_WRITE_BACK ? in->dirty : none,
		      *store = in->store;
	const uint32_t *home = c->home, *keys = c->key;
	const uint64_t *lines = in->line;
	struct rp_bucket *bucket = c->bucket;
	uint64_t now = q->now;
	for (size_t i = 0, n = in->n; i < n; i++) {
		uint32_t b = home[i], key = keys[i], w = dirtying[i], place = RP_FULL_NONE,
			 *at = NULL;
		struct rp_bucket *k = &bucket[b];
		if (ahead)
			__builtin_prefetch(&bucket[home[i + RP_FULL_AHEAD]], 1);
		uint32_t m = full_match(c, b, key, lines[i], wide);
		if (m) {
			unsigned way = (unsigned)__builtin_ctz(m);
			place = b << 3 | way;
			at = &k->at[way];
		} else if (k->chain &&
			   (place = full_chained(c, k->chain, lines[i])) != RP_FULL_NONE) {
			at = &c->node[place >> 3].at;
		}
		if (at && !(ghosts && *at & RP_FULL_GHOST)) {
			outcome[i] = 0;
			*at = use(q, place, *at, now + i) | w;
			continue;
		}
		outcome[i] = no_write && store[i]
		                 ? RP_MISSED | RP_NO_FILL
		                 : queues_fill(q, make_room, ghosts ? place : RP_FULL_NONE, b, key,
				       lines[i], w, victim ? &victim[i] : NULL, wide);
	}
}

#define QUEUES_RUN(name, ...)                                                                      \
	static void name(struct rp_queues *q, const struct rp_lookups *in,                         \
	    uint8_t *restrict outcome, uint64_t *restrict victim)                                  \
	{                                                                                          \
		queues(q, in, outcome, victim, __VA_ARGS__);                                       \
	}
#define QUEUES_RUNS(policy, ghosts)                                                                \
	QUEUES_RUN(policy##_32, policy##_use, policy##_make_room, ghosts, false, false)            \
	QUEUES_RUN(policy##_32_ahead, policy##_use, policy##_make_room, ghosts, false, true)       \
	QUEUES_RUN(policy##_64, policy##_use, policy##_make_room, ghosts, true, false)             \
	QUEUES_RUN(policy##_64_ahead, policy##_use, policy##_make_room, ghosts, true, true)
QUEUES_RUNS(lfu, false)
QUEUES_RUNS(sieve, false)
QUEUES_RUNS(s3fifo, true)
QUEUES_RUNS(arc, true)

#define TABLE(policy)                                                                              \
	{                                                                                          \
		{ policy##_32, policy##_32_ahead }, { policy##_64, policy##_64_ahead }             \
	}

extern const struct rp_queues_kernels RP_KERNELS_PART(queues);
const struct rp_queues_kernels RP_KERNELS_PART(queues) = {
	.run = { [RP_LISTS_LFU] = TABLE(lfu),
	    [RP_LISTS_SIEVE] = TABLE(sieve),
	    [RP_LISTS_S3FIFO] = TABLE(s3fifo),
	    [RP_LISTS_ARC] = TABLE(arc) },
};
