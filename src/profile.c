/* profile.c - `reprise profile`: reuse distances, miss-ratio curves and what follows from them. */
#include "config.h"

#include "command.h"
#include "profile.h"

#include "base/mem.h"
#include "base/parse.h"
#include "sim/lookup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { KEEP, RESET };
static const char *const state_name[] = { "keep", "reset", NULL };

static bool
check_bins(const char *value, struct rp_err *err)
{
	struct rp_bins bins;
	return rp_bins_parse(value, &bins, err);
}

static bool
check_rate(const char *value, struct rp_err *err)
{
	double rate;
	if (!rp_parse_double(value, &rate, err))
		return false;
	if (!(rate > 0 && rate <= 1))
		return rp_fail(err, RP_USAGE, "'%.40s': wanted a share above 0, at most 1", value);
	return true;
}

#define OPT(field) offsetof(struct profile_opts, field)
static const struct rp_opt opts[] = {
	{ "line", 0, "BYTES", RP_OPT_SIZE32, OPT(line), "64", "line size, a power of two", 1,
	    1 << 30 },
	{ "bins", 0, "BINS", RP_OPT_TEXT, OPT(bins), "exact",
	    "of histograms: exact, linear:W, or log (four in a doubling)", 0, 0, NULL, check_bins },
	{ "times", 0, NULL, RP_OPT_FLAG, OPT(times), NULL,
	    "reuse times too, the footprint and the working-set curve" },
	{ "by-stream", 0, NULL, RP_OPT_FLAG, OPT(by_stream), NULL,
	    "each stream by itself too, as if it had a cache of its own" },
	{ "by-kind", 0, NULL, RP_OPT_FLAG, OPT(by_kind), NULL, "reads and writes apart too" },
	{ "interval", 0, "N", RP_OPT_U64, OPT(interval), NULL, "a profile of every N accesses too",
	    1, UINT64_MAX },
	{ "interval-state", 0, "HOW", RP_OPT_CHOICE, OPT(interval_state), "keep",
	    "keep: an interval knows the lines of those before it; reset: it knows none", 0, 0,
	    state_name, NULL },
	{ "sample", 0, "RATE", RP_OPT_TEXT, OPT(sample), NULL,
	    "look at a share of the lines only, like 0.01, and estimate (SHARDS)", 0, 0, NULL,
	    check_rate },
	{ "sample-lines", 0, "N", RP_OPT_U64, OPT(sample_lines), NULL,
	    "at most N lines, at a rate that falls as more come up (SHARDS)", 1, 1 << 28 },
	{ "sizes", 0, "LIST", RP_OPT_TEXT, OPT(sizes), NULL,
	    "cache sizes to print, and of --policy, like 4KiB..1MiB" },
	{ "policy", 0, "P[,P...]", RP_OPT_TEXTS, OPT(policies), NULL,
	    "miss ratios of these policies at --sizes too; may be given several times" },
	{ "up-to", 0, "BYTES", RP_OPT_SIZE, OPT(up_to), NULL,
	    "forget what caches of that size do: farther lines count as cold", 1, UINT64_MAX },
	{ "warmup", 0, "N", RP_OPT_U64, OPT(warmup), "0",
	    "look at the first N accesses without counting them" },
	{ "keep-bypassed", 0, NULL, RP_OPT_FLAG, OPT(keep_bypassed), NULL,
	    "GPU: also accesses that bypass L1", 0, 0, NULL, NULL, true },
	RP_INPUT_ROWS(struct profile_opts),
	{ "json", 0, NULL, RP_OPT_FLAG, OPT(json), NULL, "print JSON" },
	{ "csv", 0, NULL, RP_OPT_FLAG, OPT(csv), NULL, "print CSV" },
	{ "npz", 0, NULL, RP_OPT_FLAG, OPT(npz), NULL, "write arrays for NumPy" },
	{ "output", 'o', "FILE", RP_OPT_TEXT, OPT(output), "-",
	    "where to print; a name that ends in .npz implies --npz" },
	{ 0 },
};

