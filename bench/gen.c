/* gen.c - how fast generators fill batches.
 *
 * The scan generator is held against a memory copy of the same columns of a batch that it filled: what filling them
 * costs at least. Rows of all are 4,096 a batch, over the same memory again and again, as in a replay. */
#include "config.h"

#include "bench/bench.h"
#include "gen/gen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BATCHES = 4000 };

struct fill {
	struct rp_source *source;
	struct rp_batch *batch;
};

static void
fill(void *to)
{
	struct fill *f = to;
	struct rp_err err = { 0 };
	for (int i = 0; i < BATCHES; i++) {
		rp_batch_clear(f->batch);
		if (rp_source_pull(f->source, f->batch, &err) != (ptrdiff_t)f->batch->cap)
			bench_fail(&err);
		bench_keep(f->batch->addr[0]);
	}
}

struct copy {
	const struct rp_batch *from;
	struct rp_batch *to;
};

static void
copy(void *to)
{
	struct copy *c = to;
	for (int i = 0; i < BATCHES; i++) {
		rp_batch_clear(c->to);
		rp_batch_append(c->to, c->from, 0, c->from->n);
		bench_keep(c->to->addr[0]);
	}
}

static struct fill
open_fill(const char *text)
{
	struct rp_err err = { 0 };
	struct fill f = { .source = rp_gen_open(text, 1, &err) };
	if (f.source)
		f.batch = rp_batch_new(RP_BATCH, f.source->trace->columns, &err);
	if (!f.batch)
		bench_fail(&err);
	return f;
}

static void
close_fill(struct fill *f)
{
	rp_batch_free(f->batch);
	rp_source_close(f->source);
}

/* Fills in turn with copies of what was filled. Millions of rows a second, and the ratio of the two. */
static void
against_copy(const char *text, double *rate, double *ratio)
{
	struct rp_err err = { 0 };
	struct fill f = open_fill(text);
	struct copy c = { f.batch, rp_batch_new(RP_BATCH, f.source->trace->columns, &err) };
	if (!c.to)
		bench_fail(&err);
	struct bench_variant v[] = { { fill, &f, 0 }, { copy, &c, 0 } };
	bench_turns(v, 2, 10, false);
	*rate = BATCHES * (double)RP_BATCH / v[0].best / 1e6;
	*ratio = v[1].best / v[0].best;
	rp_batch_free(c.to);
	close_fill(&f);
}

int
main(void)
{
	static const struct {
		const char *what, *text;
		double floor; /* M rows a second; 0: none */
	} at[] = {
		{ "zipf(0.9) over 4 M lines", "zipf,lines=4194304", 50 },
		{ "the same, with writes and streams", "zipf,lines=4194304,writes=0.3,streams=4",
		    0 },
		{ "zipf(0.9) over 1 M lines", "zipf", 0 },
		{ "uniform, half of it writes", "uniform,writes=0.5", 0 },
		{ "stride, read-modify-write", "stride,rmw=yes", 0 },
		{ "divergent, 192 workers by lead", "divergent,model=lead,workers=192", 0 },
		{ "divergent, 192 workers by rates", "divergent,model=rates,rates=1,2,workers=192",
		    0 },
	};
	static const struct {
		const char *what, *text;
		double floor; /* of the ratio */
	} scan[] = {
		{ "a worker", "scan,blocks=100000", 0.3 },
		{ "192 workers", "scan,blocks=4096,block=16KiB,phases=uniform,workers=192", 0.3 },
		{ "6,144 workers", "scan,blocks=100000,phases=uniform,workers=6144", 0.3 },
		{ "192 workers, 4 lines a block",
		    "scan,blocks=4096,block=256,line=64,phases=uniform,workers=192", NAN },
	};
	double rate, ratio;
	for (size_t i = 0; i < sizeof scan / sizeof *scan; i++) {
		char what[100];
		against_copy(scan[i].text, &rate, &ratio);
		snprintf(what, sizeof what, "generate: scan, %s", scan[i].what);
		bench_row(what, rate, "M/s", "memory copy of its batches", ratio, scan[i].floor);
		snprintf(what, sizeof what, "generate: scan, %s, at least", scan[i].what);
		bench_row(what, rate, "M/s", "-", NAN, 200);
	}
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		char what[100];
		snprintf(what, sizeof what, "generate: %s", at[i].what);
		against_copy(at[i].text, &rate, &ratio);
		bench_row(what, rate, "M/s", "-", NAN, at[i].floor > 0 ? at[i].floor : NAN);
	}
	return 0;
}
