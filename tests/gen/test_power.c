/* test_power.c - tests gen/power.c. */
#include "tests/check.h"

#include "base/rng.h"
#include "gen/power.h"

#include <math.h>

static void
agrees(const struct rp_power *p, double s, uint32_t k)
{
	long double want = ldexpl(powl((long double)k, -(long double)s), 62),
		    got = (long double)rp_power(p, k);
	cr_assert(
	    fabsl(got - want) <= want * 0x1p-50L + 1, "%u^-%g: %.3Lf, not %.3Lf", k, s, got, want);
}

RP_TEST(power, agrees_with_the_c_library)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("power"), "tests/power", 0);
	static struct rp_power p;
	static const double s[] = { 0, 0.25, 0.5, 0.75, 0.9, 1, 1.5, 2, 3.125, 16 };
	for (size_t i = 0; i < sizeof s / sizeof *s; i++) {
		double e = ldexp(floor(ldexp(s[i], 40) + 0.5), -40); /* the exponent it rounds to */
		rp_power_init(&p, s[i]);
		for (uint32_t k = 1; k < 3000; k++)
			agrees(&p, e, k);
		for (unsigned j = 0; j < 20000 * rp_test_scale(); j++)
			agrees(&p, e,
			    (uint32_t)(rp_rng_next(&rng) >> 32 >> rp_rng_below(&rng, 31)) | 1);
		agrees(&p, e, UINT32_MAX);
	}
}

RP_TEST(power, of_a_power_of_two_is_exact)
{
	static struct rp_power p;
	rp_power_init(&p, 1);
	for (unsigned e = 0; e < 32; e++)
		cr_assert_eq(rp_power(&p, 1u << e), UINT64_C(1) << (62 - e));
	rp_power_init(&p, 0);
	cr_assert_eq(rp_power(&p, 12345), UINT64_C(1) << 62);
	rp_power_init(&p, 0.5);
	cr_assert_eq(rp_power(&p, 1u << 30), UINT64_C(1) << 47);
}

/* With 60 decimal digits: 2471341346050689695.3, 1715736545512337494.0 and 18359403152483.7. What the tables make of them
 * pins every bit: another machine must find the same. */
RP_TEST(power, is_the_same_on_every_machine)
{
	static struct rp_power p;
	rp_power_init(&p, 0.9);
	cr_assert_eq(rp_power(&p, 2), UINT64_C(2471341346050689694));
	cr_assert_eq(rp_power(&p, 3), UINT64_C(1715736545512337495));
	cr_assert_eq(rp_power(&p, 1000003), UINT64_C(18359403152484));
}
