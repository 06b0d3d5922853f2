/* coherence_timed.c - `reprise coherence --timed`: streams that are read each at its own pace, and the run through them.
 *
 * A `.rpz` of a few streams is read by its index, once for each. The streams of any other trace are first taken apart, in a
 * temporary file where they do not fit into some memory. */
#include "config.h"

#include "command.h"
#include "coherence.h"

#include "base/mem.h"
#include "sim/coherence/timed.h"
#include "traces/demux.h"
#include "traces/format/rpz.h"

#include <string.h>

enum {
	INDEXED_MOST =
	    32, /* streams that are read by an index: each decodes the blocks it shares with others */
	STEP = 1 << 16 /* accesses between two looks at progress and interrupts */
};

/* A stream. */
struct lane {
	uint32_t stream;
	size_t queue;             /* of the demux */
	struct rp_source *source; /* by index; or the whole trace, which is one stream */
	size_t row, end;          /* of a scenario: in lanes.order */
	bool begun;
	uint64_t time; /* of its last row */
};

struct lanes {
	struct rp_source taken; /* the trace as it is taken apart: struct lanes is a source too */
	struct coherence_run *run;
	struct lane *lane;
	size_t n;
	bool indexed;
	struct rp_demux *demux;
	size_t *order;       /* rows of a scenario, by stream */
	uint64_t first_time; /* of all rows */
	uint64_t warm;       /* accesses still to warm up with */
};

/* ---- Taking a trace apart. ---- */

/* The warm-up's part of a batch goes through the caches in the order of the trace, before time begins. */
static bool
warm_up(struct lanes *l, struct rp_batch *b, struct rp_err *err)
{
	size_t all = b->n, cut = 0;
	for (; cut < all && l->warm; cut++)
		l->warm -= b->kind[cut] < RP_MARKS;
	b->n = cut;
	bool ok = rp_coherence_run(l->run->k, b, err);
	for (size_t i = 0; i < cut; i++)
		l->run->replayed += b->kind[i] < RP_MARKS;
	b->n = all;
	rp_batch_drop(b, cut);
	return ok && (l->warm || rp_coherence_warm(l->run->k, err));
}

/* Marks are no barriers here, and several streams on one cache are one. */
static void
tidy(struct lanes *l, struct rp_batch *b)
{
	uint32_t caches = l->run->config.caches;
	size_t n = b->n;
	if (b->marks) {
		rp_batch_clear(b);
		for (size_t i = 0; i < n; i++) {
			struct rp_access a = rp_batch_get(b, i);
			if (a.kind < RP_MARKS)
				rp_batch_put(b, &a);
		}
	}
	for (size_t i = 0; b->time && i < b->n; i++)
		if (b->time[i] < l->first_time)
			l->first_time = b->time[i];
	for (size_t i = 0; caches && b->stream && i < b->n; i++)
		b->stream[i] %= caches;
}

static ptrdiff_t
take(struct rp_source *s, struct rp_batch *out, struct rp_err *err)
{
	struct lanes *l = (struct lanes *)s;
	size_t before = out->n;
	while (out->n == before && !rp_interrupted) {
		ptrdiff_t n = rp_source_pull(l->run->source, out, err);
		if (n <= 0)
			return n;
		if (!rp_seen_batch(&l->run->seen, out, err) || (l->warm && !warm_up(l, out, err)))
			return -1;
		tidy(l, out);
	}
	return (ptrdiff_t)(out->n - before);
}

/* The trace is closed by whoever opened it. */
static void
leave(struct rp_source *s)
{
	(void)s;
}

/* A trace without streams needs no taking apart. */
static bool
take_whole(struct lanes *l, struct rp_err *err)
{
	l->n = 1;
	if (!(l->lane = rp_mem_array(1, sizeof *l->lane, err)))
		return false;
	l->lane[0].source = &l->taken;
	return true;
}

static int
by_stream(const void *a, const void *b)
{
	const struct lane *x = a, *y = b;
	return (x->stream > y->stream) - (x->stream < y->stream);
}

