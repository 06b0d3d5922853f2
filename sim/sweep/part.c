/* part.c - some points of a sweep that are computed together: a grid, reuse distances, or a replay. */
#include "config.h"

#include "sim/sweep/part.h"
#include "sim/observe/grid.h"
#include "sim/observe/reuse.h"
#include "sim/replay.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS = RP_KINDS };

/* Lookups of fully associative LRU caches of one line size: those whose distance is c lines or more miss in c lines. */
struct stack {
	struct rp_expand *expand;
	struct rp_reuse *reuse;
	uint32_t *ways; /* of the points, ascending, each once */
	size_t n;
	uint64_t (*found)
	    [2]; /* lookups by how many of `ways` their distance reaches, and whether they are writes */
	uint64_t kinds[KINDS];
	uint32_t distance[RP_REUSE_CHUNK];
};

struct rp_sweep_part {
	struct rp_sweep_plan *plan;
	const struct rp_sweep_opts *o;
	enum rp_sweep_how how;
	size_t *point, n;
	uint64_t accesses; /* that have begun */
	struct rp_counters
	    *before; /* of each point, at the end of the warm-up; NULL: there is none */
	bool drops;
	struct rp_grid_opts shape;
	struct rp_grid *grid;
	struct stack stack;
	struct rp_cache_spec *specs;
	struct rp_replay *replay;
};

static const struct rp_cache_spec *
spec_of(const struct rp_sweep_part *p, size_t i)
{
	return &p->plan->point[p->point[i]].spec;
}

/* The place of x among the n ascending ones, which get it if it is new. */
static size_t
place(unsigned *list, size_t *n, unsigned x)
{
	size_t i = 0;
	while (i < *n && list[i] < x)
		i++;
	if (i < *n && list[i] == x)
		return i;
	memmove(list + i + 1, list + i, (*n - i) * sizeof *list);
	list[i] = x;
	++*n;
	return i;
}

static void
place_in_grid(const struct rp_sweep_part *p, size_t i, size_t *line, size_t *set)
{
	struct rp_grid_opts shape = p->shape;
	*line = place(shape.line_bits, &shape.lines, (unsigned)__builtin_ctz(spec_of(p, i)->line));
	*set = place(shape.set_bits, &shape.sets, (unsigned)__builtin_ctz(spec_of(p, i)->sets));
}

static bool
open_grid(struct rp_sweep_part *p, struct rp_err *err)
{
	struct rp_grid_opts *g = &p->shape;
	size_t line, set;
	g->level = p->o->level;
	g->writes = p->o->wants->levels;
	for (size_t i = 0; i < p->n; i++) {
		const struct rp_cache_spec *s = spec_of(p, i);
		place(g->line_bits, &g->lines, (unsigned)__builtin_ctz(s->line));
		place(g->set_bits, &g->sets, (unsigned)__builtin_ctz(s->sets));
		g->ways = s->ways > g->ways ? s->ways : g->ways;
	}
	for (size_t i = 0; i < p->n; i++) {
		place_in_grid(p, i, &line, &set);
		g->wanted[line] |= UINT32_C(1) << set;
	}
	return (p->grid = rp_grid_new(g, err));
}

static int
ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static bool
open_stack(struct rp_sweep_part *p, struct rp_err *err)
{
	struct stack *s = &p->stack;
	s->ways = rp_mem_array(p->n, sizeof *s->ways, err);
	s->found = s->ways ? rp_mem_array(p->n + 1, sizeof *s->found, err) : NULL;
	if (!s->found)
		return false;
	for (size_t i = 0; i < p->n; i++)
		s->ways[i] = spec_of(p, i)->ways;
	qsort(s->ways, p->n, sizeof *s->ways, ascending);
	for (size_t i = 0; i < p->n; i++)
		if (!s->n || s->ways[s->n - 1] != s->ways[i])
			s->ways[s->n++] = s->ways[i];
	return (s->reuse = rp_reuse_new(p->o->level, err)) &&
	       (s->expand = rp_expand_new(rp_cache_spec_unit_bits(spec_of(p, 0)), false,
		    p->o->keep_bypassed, p->o->level, err));
}

static bool
open_replay(struct rp_sweep_part *p, struct rp_err *err)
{
	const struct rp_replay_opts o = { .once = p->o->once,
		.flush = p->o->flush,
		.keep_bypassed = p->o->keep_bypassed,
		.warmup = p->o->warmup,
		.level = p->o->level,
		.trace = p->o->trace,
		.stop = p->o->stop };
	if (!(p->specs = rp_mem_array(p->n, sizeof *p->specs, err)))
		return false;
	for (size_t i = 0; i < p->n; i++)
		p->specs[i] = *spec_of(p, i);
	return (p->replay = rp_replay_new(p->specs, p->n, &o, err));
}

