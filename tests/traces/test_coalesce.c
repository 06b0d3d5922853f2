/* Tests of traces/coalesce.c. */
#include "tests/check.h"

#include "traces/coalesce.h"
#include "base/rng.h"

enum { GLOBAL32 = 32 };

static struct rp_transaction out[RP_TRANSACTIONS_MOST];

/* n lanes from lane 0, `stride` apart. */
static struct rp_warp
strided(uint32_t n, uint32_t size, uint64_t base, int64_t stride)
{
	struct rp_warp w = { .active = (uint32_t)((UINT64_C(1) << n) - 1), .size = size };
	for (uint32_t i = 0; i < n; i++)
		w.addr[i] = base + (uint64_t)(stride * i);
	return w;
}

static size_t
lines(size_t n)
{
	size_t k = 0;
	for (size_t i = 0; i < n; i++)
		k += i == 0 || out[i].base / 128 != out[i - 1].base / 128;
	return k;
}

RP_TEST(coalesce, the_table_of_worked_examples_comes_out)
{
	static const struct {
		uint32_t lanes, size;
		uint64_t base;
		int64_t stride;
		size_t transactions, lines;
	} t[] = {
		{ 32, 4, 0x1000, 4, 4, 1 },
		{ 32, 4, 0x1010, 4, 5, 2 },
		{ 32, 8, 0x1000, 8, 8, 2 },
		{ 32, 16, 0x1000, 16, 16, 4 },
		{ 32, 4, 0x1000, 128, 32, 32 },
		{ 32, 4, 0x1000, 0, 1, 1 },
		{ 16, 1, 0x101f, 1, 2, 1 },
		{ 32, 4, 0x107c, -4, 4, 1 },
		{ 0, 4, 0, 0, 0, 0 },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct rp_warp w = strided(t[i].lanes, t[i].size, t[i].base, t[i].stride);
		size_t n = rp_coalesce(&w, GLOBAL32, out);
		cr_expect_eq(n, t[i].transactions, "row %zu: %zu", i, n);
		cr_expect_eq(lines(n), t[i].lines, "row %zu", i);
	}
}

RP_TEST(coalesce, a_transaction_keeps_its_bytes_and_lanes)
{
	struct rp_warp w = strided(16, 1, 0x101f, 1);
	cr_assert_eq(rp_coalesce(&w, GLOBAL32, out), 2);
	cr_expect_eq(out[0].base, 0x1000);
	cr_expect_eq(out[0].touched[0], 0x80000000);
	cr_expect_eq(out[0].lanes, 1);
	cr_expect_eq(out[1].base, 0x1020);
	cr_expect_eq(out[1].touched[0], 0x7fff);
	cr_expect_eq(out[1].lanes, 0xfffe);
	struct rp_row r = rp_transaction_row(&out[1]);
	cr_expect(r.addr == 0x1020 && r.size == 15 && r.mask == 0x7fff);
}

RP_TEST(coalesce, the_kth_address_belongs_to_the_kth_active_lane)
{
	struct rp_warp w = { .addr = { 0x2004, 0x1000 }, .active = 0x80000010, .size = 4 };
	cr_assert_eq(rp_coalesce(&w, GLOBAL32, out), 2);
	cr_expect_eq(out[0].base, 0x1000);
	cr_expect_eq(out[0].lanes, 0x80000000);
	cr_expect_eq(out[1].base, 0x2000);
	cr_expect_eq(out[1].lanes, 0x10);
	cr_expect_eq(out[1].touched[0], 0xf0);
}

RP_TEST(coalesce, a_straddling_lane_touches_both_segments)
{
	struct rp_warp w = { .addr = { 0x101e }, .active = 1, .size = 4 };
	cr_assert_eq(rp_coalesce(&w, GLOBAL32, out), 2);
	cr_expect_eq(out[0].touched[0], 0xc0000000);
	cr_expect_eq(out[1].touched[0], 3);
	cr_expect(out[0].lanes == 1 && out[1].lanes == 1);
	w = (struct rp_warp){ .addr = { 0x103e }, .active = 1, .size = 4 };
	cr_assert_eq(rp_coalesce(&w, 128, out), 1);
	cr_expect_eq(out[0].touched[0], UINT64_C(3) << 62);
	cr_expect_eq(out[0].touched[1], 3);
	w = (struct rp_warp){ .addr = { UINT64_MAX - 3 }, .active = 1, .size = 4 };
	cr_assert_eq(rp_coalesce(&w, GLOBAL32, out), 1);
	cr_expect_eq(out[0].touched[0], 0xf0000000);
}

