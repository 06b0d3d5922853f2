/* test_sort.c - tests src/base/sort.c. */
#include "tests/check.h"

#include "base/rng.h"
#include "base/sort.h"

/* Values are the places before, so that order and stability show in neighbours, and every place must be there once. */
static void
check(struct rp_keyed *x, size_t n)
{
	uint64_t *key = calloc(n + 1, sizeof *key);
	bool *seen = calloc(n + 1, 1);
	for (size_t i = 0; i < n; i++) {
		x[i].value = (uint32_t)i;
		key[i] = x[i].key;
	}
	cr_assert(rp_sort(x, n, NULL));
	for (size_t i = 0; i < n; i++) {
		cr_assert(!seen[x[i].value] && x[i].key == key[x[i].value]);
		seen[x[i].value] = true;
		cr_assert(!i || x[i - 1].key < x[i].key ||
			  (x[i - 1].key == x[i].key && x[i - 1].value < x[i].value));
	}
	free(key);
	free(seen);
}

RP_TEST(sort, puts_any_keys_in_order_and_leaves_equal_ones_in_theirs)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("sort"), "test", 0);
	struct rp_keyed x[3000];
	for (size_t n = 0; n < 120; n++)
		for (unsigned bits = 0; bits <= 64; bits += 16) {
			for (size_t i = 0; i < n; i++)
				x[i].key = bits ? rp_rng_next(&rng) >> (64 - bits) : 7;
			check(x, n);
		}
	for (unsigned shift = 0; shift < 64; shift += 7) {
		for (size_t i = 0; i < 3000; i++)
			x[i].key = rp_rng_below(&rng, 300) << shift;
		check(x, 3000);
	}
}
