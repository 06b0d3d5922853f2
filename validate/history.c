/* history.c - reuse distances and spread of scans whose workers progress at their own pace. */
#include "config.h"

#include "validate/history.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

bool
rp_history_spread(const struct rp_history *h, uint64_t *sigma, struct rp_err *err)
{
	uint64_t *done = rp_mem_array(h->workers, sizeof *done, err), most = 0, least = 0,
		 spread = 0;
	uint32_t at_least = h->workers; /* workers that have done no more than `least` */
	if (!done)
		return false;
	for (size_t u = 0; u < h->events; u++) {
		uint64_t *n = &done[h->worker[u]];
		at_least -= *n == least;
		if (++*n > most)
			most = *n;
		/* The last one leaves: all are a step on, since counts rise by one. */
		if (!at_least) {
			least++;
			for (uint32_t i = 0; i < h->workers; i++)
				at_least += done[i] == least;
		}
		if (most - least > spread)
			spread = most - least;
	}
	free(done);
	*sigma = spread;
	return true;
}

/* What the distances of a history need. */
struct progress {
	const struct rp_history *h;
	uint64_t *done; /* M: requests of each worker so far */
	uint64_t
	    *done_by; /* N M: the same when each block was last requested, that request included */
	bool *seen;   /* N: whether it was */
	struct interval {
		uint64_t from, to;
	} * interval; /* 2 M */
};

static int
by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;
	return x->from < y->from ? -1 : x->from > y->from;
}

static uint64_t
phase_of(const struct rp_history *h, uint32_t i)
{
	return h->phase ? h->phase[i] : 0;
}

/* The cyclic interval of each worker's requests since `then`, as ordinary ones: how many. Each is shorter than the ring, or
 * the block would have been requested in it. */
static size_t
intervals_since(struct progress *p, const uint64_t *then)
{
	uint64_t blocks = p->h->blocks;
	size_t n = 0;
	for (uint32_t i = 0; i < p->h->workers; i++) {
		uint64_t count = p->done[i] - then[i];
		if (!count)
			continue;
		uint64_t from = (phase_of(p->h, i) + then[i]) % blocks, to = from + count;
		p->interval[n++] = (struct interval){ from, to < blocks ? to : blocks };
		if (to > blocks)
			p->interval[n++] = (struct interval){ 0, to - blocks };
	}
	return n;
}

static uint64_t
size_of_union(struct interval *interval, size_t n)
{
	uint64_t size = 0, end = 0;
	qsort(interval, n, sizeof *interval, by_start);
	for (size_t i = 0; i < n; i++) {
		uint64_t from = interval[i].from > end ? interval[i].from : end;
		if (interval[i].to <= from)
			continue;
		size += interval[i].to - from;
		end = interval[i].to;
	}
	return size;
}

static bool
progress_new(struct progress *p, const struct rp_history *h, struct rp_err *err)
{
	*p = (struct progress){ .h = h };
	p->done = rp_mem_array(h->workers, sizeof *p->done, err);
	p->interval = rp_mem_array((size_t)h->workers * 2, sizeof *p->interval, err);
	p->seen = rp_mem_array(h->blocks, sizeof *p->seen, err);
	p->done_by = rp_mem_array(h->blocks, h->workers * sizeof *p->done_by, err);
	return p->done && p->interval && p->seen && p->done_by;
}

static void
progress_free(struct progress *p)
{
	free(p->done);
	free(p->interval);
	free(p->seen);
	free(p->done_by);
}

bool
rp_history_distances(const struct rp_history *h, uint64_t *rd, struct rp_err *err)
{
	struct progress p;
	bool ok = progress_new(&p, h, err);
	for (size_t u = 0; ok && u < h->events; u++) {
		uint32_t i = h->worker[u];
		uint64_t block = (phase_of(h, i) + p.done[i]) % h->blocks;
		uint64_t *then = p.done_by + block * h->workers;
		rd[u] = p.seen[block] ? size_of_union(p.interval, intervals_since(&p, then))
		                      : RP_HISTORY_COLD;
		p.done[i]++;
		p.seen[block] = true;
		memcpy(then, p.done, h->workers * sizeof *then);
	}
	progress_free(&p);
	return ok;
}
