/* check_recurrence.c - pipelines of d buffers, walked through copy by copy, held against the recurrence (PASCAL, section 3.6
 * and Theorem 6).
 *
 * The walk is the kernel's own program: a queue of copies under way, a clock that waits for the oldest, takes beta to consume
 * it and issue the next, and alpha to the wait after. */
#include "config.h"

#include "validate/recurrence.h"
#include "validate/suite.h"

#include "base/mem.h"
#include "base/rng.h"

#include <inttypes.h>
#include <string.h>

enum { ISSUES = 600, DEPTH_MOST = 9 };

/* A pipeline and latencies of its own between hit and miss. */
struct pipe {
	struct rp_pipeline p;
	rp_wide init[DEPTH_MOST], latency[ISSUES], hits[ISSUES], misses[ISSUES];
};

struct drawn {
	uint64_t seed;
	struct pipe one, two;
};

static bool
tell_pipe(const struct pipe *w, struct rp_buf *to, struct rp_err *err)
{
	char text[4][RP_WIDE_ROOM];
	return rp_buf_printf(to, err,
	    "d = %" PRIu32 ", alpha = %s, beta = %s, hit = %s, miss = %s, in 1/%llu ticks\n",
	    w->p.depth, rp_wide_print(text[0], w->p.alpha), rp_wide_print(text[1], w->p.beta),
	    rp_wide_print(text[2], w->p.hit), rp_wide_print(text[3], w->p.miss),
	    (unsigned long long)w->p.unit);
}

static bool
tell(const void *it, struct rp_buf *to, struct rp_err *err)
{
	const struct drawn *d = it;
	return tell_pipe(&d->one, to, err) && tell_pipe(&d->two, to, err) &&
	       rp_buf_printf(
		   to, err, "reprise validate pascal --recurrence --seed %" PRIu64 "\n", d->seed);
}

static void
draw_pipe(struct pipe *w, rp_wide unit, struct rp_rng *rng)
{
	uint64_t scale = (uint64_t)unit, most = rp_rng_below(rng, 2) ? 40 : 1000;
	w->p = (struct rp_pipeline){ .depth = 2 + (uint32_t)rp_rng_below(rng, DEPTH_MOST - 1),
		.unit = unit,
		.init = w->init };
	w->p.alpha = (rp_wide)rp_rng_below(rng, most * scale);
	w->p.beta = 1 + (rp_wide)rp_rng_below(rng, most * scale);
	w->p.hit = (rp_wide)rp_rng_below(rng, 4 * most * scale);
	w->p.miss = w->p.hit + (rp_wide)rp_rng_below(rng, 4 * most * scale);
	for (uint32_t i = 0; i < w->p.depth - 1; i++)
		w->init[i] = (i ? w->init[i - 1] : 0) + (rp_wide)rp_rng_below(rng, 20 * scale);
	for (size_t k = 0; k < ISSUES; k++) {
		w->hits[k] = w->p.hit;
		w->misses[k] = w->p.miss;
		w->latency[k] =
		    w->p.hit + (rp_wide)rp_rng_below(rng, (uint64_t)(w->p.miss - w->p.hit) + 1);
	}
}

/* ---- The walk ---- */

/* Issue times of the first ISSUES copies. */
static void
walk(const struct pipe *w, const rp_wide *latency, rp_wide *issue)
{
	rp_wide arrives[DEPTH_MOST], now = 0; /* a queue of the copies under way */
	uint32_t slots = w->p.depth - 1, oldest = 0;
	size_t issued = 0;
	for (; issued < slots; issued++) {
		now = issue[issued] = w->init[issued];
		arrives[issued] = now + latency[issued];
	}
	while (issued < ISSUES) {
		now += w->p.alpha;
		if (now < arrives[oldest])
			now = arrives[oldest];
		now += w->p.beta;
		issue[issued] = now;
		arrives[oldest] = now + latency[issued++];
		oldest = oldest + 1 < slots ? oldest + 1 : 0;
	}
}

/* ---- Held against the closed forms ---- */

/* a - b as parts of the pipeline's unit times the fraction's denominator: exact. */
static rp_wide
over(rp_wide parts, const struct rp_pipeline *p, size_t n, struct rp_fraction period,
    struct rp_fraction rest)
{
	/* parts / unit - n period - rest, times unit and both denominators */
	return parts * period.den * rest.den - (rp_wide)n * period.num * rest.den * p->unit -
	       rest.num * period.den * p->unit;
}

