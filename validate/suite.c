/* suite.c - scans by the thousand. */
#include "config.h"

#include "validate/suite.h"

#include "base/mem.h"
#include "base/rng.h"

#include <inttypes.h>
#include <string.h>

/* A part of the checks: makes the i-th case. Gives the phases (free). */
struct part {
	const struct rp_suite *s;
	bool (*make)(const struct part *p, uint64_t i, struct rp_scan_case *c, struct rp_err *err);
	const void *of; /* make's */
};

/* What a job works with. */
struct state {
	const struct part *part;
	struct rp_scan_bench *bench;
	struct rp_suite_own *own;
	struct rp_scan_own *one;
	uint64_t higher, lower; /* certified cases where LRU misses more than TTL, and less */
};

/* What all jobs found. */
struct found {
	struct rp_suite_own *own;
	size_t n_own;
	uint64_t higher, lower;
};

/* Widens low .. high (0, 0: nothing yet) to a ratio; one over 0 says nothing. */
static void
spread(double *low, double *high, uint64_t misses, uint64_t of)
{
	double ratio = (double)misses / (double)of;
	if (!of)
		return;
	*low = *high > 0 ? fmin(*low, ratio) : ratio;
	*high = fmax(*high, ratio);
}

/* The same to another range. */
static void
join(double *low, double *high, double low_too, double high_too)
{
	if (!(high_too > 0))
		return;
	*low = *high > 0 ? fmin(*low, low_too) : low_too;
	*high = fmax(*high, high_too);
}

static void
add_own(struct rp_suite_own *to, const struct rp_scan_own *one)
{
	if (!one->fits)
		return;
	spread(&to->bound_low, &to->bound_high, one->misses, one->bound);
	spread(&to->least_low, &to->least_high, one->misses, one->least);
	to->cases++;
	to->below += one->misses < one->bound;
	to->misses += one->misses;
	to->bound += one->bound;
	to->least += one->least;
}

static void
move_own(struct rp_suite_own *to, struct rp_suite_own *from)
{
	join(&to->bound_low, &to->bound_high, from->bound_low, from->bound_high);
	join(&to->least_low, &to->least_high, from->least_low, from->least_high);
	to->cases += from->cases;
	to->below += from->below;
	to->misses += from->misses;
	to->bound += from->bound;
	to->least += from->least;
	*from = (struct rp_suite_own){ 0 };
}

static bool
run_case(void *state, const void *of, uint64_t i, struct rp_checks *checks, struct rp_err *err)
{
	struct state *j = state;
	const struct part *p = of;
	struct rp_scan_case c = { 0 };
	struct rp_scan_result result;
	bool ok =
	    p->make(p, i, &c, err) && rp_scan_check(j->bench, &c, checks, j->one, &result, err);
	free((void *)(uintptr_t)c.scan.phase);
	if (!ok)
		return false;
	for (size_t k = 0; k < p->s->how.n_own; k++)
		add_own(&j->own[k], &j->one[k]);
	j->higher += result.certified && result.lru > result.ttl;
	j->lower += result.certified && result.lru < result.ttl;
	return true;
}

static bool
open_state(void *state, const void *of, struct rp_err *err)
{
	struct state *j = state;
	j->part = of;
	size_t n_own = j->part->s->how.n_own;
	return (j->bench = rp_scan_bench_new(&j->part->s->how, err)) &&
	       (j->own = rp_mem_array(n_own, sizeof *j->own, err)) &&
	       (j->one = rp_mem_array(n_own, sizeof *j->one, err));
}

static void
close_state(void *state)
{
	struct state *j = state;
	rp_scan_bench_free(j->bench);
	free(j->own);
	free(j->one);
}

static void
collect(void *state, void *to)
{
	struct state *j = state;
	struct found *f = to;
	for (size_t i = 0; i < f->n_own; i++)
		move_own(&f->own[i], &j->own[i]);
	f->higher += j->higher;
	f->lower += j->lower;
	j->higher = j->lower = 0;
}

