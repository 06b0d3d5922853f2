/* timed_events.h - events in the order of their times.
 *
 * Of equal times the order is that of class, stream and index, which are packed into one number. No two events are equal in
 * all of these, so the order does not depend on how the queue came about.
 *
 * What happens within the next COH_WHEEL cycles stands in a wheel, a list for each cycle, and a bit says which lists are not
 * empty; what is later, in a heap. Nothing moves from one to the other: the earlier of both is the next. */
#ifndef RP_SIM_COHERENCE_TIMED_EVENTS_H
#define RP_SIM_COHERENCE_TIMED_EVENTS_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

enum coh_class { COH_COMPLETION, COH_ARRIVAL, COH_ISSUE };

enum { COH_INDEX_BITS = 42, COH_STREAM_BITS = 20 };

struct coh_event {
	uint64_t time, key;
	uint32_t pending; /* of completions and arrivals */
	uint32_t next;    /* in the list of its cycle, + 1; of free ones: the next of those */
};

enum { COH_WHEEL = 512 /* cycles; a power of two, at least 64 */ };

struct coh_events {
	uint64_t now; /* time of the last that was taken out: none is earlier */
	uint64_t used[COH_WHEEL / 64];
	uint32_t first[COH_WHEEL]; /* by time modulo COH_WHEEL: an event + 1 */
	struct coh_event *near;    /* that are or were in the wheel */
	uint32_t n_near, spare;    /* spare: first free + 1 */
	size_t near_room;
	struct coh_event *heap; /* no element is before its parent, (i - 1) / 2 */
	size_t n, room;
	size_t count; /* in both */
};

static inline bool
coh_events_empty(const struct coh_events *q)
{
	return !q->count;
}

static inline uint64_t
coh_event_key(enum coh_class class, uint32_t stream, uint64_t index)
{
	return (uint64_t) class << (COH_STREAM_BITS + COH_INDEX_BITS) |
	       (uint64_t)stream << COH_INDEX_BITS | index;
}

static inline enum coh_class
coh_event_class(const struct coh_event *e)
{
	return (enum coh_class)(e->key >> (COH_STREAM_BITS + COH_INDEX_BITS));
}

static inline uint32_t
coh_event_stream(const struct coh_event *e)
{
	return (uint32_t)(e->key >> COH_INDEX_BITS) & ((1u << COH_STREAM_BITS) - 1);
}

static inline bool
coh_event_before(const struct coh_event *a, const struct coh_event *b)
{
	return a->time != b->time ? a->time < b->time : a->key < b->key;
}

/* Room for one event more than n. */
static inline bool
coh_events_room(struct coh_event **list, size_t n, size_t *room, struct rp_err *err)
{
	if (n < *room)
		return true;
	size_t more = *room ? 2 * *room : 64;
	struct coh_event *grown = rp_mem_grow(*list, more, sizeof *grown, err);
	if (!grown)
		return false;
	*list = grown;
	*room = more;
	return true;
}

static inline bool
coh_heap_push(struct coh_events *q, const struct coh_event *e, struct rp_err *err)
{
	if (!coh_events_room(&q->heap, q->n, &q->room, err))
		return false;
	size_t i = q->n++;
	for (size_t up; i && coh_event_before(e, &q->heap[up = (i - 1) / 2]); i = up)
		q->heap[i] = q->heap[up];
	q->heap[i] = *e;
	return true;
}

static inline struct coh_event
coh_heap_pop(struct coh_events *q)
{
	struct coh_event first = q->heap[0], last = q->heap[--q->n];
	size_t i = 0;
	for (size_t down; (down = 2 * i + 1) < q->n; i = down) {
		if (down + 1 < q->n && coh_event_before(&q->heap[down + 1], &q->heap[down]))
			down++;
		if (!coh_event_before(&q->heap[down], &last))
			break;
		q->heap[i] = q->heap[down];
	}
	q->heap[i] = last;
	return first;
}

/* A free event of the wheel; UINT32_MAX: no memory. */
static inline uint32_t
coh_wheel_take(struct coh_events *q, struct rp_err *err)
{
	uint32_t i = q->spare - 1;
	if (q->spare) {
		q->spare = q->near[i].next;
		return i;
	}
	if (!coh_events_room(&q->near, q->n_near, &q->near_room, err))
		return UINT32_MAX;
	return q->n_near++;
}

static inline bool
coh_wheel_push(struct coh_events *q, const struct coh_event *e, struct rp_err *err)
{
	uint32_t i = coh_wheel_take(q, err), at = e->time % COH_WHEEL;
	if (i == UINT32_MAX)
		return false;
	uint32_t *to = &q->first[at];
	while (*to && q->near[*to - 1].key < e->key)
		to = &q->near[*to - 1].next;
	q->near[i] = *e;
	q->near[i].next = *to;
	*to = i + 1;
	q->used[at / 64] |= UINT64_C(1) << at % 64;
	return true;
}

/* The first event of the wheel; UINT32_MAX: there is none. The cycles from `now` on begin within a word of bits and end
 * before the same place of it. */
static inline uint32_t
coh_wheel_first(const struct coh_events *q)
{
	const uint32_t words = COH_WHEEL / 64;
	uint32_t from = q->now % COH_WHEEL, w = from / 64;
	uint64_t bits = q->used[w] & UINT64_MAX << from % 64;
	for (uint32_t i = 1; !bits && i <= words; i++) {
		w = (w + 1) % words;
		bits = q->used[w];
	}
	return bits ? q->first[w * 64 + (unsigned)__builtin_ctzll(bits)] - 1 : UINT32_MAX;
}

static inline struct coh_event
coh_wheel_pop(struct coh_events *q, uint32_t i)
{
	struct coh_event e = q->near[i];
	uint32_t at = e.time % COH_WHEEL;
	if (!(q->first[at] = e.next))
		q->used[at / 64] &= ~(UINT64_C(1) << at % 64);
	q->near[i].next = q->spare;
	q->spare = i + 1;
	return e;
}

/* Its time is not before that of the event taken out last. */
static inline bool
coh_events_push(struct coh_events *q, const struct coh_event *e, struct rp_err *err)
{
	bool near = e->time - q->now < COH_WHEEL;
	if (!(near ? coh_wheel_push(q, e, err) : coh_heap_push(q, e, err)))
		return false;
	q->count++;
	return true;
}

/* The earliest; there is one. */
static inline struct coh_event
coh_events_pop(struct coh_events *q)
{
	uint32_t i = coh_wheel_first(q);
	bool near = i != UINT32_MAX && !(q->n && coh_event_before(&q->heap[0], &q->near[i]));
	struct coh_event e = near ? coh_wheel_pop(q, i) : coh_heap_pop(q);
	q->now = e.time;
	q->count--;
	return e;
}

#endif
