/* check_pairs.c - scans in company: pairs that differ a little (PASCAL, Proposition 7), sets that blocks are mapped to at
 * random (Eq. 6), and examples where statements fail without their condition. */
#include "config.h"

#include "validate/margin.h"
#include "validate/sdcm.h"
#include "validate/suite.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"

#include <inttypes.h>
#include <string.h>

enum { WORKERS_MOST = 24, ROWS = 4096 };

/* ---- Proposition 7 ---- */

struct pair {
	uint64_t seed, capacity, blocks;
	uint32_t workers;
	uint64_t phase[2][WORKERS_MOST];
};

static bool
tell_pair(const void *it, struct rp_buf *to, struct rp_err *err)
{
	const struct pair *p = it;
	bool ok = rp_buf_printf(
	    to, err, "N = %" PRIu64 ", C = %" PRIu64 ", phases", p->blocks, p->capacity);
	for (int k = 0; k < 2; k++)
		for (uint32_t m = 0; ok && m < p->workers; m++)
			ok = rp_buf_printf(to, err, "%s%" PRIu64,
			    m   ? ","
			    : k ? " and "
				: " ",
			    p->phase[k][m]);
	return ok && rp_buf_printf(to, err,
			 "\nreprise validate pascal --random 1 --seed %" PRIu64 "\n", p->seed);
}

static void
draw_pair(struct pair *p, struct rp_rng *rng)
{
	uint64_t most = rp_rng_below(rng, 2) ? 2 : 8;
	p->blocks = 8 + rp_rng_below(rng, 120);
	p->workers = 1 + (uint32_t)rp_rng_below(rng, 12);
	p->capacity = 1 + rp_rng_below(rng, p->blocks - 1);
	for (uint32_t m = 0; m < p->workers; m++) {
		p->phase[0][m] = rp_rng_below(rng, p->blocks);
		p->phase[1][m] = (p->phase[0][m] + rp_rng_below(rng, most)) % p->blocks;
	}
}

static bool
compare_pair(const struct pair *p, const struct rp_margin *m, const uint64_t misses[2],
    struct rp_checks *c, struct rp_err *err)
{
	double moved = rp_fraction_double(m->moved),
	       change = fabs((double)misses[0] - (double)misses[1]);
	rp_checks_begin(c, tell_pair, p);
	rp_check(c, RP_MARGIN, m->moved.num <= (rp_wide)m->moved_sharp * m->moved.den,
	    (double)m->moved_sharp - moved,
	    "theta moved by %g, gaps by %" PRIu64 ": wanted %" PRIu64 " at most", moved, m->e,
	    m->moved_sharp);
	rp_check(c, RP_MARGIN, change <= m->change_sharp, m->change_sharp - change,
	    "TTL misses %" PRIu64 " and %" PRIu64 " a round, gaps moved by %" PRIu64
	    ": wanted a change of %" PRIu32 " at most",
	    misses[0], misses[1], m->e, m->change_sharp);
	return rp_checks_end(c, err);
}

/* Both of a pair, which must have as many distinct phases. */
static bool
run_pair(void *state, const void *of, uint64_t i, struct rp_checks *c, struct rp_err *err)
{
	const struct rp_suite *s = of;
	struct pair p = { .seed = s->seed + i };
	struct rp_rng rng = rp_rng_for(p.seed, "validate/margin", 0);
	struct rp_pascal *both[2] = { 0 };
	struct rp_margin m;
	(void)state;
	draw_pair(&p, &rng);
	bool ok = true;
	for (int k = 0; ok && k < 2; k++)
		ok = (both[k] = rp_pascal_new(p.phase[k], p.workers, p.blocks, err));
	if (ok && both[0]->distinct == both[1]->distinct &&
	    (ok = rp_pascal_margin(both[0], both[1], p.capacity, &m, err))) {
		uint64_t misses[2];
		for (int k = 0; ok && k < 2; k++) {
			const struct rp_lab_scan scan = { p.phase[k], p.workers, p.blocks,
				p.blocks + 1, s->how.lab.line };
			struct rp_waterline w;
			ok = rp_pascal_waterline(both[k], p.capacity, &w) &&
			     rp_lab_scan_misses(&s->how.lab, &scan, RP_LAB_TTL, w.window, p.blocks,
				 &misses[k], err);
		}
		ok = ok && compare_pair(&p, &m, misses, c, err);
	}
	rp_pascal_free(both[0]);
	rp_pascal_free(both[1]);
	return ok;
}

