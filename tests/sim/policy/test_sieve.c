/* test_sieve.c - tests sim/policy/sieve.c. */
#include "tests/sim/policy/listed.h"

/* Algorithm 1 of the source, on a list: its front is the head. `number` is the hand's line + 1, 0 for NULL; note[] is
 * "visited". */
static void
hit(struct listed_set *s, uint64_t line)
{
	s->note[line] = 1;
}

/* The line before one in the queue, towards the head, + 1; 0 at the head. */
static __int128
previous(const struct list *queue, uint64_t line)
{
	size_t i = list_find(queue, line);
	return i ? (__int128)queue->x[i - 1] + 1 : 0;
}

static int64_t
miss(struct listed_set *s, uint64_t line)
{
	struct list *queue = &s->list[0];
	int64_t gone = NO_LINE;
	if (queue->n == s->ways) {
		uint64_t o = s->number ? (uint64_t)s->number - 1 : queue->x[queue->n - 1];
		while (s->note[o]) {
			s->note[o] = 0;
			__int128 before = previous(queue, o);
			o = before ? (uint64_t)before - 1 : queue->x[queue->n - 1];
		}
		s->number = previous(queue, o);
		list_remove(queue, o);
		gone = (int64_t)o;
	}
	list_push(queue, line);
	s->note[line] = 0;
	return gone;
}

static void
drop(struct listed_set *s, uint64_t line)
{
	if (s->number == (__int128)line + 1)
		s->number = previous(&s->list[0], line);
}

static const struct listed_policy slow = { "sieve", 1, hit, miss, drop };

RP_TEST(sieve, is_algorithm_1) { listed_random(&slow, "sieve"); }

/* One set of three ways, lines A B C D E F of 64 bytes; the queue, newest first, * used, > the hand.
 *   A B C misses [C B A]; A hit [C B A*]; D: A is passed, B goes, the hand before it [D >C A];
 *   A hit [D >C A*]; E: C goes [E >D A*]; B: D goes [B >E A*]; A is still there: hit.
 * 6 misses of 9. LRU keeps A too and misses the same; FIFO does not: A goes for D, and has to come back. */
RP_TEST(sieve, the_hand_passes_what_was_used)
{
	static const char trace[] = "R0 R40 R80 R0 Rc0 R0 R100 R40 R0";
	cr_assert_eq(replay_text("sieve,size=192", trace, NULL).misses, 6);
	cr_assert_eq(replay_text("fifo,size=192", trace, NULL).misses, 7);
}

/* Two ways: A B, both used; C: the hand passes A and B, clearing them, and comes round to A, which goes. The hand is at B:
 * D replaces B though C is as unused. */
RP_TEST(sieve, the_hand_goes_round)
{
	cr_assert_eq(replay_text("sieve,size=128", "R0 R40 R0 R40 R80 R40 Rc0", NULL).misses, 4);
	cr_assert_eq(
	    replay_text("sieve,size=128", "R0 R40 R0 R40 R80 Rc0 R80 R40", NULL).misses, 5);
}
