/* cases.c - many cases on several threads. */
#include "config.h"

#include "validate/cases.h"

#include "base/mem.h"
#include "base/work.h"

#include <inttypes.h>

enum { EACH = 16 };

struct job {
	const struct rp_cases *cases;
	const struct rp_cases_how *how;
	uint64_t from, n; /* cases */
	void *state;
	struct rp_checks checks;
	struct rp_err err;
};

static bool
stopped(const struct rp_cases_how *how)
{
	return how->stop && *how->stop;
}

static void
run_job(void *job)
{
	struct job *j = job;
	const struct rp_cases *c = j->cases;
	for (uint64_t i = 0; i < j->n && !stopped(j->how); i++)
		if (!c->run(j->state, c->of, j->from + i, &j->checks, &j->err))
			return;
}

static bool
open_job(
    struct job *j, const struct rp_cases *c, const struct rp_cases_how *how, struct rp_err *err)
{
	j->cases = c;
	j->how = how;
	rp_checks_init(&j->checks);
	j->state = rp_mem_array(1, c->state_bytes, err);
	return j->state && (!c->open || c->open(j->state, c->of, err));
}

static void
close_job(struct job *j)
{
	if (j->state && j->cases->close)
		j->cases->close(j->state);
	free(j->state);
	rp_checks_free(&j->checks);
}

/* Gives as many jobs as there are free. */
static void
give(struct rp_work *w, const struct rp_cases *c, uint64_t *given)
{
	uint64_t each = c->each ? c->each : EACH;
	struct job *j;
	while (*given < c->n && (j = rp_work_slot(w))) {
		j->from = *given;
		j->n = c->n - *given < each ? c->n - *given : each;
		*given += j->n;
		rp_work_give(w);
	}
}

static bool
run_all(struct rp_work *w, const struct rp_cases *c, const struct rp_cases_how *how,
    struct rp_checks *checks, struct rp_err *err)
{
	uint64_t given = 0, done = 0;
	while (done < c->n && !stopped(how)) {
		give(w, c, &given);
		struct job *j = rp_work_take(w);
		rp_checks_move(checks, &j->checks);
		if (j->err.code) {
			*err = j->err;
			return false;
		}
		if (c->collect)
			c->collect(j->state, c->to);
		done += j->n;
		rp_work_return(w);
		if (how->progress)
			how->progress(how->to, done, c->n);
	}
	return !stopped(how) || rp_fail(err, RP_STOPPED, "interrupted");
}

bool
rp_cases_run(const struct rp_cases *cases, const struct rp_cases_how *how, struct rp_checks *checks,
    struct rp_err *err)
{
	size_t n = 2 * (size_t)(how->threads ? how->threads : 1), open = 0;
	struct job *jobs = rp_mem_array(n, sizeof *jobs, err);
	struct rp_work *w = NULL;
	bool ok = jobs;
	while (ok && open < n)
		ok = open_job(&jobs[open++], cases, how, err);
	ok = ok && (w = rp_work_new(how->threads, run_job, jobs, sizeof *jobs, n, err)) &&
	     run_all(w, cases, how, checks, err);
	rp_work_free(w);
	while (open > 0)
		close_job(&jobs[--open]);
	free(jobs);
	return ok;
}
