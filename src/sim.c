/* sim.c - `reprise sim`: replay through one or more caches. */
#include "config.h"

#include "command.h"
#include "input.h"
#include "seen.h"

#include "base/mem.h"
#include "base/parse.h"
#include "sim/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct sim_opts {
	struct rp_input_opts in;
	struct rp_texts caches;
	const char *sim_refs, *output;
	uint32_t line;
	unsigned crossing;
	bool json, csv, by_stream, totals, flush, keep_bypassed;
	uint64_t warmup, interval;
};

static const char *const crossing_name[] = { "split", "once", NULL };

#define OPT(field) offsetof(struct sim_opts, field)
static const struct rp_opt opts[] = {
	{ "cache", 'c', "SPEC", RP_OPT_TEXTS, OPT(caches), NULL,
	    "POLICY[,key=value]...: a cache (reprise-cache(7)); may be given several times" },
	{ "D1", 0, "SIZE,WAYS,LINE", RP_OPT_TEXTS, OPT(caches), NULL,
	    "an lru cache called D1, as Cachegrind takes it" },
	{ "line", 0, "BYTES", RP_OPT_SIZE32, OPT(line), "64", "line size of caches that name none",
	    1, 1 << 30 },
	{ "crossing", 0, "HOW", RP_OPT_CHOICE, OPT(crossing), "split",
	    "an access that crosses lines: split (a lookup a line) or once (one count, one miss at "
	    "most)",
	    0, 0, crossing_name, NULL },
	{ "warmup", 0, "N", RP_OPT_U64, OPT(warmup), "0",
	    "replay the first N accesses without counting" },
	{ "interval", 0, "N", RP_OPT_U64, OPT(interval), NULL, "counters for every N accesses too",
	    1, UINT64_MAX },
	{ "by-stream", 0, NULL, RP_OPT_FLAG, OPT(by_stream), NULL,
	    "counters by stream too (always in JSON, but for --totals)" },
	{ "totals", 0, NULL, RP_OPT_FLAG, OPT(totals), NULL,
	    "no counters by stream, which is quicker" },
	{ "flush", 0, NULL, RP_OPT_FLAG, OPT(flush), NULL, "write back what is dirty at the end" },
	{ "keep-bypassed", 0, NULL, RP_OPT_FLAG, OPT(keep_bypassed), NULL,
	    "GPU: replay accesses that bypass L1, instead of leaving them out", 0, 0, NULL, NULL,
	    true },
	{ "sim-refs", 0, "N", RP_OPT_TEXT, OPT(sim_refs), NULL,
	    "end after N accesses, warm-up not included", 0, 0, NULL, rp_check_u64, true },
	RP_INPUT_ROWS(struct sim_opts),
	{ "json", 0, NULL, RP_OPT_FLAG, OPT(json), NULL, "print JSON" },
	{ "csv", 0, NULL, RP_OPT_FLAG, OPT(csv), NULL, "print CSV" },
	{ "output", 'o', "FILE", RP_OPT_TEXT, OPT(output), "-", "where to print" },
	{ 0 },
};

/* Cachegrind's SIZE,WAYS,LINE as a specification of ours. */
static bool
spec_of_cachegrind(const char *text, char *to, size_t room, struct rp_err *err)
{
	char size[32], ways[32], line[32], rest;
	if (sscanf(text, "%31[^,],%31[^,],%31[^,]%c", size, ways, line, &rest) != 3)
		return rp_fail(err, RP_USAGE, "--D1: '%.40s': wanted SIZE,WAYS,LINE", text);
	snprintf(to, room, "lru,size=%s,ways=%s,line=%s,name=D1", size, ways, line);
	return true;
}

static bool
parse_specs(const struct sim_opts *o, struct rp_cache_spec *specs, struct rp_err *err)
{
	for (size_t i = 0; i < o->caches.n; i++) {
		const char *text = o->caches.text[i];
		char own[160];
		if (text[0] >= '0' && text[0] <= '9') {
			if (!spec_of_cachegrind(text, own, sizeof own, err))
				return false;
			text = own;
		}
		if (!rp_cache_spec_parse(text, o->line, o->in.seed, &specs[i], err))
			return rp_err_wrap(err, "--cache");
	}
	return true;
}

