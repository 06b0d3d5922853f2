/* sim_print.c - the results of `reprise sim`, as JSON, CSV and text. */
#include "config.h"

#include "sim.h"

#include "base/emit.h"
#include "base/mem.h"
#include "base/out.h"
#include "sim/gpu/spec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static json_t *
counters_json(const struct rp_counters *c, unsigned groups)
{
	json_t *o = json_object();
	for (size_t i = 0; i < rp_counter_count; i++) {
		const struct rp_counter *row = &rp_counter_table[i];
		if (!(row->group & groups))
			continue;
		uint64_t x = *(const uint64_t *)((const char *)c + row->offset);
		json_t *v =
		    row->ratio
			? rp_emit_ratio(x, *(const uint64_t *)((const char *)c + row->denominator))
			: rp_emit_count(x);
		json_object_set_new(o, row->name, v);
	}
	return o;
}

/* Counters that apply to cache i. */
static unsigned
groups_of(const struct sim_run *run, size_t i)
{
	return run->tree ? rp_tree_counts(run->tree, i) : rp_cache_spec_counts(run->specs[i]);
}

json_t *
sim_with_counters(json_t *row, const struct rp_counters *c, const struct sim_run *run, size_t i)
{
	unsigned groups = groups_of(run, i);
	json_object_set_new(row, "counters", counters_json(c, groups & ~RP_COUNT_GPGPUSIM));
	if (groups & RP_COUNT_GPGPUSIM)
		json_object_set_new(row, "gpgpusim", counters_json(c, RP_COUNT_GPGPUSIM));
	return row;
}

static uint64_t
accesses_of(const struct sim_run *run)
{
	return run->tree ? rp_tree_accesses(run->tree) : rp_replay_accesses(run->replay);
}

static size_t
streams_of(const struct sim_run *run)
{
	return run->tree ? rp_tree_streams(run->tree) : rp_replay_streams(run->replay);
}

static json_t *
streams_json(const struct sim_run *run, size_t cache)
{
	json_t *list = json_array();
	struct rp_counters c;
	for (size_t k = 0; k < streams_of(run); k++) {
		uint32_t stream =
		    run->tree ? rp_tree_stream(run->tree, k) : rp_replay_stream(run->replay, k);
		if (run->tree)
			rp_tree_stream_counters(run->tree, cache, k, &c);
		else
			rp_replay_stream_counters(run->replay, cache, k, &c);
		json_array_append_new(
		    list, sim_with_counters(
			      json_pack("{sI}", "stream", (json_int_t)stream), &c, run, cache));
	}
	return list;
}

/* A trace without a stream column is all of stream 0. */
static json_t *
single_json(const struct sim_run *run, size_t i, const struct rp_counters *c)
{
	json_t *list = json_array();
	if (accesses_of(run))
		json_array_append_new(
		    list, sim_with_counters(json_pack("{si}", "stream", 0), c, run, i));
	return list;
}

static json_t *
intervals_json(const struct sim_run *run, size_t cache)
{
	size_t n = run->tree ? rp_tree_intervals(run->tree) : rp_replay_intervals(run->replay);
	json_t *list = json_array();
	struct rp_counters c;
	for (size_t k = 0; k < n; k++) {
		if (run->tree)
			rp_tree_interval(run->tree, cache, k, &c);
		else
			rp_replay_interval(run->replay, cache, k, &c);
		json_array_append_new(
		    list, sim_with_counters(
			      json_pack("{sI}", "interval", (json_int_t)k), &c, run, cache));
	}
	return list;
}

static json_t *
cache_json(const struct sim_run *run, size_t i, struct rp_err *err)
{
	struct rp_counters c;
	const char *own = run->tree ? run->levels.level[i].name : run->specs[i]->name;
	char name[32], *text = rp_cache_spec_print(run->specs[i], err);
	if (!text)
		return NULL;
	snprintf(name, sizeof name, "cache%zu", i + 1);
	if (run->tree)
		rp_tree_counters(run->tree, i, &c);
	else
		rp_replay_counters(run->replay, i, &c);
	json_t *cache =
	    sim_with_counters(json_pack("{so so}", "name", rp_emit_text(*own ? own : name), "spec",
				  rp_emit_text(text)),
		&c, run, i);
	if (run->by_stream)
		json_object_set_new(cache, "streams",
		    streams_of(run) ? streams_json(run, i) : single_json(run, i, &c));
	if (run->o->interval)
		json_object_set_new(cache, "intervals", intervals_json(run, i));
	free(text);
	if (!cache)
		rp_fail(err, RP_RESOURCE, "out of memory: results");
	return cache;
}

