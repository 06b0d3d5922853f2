/* features.c - what a model is told of an interval of accesses. */
#include "config.h"

#include "learn/features.h"

#include "base/mem.h"
#include "base/rng.h"
#include "sim/observe/reuse.h"

#include <string.h>

enum { AHEAD = 12 }; /* accesses whose lines are fetched before they are due */

/* Sums over the reuses that F and G look at. */
struct sampled {
	uint64_t reuses;
	uint64_t least[RP_SETS][RP_CONFLICT_WAYS]; /* with so many lines in their set, or more */
	double count[RP_SETS], expected[RP_SETS], square[RP_SETS], variance[RP_SETS];
};

struct rp_extractor {
	struct rp_extractor_opts o;
	struct rp_reuse *reuse;
	struct rp_recency recency;
	struct rp_surface *surface;
	struct rp_rng rng;
	uint32_t until, rest; /* reuses until one is looked at; left of its `sample` then */
	/* Of the interval. */
	struct rp_features f;
	struct sampled sampled;
	uint32_t distance[RP_REUSE_CHUNK];
	uint64_t since[RP_REUSE_CHUNK];
};

/* ---- which reuses are looked at: one of each `sample` in a row, drawn ---- */

static void
draw_sample(struct rp_extractor *x)
{
	x->until = x->rest + (uint32_t)rp_rng_below(&x->rng, x->o.sample);
	x->rest = x->o.sample - 1 - (x->until - x->rest);
}

struct rp_extractor *
rp_extractor_new(const struct rp_extractor_opts *o, struct rp_err *err)
{
	struct rp_extractor *x = rp_mem_array(1, sizeof *x, err);
	if (!x)
		return NULL;
	x->o = *o;
	x->o.bins = o->bins ? o->bins : 4096;
	x->o.window = o->window ? o->window : 256;
	x->o.sample = o->sample ? o->sample : 16;
	x->rng = rp_rng_for(o->seed, "learn/features", 0);
	draw_sample(x);
	x->f.bins = x->o.bins;
	if (!(x->f.rp = rp_mem_array((size_t)x->o.bins + 2, sizeof *x->f.rp, err)) ||
	    !(x->reuse = rp_reuse_new(RP_LEVEL_BEST, err)) || !(x->surface = rp_surface_new(err)) ||
	    !rp_recency_open(&x->recency, err)) {
		rp_extractor_free(x);
		return NULL;
	}
	return x;
}

void
rp_extractor_free(struct rp_extractor *x)
{
	if (!x)
		return;
	rp_features_free(&x->f);
	rp_reuse_free(x->reuse);
	rp_surface_free(x->surface);
	rp_recency_close(&x->recency);
	free(x);
}

void
rp_extractor_forget(struct rp_extractor *x)
{
	rp_reuse_reset(x->reuse);
	rp_recency_forget(&x->recency);
}

void
rp_features_free(struct rp_features *f)
{
	free(f->rp);
	*f = (struct rp_features){ 0 };
}

uint64_t
rp_extractor_accesses(const struct rp_extractor *x)
{
	return x->f.n;
}

int
rp_conflict_sets(uint64_t sets)
{
	for (int k = 0; k < RP_SETS; k++)
		if (sets == UINT64_C(1) << (k + RP_SETS_FIRST))
			return k;
	return -1;
}

int
rp_conflict_ways(uint64_t ways)
{
	for (int k = 0; k < RP_CONFLICT_WAYS; k++)
		if (ways == UINT64_C(1) << k)
			return k;
	return -1;
}

/* ---- the pass ---- */

/* A reuse with rd other lines in between, of which count[k] share its set. */
static void
look_at(struct sampled *s, uint32_t rd, const uint32_t *count)
{
	s->reuses++;
	for (int k = 0; k < RP_SETS; k++) {
		double chance = 1.0 / (double)(1u << (k + RP_SETS_FIRST)), expected = rd * chance,
		       apart = count[k] - expected;
		for (int w = 0; w < RP_CONFLICT_WAYS; w++)
			s->least[k][w] += count[k] >= 1u << w;
		if (expected < 0.5)
			continue;
		s->count[k] += count[k];
		s->expected[k] += expected;
		s->square[k] += apart * apart;
		s->variance[k] += expected * (1 - chance);
	}
}