static json_t *
counters_json(const struct rp_counters *c)
{
	json_t *o = json_object();
	for (size_t i = 0; i < rp_counter_count; i++) {
		const struct rp_counter *row = &rp_counter_table[i];
		uint64_t x = *(const uint64_t *)((const char *)c + row->offset);
		json_t *v =
		    row->ratio
			? rp_emit_ratio(x, *(const uint64_t *)((const char *)c + row->denominator))
			: rp_emit_count(x);
		json_object_set_new(o, row->name, v);
	}
	return o;
}

static json_t *
streams_json(const struct rp_replay *r, size_t cache)
{
	json_t *list = json_array();
	struct rp_counters c;
	for (size_t k = 0; k < rp_replay_streams(r); k++) {
		rp_replay_stream_counters(r, cache, k, &c);
		json_array_append_new(
		    list, json_pack("{sI so}", "stream", (json_int_t)rp_replay_stream(r, k),
			      "counters", counters_json(&c)));
	}
	return list;
}

/* A trace without a stream column is all of stream 0. */
static json_t *
single_json(const struct rp_replay *r, const struct rp_counters *c)
{
	json_t *list = json_array();
	if (rp_replay_accesses(r))
		json_array_append_new(
		    list, json_pack("{si so}", "stream", 0, "counters", counters_json(c)));
	return list;
}

static json_t *
intervals_json(const struct rp_replay *r, size_t cache)
{
	json_t *list = json_array();
	struct rp_counters c;
	for (size_t k = 0; k < rp_replay_intervals(r); k++) {
		rp_replay_interval(r, cache, k, &c);
		json_array_append_new(list,
		    json_pack("{sI so}", "interval", (json_int_t)k, "counters", counters_json(&c)));
	}
	return list;
}

static json_t *
cache_json(const struct sim_opts *o, const struct rp_replay *r, const struct rp_cache_spec *spec,
    size_t i, bool by_stream, struct rp_err *err)
{
	struct rp_counters c;
	char name[32], *text = rp_cache_spec_print(spec, err);
	if (!text)
		return NULL;
	snprintf(name, sizeof name, "cache%zu", i + 1);
	rp_replay_counters(r, i, &c);
	json_t *cache =
	    json_pack("{so so so}", "name", rp_emit_text(*spec->name ? spec->name : name), "spec",
		rp_emit_text(text), "counters", counters_json(&c));
	if (by_stream)
		json_object_set_new(cache, "streams",
		    rp_replay_streams(r) ? streams_json(r, i) : single_json(r, &c));
	if (o->interval)
		json_object_set_new(cache, "intervals", intervals_json(r, i));
	free(text);
	if (!cache)
		rp_fail(err, RP_RESOURCE, "out of memory: results");
	return cache;
}

/* What a sim is while it runs. */
struct run {
	const struct sim_opts *o;
	struct rp_source *source;
	struct rp_cache_spec *specs;
	struct rp_replay *replay;
	struct rp_seen seen;
	uint64_t warmup;
	bool by_stream;
	double elapsed;
};

static double
now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool
replay_all(struct run *run, struct rp_err *err)
{
	const struct rp_input_opts *in = &run->o->in;
	struct rp_batch *b = rp_batch_new(RP_BATCH, run->source->trace->columns, err);
	struct rp_progress progress;
	rp_input_progress(&progress, in);
	double start = now();
	ptrdiff_t n = b ? 1 : -1;
	while (n > 0 && !rp_interrupted) {
		rp_batch_clear(b);
		n = rp_source_pull(run->source, b, err);
		if (n > 0 &&
		    (!rp_seen_batch(&run->seen, b, err) || !rp_replay_run(run->replay, b, err)))
			n = -1;
		rp_input_tell(&progress, in, run->source->trace, rp_replay_accesses(run->replay));
	}
	run->elapsed = now() - start;
	rp_progress_end(&progress);
	rp_batch_free(b);
	return n >= 0 && rp_replay_end(run->replay, err);
}

