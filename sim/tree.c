/* tree.c - a hierarchy of caches: its instances, what is counted when.
 *
 * Instances are made when a stream that they serve comes up. A batch is cut into segments that lie between marks and within
 * the warm-up or one interval; a segment goes through all levels before the next begins. */
#include "config.h"

#include "sim/tree.h"
#include "sim/coherence/coherence.h"
#include "sim/tree_state.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROWS_MOST = 4096, /* of a segment */
	/* A row of more lines than this is done by itself, a lookup at a time, so that what is on its way has a bound; and where
	 * a line of one level is so many of another's, segments are shorter. */
	LINES_MOST = 64
};

/* Whether writes may pass a level. */
static bool
wants_bytes(const struct rp_level_spec *l)
{
	return rp_cache_spec_passes(&l->cache) || l->inclusion == RP_EXCLUSIVE;
}

static int
by_depth(const void *a, const void *b, void *spec)
{
	const struct rp_level_spec *l = spec, *x = &l[*(const size_t *)a],
				   *y = &l[*(const size_t *)b];
	return (x->depth > y->depth) - (x->depth < y->depth);
}

/* The level where everything enters, whatever its kind and stream. */
static int
only_entry(const struct rp_tree_spec *s)
{
	int only = RP_MEMORY;
	for (size_t i = 0; i < s->levels; i++) {
		const struct rp_level_spec *l = &s->level[i];
		if (l->kinds || l->share == RP_SHARE_GROUPS)
			return RP_MEMORY;
		if (l->depth == 1 && only != RP_MEMORY)
			return RP_MEMORY;
		if (l->depth == 1)
			only = (int)i;
	}
	return only;
}

static bool
open_level(struct rp_tree *t, size_t i, struct rp_err *err)
{
	struct level *l = &t->level[i];
	l->spec = &t->spec->level[i];
	l->line_bits = rp_cache_spec_unit_bits(&l->spec->cache);
	l->slices = rp_slices_of(l->spec);
	l->wants_bytes = wants_bytes(l->spec);
	l->expand = rp_expand_new(l->line_bits, l->wants_bytes, true, t->o.level, err);
	if (l->spec->coherence && !(l->coherence = rp_coherence_new(l->spec->coherence, err)))
		return false;
	if (!l->expand || !t->o.top)
		return l->expand;
	bool once = t->o.once && l->spec->depth == 1;
	l->ranking = rp_ranking_new(&l->spec->cache, t->o.by, once, t->o.top, t->o.interval, err);
	return l->ranking;
}

static void
choose_segments(struct rp_tree *t)
{
	unsigned most = 0;
	t->least_bits = 63;
	for (size_t i = 0; i < t->levels; i++) {
		unsigned bits = t->level[i].line_bits;
		t->least_bits = bits < t->least_bits ? bits : t->least_bits;
		most = bits > most ? bits : most;
	}
	uint64_t ratio = (UINT64_C(1) << (most - t->least_bits)) / LINES_MOST;
	t->rows_most = ratio < 1 ? ROWS_MOST : ratio >= ROWS_MOST ? 1 : ROWS_MOST / ratio;
}

struct rp_tree *
rp_tree_new(const struct rp_tree_spec *s, const struct rp_tree_opts *o, struct rp_err *err)
{
	struct rp_tree *t = rp_mem_array(1, sizeof *t, err);
	if (!t)
		return NULL;
	t->spec = s;
	t->o = *o;
	t->one_by_one = o->single || !rp_tree_flows_down(s);
	t->only = only_entry(s);
	t->no_groups = true;
	for (size_t i = 0; i < s->levels; i++)
		t->no_groups &= s->level[i].share != RP_SHARE_GROUPS;
	t->level = rp_mem_array(s->levels, sizeof *t->level, err);
	t->order = rp_mem_array(s->levels, sizeof *t->order, err);
	t->streams = rp_streams_new(err);
	if (!t->level || !t->order || !t->streams)
		goto bad;
	t->levels = s->levels;
	for (size_t i = 0; i < s->levels; i++) {
		t->order[i] = i;
		if (!open_level(t, i, err))
			goto bad;
	}
	qsort_r(t->order, s->levels, sizeof *t->order, by_depth, s->level);
	choose_segments(t);
	return t;
bad:
	rp_tree_free(t);
	return NULL;
}

static void
free_instance(struct instance *in, uint32_t slices)
{
	for (uint32_t s = 0; in->unit && s < slices; s++)
		rp_module_free(in->unit[s].module);
	free(in->unit);
	free(in->above);
	free(in);
}

