/* mshr.c - the pass of stall=count: MSHRs beside a cache whose tags change at once.
 *
 * The model is that of MLCRP's labels: a line is in the tags as soon as it is asked for, so what hits and what is replaced
 * is as without MSHRs, and they only say which lookups found their line on its way. Most lookups hit and find nothing
 * pending, which one byte and one head of the table tell; between two events the entries in use are a constant. */
#include "config.h"

#include "sim/mshr.h"
#include "sim/cache.h"
#include "sim/pending.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct rp_mshr {
	uint64_t entries, merge, latency; /* UINT64_MAX: unlimited */
	bool clock, started;
	uint64_t now; /* of the next lookup, at least */
	struct rp_pendings pending;
};

static uint64_t
or_unlimited(uint64_t x)
{
	return x ? x : UINT64_MAX;
}

struct rp_mshr *
rp_mshr_new(const struct rp_mshr_spec *s, struct rp_err *err)
{
	struct rp_mshr *m = rp_mem_array(1, sizeof *m, err);
	if (!m)
		return NULL;
	m->entries = or_unlimited(s->entries);
	m->merge = or_unlimited(s->merge);
	m->latency = s->latency;
	m->clock = s->clock;
	return m;
}

void
rp_mshr_free(struct rp_mshr *m)
{
	if (!m)
		return;
	rp_pendings_free(&m->pending);
	free(m);
}

bool
rp_mshr_has_time(const struct rp_lookups *in, struct rp_err *err)
{
	return in->in->time || rp_fail(err, RP_USAGE,
				   "clock=time: the trace has no time stamps; wanted "
				   "clock=lookups, or a trace with them");
}

/* A lookup that missed or whose line may be pending. A write that went past the cache asks for nothing and joins nothing. */
static inline uint8_t
look(struct rp_mshr *m, uint64_t line, bool store, uint8_t outcome, uint64_t now)
{
	if ((outcome & RP_NO_FILL) && store)
		return outcome;
	struct rp_pending *e = rp_pendings_find(&m->pending, line);
	if (e) {
		bool joins = e->merged < m->merge;
		e->merged += joins;
		return outcome | (outcome & RP_MISSED ? 0 : RP_MISSED | RP_PRESENT) |
		       (joins ? RP_MERGED : RP_MERGE_FULL);
	}
	if (!(outcome & RP_MISSED))
		return outcome;
	if (rp_pendings_count(&m->pending) >= m->entries)
		return outcome | RP_MSHR_FULL;
	if (m->latency)
		rp_pendings_begin(&m->pending, line, rp_later(now, m->latency));
	return outcome;
}

/* The first lookup from i on that missed, or n. */
static size_t
next_miss(const uint8_t *outcome, size_t i, size_t n)
{
	uint64_t eight;
	for (; i + sizeof eight <= n; i += sizeof eight) {
		memcpy(&eight, outcome + i, sizeof eight);
		if (eight & UINT64_C(0x0101010101010101) * RP_MISSED)
			break;
	}
	while (i < n && !(outcome[i] & RP_MISSED))
		i++;
	return i;
}

/* Lookups from .. end - 1 took a unit each, with so many entries in use. */
static void
note(struct rp_waits *waits, size_t from, size_t end, uint64_t entries)
{
	if (from == end)
		return;
	rp_waits_step(waits, from, entries);
	waits->held += entries * (end - from);
}

/* Lookups i, ... before `end`, while entries are pending and none is due: up to and with the first that begins one. */
static size_t
until_event(struct rp_mshr *m, const struct rp_lookups *in, uint8_t *outcome, size_t i, size_t end)
{
	const uint32_t *head = m->pending.head;
	unsigned shift = m->pending.shift;
	for (; i < end; i++) {
		if (!head[rp_pendings_hash(in->line[i], shift)] && !(outcome[i] & RP_MISSED))
			continue;
		uint64_t before = m->pending.end;
		outcome[i] = look(m, in->line[i], in->store[i], outcome[i], m->now + i);
		if (m->pending.end != before)
			break;
	}
	return i;
}

/* The same while all entries are taken, so that none begins. Whether a lookup missed is then no branch, which nobody could
 * predict. */
static size_t
while_full(struct rp_mshr *m, const struct rp_lookups *in, uint8_t *outcome, size_t i, size_t end)
{
	const uint32_t *head = m->pending.head;
	const uint8_t *store = in->store;
	unsigned shift = m->pending.shift;
	for (; i < end; i++) {
		unsigned o = outcome[i], passes = (o & RP_NO_FILL) / RP_NO_FILL & store[i];
		if (head[rp_pendings_hash(in->line[i], shift)])
			outcome[i] = look(m, in->line[i], store[i], outcome[i], m->now + i);
		else
			outcome[i] = (uint8_t)(o | (o & ~passes & RP_MISSED) * RP_MSHR_FULL);
	}
	return i;
}

/* Time is the number of the lookup: m->now + i. */
static void
run_by_lookups(
    struct rp_mshr *m, const struct rp_lookups *in, uint8_t *outcome, struct rp_waits *waits)
{
	struct rp_pendings *p = &m->pending;
	for (size_t i = 0; i < in->n;) {
		size_t from = i, end = in->n;
		while (rp_pendings_count(p) && rp_pendings_first(p)->due <= m->now + i)
			rp_pendings_end(p);
		uint64_t count = rp_pendings_count(p);
		if (count) {
			uint64_t left = rp_pendings_first(p)->due - (m->now + i);
			end = left < end - i ? i + (size_t)left : end;
			i = (count == m->entries ? while_full : until_event)(
			    m, in, outcome, i, end);
		} else {
			i = next_miss(outcome, i, end);
			if (i < end)
				outcome[i] =
				    look(m, in->line[i], in->store[i], outcome[i], m->now + i);
		}
		note(waits, from, i, count);
		if (i < end) {
			note(waits, i, i + 1, rp_pendings_count(p));
			i++;
		}
	}
	waits->time = in->n;
	m->now += in->n;
}

static void
run_by_clock(
    struct rp_mshr *m, const struct rp_lookups *in, uint8_t *outcome, struct rp_waits *waits)
{
	for (size_t i = 0; i < in->n; i++) {
		uint64_t stamp = in->in->time[in->row[i]], from;
		if (!m->started)
			m->now = stamp;
		m->started = true;
		from = m->now;
		uint64_t before = rp_pendings_count(&m->pending);
		uint64_t held =
		    rp_pendings_pass(&m->pending, &m->now, stamp > from ? stamp : from, NULL, NULL);
		outcome[i] = look(m, in->line[i], in->store[i], outcome[i], m->now);
		uint64_t after = rp_pendings_count(&m->pending);
		held += rp_pendings_pass(&m->pending, &m->now, rp_later(m->now, 1), NULL, NULL);
		rp_waits_put(waits, i, m->now - from, held, before > after ? before : after);
	}
}

bool
rp_mshr_run(struct rp_mshr *m, const struct rp_lookups *in, uint8_t *outcome,
    struct rp_waits *waits, struct rp_err *err)
{
	uint64_t free = m->entries - rp_pendings_count(&m->pending);
	rp_waits_begin(waits, m->clock);
	if (!rp_pendings_room(&m->pending, in->n < free ? in->n : free, err))
		return false;
	if (m->clock && !rp_mshr_has_time(in, err))
		return false;
	(m->clock ? run_by_clock : run_by_lookups)(m, in, outcome, waits);
	return true;
}
