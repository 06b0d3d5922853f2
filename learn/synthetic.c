/* synthetic.c - the synthetic traces of a data set: what is drawn for each, and its rows. */
#include "config.h"

#include "learn/design.h"
#include "learn/measure.h"

#include "base/mem.h"
#include "gen/mixture.h"
#include "gen/synth.h"
#include "traces/source.h"

#include <math.h>
#include <string.h>

/* One trace, as it is drawn. */
struct drawn {
	const struct rp_design *d;
	struct rp_trace_key key;
	struct rp_mixture_params mixture;
	struct rp_synth_params synth;
	struct rp_synth_stream *stream;
	uint32_t *requested; /* RP_ROW_RP */
	struct rp_trace_row row;
};

static uint64_t
one_of(const struct rp_numbers *list, struct rp_xoshiro *rng)
{
	return list->x[rp_xoshiro_below(rng, list->n)];
}

/* What is not in the profiles: how many streams, what they share, who is next. */
static void
draw_streams(struct drawn *t, struct rp_xoshiro *rng)
{
	const struct rp_design *d = t->d;
	struct rp_synth_params *s = &t->synth;
	bool several = rp_xoshiro_unit(rng) < d->text.several;
	uint32_t more = d->streams_most - d->streams_least + 1;
	uint32_t streams = d->streams_least + (uint32_t)rp_xoshiro_below(rng, more);
	/* As many short bursts as long ones: the longest is a power of two, all alike. */
	unsigned bits = 32 - (unsigned)__builtin_clz(d->text.burst);
	uint32_t burst = UINT32_C(1) << rp_xoshiro_below(rng, bits);
	uint64_t share = one_of(&d->share, rng), turns = one_of(&d->turns, rng),
		 infeasible = one_of(&d->infeasible, rng);
	s->streams = several ? streams : 1;
	s->infeasible = (unsigned)infeasible;
	s->share = several ? (unsigned)share : RP_SHARE_NONE;
	s->turns = several ? (unsigned)turns : RP_TURNS_RR;
	s->burst = several ? burst : 1;
}

static void
draw_layouts(struct drawn *t, struct rp_xoshiro *rng)
{
	const struct rp_design *d = t->d;
	for (uint32_t i = 0; i < t->synth.streams; i++) {
		struct rp_synth_stream *s = t->stream + i;
		s->layout = d->layout[rp_xoshiro_below(rng, d->layouts)];
		s->has_layout = true;
		if (!i)
			t->row.layout = s->layout.kind;
		else if (t->row.layout != s->layout.kind && t->synth.share == RP_SHARE_NONE)
			t->row.layout = RP_LAYOUT_MIXED;
	}
}

/* Profiles of the streams, which share the trace's accesses. */
static bool
draw_profiles(struct drawn *t, struct rp_err *err)
{
	uint64_t length = t->d->text.length, streams = t->synth.streams;
	for (uint64_t i = 0; i < streams; i++) {
		struct rp_mixture m;
		struct rp_synth_stream *s = t->stream + i;
		t->mixture.length = length / streams + (i < length % streams);
		if (!rp_mixture_make(&m, &t->mixture, t->key.seed, i, err))
			return false;
		s->counts = m.counts;
		s->key = t->key;
		s->id = (uint32_t)i;
		m.counts = (struct rp_counts){ 0 };
		rp_mixture_free(&m);
		for (size_t k = 0; k < s->counts.n; k++)
			t->requested[k < RP_ROW_BINS ? k : RP_ROW_BINS] += s->counts.count[k];
		t->requested[RP_ROW_BINS + 1] += (uint32_t)s->counts.cold;
	}
	return true;
}

