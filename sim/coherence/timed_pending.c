/* timed_pending.c - accesses under way, in one array that grows to what was under way at most.
 *
 * The MSHRs of a cache for lines of one set are a list. A set has at most as many of them as it has ways, so that each
 * answer finds a way that waits for none, and the lists stay short. */
#include "config.h"

#include "sim/coherence/timed_parts.h"

#include <string.h>

enum { PENDING_FIRST = 64 };

static uint32_t *
bucket(const struct rp_timed *t, uint64_t line)
{
	return &t->table[coh_lines_hash(line) & (t->room - 1)];
}

/* A larger array for the table's chains, with what is in them. */
static bool
grow_table(struct rp_timed *t, uint32_t room, struct rp_err *err)
{
	uint32_t *old = t->table, n = t->room;
	if (!(t->table = rp_mem_array(room, sizeof *t->table, err))) {
		t->table = old;
		return false;
	}
	t->room = room;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t p = old[i], next; p; p = next) {
			next = t->pending[p].in_table;
			coh_table_add(t, p);
		}
	free(old);
	return true;
}

static bool
grow(struct rp_timed *t, struct rp_err *err)
{
	uint32_t room = t->room ? 2 * t->room : PENDING_FIRST;
	if (t->room > UINT32_MAX / 2)
		return rp_fail(err, RP_RESOURCE, "more than 2^31 accesses under way");
	struct coh_pending *more = rp_mem_grow(t->pending, room, sizeof *more, err);
	if (!more)
		return false;
	t->pending = more;
	size_t words = t->k->lines.mask_words;
	uint64_t *mask = rp_mem_grow(t->mask, room * words, sizeof *mask, err);
	if (!mask)
		return false;
	t->mask = mask;
	return grow_table(t, room, err);
}

uint32_t
coh_pending_new(struct rp_timed *t, uint32_t stream, struct rp_err *err)
{
	uint32_t p = t->spare;
	if (p) {
		t->spare = t->pending[p].next;
	} else {
		/* Number 0 is none. */
		if (t->n_pending + 1 >= t->room && !grow(t, err))
			return 0;
		p = ++t->n_pending;
	}
	const struct coh_stream *s = &t->stream[stream];
	struct coh_pending *x = &t->pending[p];
	x->q = coh_stream_request(t, s, coh_pending_mask(t, p));
	x->q.record = s->ahead[s->at % COH_AHEAD].record;
	x->index = s->index;
	x->tried = s->stalled ? s->tried : t->now;
	x->stream = stream;
	x->joined = x->last = 0;
	x->waits = x->waits_last = 0;
	x->whole = s->line == s->last;
	return p;
}

void
coh_pending_free(struct rp_timed *t, uint32_t p)
{
	t->pending[p].next = t->spare;
	t->spare = p;
}

static uint32_t *
own_of(const struct rp_timed *t, uint32_t stream, uint64_t line)
{
	const struct coh_geometry *g = &t->k->geometry;
	return &t->own[(size_t)stream * g->sets + coh_set_of(g, line)];
}

uint32_t
coh_pending_find(const struct rp_timed *t, uint32_t stream, uint64_t line, uint32_t *in_set)
{
	uint32_t found = 0;
	*in_set = 0;
	for (uint32_t p = *own_of(t, stream, line); p; p = t->pending[p].own) {
		++*in_set;
		if (t->pending[p].q.line == line)
			found = p;
	}
	return found;
}

bool
coh_pending_alone(const struct rp_timed *t, uint32_t p)
{
	const struct coh_pending *x = &t->pending[p];
	return !x->own && *own_of(t, x->stream, x->q.line) == p;
}

void
coh_pending_enter(struct rp_timed *t, uint32_t p)
{
	struct coh_pending *x = &t->pending[p];
	uint32_t *first = own_of(t, x->stream, x->q.line);
	x->own = *first;
	*first = p;
	t->stream[x->stream].used++;
}

void
coh_pending_leave(struct rp_timed *t, uint32_t p)
{
	const struct coh_pending *x = &t->pending[p];
	uint32_t *at = own_of(t, x->stream, x->q.line);
	while (*at != p)
		at = &t->pending[*at].own;
	*at = x->own;
	t->stream[x->stream].used--;
}

void
coh_pending_join(struct rp_timed *t, uint32_t p, uint32_t with)
{
	struct coh_pending *x = &t->pending[p];
	if (x->last)
		t->pending[x->last].next = with;
	else
		x->joined = with;
	x->last = with;
	t->pending[with].next = 0;
}

void
coh_table_add(struct rp_timed *t, uint32_t p)
{
	uint32_t *first = bucket(t, t->pending[p].q.line);
	t->pending[p].in_table = *first;
	*first = p;
}

uint32_t
coh_table_find(const struct rp_timed *t, uint64_t line)
{
	uint32_t p = *bucket(t, line);
	while (p && t->pending[p].q.line != line)
		p = t->pending[p].in_table;
	return p;
}

void
coh_table_remove(struct rp_timed *t, uint32_t p)
{
	uint32_t *at = bucket(t, t->pending[p].q.line);
	while (*at != p)
		at = &t->pending[*at].in_table;
	*at = t->pending[p].in_table;
}
