/* replay.c - batches through several caches in one pass, with warm-up, intervals and counters by stream.
 *
 * Caches of one line and sector size form a group, for which a batch is turned into lookups once. A group goes through the
 * whole batch by itself, in chunks that end where counting changes: so every chunk lies within the warm-up or within one
 * interval.
 *
 * If a policy wants the future, batches are kept in a spool; when the trace has ended they are shown, the last one first, to
 * the futures of the groups that want theirs, and then the spool is replayed. */
#include "config.h"

#include "sim/replay.h"
#include "sim/future.h"
#include "sim/gpu/cache.h"
#include "sim/module.h"
#include "sim/observe/ranking.h"
#include "sim/streams.h"
#include "sim/tally.h"

#include "base/mem.h"
#include "traces/spool.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SLICE = 32 }; /* batches of a spool at a time */

struct unit {
	struct rp_module *module;
	struct rp_tally tally;
	struct rp_counters total;
	struct rp_counters *snapshot; /* the total at the end of each interval */
	struct rp_counters *stream;   /* by the stream's number */
	size_t streams;               /* room */
	uint64_t
	    most; /* mshr_occupancy_max of closed intervals; the total has that of the open one */
	struct rp_ranking *ranking; /* NULL: not asked for */
	bool replaced;
};

struct group {
	struct rp_expand *expand;
	struct rp_future *future; /* NULL: no policy wants it */
	size_t *unit;             /* numbers of its caches */
	size_t units;
	uint64_t began; /* accesses, warm-up included, that have begun */
	uint64_t bypassed;
	size_t intervals; /* closed */
};

struct rp_replay {
	struct rp_replay_opts o;
	struct unit *unit;
	size_t units;
	struct group *group;
	size_t groups;
	size_t *numbers; /* what the groups' lists point into */
	struct rp_streams *streams;
	struct rp_spool *spool; /* NULL: no policy wants the future */
	bool unwound, rewound;  /* the spool is read backwards, is replayed */
	size_t interval_room;
	bool ended;
	struct rp_result result; /* of the chunk at hand */
};

/* Whether writes pass a cache of the group, so that their bytes count. */
static bool
wants_bytes(const struct group *g, const struct rp_cache_spec *specs)
{
	for (size_t i = 0; i < g->units; i++)
		if (rp_cache_spec_passes(&specs[g->unit[i]]))
			return true;
	return false;
}

/* If a policy of the group wants the future: what will tell it, and where rows are kept until then. */
static bool
foresee(struct rp_replay *r, struct group *g, const struct rp_cache_spec *specs, struct rp_err *err)
{
	const struct rp_cache_spec *s = &specs[g->unit[0]];
	bool wanted = false;
	for (size_t i = 0; i < g->units; i++)
		wanted |= specs[g->unit[i]].policy->future;
	if (!wanted)
		return true;
	g->future = rp_future_new(rp_cache_spec_unit_bits(s), rp_cache_spec_shift(s),
	    r->o.keep_bypassed, r->o.level, err);
	if (g->future && !r->spool)
		r->spool = rp_spool_new(err);
	return g->future && r->spool;
}

/* Whether two caches may be of a group: what they look up is the same, and the lines of it, which the future is of. */
static bool
alike(const struct rp_cache_spec *a, const struct rp_cache_spec *b)
{
	return a->line == b->line && a->sector == b->sector;
}

/* A group for each line and sector size, in the order they come up. */
static bool
make_groups(struct rp_replay *r, const struct rp_cache_spec *specs, struct rp_err *err)
{
	size_t used = 0;
	for (size_t first = 0; first < r->units; first++) {
		struct group *g = &r->group[r->groups];
		size_t i = 0;
		while (!alike(&specs[i], &specs[first]))
			i++;
		if (i < first)
			continue; /* has one */
		g->unit = r->numbers + used;
		for (i = first; i < r->units; i++)
			if (alike(&specs[i], &specs[first]))
				g->unit[g->units++] = i;
		used += g->units;
		r->groups++;
		g->expand = rp_expand_new(rp_cache_spec_unit_bits(&specs[first]),
		    wants_bytes(g, specs), r->o.keep_bypassed, r->o.level, err);
		if (!g->expand || !foresee(r, g, specs, err))
			return false;
	}
	return true;
}

