/* test_recorded.c - tests validate/recorded.c. */
#include "tests/check.h"

#include "base/rng.h"
#include "gen/gen.h"
#include "validate/recorded.h"

static struct rp_recorded
read_text(const char *text, uint64_t block)
{
	struct rp_err err = { 0 };
	struct rp_source *s = rp_gen_open(text, 1, &err);
	struct rp_recorded r;
	cr_assert(s, "%s", err.text);
	cr_assert(rp_recorded_read(&r, s, block, &err), "%s: %s", text, err.text);
	rp_source_close(s);
	return r;
}

RP_TEST(recorded, any_scan_is_found_out)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("recorded"), "tests/recorded", 0);
	for (unsigned i = 0; i < 100 * rp_test_scale(); i++) {
		static const uint32_t each[] = { 1, 2, 5 };
		uint64_t N = 2 + rp_rng_below(&rng, 30), phase[9],
			 base = 64 * rp_rng_below(&rng, 9999);
		uint32_t M = 1 + (uint32_t)rp_rng_below(&rng, 9),
			 line = 1 + (uint32_t)rp_rng_below(&rng, 90),
			 lines = M > 1 ? each[rp_rng_below(&rng, 3)] : 1;
		char text[400];
		int at = snprintf(text, sizeof text,
		    "scan,blocks=%lu,block=%u,line=%u,base=%lu,rounds=%lu,phases=", N, line * lines,
		    line, base, 2 * N + 1);
		for (uint32_t m = 0; m < M; m++) {
			phase[m] = rp_rng_below(&rng, N);
			at += snprintf(
			    text + at, sizeof text - (size_t)at, "%s%lu", m ? "," : "", phase[m]);
		}
		struct rp_recorded r = read_text(text, 0);
		cr_assert(r.is_static && r.wraps && !r.worker, "%s", text);
		cr_assert(r.blocks == N && r.workers == M && r.base == base && r.step == line &&
			      r.lines == lines && r.rounds == 2 * N + 1 &&
			      r.requests == r.rounds * M,
		    "%s: %lu blocks, %u workers, %lu lines of %lu, %lu rounds", text, r.blocks,
		    r.workers, r.lines, r.step, r.rounds);
		cr_assert_arr_eq(r.phase, phase, M * sizeof *phase);
		rp_recorded_free(&r);
	}
}

RP_TEST(recorded, a_history_keeps_the_order_of_its_workers)
{
	static const uint32_t sharp[] = { 0, 0, 0, 1, 1, 0, 0, 1 };
	struct rp_recorded r = read_text("divergent,model=sharpness,lead=3", 0);
	cr_assert(!r.is_static && r.requests == 8 && r.workers == 2);
	cr_assert_arr_eq(r.worker, sharp, sizeof sharp);
	rp_recorded_free(&r);
	for (int lines = 1; lines <= 3; lines++) {
		char text[200];
		struct rp_err err = { 0 };
		snprintf(text, sizeof text,
		    "divergent,model=lead,lead=4,workers=5,blocks=11,scans=6,block=%d,line=8",
		    8 * lines);
		struct rp_source *s = rp_gen_open(text, 1, &err);
		struct rp_batch *b = rp_batch_new(2000, RP_COL_STREAM, &err);
		cr_assert(s && b && rp_source_pull(s, b, &err) == 330 * lines);
		r = read_text(text, 0);
		cr_assert(!r.is_static && r.blocks == 11 && r.lines == (uint64_t)lines &&
			  r.requests == 330);
		for (size_t u = 0; u < 330; u++)
			cr_assert_eq(r.stream[r.worker[u]], b->stream[u * (size_t)lines]);
		rp_recorded_free(&r);
		rp_batch_free(b);
		rp_source_close(s);
	}
}

/* A last round, or block, may be cut short. */
RP_TEST(recorded, what_is_left_over_at_the_end_is_left_out)
{
	for (unsigned cut = 1; cut < 12; cut++) {
		char text[200];
		snprintf(text, sizeof text,
		    "scan,blocks=10,block=96,line=32,phases=0,3,3,8,limit=%u", 4 * 3 * 25 + cut);
		struct rp_recorded r = read_text(text, 0);
		cr_assert(r.is_static && r.rounds == 25 && r.requests == 100 + cut / 3, "%s: %lu",
		    text, r.requests);
		rp_recorded_free(&r);
	}
}

RP_TEST(recorded, a_block_may_be_told)
{
	struct rp_recorded r = read_text("scan,blocks=12,block=96,line=32,rounds=40", 96);
	cr_assert(r.is_static && r.blocks == 12 && r.lines == 3 && r.rounds == 40);
	rp_recorded_free(&r);
	r = read_text("scan,blocks=12,block=96,line=32,rounds=40,phases=0,4", 32);
	cr_assert(!r.is_static && r.blocks == 36 && r.lines == 1 && r.requests == 240);
	rp_recorded_free(&r);
}
