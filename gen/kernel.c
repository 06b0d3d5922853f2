/* kernel - what the warps of a GPU kernel touch, interleaved.
 *
 * Each warp in turn makes the accesses of its next memory instruction, one for each line that its lanes touch, in the order of
 * the lanes; a random share of the turns is passed by, so that warps drift apart as they do on a GPU. A warp that has done its
 * tasks waits until all have, and the next epoch or launch begins. */
#include "config.h"

#include "gen/fill.h"
#include "gen/gen.h"
#include "gen/warp.h"

#include "base/mem.h"
#include "base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct kernel_params {
	const char *kernel;
	uint64_t n, m, limit, launches, base;
	uint32_t warps, line;
	double idle;
};

struct warp {
	uint64_t task, step; /* of the epoch at hand */
	uint64_t lane[RP_WARP_LANES];
	bool done; /* with the epoch */
};

struct kernel {
	struct rp_source source;
	struct rp_warp_run run;
	struct warp *warp;
	struct rp_rng rng;
	uint64_t idle_below; /* of 2^32 */
	uint64_t launch, epoch, tasks, launches, left;
	uint32_t warps, turn, active, line;
	bool touched;             /* memory, in this launch */
	struct rp_warp_instr now; /* the instruction under way: what is left of it */
};

void
rp_warp_array(struct rp_warp_run *r, unsigned i, uint64_t bytes)
{
	r->base[i] = r->end;
	r->end += (bytes + 4095) / 4096 * 4096;
}

void
rp_warp_row(const struct rp_warp_run *r, struct rp_warp_instr *in, unsigned array, uint64_t from,
    uint64_t limit, uint8_t kind)
{
	rp_warp_as(in, kind, 4);
	for (uint64_t i = from; i < from + RP_WARP_LANES && i < limit; i++)
		rp_warp_lane(in, r->base[array] + 4 * i);
}

void
rp_warp_one(const struct rp_warp_run *r, struct rp_warp_instr *in, unsigned array, uint64_t element,
    uint8_t kind)
{
	rp_warp_as(in, kind, 4);
	rp_warp_lane(in, r->base[array] + 4 * element);
}

/* ---- who is next ---- */

/* Begins an epoch, the first of the next launch if this one is over; false: no launch is left. */
static bool
next_epoch(struct kernel *k)
{
	k->tasks = k->run.kernel->tasks(&k->run, k->epoch);
	if (!k->tasks) {
		/* So small a kernel may touch nothing at all. */
		if (++k->launch == k->launches || !k->touched)
			return false;
		k->touched = false;
		k->epoch = 0;
		k->tasks = k->run.kernel->tasks(&k->run, 0);
	}
	for (uint32_t w = 0; w < k->warps; w++) {
		struct warp *warp = k->warp + w;
		*warp = (struct warp){ .task = w, .done = w >= k->tasks };
	}
	k->active = k->tasks < k->warps ? (uint32_t)k->tasks : k->warps;
	return true;
}

/* The warp's next instruction that touches memory; false: it has done its tasks of the epoch. */
static bool
next_instr(struct kernel *k, struct warp *w)
{
	while (w->task < k->tasks) {
		struct rp_warp_at at = { k->launch, k->epoch, w->task, w->step++, w->lane };
		k->now.lanes = 0;
		if (k->run.kernel->step(&k->run, &at, &k->now)) {
			if (k->now.lanes)
				return true;
			continue;
		}
		w->task += k->warps;
		w->step = 0;
		memset(w->lane, 0, sizeof w->lane);
	}
	w->done = true;
	k->active--;
	return false;
}

/* The next instruction of any warp; false: the end. */
static bool
next_turn(struct kernel *k)
{
	for (;;) {
		if (!k->active) {
			k->epoch++;
			if (!next_epoch(k))
				return false;
		}
		k->turn = k->turn + 1 < k->warps ? k->turn + 1 : 0;
		struct warp *w = k->warp + k->turn;
		if (w->done || (uint32_t)rp_rng_next(&k->rng) < k->idle_below)
			continue;
		if (next_instr(k, w))
			return true;
	}
}