/* What is to be said of how the caches were specified. */
static void
spec_warnings(const struct sim_run *run, json_t *caches, json_t *warnings)
{
	for (size_t i = 0; i < run->n_caches; i++) {
		const struct rp_gpu_spec *gpu = run->specs[i]->gpu;
		const char *name = json_string_value(
			       json_object_get(json_array_get(caches, i), "name")),
			   *what;
		for (unsigned k = 0; gpu && (what = rp_gpu_spec_warning(gpu, k)); k++)
			json_array_append_new(warnings, json_sprintf("%s: %s", name, what));
	}
}

/* What the law of the scan says of the cache, if that is asked for. */
static bool
add_law(const struct sim_run *run, size_t i, json_t *cache, struct rp_err *err)
{
	struct rp_counters c;
	if (!run->law)
		return true;
	rp_replay_counters(run->replay, i, &c);
	json_t *law = law_row(run->law, run->specs[i], accesses_of(run), c.misses, err);
	return !json_object_set_new(cache, "law", law) ||
	       rp_fail(err, RP_RESOURCE, "out of memory: results");
}

static json_t *
document(const struct sim_run *run, struct rp_err *err)
{
	const struct rp_replay *r = run->replay;
	struct rp_trace *t = run->source->trace;
	uint64_t accesses = accesses_of(run);
	bool counted = accesses > run->warmup;
	json_t *trace = rp_input_json(t, &run->seen, err), *caches = json_array(),
	       *warnings = rp_input_warnings(t, err);
	for (size_t i = 0; caches && i < run->n_caches; i++) {
		json_t *c = cache_json(run, i, err);
		if (!c || json_array_append_new(caches, c) || !add_law(run, i, c, err) ||
		    (run->tree && !sim_tree_add(run, i, c, err)) || !sim_top_add(run, i, c, err))
			goto failed;
		if (r && rp_replay_never_replaced(r, i) && counted &&
		    !run->specs[i]->policy->unbounded)
			json_array_append_new(
			    warnings, json_sprintf("%s never replaced a line: it is larger than "
						   "what the trace touches",
					  json_string_value(json_object_get(c, "name"))));
	}
	if (!trace || !warnings)
		goto failed;
	if (accesses && !counted)
		json_array_append_new(warnings,
		    json_sprintf("nothing is counted: the warm-up of %" JSON_INTEGER_FORMAT
				 " accesses is not over at the end",
			(json_int_t)run->warmup));
	spec_warnings(run, caches, warnings);
	json_object_set_new(
	    trace, "interleave", rp_emit_text(run->o->in.gpu ? "gpu" : run->o->in.interleave));
	if (run->o->in.gpu)
		json_object_set_new(trace, "gpu", rp_emit_text(run->o->in.gpu));
	json_t *doc = json_pack("{ss ss so ss sI so so sf so}", "reprise", PACKAGE_VERSION,
	    "command", "sim", "trace", trace, "crossing", sim_crossing_name[run->o->crossing],
	    "warmup", (json_int_t)run->warmup, "caches", caches, "warnings", warnings, "elapsed_s",
	    run->elapsed, "accesses_per_s",
	    run->elapsed > 0 ? json_real((double)accesses / run->elapsed) : json_null());
	if (!doc)
		rp_fail(err, RP_RESOURCE, "out of memory: results");
	else if (run->tree)
		sim_tree_memory(run, doc);
	else if (rp_replay_spilled(r))
		json_object_set_new(doc, "spilled_bytes", rp_emit_count(rp_replay_spilled(r)));
	return doc;
failed:
	json_decref(trace);
	json_decref(caches);
	json_decref(warnings);
	if (!err->code)
		rp_fail(err, RP_RESOURCE, "out of memory: results");
	return NULL;
}

enum { VIEWS_MOST = 128, FIXED = 4, FIXED_MORE = 5 };

/* The columns: `fixed` first ones, then every counter and ratio that applies to one of the caches. */
static size_t
counter_views(const struct sim_run *run, struct rp_view *view, char (*path)[64],
    const struct rp_view *fixed, size_t n)
{
	unsigned groups = 0;
	for (size_t i = 0; i < run->n_caches; i++)
		groups |= groups_of(run, i);
	memcpy(view, fixed, n * sizeof *fixed);
	for (size_t i = 0; i < rp_counter_count && n < VIEWS_MOST; i++) {
		const struct rp_counter *row = &rp_counter_table[i];
		if (!(row->group & groups))
			continue;
		snprintf(path[n], sizeof *path, "%s.%s",
		    row->group == RP_COUNT_GPGPUSIM ? "gpgpusim" : "counters", row->name);
		view[n] = (struct rp_view){ row->name, path[n],
			row->ratio ? RP_CELL_RATIO : RP_CELL_COUNT };
		n++;
	}
	return n;
}

