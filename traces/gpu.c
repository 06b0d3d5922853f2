/* gpu.c - streams of a GPU trace: warps made into blocks or SMs, and blocks dealt to SMs.
 *
 * A row belongs to the kernel whose end comes next, which says how many warps a block has.
 * Dealing needs the warps of a kernel apart, so it goes segment by segment (traces/demux.h); all
 * else renames streams as they pass. */
#include "config.h"

#include "traces/gpu.h"
#include "base/map.h"
#include "traces/demux.h"
#include "traces/warp.h"

#include <inttypes.h>
#include <string.h>

/* Bytes of a kernel that are held in memory: a replay is to stay below 64 MiB with all it has. */
enum { KERNEL_MEMORY = 32 << 20 };

/* A warp that is resident on an SM. */
struct resident {
	uint32_t place; /* which of the SM's */
	uint32_t warp;  /* index into struct deal's `warps` */
};

struct sm {
	struct resident *ring; /* `n` of them, by place, then by warp */
	size_t n, cap, next;   /* next: whose turn it is */
	size_t block, end;     /* the SM's next block; behind its last one */
	uint32_t *left;        /* warps of each place that are not done */
};

/* Where a warp's rows are. */
struct warp {
	uint32_t sm;     /* warps are ordered by this, */
	uint64_t at;     /* then by the place of their block among all of the kernel, */
	uint32_t number; /* then by their number in the block */
	uint32_t block;
	uint32_t queue; /* in the demultiplexer */
};

struct gpu {
	struct rp_source source; /* shares its trace with `in` */
	struct rp_source *in;
	enum rp_stream_by by;
	uint64_t kernel; /* number of the one that rows belong to now */
	/* dealing only */
	struct rp_gpu_order order;
	struct rp_demux *demux;
	bool has_segment;
	size_t marks_out; /* marks of the segment handed on */
	struct warp *warps;
	size_t *first; /* of each block in `warps`, one more than there are blocks */
	size_t n_warps, n_blocks, n_sms;
	struct sm *sm;        /* those that have a block with rows */
	size_t turn, running; /* SM whose turn it is; SMs with something left */
	bool cut;             /* the instruction at hand did not fit into the batch */
};

static const struct rp_kernel_launch *
launch(const struct gpu *g, struct rp_err *err)
{
	const struct rp_trace *t = g->source.trace;
	if (g->kernel < t->n_kernels)
		return &t->kernels[g->kernel];
	rp_fail(err, RP_INPUT,
	    "the trace has accesses of kernel %" PRIu64
	    ", counted from 0, and tells of %zu launches",
	    g->kernel, t->n_kernels);
	return NULL;
}

/* ---- as recorded ---- */

static bool
recorded_sm(const struct rp_kernel_launch *k, uint64_t kernel, uint32_t block, uint32_t *sm,
    struct rp_err *err)
{
	*sm = block < k->blocks ? k->sm[block] : RP_SM_UNKNOWN;
	return *sm != RP_SM_UNKNOWN ||
	       rp_fail(err, RP_INPUT,
		   "kernel %" PRIu64 " does not tell the SM of block %" PRIu32
		   "; deal its blocks with --gpu sms=N,resident=R",
		   kernel, block);
}

/* Renames the streams of rows [from, from + n), which belong to one kernel. */
static bool
rename_rows(const struct gpu *g, struct rp_batch *b, size_t from, size_t n, struct rp_err *err)
{
	const struct rp_kernel_launch *k = n ? launch(g, err) : NULL;
	uint32_t last = 0, name = 0;
	bool known = false;
	if (n && !k)
		return false;
	for (uint32_t *s = b->stream + from; n--; s++) {
		if (!known || *s != last) {
			last = *s;
			name = last / k->warps;
			known = true;
			if (g->by == RP_BY_SM && !recorded_sm(k, g->kernel, name, &name, err))
				return false;
		}
		*s = name;
	}
	return true;
}

