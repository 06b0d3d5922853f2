/* ways_check.h - what sim/ways.h does, held against obvious loops; for each of its bodies. */
#ifndef RP_TESTS_SIM_WAYS_CHECK_H
#define RP_TESTS_SIM_WAYS_CHECK_H

#include "base/rng.h"
#include "sim/ways.h"
#include "tests/check.h"

enum { WAYS_MOST = 64 };

static inline void
check_set(struct rp_rng *rng, bool wide, unsigned lanes)
{
	/* Behind the set lies another's, which must stay as it is. */
	_Alignas(64) unsigned char set[(WAYS_MOST + 8) * sizeof(uint64_t)];
	uint64_t want[WAYS_MOST + 8];
	for (unsigned i = 0; i < lanes + 8; i++) {
		want[i] =
		    1000 * i + 1 + rp_rng_below(rng, 900) + (wide ? rp_rng_below(rng, 5) << 40 : 0);
		ways_put(set, i, want[i], wide);
	}
	for (int round = 0; round < 50; round++) {
		unsigned at = (unsigned)rp_rng_below(rng, lanes + 1);
		uint64_t key = at < lanes ? want[at] : 500000 + (uint64_t)round;
		cr_assert_eq(ways_match(set, key, wide, lanes), at < lanes ? UINT64_C(1) << at : 0);
		int k = at < lanes ? (int)at : (int)(lanes - 1);
		if (at == lanes && lanes < 64 && round % 2)
			k = (int)lanes; /* as good as the last one */
		if (round == 7)
			k = -1;
		ways_rotate(set, key, wide, lanes, k);
		for (int i = k < (int)lanes ? k : (int)lanes - 1; i > 0; i--)
			want[i] = want[i - 1];
		if (k >= 0)
			want[0] = key;
		uint64_t miss = rp_rng_below(rng, 2);
		unsigned lane = (unsigned)rp_rng_below(rng, lanes);
		ways_put_if(set, lane, miss, 600000 + (uint64_t)round, wide, lanes);
		if (miss)
			want[lane] = 600000 + (uint64_t)round;
		for (unsigned i = 0; i < lanes + 8; i++)
			cr_assert_eq(ways_key(set, i, wide), want[i],
			    "%u lanes, wide %d, k %d, lane %u", lanes, wide, k, i);
	}
}

static inline void
check_bits(struct rp_rng *rng)
{
	uint16_t number[72];
	uint8_t byte[72];
	for (int round = 0; round < 200; round++) {
		unsigned at = (unsigned)rp_rng_below(rng, 8), kinds = 1 + (unsigned)round % 7;
		uint64_t same = 0, with = 0;
		for (unsigned i = 0; i < 72; i++) {
			number[i] = (uint16_t)(65533 + rp_rng_below(rng, kinds));
			byte[i] = (uint8_t)(128 + rp_rng_below(rng, 128 / kinds));
		}
		for (unsigned i = 0; i < 64; i++) {
			same |= (uint64_t)(number[at + i] == 65534) << i;
			with |= (uint64_t)(byte[at + i] >> 3 & 1) << i;
		}
		cr_assert_eq(ways_among16(number + at, 65534), same);
		cr_assert_eq(ways_with(byte + at, 8), with);
		cr_assert_eq(ways_with(byte + at, 128), UINT64_MAX);
	}
}

static inline void
check_words(struct rp_rng *rng)
{
	uint32_t x[24], found[16], want[16];
	for (int round = 0; round < 500; round++) {
		unsigned at = (unsigned)rp_rng_below(rng, 8), n = 0;
		/* Round 2^31, and round 0 with what is before it left out. */
		uint32_t near = round % 2 ? UINT32_C(1) << 31 : 0;
		uint32_t least = near + (uint32_t)rp_rng_below(rng, 4),
			 most = least + (uint32_t)rp_rng_below(rng, 4);
		for (unsigned i = 0; i < 24; i++)
			x[i] = near - 2 + (uint32_t)rp_rng_below(rng, 8);
		for (unsigned i = 0; i < 16; i++)
			if (x[at + i] >= least && x[at + i] <= most)
				want[n++] = 100 + i;
		cr_assert_eq(ways_within16(found, x + at, least, most, 100), n);
		cr_assert_arr_eq(found, want, n * sizeof *want);
	}
}

/* Behind runs of the same word, of any length. */
static inline void
check_first(struct rp_rng *rng)
{
	uint32_t x[160];
	for (int round = 0; round < 300; round++) {
		unsigned at = (unsigned)rp_rng_below(rng, 8), n = (unsigned)rp_rng_below(rng, 100);
		for (unsigned i = 0; i < 160; i++)
			x[i] = i < at || rp_rng_below(rng, 3) ? 7 : UINT32_MAX;
		for (unsigned i = 0; i < n; i++)
			x[at + i] = UINT32_MAX;
		x[at + n] = 7;
		cr_assert_eq(ways_first_other(x + at, UINT32_MAX), n);
	}
}

static inline void
check_bucket(void)
{
	_Alignas(32) uint32_t bucket[8] = { 5, 9, 1, 7, 5, 3, 2, 8 };
	cr_assert_eq(bucket_match(bucket, 5), 0x11);
	cr_assert_eq(bucket_match(bucket, 2), 0x40);
	cr_assert_eq(bucket_match(bucket, 8), 0x80);
	cr_assert_eq(bucket_match(bucket, 4), 0);
	bucket_put(bucket, 6, 4);
	bucket_put(bucket, 0, 4);
	cr_assert_eq(bucket_match(bucket, 4), 0x41);
	static const uint32_t want[8] = { 4, 9, 1, 7, 5, 3, 4, 8 };
	cr_assert_arr_eq(bucket, want, sizeof want);
}

static inline void
check_ways(void)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("ways"), "ways", 0);
	for (unsigned lanes = 8; lanes <= WAYS_MOST; lanes += 8)
		for (int wide = 0; wide < 2; wide++)
			check_set(&rng, wide, lanes);
	check_bits(&rng);
	check_words(&rng);
	check_first(&rng);
	check_bucket();
}

#endif