struct rp_sweep_part *
rp_sweep_part_new(struct rp_sweep_plan *plan, const size_t *point, size_t n,
    const struct rp_sweep_opts *o, struct rp_err *err)
{
	struct rp_sweep_part *p = rp_mem_array(1, sizeof *p, err);
	if (!p)
		return NULL;
	p->plan = plan;
	p->o = o;
	p->n = n;
	p->how = plan->point[point[0]].how;
	if (!(p->point = rp_mem_array(n, sizeof *p->point, err)))
		goto bad;
	memcpy(p->point, point, n * sizeof *point);
	if (o->warmup && p->how != RP_SWEEP_REPLAY &&
	    !(p->before = rp_mem_array(n, sizeof *p->before, err)))
		goto bad;
	if (p->how == RP_SWEEP_GRID    ? open_grid(p, err)
	    : p->how == RP_SWEEP_STACK ? open_stack(p, err)
				       : open_replay(p, err))
		return p;
bad:
	rp_sweep_part_free(p);
	return NULL;
}

void
rp_sweep_part_free(struct rp_sweep_part *p)
{
	if (!p)
		return;
	rp_grid_free(p->grid);
	rp_reuse_free(p->stack.reuse);
	rp_expand_free(p->stack.expand);
	free(p->stack.ways);
	free(p->stack.found);
	rp_replay_free(p->replay);
	free(p->specs);
	free(p->point);
	free(p->before);
	free(p);
}

/* Rows from .. end - 1 of a batch. */
static struct rp_batch
part_of(const struct rp_batch *b, size_t from, size_t end)
{
	struct rp_batch view = *b;
	view.n = view.cap = end - from;
	view.addr += from;
	view.size += from;
	view.kind += from;
	view.time = b->time ? b->time + from : NULL;
	view.pc = b->pc ? b->pc + from : NULL;
	view.stream = b->stream ? b->stream + from : NULL;
	view.mask = b->mask ? b->mask + from : NULL;
	view.flags = b->flags ? b->flags + from : NULL;
	view.marks = 0;
	for (size_t i = 0; b->marks && i < view.n; i++)
		view.marks += view.kind[i] >= RP_MARKS;
	return view;
}

static bool
stack_chunk(struct stack *s, const struct rp_lookups *in, struct rp_err *err)
{
	if (!rp_reuse_run(s->reuse, in->line, in->n, s->distance, err))
		return false;
	for (size_t i = 0; i < in->n; i++) {
		/* How many of `ways` are at most the distance; a first use has the greatest there is. */
		size_t low = 0, n = s->n;
		while (n) {
			size_t half = n / 2;
			bool up = s->ways[low + half] <= s->distance[i];
			low += up ? half + 1 : 0;
			n = up ? n - half - 1 : half;
		}
		s->found[low][in->store[i]]++;
	}
	for (unsigned k = 0; k < KINDS; k++)
		s->kinds[k] += in->kinds[k];
	return true;
}

static bool
run_stack(struct rp_sweep_part *p, const struct rp_batch *b, struct rp_err *err)
{
	struct stack *s = &p->stack;
	for (size_t row = 0; row < b->n;) {
		if (b->kind[row] >= RP_MARKS) {
			p->drops |= b->kind[row++] == RP_INVALIDATE;
			continue;
		}
		uint64_t most = rp_expand_open(s->expand) ? 0 : UINT64_MAX;
		const struct rp_lookups *in = rp_expand_next(s->expand, b, &row, most);
		if (!stack_chunk(s, in, err))
			return false;
	}
	return true;
}

static bool
run_rows(struct rp_sweep_part *p, const struct rp_batch *b, struct rp_err *err)
{
	return p->grid ? rp_grid_run(p->grid, b, err) : run_stack(p, b, err);
}

static uint64_t
lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What LRU counts of lookups that its misses tell: every miss brings a line in. */
static void
complete(struct rp_counters *c, const uint64_t kinds[KINDS], uint64_t line, uint64_t there)
{
	for (unsigned k = 0; k < KINDS; k++)
		c->lookups += kinds[k];
	c->hits = c->lookups - c->misses;
	c->writes = kinds[RP_WRITE];
	c->reads = c->lookups - c->writes;
	c->read_misses = c->misses - c->write_misses;
	c->ifetches = kinds[RP_FETCH];
	c->atomics = kinds[RP_ATOMIC];
	c->prefetches = kinds[RP_PREFETCH];
	c->fills = c->misses;
	c->evictions = c->misses - there;
	c->bytes_filled = c->fills * line;
	c->bytes_written = c->writebacks * line;
}

