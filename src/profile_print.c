/* profile_print.c - a profile's results for people, and where they go. */
#include "config.h"

#include "profile.h"

#include "base/emit.h"
#include "base/mem.h"
#include "base/parse.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BAR = 30, SIZES_MOST = PROFILE_SIZES_MOST, FEW_LINES = 100, SHOWN_SIZES = 3, NAME = 64 };

json_t *
profile_trace(const struct profile_run *run, struct rp_err *err)
{
	json_t *trace = rp_input_json(run->source->trace, &run->seen, err);
	if (!trace)
		return NULL;
	json_object_set_new(
	    trace, "interleave", rp_emit_text(run->o->in.gpu ? "gpu" : run->o->in.interleave));
	if (run->o->in.gpu)
		json_object_set_new(trace, "gpu", rp_emit_text(run->o->in.gpu));
	return trace;
}

static bool
is_sample(const struct profile_run *run)
{
	return run->o->sample || run->o->sample_lines;
}

json_t *
profile_warnings(const struct profile_run *run, struct rp_err *err)
{
	json_t *list = rp_input_warnings(run->source->trace, err);
	uint64_t lines = rp_profile_lines(run->whole);
	char size[24];
	if (list && is_sample(run) && lines < FEW_LINES && rp_profile_rate(run->whole) < 1)
		json_array_append_new(list,
		    json_sprintf("only %" PRIu64 " lines are in the sample, which is too few to "
				 "rely on: wanted %d or more, by a higher rate",
			lines, FEW_LINES));
	if (list && is_sample(run) && run->o->times && rp_profile_rate(run->whole) < 1)
		json_array_append_new(
		    list, json_string(
			      "reuse times and windows of a sample are scaled, but not corrected"));
	for (size_t k = 0; list && run->mini && k < run->n_sizes; k++) {
		uint64_t small = rp_mini_lines(run->mini, k);
		if (run->rate < 1 && small < FEW_LINES) {
			json_array_append_new(
			    list, json_sprintf("the cache that stands for %s has %" PRIu64
					       " line%s: its miss ratios are rough",
				      rp_print_size(size, sizeof size, run->sizes[k]), small,
				      small == 1 ? "" : "s"));
			break;
		}
	}
	return list;
}

/* As long as the share. */
static json_t *
bar(double share)
{
	char text[BAR + 1];
	int n = (int)(share * BAR + 0.5);
	memset(text, '#', BAR);
	text[n < 0 ? 0 : n > BAR ? BAR : n] = 0;
	return json_string(text);
}

/* Cache sizes to print, in lines: those asked for, or doublings up to the footprint. */
static size_t
capacities(
    const struct profile_run *run, const struct profile_part *whole, uint64_t lines[SIZES_MOST])
{
	size_t n = 0;
	if (run->o->sizes)
		for (; n < run->n_sizes && n < SIZES_MOST; n++)
			lines[n] = run->sizes[n] / run->o->line;
	double most = run->o->up_to ? (double)(run->o->up_to / run->o->line) : whole->footprint;
	for (uint64_t c = 1; !run->o->sizes && n < SIZES_MOST && c; c *= 2) {
		if (run->o->up_to && (double)c > most)
			break;
		lines[n++] = c;
		if ((double)c >= most)
			break;
	}
	return n;
}

