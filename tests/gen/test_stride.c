/* test_stride.c - tests gen/stride.c. */
#include "tests/gen/draw.h"

static void
is(const char *text, size_t n, const uint64_t *addr, const char *kinds)
{
	struct rp_batch *b = draw_rows(text, 1, 100, 3);
	cr_assert_eq(b->n, n, "%s: %zu rows", text, b->n);
	for (size_t i = 0; i < n; i++) {
		cr_assert_eq(b->addr[i], addr[i], "%s: row %zu", text, i);
		cr_assert_eq(rp_kind_letter(b->kind[i]), kinds[i], "%s: row %zu", text, i);
	}
	rp_batch_free(b);
}

RP_TEST(stride, walks_the_array_pass_after_pass)
{
	is("stride,stride=100,count=3,passes=2,base=7", 6,
	    (const uint64_t[]){ 7, 107, 207, 7, 107, 207 }, "RRRRRR");
	is("stride,stride=8,count=1,passes=2", 2, (const uint64_t[]){ 0, 0 }, "RR");
	is("stride,stride=8,count=3,writes=1,passes=1", 3, (const uint64_t[]){ 0, 8, 16 }, "WWW");
}

RP_TEST(stride, a_length_is_as_many_elements_as_begin_in_it)
{
	is("stride,stride=64,length=128,passes=1", 2, (const uint64_t[]){ 0, 64 }, "RR");
	is("stride,stride=64,length=129,passes=1", 3, (const uint64_t[]){ 0, 64, 128 }, "RRR");
	is("stride,stride=64,length=1,passes=1", 1, (const uint64_t[]){ 0 }, "R");
}

RP_TEST(stride, read_modify_write_reads_and_then_writes_each)
{
	is("stride,stride=4,size=4,count=3,rmw=yes,passes=1", 6,
	    (const uint64_t[]){ 0, 0, 4, 4, 8, 8 }, "RWRWRW");
	is("stride,stride=4,count=2,rmw=yes,limit=5", 5, (const uint64_t[]){ 0, 0, 4, 4, 0 },
	    "RWRWR");
}

RP_TEST(stride, ends_by_what_comes_first)
{
	is("stride,count=2,passes=2,limit=3", 3, (const uint64_t[]){ 0, 64, 0 }, "RRR");
	is("stride,count=2,passes=1,limit=3", 2, (const uint64_t[]){ 0, 64 }, "RR");
}

RP_TEST(stride, is_endless_without_a_limit)
{
	struct rp_batch *b = draw_rows("stride,count=3", 1, 50000, RP_BATCH);
	cr_assert_eq(b->n, 50000);
	cr_assert_eq(b->addr[49999], 49999 % 3 * 64);
	rp_batch_free(b);
	b = draw_rows("stride,count=9223372036854775807,stride=1,size=1,passes=9223372036854775807",
	    1, 5, RP_BATCH);
	cr_assert_eq(b->n, 5); /* 2^126 accesses are no limit */
	rp_batch_free(b);
}

RP_TEST(stride, refuses_what_does_not_fit_together)
{
	draw_refuses("stride,count=2,length=64",
	    "gen:stride: count= and length= say the same thing: wanted one of them");
	draw_refuses("stride,rmw=yes,writes=0.5",
	    "gen:stride: rmw=yes and writes=0.5: a read-modify-write decides what writes");
	draw_refuses("stride,stride=0", "gen:stride: stride=: '0' is not a size: wanted a number "
					"of bytes, at least 1, like 4096, 48k, 1MiB or 2GiB");
	draw_refuses("stride,count=2,base=0xffffffffffffffc0",
	    "gen:stride: 2 items 64 bytes apart from address 0xffffffffffffffc0 on do not fit "
	    "below 2^64");
	draw_refuses("stride,rmw=maybe", "gen:stride: rmw=: 'maybe' is none of yes, no");
}