static bool
take_apart(struct lanes *l, struct rp_err *err)
{
	if (!(l->demux = rp_demux_open(&l->taken, 0, err)) || rp_demux_segment(l->demux, err) < 0)
		return false;
	l->n = l->demux->n;
	if (!(l->lane = rp_mem_array(l->n, sizeof *l->lane, err)))
		return false;
	for (size_t i = 0; i < l->n; i++)
		l->lane[i] = (struct lane){ .stream = l->demux->streams[i].stream, .queue = i };
	qsort(l->lane, l->n, sizeof *l->lane, by_stream);
	if (l->demux->spilled)
		rp_trace_warn(l->run->source->trace,
		    "the trace has no index by stream: its streams were taken apart in a temporary "
		    "file of %.1f MiB",
		    (double)l->demux->spilled / (1 << 20));
	return true;
}

/* ---- Reading by an index. ---- */

/* Whether the trace is a file as it is, with an index that tells the rows of each stream. */
static bool
is_indexed(const struct coherence_run *run, int n, char **traces, struct rp_rpz_info *info)
{
	const struct rp_input_opts *o = &run->o->in;
	bool whole = !o->from && !o->skip && !o->limit && !o->kinds && !o->streams && !o->space &&
	             !o->stream_by && !o->gpu && !strcmp(o->interleave, "recorded");
	if (!whole || n != 1 || run->warmup || !rp_input_is_rpz(traces[0]) ||
	    !rp_rpz_read_info(traces[0], info, NULL))
		return false;
	if (run->config.caches && run->config.caches <= info->high_stream)
		return false;
	/* Numbers without holes, so that all are known; accesses only. */
	return info->streams && info->streams <= INDEXED_MOST && !info->marks &&
	       info->high_stream - info->low_stream + 1 == info->streams &&
	       !(info->columns & RP_COL_FLAGS) && !run->source->trace->warps;
}

static bool
open_indexed(struct lanes *l, const char *path, const struct rp_rpz_info *info, struct rp_err *err)
{
	struct rp_read_opts read = { .threads = 1, .stop = &rp_interrupted };
	l->indexed = true;
	l->first_time = info->first_time;
	l->n = info->streams;
	if (!(l->lane = rp_mem_array(l->n, sizeof *l->lane, err)))
		return false;
	for (size_t i = 0; i < l->n; i++) {
		uint32_t stream = info->low_stream + (uint32_t)i;
		struct rp_rpz_opts part = { .only = true, .stream = stream };
		l->lane[i].stream = stream;
		if (!(l->lane[i].source = rp_rpz_open(path, NULL, &read, &part, err)))
			return false;
	}
	return true;
}

/* ---- The rows of a scenario. ---- */

static bool
sort_scenario(struct lanes *l, struct rp_err *err)
{
	const struct rp_batch *b = l->run->scenario.rows;
	l->n = l->run->config.caches;
	l->lane = rp_mem_array(l->n, sizeof *l->lane, err);
	l->order = rp_mem_array(b->n, sizeof *l->order, err);
	if (!l->lane || !l->order)
		return false;
	for (size_t i = 0; i < b->n; i++)
		l->lane[b->stream[i]].end++;
	size_t from = 0;
	for (size_t s = 0; s < l->n; s++) {
		size_t rows = l->lane[s].end;
		l->lane[s] = (struct lane){ .stream = (uint32_t)s, .row = from, .end = from };
		from += rows;
	}
	for (size_t i = 0; i < b->n; i++)
		l->order[l->lane[b->stream[i]].end++] = i;
	return true;
}

/* ---- Feeding. ---- */

static ptrdiff_t
pull_scenario(struct lanes *l, struct lane *x, struct rp_batch *out, uint64_t *gap)
{
	size_t n = 0;
	for (; x->row < x->end && out->n < out->cap; n++, x->row++) {
		struct rp_access a = rp_batch_get(l->run->scenario.rows, l->order[x->row]);
		gap[out->n] = l->run->scenario.gap[l->order[x->row]];
		rp_batch_put(out, &a);
	}
	return (ptrdiff_t)n;
}

/* Idle cycles from the time column: where everything hits in one cycle, rows are issued at their times. */
static void
find_gaps(const struct lanes *l, struct lane *x, const struct rp_batch *b, uint64_t *gap)
{
	for (size_t i = 0; i < b->n; i++) {
		uint64_t since = x->begun ? x->time + 1 : l->first_time;
		gap[i] = b->time[i] > since ? b->time[i] - since : 0;
		x->time = b->time[i];
		x->begun = true;
	}
}