static int
by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static bool
parse_sizes(struct profile_run *run, struct rp_err *err)
{
	const struct profile_opts *o = run->o;
	char size[24], line[24];
	size_t n = 0;
	if (!o->sizes)
		return true;
	if (!rp_parse_list(o->sizes, true, &run->sizes, &run->n_sizes, err))
		return rp_err_wrap(err, "--sizes");
	if (run->n_sizes > PROFILE_SIZES_MOST)
		return rp_fail(err, RP_USAGE, "--sizes: %zu of them; wanted %d at most",
		    run->n_sizes, PROFILE_SIZES_MOST);
	qsort(run->sizes, run->n_sizes, sizeof *run->sizes, by_number);
	for (size_t i = 0; i < run->n_sizes; i++) {
		if (run->sizes[i] % o->line)
			return rp_fail(err, RP_USAGE,
			    "--sizes: %s: wanted a multiple of the line, %s",
			    rp_print_size(size, sizeof size, run->sizes[i]),
			    rp_print_size(line, sizeof line, o->line));
		if (!n || run->sizes[n - 1] != run->sizes[i])
			run->sizes[n++] = run->sizes[i];
	}
	run->n_sizes = n;
	return true;
}

/* The policies of all --policy, joined by commas, one by one: a piece with a `=` belongs to the one before it. */
static bool
parse_policies(struct profile_run *run, struct rp_err *err)
{
	const struct rp_texts *t = &run->o->policies;
	size_t room = 1, at = 0, most = 1;
	for (size_t i = 0; i < t->n; i++)
		room += strlen(t->text[i]) + 1;
	if (!(run->policy_text = rp_mem_array(room, 1, err)))
		return false;
	for (size_t i = 0; i < t->n; i++)
		at += (size_t)snprintf(
		    run->policy_text + at, room - at, "%s%s", i ? "," : "", t->text[i]);
	for (const char *c = run->policy_text; *c; c++)
		most += *c == ',';
	if (!(run->policy = rp_mem_array(most, sizeof *run->policy, err)))
		return false;
	for (char *c = t->n ? run->policy_text : NULL; c;) {
		size_t length = strcspn(c, ",");
		char *next = c[length] ? c + length + 1 : NULL;
		if (!memchr(c, '=', length)) {
			if (c > run->policy_text)
				c[-1] = 0;
			run->policy[run->policies++] = c;
		}
		c = next;
	}
	if (t->n && (!run->policies || run->policy[0] != run->policy_text))
		return rp_fail(
		    err, RP_USAGE, "--policy: '%.40s': wanted a policy first", run->policy_text);
	return true;
}

static bool
check_opts(struct profile_run *run, struct profile_opts *o, struct rp_err *err)
{
	size_t n = strlen(o->output);
	o->npz = o->npz || (!o->json && !o->csv && n > 4 && !strcmp(o->output + n - 4, ".npz"));
	if (o->json + o->csv + o->npz > 1)
		return rp_fail(err, RP_USAGE, "--json, --csv and --npz: give one of them");
	if (o->line & (o->line - 1))
		return rp_fail(
		    err, RP_USAGE, "--line: '%" PRIu32 "': wanted a power of two", o->line);
	if (o->sample_lines && o->times)
		return rp_fail(err, RP_USAGE,
		    "--sample-lines: times cannot be told at a rate that falls; wanted --sample");
	if (o->sample_lines && o->policies.n)
		return rp_fail(err, RP_USAGE,
		    "--sample-lines: caches cannot be scaled by a rate that falls; wanted "
		    "--sample");
	if (o->interval_state == RESET && !o->interval)
		return rp_fail(err, RP_USAGE, "--interval-state: wanted --interval too");
	if (o->up_to && (o->sample || o->sample_lines))
		return rp_fail(err, RP_USAGE, "--up-to is for all lines; it cannot be sampled");
	if (o->up_to && o->up_to < o->line)
		return rp_fail(err, RP_USAGE, "--up-to: wanted a line or more");
	if (o->policies.n && !o->sizes)
		return rp_fail(err, RP_USAGE, "--policy: wanted --sizes too, like 4KiB..1MiB");
	run->rate = 1;
	return rp_bins_parse(o->bins, &run->bins, err) &&
	       (!o->sample || rp_parse_double(o->sample, &run->rate, err)) &&
	       parse_sizes(run, err) && parse_policies(run, err);
}