static double
ticks(rp_wide product, const struct rp_pipeline *p, struct rp_fraction a, struct rp_fraction b)
{
	return (double)product / (double)p->unit / (double)a.den / (double)b.den;
}

static void
compare_issues(
    const struct pipe *w, const rp_wide *latency, const rp_wide *walked, struct rp_checks *c)
{
	rp_wide issue[ISSUES];
	rp_pipeline_issues(&w->p, latency, 1, ISSUES, issue);
	for (size_t n = 0; n < ISSUES; n++)
		rp_check(c, RP_RECURRENCE, issue[n] == walked[n], INFINITY,
		    "issue %zu: %.17g parts by walking, %.17g by the recurrence", n,
		    (double)walked[n], (double)issue[n]);
}

/* n P + lower <= I_n <= n P + upper. */
static void
compare_period(const struct pipe *w, rp_wide latency, const rp_wide *walked, struct rp_checks *c)
{
	struct rp_fraction period = rp_pipeline_period(&w->p, latency),
			   upper = rp_pipeline_upper(&w->p, latency),
			   lower = rp_pipeline_lower(&w->p, latency);
	for (size_t n = w->p.depth - 1; n < ISSUES; n++) {
		rp_wide above = -over(walked[n], &w->p, n, period, upper),
			below = over(walked[n], &w->p, n, period, lower);
		double slack =
		    fmin(ticks(above, &w->p, period, upper), ticks(below, &w->p, period, lower));
		rp_check(c, RP_RECURRENCE_PERIOD, above >= 0 && below >= 0, slack,
		    "issue %zu at %.17g ticks: wanted n P + %g .. n P + %g, P = %g", n,
		    (double)walked[n] / (double)w->p.unit, rp_fraction_double(lower),
		    rp_fraction_double(upper), rp_fraction_double(period));
	}
}

/* Eq. 13, and that it is what a walk of misses takes longer than one of hits. */
static void
compare_gain(const struct pipe *w, const rp_wide *hits, const rp_wide *misses, struct rp_checks *c)
{
	struct rp_fraction gain = rp_pipeline_gain(&w->p), overlap = rp_pipeline_overlap(&w->p),
			   hit = rp_pipeline_period(&w->p, w->p.hit),
			   miss = rp_pipeline_period(&w->p, w->p.miss);
	rp_check(c, RP_RECURRENCE_GAIN,
	    gain.num * hit.den * miss.den == (miss.num * hit.den - hit.num * miss.den) * gain.den,
	    INFINITY, "G = %g, P(miss) - P(hit) = %g - %g", rp_fraction_double(gain),
	    rp_fraction_double(miss), rp_fraction_double(hit));
	bool hidden = w->p.miss * overlap.den <= overlap.num * w->p.unit;
	rp_check(c, RP_RECURRENCE_GAIN, (gain.num == 0) == (hidden || w->p.hit == w->p.miss),
	    INFINITY, "G = %g where the overlap is %g and a miss takes %g",
	    rp_fraction_double(gain), rp_fraction_double(overlap),
	    (double)w->p.miss / (double)w->p.unit);
	/* Walked: the difference after n copies is n G, up to what bounds each of the two. */
	struct rp_fraction up = rp_pipeline_upper(&w->p, w->p.miss),
			   down = rp_pipeline_lower(&w->p, w->p.hit);
	size_t n = ISSUES - 1;
	double most = (double)n * rp_fraction_double(gain) + rp_fraction_double(up) -
	              rp_fraction_double(down),
	       least = (double)n * rp_fraction_double(gain) +
	               rp_fraction_double(rp_pipeline_lower(&w->p, w->p.miss)) -
	               rp_fraction_double(rp_pipeline_upper(&w->p, w->p.hit)),
	       apart = (double)(misses[n] - hits[n]) / (double)w->p.unit,
	       blur = 1e-9 * (1 + fabs(most) + fabs(least));
	rp_check(c, RP_RECURRENCE_GAIN, apart >= least - blur && apart <= most + blur, INFINITY,
	    "misses are %g ticks later than hits after %zu copies: wanted %g to %g", apart, n,
	    least, most);
}

static void
compare_between(const struct pipe *w, const rp_wide *hits, const rp_wide *any,
    const rp_wide *misses, struct rp_checks *c)
{
	for (size_t n = 0; n < ISSUES; n++)
		rp_check(c, RP_RECURRENCE_BETWEEN, hits[n] <= any[n] && any[n] <= misses[n],
		    (double)(any[n] - hits[n] < misses[n] - any[n] ? any[n] - hits[n]
								   : misses[n] - any[n]) /
			(double)w->p.unit,
		    "issue %zu: %g ticks, hits alone %g, misses alone %g", n,
		    (double)any[n] / (double)w->p.unit, (double)hits[n] / (double)w->p.unit,
		    (double)misses[n] / (double)w->p.unit);
}

