/* test_pascal.c - tests validate/pascal.c, pascal_reuse.c and pascal_bound.c against counting, event by event. */
#include "tests/validate/slow_scan.h"

#include "validate/pascal.h"

static struct rp_pascal *
law(const struct slow_scan *s)
{
	struct rp_err err = { 0 };
	struct rp_pascal *p = rp_pascal_new(s->phase, s->workers, s->blocks, &err);
	cr_assert(p && rp_pascal_distances(p, &err), "%s", err.text);
	return p;
}

static bool
is(struct rp_fraction f, long long num, long long den)
{
	return f.num == num && f.den == den;
}

/* Sections 3, 5 and 7 of the specification. */
RP_TEST(pascal, the_worked_examples_come_out)
{
	static const uint64_t u[] = { 0, 3, 5, 7, 9, 10, 11, 12, 12 };
	struct slow_scan s = { 12, { 0, 1, 5 }, 3 }, turned = { 12, { 5, 1, 0 }, 3 };
	struct rp_pascal *p = law(&s), *q = law(&turned);
	struct rp_waterline w;
	for (uint64_t t = 0; t < 9; t++)
		cr_assert_eq(rp_pascal_footprint(p, t), u[t]);
	cr_assert(p->gap[0] == 1 && p->gap[1] == 4 && p->gap[2] == 7);
	cr_assert(rp_pascal_waterline(p, 6, &w) && w.window == 2 && is(w.theta, 5, 2));
	cr_assert_eq(rp_pascal_ttl(p, 6), 2);
	cr_assert(p->previous[0].lag == 1 && p->previous[0].worker == 1);
	cr_assert(p->previous[1].lag == 4 && p->previous[1].worker == 2);
	cr_assert(p->previous[2].lag == 7 && p->previous[2].worker == 0);
	cr_assert(p->rd[0] == 1 && p->rd[1] == 7 && p->rd[2] == 11);
	cr_assert(q->rd[0] == 11 && q->rd[1] == 9 && q->rd[2] == 3);
	cr_assert_eq(rp_pascal_lru(p, 6), 2);
	cr_assert(p->delta[0] == 2 && p->delta[1] == 11 && p->delta[2] == 23);
	cr_assert(q->delta[0] == 19 && q->delta[1] == 13 && q->delta[2] == 4);
	cr_assert(is(rp_pascal_hits_most(p, 6), 51, 23) && is(rp_pascal_bound(p, 6), 18, 23));
	cr_assert(is(rp_pascal_bound(q, 6), 18, 19));
	rp_pascal_free(p);
	rp_pascal_free(q);
}

/* Section 4: LRU may miss more and may miss less than the slotted TTL; section 19.1: the certificate needs D <= C. */
RP_TEST(pascal, lru_and_ttl_differ_as_the_specification_says)
{
	static const struct {
		struct slow_scan s;
		uint64_t capacity;
		uint32_t ttl, lru;
		bool certified;
	} at[] = {
		{ { 3, { 0, 2 }, 2 }, 2, 1, 2, true },
		{ { 4, { 0, 2 }, 2 }, 3, 2, 1, true },
		{ { 6, { 0, 1, 0 }, 3 }, 1, 2, 3, false },
	};
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		struct rp_pascal *p = law(&at[i].s);
		struct rp_pascal_certificate c;
		cr_assert_eq(rp_pascal_ttl(p, at[i].capacity), at[i].ttl);
		cr_assert_eq(rp_pascal_lru(p, at[i].capacity), at[i].lru);
		cr_assert_eq(rp_pascal_certificate(p, at[i].capacity, &c), at[i].certified);
		rp_pascal_free(p);
	}
}

/* Section 19.5: the slotted TTL does not pay for what it fills in a round, and so goes below the bound. */
RP_TEST(pascal, the_slotted_ttl_is_no_demand_policy)
{
	struct slow_scan s = { 5, { 0, 2, 0, 0, 2, 0 }, 6 };
	struct rp_pascal *p = law(&s);
	cr_assert_eq(rp_pascal_ttl(p, 1), 2);
	cr_assert(is(rp_pascal_bound(p, 1), 8, 3));
	rp_pascal_free(p);
}

