/* test_sample.c - samples of lines: the vector loops against the definition, and how even they are. */
#include "sim/observe/sample.h"

#include "base/rng.h"
#include "tests/check.h"

#include <math.h>

static const enum rp_level level[] = { RP_LEVEL_C, RP_LEVEL_V3, RP_LEVEL_V4 };

RP_TEST(sample, every_loop_takes_the_lines_whose_hash_is_below_the_bound)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("sample"), "sample", 0);
	static const double rate[] = { 1, 0.5, 0.1, 0.001, 1e-12 };
	enum { N = 1000 };
	uint64_t addr[N];
	uint32_t index[N];
	for (unsigned k = 0; k < 60 * rp_test_scale(); k++) {
		size_t n = rp_rng_below(&rng, N + 1);
		unsigned shift = (unsigned)rp_rng_below(&rng, 10);
		for (size_t i = 0; i < n; i++)
			addr[i] = rp_rng_next(&rng) >> rp_rng_below(&rng, 50);
		for (unsigned l = 0; l < 3; l++) {
			if (!rp_level_runs(level[l]))
				continue;
			struct rp_sample s = rp_sample_of(rate[k % 5], k, level[l]);
			size_t m = rp_sample_take(&s, addr, n, shift, index), at = 0;
			for (size_t i = 0; i < n; i++)
				if (rp_sample_hash(&s, addr[i] >> shift) < s.below) {
					cr_assert_lt(at, m);
					cr_assert_eq(index[at++], i);
				}
			cr_assert_eq(at, m);
		}
	}
}

RP_TEST(sample, a_rate_of_one_takes_all_and_none_takes_nothing_for_sure)
{
	struct rp_sample all = rp_sample_of(1, 1, RP_LEVEL_BEST),
			 least = rp_sample_of(1e-300, 1, RP_LEVEL_BEST);
	cr_assert_eq(all.below, RP_SAMPLE_ALL);
	cr_assert_eq(rp_sample_rate(&all), 1);
	cr_assert_eq(least.below, 1);
}

/* Lines one behind the other, a power of two apart, and with high bits set: the share in the sample is the rate, but for five
 * standard deviations, and so is each of eight parts' share of these. Other seeds give other samples. */
RP_TEST(sample, the_share_is_the_rate_whatever_the_pattern)
{
	enum { N = 200000, PARTS = 8 };
	static const uint64_t step[] = { 1, 64, 4096, UINT64_C(1) << 40, 3 };
	const double rate = 0.05;
	for (unsigned k = 0; k < 5; k++)
		for (uint64_t seed = 1; seed < 4; seed++) {
			struct rp_sample s = rp_sample_of(rate, seed, RP_LEVEL_BEST);
			struct rp_sample other = rp_sample_of(rate, seed + 9, RP_LEVEL_BEST);
			double part[PARTS] = { 0 }, in = 0, both = 0;
			for (uint64_t i = 0; i < N; i++) {
				uint64_t line = i * step[k];
				if (rp_sample_hash(&s, line) >= s.below)
					continue;
				in++;
				part[rp_sample_part(&s, line, PARTS)]++;
				both += rp_sample_hash(&other, line) < other.below;
			}
			cr_assert_lt(fabs(in - N * rate), 5 * sqrt(N * rate));
			cr_assert_lt(fabs(both - in * rate), 5 * sqrt(in * rate) + 1);
			for (unsigned p = 0; p < PARTS; p++)
				cr_assert_lt(fabs(part[p] - in / PARTS), 5 * sqrt(in / PARTS));
		}
}
