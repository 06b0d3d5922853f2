/* check_scan_compare.c - what the replays of a scan came to, against its closed forms. */
#include "config.h"

#include "validate/check_scan_state.h"
#include "validate/sdcm.h"

#include <inttypes.h>

static uint64_t
least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Totals from empty by worker, and at which lags LRU and TTL differ. A worker that misses in every round misses at all; one
 * that stops once its block was there misses less, as there are more rounds than blocks. */
static void
compare_workers(struct scan_run *r)
{
	uint64_t H = r->c->scan.rounds, C = r->c->capacity;
	for (uint32_t m = 0; m < r->p->workers; m++) {
		struct rp_counters lru, ttl;
		uint64_t lag = r->p->previous[m].lag, T = r->line.window;
		rp_replay_stream_counters(r->pair, LRU, m, &lru);
		rp_replay_stream_counters(r->pair, TTL, m, &ttl);
		rp_check_equal(r->checks, RP_LRU_TOTAL, lru.misses,
		    r->p->rd[m] >= C ? H : least_of(H, lag), "misses of LRU from empty, worker", m);
		if (!r->below || r->p->distinct > C)
			continue;
		bool differ = (lru.misses == H) != (ttl.misses == H);
		rp_check(r->checks, RP_CERTIFICATE_LAGS, !differ || lag == T || lag == T + 1,
		    INFINITY,
		    "worker %" PRIu32 ": LRU misses %" PRIu64 " times and TTL %" PRIu64
		    " in %" PRIu64 " rounds; its lag is %" PRIu64 ", T* = %" PRIu64,
		    m, lru.misses, ttl.misses, H, lag, T);
	}
}

static void
compare_totals(struct scan_run *r)
{
	uint64_t H = r->c->scan.rounds, C = r->c->capacity;
	rp_check_equal(r->checks, RP_LRU_TOTAL, r->misses[LRU], rp_pascal_cold_lru(r->p, C),
	    "misses of LRU from empty", RP_NOWHERE);
	if (r->below)
		rp_check_equal(r->checks, RP_TTL_TOTAL, r->misses[TTL],
		    rp_pascal_cold_ttl(r->p, C, H), "misses of TTL from empty", RP_NOWHERE);
	rp_check(r->checks, RP_SDCM_ONE_SET, rp_pascal_sdcm(r->p, C, C) == r->lru, INFINITY,
	    "SDCM of %" PRIu64 " ways: %.17g misses a round, LRU %" PRIu32, C,
	    rp_pascal_sdcm(r->p, C, C), r->lru);
}

static void
compare_certificate(struct scan_run *r)
{
	struct rp_pascal_certificate c;
	if (!r->below)
		return;
	if (rp_pascal_certificate(r->p, r->c->capacity, &c)) {
		double low = (double)r->lru - c.lo_sharp, high = (double)c.hi - r->lru;
		rp_check(r->checks, RP_CERTIFICATE, low >= 0 && high >= 0, fmin(low, high),
		    "K_LRU = %" PRIu32 ", outside %" PRIu32 " .. %" PRIu32, r->lru, c.lo_sharp,
		    c.hi);
		if (r->b->how.without) {
			rp_check_without(r->checks, RP_WITHOUT_SHARP_END, c.lo < 1);
			rp_check_without(r->checks, RP_WITHOUT_TTL_IS_LRU, r->lru != r->ttl);
		}
	} else if (r->b->how.without) {
		uint32_t lo = rp_pascal_gaps_above(r->p, r->line.window + 1),
			 hi = r->line.window ? rp_pascal_gaps_above(r->p, r->line.window - 1)
		                             : r->p->distinct;
		bool outside = r->lru < lo || r->lru > hi;
		rp_check_without(r->checks, RP_WITHOUT_CERTIFICATE, outside);
		rp_check(r->checks, RP_ENUMERATION, !outside || r->lru > r->p->distinct, INFINITY,
		    "K_LRU = %" PRIu32 ", outside %" PRIu32 " .. %" PRIu32
		    ", is not above D = %" PRIu32,
		    r->lru, lo, hi, r->p->distinct);
		struct rp_fraction bound = rp_pascal_bound(r->p, r->c->capacity);
		/* Rare: it wants six workers. */
		if (r->ttl * bound.den < bound.num)
			rp_check_without(r->checks, RP_WITHOUT_CHARGE, true);
	}
}

