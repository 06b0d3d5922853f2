/* sweep_feed.c - the trace of a sweep, pass after pass, and how long the passes may take. */
#include "config.h"

#include "sweep.h"
#include "command.h"

#include "base/emit.h"
#include "base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { ROWS = 4 * RP_BATCH, SAMPLE = 200000 };

static double
now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Whether a trace can be opened once more. */
static bool
can_again(const char *trace)
{
	struct stat st;
	if (!strncmp(trace, "gen:", 4))
		return true;
	return strcmp(trace, "-") != 0 && !stat(trace, &st) &&
	       (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

static bool
all_again(const struct sweep_feed *f)
{
	for (int i = 0; i < f->n; i++)
		if (!can_again(f->traces[i]))
			return false;
	return true;
}

bool
sweep_feed_open(struct sweep_feed *f, struct rp_err *err)
{
	return (f->source = rp_input_open(f->in, f->n, f->traces, false, &f->preamble, err));
}

bool
sweep_feed_expect(struct sweep_feed *f, size_t passes, struct rp_err *err)
{
	f->passes = passes;
	if (passes < 2 || all_again(f))
		return true;
	fprintf(stderr,
	    "reprise: sweep: the trace can be read only once: it is kept in a temporary "
	    "file for the passes to come\n");
	return (f->spool = rp_spool_new(err));
}

void
sweep_feed_close(struct sweep_feed *f)
{
	rp_source_close(f->source);
	rp_spool_free(f->spool);
	rp_seen_free(&f->seen);
}

const struct rp_trace *
sweep_feed_next(struct sweep_feed *f, struct rp_err *err)
{
	if (!f->pass)
		return f->source->trace;
	if (f->spooled)
		return rp_spool_rewind(f->spool, err) ? f->source->trace : NULL;
	if (!all_again(f)) {
		rp_fail(err, RP_INPUT,
		    "the trace drops lines, so caches have to be replayed in a second pass, and it "
		    "can "
		    "be read only once: wanted a file");
		return NULL;
	}
	rp_source_close(f->source);
	f->source = rp_input_open(f->in, f->n, f->traces, false, NULL, err);
	return f->source ? f->source->trace : NULL;
}

/* The next rows, from the trace or from where they were kept: how many, 0 at the end, -1 on error. */
static ptrdiff_t
pull(struct sweep_feed *f, struct rp_batch *b, struct rp_err *err)
{
	rp_batch_clear(b);
	if (!f->spooled) {
		ptrdiff_t n = rp_source_pull(f->source, b, err);
		return n > 0 && f->spool && !rp_spool_put(f->spool, b, err) ? -1 : n;
	}
	const struct rp_batch *kept = rp_spool_next(f->spool, err);
	if (kept)
		rp_batch_append(b, kept, 0, kept->n);
	return kept ? (ptrdiff_t)kept->n : err->code ? -1 : 0;
}

static void
tell(struct rp_progress *p, const struct sweep_feed *f, uint64_t done)
{
	const struct rp_trace *t = f->source->trace;
	uint64_t limit = 0, part = t->part, whole = t->whole, passes = f->passes ? f->passes : 1;
	if (f->spooled) {
		part = done;
		whole = f->seen.accesses;
	} else if (f->in->limit && rp_parse_u64(f->in->limit, &limit, NULL) && limit) {
		part = done;
		whole = limit;
	}
	rp_progress_tell(p, done, part + f->pass % passes * whole, whole * passes);
}

/* All rows of a pass, two batches in turn: one is filled while the other is worked on. */
static bool
run_rows(struct sweep_feed *f, struct rp_sweep_pass *pass, struct rp_digest *digest,
    struct rp_batch *batch[2], struct rp_err *err)
{
	struct rp_progress progress;
	uint64_t done = 0;
	rp_input_progress(&progress, f->in);
	ptrdiff_t n = pull(f, batch[0], err);
	for (unsigned k = 0; n > 0 && !rp_interrupted; k ^= 1) {
		const struct rp_batch *b = batch[k];
		if (pass)
			rp_sweep_pass_give(pass, b);
		rp_digest_batch(digest, b);
		bool ok = f->pass || rp_seen_batch(&f->seen, b, err);
		done += b->n - b->marks;
		n = ok ? pull(f, batch[k ^ 1], err) : -1;
		struct rp_err late = { 0 };
		if (pass && !rp_sweep_pass_wait(pass, n < 0 ? &late : err))
			n = -1;
		tell(&progress, f, done);
	}
	rp_progress_end(&progress);
	return n >= 0;
}

/* The trace has ended, and it was the same as before. */
static bool
end_trace(struct sweep_feed *f, uint64_t hash, struct rp_err *err)
{
	if (f->hashed && f->hash != hash)
		return rp_fail(err, RP_INPUT,
		    "%s is not what it was in the pass before: %016" PRIx64 ", then %016" PRIx64,
		    f->traces[0], f->hash, hash);
	f->hash = hash;
	f->hashed = true;
	if (f->spool)
		f->spooled = true;
	f->pass++;
	return true;
}

bool
sweep_feed_pass(struct sweep_feed *f, struct rp_sweep_pass *pass, struct rp_err *err)
{
	unsigned columns = f->source->trace->columns;
	struct rp_digest *digest = rp_digest_new(err);
	struct rp_batch *batch[2] = { rp_batch_new(ROWS, columns, err),
		rp_batch_new(ROWS, columns, err) };
	bool ok = digest && batch[0] && batch[1] && run_rows(f, pass, digest, batch, err);
	if (ok && rp_interrupted)
		ok = rp_fail(err, RP_STOPPED, "interrupted");
	ok = ok && end_trace(f, rp_digest_value(digest), err) &&
	     (!pass || rp_sweep_pass_end(pass, err));
	rp_digest_free(digest);
	rp_batch_free(batch[0]);
	rp_batch_free(batch[1]);
	return ok;
}

/* The beginning of the trace, and about how many accesses all of it has; the time that reading took. */
static struct rp_batch *
sample(struct sweep_feed *f, uint64_t *accesses, double *took, struct rp_err *err)
{
	struct rp_batch *b = rp_batch_new(SAMPLE, f->source->trace->columns, err);
	const struct rp_trace *t = f->source->trace;
	double from = now();
	ptrdiff_t n = b ? 1 : -1;
	while (n > 0 && b->n < b->cap)
		n = rp_source_pull(f->source, b, err);
	*took = now() - from;
	if (n < 0) {
		rp_batch_free(b);
		return NULL;
	}
	*accesses = b->n - b->marks;
	uint64_t limit;
	if (n && t->whole && t->part)
		*accesses = (uint64_t)((double)*accesses * (double)t->whole / (double)t->part);
	struct rp_batch *rest = n && !t->whole ? rp_batch_new(RP_BATCH, t->columns, err) : NULL;
	/* Nothing tells but the end. */
	while (rest && n > 0 && !rp_interrupted) {
		rp_batch_clear(rest);
		n = rp_source_pull(f->source, rest, err);
		*accesses += n > 0 ? rest->n - rest->marks : 0;
	}
	rp_batch_free(rest);
	if (f->in->limit && rp_parse_u64(f->in->limit, &limit, NULL) && limit < *accesses)
		*accesses = limit;
	return b;
}

enum { MEASURED = 12 }; /* passes, at most */

/* Seconds that the passes over the sample take, which are made as if it were the trace. */
static bool
time_passes(struct sweep_run *run, const struct rp_batch *b, double *took, struct rp_err *err)
{
	size_t points = 0, measured = 0;
	bool ok = true;
	*took = 0;
	for (unsigned k = 0;
	     ok && k < MEASURED && rp_sweep_plan_left(&run->plan) && !rp_interrupted; k++) {
		struct rp_sweep_pass *pass = rp_sweep_pass_new(&run->plan, &run->how, err);
		if (!pass)
			return false;
		double from = now();
		rp_sweep_pass_give(pass, b);
		ok = rp_sweep_pass_wait(pass, err) && rp_sweep_pass_end(pass, err);
		*took += now() - from;
		measured += rp_sweep_pass_points(pass);
		rp_sweep_pass_free(pass);
	}
	points = rp_sweep_plan_left(&run->plan);
	*took *= measured ? (double)(points + measured) / (double)measured : 1;
	return ok;
}

json_t *
sweep_estimate(struct sweep_run *run, struct rp_err *err)
{
	uint64_t accesses, n[3] = { 0 };
	double reading, running;
	size_t points = 0;
	for (size_t i = 0; i < run->plan.n; i++) {
		points += run->plan.point[i].mine;
		n[run->plan.point[i].how] += rp_sweep_is_own(&run->plan, i);
	}
	size_t computed = rp_sweep_plan_computed(&run->plan);
	size_t passes = rp_sweep_passes(&run->plan, &run->how, err);
	struct rp_batch *b =
	    passes < SIZE_MAX ? sample(&run->feed, &accesses, &reading, err) : NULL;
	if (!b || !time_passes(run, b, &running, err)) {
		rp_batch_free(b);
		return NULL;
	}
	uint64_t seen = b->n - b->marks;
	double more = seen ? (double)accesses / (double)seen : 1;
	rp_batch_free(b);
	/* Reading goes on beside the work where there is a second thread. */
	double read = run->how.threads > 1 && reading < running ? 0 : reading * (double)passes;
	return json_pack("{sI sI sI sI sI sI sI sI sf}", "points", (json_int_t)points, "computed",
	    (json_int_t)computed, "grid", (json_int_t)n[RP_SWEEP_GRID], "stack",
	    (json_int_t)n[RP_SWEEP_STACK], "replayed", (json_int_t)n[RP_SWEEP_REPLAY], "passes",
	    (json_int_t)passes, "threads", (json_int_t)run->how.threads, "accesses",
	    (json_int_t)accesses, "estimated_s", (running + read) * more);
}