bool
rp_suite_margins(struct rp_suite *s, uint64_t n, struct rp_err *err)
{
	const struct rp_cases cases = { .n = n, .of = s, .state_bytes = 1, .run = run_pair };
	return rp_cases_run(&cases, &s->cases, &s->checks, err);
}

/* ---- SDCM ---- */

enum { MAPPINGS = 12 };

struct mapped {
	uint64_t seed, phase[WORKERS_MOST], ways, capacity;
	struct rp_lab_scan scan;
};

static bool
tell_mapped(const void *it, struct rp_buf *to, struct rp_err *err)
{
	const struct mapped *x = it;
	bool ok =
	    rp_buf_printf(to, err, "N = %" PRIu64 ", C = %" PRIu64 ", %" PRIu64 " ways, phases ",
		x->scan.blocks, x->capacity, x->ways);
	for (uint32_t m = 0; ok && m < x->scan.workers; m++)
		ok = rp_buf_printf(to, err, "%s%" PRIu64, m ? "," : "", x->phase[m]);
	return ok && rp_buf_printf(to, err,
			 "\nreprise validate pascal --random 1 --seed %" PRIu64 "\n", x->seed);
}

/* Misses a round of LRU sets, every block in a set of its own drawing. */
static bool
replay_mapped(const struct rp_lab *lab, const struct mapped *x, uint64_t mapping, double *misses,
    struct rp_err *err)
{
	uint64_t warm = x->scan.blocks, counted = x->scan.rounds - warm;
	const struct rp_replay_opts opts = { .warmup = warm * x->scan.workers };
	struct rp_lab_caches c = { 0 };
	struct rp_replay *r = NULL;
	struct rp_source *s = rp_lab_open(&x->scan, err);
	struct rp_batch *b = s ? rp_batch_new(ROWS, RP_COL_STREAM | RP_COL_TIME, err) : NULL;
	ptrdiff_t n = b && rp_lab_add_lru_sets(lab, &c, x->capacity, x->ways, err) &&
	                      (r = rp_replay_new(c.spec, 1, &opts, err))
	                  ? 1
	                  : -1;
	while (n > 0) {
		rp_batch_clear(b);
		n = rp_source_pull(s, b, err);
		for (size_t i = 0; i < b->n; i++) {
			uint64_t block = b->addr[i] / x->scan.block;
			b->addr[i] =
			    (rp_mix64(rp_mix64(x->seed + mapping) ^ block) >> 16) * x->scan.block;
		}
		if (n > 0 && !rp_replay_run(r, b, err))
			n = -1;
	}
	if (n == 0)
		*misses = (double)rp_lab_misses(r, 0) / (double)counted;
	rp_replay_free(r);
	rp_lab_caches_free(&c);
	rp_batch_free(b);
	rp_source_close(s);
	return n == 0;
}

static bool
compare_mapped(
    const struct rp_suite *s, const struct mapped *x, struct rp_checks *c, struct rp_err *err)
{
	double sum = 0, one = 0;
	struct rp_pascal *p = rp_pascal_new(x->phase, x->scan.workers, x->scan.blocks, err);
	bool ok = p && rp_pascal_distances(p, err);
	for (uint64_t k = 0; ok && k < MAPPINGS; k++) {
		ok = replay_mapped(&s->how.lab, x, k, &one, err);
		sum += one;
	}
	if (ok) {
		double wanted = rp_pascal_sdcm(p, x->ways, x->capacity), mean = sum / MAPPINGS;
		rp_checks_begin(c, tell_mapped, x);
		rp_check(c, RP_SDCM_SETS, fabs(mean - wanted) <= 0.05 * wanted,
		    0.05 - fabs(mean / wanted - 1),
		    "%" PRIu64 " sets of %" PRIu64
		    " ways miss %.3f a round, the mean of %d mappings; SDCM %.3f",
		    x->capacity / x->ways, x->ways, mean, MAPPINGS, wanted);
		ok = rp_checks_end(c, err);
	}
	rp_pascal_free(p);
	return ok;
}

