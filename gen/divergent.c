/* divergent - workers that scan the same blocks from the first on, each at a pace of its own (Algorithm 2 of PASCAL).
 *
 * Who requests next is a matter of the progress model (gen/paces.h); worker i's k-th request, counted from 0 over all its
 * scans, is block k mod N. A block is one access, or, with `line`, one access for each line of it. */
#include "config.h"

#include "gen/fill.h"
#include "gen/gen.h"
#include "gen/paces.h"

#include "base/items.h"
#include "base/parse.h"

#include <inttypes.h>
#include <string.h>

struct divergent_params {
	uint64_t blocks, scans, base, limit;
	unsigned model; /* enum rp_paces_model */
	uint32_t workers, lead, block, line;
	const char *rates;
};

enum { EVENTS = 256, WORKERS_USUAL = 12, BLOCKS_USUAL = 4096 };

struct divergent {
	struct rp_source source;
	struct rp_paces *paces;
	uint64_t *next; /* block of each worker's next request */
	uint64_t blocks, base, left;
	uint32_t block, step, lines; /* bytes of a block, of an access; accesses of a block */
	/* Events that are drawn and not all in a batch yet. */
	uint32_t who[EVENTS];
	uint64_t time[EVENTS], first[EVENTS]; /* first: address of the block */
	size_t n, at;
	uint32_t line; /* next access of event `at` */
};

/* More events: whether there are any. */
static bool
draw(struct divergent *d, struct rp_err *err)
{
	ptrdiff_t n = rp_paces_next(d->paces, d->who, d->time, EVENTS, err);
	d->n = n > 0 ? (size_t)n : 0;
	d->at = 0;
	for (size_t i = 0; i < d->n; i++) {
		uint64_t *next = &d->next[d->who[i]];
		d->first[i] = d->base + *next * d->block;
		*next = *next + 1 < d->blocks ? *next + 1 : 0;
	}
	return d->n;
}

/* A row an event. */
static void
put_whole(struct divergent *d, struct rp_batch *out, size_t i, size_t n)
{
	memcpy(out->addr + i, d->first + d->at, n * sizeof *out->addr);
	if (out->time)
		memcpy(out->time + i, d->time + d->at, n * sizeof *out->time);
	if (out->stream)
		memcpy(out->stream + i, d->who + d->at, n * sizeof *out->stream);
	d->at += n;
}

/* n rows of the event at hand. */
static void
put_lines(struct divergent *d, struct rp_batch *out, size_t i, size_t n)
{
	rp_fill_rising(out->addr + i, n, d->first[d->at] + (uint64_t)d->line * d->step, d->step);
	if (out->time)
		rp_fill_rising(out->time + i, n, d->time[d->at], 0);
	if (out->stream)
		rp_fill_same(out->stream + i, n, d->who[d->at]);
	d->line += (uint32_t)n;
	if (d->line == d->lines) {
		d->line = 0;
		d->at++;
	}
}

static ptrdiff_t
divergent_pull(struct rp_source *source, struct rp_batch *out, struct rp_err *err)
{
	struct divergent *d = (struct divergent *)source;
	size_t room = out->cap - out->n, n = d->left < room ? (size_t)d->left : room, i = 0, m;
	for (; i < n && (d->at < d->n || draw(d, err)); i += m) {
		size_t have = d->lines == 1 ? d->n - d->at : d->lines - d->line;
		m = have < n - i ? have : n - i;
		(d->lines == 1 ? put_whole : put_lines)(d, out, out->n + i, m);
	}
	if (err && err->code)
		return -1;
	rp_fill_same(out->size + out->n, i, d->step);
	memset(out->kind + out->n, RP_READ, i);
	rp_fill_zero(out, RP_COL_TIME | RP_COL_STREAM, i);
	out->n += i;
	if (d->left != UINT64_MAX)
		d->left -= i;
	return (ptrdiff_t)i;
}

static void
divergent_close(struct rp_source *source)
{
	struct divergent *d = (struct divergent *)source;
	rp_paces_free(d->paces);
	free(d->next);
	rp_gen_source_free(source);
}

/* Reads as many rates as there are workers; those beyond the list have its last one. Gives (free). */
static double *
read_rates(const char *text, uint32_t workers, struct rp_err *err)
{
	struct rp_items it;
	const char *item;
	uint32_t n = 0;
	double *rate = rp_mem_array(workers, sizeof *rate, err);
	if (!rate || !rp_items_open(&it, text, err)) {
		free(rate);
		return NULL;
	}
	bool ok = true;
	while (ok && (item = rp_items_next(&it))) {
		if (n == workers)
			ok = rp_fail(err, RP_USAGE, "more than workers=%" PRIu32 " rates", workers);
		else if (rp_parse_double(item, &rate[n], err))
			ok = rate[n++] > 0 ||
			     rp_fail(err, RP_USAGE, "rate '%.40s' is not above 0", item);
		else
			ok = false;
		if (!ok)
			rp_items_wrap(&it, err);
	}
	rp_items_close(&it);
	if (ok && !n)
		ok = rp_fail(err, RP_USAGE, "no rate in '%.40s'", text);
	for (; ok && n < workers; n++)
		rate[n] = rate[n - 1];
	if (ok)
		return rate;
	free(rate);
	rp_err_wrap(err, "rates=");
	return NULL;
}

