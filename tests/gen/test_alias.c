/* test_alias.c - tests gen/alias.c. */
#include "tests/check.h"

#include "base/mem.h"
#include "base/rng.h"
#include "gen/alias.h"

__extension__ typedef unsigned __int128 u128;

enum { MOST = 3000 };

/* What a table gives each number, in units of 2^-32 of a slot, is its weight's share rounded down or up. */
static void
is_exact(const uint64_t *weight, uint32_t n)
{
	static uint64_t copy[MOST], mass[MOST];
	struct rp_alias a;
	u128 total = 0, sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		total += copy[i] = weight[i];
		mass[i] = 0;
	}
	cr_assert(rp_alias_build(&a, copy, n, NULL));
	for (uint32_t i = 0; i < n; i++) {
		uint64_t keep = a.slot[i].other == i ? UINT64_C(1) << 32 : a.slot[i].keep;
		cr_assert_lt(a.slot[i].other, n);
		mass[i] += keep;
		mass[a.slot[i].other] += (UINT64_C(1) << 32) - keep;
	}
	for (uint32_t i = 0; i < n; i++) {
		u128 scaled = (u128)weight[i] * ((uint64_t)n << 32);
		uint64_t least = (uint64_t)(scaled / total);
		cr_assert(mass[i] == least || mass[i] == least + 1, "weight %u of %u", i, n);
		sum += mass[i];
	}
	cr_assert(sum == (u128)n << 32);
	rp_alias_free(&a);
}

RP_TEST(alias, gives_each_number_its_weight)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("alias"), "tests/alias", 0);
	static uint64_t weight[MOST];
	for (unsigned round = 0; round < 200 * rp_test_scale(); round++) {
		uint32_t n = 1 + (uint32_t)rp_rng_below(&rng, round % 4 ? 20 : MOST);
		unsigned most = (unsigned)rp_rng_below(&rng, 63);
		for (uint32_t i = 0; i < n; i++)
			weight[i] = rp_rng_next(&rng) >> 1 >> rp_rng_below(&rng, most + 1);
		weight[rp_rng_below(&rng, n)] |= 1;
		is_exact(weight, n);
	}
}

RP_TEST(alias, takes_extremes)
{
	static uint64_t weight[MOST];
	weight[0] = 1;
	is_exact(weight, 1);
	weight[1] = INT64_MAX;
	is_exact(weight, 2);
	is_exact(weight, MOST); /* all others never */
	for (uint32_t i = 0; i < MOST; i++)
		weight[i] = INT64_MAX;
	is_exact(weight, MOST);
}

/* Weights 1, 2, 1 in units of a quarter: number 1 has 3/2 of a slot, 0 and 2 have 3/4 each. The sweep gives the rest of
 * slots 0 and 2 to 1, which keeps its own. */
RP_TEST(alias, draws_by_slot_and_place)
{
	uint64_t weight[] = { 1, 2, 1 };
	struct rp_alias a;
	cr_assert(rp_alias_build(&a, weight, 3, NULL));
	cr_assert_eq(rp_alias_take(&a, rp_alias_aim(&a, 0)), 0);
	cr_assert_eq(rp_alias_take(&a, (struct rp_alias_draw){ 0, 0xbfffffff }), 0);
	cr_assert_eq(rp_alias_take(&a, (struct rp_alias_draw){ 0, 0xc0000000 }), 1);
	cr_assert_eq(rp_alias_take(&a, (struct rp_alias_draw){ 1, 0xffffffff }), 1);
	cr_assert_eq(rp_alias_take(&a, (struct rp_alias_draw){ 2, 0xbfffffff }), 2);
	cr_assert_eq(rp_alias_take(&a, rp_alias_aim(&a, UINT64_MAX)), 1);
	rp_alias_free(&a);
}
