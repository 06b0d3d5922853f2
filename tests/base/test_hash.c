/* test_hash.c - tests src/base/hash.c. */
#include "tests/check.h"

#include "base/hash.h"

/* The second and later outputs of splitmix64 from state 0 are the finaliser of multiples of the golden ratio: the known
 * sequence of the generator (Vigna's splitmix64.c). */
RP_TEST(hash, mixing_is_the_finaliser_of_splitmix64)
{
	static const uint64_t known[] = { UINT64_C(0xe220a8397b1dcdaf),
		UINT64_C(0x6e789e6aa1b965f4), UINT64_C(0x06c45d188009454f),
		UINT64_C(0xf88bb8a8724c81ec) };
	for (size_t i = 0; i < 4; i++)
		cr_assert_eq(rp_mix64((i + 1) * UINT64_C(0x9e3779b97f4a7c15)), known[i]);
	cr_assert_eq(rp_mix64(0), 0);
}

/* One bit in turns half of the bits out, each of them. */
RP_TEST(hash, mixing_spreads_every_bit)
{
	unsigned flips[64][64] = { 0 };
	for (uint64_t x = 1; x <= 2000; x++)
		for (unsigned in = 0; in < 64; in++) {
			uint64_t d = rp_mix64(x * UINT64_C(0x9e3779b97f4a7c15)) ^
			             rp_mix64(x * UINT64_C(0x9e3779b97f4a7c15) ^ UINT64_C(1) << in);
			for (unsigned out = 0; out < 64; out++)
				flips[in][out] += d >> out & 1;
		}
	for (unsigned i = 0; i < 64 * 64;
	     i++) /* 2,000 throws of a coin: 1,000 and seven times 22 */
		cr_assert(flips[i / 64][i % 64] > 1000 - 157 && flips[i / 64][i % 64] < 1000 + 157);
}

/* The value of no bytes is published (xxHash, doc/xxhash_spec.md). */
RP_TEST(hash, bytes_are_hashed_by_xxh3)
{
	cr_assert_eq(rp_hash_bytes("", 0), UINT64_C(0x2d06800538d394c2));
	cr_assert_neq(rp_hash_bytes("a", 1), rp_hash_bytes("b", 1));
	cr_assert_neq(rp_hash_bytes("\0", 1), rp_hash_bytes("\0\0", 2));
}
