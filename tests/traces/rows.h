/* rows.h - a source of rows given by a test, and what a source gives as rows. */
#ifndef RP_TESTS_TRACES_ROWS_H
#define RP_TESTS_TRACES_ROWS_H

#include "tests/check.h"

#include "traces/source.h"

struct rows {
	struct rp_source source;
	const struct rp_access *row;
	size_t n, at, piece;
	size_t fail_at; /* row before which pulling fails; SIZE_MAX: none */
};

static inline ptrdiff_t
rows_pull(struct rp_source *s, struct rp_batch *out, struct rp_err *err)
{
	struct rows *r = (struct rows *)s;
	size_t i = 0;
	for (; i < r->piece && out->n < out->cap && r->at < r->n; i++, r->at++) {
		if (r->at == r->fail_at) {
			rp_fail(err, RP_INPUT, "row %zu is bad", r->at);
			return -1;
		}
		rp_batch_put(out, &r->row[r->at]);
	}
	return (ptrdiff_t)i;
}

static inline void
rows_close(struct rp_source *s)
{
	rp_trace_free(s->trace);
	free(s);
}

/* A source of n rows (borrowed), at most `piece` a pull, with these columns. */
static inline struct rp_source *
rows_new(const struct rp_access *row, size_t n, size_t piece, unsigned columns)
{
	struct rows *r = calloc(1, sizeof *r);
	r->source = (struct rp_source){ rows_pull, rows_close, rp_trace_new("rows", NULL) };
	r->source.trace->columns = columns;
	r->row = row;
	r->n = n;
	r->piece = piece;
	r->fail_at = SIZE_MAX;
	return &r->source;
}

/* All rows of a source, in batches of `cap`: free them. *n is SIZE_MAX on error. */
static inline struct rp_access *
rows_all(struct rp_source *s, size_t cap, size_t *n, struct rp_err *err)
{
	struct rp_batch *b = rp_batch_new(cap, RP_COL_ALL, err);
	struct rp_access *all = NULL;
	size_t room = 0;
	ptrdiff_t got;
	*n = 0;
	while ((got = rp_source_pull(s, b, err)) > 0) {
		size_t marks = 0;
		cr_assert_eq((size_t)got, b->n);
		if (*n + b->n > room)
			all = realloc(all, (room = 2 * (*n + b->n)) * sizeof *all);
		for (size_t i = 0; i < b->n; i++) {
			all[(*n)++] = rp_batch_get(b, i);
			marks += b->kind[i] >= RP_MARKS;
		}
		cr_assert_eq(marks, b->marks);
		rp_batch_clear(b);
	}
	if (got < 0)
		*n = SIZE_MAX;
	rp_batch_free(b);
	return all;
}

static inline bool
rows_same(const struct rp_access *a, const struct rp_access *b)
{
	return a->addr == b->addr && a->time == b->time && a->pc == b->pc && a->size == b->size &&
	       a->stream == b->stream && a->mask == b->mask && a->kind == b->kind &&
	       a->flags == b->flags;
}

#endif
