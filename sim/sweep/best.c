/* best.c - which caches of a sweep are worth their size. */
#include "config.h"

#include "sim/sweep/best.h"

#include "base/mem.h"

#include <stdlib.h>

static int
order(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* By family, size, misses, ways; then as they stand, which their addresses tell. */
static int
in_family(const void *a, const void *b)
{
	const struct rp_sweep_cache *x = *(const struct rp_sweep_cache *const *)a,
				    *y = *(const struct rp_sweep_cache *const *)b;
	int by = order(x->family, y->family);
	by = by ? by : order(x->size, y->size);
	by = by ? by : order(x->misses, y->misses);
	by = by ? by : order(x->ways, y->ways);
	return by ? by : order((uintptr_t)x, (uintptr_t)y);
}

static int
by_size(const void *a, const void *b)
{
	const struct rp_sweep_cache *x = *(const struct rp_sweep_cache *const *)a,
				    *y = *(const struct rp_sweep_cache *const *)b;
	int by = order(x->size, y->size);
	by = by ? by : order(x->misses, y->misses);
	return by ? by : order(x->family, y->family);
}

static const struct rp_sweep_cache **
sorted(const struct rp_sweep_cache *cache, size_t n, struct rp_err *err)
{
	const struct rp_sweep_cache **p = rp_mem_array(n, sizeof *p, err);
	for (size_t i = 0; p && i < n; i++)
		p[i] = &cache[i];
	if (p)
		qsort(p, n, sizeof *p, in_family);
	return p;
}

/* The steps of the family that p[0..n) are, by size. */
static size_t
family_steps(const struct rp_sweep_cache *const *p, size_t n, const struct rp_sweep_cache *first,
    double pays, struct rp_sweep_step *out)
{
	size_t steps = 0, next = 0;
	uint64_t least = UINT64_MAX, doubled = UINT64_MAX, most = p[n - 1]->size;
	bool paid = false, before = false; /* any step so far; doubling the last one */
	for (size_t i = 0; i < n; i++) {
		if (p[i]->misses >= least)
			continue;
		bool won = steps && (double)(least - p[i]->misses) >= pays * (double)least;
		least = p[i]->misses;
		struct rp_sweep_step *s = &out[steps++];
		*s = (struct rp_sweep_step){ .cache = (size_t)(p[i] - first) };
		s->doubles = most / 2 >= p[i]->size; /* rounded down: as large as twice or more */
		for (; next < n && (p[next]->size + 1) / 2 <= p[i]->size; next++)
			doubled = p[next]->misses < doubled ? p[next]->misses : doubled;
		s->doubled = s->doubles ? doubled : 0;
		bool idle =
		    s->doubles && (!least || (double)(least - doubled) < pays * (double)least);
		s->knee = idle && (before || won);
		before = s->doubles && !idle;
		paid |= before || won;
	}
	if (steps && !paid)
		out[0].knee = out[0].doubles;
	return steps;
}

bool
rp_sweep_steps(const struct rp_sweep_cache *cache, size_t n, double pays, struct rp_sweep_step *out,
    size_t *steps, struct rp_err *err)
{
	const struct rp_sweep_cache **p = sorted(cache, n, err);
	*steps = 0;
	for (size_t from = 0, end; p && from < n; from = end) {
		end = from + 1;
		while (end < n && p[end]->family == p[from]->family)
			end++;
		*steps += family_steps(p + from, end - from, cache, pays, out + *steps);
	}
	bool ok = p != NULL;
	free(p);
	return ok;
}

bool
rp_sweep_reach(const struct rp_sweep_cache *cache, size_t n, double ratio, size_t *out,
    size_t *reached, struct rp_err *err)
{
	const struct rp_sweep_cache **p = sorted(cache, n, err);
	size_t kept = 0;
	for (size_t i = 0; p && i < n; i++) {
		bool first = !kept || p[kept - 1]->family != p[i]->family;
		if (first && p[i]->lookups && (double)p[i]->misses / (double)p[i]->lookups <= ratio)
			p[kept++] = p[i];
	}
	if (p)
		qsort(p, kept, sizeof *p, by_size);
	for (size_t i = 0; i < kept; i++)
		out[i] = (size_t)(p[i] - cache);
	*reached = kept;
	bool ok = p != NULL;
	free(p);
	return ok;
}
