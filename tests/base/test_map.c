/* test_map.c - tests src/base/map.c. */
#include "tests/check.h"

#include "base/map.h"
#include "base/rng.h"

RP_TEST(map, a_key_keeps_its_value_and_a_new_one_has_0)
{
	struct rp_map m = { 0 };
	const uint64_t key[] = { 0, 1, UINT64_MAX, UINT64_C(1) << 63 };
	for (uint64_t i = 0; i < 4; i++) {
		uint64_t *v = rp_map_at(&m, key[i], NULL);
		cr_assert_eq(*v, 0);
		*v = i + 10;
	}
	for (uint64_t i = 0; i < 4; i++)
		cr_assert_eq(*rp_map_at(&m, key[i], NULL), i + 10);
	cr_assert_eq(m.n, 4);
	rp_map_free(&m);
	cr_assert_eq(*rp_map_at(&m, 1, NULL), 0, "free empties it, and it may be used again");
	rp_map_free(&m);
}

RP_TEST(map, it_agrees_with_an_array)
{
	enum { KEYS = 5000 };
	static uint64_t value[KEYS];
	struct rp_map m = { 0 };
	struct rp_rng rng = rp_rng_for(rp_test_seed("map"), "test", 0);
	size_t n = 0;
	for (uint64_t i = 1; i <= 20000 * rp_test_scale(); i++) {
		uint64_t k = rp_rng_below(&rng, KEYS);
		uint64_t *v = rp_map_at(&m, k << 40, NULL);
		cr_assert_eq(*v, value[k]);
		n += !value[k];
		*v = value[k] = i;
	}
	cr_assert_eq(m.n, n);
	rp_map_free(&m);
}
