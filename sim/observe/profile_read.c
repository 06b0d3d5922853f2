/* profile_read.c - what a reuse profile says: its distances, its curve, its error. */
#include "config.h"

#include "sim/observe/profile_state.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

uint64_t
rp_profile_lookups(const struct rp_profile *p, enum rp_part part)
{
	return p->part[part].lookups;
}

static double
cold_of(const struct rp_spread *s, double scale)
{
	double cold = (double)s->hist.cold * scale + s->fine_cold;
	return cold < (double)s->lookups ? cold : (double)s->lookups;
}

double
rp_profile_cold(const struct rp_profile *p, enum rp_part part)
{
	return cold_of(&p->part[part], rp_profile_scale(p));
}

double
rp_profile_footprint(const struct rp_profile *p, enum rp_part part)
{
	if (p->o.bound || (part == RP_PART_ALL && p->forgotten))
		return -1;
	uint64_t lines = part == RP_PART_INTERVAL ? p->recent
	                 : p->started             ? p->distinct
	                                          : rp_reuse_lines(p->reuse);
	return (double)lines * rp_profile_scale(p);
}

/* The distances of a spread that occur, ascending. */
struct spread_walk {
	const struct rp_spread *s;
	double scale;
	uint64_t next;
	double owed;
};

static void
begin(struct spread_walk *w, const struct rp_spread *s, double scale)
{
	*w = (struct spread_walk){ .s = s, .scale = scale };
	w->owed = (double)s->lookups - ((double)s->hist.total * scale + s->fine_total);
}

static bool
next_row(struct spread_walk *w, struct rp_row *row)
{
	const struct rp_spread *s = w->s;
	if (s->fine) {
		while (w->next < RP_FINE_BINS && s->fine[w->next] == 0)
			w->next++;
		if (w->next == RP_FINE_BINS)
			return false;
		uint64_t low = rp_log_low((unsigned)w->next, RP_FINE_BITS);
		*row = (struct rp_row){ low, rp_log_high(low, RP_FINE_BITS), s->fine[w->next++] };
		return true;
	}
	uint64_t d = 0, n = rp_hist_next(&s->hist, w->next, &d);
	if (!n)
		return false;
	w->next = d + 1;
	d = (uint64_t)((double)d * w->scale + 0.5);
	*row = (struct rp_row){ d, d, (double)n * w->scale };
	return true;
}

/* The same, with what is owed: added to distance 0, or taken away from the first ones. */
static bool
next_paid(struct spread_walk *w, struct rp_row *row)
{
	if (w->owed > 0) {
		double owed = w->owed;
		struct spread_walk before = *w;
		w->owed = 0;
		if (next_row(w, row) && !row->low) {
			row->count += owed;
			return true;
		}
		*w = before;
		w->owed = 0;
		*row = (struct rp_row){ 0, 0, owed };
		return true;
	}
	while (next_row(w, row)) {
		double paid = row->count < -w->owed ? row->count : -w->owed;
		row->count -= paid;
		w->owed += paid;
		if (row->count > 0)
			return true;
	}
	return false;
}

void
rp_walk_begin(struct rp_walk *w, const struct rp_profile *p, enum rp_part part)
{
	struct spread_walk s;
	begin(&s, &p->part[part], rp_profile_scale(p));
	*w = (struct rp_walk){ .p = p, .part = part, .owed = s.owed };
}

bool
rp_walk_next(struct rp_walk *w, struct rp_row *row)
{
	struct spread_walk s = { .s = &w->p->part[w->part],
		.scale = rp_profile_scale(w->p),
		.next = w->next,
		.owed = w->owed };
	bool is = next_paid(&s, row);
	w->next = s.next;
	w->owed = s.owed;
	return is;
}

bool
rp_walk_next_bin(struct rp_walk *w, const struct rp_bins *bins, struct rp_row *row)
{
	if (bins->kind == RP_BINS_EXACT)
		return rp_walk_next(w, row);
	if (!w->ahead && !rp_walk_next(w, &w->at))
		return false;
	*row = (struct rp_row){ rp_bins_low(bins, w->at.low), rp_bins_high(bins, w->at.low),
		w->at.count };
	while ((w->ahead = rp_walk_next(w, &w->at)) && w->at.low <= row->high)
		row->count += w->at.count;
	return true;
}

