/* test_spill.c - tests base/spill.c. */
#include "tests/check.h"

#include "base/hash.h"
#include "base/rng.h"
#include "base/spill.h"

#include <sys/stat.h>
#include <unistd.h>

static struct rp_err err;

/* Block number i: its length and bytes follow from i. */
static size_t
length_of(uint64_t i)
{
	return i % 50 == 49 ? RP_SPILL_BLOCK : (size_t)(rp_mix64(i) % 3000);
}

static void
push(struct rp_spill *s, uint64_t i)
{
	unsigned char *to = rp_spill_room(s, length_of(i), &err);
	cr_assert(to, "%s", err.text);
	cr_assert_eq((uintptr_t)to % 8, 0);
	memset(to, (int)(i & 255), length_of(i));
	rp_spill_push(s, length_of(i));
}

static void
expect(const unsigned char *block, size_t n, uint64_t i)
{
	cr_assert(block, "%s", err.text);
	cr_assert_eq(n, length_of(i), "block %llu", (unsigned long long)i);
	for (size_t k = 0; k < n; k++)
		cr_assert_eq(block[k], i & 255);
}

static void
use_as_stack(struct rp_rng *rng, size_t keep)
{
	struct rp_spill s = { 0 };
	uint64_t height = 0;
	size_t n;
	cr_assert(rp_spill_open(&s, &err), "%s", err.text);
	rp_spill_keep(&s, keep);
	for (int turn = 0; turn < 40; turn++) {
		for (uint64_t up = rp_rng_below(rng, 300); up; up--)
			push(&s, height++);
		for (uint64_t down = rp_rng_below(rng, turn < 30 ? 250 : 500); down && height;
		     down--) {
			const void *block = rp_spill_pop(&s, &n, &err);
			expect(block, n, --height);
		}
	}
	while (height) {
		const void *block = rp_spill_pop(&s, &n, &err);
		expect(block, n, --height);
	}
	cr_assert_null(rp_spill_pop(&s, &n, &err));
	cr_assert_eq(err.code, RP_OK);
	rp_spill_close(&s);
}

RP_TEST(spill, is_a_stack)
{
	struct rp_rng rng = { rp_test_seed("spill") };
	for (size_t keep = 0; keep < 8; keep = 2 * keep + 1)
		use_as_stack(&rng, 2 * keep);
}

RP_TEST(spill, is_a_queue)
{
	for (uint64_t count = 0; count < 1000; count = 3 * count + 1) {
		struct rp_spill s = { 0 };
		uint64_t bytes = 0;
		size_t n;
		cr_assert(rp_spill_open(&s, &err), "%s", err.text);
		rp_spill_keep(&s, 2 * (count % 5));
		for (uint64_t i = 0; i < count; i++) {
			push(&s, i);
			bytes += length_of(i);
		}
		cr_assert_eq(s.bytes, bytes);
		cr_assert(rp_spill_rewind(&s, &err), "%s", err.text);
		for (uint64_t i = 0; i < count; i++) {
			const void *block = rp_spill_next(&s, &n, &err);
			expect(block, n, i);
		}
		cr_assert_null(rp_spill_next(&s, &n, &err));
		cr_assert_eq(err.code, RP_OK);
		rp_spill_close(&s);
	}
}

/* In either direction, as often as one likes, from wherever it is. */
RP_TEST(spill, is_read_from_both_ends)
{
	for (uint64_t count = 0; count < 3000; count = 3 * count + 1) {
		struct rp_spill s = { 0 };
		size_t n;
		cr_assert(rp_spill_open(&s, &err), "%s", err.text);
		rp_spill_keep(&s, 2 * (count % 3));
		for (uint64_t i = 0; i < count; i++)
			push(&s, i);
		for (uint64_t turn = 0; turn < 3; turn++) {
			cr_assert(rp_spill_unwind(&s, &err), "%s", err.text);
			for (uint64_t i = count; i-- > 0;) {
				const void *block = rp_spill_before(&s, &n, &err);
				expect(block, n, i);
			}
			cr_assert_null(rp_spill_before(&s, &n, &err));
			cr_assert_eq(err.code, RP_OK);
			cr_assert(rp_spill_rewind(&s, &err), "%s", err.text);
			for (uint64_t i = 0; i < count * turn / 2; i++) {
				const void *block = rp_spill_next(&s, &n, &err);
				expect(block, n, i);
			}
		}
		rp_spill_close(&s);
	}
}

/* What is kept needs no file, and is read as often as one likes. */
RP_TEST(spill, keeps_the_first_mebibytes)
{
	struct rp_spill s = { 0 };
	size_t n;
	cr_assert(rp_spill_open(&s, &err), "%s", err.text);
	rp_spill_keep(&s, 6);
	uint64_t count = 0;
	while (s.segments < 3)
		push(&s, count++);
	cr_assert_eq(rp_spill_bytes(&s), 0);
	while (s.segments < 5)
		push(&s, count++);
	cr_assert_gt(rp_spill_bytes(&s), 1 << 20);
	cr_assert_lt(rp_spill_bytes(&s), 4 << 20);
	for (int again = 0; again < 2; again++) {
		cr_assert(rp_spill_rewind(&s, &err));
		for (uint64_t i = 0; i < count; i++) {
			const void *block = rp_spill_next(&s, &n, &err);
			expect(block, n, i);
		}
		cr_assert_null(rp_spill_next(&s, &n, &err));
	}
	rp_spill_close(&s);
}

/* Mebibytes that are popped are given back to the disk while the file is still open. */
RP_TEST(spill, shrinks_as_it_is_popped)
{
	struct rp_spill s = { 0 };
	struct stat full, less;
	size_t n;
	cr_assert(rp_spill_open(&s, &err), "%s", err.text);
	for (uint64_t i = 0; i < 2000; i++)
		push(&s, i);
	cr_assert_eq(fstat(s.fd, &full), 0);
	for (uint64_t i = 0; i < 1500; i++)
		cr_assert(rp_spill_pop(&s, &n, &err));
	cr_assert_eq(fstat(s.fd, &less), 0);
	cr_assert_gt(full.st_size, 4 << 20);
	cr_assert_lt(less.st_size, full.st_size / 2);
	rp_spill_close(&s);
}

RP_TEST(spill, says_where_it_cannot_write)
{
	struct rp_spill s = { 0 };
	setenv("TMPDIR", "/nowhere", 1);
	cr_assert(rp_spill_open(&s, &err));
	for (uint64_t i = 0; i < 40; i++) /* less than two mebibytes stay in memory */
		push(&s, i);
	cr_assert_eq(rp_spill_bytes(&s), 0);
	while (rp_spill_room(&s, RP_SPILL_BLOCK, &err))
		rp_spill_push(&s, RP_SPILL_BLOCK);
	cr_assert_eq(err.code, RP_RESOURCE);
	cr_assert(strstr(err.text, "/nowhere"), "%s", err.text);
	rp_spill_close(&s);
}
