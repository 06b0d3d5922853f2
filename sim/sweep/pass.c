/* pass.c - one pass over a trace of a sweep: its points chosen, dealt to parts, run over threads. */
#include "config.h"

#include "sim/sweep/pass.h"

#include "base/mem.h"
#include "base/work.h"

#include <string.h>
#include <unistd.h>

/* Caches of a part at most: what a batch has to be turned into is shared by them, and threads want parts to choose from. */
enum { TOGETHER = 8 };

/* A part while it runs. */
struct job {
	struct rp_sweep_part *part;
	const struct rp_batch *batch; /* NULL: finish */
	struct rp_err err;
	bool ok;
};

/* The points of a pass in the order of their parts: part k has those from first[k] to first[k + 1]. */
struct deal {
	size_t *point, *first, points, parts;
};

struct rp_sweep_pass {
	struct deal deal;
	struct rp_sweep_part **part;
	struct job *job;
	struct rp_work *work;
};

static unsigned
threads_of(const struct rp_sweep_opts *o)
{
	return o->threads ? o->threads : 1;
}

/* Bytes of the host's cache that a thread may take for its own: its second level, or its share of the third. */
static uint64_t
host_cache(const struct rp_sweep_opts *o)
{
	long second = sysconf(_SC_LEVEL2_CACHE_SIZE), third = sysconf(_SC_LEVEL3_CACHE_SIZE);
	if (o->cache)
		return o->cache;
	third /= (long)threads_of(o);
	long most = second > third ? second : third;
	return most > 1 << 20 ? (uint64_t)most : UINT64_C(1) << 20;
}

/* Bytes that a replayed cache keeps, about: keys and what the policy keeps of a set; and a list of lines for classes. */
static uint64_t
bytes_of(const struct rp_cache_spec *s)
{
	uint64_t way = s->sets == 1 && s->ways > 64 ? 24 : 6;
	uint64_t set = s->policy->set_bytes && !s->policy->unbounded
	                   ? s->policy->set_bytes(s->ways, s->arg)
	                   : 0;
	uint64_t lines = (uint64_t)s->sets * s->ways;
	return 4096 + lines * way + set * s->sets + (s->classify ? 24 * lines : 0);
}

/* A point that is still to be done. */
struct left {
	size_t point;
	uint32_t line;
	uint8_t turn; /* enum rp_sweep_how, and behind them replays that want the future */
};

enum { FUTURE = RP_SWEEP_REPLAY + 1 };

static int
in_turn(const void *a, const void *b)
{
	const struct left *x = a, *y = b;
	if (x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->point < y->point ? -1 : x->point > y->point;
}

/* Points that are to be done, by how and by line size. Gives (free). */
static struct left *
list_left(const struct rp_sweep_plan *plan, size_t *n, struct rp_err *err)
{
	struct left *list = rp_mem_array(rp_sweep_plan_left(plan) + 1, sizeof *list, err);
	*n = 0;
	for (size_t i = 0; list && i < plan->n; i++) {
		const struct rp_sweep_point *p = &plan->point[i];
		if (!rp_sweep_is_own(plan, i) || p->done)
			continue;
		bool future = p->how == RP_SWEEP_REPLAY && p->spec.policy->future;
		list[(*n)++] =
		    (struct left){ i, p->spec.line, (uint8_t)(future ? FUTURE : p->how) };
	}
	if (list)
		qsort(list, *n, sizeof *list, in_turn);
	return list;
}

/* What is left, being dealt. */
struct dealing {
	const struct rp_sweep_plan *plan;
	const struct rp_sweep_opts *o;
	const struct left *left;
	size_t n;
	uint64_t room;   /* bytes of cache that are left in this pass */
	size_t replays;  /* that it may still take */
	bool *taken;     /* of left[] */
	struct deal *to; /* NULL: only to be counted */
};

static size_t
end_of_turn(const struct dealing *d, size_t from)
{
	size_t i = from;
	while (i < d->n && d->left[i].turn == d->left[from].turn)
		i++;
	return i;
}

static void
take(struct dealing *d, size_t i, bool begins)
{
	struct deal *to = d->to;
	d->taken[i] = true;
	if (!to)
		return;
	if (begins)
		to->first[to->parts++] = to->points;
	to->point[to->points++] = d->left[i].point;
	to->first[to->parts] = to->points;
}

/* Grids: line sizes in a row for each thread, about as many points for each. */
static void
deal_grids(struct dealing *d, size_t from, size_t end)
{
	size_t share = (end - from + threads_of(d->o) - 1) / threads_of(d->o), in_part = 0;
	for (size_t i = from; i < end; i++) {
		bool other = i > from && d->left[i].line != d->left[i - 1].line;
		bool begins = i == from || (other && in_part >= share);
		in_part = begins ? 1 : in_part + 1;
		take(d, i, begins);
	}
}

/* Reuse distances: a part for each line size. */
static void
deal_stacks(struct dealing *d, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++)
		take(d, i, i == from || d->left[i].line != d->left[i - 1].line);
}

/* Replays, while there is room, or at least one if there are none in the pass. `together`: in one part of those of a
 * line, or at most. */
static void
deal_replays(struct dealing *d, size_t from, size_t end, size_t together, bool *any)
{
	size_t in_part = 0;
	for (size_t i = from; i < end; i++) {
		uint64_t bytes = bytes_of(&d->plan->point[d->left[i].point].spec);
		if (d->taken[i])
			continue;
		if (!d->replays || (*any && bytes > d->room))
			break;
		bool begins = !in_part || in_part == together ||
		              (together == TOGETHER && d->left[i].line != d->left[i - 1].line);
		in_part = begins ? 1 : in_part + 1;
		take(d, i, begins);
		d->room -= bytes < d->room ? bytes : d->room;
		d->replays--;
		*any = true;
	}
}

