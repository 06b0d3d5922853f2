/* test_full.c - tests sim/full.c where its table is under strain. */
#include "tests/sim/replay_check.h"

#include "base/rng.h"
#include "sim/full.h"

/* Lines that all have bucket 0 of the 2^bits of a cache: more of them than a bucket holds make a chain. */
static size_t
lines_of_one_bucket(unsigned bits, uint64_t from, uint64_t *out, size_t n)
{
	size_t found = 0;
	for (uint64_t line = from; found < n; line++)
		if (full_home(line, full_key(line >> bits), bits) == 0)
			out[found++] = line;
	return found;
}

static void
same_at_all_levels(const char *spec, const struct rp_batch *b)
{
	static const enum rp_level levels[] = { RP_LEVEL_C, RP_LEVEL_V3, RP_LEVEL_V4 };
	struct rp_replay_opts o = { .level = RP_LEVEL_MODEL, .flush = true };
	struct rp_counters want = replay_one(spec, b, &o);
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
		o.level = levels[i];
		if (!rp_level_runs(o.level))
			continue;
		struct rp_counters found = replay_one(spec, b, &o);
		expect_same(&found, &want, spec);
	}
	cr_assert_gt(want.evictions, 0);
	cr_assert_lt(want.misses, want.lookups);
}

/* A cache of 200 lines has 128 buckets, one of 300 has 256. Forty lines of one bucket, used now and then among others that
 * push them out, come, go and are dropped from chains; keys of 64 bits too. */
RP_TEST(full, a_bucket_that_overflows_keeps_its_lines)
{
	static const char *const specs[] = { "lru,size=12800", "fifo,size=12800",
		"random,size=12800", "lru,size=19200" };
	static const uint64_t from[] = { 0, UINT64_C(1) << 55 };
	struct rp_rng rng = { rp_test_seed("overflow") };
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
		for (size_t k = 0; k < sizeof from / sizeof *from; k++) {
			uint64_t line[40];
			struct rp_batch *b = rp_batch_new(30000, 0, NULL);
			lines_of_one_bucket(i < 3 ? 7 : 8, from[k], line, 40);
			while (b->n < 30000) {
				uint64_t r = rp_rng_next(&rng);
				struct rp_access a = { .size = 8, .kind = r >> 16 & 1 };
				a.addr =
				    64 * (r & 1 ? line[(r >> 8) % 40] : from[k] + (r >> 20) % 350);
				if ((r >> 40 & 63) == 0)
					a.kind = r >> 50 & 1 ? RP_INVALIDATE : RP_COPY_BACK;
				rp_batch_put(b, &a);
			}
			same_at_all_levels(specs[i], b);
			rp_batch_free(b);
		}
}

/* Long stays of few lines, so that the log is compacted again and again while most of its entries are dead; then sweeps
 * that replace everything. */
RP_TEST(full, the_log_is_compacted_in_order)
{
	struct rp_rng rng = { rp_test_seed("log") };
	struct rp_batch *b = rp_batch_new(200000, 0, NULL);
	while (b->n < 200000) {
		uint64_t phase = b->n / 20000, r = rp_rng_next(&rng),
			 lines = phase % 3 == 0   ? 5
		                 : phase % 3 == 1 ? 90
		                                  : 400;
		rp_batch_put(b, &(struct rp_access){ .addr = 64 * (r % lines + (phase % 2) * 50),
				    .size = 4,
				    .kind = r >> 40 & 1 });
	}
	same_at_all_levels("lru,size=6400", b);
	same_at_all_levels("fifo,size=6400", b);
	same_at_all_levels("random,size=6400", b);
	rp_batch_free(b);
}

/* More misses than hits and nothing dropped, so that lookups are taken in steps: lines of one bucket among them, keys of 64
 * bits, lines that come back soon after they left, clean or dirty, and steps without a hit. */
RP_TEST(full, steps_give_what_single_lookups_give)
{
	static const char *const specs[] = { "lru,size=128", "lru,size=6464", "lru,size=160000",
		"lru,size=19200,write=through", "lru,size=19200,classify=yes" };
	static const uint64_t lines[] = { 2, 101, 2500, 300, 300 };
	struct rp_rng rng = { rp_test_seed("steps") };
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
		for (unsigned wide = 0; wide < 2; wide++) {
			uint64_t line[40], from = wide ? UINT64_C(1) << 55 : 0;
			struct rp_batch *b = rp_batch_new(60000, 0, NULL);
			lines_of_one_bucket(8, from, line, 40);
			for (uint64_t loop = 0; b->n < 60000; loop++) {
				uint64_t r = rp_rng_next(&rng), at = from + r % (4 * lines[i]);
				if (loop / 3000 % 4 == 3)
					at = from + 10000 + loop;
				else if ((r >> 32 & 15) == 0)
					at = line[(r >> 40) % 40];
				else if ((r >> 32 & 31) ==
					 1) /* a loop a little longer than the cache */
					at = from + loop % (lines[i] + lines[i] / 16 + 1);
				rp_batch_put(b,
				    &(struct rp_access){
					.addr = 64 * at, .size = 4, .kind = (r >> 50 & 3) == 0 });
			}
			same_at_all_levels(specs[i], b);
			rp_batch_free(b);
		}
}

/* The most that a key of 32 bits may be, tags beside it, and tags whose halves are alike; in the 128 buckets of 200 lines. */
RP_TEST(full, tags_at_the_edge_of_a_key_are_told_apart)
{
	static const uint64_t tags[][4] = {
		{ 0, 1, UINT32_MAX - 2, UINT32_MAX - 1 },
		{ 0, 1, UINT32_MAX - 1, UINT32_MAX },
		{ 0, UINT32_MAX, UINT64_C(0x500000005) - 1, UINT64_C(0x700000007) - 1 },
	};
	static const char *const specs[] = { "lru,size=12800", "fifo,size=12800",
		"random,size=12800" };
	struct rp_rng rng = { rp_test_seed("edge") };
	for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
		struct rp_batch *b = rp_batch_new(30000, 0, NULL);
		while (b->n < 30000) {
			uint64_t r = rp_rng_next(&rng);
			rp_batch_put(b, &(struct rp_access){
					    .addr = 64 * (tags[i][r & 3] << 7 | (r >> 8 & 127)),
					    .size = 4,
					    .kind = r >> 32 & 1 });
		}
		for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
			same_at_all_levels(specs[k], b);
		rp_batch_free(b);
	}
}
