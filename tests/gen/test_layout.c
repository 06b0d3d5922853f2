/* test_layout.c - tests gen/layout.c. */
#include "tests/gen/draw.h"

#include "gen/layout.h"

#include <jansson.h>

static uint64_t *
lines_of(const char *text, size_t n, uint64_t seed)
{
	struct rp_layout_spec spec;
	struct rp_layout l;
	struct rp_err err = { 0 };
	uint64_t *line = malloc(n * sizeof *line);
	cr_assert(rp_layout_parse(text, &spec, &err), "%s", err.text);
	cr_assert(rp_layout_open(&l, &spec, n, rp_xoshiro_seed(seed), &err), "%s", err.text);
	for (size_t i = 0; i < n; i++) {
		line[i] = rp_layout_next(&l);
		cr_assert_lt(line[i], rp_layout_span(&l));
	}
	for (size_t i = 0; i < n; i++) /* and once more */
		cr_assert_eq(rp_layout_next(&l), line[i], "%s", text);
	rp_layout_close(&l);
	return line;
}

static int
rising(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

RP_TEST(layout, no_two_lines_are_the_same)
{
	static const char *const text[] = { "id", "random", "random:16", "random:14:77",
		"sequential", "strided:1", "strided:96", "tile2d:8:64:16", "tile2d:3:100:7",
		"tile2d:5:5:1", "tile2d:1:1:1", "regions:1", "regions:7", "regions:500", "runs:1",
		"runs:33", "runs:5000" };
	enum { N = 10000 };
	for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
		uint64_t *line = lines_of(text[k], N, rp_test_seed(text[k]));
		qsort(line, N, sizeof *line, rising);
		for (size_t i = 1; i < N; i++)
			cr_assert_lt(line[i - 1], line[i], "%s", text[k]);
		free(line);
	}
}

RP_TEST(layout, the_bijection_is_the_published_one)
{
	char path[4096];
	json_t *doc = json_load_file(rp_test_file(path, "gen/files/mlcrp-bijection.json"), 0, NULL),
	       *o, *v;
	size_t k, i;
	json_array_foreach(json_object_get(doc, "cases"), k, o)
	{
		uint64_t bits = (uint64_t)json_integer_value(json_object_get(o, "k")),
			 key = (uint64_t)json_integer_value(json_object_get(o, "key"));
		json_array_foreach(json_object_get(o, "first"), i, v) cr_assert_eq(
		    rp_layout_scatter(i, (unsigned)bits, key), (uint64_t)json_integer_value(v));
	}
	cr_assert_eq(k, 3);
	json_decref(doc);
}

/* Every number of 2 to 16 bits comes up once, whatever the key. */
RP_TEST(layout, the_bijection_is_one)
{
	struct rp_xoshiro rng = rp_xoshiro_seed(rp_test_seed("layout"));
	static unsigned char seen[1 << 16];
	for (unsigned bits = 2; bits <= 16; bits += 2)
		for (int round = 0; round < 5; round++) {
			uint64_t key = rp_xoshiro_next(&rng), n = UINT64_C(1) << bits;
			memset(seen, 0, n);
			for (uint64_t x = 0; x < n; x++)
				cr_assert_eq(seen[rp_layout_scatter(x, bits, key)]++, 0);
		}
}

/* Pearson's chi-square over the sets at 1 %, for a hundred seeds (quantile by Wilson and Hilferty). */
static void
fills_sets_like_chance(const char *text, unsigned sets, size_t n, unsigned most)
{
	enum { SEEDS = 100 };
	unsigned over = 0;
	uint64_t first = rp_test_seed(text) * 1000;
	double free_ = sets - 1.0, v = 2 / (9 * free_),
	       bound = free_ * pow(1 - v + 2.3263 * sqrt(v), 3);
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		uint64_t *line = lines_of(text, n, first + seed);
		double *set = calloc(sets, sizeof *set), chi = 0, want = (double)n / sets;
		for (size_t i = 0; i < n; i++)
			set[line[i] % sets]++;
		for (unsigned s = 0; s < sets; s++)
			chi += (set[s] - want) * (set[s] - want) / want;
		over += chi > bound;
		free(set);
		free(line);
	}
	/* Of 100 tries at 1 %, 7 or more fail with a chance of 10^-4. */
	cr_assert(over <= most, "%s: %u of 100 over %g in %u sets", text, over, bound, sets);
}

RP_TEST(layout, random_lines_fill_sets_like_chance)
{
	fills_sets_like_chance("random", 4, 2000, 6);
	fills_sets_like_chance("random", 64, 2000, 6);
	fills_sets_like_chance("random", 1024, 20000, 6);
	fills_sets_like_chance("random:28", 256, 3000, 6);
	/* Runs of one line are random placement; the first lines of many regions too. */
	fills_sets_like_chance("runs:1", 64, 2000, 6);
}

RP_TEST(layout, rows_strides_and_tiles_lie_as_they_are_described)
{
	uint64_t *line = lines_of("strided:96", 5, 1);
	for (size_t i = 0; i < 5; i++)
		cr_assert_eq(line[i], 96 * i);
	free(line);
	/* Pieces 2 wide, 3 rows of 5: columns 0-1, then 2-3; column 4 stays free; then three rows lower. */
	static const uint64_t tiles[] = { 0, 1, 5, 6, 10, 11, 2, 3, 7, 8, 12, 13, 15, 16, 20 };
	line = lines_of("tile2d:2:5:3", 15, 1);
	for (size_t i = 0; i < 15; i++)
		cr_assert_eq(line[i], tiles[i]);
	free(line);
}

RP_TEST(layout, regions_grow_in_sequence_and_runs_are_no_longer_than_said)
{
	enum { N = 5000 };
	unsigned starts = 0, run = 1;
	uint64_t *line = lines_of("regions:7", N, 3);
	qsort(line, N, sizeof *line, rising);
	for (size_t i = 1; i < N; i++)
		starts += line[i] != line[i - 1] + 1;
	cr_assert_eq(starts, 6);
	free(line);
	line = lines_of("runs:9", N, 3);
	starts = 0;
	for (size_t i = 1; i < N; i++) {
		run = line[i] == line[i - 1] + 1 ? run + 1 : 1;
		starts += run == 1;
		cr_assert_leq(run, 9);
	}
	/* 5 on average: a thousand runs. */
	cr_assert(starts > 900 && starts < 1100, "%u", starts);
	free(line);
}

RP_TEST(layout, what_is_none_or_has_no_room_is_refused)
{
	static const char *const bad[] = { "", "rnd", "random:", "random:7", "random:58",
		"random:8:1:2", "random:x", "strided", "strided:0", "tile2d:8:4:2", "tile2d:1:2",
		"tile2d:0:4:2", "regions:0", "runs:0", "runs:1:2", "id:3" };
	struct rp_layout_spec spec;
	struct rp_layout l;
	struct rp_err err;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		err = (struct rp_err){ 0 };
		cr_assert(!rp_layout_parse(bad[i], &spec, &err), "%s", bad[i]);
		cr_assert(err.code == RP_USAGE && strstr(err.text, "wanted id, random[:BITS"));
	}
	cr_assert(rp_layout_parse("random:8", &spec, NULL));
	cr_assert(!rp_layout_open(&l, &spec, 257, rp_xoshiro_seed(1), &err));
	cr_assert_str_eq(err.text, "layout random has no room for 257 lines");
	rp_layout_close(&l);
}