static void
misses_of(const struct rp_spread *s, double scale, const uint64_t *lines, size_t n, double *ratio)
{
	struct spread_walk w;
	struct rp_row row = { 0 };
	double all = (double)s->lookups, hits = 0;
	begin(&w, s, scale);
	bool more = next_paid(&w, &row);
	for (size_t i = 0; i < n; i++) {
		for (; more && row.high < lines[i]; more = next_paid(&w, &row))
			hits += row.count;
		ratio[i] = all > 0 ? (all - hits) / all : 0;
	}
}

void
rp_profile_misses(
    const struct rp_profile *p, enum rp_part part, const uint64_t *lines, size_t n, double *ratio)
{
	misses_of(&p->part[part], rp_profile_scale(p), lines, n, ratio);
}

struct rp_times *
rp_profile_times(struct rp_profile *p)
{
	return p->times;
}

double
rp_profile_rate(const struct rp_profile *p)
{
	return rp_sample_rate(&p->sample);
}

uint64_t
rp_profile_lines(const struct rp_profile *p)
{
	return rp_reuse_lines(p->reuse);
}

uint64_t
rp_profile_sampled(const struct rp_profile *p)
{
	return p->in_sample;
}

enum { SPACED = 100, SIZES_MOST = SPACED + 16 + 4 * 40 };

/* SPACED sizes in equal steps up to the footprint, then four in each doubling, but for those that the steps are finer than.
 * Ascending within both. */
static size_t
error_sizes(double footprint, uint64_t lines[SIZES_MOST])
{
	size_t n = 0;
	for (; n < SPACED; n++)
		lines[n] = 1 + (uint64_t)((footprint - 1) * (double)n / (SPACED - 1));
	for (unsigned bin = 1; n < SIZES_MOST; bin++) {
		lines[n] = rp_log_low(bin, RP_LOG_BITS);
		if ((double)lines[n++] > footprint / SPACED)
			break;
	}
	return n;
}

/* What the curves of the parts of the sample sum to at these sizes, and their squares. */
static void
sum_pieces(
    const struct rp_profile *p, const uint64_t *lines, size_t n, double *sum, double *squares)
{
	double ratio[SIZES_MOST];
	for (unsigned k = 0; k < RP_ERROR_PARTS; k++) {
		struct rp_spread s = p->piece_part[k];
		s.lookups = p->part[RP_PART_ALL].lookups;
		misses_of(&s, rp_profile_scale(p) * RP_ERROR_PARTS, lines, n, ratio);
		for (size_t i = 0; i < n; i++) {
			sum[i] += ratio[i];
			squares[i] += ratio[i] * ratio[i];
		}
	}
}

bool
rp_profile_error(const struct rp_profile *p, struct rp_profile_error *e)
{
	*e = (struct rp_profile_error){ 0 };
	double footprint = rp_profile_footprint(p, RP_PART_ALL);
	if (footprint < 1 || !p->part[RP_PART_ALL].lookups)
		return false;
	if (!p->piece[0])
		return p->o.error && p->sample.below == RP_SAMPLE_ALL;
	uint64_t lines[SIZES_MOST];
	double sum[SIZES_MOST] = { 0 }, squares[SIZES_MOST] = { 0 };
	size_t n = error_sizes(footprint, lines);
	sum_pieces(p, lines, SPACED, sum, squares);
	sum_pieces(p, lines + SPACED, n - SPACED, sum + SPACED, squares + SPACED);
	for (size_t i = 0; i < n; i++) {
		double mean = sum[i] / RP_ERROR_PARTS;
		double variance =
		    (squares[i] - sum[i] * mean) / (RP_ERROR_PARTS - 1) / RP_ERROR_PARTS;
		double error = variance > 0 ? sqrt(variance) : 0;
		if (i < SPACED)
			e->mean += error / SPACED;
		if (error > e->most) {
			e->most = error;
			e->at = lines[i];
		}
	}
	return true;
}

uint64_t
rp_profile_bytes(const struct rp_profile *p)
{
	uint64_t bytes = sizeof *p + rp_reuse_bytes(p->reuse);
	for (unsigned i = 0; i < RP_PARTS; i++)
		bytes += rp_hist_bytes(&p->part[i].hist);
	return bytes;
}
