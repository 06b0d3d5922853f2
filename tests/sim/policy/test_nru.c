/* test_nru.c - tests sim/policy/nru.c. */
#include "tests/sim/policy/slow.h"

/* As in Jaleel et al., ISCA 2010: the bit is 1 for a line that is not used soon; "hit, fill: set the bit to 0. Victim: search
 * for the first 1 from the left; if found, replace it; else set all bits to 1 and search again." */
static void
use(struct slow *c, uint32_t w)
{
	c->now[w].note = 0;
}

static uint32_t
victim(struct slow *c)
{
	for (;;) {
		for (uint32_t w = 0; w < c->ways; w++)
			if (c->now[w].note)
				return w;
		for (uint32_t w = 0; w < c->ways; w++)
			c->now[w].note = 1;
	}
}

RP_TEST(nru, is_what_was_published)
{
	slow_compare(
	    &(struct slow_policy){ .name = "nru", .hit = use, .fill = use, .victim = victim });
}

/* Three ways, all used by A B C. D: nobody is left, all are unmarked, the first way goes: D* B C. C hits: D* B C*. E: B
 * goes: D* E* C*. A: again nobody, the first way, D, goes: A* E C. So C and E hit; then all are used and A, the first, goes
 * for D. */
RP_TEST(nru, forgets_all_when_all_were_used)
{
	cr_assert_eq(slow_misses("nru,size=192", "R0 R40 R80 Rc0 R80 R100 R0 R80 R100"), 6);
	cr_assert_eq(
	    slow_misses("nru,size=192", "R0 R40 R80 Rc0 R80 R100 R0 R80 R100 Rc0 R80 R100"), 7);
}
