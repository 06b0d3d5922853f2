/* timed_home.c - the home in timed mode: whom it lets in, how long a transaction takes, how full its table is.
 *
 * A request that has to wait stands in a queue in the order of arrival. Only a completion lets it go on: then the queue is
 * gone through once from its front, and who cannot begin blocks nobody behind.
 *
 * With a full directory, who comes while a line is busy cannot begin before those that wait for it already, so it is not in
 * the queue but behind the request that makes the line busy; the first of them enters the queue, in its place, when that
 * completes, and the others are behind it then. With a sparse directory this would not be the same: an earlier one may find
 * its directory set busy, and a later one find a free way in the same pass. */
#include "config.h"

#include "sim/coherence/timed_parts.h"

enum reason { ADMITTED, BUSY, FULL, DIRSET };

static bool
is_busy(struct rp_timed *t, struct coh_request *q)
{
	const struct coh_lines *l = &t->k->lines;
	if (q->record == COH_NONE || coh_line(l, q->record)->number != q->line)
		q->record = coh_lines_find(l, q->line);
	return q->record != COH_NONE && coh_line(l, q->record)->busy;
}

/* Whether a request may begin now, or the first reason why not. */
static enum reason
admission(struct rp_timed *t, uint32_t p)
{
	if (is_busy(t, &t->pending[p].q))
		return BUSY;
	if (t->entries == t->timing.pending)
		return FULL;
	return coh_entry_waits(t->k, t->pending[p].q.line) ? DIRSET : ADMITTED;
}

void
coh_home_settle(struct rp_timed *t)
{
	uint64_t cycles = t->now - t->changed;
	t->changed = t->now;
	if (!cycles)
		return;
	t->count.occupancy_integral += cycles * t->entries;
	if (t->entries > t->count.occupancy_max)
		t->count.occupancy_max = t->entries;
	if (t->entries == t->timing.pending)
		t->count.full_cycles += cycles;
}

/* Cycles from acceptance until the requester has its answer: Inv go out in parallel and acks to the requester; a recall
 * comes before all else. */
static uint64_t
residence(const struct rp_timed *t, const struct coh_outcome *out)
{
	const struct rp_coherence_timing *c = &t->timing;
	uint64_t begin = c->home + (out->back_invs ? 2 * c->net + c->resp : 0);
	uint64_t by_cache = begin + c->net + c->resp + c->net;
	uint64_t by_home = begin + (out->memory ? c->mem : 0) + c->net;
	if (out->forwarded)
		return by_cache;
	return out->invs && by_cache > by_home ? by_cache : by_home;
}

static bool
accept(struct rp_timed *t, uint32_t p, struct rp_err *err)
{
	struct coh_pending *x = &t->pending[p];
	struct coh_outcome out;
	x->q.mask = coh_pending_mask(t, p);
	/* Alone, it is that of the line for which there is a victim. */
	t->k->hooks.pinned = t->own && !coh_pending_alone(t, p) ? coh_is_pinned : NULL;
	if (!coh_take_effect(t, x->stream, &x->q, x->index, &out, err))
		return false;
	if (out.how == COH_HIT)
		return rp_fail(err, RP_FAILED, "invariant: a request finds its line in the cache");
	t->done += x->whole;
	x->q.record = out.record;
	coh_line(&t->k->lines, x->q.record)->busy = 1;
	t->count.upgrade_races += x->upgrade && out.how == COH_MISS;
	coh_home_settle(t);
	t->entries++;
	coh_table_add(t, p);
	uint64_t cycles = residence(t, &out);
	t->count.transactions++;
	t->count.sum_residence += cycles;
	if (cycles > t->count.max_residence)
		t->count.max_residence = cycles;
	return coh_schedule(t, cycles, COH_COMPLETION, x->stream, x->index, p, err);
}

