/* test_hash.c - tests sim/gpu/hash.c. */
#include "tests/check.h"

#include "base/rng.h"
#include "sim/gpu/hash.h"

enum { NONE = -1 };

/* Lines of 128 bytes; -1: the hash is not defined for that many sets. */
static const struct {
	uint64_t address;
	unsigned bits;
	int want[RP_GPU_HASHES];
} worked[] = {
	{ 0x00002000, 5, { 0, 2, 10, 1 } },
	{ 0x12345680, 4, { 13, 7, 10, NONE } },
	{ 0x12345680, 5, { 13, 8, 25, 15 } },
	{ 0x12345680, 6, { 45, 15, 34, 47 } },
	{ UINT64_C(0x7fb0fc430e00), 6, { 28, 4, 8, 20 } },
};

RP_TEST(gpu_hash, gives_the_worked_examples)
{
	for (size_t i = 0; i < sizeof worked / sizeof *worked; i++)
		for (unsigned h = 0; h < RP_GPU_HASHES; h++) {
			int want = worked[i].want[h];
			cr_assert_eq(
			    rp_gpu_hash_fits((enum rp_gpu_hash)h, worked[i].bits), want != NONE);
			if (want != NONE)
				cr_assert_eq(rp_gpu_hash((enum rp_gpu_hash)h,
						 worked[i].address >> 7, 7, worked[i].bits),
				    (uint32_t)want, "row %zu, hash %u", i, h);
		}
}

RP_TEST(gpu_hash, strides_of_the_number_of_sets_are_spread)
{
	static const uint32_t polynomial[8] = { 0, 3, 6, 5, 12, 15, 10, 9 };
	for (uint32_t i = 0; i < 8; i++) {
		uint64_t line = i * UINT64_C(0x2000) / 128;
		cr_assert_eq(rp_gpu_hash_linear(line, 6), 0);
		cr_assert_eq(rp_gpu_hash_xor(line, 6), i);
		cr_assert_eq(rp_gpu_hash_polynomial(line, 6), polynomial[i]);
	}
}

/* Long division, a bit at a time, as the definition has it. */
static uint32_t
divided(uint64_t line, unsigned bits)
{
	static const uint32_t modulus[7] = { [4] = 19, [5] = 37, [6] = 67 };
	static const unsigned low[7] = { [4] = 17, [5] = 20, [6] = 25 };
	uint64_t x = line & ((UINT64_C(1) << low[bits]) - 1);
	for (unsigned top = 63; top >= bits; top--)
		if (x >> top & 1)
			x ^= (uint64_t)modulus[bits] << (top - bits);
	return (uint32_t)x;
}

RP_TEST(gpu_hash, polynomial_is_the_remainder_of_the_low_bits)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("gpu_hash"), "polynomial", 0);
	for (unsigned bits = 4; bits <= 6; bits++)
		for (uint32_t i = 0; i < 200000; i++) {
			uint64_t line = i & 1 ? rp_rng_next(&rng) : i;
			cr_assert_eq(rp_gpu_hash_polynomial(line, bits), divided(line, bits),
			    "%llx, %u bits", (unsigned long long)line, bits);
		}
}

/* By the letter: the five bits from 7 on, xor the five named ones packed low to high. */
RP_TEST(gpu_hash, fermi_takes_the_named_bits)
{
	static const unsigned upper[5] = { 13, 14, 15, 17, 19 };
	struct rp_rng rng = rp_rng_for(rp_test_seed("gpu_hash"), "fermi", 0);
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t a = rp_rng_next(&rng) & ~UINT64_C(127);
		uint32_t want = 0;
		for (unsigned b = 0; b < 5; b++)
			want |= (uint32_t)((a >> (7 + b) ^ a >> upper[b]) & 1) << b;
		cr_assert_eq(rp_gpu_hash(RP_GPU_FERMI, a >> 7, 7, 5), want);
		cr_assert_eq(
		    rp_gpu_hash(RP_GPU_FERMI, a >> 7, 7, 6), want | (uint32_t)(a >> 12 & 1) << 5);
	}
}

RP_TEST(gpu_hash, one_set_takes_all)
{
	cr_assert_eq(rp_gpu_hash(RP_GPU_LINEAR, UINT64_MAX, 7, 0), 0);
	cr_assert_eq(rp_gpu_hash(RP_GPU_XOR, UINT64_MAX, 7, 0), 0);
}
