/* test_pack.c - tests base/pack.c. */
#include "tests/check.h"

#include "base/pack.h"
#include "base/rng.h"

enum { MOST = 400 };

/* Both ways there and back, within the room that is told. */
static void
round_trip(const uint64_t *x, size_t n)
{
	unsigned char *packed = malloc(rp_pack_room(n));
	uint64_t back[MOST + 1];
	back[n] = 77;
	size_t bytes = rp_pack(packed, x, n);
	cr_assert_leq(bytes + 8, rp_pack_room(n));
	cr_assert_eq(rp_unpack(packed, back, n), bytes);
	cr_assert(!memcmp(back, x, n * sizeof *x));
	bytes = rp_pack_steps(packed, x, n);
	cr_assert_leq(bytes + 8, rp_pack_room(n));
	cr_assert_eq(rp_unpack_steps(packed, back, n), bytes);
	cr_assert(!memcmp(back, x, n * sizeof *x));
	cr_assert_eq(back[n], 77);
	free(packed);
}

RP_TEST(pack, numbers_of_any_size_come_back)
{
	struct rp_rng rng = { rp_test_seed("pack") };
	uint64_t x[MOST];
	for (unsigned round = 0; round < 2000 * rp_test_scale(); round++) {
		size_t n = (size_t)rp_rng_below(&rng, MOST + 1);
		for (size_t i = 0; i < n; i++) {
			uint64_t r = rp_rng_next(&rng);
			x[i] = round % 3 == 0 && i ? x[i - 1] + r % 5 - 2
			                           : r >> rp_rng_below(&rng, 64);
		}
		round_trip(x, n);
	}
	uint64_t edges[] = { UINT64_MAX, 0, UINT64_MAX, UINT64_C(1) << 63, 0, 1, 255, 256 };
	for (size_t n = 0; n <= 8; n++)
		round_trip(edges, n);
}

/* 100, then steps of 1 up and of 1 down: 1 byte a number and half a byte that says so. */
RP_TEST(pack, small_steps_take_little)
{
	uint64_t x[] = { 100, 101, 102, 101, 100, 99 };
	unsigned char packed[64 + 8];
	cr_assert_eq(rp_pack_steps(packed, x, 6), 3 + 6);
}
