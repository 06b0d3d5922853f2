/* test_xoshiro.c - tests src/base/xoshiro.c. */
#include "tests/check.h"

#include "base/xoshiro.h"

#include <jansson.h>
#include <math.h>

RP_TEST(xoshiro, the_words_are_those_of_the_published_data_sets)
{
	char path[4096];
	json_t *doc = json_load_file(rp_test_file(path, "gen/files/mlcrp-synth.json"), 0, NULL), *v;
	struct rp_xoshiro r =
	    rp_xoshiro_seed((uint64_t)json_integer_value(json_object_get(doc, "rng_seed")));
	size_t i;
	json_array_foreach(json_object_get(doc, "rng_first"), i, v)
	    cr_assert_eq(rp_xoshiro_next(&r), strtoull(json_string_value(v), NULL, 10));
	cr_assert_eq(i, 4);
	json_decref(doc);
}

/* The first outputs of the authors' program from state 1, 2, 3, 4. */
RP_TEST(xoshiro, a_known_state_gives_the_authors_words)
{
	struct rp_xoshiro r = { { 1, 2, 3, 4 } };
	static const uint64_t known[] = { 11520, 0, 1509978240, UINT64_C(1215971899390074240) };
	for (size_t i = 0; i < 4; i++)
		cr_assert_eq(rp_xoshiro_next(&r), known[i]);
}

RP_TEST(xoshiro, bounds_are_kept_and_values_even)
{
	struct rp_xoshiro r = rp_xoshiro_seed(rp_test_seed("xoshiro"));
	enum { CELLS = 10, DRAWS = 100000 };
	unsigned below[CELLS] = { 0 }, unit[CELLS] = { 0 };
	for (int i = 0; i < DRAWS; i++) {
		uint64_t b = rp_xoshiro_below(&r, CELLS);
		double u = rp_xoshiro_unit(&r);
		cr_assert(b < CELLS && u >= 0 && u < 1);
		below[b]++;
		unit[(int)(u * CELLS)]++;
	}
	for (int i = 0; i < CELLS; i++) /* six standard deviations */
		cr_assert(fabs(below[i] - 10000.0) < 570 && fabs(unit[i] - 10000.0) < 570);
	cr_assert_eq(rp_xoshiro_below(&r, 1), 0);
}
