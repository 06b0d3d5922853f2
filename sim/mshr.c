/* mshr.c - the pass of stall=count: MSHRs beside a cache whose tags change at once.
 *
 * The model is that of MLCRP's labels: a line is in the tags as soon as it is asked for, so what hits and what is replaced
 * is as without MSHRs, and they only say which lookups found their line on its way. If entries are few that is found by
 * windows (sim/mshr_loop.h), else lookup by lookup, in a table. */
#include "config.h"

#include "sim/mshr.h"
#include "sim/mshr_state.h"

#include "base/mem.h"

#include <stdlib.h>

/* Windows are for entries up to so many, and chunks of at least so many lookups: all keys are computed, all entries looked for. */
enum { ENTRIES_MOST = 256, LOOKUPS_LEAST = 64 };

#define NEVER (UINT64_C(1) << 62) /* later than any lookup */

static uint64_t
or_unlimited(uint64_t x)
{
	return x ? x : UINT64_MAX;
}

struct rp_mshr *
rp_mshr_new(const struct rp_mshr_spec *s, enum rp_level level, struct rp_err *err)
{
	struct rp_mshr *m = rp_mem_array(1, sizeof *m, err);
	if (!m)
		return NULL;
	m->entries = or_unlimited(s->entries);
	m->merge = or_unlimited(s->merge);
	m->latency = s->clock || s->latency < NEVER ? s->latency : NEVER;
	m->kernels = rp_kernels_of(level);
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

/* One lookup; an entry that it begins is due then. */
static uint8_t
look(struct rp_mshr *m, const struct rp_lookups *in, size_t i, uint8_t outcome, uint64_t due)
{
	struct rp_pendings *p = &m->pending;
	if (rp_mshr_passes(in, i, outcome))
		return outcome;
	struct rp_pending *e = rp_pendings_find(p, in->line[i]);
	if (e)
		return rp_mshr_joined(m, e, outcome);
	if (!(outcome & RP_MISSED))
		return outcome;
	if (rp_pendings_count(p) >= m->entries)
		return outcome | RP_MSHR_FULL;
	if (m->latency)
		rp_pendings_begin(p, in->line[i], due);
	return outcome;
}

/* Time is the number of the lookup, from 1: each begins one entry at most, so no two are due at a time. */
static void
by_lookups(struct rp_mshr *m, const struct rp_lookups *in, uint8_t *outcome, struct rp_waits *waits)
{
	struct rp_pendings *p = &m->pending;
	rp_pendings_chain(p);
	for (size_t i = 0; i < in->n; i++) {
		uint64_t now = m->now + i, end = p->end,
			 ends = rp_pendings_count(p) && rp_pendings_first(p)->due == now, count;
		p->first += ends;
		outcome[i] = look(m, in, i, outcome[i], now + m->latency);
		count = rp_pendings_count(p);
		waits->held += count;
		waits->most = count > waits->most ? (uint32_t)count : waits->most;
		if (i % 64 == 0)
			waits->began[i / 64] = waits->ended[i / 64] = 0;
		waits->began[i / 64] |= (p->end - end) << i % 64;
		waits->ended[i / 64] |= ends << i % 64;
	}
}

static void
run_by_lookups(
    struct rp_mshr *m, const struct rp_lookups *in, uint8_t *outcome, struct rp_waits *waits)
{
	uint64_t most = m->entries < m->latency ? m->entries : m->latency;
	bool windows = in->n >= LOOKUPS_LEAST && most && most <= ENTRIES_MOST;
	waits->before = rp_pendings_count(&m->pending);
	(windows ? m->kernels->mshr : by_lookups)(m, in, outcome, waits);
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
		outcome[i] = look(m, in, i, outcome[i], rp_later(m->now, m->latency));
		uint64_t after = rp_pendings_count(&m->pending);
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