/* What does not depend on a capacity, by definition: footprints, previous requests, distances, Delta. */
static void
check_requests(const struct slow_scan *s, const struct rp_pascal *p)
{
	uint64_t sum = 0, late = 2 * s->blocks; /* a round by which every block was requested */
	for (uint64_t t = 0; t <= s->blocks + 2; t++) {
		uint64_t u = slow_different(s, 5 * s->workers, (5 + t) * s->workers);
		cr_assert_eq(rp_pascal_footprint(p, t), u, "U(%d)", (int)t);
		cr_assert_eq(rp_pascal_gaps_above(p, t),
		    slow_different(s, 0, (t + 1) * s->workers) - u, "K(%d)", (int)t);
	}
	for (uint32_t m = 0; m < s->workers; m++) {
		uint64_t e = late * s->workers + m, from = slow_previous(s, e);
		cr_assert_eq(p->previous[m].lag, late - from / s->workers);
		cr_assert_eq(p->previous[m].worker, from % s->workers);
		cr_assert_eq(p->delta[m], e - from);
		cr_assert_eq(
		    p->rd[m], slow_different(s, from + 1, e), "worker %u: rd %d", m, (int)p->rd[m]);
		sum += p->delta[m];
	}
	cr_assert_eq(sum, s->blocks * s->workers);
}

/* M - V by taking the shortest stay that is left while it fits. */
static struct rp_fraction
slow_bound(const struct slow_scan *s, const struct rp_pascal *p, uint64_t capacity)
{
	bool taken[SLOW_WORKERS] = { 0 };
	uint64_t left = capacity * s->workers;
	for (uint32_t n = 0; n < s->workers; n++) {
		uint32_t best = UINT32_MAX;
		for (uint32_t m = 0; m < s->workers; m++)
			if (!taken[m] && (best == UINT32_MAX || p->delta[m] < p->delta[best]))
				best = m;
		if (p->delta[best] > left)
			return rp_fraction(
			    (rp_wide)(s->workers - n) * p->delta[best] - left, p->delta[best]);
		taken[best] = true;
		left -= p->delta[best];
	}
	return rp_fraction(0, 1);
}

static void
check_waterline(const struct rp_pascal *p, uint64_t capacity)
{
	struct rp_waterline w;
	cr_assert_eq(rp_pascal_waterline(p, capacity, &w), capacity < p->blocks);
	if (capacity >= p->blocks)
		return;
	rp_wide filled = 0;
	for (uint32_t i = 0; i < p->distinct; i++) {
		rp_wide gap = p->gap[i] * w.theta.den;
		filled += gap < w.theta.num ? gap : w.theta.num;
	}
	cr_assert(filled == capacity * w.theta.den, "theta at %d", (int)capacity);
	cr_assert(rp_pascal_footprint(p, w.window) <= capacity);
	cr_assert(capacity < rp_pascal_footprint(p, w.window + 1));
	cr_assert(rp_wide_floor(w.theta.num, w.theta.den) == w.window);
}

/* Both caches, simulated: every round once warm, and the totals of the first `rounds`. */
static void
check_caches(const struct slow_scan *s, struct rp_pascal *p, uint64_t capacity, uint64_t rounds)
{
	uint64_t all = 2 * s->blocks + 2, total = 0, most;
	uint32_t *misses = calloc(all + rounds, sizeof *misses);
	struct rp_waterline w = { .window = s->blocks };
	rp_pascal_waterline(p, capacity, &w);
	slow_ttl(s, w.window, all + rounds, misses, &most);
	for (uint64_t k = w.window; k < all; k++)
		cr_assert_eq(misses[k], rp_pascal_ttl(p, capacity));
	for (uint64_t k = 0; k < rounds; k++)
		total += misses[k];
	cr_assert_eq(rp_pascal_cold_ttl(p, capacity, rounds), total);
	cr_assert_eq(most, rp_pascal_footprint(p, w.window));
	slow_lru(s, capacity, all + rounds, misses);
	for (uint64_t k = s->blocks; k < all; k++)
		cr_assert_eq(misses[k], rp_pascal_lru(p, capacity));
	total = 0;
	for (uint64_t k = 0; k < rounds; k++)
		total += misses[k];
	cr_assert(rp_pascal_horizon(p, rounds, NULL));
	cr_assert_eq(rp_pascal_cold_lru(p, capacity), total);
	cr_assert_leq(rp_pascal_cold_bound(p, capacity, rounds), total);
	free(misses);
}

