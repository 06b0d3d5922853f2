/* profile.c - lookups into a reuse profile. What is read from it is in profile_read.c. */
#include "config.h"

#include "sim/observe/profile_state.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = RP_REUSE_CHUNK };

static bool
open_pieces(struct rp_profile *p, struct rp_err *err)
{
	for (unsigned i = 0; i < RP_ERROR_PARTS; i++)
		if (!(p->piece[i] = rp_reuse_new(p->o.level, err)))
			return false;
	return true;
}

/* What waits. */
static bool
open_sample(struct rp_profile *p, struct rp_err *err)
{
	return (p->line = rp_mem_array(CHUNK, sizeof *p->line, err)) &&
	       (p->store = rp_mem_array(CHUNK, sizeof *p->store, err)) &&
	       (p->index = rp_mem_array(CHUNK, sizeof *p->index, err)) &&
	       (!p->o.error || p->o.lines || open_pieces(p, err));
}

struct rp_profile *
rp_profile_new(const struct rp_profile_opts *o, struct rp_err *err)
{
	struct rp_profile *p = rp_mem_array(1, sizeof *p, err);
	if (!p)
		return NULL;
	p->o = *o;
	p->sample = rp_sample_of(o->rate > 0 ? o->rate : 1, o->seed, o->level);
	p->sampled = o->lines || p->sample.below < RP_SAMPLE_ALL;
	if (!(p->reuse = rp_reuse_new(o->level, err)) || (p->sampled && !open_sample(p, err)) ||
	    !(p->distance = rp_mem_array(CHUNK, sizeof *p->distance, err)) ||
	    (o->times && !(p->times = rp_times_new(err)))) {
		rp_profile_free(p);
		return NULL;
	}
	if (o->bound)
		rp_reuse_bound(p->reuse, o->bound);
	return p;
}

static void
free_spread(struct rp_spread *s)
{
	rp_hist_free(&s->hist);
	free(s->fine);
	s->fine = NULL;
}

void
rp_profile_free(struct rp_profile *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < RP_PARTS; i++)
		free_spread(&p->part[i]);
	for (unsigned i = 0; i < RP_ERROR_PARTS; i++) {
		rp_reuse_free(p->piece[i]);
		free_spread(&p->piece_part[i]);
	}
	rp_reuse_free(p->reuse);
	rp_times_free(p->times);
	free(p->line);
	free(p->store);
	free(p->index);
	free(p->distance);
	free(p);
}

/* No distance of a stack is above this. */
static uint32_t
most_of(const struct rp_reuse *r)
{
	return (uint32_t)rp_reuse_lines(r);
}

/* Distinct lines, of which there were `u`, with these lookups. */
static uint64_t
distinct_with(uint64_t u, const uint32_t *distance, size_t n)
{
	for (size_t i = 0; i < n; i++)
		u += distance[i] >= u;
	return u;
}

/* The smaller samples' share of n lookups in the sample. */
static bool
run_pieces(struct rp_profile *p, const uint64_t *line, size_t n, struct rp_err *err)
{
	uint64_t mine[CHUNK];
	uint32_t distance[CHUNK];
	for (unsigned k = 0; k < RP_ERROR_PARTS; k++) {
		size_t m = 0;
		for (size_t i = 0; i < n; i++) {
			mine[m] = line[i];
			m += rp_sample_part(&p->sample, line[i], RP_ERROR_PARTS) == k;
		}
		if (!rp_reuse_run(p->piece[k], mine, m, distance, err) ||
		    !rp_hist_add(&p->piece_part[k].hist, distance, m, most_of(p->piece[k]), err))
			return false;
	}
	return true;
}

/* Up to CHUNK lookups, all of them in the sample. */
static bool
run_chunk(
    struct rp_profile *p, const uint64_t *line, const uint8_t *store, size_t n, struct rp_err *err)
{
	uint32_t *d = p->distance;
	if (!rp_reuse_run(p->reuse, line, n, d, err))
		return false;
	uint32_t most = most_of(p->reuse);
	if (!rp_hist_add(&p->part[RP_PART_ALL].hist, d, n, most, err))
		return false;
	if (p->o.kinds)
		for (unsigned k = 0; k < 2; k++)
			if (!rp_hist_add_kind(&p->part[RP_PART_READS + k].hist, d, store,
				(uint8_t)k, n, most, err))
				return false;
	if (p->o.intervals) {
		if (!rp_hist_add(&p->part[RP_PART_INTERVAL].hist, d, n, most, err))
			return false;
		p->recent = distinct_with(p->recent, d, n);
	}
	if (p->started)
		p->distinct = distinct_with(p->distinct, d, n);
	p->in_sample += n;
	return !p->piece[0] || run_pieces(p, line, n, err);
}