static bool
open_ranking(struct unit *u, const struct rp_replay_opts *o, struct rp_err *err)
{
	return !o->top || (u->ranking = rp_ranking_new(
			       u->tally.spec, o->by, o->once, o->top, o->interval, err));
}

static bool
open_units(struct rp_replay *r, const struct rp_cache_spec *specs, struct rp_err *err)
{
	struct rp_module **modules = rp_mem_array(r->units + 1, sizeof *modules, err);
	const struct rp_module_opts o = { .level = r->o.level,
		.trace = r->o.trace,
		/* A write-back belongs to the line that left. */
		.victims = r->o.top && r->o.by == RP_TOP_LINE,
		.beside = modules };
	bool ok = modules;
	for (size_t i = 0; ok && i < r->units; i++) {
		struct unit *u = &r->unit[i];
		u->tally = (struct rp_tally){ .spec = &specs[i], .once = r->o.once };
		modules[i] = u->module = rp_module_new(&specs[i], &o, err);
		ok = u->module && open_ranking(u, &r->o, err);
	}
	free(modules);
	return ok;
}

struct rp_replay *
rp_replay_new(
    const struct rp_cache_spec *specs, size_t n, const struct rp_replay_opts *o, struct rp_err *err)
{
	struct rp_replay *r = rp_mem_array(1, sizeof *r, err);
	if (!r)
		return NULL;
	r->o = *o;
	r->unit = rp_mem_array(n, sizeof *r->unit, err);
	r->group = rp_mem_array(n + 1, sizeof *r->group, err);
	r->numbers = rp_mem_array(n, sizeof *r->numbers, err);
	r->units = r->unit ? n : 0;
	if (!r->unit || !r->group || !r->numbers)
		goto bad;
	if (o->by_stream && !(r->streams = rp_streams_new(err)))
		goto bad;
	if (open_units(r, specs, err) && make_groups(r, specs, err))
		return r;
bad:
	rp_replay_free(r);
	return NULL;
}

void
rp_replay_free(struct rp_replay *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->units; i++) {
		rp_module_free(r->unit[i].module);
		free(r->unit[i].snapshot);
		free(r->unit[i].stream);
		rp_ranking_free(r->unit[i].ranking);
	}
	for (size_t i = 0; i < r->groups; i++) {
		rp_expand_free(r->group[i].expand);
		rp_future_free(r->group[i].future);
	}
	rp_spool_free(r->spool);
	rp_streams_free(r->streams);
	free(r->unit);
	free(r->group);
	free(r->numbers);
	free(r);
}

/* Room for `n` elements of `size` behind *p, of which `have` are there; new ones are zero. */
static bool
make_room(struct rp_counters **p, size_t have, size_t n, struct rp_err *err)
{
	struct rp_counters *grown = rp_mem_grow(*p, n, sizeof **p, err);
	if (!grown)
		return false;
	for (size_t i = have; i < n; i++)
		grown[i] = (struct rp_counters){ 0 };
	*p = grown;
	return true;
}

static bool
stream_room(struct rp_replay *r, struct rp_err *err)
{
	size_t n = rp_streams_count(r->streams);
	for (size_t i = 0; i < r->units; i++) {
		struct unit *u = &r->unit[i];
		size_t room = u->streams ? u->streams : 16;
		while (room < n)
			room *= 2;
		if (room == u->streams)
			continue;
		if (!make_room(&u->stream, u->streams, room, err))
			return false;
		u->streams = room;
	}
	return true;
}

static uint64_t
greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* `again`: of an interval that had one. */
static void
take_snapshots(struct rp_replay *r, const struct group *g, size_t interval, bool again)
{
	for (size_t i = 0; i < g->units; i++) {
		struct unit *u = &r->unit[g->unit[i]];
		struct rp_counters *s = &u->snapshot[interval];
		uint64_t most =
		    greater(again ? s->mshr_occupancy_max : 0, u->total.mshr_occupancy_max);
		*s = u->total;
		s->mshr_occupancy_max = most;
		u->most = greater(u->most, most);
		u->total.mshr_occupancy_max = 0;
	}
}

