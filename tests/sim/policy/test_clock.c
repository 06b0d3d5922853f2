/* test_clock.c - tests sim/policy/clock.c. */
#include "tests/sim/policy/slow.h"

static void
use(struct slow *c, uint32_t w)
{
	c->now[w].note = 1;
}

/* "The pages are in a circle; the hand points to one. If its bit is on it is turned off and the hand advances; else the
 * page is removed, and the hand advances." */
static uint32_t
victim(struct slow *c)
{
	while (c->now[c->set[c->s]].note) {
		c->now[c->set[c->s]].note = 0;
		c->set[c->s] = (c->set[c->s] + 1) % c->ways;
	}
	uint32_t w = (uint32_t)c->set[c->s];
	c->set[c->s] = (w + 1) % c->ways;
	return w;
}

RP_TEST(clock, is_what_was_published)
{
	slow_compare(
	    &(struct slow_policy){ .name = "clock", .hit = use, .fill = use, .victim = victim });
}

/* Three ways; * marks a used line, > is the hand. A B C miss: >A* B* C*. D misses: a full round takes all marks off, A
 * goes: D* >B C. B hits: D* >B* C. E misses: B keeps its place and loses its mark, C goes: >D* B E*. B hits, A misses: D
 * loses its mark, then B, then E; D goes. B hits, D misses and E goes. */
RP_TEST(clock, passes_by_what_was_used)
{
	cr_assert_eq(slow_misses("clock,size=192", "R0 R40 R80 Rc0 R40 R100 R40"), 5);
	cr_assert_eq(slow_misses("clock,size=192", "R0 R40 R80 Rc0 R40 R100 R40 R0 R40 Rc0"), 7);
	cr_assert_eq(
	    slow_misses("clock,size=192", "R0 R40 R80 Rc0 R40 R100 R40 R0 R40 Rc0 R100"), 8);
}
