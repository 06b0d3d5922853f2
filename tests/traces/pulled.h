/* pulled.h - all rows of a source, for tests that look at each. */
#ifndef RP_TESTS_TRACES_PULLED_H
#define RP_TESTS_TRACES_PULLED_H

#include "traces/format.h"

#include <stdlib.h>
#include <string.h>

struct pulled {
	struct rp_access *a;
	size_t n;
	bool ok; /* false: err tells why */
	struct rp_err err;
};

/* Pulls all there is, batches of `cap` rows, up to `most` rows. Release with free(r.a). */
static inline struct pulled
pull_all(struct rp_source *s, size_t cap, size_t most)
{
	struct pulled r = { .ok = s != NULL };
	struct rp_batch *b = rp_batch_new(cap, RP_COL_ALL, &r.err);
	ptrdiff_t n = 0;
	while (s && b && r.n < most && (n = rp_source_pull(s, b, &r.err)) > 0) {
		r.a = realloc(r.a, (r.n + b->n) * sizeof *r.a);
		for (size_t i = 0; i < b->n; i++)
			r.a[r.n++] = rp_batch_get(b, i);
		rp_batch_clear(b);
	}
	r.ok = r.ok && n >= 0;
	rp_batch_free(b);
	return r;
}

static inline bool
pulled_same(const struct pulled *x, const struct pulled *y)
{
	if (x->n != y->n)
		return false;
	for (size_t i = 0; i < x->n; i++) {
		const struct rp_access *a = &x->a[i], *b = &y->a[i];
		if (a->addr != b->addr || a->time != b->time || a->pc != b->pc ||
		    a->size != b->size || a->stream != b->stream || a->mask != b->mask ||
		    a->kind != b->kind || a->flags != b->flags)
			return false;
	}
	return true;
}

static inline uint64_t
skipped(const struct rp_trace *t, const char *reason)
{
	for (size_t i = 0; i < t->n_skipped; i++)
		if (!strcmp(t->skipped[i].reason, reason))
			return t->skipped[i].n;
	return 0;
}

#endif