/* I_2,n - I_1,n >= n eps - slack, whatever the latencies of both are. */
static void
compare_apart(
    const struct drawn *d, const rp_wide *first, const rp_wide *second, struct rp_checks *c)
{
	struct rp_separation s = rp_pipeline_separation(&d->one.p, &d->two.p);
	if (s.eps.num <= 0)
		return;
	struct rp_fraction minus = { -s.slack.num, s.slack.den };
	for (size_t n = 0; n < ISSUES; n++) {
		rp_wide more = over(second[n] - first[n], &d->one.p, n, s.eps, minus);
		rp_check(c, RP_RECURRENCE_APART, more >= 0, ticks(more, &d->one.p, s.eps, minus),
		    "issue %zu: %g ticks apart, wanted n eps - %g at least, eps = %g", n,
		    (double)(second[n] - first[n]) / (double)d->one.p.unit,
		    rp_fraction_double(s.slack), rp_fraction_double(s.eps));
	}
}

/* What a job works with: issue times of each pipeline under hits, misses and latencies between. */
struct state {
	struct drawn drawn;
	rp_wide hits[2][ISSUES], any[2][ISSUES], misses[2][ISSUES];
};

static bool
run_pipes(void *state, const void *of, uint64_t i, struct rp_checks *c, struct rp_err *err)
{
	struct state *s = state;
	struct drawn *d = &s->drawn;
	d->seed = ((const struct rp_suite *)of)->seed + i;
	struct rp_rng rng = rp_rng_for(d->seed, "validate/recurrence", 0);
	rp_wide unit = rp_rng_below(&rng, 2) ? 1 : (rp_wide)(1 + rp_rng_below(&rng, 12));
	struct pipe *pipes[2] = { &d->one, &d->two };
	rp_checks_begin(c, tell, d);
	for (size_t k = 0; k < 2; k++) {
		struct pipe *w = pipes[k];
		draw_pipe(w, unit, &rng);
		if (!rp_pipeline_check(&w->p, err))
			return false;
		walk(w, w->hits, s->hits[k]);
		walk(w, w->misses, s->misses[k]);
		walk(w, w->latency, s->any[k]);
		compare_issues(w, w->latency, s->any[k], c);
		compare_period(w, w->p.hit, s->hits[k], c);
		compare_period(w, w->p.miss, s->misses[k], c);
		compare_gain(w, s->hits[k], s->misses[k], c);
		compare_between(w, s->hits[k], s->any[k], s->misses[k], c);
	}
	compare_apart(d, s->misses[0], s->hits[1], c);
	compare_apart(d, s->any[0], s->any[1], c);
	return rp_checks_end(c, err);
}

bool
rp_suite_recurrence(struct rp_suite *s, uint64_t n, struct rp_err *err)
{
	const struct rp_cases cases = {
		.n = n, .of = s, .state_bytes = sizeof(struct state), .run = run_pipes
	};
	return rp_cases_run(&cases, &s->cases, &s->checks, err);
}

/* ---- Where Theorem 6 needs endless refill ---- */

/* A scan of N copies primes its buffers, refills while there are copies left, and drains: it takes longer than N P. */
static bool
scan_is_longer(void)
{
	enum { D = 4, N = 12, ALPHA = 20, BETA = 100, LATENCY = 600 };
	const struct rp_pipeline p = {
		.depth = D, .unit = 1, .alpha = ALPHA, .beta = BETA, .hit = LATENCY, .miss = LATENCY
	};
	struct rp_fraction period = rp_pipeline_period(&p, LATENCY);
	rp_wide arrives[N], now = 0;
	for (size_t k = 0; k < D - 1; k++)
		arrives[k] = now + LATENCY;
	for (size_t k = 0; k < N; k++) {
		now = (now > arrives[k] ? now : arrives[k]) + BETA;
		if (k + D - 1 < N)
			arrives[k + D - 1] = now + LATENCY;
		now += ALPHA;
	}
	return now * period.den > N * period.num;
}

bool
rp_suite_recurrence_conditions(struct rp_suite *s, struct rp_err *err)
{
	rp_checks_begin(&s->checks, NULL, NULL);
	rp_check_without(&s->checks, RP_WITHOUT_REFILL, scan_is_longer());
	return rp_checks_end(&s->checks, err);
}