/* Rows for CSV: each cache's total, then its streams, its intervals and what misses most, each with the cache's name and spec. */
static json_t *
flat_rows(json_t *doc)
{
	static const char *const part[] = { "streams", "intervals" };
	json_t *rows = json_array(), *cache, *row;
	size_t i, k;
	json_array_foreach(json_object_get(doc, "caches"), i, cache)
	{
		json_array_append(rows, cache);
		for (size_t p = 0; p < 2; p++)
			json_array_foreach(json_object_get(cache, part[p]), k, row)
			{
				json_t *one = json_copy(row);
				json_object_set(one, "name", json_object_get(cache, "name"));
				json_object_set(one, "spec", json_object_get(cache, "spec"));
				json_array_append_new(rows, one);
			}
		sim_top_flatten(rows, cache);
		sim_tree_flatten(rows, cache);
	}
	return rows;
}

static bool
print_csv(struct rp_out *to, const struct sim_run *run, json_t *doc, struct rp_err *err)
{
	const char *by = rp_top_names[run->o->by];
	struct rp_view fixed[FIXED + FIXED_MORE] = { { "cache", "name", RP_CELL_TEXT },
		{ "spec", "spec", RP_CELL_TEXT }, { "stream", "stream", RP_CELL_COUNT },
		{ "interval", "interval", RP_CELL_COUNT }, { "top", "top", RP_CELL_COUNT },
		{ by, by, RP_CELL_TEXT } };
	/* A stream has its column anyway. */
	size_t n = FIXED + (run->o->top ? run->o->by == RP_TOP_STREAM ? 1 : 2 : 0);
	struct rp_view view[VIEWS_MOST];
	char path[VIEWS_MOST][64];
	json_t *rows = flat_rows(doc);
	if (run->tree) {
		fixed[n++] = (struct rp_view){ "instance", "instance", RP_CELL_COUNT };
		fixed[n++] = (struct rp_view){ "slice", "slice", RP_CELL_COUNT };
		fixed[n++] = (struct rp_view){ "bytes_read", "bytes_read", RP_CELL_COUNT };
		sim_tree_flatten_memory(rows, doc);
	}
	n = counter_views(run, view, path, fixed, n);
	for (size_t i = 0; run->law && i < LAW_VIEWS && n < VIEWS_MOST; i++)
		view[n++] = law_views[i];
	bool ok = rp_emit_csv(to, rows, view, n, false, err);
	json_decref(rows);
	return ok;
}

/* Misses by kind, from the counters. */
static json_t *
kind_rows(json_t *cache)
{
	static const char *const kind[][3] = { { "read", "reads", "read_misses" },
		{ "write", "writes", "write_misses" }, { "fetch", "ifetches", "ifetch_misses" } };
	json_t *rows = json_array(), *c = json_object_get(cache, "counters");
	for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
		uint64_t n = (uint64_t)json_integer_value(json_object_get(c, kind[k][1]));
		uint64_t misses = (uint64_t)json_integer_value(json_object_get(c, kind[k][2]));
		if (!k) { /* the data reads: fetches have a row of their own */
			n -= (uint64_t)json_integer_value(json_object_get(c, "ifetches"));
			misses -= (uint64_t)json_integer_value(json_object_get(c, "ifetch_misses"));
		}
		if (n)
			json_array_append_new(
			    rows, json_pack("{ss sO so so so}", "kind", kind[k][0], "name",
				      json_object_get(cache, "name"), "lookups", rp_emit_count(n),
				      "misses", rp_emit_count(misses), "ratio",
				      rp_emit_ratio(misses, n)));
	}
	return rows;
}

static bool
print_kinds(struct rp_out *to, json_t *caches, struct rp_err *err)
{
	static const struct rp_view view[] = { { "cache", "name", RP_CELL_TEXT },
		{ "kind", "kind", RP_CELL_TEXT }, { "lookups", "lookups", RP_CELL_COUNT },
		{ "misses", "misses", RP_CELL_COUNT }, { "miss ratio", "ratio", RP_CELL_RATIO } };
	json_t *all = json_array(), *cache;
	size_t i;
	json_array_foreach(caches, i, cache)
	{
		json_t *rows = kind_rows(cache);
		json_array_extend(all, rows);
		json_decref(rows);
	}
	bool ok = rp_out_printf(to, err, "\nmisses by kind\n") &&
	          rp_emit_table(to, all, view, sizeof view / sizeof *view, false, err);
	json_decref(all);
	return ok;
}

