/* test_dip.c - tests sim/policy/lip.c, bip.c, dip.c and duel.h. */
#include "tests/sim/policy/duelling.h"
#include "tests/sim/policy/slow.h"

#include "sim/policy/duel.h"

/* Qureshi et al., ISCA 2007: notes are times; the line with the least is in the LRU position, the greatest in the MRU
 * position. */
static void
to_mru(struct slow *c, uint32_t w)
{
	int64_t most = 0;
	for (uint32_t i = 0; i < c->ways; i++)
		most = c->now[i].valid && i != w && c->now[i].note > most ? c->now[i].note : most;
	c->now[w].note = most + 1;
}

static void
to_lru(struct slow *c, uint32_t w)
{
	int64_t least = 0;
	for (uint32_t i = 0; i < c->ways; i++)
		least =
		    c->now[i].valid && i != w && c->now[i].note < least ? c->now[i].note : least;
	c->now[w].note = least - 1;
}

static uint32_t
victim(struct slow *c)
{
	uint32_t least = 0;
	for (uint32_t i = 0; i < c->ways; i++)
		least = c->now[i].note < c->now[least].note ? i : least;
	return least;
}

RP_TEST(lip, is_what_was_published)
{
	slow_compare(&(struct slow_policy){
	    .name = "lip", .hit = to_mru, .fill = to_lru, .victim = victim });
}

/* Three ways, next to be replaced last. A B C miss: ABC. D replaces C, E replaces D: ABE. E hits: EAB. F replaces B: EAF. A
 * hits: AEF. B replaces F, and A and E hit. */
RP_TEST(lip, keeps_what_was_hit)
{
	static const char trace[] = "R0 R40 R80 Rc0 R100 R100 R140 R0 R40 R0 R100";
	cr_assert_eq(slow_misses("lip,size=192", trace), 7);
}

/* A B C, D40 drops B: A C. D takes its way and the last place: ACD; E replaces D. */
RP_TEST(lip, puts_a_line_last_after_an_invalidation_too)
{
	cr_assert_eq(slow_misses("lip,size=192", "R0 R40 R80 D40 Rc0 R100 R0 R80"), 5);
}

/* "With probability epsilon to the MRU position, else to the LRU position." */
static void
bimodal(struct slow *c, uint32_t w)
{
	if (rp_rng_below(&c->rng, c->arg[0]) == 0)
		to_mru(c, w);
	else
		to_lru(c, w);
}

RP_TEST(bip, is_what_was_published)
{
	slow_compare(&(struct slow_policy){ .name = "bip",
	    .params = "throttle=32 throttle=2 throttle=4000000000 throttle=5",
	    .hit = to_mru,
	    .fill = bimodal,
	    .victim = victim });
}

RP_TEST(bip, with_throttle_1_is_lru)
{
	struct rp_rng rng = { rp_test_seed("bip and lru") };
	struct rp_batch *b = slow_trace(&rng, 4000, 0, 300);
	struct rp_counters x = replay_one("bip,throttle=1,sets=8,ways=16", b, NULL),
			   y = replay_one("lru,sets=8,ways=16", b, NULL);
	expect_same(&x, &y, "bip,throttle=1");
	rp_batch_free(b);
}

/* Of 32,000 lines that are used once, a 1 in 32 of those brought in are put first; each pushes the line that was in the
 * first place back by one, so a resident line lasts for ways * 32 fills on average. Line 0, hit at the start only, leaves a
 * set of 4 ways after 3 fills that went first (the 3rd leaves it last, the next fill replaces it): 3 * 32 fills are the mean,
 * with a standard deviation of 32 * sqrt(3 * 31 / 32) = 54.6; over 400 seeds the mean is 97 +- 2.7. Five deviations. */
