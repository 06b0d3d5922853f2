/* test_rrip.c - tests sim/policy/srrip.c, brrip.c, drrip.c. */
#include "tests/sim/policy/duelling.h"
#include "tests/sim/policy/slow.h"

/* Jaleel et al., ISCA 2010: notes are predictions (RRPV). "Hit: set RRPV to 0. Miss: search for the first 2^M - 1 from the
 * left; if found, replace it and set its RRPV to 2^M - 2; else increment all RRPVs and search again." */
static void
hit(struct slow *c, uint32_t w)
{
	c->now[w].note = 0;
}

static int64_t
top(const struct slow *c)
{
	return (1 << c->arg[0]) - 1;
}

static uint32_t
victim(struct slow *c)
{
	for (;;) {
		for (uint32_t w = 0; w < c->ways; w++)
			if (c->now[w].note == top(c))
				return w;
		for (uint32_t w = 0; w < c->ways; w++)
			c->now[w].note++;
	}
}

static void
fill_long(struct slow *c, uint32_t w)
{
	c->now[w].note = top(c) - 1;
}

RP_TEST(srrip, is_what_was_published)
{
	slow_compare(&(struct slow_policy){ .name = "srrip",
	    .params = "bits=2 bits=1 bits=3 bits=4",
	    .hit = hit,
	    .fill = fill_long,
	    .victim = victim });
}

/* Four ways, two bits; predictions in brackets. A B C D miss: 2 2 2 2. A and B hit: 0 0 2 2. E: all age once, 1 1 3 3, and C
 * goes: 1 1 2 3. F: D goes: 1 1 2 2. G: age, 2 2 3 3, E goes: 2 2 2 3. H: F goes. I: 3 3 3 3 after one step, A goes, used
 * once long ago. B is still there. */
RP_TEST(srrip, keeps_what_was_hit_through_a_scan)
{
	static const char scan[] = "R0 R40 R80 Rc0 R0 R40 R100 R140 R180 R1c0";
	char text[128];
	cr_assert_eq(slow_misses("srrip,size=256", scan), 8);
	snprintf(text, sizeof text, "%s R0 R40", scan);
	cr_assert_eq(slow_misses("srrip,size=256", text), 8);
	snprintf(text, sizeof text, "%s R200 R40 R0", scan);
	cr_assert_eq(slow_misses("srrip,size=256", text), 10);
	cr_assert_eq(slow_misses("lru,size=256", text), 11);
}

RP_TEST(srrip, with_one_bit_is_nru)
{
	struct rp_rng rng = { rp_test_seed("srrip and nru") };
	for (unsigned i = 0; i < 20; i++) {
		char one[64], nru[64];
		struct rp_batch *b = slow_trace(&rng, 4000, 0, 10 + i * i * 4);
		snprintf(one, sizeof one, "srrip,bits=1,sets=%u,ways=%u", i + 1, 1 + i * 7 % 40);
		snprintf(nru, sizeof nru, "nru,sets=%u,ways=%u", i + 1, 1 + i * 7 % 40);
		struct rp_counters x = replay_one(one, b, NULL), y = replay_one(nru, b, NULL);
		expect_same(&x, &y, one);
		rp_batch_free(b);
	}
}

/* "With low probability, 1 / throttle, at 2^M - 2; else at 2^M - 1." */
static void
fill_bimodal(struct slow *c, uint32_t w, uint64_t throttle)
{
	c->now[w].note = rp_rng_below(&c->rng, throttle) == 0 ? top(c) - 1 : top(c);
}

static void
fill_brrip(struct slow *c, uint32_t w)
{
	fill_bimodal(c, w, c->arg[1]);
}

RP_TEST(brrip, is_what_was_published)
{
	slow_compare(&(struct slow_policy){ .name = "brrip",
	    .params = "bits=2 throttle=3 bits=3,throttle=2 bits=1 bits=4,throttle=1000000",
	    .hit = hit,
	    .fill = fill_brrip,
	    .victim = victim });
}

RP_TEST(brrip, with_throttle_1_is_srrip)
{
	struct rp_rng rng = { rp_test_seed("brrip and srrip") };
	struct rp_batch *b = slow_trace(&rng, 4000, 0, 300);
	struct rp_counters x = replay_one("brrip,throttle=1,sets=8,ways=16", b, NULL),
			   y = replay_one("srrip,sets=8,ways=16", b, NULL);
	expect_same(&x, &y, "brrip,throttle=1");
	rp_batch_free(b);
}

static void
begin(struct slow *c)
{
	duelling_begin(c, c->arg[2], c->arg[3]);
}

static void
fill_drrip(struct slow *c, uint32_t w)
{
	if (duelling_second(c, c->arg[3]))
		fill_bimodal(c, w, c->arg[1]);
	else
		fill_long(c, w);
}

RP_TEST(drrip, is_what_was_published)
{
	slow_compare(&(struct slow_policy){ .name = "drrip",
	    .params =
		"bits=2 psel=4 leaders=3,psel=2,throttle=5 bits=3,psel=1 leaders=4000000000,psel=5",
	    .begin = begin,
	    .hit = hit,
	    .fill = fill_drrip,
	    .victim = victim });
}

/* A loop over twice the lines there are: srrip never hits, brrip keeps some; drrip finds out, and comes near. */
RP_TEST(drrip, follows_the_better_one)
{
	struct rp_batch *b = rp_batch_new(200000, 0, NULL);
	for (uint64_t i = 0; i < 200000; i++)
		rp_batch_put(b, &(struct rp_access){ .addr = i % 8192 * 64, .size = 1 });
	uint64_t s = replay_one("srrip,sets=512,ways=8", b, NULL).misses,
		 m = replay_one("brrip,sets=512,ways=8", b, NULL).misses,
		 d = replay_one("drrip,sets=512,ways=8", b, NULL).misses;
	cr_assert_eq(s, 200000);
	cr_assert_lt(m, 120000);
	cr_assert_gt(d, m);
	cr_assert_lt(d, m + 20000);
	rp_batch_free(b);
}