static struct rp_profile_opts
profile_opts_of(const struct profile_run *run)
{
	const struct profile_opts *o = run->o;
	return (struct rp_profile_opts){ .bound = o->up_to / o->line,
		.rate = run->rate,
		.lines = o->sample_lines,
		.seed = o->in.seed };
}

static bool
open_run(struct profile_run *run, uint64_t preamble, struct rp_err *err)
{
	const struct profile_opts *o = run->o;
	struct rp_profile_opts whole = profile_opts_of(run), apart = whole;
	run->warmup = o->warmup + preamble;
	whole.kinds = o->by_kind;
	whole.times = o->times;
	whole.error = true;
	whole.intervals = o->interval && o->interval_state == KEEP;
	apart.intervals = true;
	if (!(run->whole = rp_profile_new(&whole, err)))
		return false;
	/* What forgets is apart, so that the whole stays what it is. */
	if (o->interval && !whole.intervals && !(run->apart = rp_profile_new(&apart, err)))
		return false;
	if (!run->policies)
		return true;
	const struct rp_mini_opts mini = { .policy = run->policy,
		.policies = run->policies,
		.size = run->sizes,
		.sizes = run->n_sizes,
		.line = o->line,
		.seed = o->in.seed,
		.sample = rp_sample_of(run->rate, o->in.seed, RP_LEVEL_BEST) };
	return (run->mini = rp_mini_new(&mini, err)) || rp_err_wrap(err, "--policy");
}

static struct profile_stream *
stream_of(struct profile_run *run, uint32_t stream, struct rp_err *err)
{
	uint64_t *slot = rp_map_at(&run->slots, stream, err);
	if (!slot)
		return NULL;
	if (*slot)
		return &run->streams[*slot - 1];
	if (run->n_streams == run->streams_room) {
		size_t room = 2 * run->streams_room + 8;
		struct profile_stream *grown = rp_mem_grow(run->streams, room, sizeof *grown, err);
		if (!grown)
			return NULL;
		run->streams = grown;
		run->streams_room = room;
	}
	struct rp_profile_opts o = profile_opts_of(run);
	struct profile_stream *s = &run->streams[run->n_streams];
	*s = (struct profile_stream){ stream, rp_profile_new(&o, err), 0, 0 };
	if (!s->profile)
		return NULL;
	*slot = ++run->n_streams;
	return s;
}

/* The lookups of each stream, in their order, to its own profile. */
static bool
run_streams(struct profile_run *run, const struct rp_lookups *in, struct rp_err *err)
{
	uint64_t line[RP_CHUNK];
	uint32_t slot[RP_CHUNK];
	const uint32_t *stream = in->in->stream;
	const struct profile_stream *last = NULL;
	for (size_t i = 0; i < in->n; i++) {
		uint32_t number = stream ? stream[in->row[i]] : 0;
		if (!last || last->stream != number)
			last = stream_of(run, number, err);
		if (!last)
			return false;
		slot[i] = (uint32_t)(last - run->streams);
		run->streams[slot[i]].n++;
	}
	size_t at = 0;
	for (size_t i = 0; i < in->n; i++) {
		struct profile_stream *s = &run->streams[slot[i]];
		if (s->n) { /* its first: its place behind those of the streams before it */
			s->at = at;
			at += s->n;
			s->n = 0;
		}
		line[s->at++] = in->line[i];
	}
	/* Each is run where its last lookup is found. */
	size_t from = 0;
	for (size_t i = 0; i < in->n && from < in->n; i++) {
		struct profile_stream *s = &run->streams[slot[i]];
		if (s->at <= from)
			continue;
		if (!rp_profile_run(s->profile, line + from, NULL, s->at - from, err))
			return false;
		from = s->at;
	}
	return true;
}

