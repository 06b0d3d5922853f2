/* queues.h - one set of any number of lines of lfu, sieve, s3fifo and arc: what sim/policy/ keeps in linked queues, in logs
 * of places.
 *
 * Lines lie in the buckets of sim/full.h and never move, so a place is a stable name. A queue is a log of places, the newest
 * last, and a bit says which entries still hold ("live"): a line is taken out of the middle by clearing its bit, which no
 * other line need know of. Lines that left and are remembered stay in their place and only change queues.
 *
 * What a place knows of its line is the word `at` of its bucket: whether it is dirty, the queue, where it stands there. */
#ifndef RP_SIM_QUEUES_H
#define RP_SIM_QUEUES_H

#include "sim/full.h"
#include "sim/lists.h"

/* Bits of `at`, above that for dirty lines: the queue has 4 bits, and odd ones are of ghosts (RP_FULL_GHOST); s3fifo counts
 * uses in the upper two, sieve has its mark there; the rest is the position. */
enum { RP_QUEUE_SHIFT = 1, RP_QUEUE_USES_SHIFT = 3, RP_QUEUE_AT_SHIFT = 5 };
enum { RP_QUEUE_MARK = 1 << RP_QUEUE_USES_SHIFT };
enum { RP_QUEUES = 16 };

/* The queues of s3fifo and of arc; sieve has one, 0. Those of lfu are of lines used as often as their number, halved, says. */
enum { RP_QUEUE_SMALL, RP_QUEUE_SMALL_GHOST, RP_QUEUE_MAIN };
enum { RP_QUEUE_T1, RP_QUEUE_B1, RP_QUEUE_T2, RP_QUEUE_B2 };
enum { RP_LFU_STEP = 2 };

/* A ring: positions grow and are taken modulo its room, a power of two. */
struct rp_log {
	uint32_t *place; /* [room] */
	uint64_t *
	    live; /* [room / 64]; of the word that is written next all bits behind the end are set */
	uint32_t mask;   /* room - 1 */
	uint32_t end;    /* position of the next entry */
	uint32_t oldest; /* a multiple of 64, not above the first live entry */
	uint32_t n;      /* live entries */
};

/* lfu: a line used more often than there are queues for is in a heap, which is queue 0. A use only counts there; the heap goes by what was true
 * when the line was last looked at, which is never more than is true now: the first line is looked at before it is taken. */
struct rp_lfu_line {
	uint64_t last, was_last; /* lookup that used it last */
	uint32_t uses, had_uses;
	uint32_t place;
};

struct rp_queues {
	struct rp_full full;
	enum rp_lists_loop loop;
	struct rp_log log[RP_QUEUES];
	uint32_t hand; /* sieve: the position of the line it is at; of the end, if there is none */
	/* s3fifo, as in sim/lists.h. */
	uint32_t small_least, hits, ghosts;
	/* arc: the target of T1, in parts of a way. */
	uint64_t p, part;
	/* lfu. */
	struct rp_lfu_line *high;
	size_t n_high, high_room;
	uint64_t now; /* lookups before the chunk at hand */
};

extern const struct rp_engine rp_engine_queues_lfu, rp_engine_queues_sieve, rp_engine_queues_s3fifo,
    rp_engine_queues_arc;

/* Adds a line with so many uses, the last one now, to the heap, which has room: where it stands. */
uint32_t rp_queues_raise(struct rp_queues *q, uint32_t place, uint32_t uses, uint64_t now);

/* Takes the line with the fewest uses, used longest ago, out of the heap, which is not empty: its place. */
uint32_t rp_queues_lowest(struct rp_queues *q);

/* Puts a place at the end of a log: where it stands there. There is room for as many as a chunk has lookups. */
static inline uint32_t
log_push(struct rp_log *l, uint32_t place)
{
	uint32_t at = l->end++ & l->mask;
	if (at % 64 == 0)
		l->live[at / 64] = UINT64_MAX;
	l->place[at] = place;
	l->n++;
	return at;
}

/* The entry does not hold any more. */
static inline void
log_take(struct rp_log *l, uint32_t at)
{
	l->live[at / 64] &= ~(UINT64_C(1) << at % 64);
	l->n--;
}

/* The position of the word in which the first entry of a log is that is not empty. */
static inline uint32_t
log_oldest(struct rp_log *l)
{
	uint32_t oldest = l->oldest;
	while (!l->live[(oldest & l->mask) / 64])
		oldest += 64;
	return l->oldest = oldest;
}

/* Where that entry stands. */
static inline uint32_t
log_first(struct rp_log *l)
{
	uint32_t at = log_oldest(l) & l->mask;
	return at + (unsigned)__builtin_ctzll(l->live[at / 64]);
}

/* The position of the first live entry at or behind one; the end, if there is none. */
static inline uint32_t
log_next(const struct rp_log *l, uint32_t from)
{
	for (uint32_t at = from; at - l->oldest < l->end - l->oldest; at = (at | 63) + 1) {
		uint64_t word = l->live[(at & l->mask) / 64] & UINT64_MAX << at % 64;
		if (!word)
			continue;
		at = (at & ~UINT32_C(63)) + (unsigned)__builtin_ctzll(word);
		return at - l->oldest < l->end - l->oldest ? at : l->end;
	}
	return l->end;
}

/* The same, but at the end it goes on with the first entry of all, if there is one. */
static inline uint32_t
log_around(struct rp_log *l, uint32_t from)
{
	uint32_t at = log_next(l, from);
	return at == l->end && l->n ? log_next(l, log_oldest(l)) : at;
}

#endif
