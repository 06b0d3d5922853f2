/* test_dinero.c - holds the counters against Dinero IV's own reports of a 32 x 32 matrix multiply.
 *
 * ../shared/real-traces/cpu/dinero/golden; that trace may not be copied here. Dinero's "misc" references are reads of ours. Its
 * "bytes to memory" are the write-backs and, at the end, what is still dirty. */
#include "tests/sim/replay_check.h"

#include "traces/format.h"

struct report {
	const char *spec;
	struct rp_counters want;
};

static const struct report reports[] = {
	/* u8b16a4 */
	{ "lru,size=8KiB,ways=4,line=16", { .misses = 20248,
					      .ifetch_misses = 620,
					      .read_misses = 620 + 18525,
					      .write_misses = 1103,
					      .bytes_filled = 323968,
					      .bytes_written = 49792 } },
	/* u8b16a4rf */
	{ "fifo,size=8KiB,ways=4,line=16", { .misses = 24235,
					       .ifetch_misses = 729,
					       .read_misses = 729 + 22400,
					       .write_misses = 1106,
					       .bytes_filled = 387760,
					       .bytes_written = 53936 } },
	/* u8b16a512: misses 3 times on misc */
	{ "lru,size=8KiB,ways=512,line=16", { .misses = 19452,
						.ifetch_misses = 658,
						.read_misses = 658 + 17687 + 3,
						.write_misses = 1104,
						.bytes_filled = 311232,
						.bytes_written = 41520 } },
};

enum { REPORTS = sizeof reports / sizeof *reports };

static void
replay_all(struct rp_replay *r, struct rp_source *s)
{
	struct rp_err err = { 0 };
	struct rp_batch *b = rp_batch_new(RP_BATCH, RP_COL_ALL, &err);
	ptrdiff_t n;
	while ((n = rp_source_pull(s, b, &err)) > 0) {
		cr_assert(rp_replay_run(r, b, &err), "%s", err.text);
		rp_batch_clear(b);
	}
	cr_assert_eq(n, 0, "%s", err.text);
	cr_assert(rp_replay_end(r, &err), "%s", err.text);
	rp_batch_free(b);
}

RP_TEST(dinero, reports_come_out)
{
	char path[4096];
	struct rp_err err = { 0 };
	struct rp_cache_spec specs[REPORTS];
	if (!rp_test_shared())
		cr_skip_test("../shared is not here");
	snprintf(path, sizeof path, "%s/real-traces/cpu/dinero/mm32.din.xz", rp_test_shared());
	struct rp_source *s = rp_trace_open(path, &(struct rp_read_opts){ 0 }, &err);
	cr_assert(s, "%s", err.text);
	for (size_t i = 0; i < REPORTS; i++)
		cr_assert(
		    rp_cache_spec_parse(reports[i].spec, 64, 1, &specs[i], &err), "%s", err.text);
	struct rp_replay *r =
	    rp_replay_new(specs, REPORTS, &(struct rp_replay_opts){ .flush = true }, &err);
	cr_assert(r, "%s", err.text);
	replay_all(r, s);
	for (size_t i = 0; i < REPORTS; i++) {
		struct rp_counters c, want = reports[i].want;
		rp_replay_counters(r, i, &c);
		cr_assert_eq(c.lookups, 265775);
		cr_assert_eq(c.ifetches, 188971);
		cr_assert_eq(c.reads, 188971 + 70370 + 8);
		cr_assert_eq(c.writes, 6426);
		cr_assert_eq(c.misses, want.misses);
		cr_assert_eq(c.ifetch_misses, want.ifetch_misses);
		cr_assert_eq(c.read_misses, want.read_misses);
		cr_assert_eq(c.write_misses, want.write_misses);
		cr_assert_eq(c.bytes_filled, want.bytes_filled);
		cr_assert_eq(c.bytes_written, want.bytes_written);
	}
	rp_replay_free(r);
	rp_source_close(s);
	for (size_t i = 0; i < REPORTS; i++)
		rp_cache_spec_free(&specs[i]);
}
