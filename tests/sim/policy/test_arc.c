/* test_arc.c - tests sim/policy/arc.c. */
#include "tests/sim/policy/listed.h"

/* Figure 4 of the source, on lists. `number` is p in parts of which a way has PART; every quotient of numbers up to 32 is a
 * whole number of them, so with up to 32 ways p is exactly the real number of the source. */
enum { T1, T2, B1, B2 };
static const uint64_t PART = UINT64_C(144403552893600);

RP_TEST(arc, the_parts_of_a_way_divide_by_all_numbers_up_to_32)
{
	for (uint64_t n = 1; n <= 32; n++)
		cr_assert_eq(PART % n, 0);
}

/* Case I. */
static void
hit(struct listed_set *s, uint64_t line)
{
	if (!list_remove(&s->list[T1], line))
		list_remove(&s->list[T2], line);
	list_push(&s->list[T2], line);
}

static int64_t
replace(struct listed_set *s, bool in_b2)
{
	struct list *l = s->list;
	__int128 t1 = (__int128)l[T1].n * PART;
	bool first = l[T1].n >= 1 && ((in_b2 && t1 == s->number) || t1 > s->number);
	uint64_t gone = list_pop(&l[first ? T1 : T2]);
	list_push(&l[first ? B1 : B2], gone);
	return (int64_t)gone;
}

static __int128
quotient(size_t a, size_t b)
{
	return a <= b ? (__int128)PART : (__int128)a * PART / b;
}

/* A set with room, after invalidations, replaces nothing; the rest of the step is the same. */
static int64_t
miss(struct listed_set *s, uint64_t line)
{
	struct list *l = s->list;
	size_t c = s->ways;
	bool room = l[T1].n + l[T2].n < c, in_b1 = list_has(&l[B1], line),
	     in_b2 = list_has(&l[B2], line);
	int64_t gone = NO_LINE;
	if (in_b1 || in_b2) { /* cases II and III */
		s->number += in_b1 ? quotient(l[B2].n, l[B1].n) : -quotient(l[B1].n, l[B2].n);
		if (s->number > (__int128)c * PART)
			s->number = (__int128)c * PART;
		if (s->number < 0)
			s->number = 0;
		list_remove(&l[in_b1 ? B1 : B2], line);
		if (!room)
			gone = replace(s, in_b2);
		list_push(&l[T2], line);
		return gone;
	}
	if (l[T1].n + l[B1].n == c) { /* case IV A */
		if (l[T1].n < c) {
			list_pop(&l[B1]);
			if (!room)
				gone = replace(s, false);
		} else {
			gone = (int64_t)list_pop(&l[T1]);
		}
	} else if (l[T1].n + l[T2].n + l[B1].n + l[B2].n >= c) { /* case IV B */
		if (l[T1].n + l[T2].n + l[B1].n + l[B2].n == 2 * c)
			list_pop(&l[B2]);
		if (!room)
			gone = replace(s, false);
	}
	list_push(&l[T1], line);
	return gone;
}

static const struct listed_policy slow = { "arc", 2, hit, miss, NULL };

RP_TEST(arc, is_figure_4) { listed_random(&slow, "arc"); }

/* Two ways, lists newest first, p = 0 at first.
 *   A miss T1[A]; A hit T2[A]; B miss T1[B] T2[A]; C miss: T1 is longer than p, B goes T1[C] T2[A] B1[B];
 *   B miss, in B1: p = 1; T1 is not longer than p, so A goes from T2: T1[C] T2[B] B2[A];
 *   C hit T2[C B]; A miss, in B2: p = 0, T1 is empty, B goes: T2[A C] B2[B]; C hit.
 * 5 misses of 8. */
RP_TEST(arc, learns_from_what_it_misses)
{
	cr_assert_eq(replay_text("arc,size=128", "R0 R0 R40 R80 R40 R80 R0 R80", NULL).misses, 5);
}

/* A scan of lines used once does not drive out lines used twice: eight of those, sixteen ways, a scan of 1,000, and all eight
 * are still there. With LRU none is. */
RP_TEST(arc, resists_a_scan)
{
	struct rp_batch *b = rp_batch_new(4096, 0, NULL);
	for (uint64_t i = 0; i < 16; i++)
		rp_batch_put(b, &(struct rp_access){ .addr = 64 * (i % 8), .size = 1 });
	for (uint64_t i = 0; i < 1000; i++)
		rp_batch_put(b, &(struct rp_access){ .addr = 6400 + 64 * i, .size = 1 });
	for (uint64_t i = 0; i < 8; i++)
		rp_batch_put(b, &(struct rp_access){ .addr = 64 * i, .size = 1 });
	cr_assert_eq(replay_one("arc,size=1024", b, NULL).misses, 1008);
	cr_assert_eq(replay_one("lru,size=1024", b, NULL).misses, 1016);
	rp_batch_free(b);
}
