/* profile_json.c - a profile's results as JSON and as CSV.
 *
 * A histogram may have a row for each of millions of distances: rows are printed as they are found, not put into a tree
 * before. */
#include "config.h"

#include "profile.h"

#include "base/emit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIGITS = 40 };

/* A count, whole where it is known to be. */
static const char *
count_text(char to[DIGITS], double x)
{
	snprintf(to, DIGITS, x == floor(x) && x < 0x1p63 ? "%.0f" : "%.17g", x);
	return to;
}

/* A ratio; `none` where there is none, which is below 0. */
static const char *
ratio_text(char to[DIGITS], double ratio, const char *none)
{
	if (ratio < 0)
		snprintf(to, DIGITS, "%s", none);
	else
		snprintf(to, DIGITS, ratio == floor(ratio) ? "%.1f" : "%.17g", ratio);
	return to;
}

static double
miss_ratio(double hits, double all)
{
	double misses = all - hits;
	return all > 0 ? (misses > 0 ? misses : 0) / all : -1;
}

/* Its own tree, in the middle of what is printed piece by piece. Takes `value`, which may be NULL for want of memory. */
static bool
print_tree(struct rp_out *to, const char *key, json_t *value, struct rp_err *err)
{
	char *text = value ? json_dumps(value, JSON_PRESERVE_ORDER | JSON_ENCODE_ANY) : NULL;
	bool ok = text ? rp_out_printf(to, err, ",\n  \"%s\": ", key) &&
	                     rp_out_printf(to, err, "%s", text)
	               : rp_fail(err, RP_RESOURCE, "out of memory: results");
	free(text);
	json_decref(value);
	return ok;
}

static bool
print_histogram(struct rp_out *to, const struct profile_run *run, const struct profile_part *part,
    const char *indent, struct rp_err *err)
{
	struct profile_rows rows;
	struct rp_row row;
	char count[DIGITS];
	bool ok = rp_out_printf(to, err, ",\n%s\"histogram\": [", indent);
	profile_rows_begin(&rows, part, &run->bins);
	for (bool any = false; ok && profile_rows_next(&rows, &row); any = true)
		ok = rp_out_printf(to, err, "%s[%" PRIu64 ", %" PRIu64 ", %s]", any ? ", " : "",
		    row.low, row.high, count_text(count, row.count));
	return ok && rp_out_printf(to, err, "]");
}

/* A step wherever the miss ratio changes, from a cache of no lines on. */
static bool
print_curve(
    struct rp_out *to, const struct profile_part *part, const char *indent, struct rp_err *err)
{
	struct profile_rows rows;
	struct rp_row row;
	double all = (double)part->lookups, hits = 0;
	char ratio[DIGITS];
	bool ok = rp_out_printf(to, err, ",\n%s\"mrc\": [[0, %s]", indent,
	    ratio_text(ratio, miss_ratio(0, all), "null"));
	profile_rows_begin(&rows, part, NULL);
	while (ok && profile_rows_next(&rows, &row)) {
		hits += row.count;
		ok = rp_out_printf(to, err, ", [%" PRIu64 ", %s]", row.high + 1,
		    ratio_text(ratio, miss_ratio(hits, all), "null"));
	}
	return ok && rp_out_printf(to, err, "]");
}

/* The members that every part has, behind one that was printed. */
static bool
print_part(struct rp_out *to, const struct profile_run *run, const struct profile_part *part,
    const char *indent, struct rp_err *err)
{
	char number[DIGITS];
	bool ok = true;
	if (part->has_accesses)
		ok = rp_out_printf(to, err, ",\n%s\"accesses\": %" PRIu64, indent, part->accesses);
	ok = ok && rp_out_printf(to, err, ",\n%s\"lookups\": %" PRIu64, indent, part->lookups);
	if (part->footprint >= 0)
		ok = ok && rp_out_printf(to, err, ",\n%s\"footprint_lines\": %s", indent,
			       count_text(number, part->footprint));
	return ok &&
	       rp_out_printf(to, err, ",\n%s\"%s\": %s", indent,
		   run->o->up_to ? "cold_or_far" : "cold", count_text(number, part->cold)) &&
	       print_histogram(to, run, part, indent, err) &&
	       (!profile_has_curve(run, part) || print_curve(to, part, indent, err));
}

