/* sweep_rows.c - a point of a sweep as an object, from which every output is made. */
#include "config.h"

#include "sweep.h"

#include "base/emit.h"

#include <inttypes.h>
#include <stdlib.h>

json_t *
sweep_hash(uint64_t hash)
{
	return json_sprintf("%016" PRIx64, hash);
}

json_t *
sweep_share(const struct sweep_run *run)
{
	return json_pack("{sI sI sI so so}", "index", (json_int_t)run->share, "of",
	    (json_int_t)run->shares, "points", (json_int_t)run->plan.n, "grid",
	    sweep_hash(run->plan.hash), "trace", sweep_hash(run->feed.hash));
}

static json_t *
limit(uint64_t x)
{
	return x ? rp_emit_count(x) : json_string("unlimited");
}

static json_t *
counters(const struct sweep_run *run, const struct rp_cache_spec *s, const struct rp_counters *c)
{
	unsigned groups = rp_cache_spec_counts(s);
	json_t *o = json_pack("{so so so so so}", "accesses", rp_emit_count(c->accesses), "lookups",
	    rp_emit_count(c->lookups), "hits", rp_emit_count(c->hits), "misses",
	    rp_emit_count(c->misses), "miss_ratio", rp_emit_ratio(c->misses, c->lookups));
	for (size_t i = 0; i < run->wants.n; i++) {
		const struct rp_counter *row = run->wants.row[i];
		uint64_t x = rp_sweep_count(row, c);
		if (!(row->group & groups))
			continue;
		json_object_set_new(o, row->name,
		    row->ratio
			? rp_emit_ratio(x, *(const uint64_t *)((const char *)c + row->denominator))
			: rp_emit_count(x));
	}
	return o;
}

json_t *
sweep_row(const struct sweep_run *run, size_t point, struct rp_err *err)
{
	const struct rp_cache_spec *s = &run->plan.point[point].spec;
	char *text = rp_cache_spec_print(s, err);
	if (!text)
		return NULL;
	json_t *row = json_pack("{ss sI}", "policy", s->policy->name, "line", (json_int_t)s->line);
	if (!s->policy->unbounded) {
		json_object_set_new(row, "sets", json_integer(s->sets));
		json_object_set_new(row, "ways", json_integer(s->ways));
		json_object_set_new(row, "size", rp_emit_count(s->size));
	}
	json_object_set_new(row, "index", json_string(rp_cache_spec_index(s)));
	if (s->mshr.on) {
		json_object_set_new(row, "mshr", limit(s->mshr.entries));
		json_object_set_new(row, "merge", limit(s->mshr.merge));
		json_object_set_new(row, "latency", rp_emit_count(s->mshr.latency));
	}
	json_object_set_new(row, "spec", rp_emit_text(text));
	json_object_set_new(
	    row, "counters", counters(run, s, rp_sweep_counters(&run->plan, point)));
	free(text);
	if (run->law && json_object_set_new(row, "law",
			    law_row(run->law, s, run->feed.seen.accesses,
				rp_sweep_counters(&run->plan, point)->misses, err))) {
		json_decref(row);
		row = NULL;
	}
	if (!row)
		rp_fail(err, RP_RESOURCE, "out of memory: results");
	return row;
}
