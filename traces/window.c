/* window.c - a part of a trace: by kind, space and stream; then skip and limit.
 *
 * Rows are pulled straight into the caller's batch, never more than can still count, so that nothing behind the limit is
 * read; what is left out is closed up there, column by column. Rows to skip are pulled and forgotten. */
#include "config.h"

#include "traces/window.h"

#include <string.h>

enum {
	ALL_KINDS = (1 << RP_KINDS) - 1,
	ALL_MARKS = ((1 << RP_MARKS_END) - 1) & ~((1 << RP_MARKS) - 1),
	BITMAP_MOST = 1 << 20, /* streams below this are looked up by bit */
};

struct window {
	struct rp_source source;
	struct rp_source *in;
	unsigned kinds, spaces; /* bits of those that pass; marks and rows without a space do */
	uint32_t *streams;      /* sorted; NULL: all */
	size_t n_streams;
	uint64_t *bits; /* of the streams below BITMAP_MOST */
	bool selects, no_bypassed;
	uint64_t skip, left;
	const volatile sig_atomic_t *stop;

	uint32_t *keep; /* rows that pass, by place in the batch; room for `room` */
	size_t room;
	/* Lent to a batch that lacks a column that is looked at. */
	uint32_t *stream_column;
	uint8_t *flags_column;
};

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static bool
has_stream(const struct window *w, uint32_t stream)
{
	if (stream < BITMAP_MOST)
		return w->bits[stream / 64] >> stream % 64 & 1;
	return bsearch(&stream, w->streams, w->n_streams, sizeof stream, by_number) != NULL;
}

/* Each of these thins out a list of n rows and gives how many are left. Every row is written to the list and the list
 * moves on past those that pass: no branch to guess wrong. */
static size_t
pass_kinds(const struct window *w, const struct rp_batch *b, uint32_t *row, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t r = row[i];
		row[kept] = r;
		kept += w->kinds >> b->kind[r] & 1;
	}
	return kept;
}

static size_t
pass_spaces(const struct window *w, const struct rp_batch *b, uint32_t *row, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t r = row[i];
		row[kept] = r;
		kept += (w->spaces >> (b->flags[r] & RP_SPACE) & 1) | (b->kind[r] >= RP_MARKS);
	}
	return kept;
}

static size_t
pass_cached(const struct rp_batch *b, uint32_t *row, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t r = row[i];
		row[kept] = r;
		kept += !(b->flags[r] & RP_BYPASS_L1) | (b->kind[r] >= RP_MARKS);
	}
	return kept;
}

static size_t
pass_streams(
    const struct window *w, const struct rp_batch *b, bool has_column, uint32_t *row, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t r = row[i];
		row[kept] = r;
		kept += has_stream(w, has_column ? b->stream[r] : 0) | (b->kind[r] >= RP_MARKS);
	}
	return kept;
}

/* Rows `row[0..n)` of b move to `from` and on, and are then the last. */
static void
close_up(struct rp_batch *b, size_t from, const uint32_t *row, size_t n)
{
#define CLOSE_UP(column)                                                                           \
	for (size_t i = 0; (column) && i < n; i++)                                                 \
	(column)[from + i] = (column)[row[i]]
	CLOSE_UP(b->addr);
	CLOSE_UP(b->time);
	CLOSE_UP(b->pc);
	CLOSE_UP(b->size);
	CLOSE_UP(b->stream);
	CLOSE_UP(b->mask);
	CLOSE_UP(b->kind);
	CLOSE_UP(b->flags);
#undef CLOSE_UP
	b->n = from + n;
}

static size_t
leave_out(struct window *w, const char *reason, size_t n, size_t kept)
{
	if (kept < n)
		rp_trace_skip(w->in->trace, reason, n - kept);
	return kept;
}

/* Leaves out what is not selected of the rows from `from` on. */
static void
select_rows(struct window *w, struct rp_batch *b, size_t from)
{
	unsigned columns = w->in->trace->columns;
	size_t all = b->n - from, n = all;
	if (!w->selects)
		return;
	for (size_t i = 0; i < n; i++)
		w->keep[i] = (uint32_t)(from + i);
	if (w->kinds != (ALL_KINDS | ALL_MARKS))
		n = leave_out(w, "kind", n, pass_kinds(w, b, w->keep, n));
	if (w->spaces && columns & RP_COL_FLAGS)
		n = leave_out(w, "space", n, pass_spaces(w, b, w->keep, n));
	if (w->no_bypassed && columns & RP_COL_FLAGS)
		n = leave_out(w, "bypass_l1", n, pass_cached(b, w->keep, n));
	if (w->streams)
		n = leave_out(
		    w, "stream", n, pass_streams(w, b, columns & RP_COL_STREAM, w->keep, n));
	if (n < all)
		close_up(b, from, w->keep, n);
}

/* Only the marks of the rows from `from` on stay. */
static void
keep_marks(struct window *w, struct rp_batch *b, size_t from, bool some)
{
	size_t n = 0;
	for (size_t i = from; some && i < b->n; i++)
		if (b->kind[i] >= RP_MARKS)
			w->keep[n++] = (uint32_t)i;
	close_up(b, from, w->keep, n);
}