/* Puts a request into the queue behind another one, or first (0). */
static void
enqueue(struct rp_timed *t, uint32_t p, uint32_t behind)
{
	struct coh_pending *x = &t->pending[p];
	x->before = behind;
	x->after = behind ? t->pending[behind].after : t->queue_first;
	*(behind ? &t->pending[behind].after : &t->queue_first) = p;
	*(x->after ? &t->pending[x->after].before : &t->queue_last) = p;
}

static void
dequeue(struct rp_timed *t, uint32_t p)
{
	struct coh_pending *x = &t->pending[p];
	*(x->before ? &t->pending[x->before].after : &t->queue_first) = x->after;
	*(x->after ? &t->pending[x->after].before : &t->queue_last) = x->before;
	t->count.hold_cycles += t->now - x->arrived;
}

static void
hold(struct rp_timed *t, uint32_t p, enum reason why)
{
	*(why == BUSY     ? &t->count.holds_busy
	    : why == FULL ? &t->count.holds_full
			  : &t->count.holds_dirset) += 1;
	if (why != BUSY || t->k->config.sparse) {
		enqueue(t, p, t->queue_last);
		return;
	}
	struct coh_pending *x = &t->pending[coh_table_find(t, t->pending[p].q.line)];
	*(x->waits ? &t->pending[x->waits_last].next : &x->waits) = p;
	x->waits_last = p;
	t->pending[p].next = 0;
}

static bool
arrived_before(const struct coh_pending *a, const struct coh_pending *b)
{
	return a->arrived != b->arrived ? a->arrived < b->arrived
	       : a->stream != b->stream ? a->stream < b->stream
	                                : a->index < b->index;
}

/* The first of those behind request p, which completes, enters the queue. */
static void
step_forward(struct rp_timed *t, uint32_t p)
{
	uint32_t first = t->pending[p].waits, at = 0, next = t->queue_first;
	if (!first)
		return;
	struct coh_pending *x = &t->pending[first];
	x->waits = x->next;
	x->waits_last = x->next ? t->pending[p].waits_last : 0;
	for (; next && arrived_before(&t->pending[next], x); next = t->pending[next].after)
		at = next;
	enqueue(t, first, at);
}

/* The cache is told, waits, and sends again. */
static bool
refuse(struct rp_timed *t, uint32_t p, enum reason why, struct rp_err *err)
{
	const struct rp_coherence_timing *c = &t->timing;
	struct coh_pending *x = &t->pending[p];
	uint64_t wait = x->backoff;
	*(why == BUSY     ? &t->count.nacks_busy
	    : why == FULL ? &t->count.nacks_full
			  : &t->count.nacks_dirset) += 1;
	t->count.nacks++;
	t->count.retries++;
	if (__builtin_mul_overflow(wait, c->backoff_mult, &x->backoff) ||
	    x->backoff > c->backoff_max)
		x->backoff = c->backoff_max;
	return coh_schedule(
	    t, c->home + c->net + wait + c->net, COH_ARRIVAL, x->stream, x->index, p, err);
}

bool
coh_home_arrive(struct rp_timed *t, uint32_t p, struct rp_err *err)
{
	enum reason why = admission(t, p);
	t->pending[p].arrived = t->now;
	if (why == ADMITTED)
		return accept(t, p, err);
	if (why == BUSY ? t->timing.busy_nack : t->timing.full_nack)
		return refuse(t, p, why, err);
	hold(t, p, why);
	return true;
}

void
coh_home_release(struct rp_timed *t, uint32_t p)
{
	coh_home_settle(t);
	t->entries--;
	coh_table_remove(t, p);
	step_forward(t, p);
	coh_line(&t->k->lines, t->pending[p].q.record)->busy = 0;
}

bool
coh_home_scan(struct rp_timed *t, struct rp_err *err)
{
	for (uint32_t p = t->queue_first, after; p && t->entries < t->timing.pending; p = after) {
		after = t->pending[p].after;
		if (admission(t, p) != ADMITTED)
			continue;
		dequeue(t, p);
		if (!accept(t, p, err))
			return false;
	}
	return true;
}
