/* sim_top.c - the tables of what misses most, for the results of `reprise sim`. */
#include "config.h"

#include "sim.h"

#include "base/mem.h"
#include "sim/gpu/cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Addresses have all 64 bits, which JSON's integers of most readers have not: texts, as dump prints them. */
static json_t *
key_json(const struct sim_run *run, size_t cache, uint64_t key)
{
	const struct rp_cache_spec *spec = run->specs[cache];
	if (run->o->by == RP_TOP_STREAM)
		return rp_emit_count(key);
	if (run->o->by == RP_TOP_LINE)
		key *= spec->gpu ? spec->gpu->string.line : spec->line;
	return json_sprintf("0x%" PRIx64, key);
}

static json_t *
counters_json(const struct sim_run *run, size_t cache, const struct rp_top_row *row)
{
	json_t *c = json_pack("{so so}", "lookups", rp_emit_count(row->lookups), "misses",
	    rp_emit_count(row->misses));
	if (!run->specs[cache]->gpu) /* whose outcomes do not tell */
		json_object_set_new(c, "writebacks", rp_emit_count(row->writebacks));
	if (run->specs[cache]->classify) {
		json_object_set_new(c, "cold", rp_emit_count(row->cold));
		json_object_set_new(c, "capacity", rp_emit_count(row->capacity));
		json_object_set_new(c, "conflict", rp_emit_count(row->conflict));
		json_object_set_new(c, "anticonflict", rp_emit_count(row->anticonflict));
	}
	json_object_set_new(c, "miss_ratio", rp_emit_ratio(row->misses, row->lookups));
	return c;
}

/* `keys`: how many distinct ones there are; 0: nobody knows. */
static json_t *
table_json(
    const struct sim_run *run, size_t cache, uint64_t keys, const struct rp_top_row *rows, size_t n)
{
	const char *by = rp_top_names[run->o->by];
	json_t *list = json_array();
	for (size_t k = 0; k < n; k++)
		json_array_append_new(
		    list, json_pack("{so so}", by, key_json(run, cache, rows[k].key), "counters",
			      counters_json(run, cache, &rows[k])));
	return keys ? json_pack("{ss so so}", "by", by, "keys", rp_emit_count(keys), "rows", list)
	            : json_pack("{ss so}", "by", by, "rows", list);
}

bool
sim_top_add(const struct sim_run *run, size_t i, json_t *cache, struct rp_err *err)
{
	const struct rp_replay *r = run->replay;
	const struct rp_tree *t = run->tree;
	if (!run->o->top)
		return true;
	uint64_t keys = t ? rp_tree_top_keys(t, i) : rp_replay_top_keys(r, i);
	struct rp_top_row *rows =
	    rp_mem_array(keys < run->o->top ? keys : run->o->top, sizeof *rows, err);
	json_t *interval;
	size_t k;
	if (!rows)
		return false;
	size_t n = t ? rp_tree_top(t, i, rows) : rp_replay_top(r, i, rows);
	json_object_set_new(cache, "top", table_json(run, i, keys, rows, n));
	json_array_foreach(json_object_get(cache, "intervals"), k, interval)
	{
		n = t ? rp_tree_interval_top(t, i, k, rows) : rp_replay_interval_top(r, i, k, rows);
		json_object_set_new(interval, "top", table_json(run, i, 0, rows, n));
	}
	free(rows);
	return true;
}

/* The rows of one table, each with the place it has and what `from` says about all of them. */
static void
append_rows(json_t *to, json_t *table, json_t *cache, json_t *interval)
{
	json_t *row;
	size_t k;
	json_array_foreach(json_object_get(table, "rows"), k, row)
	{
		json_t *one = json_copy(row);
		json_object_set(one, "name", json_object_get(cache, "name"));
		json_object_set(one, "spec", json_object_get(cache, "spec"));
		json_object_set_new(one, "top", json_integer((json_int_t)k + 1));
		if (interval)
			json_object_set(one, "interval", json_object_get(interval, "interval"));
		json_array_append_new(to, one);
	}
}

void
sim_top_flatten(json_t *to, json_t *cache)
{
	json_t *interval;
	size_t k;
	append_rows(to, json_object_get(cache, "top"), cache, NULL);
	json_array_foreach(json_object_get(cache, "intervals"), k, interval)
	{
		append_rows(to, json_object_get(interval, "top"), cache, interval);
	}
}

bool
sim_top_print(struct rp_out *to, const struct sim_run *run, json_t *caches, struct rp_err *err)
{
	const char *by = rp_top_names[run->o->by];
	const struct rp_view view[] = { { "cache", "name", RP_CELL_TEXT },
		{ by, by, run->o->by == RP_TOP_STREAM ? RP_CELL_COUNT : RP_CELL_HEX },
		{ "lookups", "counters.lookups", RP_CELL_COUNT },
		{ "misses", "counters.misses", RP_CELL_COUNT },
		{ "miss ratio", "counters.miss_ratio", RP_CELL_RATIO },
		{ "writebacks", "counters.writebacks", RP_CELL_COUNT },
		{ "cold", "counters.cold", RP_CELL_COUNT },
		{ "capacity", "counters.capacity", RP_CELL_COUNT },
		{ "conflict", "counters.conflict", RP_CELL_COUNT },
		{ "anticonflict", "counters.anticonflict", RP_CELL_COUNT } };
	json_t *rows = json_array(), *cache;
	size_t i;
	json_array_foreach(caches, i, cache)
	{
		append_rows(rows, json_object_get(cache, "top"), cache, NULL);
	}
	bool ok = rp_out_printf(to, err, "\nmost misses by %s\n", by) &&
	          rp_emit_table(to, rows, view, sizeof view / sizeof *view, false, err);
	json_decref(rows);
	return ok;
}
