/* test_counters.c - tests sim/counters.c. */
#include "tests/check.h"

#include "sim/counters.h"

RP_TEST(counters, no_two_share_a_name_or_a_meaning)
{
	for (size_t i = 0; i < rp_counter_count; i++)
		for (size_t k = 0; k < i; k++) {
			cr_assert_str_neq(rp_counter_table[i].name, rp_counter_table[k].name);
			cr_assert_str_neq(rp_counter_table[i].what, rp_counter_table[k].what);
		}
}

static uint64_t *
field(struct rp_counters *c, size_t offset)
{
	return (uint64_t *)((char *)c + offset);
}

RP_TEST(counters, each_is_added_and_subtracted)
{
	struct rp_counters a = { 0 }, b = { 0 }, out;
	for (size_t i = 0; i < rp_counter_count; i++)
		if (!rp_counter_table[i].ratio) {
			*field(&a, rp_counter_table[i].offset) = 1000 + i;
			*field(&b, rp_counter_table[i].offset) = i;
		}
	rp_counters_sub(&out, &a, &b);
	rp_counters_add(&b, &a);
	for (size_t i = 0; i < rp_counter_count; i++)
		if (!rp_counter_table[i].ratio) {
			bool most = !strcmp(rp_counter_table[i].name, "mshr_occupancy_max");
			cr_assert_eq(
			    *field(&out, rp_counter_table[i].offset), most ? 1000 + i : 1000);
			cr_assert_eq(
			    *field(&b, rp_counter_table[i].offset), most ? 1000 + i : 1000 + 2 * i);
		}
}

static const struct {
	const char *name;
	size_t numerator, denominator;
} ratios[] = {
	{ "miss_ratio", offsetof(struct rp_counters, misses),
	    offsetof(struct rp_counters, lookups) },
	{ "merge_ratio", offsetof(struct rp_counters, merged),
	    offsetof(struct rp_counters, mshr_asked) },
	{ "mshr_occupancy_mean", offsetof(struct rp_counters, mshr_held),
	    offsetof(struct rp_counters, mshr_time) },
	{ "global_miss_ratio", offsetof(struct rp_counters, misses),
	    offsetof(struct rp_counters, entered) },
};

RP_TEST(counters, a_ratio_divides_two_of_them)
{
	size_t n = 0;
	for (size_t i = 0; i < rp_counter_count; i++)
		if (rp_counter_table[i].ratio) {
			cr_assert_str_eq(rp_counter_table[i].name, ratios[n].name);
			cr_assert_eq(rp_counter_table[i].offset, ratios[n].numerator);
			cr_assert_eq(rp_counter_table[i].denominator, ratios[n++].denominator);
		}
	cr_assert_eq(n, sizeof ratios / sizeof *ratios);
}

/* Two lookups of one access, a read that hit and a write that missed and replaced a line: every law holds. Then each is
 * broken by one field. */
RP_TEST(counters, a_broken_law_is_named)
{
	const struct rp_counters good = { .accesses = 1,
		.lookups = 2,
		.hits = 1,
		.misses = 1,
		.reads = 1,
		.writes = 1,
		.write_misses = 1,
		.missed_accesses = 1,
		.fills = 1,
		.evictions = 1 };
	struct rp_counters c = good;
	cr_assert_null(rp_counters_broken(&c, RP_COUNT_ALWAYS, false));
	c.hits = 2;
	cr_assert_str_eq(rp_counters_broken(&c, RP_COUNT_ALWAYS, false), "hit_or_miss");
	c = good;
	c.reads = 2;
	cr_assert_str_eq(rp_counters_broken(&c, RP_COUNT_ALWAYS, false), "read_or_write");
	c = good;
	c.read_misses = 1;
	cr_assert_str_eq(rp_counters_broken(&c, RP_COUNT_ALWAYS, false), "misses_by_kind");
	c = good;
	c.atomics = 2;
	cr_assert_str_eq(rp_counters_broken(&c, RP_COUNT_ALWAYS, false), "fetches_are_reads");
	c = good;
	c.fills = 2;
	cr_assert_str_eq(rp_counters_broken(&c, RP_COUNT_ALWAYS, false), "fills_are_misses");
	cr_assert_null(rp_counters_broken(&c, RP_COUNT_ALWAYS, true));
	c = good;
	c.evictions = 2;
	cr_assert_str_eq(rp_counters_broken(&c, RP_COUNT_ALWAYS, false), "fills_leave");
	c = good;
	c.missed_accesses = 2;
	cr_assert_str_eq(rp_counters_broken(&c, RP_COUNT_ALWAYS, false), "missed_once");
}

/* Two cold misses, a conflict, and a hit that the twin misses, which so has three. A cache that is not classified has zeroes,
 * whatever it misses. */
RP_TEST(counters, laws_of_classes_hold_where_there_are_classes)
{
	const struct rp_counters good = { .accesses = 4,
		.lookups = 4,
		.hits = 1,
		.misses = 3,
		.reads = 4,
		.read_misses = 3,
		.cold = 2,
		.conflict = 1,
		.anticonflict = 1,
		.full_misses = 3 };
	const unsigned both = RP_COUNT_ALWAYS | RP_COUNT_CLASS;
	struct rp_counters c = good;
	cr_assert_null(rp_counters_broken(&c, both, false));
	c.cold = 1;
	cr_assert_str_eq(rp_counters_broken(&c, both, false), "classes_of_misses");
	cr_assert_null(rp_counters_broken(&c, RP_COUNT_ALWAYS, false));
	c = good;
	c.full_misses = 2;
	cr_assert_str_eq(rp_counters_broken(&c, both, false), "classes_of_full_misses");
	c = good;
	c.anticonflict = 0;
	c.full_misses = 2;
	cr_assert_null(rp_counters_broken(&c, both, false));
}
