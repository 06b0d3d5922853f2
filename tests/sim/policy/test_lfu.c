/* test_lfu.c - tests sim/policy/lfu.c. */
#include "tests/sim/policy/listed.h"

/* The definition: a list in order of use, the latest first, and how often each line was used since it came in. */
static void
hit(struct listed_set *s, uint64_t line)
{
	s->count[line]++;
	list_remove(&s->list[0], line);
	list_push(&s->list[0], line);
}

static int64_t
miss(struct listed_set *s, uint64_t line)
{
	struct list *l = &s->list[0];
	int64_t gone = NO_LINE;
	if (l->n == s->ways) {
		uint64_t least = l->x[l->n - 1];
		for (size_t i = l->n; i-- > 0;)
			if (s->count[l->x[i]] < s->count[least])
				least = l->x[i];
		list_remove(l, least);
		gone = (int64_t)least;
	}
	list_push(l, line);
	s->count[line] = 1;
	return gone;
}

static const struct listed_policy slow = { "lfu", 1, hit, miss, NULL };

RP_TEST(lfu, is_its_definition) { listed_random(&slow, "lfu"); }

/* One set of three ways; uses in brackets.
 *   A B C miss; A A hit [A3 B1 C1]; B hit [A3 B2 C1]; D: C goes, the only one used once [A3 B2 D1];
 *   C: D goes, though it is the latest [A3 B2 C1]; C hit [A3 B2 C2]; D: B and C were used twice, B longest ago: it goes
 *   [A3 C2 D1]; A and C hit. 6 misses of 12. */
RP_TEST(lfu, replaces_the_least_used_and_of_those_the_oldest)
{
	static const char trace[] = "R0 R40 R80 R0 R0 R40 Rc0 R80 R80 Rc0 R0 R80";
	cr_assert_eq(replay_text("lfu,size=192", trace, NULL).misses, 6);
}

/* A count starts again when a line comes back: A was used three times, is invalidated, comes back, and goes for C before B,
 * which was used twice. */
RP_TEST(lfu, forgets_the_uses_of_a_line_that_left)
{
	cr_assert_eq(replay_text("lfu,size=128", "R0 R0 R0 R40 R40 D0 R0 R80 R40", NULL).misses, 4);
}
