/* timed_home.c - the home in timed mode: whom it lets in, how long a transaction takes, how full its table is.
 *
 * A request that has to wait stands in a queue in the order of arrival. Only a completion lets it go on: then the queue is
 * gone through once from its front, and who cannot begin blocks nobody behind. */
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
	uint64_t cycles = residence(t, &out);
	t->count.transactions++;
	t->count.sum_residence += cycles;
	if (cycles > t->count.max_residence)
		t->count.max_residence = cycles;
	return coh_schedule(t, cycles, COH_COMPLETION, x->stream, x->index, p, err);
}

static void
hold(struct rp_timed *t, uint32_t p, enum reason why)
{
	struct coh_pending *x = &t->pending[p];
	*(why == BUSY     ? &t->count.holds_busy
	    : why == FULL ? &t->count.holds_full
			  : &t->count.holds_dirset) += 1;
	x->before = t->queue_last;
	x->after = 0;
	*(x->before ? &t->pending[x->before].after : &t->queue_first) = p;
	t->queue_last = p;
}

static void
unhold(struct rp_timed *t, uint32_t p)
{
	struct coh_pending *x = &t->pending[p];
	*(x->before ? &t->pending[x->before].after : &t->queue_first) = x->after;
	*(x->after ? &t->pending[x->after].before : &t->queue_last) = x->before;
	t->count.hold_cycles += t->now - x->arrived;
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
	coh_line(&t->k->lines, t->pending[p].q.record)->busy = 0;
}

bool
coh_home_scan(struct rp_timed *t, struct rp_err *err)
{
	for (uint32_t p = t->queue_first, after; p && t->entries < t->timing.pending; p = after) {
		after = t->pending[p].after;
		if (admission(t, p) != ADMITTED)
			continue;
		unhold(t, p);
		if (!accept(t, p, err))
			return false;
	}
	return true;
}