static bool
print_curve(struct rp_out *to, const struct profile_run *run, const struct profile_part *whole,
    struct rp_err *err)
{
	static const struct rp_view fixed[] = { { "lines", "lines", RP_CELL_COUNT },
		{ "cache size", "size", RP_CELL_HEX }, { "miss ratio", "ratio", RP_CELL_RATIO },
		{ "", "bar", RP_CELL_TEXT } };
	enum { FIXED = sizeof fixed / sizeof *fixed };
	uint64_t lines[SIZES_MOST];
	double ratio[SIZES_MOST];
	size_t n = capacities(run, whole, lines);
	struct rp_view *view = rp_mem_array(FIXED + run->policies, sizeof *view, err);
	char(*name)[NAME] = rp_mem_array(run->policies + 1, sizeof *name, err);
	json_t *rows = json_array();
	bool ok = view && name && rows;
	char size[24];
	profile_misses(whole, lines, n, ratio);
	for (size_t i = 0; ok && i < n; i++) {
		json_t *row = json_pack("{so ss so so}", "lines", rp_emit_count(lines[i]), "size",
		    rp_print_size(size, sizeof size, lines[i] * run->o->line), "ratio",
		    whole->lookups ? json_real(ratio[i]) : json_null(), "bar", bar(ratio[i]));
		for (size_t k = 0; k < run->policies; k++) {
			double x = rp_mini_ratio(run->mini, k, i);
			snprintf(name[k], NAME, "p%zu", k);
			json_object_set_new(row, name[k], x < 0 ? json_null() : json_real(x));
		}
		json_array_append_new(rows, row);
	}
	if (ok) {
		memcpy(view, fixed, sizeof fixed);
		if (run->policies)
			view[2].heading = "lru";
		/* A bar or other policies: both are too wide. */
		for (size_t k = 0; k < run->policies; k++)
			view[FIXED - 1 + k] =
			    (struct rp_view){ run->policy[k], name[k], RP_CELL_RATIO };
	}
	ok =
	    ok &&
	    rp_out_printf(to, err, "\nfully associative%s caches\n", run->policies ? "" : " lru") &&
	    rp_emit_table(
		to, rows, view, run->policies ? FIXED - 1 + run->policies : FIXED, false, err);
	free(view);
	free(name);
	json_decref(rows);
	return ok;
}

/* Rows of a table of so many lookups between two numbers. */
static void
add_range(json_t *rows, uint64_t low, uint64_t high, double count, double all)
{
	char from[32], upto[32], text[80];
	rp_print_count(from, low);
	rp_print_count(upto, high);
	snprintf(text, sizeof text, low == high ? "%s" : "%s-%s", from, upto);
	json_array_append_new(rows, json_pack("{ss so so so}", "range", text, "count",
					rp_emit_count((uint64_t)(count + 0.5)), "share",
					all > 0 ? json_real(count / all) : json_null(), "bar",
					bar(all > 0 ? count / all : 0)));
}

static bool
print_ranges(struct rp_out *to, const char *heading, json_t *rows, struct rp_err *err)
{
	const struct rp_view view[] = { { heading, "range", RP_CELL_HEX },
		{ "lookups", "count", RP_CELL_COUNT }, { "share", "share", RP_CELL_RATIO },
		{ "", "bar", RP_CELL_TEXT } };
	return rp_out_printf(to, err, "\n") &&
	       rp_emit_table(to, rows, view, sizeof view / sizeof *view, false, err);
}

/* The end of the doubling that x is in: 0, 1, 3, 7 ... */
static uint64_t
doubling_end(uint64_t x)
{
	return x ? UINT64_MAX >> __builtin_clzll(x) : 0;
}

static bool
print_distances(struct rp_out *to, const struct profile_run *run, const struct profile_part *whole,
    struct rp_err *err)
{
	bool doublings = run->bins.kind == RP_BINS_EXACT;
	json_t *table = json_array();
	struct profile_rows rows;
	struct rp_row row, at = { 0 };
	double all = (double)whole->lookups;
	profile_rows_begin(&rows, whole, &run->bins);
	while (profile_rows_next(&rows, &row)) {
		uint64_t end = doublings ? doubling_end(row.low) : row.high;
		if (at.count > 0 && at.high != end) {
			add_range(table, at.low, at.high, at.count, all);
			at.count = 0;
		}
		at = (struct rp_row){ doublings ? (end + 1) / 2 : row.low, end,
			at.count + row.count };
	}
	if (at.count > 0)
		add_range(table, at.low, at.high, at.count, all);
	json_array_append_new(
	    table, json_pack("{ss so so so}", "range", run->o->up_to ? "cold or farther" : "cold",
		       "count", rp_emit_count((uint64_t)(whole->cold + 0.5)), "share",
		       all > 0 ? json_real(whole->cold / all) : json_null(), "bar",
		       bar(all > 0 ? whole->cold / all : 0)));
	bool ok = print_ranges(to, "reuse distance", table, err);
	json_decref(table);
	return ok;
}

