/* test_rng.c - tests src/base/rng.c. */
#include "tests/check.h"

#include "base/rng.h"

RP_TEST(rng, a_stream_is_splitmix64)
{
	struct rp_rng r = { 1234567 };
	/* Published with the generator (Rosetta Code, "Pseudo-random numbers/Splitmix64"). */
	static const uint64_t known[] = { UINT64_C(6457827717110365317),
		UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
		UINT64_C(4593380528125082431), UINT64_C(16408922859458223821) };
	for (size_t i = 0; i < 5; i++)
		cr_assert_eq(rp_rng_next(&r), known[i]);
}

RP_TEST(rng, streams_differ_by_seed_name_and_index)
{
	uint64_t s[] = { rp_rng_for(1, "a", 0).state, rp_rng_for(2, "a", 0).state,
		rp_rng_for(1, "b", 0).state, rp_rng_for(1, "a", 1).state,
		rp_rng_for(0, "a", 0).state, rp_rng_for(1, "", 0).state };
	for (size_t i = 0; i < sizeof s / sizeof *s; i++)
		for (size_t j = i + 1; j < sizeof s / sizeof *s; j++)
			cr_assert_neq(s[i], s[j]);
	cr_assert_eq(rp_rng_for(1, "a", 0).state, s[0]);
}

RP_TEST(rng, a_bound_is_kept_and_every_value_is_as_likely)
{
	struct rp_rng r = rp_rng_for(rp_test_seed("rng"), "tests/rng", 0);
	static const uint64_t n[] = { 1, 2, 3, 10, 1000 };
	for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
		unsigned count[1000] = { 0 };
		for (unsigned k = 0; k < 1000 * n[i]; k++) {
			uint64_t x = rp_rng_below(&r, n[i]);
			cr_assert_lt(x, n[i]);
			count[x]++;
		}
		for (uint64_t x = 0; x < n[i]; x++) /* 1,000 and seven times 32 */
			cr_assert(count[x] > 780 && count[x] < 1220, "%u of %u", count[x],
			    (unsigned)n[i]);
	}
	for (unsigned k = 0; k < 1000; k++)
		cr_assert_lt(rp_rng_below(&r, UINT64_MAX), UINT64_MAX);
}

RP_TEST(rng, a_fraction_is_below_one)
{
	struct rp_rng r = rp_rng_for(rp_test_seed("rng"), "tests/rng", 1);
	double sum = 0, low = 1, high = 0;
	for (unsigned k = 0; k < 100000; k++) {
		double x = rp_rng_unit(&r);
		cr_assert(x >= 0 && x < 1);
		sum += x;
		low = x < low ? x : low;
		high = x > high ? x : high;
	}
	cr_assert(sum > 49300 && sum < 50700); /* 50,000 and seven times 91 */
	cr_assert(low < 0.0005 && high > 0.9995);
}
