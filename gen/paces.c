/* paces.c - who requests next. */
#include "config.h"

#include "gen/paces.h"
#include "gen/alias.h"

#include "base/mem.h"
#include "base/rng.h"

struct rp_paces {
	struct rp_paces_params p;
	struct rp_rng rng;
	uint64_t event; /* number of the next one */
	uint64_t *done; /* requests of each worker; lead and rates only */
	/* lead: the workers that have requests left. Those before `free` may step; those behind are as far ahead as may be.
	 * count[k % (lead + 1)]: how many workers, stopped ones too, have done k requests, of those that some have done. */
	uint32_t *worker, n, free, *count;
	uint64_t least; /* requests of those furthest behind */
	/* rates: a table of those that had requests left when it was made; `worker` says who they are. */
	uint64_t *weight; /* of all workers */
	struct rp_alias alias;
	unsigned __int128 heavy,
	    stopped; /* weights in the table, and of those in it that have stopped since */
};

/* ---- lead ---- */

static bool
open_lead(struct rp_paces *h, struct rp_err *err)
{
	h->worker = rp_mem_array(h->p.workers, sizeof *h->worker, err);
	h->count = rp_mem_array(h->p.lead + (size_t)1, sizeof *h->count, err);
	if (!h->worker || !h->count)
		return false;
	h->n = h->free = h->p.workers;
	for (uint32_t i = 0; i < h->n; i++)
		h->worker[i] = i;
	h->count[0] = h->n;
	return true;
}

static void
swap(uint32_t *a, uint32_t *b)
{
	uint32_t x = *a;
	*a = *b;
	*b = x;
}

/* The worker at place `at` has stepped to k requests. */
static void
step_lead(struct rp_paces *h, uint32_t at, uint64_t k)
{
	uint64_t ring = h->p.lead + UINT64_C(1);
	h->count[(k - 1) % ring]--;
	h->count[k % ring]++;
	if (k ==
	    h->p.requests) { /* stops: the last that may step takes its place, and a last one that */
		h->worker[at] = h->worker[--h->free];
		h->worker[h->free] = h->worker[--h->n];
	} else if (k - h->least == h->p.lead) {
		swap(&h->worker[at], &h->worker[--h->free]);
	}
	if (!h->count[h->least %
		      ring]) { /* the last one behind moved up by one, so there is one there */
		h->least++;
		h->free = h->n;
	}
}

static size_t
next_lead(struct rp_paces *h, uint32_t *who, size_t n)
{
	size_t i = 0;
	for (; i < n && h->n; i++) {
		uint32_t at = (uint32_t)rp_rng_below(&h->rng, h->free);
		who[i] = h->worker[at];
		step_lead(h, at, ++h->done[who[i]]);
	}
	return i;
}

/* ---- rates ---- */

/* A table of those that have requests left. */
static bool
build_rates(struct rp_paces *h, struct rp_err *err)
{
	uint64_t *weight = rp_mem_array(h->p.workers, sizeof *weight, err);
	if (!weight)
		return false;
	h->heavy = h->stopped = 0;
	h->n = 0;
	for (uint32_t i = 0; i < h->p.workers; i++)
		if (h->done[i] < h->p.requests) {
			h->worker[h->n] = i;
			weight[h->n++] = h->weight[i];
			h->heavy += h->weight[i];
		}
	rp_alias_free(&h->alias);
	h->alias = (struct rp_alias){ 0 };
	bool ok = !h->n || rp_alias_build(&h->alias, weight, h->n, err);
	free(weight);
	return ok;
}

static bool
open_rates(struct rp_paces *h, struct rp_err *err)
{
	double most = 0;
	h->worker = rp_mem_array(h->p.workers, sizeof *h->worker, err);
	h->weight = rp_mem_array(h->p.workers, sizeof *h->weight, err);
	if (!h->worker || !h->weight)
		return false;
	for (uint32_t i = 0; i < h->p.workers; i++)
		most = h->p.rate[i] > most ? h->p.rate[i] : most;
	for (uint32_t i = 0; i < h->p.workers; i++) {
		double w = h->p.rate[i] / most * 0x1p50;
		h->weight[i] = w < 1 ? 1 : (uint64_t)w;
	}
	return build_rates(h, err);
}