/* MIN by its definition: of what is held, what is requested next last of all makes way. `held` are numbers of rows. */
static uint64_t
plain_min(const uint64_t *request, uint64_t *next, uint64_t rows, uint64_t capacity)
{
	uint64_t held[SMALL], n = 0, misses = 0;
	for (uint64_t i = rows; i-- > 0;) {
		next[i] = UINT64_MAX;
		for (uint64_t k = i + 1; k < rows && next[i] == UINT64_MAX; k++)
			if (request[k] == request[i])
				next[i] = k;
	}
	for (uint64_t i = 0; i < rows; i++) {
		uint64_t at = 0, last = 0;
		while (at < n && request[held[at]] != request[i])
			at++;
		misses += at == n;
		for (uint64_t k = 0; k < n; k++)
			last = next[held[k]] > next[held[last]] ? k : last;
		if (at == n && n == capacity)
			at = last;
		n += at == n;
		held[at] = i;
	}
	return misses;
}

static void
compare_min(struct scan_run *r)
{
	if (r->row <= SHORT && r->c->capacity <= SMALL)
		rp_check_equal(r->checks, RP_MIN_PLAIN, rp_lab_misses(r->min, MIN),
		    plain_min(r->b->request, r->b->next, r->row, r->c->capacity),
		    "misses of opt, by the definition", RP_NOWHERE);
}

/* One cache against the bound and MIN. `name`: what it is called. */
static void
compare_policy(struct scan_run *r, const char *name, const struct rp_cache_spec *spec,
    uint64_t misses, uint64_t least, uint64_t bound)
{
	rp_check(r->checks, RP_BOUND, misses >= bound, (double)misses - (double)bound,
	    "%s, %" PRIu32 " sets of %" PRIu32 " ways: %" PRIu64 " misses, the bound is %" PRIu64,
	    name, spec->sets, spec->ways, misses, bound);
	rp_check(r->checks, RP_MIN_LEAST, misses >= least, (double)misses - (double)least,
	    "%s, %" PRIu32 " sets of %" PRIu32 " ways: %" PRIu64 " misses, MIN %" PRIu64, name,
	    spec->sets, spec->ways, misses, least);
}

uint64_t
scan_cold_bound(const struct scan_run *r)
{
	return (r->b->how.bound ? r->b->how.bound : rp_pascal_cold_bound)(
	    r->p, r->c->capacity, r->c->scan.rounds);
}

/* The least misses of a cache like this: MIN with bypass where it may leave out what it is asked for. */
static uint64_t
least_for(const struct scan_run *r, const struct rp_cache_spec *spec)
{
	return rp_lab_misses(r->min, spec->policy->admit && spec->arg[0] ? BYPASS : MIN);
}

static void
compare_own(struct scan_run *r, struct rp_scan_own *own, uint64_t bound)
{
	const struct scan_caches *c = r->caches;
	size_t at = c->built_in;
	for (size_t i = 0; i < r->b->how.n_own; i++) {
		struct rp_scan_own one = { .fits = c->fits[i], .bound = bound };
		if (one.fits) {
			const struct rp_cache_spec *spec = &c->policy.spec[at];
			one.misses = rp_lab_misses(r->policies, at++);
			one.least = least_for(r, spec);
			compare_policy(r, r->b->how.own[i], spec, one.misses, one.least, bound);
		}
		if (own)
			own[i] = one;
	}
}

static void
compare_policies(struct scan_run *r, struct rp_scan_own *own)
{
	const struct scan_caches *c = r->caches;
	uint64_t bound = scan_cold_bound(r), min = rp_lab_misses(r->min, MIN),
		 bypass = rp_lab_misses(r->min, BYPASS);
	compare_min(r);
	compare_policy(r, "opt with bypass", &c->min.spec[BYPASS], bypass, 0, bound);
	compare_policy(r, "opt", &c->min.spec[MIN], min, bypass, bound);
	compare_policy(r, "lru", &c->lru.spec[0], r->misses[LRU], min, bound);
	for (size_t i = 0; i < c->built_in; i++) {
		const struct rp_cache_spec *spec = &c->policy.spec[i];
		compare_policy(
		    r, spec->policy->name, spec, rp_lab_misses(r->policies, i), min, bound);
	}
	compare_own(r, own, bound);
	if (r->b->how.without)
		rp_check_without(r->checks, RP_WITHOUT_FLOOR, min < r->c->scan.rounds);
}

void
scan_compare(struct scan_run *r, struct rp_scan_own *own)
{
	compare_workers(r);
	compare_totals(r);
	compare_certificate(r);
	compare_policies(r, own);
}
