/* test_mru.c - tests sim/policy/mru.c. */
#include "tests/sim/policy/slow.h"

/* Each use has a number; the line with the highest goes. */
static void
use(struct slow *c, uint32_t w)
{
	c->now[w].note = ++c->all;
}

static uint32_t
victim(struct slow *c)
{
	uint32_t most = 0;
	for (uint32_t w = 0; w < c->ways; w++)
		most = c->now[w].note > c->now[most].note ? w : most;
	return most;
}

RP_TEST(mru, is_what_was_published)
{
	slow_compare(
	    &(struct slow_policy){ .name = "mru", .hit = use, .fill = use, .victim = victim });
}

/* A loop over four lines in three ways: A B C miss; D replaces C; A B hit; C replaces B; D A hit; B replaces A; C D hit; A
 * replaces D. One miss in three where lru has nothing but misses. */
RP_TEST(mru, keeps_most_of_a_loop)
{
	static const char loop[] = "R0 R40 R80 Rc0 R0 R40 R80 Rc0 R0 R40 R80 Rc0 R0";
	cr_assert_eq(slow_misses("mru,size=192", loop), 7);
	cr_assert_eq(slow_misses("lru,size=192", loop), 13);
}

/* A B C; B is dropped and D takes its way: D is the last used and goes for E, so A and C hit. */
RP_TEST(mru, knows_the_last_after_an_invalidation)
{
	cr_assert_eq(slow_misses("mru,size=192", "R0 R40 R80 D40 Rc0 R100 R0 R80"), 5);
}
