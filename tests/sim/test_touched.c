/* test_touched.c - tests sim/touched.c against a list that is searched end to end. */
#include "tests/check.h"

#include "base/rng.h"
#include "sim/touched.h"

static bool
touch_one(struct rp_touched *t, uint64_t line)
{
	uint32_t at = 0;
	uint8_t fresh = 4;
	cr_assert(rp_touched_put(t, &line, 0, &at, 1, &fresh, 1, NULL));
	cr_assert_eq(fresh & ~1, 4);
	return fresh & 1;
}

/* Lines 0 and 5 of a page are fresh once, and the same offsets of the next page again; the top page is one too. */
RP_TEST(touched, a_line_is_fresh_once)
{
	static const uint64_t line[] = { 0, 5, 512, 517, UINT64_MAX, UINT64_MAX - 5 };
	struct rp_touched *t = rp_touched_new(NULL);
	for (size_t k = 0; k < 6; k++)
		cr_assert(touch_one(t, line[k]));
	for (size_t k = 0; k < 6; k++)
		cr_assert(!touch_one(t, line[k]));
	rp_touched_free(t);
}

/* Six lines of a page stand in its slot, the seventh makes a bitmap; in any order, and all 512 in the end. */
RP_TEST(touched, every_line_of_a_page_is_told_apart)
{
	struct rp_touched *t = rp_touched_new(NULL);
	for (unsigned n = 0; n < 512; n++) {
		for (unsigned k = 0; k < n; k++)
			cr_assert(!touch_one(t, k * 77 % 512));
		cr_assert(touch_one(t, n * 77 % 512));
	}
	rp_touched_free(t);
}

RP_TEST(touched, tells_what_a_list_tells)
{
	struct rp_rng rng = { rp_test_seed("touched") };
	enum { N = 4000, AT_ONCE = 50 };
	static uint64_t line[N], list[N];
	static const uint64_t spread[] = { 700, 60000, UINT64_C(1) << 62 };
	for (size_t s = 0; s < 3; s++) {
		struct rp_touched *t = rp_touched_new(NULL);
		size_t listed = 0;
		for (size_t i = 0; i < N; i++)
			line[i] = rp_rng_below(&rng, spread[s]) * (i % 3 ? 1 : 512);
		for (size_t from = 0; from < N; from += AT_ONCE) {
			uint32_t at[AT_ONCE], n = 0;
			uint8_t fresh[AT_ONCE] = { 0 };
			for (uint32_t i = 0; i < AT_ONCE; i++)
				if (rp_rng_next(&rng) % 4)
					at[n++] = i;
			cr_assert(
			    rp_touched_put(t, line + from, (unsigned)s, at, n, fresh, 16, NULL));
			for (uint32_t k = 0, i = 0; i < AT_ONCE; i++) {
				size_t seen = 0;
				if (k == n || at[k] != i) {
					cr_assert_eq(fresh[i], 0, "was not asked for");
					continue;
				}
				k++;
				while (seen < listed && list[seen] != line[from + i] >> s)
					seen++;
				cr_assert_eq(fresh[i], seen == listed ? 16 : 0);
				if (seen == listed)
					list[listed++] = line[from + i] >> s;
			}
		}
		rp_touched_free(t);
	}
}

/* Neighbours: 64 bytes a page of 512 lines and its slot, with room to double. Lines that are all far apart: a slot of 16
 * bytes each, between three quarters and three eighths full. */
RP_TEST(touched, costs_little_for_each_line)
{
	struct rp_touched *dense = rp_touched_new(NULL), *sparse = rp_touched_new(NULL);
	enum { N = 300000 };
	for (uint64_t i = 0; i < N; i++) {
		touch_one(dense, i);
		touch_one(sparse, i << 20);
	}
	double of_dense = (double)rp_touched_bytes(dense) / N,
	       of_sparse = (double)rp_touched_bytes(sparse) / N;
	fprintf(stderr, "touched: %.3f bytes a line dense, %.1f sparse\n", of_dense, of_sparse);
	cr_assert_lt(of_dense, 0.4);
	cr_assert_lt(of_sparse, 43);
	rp_touched_free(dense);
	rp_touched_free(sparse);
}
