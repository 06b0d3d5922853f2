/* test_divergent.c - tests gen/divergent.c. */
#include "tests/gen/draw.h"

/* PASCAL, section 8: sharpness for s = 3 requests blocks 0 1 2 0 1 3 4 2 of 6. */
RP_TEST(divergent, sharpness_requests_the_blocks_of_the_example)
{
	static const uint64_t block[] = { 0, 1, 2, 0, 1, 3, 4, 2 };
	static const uint32_t who[] = { 0, 0, 0, 1, 1, 0, 0, 1 };
	struct rp_batch *b =
	    draw_rows("divergent,model=sharpness,lead=3,block=128,base=512", 1, 100, 3);
	cr_assert_eq(b->n, 8);
	for (size_t i = 0; i < 8; i++)
		cr_assert(b->addr[i] == 512 + 128 * block[i] && b->stream[i] == who[i] &&
			  b->time[i] == i && b->size[i] == 128 && b->kind[i] == RP_READ);
	rp_batch_free(b);
}

RP_TEST(divergent, lockstep_is_a_scan_of_coincident_phases)
{
	struct rp_batch *a = draw_rows(
			    "divergent,workers=5,blocks=7,scans=3,block=96,line=32", 1, 1000, 10),
			*b = draw_rows("scan,phases=0,0,0,0,0,blocks=7,rounds=21,block=96,line=32",
			    1, 1000, 100);
	cr_assert_eq(a->n, 5 * 7 * 3 * 3);
	cr_assert_eq(a->n, b->n);
	cr_assert_arr_eq(a->addr, b->addr, a->n * sizeof *a->addr);
	cr_assert_arr_eq(a->time, b->time, a->n * sizeof *a->time);
	cr_assert_arr_eq(a->stream, b->stream, a->n * sizeof *a->stream);
	rp_batch_free(a);
	rp_batch_free(b);
}

/* Each worker's k-th request is block k mod N, over all its scans; its lines come one after the other. */
RP_TEST(divergent, each_worker_scans_from_the_first_block_on)
{
	static const char *const at[] = {
		"divergent,model=lead,lead=5,workers=7,blocks=11,scans=4,block=96,line=32",
		"divergent,model=rates,rates=1,3,2.5,workers=7,blocks=11,scans=4,block=96,line=32"
	};
	for (size_t i = 0; i < sizeof at / sizeof *at; i++)
		for (size_t cap = 1; cap < 700; cap = 3 * cap + 1) {
			uint64_t count[7] = { 0 };
			struct rp_batch *b = draw_rows(at[i], 5, 2000, cap),
					*same = draw_rows(at[i], 5, 2000, 2000);
			cr_assert_eq(b->n, 7 * 11 * 4 * 3);
			for (size_t r = 0; r < b->n; r++) {
				uint64_t k = count[b->stream[r]]++;
				cr_assert_eq(b->addr[r], k / 3 % 11 * 96 + k % 3 * 32);
				cr_assert_eq(b->time[r], r / 3);
				cr_assert_eq(b->stream[r], b->stream[r - r % 3]);
			}
			cr_assert_arr_eq(b->stream, same->stream, b->n * sizeof *b->stream);
			rp_batch_free(b);
			rp_batch_free(same);
		}
}

RP_TEST(divergent, ends_by_what_comes_first_or_never)
{
	static const struct {
		const char *text;
		size_t n;
	} at[] = { { "divergent,limit=5", 5 }, { "divergent,scans=2,blocks=3,workers=4", 24 },
		{ "divergent,scans=2,blocks=3,workers=4,limit=23", 23 },
		{ "divergent,model=lead", 20000 }, { "divergent,model=rates,rates=1", 20000 },
		{ "divergent,model=lead,workers=6144,lead=3", 20000 },
		{ "divergent,model=sharpness,lead=2", 5 } };
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		struct rp_batch *b = draw_rows(at[i].text, 1, 20000, RP_BATCH);
		cr_assert_eq(b->n, at[i].n, "%s", at[i].text);
		rp_batch_free(b);
	}
}

RP_TEST(divergent, refuses_what_does_not_fit_together)
{
	static const struct {
		const char *text, *message;
	} at[] = {
		{ "divergent,model=vm1", "gen:divergent: model=: 'vm1' is none of lockstep, lead, "
					 "rates, sharpness" },
		{ "divergent,rates=1", "gen:divergent: rates= is for model=rates" },
		{ "divergent,model=rates",
		    "gen:divergent: model=rates: wanted rates=R0,R1,..., a pace "
		    "for each worker" },
		{ "divergent,model=rates,rates=1,2,workers=1",
		    "gen:divergent: rates=: more than workers=1 rates" },
		{ "divergent,model=rates,rates=1,-2",
		    "gen:divergent: rates=: rate '-2' is not above 0" },
		{ "divergent,lead=3",
		    "gen:divergent: lead= is for model=lead and model=sharpness" },
		{ "divergent,model=sharpness,lead=1",
		    "gen:divergent: model=sharpness wants a lead of 2 or more" },
		{ "divergent,model=sharpness,workers=3",
		    "gen:divergent: model=sharpness has 2 workers, not 3" },
		{ "divergent,model=sharpness,scans=3",
		    "gen:divergent: scans=: model=sharpness ends by itself, after 3 * lead - 1 "
		    "requests" },
		{ "divergent,block=100,line=64",
		    "gen:divergent: block=100 is no multiple of line=64" },
	};
	for (size_t i = 0; i < sizeof at / sizeof *at; i++)
		draw_refuses(at[i].text, at[i].message);
}