RP_TEST(bip, puts_one_in_32_first)
{
	uint64_t sum = 0;
	for (int seed = 0; seed < 400; seed++) {
		char spec[64];
		snprintf(spec, sizeof spec, "bip,size=256,seed=%d", seed);
		uint64_t low = 4,
			 high = 2000; /* fills: line 0 is there after `low`, gone after `high` */
		while (high - low > 1) {
			uint64_t fills = (low + high) / 2;
			struct rp_batch *b = rp_batch_new(4096, 0, NULL);
			for (uint64_t i = 0; i < 4; i++)
				rp_batch_put(b, &(struct rp_access){ .addr = 64 * i, .size = 1 });
			for (int i = 3; i >= 0; i--)
				rp_batch_put(
				    b, &(struct rp_access){ .addr = 64 * (uint64_t)i, .size = 1 });
			for (uint64_t i = 4; i <= fills; i++)
				rp_batch_put(b, &(struct rp_access){ .addr = 64 * i, .size = 1 });
			uint64_t before = replay_one(spec, b, NULL).misses;
			rp_batch_put(b, &(struct rp_access){ .addr = 0, .size = 1 });
			*(replay_one(spec, b, NULL).misses == before ? &low : &high) = fills;
			rp_batch_free(b);
		}
		sum += high - 3;
	}
	cr_assert_gt(sum, 400 * (97 - 14));
	cr_assert_lt(sum, 400 * (97 + 14));
}

static void
begin(struct slow *c)
{
	duelling_begin(c, c->arg[1], c->arg[2]);
}

static void
fill_dip(struct slow *c, uint32_t w)
{
	if (duelling_second(c, c->arg[2]))
		bimodal(c, w);
	else
		to_mru(c, w);
}

RP_TEST(dip, is_what_was_published)
{
	slow_compare(&(struct slow_policy){ .name = "dip",
	    .params =
		"throttle=32 psel=4 leaders=3,psel=2,throttle=5 psel=1 leaders=4000000000,psel=5",
	    .begin = begin,
	    .hit = to_mru,
	    .fill = fill_dip,
	    .victim = victim });
}

/* A loop over twice the lines there are, then one over half of them: dip comes near bip in the first, lru in the second. */
RP_TEST(dip, follows_the_better_one)
{
	struct rp_batch *b = rp_batch_new(200000, 0, NULL);
	for (uint64_t i = 0; i < 200000; i++)
		rp_batch_put(b, &(struct rp_access){ .addr = i % 8192 * 64, .size = 1 });
	uint64_t lru = replay_one("lru,sets=512,ways=8", b, NULL).misses,
		 bip = replay_one("bip,sets=512,ways=8", b, NULL).misses,
		 dip = replay_one("dip,sets=512,ways=8", b, NULL).misses;
	cr_assert_eq(lru, 200000);
	cr_assert_lt(bip, 120000);
	cr_assert_gt(dip, bip);
	cr_assert_lt(dip, bip + 20000);
	rp_batch_free(b);
}

RP_TEST(dip, of_a_single_set_is_lru)
{
	struct rp_rng rng = { rp_test_seed("dip of a set") };
	for (unsigned i = 1; i < 200; i += 20) {
		char dip[64], lru[64];
		struct rp_batch *b = slow_trace(&rng, 3000, 0, 2 * i + 2);
		snprintf(dip, sizeof dip, "dip,sets=1,ways=%u,psel=1", i);
		snprintf(lru, sizeof lru, "lru,sets=1,ways=%u", i);
		struct rp_counters x = replay_one(dip, b, NULL), y = replay_one(lru, b, NULL);
		expect_same(&x, &y, dip);
		rp_batch_free(b);
	}
}

/* The article's own case: of 1024 sets with 32 leaders, those whose upper five bits equal the lower five, and those where
 * they are complements. */
RP_TEST(duel, selects_by_complement)
{
	for (uint32_t s = 0; s < 1024; s++) {
		uint32_t high = s >> 5, low = s & 31;
		enum rp_duel_role want = high == low           ? RP_DUEL_FIRST
		                         : high == (~low & 31) ? RP_DUEL_SECOND
		                                               : RP_DUEL_FOLLOWS;
		cr_assert_eq(rp_duel_role(s, 1024, 32), want, "set %u", s);
	}
}

/* As many sets lead for either side, `leaders` of them or a quarter of all, and one of 2 to 7. */
RP_TEST(duel, gives_both_sides_the_same_number_of_sets)
{
	for (uint32_t sets = 1; sets < 300; sets++)
		for (uint32_t leaders = 1; leaders < 100; leaders += leaders < 40 ? 1 : 17) {
			uint32_t n[3] = { 0 }, most = sets < 2 ? 0 : sets < 8 ? 1 : sets / 4;
			for (uint32_t s = 0; s < sets; s++)
				n[rp_duel_role(s, sets, leaders)]++;
			cr_assert_eq(n[RP_DUEL_FIRST], leaders < most ? leaders : most);
			cr_assert_eq(n[RP_DUEL_SECOND], n[RP_DUEL_FIRST]);
		}
}
