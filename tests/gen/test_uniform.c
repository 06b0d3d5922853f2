/* test_uniform.c - tests gen/uniform.c and, through it, gen/fill.c. */
#include "tests/gen/draw.h"

RP_TEST(uniform, every_line_is_as_likely)
{
	static const size_t lines[] = { 2, 10, 1000, 65536 };
	uint64_t seed = rp_test_seed("uniform");
	size_t n = 1000000 * rp_test_scale();
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		char text[100];
		uint64_t *count = calloc(lines[i], sizeof *count);
		long double *p = malloc(lines[i] * sizeof *p);
		snprintf(text, sizeof text, "uniform,lines=%zu,line=128,base=4096", lines[i]);
		struct rp_batch *b = draw_rows(text, seed + i, n, RP_BATCH);
		for (size_t k = 0; k < n; k++) {
			cr_assert(b->addr[k] % 128 == 0 && (b->addr[k] - 4096) / 128 < lines[i]);
			count[(b->addr[k] - 4096) / 128]++;
		}
		for (size_t k = 0; k < lines[i]; k++)
			p[k] = 1.0L / (long double)lines[i];
		draw_follows(text, count, p, lines[i], n);
		rp_batch_free(b);
		free(count);
		free(p);
	}
}

/* Kind and stream come from one draw and must not tell of each other. */
RP_TEST(uniform, kinds_and_streams_have_their_shares)
{
	static const double share[] = { 0.5, 0.01, 0.37, 0.999 };
	static const unsigned streams[] = { 2, 3, 32, 7 };
	uint64_t seed = rp_test_seed("uniform");
	size_t n = 500000 * rp_test_scale();
	for (size_t i = 0; i < 4; i++) {
		char text[100];
		long double p[64];
		uint64_t count[64] = { 0 };
		snprintf(text, sizeof text, "uniform,writes=%g,streams=%u", share[i], streams[i]);
		struct rp_batch *b = draw_rows(text, seed + i, n, RP_BATCH);
		for (size_t k = 0; k < n; k++)
			count[2 * b->stream[k] + (b->kind[k] == RP_WRITE)]++;
		for (unsigned k = 0; k < 2 * streams[i]; k++)
			p[k] = (k % 2 ? (long double)share[i] : 1 - (long double)share[i]) /
			       streams[i];
		draw_follows(text, count, p, 2 * streams[i], n);
		rp_batch_free(b);
	}
}

RP_TEST(uniform, all_or_no_writes_leave_nothing_to_chance)
{
	struct rp_batch *all = draw_rows("uniform,writes=1", 1, 10000, RP_BATCH);
	struct rp_batch *none = draw_rows("uniform,writes=0,streams=2", 1, 10000, RP_BATCH);
	struct rp_batch *both = draw_rows("uniform,writes=1,streams=2", 1, 10000, RP_BATCH);
	for (size_t i = 0; i < 10000; i++)
		cr_assert(all->kind[i] == RP_WRITE && none->kind[i] == RP_READ &&
			  both->kind[i] == RP_WRITE);
	rp_batch_free(all);
	rp_batch_free(none);
	rp_batch_free(both);
}

RP_TEST(uniform, covers_all_of_memory)
{
	struct rp_batch *b =
	    draw_rows("uniform,lines=18446744073709551615,line=1,size=1", 1, 1000, RP_BATCH);
	uint64_t high = 0, low = UINT64_MAX;
	for (size_t i = 0; i < b->n; i++) {
		high = b->addr[i] > high ? b->addr[i] : high;
		low = b->addr[i] < low ? b->addr[i] : low;
	}
	cr_assert(
	    high > UINT64_MAX / 100 * 97 && low < UINT64_MAX / 100 * 3); /* 0.97^1000 < 1e-13 */
	rp_batch_free(b);
}

RP_TEST(uniform, refuses_what_does_not_fit_together)
{
	draw_refuses("uniform,size=65", "gen:uniform: size=65 is more than line=64");
	draw_refuses("uniform,streams=0", "gen:uniform: streams=: 0 is not in 1..4294967295");
	draw_refuses("uniform,writes=-1", "gen:uniform: writes=-1: wanted a share from 0 to 1");
	draw_refuses("uniform,lines=18446744073709551615",
	    "gen:uniform: 18446744073709551615 items 64 bytes apart from address 0x0 on do not fit "
	    "below 2^64");
}
