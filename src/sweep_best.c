/* sweep_best.c - the sizes from which doubling does not pay, and the smallest caches that reach a miss ratio. */
#include "config.h"

#include "sweep.h"

#include "base/emit.h"
#include "base/mem.h"
#include "sim/sweep/best.h"

#include <string.h>

/* Rows that have a size, as the library wants them. */
struct sized {
	json_t **row; /* borrowed */
	struct rp_sweep_cache *cache;
	size_t n;
};

static bool
same_family(json_t *a, json_t *b)
{
	static const char *const key[] = { "policy", "line", "index", "mshr", "merge", "latency" };
	for (size_t k = 0; k < sizeof key / sizeof *key; k++) {
		json_t *x = json_object_get(a, key[k]), *y = json_object_get(b, key[k]);
		if (x != y && !(x && y && json_equal(x, y)))
			return false;
	}
	return true;
}

static uint64_t
number(json_t *row, const char *path)
{
	return (uint64_t)json_integer_value(rp_emit_at(row, path));
}

/* Families are numbered in the order they come up; rows of one mostly follow each other. */
static bool
collect(json_t *points, struct sized *s, struct rp_err *err)
{
	size_t n = json_array_size(points), i, families = 0;
	json_t *row, **first = rp_mem_array(n, sizeof *first, err);
	s->row = rp_mem_array(n, sizeof *s->row, err);
	s->cache = rp_mem_array(n, sizeof *s->cache, err);
	bool ok = first && s->row && s->cache;
	json_array_foreach(ok ? points : NULL, i, row)
	{
		size_t f = families;
		if (!json_object_get(row, "size"))
			continue;
		while (f > 0 && !same_family(first[f - 1], row))
			f--;
		if (!f) {
			first[families++] = row;
			f = families;
		}
		s->row[s->n] = row;
		s->cache[s->n++] = (struct rp_sweep_cache){ .family = f,
			.size = number(row, "size"),
			.misses = number(row, "counters.misses"),
			.lookups = number(row, "counters.lookups"),
			.ways = (uint32_t)number(row, "ways") };
	}
	free(first);
	return ok;
}

/* A step: the row, what doubling it does, and whether it is a knee. */
static json_t *
step_json(const struct sized *s, const struct rp_sweep_step *step)
{
	const struct rp_sweep_cache *c = &s->cache[step->cache];
	json_t *o = json_copy(s->row[step->cache]);
	if (step->doubles) {
		json_object_set_new(
		    o, "doubled_miss_ratio", rp_emit_ratio(step->doubled, c->lookups));
		json_object_set_new(
		    o, "doubling_saves", rp_emit_ratio(c->misses - step->doubled, c->misses));
	}
	json_object_set_new(o, "knee", json_boolean(step->knee));
	return o;
}

static bool
add_steps(const struct sized *s, double pays, json_t *doc, struct rp_err *err)
{
	struct rp_sweep_step *step = rp_mem_array(s->n, sizeof *step, err);
	size_t n;
	bool ok = step && rp_sweep_steps(s->cache, s->n, pays, step, &n, err);
	json_t *list = json_array();
	for (size_t i = 0; ok && i < n; i++)
		json_array_append_new(list, step_json(s, &step[i]));
	if (ok)
		json_object_set_new(
		    doc, "pareto", json_pack("{sf sO}", "pays", pays, "steps", list));
	json_decref(list);
	free(step);
	return ok;
}

static bool
add_target(const struct sized *s, double ratio, json_t *doc, struct rp_err *err)
{
	size_t *reached = rp_mem_array(s->n, sizeof *reached, err), n;
	bool ok = reached && rp_sweep_reach(s->cache, s->n, ratio, reached, &n, err);
	json_t *list = json_array();
	for (size_t i = 0; ok && i < n; i++)
		json_array_append(list, s->row[reached[i]]);
	if (ok)
		json_object_set_new(
		    doc, "target", json_pack("{sf sO}", "miss_ratio", ratio, "smallest", list));
	json_decref(list);
	free(reached);
	return ok;
}

bool
sweep_best_add(const struct sweep_opts *o, json_t *doc, struct rp_err *err)
{
	struct sized s = { 0 };
	bool target = o->target_text != NULL;
	if (!o->pareto && !target)
		return true;
	bool ok = collect(json_object_get(doc, "points"), &s, err) &&
	          (!o->pareto || add_steps(&s, o->pays, doc, err)) &&
	          (!target || add_target(&s, o->target, doc, err));
	free(s.row);
	free(s.cache);
	return ok;
}