static ptrdiff_t
recorded_pull(struct rp_source *s, struct rp_batch *out, struct rp_err *err)
{
	struct gpu *g = (struct gpu *)s;
	size_t from = out->n;
	ptrdiff_t n = rp_source_pull(g->in, out, err);
	if (n <= 0 || !out->stream)
		return n;
	for (size_t i = from; i < out->n; i++) {
		if (out->kind[i] < RP_MARKS)
			continue;
		if (!rename_rows(g, out, from, i - from, err))
			return -1;
		from = i + 1;
		if (out->kind[i] == RP_KERNEL_END)
			g->kernel = out->addr[i] + 1;
	}
	return rename_rows(g, out, from, out->n - from, err) ? n : -1;
}

/* ---- dealt ---- */

static int
by_turn(const void *a, const void *b)
{
	const struct warp *x = a, *y = b;
	if (x->sm != y->sm)
		return x->sm < y->sm ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int
by_block(const void *a, const void *b)
{
	const struct rp_block_run *x = a, *y = b;
	return (x->block > y->block) - (x->block < y->block);
}

/* Gives blocks, in the order of their first rows, their places in the order of the file. */
struct places {
	const struct rp_block_run *run; /* the launch's early blocks, by place */
	struct rp_block_run *by_block;
	size_t n, passed; /* passed: runs that lie before `next` */
	uint64_t next;    /* the place of the next block that is not early */
};

static bool
begin_places(struct places *p, const struct rp_kernel_launch *k, struct rp_err *err)
{
	*p = (struct places){ .run = k->early, .n = k->n_early };
	if (!p->n)
		return true;
	p->by_block = rp_mem_array(p->n, sizeof *p->by_block, err);
	if (!p->by_block)
		return false;
	memcpy(p->by_block, p->run, p->n * sizeof *p->run);
	qsort(p->by_block, p->n, sizeof *p->by_block, by_block);
	return true;
}

static uint64_t
place_of(struct places *p, uint32_t block)
{
	size_t low = 0, high = p->n; /* the run wanted is the last that does not begin behind it */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (p->by_block[middle].block <= block)
			low = middle + 1;
		else
			high = middle;
	}
	if (low && block - p->by_block[low - 1].block < p->by_block[low - 1].n)
		return p->by_block[low - 1].at + (block - p->by_block[low - 1].block);
	for (; p->passed < p->n && p->run[p->passed].at == p->next; p->passed++)
		p->next += p->run[p->passed].n;
	return p->next++;
}

static void
drop_schedule(struct gpu *g)
{
	for (size_t i = 0; g->sm && i < g->n_sms; i++) {
		free(g->sm[i].ring);
		free(g->sm[i].left);
	}
	free(g->sm);
	free(g->warps);
	free(g->first);
	g->sm = NULL;
	g->warps = NULL;
	g->first = NULL;
	g->n_warps = g->n_blocks = g->n_sms = g->running = 0;
}

/* Finds the SM of each warp of the segment. */
static bool
deal_warps(struct gpu *g, const struct rp_kernel_launch *k, struct rp_err *err)
{
	struct rp_map known = { 0 }; /* places of blocks, plus 1 */
	struct places places;
	bool ok = begin_places(&places, k, err);
	for (size_t i = 0; ok && i < g->demux->n; i++) {
		uint32_t stream = g->demux->streams[i].stream, block = stream / k->warps;
		uint64_t *at = rp_map_at(&known, block, err);
		ok = at != NULL;
		if (ok && !*at)
			*at = place_of(&places, block) + 1;
		if (ok)
			g->warps[i] = (struct warp){ (uint32_t)((*at - 1) % g->order.sms), *at - 1,
				stream % k->warps, block, (uint32_t)i };
	}
	rp_map_free(&known);
	free(places.by_block);
	return ok;
}