static void
free_level(struct level *l)
{
	for (size_t i = 0; i < l->instances; i++)
		free_instance(l->instance[i], l->slices.n);
	free(l->instance);
	rp_map_free(&l->index);
	rp_expand_free(l->expand);
	free(l->of);
	free(l->below);
	free(l->stream);
	free(l->snapshot);
	rp_ranking_free(l->ranking);
	rp_coherence_free(l->coherence);
	tree_flow_free(l);
	rp_batch_free(l->one);
	rp_requests_free(&l->asks);
}

void
rp_tree_free(struct rp_tree *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->levels; i++)
		free_level(&t->level[i]);
	free(t->level);
	free(t->order);
	free(t->entry);
	free(t->entered_stream);
	rp_batch_free(t->row);
	free(t->ranked);
	free(t->scratch.at);
	free(t->ends.at);
	free(t->by_row.at);
	free(t->cause.at);
	free(t->listed);
	rp_streams_free(t->streams);
	rp_requests_free(&t->asks);
	free(t);
}

static struct instance *
new_instance(struct rp_tree *t, size_t level, uint32_t number, struct rp_err *err)
{
	struct level *l = &t->level[level];
	const struct rp_module_opts o = { .level = t->o.level,
		.requests = true,
		.victims = t->o.top && t->o.by == RP_TOP_LINE,
		.trace = t->o.trace,
		.system = l->coherence,
		.number = number };
	struct instance *in = rp_mem_array(1, sizeof *in, err);
	if (!in)
		return NULL;
	in->number = number;
	in->level = level;
	in->unit = rp_mem_array(l->slices.n, sizeof *in->unit, err);
	for (uint32_t s = 0; in->unit && s < l->slices.n; s++) {
		struct unit *u = &in->unit[s];
		u->slice = s;
		u->tally = (struct rp_tally){ .spec = &l->spec->cache,
			.once = t->o.once && l->spec->depth == 1 };
		if (!(u->module = rp_module_new(&l->spec->cache, &o, err)))
			goto bad;
	}
	if (in->unit)
		return in;
bad:
	free_instance(in, l->slices.n);
	return NULL;
}

/* The instance of that number, made if it is not there yet. */
static struct instance *
instance_of(struct rp_tree *t, size_t level, uint32_t number, size_t *place, struct rp_err *err)
{
	struct level *l = &t->level[level];
	uint64_t *at = rp_map_at(&l->index, number, err);
	if (!at)
		return NULL;
	if (!*at) {
		struct instance **grown =
		    rp_mem_grow(l->instance, l->instances + 1, sizeof(struct instance *), err);
		if (!grown)
			return NULL;
		l->instance = grown;
		if (!(grown[l->instances] = new_instance(t, level, number, err)))
			return NULL;
		*at = ++l->instances;
	}
	*place = *at;
	return l->instance[*at - 1];
}

static bool
link_above(struct instance *in, struct instance *below, struct rp_err *err)
{
	struct instance **grown =
	    rp_mem_grow(below->above, below->n_above + 1, sizeof(struct instance *), err);
	if (!grown)
		return false;
	below->above = grown;
	grown[below->n_above++] = in;
	in->below = below;
	return true;
}

/* Sends what an instance's stream `name` asks of the level below to the instance there that serves it: for all its streams
 * the same. */
static bool
link_stream(struct rp_tree *t, size_t level, uint32_t slot, uint32_t name, struct rp_err *err)
{
	struct level *l = &t->level[level];
	int to = l->below[slot];
	if (!l->of[slot])
		return true;
	struct instance *in = l->instance[l->of[slot] - 1];
	struct instance *below =
	    to == RP_MEMORY ? NULL : t->level[to].instance[t->level[to].of[slot] - 1];
	if (in->linked && in->below != below)
		return rp_fail(err, RP_INPUT,
		    "%s:%u: streams that share one %s do not share one cache below it (stream "
		    "%" PRIu32 ")",
		    t->spec->path, l->spec->line, l->spec->name, name);
	if (!in->linked && below && !link_above(in, below, err))
		return false;
	if (!in->linked)
		in->slot = slot;
	in->linked = true;
	return true;
}

