/* timed.c - timed mode: the events, and what streams do at theirs.
 *
 * An issue looks into the cache as it is: a hit takes effect at once, anything else becomes a request that arrives at the
 * home later. A stream without MSHRs waits for each of its accesses; one with them goes on in the next cycle and stalls only
 * where it wants one more MSHR than there may be, or to store behind a load of its own. */
#include "config.h"

#include "sim/coherence/timed_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_ROWS = 256 }; /* of a stream that are in memory */

/* ---- What the transactions ask. ---- */

static bool
may_recall(void *to, uint32_t record)
{
	const struct rp_timed *t = to;
	return !coh_line(&t->k->lines, record)->busy;
}

bool
coh_is_pinned(void *to, uint32_t cache, uint64_t number)
{
	const struct rp_timed *t = to;
	uint32_t in_set;
	return coh_pending_find(t, t->of_cache[cache], number, &in_set);
}

/* ---- Making one. ---- */

/* The cache of each stream, and the other way round. */
static bool
find_caches(struct rp_timed *t, const uint32_t *streams, struct rp_err *err)
{
	struct rp_coherence *k = t->k;
	size_t known, all;
	uint32_t at = 0;
	if (!rp_coherence_caches(k, &known, err))
		return false;
	for (size_t i = 0; i < t->n; i++) {
		while (at < known && k->cache[k->sorted[at]].stream < streams[i])
			at++;
		if (at < known && k->cache[k->sorted[at]].stream == streams[i])
			t->stream[i].cache = k->sorted[at];
		else if (k->config.caches)
			return rp_fail(err, RP_USAGE, "stream %" PRIu32 ": wanted one of %" PRIu32,
			    streams[i], k->config.caches);
		else if (coh_add_cache(k, streams[i], err))
			t->stream[i].cache = (uint32_t)k->n - 1;
		else
			return false;
	}
	t->of_cache = rp_mem_array(k->n, sizeof *t->of_cache, err);
	if (!t->of_cache || !rp_coherence_caches(k, &all, err))
		return false;
	for (size_t i = 0; i < t->n; i++)
		t->of_cache[t->stream[i].cache] = (uint32_t)i;
	return true;
}

struct rp_timed *
rp_timed_new(struct rp_coherence *k, const uint32_t *streams, size_t n,
    const struct rp_timed_feed *feed, struct rp_err *err)
{
	struct rp_timed *t = rp_mem_array(1, sizeof *t, err);
	if (!t)
		return NULL;
	t->k = k;
	t->n = n;
	t->feed = *feed;
	t->timing = k->config.timing;
	t->requests_before = k->home.gets + k->home.getm;
	t->stream = rp_mem_array(n, sizeof *t->stream, err);
	bool ok = t->stream && find_caches(t, streams, err);
	if (ok && t->timing.mshrs)
		ok = (t->own = rp_mem_array(n, k->geometry.sets * sizeof *t->own, err));
	for (size_t i = 0; ok && i < n; i++) {
		struct coh_stream *s = &t->stream[i];
		s->rows = rp_batch_new(STREAM_ROWS, feed->columns, err);
		s->gap = rp_mem_array(STREAM_ROWS, sizeof *s->gap, err);
		ok = s->rows && s->gap;
	}
	if (!ok) {
		rp_timed_free(t);
		return NULL;
	}
	k->hooks.to = t;
	k->hooks.may_recall = k->config.sparse ? may_recall : NULL;
	return t;
}

void
rp_timed_free(struct rp_timed *t)
{
	if (!t)
		return;
	if (t->k->hooks.to == t)
		t->k->hooks = (struct coh_hooks){ 0 };
	for (size_t i = 0; t->stream && i < t->n; i++) {
		rp_batch_free(t->stream[i].rows);
		free(t->stream[i].gap);
	}
	free(t->stream);
	free(t->of_cache);
	free(t->pending);
	free(t->mask);
	free(t->own);
	free(t->table);
	free(t->events.near);
	free(t->events.heap);
	free(t);
}

void
rp_timed_watch(
    struct rp_timed *t, void (*effect)(void *to, size_t stream, uint64_t index), void *to)
{
	t->effect = effect;
	t->effect_to = to;
}

/* ---- Running. ---- */

bool
coh_schedule(struct rp_timed *t, uint64_t cycles, enum coh_class class, uint32_t stream,
    uint64_t index, uint32_t pending, struct rp_err *err)
{
	struct coh_event e = { .key = coh_event_key(class, stream, index), .pending = pending };
	if (__builtin_add_overflow(t->now, cycles, &e.time))
		return rp_fail(err, RP_INPUT, "time goes beyond 2^64 cycles");
	return coh_events_push(&t->events, &e, err);
}

