/* profile.h - what `reprise profile` is while it runs: profile.c fills it in, profile_*.c print it. */
#ifndef RP_SRC_PROFILE_H
#define RP_SRC_PROFILE_H

#include "input.h"
#include "seen.h"

#include "base/err.h"
#include "base/map.h"
#include "base/opt.h"
#include "base/out.h"
#include "sim/observe/bins.h"
#include "sim/observe/mini.h"
#include "sim/observe/profile.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { PROFILE_SIZES_MOST = 1024 }; /* of --sizes */

struct profile_opts {
	struct rp_input_opts in;
	const char *bins, *sample, *sizes, *output;
	struct rp_texts policies;
	uint32_t line;
	unsigned interval_state;
	bool by_stream, by_kind, times, keep_bypassed, json, csv, npz;
	uint64_t warmup, interval, sample_lines, up_to;
};

/* An interval that is over; its rows are [first, first + n) of all intervals'. */
struct profile_interval {
	uint64_t accesses, lookups;
	double footprint, cold;
	size_t first, n;
};

struct profile_stream {
	uint32_t stream;
	struct rp_profile *profile;
	/* Of the chunk at hand. */
	size_t n, at;
};

struct profile_run {
	const struct profile_opts *o;
	struct rp_source *source;
	struct rp_seen seen;
	struct rp_bins bins;
	double rate;     /* of --sample; 1: all lines */
	uint64_t *sizes; /* of --sizes, bytes, ascending */
	size_t n_sizes;
	const char **policy; /* of --policy, one by one; in policy_text */
	size_t policies;
	char *policy_text;
	uint64_t warmup, accesses; /* accesses counted: after the warm-up */
	bool counting;             /* the warm-up is over */
	struct rp_profile *whole;
	struct rp_profile *apart; /* of intervals, where these forget; else NULL */
	struct rp_mini *mini;
	struct rp_map slots; /* 1 + place in `streams`, by stream */
	struct profile_stream *streams;
	size_t n_streams, streams_room;
	struct profile_interval *intervals;
	size_t n_intervals, intervals_room;
	struct rp_row *rows; /* of the intervals */
	size_t n_rows, rows_room;
	double elapsed;
};

/* A part of the results, wherever it is kept: what stands in one object of the JSON. */
struct profile_part {
	const char *key; /* "stream", "kind", "interval"; NULL: all of it */
	const char *kind;
	uint64_t number; /* of the stream or interval */
	uint64_t accesses, lookups;
	bool has_accesses;
	double footprint, cold; /* footprint -1: not known */
	/* private to profile_parts.c: where the rows are */
	const struct rp_profile *profile;
	enum rp_part part;
	const struct rp_row *rows;
	size_t n_rows;
};

/* Where a list of parts stands in the results: streams, kinds, intervals. */
enum profile_list { PROFILE_STREAMS, PROFILE_KINDS, PROFILE_INTERVALS, PROFILE_LISTS };
extern const char *const profile_list_name[];

/* All of it; how many a list has, 0 if it was not asked for; one of them. */
struct profile_part profile_whole(const struct profile_run *run);
size_t profile_parts(const struct profile_run *run, enum profile_list list);
struct profile_part profile_part(const struct profile_run *run, enum profile_list list, size_t i);

/* Rows of a part, in bins or, with NULL, one by one as far as they are known so. */
struct profile_rows {
	const struct profile_part *part;
	const struct rp_bins *bins;
	struct rp_walk walk;
	size_t at;
};
void profile_rows_begin(
    struct profile_rows *r, const struct profile_part *part, const struct rp_bins *bins);
bool profile_rows_next(struct profile_rows *r, struct rp_row *row);

/* Whether a part's curve can be told for every capacity: its rows are known one by one. */
bool profile_has_curve(const struct profile_run *run, const struct profile_part *part);

/* Miss ratios of a part at n capacities in lines, ascending. */
void profile_misses(
    const struct profile_part *part, const uint64_t *lines, size_t n, double *ratio);

/* Points of the curves over windows: places of bins of rp_times, up to the last that is not longer than the trace. */
unsigned profile_windows(const struct profile_run *run);

/* Name of the bins as the user types it. `to` needs 40 bytes. */
const char *profile_bins_name(const struct profile_run *run, char *to);

/* The results, in one of the ways to print them. */
bool profile_json(struct rp_out *to, struct profile_run *run, struct rp_err *err);
bool profile_csv(struct rp_out *to, struct profile_run *run, struct rp_err *err);
bool profile_npz(struct rp_out *to, struct profile_run *run, struct rp_err *err);
bool profile_text(struct rp_out *to, struct profile_run *run, struct rp_err *err);

/* {"sources", ...} and the warnings, with what there is to say of samples. Gives. */
json_t *profile_trace(const struct profile_run *run, struct rp_err *err);
json_t *profile_warnings(const struct profile_run *run, struct rp_err *err);

/* Prints the results where and how the options say. */
bool profile_print(struct profile_run *run, struct rp_err *err);

#endif
