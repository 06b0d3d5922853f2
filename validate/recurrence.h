/* recurrence.h - issue times of a copy pipeline and what hits can catch up (PASCAL, section 3.6 and Theorem 6).
 *
 * A worker with d >= 2 buffers has r = d - 1 copies under way. Copy k takes lambda_k; alpha from an issue to the next wait,
 * beta > 0 from the end of that wait to the issue that refills the buffer:
 *
 *	I[k + r] = max( I[k + r - 1] + alpha, I[k] + lambda_k ) + beta                        (Eq. 10)
 *	P(lambda) = lim I[n] / n = max( alpha + beta, (lambda + beta) / r )                   (Eq. 11)
 *
 * All times are whole numbers of a common unit, 1 / `unit`, so that rational ones are exact too. With d = 1 there is no
 * recurrence and no P: the kernel is serial. The theorem is about endless refill; a finite scan adds the time to fill and to
 * drain the pipeline. */
#ifndef RP_VALIDATE_RECURRENCE_H
#define RP_VALIDATE_RECURRENCE_H

#include "base/err.h"
#include "validate/fraction.h"

#include <stdbool.h>

struct rp_pipeline {
	uint32_t depth; /* d, 2 to RP_DEPTH_MOST */
	rp_wide unit;   /* parts of a tick; at least 1, below 2^40 */
	rp_wide alpha, beta, hit,
	    miss;            /* in those parts, below RP_TIME_MOST, beta above 0; hit <= miss */
	const rp_wide *init; /* I[0 .. r - 1]; NULL: all 0. Borrowed */
};

enum { RP_DEPTH_MOST = 1 << 20 };
/* In parts. Nothing that follows needs more than 2 + 60 + 3 * 20 bits, nor do 2^32 issues. */
#define RP_TIME_MOST ((rp_wide)1 << 60)

/* RP_USAGE unless all of that holds. */
bool rp_pipeline_check(const struct rp_pipeline *p, struct rp_err *err);

/* P(latency) in ticks, the time for each copy in the long run. */
struct rp_fraction rp_pipeline_period(const struct rp_pipeline *p, rp_wide latency);

/* theta = (d - 1)(alpha + beta) - beta, the latency that the pipeline hides, in ticks; G = P(miss) - P(hit), the time that
 * hits in place of misses save for each copy (Eq. 13). 0 if and only if misses are hidden or are as fast as hits. */
struct rp_fraction rp_pipeline_overlap(const struct rp_pipeline *p);
struct rp_fraction rp_pipeline_gain(const struct rp_pipeline *p);

/* With one latency, n P + lower <= I[n] <= n P + upper, in ticks; from n = d - 1 on. */
struct rp_fraction rp_pipeline_upper(const struct rp_pipeline *p, rp_wide latency);
struct rp_fraction rp_pipeline_lower(const struct rp_pipeline *p, rp_wide latency);

/* I[0 .. n - 1], in parts, with lambda_k = latency[k * step]: step 0 for a constant one. */
void rp_pipeline_issues(
    const struct rp_pipeline *p, const rp_wide *latency, size_t step, size_t n, rp_wide *issue);

/* Whether the second worker falls behind the first whatever each one's latencies between its hit and its miss are: eps = P_2(hit
 * of 2) - P_1(miss of 1) > 0, and then I_2[n] - I_1[n] >= n eps - slack from n = d_2 - 1 on (Eq. 12). Both pipelines have
 * one unit. */
struct rp_separation {
	struct rp_fraction eps, slack; /* ticks for each copy; ticks */
};
struct rp_separation rp_pipeline_separation(
    const struct rp_pipeline *first, const struct rp_pipeline *second);

#endif
