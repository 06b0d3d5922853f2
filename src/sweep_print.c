/* sweep_print.c - the results of `reprise sweep`, as JSON, CSV and text. */
#include "config.h"

#include "sim.h"
#include "sweep.h"

#include "base/emit.h"
#include "base/parse.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Columns of every row of CSV, in this order. */
static const struct rp_view keys[] = { { "policy", "policy", RP_CELL_TEXT },
	{ "line", "line", RP_CELL_COUNT }, { "sets", "sets", RP_CELL_COUNT },
	{ "ways", "ways", RP_CELL_COUNT }, { "size", "size", RP_CELL_COUNT },
	{ "index", "index", RP_CELL_TEXT }, { "mshr", "mshr", RP_CELL_COUNT },
	{ "merge", "merge", RP_CELL_COUNT }, { "latency", "latency", RP_CELL_COUNT } };
static const struct rp_view share_keys[] = { { "point", "point", RP_CELL_COUNT },
	{ "points", "share.points", RP_CELL_COUNT }, { "grid", "share.grid", RP_CELL_TEXT },
	{ "trace", "share.trace", RP_CELL_TEXT } };
static const struct rp_view step_keys[] = { { "doubled_miss_ratio", "doubled_miss_ratio",
						RP_CELL_RATIO },
	{ "doubling_saves", "doubling_saves", RP_CELL_RATIO } };

enum {
	KEYS = sizeof keys / sizeof *keys,
	SHARE_KEYS = sizeof share_keys / sizeof *share_keys,
	STEP_KEYS = sizeof step_keys / sizeof *step_keys,
	VIEWS = KEYS + RP_SWEEP_WANTS + 8 + SHARE_KEYS + STEP_KEYS + LAW_VIEWS
};

struct views {
	struct rp_view view[VIEWS];
	char path[VIEWS][64];
	size_t n;
};

static void
add_views(struct views *v, const struct rp_view *view, size_t n)
{
	memcpy(v->view + v->n, view, n * sizeof *view);
	v->n += n;
}

static void
add_counter(struct views *v, const char *name, bool ratio)
{
	if (v->n == VIEWS)
		return;
	snprintf(v->path[v->n], sizeof *v->path, "counters.%s", name);
	v->view[v->n] =
	    (struct rp_view){ name, v->path[v->n], ratio ? RP_CELL_RATIO : RP_CELL_COUNT };
	v->n++;
}

/* A column for each counter that one of the rows has, in the order of the names in `counters`. */
static void
add_counters(struct views *v, json_t *counters)
{
	size_t i;
	json_t *name;
	json_array_foreach(counters, i, name)
	{
		const char *text = json_string_value(name);
		bool ratio = false;
		for (size_t k = 0; k < rp_counter_count; k++)
			ratio |=
			    rp_counter_table[k].ratio && !strcmp(rp_counter_table[k].name, text);
		add_counter(v, text, ratio);
	}
}

/* Names of the counters of each row, those that every sweep has first. */
static json_t *
counter_names(const struct rp_sweep_wants *wants)
{
	json_t *list = json_array();
	for (size_t i = 0; rp_sweep_always[i]; i++)
		json_array_append_new(list, json_string(rp_sweep_always[i]));
	for (size_t i = 0; i < wants->n; i++)
		json_array_append_new(list, json_string(wants->row[i]->name));
	return list;
}

static json_t *
warnings(const struct sweep_run *run, struct rp_err *err)
{
	const struct rp_sweep_plan *p = &run->plan;
	json_t *list = rp_input_warnings(run->feed.source->trace, err);
	if (list && p->left_out)
		json_array_append_new(
		    list, json_sprintf("%" PRIu64 " combinations are no cache and are "
				       "left out, the first: %s",
			      p->left_out, p->why));
	return list;
}

