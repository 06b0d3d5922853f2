/* timed_parts.h - what the parts of timed mode ask of each other: events and streams (timed.c), rows (timed_rows.c), requests
 * that wait (timed_pending.c), the home (timed_home.c). */
#ifndef RP_SIM_COHERENCE_TIMED_PARTS_H
#define RP_SIM_COHERENCE_TIMED_PARTS_H

#include "sim/coherence/engine.h"
#include "sim/coherence/timed.h"
#include "sim/coherence/timed_events.h"

/* An access that has been issued and not completed: a request on its way to the home, held there or accepted (it is an MSHR
 * of its cache then), or one that joined such a request. Named by number, as they move when there are more of them; 0 is
 * none. */
struct coh_pending {
	struct coh_request
	    q;            /* but for its mask: coh_pending_mask; its record may be another line's */
	uint64_t index;   /* in the stream, of line accesses */
	uint64_t tried;   /* when it was first tried to issue it */
	uint64_t arrived; /* at the home, the last time */
	uint64_t backoff; /* cycles that it waits when it is refused next */
	uint32_t stream;
	uint32_t next;          /* free, or joined the same request, or waits for the same line */
	uint32_t joined, last;  /* first and last that joined this one */
	uint32_t own;           /* next request of its cache for a line of the same set */
	uint32_t before, after; /* in the queue at the home */
	uint32_t waits, waits_last; /* first and last that stand behind this one (timed_home.c) */
	uint32_t in_table;          /* next one accepted whose line has the same hash */
	bool upgrade;               /* it had a copy when it was issued */
	bool whole;                 /* the last piece of its access */
};

enum { COH_AHEAD = 8 }; /* rows that are looked at ahead; more than timed_rows.c does */

/* What is known of the first line of a row ahead. */
struct coh_ahead {
	uint64_t hash;
	uint32_t record; /* probably its; COH_NONE: not known */
};

struct coh_stream {
	struct rp_batch *rows;
	uint64_t *gap;
	size_t at;           /* row at hand */
	uint64_t line, last; /* the piece of it at hand; its last piece */
	uint64_t index;      /* of the piece */
	struct coh_ahead ahead[COH_AHEAD];
	uint64_t tried;  /* when the access that is stalled was tried first */
	uint64_t finish; /* when the last access so far completes */
	uint32_t cache;
	uint32_t used; /* MSHRs */
	bool ended;
	bool stalled;
	bool again; /* an issue event is there for what is stalled */
};

struct rp_timed {
	struct rp_coherence *k;
	struct rp_coherence_timing timing;
	struct rp_timed_feed feed;
	struct coh_events events;
	struct coh_stream *stream;
	uint32_t *of_cache; /* streams by cache */
	size_t n;
	bool started, stopped;
	uint64_t now, done; /* done: accesses that took effect */
	/* Requests. */
	struct coh_pending *pending;
	uint64_t *mask; /* by request */
	uint32_t spare; /* first free */
	uint32_t n_pending, room;
	uint32_t *own;   /* by stream and set: first request under way; NULL: streams block */
	uint32_t *table; /* by hash, `room` of them: first accepted request */
	/* The home. */
	uint64_t entries;                 /* of the table, in use */
	uint64_t changed;                 /* when they last did */
	uint32_t queue_first, queue_last; /* held requests, by arrival */
	struct rp_coherence_timed count;
	uint64_t requests_before; /* GetS and GetM before timed mode */
	void (*effect)(void *to, size_t stream, uint64_t index);
	void *effect_to;
};

/* ---- timed_rows.c ---- */

/* Makes the next piece of a stream the one at hand, or ends the stream. *gap: idle cycles before it. */
bool coh_stream_next(struct rp_timed *t, uint32_t stream, uint64_t *gap, struct rp_err *err);

/* The piece at hand as a request. */
static inline struct coh_request
coh_stream_request(const struct rp_timed *t, const struct coh_stream *s, uint64_t *mask)
{
	return coh_request_of(t->k, s->rows, s->at, s->line, s->cache, mask);
}

/* ---- timed_pending.c ---- */

/* The piece at hand of a stream as a pending access; 0: no memory. */
uint32_t coh_pending_new(struct rp_timed *t, uint32_t stream, struct rp_err *err);
void coh_pending_free(struct rp_timed *t, uint32_t p);

/* The request of a stream's cache for a line that is under way, or 0; *in_set: how many there are for lines of its set. */
uint32_t coh_pending_find(
    const struct rp_timed *t, uint32_t stream, uint64_t line, uint32_t *in_set);

/* Makes a request an MSHR of its cache, and takes it out again. */
void coh_pending_enter(struct rp_timed *t, uint32_t p);
void coh_pending_leave(struct rp_timed *t, uint32_t p);

/* Whether request p is the only one of its cache for lines of its set. */
bool coh_pending_alone(const struct rp_timed *t, uint32_t p);

/* `with` joins request p. */
void coh_pending_join(struct rp_timed *t, uint32_t p, uint32_t with);

/* The table at the home, by line: an accepted request goes in, is found (0: there is none), and goes out. */
void coh_table_add(struct rp_timed *t, uint32_t p);
uint32_t coh_table_find(const struct rp_timed *t, uint64_t line);
void coh_table_remove(struct rp_timed *t, uint32_t p);

static inline uint64_t *
coh_pending_mask(const struct rp_timed *t, uint32_t p)
{
	return t->mask + (size_t)p * t->k->lines.mask_words;
}

/* ---- timed_home.c ---- */

/* A request comes to the home, which accepts it, lets it wait or refuses it. */
bool coh_home_arrive(struct rp_timed *t, uint32_t p, struct rp_err *err);

/* The answer to a request is there: its entry in the table is free. */
void coh_home_release(struct rp_timed *t, uint32_t p);

/* Accepts what can be of the requests that wait. */
bool coh_home_scan(struct rp_timed *t, struct rp_err *err);

/* Counts the table's use up to now. */
void coh_home_settle(struct rp_timed *t);

/* ---- timed.c ---- */

/* A cache may not replace a line that it waits for (coh_hooks.pinned). */
bool coh_is_pinned(void *to, uint32_t cache, uint64_t number);

/* An access takes effect now: the transaction. */
bool coh_take_effect(struct rp_timed *t, uint32_t stream, const struct coh_request *q,
    uint64_t index, struct coh_outcome *out, struct rp_err *err);

/* Schedules an event so many cycles from now on. */
bool coh_schedule(struct rp_timed *t, uint64_t cycles, enum coh_class class, uint32_t stream,
    uint64_t index, uint32_t pending, struct rp_err *err);

#endif