static json_t *
document(const struct run *run, struct rp_err *err)
{
	const struct rp_replay *r = run->replay;
	struct rp_trace *t = run->source->trace;
	uint64_t accesses = rp_replay_accesses(r);
	json_t *trace = rp_input_json(t, &run->seen, err), *caches = json_array(),
	       *warnings = rp_input_warnings(t, err);
	for (size_t i = 0; caches && i < run->o->caches.n; i++) {
		json_t *c = cache_json(run->o, r, &run->specs[i], i, run->by_stream, err);
		if (!c || json_array_append_new(caches, c))
			goto failed;
		if (rp_replay_never_replaced(r, i) && accesses)
			json_array_append_new(
			    warnings, json_sprintf("%s never replaced a line: it is larger than "
						   "what the trace touches",
					  json_string_value(json_object_get(c, "name"))));
	}
	if (!trace || !warnings)
		goto failed;
	json_object_set_new(
	    trace, "interleave", rp_emit_text(run->o->in.gpu ? "gpu" : run->o->in.interleave));
	if (run->o->in.gpu)
		json_object_set_new(trace, "gpu", rp_emit_text(run->o->in.gpu));
	json_t *doc = json_pack("{ss ss so ss sI so so sf so}", "reprise", PACKAGE_VERSION,
	    "command", "sim", "trace", trace, "crossing", crossing_name[run->o->crossing], "warmup",
	    (json_int_t)run->warmup, "caches", caches, "warnings", warnings, "elapsed_s",
	    run->elapsed, "accesses_per_s",
	    run->elapsed > 0 ? json_real((double)accesses / run->elapsed) : json_null());
	if (!doc)
		rp_fail(err, RP_RESOURCE, "out of memory: results");
	return doc;
failed:
	json_decref(trace);
	json_decref(caches);
	json_decref(warnings);
	if (!err->code)
		rp_fail(err, RP_RESOURCE, "out of memory: results");
	return NULL;
}

enum { VIEWS_MOST = 64, FIXED = 4 };

/* The columns: `fixed` first ones, then every counter and ratio. */
static size_t
counter_views(struct rp_view *view, char (*path)[64], const struct rp_view *fixed, size_t n)
{
	memcpy(view, fixed, n * sizeof *fixed);
	for (size_t i = 0; i < rp_counter_count && n < VIEWS_MOST; i++, n++) {
		const struct rp_counter *row = &rp_counter_table[i];
		snprintf(path[n], sizeof *path, "counters.%s", row->name);
		view[n] = (struct rp_view){ row->name, path[n],
			row->ratio ? RP_CELL_RATIO : RP_CELL_COUNT };
	}
	return n;
}

/* Rows for CSV: each cache's total, then its streams, then its intervals, each with the cache's name and spec. */
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
	}
	return rows;
}