static bool
add_stream(struct rp_tree *t, uint32_t slot, uint32_t name, struct rp_err *err)
{
	for (size_t i = 0; i < t->levels; i++) {
		uint32_t number = rp_level_instance(&t->spec->level[i], name);
		size_t place = 0;
		if (number != UINT32_MAX || t->spec->level[i].share != RP_SHARE_GROUPS) {
			if (!instance_of(t, i, number, &place, err))
				return false;
		}
		t->level[i].of[slot] = (uint32_t)place;
		t->level[i].below[slot] = rp_tree_below(t->spec, (int)i, name);
	}
	for (size_t i = 0; i < t->levels; i++)
		if (!link_stream(t, i, slot, name, err))
			return false;
	for (unsigned kind = 0; kind < RP_KINDS; kind++)
		t->entry[(size_t)slot * RP_KINDS + kind] = rp_tree_entry(t->spec, kind, name);
	return true;
}

/* Grows an array by stream's number; what is new is zero. */
#define GROW(field, each)                                                                          \
	do {                                                                                       \
		void *grown = rp_mem_grow((field), room * (each), sizeof *(field), err);           \
		if (!grown)                                                                        \
			return false;                                                              \
		(field) = grown;                                                                   \
		memset((field) + t->slot_room * (each), 0,                                         \
		    (room - t->slot_room) * (each) * sizeof *(field));                             \
	} while (0)

static bool
slot_room(struct rp_tree *t, size_t n, struct rp_err *err)
{
	size_t room = t->slot_room ? t->slot_room : 16;
	if (n <= t->slot_room)
		return true;
	while (room < n)
		room *= 2;
	for (size_t i = 0; i < t->levels; i++) {
		struct level *l = &t->level[i];
		GROW(l->of, 1);
		GROW(l->below, 1);
		if (t->o.by_stream)
			GROW(l->stream, 1);
	}
	GROW(t->entry, RP_KINDS);
	if (t->o.by_stream)
		GROW(t->entered_stream, 1);
	t->slot_room = room;
	return true;
}

/* The streams of a batch: their numbers by row, with all that there is for each. */
static bool
meet_streams(struct rp_tree *t, const struct rp_batch *b, struct rp_err *err)
{
	if (!(t->slot = rp_streams_slots(t->streams, b, err)))
		return false;
	size_t n = rp_streams_count(t->streams);
	if (!slot_room(t, n, err))
		return false;
	for (; t->slots < n; t->slots++)
		if (!add_stream(t, (uint32_t)t->slots,
			rp_streams_name(t->streams, (uint32_t)t->slots), err))
			return false;
	return true;
}

static bool
warming(const struct rp_tree *t)
{
	return t->began < t->o.warmup;
}

static void
take_snapshots(struct rp_tree *t, size_t interval, bool again)
{
	for (size_t i = 0; i < t->levels; i++) {
		struct level *l = &t->level[i];
		uint64_t most = again ? l->snapshot[interval].mshr_occupancy_max : 0;
		l->snapshot[interval] = tree_sum(t, i, false);
		l->snapshot[interval].entered = tree_entered(t);
		if (most > l->snapshot[interval].mshr_occupancy_max)
			l->snapshot[interval].mshr_occupancy_max = most;
		for (size_t k = 0; k < tree_units(l); k++) {
			struct unit *u = tree_unit(l, k);
			if (u->total.mshr_occupancy_max > u->most)
				u->most = u->total.mshr_occupancy_max;
			u->total.mshr_occupancy_max = 0;
		}
	}
}

static bool
close_interval(struct rp_tree *t, struct rp_err *err)
{
	if (t->intervals == t->interval_room) {
		size_t room = t->interval_room ? 2 * t->interval_room : 16;
		for (size_t i = 0; i < t->levels; i++) {
			struct rp_counters *grown =
			    rp_mem_grow(t->level[i].snapshot, room, sizeof *grown, err);
			if (!grown)
				return false;
			t->level[i].snapshot = grown;
		}
		t->interval_room = room;
	}
	take_snapshots(t, t->intervals++, false);
	for (size_t i = 0; t->o.top && i < t->levels; i++)
		if (!rp_ranking_close(t->level[i].ranking, err))
			return false;
	return true;
}

/* Accesses that may begin before counting changes. */
static uint64_t
until_change(const struct rp_tree *t)
{
	if (warming(t))
		return t->o.warmup - t->began;
	return t->o.interval ? t->o.interval - (t->began - t->o.warmup) % t->o.interval
	                     : UINT64_MAX;
}

