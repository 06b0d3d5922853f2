/* test_buf.c - tests src/base/buf.c. */
#include "tests/check.h"

#include "base/buf.h"

RP_TEST(buf, bytes_are_appended)
{
	struct rp_buf b = { 0 };
	for (unsigned i = 0; i < 10000; i++)
		cr_assert(rp_buf_add(&b, &(unsigned char){ (unsigned char)i }, 1, NULL));
	cr_assert_eq(b.n, 10000);
	for (unsigned i = 0; i < 10000; i++)
		cr_assert_eq(b.bytes[i], (unsigned char)i);
	cr_assert(rp_buf_add(&b, NULL, 0, NULL));
	cr_assert_eq(b.n, 10000);
	rp_buf_free(&b);
	cr_assert(!b.bytes && !b.n && !b.room);
	cr_assert(rp_buf_add(&b, NULL, 0, NULL), "nothing to nothing is no failure");
	cr_assert(rp_buf_add(&b, "x", 1, NULL));
	rp_buf_free(&b);
}

RP_TEST(buf, room_is_reserved_without_being_used)
{
	struct rp_buf b = { 0 };
	unsigned char *p = rp_buf_reserve(&b, 5000, NULL);
	memset(p, 1, 5000);
	cr_assert_eq(b.n, 0);
	cr_assert_geq(b.room, 5000);
	b.n = 5000;
	cr_assert_eq(rp_buf_reserve(&b, 0, NULL), b.bytes + 5000);
	rp_buf_free(&b);
}

RP_TEST(buf, text_is_printed_whatever_its_length)
{
	struct rp_buf b = { 0 };
	size_t n = 0;
	for (int i = 0; i < 1000; i++) {
		cr_assert(rp_buf_printf(&b, NULL, "%*d", i, i));
		n += i ? (size_t)(i < 1 ? 1 : i) : 1;
		cr_assert_eq(b.n, n);
	}
	cr_assert_eq(memcmp(b.bytes, "01 2  3   4", 11), 0);
	cr_assert_eq(b.bytes[b.n], 0);
	rp_buf_free(&b);
}

RP_TEST(buf, what_no_machine_has_is_refused_and_changes_nothing)
{
	struct rp_buf b = { 0 };
	rp_buf_add(&b, "abc", 3, NULL);
	for (size_t i = 0; i < 64; i++) {
		struct rp_err err = { 0 };
		cr_assert_null(rp_buf_reserve(
		    &b, SIZE_MAX >> i > SIZE_MAX >> 8 ? SIZE_MAX >> i : SIZE_MAX - i, &err));
		cr_assert_eq(err.code, RP_RESOURCE);
	}
	cr_assert_eq(b.n, 3);
	cr_assert_eq(memcmp(b.bytes, "abc", 3), 0);
	rp_buf_free(&b);
}