static bool
print_csv(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view fixed[FIXED] = { { "cache", "name", RP_CELL_TEXT },
		{ "spec", "spec", RP_CELL_TEXT }, { "stream", "stream", RP_CELL_COUNT },
		{ "interval", "interval", RP_CELL_COUNT } };
	struct rp_view view[VIEWS_MOST];
	char path[VIEWS_MOST][64];
	json_t *rows = flat_rows(doc);
	bool ok = rp_emit_csv(to, rows, view, counter_views(view, path, fixed, FIXED), false, err);
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
print_text(struct rp_out *to, const struct run *run, json_t *doc, struct rp_err *err)
{
	static const struct rp_view fixed[1] = { { "", "name", RP_CELL_TEXT } };
	struct rp_view view[VIEWS_MOST];
	char path[VIEWS_MOST][64];
	json_t *caches = json_object_get(doc, "caches"), *cache, *w;
	size_t i, n = counter_views(view, path, fixed, 1);
	bool ok = rp_input_print(to, json_object_get(doc, "trace"), err) &&
	          rp_out_printf(to, err, "crossing  %s%s\n", crossing_name[run->o->crossing],
		      run->o->crossing ? " (one count for an access)"
				       : " (a lookup for each line of an access)");
	if (ok && run->warmup)
		ok = rp_out_printf(
		    to, err, "warm-up   %" PRIu64 " accesses, not counted\n", run->warmup);
	json_array_foreach(caches, i, cache)
	{
		ok = ok && rp_out_printf(to, err, "%-8s  %s\n",
			       json_string_value(json_object_get(cache, "name")),
			       json_string_value(json_object_get(cache, "spec")));
	}
	ok = ok && rp_out_printf(to, err, "\n") && rp_emit_table(to, caches, view, n, true, err) &&
	     print_kinds(to, caches, err);
	if (ok && run->by_stream)
		ok = print_parts(to, caches, "streams", "stream", err);
	if (ok && run->o->interval)
		ok = print_parts(to, caches, "intervals", "interval", err);
	json_array_foreach(json_object_get(doc, "warnings"), i, w)
	{
		ok = ok &&
		     rp_out_printf(to, err, "%swarning: %s\n", i ? "" : "\n", json_string_value(w));
	}
	double rate = json_number_value(json_object_get(doc, "accesses_per_s"));
	return ok &&
	       rp_out_printf(to, err, "\n%.2f s, %.1f M accesses/s\n", run->elapsed, rate / 1e6);
}

static bool
print(const struct run *run, struct rp_err *err)
{
	rp_emit_begin();
	json_t *doc = document(run, err);
	struct rp_out *to = rp_emit_whole(doc, err) ? rp_out_open(run->o->output, err) : NULL;
	rp_emit_begin();
	bool ok = to && (run->o->json     ? rp_emit_json(to, doc, err)
			    : run->o->csv ? print_csv(to, doc, err)
					  : print_text(to, run, doc, err));
	ok = rp_emit_close(to, doc, ok, err);
	json_decref(doc);
	return ok;
}

/* --sim-refs N is --limit with the warm-up added. */
static bool
limit_of_sim_refs(struct sim_opts *o, char text[32], struct rp_err *err)
{
	uint64_t n;
	if (!o->sim_refs)
		return true;
	if (o->in.limit)
		return rp_fail(
		    err, RP_USAGE, "--sim-refs and --limit say the same: give one of them");
	if (!rp_parse_u64(o->sim_refs, &n, err))
		return false;
	snprintf(text, 32, "%" PRIu64, n + o->warmup < n ? UINT64_MAX : n + o->warmup);
	o->in.limit = text;
	return true;
}

static bool
run_sim(void *options, int n, char **traces, struct rp_err *err)
{
	struct sim_opts *o = options;
	struct run run = { .o = o };
	uint64_t preamble = 0;
	char limit[32];
	if (!o->caches.n)
		return rp_fail(err, RP_USAGE,
		    "wanted at least one --cache, like --cache lru,size=32KiB,ways=8");
	if (o->json && o->csv)
		return rp_fail(err, RP_USAGE, "--json and --csv: give one of them");
	o->in.no_bypassed = !o->keep_bypassed;
	run.specs = rp_mem_array(o->caches.n, sizeof *run.specs, err);
	bool ok = run.specs && parse_specs(o, run.specs, err) && limit_of_sim_refs(o, limit, err) &&
	          (run.source = rp_input_open(&o->in, n, traces, false, &preamble, err));
	if (ok) {
		run.by_stream = !o->totals && (o->json || o->by_stream);
		run.warmup = o->warmup + preamble;
		struct rp_replay_opts replay = { .once = o->crossing == 1,
			.by_stream = run.by_stream && (run.source->trace->columns & RP_COL_STREAM),
			.flush = o->flush,
			.keep_bypassed = o->keep_bypassed,
			.warmup = run.warmup,
			.interval = o->interval };
		run.replay = rp_replay_new(run.specs, o->caches.n, &replay, err);
		ok = run.replay && replay_all(&run, err) && print(&run, err);
	}
	if (ok && rp_interrupted)
		ok = rp_fail(err, RP_STOPPED,
		    "interrupted; the results are those of the first %" PRIu64 " accesses",
		    rp_replay_accesses(run.replay));
	rp_replay_free(run.replay);
	rp_seen_free(&run.seen);
	rp_source_close(run.source);
	for (size_t i = 0; run.specs && i < o->caches.n; i++)
		rp_cache_spec_free(&run.specs[i]);
	free(run.specs);
	return ok;
}

const struct rp_command rp_command_sim = {
	.name = "sim",
	.what = "replay through one or more caches",
	.operands = "TRACE...",
	.example = "reprise sim --cache lru,size=48KiB,ways=12,line=64 --json t.rpz",
	.opts = opts,
	.bytes = sizeof(struct sim_opts),
	.run = run_sim,
};