/* What was counted at the rate of now goes to the rest. */
static bool
fold(struct rp_spread *s, double scale, struct rp_err *err)
{
	uint64_t d = 0, n;
	if (!s->fine && !(s->fine = rp_mem_array(RP_FINE_BINS, sizeof *s->fine, err)))
		return false;
	for (uint64_t from = 0; (n = rp_hist_next(&s->hist, from, &d)); from = d + 1) {
		unsigned bin = rp_log_bin((uint64_t)((double)d * scale + 0.5), RP_FINE_BITS);
		s->fine[bin < RP_FINE_BINS ? bin : RP_FINE_BINS - 1] += (double)n * scale;
	}
	s->fine_cold += (double)s->hist.cold * scale;
	s->fine_total += (double)s->hist.total * scale;
	rp_hist_clear(&s->hist);
	return true;
}

static bool
fold_all(struct rp_profile *p, struct rp_err *err)
{
	double scale = rp_profile_scale(p);
	bool ok = true;
	for (unsigned i = 0; i < RP_PARTS; i++)
		ok = ok && fold(&p->part[i], scale, err);
	for (unsigned i = 0; p->piece[0] && i < RP_ERROR_PARTS; i++)
		ok = ok && fold(&p->piece_part[i], scale * RP_ERROR_PARTS, err);
	return ok;
}

/* Lines of a stack, the one looked up longest ago first. */
struct lines {
	uint64_t *line;
	size_t n;
};

static void
take_line(void *to, uint64_t line)
{
	struct lines *l = to;
	l->line[l->n++] = line;
}

/* A stack without the lines that are no longer in the sample: the others anew, in their order. */
static bool
thin(struct rp_profile *p, struct rp_reuse *r, uint64_t *room, struct rp_err *err)
{
	struct lines all = { room, 0 };
	size_t kept = 0;
	rp_reuse_walk(r, take_line, &all);
	for (size_t i = 0; i < all.n; i++)
		if (rp_sample_hash(&p->sample, all.line[i]) < p->sample.below)
			all.line[kept++] = all.line[i];
	rp_reuse_reset(r);
	for (size_t i = 0; i < kept; i += CHUNK)
		if (!rp_reuse_run(
			r, all.line + i, kept - i < CHUNK ? kept - i : CHUNK, p->distance, err))
			return false;
	return true;
}

static int
by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* The rate that leaves seven of eight of the lines allowed. */
static uint64_t
lower_bound(const struct rp_profile *p, uint64_t *room)
{
	struct lines all = { room, 0 };
	rp_reuse_walk(p->reuse, take_line, &all);
	for (size_t i = 0; i < all.n; i++)
		all.line[i] = rp_sample_hash(&p->sample, all.line[i]);
	qsort(all.line, all.n, sizeof *all.line, by_number);
	uint64_t below = all.line[p->o.lines - p->o.lines / 8];
	return below ? below : 1;
}

/* The smaller samples begin where the rate falls for the first time: before, nothing was left to chance, and all of them have
 * what the whole has. */
static bool
begin_pieces(struct rp_profile *p, uint64_t *room, struct rp_err *err)
{
	const struct rp_spread *all = &p->part[RP_PART_ALL];
	struct lines kept = { room, 0 };
	if (!open_pieces(p, err))
		return false;
	for (unsigned i = 0; i < RP_ERROR_PARTS; i++) {
		struct rp_spread *s = &p->piece_part[i];
		if (!(s->fine = rp_mem_array(RP_FINE_BINS, sizeof *s->fine, err)))
			return false;
		memcpy(s->fine, all->fine, RP_FINE_BINS * sizeof *s->fine);
		s->fine_cold = all->fine_cold;
		s->fine_total = all->fine_total;
	}
	rp_reuse_walk(p->reuse, take_line, &kept);
	for (size_t i = 0; i < kept.n; i += CHUNK) {
		size_t n = kept.n - i < CHUNK ? kept.n - i : CHUNK;
		if (!run_pieces(p, kept.line + i, n, err))
			return false;
	}
	/* That was no lookup. */
	for (unsigned i = 0; i < RP_ERROR_PARTS; i++)
		rp_hist_clear(&p->piece_part[i].hist);
	return true;
}

/* More lines than there may be: lowers the rate. */
static bool
lower_rate(struct rp_profile *p, struct rp_err *err)
{
	uint64_t *room = rp_mem_array(rp_reuse_lines(p->reuse), sizeof *room, err);
	bool ok = room && fold_all(p, err);
	if (ok) {
		double before = rp_sample_rate(&p->sample);
		p->sample.below = lower_bound(p, room);
		double left = rp_sample_rate(&p->sample) / before;
		p->distinct = (uint64_t)((double)p->distinct * left + 0.5);
		p->recent = (uint64_t)((double)p->recent * left + 0.5);
		ok = thin(p, p->reuse, room, err);
		if (p->o.error && !p->piece[0])
			ok = ok && begin_pieces(p, room, err);
		else
			for (unsigned i = 0; p->piece[0] && i < RP_ERROR_PARTS; i++)
				ok = ok && thin(p, p->piece[i], room, err);
	}
	free(room);
	return ok;
}