/* Counters of a point so far; what is not wanted may be 0. */
static struct rp_counters
grid_counters(const struct rp_sweep_part *p, size_t i)
{
	const struct rp_cache_spec *s = spec_of(p, i);
	struct rp_counters c = { .accesses = p->accesses };
	uint64_t kinds[KINDS], there = 0;
	size_t line, set;
	place_in_grid(p, i, &line, &set);
	for (unsigned k = 0; k < KINDS; k++)
		kinds[k] = rp_grid_kind(p->grid, line, k);
	c.misses = rp_grid_misses(p->grid, line, set, s->ways);
	if (p->shape.writes) {
		c.write_misses = rp_grid_write_misses(p->grid, line, set, s->ways);
		c.writebacks = rp_grid_writebacks(p->grid, line, set, s->ways);
	}
	if (p->o->wants->evictions)
		there = rp_grid_there(p->grid, line, set, s->ways);
	complete(&c, kinds, s->line, there);
	return c;
}

static struct rp_counters
stack_counters(const struct rp_sweep_part *p, size_t i)
{
	const struct stack *s = &p->stack;
	const struct rp_cache_spec *spec = spec_of(p, i);
	struct rp_counters c = { .accesses = p->accesses };
	for (size_t k = s->n; k > 0 && s->ways[k - 1] >= spec->ways; k--) {
		c.misses += s->found[k][0] + s->found[k][1];
		c.write_misses += s->found[k][1];
	}
	complete(&c, s->kinds, spec->line, lesser(rp_reuse_lines(s->reuse), spec->ways));
	return c;
}

static struct rp_counters
counters_of(const struct rp_sweep_part *p, size_t i)
{
	return p->grid ? grid_counters(p, i) : stack_counters(p, i);
}

/* Row behind the warm-up, if that ends in this batch and something is left of it. */
static size_t
warm_rows(const struct rp_sweep_part *p, const struct rp_batch *b)
{
	uint64_t left = p->o->warmup - p->accesses;
	size_t i = 0;
	for (; i < b->n && left; i++)
		left -= b->kind[i] < RP_MARKS;
	return i;
}

static bool
run_counted(struct rp_sweep_part *p, const struct rp_batch *b, struct rp_err *err)
{
	if (!run_rows(p, b, err))
		return false;
	for (size_t i = 0; i < b->n; i++)
		p->accesses += b->kind[i] < RP_MARKS;
	return true;
}

bool
rp_sweep_part_run(struct rp_sweep_part *p, const struct rp_batch *b, struct rp_err *err)
{
	if (p->replay)
		return rp_replay_run(p->replay, b, err);
	if (p->accesses >= p->o->warmup)
		return run_counted(p, b, err);
	size_t warm = warm_rows(p, b);
	const struct rp_batch first = part_of(b, 0, warm), rest = part_of(b, warm, b->n);
	if (!run_counted(p, &first, err))
		return false;
	for (size_t i = 0; i < p->n; i++)
		p->before[i] = counters_of(p, i);
	return run_counted(p, &rest, err);
}

bool
rp_sweep_part_finish(struct rp_sweep_part *p, struct rp_err *err)
{
	int more = 1;
	while (p->replay && more > 0)
		more = rp_replay_more(p->replay, err);
	/* Then it may have ended early. */
	if (more >= 0 && p->o->stop && *p->o->stop)
		return rp_fail(err, RP_STOPPED, "interrupted");
	return more >= 0 && (!p->replay || rp_replay_end(p->replay, err));
}

/* A flush at the end writes back what is dirty, unless the trace ends within the warm-up. */
static void
flush(const struct rp_sweep_part *p, size_t i, struct rp_counters *c)
{
	size_t line, set;
	const struct rp_cache_spec *s = spec_of(p, i);
	if (!p->grid || !p->shape.writes || !p->o->flush || p->accesses <= p->o->warmup)
		return;
	place_in_grid(p, i, &line, &set);
	uint64_t dirty = rp_grid_dirty(p->grid, line, set, s->ways);
	c->writebacks += dirty;
	c->bytes_written += dirty * s->line;
}

void
rp_sweep_part_keep(struct rp_sweep_part *p)
{
	bool drops = p->grid ? rp_grid_drops(p->grid) : p->drops;
	for (size_t i = 0; i < p->n; i++) {
		struct rp_sweep_point *point = &p->plan->point[p->point[i]];
		if (drops) {
			point->how = RP_SWEEP_REPLAY;
			continue;
		}
		if (p->replay) {
			rp_replay_counters(p->replay, i, point->counters);
		} else {
			*point->counters = counters_of(p, i);
			if (p->before)
				rp_counters_sub(point->counters, point->counters, &p->before[i]);
			flush(p, i, point->counters);
		}
		point->done = true;
	}
}