bool
coh_take_effect(struct rp_timed *t, uint32_t stream, const struct coh_request *q, uint64_t index,
    struct coh_outcome *out, struct rp_err *err)
{
	if (t->effect)
		t->effect(t->effect_to, stream, index);
	return coh_access(t->k, q, out, err);
}

/* An access, first tried at `tried`, completes after so many cycles. */
static void
complete(struct rp_timed *t, struct coh_stream *s, uint64_t tried, uint64_t cycles)
{
	uint64_t end = t->now + cycles;
	t->count.sum_access_latency += end - tried;
	if (end > s->finish)
		s->finish = end;
}

/* Schedules the issue of what comes next in a stream, after so many cycles and its gap. */
static bool
go_on(struct rp_timed *t, uint32_t stream, uint64_t cycles, struct rp_err *err)
{
	struct coh_stream *s = &t->stream[stream];
	uint64_t gap;
	if (t->stopped)
		return true;
	if (!coh_stream_next(t, stream, &gap, err))
		return false;
	if (s->ended)
		return true;
	if (__builtin_add_overflow(cycles, gap, &cycles))
		return rp_fail(err, RP_INPUT, "time goes beyond 2^64 cycles");
	return coh_schedule(t, cycles, COH_ISSUE, stream, s->index, 0, err);
}

/* The piece at hand was issued: a stream with MSHRs goes on. */
static bool
issued(struct rp_timed *t, uint32_t stream, struct rp_err *err)
{
	struct coh_stream *s = &t->stream[stream];
	if (s->stalled)
		t->count.mshr_stall_cycles += t->now - s->tried;
	s->stalled = false;
	return !t->timing.mshrs || go_on(t, stream, 1, err);
}

static bool
stall(struct rp_timed *t, struct coh_stream *s)
{
	if (!s->stalled) {
		t->count.mshr_stalls++;
		s->tried = t->now;
	}
	s->stalled = true;
	return true;
}

static bool
hit(struct rp_timed *t, uint32_t stream, struct rp_err *err)
{
	struct coh_stream *s = &t->stream[stream];
	uint64_t mask[RP_COHERENCE_MASK_WORDS];
	struct coh_request q = coh_stream_request(t, s, mask);
	struct coh_outcome out;
	if (!coh_take_effect(t, stream, &q, s->index, &out, err))
		return false;
	t->done += s->line == s->last;
	complete(t, s, s->stalled ? s->tried : t->now, t->timing.l1);
	return issued(t, stream, err) && (t->timing.mshrs || go_on(t, stream, t->timing.l1, err));
}

static bool
request(struct rp_timed *t, uint32_t stream, bool upgrade, struct rp_err *err)
{
	struct coh_stream *s = &t->stream[stream];
	uint32_t p = coh_pending_new(t, stream, err);
	if (!p)
		return false;
	struct coh_pending *x = &t->pending[p];
	const struct rp_coherence_timing *c = &t->timing;
	x->upgrade = upgrade;
	x->backoff = c->backoff < c->backoff_max ? c->backoff : c->backoff_max;
	if (c->mshrs)
		coh_pending_enter(t, p);
	return coh_schedule(t, c->l1 + c->net, COH_ARRIVAL, stream, s->index, p, err) &&
	       issued(t, stream, err);
}

static bool
join(struct rp_timed *t, uint32_t stream, uint32_t p, struct rp_err *err)
{
	uint32_t with = coh_pending_new(t, stream, err);
	if (!with)
		return false;
	t->count.mshr_merges++;
	coh_pending_join(t, p, with);
	return issued(t, stream, err);
}

static bool
issue(struct rp_timed *t, uint32_t stream, struct rp_err *err)
{
	struct coh_stream *s = &t->stream[stream];
	bool store = coh_is_store(s->rows->kind[s->at]);
	uint32_t in_set = 0, own = 0;
	s->again = false;
	if (t->own)
		own = coh_pending_find(t, stream, s->line, &in_set);
	if (own)
		return !store || t->pending[own].q.store ? join(t, stream, own, err) : stall(t, s);
	enum coh_how how = coh_peek(t->k, s->cache, s->line, store);
	if (how == COH_HIT)
		return hit(t, stream, err);
	if (t->own && (s->used == t->timing.mshrs || in_set >= t->k->geometry.ways))
		return stall(t, s);
	return request(t, stream, how == COH_UPGRADE, err);
}

