/* test_parse.c - tests src/base/parse.c. */
#include "tests/check.h"

#include "base/parse.h"

RP_TEST(parse, a_size_takes_binary_suffixes)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = { { "1", 1 }, { "4096", 4096 }, { "48k", 48 << 10 }, { "1M", 1 << 20 },
		{ "1KiB", 1024 }, { "2GiB", UINT64_C(2) << 30 }, { "0x10", 16 } };
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		uint64_t x = 0;
		cr_assert(rp_parse_size(good[i].text, &x, NULL), "%s", good[i].text);
		cr_assert_eq(x, good[i].bytes);
	}
}

RP_TEST(parse, a_size_refuses_what_is_none)
{
	static const char *const bad[] = { "0", "", "abc", "12q", "1kib", "-1", "1 M", "1.5M",
		"99999999999999999999", "17179869184GiB" };
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

RP_TEST(parse, whole_numbers_are_decimal_or_hexadecimal)
{
	uint64_t x;
	cr_assert(rp_parse_u64("0", &x, NULL) && x == 0);
	cr_assert(rp_parse_u64("007", &x, NULL) && x == 7);
	cr_assert(rp_parse_u64("18446744073709551615", &x, NULL) && x == UINT64_MAX);
	cr_assert(rp_parse_u64("0xFFffFFffFFffFFff", &x, NULL) && x == UINT64_MAX);
	cr_assert(rp_parse_u64("0X1a", &x, NULL) && x == 26);
}

RP_TEST(parse, what_is_no_number_is_refused_and_changes_nothing)
{
	static const char *const bad[] = { "", " 1", "1 ", "-1", "+1", "1.0", "1e3", "0x", "0xg",
		"x1", "18446744073709551616", "99999999999999999999999", "0x10000000000000000",
		"1k" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		uint64_t x = 42;
		struct rp_err err = { 0 };
		cr_assert_not(rp_parse_u64(bad[i], &x, &err), "%s", bad[i]);
		cr_assert(x == 42 && err.code == RP_USAGE);
	}
}

RP_TEST(parse, fractions_are_finite_and_stand_alone)
{
	static const char *const bad[] = { "", " 1", "1 ", "x", "inf", "nan", "1e999", "1,5" };
	double x = 42;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		cr_assert(!rp_parse_double(bad[i], &x, NULL) && x == 42, "%s", bad[i]);
	cr_assert(rp_parse_double("-2.5e-1", &x, NULL) && x == -0.25);
	cr_assert(rp_parse_double("0.9", &x, NULL) && x == 0.9);
}

RP_TEST(parse, a_long_list_is_refused)
{
	uint64_t *x;
	size_t n;
	struct rp_err err = { 0 };
	cr_assert_not(rp_parse_list("0..18446744073709551615:+1", false, &x, &n, &err));
	cr_assert_str_eq(err.text, "a list of more than 1048576 values");
	cr_assert(
	    rp_parse_list("18446744073709551614..18446744073709551615:+1", false, &x, &n, NULL));
	cr_assert(n == 2 && x[1] == UINT64_MAX); /* and does not wrap */
	free(x);
	cr_assert(rp_parse_list("9223372036854775808..18446744073709551615", false, &x, &n, NULL));
	cr_assert_eq(n, 1);
	free(x);
}

RP_TEST(parse, what_is_no_list_is_refused)
{
	static const struct {
		const char *text;
		bool sizes;
		const char *message;
	} bad[] = { { "", false, "'' is not a whole number below 2^64" },
		{ "1,,2", false, "'' is not a whole number below 2^64" },
		{ "8..4", false, "'8..4' does not rise" },
		{ "0..8", false, "'0..8' does not rise" },
		{ "1..8:*1", false, "'1..8' does not rise" },
		{ "1..8:+0", false, "'1..8' does not rise" },
		{ "1..8:2", false, "':2': wanted ':*FACTOR' or ':+STEP'" },
		{ "1..", false, "'' is not a whole number below 2^64" },
		{ "1..8:*1k", true, "'1k' is not a whole number below 2^64" } };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		uint64_t *x;
		size_t n;
		struct rp_err err = { 0 };
		cr_assert_not(
		    rp_parse_list(bad[i].text, bad[i].sizes, &x, &n, &err), "%s", bad[i].text);
		cr_assert_eq(err.code, RP_USAGE);
		cr_assert_str_eq(err.text, bad[i].message);
	}
}

RP_TEST(parse, a_size_is_printed_so_that_it_parses_back)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} at[] = { { 1, "1" }, { 1000, "1000" }, { 1024, "1KiB" }, { 49152, "48KiB" },
		{ 1 << 20, "1MiB" }, { UINT64_C(5) << 40, "5120GiB" },
		{ UINT64_MAX, "18446744073709551615" } };
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		char text[24];
		uint64_t back;
		cr_assert_str_eq(rp_print_size(text, sizeof text, at[i].bytes), at[i].text);
		cr_assert(rp_parse_size(text, &back, NULL) && back == at[i].bytes);
	}
}

RP_TEST(parse, the_nearest_name_is_near)
{
	static const char *const names[] = { "lru", "fifo", "random", "srrip", "brrip" };
	cr_assert_str_eq(rp_nearest("lur", names, 5), "lru");
	cr_assert_str_eq(rp_nearest("fif", names, 5), "fifo");
	cr_assert_str_eq(rp_nearest("randoom", names, 5), "random");
	cr_assert_str_eq(rp_nearest("srip", names, 5), "srrip");
	cr_assert_str_eq(rp_nearest("brip", names, 5), "brrip");
	cr_assert_str_eq(rp_nearest("LRU", names, 5), "lru");
	cr_assert_str_eq(rp_nearest("Fifo", names, 5), "fifo");
	cr_assert_null(rp_nearest("belady", names, 5));
	cr_assert_null(rp_nearest("", names, 5));
	cr_assert_null(rp_nearest("ab", names, 5)); /* everything is near so short a word */
	cr_assert_null(rp_nearest("lru", names, 0));
	cr_assert_null(
	    rp_nearest("a name that is far longer than any of the names there are", names, 5));
}

RP_TEST(parse, scanning_stops_behind_the_digits_or_at_the_end)
{
	const char *text = "12a34", *at = text;
	uint64_t x;
	cr_assert(rp_scan_dec(&at, text + 5, &x) && x == 12 && at == text + 2);
	cr_assert(rp_scan_hex(&at, text + 5, &x) && x == 0xa34 && at == text + 5);
	cr_assert_not(rp_scan_dec(&at, text + 5, &x));
	at = text;
	cr_assert(rp_scan_dec(&at, text + 1, &x) && x == 1 && at == text + 1);
	text = at = "0x";
	cr_assert(rp_scan_hex(&at, text + 2, &x) && x == 0 && at == text + 1);
	text = at = "ffffffffffffffff0";
	cr_assert_not(rp_scan_hex(&at, text + 17, &x));
	at = text;
	cr_assert(rp_scan_hex(&at, text + 16, &x) && x == UINT64_MAX);
}
