/* queues.c - one set of many lines of lfu, sieve, s3fifo and arc: memory, logs that get long, dropped lines, lfu's heap. */
#include "config.h"

#include "sim/queues.h"
#include "sim/kernels.h"
#include "sim/policy/arc.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	LINES_MOST = 1 << 24, /* positions have 27 bits, and a log is up to 8 times as long */
	ROOM_TIMES = 2        /* a log has at least so many times the room that it needs */
};

static bool
fits(const struct rp_cache_spec *s)
{
	return s->sets == 1 && s->ways <= LINES_MOST;
}

/* Whether the policy has such a queue. */
static bool
is_log(const struct rp_queues *q, unsigned queue)
{
	static const unsigned n[] = {
		[RP_LISTS_SIEVE] = 1, [RP_LISTS_S3FIFO] = 3, [RP_LISTS_ARC] = 4
	};
	return q->loop == RP_LISTS_LFU ? queue && queue % RP_LFU_STEP == 0 : queue < n[q->loop];
}

/* ---- Logs ---- */

static bool
new_log(struct rp_log *l, size_t room, struct rp_err *err)
{
	*l = (struct rp_log){ .mask = (uint32_t)(room - 1) };
	l->place = rp_mem_array(room, sizeof *l->place, err);
	l->live = rp_mem_array(room / 64, sizeof *l->live, err);
	return l->place && l->live;
}

static void
free_log(struct rp_log *l)
{
	free(l->place);
	free(l->live);
}

/* Moves the live entries of one log to the front of another, or of itself: *to is where the next one goes. Each goes to a
 * position not above its own, so what is read is never overwritten before. */
static void
squeeze(struct rp_queues *q, const struct rp_log *from, struct rp_log *to)
{
	uint32_t hand = q->hand, at = from->oldest, end = to->oldest;
	for (; (at = log_next(from, at)) != from->end; at++) {
		uint32_t old = at & from->mask, new = end & to->mask, place = from->place[old];
		uint32_t *known = full_at(&q->full, place);
		if (at == q->hand)
			hand = end;
		to->place[new] = place;
		*known = new << RP_QUEUE_AT_SHIFT | (*known & ((1 << RP_QUEUE_AT_SHIFT) - 1));
		end++;
	}
	q->hand = q->hand == from->end ? end : hand;
	for (uint32_t word = to->oldest; word - to->oldest < end - to->oldest; word += 64)
		to->live[(word & to->mask) / 64] = UINT64_MAX;
	to->n = from->n;
	to->end = end;
}

/* Makes room for n more entries. */
static bool
make_room(struct rp_queues *q, struct rp_log *l, size_t n, struct rp_err *err)
{
	/* Words of the first and the last entry are never the same one. */
	size_t need = n + 2 * 64, room = l->mask + (size_t)1;
	if (l->n)
		log_oldest(l);
	if (l->end - l->oldest + need <= room)
		return true;
	if ((l->n + need) * ROOM_TIMES <= room) {
		squeeze(q, l, l);
		return true;
	}
	struct rp_log longer;
	while (room < 2 * ROOM_TIMES * (l->n + need))
		room *= 2;
	if (!new_log(&longer, room, err)) {
		free_log(&longer);
		return false;
	}
	squeeze(q, l, &longer);
	free_log(l);
	*l = longer;
	return true;
}

/* ---- The heap of lfu: the line with the fewest uses first, of several the one used longest ago ---- */

static bool
before(const struct rp_lfu_line *a, const struct rp_lfu_line *b)
{
	return a->had_uses < b->had_uses ||
	       (a->had_uses == b->had_uses && a->was_last < b->was_last);
}

static void
put(struct rp_queues *q, size_t at, const struct rp_lfu_line *line)
{
	uint32_t *known = full_at(&q->full, line->place);
	q->high[at] = *line;
	*known = (uint32_t)at << RP_QUEUE_AT_SHIFT | (*known & RP_FULL_DIRTY);
}

static void
rise(struct rp_queues *q, size_t at, struct rp_lfu_line line)
{
	for (; at && before(&line, &q->high[(at - 1) / 2]); at = (at - 1) / 2)
		put(q, at, &q->high[(at - 1) / 2]);
	put(q, at, &line);
}

static void
sink(struct rp_queues *q, size_t at, struct rp_lfu_line line)
{
	for (size_t child; (child = 2 * at + 1) < q->n_high; at = child) {
		child += child + 1 < q->n_high && before(&q->high[child + 1], &q->high[child]);
		if (!before(&q->high[child], &line))
			break;
		put(q, at, &q->high[child]);
	}
	put(q, at, &line);
}

static void
take_out(struct rp_queues *q, size_t at)
{
	struct rp_lfu_line last = q->high[--q->n_high];
	if (at == q->n_high)
		return;
	if (at && before(&last, &q->high[(at - 1) / 2]))
		rise(q, at, last);
	else
		sink(q, at, last);
}

uint32_t
rp_queues_raise(struct rp_queues *q, uint32_t place, uint32_t uses, uint64_t now)
{
	rise(q, q->n_high++,
	    (struct rp_lfu_line){
		.last = now, .was_last = now, .uses = uses, .had_uses = uses, .place = place });
	return *full_at(&q->full, place) >> RP_QUEUE_AT_SHIFT;
}