static bool
close_interval(struct rp_replay *r, struct group *g, struct rp_err *err)
{
	if (g->intervals == r->interval_room) {
		size_t room = r->interval_room ? 2 * r->interval_room : 16;
		for (size_t i = 0; i < r->units; i++)
			if (!make_room(&r->unit[i].snapshot, r->interval_room, room, err))
				return false;
		r->interval_room = room;
	}
	take_snapshots(r, g, g->intervals, false);
	for (size_t i = 0; i < g->units; i++) {
		struct rp_ranking *ranking = r->unit[g->unit[i]].ranking;
		if (ranking && !rp_ranking_close(ranking, err))
			return false;
	}
	g->intervals++;
	return true;
}

static bool
warming(const struct rp_replay *r, const struct group *g)
{
	return g->began < r->o.warmup;
}

static uint64_t
counted(const struct rp_replay *r, const struct group *g)
{
	return g->began - r->o.warmup;
}

/* Accesses that may begin before counting changes: the warm-up or an interval ends. */
static uint64_t
until_change(const struct rp_replay *r, const struct group *g)
{
	if (warming(r, g))
		return r->o.warmup - g->began;
	return r->o.interval ? r->o.interval - counted(r, g) % r->o.interval : UINT64_MAX;
}

/* Write-backs of a mark: to the total and the mark's stream. */
static void
count_writebacks(struct unit *u, uint64_t n, struct rp_counters *stream)
{
	uint64_t bytes = rp_module_back_bytes(u->module);
	rp_tally_back(&u->tally, n, bytes, &u->total);
	if (stream)
		rp_tally_back(&u->tally, n, bytes, stream);
}

/* What happens between two accesses. */
static bool
mark(struct rp_replay *r, struct group *g, const struct rp_batch *b, size_t row,
    const uint32_t *slot, struct rp_err *err)
{
	for (size_t i = 0; i < g->units; i++) {
		struct unit *u = &r->unit[g->unit[i]];
		uint64_t n;
		if (!rp_module_mark(u->module, b, row, &n, err))
			return false;
		if (n && !warming(r, g))
			count_writebacks(u, n, slot ? &u->stream[slot[row]] : NULL);
	}
	return true;
}

static void
look_for_replaced(struct unit *u, const uint8_t *outcome, size_t n)
{
	uint8_t all = 0;
	for (size_t i = 0; i < n; i++)
		all |= outcome[i];
	u->replaced = all & RP_EVICTED;
}

static bool
run_chunk(struct rp_replay *r, struct group *g, const struct rp_lookups *in, bool count,
    const uint32_t *slot, struct rp_err *err)
{
	for (size_t i = 0; i < g->units; i++) {
		struct unit *u = &r->unit[g->unit[i]];
		if (!rp_module_run(u->module, in, &r->result, NULL, err))
			return false;
		if (!u->replaced)
			look_for_replaced(u, r->result.outcome, in->n);
		if (!count)
			continue;
		rp_tally_chunk(&u->tally, in, &r->result, &u->total);
		if (slot)
			rp_tally_streams(&u->tally, in, &r->result, slot, u->stream);
		if (u->ranking && !rp_ranking_chunk(u->ranking, in, r->result.outcome,
				      r->result.class, r->result.victim, err))
			return false;
	}
	return true;
}

static bool
run_group(struct rp_replay *r, struct group *g, const struct rp_batch *b, const uint32_t *slot,
    struct rp_err *err)
{
	size_t row = 0;
	while (row < b->n) {
		if (b->kind[row] >= RP_MARKS) {
			if (!mark(r, g, b, row++, slot, err))
				return false;
			continue;
		}
		bool fresh = !rp_expand_open(g->expand);
		if (fresh && r->o.interval && !warming(r, g) && counted(r, g) &&
		    counted(r, g) / r->o.interval > g->intervals && !close_interval(r, g, err))
			return false;
		/* An access that goes on from the chunk before belongs to where it began. */
		bool count = fresh ? !warming(r, g) : g->began > r->o.warmup;
		struct rp_lookups in =
		    *rp_expand_next(g->expand, b, &row, fresh ? until_change(r, g) : 0);
		if ((g->future && !rp_future_next(g->future, &in, err)) ||
		    !run_chunk(r, g, &in, count, slot, err))
			return false;
		g->began += in.accesses;
		g->bypassed += in.bypassed;
	}
	return true;
}

