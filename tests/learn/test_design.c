/* test_design.c - tests learn/design.c and learn/synthetic.c: splits, caches that are drawn, traces that can be made alone. */
#include "tests/check.h"

#include "learn/design.h"

#include "base/xoshiro.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct rp_design
design_of(const char *text)
{
	char path[] = "/tmp/reprise-design-XXXXXX";
	struct rp_design d = { 0 };
	struct rp_err err = { 0 };
	int fd = mkstemp(path);
	cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	bool ok =
	    rp_design_read(path, 7, &(struct rp_pool_text){ .count = RP_POOL_USUAL }, &d, &err);
	unlink(path);
	cr_assert(ok, "%s", err.text);
	return d;
}

RP_TEST(design, what_is_not_said_is_the_default_of_80_pairs)
{
	struct rp_design d = design_of("name: x\n");
	size_t of[3] = { 0 };
	for (size_t i = 0; i < d.pairs; i++)
		of[d.pair[i].split]++;
	cr_assert(
	    d.pairs == 80 && of[RP_TRAIN] == 58 && of[RP_VALIDATION] == 6 && of[RP_TEST] == 16);
	cr_assert(d.text.traces == 50 && d.text.length == 10000 && d.text.seed == 7);
	cr_assert(d.pool.count == 24 && d.pool.sets.n == 9 && d.pool.latency.n == 7);
	rp_design_free(&d);
}

RP_TEST(design, any_seed_deals_all_splits_and_seeds_differ)
{
	struct rp_pair pair[20] = { 0 }, first[20];
	unsigned differ = 0;
	for (uint64_t seed = 0; seed < 40; seed++) {
		size_t of[3] = { 0 };
		rp_design_split(pair, 20, 0.075, 0.2, seed);
		for (int i = 0; i < 20; i++)
			of[pair[i].split]++;
		cr_assert(of[RP_TRAIN] == 14 && of[RP_VALIDATION] == 2 && of[RP_TEST] == 4);
		if (!seed)
			memcpy(first, pair, sizeof first);
		differ += memcmp(first, pair, sizeof first) != 0;
	}
	cr_assert_geq(differ, 35);
	rp_design_split(pair, 3, 0.01, 0.01, 1);
	cr_assert(pair[0].split + pair[1].split + pair[2].split == RP_VALIDATION + RP_TEST);
	rp_design_split(pair, 3, 0, 0, 1);
	cr_assert(pair[0].split + pair[1].split + pair[2].split == 3 * RP_TRAIN);
}

RP_TEST(design, caches_are_drawn_from_the_pool_none_twice_and_all_if_there_are_no_more)
{
	struct rp_design d =
	    design_of("configurations:\n  count: 30\n  sets: 4..64\n  ways: [1, 3]\n"
		      "  lines: 8..100\n  latency: [8, 9]\n  entries: [0, 5]\n"
		      "  max_merge: [0, 2]\n  stall: [count, wait]\n");
	struct rp_xoshiro rng = rp_xoshiro_seed(3);
	struct rp_label_cache *c;
	size_t n;
	cr_assert(rp_pool_draw(&d.pool, 128, &rng, &c, &n, NULL) && n == 60);
	for (size_t i = 0; i < n; i++) {
		cr_assert(c[i].line == 128 && c[i].stall == i % 2);
		cr_assert(c[i].sets * c[i].ways >= 8 && c[i].sets * c[i].ways <= 100);
		cr_assert((c[i].ways == 1 || c[i].ways == 3) && (c[i].latency | 1) == 9);
		cr_assert((c[i].entries == 0 || c[i].entries == 5) && (c[i].max_merge | 2) == 2);
		for (size_t k = 0; k < i; k++)
			cr_assert(memcmp(c + i, c + k, sizeof *c) != 0);
	}
	free(c);
	/* 8, 16, 32 and 64 sets of 1 way, 4, 8, 16 and 32 of 3 ways. */
	d.pool.count = 0;
	cr_assert(rp_pool_draw(&d.pool, 128, &rng, &c, &n, NULL) && n == 8 * 2 * 2 * 2 * 2);
	free(c);
	rp_design_free(&d);
}

/* The rows of a trace, after the first, tell the same counts as its profile. */
RP_TEST(design, a_trace_is_the_same_made_alone_and_its_profile_is_what_was_asked_for)
{
	struct rp_design d =
	    design_of("pairs: 3:40, 2:900\ntraces: 6\nlength: 3000\nseveral: 0.5\nsample: 1\n");
	struct rp_buf all[12] = { 0 }, again = { 0 };
	static uint32_t rp[RP_ROW_RP], asked[RP_ROW_RP];
	unsigned single = 0;
	for (uint32_t i = 0; i < 12; i++)
		cr_assert(rp_design_make(&d, i, all + i, NULL));
	for (uint32_t i = 12; i-- > 0; again.n = 0) {
		cr_assert(rp_design_make(&d, i, &again, NULL));
		cr_assert(again.n == all[i].n && !memcmp(again.bytes, all[i].bytes, again.n));
		struct rp_trace_row row;
		cr_assert(rp_buf_reserve(&again, 16, NULL) != NULL);
		const unsigned char *at = again.bytes, *end = at + again.n;
		cr_assert(rp_row_get(&at, end, &row, rp, asked));
		cr_assert(row.n == 3000 && row.peaks == (i < 6 ? 3 : 2) && row.index == i % 6 &&
			  row.split == d.pair[i / 6].split && row.samples == 24);
		cr_assert(row.sigma_low == 0 && row.sigma_high == 2 && row.recipe == d.text.recipe);
		if (row.streams == 1 && !row.moved && !row.prewarm) {
			cr_assert(!memcmp(rp, asked, sizeof rp));
			single++;
		}
		struct rp_sample_row s;
		for (uint32_t k = 0; k < row.samples; k++) {
			cr_assert(rp_sample_get(&at, end, &s));
			cr_assert(s.count.n == 3000 &&
				  s.count.hit + s.count.primary + s.count.merged == 3000);
			/* Every reuse was looked at, so the conflict profile is the tag miss ratio; the tags do not
			 * depend on the MSHRs, and an access that misses in them is a primary or has merged. */
			int sets = rp_conflict_sets(s.cache.sets),
			    ways = rp_conflict_ways(s.cache.ways);
			cr_assert(sets >= 0 && ways >= 0);
			cr_assert(s.rates.miss_rate >= s.prior.tag_miss - 1e-9);
		}
		cr_assert(at == end);
	}
	for (int i = 0; i < 12; i++)
		rp_buf_free(all + i);
	rp_buf_free(&again);
	rp_design_free(&d);
	cr_assert_geq(single, 1);
}
