/* test_phases.c - tests gen/phases.c. */
#include "tests/check.h"

#include "gen/phases.h"

#include <math.h>

static struct rp_phases
make(const char *text, uint64_t blocks, uint32_t workers, uint64_t seed)
{
	struct rp_err err = { 0 };
	struct rp_phases_params p = { text, workers, false };
	struct rp_phases f;
	cr_assert(rp_phases_make(&p, blocks, seed, &f, &err), "%s: %s", text, err.text);
	return f;
}

static void
are(const char *text, uint64_t blocks, uint32_t workers, uint32_t n, const uint64_t *phase)
{
	struct rp_phases f = make(text, blocks, workers, 1);
	cr_assert_eq(f.workers, n, "%s: %u workers", text, f.workers);
	for (uint32_t m = 0; m < n; m++)
		cr_assert_eq(f.phase[m], phase[m], "%s: worker %u at %llu", text, m,
		    (unsigned long long)f.phase[m]);
	free(f.phase);
}
#define ARE(text, blocks, workers, ...)                                                            \
	are(text, blocks, workers, sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t),         \
	    (const uint64_t[]){ __VA_ARGS__ })

static void
refuses(const char *text, uint64_t blocks, uint32_t workers, enum rp_code code, const char *say)
{
	struct rp_err err = { 0 };
	struct rp_phases_params p = { text, workers, false };
	struct rp_phases f;
	cr_assert_not(rp_phases_make(&p, blocks, 1, &f, &err), "%s", text);
	cr_assert_eq(err.code, code, "%s: %s", text, err.text);
	cr_assert(strstr(err.text, say), "%s: %s", text, err.text);
	cr_assert_null(f.phase);
}

/* Section 14 of the specification, by hand: floor(m 10 / 4) = 0 2 5 7; c = floor(m 3 / 5) = 0 0 1 1 2, floor(c 10 / 3). */
RP_TEST(phases, patterns_are_those_of_the_paper)
{
	ARE("coincident", 10, 3, 0, 0, 0);
	ARE("equal", 10, 4, 0, 2, 5, 7);
	ARE("equal:8", 10, 4, 8, 0, 3, 5);
	ARE("equal:18446744073709551615", 10, 1, 5);
	ARE("clusters:3", 10, 5, 0, 0, 3, 3, 6);
	ARE("clusters:3", UINT64_MAX, 3, 0, UINT64_MAX / 3, UINT64_MAX / 3 * 2);
	ARE("uniform", 1, 2, 0, 0);
	ARE("gaussian:0:2", 10, 4, 0, 0, 5, 5);
}

RP_TEST(phases, a_list_stands_in_the_text_or_in_a_file)
{
	char path[] = "/tmp/phases-XXXXXX", text[64];
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	fputs("# of three workers\n0 # the first\n\n1,\n 5", f);
	fclose(f);
	ARE("0,1,5", 12, 0, 0, 1, 5);
	ARE("0,1,5", 12, 3, 0, 1, 5);
	ARE("8..11:+1,0..4:+2", 12, 0, 8, 9, 10, 11, 0, 2, 4);
	snprintf(text, sizeof text, "@%s", path);
	ARE(text, 12, 0, 0, 1, 5);
	refuses(text, 5, 0, RP_INPUT, ":5: phase 5: wanted a block, 0 to 4");
	refuses(text, 12, 4, RP_USAGE, "3 phases for 4 workers");
	f = fopen(path, "w");
	fputs("1\n2\nx\n", f);
	fclose(f);
	refuses(text, 12, 0, RP_INPUT, ":3: 'x'");
	f = fopen(path, "w");
	fputs("# none\n", f);
	fclose(f);
	refuses(text, 12, 0, RP_INPUT, "at least one phase");
	remove(path);
	refuses(text, 12, 0, RP_INPUT, "No such file");
}

RP_TEST(phases, a_phase_that_is_no_block_is_refused_unless_it_is_to_be_wrapped)
{
	struct rp_phases_params p = { "12,13,25", 0, true };
	struct rp_phases f;
	refuses("0,12", 12, 0, RP_USAGE, "phase 12: wanted a block, 0 to 11");
	cr_assert(rp_phases_make(&p, 12, 1, &f, NULL));
	cr_assert(f.phase[0] == 0 && f.phase[1] == 1 && f.phase[2] == 1);
	free(f.phase);
}

RP_TEST(phases, refuses_what_makes_no_sense)
{
	refuses("coincidnt", 12, 3, RP_USAGE, "did you mean 'coincident'");
	refuses("clusters", 12, 3, RP_USAGE, "phases clusters:COUNT: ''");
	refuses("clusters:0", 12, 3, RP_USAGE, "0 groups");
	refuses("clusters:13", 12, 3, RP_USAGE, "13 groups on a ring of 12");
	refuses("uniform:3", 12, 3, RP_USAGE, "wanted nothing");
	refuses("gaussian:1.5", 12, 3, RP_USAGE, "wanted 0 to 1");
	refuses("gaussian:x", 12, 3, RP_USAGE, "'x'");
	refuses("", 12, 0, RP_USAGE, "at least one phase");
	refuses("1,,2", 12, 0, RP_USAGE, "''");
	refuses("1,2,", 12, 0, RP_USAGE, "''");
}

/* Share of the deviations below each half standard deviation against the normal distribution's: within five standard
 * errors of the share. The ring is so wide that nothing is wrapped. */
RP_TEST(phases, gaussian_deviations_are_normal)
{
	enum { WORKERS = 200000 };
	const uint64_t ring = UINT64_C(1) << 50;
	struct rp_phases f = make("gaussian:0.03125", ring, WORKERS, rp_test_seed("gaussian"));
	double sd = 0x1p45;
	for (double x = -3.5; x <= 3.5; x += 0.5) {
		unsigned below = 0;
		for (unsigned m = 0; m < WORKERS; m++)
			below += (double)(int64_t)(f.phase[m] << 14) / 16384 < x * sd;
		double p = erfc(-x / sqrt(2)) / 2;
		cr_assert_float_eq((double)below / WORKERS, p, 5 * sqrt(p * (1 - p) / WORKERS),
		    "%u below %g deviations", below, x);
	}
	free(f.phase);
}

RP_TEST(phases, uniform_ones_spread_evenly_and_follow_the_seed)
{
	enum { WORKERS = 100000, BINS = 10 };
	struct rp_phases f = make("uniform", BINS, WORKERS, 7),
			 g = make("uniform", BINS, WORKERS, 8);
	unsigned in[BINS] = { 0 }, same = 0;
	for (unsigned m = 0; m < WORKERS; m++) {
		in[f.phase[m]]++;
		same += f.phase[m] == g.phase[m];
	}
	for (unsigned i = 0; i < BINS; i++)
		cr_assert_float_eq((double)in[i], WORKERS / BINS, 500, "%u at %u", in[i], i);
	cr_assert_float_eq((double)same, WORKERS / BINS, 500);
	free(f.phase);
	free(g.phase);
}
