/* sim_tree.c - what `reprise sim --config` prints beside the results of caches: where each stands, each by itself, memory. */
#include "config.h"

#include "coherence.h"
#include "sim.h"

#include <inttypes.h>
#include <string.h>

enum { LINES_TOLD = 10 }; /* of the report on a coherent level */

static const char *const inclusion[] = { "nine", "inclusive", "exclusive" };

/* A level's caches: its instances, or their slices. */
static json_t *
caches_json(const struct sim_run *run, size_t level, struct rp_err *err)
{
	bool sliced = run->levels.level[level].slices > 1;
	json_t *list = json_array();
	for (size_t k = 0; list && k < rp_tree_caches(run->tree, level); k++) {
		struct rp_tree_cache what;
		struct rp_counters c;
		if (!rp_tree_cache(run->tree, level, k, &what, &c, err)) {
			json_decref(list);
			return NULL;
		}
		json_t *one = json_pack("{sI}", "instance", (json_int_t)what.instance),
		       *streams = json_array();
		if (sliced)
			json_object_set_new(one, "slice", json_integer(what.slice));
		for (size_t i = 0; i < what.n_streams; i++)
			json_array_append_new(streams, json_integer(what.streams[i]));
		json_object_set_new(one, "streams", streams);
		json_array_append_new(list, sim_with_counters(one, &c, run, level));
	}
	return list;
}

bool
sim_tree_add(const struct sim_run *run, size_t level, json_t *results, struct rp_err *err)
{
	const struct rp_level_spec *l = &run->levels.level[level];
	const char *parent = l->parent == RP_MEMORY ? "memory" : run->levels.level[l->parent].name;
	json_t *caches = caches_json(run, level, err);
	if (!caches)
		return err->code ? false : rp_fail(err, RP_RESOURCE, "out of memory: results");
	json_object_set_new(results, "level", json_integer(l->depth));
	json_object_set_new(results, "parent", rp_emit_text(parent));
	json_object_set_new(results, "inclusion", rp_emit_text(inclusion[l->inclusion]));
	json_object_set_new(results, "slices", json_integer(l->slices));
	json_object_set_new(results, "instances", caches);
	struct rp_coherence *k = rp_tree_coherence(run->tree, level);
	json_t *coherence = k ? json_object() : NULL;
	if (!k)
		return true;
	json_object_set_new(results, "coherence", coherence);
	return coherence_add(coherence, k, LINES_TOLD, err);
}

void
sim_tree_memory(const struct sim_run *run, json_t *doc)
{
	struct rp_memory m;
	rp_tree_memory(run->tree, &m);
	json_object_set_new(doc, "config", rp_emit_text(run->levels.path));
	json_object_set_new(doc, "memory",
	    json_pack("{so so so so}", "reads", rp_emit_count(m.reads), "writes",
		rp_emit_count(m.writes), "bytes_read", rp_emit_count(m.bytes_read), "bytes_written",
		rp_emit_count(m.bytes_written)));
}

void
sim_tree_flatten(json_t *to, json_t *results)
{
	json_t *row;
	size_t i;
	json_array_foreach(json_object_get(results, "instances"), i, row)
	{
		json_t *one = json_copy(row);
		json_object_set(one, "name", json_object_get(results, "name"));
		json_object_set(one, "spec", json_object_get(results, "spec"));
		json_array_append_new(to, one);
	}
}

void
sim_tree_flatten_memory(json_t *to, json_t *doc)
{
	static const char *const of[] = { "reads", "writes", "bytes_written" };
	json_t *m = json_object_get(doc, "memory"), *c = json_object();
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		json_object_set(c, of[i], json_object_get(m, of[i]));
	json_array_append_new(to, json_pack("{ss sO so}", "name", "memory", "bytes_read",
				      json_object_get(m, "bytes_read"), "counters", c));
}

bool
sim_tree_print_level(struct rp_out *to, json_t *results, struct rp_err *err)
{
	json_t *caches = json_object_get(results, "instances");
	json_int_t slices = json_integer_value(json_object_get(results, "slices"));
	size_t n = json_array_size(caches) / (size_t)slices;
	const char *how = json_string_value(json_object_get(results, "inclusion"));
	char sliced[48] = "";
	if (slices > 1)
		snprintf(sliced, sizeof sliced, " of %" JSON_INTEGER_FORMAT " slices each", slices);
	return rp_out_printf(to, err, "%10s%zu cache%s%s, above %s%s%s\n", "", n, n == 1 ? "" : "s",
	    sliced, json_string_value(json_object_get(results, "parent")),
	    strcmp(how, inclusion[0]) ? ", " : "", strcmp(how, inclusion[0]) ? how : "");
}

/* The streams of a cache in a few characters: "3", "0-3", "0, 2, 4 ... 14". */
static json_t *
streams_text(json_t *streams)
{
	size_t n = json_array_size(streams);
	json_int_t first = json_integer_value(json_array_get(streams, 0)),
		   last = n ? json_integer_value(json_array_get(streams, n - 1)) : 0;
	if (n < 2)
		return n ? json_sprintf("%" JSON_INTEGER_FORMAT, first) : json_string("");
	return json_sprintf("%" JSON_INTEGER_FORMAT "%s%" JSON_INTEGER_FORMAT, first,
	    last - first == (json_int_t)n - 1 ? "-" : " ... ", last);
}

static bool
print_caches(struct rp_out *to, json_t *levels, struct rp_err *err)
{
	static const struct rp_view view[] = { { "cache", "name", RP_CELL_TEXT },
		{ "instance", "instance", RP_CELL_COUNT }, { "slice", "slice", RP_CELL_COUNT },
		{ "streams", "said", RP_CELL_TEXT },
		{ "lookups", "counters.lookups", RP_CELL_COUNT },
		{ "misses", "counters.misses", RP_CELL_COUNT },
		{ "miss ratio", "counters.miss_ratio", RP_CELL_RATIO } };
	json_t *rows = json_array(), *level, *row;
	size_t i, k;
	json_array_foreach(levels, i, level) { sim_tree_flatten(rows, level); }
	json_array_foreach(rows, k, row)
	{
		json_object_set_new(row, "said", streams_text(json_object_get(row, "streams")));
	}
	bool ok = rp_out_printf(to, err, "\nmisses by cache\n") &&
	          rp_emit_table(to, rows, view, sizeof view / sizeof *view, false, err);
	json_decref(rows);
	return ok;
}

bool
sim_tree_print(struct rp_out *to, json_t *doc, bool each, struct rp_err *err)
{
	json_t *m = json_object_get(doc, "memory");
	static const char *const of[] = { "reads", "bytes_read", "writes", "bytes_written" };
	char text[4][32];
	json_t *level;
	size_t l;
	json_array_foreach(json_object_get(doc, "caches"), l, level)
	{
		json_t *coherence = json_object_get(level, "coherence");
		if (coherence && !(rp_out_printf(to, err, "\ncoherence of %s\n",
				       json_string_value(json_object_get(level, "name"))) &&
				     coherence_print_verdict(to, coherence, err)))
			return false;
	}
	if (each && !print_caches(to, json_object_get(doc, "caches"), err))
		return false;
	for (size_t i = 0; i < 4; i++)
		rp_print_count(text[i], (uint64_t)json_integer_value(json_object_get(m, of[i])));
	return rp_out_printf(to, err,
	    "\nmemory    %s reads, %s bytes\n          %s writes, %s bytes\n", text[0], text[1],
	    text[2], text[3]);
}