/* ---- rows ---- */

/* One access: to the line of the first lane that is left, from the first byte touched to the last. Those lanes are done. */
static void
put(struct kernel *k, struct rp_batch *out)
{
	struct rp_warp_instr *in = &k->now;
	uint64_t line = in->addr[0] / k->line, first = in->addr[0], last = first + in->bytes - 1;
	unsigned kept = 0;
	for (unsigned i = 0; i < in->lanes; i++) {
		uint64_t a = in->addr[i];
		if (a / k->line != line) {
			in->addr[kept++] = a;
			continue;
		}
		first = a < first ? a : first;
		last = a + in->bytes - 1 > last ? a + in->bytes - 1 : last;
	}
	in->lanes = kept;
	size_t i = out->n;
	out->addr[i] = first;
	out->size[i] = (uint32_t)(last - first + 1);
	out->kind[i] = in->kind;
	if (out->stream)
		out->stream[i] = k->turn;
	out->n++;
	k->touched = true;
}

static ptrdiff_t
kernel_pull(struct rp_source *source, struct rp_batch *out, struct rp_err *err)
{
	struct kernel *k = (struct kernel *)source;
	size_t from = out->n;
	(void)err;
	while (out->n < out->cap && k->left) {
		if (!k->now.lanes && !next_turn(k)) {
			k->left = 0;
			break;
		}
		put(k, out);
		k->left -= k->left != UINT64_MAX;
	}
	size_t n = out->n - from;
	out->n = from;
	rp_fill_zero(out, source->trace->columns, n);
	out->n = from + n;
	return (ptrdiff_t)n;
}

static void
kernel_close(struct rp_source *source)
{
	struct kernel *k = (struct kernel *)source;
	free(k->warp);
	free(k->run.first);
	free(k->run.to);
	free(k->run.level);
	free(k->run.order);
	free(k->run.begins);
	rp_gen_source_free(source);
}

/* ---- opening ---- */

enum { KERNELS_MOST = 64 };

