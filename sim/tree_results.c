/* tree_results.c - what a hierarchy has counted, by level, cache, stream and interval, and what its caches hold. */
#include "config.h"

#include "sim/tree_state.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct rp_counters
tree_sum(const struct rp_tree *t, size_t level, bool ever)
{
	const struct level *l = &t->level[level];
	struct rp_counters sum = { 0 };
	for (size_t k = 0; k < tree_units(l); k++) {
		const struct unit *u = tree_unit(l, k);
		rp_counters_add(&sum, &u->total);
		if (ever && u->most > sum.mshr_occupancy_max)
			sum.mshr_occupancy_max = u->most;
	}
	return sum;
}

uint64_t
tree_entered(const struct rp_tree *t)
{
	uint64_t n = t->entered;
	for (size_t i = 0; i < t->levels; i++)
		for (size_t k = 0; t->level[i].spec->depth == 1 && k < tree_units(&t->level[i]);
		     k++)
			n += tree_unit(&t->level[i], k)->total.lookups;
	return n;
}

const struct rp_tree_spec *
rp_tree_spec(const struct rp_tree *t)
{
	return t->spec;
}

unsigned
rp_tree_counts(const struct rp_tree *t, size_t level)
{
	return rp_cache_spec_counts(&t->spec->level[level].cache) | RP_COUNT_TREE;
}

void
rp_tree_counters(const struct rp_tree *t, size_t level, struct rp_counters *out)
{
	*out = tree_sum(t, level, true);
	out->entered = tree_entered(t);
}

void
rp_tree_memory(const struct rp_tree *t, struct rp_memory *out)
{
	*out = t->memory;
}

size_t
rp_tree_caches(const struct rp_tree *t, size_t level)
{
	return tree_units(&t->level[level]);
}

static int
by_number(const void *a, const void *b)
{
	uint32_t x = (*(struct instance *const *)a)->number,
		 y = (*(struct instance *const *)b)->number;
	return (x > y) - (x < y);
}

/* The k-th instance in ascending order of number, and in *place where it stands. Takes time in proportion to k only if
 * they did not come up in order. */
static struct instance *
nth_instance(const struct rp_tree *t, size_t level, size_t k, size_t *place, struct rp_err *err)
{
	const struct level *l = &t->level[level];
	struct instance **sorted = rp_mem_array(l->instances, sizeof(struct instance *), err);
	if (!sorted)
		return NULL;
	memcpy(sorted, l->instance, l->instances * sizeof(struct instance *));
	qsort(sorted, l->instances, sizeof(struct instance *), by_number);
	struct instance *in = sorted[k];
	free(sorted);
	for (*place = 0; l->instance[*place] != in;)
		++*place;
	return in;
}

bool
rp_tree_cache(struct rp_tree *t, size_t level, size_t k, struct rp_tree_cache *what,
    struct rp_counters *out, struct rp_err *err)
{
	const struct level *l = &t->level[level];
	size_t place, n = 0;
	const struct instance *in = nth_instance(t, level, k / l->slices.n, &place, err);
	uint32_t *listed = rp_mem_grow(t->listed, t->slots, sizeof *listed, err);
	if (!in || !listed)
		return false;
	t->listed = listed;
	for (size_t i = 0; i < t->slots; i++) {
		uint32_t slot, name = rp_streams_sorted(t->streams, i, &slot);
		if (l->of[slot] == place + 1)
			listed[n++] = name;
	}
	const struct unit *u = &in->unit[k % l->slices.n];
	*what = (struct rp_tree_cache){
		.instance = in->number, .slice = u->slice, .streams = listed, .n_streams = n
	};
	*out = u->total;
	out->entered = tree_entered(t);
	if (u->most > out->mshr_occupancy_max)
		out->mshr_occupancy_max = u->most;
	return true;
}

size_t
rp_tree_intervals(const struct rp_tree *t)
{
	return t->intervals;
}

void
rp_tree_interval(const struct rp_tree *t, size_t level, size_t interval, struct rp_counters *out)
{
	static const struct rp_counters zero;
	const struct rp_counters *s = t->level[level].snapshot;
	rp_counters_sub(out, &s[interval], interval ? &s[interval - 1] : &zero);
}

size_t
rp_tree_streams(const struct rp_tree *t)
{
	return t->o.by_stream ? t->slots : 0;
}

uint32_t
rp_tree_stream(const struct rp_tree *t, size_t k)
{
	uint32_t slot;
	return rp_streams_sorted(t->streams, k, &slot);
}

void
rp_tree_stream_counters(const struct rp_tree *t, size_t level, size_t k, struct rp_counters *out)
{
	uint32_t slot;
	rp_streams_sorted(t->streams, k, &slot);
	*out = t->level[level].stream[slot];
	out->entered = t->entered_stream[slot];
	for (size_t i = 0; i < t->levels; i++)
		if (t->level[i].spec->depth == 1)
			out->entered += t->level[i].stream[slot].lookups;
}

size_t
rp_tree_top(const struct rp_tree *t, size_t level, struct rp_top_row *rows)
{
	return rp_ranking_best(t->level[level].ranking, rows);
}

size_t
rp_tree_interval_top(
    const struct rp_tree *t, size_t level, size_t interval, struct rp_top_row *rows)
{
	return rp_ranking_interval(t->level[level].ranking, interval, rows);
}

uint64_t
rp_tree_top_keys(const struct rp_tree *t, size_t level)
{
	return rp_ranking_keys(t->level[level].ranking);
}

struct rp_coherence *
rp_tree_coherence(const struct rp_tree *t, size_t level)
{
	return t->level[level].coherence;
}

uint64_t
rp_tree_accesses(const struct rp_tree *t)
{
	return t->began;
}

struct walk {
	const struct level *l;
	const struct instance *in;
	const struct unit *u;
	void (*f)(void *to, uint32_t instance, uint64_t address, bool dirty);
	void *to;
};

static void
tell(void *to, uint64_t line, bool dirty)
{
	struct walk *w = to;
	w->f(w->to, w->in->number, tree_line(w->l, w->u, line) << w->l->line_bits, dirty);
}

void
rp_tree_walk(struct rp_tree *t, size_t level,
    void (*f)(void *to, uint32_t instance, uint64_t address, bool dirty), void *to)
{
	const struct level *l = &t->level[level];
	for (size_t k = 0; k < l->instances; k++)
		for (uint32_t s = 0; s < l->slices.n; s++) {
			struct walk w = { l, l->instance[k], &l->instance[k]->unit[s], f, to };
			rp_module_walk(w.u->module, 0, UINT64_MAX, tell, &w);
		}
}
