/* work.h - jobs that several threads run and that come back in the order they were given.
 *
 * The caller owns an array of jobs, used as a ring: fill the next free one, give it, take the oldest one back when it is
 * done, use it, return it. At most the whole ring is under way, so memory is bounded; each job owns what it works on, so
 * results do not depend on the number of threads. */
#ifndef RP_BASE_WORK_H
#define RP_BASE_WORK_H

#include "base/err.h"

#include <stddef.h>

struct rp_work;

/* A pool of `threads` threads, the caller's among them: it lends a hand while it waits in rp_work_take. With 0 or 1
 * nothing is started, and a job runs when it is taken. `jobs` are n_jobs (at least 1) jobs of job_bytes each, borrowed
 * until rp_work_free; run(job) must not touch any other. Where the system refuses a thread, fewer do the work. Gives
 * (rp_work_free); NULL with *err filled without memory. */
struct rp_work *rp_work_new(unsigned threads, void (*run)(void *job), void *jobs, size_t job_bytes,
    size_t n_jobs, struct rp_err *err);

/* The next job of the ring, for the caller to fill; NULL while all are under way or taken. */
void *rp_work_slot(struct rp_work *w);
/* Hands over the job that rp_work_slot returned. */
void rp_work_give(struct rp_work *w);

/* The oldest job given and not yet taken, done; waits for it. NULL: none was given. */
void *rp_work_take(struct rp_work *w);
/* The oldest job taken may be used again. */
void rp_work_return(struct rp_work *w);

/* Waits for the jobs that run, drops those that were not begun, ends the threads. Accepts NULL. */
void rp_work_free(struct rp_work *w);

#endif
