/* profile_npz.c - a profile's results as arrays for NumPy. */
#include "config.h"

#include "profile.h"

#include "base/mem.h"
#include "base/npz.h"

#include <math.h>
#include <stdlib.h>

/* Columns that grow row by row. */
struct table {
	double *cell;
	size_t columns, n, room;
};

/* Arrays to be written, which borrow their cells until then. */
enum { TABLES = 16 };
struct tables {
	struct rp_npz *npz;
	struct table table[TABLES];
	size_t n;
};

static bool
add_row(struct table *t, const double *row, struct rp_err *err)
{
	if (t->n == t->room) {
		size_t room = 2 * t->room + 256;
		double *grown = rp_mem_grow(t->cell, room * t->columns, sizeof *grown, err);
		if (!grown)
			return false;
		t->cell = grown;
		t->room = room;
	}
	for (size_t i = 0; i < t->columns; i++)
		t->cell[t->n * t->columns + i] = row[i];
	t->n++;
	return true;
}

static struct table *
new_table(struct tables *all, size_t columns)
{
	struct table *t = &all->table[all->n++];
	t->columns = columns;
	return t;
}

static bool
put_table(struct tables *all, const char *name, struct rp_err *err)
{
	const struct table *t = &all->table[all->n - 1];
	const uint64_t shape[2] = { t->n, t->columns };
	return rp_npz_add(all->npz, name, RP_NPY_F64, t->cell, 2, shape, err);
}

/* Rows of a part behind those there are, with `key` in front unless there is none. */
static bool
add_histogram(struct table *t, const struct profile_run *run, const struct profile_part *part,
    struct rp_err *err)
{
	struct profile_rows rows;
	struct rp_row row;
	profile_rows_begin(&rows, part, &run->bins);
	while (profile_rows_next(&rows, &row)) {
		const double cells[4] = { (double)part->number, (double)row.low, (double)row.high,
			row.count };
		if (!add_row(t, part->key ? cells : cells + 1, err))
			return false;
	}
	return true;
}

static bool
put_curve(struct tables *all, const struct profile_part *whole, struct rp_err *err)
{
	struct table *t = new_table(all, 2);
	struct profile_rows rows;
	struct rp_row row;
	double n = (double)whole->lookups, hits = 0;
	bool ok = add_row(t, (const double[]){ 0, n > 0 ? 1 : NAN }, err);
	profile_rows_begin(&rows, whole, NULL);
	while (ok && profile_rows_next(&rows, &row)) {
		hits += row.count;
		ok = add_row(t,
		    (const double[]){ (double)row.high + 1, n > hits ? (n - hits) / n : 0 }, err);
	}
	return ok && put_table(all, "mrc", err);
}

/* {streams,kinds,intervals}: number, lookups, footprint, cold of each; and the histograms of all, the number in front. A
 * footprint that is not known is -1. */
static bool
put_list(
    struct tables *all, const struct profile_run *run, enum profile_list list, struct rp_err *err)
{
	static const char *const name[] = { "streams_histogram", "kinds_histogram",
		"intervals_histogram" };
	size_t n = profile_parts(run, list);
	bool ok = true;
	if (!n)
		return true;
	struct table *t = new_table(all, 4);
	for (size_t i = 0; ok && i < n; i++) {
		struct profile_part p = profile_part(run, list, i);
		ok = add_row(t,
		    (const double[]){
			(double)(p.kind ? i : p.number), (double)p.lookups, p.footprint, p.cold },
		    err);
	}
	ok = ok && put_table(all, profile_list_name[list], err);
	t = new_table(all, 4);
	for (size_t i = 0; ok && i < n; i++) {
		struct profile_part p = profile_part(run, list, i);
		p.number = p.kind ? i : p.number;
		ok = add_histogram(t, run, &p, err);
	}
	return ok && put_table(all, name[list], err);
}