static const struct rp_warp_kernel *
find(const char *name, struct rp_err *err)
{
	static const struct rp_warp_kernel *const tables[] = { rp_warp_dense, rp_warp_sparse };
	const char *names[KERNELS_MOST];
	size_t n = 0;
	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (const struct rp_warp_kernel *k = tables[t]; k->name; k++) {
			if (!strcmp(k->name, name))
				return k;
			if (n < KERNELS_MOST)
				names[n++] = k->name;
		}
	const char *near = rp_nearest(name, names, n);
	rp_fail(err, RP_USAGE, "no kernel '%.40s'%s%s%s (reprise gen kernel --help)", name,
	    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	return NULL;
}

static bool
size_fits(const char *name, const char *what, uint64_t x, uint64_t most, struct rp_err *err)
{
	return (x && x <= most) ||
	       rp_fail(
		   err, RP_USAGE, "%s=%" PRIu64 " (%s): wanted 1 to %" PRIu64, name, x, what, most);
}

static bool
open_run(struct rp_warp_run *r, const struct kernel_params *p, uint64_t seed, struct rp_err *err)
{
	const struct rp_warp_kernel *k = find(p->kernel, err);
	if (!k)
		return false;
	if (p->m && !k->m_is)
		return rp_fail(err, RP_USAGE, "m=%" PRIu64 ": %s has one size, n", p->m, k->name);
	r->kernel = k;
	r->n = p->n ? p->n : k->n;
	r->m = p->m ? p->m : k->m;
	r->seed = seed;
	r->end = p->base;
	if (!size_fits("n", k->n_is, r->n, k->n_most, err) ||
	    (k->m_is && !size_fits("m", k->m_is, r->m, k->m_most, err)) || !k->open(r, err))
		return false;
	return rp_gen_fits(p->base, 1, 1, r->end > p->base ? r->end - p->base : 1, err);
}

static struct rp_source *
kernel_open(const void *params, uint64_t seed, struct rp_err *err)
{
	const struct kernel_params *p = params;
	if (!p->kernel) {
		rp_fail(err, RP_USAGE, "wanted the NAME of a kernel (reprise gen kernel --help)");
		return NULL;
	}
	if (!(p->idle >= 0 && p->idle < 1)) {
		rp_fail(err, RP_USAGE, "idle=%g: wanted a share from 0 to below 1", p->idle);
		return NULL;
	}
	if (p->line & (p->line - 1)) {
		rp_fail(err, RP_USAGE, "line=%" PRIu32 ": wanted a power of two", p->line);
		return NULL;
	}
	if (p->base % p->line) {
		rp_fail(err, RP_USAGE, "base=%" PRIu64 ": wanted a multiple of line=%" PRIu32,
		    p->base, p->line);
		return NULL;
	}
	struct kernel *k = rp_gen_source_new(
	    sizeof *k, "kernel", p->warps > 1 ? RP_COL_STREAM : 0, kernel_pull, err);
	if (!k)
		return NULL;
	k->source.close = kernel_close;
	k->warps = p->warps;
	k->turn = p->warps - 1;
	k->line = p->line;
	k->idle_below = (uint64_t)(p->idle * 0x1p32 + 0.5);
	k->rng = rp_rng_for(seed, "gen/kernel", 0);
	k->launches = p->launches;
	k->left = p->limit ? p->limit : UINT64_MAX;
	k->source.trace->endless = !p->limit && !p->launches;
	if (!open_run(&k->run, p, seed, err) ||
	    !(k->warp = rp_mem_array(p->warps, sizeof *k->warp, err))) {
		kernel_close(&k->source);
		return NULL;
	}
	next_epoch(k);
	return &k->source;
}

#define OPT(field) offsetof(struct kernel_params, field)
static const struct rp_opt opts[] = {
	{ "kernel", 0, "NAME", RP_OPT_TEXT, OPT(kernel), NULL,
	    "vecadd, matmul, matmul-tiled, stencil, transpose, conv, lu, attention, reduction, "
	    "kmeans, nw, spmv, random-update, histogram, bfs or chase" },
	{ "n", 0, "N", RP_OPT_U64, OPT(n), NULL,
	    "its first size: elements, or rows of a matrix; else the kernel's own" },
	{ "m", 0, "M", RP_OPT_U64, OPT(m), NULL,
	    "its second size, if it has one; else the kernel's own" },
	{ "warps", 0, "W", RP_OPT_U32, OPT(warps), "16", "warps, a stream each", 1, 1 << 16 },
	{ "idle", 0, "SHARE", RP_OPT_DOUBLE, OPT(idle), "0.125",
	    "share of a warp's turns that it passes by, drawn at random" },
	{ "launches", 0, "N", RP_OPT_U64, OPT(launches), "0",
	    "end after N launches; 0: as many as the limit takes" },
	{ "line", 0, "BYTES", RP_OPT_SIZE32, OPT(line), "128",
	    "lanes that touch the same line make one access", 8, 4096 },
	{ "base", 0, "ADDRESS", RP_OPT_U64, OPT(base), "0x10000000", "address of the first array" },
	{ "limit", 0, "N", RP_OPT_U64, OPT(limit), "200000", "end after N accesses; 0: endless" },
	{ 0 },
};

const struct rp_generator rp_generator_kernel = {
	.name = "kernel",
	.what = "accesses of the warps of a GPU kernel",
	.source = "the usual forms of these kernels, as in the Rodinia and CUDA samples",
	.opts = opts,
	.operand = "kernel",
	.params_bytes = sizeof(struct kernel_params),
	.open = kernel_open,
};