RP_TEST(coalesce, segments_before_maxwell_depend_on_the_size)
{
	static const struct {
		unsigned arch;
		uint32_t size;
		bool bypasses;
		uint32_t want;
	} t[] = {
		{ 0, 4, false, 32 },
		{ 40, 4, false, 32 },
		{ 75, 16, false, 32 },
		{ 20, 1, false, 32 },
		{ 20, 2, false, 64 },
		{ 35, 4, false, 128 },
		{ 38, 8, false, 128 },
		{ 38, 16, false, 128 },
		{ 38, 16, true, 32 },
		{ 30, 2, true, 32 },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		cr_expect_eq(rp_coalesce_segment(t[i].arch, t[i].size, t[i].bypasses), t[i].want,
		    "row %zu", i);
}

RP_TEST(coalesce, a_segment_shrinks_to_the_half_that_is_touched)
{
	static const struct {
		uint64_t touched[2];
		uint32_t bytes;
		uint64_t base; /* after */
		uint32_t after, mask;
	} t[] = {
		{ { 0xf, 0xf }, 128, 0x1000, 128, 0x10001 },
		{ { 0xf, 0 }, 128, 0x1000, 32, 0xf },
		{ { 0, UINT64_C(0xf) << 60 }, 128, 0x1060, 32, 0xf0000000 },
		{ { 0, UINT64_C(0xf00000000000000f) }, 128, 0x1040, 64, 0xc0000003 },
		{ { UINT64_C(0x300000000), 0 }, 64, 0x1020, 32, 3 },
		{ { UINT64_C(0x300000003), 0 }, 64, 0x1000, 64, 0x10001 },
		{ { 0xff, 0 }, 32, 0x1000, 32, 0xff },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct rp_transaction x = { 0x1000, { t[i].touched[0], t[i].touched[1] },
			t[i].bytes, 1 };
		rp_coalesce_shrink(&x);
		struct rp_row r = rp_transaction_row(&x);
		cr_expect_eq(x.base, t[i].base, "row %zu", i);
		cr_expect_eq(x.bytes, t[i].after, "row %zu", i);
		cr_expect_eq(r.mask, t[i].mask, "row %zu: %x", i, r.mask);
		cr_expect(x.bytes == 32 || (r.addr == x.base && r.size == x.bytes), "row %zu", i);
	}
}

RP_TEST(coalesce, atomics_on_one_word_take_turns)
{
	struct rp_warp w = strided(32, 4, 0x1000, 0);
	cr_assert_eq(rp_coalesce_atomic(&w, out), 32);
	for (uint32_t i = 0; i < 32; i++) {
		cr_expect_eq(out[i].lanes, UINT32_C(1) << i);
		cr_expect_eq(out[i].touched[0], 0xf);
	}
}

RP_TEST(coalesce, an_atomic_joins_the_first_transaction_where_its_bytes_are_free)
{
	/* Lanes 0 and 2 meet at 0x1000, so lane 2 opens a second one; lane 3 fits into the
	 * first; lane 4, at 0x1008 again, finds the first taken there and joins the second. Lane
	 * 1 lies in a segment below. */
	struct rp_warp w = {
		.addr = { 0x1000, 0x0fe0, 0x1000, 0x1008, 0x1008 }, .active = 0x1f, .size = 4
	};
	cr_assert_eq(rp_coalesce_atomic(&w, out), 3);
	cr_expect(out[0].base == 0xfe0 && out[0].lanes == 2);
	cr_expect(out[1].base == 0x1000 && out[1].lanes == 9 && out[1].touched[0] == 0xf0f);
	cr_expect(out[2].base == 0x1000 && out[2].lanes == 20 && out[2].touched[0] == 0xf0f);
}

RP_TEST(coalesce, lanes_interleave_in_local_memory)
{
	struct rp_local at = { .base = UINT64_C(1) << 47, .threads = 1024, .thread = 64 };
	struct rp_warp w = strided(32, 4, 0xfffbd0, 0);
	cr_assert_eq(rp_coalesce_local(&w, &at, GLOBAL32, out), 4);
	for (size_t i = 0; i < 4; i++) {
		cr_expect_eq(
		    out[i].base, at.base + 4 * (0xfffbd0 / 4 * UINT64_C(1024) + 64) + 32 * i);
		cr_expect_eq(out[i].touched[0], UINT32_MAX);
	}
	w.size = 8; /* two words: two runs of 128 bytes */
	cr_assert_eq(rp_coalesce_local(&w, &at, GLOBAL32, out), 8);
	cr_expect_eq(out[4].base - out[0].base, 4096);
	w = (struct rp_warp){ .addr = { 0x11 }, .active = 2, .size = 1 };
	cr_assert_eq(rp_coalesce_local(&w, &at, GLOBAL32, out), 1);
	struct rp_row r = rp_transaction_row(&out[0]);
	cr_expect_eq(r.addr, at.base + 4 * (4 * 1024 + 65) + 1);
	cr_expect_eq(r.size, 1);
	at.threads = 32; /* fewer than there are: thread 65 wraps to 1 */
	rp_coalesce_local(&w, &at, GLOBAL32, out);
	cr_expect_eq(rp_transaction_row(&out[0]).addr, at.base + 4 * (4 * 32 + 1) + 1);
	at.thread = 0;
	w = strided(32, 32, 1, 4096); /* the most there can be */
	at.threads = UINT32_MAX;
	cr_expect_eq(rp_coalesce_local(&w, &at, GLOBAL32, out), RP_TRANSACTIONS_MOST);
}

/* A slow model: marks every byte of a small memory. */
RP_TEST(coalesce, random_warps_agree_with_marking_every_byte)
{
	enum { MEMORY = 4096 };
	struct rp_rng r = rp_rng_for(rp_test_seed("coalesce"), "coalesce", 0);
	for (unsigned round = 0; round < 2000 * rp_test_scale(); round++) {
		uint32_t size = 1u << rp_rng_below(&r, 6), segment = 32u << rp_rng_below(&r, 3);
		struct rp_warp w = { .active = (uint32_t)rp_rng_next(&r), .size = size };
		unsigned char touched[MEMORY + 32] = { 0 };
		size_t n = rp_rng_below(&r, 2) ? 128 : MEMORY;
		for (int i = 0; i < __builtin_popcount(w.active); i++) {
			w.addr[i] = rp_rng_below(&r, n);
			memset(touched + w.addr[i], 1, size);
		}
		n = rp_coalesce(&w, segment, out);
		size_t k = 0;
		for (uint64_t base = 0; base < sizeof touched; base += segment) {
			uint64_t want[2] = { 0, 0 };
			for (uint32_t i = 0; i < segment && base + i < sizeof touched; i++)
				want[i / 64] |= (uint64_t)touched[base + i] << i % 64;
			if (!want[0] && !want[1])
				continue;
			cr_assert(k < n && out[k].base == base && out[k].touched[0] == want[0] &&
				  out[k].touched[1] == want[1]);
			k++;
		}
		cr_assert_eq(k, n);
	}
}

/* A slow model of local memory: byte by byte. */
RP_TEST(coalesce, random_local_warps_agree_with_moving_every_byte)
{
	struct rp_rng r = rp_rng_for(rp_test_seed("coalesce"), "coalesce", 1);
	for (unsigned round = 0; round < 2000 * rp_test_scale(); round++) {
		enum { WINDOW = 64, THREADS_MOST = 128, MEMORY = (WINDOW + 32) * THREADS_MOST };
		static unsigned char touched[MEMORY];
		uint32_t segment = 32u << rp_rng_below(&r, 3);
		struct rp_warp w = { .active = (uint32_t)rp_rng_next(&r),
			.size = 1u << rp_rng_below(&r, 6) };
		struct rp_local at = { .threads = 1 + rp_rng_below(&r, THREADS_MOST),
			.thread = rp_rng_below(&r, 1000) };
		size_t n, k = 0;
		memset(touched, 0, sizeof touched);
		for (uint32_t lane = 0; lane < 32; lane++) {
			if (!(w.active >> lane & 1))
				continue;
			w.addr[k] = rp_rng_below(&r, 2) ? 8 : rp_rng_below(&r, WINDOW);
			for (uint64_t b = w.addr[k]; b < w.addr[k] + w.size; b++)
				touched[4 * (b / 4 * at.threads + (at.thread + lane) % at.threads) +
					b % 4] = 1;
			k++;
		}
		n = rp_coalesce_local(&w, &at, segment, out);
		k = 0;
		for (uint64_t base = 0; base < MEMORY; base += segment) {
			uint64_t want[2] = { 0, 0 };
			for (uint32_t i = 0; i < segment; i++)
				want[i / 64] |= (uint64_t)touched[base + i] << i % 64;
			if (!want[0] && !want[1])
				continue;
			cr_assert(k < n && out[k].base == base && out[k].touched[0] == want[0] &&
				  out[k].touched[1] == want[1]);
			k++;
		}
		cr_assert_eq(k, n);
	}
}