/* Streams or intervals: one line each, a pair of columns for each cache. */
static bool
print_parts(
    struct rp_out *to, json_t *caches, const char *part, const char *key, struct rp_err *err)
{
	size_t n = json_array_size(caches), i, k;
	json_t *rows = json_array(), *cache, *row;
	struct rp_view *view = rp_mem_array(2 + 2 * n, sizeof *view, err);
	char(*text)[2][64] = rp_mem_array(n, sizeof *text, err);
	bool ok = rows && view && text && rp_out_printf(to, err, "\nmisses by %s\n", key);
	if (ok) {
		view[0] = (struct rp_view){ key, "key", RP_CELL_TEXT };
		view[1] = (struct rp_view){ "lookups", "lookups", RP_CELL_COUNT };
	}
	json_array_foreach(ok ? caches : NULL, i, cache)
	{
		snprintf(text[i][0], sizeof text[i][0], "m%zu", i);
		snprintf(text[i][1], sizeof text[i][1], "r%zu", i);
		const char *name =
		    n == 1 ? "misses" : json_string_value(json_object_get(cache, "name"));
		view[2 + 2 * i] = (struct rp_view){ name, text[i][0], RP_CELL_COUNT };
		view[3 + 2 * i] = (struct rp_view){ "miss ratio", text[i][1], RP_CELL_RATIO };
		json_array_foreach(json_object_get(cache, part), k, row)
		{
			json_t *one = json_array_get(rows, k),
			       *c = json_object_get(row, "counters");
			if (!one) {
				one = json_object();
				json_array_append_new(rows, one);
				json_object_set_new(one, "key",
				    json_sprintf("%" JSON_INTEGER_FORMAT,
					json_integer_value(json_object_get(row, key))));
				json_object_set(one, "lookups", json_object_get(c, "lookups"));
			}
			json_object_set(one, text[i][0], json_object_get(c, "misses"));
			json_object_set(one, text[i][1], json_object_get(c, "miss_ratio"));
		}
	}
	ok = ok && rp_emit_table(to, rows, view, 2 + 2 * n, false, err);
	free(view);
	free(text);
	json_decref(rows);
	return ok;
}

static bool
print_text(struct rp_out *to, const struct sim_run *run, json_t *doc, struct rp_err *err)
{
	static const struct rp_view fixed[1] = { { "", "name", RP_CELL_TEXT } };
	struct rp_view view[VIEWS_MOST];
	char path[VIEWS_MOST][64];
	json_t *caches = json_object_get(doc, "caches"), *cache, *w;
	size_t i, n = counter_views(run, view, path, fixed, 1);
	bool ok = rp_input_print(to, json_object_get(doc, "trace"), err) &&
	          rp_out_printf(to, err, "crossing  %s%s\n", sim_crossing_name[run->o->crossing],
		      run->o->crossing ? " (one count for an access)"
				       : " (a lookup for each line of an access)");
	if (ok && run->warmup)
		ok = rp_out_printf(
		    to, err, "warm-up   %" PRIu64 " accesses, not counted\n", run->warmup);
	if (ok && run->replay && rp_replay_spilled(run->replay)) {
		char bytes[32];
		rp_print_count(bytes, rp_replay_spilled(run->replay));
		ok = rp_out_printf(to, err,
		    "spilled   %s bytes to temporary files, for opt: it needs the future\n", bytes);
	}
	json_array_foreach(caches, i, cache)
	{
		ok = ok &&
		     rp_out_printf(to, err, "%-8s  %s\n",
			 json_string_value(json_object_get(cache, "name")),
			 json_string_value(json_object_get(cache, "spec"))) &&
		     (!run->tree || sim_tree_print_level(to, cache, err));
	}
	ok = ok && rp_out_printf(to, err, "\n") && rp_emit_table(to, caches, view, n, true, err) &&
	     print_kinds(to, caches, err);
	if (ok && run->law)
		ok = law_print(to, caches, err);
	if (ok && run->by_stream)
		ok = print_parts(to, caches, "streams", "stream", err);
	if (ok && run->o->interval)
		ok = print_parts(to, caches, "intervals", "interval", err);
	if (ok && run->tree)
		ok = sim_tree_print(to, doc, run->by_stream, err);
	if (ok && run->o->top)
		ok = sim_top_print(to, run, caches, err);
	json_array_foreach(json_object_get(doc, "warnings"), i, w)
	{
		ok = ok &&
		     rp_out_printf(to, err, "%swarning: %s\n", i ? "" : "\n", json_string_value(w));
	}
	double rate = json_number_value(json_object_get(doc, "accesses_per_s"));
	return ok &&
	       rp_out_printf(to, err, "\n%.2f s, %.1f M accesses/s\n", run->elapsed, rate / 1e6);
}

bool
sim_print(const struct sim_run *run, struct rp_err *err)
{
	rp_emit_begin();
	json_t *doc = document(run, err);
	struct rp_out *to = rp_emit_whole(doc, err) ? rp_out_open(run->o->output, err) : NULL;
	rp_emit_begin();
	bool ok = to && (run->o->json     ? rp_emit_json(to, doc, err)
			    : run->o->csv ? print_csv(to, run, doc, err)
					  : print_text(to, run, doc, err));
	ok = rp_emit_close(to, doc, ok, err);
	json_decref(doc);
	return ok;
}