static ptrdiff_t
feed(void *to, size_t i, struct rp_batch *out, uint64_t *gap, struct rp_err *err)
{
	struct lanes *l = to;
	struct lane *x = &l->lane[i];
	if (l->order)
		return pull_scenario(l, x, out, gap);
	ptrdiff_t n = x->source ? rp_source_pull(x->source, out, err)
	                        : rp_demux_pull(l->demux, x->queue, out->cap, x->stream, out, err);
	if (n > 0 && l->indexed && !rp_seen_batch(&l->run->seen, out, err))
		return -1;
	if (n > 0 && l->run->o->gaps)
		find_gaps(l, x, out, gap);
	else
		memset(gap, 0, out->cap * sizeof *gap);
	return n;
}

static void
close_lanes(struct lanes *l)
{
	for (size_t i = 0; l->lane && i < l->n; i++)
		rp_source_close(l->lane[i].source);
	rp_demux_close(l->demux);
	free(l->lane);
	free(l->order);
}

static bool
open_lanes(struct lanes *l, int n, char **traces, struct rp_err *err)
{
	struct rp_rpz_info info;
	if (l->run->scenario.root)
		return sort_scenario(l, err);
	if (l->run->o->gaps && !(l->run->source->trace->columns & RP_COL_TIME))
		return rp_fail(err, RP_USAGE, "--gaps time: %s has no times", traces[0]);
	l->taken =
	    (struct rp_source){ .pull = take, .close = leave, .trace = l->run->source->trace };
	l->first_time = UINT64_MAX;
	if (is_indexed(l->run, n, traces, &info))
		return open_indexed(l, traces[0], &info, err);
	if (!(l->run->source->trace->columns & RP_COL_STREAM) && !l->run->warmup)
		return take_whole(l, err);
	return take_apart(l, err);
}

/* ---- The run. ---- */

/* How many accesses until something is to be done. */
static uint64_t
step(const struct coherence_run *run)
{
	uint64_t every = run->o->interval, done = run->replayed - run->warmup;
	uint64_t left = every ? every - done % every : UINT64_MAX;
	return left < STEP ? left : STEP;
}

static bool
run_events(struct coherence_run *run, struct rp_timed *t, struct rp_err *err)
{
	struct rp_progress progress;
	uint64_t warm = run->replayed;
	int more = 1;
	rp_input_progress(&progress, &run->o->in);
	while (more > 0) {
		if (rp_interrupted)
			rp_timed_stop(t);
		more = rp_timed_run(t, step(run), err);
		run->replayed = warm + rp_timed_done(t);
		if (run->source)
			rp_progress_tell(&progress, run->replayed, run->replayed,
			    run->seen.accesses > run->replayed ? run->seen.accesses
							       : run->replayed);
		uint64_t done = run->replayed - run->warmup;
		if (more >= 0 && run->o->interval && done && done % run->o->interval == 0 &&
		    !coherence_add_interval(run, err))
			more = -1;
	}
	rp_progress_end(&progress);
	return more == 0;
}

bool
coherence_replay_timed(struct coherence_run *run, int n, char **traces, struct rp_err *err)
{
	struct lanes l = { .run = run, .warm = run->warmup };
	struct rp_timed *t = NULL;
	uint32_t *streams = NULL;
	bool ok =
	    open_lanes(&l, n, traces, err) && (streams = rp_mem_array(l.n, sizeof *streams, err));
	for (size_t i = 0; ok && i < l.n; i++)
		streams[i] = l.lane[i].stream;
	if (ok) {
		unsigned columns = run->source ? run->source->trace->columns : RP_COL_STREAM;
		struct rp_timed_feed f = { &l, columns, feed };
		ok = (t = rp_timed_new(run->k, streams, l.n, &f, err)) && run_events(run, t, err) &&
		     rp_timed_check(t, err) && rp_timed_results(t, &run->timed, err);
		run->times = ok ? &run->timed : NULL;
	}
	rp_timed_free(t);
	free(streams);
	close_lanes(&l);
	return ok;
}