static bool
print_times(struct rp_out *to, const struct profile_run *run, double all, struct rp_err *err)
{
	static const struct rp_view view[] = { { "window", "window", RP_CELL_COUNT },
		{ "footprint", "footprint", RP_CELL_TEXT },
		{ "working set", "working", RP_CELL_TEXT } };
	const struct rp_times *t = rp_profile_times(run->whole);
	double scale = 1 / rp_profile_rate(run->whole), count = 0;
	json_t *times = json_array(), *windows = json_array();
	for (unsigned bin = 0; bin < RP_TIME_BINS; bin++) {
		uint64_t low = rp_log_low(bin, RP_TIME_BITS), end = doubling_end(low);
		count += (double)rp_times_count(t, bin) * scale;
		if (rp_log_high(low, RP_TIME_BITS) == end) {
			if (count > 0)
				add_range(times, (end + 1) / 2, end, count, all);
			count = 0;
		}
	}
	for (unsigned bin = 0; bin < profile_windows(run); bin++) {
		uint64_t w = rp_log_low(bin, RP_TIME_BITS);
		if (!w || (w & (w - 1)))
			continue;
		json_array_append_new(windows,
		    json_pack("{so so so}", "window", rp_emit_count(w), "footprint",
			json_sprintf("%.1f", scale * rp_times_footprint(t, bin)), "working",
			json_sprintf("%.1f", scale * rp_times_working_set(t, bin))));
	}
	bool ok = print_ranges(to, "reuse time", times, err) &&
	          rp_out_printf(to, err, "\ndistinct lines of a window of so many lookups\n") &&
	          rp_emit_table(to, windows, view, sizeof view / sizeof *view, false, err);
	json_decref(times);
	json_decref(windows);
	return ok;
}

/* Streams, kinds or intervals: a line each, with the miss ratios of a few sizes. */
static bool
print_list(struct rp_out *to, const struct profile_run *run, enum profile_list list,
    const struct profile_part *whole, struct rp_err *err)
{
	uint64_t all[SIZES_MOST], lines[SHOWN_SIZES];
	double ratio[SHOWN_SIZES];
	char heading[SHOWN_SIZES][NAME], path[SHOWN_SIZES][8];
	size_t n = capacities(run, whole, all), shown = n < SHOWN_SIZES ? n : SHOWN_SIZES;
	struct rp_view view[4 + SHOWN_SIZES] = { { "", "key", RP_CELL_HEX },
		{ "lookups", "lookups", RP_CELL_COUNT }, { "lines", "footprint", RP_CELL_COUNT },
		{ run->o->up_to ? "cold or far" : "cold", "cold", RP_CELL_COUNT } };
	for (size_t k = 0; k < shown; k++) { /* the first, the middle one, the last but one */
		char size[24];
		lines[k] =
		    all[run->o->sizes && n <= SHOWN_SIZES ? k : (k + 1) * n / (SHOWN_SIZES + 1)];
		snprintf(path[k], sizeof path[k], "m%zu", k);
		snprintf(heading[k], NAME, "%s",
		    rp_print_size(size, sizeof size, lines[k] * run->o->line));
		view[4 + k] = (struct rp_view){ heading[k], path[k], RP_CELL_RATIO };
	}
	json_t *rows = json_array();
	for (size_t i = 0; i < profile_parts(run, list); i++) {
		struct profile_part part = profile_part(run, list, i);
		view[0].heading = part.key;
		json_t *row = json_pack("{so so so}", "key",
		    part.kind ? json_string(part.kind) : json_sprintf("%" PRIu64, part.number),
		    "lookups", rp_emit_count(part.lookups), "cold",
		    rp_emit_count((uint64_t)(part.cold + 0.5)));
		if (part.footprint >= 0)
			json_object_set_new(
			    row, "footprint", rp_emit_count((uint64_t)(part.footprint + 0.5)));
		profile_misses(&part, lines, shown, ratio);
		for (size_t k = 0; k < shown; k++)
			json_object_set_new(
			    row, path[k], part.lookups ? json_real(ratio[k]) : json_null());
		json_array_append_new(rows, row);
	}
	bool ok = rp_out_printf(to, err, "\nmiss ratios of fully associative lru caches, by %s\n",
		      view[0].heading) &&
	          rp_emit_table(to, rows, view, 4 + shown, false, err);
	json_decref(rows);
	return ok;
}