static void
check_capacity(const struct slow_scan *s, struct rp_pascal *p, uint64_t capacity, uint64_t rounds)
{
	struct rp_pascal_certificate c;
	struct rp_fraction bound = rp_pascal_bound(p, capacity),
			   v = rp_pascal_hits_most(p, capacity), slow = slow_bound(s, p, capacity);
	check_waterline(p, capacity);
	check_caches(s, p, capacity, rounds);
	cr_assert(bound.num == slow.num && bound.den == slow.den);
	cr_assert(v.num * bound.den + bound.num * v.den == s->workers * v.den * bound.den);
	cr_assert(rp_pascal_cold_bound(p, capacity, rounds) ==
		  (uint64_t)rp_wide_ceil(bound.num * rounds, bound.den));
	cr_assert_eq(rp_pascal_certificate(p, capacity, &c),
	    p->distinct <= capacity && capacity < s->blocks);
	if (p->distinct > capacity || capacity >= s->blocks)
		return;
	cr_assert(c.lo_sharp <= rp_pascal_lru(p, capacity) && rp_pascal_lru(p, capacity) <= c.hi);
	cr_assert(c.lo <= c.lo_sharp && c.lo <= rp_pascal_ttl(p, capacity) &&
		  rp_pascal_ttl(p, capacity) <= c.hi);
}

/* All of it at every capacity up to behind the ring. */
static void
check_all(const struct slow_scan *s, struct rp_rng *rng)
{
	struct rp_pascal *p = law(s);
	check_requests(s, p);
	for (uint64_t c = 1; c <= s->blocks + 2; c++)
		check_capacity(s, p, c, rp_rng_below(rng, 2 * s->blocks + 2));
	rp_pascal_free(p);
}

RP_TEST(pascal, every_small_scan_is_as_counted)
{
	struct rp_rng rng = rp_rng_for(1, "test", 0);
	for (uint64_t n = 1; n <= 5; n++)
		for (uint32_t m = 1; m <= 3; m++) {
			struct slow_scan s = { .blocks = n, .workers = m };
			do {
				check_all(&s, &rng);
				uint32_t i = 0;
				while (i < m && ++s.phase[i] == n)
					s.phase[i++] = 0;
				if (i == m)
					break;
			} while (true);
		}
}

RP_TEST(pascal, random_scans_are_as_counted)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("pascal"), "test", 0);
	for (unsigned i = 0; i < 60 * rp_test_scale(); i++) {
		struct slow_scan s = slow_random(&rng, 40, 14);
		check_all(&s, &rng);
	}
}

/* Large rings: previous requests, distances and Delta by counting; LRU by a list at capacities around a distance. */
RP_TEST(pascal, large_scans_are_as_counted)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("pascal large"), "test", 0);
	for (unsigned i = 0; i < 3 * rp_test_scale(); i++) {
		struct slow_scan s = slow_random(&rng, 600, 192);
		struct rp_pascal *p = law(&s);
		check_requests(&s, p);
		uint64_t near = p->rd[rp_rng_below(&rng, s.workers)];
		for (uint64_t c = near ? near : 1; c <= near + 1; c++)
			check_capacity(&s, p, c, rp_rng_below(&rng, 1000));
		rp_pascal_free(p);
	}
}

/* Distances of many workers by merging intervals, as the paper does it: blocks of each worker's interval marked. */
RP_TEST(pascal, distances_of_many_workers_are_the_size_of_the_union)
{
	enum { WORKERS = 192, BLOCKS = 8192 };
	struct rp_rng rng = rp_rng_for(rp_test_seed("pascal union"), "test", 0);
	for (unsigned round = 0; round < 4 * rp_test_scale(); round++) {
		struct slow_scan s = slow_random(&rng, BLOCKS, WORKERS);
		struct rp_pascal *p = law(&s);
		unsigned char seen[BLOCKS];
		for (unsigned k = 0; k < 5; k++) {
			uint32_t m = (uint32_t)rp_rng_below(&rng, s.workers);
			uint64_t g = p->previous[m].lag, n = 0;
			uint32_t j = p->previous[m].worker;
			memset(seen, 0, sizeof seen);
			for (uint32_t i = 0; i < s.workers; i++) {
				uint64_t count = g + (i > j) + (i < m) - 1;
				uint64_t first = s.phase[i] + s.blocks - g + (i <= j);
				for (uint64_t b = 0; b < count; b++)
					seen[(first + b) % s.blocks] = 1;
			}
			for (uint64_t b = 0; b < s.blocks; b++)
				n += seen[b];
			cr_assert_eq(p->rd[m], n, "worker %u of %u on %d blocks", m, s.workers,
			    (int)s.blocks);
		}
		rp_pascal_free(p);
	}
}