static bool
run_part(struct rp_suite *s, const struct part *p, uint64_t n, struct found *f, struct rp_err *err)
{
	const struct rp_cases cases = { .n = n,
		.of = p,
		.state_bytes = sizeof(struct state),
		.open = open_state,
		.run = run_case,
		.collect = collect,
		.to = f,
		.close = close_state };
	f->own = s->own;
	f->n_own = s->how.n_own;
	return rp_cases_run(&cases, &s->cases, &s->checks, err);
}

/* ---- All small scans ---- */

enum { RING_LEAST = 2, RING_MOST = 6, WORKERS_MOST = 3 };

/* Case i of N M-vectors of phases by C; the order of the paper's sum. */
static bool
make_small(const struct part *p, uint64_t i, struct rp_scan_case *c, struct rp_err *err)
{
	(void)p;
	for (uint64_t N = RING_LEAST; N <= RING_MOST; N++)
		for (uint32_t M = 1, n = (uint32_t)N; M <= WORKERS_MOST; M++, n *= (uint32_t)N) {
			if (i >= n * (N - 1)) {
				i -= n * (N - 1);
				continue;
			}
			uint64_t *phase = rp_mem_array(M, sizeof *phase, err), vector = i / (N - 1);
			*c = (struct rp_scan_case){ .scan = { phase, M, N, 6 * N, 64 },
				.capacity = 1 + i % (N - 1) };
			for (uint32_t m = 0; phase && m < M; m++, vector /= N)
				phase[m] = vector % N;
			return phase;
		}
	return rp_fail(err, RP_FAILED, "no case %" PRIu64 ": please report this", i);
}

static bool
tell_small(const void *it, struct rp_buf *to, struct rp_err *err)
{
	(void)it;
	return rp_buf_printf(to, err, "reprise validate pascal --exhaustive\n");
}

/* How often each kind of case comes up, as a brute force without any of this code found. */
static bool
check_enumeration(struct rp_suite *s, const uint64_t *cases, const uint64_t *fails, uint64_t higher,
    uint64_t lower, struct rp_err *err)
{
	static const struct {
		const char *what;
		enum rp_theorem t;
		uint64_t cases, fails;
	} want[] = { { "D > C", RP_WITHOUT_CERTIFICATE, 700, 70 },
		{ "D <= C, lower end 0", RP_WITHOUT_SHARP_END, 1554, 630 },
		{ "D <= C, LRU differs from TTL", RP_WITHOUT_TTL_IS_LRU, 1554, 349 } };
	struct rp_checks *c = &s->checks;
	rp_checks_begin(c, tell_small, NULL);
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		struct rp_check_count *n = &c->count[want[i].t];
		rp_check(c, RP_ENUMERATION,
		    n->cases - cases[want[i].t] == want[i].cases &&
			n->violations - fails[want[i].t] == want[i].fails,
		    INFINITY,
		    "%s: %" PRIu64 " of %" PRIu64 " cases, wanted %" PRIu64 " of %" PRIu64,
		    want[i].what, n->violations - fails[want[i].t], n->cases - cases[want[i].t],
		    want[i].fails, want[i].cases);
	}
	rp_check(c, RP_ENUMERATION, higher == 224 && lower == 125, INFINITY,
	    "LRU misses more than TTL in %" PRIu64 " cases and less in %" PRIu64
	    ", wanted 224 and 125",
	    higher, lower);
	return rp_checks_end(c, err);
}

bool
rp_suite_exhaustive(struct rp_suite *s, struct rp_err *err)
{
	struct found f = { 0 };
	uint64_t n = 0, cases[RP_THEOREMS], fails[RP_THEOREMS];
	const struct part p = { .s = s, .make = make_small };
	bool without = s->how.without;
	for (uint64_t N = RING_LEAST; N <= RING_MOST; N++)
		n += (N - 1) * (N + N * N + N * N * N);
	for (unsigned t = 0; t < RP_THEOREMS; t++) {
		cases[t] = s->checks.count[t].cases;
		fails[t] = s->checks.count[t].violations;
	}
	s->how.without = true;
	bool ok = run_part(s, &p, n, &f, err) &&
	          check_enumeration(s, cases, fails, f.higher, f.lower, err);
	s->how.without = without;
	return ok;
}

