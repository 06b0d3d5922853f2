/* test_pack.c - tests base/pack.c. */
#include "tests/check.h"

#include "base/pack.h"
#include "base/rng.h"

enum { MOST = 400 };

/* There and back, within the room that is told. */
static void
round_trip(const uint64_t *x, size_t n)
{
	unsigned char *packed = malloc(rp_pack_room(n));
	uint64_t back[MOST + 1];
	uint32_t x32[MOST], back32[MOST + 1];
	back[n] = 77;
	back32[n] = 77;
	size_t bytes = rp_pack(packed, x, n);
	cr_assert_leq(bytes + 16, rp_pack_room(n));
	cr_assert_eq(bytes % 8, 0);
	cr_assert_eq(rp_unpack(packed, back, n), bytes);
	cr_assert(!memcmp(back, x, n * sizeof *x));
	cr_assert_eq(back[n], 77);
	for (size_t i = 0; i < n; i++)
		x32[i] = (uint32_t)x[i];
	bytes = rp_pack32(packed, x32, n);
	cr_assert_eq(rp_unpack32(packed, back32, n), bytes);
	cr_assert(!memcmp(back32, x32, n * sizeof *x32));
	cr_assert_eq(back32[n], 77);
	uint8_t x8[MOST], back8[MOST + 1], kept[] = { 0xff, 1, 0 };
	back8[n] = 77;
	for (unsigned k = 0; k < sizeof kept; k++) {
		for (size_t i = 0; i < n; i++)
			x8[i] =
			    (uint8_t)((x[i] & kept[k]) | (kept[k] == 0xff ? 0 : 0x5a & ~kept[k]));
		bytes = rp_pack8(packed, x8, n);
		cr_assert_eq(bytes % 8, 0);
		cr_assert_eq(rp_unpack8(packed, back8, n), bytes);
		cr_assert(!memcmp(back8, x8, n));
		cr_assert_eq(back8[n], 77);
	}
	free(packed);
}

RP_TEST(pack, numbers_of_any_size_come_back)
{
	struct rp_rng rng = { rp_test_seed("pack") };
	uint64_t x[MOST];
	for (unsigned round = 0; round < 4000 * rp_test_scale(); round++) {
		size_t n = (size_t)rp_rng_below(&rng, MOST + 1);
		unsigned shift = (unsigned)rp_rng_below(&rng, 64), form = round % 5;
		uint64_t base = rp_rng_next(&rng);
		for (size_t i = 0; i < n; i++) {
			uint64_t r = rp_rng_next(&rng);
			x[i] = form == 0   ? (i ? x[i - 1] + r % 5 - 2 : base)
			       : form == 1 ? r >> rp_rng_below(&rng, 64)
			       : form == 2 ? base ^ r >> shift
			       : form == 3 ? (r & 31 ? r >> 49 : r)
			                   : (r >> 62) * base << 32 | r >> 32;
		}
		round_trip(x, n);
	}
	uint64_t edges[] = { UINT64_MAX, 0, UINT64_MAX, UINT64_C(1) << 63, 0, 1, 255, 256, 65534,
		65535, 65536, UINT32_MAX, UINT64_C(1) << 32 };
	for (size_t n = 0; n <= sizeof edges / sizeof *edges; n++)
		round_trip(edges, n);
}

/* 400 equal numbers take a head; 400 near each other a byte each; 400 short ones, but for three, two bytes each; 400 with
 * two upper halves five each, and the table of these. */
RP_TEST(pack, what_is_alike_takes_little)
{
	uint64_t x[MOST];
	unsigned char packed[16 * MOST] __attribute__((aligned(8)));
	size_t head = 16;
	for (size_t i = 0; i < MOST; i++)
		x[i] = UINT64_MAX / 3;
	cr_assert_eq(rp_pack(packed, x, MOST), head);
	for (size_t i = 0; i < MOST; i++)
		x[i] = UINT64_C(0x7f1234567800) + i % 200;
	cr_assert_eq(rp_pack(packed, x, MOST), head + MOST);
	for (size_t i = 0; i < MOST; i++)
		x[i] = i % 150 ? i * 100 : UINT64_MAX;
	cr_assert_leq(rp_pack(packed, x, MOST), head + 2 * MOST + 3 * 10 + 8);
	for (size_t i = 0; i < MOST; i++)
		x[i] = (i & 1 ? UINT64_C(0x7ffe00000000) : UINT64_C(0x555500000000)) + i * 1000003;
	cr_assert_eq(rp_pack(packed, x, MOST), head + 5 * MOST + 1024);
}