static bool
print_list(
    struct rp_out *to, const struct profile_run *run, enum profile_list list, struct rp_err *err)
{
	size_t n = profile_parts(run, list);
	bool ok = rp_out_printf(to, err, ",\n  \"%s\": [", profile_list_name[list]);
	for (size_t i = 0; ok && i < n; i++) {
		struct profile_part part = profile_part(run, list, i);
		ok = rp_out_printf(to, err, "%s\n    {\"%s\": ", i ? "," : "", part.key) &&
		     (part.kind ? rp_out_printf(to, err, "\"%s\"", part.kind)
				: rp_out_printf(to, err, "%" PRIu64, part.number)) &&
		     print_part(to, run, &part, "     ", err) && rp_out_printf(to, err, "}");
	}
	return ok && rp_out_printf(to, err, "]");
}

static bool
print_lists(struct rp_out *to, const struct profile_run *run, struct rp_err *err)
{
	const bool asked[PROFILE_LISTS] = { run->o->by_stream, run->o->by_kind,
		run->o->interval > 0 };
	bool ok = true;
	for (unsigned k = 0; ok && k < PROFILE_LISTS; k++)
		ok = !asked[k] || print_list(to, run, (enum profile_list)k, err);
	return ok;
}

static bool
print_times(struct rp_out *to, const struct profile_run *run, struct rp_err *err)
{
	static const char *const name[] = { "footprint", "working_set" };
	const struct rp_times *t = rp_profile_times(run->whole);
	double scale = 1 / rp_profile_rate(run->whole);
	char number[DIGITS];
	if (!t)
		return true;
	bool ok = rp_out_printf(to, err, ",\n  \"reuse_times\": ["), any = false;
	for (unsigned bin = 0; ok && bin < RP_TIME_BINS; bin++) {
		uint64_t n = rp_times_count(t, bin), low = rp_log_low(bin, RP_TIME_BITS);
		if (!n)
			continue;
		ok = rp_out_printf(to, err, "%s[%" PRIu64 ", %" PRIu64 ", %s]", any ? ", " : "",
		    low, rp_log_high(low, RP_TIME_BITS), count_text(number, (double)n * scale));
		any = true;
	}
	for (unsigned k = 0; ok && k < 2; k++) {
		ok = rp_out_printf(to, err, "],\n  \"%s\": [", name[k]);
		for (unsigned bin = 0; ok && bin < profile_windows(run); bin++)
			ok = rp_out_printf(to, err, "%s[%" PRIu64 ", %s]", bin ? ", " : "",
			    rp_log_low(bin, RP_TIME_BITS),
			    count_text(number, scale * (k ? rp_times_working_set(t, bin)
							  : rp_times_footprint(t, bin))));
	}
	return ok && rp_out_printf(to, err, "]");
}

static bool
print_sample(struct rp_out *to, const struct profile_run *run, struct rp_err *err)
{
	struct rp_profile_error e;
	if (!run->o->sample && !run->o->sample_lines)
		return true;
	bool ok = rp_out_printf(to, err,
	    ",\n  \"sample\": {\"rate\": %.17g, \"lines\": %" PRIu64 ", \"lookups\": %" PRIu64,
	    rp_profile_rate(run->whole), rp_profile_lines(run->whole),
	    rp_profile_sampled(run->whole));
	if (rp_profile_error(run->whole, &e))
		ok = ok && rp_out_printf(to, err,
			       ", \"standard_error\": {\"mean\": %.17g, \"max\": %.17g, "
			       "\"at_lines\": %" PRIu64 "}",
			       e.mean, e.most, e.at);
	return ok && rp_out_printf(to, err, "}");
}