/* ---- Random scans ---- */

static uint64_t
between(struct rp_rng *rng, uint64_t low, uint64_t high)
{
	return low + rp_rng_below(rng, high - low + 1);
}

/* Phases of all kinds: spread, in a few clusters, mostly together. */
static void
draw_phases(struct rp_rng *rng, uint64_t *phase, uint32_t workers, uint64_t blocks)
{
	uint64_t kind = rp_rng_below(rng, 4), centres = between(rng, 1, 4),
		 width = 1 + rp_rng_below(rng, blocks), at[4];
	for (size_t i = 0; i < 4; i++)
		at[i] = rp_rng_below(rng, blocks);
	for (uint32_t m = 0; m < workers; m++)
		phase[m] = kind < 2 ? rp_rng_below(rng, blocks)
		                    : (at[rp_rng_below(rng, centres)] +
					  (kind == 2 ? 0 : rp_rng_below(rng, width))) %
		                          blocks;
}

/* A capacity: any, or one on or beside a footprint, D, N, 1. */
static bool
draw_capacity(struct rp_rng *rng, struct rp_scan_case *c, struct rp_err *err)
{
	uint64_t N = c->scan.blocks, near = 0;
	struct rp_pascal *p = rp_pascal_new(c->scan.phase, c->scan.workers, N, err);
	if (!p)
		return false;
	switch (rp_rng_below(rng, 8)) {
	case 0:
		near = N - 1;
		break;
	case 1:
		near = p->distinct;
		break;
	case 2:
	case 3:
		near = rp_pascal_footprint(p, 1 + rp_rng_below(rng, N));
		break;
	default:
		near = between(rng, 1, N);
	}
	near += rp_rng_below(rng, 3);
	c->capacity = near > 1 ? near - 1 : 1;
	rp_pascal_free(p);
	return true;
}

static bool
make_random(const struct part *p, uint64_t i, struct rp_scan_case *c, struct rp_err *err)
{
	const struct rp_suite *s = p->s;
	struct rp_rng rng = rp_rng_for(s->seed + i, "validate/random", 0);
	uint64_t N = between(&rng, s->blocks[0], s->blocks[1]);
	uint32_t M = (uint32_t)between(&rng, s->workers[0], s->workers[1]);
	uint64_t *phase = rp_mem_array(M, sizeof *phase, err);
	*c = (struct rp_scan_case){ .scan = { phase, M, N, rp_scan_rounds(N, M), s->how.lab.line },
		.capacity = s->capacity };
	if (!phase)
		return false;
	draw_phases(&rng, phase, M, N);
	return s->capacity || draw_capacity(&rng, c, err);
}

bool
rp_suite_random(struct rp_suite *s, uint64_t n, struct rp_err *err)
{
	struct found f = { 0 };
	const struct part p = { .s = s, .make = make_random };
	return run_part(s, &p, n, &f, err);
}

/* ---- One ---- */

static bool
make_one(const struct part *p, uint64_t i, struct rp_scan_case *c, struct rp_err *err)
{
	const struct rp_scan_case *of = p->of;
	uint64_t *phase = rp_mem_array(of->scan.workers, sizeof *phase, err);
	(void)i;
	*c = *of;
	c->scan.phase = phase;
	if (phase)
		memcpy(phase, of->scan.phase, of->scan.workers * sizeof *phase);
	return phase;
}

bool
rp_suite_one(struct rp_suite *s, const struct rp_scan_case *c, struct rp_err *err)
{
	struct found f = { 0 };
	const struct part p = { .s = s, .make = make_one, .of = c };
	return run_part(s, &p, 1, &f, err);
}