/* Sorts the segment's warps by SM and block. */
static bool
sort_warps(struct gpu *g, struct rp_err *err)
{
	const struct rp_kernel_launch *k = launch(g, err);
	g->warps = k ? rp_mem_array(g->demux->n, sizeof *g->warps, err) : NULL;
	g->first = g->warps ? rp_mem_array(g->demux->n + 1, sizeof *g->first, err) : NULL;
	if (!g->first || !deal_warps(g, k, err))
		return false;
	g->n_warps = g->demux->n;
	qsort(g->warps, g->n_warps, sizeof *g->warps, by_turn);
	for (size_t i = 0; i < g->n_warps; i++) {
		bool new_sm = i == 0 || g->warps[i].sm != g->warps[i - 1].sm;
		g->n_sms += new_sm;
		if (new_sm || g->warps[i].at != g->warps[i - 1].at)
			g->first[g->n_blocks++] = i;
	}
	g->first[g->n_blocks] = g->n_warps;
	return true;
}

/* Gives a place of an SM to its next block, if there is one. Its warps come before those of the
 * places behind; if it is their turn, it is the turn of who comes behind them. */
static bool
settle(struct gpu *g, struct sm *m, uint32_t place, struct rp_err *err)
{
	if (m->block == m->end)
		return true;
	size_t first = g->first[m->block], n = g->first[m->block + 1] - first, at = 0;
	m->block++;
	if (m->n + n > m->cap) {
		size_t cap = 2 * (m->n + n);
		struct resident *ring = rp_mem_grow(m->ring, cap, sizeof *ring, err);
		if (!ring)
			return false;
		m->ring = ring;
		m->cap = cap;
	}
	while (at < m->n && m->ring[at].place < place)
		at++;
	memmove(m->ring + at + n, m->ring + at, (m->n - at) * sizeof *m->ring);
	for (size_t i = 0; i < n; i++)
		m->ring[at + i] = (struct resident){ place, (uint32_t)(first + i) };
	if (m->next >= at && m->n)
		m->next += n;
	m->n += n;
	m->left[place] = (uint32_t)n;
	return true;
}

/* Blocks [from, to) are those of an SM. */
static bool
begin_sm(struct gpu *g, struct sm *m, size_t from, size_t to, struct rp_err *err)
{
	size_t places = g->order.resident < to - from ? g->order.resident : to - from;
	m->block = from;
	m->end = to;
	m->left = rp_mem_array(places, sizeof *m->left, err);
	if (!m->left)
		return false;
	for (uint32_t place = 0; place < places; place++)
		if (!settle(g, m, place, err))
			return false;
	m->next = 0;
	return true;
}

static bool
make_schedule(struct gpu *g, struct rp_err *err)
{
	if (!sort_warps(g, err))
		return false;
	g->sm = rp_mem_array(g->n_sms, sizeof *g->sm, err);
	if (!g->sm)
		return false;
	g->running = g->n_sms;
	g->turn = 0;
	size_t to = 0;
	for (size_t i = 0; i < g->n_sms; i++) {
		size_t from = to;
		uint32_t sm = g->warps[g->first[from]].sm;
		while (to < g->n_blocks && g->warps[g->first[to]].sm == sm)
			to++;
		if (!begin_sm(g, &g->sm[i], from, to, err))
			return false;
	}
	return true;
}

static uint32_t
name_of(const struct gpu *g, uint32_t warp)
{
	const struct warp *w = &g->warps[warp];
	if (g->by == RP_BY_SM)
		return w->sm;
	return g->by == RP_BY_BLOCK ? w->block : g->demux->streams[w->queue].stream;
}

/* Moves one instruction of a warp, or what is left of it. */
static bool
move_instruction(
    struct gpu *g, uint32_t warp, uint64_t most, struct rp_batch *out, struct rp_err *err)
{
	const struct rp_demux_row *row;
	uint32_t queue = g->warps[warp].queue;
	if (rp_demux_pull(g->demux, queue, most, name_of(g, warp), out, err) < 0)
		return false;
	g->cut = false;
	if (out->n < out->cap)
		return true;
	int more = rp_demux_peek(g->demux, queue, &row, err);
	g->cut = more > 0 && (row->flags & RP_SAME_INSTR);
	return more >= 0;
}

/* The warp at the SM's turn has done an instruction: on to the next, without it if that was its
 * last. */