static bool
print_policies(struct rp_out *to, const struct profile_run *run, struct rp_err *err)
{
	char number[DIGITS];
	if (!run->mini)
		return true;
	bool ok = rp_out_printf(to, err, ",\n  \"policies\": [");
	for (size_t i = 0; ok && i < run->policies; i++) {
		ok = rp_out_printf(to, err, "%s\n    {\"policy\": \"%s\", \"points\": [",
		    i ? "," : "", run->policy[i]);
		for (size_t k = 0; ok && k < run->n_sizes; k++)
			ok = rp_out_printf(to, err, "%s[%" PRIu64 ", %s]", k ? ", " : "",
			    run->sizes[k] / run->o->line,
			    ratio_text(number, rp_mini_ratio(run->mini, i, k), "null"));
		ok = ok && rp_out_printf(to, err, "]}");
	}
	return ok && rp_out_printf(to, err, "]");
}

bool
profile_json(struct rp_out *to, struct profile_run *run, struct rp_err *err)
{
	struct profile_part whole = profile_whole(run);
	char bins[40];
	/* The trace first: it may add a warning. */
	json_t *trace = profile_trace(run, err), *warnings = profile_warnings(run, err);
	bool ok = trace && warnings &&
	          rp_out_printf(to, err, "{\n  \"reprise\": \"%s\",\n  \"command\": \"profile\"",
		      PACKAGE_VERSION);
	ok = ok && print_tree(to, "trace", json_incref(trace), err) &&
	     rp_out_printf(to, err,
		 ",\n  \"line\": %" PRIu32
		 ",\n  \"convention\": \"exclusive\",\n  \"warmup\": %" PRIu64
		 ",\n  \"bins\": \"%s\"",
		 run->o->line, run->warmup, profile_bins_name(run, bins)) &&
	     print_part(to, run, &whole, "  ", err) && print_times(to, run, err) &&
	     print_sample(to, run, err) && print_policies(to, run, err) &&
	     print_lists(to, run, err) && print_tree(to, "warnings", json_incref(warnings), err) &&
	     rp_out_printf(
		 to, err, ",\n  \"elapsed_s\": %.17g,\n  \"accesses_per_s\": ", run->elapsed) &&
	     (run->elapsed > 0 ? rp_out_printf(to, err, "%.17g\n}\n",
				     (double)run->seen.accesses / run->elapsed)
			       : rp_out_printf(to, err, "null\n}\n"));
	json_decref(trace);
	json_decref(warnings);
	return ok;
}

/* Of a row of CSV: what says which part it is of, with the commas behind. */
static const char *
part_fields(char to[DIGITS], const struct profile_part *part)
{
	if (!part->key)
		snprintf(to, DIGITS, ",,,");
	else if (part->kind)
		snprintf(to, DIGITS, ",%s,,", part->kind);
	else if (part->key[0] == 's')
		snprintf(to, DIGITS, "%" PRIu64 ",,,", part->number);
	else
		snprintf(to, DIGITS, ",,%" PRIu64 ",", part->number);
	return to;
}

static bool
csv_part(struct rp_out *to, const struct profile_run *run, const struct profile_part *part,
    struct rp_err *err)
{
	struct profile_rows rows;
	struct rp_row row;
	char which[DIGITS], number[DIGITS], footprint[DIGITS] = "", accesses[DIGITS] = "";
	double all = (double)part->lookups, hits = 0;
	part_fields(which, part);
	if (part->footprint >= 0)
		count_text(footprint, part->footprint);
	if (part->has_accesses)
		snprintf(accesses, DIGITS, "%" PRIu64, part->accesses);
	bool ok = rp_out_printf(to, err, "total,%s,%s,%" PRIu64 ",%s,%s,,,,,,,,,,\n", which,
	    accesses, part->lookups, footprint, count_text(number, part->cold));
	profile_rows_begin(&rows, part, &run->bins);
	while (ok && profile_rows_next(&rows, &row))
		ok = rp_out_printf(to, err, "histogram,%s,,,,,%" PRIu64 ",%" PRIu64 ",%s,,,,,,,\n",
		    which, row.low, row.high, count_text(number, row.count));
	if (!ok || !profile_has_curve(run, part))
		return ok;
	ok = rp_out_printf(to, err, "mrc,%s,,,,,,,,0,%s,,,,,\n", which,
	    ratio_text(number, miss_ratio(0, all), ""));
	profile_rows_begin(&rows, part, NULL);
	while (ok && profile_rows_next(&rows, &row)) {
		hits += row.count;
		ok = rp_out_printf(to, err, "mrc,%s,,,,,,,,%" PRIu64 ",%s,,,,,\n", which,
		    row.high + 1, ratio_text(number, miss_ratio(hits, all), ""));
	}
	return ok;
}

