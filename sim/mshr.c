/* mshr.c - the pass of stall=count: MSHRs beside a cache whose tags change at once.
 *
 * The model is that of MLCRP's labels: a line is in the tags as soon as it is asked for, so what hits and what is replaced
 * is as without MSHRs, and they only say which lookups found their line on its way. Most lookups find nothing pending of
 * their line, which one head of the table tells. */
#include "config.h"

#include "sim/mshr.h"
#include "sim/cache.h"
#include "sim/pending.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The loops keep what they change in locals, which no function out of line may know of. */
#define INLINE static inline __attribute__((always_inline))

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
	m->now = 1; /* for the clock of the trace it is set when that is seen */
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

/* A lookup that missed or whose line may be pending; an entry that it begins is due then. A write that went past the cache asks for nothing and joins nothing. */
INLINE uint8_t
look(struct rp_pendings *p, const struct rp_mshr *m, uint64_t line, bool store, uint8_t outcome,
    uint64_t due)
{
	if ((outcome & RP_NO_FILL) && store)
		return outcome;
	struct rp_pending *e = rp_pendings_find(p, line);
	if (e) {
		bool joins = e->merged < m->merge;
		e->merged += joins;
		return outcome | (outcome & RP_MISSED ? 0 : RP_MISSED | RP_PRESENT) |
		       (joins ? RP_MERGED : RP_MERGE_FULL);
	}
	if (!(outcome & RP_MISSED))
		return outcome;
	if (rp_pendings_count(p) >= m->entries)
		return outcome | RP_MSHR_FULL;
	if (m->latency)
		rp_pendings_begin(p, line, due);
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

/* What a lookup does whose line is not pending: it begins an entry if it missed and there is room. All is computed and what
 * was not wanted masked out: with few entries they end and begin all the time, which nobody could predict. */
INLINE uint8_t
begin(struct rp_pendings *p, uint64_t line, uint32_t *head, uint8_t outcome, bool store, bool room,
    uint64_t due)
{
	uint32_t at = (uint32_t)(p->end & p->mask), was = *head;
	unsigned passes = outcome / RP_NO_FILL & store, asks = outcome & RP_MISSED & ~passes,
		 begins = asks & room;
	p->ring[at] = (struct rp_pending){ .line = line, .due = due, .next = was };
	*head = was ^ ((was ^ at) & -begins);
	p->end += begins;
	return (uint8_t)(outcome | (asks ^ begins) * RP_MSHR_FULL);
}

#define NEVER (UINT64_C(1) << 62) /* later than any lookup */

/* Time is the number of the lookup, from 1: each begins one entry at most, so no two are due at a time. `rare`: few lookups miss, so
 * a branch on it pays. */
INLINE void
by_lookups(struct rp_mshr *m, const struct rp_lookups *in, uint8_t *restrict outcome,
    struct rp_waits *restrict waits, bool rare)
{
	struct rp_pendings p = m->pending;
	const uint64_t entries = m->entries, start = m->now,
		       latency = m->latency < NEVER ? m->latency : NEVER;
	const uint64_t *line = in->line;
	const uint8_t *store = in->store;
	const size_t n = in->n;
	uint64_t held = 0, count = UINT64_MAX, most = 0;
	size_t steps = 0;
	for (size_t i = 0; i < n; i++) {
		if (p.first == p.end) {
			size_t next = next_miss(outcome, i, n);
			if (next > i) {
				waits->step[steps].from = (uint32_t)i;
				waits->step[steps++].entries = 0;
				count = 0;
			}
			if ((i = next) == n)
				break;
			rp_pendings_first(&p)->due = 0; /* of one that did not begin */
		}
		uint64_t now = start + i, before = count;
		uint32_t *head = &p.head[rp_pendings_hash(line[i], p.shift)];
		p.first += rp_pendings_first(&p)->due == now;
		count = rp_pendings_count(&p);
		bool used = rp_pendings_older(&p, *head) < count;
		if (used || !rare || (outcome[i] & RP_MISSED)) {
			outcome[i] = used
			                 ? look(&p, m, line[i], store[i], outcome[i], now + latency)
			                 : begin(&p, line[i], head, outcome[i], store[i],
					       count < entries, now + latency);
			count = rp_pendings_count(&p);
		}
		held += count;
		waits->step[steps].from = (uint32_t)i;
		waits->step[steps].entries = (uint32_t)count;
		steps += count != before;
	}
	for (size_t i = 0; i < steps; i++)
		most = waits->step[i].entries > most ? waits->step[i].entries : most;
	waits->steps = steps;
	waits->held = held;
	waits->most = (uint32_t)most;
	m->pending = p;
}

static void
by_lookups_rare(struct rp_mshr *m, const struct rp_lookups *in, uint8_t *restrict outcome,
    struct rp_waits *restrict waits)
{
	by_lookups(m, in, outcome, waits, true);
}

static void
by_lookups_often(struct rp_mshr *m, const struct rp_lookups *in, uint8_t *restrict outcome,
    struct rp_waits *restrict waits)
{
	by_lookups(m, in, outcome, waits, false);
}

static size_t
misses_of(const uint8_t *outcome, size_t n)
{
	size_t misses = 0;
	for (size_t i = 0; i < n; i++)
		misses += outcome[i] & RP_MISSED;
	return misses;
}

static void
run_by_lookups(
    struct rp_mshr *m, const struct rp_lookups *in, uint8_t *outcome, struct rp_waits *waits)
{
	if (m->latency) /* else nothing is ever on its way */
		(misses_of(outcome, in->n) < in->n / 4 ? by_lookups_rare : by_lookups_often)(
		    m, in, outcome, waits);
	else
		rp_waits_step(waits, 0, 0);
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
		outcome[i] = look(&m->pending, m, in->line[i], in->store[i], outcome[i],
		    rp_later(m->now, m->latency));
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
	/* One more, to be written before it is known whether it begins. */
	if (!rp_pendings_room(&m->pending, (in->n < free ? in->n : free) + 1, err))
		return false;
	if (m->clock && !rp_mshr_has_time(in, err))
		return false;
	(m->clock ? run_by_clock : run_by_lookups)(m, in, outcome, waits);
	return true;
}