static bool
run_mapped(void *state, const void *of, uint64_t i, struct rp_checks *c, struct rp_err *err)
{
	const struct rp_suite *s = of;
	struct mapped x = { .seed = s->seed + i };
	struct rp_rng rng = rp_rng_for(x.seed, "validate/sets", 0);
	(void)state;
	uint32_t M = 16 + (uint32_t)rp_rng_below(&rng, WORKERS_MOST - 15);
	uint64_t N = 500 + rp_rng_below(&rng, 200);
	x.capacity = N / 32 * 16;
	for (uint32_t m = 0; m < M; m++)
		x.phase[m] = rp_rng_below(&rng, N);
	x.scan = (struct rp_lab_scan){ x.phase, M, N, 2 * N, s->how.lab.line };
	for (x.ways = 1; x.ways <= 16; x.ways *= x.ways == 4 ? 4 : 2)
		if (!compare_mapped(s, &x, c, err))
			return false;
	return true;
}

bool
rp_suite_sets(struct rp_suite *s, uint64_t n, struct rp_err *err)
{
	const struct rp_cases cases = {
		.n = n, .each = 1, .of = s, .state_bytes = 1, .run = run_mapped
	};
	return rp_cases_run(&cases, &s->cases, &s->checks, err);
}

/* ---- Where statements need their condition ---- */

/* Rings of two sizes whose gaps differ by e: theta moves by more than floor(D / 2) e. */
static bool
margin_fails(bool *fails, struct rp_err *err)
{
	/* Gaps 1, 1, 97 and 2, 2, 98: D = 3, e = 1. */
	static const uint64_t one[] = { 0, 1, 2 }, two[] = { 0, 2, 4 };
	struct rp_pascal *p = rp_pascal_new(one, 3, 99, err),
			 *q = p ? rp_pascal_new(two, 3, 102, err) : NULL;
	struct rp_waterline a, b;
	bool ok = q && rp_pascal_waterline(p, 98, &a) && rp_pascal_waterline(q, 98, &b);
	if (ok)
		*fails = fabs(rp_fraction_double(a.theta) - rp_fraction_double(b.theta)) > 1;
	rp_pascal_free(p);
	rp_pascal_free(q);
	return ok;
}

bool
rp_suite_conditions(struct rp_suite *s, struct rp_err *err)
{
	static const struct {
		uint64_t phase[6], blocks, capacity;
		uint32_t workers;
	} at[] = {
		{ { 0, 1, 0 }, 6, 1, 3 },          /* K_LRU = 3 > D = 2 */
		{ { 0, 2, 0, 0, 2, 0 }, 5, 1, 6 }, /* K_TTL = 2 below 8/3 */
		{ { 0, 2 }, 3, 2, 2 },             /* TTL misses 1, LRU 2 */
		{ { 0, 2 }, 4, 3, 2 },             /* TTL misses 2, LRU 1 */
		{ { 0, 1, 5 }, 12, 6, 3 },         /* MIN misses 67 in 72 rounds */
		{ { 0, 0, 0 }, 4, 3, 3 },          /* warm, MIN misses less than 24 (M - V) */
	};
	bool without = s->how.without, ok = true, fails = false;
	s->how.without = true;
	for (size_t i = 0; ok && i < sizeof at / sizeof *at; i++) {
		const struct rp_scan_case c = { .scan = { at[i].phase, at[i].workers, at[i].blocks,
						    6 * at[i].blocks, s->how.lab.line },
			.capacity = at[i].capacity };
		ok = rp_suite_one(s, &c, err);
	}
	s->how.without = without;
	if (!ok || !rp_suite_history_conditions(s, err) ||
	    !rp_suite_recurrence_conditions(s, err) || !margin_fails(&fails, err))
		return false;
	rp_checks_begin(&s->checks, NULL, NULL);
	rp_check_without(&s->checks, RP_WITHOUT_EQUAL_RINGS, fails);
	return rp_checks_end(&s->checks, err);
}