static bool
advance(struct gpu *g, struct sm *m, struct rp_err *err)
{
	struct resident r = m->ring[m->next];
	if (g->demux->streams[g->warps[r.warp].queue].left) {
		m->next++;
	} else {
		m->n--;
		memmove(
		    m->ring + m->next, m->ring + m->next + 1, (m->n - m->next) * sizeof *m->ring);
		if (--m->left[r.place] == 0 && !settle(g, m, r.place, err))
			return false;
	}
	if (m->next >= m->n)
		m->next = 0;
	g->running -= m->n == 0;
	return true;
}

static bool
run(struct gpu *g, struct rp_batch *out, struct rp_err *err)
{
	while (g->running && out->n < out->cap) {
		struct sm *m = &g->sm[g->turn];
		if (m->n) {
			uint64_t most = g->cut ? 0 : 1;
			if (!move_instruction(g, m->ring[m->next].warp, most, out, err))
				return false;
			if (g->cut)
				return true;
			if (!advance(g, m, err))
				return false;
		}
		g->turn = g->turn + 1 == g->n_sms ? 0 : g->turn + 1;
	}
	return true;
}

/* Hands on the marks behind a segment; true when all are. */
static bool
put_marks(struct gpu *g, struct rp_batch *out)
{
	const struct rp_batch *marks = g->demux->marks;
	for (; g->marks_out < marks->n; g->marks_out++) {
		if (out->n == out->cap)
			return false;
		struct rp_access a = rp_batch_get(marks, g->marks_out);
		rp_batch_put(out, &a);
		if (a.kind == RP_KERNEL_END)
			g->kernel = a.addr + 1;
	}
	return true;
}

static bool
stopped(const struct gpu *g)
{
	return g->order.stop && *g->order.stop;
}

static ptrdiff_t
dealt_pull(struct rp_source *s, struct rp_batch *out, struct rp_err *err)
{
	struct gpu *g = (struct gpu *)s;
	size_t before = out->n, marks = out->marks;
	while (out->n < out->cap) {
		if (!g->has_segment) {
			int more = rp_demux_segment(g->demux, err);
			if (more < 0)
				return -1;
			if (more == 0 || stopped(g)) /* then its launch may not be known */
				break;
			g->has_segment = true;
			g->marks_out = 0;
			if (g->demux->n && !make_schedule(g, err))
				return -1;
		}
		if (!run(g, out, err))
			return -1;
		if (!g->running && put_marks(g, out)) {
			drop_schedule(g);
			g->has_segment = false;
		}
	}
	/* A kernel that was not read to its end is dealt otherwise: of that, nothing is handed on. */
	if (stopped(g)) {
		out->n = before;
		out->marks = marks;
	}
	return (ptrdiff_t)(out->n - before);
}

static void
gpu_close(struct rp_source *s)
{
	struct gpu *g = (struct gpu *)s;
	drop_schedule(g);
	rp_demux_close(g->demux);
	rp_source_close(g->in);
	free(g);
}

struct rp_source *
rp_gpu_open(
    struct rp_source *in, enum rp_stream_by by, const struct rp_gpu_order *o, struct rp_err *err)
{
	bool deals = o && o->sms;
	if (!in->trace->warps && !deals && by == RP_BY_BLOCK)
		return in;
	struct gpu *g = NULL;
	if (!in->trace->warps)
		rp_fail(err, RP_USAGE,
		    "not a GPU trace with warps: streams by warp or SM, and --gpu, are not for it");
	else if (!deals && by == RP_BY_WARP)
		return in;
	else
		g = rp_mem_array(1, sizeof *g, err);
	if (!g) {
		rp_source_close(in);
		return NULL;
	}
	g->in = in;
	g->by = by;
	g->source = (struct rp_source){ deals ? dealt_pull : recorded_pull, gpu_close, in->trace };
	if (deals) {
		g->order = *o;
		g->order.resident += o->resident == 0;
		g->demux = rp_demux_open(in, KERNEL_MEMORY, err);
		if (!g->demux) {
			gpu_close(&g->source);
			return NULL;
		}
		g->demux->stop = o->stop;
	}
	in->trace->warps = by == RP_BY_WARP;
	return &g->source;
}