/* The points of the next pass: all that is computed of many caches at once, or replays, but not both, and few enough
 * replays that a crash, which loses the pass, loses little. What wants the future is one part, as each part keeps the
 * trace for it. */
static void
deal(struct dealing *d)
{
	bool any = false, grids = false;
	d->room = host_cache(d->o) * threads_of(d->o);
	d->replays = (size_t)TOGETHER * threads_of(d->o);
	for (size_t from = 0, end; from < d->n; from = end) {
		end = end_of_turn(d, from);
		switch (d->left[from].turn) {
		case RP_SWEEP_GRID:
		case RP_SWEEP_STACK:
			if (!d->taken[from]) {
				(d->left[from].turn == RP_SWEEP_GRID ? deal_grids : deal_stacks)(
				    d, from, end);
				grids = true;
			}
			break;
		default:
			if (!grids)
				deal_replays(d, from, end,
				    d->left[from].turn == FUTURE ? SIZE_MAX : TOGETHER, &any);
		}
	}
}

size_t
rp_sweep_passes(const struct rp_sweep_plan *plan, const struct rp_sweep_opts *o, struct rp_err *err)
{
	struct dealing d = { .plan = plan, .o = o };
	struct left *left = list_left(plan, &d.n, err);
	size_t passes = 0;
	d.left = left;
	d.taken = left ? rp_mem_array(d.n + 1, sizeof *d.taken, err) : NULL;
	while (d.taken && memchr(d.taken, false, d.n)) {
		deal(&d);
		passes++;
	}
	bool ok = d.taken;
	free(d.taken);
	free(left);
	return ok ? passes : SIZE_MAX;
}

static bool
choose(struct rp_sweep_pass *p, const struct rp_sweep_plan *plan, const struct rp_sweep_opts *o,
    struct rp_err *err)
{
	struct dealing d = { .plan = plan, .o = o, .to = &p->deal };
	struct left *left = list_left(plan, &d.n, err);
	d.left = left;
	d.taken = left ? rp_mem_array(d.n + 1, sizeof *d.taken, err) : NULL;
	p->deal.point = d.taken ? rp_mem_array(d.n + 1, sizeof *p->deal.point, err) : NULL;
	p->deal.first = p->deal.point ? rp_mem_array(d.n + 2, sizeof *p->deal.first, err) : NULL;
	if (p->deal.first)
		deal(&d);
	free(d.taken);
	free(left);
	return p->deal.first;
}

static void
run_job(void *to)
{
	struct job *j = to;
	j->ok = j->batch ? rp_sweep_part_run(j->part, j->batch, &j->err)
	                 : rp_sweep_part_finish(j->part, &j->err);
}

struct rp_sweep_pass *
rp_sweep_pass_new(struct rp_sweep_plan *plan, const struct rp_sweep_opts *o, struct rp_err *err)
{
	struct rp_sweep_pass *p = rp_mem_array(1, sizeof *p, err);
	if (!p)
		return NULL;
	if (!choose(p, plan, o, err))
		goto bad;
	size_t n = p->deal.parts;
	if (!(p->part = rp_mem_array(n + 1, sizeof *p->part, err)) ||
	    !(p->job = rp_mem_array(n + 1, sizeof *p->job, err)))
		goto bad;
	for (size_t i = 0; i < n; i++) {
		const size_t *first = &p->deal.first[i];
		if (!(p->part[i] = rp_sweep_part_new(
			  plan, p->deal.point + first[0], first[1] - first[0], o, err)))
			goto bad;
	}
	unsigned threads = threads_of(o) < n ? threads_of(o) : (unsigned)n;
	if ((p->work = rp_work_new(threads, run_job, p->job, sizeof *p->job, n + 1, err)))
		return p;
bad:
	rp_sweep_pass_free(p);
	return NULL;
}

void
rp_sweep_pass_free(struct rp_sweep_pass *p)
{
	if (!p)
		return;
	rp_work_free(p->work);
	for (size_t i = 0; p->part && i < p->deal.parts; i++)
		rp_sweep_part_free(p->part[i]);
	free(p->part);
	free(p->job);
	free(p->deal.point);
	free(p->deal.first);
	free(p);
}

void
rp_sweep_pass_give(struct rp_sweep_pass *p, const struct rp_batch *b)
{
	for (size_t i = 0; i < p->deal.parts; i++) {
		struct job *j = rp_work_slot(p->work);
		*j = (struct job){ .part = p->part[i], .batch = b };
		rp_work_give(p->work);
	}
}

bool
rp_sweep_pass_wait(struct rp_sweep_pass *p, struct rp_err *err)
{
	const struct job *j;
	bool ok = true;
	while ((j = rp_work_take(p->work))) {
		/* Of several that fail the first one is told, whichever was quicker. */
		if (ok && !j->ok)
			ok = rp_fail(err, j->err.code, "%s", j->err.text);
		rp_work_return(p->work);
	}
	return ok;
}

bool
rp_sweep_pass_end(struct rp_sweep_pass *p, struct rp_err *err)
{
	rp_sweep_pass_give(p, NULL);
	if (!rp_sweep_pass_wait(p, err))
		return false;
	for (size_t i = 0; i < p->deal.parts; i++)
		rp_sweep_part_keep(p->part[i]);
	return true;
}

size_t
rp_sweep_pass_points(const struct rp_sweep_pass *p)
{
	return p->deal.points;
}
