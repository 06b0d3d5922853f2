/* wants.c - the counters that a sweep is asked for. */
#include "config.h"

#include "sim/sweep/wants.h"

#include "base/parse.h"

#include <stdio.h>
#include <string.h>

const char *const rp_sweep_always[] = { "accesses", "lookups", "hits", "misses", "miss_ratio",
	NULL };

/* What a grid of LRU caches tells (sim/observe/grid.h); with levels of dirtiness; and what reuse distances tell. */
static const char *const of_grid[] = { "reads", "writes", "ifetches", "atomics", "prefetches",
	"fills", "evictions", "bytes_filled", NULL };
static const char *const of_levels[] = { "read_misses", "write_misses", "writebacks",
	"bytes_written", NULL };
static const char *const of_sent[] = { "writebacks", "bytes_written", NULL };

static bool
is_any(const char *name, const char *const *names)
{
	while (*names && strcmp(*names, name))
		names++;
	return *names != NULL;
}

/* Groups that a plain cache may have. */
enum { GROUPS = RP_COUNT_ALWAYS | RP_COUNT_MSHR | RP_COUNT_CLASS };

static void
add(struct rp_sweep_wants *w, const struct rp_counter *row)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->row[i] == row)
			return;
	if (is_any(row->name, rp_sweep_always) || w->n == RP_SWEEP_WANTS)
		return;
	w->row[w->n++] = row;
	bool levels = is_any(row->name, of_levels), waits = row->group == RP_COUNT_MSHR;
	bool sent = is_any(row->name, of_sent);
	w->levels |= levels;
	w->waits |= waits;
	w->sent |= sent;
	w->evictions |= !strcmp(row->name, "evictions");
	w->classify |= row->group == RP_COUNT_CLASS;
	/* Those of MSHRs do not apply to what a grid does. */
	w->no_grid |= !waits && !levels && !is_any(row->name, of_grid);
	w->no_stack |= !waits && !is_any(row->name, of_grid) && (!levels || sent);
}

static const struct rp_counter *
find(const char *name, size_t length, struct rp_err *err)
{
	const char *names[RP_SWEEP_WANTS];
	size_t n = 0;
	char text[64];
	snprintf(text, sizeof text, "%.*s", (int)(length < 60 ? length : 60), name);
	for (size_t i = 0; i < rp_counter_count; i++) {
		const struct rp_counter *row = &rp_counter_table[i];
		if (!(row->group & GROUPS))
			continue;
		if (!strcmp(row->name, text))
			return row;
		if (n < RP_SWEEP_WANTS)
			names[n++] = row->name;
	}
	const char *near = rp_nearest(text, names, n);
	if (near)
		rp_fail(err, RP_USAGE, "no counter '%s' of a plain cache; did you mean '%s'?", text,
		    near);
	else
		rp_fail(err, RP_USAGE, "no counter '%s' of a plain cache (reprise help counters)",
		    text);
	return NULL;
}

bool
rp_sweep_wants_parse(
    const char *list, bool classify, struct rp_sweep_wants *out, struct rp_err *err)
{
	unsigned groups = GROUPS & ~(classify ? 0u : (unsigned)RP_COUNT_CLASS);
	*out = (struct rp_sweep_wants){ 0 };
	for (const char *p = list; p;) {
		size_t n = strcspn(p, ",");
		const struct rp_counter *row = NULL;
		bool all = n == 3 && !strncmp(p, "all", n);
		for (size_t i = 0; all && i < rp_counter_count; i++)
			if (rp_counter_table[i].group & groups)
				add(out, &rp_counter_table[i]);
		if (!all && !(row = find(p, n, err)))
			return false;
		if (row)
			add(out, row);
		p = p[n] ? p + n + 1 : NULL;
	}
	return true;
}