static bool
run_lookups(struct profile_run *run, const struct rp_lookups *in, struct rp_err *err)
{
	return rp_profile_run(run->whole, in->line, in->store, in->n, err) &&
	       (!run->apart || rp_profile_run(run->apart, in->line, NULL, in->n, err)) &&
	       (!run->mini || rp_mini_run(run->mini, in->line, in->store, in->n, err)) &&
	       (!run->o->by_stream || run_streams(run, in, err));
}

/* The warm-up is over. */
static bool
start(struct profile_run *run, struct rp_err *err)
{
	for (size_t i = 0; i < run->n_streams; i++)
		if (!rp_profile_start(run->streams[i].profile, err))
			return false;
	return rp_profile_start(run->whole, err) &&
	       (!run->apart ||
		   (rp_profile_start(run->apart, err) && rp_profile_forget(run->apart, err))) &&
	       (!run->mini || rp_mini_start(run->mini, err) || rp_err_wrap(err, "--warmup"));
}

static bool
add_row(struct profile_run *run, const struct rp_row *row, struct rp_err *err)
{
	if (run->n_rows == run->rows_room) {
		size_t room = 2 * run->rows_room + 1024;
		struct rp_row *grown = rp_mem_grow(run->rows, room, sizeof *grown, err);
		if (!grown)
			return false;
		run->rows = grown;
		run->rows_room = room;
	}
	run->rows[run->n_rows++] = *row;
	return true;
}

/* The interval at hand is over: what it was is kept, in the bins asked for. */
static bool
end_interval(struct profile_run *run, uint64_t accesses, struct rp_err *err)
{
	struct rp_profile *p = run->apart ? run->apart : run->whole;
	struct rp_walk walk;
	struct rp_row row;
	if (run->n_intervals == run->intervals_room) {
		size_t room = 2 * run->intervals_room + 64;
		struct profile_interval *grown =
		    rp_mem_grow(run->intervals, room, sizeof *grown, err);
		if (!grown)
			return false;
		run->intervals = grown;
		run->intervals_room = room;
	}
	if (!rp_profile_settle(p, err))
		return false;
	struct profile_interval *v = &run->intervals[run->n_intervals++];
	*v = (struct profile_interval){ accesses, rp_profile_lookups(p, RP_PART_INTERVAL),
		rp_profile_footprint(p, RP_PART_INTERVAL), rp_profile_cold(p, RP_PART_INTERVAL),
		run->n_rows, 0 };
	rp_walk_begin(&walk, p, RP_PART_INTERVAL);
	while (rp_walk_next_bin(&walk, &run->bins, &row))
		if (!add_row(run, &row, err))
			return false;
	v->n = run->n_rows - v->first;
	rp_profile_cut(p);
	return !run->apart || rp_profile_forget(p, err);
}

/* Accesses until something changes that wants counts of its own. */
static uint64_t
until_change(const struct profile_run *run, uint64_t done)
{
	if (done < run->warmup)
		return run->warmup - done;
	uint64_t interval = run->o->interval;
	return interval ? interval - (done - run->warmup) % interval : UINT64_MAX;
}

/* Before an access begins. */
static bool
change(struct profile_run *run, uint64_t done, struct rp_err *err)
{
	uint64_t interval = run->o->interval;
	if (!run->counting) {
		run->counting = done >= run->warmup;
		return !run->counting || !run->warmup || start(run, err);
	}
	return !interval || done - run->warmup == interval * run->n_intervals ||
	       (done - run->warmup) % interval || end_interval(run, interval, err);
}

static bool
run_batch(struct profile_run *run, struct rp_expand *expand, const struct rp_batch *b,
    uint64_t *done, struct rp_err *err)
{
	for (size_t row = 0; row < b->n;) {
		if (b->kind[row] >= RP_MARKS) { /* reuse is of accesses */
			row++;
			continue;
		}
		bool fresh = !rp_expand_open(expand);
		if (fresh && !change(run, *done, err))
			return false;
		const struct rp_lookups *in =
		    rp_expand_next(expand, b, &row, fresh ? until_change(run, *done) : 0);
		if (!run_lookups(run, in, err))
			return false;
		*done += in->accesses;
	}
	return true;
}

