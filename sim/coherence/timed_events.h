/* timed_events.h - events in the order of their times.
 *
 * Of equal times the order is that of class, stream and index, which are packed into one number. No two events are equal in
 * all of these, so the order does not depend on how the queue came about.
 *
 * The next few events are a sorted list, the later ones a heap: with few streams all fit into the list. */
#ifndef RP_SIM_COHERENCE_TIMED_EVENTS_H
#define RP_SIM_COHERENCE_TIMED_EVENTS_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum coh_class { COH_COMPLETION, COH_ARRIVAL, COH_ISSUE };

enum { COH_INDEX_BITS = 42, COH_STREAM_BITS = 20 };

struct coh_event {
	uint64_t time, key;
	uint32_t pending; /* of completions and arrivals */
};

enum { COH_NEAR = 24 }; /* events of the list at most */

struct coh_events {
	struct coh_event near[COH_NEAR]; /* the latest first; all before those of the heap */
	size_t n_near;
	struct coh_event *heap; /* no element is before its parent, (i - 1) / 2 */
	size_t n, room;
};

static inline bool
coh_events_empty(const struct coh_events *q)
{
	return !q->n_near && !q->n;
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

static inline bool
coh_heap_push(struct coh_events *q, const struct coh_event *e, struct rp_err *err)
{
	if (q->n == q->room) {
		size_t room = q->room ? 2 * q->room : 64;
		struct coh_event *more = rp_mem_grow(q->heap, room, sizeof *more, err);
		if (!more)
			return false;
		q->heap = more;
		q->room = room;
	}
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

static inline bool
coh_events_push(struct coh_events *q, const struct coh_event *e, struct rp_err *err)
{
	/* Behind the list, unless that has room and nothing is in between. */
	if (q->n && (!q->n_near || coh_event_before(&q->near[0], e)))
		return coh_heap_push(q, e, err);
	if (q->n_near == COH_NEAR) {
		if (coh_event_before(&q->near[0], e))
			return coh_heap_push(q, e, err);
		if (!coh_heap_push(q, &q->near[0], err))
			return false;
		memmove(q->near, q->near + 1, --q->n_near * sizeof *q->near);
	}
	size_t i = q->n_near++;
	if (i && coh_event_before(&q->near[0], e)) { /* completions often are the latest */
		memmove(q->near + 1, q->near, i * sizeof *q->near);
		i = 0;
	}
	for (; i && coh_event_before(&q->near[i - 1], e); i--)
		q->near[i] = q->near[i - 1];
	q->near[i] = *e;
	return true;
}

/* The earliest; there is one. */
static inline struct coh_event
coh_events_pop(struct coh_events *q)
{
	if (!q->n_near) {
		size_t n = q->n < COH_NEAR / 2 ? q->n : COH_NEAR / 2;
		for (q->n_near = n; n; n--)
			q->near[n - 1] = coh_heap_pop(q);
	}
	return q->near[--q->n_near];
}

#endif
