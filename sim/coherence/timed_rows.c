/* timed_rows.c - the rows of streams, as each goes on by itself: pulled a batch at a time, taken apart into lines.
 *
 * What an access needs of a line that is not cached lies anywhere in memory. So some rows ahead the slot of its line's
 * number is asked for, its record when the slot has come, and then what the record and the cache name; the other streams
 * have their turns meanwhile. */
#include "config.h"

#include "sim/coherence/timed_parts.h"

enum { SLOT_AHEAD = 4, RECORD_AHEAD = 2, REST_AHEAD = 1 };

static bool
pull(struct rp_timed *t, uint32_t stream, struct rp_err *err)
{
	struct coh_stream *s = &t->stream[stream];
	rp_batch_clear(s->rows);
	s->at = 0;
	ptrdiff_t n = t->feed.pull(t->feed.to, stream, s->rows, s->gap, err);
	s->ended = n == 0;
	return n >= 0;
}

static void
ask_for_slot(const struct rp_timed *t, struct coh_stream *s, size_t row)
{
	struct coh_ahead *a = &s->ahead[row % COH_AHEAD];
	a->hash = coh_lines_hash(coh_line_number(t->k, s->rows->addr[row]));
	a->record = COH_NONE;
	__builtin_prefetch(&t->k->lines.slot[coh_lines_slot(&t->k->lines, a->hash)]);
}

/* The record whose hash is that of the line is probably the line's. */
static void
ask_for_record(const struct rp_timed *t, struct coh_stream *s, size_t row)
{
	const struct coh_lines *l = &t->k->lines;
	struct coh_ahead *a = &s->ahead[row % COH_AHEAD];
	a->record = coh_lines_probable(l, a->hash);
	if (a->record != COH_NONE)
		__builtin_prefetch(coh_line(l, a->record));
}

/* The masks of the line, and the record of the one that it will probably replace. Always inlined: gcc takes a function that
 * only prefetches for one without effect and leaves out calls of it. */
static inline __attribute__((always_inline)) void
ask_for_rest(const struct rp_timed *t, const struct coh_stream *s, size_t row)
{
	const struct coh_lines *l = &t->k->lines;
	const struct coh_geometry *g = &t->k->geometry;
	uint32_t record = s->ahead[row % COH_AHEAD].record;
	if (record != COH_NONE && coh_line(l, record)->room)
		__builtin_prefetch(coh_pool_at(&l->masks, coh_line(l, record)->unseen));
	const struct coh_cache *c = &t->k->cache[s->cache];
	if (g->how != COH_LRU_WORD)
		return;
	uint32_t set = coh_set_of(g, coh_line_number(t->k, s->rows->addr[row]));
	const struct coh_way *w = &c->way[coh_last_place(g, c, set)];
	if (w->state)
		__builtin_prefetch(coh_line(l, w->line));
}

/* A row has become the one at hand. */
static void
look_ahead(const struct rp_timed *t, struct coh_stream *s)
{
	if (s->at == 0)
		for (size_t i = 0; i < SLOT_AHEAD && i < s->rows->n; i++)
			ask_for_slot(t, s, i);
	if (s->at + SLOT_AHEAD < s->rows->n)
		ask_for_slot(t, s, s->at + SLOT_AHEAD);
	if (s->at + RECORD_AHEAD < s->rows->n)
		ask_for_record(t, s, s->at + RECORD_AHEAD);
	if (s->at + REST_AHEAD < s->rows->n)
		ask_for_rest(t, s, s->at + REST_AHEAD);
}

bool
coh_stream_next(struct rp_timed *t, uint32_t stream, uint64_t *gap, struct rp_err *err)
{
	struct coh_stream *s = &t->stream[stream];
	*gap = 0;
	if (s->rows->n) {
		if (++s->index >> COH_INDEX_BITS)
			return rp_fail(err, RP_RESOURCE,
			    "more than 2^%d accesses to lines in a stream", COH_INDEX_BITS);
		if (s->line != s->last) {
			s->line++;
			return true;
		}
		s->at++;
	}
	if (s->at == s->rows->n && !pull(t, stream, err))
		return false;
	if (s->ended)
		return true;
	s->line = coh_line_number(t->k, s->rows->addr[s->at]);
	s->last = coh_line_number(t->k, rp_batch_last(s->rows, s->at));
	*gap = s->gap[s->at];
	look_ahead(t, s);
	return true;
}