/* The lookups that wait. Where lines are limited, in pieces that cannot bring many more; what is no longer in the sample
 * when its turn comes is left out. */
static bool
run_waiting(struct rp_profile *p, struct rp_err *err)
{
	size_t n = p->waiting, most = CHUNK;
	p->waiting = 0;
	if (!p->o.lines)
		return run_chunk(p, p->line, p->store, n, err);
	if (p->o.lines < 8 * CHUNK)
		most = p->o.lines / 8 + 1;
	for (size_t i = 0; i < n;) {
		size_t m = 0;
		for (; i < n && m < most; i++)
			if (rp_sample_hash(&p->sample, p->line[i]) < p->sample.below) {
				p->line[m] = p->line[i];
				p->store[m++] = p->store[i];
			}
		if (!run_chunk(p, p->line, p->store, m, err))
			return false;
		if (rp_reuse_lines(p->reuse) > p->o.lines && !lower_rate(p, err))
			return false;
	}
	return true;
}

/* Up to CHUNK lookups of which some are in the sample. */
static bool
run_sample(
    struct rp_profile *p, const uint64_t *line, const uint8_t *store, size_t n, struct rp_err *err)
{
	uint64_t taken[CHUNK];
	size_t m = rp_sample_take(&p->sample, line, n, 0, p->index);
	if (p->waiting + m > CHUNK && !run_waiting(p, err))
		return false;
	uint64_t *to = p->line + p->waiting;
	for (size_t i = 0; i < m; i++) {
		to[i] = line[p->index[i]];
		p->store[p->waiting + i] = store ? store[p->index[i]] : 0;
	}
	p->waiting += m;
	if (!p->times)
		return true;
	memcpy(taken, to, m * sizeof *taken);
	return rp_times_run(p->times, taken, p->index, m, n, NULL, err);
}

static void
count_lookups(struct rp_profile *p, const uint8_t *store, size_t n)
{
	size_t writes = 0;
	for (size_t i = 0; p->o.kinds && store && i < n; i++)
		writes += store[i];
	p->part[RP_PART_ALL].lookups += n;
	p->part[RP_PART_READS].lookups += n - writes;
	p->part[RP_PART_WRITES].lookups += writes;
	p->part[RP_PART_INTERVAL].lookups += n;
}

bool
rp_profile_run(
    struct rp_profile *p, const uint64_t *line, const uint8_t *store, size_t n, struct rp_err *err)
{
	static const uint8_t reads[CHUNK];
	count_lookups(p, store, n);
	for (size_t i = 0; i < n; i += CHUNK) {
		size_t m = n - i < CHUNK ? n - i : CHUNK;
		const uint8_t *kind = store ? store + i : reads;
		if (p->sampled) {
			if (!run_sample(p, line + i, kind, m, err))
				return false;
			continue;
		}
		if (!run_chunk(p, line + i, kind, m, err) ||
		    (p->times && !rp_times_run(p->times, line + i, NULL, m, m, NULL, err)))
			return false;
	}
	return true;
}

bool
rp_profile_settle(struct rp_profile *p, struct rp_err *err)
{
	if (p->waiting && !run_waiting(p, err))
		return false;
	/* Where the rate has changed, all is in one place. */
	return !p->part[RP_PART_ALL].fine || fold_all(p, err);
}

static void
clear(struct rp_spread *s)
{
	rp_hist_clear(&s->hist);
	if (s->fine)
		memset(s->fine, 0, RP_FINE_BINS * sizeof *s->fine);
	s->fine_cold = s->fine_total = 0;
	s->lookups = 0;
}

bool
rp_profile_start(struct rp_profile *p, struct rp_err *err)
{
	if (!rp_profile_settle(p, err))
		return false;
	for (unsigned i = 0; i < RP_PARTS; i++)
		clear(&p->part[i]);
	for (unsigned i = 0; i < RP_ERROR_PARTS; i++)
		clear(&p->piece_part[i]);
	if (p->times)
		rp_times_start(p->times);
	p->in_sample = p->distinct = p->recent = 0;
	p->started = true;
	return true;
}

bool
rp_profile_forget(struct rp_profile *p, struct rp_err *err)
{
	if (!rp_profile_settle(p, err))
		return false;
	rp_reuse_reset(p->reuse);
	for (unsigned i = 0; p->piece[0] && i < RP_ERROR_PARTS; i++)
		rp_reuse_reset(p->piece[i]);
	if (p->times)
		rp_times_forget(p->times);
	p->forgotten = true;
	p->recent = 0;
	return true;
}

void
rp_profile_cut(struct rp_profile *p)
{
	clear(&p->part[RP_PART_INTERVAL]);
	p->recent = 0;
}