static void
count_reuse(struct rp_extractor *x, uint32_t rd, uint64_t since)
{
	struct rp_features *f = &x->f;
	unsigned bin = rp_logbin(rd);
	f->rp[rd < x->o.bins ? rd : x->o.bins]++;
	f->lrp[bin]++;
	f->rtp[rp_logbin(since - 1)]++;
	f->srp[since - 1 < x->o.window ? bin : RP_LOGBIN_COLD]++;
	f->max_rd = rd > f->max_rd ? rd : f->max_rd;
}

static void
run(struct rp_extractor *x, const uint64_t *line, size_t n)
{
	uint32_t count[RP_SETS];
	for (size_t i = 0; i < n && i < AHEAD; i++)
		rp_recency_prefetch(&x->recency, line[i]);
	for (size_t i = 0; i < n; i++) {
		uint32_t rd = x->distance[i];
		if (i + AHEAD < n)
			rp_recency_prefetch(&x->recency, line[i + AHEAD]);
		if (rd == RP_COLD) {
			x->since[i] = rp_recency_use(&x->recency, line[i], NULL);
			x->f.cold++;
			continue;
		}
		bool look = x->until-- == 0;
		x->since[i] = rp_recency_use(&x->recency, line[i], look ? count : NULL);
		if (look) {
			look_at(&x->sampled, rd, count);
			draw_sample(x);
		}
		count_reuse(x, rd, x->since[i]);
	}
}

bool
rp_extractor_add(struct rp_extractor *x, const uint64_t *line, size_t n, struct rp_err *err)
{
	while (n) {
		size_t k = n < RP_REUSE_CHUNK ? n : RP_REUSE_CHUNK;
		if (!rp_reuse_run(x->reuse, line, k, x->distance, err) ||
		    !rp_recency_room(&x->recency, line, k, err))
			return false;
		run(x, line, k);
		rp_surface_add(x->surface, x->distance, x->since, k);
		x->f.n += k;
		line += k;
		n -= k;
	}
	return true;
}

/* ---- the end of an interval ---- */

static uint32_t
count_peaks(const struct rp_features *f)
{
	uint32_t peaks = 0;
	for (int b = 0; b < RP_LOGBIN_COLD; b++) {
		uint32_t before = b ? f->lrp[b - 1] : 0,
			 after = b < RP_LOGBIN_OVER ? f->lrp[b + 1] : 0;
		peaks +=
		    f->lrp[b] > 0.01 * (double)f->n && f->lrp[b] > before && f->lrp[b] >= after;
	}
	return peaks;
}

static void
conflicts(struct rp_features *f, const struct sampled *s)
{
	double n = (double)f->n, cold = (double)f->cold;
	for (int k = 0; k < RP_SETS; k++) {
		for (int w = 0; w < RP_CONFLICT_WAYS; w++) {
			double share = s->reuses ? (double)s->least[k][w] / (double)s->reuses : 0;
			f->conf[k][w] = n > 0 ? (cold + (n - cold) * share) / n : 0;
		}
		bool enough = s->expected[k] > 3;
		f->ratio[k] = enough ? s->count[k] / s->expected[k] : 1;
		f->disp[k] = enough ? s->square[k] / s->variance[k] : 1;
	}
}

bool
rp_extractor_take(struct rp_extractor *x, struct rp_features *out, struct rp_err *err)
{
	struct rp_features *f = &x->f, next = { .bins = x->o.bins };
	next.rp = rp_mem_array((size_t)x->o.bins + 2, sizeof *next.rp, err);
	if (!next.rp)
		return false;
	f->rp[x->o.bins + 1] = f->lrp[RP_LOGBIN_COLD] = f->rtp[RP_LOGBIN_COLD] = (uint32_t)f->cold;
	f->srp[RP_LOGBIN_COLD] += (uint32_t)f->cold;
	f->n_peaks = count_peaks(f);
	conflicts(f, &x->sampled);
	rp_surface_take(x->surface, &f->surface);
	rp_features_free(out);
	*out = *f;
	*f = next;
	memset(&x->sampled, 0, sizeof x->sampled);
	return true;
}
