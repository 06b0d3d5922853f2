/* test_scan.c - tests gen/scan.c. */
#include "tests/gen/draw.h"

#include "base/rng.h"

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

/* Algorithm 1 of PASCAL, as it is written. */
static struct rp_batch *
slow_scan(const uint64_t *phase, uint64_t workers, uint64_t n, uint64_t rounds, uint32_t block,
    uint32_t line, uint64_t base)
{
	struct rp_err err = { 0 };
	struct rp_batch *b = rp_batch_new(rounds * workers * (block / line), RP_COL_ALL, &err);
	for (uint64_t k = 0; k < rounds; k++)
		for (uint64_t m = 0; m < workers; m++)
			for (uint32_t at = 0; at < block; at += line)
				rp_batch_put(b, &(struct rp_access){
						    .addr = base + (k + phase[m]) % n * block + at,
						    .size = line,
						    .stream = (uint32_t)m,
						    .time = k });
	return b;
}

static void
rows_are(const struct rp_batch *got, const struct rp_batch *want, const char *text)
{
	cr_assert_eq(got->n, want->n, "%s: %zu rows, not %zu", text, got->n, want->n);
	for (size_t i = 0; i < want->n; i++) {
		struct rp_access a = rp_batch_get(got, i), b = rp_batch_get(want, i);
		cr_assert(a.addr == b.addr && a.size == b.size && a.kind == RP_READ &&
			      a.stream == b.stream && a.time == b.time && !a.pc && !a.mask &&
			      !a.flags,
		    "%s: row %zu is %lx,%u,%lu of worker %u, not %lx,%u,%lu of worker %u", text, i,
		    a.addr, a.size, a.time, a.stream, b.addr, b.size, b.time, b.stream);
	}
}

RP_TEST(scan, any_workers_blocks_and_lines_are_those_of_algorithm_1)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("scan"), "tests/scan", 0);
	for (unsigned i = 0; i < 60 * rp_test_scale(); i++) {
		static const uint32_t lines[] = { 1, 1, 2, 3, 5, 16, 33 };
		uint64_t n = 1 + rp_rng_below(&rng, i % 3 ? 9 : 5000), workers, rounds,
			 base = rp_rng_below(&rng, 2) * rp_rng_next(&rng) >> 8, phase[700];
		uint32_t line = 1 + (uint32_t)rp_rng_below(&rng, 100),
			 each = lines[rp_rng_below(&rng, 7)];
		char text[8192];
		workers = 1 + rp_rng_below(&rng, i % 5 ? 8 : 700);
		rounds = 1 + rp_rng_below(&rng, workers > 8 ? 20 : 3000 / each);
		int at = snprintf(text, sizeof text,
		    "scan,blocks=%lu,block=%u,line=%u,base=%lu,rounds=%lu,phases=", n, line * each,
		    line, base, rounds);
		for (uint64_t m = 0; m < workers; m++) {
			phase[m] = rp_rng_below(&rng, n);
			at += snprintf(
			    text + at, sizeof text - (size_t)at, "%s%lu", m ? "," : "", phase[m]);
		}
		struct rp_batch *want =
				    slow_scan(phase, workers, n, rounds, line * each, line, base),
				*got =
				    draw_rows(text, 1, want->n + 1, 1 + rp_rng_below(&rng, 5000));
		rows_are(got, want, text);
		rp_batch_free(want);
		rp_batch_free(got);
	}
}

RP_TEST(scan, thousands_of_workers_each_have_a_stream)
{
	struct rp_batch *b =
	    draw_rows("scan,blocks=100003,phases=equal:7,workers=6144,rounds=3", 1, 20000, 4096);
	cr_assert_eq(b->n, 3 * 6144);
	for (size_t i = 0; i < b->n; i++) {
		uint64_t m = i % 6144, k = i / 6144;
		cr_assert_eq(b->stream[i], m);
		cr_assert_eq(b->time[i], k);
		cr_assert_eq(b->addr[i], (7 + m * 100003 / 6144 + k) % 100003 * 64);
	}
	rp_batch_free(b);
}

RP_TEST(scan, phases_may_stand_in_a_file)
{
	char path[4096], text[4200];
	snprintf(text, sizeof text, "scan,blocks=12,rounds=30,phases=@%s",
	    rp_test_file(path, "gen/files/phases"));
	struct rp_batch *got = draw_rows(text, 1, 200, 7),
			*want = draw_rows("scan,blocks=12,rounds=30,phases=0,1,5", 1, 200, 50);
	cr_assert_eq(want->n, 90);
	rows_are(got, want, text);
	rp_batch_free(want);
	rp_batch_free(got);
}

RP_TEST(scan, the_seed_draws_the_phases)
{
	static const char text[] = "scan,blocks=1000000,rounds=2,phases=uniform,workers=50";
	struct rp_batch *a = draw_rows(text, 1, 100, 9), *b = draw_rows(text, 1, 100, 33),
			*c = draw_rows(text, 2, 100, 33);
	rows_are(a, b, text);
	cr_assert_neq(memcmp(a->addr, c->addr, 50 * sizeof *a->addr), 0);
	rp_batch_free(a);
	rp_batch_free(b);
	rp_batch_free(c);
}

RP_TEST(scan, ends_by_what_comes_first_or_never)
{
	static const struct {
		const char *text;
		size_t n;
	} at[] = { { "scan,rounds=10,limit=5", 5 }, { "scan,phases=0,5,7,rounds=11", 33 },
		{ "scan,phases=0,5,7,rounds=11,limit=32", 32 }, { "scan,phases=0,5,7", 20000 },
		{ "scan,rounds=5,limit=10", 5 }, { "scan,rounds=5,block=64,line=8,limit=39", 39 },
		{ "scan,blocks=1", 20000 },
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
	draw_refuses("scan,blocks=12,phases=0,12", "gen:scan: phase 12: wanted a block, 0 to 11");
	draw_refuses("scan,blocks=4611686018427387904,block=2",
	    "gen:scan: 4611686018427387904 blocks of 2 bytes are 2^63 bytes or more");
	draw_refuses("scan,blocks=0", "gen:scan: blocks=: 0 is not in 1..18446744073709551615");
	draw_refuses("scan,blocks=18446744073709551615",
	    "gen:scan: 18446744073709551615 items 64 bytes "
	    "apart from address 0x0 on do not fit below 2^64");
}