/* Whether no size is above one that is a power of two, or UINT32_MAX. */
static bool
none_above(const uint32_t *size, size_t n, uint32_t most)
{
	uint32_t any = 0;
	size_t i = 0;
	for (; i + 16 <= n; i += 16) /* whole blocks become vectors */
		for (size_t k = 0; k < 16; k++)
			any |= size[i + k];
	for (; i < n; i++)
		any |= size[i];
	return any <= most;
}

/* The end of the segment that begins at `row`: before a mark, a row to be done by itself, or where counting changes. */
static size_t
segment_end(const struct rp_tree *t, const struct rp_batch *b, size_t row, uint64_t most)
{
	size_t end = b->n - row < most ? b->n : row + (size_t)most;
	if (end - row > t->rows_most)
		end = row + t->rows_most;
	uint32_t size = t->least_bits < 26 ? (uint32_t)LINES_MOST << t->least_bits : UINT32_MAX;
	if (!b->marks && none_above(b->size + row, end - row, size))
		return end;
	for (size_t i = row; i < end; i++)
		if (b->kind[i] >= RP_MARKS || b->size[i] > size)
			return i;
	return end;
}

/* Coherent caches count for themselves, and what they count is forgotten when the warm-up ends. */
static bool
end_warmup(struct rp_tree *t, struct rp_err *err)
{
	for (size_t i = 0; i < t->levels && !t->warmed; i++)
		if (t->level[i].coherence && !rp_coherence_warm(t->level[i].coherence, err))
			return false;
	t->warmed = true;
	return true;
}

static bool
run_segment(struct rp_tree *t, const struct rp_batch *b, size_t *row, struct rp_err *err)
{
	uint64_t past = t->began - t->o.warmup;
	if (!warming(t) && t->o.interval && past && past / t->o.interval > t->intervals &&
	    !close_interval(t, err))
		return false;
	t->count = !warming(t);
	if (t->count && t->o.warmup && !end_warmup(t, err))
		return false;
	size_t end = t->one_by_one ? *row : segment_end(t, b, *row, until_change(t));
	if (end > *row) {
		t->began += end - *row;
		bool ok = tree_flow(t, b, *row, end, err);
		*row = end;
		return ok;
	}
	t->began++;
	return tree_single(t, b, (*row)++, err);
}

/* Counters of levels without laws that do not hold for them. */
static bool
check_laws(const struct rp_tree *t, struct rp_err *err)
{
	for (size_t i = 0; i < t->levels; i++) {
		const struct level *l = &t->level[i];
		/* What an exclusive level brings in are others' victims, not its misses. */
		bool once = t->o.once || l->spec->inclusion == RP_EXCLUSIVE;
		for (size_t k = 0; k < tree_units(l); k++) {
			const struct unit *u = tree_unit(l, k);
			struct rp_counters c = u->total;
			if (u->most > c.mshr_occupancy_max)
				c.mshr_occupancy_max = u->most;
			const char *law = rp_counters_broken(&c, rp_tree_counts(t, i), once);
			if (law)
				return rp_fail(err, RP_FAILED,
				    "%s: counters break the law '%s': please report this",
				    l->spec->name, law);
		}
	}
	return true;
}

bool
rp_tree_run(struct rp_tree *t, const struct rp_batch *b, struct rp_err *err)
{
	if (!t->started) {
		t->columns = rp_batch_columns(b);
		if (!(t->row = rp_batch_new(1, t->columns, err)))
			return false;
		t->started = true;
	}
	if (!meet_streams(t, b, err))
		return false;
	for (size_t row = 0; row < b->n;) {
		t->count = !warming(t);
		bool ok = b->kind[row] >= RP_MARKS ? tree_mark(t, b, row++, err)
		                                   : run_segment(t, b, &row, err);
		if (!ok)
			return false;
	}
	return check_laws(t, err);
}

bool
rp_tree_end(struct rp_tree *t, struct rp_err *err)
{
	if (t->ended)
		return true;
	t->count = !warming(t);
	if (t->o.flush && !tree_flush(t, err))
		return false;
	if (t->o.interval && !warming(t)) {
		if (t->began - t->o.warmup > t->intervals * t->o.interval) {
			if (!close_interval(t, err))
				return false;
		} else if (t->intervals) {
			take_snapshots(t, t->intervals - 1, true);
		}
	}
	t->ended = true;
	for (size_t i = 0; i < t->levels; i++)
		if (t->level[i].coherence)
			rp_coherence_end(t->level[i].coherence);
	return check_laws(t, err);
}