/* Room for the lists of a batch as large as this one. */
static bool
make_room(struct window *w, size_t cap, struct rp_err *err)
{
	if (cap <= w->room)
		return true;
	free(w->keep);
	free(w->stream_column);
	free(w->flags_column);
	w->room = 0;
	w->keep = rp_mem_array(cap, sizeof *w->keep, err);
	w->stream_column = w->keep ? rp_mem_array(cap + 64, sizeof *w->stream_column, err) : NULL;
	w->flags_column =
	    w->stream_column ? rp_mem_array(cap + 64, sizeof *w->flags_column, err) : NULL;
	if (!w->flags_column)
		return false;
	w->room = cap;
	return true;
}

/* Pulls at most `most` rows and selects: how many were pulled. */
static ptrdiff_t
pull_some(struct window *w, struct rp_batch *out, uint64_t most, struct rp_err *err)
{
	size_t cap = out->cap, from = out->n;
	bool lend_stream = !out->stream && w->streams,
	     lend_flags = !out->flags && (w->spaces || w->no_bypassed);
	if (cap - from > most)
		out->cap = from + (size_t)most;
	if (lend_stream)
		out->stream = w->stream_column;
	if (lend_flags)
		out->flags = w->flags_column;
	ptrdiff_t n = rp_source_pull(w->in, out, err);
	out->cap = cap;
	if (n > 0)
		select_rows(w, out, from);
	if (lend_stream)
		out->stream = NULL;
	if (lend_flags)
		out->flags = NULL;
	return n;
}

static ptrdiff_t
window_pull(struct rp_source *s, struct rp_batch *out, struct rp_err *err)
{
	struct window *w = (struct window *)s;
	size_t first = out->n;
	if (!make_room(w, out->cap, err))
		return -1;
	while (out->n < out->cap && !(w->stop && *w->stop)) {
		bool skipping = w->skip > 0;
		uint64_t *count = skipping ? &w->skip : &w->left;
		size_t from = out->n, marks = out->marks, room = out->cap - from;
		size_t asked = room < *count ? room : (size_t)*count;
		if (!asked)
			break;
		ptrdiff_t n = pull_some(w, out, asked, err);
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		uint64_t accesses = out->n - from - (out->marks - marks);
		if (*count != UINT64_MAX)
			*count -= accesses;
		if (skipping)
			keep_marks(w, out, from, out->marks > marks);
		if ((size_t)n < asked && out->n > first)
			break; /* a live pipe: what there is goes on */
	}
	return (ptrdiff_t)(out->n - first);
}

static void
window_close(struct rp_source *s)
{
	struct window *w = (struct window *)s;
	rp_source_close(w->in);
	free(w->streams);
	free(w->bits);
	free(w->keep);
	free(w->stream_column);
	free(w->flags_column);
	free(w);
}

static bool
set_streams(struct window *w, const uint64_t *streams, size_t n, struct rp_err *err)
{
	w->streams = rp_mem_array(n, sizeof *w->streams, err);
	w->bits = w->streams ? rp_mem_array(BITMAP_MOST / 64, sizeof *w->bits, err) : NULL;
	if (!w->bits)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (streams[i] > UINT32_MAX)
			continue; /* there is none such */
		w->streams[w->n_streams++] = (uint32_t)streams[i];
		if (streams[i] < BITMAP_MOST)
			w->bits[streams[i] / 64] |= UINT64_C(1) << streams[i] % 64;
	}
	qsort(w->streams, w->n_streams, sizeof *w->streams, by_number);
	return true;
}

struct rp_source *
rp_window_open(struct rp_source *in, const struct rp_window *want, struct rp_err *err)
{
	bool some_kinds = want->kinds && (want->kinds & ALL_KINDS) != ALL_KINDS;
	bool limited = want->has_limit || want->limit;
	bool no_bypassed = want->no_bypassed && (in->trace->columns & RP_COL_FLAGS);
	if (!some_kinds && !want->spaces && !want->n_streams && !no_bypassed && !want->skip &&
	    !limited)
		return in;
	struct window *w = rp_mem_array(1, sizeof *w, err);
	if (!w) {
		rp_source_close(in);
		return NULL;
	}
	w->in = in;
	w->source.pull = window_pull;
	w->source.close = window_close;
	w->source.trace = in->trace;
	w->kinds = (some_kinds ? want->kinds & ALL_KINDS : ALL_KINDS) | ALL_MARKS;
	w->spaces = want->spaces ? want->spaces | 1 << RP_NO_SPACE : 0;
	w->no_bypassed = no_bypassed;
	w->selects = some_kinds || want->spaces || want->n_streams || no_bypassed;
	w->skip = want->skip;
	w->stop = want->stop;
	w->left = limited ? want->limit : UINT64_MAX;
	if (want->n_streams && !set_streams(w, want->streams, want->n_streams, err)) {
		window_close(&w->source);
		return NULL;
	}
	return &w->source;
}
