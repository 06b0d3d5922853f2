/* test_zipf.c - tests gen/zipf.c. */
#include "tests/gen/draw.h"

/* p[k - 1] = k^-s / (1^-s + ... + n^-s) */
static long double *
definition(double s, size_t n)
{
	long double *p = malloc(n * sizeof *p), sum = 0;
	for (size_t k = n; k > 0; k--)
		sum += p[k - 1] = powl((long double)k, -(long double)s);
	for (size_t k = 0; k < n; k++)
		p[k] /= sum;
	return p;
}

static uint64_t *
counted(const char *text, uint64_t seed, size_t lines, size_t n)
{
	struct rp_batch *b = draw_rows(text, seed, n, RP_BATCH);
	uint64_t *count = calloc(lines, sizeof *count);
	cr_assert_eq(b->n, n);
	for (size_t i = 0; i < n; i++) {
		cr_assert(b->addr[i] % 64 == 0 && b->addr[i] / 64 < lines);
		count[b->addr[i] / 64]++;
	}
	rp_batch_free(b);
	return count;
}

RP_TEST(zipf, popularity_falls_with_the_power_of_the_rank)
{
	static const struct {
		double s;
		size_t lines;
	} at[] = { { 0, 2 }, { 0, 1000 }, { 0.5, 100 }, { 0.9, 17 }, { 0.9, 100000 }, { 1, 4096 },
		{ 1.3, 1000 }, { 2, 50 }, { 3, 65536 } };
	uint64_t seed = rp_test_seed("zipf");
	size_t n = 500000 * rp_test_scale();
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		char text[100];
		snprintf(text, sizeof text, "zipf,exponent=%g,lines=%zu,scatter=no", at[i].s,
		    at[i].lines);
		long double *p = definition(at[i].s, at[i].lines);
		uint64_t *count = counted(text, seed + i, at[i].lines, n);
		draw_follows(text, count, p, at[i].lines, n);
		free(count);
		free(p);
	}
}

/* Whether a rank lies somewhere twice: then another line would never be drawn. */
RP_TEST(zipf, scattering_loses_no_line)
{
	static const size_t lines[] = { 1, 2, 3, 4, 5, 7, 8, 9, 100, 1023, 1024, 1025, 4000 };
	uint64_t seed = rp_test_seed("zipf");
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		char text[100];
		size_t n = 40 * lines[i];
		snprintf(text, sizeof text, "zipf,exponent=0,lines=%zu", lines[i]);
		uint64_t *count = counted(text, seed + i, lines[i], n);
		for (size_t k = 0; k < lines[i]; k++) /* e^-40 times 4,000: never by chance */
			cr_assert(count[k] > 0, "line %zu of %zu", k, lines[i]);
		free(count);
	}
}

static int
falling(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x < y) - (x > y);
}

/* The ten most popular of 100,000 lines: not neighbours, not in order, and as often as their ranks say. */
RP_TEST(zipf, scattering_keeps_popular_lines_apart)
{
	enum { LINES = 100000, TOP = 10 };
	size_t n = 2000000;
	long double *p = definition(1.2, LINES);
	uint64_t *count = counted("zipf,exponent=1.2,lines=100000", rp_test_seed("zipf"), LINES, n);
	long last = -1;
	for (long k = 0; k < LINES; k++)
		if ((long double)count[k] > p[TOP] * (long double)n) {
			cr_assert(last < 0 || k - last > 16, "lines %ld and %ld", last, k);
			last = k;
		}
	qsort(count, LINES, sizeof *count, falling);
	for (size_t k = 0; k < TOP; k++) {
		long double want = p[k] * (long double)n;
		cr_assert(fabsl((long double)count[k] - want) < 5 * sqrtl(want), "rank %zu", k);
	}
	free(count);
	free(p);
}

RP_TEST(zipf, one_draw_does_not_tell_the_next)
{
	enum { LINES = 24 };
	size_t n = 400000 * rp_test_scale();
	long double *p = definition(0.9, LINES), pair[LINES * LINES];
	uint64_t count[LINES * LINES] = { 0 };
	struct rp_batch *b =
	    draw_rows("zipf,lines=24,scatter=no", rp_test_seed("zipf"), 2 * n, RP_BATCH);
	for (size_t i = 0; i < n; i++)
		count[b->addr[2 * i] / 64 * LINES + b->addr[2 * i + 1] / 64]++;
	for (size_t i = 0; i < LINES * LINES; i++)
		pair[i] = p[i / LINES] * p[i % LINES];
	draw_follows("pairs", count, pair, LINES * LINES, n);
	rp_batch_free(b);
	free(p);
}

RP_TEST(zipf, addresses_follow_base_and_line)
{
	struct rp_batch *b =
	    draw_rows("zipf,lines=3,line=4KiB,base=0x1000,size=16,limit=1000", 5, 2000, RP_BATCH);
	cr_assert_eq(b->n, 1000);
	for (size_t i = 0; i < b->n; i++) {
		cr_assert(b->addr[i] == 0x1000 || b->addr[i] == 0x2000 || b->addr[i] == 0x3000);
		cr_assert_eq(b->size[i], 16);
	}
	rp_batch_free(b);
}

RP_TEST(zipf, refuses_what_does_not_fit_together)
{
	draw_refuses("zipf,exponent=-0.5", "gen:zipf: exponent=-0.5: wanted 0 to 16");
	draw_refuses("zipf,exponent=16.5", "gen:zipf: exponent=16.5: wanted 0 to 16");
	draw_refuses("zipf,exponent=x", "gen:zipf: exponent=: 'x' is not a number");
	draw_refuses("zipf,size=65", "gen:zipf: size=65 is more than line=64");
	draw_refuses("zipf,writes=1.01", "gen:zipf: writes=1.01: wanted a share from 0 to 1");
	draw_refuses("zipf,lines=2,base=0xffffffffffffff81",
	    "gen:zipf: 2 items 64 bytes apart from address "
	    "0xffffffffffffff81 on do not fit below 2^64");
}

RP_TEST(zipf, reaches_the_last_byte_of_memory)
{
	struct rp_batch *b = draw_rows("zipf,lines=2,base=0xffffffffffffff80", 5, 100, RP_BATCH);
	for (size_t i = 0; i < b->n; i++)
		cr_assert(b->addr[i] == UINT64_MAX - 127 || b->addr[i] == UINT64_MAX - 63);
	rp_batch_free(b);
}
