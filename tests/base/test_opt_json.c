/* test_opt_json.c - tests src/base/opt_json.c. */
#include "tests/check.h"

#include "base/opt_json.h"

struct all {
	bool fast;
	uint64_t count;
	uint32_t ways;
	double share;
	const char *name, *other;
	struct rp_texts cache;
	unsigned order;
};

static const char *const orders[] = { "recorded", "time", NULL };
static const struct rp_opt rows[] = {
	{ "fast", 'f', NULL, RP_OPT_FLAG, offsetof(struct all, fast), "no", "skip the checks" },
	{ "count", 0, "N", RP_OPT_U64, offsetof(struct all, count), NULL, "any number" },
	{ "ways", 'w', "N", RP_OPT_U32, offsetof(struct all, ways), "8", "lines of a set", 1, 64 },
	{ "share", 0, "X", RP_OPT_DOUBLE, offsetof(struct all, share), "0.5", "a share" },
	{ "name", 'n', "TEXT", RP_OPT_TEXT, offsetof(struct all, name), NULL, "a name" },
	{ "other", 'o', "TEXT", RP_OPT_TEXT, offsetof(struct all, other), NULL, "another" },
	{ "cache", 'c', "SPEC", RP_OPT_TEXTS, offsetof(struct all, cache), NULL, "several" },
	{ "order", 0, "ORDER", RP_OPT_CHOICE, offsetof(struct all, order), "time", "an order",
	    .choices = orders },
	{ 0 },
};

RP_TEST(opt_json, values_are_those_that_the_rows_take_again)
{
	struct all a = { .fast = true, .count = 5, .ways = 3, .share = 0.25, .name = "x" };
	json_t *o = rp_opts_json(rows, &a),
	       *want = json_pack("{sb sI sI sf ss ss}", "fast", 1, "count", (json_int_t)5, "ways",
		   (json_int_t)3, "share", 0.25, "name", "x", "order", "recorded");
	cr_assert(o && json_equal(o, want));
	json_decref(o);
	json_decref(want);
}

RP_TEST(opt_json, numbers_that_jansson_has_not_are_texts)
{
	struct all a = { .count = UINT64_MAX }, again = { 0 };
	json_t *o = rp_opts_json(rows, &a);
	const char *text = json_string_value(json_object_get(o, "count"));
	cr_assert_str_eq(text, "18446744073709551615");
	cr_assert(
	    rp_opts_set(rows, &again, "count", text, false, NULL) && again.count == UINT64_MAX);
	json_decref(o);
}
