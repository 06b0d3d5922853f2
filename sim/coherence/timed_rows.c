/* timed_rows.c - the rows of streams, as each goes on by itself: pulled a batch at a time, taken apart into lines.
 *
 * What an access needs of a line that is not cached lies anywhere in memory; other streams have their turns before this
 * one's next, so its next lines are asked for now. */
#include "config.h"

#include "sim/coherence/timed_parts.h"

enum { SLOT_AHEAD = 2, RECORD_AHEAD = 1 };

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
look_ahead(const struct rp_timed *t, const struct coh_stream *s)
{
	const struct coh_lines *l = &t->k->lines;
	if (s->at + SLOT_AHEAD < s->rows->n) {
		uint64_t hash =
		    coh_lines_hash(coh_line_number(t->k, s->rows->addr[s->at + SLOT_AHEAD]));
		__builtin_prefetch(&l->slot[coh_lines_slot(l, hash)]);
	}
	if (s->at + RECORD_AHEAD < s->rows->n) {
		uint64_t hash =
		    coh_lines_hash(coh_line_number(t->k, s->rows->addr[s->at + RECORD_AHEAD]));
		uint64_t slot = l->slot[coh_lines_slot(l, hash)];
		if (slot)
			__builtin_prefetch(coh_line(l, (uint32_t)slot - 1));
	}
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
