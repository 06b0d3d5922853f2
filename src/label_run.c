/* label_run.c - what is made of each trace of a data set, on several threads. */
#include "config.h"

#include "command.h"
#include "label.h"
#include "label_real.h"

#include "base/mem.h"
#include "base/work.h"

#include <string.h>

struct job {
	const struct label_run *run;
	size_t item;
	struct rp_buf out, warning; /* rows; lines of text */
	struct rp_err err;
	bool ok;
};

bool
label_is_own(const struct label_run *run, size_t item)
{
	return item % run->shares == run->share - 1;
}

static void
run_job(void *job)
{
	struct job *j = job;
	const struct label_run *run = j->run;
	j->out.n = 0;
	j->err.code = RP_OK;
	j->warning.n = 0;
	j->ok = j->item < run->synthetic
	            ? rp_design_make(&run->design, (uint32_t)j->item, &j->out, &j->err)
	            : label_real(run, j->item - run->synthetic, &j->out, &j->warning, &j->err);
}

/* A block of its own for what a job made. */
static bool
keep(struct label_run *run, struct job *j, struct rp_err *err)
{
	enum { PAD = 16 };
	struct rp_block *b = run->block + j->item;
	if (!j->ok) {
		*err = j->err;
		if (err->code == RP_USAGE && j->item < run->synthetic) { /* what the design says */
			rp_err_wrap(err, "%s", run->file);
			err->code = RP_INPUT;
		}
		return false;
	}
	if (!(b->bytes = rp_mem_array(j->out.n + PAD, 1, err)))
		return false;
	if (j->out.n)
		memcpy(b->bytes, j->out.bytes, j->out.n);
	b->n = j->out.n;
	run->done[j->item] = true;
	if (j->warning.n && !(run->warning[j->item] = rp_mem_string((char *)j->warning.bytes, err)))
		return false;
	return !run->journal || label_journal_keep(run->journal, run, j->item, err);
}

static size_t
next_item(const struct label_run *run, size_t from)
{
	while (from < run->items && (run->done[from] || !label_is_own(run, from)))
		from++;
	return from;
}

/* Gives jobs as there is room, and keeps what they made, in order. */
static bool
run_jobs(struct label_run *run, struct rp_work *work, size_t left, struct rp_err *err)
{
	struct rp_progress progress = { .what = "traces" };
	size_t next = next_item(run, 0), all = left;
	bool ok = true;
	rp_input_progress(&progress, &run->o->in);
	while (ok && left) {
		struct job *j;
		while (next < run->items && !rp_interrupted && (j = rp_work_slot(work))) {
			j->run = run;
			j->item = next;
			rp_work_give(work);
			next = next_item(run, next + 1);
		}
		if (!(j = rp_work_take(work))) { /* interrupted, and nothing is under way */
			ok = rp_fail(err, RP_STOPPED, "interrupted: %zu of %zu traces are done%s",
			    all - left, all,
			    run->journal ? "; --resume goes on with the others" : "");
			break;
		}
		bool whole = j->ok || j->err.code != RP_STOPPED;
		/* Of a trace that was interrupted nothing is kept to go on with, but all can be printed. */
		j->ok |= !whole && !run->journal;
		ok = (!whole && !j->ok) || keep(run, j, err);
		rp_work_return(work);
		left -= whole;
		rp_progress_tell(&progress, all - left, all - left, all);
	}
	rp_progress_end(&progress);
	return ok;
}

bool
label_make(struct label_run *run, struct rp_err *err)
{
	unsigned threads = rp_input_threads(&run->o->in);
	size_t jobs = 4 * (size_t)threads, left = 0;
	for (size_t i = 0; i < run->items; i++)
		left += label_is_own(run, i) && !run->done[i];
	struct job *job = rp_mem_array(jobs, sizeof *job, err);
	struct rp_work *work =
	    job ? rp_work_new(threads, run_job, job, sizeof *job, jobs, err) : NULL;
	bool ok = work && run_jobs(run, work, left, err);
	rp_work_free(work);
	for (size_t i = 0; job && i < jobs; i++)
		rp_buf_free(&job[i].out), rp_buf_free(&job[i].warning);
	free(job);
	return ok;
}
