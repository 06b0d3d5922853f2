/* work.c - jobs that several threads run and that come back in the order they were given.
 *
 * Four counts tell it all, returned <= taken <= begun and given: job number k lives in slot k mod n_jobs. They and the
 * done marks are only touched under the lock; what is inside a job belongs to whoever the counts say. */
#include "config.h"

#include "base/work.h"
#include "base/mem.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>

enum { THREADS_MOST = 256 };

struct rp_work {
	void (*run)(void *job);
	char *jobs;
	size_t job_bytes, n_jobs;
	bool *done; /* by slot */
	uint64_t given, begun, taken, returned;
	bool stop;
	pthread_mutex_t lock;
	pthread_cond_t more, finished;
	unsigned n_threads;
	pthread_t thread[THREADS_MOST];
};

static void *
job(struct rp_work *w, uint64_t k)
{
	return w->jobs + k % w->n_jobs * w->job_bytes;
}

/* Runs the next job that nobody has begun. Called and left with the lock held. */
static void
run_next(struct rp_work *w)
{
	uint64_t k = w->begun++;
	pthread_mutex_unlock(&w->lock);
	w->run(job(w, k));
	pthread_mutex_lock(&w->lock);
	w->done[k % w->n_jobs] = true;
	pthread_cond_signal(&w->finished); /* only the caller waits for it */
}

static void *
worker(void *pool)
{
	struct rp_work *w = pool;
	pthread_mutex_lock(&w->lock);
	while (!w->stop) {
		if (w->begun < w->given)
			run_next(w);
		else
			pthread_cond_wait(&w->more, &w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* Starts as many as the system grants. Signals are left to the caller's thread. */
static void
start(struct rp_work *w, unsigned n)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (w->n_threads < n && !pthread_create(&w->thread[w->n_threads], NULL, worker, w))
		w->n_threads++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct rp_work *
rp_work_new(unsigned threads, void (*run)(void *job), void *jobs, size_t job_bytes, size_t n_jobs,
    struct rp_err *err)
{
	struct rp_work *w = rp_mem_array(1, sizeof *w, err);
	bool *done = w ? rp_mem_array(n_jobs, sizeof *done, err) : NULL;
	if (!done) {
		free(w);
		return NULL;
	}
	w->run = run;
	w->jobs = jobs;
	w->job_bytes = job_bytes;
	w->n_jobs = n_jobs;
	w->done = done;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->more, NULL);
	pthread_cond_init(&w->finished, NULL);
	if (threads > 1)
		start(w, threads - 1 < THREADS_MOST ? threads - 1 : THREADS_MOST);
	return w;
}

/* given, taken and returned are the caller's own: other threads only read `given`, under the lock. */
void *
rp_work_slot(struct rp_work *w)
{
	return w->given - w->returned < w->n_jobs ? job(w, w->given) : NULL;
}

void
rp_work_give(struct rp_work *w)
{
	pthread_mutex_lock(&w->lock);
	w->done[w->given % w->n_jobs] = false;
	w->given++;
	pthread_cond_signal(&w->more);
	pthread_mutex_unlock(&w->lock);
}

void *
rp_work_take(struct rp_work *w)
{
	if (w->taken == w->given)
		return NULL;
	uint64_t k = w->taken++;
	pthread_mutex_lock(&w->lock);
	while (!w->done[k % w->n_jobs]) {
		if (w->begun < w->given)
			run_next(w);
		else
			pthread_cond_wait(&w->finished, &w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return job(w, k);
}

void
rp_work_return(struct rp_work *w)
{
	w->returned++;
}

void
rp_work_free(struct rp_work *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_broadcast(&w->more);
	pthread_mutex_unlock(&w->lock);
	for (unsigned i = 0; i < w->n_threads; i++)
		pthread_join(w->thread[i], NULL);
	pthread_cond_destroy(&w->finished);
	pthread_cond_destroy(&w->more);
	pthread_mutex_destroy(&w->lock);
	free(w->done);
	free(w);
}