uint32_t
rp_queues_lowest(struct rp_queues *q)
{
	for (;;) {
		struct rp_lfu_line first = q->high[0];
		if (first.last == first.was_last) {
			take_out(q, 0);
			return first.place;
		}
		first.had_uses = first.uses;
		first.was_last = first.last;
		sink(q, 0, first);
	}
}

static bool
heap_room(struct rp_queues *q, size_t n, struct rp_err *err)
{
	if (q->n_high + n <= q->high_room)
		return true;
	size_t room = 2 * (q->n_high + n);
	struct rp_lfu_line *high = rp_mem_grow(q->high, room, sizeof *high, err);
	if (!high)
		return false;
	q->high = high;
	q->high_room = room;
	return true;
}

/* ---- A line that is dropped ---- */

static void
drop_lfu(struct rp_full *c, uint32_t place)
{
	struct rp_queues *q = (struct rp_queues *)c;
	uint32_t known = *full_at(c, place), at = known >> RP_QUEUE_AT_SHIFT,
		 level = known >> RP_QUEUE_SHIFT & 15;
	if (level)
		log_take(&q->log[level], at);
	else
		take_out(q, at);
}

static void
drop_sieve(struct rp_full *c, uint32_t place)
{
	struct rp_queues *q = (struct rp_queues *)c;
	struct rp_log *l = &q->log[0];
	uint32_t at = *full_at(c, place) >> RP_QUEUE_AT_SHIFT;
	log_take(l, at);
	if ((q->hand & l->mask) == at)
		q->hand = log_around(l, q->hand + 1);
}

static void
drop_queued(struct rp_full *c, uint32_t place)
{
	uint32_t known = *full_at(c, place);
	log_take(
	    &((struct rp_queues *)c)->log[known >> RP_QUEUE_SHIFT & 3], known >> RP_QUEUE_AT_SHIFT);
}

/* ---- The engines ---- */

/* `ghosts`: lines that are remembered beside those that are there. */
static bool
open_queues(struct rp_cache *cache, enum rp_lists_loop loop, uint32_t ghosts,
    void (*dropped)(struct rp_full *c, uint32_t place), struct rp_err *err)
{
	struct rp_queues *q = (struct rp_queues *)cache;
	q->loop = loop;
	q->full.ghosts = loop == RP_LISTS_S3FIFO || loop == RP_LISTS_ARC;
	q->full.dropped = dropped;
	if (!rp_full_open(&q->full, cache->spec->ways + ghosts, 0, err))
		return false;
	for (unsigned i = 0; i < RP_QUEUES; i++)
		if (is_log(q, i) && !new_log(&q->log[i], 64, err))
			return false;
	return true;
}

static bool
open_lfu(struct rp_cache *c, struct rp_err *err)
{
	return open_queues(c, RP_LISTS_LFU, 0, drop_lfu, err);
}

static bool
open_sieve(struct rp_cache *c, struct rp_err *err)
{
	return open_queues(c, RP_LISTS_SIEVE, 0, drop_sieve, err);
}

static bool
open_s3fifo(struct rp_cache *cache, struct rp_err *err)
{
	struct rp_queues *q = (struct rp_queues *)cache;
	uint64_t small = cache->spec->arg[0], ways = cache->spec->ways;
	q->small_least = (uint32_t)((small * ways + 99) / 100);
	q->ghosts = (uint32_t)((100 - small) * ways / 100);
	q->hits = (uint32_t)cache->spec->arg[1];
	return open_queues(cache, RP_LISTS_S3FIFO, q->ghosts, drop_queued, err);
}

static bool
open_arc(struct rp_cache *cache, struct rp_err *err)
{
	((struct rp_queues *)cache)->part = rp_arc_part(cache->spec->ways);
	return open_queues(cache, RP_LISTS_ARC, cache->spec->ways, drop_queued, err);
}

static void
close_queues(struct rp_cache *cache)
{
	struct rp_queues *q = (struct rp_queues *)cache;
	for (size_t i = 0; i < RP_QUEUES; i++)
		free_log(&q->log[i]);
	free(q->high);
	rp_full_close(&q->full);
}

static bool
run(struct rp_cache *cache, const struct rp_lookups *in, uint8_t *outcome, uint64_t *victim,
    struct rp_err *err)
{
	struct rp_queues *q = (struct rp_queues *)cache;
	if (!rp_full_prepare(&q->full, in, err))
		return false;
	for (unsigned i = 0; i < RP_QUEUES; i++)
		if (is_log(q, i) && !make_room(q, &q->log[i], in->n, err))
			return false;
	if (q->loop == RP_LISTS_LFU && !heap_room(q, in->n, err))
		return false;
	cache->kernels->queues->run[q->loop][q->full.wide][rp_full_ahead(&q->full)](
	    q, in, outcome, victim);
	q->now += in->n;
	return true;
}

#define QUEUES_ENGINE(policy)                                                                      \
	const struct rp_engine rp_engine_queues_##policy = {                                       \
		.name = "queues",                                                                  \
		.bytes = sizeof(struct rp_queues),                                                 \
		.fits = fits,                                                                      \
		.victims = true,                                                                   \
		.open = open_##policy,                                                             \
		.close = close_queues,                                                             \
		.run = run,                                                                        \
		.clean = rp_full_clean,                                                            \
		.drop = rp_full_drop,                                                              \
		.walk = rp_full_walk,                                                              \
		.soil = rp_full_soil,                                                              \
	}
QUEUES_ENGINE(lfu);
QUEUES_ENGINE(sieve);
QUEUES_ENGINE(s3fifo);
QUEUES_ENGINE(arc);
