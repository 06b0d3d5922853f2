/* test_scan.c - tests gen/scan.c. */
#include "tests/gen/draw.h"

/* Algorithm 1 of PASCAL for one worker of phase 0: in round k block k mod 12, at 64 bytes a block. */
RP_TEST(scan, round_k_requests_block_k_mod_n)
{
	struct rp_batch *b = draw_rows("scan,blocks=12,rounds=72,block=64", 1, 1000, 5);
	cr_assert_eq(b->n, 72);
	for (size_t k = 0; k < b->n; k++) {
		cr_assert_eq(b->addr[k], k % 12 * 64);
		cr_assert_eq(b->time[k], k);
		cr_assert(b->size[k] == 64 && b->kind[k] == RP_READ && b->stream[k] == 0);
	}
	rp_batch_free(b);
}

RP_TEST(scan, a_block_may_be_an_access_for_each_line)
{
	static const uint64_t addr[] = { 1000, 1032, 1064, 1096, 1128, 1160, 1000, 1032, 1064 };
	static const uint64_t time[] = { 0, 0, 0, 1, 1, 1, 2, 2, 2 };
	for (size_t cap = 1; cap < 10; cap++) {
		struct rp_batch *b =
		    draw_rows("scan,blocks=2,block=96,line=32,rounds=3,base=1000", 1, 100, cap);
		cr_assert_eq(b->n, 9);
		cr_assert_arr_eq(b->addr, addr, sizeof addr);
		cr_assert_arr_eq(b->time, time, sizeof time);
		for (size_t k = 0; k < 9; k++)
			cr_assert_eq(b->size[k], 32);
		rp_batch_free(b);
	}
}

RP_TEST(scan, ends_by_what_comes_first_or_never)
{
	static const struct {
		const char *text;
		size_t n;
	} at[] = { { "scan,rounds=10,limit=5", 5 }, { "scan,rounds=5,limit=10", 5 },
		{ "scan,rounds=5,block=64,line=8,limit=39", 39 }, { "scan,blocks=1", 20000 },
		{ "scan,blocks=3,block=4000,line=1,rounds=18446744073709551615", 20000 } };
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		struct rp_batch *b = draw_rows(at[i].text, 1, 20000, RP_BATCH);
		cr_assert_eq(b->n, at[i].n, "%s", at[i].text);
		rp_batch_free(b);
	}
}

RP_TEST(scan, refuses_what_does_not_fit_together)
{
	draw_refuses("scan,block=100,line=64", "gen:scan: block=100 is no multiple of line=64");
	draw_refuses("scan,blocks=0", "gen:scan: blocks=: 0 is not in 1..18446744073709551615");
	draw_refuses("scan,blocks=18446744073709551615",
	    "gen:scan: 18446744073709551615 items 64 bytes "
	    "apart from address 0x0 on do not fit below 2^64");
}
