/* test_bins.c - the ranges that numbers are counted in. */
#include "sim/observe/bins.h"

#include "base/rng.h"
#include "tests/check.h"

#include <jansson.h>

RP_TEST(bins, logarithmic_ones_are_those_of_the_reuse_profiles)
{
	char path[4096];
	json_t *doc =
	    json_load_file(rp_test_file(path, "sim/observe/files/mlcrp-logbin.json"), 0, NULL);
	json_t *pair;
	size_t i;
	cr_assert_not_null(doc);
	cr_assert_gt(json_array_size(json_object_get(doc, "pairs")), 20);
	json_array_foreach(json_object_get(doc, "pairs"), i, pair)
	{
		json_int_t rd = json_integer_value(json_array_get(pair, 0));
		json_int_t want = json_integer_value(json_array_get(pair, 1));
		if (rd < 0 || want >= 64) /* cold and overflow are not bins of numbers */
			continue;
		cr_assert_eq(rp_log_bin((uint64_t)rd, RP_LOG_BITS), want);
	}
	cr_assert_eq(rp_log_bin(65535, RP_LOG_BITS), 63);
	cr_assert_eq(rp_log_bin(65536, RP_LOG_BITS), 64);
	cr_assert_eq(rp_log_bins(RP_LOG_BITS, 16), 64);
	json_decref(doc);
}

/* Each bin ends where the next one begins, and all that is in it is told to be. */
RP_TEST(bins, logarithmic_ones_leave_no_gaps)
{
	for (unsigned bits = 2; bits <= 8; bits += 3) {
		uint64_t next = 0;
		for (unsigned bin = 0; bin < rp_log_bins(bits, 64); bin++) {
			uint64_t low = rp_log_low(bin, bits), high = rp_log_high(low, bits);
			cr_assert_eq(low, next);
			cr_assert_eq(rp_log_bin(low, bits), bin);
			cr_assert_eq(rp_log_bin(high, bits), bin);
			cr_assert_eq(rp_log_high(high, bits), high);
			next = high + 1;
		}
		cr_assert_eq(next, 0, "the last one ends at 2^64");
	}
}

RP_TEST(bins, numbers_are_within_their_bins)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("bins"), "bins", 0);
	static const char *const text[] = { "exact", "linear:1", "linear:7", "linear:4096", "log",
		"linear:18446744073709551615" };
	struct rp_err err = { 0 };
	for (unsigned k = 0; k < 6; k++) {
		struct rp_bins b;
		cr_assert(rp_bins_parse(text[k], &b, &err));
		for (unsigned i = 0; i < 1000 * rp_test_scale(); i++) {
			uint64_t x = rp_rng_next(&rng) >> rp_rng_below(&rng, 64);
			uint64_t low = rp_bins_low(&b, x), high = rp_bins_high(&b, x);
			cr_assert(
			    low <= x && x <= high, "%s: %llu", text[k], (unsigned long long)x);
			cr_assert_eq(rp_bins_low(&b, high), low);
			cr_assert_eq(rp_bins_high(&b, low), high);
			if (b.kind == RP_BINS_LINEAR && high != UINT64_MAX)
				cr_assert_eq(high - low + 1, b.width);
		}
	}
}

RP_TEST(bins, others_are_refused)
{
	static const char *const bad[] = { "", "lin", "linear", "linear:", "linear:0", "linear:x",
		"log2", "linear:-1" };
	struct rp_bins b = { RP_BINS_LOG, 9 };
	for (unsigned i = 0; i < 8; i++) {
		struct rp_err err = { 0 };
		cr_assert_not(rp_bins_parse(bad[i], &b, &err), "%s", bad[i]);
		cr_assert_eq(err.code, RP_USAGE);
		cr_assert_eq(b.width, 9);
	}
}