static bool
csv_times(struct rp_out *to, const struct profile_run *run, struct rp_err *err)
{
	const struct rp_times *t = rp_profile_times(run->whole);
	double scale = 1 / rp_profile_rate(run->whole);
	char a[DIGITS], b[DIGITS];
	bool ok = true;
	for (unsigned bin = 0; t && ok && bin < RP_TIME_BINS; bin++) {
		uint64_t n = rp_times_count(t, bin), low = rp_log_low(bin, RP_TIME_BITS);
		ok = !n || rp_out_printf(to, err,
			       "reuse_times,,,,,,,,,%" PRIu64 ",%" PRIu64 ",%s,,,,,,,\n", low,
			       rp_log_high(low, RP_TIME_BITS), count_text(a, (double)n * scale));
	}
	for (unsigned bin = 0; t && ok && bin < profile_windows(run); bin++)
		ok = rp_out_printf(to, err, "windows,,,,,,,,,,,,,,%" PRIu64 ",%s,%s,,\n",
		    rp_log_low(bin, RP_TIME_BITS),
		    count_text(a, scale * rp_times_footprint(t, bin)),
		    count_text(b, scale * rp_times_working_set(t, bin)));
	return ok;
}

/* What is in the sample; and the standard error on average, then the largest, with its capacity. */
static bool
csv_sample(struct rp_out *to, const struct profile_run *run, struct rp_err *err)
{
	struct rp_profile_error e;
	if (!run->o->sample && !run->o->sample_lines)
		return true;
	bool ok = rp_out_printf(to, err, "sample,,,,,,%" PRIu64 ",%" PRIu64 ",,,,,,,,,,%.17g,\n",
	    rp_profile_sampled(run->whole), rp_profile_lines(run->whole),
	    rp_profile_rate(run->whole));
	if (!rp_profile_error(run->whole, &e))
		return ok;
	return ok && rp_out_printf(to, err, "error_mean,,,,,,,,,,,,,,,,,,%.17g\n", e.mean) &&
	       rp_out_printf(
		   to, err, "error_max,,,,,,,,,,,,%" PRIu64 ",,,,,,%.17g\n", e.at, e.most);
}

bool
profile_csv(struct rp_out *to, struct profile_run *run, struct rp_err *err)
{
	struct profile_part whole = profile_whole(run);
	char number[DIGITS];
	bool ok = rp_out_printf(to, err,
		      "table,stream,kind,interval,policy,accesses,lookups,footprint_lines,%s,low,"
		      "high,count,lines,miss_ratio,window,footprint,working_set,sample_rate,"
		      "standard_error\n",
		      run->o->up_to ? "cold_or_far" : "cold") &&
	          csv_part(to, run, &whole, err) && csv_times(to, run, err) &&
	          csv_sample(to, run, err);
	for (size_t i = 0; run->mini && i < run->policies; i++)
		for (size_t k = 0; ok && k < run->n_sizes; k++)
			ok = rp_out_printf(to, err,
			    "policies,,,,\"%s\",,,,,,,,%" PRIu64 ",%s,,,,,\n", run->policy[i],
			    run->sizes[k] / run->o->line,
			    ratio_text(number, rp_mini_ratio(run->mini, i, k), ""));
	for (unsigned list = 0; list < PROFILE_LISTS; list++)
		for (size_t i = 0; ok && i < profile_parts(run, (enum profile_list)list); i++) {
			struct profile_part part = profile_part(run, (enum profile_list)list, i);
			ok = csv_part(to, run, &part, err);
		}
	return ok;
}