/* Who joined request p hits now, in that order. */
static bool
complete_joined(struct rp_timed *t, uint32_t p, struct rp_err *err)
{
	struct coh_outcome out;
	for (uint32_t j = t->pending[p].joined, next; j; j = next) {
		struct coh_pending *x = &t->pending[j];
		next = x->next;
		x->q.mask = coh_pending_mask(t, j);
		if (!coh_take_effect(t, x->stream, &x->q, x->index, &out, err))
			return false;
		if (out.how != COH_HIT)
			return rp_fail(
			    err, RP_FAILED, "invariant: a line has gone before its answer came");
		t->done += x->whole;
		complete(t, &t->stream[x->stream], x->tried, 0);
		coh_pending_free(t, j);
	}
	return true;
}

static bool
completed(struct rp_timed *t, uint32_t p, struct rp_err *err)
{
	uint32_t stream = t->pending[p].stream;
	struct coh_stream *s = &t->stream[stream];
	coh_home_release(t, p);
	complete(t, s, t->pending[p].tried, 0);
	if (!complete_joined(t, p, err))
		return false;
	if (t->own)
		coh_pending_leave(t, p);
	coh_pending_free(t, p);
	if (!t->own) {
		if (!go_on(t, stream, 0, err))
			return false;
	} else if (s->stalled && !s->again && !t->stopped) {
		s->again = true;
		if (!coh_schedule(t, 0, COH_ISSUE, stream, s->index, 0, err))
			return false;
	}
	return coh_home_scan(t, err);
}

static bool
start(struct rp_timed *t, struct rp_err *err)
{
	t->started = true;
	for (uint32_t i = 0; i < t->n; i++)
		if (!go_on(t, i, 0, err))
			return false;
	return true;
}

int
rp_timed_run(struct rp_timed *t, uint64_t n, struct rp_err *err)
{
	uint64_t until = t->done + n < n ? UINT64_MAX : t->done + n;
	if (!t->started && !start(t, err))
		return -1;
	while (!coh_events_empty(&t->events) && t->done < until) {
		struct coh_event e = coh_events_pop(&t->events);
		bool ok = true;
		t->now = e.time;
		switch (coh_event_class(&e)) {
		case COH_COMPLETION:
			ok = completed(t, e.pending, err);
			break;
		case COH_ARRIVAL:
			ok = coh_home_arrive(t, e.pending, err);
			break;
		case COH_ISSUE:
			ok = t->stopped || issue(t, coh_event_stream(&e), err);
			break;
		}
		if (!ok)
			return -1;
	}
	return !coh_events_empty(&t->events);
}

uint64_t
rp_timed_done(const struct rp_timed *t)
{
	return t->done;
}

void
rp_timed_stop(struct rp_timed *t)
{
	t->stopped = true;
}

/* ---- Results. ---- */

bool
rp_timed_results(struct rp_timed *t, struct rp_coherence_times *out, struct rp_err *err)
{
	size_t n;
	coh_home_settle(t);
	if (!rp_coherence_caches(t->k, &n, err))
		return false;
	*out = (struct rp_coherence_times){ .count = t->count, .n = n };
	if (!(out->finish = rp_mem_array(n, sizeof *out->finish, err)))
		return false;
	struct rp_coherence_timed *c = &out->count;
	for (size_t i = 0; i < t->n; i++) {
		uint64_t finish = t->stream[i].finish;
		out->finish[t->k->rank[t->stream[i].cache]] = finish;
		if (finish > c->cycles)
			c->cycles = finish;
	}
	unsigned __int128 nearly = (unsigned __int128)9 * t->timing.pending * c->cycles;
	out->table_verdict = !(c->holds_full + c->nacks_full) ? "not limiting"
	                     : (unsigned __int128)10 * c->occupancy_integral >= nearly
	                         ? "bottleneck"
	                         : "bursts";
	return true;
}

bool
rp_timed_check(const struct rp_timed *t, struct rp_err *err)
{
	const struct rp_coherence_timed *c = &t->count;
	const struct rp_coherence_home *h = &t->k->home;
	if (t->entries || t->queue_first)
		return rp_fail(err, RP_FAILED, "invariant: requests are left at the home");
	if (c->occupancy_integral != c->sum_residence)
		return rp_fail(err, RP_FAILED,
		    "invariant: Little's law: occupancy of %" PRIu64
		    " entry cycles is not residence of %" PRIu64,
		    c->occupancy_integral, c->sum_residence);
	if (c->transactions != h->gets + h->getm - t->requests_before)
		return rp_fail(err, RP_FAILED,
		    "invariant: %" PRIu64 " transactions, %" PRIu64 " requests", c->transactions,
		    h->gets + h->getm - t->requests_before);
	if (c->nacks != c->retries || c->nacks != c->nacks_busy + c->nacks_full + c->nacks_dirset)
		return rp_fail(err, RP_FAILED, "invariant: refusals and retries differ");
	if (c->occupancy_max > t->timing.pending)
		return rp_fail(err, RP_FAILED, "invariant: more entries than the table has");
	return true;
}