static bool
draw(struct drawn *t, const struct rp_design *d, uint32_t item, struct rp_err *err)
{
	const struct rp_design_text *text = &d->text;
	const struct rp_pair *pair = d->pair + item / text->traces;
	t->d = d;
	t->key =
	    (struct rp_trace_key){ text->seed, pair->peaks, pair->max_rd, item % text->traces };
	struct rp_xoshiro rng = rp_trace_chance(&t->key, "design", 0);
	t->mixture = (struct rp_mixture_params){ .sigma = text->sigma,
		.cold = text->cold,
		.index = t->key.index,
		.peaks = pair->peaks,
		.max_rd = pair->max_rd,
		.recipe = text->recipe };
	t->synth = (struct rp_synth_params){
		.layout = "random", .offset = "0", .line = text->line, .size = 4
	};
	draw_streams(t, &rng);
	t->row = (struct rp_trace_row){ .seed = text->seed,
		.item = item,
		.index = (uint32_t)t->key.index,
		.source = RP_ROW_SYNTHETIC,
		.split = pair->split,
		.peaks = pair->peaks,
		.max_rd = pair->max_rd,
		.recipe = text->recipe,
		.streams = t->synth.streams,
		.turns = t->synth.turns,
		.burst = t->synth.burst,
		.share = t->synth.share,
		.infeasible = t->synth.infeasible,
		.line = text->line };
	t->stream = rp_mem_array(t->synth.streams, sizeof *t->stream, err);
	t->requested = rp_mem_array(RP_ROW_RP, sizeof *t->requested, err);
	if (!t->stream || !t->requested)
		return false;
	draw_layouts(t, &rng);
	return draw_profiles(t, err);
}

/* What was moved and touched before, of all streams, and the bounds of sigma. */
static void
describe(struct drawn *t, const struct rp_source *s)
{
	t->row.moved = rp_synth_moved(s);
	t->row.prewarm = s->trace->preamble;
	t->row.sigma_low = (float)t->d->sigma[0];
	t->row.sigma_high = (float)t->d->sigma[1];
}

/* All rows of the source, the first `preamble` of them only to warm up. */
static bool
feed(struct rp_source *s, struct rp_measure *m, unsigned line_bits, struct rp_err *err)
{
	uint64_t warm = s->trace->preamble;
	struct rp_batch *b = rp_batch_new(RP_BATCH, s->trace->columns, err);
	ptrdiff_t n = b ? 1 : -1;
	while (n > 0) {
		rp_batch_clear(b);
		n = rp_source_pull(s, b, err);
		size_t some = n > 0 ? (size_t)n : 0, before = some < warm ? some : (size_t)warm;
		for (size_t i = 0; i < some; i++)
			b->addr[i] >>= line_bits;
		warm -= before;
		if ((before && !rp_measure_warm(m, b->addr, before, err)) ||
		    (some > before && !rp_measure_add(m, b->addr + before, some - before, err)))
			n = -1;
	}
	rp_batch_free(b);
	return n == 0 && rp_measure_end(m, err);
}

static bool
measure(struct drawn *t, struct rp_source *s, struct rp_buf *out, struct rp_err *err)
{
	const struct rp_design *d = t->d;
	struct rp_xoshiro rng = rp_trace_chance(&t->key, "configurations", 0);
	struct rp_measure_opts o = {
		.sample = d->text.sample, .seed = rp_xoshiro_next(&rng), .requested = t->requested
	};
	struct rp_label_cache *cache;
	if (!rp_pool_draw(&d->pool, d->text.line, &rng, &cache, &o.caches, err))
		return false;
	o.cache = cache;
	describe(t, s);
	o.row = t->row;
	struct rp_measure *m = rp_measure_new(&o, out, err);
	bool ok = m && feed(s, m, (unsigned)__builtin_ctz(d->text.line), err);
	rp_measure_free(m);
	free(cache);
	return ok;
}

bool
rp_design_make(const struct rp_design *d, uint32_t item, struct rp_buf *out, struct rp_err *err)
{
	struct drawn t = { 0 };
	bool ok = draw(&t, d, item, err);
	struct rp_source *s = NULL;
	if (ok)
		s = rp_synth_open("mixture", t.stream, t.synth.streams, &t.synth, &t.key, err);
	else if (t.stream)
		for (uint32_t i = 0; i < t.synth.streams; i++)
			rp_counts_free(&t.stream[i].counts);
	ok = s && measure(&t, s, out, err);
	rp_source_close(s);
	free(t.stream);
	free(t.requested);
	return ok ||
	       rp_err_wrap(err, "pair %u:%u, trace %u", t.row.peaks, t.row.max_rd, t.row.index);
}
