/* test_parse.c - tests src/base/parse.c. */
#include "tests/check.h"

#include "base/parse.h"

RP_TEST(parse, a_size_takes_binary_suffixes)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = { { "1", 1 }, { "4096", 4096 }, { "48k", 48 << 10 }, { "1M", 1 << 20 }, { "1KiB", 1024 },
		{ "2GiB", UINT64_C(2) << 30 }, { "0x10", 16 } };
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		uint64_t x = 0;
		cr_assert(rp_parse_size(good[i].text, &x, NULL), "%s", good[i].text);
		cr_assert_eq(x, good[i].bytes);
	}
}

RP_TEST(parse, a_size_refuses_what_is_none)
{
	static const char *const bad[] = { "0", "", "abc", "12q", "1kib", "-1", "1 M", "1.5M", "99999999999999999999",
		"17179869184GiB" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		uint64_t x;
		struct rp_err err = { 0 };
		cr_assert_not(rp_parse_size(bad[i], &x, &err), "%s", bad[i]);
		cr_assert_eq(err.code, RP_USAGE);
	}
}

RP_TEST(parse, lists_double_multiply_and_step)
{
	uint64_t *x;
	size_t n;
	cr_assert(rp_parse_list("16..128", false, &x, &n, NULL));
	cr_assert_eq(n, 4);
	cr_assert_eq(x[3], 128);
	free(x);
	cr_assert(rp_parse_list("8..64:+8,1KiB,2..50:*5", true, &x, &n, NULL));
	cr_assert_eq(n, 12);
	cr_assert_eq(x[7], 64);
	cr_assert_eq(x[8], 1024);
	cr_assert_eq(x[10], 10);
	cr_assert_eq(x[11], 50);
	free(x);
	cr_assert_not(rp_parse_list("8..4", false, &x, &n, NULL));
	cr_assert_not(rp_parse_list("1,,2", false, &x, &n, NULL));
}