static bool
check_laws(const struct rp_replay *r, struct rp_err *err)
{
	for (size_t i = 0; i < r->units; i++) {
		const struct unit *u = &r->unit[i];
		struct rp_counters c;
		rp_replay_counters(r, i, &c);
		const char *law =
		    rp_counters_broken(&c, rp_cache_spec_counts(u->tally.spec), r->o.once);
		if (law)
			return rp_fail(err, RP_FAILED,
			    "cache %zu: counters break the law '%s': please report this", i, law);
	}
	return true;
}

static bool
replay_batch(struct rp_replay *r, const struct rp_batch *b, struct rp_err *err)
{
	const uint32_t *slot = NULL;
	if (r->streams && (!(slot = rp_streams_slots(r->streams, b, err)) || !stream_room(r, err)))
		return false;
	for (size_t i = 0; i < r->groups; i++)
		if (!run_group(r, &r->group[i], b, slot, err))
			return false;
	return check_laws(r, err);
}

bool
rp_replay_run(struct rp_replay *r, const struct rp_batch *b, struct rp_err *err)
{
	return r->spool ? rp_spool_put(r->spool, b, err) : replay_batch(r, b, err);
}

/* The future is known: the groups are told, and the spool begins anew. */
static int
begin_again(struct rp_replay *r, struct rp_err *err)
{
	for (size_t i = 0; i < r->groups; i++)
		if (r->group[i].future)
			rp_future_known(r->group[i].future);
	r->rewound = rp_spool_rewind(r->spool, err);
	return r->rewound ? 1 : -1;
}

/* Some batches back towards the beginning: as rp_replay_more. */
static int
turn(struct rp_replay *r, struct rp_err *err)
{
	if (!r->unwound && !(r->unwound = rp_spool_unwind(r->spool, err)))
		return -1;
	for (int n = 0; n < SLICE; n++) {
		const struct rp_batch *b = rp_spool_before(r->spool, err);
		if (!b)
			return err->code ? -1 : begin_again(r, err);
		for (size_t i = 0; i < r->groups; i++)
			if (r->group[i].future && !rp_future_before(r->group[i].future, b, err))
				return -1;
	}
	return 1;
}

int
rp_replay_more(struct rp_replay *r, struct rp_err *err)
{
	bool stopped = r->o.stop && *r->o.stop;
	if (!r->spool || r->ended || (stopped && r->rewound))
		return 0;
	if (stopped) {
		rp_fail(err, RP_STOPPED,
		    "interrupted before the future was known, which opt needs: no results");
		return -1;
	}
	if (!r->rewound)
		return turn(r, err);
	const struct rp_batch *b = rp_spool_next(r->spool, err);
	if (!b)
		return err->code ? -1 : 0;
	return replay_batch(r, b, err) ? 1 : -1;
}

uint64_t
rp_replay_spilled(const struct rp_replay *r)
{
	uint64_t n = r->spool ? rp_spool_bytes(r->spool) : 0;
	for (size_t i = 0; i < r->groups; i++)
		n += r->group[i].future ? rp_future_bytes(r->group[i].future) : 0;
	return n;
}

static bool
equal(const struct rp_counters *a, const struct rp_counters *b)
{
#define DIFFERS(group, name, unit, what)                                                           \
	if (a->name != b->name)                                                                    \
		return false;
	RP_COUNTERS(DIFFERS, RP_COUNTER_NOTHING, RP_COUNTER_NOTHING)
	return true;
}

