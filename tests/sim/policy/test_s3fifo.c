/* test_s3fifo.c - tests sim/policy/s3fifo.c. */
#include "tests/sim/policy/listed.h"

/* Algorithm 1 of the source, on lists; note[] is "freq". */
enum { S, M, G };

static void
hit(struct listed_set *s, uint64_t line)
{
	if (s->note[line] < 3)
		s->note[line]++;
}

static int64_t
evict_main(struct listed_set *s)
{
	for (;;) {
		uint64_t t = list_pop(&s->list[M]);
		if (!s->note[t])
			return (int64_t)t;
		s->note[t]--;
		list_push(&s->list[M], t);
	}
}

static int64_t
evict_small(struct listed_set *s)
{
	while (s->list[S].n) {
		uint64_t t = list_pop(&s->list[S]), most = (100 - s->arg[0]) * s->ways / 100;
		if (s->note[t] >= s->arg[1]) { /* "freq > 1" */
			s->note[t] = 0;
			list_push(&s->list[M], t);
			continue;
		}
		if (most) {
			if (s->list[G].n == most)
				list_pop(&s->list[G]);
			list_push(&s->list[G], t);
		}
		return (int64_t)t;
	}
	return NO_LINE;
}

static int64_t
miss(struct listed_set *s, uint64_t line)
{
	int64_t gone = NO_LINE;
	while (s->list[S].n + s->list[M].n == s->ways)
		gone = 100 * s->list[S].n >= s->arg[0] * s->ways ? evict_small(s) : evict_main(s);
	bool ghost = list_remove(&s->list[G], line);
	list_push(&s->list[ghost ? M : S], line);
	s->note[line] = 0;
	return gone;
}

static const struct listed_policy slow = { "s3fifo", 2, hit, miss, NULL };

RP_TEST(s3fifo, is_algorithm_1) { listed_random(&slow, "s3fifo"); }

RP_TEST(s3fifo, is_algorithm_1_with_other_numbers)
{
	struct listed_policy other = slow;
	other.spec = "s3fifo,small=25,hits=1";
	listed_random(&other, "s3fifo with small=25,hits=1");
	other.spec = "s3fifo,small=99,hits=3";
	listed_random(&other, "s3fifo with small=99,hits=3");
}

/* Three ways: the small queue gives a line when it has one, the ghost queue holds two. Queues newest first, uses behind.
 *   A B C miss S[C0 B0 A0]; B hit twice S[C0 B2 A0]; D: A goes S[D0 C0 B2] G[A];
 *   A: B has two uses and goes over to M, C goes; A was remembered: M[A0 B0] S[D0] G[C];
 *   E: D goes S[E0] M[A0 B0] G[D C]; C: E goes, C is forgotten for it, as G holds two: S[C0] M[A0 B0] G[E D];
 *   B and A hit; D: C goes, E D C: D is the oldest and forgotten: S[D0] M[A1 B1] G[C E].
 *   E: D goes; E was remembered: M[E0 A1 B1] G[D C]; F: S is empty, so M gives: B and A go round once, E goes.
 * 10 misses of 14. */
RP_TEST(s3fifo, moves_lines_between_its_queues)
{
	static const char trace[] = "R0 R40 R80 R40 R40 Rc0 R0 R100 R80 R40 R0 Rc0 R100 R140";
	cr_assert_eq(replay_text("s3fifo,size=192", trace, NULL).misses, 10);
	cr_assert_eq(
	    replay_text("s3fifo,size=192",
		"R0 R40 R80 R40 R40 Rc0 R0 R100 R80 R40 R0 Rc0 R100 R140 R40 R0 R100", NULL)
		.misses,
	    11);
}