static double
now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The trace has ended, or was interrupted. */
static bool
end(struct profile_run *run, uint64_t done, struct rp_err *err)
{
	/* A warm-up that took all there was leaves nothing. */
	if (!run->counting && run->warmup && !start(run, err))
		return false;
	run->accesses = done > run->warmup ? done - run->warmup : 0;
	uint64_t over = run->o->interval * run->n_intervals;
	if (run->o->interval && run->accesses > over &&
	    !end_interval(run, run->accesses - over, err))
		return false;
	for (size_t i = 0; i < run->n_streams; i++)
		if (!rp_profile_settle(run->streams[i].profile, err))
			return false;
	if (run->o->times)
		rp_times_close(rp_profile_times(run->whole));
	return rp_profile_settle(run->whole, err) && (!run->mini || rp_mini_end(run->mini, err));
}

static bool
run_all(struct profile_run *run, struct rp_err *err)
{
	const struct rp_input_opts *in = &run->o->in;
	struct rp_batch *b = rp_batch_new(RP_BATCH, run->source->trace->columns, err);
	struct rp_expand *expand = b ? rp_expand_new((unsigned)__builtin_ctz(run->o->line), false,
					   run->o->keep_bypassed, RP_LEVEL_BEST, err)
	                             : NULL;
	struct rp_progress progress;
	uint64_t done = 0;
	rp_input_progress(&progress, in);
	double begun = now();
	ptrdiff_t n = expand ? 1 : -1;
	while (n > 0 && !rp_interrupted) {
		rp_batch_clear(b);
		n = rp_source_pull(run->source, b, err);
		if (n > 0 &&
		    (!rp_seen_batch(&run->seen, b, err) || !run_batch(run, expand, b, &done, err)))
			n = -1;
		rp_input_tell(&progress, in, run->source->trace, run->seen.accesses);
	}
	bool ok = n >= 0 && end(run, done, err);
	run->elapsed = now() - begun;
	rp_progress_end(&progress);
	rp_expand_free(expand);
	rp_batch_free(b);
	return ok;
}

static void
close_run(struct profile_run *run)
{
	for (size_t i = 0; i < run->n_streams; i++)
		rp_profile_free(run->streams[i].profile);
	free(run->streams);
	rp_map_free(&run->slots);
	rp_profile_free(run->whole);
	rp_profile_free(run->apart);
	rp_mini_free(run->mini);
	rp_seen_free(&run->seen);
	rp_source_close(run->source);
	free(run->sizes);
	free(run->policy);
	free(run->policy_text);
	free(run->intervals);
	free(run->rows);
}

static int
by_stream(const void *a, const void *b)
{
	const struct profile_stream *x = a, *y = b;
	return x->stream < y->stream ? -1 : x->stream > y->stream;
}

static bool
run_profile(void *options, int n, char **traces, struct rp_err *err)
{
	struct profile_opts *o = options;
	struct profile_run run = { .o = o };
	uint64_t preamble = 0;
	o->in.no_bypassed = !o->keep_bypassed;
	bool ok = check_opts(&run, o, err) &&
	          (run.source = rp_input_open(&o->in, n, traces, false, &preamble, err)) &&
	          open_run(&run, preamble, err) && run_all(&run, err);
	if (ok && run.n_streams)
		qsort(run.streams, run.n_streams, sizeof *run.streams, by_stream);
	ok = ok && profile_print(&run, err);
	if (ok && rp_interrupted)
		ok = rp_fail(err, RP_STOPPED,
		    "interrupted; the results are those of the first %" PRIu64 " accesses",
		    run.seen.accesses);
	close_run(&run);
	return ok;
}

const struct rp_command rp_command_profile = {
	.name = "profile",
	.what = "reuse distances and miss-ratio curves, exact or sampled",
	.operands = "TRACE...",
	.example = "reprise profile --line 64 --sizes 1KiB..1MiB t.rpz",
	.opts = opts,
	.bytes = sizeof(struct profile_opts),
	.run = run_profile,
};
