/* test_hist.c - counts of distances, against an array. */
#include "sim/observe/hist.h"

#include "base/rng.h"
#include "tests/check.h"

enum { LARGEST = 300000 };

static void
same(const struct rp_hist *h, const uint64_t *count, uint64_t cold, uint64_t total)
{
	uint64_t d = 0, n, from = 0, misses = total;
	cr_assert_eq(h->cold, cold);
	cr_assert_eq(h->total, total);
	for (uint64_t x = 0; x <= LARGEST; x++) {
		if (x % 4099 == 0)
			cr_assert_eq(rp_hist_misses(h, x), misses);
		misses -= count[x];
		if (!count[x])
			continue;
		n = rp_hist_next(h, from, &d);
		cr_assert_eq(d, x);
		cr_assert_eq(n, count[x]);
		from = d + 1;
	}
	cr_assert_eq(rp_hist_next(h, from, &d), 0);
	cr_assert_eq(misses, cold);
}

RP_TEST(hist, counts_each_distance_and_forgets_them_all)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("hist"), "hist", 0);
	struct rp_err err = { 0 };
	struct rp_hist h = { 0 }, writes = { 0 };
	uint64_t *count = calloc(LARGEST + 1, 8), *written = calloc(LARGEST + 1, 8);
	enum { N = 1000 };
	uint32_t d[N];
	uint8_t kind[N];
	cr_assert(count && written);
	for (unsigned round = 0; round < 2; round++) {
		uint64_t cold = 0, cold_written = 0, total = 0, total_written = 0;
		for (unsigned k = 0; k < 20; k++) {
			uint32_t most = 1 + (uint32_t)rp_rng_below(&rng, LARGEST);
			for (size_t i = 0; i < N; i++) {
				d[i] = (uint32_t)rp_rng_below(&rng, (uint64_t)most + 1) >>
				       rp_rng_below(&rng, 18);
				kind[i] = (uint8_t)rp_rng_below(&rng, 2);
				if (!rp_rng_below(&rng, 9))
					d[i] = RP_COLD;
				cold += d[i] == RP_COLD;
				cold_written += d[i] == RP_COLD && kind[i];
				total_written += kind[i];
				if (d[i] != RP_COLD) {
					count[d[i]]++;
					written[d[i]] += kind[i];
				}
			}
			total += N;
			cr_assert(rp_hist_add(&h, d, N, most, &err));
			cr_assert(rp_hist_add_kind(&writes, d, kind, 1, N, most, &err));
		}
		same(&h, count, cold, total);
		same(&writes, written, cold_written, total_written);
		rp_hist_clear(&h);
		rp_hist_clear(&writes);
		memset(count, 0, (LARGEST + 1) * sizeof *count);
		memset(written, 0, (LARGEST + 1) * sizeof *written);
		same(&h, count, 0, 0);
	}
	rp_hist_free(&h);
	rp_hist_free(&writes);
	same(&h, count, 0, 0);
	free(count);
	free(written);
}
