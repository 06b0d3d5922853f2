/* test_agree.c - a cache counts the same however it is asked: in batches of any size, alone or in a group, for every policy. */
#include "tests/sim/replay_check.h"

#include "base/rng.h"

enum { CACHES_MOST = 128, ROWS = 3000 };

static const char *const shapes[] = { "sets=16,ways=4,classify=yes", "size=8KiB",
	"sets=13,ways=2,write=through,allocate=no-write",
	"sets=8,ways=8,line=32,mshr=4,merge=2,latency=20,classify=yes" };

/* Every policy in every shape, and two caches of GPGPU-Sim: how many. */
static size_t
all_specs(struct rp_cache_spec *spec)
{
	static const char *const gpu[] = {
		"gpgpusim=S:4:128:4,L:T:m:L:L,A:16:8,latency=30,classify=yes",
		"gpgpusim=N:16:64:2,L:L:f:W:X,A:8:4,latency=30,stall=drop"
	};
	size_t n = 0;
	for (size_t p = 0; rp_policies[p]; p++)
		for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
			char text[128];
			struct rp_err err = { 0 };
			const char *shape = shapes[k];
			if (rp_policies[p]->unbounded)
				shape = k ? "window=100,slotted=no" : "window=3";
			snprintf(text, sizeof text, "%s,%s", rp_policies[p]->name, shape);
			cr_assert_lt(n, CACHES_MOST - 2);
			cr_assert(rp_cache_spec_parse(text, 64, 3, &spec[n], &err), "%s", err.text);
			n++;
		}
	for (size_t k = 0; k < 2; k++)
		cr_assert(rp_cache_spec_parse(gpu[k], 64, 3, &spec[n++], NULL));
	return n;
}

static struct rp_batch *
random_rows(struct rp_rng *rng)
{
	struct rp_batch *b = rp_batch_new(ROWS, RP_COL_STREAM | RP_COL_TIME, NULL);
	while (b->n < ROWS) {
		uint64_t x = rp_rng_next(rng);
		struct rp_access a = { .kind = (uint8_t)(x % RP_KINDS),
			.addr = 64 * rp_rng_below(rng, x >> 8 & 1 ? 60 : 400) + (x >> 16 & 63),
			.size = (uint32_t)(1 + (x >> 24 & 31)),
			.stream = (uint32_t)(x >> 32) % 3,
			.time = b->n / 50 };
		if (b->n == 1000)
			a.size = 64 * 2100; /* more lookups than a chunk has */
		if ((x >> 40) % 100 == 0)
			a.kind = (uint8_t)(RP_MARKS + (x >> 48) % 4);
		rp_batch_put(b, &a);
	}
	return b;
}

static struct rp_replay *
replay(const struct rp_cache_spec *spec, size_t n, const struct rp_batch *b, size_t piece,
    const struct rp_replay_opts *o)
{
	struct rp_err err = { 0 };
	struct rp_replay *r = rp_replay_new(spec, n, o, &err);
	struct rp_batch *part = rp_batch_new(piece, RP_COL_STREAM | RP_COL_TIME, NULL);
	cr_assert(r, "%s", err.text);
	for (size_t at = 0; at < b->n; at += piece) {
		rp_batch_clear(part);
		rp_batch_append(part, b, at, b->n - at < piece ? b->n - at : piece);
		cr_assert(rp_replay_run(r, part, &err), "%s", err.text);
	}
	cr_assert(rp_replay_end(r, &err), "%s", err.text);
	rp_batch_free(part);
	return r;
}

/* Cache i of x counts as cache k of y: in total, by stream, by interval, and what misses most. */
static void
expect_equal(const struct rp_replay *x, size_t i, const struct rp_replay *y, size_t k, size_t top,
    const char *place)
{
	struct rp_counters a, b;
	rp_replay_counters(x, i, &a);
	rp_replay_counters(y, k, &b);
	expect_same(&a, &b, place);
	cr_assert_eq(rp_replay_streams(x), rp_replay_streams(y));
	for (size_t s = 0; s < rp_replay_streams(x); s++) {
		rp_replay_stream_counters(x, i, s, &a);
		rp_replay_stream_counters(y, k, s, &b);
		expect_same(&a, &b, place);
	}
	cr_assert_eq(rp_replay_intervals(x), rp_replay_intervals(y));
	for (size_t s = 0; s < rp_replay_intervals(x); s++) {
		rp_replay_interval(x, i, s, &a);
		rp_replay_interval(y, k, s, &b);
		expect_same(&a, &b, place);
	}
	struct rp_top_row *rows = calloc(2 * top, sizeof *rows);
	size_t n = rp_replay_top(x, i, rows);
	cr_assert_eq(rp_replay_top(y, k, rows + top), n);
	cr_assert_eq(memcmp(rows, rows + top, n * sizeof *rows), 0, "%s: top", place);
	free(rows);
}

/* Batches of 1, of 37 and of 4096 rows; all caches together, and each alone. */
RP_TEST(agree, batches_of_any_size_alone_and_in_a_group)
{
	struct rp_rng rng = { rp_test_seed("agree") };
	static struct rp_cache_spec spec[CACHES_MOST];
	size_t n = all_specs(spec);
	for (unsigned round = 0; round < 2 * rp_test_scale(); round++) {
		struct rp_batch *b = random_rows(&rng);
		struct rp_replay_opts o = { .by_stream = true,
			.once = round % 2,
			.flush = true,
			.warmup = 300,
			.interval = 800,
			.top = 20,
			.by = round % 3 };
		struct rp_replay *group = replay(spec, n, b, 4096, &o);
		static const size_t piece[] = { 1, 37 };
		for (size_t p = 0; p < 2; p++) {
			struct rp_replay *other = replay(spec, n, b, piece[p], &o);
			for (size_t i = 0; i < n; i++) {
				char *text = rp_cache_spec_print(&spec[i], NULL);
				expect_equal(other, i, group, i, o.top, text);
				free(text);
			}
			rp_replay_free(other);
		}
		for (size_t i = 0; i < n; i++) {
			char *text = rp_cache_spec_print(&spec[i], NULL);
			struct rp_replay *alone = replay(&spec[i], 1, b, round % 2 ? 1 : 4096, &o);
			expect_equal(alone, 0, group, i, o.top, text);
			rp_replay_free(alone);
			free(text);
		}
		rp_replay_free(group);
		rp_batch_free(b);
	}
	for (size_t i = 0; i < n; i++)
		rp_cache_spec_free(&spec[i]);
}