RP_TEST(pascal, a_rotation_of_all_phases_changes_nothing)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("pascal rotation"), "test", 0);
	for (unsigned i = 0; i < 30; i++) {
		struct slow_scan s = slow_random(&rng, 8192, 192), t = s;
		uint64_t by = rp_rng_below(&rng, s.blocks), c = 1 + rp_rng_below(&rng, s.blocks);
		for (uint32_t m = 0; m < s.workers; m++)
			t.phase[m] = (s.phase[m] + by) % s.blocks;
		struct rp_pascal *p = law(&s), *q = law(&t);
		cr_assert_arr_eq(p->rd, q->rd, s.workers * sizeof *p->rd);
		cr_assert_arr_eq(p->delta, q->delta, s.workers * sizeof *p->delta);
		cr_assert_eq(rp_pascal_ttl(p, c), rp_pascal_ttl(q, c));
		cr_assert_eq(rp_pascal_clusters(p, 32), rp_pascal_clusters(q, 32));
		rp_pascal_free(p);
		rp_pascal_free(q);
	}
}

/* Zero or one gap above the threshold is one cluster; else each such gap ends one. */
RP_TEST(pascal, clusters_are_phases_linked_by_short_gaps)
{
	static const struct {
		struct slow_scan s;
		uint32_t of32, of31;
	} at[] = {
		{ { 100, { 0 }, 1 }, 1, 1 },
		{ { 96, { 0, 32, 64 }, 3 }, 1, 3 },
		{ { 97, { 0, 32, 64 }, 3 }, 1, 3 },
		{ { 100, { 0, 33, 35 }, 3 }, 2, 2 },
		{ { 200, { 199, 1, 100, 0 }, 4 }, 2, 2 },
	};
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		struct rp_pascal *p = law(&at[i].s);
		cr_assert_eq(rp_pascal_clusters(p, 32), at[i].of32, "case %zu", i);
		cr_assert_eq(rp_pascal_clusters(p, 31), at[i].of31, "case %zu", i);
		rp_pascal_free(p);
	}
}

RP_TEST(pascal, refuses_phases_that_are_no_blocks_and_rings_too_large)
{
	const uint64_t phase[] = { 0, 12 };
	struct rp_err err = { 0 };
	cr_assert_null(rp_pascal_new(phase, 2, 12, &err));
	cr_assert(
	    strstr(err.text, "phase 12 of worker 1: wanted a block, 0 to 11"), "%s", err.text);
	cr_assert_null(rp_pascal_new(phase, 2, (UINT64_C(1) << 61) + 1, &err));
	cr_assert_null(rp_pascal_new(phase, 0, 12, &err));
	cr_assert_null(rp_pascal_new(phase, 1, 0, &err));
	cr_assert_eq(err.code, RP_USAGE);
}

/* At the largest ring nothing overflows: two workers, gaps of a block and of all others. */
RP_TEST(pascal, numbers_up_to_the_limit_are_exact)
{
	const uint64_t n = UINT64_C(1) << 61, phase[] = { 0, 1 };
	struct rp_pascal *p = rp_pascal_new(phase, 2, n, NULL);
	struct rp_waterline w;
	cr_assert(p && rp_pascal_distances(p, NULL) && rp_pascal_horizon(p, n, NULL));
	cr_assert(rp_pascal_waterline(p, n - 1, &w) && w.window == n - 2);
	cr_assert(p->delta[0] == 1 && p->delta[1] == 2 * n - 1);
	cr_assert(p->rd[0] == 0 && p->rd[1] == n - 1);
	/* V = 1 + (2 (n - 1) - 1) / (2 n - 1), so the bound is 2 / (2 n - 1); n times that
	 * is a little more than 1. */
	cr_assert(is(rp_pascal_bound(p, n - 1), 2, (long long)(2 * n - 1)));
	cr_assert_eq(rp_pascal_cold_bound(p, n - 1, n), 2);
	cr_assert_eq(rp_pascal_cold_lru(p, n - 1), n + 1);
	cr_assert_eq(rp_pascal_cold_ttl(p, n - 1, n), n + 1);
	rp_pascal_free(p);
}
