/* test_names.c - tests sim/observe/names.c: what names promise, and that all levels give the same ones. */
#include "tests/check.h"

#include "base/rng.h"
#include "sim/observe/names.h"

#include <string.h>

enum { KEYS = 3000 };

/* Lines of up to `regions` regions, neighbours or far apart, of which some come up much more often. */
static void
random_lines(struct rp_rng *rng, unsigned bits, uint64_t regions, uint64_t *line)
{
	uint64_t apart = rp_rng_below(rng, 2) ? 1 : UINT64_C(0x10000000f) >> 3;
	for (size_t i = 0; i < KEYS; i++) {
		uint64_t r = rp_rng_next(rng), region = r & 3 ? r >> 2 & 7 : (r >> 8) % regions;
		line[i] = ((region * apart) << bits) + (r >> 32 & ((UINT64_C(1) << bits) - 1));
	}
}

/* Names in parts of any size; how many there were. */
static size_t
give(struct rp_names *n, const uint64_t *line, uint64_t *name)
{
	memcpy(name, line, KEYS * sizeof *name);
	for (size_t at = 0, step = 1; at < KEYS; step = 1 + at * 7 % 300) {
		size_t part = step < KEYS - at ? step : KEYS - at;
		size_t done = rp_names_give(n, name + at, part);
		at += done;
		if (done < part)
			return at;
	}
	return KEYS;
}

static void
hold(struct rp_rng *rng, unsigned bits, uint64_t regions)
{
	static const enum rp_level levels[] = { RP_LEVEL_C, RP_LEVEL_V3, RP_LEVEL_V4 };
	static uint64_t line[KEYS], name[KEYS], first[KEYS];
	size_t count = 0;
	random_lines(rng, bits, regions, line);
	for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
		struct rp_err err = { 0 };
		struct rp_names n = { 0 };
		if (!rp_level_runs(levels[k]))
			continue;
		cr_assert(rp_names_open(&n, bits, levels[k], &err), "%s", err.text);
		for (unsigned again = 0; again < 2; again++, rp_names_reset(&n)) {
			size_t got = give(&n, line, name);
			for (size_t i = 0; i < got; i++) {
				cr_assert(name[i] && name[i] <= UINT32_MAX);
				cr_assert_eq(rp_names_line(&n, (uint32_t)name[i]), line[i]);
			}
			if (!k && !again) {
				memcpy(first, name, sizeof first);
				count = got;
			}
			cr_assert_eq(got, count);
			cr_assert_arr_eq(name, first, sizeof name);
		}
		rp_names_close(&n);
	}
}

RP_TEST(names, are_of_one_line_each_and_the_same_at_all_levels)
{
	struct rp_rng rng = { rp_test_seed("names") };
	for (unsigned round = 0; round < 60; round++)
		hold(&rng, 12 + (unsigned)rp_rng_below(&rng, 17),
		    1 + rp_rng_below(&rng, round & 1 ? 20 : 2000));
}
