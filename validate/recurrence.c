/* recurrence.c - issue times of a copy pipeline. */
#include "config.h"

#include "validate/recurrence.h"

static rp_wide
init_of(const struct rp_pipeline *p, uint32_t j)
{
	return p->init ? p->init[j] : 0;
}

static bool
is_time(rp_wide x)
{
	return x >= 0 && x < RP_TIME_MOST;
}

bool
rp_pipeline_check(const struct rp_pipeline *p, struct rp_err *err)
{
	if (p->depth < 2 || p->depth > RP_DEPTH_MOST)
		return rp_fail(err, RP_USAGE,
		    "depth %u: wanted 2 to %d; with one buffer the kernel is serial and has no "
		    "recurrence",
		    p->depth, RP_DEPTH_MOST);
	if (p->beta <= 0)
		return rp_fail(err, RP_USAGE, "beta: wanted more than 0");
	bool ok = is_time(p->alpha) && is_time(p->beta) && is_time(p->hit) && is_time(p->miss);
	for (uint32_t j = 0; p->init && j + 1 < p->depth; j++)
		ok = ok && is_time(p->init[j]);
	if (!ok || p->unit < 1 || p->unit >= (rp_wide)1 << 40)
		return rp_fail(err, RP_USAGE,
		    "a time is negative, or too large or too finely divided to be exact");
	if (p->hit > p->miss)
		return rp_fail(err, RP_USAGE, "a hit takes longer than a miss");
	return true;
}

/* Copies under way. */
static rp_wide
under_way(const struct rp_pipeline *p)
{
	return p->depth - 1;
}

/* The two sides of Eq. 11, in parts for r copies: own work, and waiting for each copy. */
static rp_wide
working(const struct rp_pipeline *p)
{
	return under_way(p) * (p->alpha + p->beta);
}

static rp_wide
waiting(const struct rp_pipeline *p, rp_wide latency)
{
	return latency + p->beta;
}

static rp_wide
period(const struct rp_pipeline *p, rp_wide latency)
{
	rp_wide a = working(p), b = waiting(p, latency);
	return a > b ? a : b;
}

struct rp_fraction
rp_pipeline_period(const struct rp_pipeline *p, rp_wide latency)
{
	return rp_fraction(period(p, latency), under_way(p) * p->unit);
}

struct rp_fraction
rp_pipeline_overlap(const struct rp_pipeline *p)
{
	return rp_fraction(working(p) - p->beta, p->unit);
}

struct rp_fraction
rp_pipeline_gain(const struct rp_pipeline *p)
{
	return rp_fraction(period(p, p->miss) - period(p, p->hit), under_way(p) * p->unit);
}

/* I[j] - j P in parts of r. */
static rp_wide
ahead(const struct rp_pipeline *p, rp_wide latency, uint32_t j)
{
	return init_of(p, j) * under_way(p) - j * period(p, latency);
}

/* By induction on n: neither side of Eq. 10 adds more than its number of copies times P. */
static rp_wide
upper(const struct rp_pipeline *p, rp_wide latency)
{
	rp_wide most = ahead(p, latency, 0);
	for (uint32_t j = 1; j + 1 < p->depth; j++) {
		rp_wide x = ahead(p, latency, j);
		most = x > most ? x : most;
	}
	return most;
}

/* The side of Eq. 10 that gives P, all the way: from I[r - 1] a copy at a time, or from I[n mod r] r copies at a time. */
static rp_wide
lower(const struct rp_pipeline *p, rp_wide latency)
{
	rp_wide from_last = ahead(p, latency, p->depth - 2), least = from_last;
	for (uint32_t j = 0; j + 2 < p->depth; j++) {
		rp_wide x = ahead(p, latency, j);
		least = x < least ? x : least;
	}
	return working(p) >= waiting(p, latency) ? from_last : least;
}

struct rp_fraction
rp_pipeline_upper(const struct rp_pipeline *p, rp_wide latency)
{
	return rp_fraction(upper(p, latency), under_way(p) * p->unit);
}

struct rp_fraction
rp_pipeline_lower(const struct rp_pipeline *p, rp_wide latency)
{
	return rp_fraction(lower(p, latency), under_way(p) * p->unit);
}

void
rp_pipeline_issues(
    const struct rp_pipeline *p, const rp_wide *latency, size_t step, size_t n, rp_wide *issue)
{
	size_t r = p->depth - 1;
	for (size_t k = 0; k < n; k++) {
		if (k < r) {
			issue[k] = init_of(p, (uint32_t)k);
			continue;
		}
		rp_wide ready = issue[k - 1] + p->alpha,
			arrives = issue[k - r] + latency[(k - r) * step];
		issue[k] = (ready > arrives ? ready : arrives) + p->beta;
	}
}

struct rp_separation
rp_pipeline_separation(const struct rp_pipeline *first, const struct rp_pipeline *second)
{
	rp_wide r1 = under_way(first), r2 = under_way(second), all = r1 * r2 * first->unit;
	return (struct rp_separation){
		.eps = rp_fraction(
		    period(second, second->hit) * r1 - period(first, first->miss) * r2, all),
		.slack = rp_fraction(
		    upper(first, first->miss) * r2 - lower(second, second->hit) * r1, all),
	};
}
