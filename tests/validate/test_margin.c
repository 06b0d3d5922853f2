/* test_margin.c - tests validate/margin.c. */
#include "tests/validate/slow_scan.h"

#include "validate/margin.h"

static uint32_t
slow_within(const struct rp_pascal *p, struct rp_fraction theta, uint64_t far)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->distinct; i++) {
		rp_wide off = p->gap[i] * theta.den - theta.num;
		n += (off < 0 ? -off : off) <= far * theta.den;
	}
	return n;
}

static void
check(const struct rp_pascal *p, const struct rp_pascal *q, uint64_t capacity)
{
	struct rp_margin m;
	cr_assert(rp_pascal_margin(p, q, capacity, &m, NULL));
	/* The proposition, and its sharper form. */
	cr_assert(m.moved.num <= m.moved_sharp * m.moved.den && m.moved_sharp <= m.moved_most);
	uint32_t change =
	    m.misses > m.other_misses ? m.misses - m.other_misses : m.other_misses - m.misses;
	cr_assert(change <= m.change_sharp && m.change_sharp <= m.change_most);
	cr_assert_eq(m.change_most, slow_within(p, m.theta, (p->distinct + 1) * m.e));
	cr_assert_eq(m.change_sharp, slow_within(p, m.theta, (p->distinct / 2 + 1) * m.e));
	/* No pairing in cyclic order is closer. */
	for (uint32_t turn = 0; turn < p->distinct; turn++) {
		uint64_t e = 0;
		for (uint32_t i = 0; i < p->distinct; i++) {
			uint64_t a = p->gap[i], b = q->gap[(i + turn) % p->distinct];
			uint64_t by = a > b ? a - b : b - a;
			e = by > e ? by : e;
		}
		cr_assert_leq(m.e, e);
	}
}

RP_TEST(margin, the_proposition_holds_between_random_phases)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("margin"), "test", 0);
	unsigned held = 0;
	for (unsigned i = 0; i < 3000 * rp_test_scale(); i++) {
		struct slow_scan s = slow_random(&rng, 300, 12), t = s;
		for (uint32_t m = 0; m < t.workers; m++)
			t.phase[m] = (t.phase[m] + rp_rng_below(&rng, 4)) % t.blocks;
		struct rp_pascal *p = rp_pascal_new(s.phase, s.workers, s.blocks, NULL);
		struct rp_pascal *q = rp_pascal_new(t.phase, t.workers, t.blocks, NULL);
		if (s.blocks > 1 && p->distinct == q->distinct) {
			check(p, q, 1 + rp_rng_below(&rng, s.blocks - 1));
			held++;
		}
		rp_pascal_free(p);
		rp_pascal_free(q);
	}
	cr_assert_gt(held, 100);
}

RP_TEST(margin, says_why_there_is_none)
{
	const uint64_t phase[] = { 0, 1 };
	struct rp_pascal *p = rp_pascal_new(phase, 2, 12, NULL),
			 *q = rp_pascal_new(phase, 2, 13, NULL),
			 *one = rp_pascal_new(phase, 1, 12, NULL);
	struct rp_margin m;
	struct rp_err err = { 0 };
	cr_assert_not(rp_pascal_margin(p, q, 5, &m, &err));
	cr_assert(strstr(err.text, "rings of 12 and 13 blocks"), "%s", err.text);
	cr_assert_not(rp_pascal_margin(p, one, 5, &m, &err));
	cr_assert(strstr(err.text, "2 and 1 distinct phases"), "%s", err.text);
	cr_assert_not(rp_pascal_margin(p, p, 12, &m, &err));
	cr_assert(strstr(err.text, "capacity 12"), "%s", err.text);
	rp_pascal_free(p);
	rp_pascal_free(q);
	rp_pascal_free(one);
}
