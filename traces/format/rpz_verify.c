/* rpz_verify.c - the whole of an .rpz file checked: what it holds, and what it says of itself. */
#include "config.h"

#include "traces/format/rpz.h"
#include "base/hash.h"
#include "base/mem.h"
#include "traces/format/rpz_index.h"

#include <inttypes.h>
#include <stdio.h>

struct check {
	struct rp_rpz_report *report;
	void (*tell)(void *to, const char *text);
	void *to;
};

static void
count(void *to, const char *text)
{
	struct check *c = to;
	c->report->damages++;
	c->tell(c->to, text);
}

static bool
read_all(struct rp_source *s, struct rp_rpz_report *report, struct rp_err *err)
{
	struct rp_batch *b = rp_batch_new(RP_BATCH, s->trace->columns, err);
	ptrdiff_t n = b ? 1 : -1;
	while (n > 0) {
		rp_batch_clear(b);
		n = rp_source_pull(s, b, err);
		report->accesses += b->n - b->marks;
		report->marks += b->marks;
	}
	rp_batch_free(b);
	return n == 0;
}

static void
count_lost(const struct rp_trace *t, struct rp_rpz_report *report)
{
	for (size_t i = 0; i < t->n_skipped; i++)
		if (!strcmp(t->skipped[i].reason, "damaged"))
			report->lost = t->skipped[i].n;
}

bool
rp_rpz_verify(const char *path, const struct rp_read_opts *o,
    void (*tell)(void *to, const char *text), void *to, struct rp_rpz_report *report,
    struct rp_err *err)
{
	struct check c = { report, tell, to };
	struct rp_rpz_index seen = { 0 };
	const struct rp_rpz_opts part = {
		.salvage = true, .deep = true, .tell = count, .to = &c, .observed = &seen
	};
	*report = (struct rp_rpz_report){ 0 };
	struct rp_source *s = rp_rpz_open(path, NULL, o, &part, err);
	bool ok = s && read_all(s, report, err);
	report->blocks = seen.totals.blocks;
	/* The index describes what was written; it can only be held against all of it. */
	if (ok && !report->damages)
		ok = rp_rpz_index_agrees(s, &seen, count, &c, err);
	if (ok)
		count_lost(s->trace, report);
	rp_source_close(s);
	rp_rpz_index_free(&seen);
	return ok;
}
