/* test_sharing.c - tests gen/sharing.c. */
#include "tests/gen/draw.h"

/* Rows as "0W0 1W8": stream, letter, address. */
static void
is(const char *text, const char *want)
{
	struct rp_batch *b = draw_rows(text, 1, 60, 7);
	char found[1024] = "";
	size_t at = 0;
	for (size_t i = 0; i < b->n; i++)
		at += (size_t)snprintf(found + at, sizeof found - at, "%s%u%c%llu", i ? " " : "",
		    b->stream[i], rp_kind_letter(b->kind[i]), (unsigned long long)b->addr[i]);
	cr_assert_str_eq(found, want, "%s", text);
	rp_batch_free(b);
}

RP_TEST(sharing, the_lessons_three_workloads)
{
	is("sharing,pattern=false,streams=2,limit=4", "0W0 1W8 0W0 1W8");
	is("sharing,pattern=true,streams=2,limit=4", "0W0 1W0 0W0 1W0");
	is("sharing,pattern=private,streams=2,lines=3,rounds=4",
	    "0W0 1W192 0W64 1W256 0W128 1W320 0W0 1W192");
}

RP_TEST(sharing, padding_gives_each_stream_a_line)
{
	is("sharing,pattern=false,streams=3,pad=yes,rounds=1", "0W0 1W64 2W128");
	/* Three words of eight bytes do not fit in a line of 16: the next object begins behind two lines. */
	is("sharing,pattern=false,streams=3,line=16,lines=2,rounds=2",
	    "0W0 1W8 2W16 0W32 1W40 2W48");
}

RP_TEST(sharing, words_are_read_before_they_are_written)
{
	is("sharing,pattern=true,streams=2,rmw=yes,rounds=1", "0R0 0W0 1R0 1W0");
	is("sharing,pattern=migratory,streams=2,words=2,rounds=1,base=64",
	    "0R64 0W64 0R72 0W72 1R64 1W64 1R72 1W72");
}

RP_TEST(sharing, one_produces_what_the_others_read)
{
	is("sharing,pattern=producer-consumer,streams=3,words=2,rounds=1",
	    "0W0 0W8 1R0 1R8 2R0 2R8");
}

RP_TEST(sharing, mostly_read_words_are_written_by_each_in_turn)
{
	is("sharing,pattern=read-mostly,streams=2,words=1,every=2,rounds=4",
	    "0R0 1R0 0R0 1R0 0W0 0R0 1R0 0R0 1R0 1W0");
}

RP_TEST(sharing, a_lock_is_taken_in_turn_while_the_others_look)
{
	is("sharing,pattern=lock,streams=3,words=1,rounds=2",
	    "0A0 1R0 2R0 0R8 0W8 0W0 1A0 0R0 2R0 1R8 1W8 1W0");
	is("sharing,pattern=lock,streams=2,words=1,spins=0,pad=yes,rounds=1", "0A0 0R64 0W64 0W0");
}

RP_TEST(sharing, a_barrier_counts_all_and_lets_them_go)
{
	is("sharing,pattern=barrier,streams=3,rounds=1", "0A0 0R8 1A0 1R8 2A0 2W0 2W8 0R8 1R8");
}

RP_TEST(sharing, streams_work_on_lines_of_their_own_between_turns)
{
	is("sharing,pattern=true,streams=2,work=3,lines=2,rounds=1",
	    "0R128 0W128 0R192 0W0 1R256 1W256 1R320 1W0");
}

RP_TEST(sharing, shuffled_turns_are_the_same_turns_in_another_order)
{
	struct rp_batch *b = draw_rows("sharing,streams=5,shuffle=yes,rounds=40", 3, 1000, 7);
	unsigned moved = 0;
	cr_assert_eq(b->n, 200);
	for (size_t r = 0; r < 40; r++) {
		unsigned seen = 0;
		for (size_t i = 5 * r; i < 5 * r + 5; i++) {
			seen |= 1U << b->stream[i];
			moved += b->stream[i] != i % 5;
			cr_assert_eq(b->addr[i], 8 * b->stream[i]);
		}
		cr_assert_eq(seen, 31);
	}
	cr_assert_gt(moved, 100);
	rp_batch_free(b);
}

RP_TEST(sharing, refuses_what_does_not_fit_together)
{
	draw_refuses("sharing,size=128", "gen:sharing: size=128 is more than line=64");
	draw_refuses("sharing,pattern=producer-consumer,streams=1",
	    "gen:sharing: pattern=producer-consumer: wanted streams=2 or more, stream 0 produces");
}