static bool
print_head(struct rp_out *to, const struct profile_run *run, const struct profile_part *whole,
    struct rp_err *err)
{
	char text[32], size[24];
	struct rp_profile_error e;
	const char *about = is_sample(run) ? "about " : "";
	bool ok = rp_out_printf(
	    to, err, "%-9s %s\n", "line", rp_print_size(size, sizeof size, run->o->line));
	if (run->warmup)
		ok = ok && rp_out_printf(to, err, "%-9s %s accesses, not counted\n", "warm-up",
			       rp_print_count(text, run->warmup));
	ok = ok &&
	     rp_out_printf(to, err, "%-9s %s\n", "lookups", rp_print_count(text, whole->lookups));
	if (whole->footprint >= 0) {
		uint64_t lines = (uint64_t)(whole->footprint + 0.5);
		ok = ok &&
		     rp_out_printf(to, err, "%-9s %s%s lines, %.1f MiB\n", "footprint", about,
			 rp_print_count(text, lines), whole->footprint * run->o->line / (1 << 20));
	}
	if (!is_sample(run))
		return ok;
	char lookups[32];
	ok = ok &&
	     rp_out_printf(to, err, "%-9s %.6g of the lines: %s, with %s lookups\n", "sample",
		 rp_profile_rate(run->whole), rp_print_count(text, rp_profile_lines(run->whole)),
		 rp_print_count(lookups, rp_profile_sampled(run->whole)));
	if (rp_profile_rate(run->whole) == 1)
		ok = ok &&
		     rp_out_printf(to, err, "%-9s none: all lines are in the sample\n", "error");
	else if (rp_profile_error(run->whole, &e))
		ok = ok && rp_out_printf(to, err,
			       "%-9s %.4f on average, %.4f at most (at %s lines): the standard\n"
			       "          error of the miss ratio, from %d parts of the sample\n",
			       "error", e.mean, e.most, rp_print_count(text, e.at), RP_ERROR_PARTS);
	return ok;
}

bool
profile_text(struct rp_out *to, struct profile_run *run, struct rp_err *err)
{
	struct profile_part whole = profile_whole(run);
	json_t *trace = profile_trace(run, err), *warnings = profile_warnings(run, err), *w;
	size_t i;
	bool ok = trace && warnings && rp_input_print(to, trace, err) &&
	          print_head(to, run, &whole, err) && print_curve(to, run, &whole, err) &&
	          print_distances(to, run, &whole, err) &&
	          (!run->o->times || print_times(to, run, (double)whole.lookups, err));
	for (unsigned list = 0; ok && list < PROFILE_LISTS; list++)
		ok = !profile_parts(run, (enum profile_list)list) ||
		     print_list(to, run, (enum profile_list)list, &whole, err);
	json_array_foreach(warnings, i, w)
	{
		ok = ok &&
		     rp_out_printf(to, err, "%swarning: %s\n", i ? "" : "\n", json_string_value(w));
	}
	json_decref(trace);
	json_decref(warnings);
	return ok && rp_out_printf(to, err, "\n%.2f s, %.1f M accesses/s\n", run->elapsed,
			 run->elapsed > 0 ? (double)run->seen.accesses / run->elapsed / 1e6 : 0);
}

bool
profile_print(struct profile_run *run, struct rp_err *err)
{
	const struct profile_opts *o = run->o;
	rp_emit_begin();
	struct rp_out *to = rp_out_open(o->output, err);
	json_t *whole = json_true(); /* trees are made on the way: they are looked after here */
	bool ok = to && (o->json     ? profile_json
			    : o->csv ? profile_csv
			    : o->npz ? profile_npz
				     : profile_text)(to, run, err);
	return rp_emit_close(to, whole, ok, err);
}