static json_t *
points_json(const struct sweep_run *run, struct rp_err *err)
{
	json_t *list = json_array();
	for (size_t i = 0; list && i < run->plan.n; i++) {
		const struct rp_sweep_point *p = &run->plan.point[i];
		if (!p->mine || !run->plan.point[p->as].done)
			continue;
		json_t *row = sweep_row(run, i, err);
		if (row && run->o->shard)
			json_object_set_new(row, "point", json_integer((json_int_t)i));
		if (json_array_append_new(list, row)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

json_t *
sweep_document(const struct sweep_run *run, struct rp_err *err)
{
	struct rp_trace *t = run->feed.source->trace;
	json_t *trace = rp_input_json(t, &run->feed.seen, err), *list = warnings(run, err);
	json_t *points = points_json(run, err);
	if (trace && run->feed.hashed)
		json_object_set_new(trace, "hash", sweep_hash(run->feed.hash));
	if (trace)
		json_object_set_new(trace, "interleave",
		    rp_emit_text(run->o->in.gpu ? "gpu" : run->o->in.interleave));
	json_t *doc = json_pack("{ss ss so ss sI sI sI so so so}", "reprise", PACKAGE_VERSION,
	    "command", "sweep", "trace", trace, "crossing", sim_crossing_name[run->o->crossing],
	    "warmup", (json_int_t)run->how.warmup, "computed",
	    (json_int_t)rp_sweep_plan_computed(&run->plan), "repeated",
	    (json_int_t)run->plan.repeated, "counters", counter_names(&run->wants), "points",
	    points, "warnings", list);
	if (!doc) {
		if (!err->code)
			rp_fail(err, RP_RESOURCE, "out of memory: results");
		return NULL;
	}
	if (run->o->shard)
		json_object_set_new(doc, "share", sweep_share(run));
	if (run->verified)
		json_object_set(doc, "verify", run->verified);
	return doc;
}

/* The columns of CSV, for a document of that kind. */
static void
csv_views(struct views *v, json_t *counters, bool share, bool steps, bool law)
{
	v->n = 0;
	add_views(v, keys, KEYS);
	add_counters(v, counters);
	if (share)
		add_views(v, share_keys, SHARE_KEYS);
	if (steps)
		add_views(v, step_keys, STEP_KEYS);
	if (law)
		add_views(v, law_views, LAW_VIEWS);
}

/* Rows as CSV; with the share that they are of, which is not printed with each of them as JSON. */
static bool
print_csv(struct rp_out *to, json_t *rows, json_t *counters, json_t *share, bool steps, bool law,
    bool bare, struct rp_err *err)
{
	struct views *v = rp_mem_array(1, sizeof *v, err);
	size_t i;
	json_t *row;
	if (!v)
		return false;
	json_array_foreach(share ? rows : NULL, i, row) json_object_set(row, "share", share);
	csv_views(v, counters, share != NULL, steps, law);
	bool ok = rp_emit_csv(to, rows, v->view, v->n, bare, err);
	free(v);
	return ok;
}

static json_t *
only_knees(json_t *steps)
{
	json_t *list = json_array(), *step;
	size_t i;
	json_array_foreach(steps, i, step)
	{
		if (json_is_true(json_object_get(step, "knee")))
			json_array_append(list, step);
	}
	return list;
}

static bool
print_doc_csv(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	json_t *steps = rp_emit_at(doc, "pareto.steps"),
	       *smallest = rp_emit_at(doc, "target.smallest");
	json_t *rows = steps ? only_knees(steps)
	                     : json_incref(smallest ? smallest : json_object_get(doc, "points"));
	bool ok = print_csv(to, rows, json_object_get(doc, "counters"),
	    json_object_get(doc, "share"), steps != NULL,
	    rp_emit_at(json_array_get(json_object_get(doc, "points"), 0), "law") != NULL, false,
	    err);
	json_decref(rows);
	return ok;
}

/* Whether a member is the same in all rows, if they have it. */
static bool
is_common(json_t *rows, const char *path)
{
	json_t *first = rp_emit_at(json_array_get(rows, 0), path), *row;
	size_t i;
	json_array_foreach(rows, i, row)
	{
		json_t *v = rp_emit_at(row, path);
		if (v != first && !(v && first && json_equal(v, first)))
			return false;
	}
	return true;
}

/* What is the same for all rows, in a line. */
static bool
print_common(struct rp_out *to, json_t *rows, struct rp_err *err)
{
	bool ok = true, any = false;
	json_t *first = json_array_get(rows, 0);
	for (size_t k = 0; ok && k < KEYS; k++) {
		const json_t *v = rp_emit_at(first, keys[k].path);
		char size[24];
		if (!v || !is_common(rows, keys[k].path))
			continue;
		ok = rp_out_printf(to, err, "%s%s ", any ? ", " : "all       ", keys[k].heading);
		if (json_is_string(v))
			ok = ok && rp_out_printf(to, err, "%s", json_string_value(v));
		else
			ok = ok &&
			     rp_out_printf(to, err, "%s",
				 rp_print_size(size, sizeof size, (uint64_t)json_integer_value(v)));
		any = true;
	}
	return ok && (!any || rp_out_printf(to, err, "\n"));
}

static size_t
cell_width(const struct rp_view *view, json_t *rows)
{
	size_t width = strlen(view->heading), i;
	json_t *row;
	json_array_foreach(rows, i, row)
	{
		const json_t *v = rp_emit_at(row, view->path);
		char count[32];
		size_t n = json_is_string(v) ? json_string_length(v)
		           : json_is_integer(v)
		               ? strlen(rp_print_count(count, (uint64_t)json_integer_value(v)))
		           : v ? 8
		               : 0;
		width = n > width ? n : width;
	}
	return width;
}

static bool
has_value(const struct rp_view *view, json_t *rows)
{
	size_t i;
	json_t *row;
	json_array_foreach(rows, i, row)
	{
		if (rp_emit_at(row, view->path))
			return true;
	}
	return false;
}

enum { WIDTH = 80 };

/* A table, in several under each other if it is too wide: each with the columns that tell the rows apart. */
static bool
print_table(
    struct rp_out *to, json_t *rows, const struct rp_view *view, size_t n, struct rp_err *err)
{
	struct rp_view *use = rp_mem_array(2 * n + KEYS, sizeof *use, err), *some = use + n + KEYS;
	size_t fixed = 0, width = 0, all = n;
	bool ok = use;
	n = 0;
	for (size_t i = 0; ok && i < all; i++)
		if (has_value(&view[i], rows))
			some[n++] = view[i];
	for (size_t k = 0; ok && k < KEYS; k++) {
		if (is_common(rows, keys[k].path) && json_array_size(rows) > 1)
			continue;
		use[fixed++] = keys[k];
		width += cell_width(&keys[k], rows) + 2;
	}
	for (size_t at = 0; ok && at < n;) {
		size_t used = width, k = fixed;
		do {
			used += cell_width(&some[at], rows) + 2;
			use[k++] = some[at++];
		} while (at < n && used + cell_width(&some[at], rows) <= WIDTH);
		ok = rp_out_printf(to, err, "\n") && rp_emit_table(to, rows, use, k, false, err);
	}
	free(use);
	return ok;
}

static bool
print_points(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	struct views *v = rp_mem_array(1, sizeof *v, err);
	json_t *points = json_object_get(doc, "points");
	if (!v)
		return false;
	add_counters(v, json_object_get(doc, "counters"));
	/* All have the accesses of the trace, and hits are what is left. */
	const struct rp_view first[] = { v->view[1], v->view[3], v->view[4] };
	memmove(v->view, v->view + 2, (v->n - 2) * sizeof *v->view);
	memcpy(v->view, first, sizeof first);
	v->n -= 2;
	bool ok = print_table(to, points, v->view, v->n, err);
	free(v);
	return ok;
}

static bool
print_steps(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view view[] = { { "misses", "counters.misses", RP_CELL_COUNT },
		{ "miss ratio", "counters.miss_ratio", RP_CELL_RATIO },
		{ "doubled", "doubled_miss_ratio", RP_CELL_RATIO },
		{ "saves", "doubling_saves", RP_CELL_RATIO } };
	json_t *pareto = json_object_get(doc, "pareto");
	if (!pareto)
		return true;
	json_t *knees = only_knees(json_object_get(pareto, "steps"));
	double share = 100 * json_number_value(json_object_get(pareto, "pays"));
	bool ok =
	    json_array_size(knees)
		? rp_out_printf(to, err,
		      "\nsizes from which one more doubling saves less than %g%% of the misses\n",
		      share) &&
		      print_common(to, knees, err) && print_table(to, knees, view, 4, err)
		: rp_out_printf(to, err,
		      "\nno size of these from which one more doubling saves less than %g%% of the "
		      "misses\n",
		      share);
	json_decref(knees);
	return ok;
}

static bool
print_target(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view view[] = { { "misses", "counters.misses", RP_CELL_COUNT },
		{ "miss ratio", "counters.miss_ratio", RP_CELL_RATIO } };
	json_t *target = json_object_get(doc, "target");
	if (!target)
		return true;
	json_t *rows = json_object_get(target, "smallest");
	double ratio = json_number_value(json_object_get(target, "miss_ratio"));
	if (!json_array_size(rows))
		return rp_out_printf(
		    to, err, "\nno cache of these reaches a miss ratio of %g\n", ratio);
	return rp_out_printf(to, err, "\nsmallest caches that reach a miss ratio of %g\n", ratio) &&
	       print_common(to, rows, err) && print_table(to, rows, view, 2, err);
}

static bool
print_verify(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const struct rp_view view[] = { { "cache", "spec", RP_CELL_TEXT },
		{ "counter", "counter", RP_CELL_TEXT }, { "sweep", "sweep", RP_CELL_COUNT },
		{ "replay", "replay", RP_CELL_COUNT } };
	json_t *verify = json_object_get(doc, "verify"),
	       *list = json_object_get(verify, "differences");
	if (!verify)
		return true;
	bool ok = rp_out_printf(to, err,
	    "\nverified  %" JSON_INTEGER_FORMAT " caches replayed by themselves: %s\n",
	    json_integer_value(json_object_get(verify, "points")),
	    json_array_size(list) ? "these differ" : "no difference");
	return ok && (!json_array_size(list) || rp_emit_table(to, list, view, 4, false, err));
}

/* "lru 64x8": a policy, sets, ways. */
static json_t *
short_name(json_t *row)
{
	const char *policy = json_string_value(json_object_get(row, "policy"));
	json_t *sets = json_object_get(row, "sets"), *ways = json_object_get(row, "ways");
	if (!sets)
		return json_string(policy);
	return json_sprintf("%s %" JSON_INTEGER_FORMAT "x%" JSON_INTEGER_FORMAT, policy,
	    json_integer_value(sets), json_integer_value(ways));
}

/* The law of the scan beside each cache, if that was asked for. */
static bool
print_laws(struct rp_out *to, json_t *points, struct rp_err *err)
{
	json_t *rows = json_array(), *row;
	size_t i;
	json_array_foreach(points, i, row)
	{
		if (!json_object_get(row, "law"))
			continue;
		json_t *one = json_copy(row);
		json_object_set_new(one, "name", short_name(row));
		json_array_append_new(rows, one);
	}
	bool ok = !json_array_size(rows) || law_print(to, rows, err);
	json_decref(rows);
	return ok;
}

/* Sizes as people write them: the document is printed once. */
static void
spell_sizes(json_t *rows)
{
	size_t i;
	json_t *row;
	json_array_foreach(rows, i, row)
	{
		char size[24];
		const json_t *v = json_object_get(row, "size");
		if (json_is_integer(v))
			json_object_set_new(row, "size",
			    json_string(
				rp_print_size(size, sizeof size, (uint64_t)json_integer_value(v))));
	}
}

static bool
print_text(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	json_t *trace = json_object_get(doc, "trace"), *points = json_object_get(doc, "points"), *w;
	size_t i, n = json_array_size(points);
	json_int_t warmup = json_integer_value(json_object_get(doc, "warmup"));
	spell_sizes(points);
	spell_sizes(rp_emit_at(doc, "pareto.steps"));
	bool ok = !json_object_get(trace, "sources") || rp_input_print(to, trace, err);
	ok = ok && rp_out_printf(to, err, "caches    %zu\n", n) &&
	     (!n || print_common(to, points, err));
	if (ok && warmup)
		ok = rp_out_printf(
		    to, err, "warm-up   %" JSON_INTEGER_FORMAT " accesses, not counted\n", warmup);
	bool best = json_object_get(doc, "pareto") || json_object_get(doc, "target");
	ok = ok && (best || !n || print_points(to, doc, err)) && print_laws(to, points, err) &&
	     print_steps(to, doc, err) && print_target(to, doc, err) && print_verify(to, doc, err);
	json_array_foreach(json_object_get(doc, "warnings"), i, w)
	{
		ok = ok &&
		     rp_out_printf(to, err, "%swarning: %s\n", i ? "" : "\n", json_string_value(w));
	}
	return ok;
}

bool
sweep_print(const struct sweep_opts *o, json_t *doc, struct rp_err *err)
{
	struct rp_out *to = rp_emit_whole(doc, err) ? rp_out_open(o->output, err) : NULL;
	rp_emit_begin();
	bool ok = to && (o->json     ? rp_emit_json(to, doc, err)
			    : o->csv ? print_doc_csv(to, doc, err)
				     : print_text(to, doc, err));
	return rp_emit_close(to, doc, ok, err);
}

bool
sweep_print_rows(struct sweep_run *run, struct rp_err *err)
{
	rp_emit_begin();
	json_t *rows = json_array(), *counters = counter_names(&run->wants);
	json_t *share = run->o->shard ? sweep_share(run) : NULL;
	const struct rp_sweep_plan *plan = &run->plan;
	bool bare = run->headed, ok = true;
	run->headed = true;
	for (; ok && run->printed < plan->n; run->printed++) {
		const struct rp_sweep_point *p = &plan->point[run->printed];
		if (p->mine && !plan->point[p->as].done)
			break;
		json_t *row = p->mine ? sweep_row(run, run->printed, err) : NULL;
		if (row && run->o->shard)
			json_object_set_new(row, "point", json_integer((json_int_t)run->printed));
		ok = !p->mine || !json_array_append_new(rows, row);
	}
	struct rp_out *to = ok && rp_emit_whole(rows, err) ? rp_out_open("-", err) : NULL;
	ok = to && print_csv(to, rows, counters, share, false, run->law != NULL, bare, err);
	ok = rp_emit_close(to, rows, ok, err);
	json_decref(rows);
	json_decref(counters);
	json_decref(share);
	return ok;
}
