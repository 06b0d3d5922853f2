/* coherence_text.c - the results of `reprise coherence` for people: counters, the lines to look at, what to do. */
#include "config.h"

#include "coherence.h"

bool
coherence_print_csv(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	struct rp_view view[64] = { { "cache", "cache", RP_CELL_TEXT } };
	size_t n = 1;
	for (const struct rp_coherence_counter *c = rp_coherence_tables[RP_COHERENCE_CACHE];
	     c->name; c++)
		view[n++] = (struct rp_view){ c->name, c->name, RP_CELL_COUNT };
	(void)doc;
	return rp_emit_csv(to, json_object_get(doc, "per_cache"), view, n, false, err);
}

bool
coherence_print_text(
    struct rp_out *to, const struct coherence_run *run, json_t *doc, struct rp_err *err)
{
	(void)run;
	return rp_emit_json(to, doc, err);
}