/* What was not given becomes what is usual of the model; fails if what was given does not go with it. */
static bool
complete(struct divergent_params *p, struct rp_err *err)
{
	bool sharp = p->model == RP_SHARPNESS;
	if (p->rates && p->model != RP_RATES)
		return rp_fail(err, RP_USAGE, "rates= is for model=rates");
	if (!p->rates && p->model == RP_RATES)
		return rp_fail(
		    err, RP_USAGE, "model=rates: wanted rates=R0,R1,..., a pace for each worker");
	if (p->lead && p->model != RP_LEAD && !sharp)
		return rp_fail(err, RP_USAGE, "lead= is for model=lead and model=sharpness");
	if (sharp && (p->workers && p->workers != 2))
		return rp_fail(
		    err, RP_USAGE, "model=sharpness has 2 workers, not %" PRIu32, p->workers);
	if (sharp && p->scans)
		return rp_fail(err, RP_USAGE,
		    "scans=: model=sharpness ends by itself, after 3 * lead - 1 requests");
	if (!p->lead)
		p->lead = 8;
	if (sharp && p->lead < 2)
		return rp_fail(err, RP_USAGE, "model=sharpness wants a lead of 2 or more");
	if (!p->workers)
		p->workers = sharp ? 2 : WORKERS_USUAL;
	if (!p->blocks)
		p->blocks = sharp ? 2 * (uint64_t)p->lead : BLOCKS_USUAL;
	if (p->line && p->block % p->line)
		return rp_fail(err, RP_USAGE, "block=%" PRIu32 " is no multiple of line=%" PRIu32,
		    p->block, p->line);
	return rp_gen_fits(p->base, p->blocks, p->block, p->block, err);
}

static bool
start(struct divergent *d, const struct divergent_params *p, uint64_t seed, struct rp_err *err)
{
	struct rp_paces_params h = { .model = p->model,
		.workers = p->workers,
		.lead = p->lead,
		.requests = UINT64_MAX,
		.seed = seed };
	if (p->scans && __builtin_mul_overflow(p->scans, p->blocks, &h.requests))
		h.requests = UINT64_MAX;
	double *rate = p->rates ? read_rates(p->rates, p->workers, err) : NULL;
	h.rate = rate;
	if (rate || !p->rates)
		d->paces = rp_paces_new(&h, err);
	free(rate);
	d->next = rp_mem_array(p->workers, sizeof *d->next, err);
	d->source.trace->endless =
	    h.requests == UINT64_MAX && !p->limit && p->model != RP_SHARPNESS;
	return d->paces && d->next;
}

static struct rp_source *
divergent_open(const void *params, uint64_t seed, struct rp_err *err)
{
	struct divergent_params p = *(const struct divergent_params *)params;
	if (!complete(&p, err))
		return NULL;
	unsigned columns = RP_COL_TIME | (p.workers > 1 ? RP_COL_STREAM : 0);
	struct divergent *d =
	    rp_gen_source_new(sizeof *d, "divergent", columns, divergent_pull, err);
	if (!d)
		return NULL;
	d->source.close = divergent_close;
	d->blocks = p.blocks;
	d->base = p.base;
	d->block = p.block;
	d->step = p.line ? p.line : p.block;
	d->lines = p.block / d->step;
	d->left = p.limit ? p.limit : UINT64_MAX;
	if (start(d, &p, seed, err))
		return &d->source;
	divergent_close(&d->source);
	return NULL;
}

static const char *const model_names[] = { [RP_LOCKSTEP] = "lockstep",
	[RP_LEAD] = "lead",
	[RP_RATES] = "rates",
	[RP_SHARPNESS] = "sharpness",
	[RP_PACES_MODELS] = NULL };

static const struct rp_opt opts[] = {
	{ "model", 0, "MODEL", RP_OPT_CHOICE, offsetof(struct divergent_params, model), "lockstep",
	    "who requests next: lockstep (each in turn), lead (any who keeps the lead), rates (by "
	    "pace), sharpness (the schedule of Theorem 5)",
	    0, 0, model_names },
	{ "workers", 0, "M", RP_OPT_U32, offsetof(struct divergent_params, workers), NULL,
	    "workers, a stream each; else 12, or 2 of sharpness", 1, RP_PACES_WORKERS },
	{ "blocks", 0, "N", RP_OPT_U64, offsetof(struct divergent_params, blocks), NULL,
	    "blocks of the scanned data; else 4096, or 2 * lead of sharpness", 1, UINT64_MAX },
	{ "scans", 0, "W", RP_OPT_U64, offsetof(struct divergent_params, scans), "0",
	    "a worker stops after W scans; 0: never" },
	{ "lead", 0, "S", RP_OPT_U32, offsetof(struct divergent_params, lead), NULL,
	    "lead, sharpness: requests that a worker may be ahead of another, at most; else 8", 1,
	    RP_PACES_LEAD },
	{ "rates", 0, "R0,R1,...|@FILE", RP_OPT_TEXT, offsetof(struct divergent_params, rates),
	    NULL,
	    "rates: pace of each worker, in proportion to which it is drawn; the last one is that "
	    "of "
	    "all others" },
	{ "block", 0, "BYTES", RP_OPT_SIZE32, offsetof(struct divergent_params, block), "64",
	    "size of a block", 1, UINT32_MAX },
	{ "line", 0, "BYTES", RP_OPT_SIZE32, offsetof(struct divergent_params, line), NULL,
	    "make an access of each line of a block, instead of one of the whole", 1, UINT32_MAX },
	{ "base", 0, "ADDRESS", RP_OPT_U64, offsetof(struct divergent_params, base), "0",
	    "address of the first byte" },
	{ "limit", 0, "N", RP_OPT_U64, offsetof(struct divergent_params, limit), "0",
	    "end after N accesses; 0: endless" },
	{ 0 },
};

const struct rp_generator rp_generator_divergent = {
	.name = "divergent",
	.what = "workers that scan the same blocks, each at a pace of its own",
	.source = "PASCAL: A Phase-Aware Shared-Cache Model for Parallel Scans, Algorithm 2",
	.opts = opts,
	.params_bytes = sizeof(struct divergent_params),
	.open = divergent_open,
};