static bool
put_times(struct tables *all, const struct profile_run *run, struct rp_err *err)
{
	const struct rp_times *t = rp_profile_times(run->whole);
	double scale = 1 / rp_profile_rate(run->whole);
	bool ok = true;
	if (!t)
		return true;
	struct table *times = new_table(all, 3);
	for (unsigned bin = 0; ok && bin < RP_TIME_BINS; bin++) {
		uint64_t n = rp_times_count(t, bin), low = rp_log_low(bin, RP_TIME_BITS);
		ok = !n || add_row(times,
			       (const double[]){ (double)low,
				   (double)rp_log_high(low, RP_TIME_BITS), scale * (double)n },
			       err);
	}
	ok = ok && put_table(all, "reuse_times", err);
	struct table *windows = new_table(all, 3);
	for (unsigned bin = 0; ok && bin < profile_windows(run); bin++)
		ok = add_row(windows,
		    (const double[]){ (double)rp_log_low(bin, RP_TIME_BITS),
			scale * rp_times_footprint(t, bin), scale * rp_times_working_set(t, bin) },
		    err);
	return ok && put_table(all, "windows", err);
}

/* A row a size: its lines, then the miss ratio of each policy, NaN where there is none. */
static bool
put_policies(struct tables *all, const struct profile_run *run, struct rp_err *err)
{
	if (!run->mini)
		return true;
	double *row = rp_mem_array(run->policies + 1, sizeof *row, err);
	struct table *t = new_table(all, run->policies + 1);
	bool ok = row;
	for (size_t k = 0; ok && k < run->n_sizes; k++) {
		row[0] = (double)(run->sizes[k] / run->o->line);
		for (size_t i = 0; i < run->policies; i++) {
			double ratio = rp_mini_ratio(run->mini, i, k);
			row[i + 1] = ratio < 0 ? NAN : ratio;
		}
		ok = add_row(t, row, err);
	}
	free(row);
	return ok && put_table(all, "policies", err);
}

/* What is in the sample, and how far off its curve may be. */
static bool
put_sample(struct rp_npz *z, const struct profile_run *run, struct rp_err *err)
{
	struct rp_profile_error e;
	if (!run->o->sample && !run->o->sample_lines)
		return true;
	return rp_npz_number(z, "sample_rate", rp_profile_rate(run->whole), err) &&
	       rp_npz_number(z, "sample_lines", (double)rp_profile_lines(run->whole), err) &&
	       rp_npz_number(z, "sample_lookups", (double)rp_profile_sampled(run->whole), err) &&
	       (!rp_profile_error(run->whole, &e) ||
		   (rp_npz_number(z, "standard_error_mean", e.mean, err) &&
		       rp_npz_number(z, "standard_error_max", e.most, err) &&
		       rp_npz_number(z, "standard_error_at_lines", (double)e.at, err)));
}

bool
profile_npz(struct rp_out *to, struct profile_run *run, struct rp_err *err)
{
	struct profile_part whole = profile_whole(run);
	struct tables all = { .npz = rp_npz_new(err) };
	struct rp_npz *z = all.npz;
	bool ok =
	    z && rp_npz_number(z, "line", run->o->line, err) &&
	    rp_npz_number(z, "accesses", (double)whole.accesses, err) &&
	    rp_npz_number(z, "lookups", (double)whole.lookups, err) &&
	    (whole.footprint < 0 || rp_npz_number(z, "footprint_lines", whole.footprint, err)) &&
	    rp_npz_number(z, run->o->up_to ? "cold_or_far" : "cold", whole.cold, err) &&
	    put_sample(z, run, err) && add_histogram(new_table(&all, 3), run, &whole, err) &&
	    put_table(&all, "histogram", err) && put_curve(&all, &whole, err) &&
	    put_times(&all, run, err) && put_policies(&all, run, err);
	for (unsigned list = 0; ok && list < PROFILE_LISTS; list++)
		ok = put_list(&all, run, (enum profile_list)list, err);
	ok = ok && rp_npz_write(z, to, err);
	rp_npz_free(z);
	for (size_t i = 0; i < all.n; i++)
		free(all.table[i].cell);
	return ok;
}