/* Who has stopped is drawn again, until they are half of the table. */
static ptrdiff_t
next_rates(struct rp_paces *h, uint32_t *who, size_t n, struct rp_err *err)
{
	size_t i = 0;
	while (i < n && h->n) {
		uint32_t w = h->worker[rp_alias_take(
		    &h->alias, rp_alias_aim(&h->alias, rp_rng_next(&h->rng)))];
		if (h->done[w] == h->p.requests)
			continue;
		who[i++] = w;
		if (++h->done[w] < h->p.requests)
			continue;
		h->stopped += h->weight[w];
		if (h->stopped > h->heavy / 2 && !build_rates(h, err))
			return -1;
	}
	return (ptrdiff_t)i;
}

/* ---- those without chance ---- */

/* With s the lead: worker 0 s times, worker 1 s - 1 times, worker 0 s - 1 times, worker 1 once. */
static size_t
next_sharpness(const struct rp_paces *h, uint32_t *who, size_t n)
{
	uint64_t s = h->p.lead;
	size_t i = 0;
	for (; i < n && h->event + i < 3 * s - 1; i++) {
		uint64_t e = h->event + i;
		who[i] = (e >= s && e < 2 * s - 1) || e == 3 * s - 2;
	}
	return i;
}

static size_t
next_lockstep(const struct rp_paces *h, uint32_t *who, size_t n)
{
	uint64_t m = h->p.workers, at = h->event % m, all;
	if (!__builtin_mul_overflow(h->p.requests, m, &all) && all - h->event < n)
		n = (size_t)(all - h->event);
	for (size_t i = 0; i < n; i++) {
		who[i] = (uint32_t)at;
		at = at + 1 < m ? at + 1 : 0;
	}
	return n;
}

static ptrdiff_t
next(struct rp_paces *h, uint32_t *who, size_t n, struct rp_err *err)
{
	switch (h->p.model) {
	case RP_LEAD:
		return (ptrdiff_t)next_lead(h, who, n);
	case RP_RATES:
		return next_rates(h, who, n, err);
	case RP_SHARPNESS:
		return (ptrdiff_t)next_sharpness(h, who, n);
	default:
		return (ptrdiff_t)next_lockstep(h, who, n);
	}
}

ptrdiff_t
rp_paces_next(struct rp_paces *h, uint32_t *who, uint64_t *time, size_t n, struct rp_err *err)
{
	ptrdiff_t got = next(h, who, n, err);
	uint64_t each = h->p.model == RP_LOCKSTEP ? h->p.workers : 1;
	if (got <= 0)
		return got;
	uint64_t t = h->event / each, at = h->event % each;
	for (ptrdiff_t i = 0; time && i < got; i++) {
		time[i] = t;
		if (++at == each) {
			at = 0;
			t++;
		}
	}
	h->event += (uint64_t)got;
	return got;
}

struct rp_paces *
rp_paces_new(const struct rp_paces_params *p, struct rp_err *err)
{
	struct rp_paces *h = rp_mem_array(1, sizeof *h, err);
	if (!h)
		return NULL;
	h->p = *p;
	h->rng = rp_rng_for(p->seed, "gen/paces", 0);
	bool chance = p->model == RP_LEAD || p->model == RP_RATES;
	if ((!chance || (h->done = rp_mem_array(p->workers, sizeof *h->done, err))) &&
	    (p->model != RP_LEAD || open_lead(h, err)) &&
	    (p->model != RP_RATES || open_rates(h, err)))
		return h;
	rp_paces_free(h);
	return NULL;
}

void
rp_paces_free(struct rp_paces *h)
{
	if (!h)
		return;
	free(h->done);
	free(h->worker);
	free(h->count);
	free(h->weight);
	rp_alias_free(&h->alias);
	free(h);
}