static bool
check_streams(const struct rp_replay *r, struct rp_err *err)
{
	for (size_t i = 0; r->streams && i < r->units; i++) {
		struct rp_counters sum = { 0 }, total;
		rp_replay_counters(r, i, &total);
		unsigned groups = rp_cache_spec_counts(r->unit[i].tally.spec);
		for (size_t k = 0; k < rp_streams_count(r->streams); k++) {
			const char *law =
			    rp_counters_broken(&r->unit[i].stream[k], groups, r->o.once);
			if (law)
				return rp_fail(err, RP_FAILED,
				    "cache %zu: a stream breaks the law '%s': please report this",
				    i, law);
			rp_counters_add(&sum, &r->unit[i].stream[k]);
		}
		if (!equal(&sum, &total))
			return rp_fail(err, RP_FAILED,
			    "cache %zu: the streams do not sum to the total: please report this",
			    i);
	}
	return true;
}

/* What is dirty goes down at the end; no stream did it. */
static void
flush(struct rp_replay *r, const struct group *g)
{
	for (size_t i = 0; i < g->units; i++) {
		struct unit *u = &r->unit[g->unit[i]];
		uint64_t n = rp_module_flush(u->module);
		if (n && !warming(r, g))
			count_writebacks(u, n, NULL);
	}
}

/* The last interval ends with the trace: one of its own if accesses are left over, else the one before takes the flush. */
static bool
end_intervals(struct rp_replay *r, struct group *g, struct rp_err *err)
{
	if (warming(r, g) || !r->o.interval)
		return true;
	if (counted(r, g) > g->intervals * r->o.interval)
		return close_interval(r, g, err);
	if (g->intervals)
		take_snapshots(r, g, g->intervals - 1, true);
	return true;
}

bool
rp_replay_end(struct rp_replay *r, struct rp_err *err)
{
	int more = 1;
	if (r->ended)
		return true;
	while (more > 0)
		more = rp_replay_more(r, err);
	if (more < 0 || !check_streams(r, err))
		return false;
	for (size_t i = 0; i < r->groups; i++) {
		if (r->o.flush)
			flush(r, &r->group[i]);
		if (!end_intervals(r, &r->group[i], err))
			return false;
	}
	r->ended = true;
	return check_laws(r, err);
}

void
rp_replay_counters(const struct rp_replay *r, size_t cache, struct rp_counters *out)
{
	*out = r->unit[cache].total;
	out->mshr_occupancy_max = greater(out->mshr_occupancy_max, r->unit[cache].most);
}

size_t
rp_replay_intervals(const struct rp_replay *r)
{
	return r->groups ? r->group[0].intervals : 0;
}

void
rp_replay_interval(
    const struct rp_replay *r, size_t cache, size_t interval, struct rp_counters *out)
{
	static const struct rp_counters zero;
	const struct rp_counters *s = r->unit[cache].snapshot;
	rp_counters_sub(out, &s[interval], interval ? &s[interval - 1] : &zero);
}

size_t
rp_replay_streams(const struct rp_replay *r)
{
	return r->streams ? rp_streams_count(r->streams) : 0;
}

uint32_t
rp_replay_stream(const struct rp_replay *r, size_t k)
{
	uint32_t number;
	return rp_streams_sorted(r->streams, k, &number);
}

void
rp_replay_stream_counters(
    const struct rp_replay *r, size_t cache, size_t k, struct rp_counters *out)
{
	uint32_t number;
	rp_streams_sorted(r->streams, k, &number);
	*out = r->unit[cache].stream[number];
}

size_t
rp_replay_top(const struct rp_replay *r, size_t cache, struct rp_top_row *rows)
{
	return rp_ranking_best(r->unit[cache].ranking, rows);
}

size_t
rp_replay_interval_top(
    const struct rp_replay *r, size_t cache, size_t interval, struct rp_top_row *rows)
{
	return rp_ranking_interval(r->unit[cache].ranking, interval, rows);
}

uint64_t
rp_replay_top_keys(const struct rp_replay *r, size_t cache)
{
	return rp_ranking_keys(r->unit[cache].ranking);
}

uint64_t
rp_replay_accesses(const struct rp_replay *r)
{
	return r->groups ? r->group[0].began : 0;
}

uint64_t
rp_replay_bypassed(const struct rp_replay *r)
{
	return r->groups ? r->group[0].bypassed : 0;
}

bool
rp_replay_never_replaced(const struct rp_replay *r, size_t cache)
{
	return !r->unit[cache].replaced;
}
