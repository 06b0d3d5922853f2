/* test_window.c - selections worked out by hand and against going row by row. */
#include "tests/traces/rows.h"

#include "base/rng.h"
#include "traces/window.h"

static struct rp_err err;

static const struct rp_access six[] = {
	{ .addr = 1, .size = 1, .kind = RP_READ, .stream = 0, .flags = RP_GLOBAL },
	{ .addr = 2, .size = 1, .kind = RP_WRITE, .stream = 1, .flags = RP_LOCAL },
	{ .addr = 90, .size = 1, .kind = RP_KERNEL_END, .stream = 5 },
	{ .addr = 3, .size = 1, .kind = RP_READ, .stream = 7 },
	{ .addr = 4, .size = 1, .kind = RP_FETCH, .stream = 4000000, .flags = RP_GLOBAL },
	{ .addr = 5, .size = 1, .kind = RP_READ, .stream = 1, .flags = RP_LOCAL | RP_BYPASS_L1 },
};

static void
assert_window(
    const struct rp_window *w, const uint64_t *want, size_t n, const char *reason, uint64_t skipped)
{
	for (size_t piece = 1; piece < 8; piece++) {
		struct rp_source *s = rp_window_open(rows_new(six, 6, piece, RP_COL_ALL), w, &err);
		cr_assert(s, "%s", err.text);
		size_t got;
		struct rp_access *all = rows_all(s, 1 + piece % 3, &got, &err);
		cr_assert_eq(got, n, "%zu rows, not %zu", got, n);
		for (size_t i = 0; i < n; i++)
			cr_assert_eq(all[i].addr, want[i]);
		cr_assert_eq(s->trace->n_skipped, reason ? 1 : 0);
		if (reason) {
			cr_assert_str_eq(s->trace->skipped[0].reason, reason);
			cr_assert_eq(s->trace->skipped[0].n, skipped);
		}
		free(all);
		rp_source_close(s);
	}
}

#define LIST(...)                                                                                  \
	(const uint64_t[]){ __VA_ARGS__ },                                                         \
	    sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)

RP_TEST(window, kinds_select_and_marks_pass)
{
	assert_window(&(struct rp_window){ .kinds = 1 << RP_READ }, LIST(1, 90, 3, 5), "kind", 2);
	assert_window(&(struct rp_window){ .kinds = 1 << RP_FETCH | 1 << RP_WRITE }, LIST(2, 90, 4),
	    "kind", 3);
}

RP_TEST(window, spaces_select_and_rows_without_one_pass)
{
	assert_window(
	    &(struct rp_window){ .spaces = 1 << RP_GLOBAL }, LIST(1, 90, 3, 4), "space", 2);
	assert_window(
	    &(struct rp_window){ .spaces = 1 << RP_LOCAL }, LIST(2, 90, 3, 5), "space", 2);
}

RP_TEST(window, streams_select_whatever_their_size_and_order)
{
	const uint64_t some[] = { 4000000, UINT64_C(1) << 32, 1 };
	assert_window(
	    &(struct rp_window){ .streams = some, .n_streams = 3 }, LIST(2, 90, 4, 5), "stream", 2);
}

RP_TEST(window, skip_and_limit_count_accesses_not_marks)
{
	assert_window(&(struct rp_window){ .skip = 2 }, LIST(90, 3, 4, 5), NULL, 0);
	assert_window(&(struct rp_window){ .skip = 3 }, LIST(90, 4, 5), NULL, 0);
	assert_window(&(struct rp_window){ .limit = 2 }, LIST(1, 2), NULL, 0);
	assert_window(&(struct rp_window){ .limit = 3 }, LIST(1, 2, 90, 3), NULL, 0);
	assert_window(&(struct rp_window){ .skip = 1, .limit = 2 }, LIST(2, 90, 3), NULL, 0);
	assert_window(&(struct rp_window){ .has_limit = true }, NULL, 0, NULL, 0);
	assert_window(&(struct rp_window){ .skip = 100 }, LIST(90), NULL, 0);
	assert_window(&(struct rp_window){ .skip = 1, .limit = 1, .kinds = 1 << RP_READ },
	    LIST(90, 3), "kind", 1);
}

RP_TEST(window, nothing_to_do_returns_the_source_itself)
{
	struct rp_source *in = rows_new(six, 6, 3, RP_COL_ALL);
	cr_assert_eq(rp_window_open(in, &(struct rp_window){ 0 }, &err), in);
	cr_assert_eq(rp_window_open(in, &(struct rp_window){ .kinds = 0xff }, &err), in);
	rp_source_close(in);
}

RP_TEST(window, nothing_behind_the_limit_is_read)
{
	struct rp_source *in = rows_new(six, 6, 99, RP_COL_ALL);
	((struct rows *)in)->fail_at = 3;
	struct rp_source *s = rp_window_open(in, &(struct rp_window){ .limit = 2 }, &err);
	size_t n;
	free(rows_all(s, 4096, &n, &err));
	cr_assert_eq(n, 2);
	cr_assert_eq(((struct rows *)in)->at, 2);
	rp_source_close(s);
}

RP_TEST(window, errors_of_the_source_are_passed_on)
{
	struct rp_source *in = rows_new(six, 6, 99, RP_COL_ALL);
	((struct rows *)in)->fail_at = 3;
	struct rp_source *s = rp_window_open(in, &(struct rp_window){ .limit = 5 }, &err);
	size_t n;
	free(rows_all(s, 4096, &n, &err));
	cr_assert_eq(n, SIZE_MAX);
	cr_assert_str_eq(err.text, "row 3 is bad");
	rp_source_close(s);
}

RP_TEST(window, a_batch_may_lack_the_columns_that_are_looked_at)
{
	const uint64_t one = 1;
	struct rp_window w = { .streams = &one, .n_streams = 1, .spaces = 1 << RP_LOCAL };
	struct rp_source *s = rp_window_open(rows_new(six, 6, 99, RP_COL_ALL), &w, &err);
	struct rp_batch *b = rp_batch_new(10, 0, &err);
	cr_assert_eq(rp_source_pull(s, b, &err), 3);
	cr_assert(
	    b->addr[0] == 2 && b->addr[1] == 90 && b->addr[2] == 5 && !b->stream && !b->flags);
	rp_batch_free(b);
	rp_source_close(s);
	/* And a trace without streams is all of stream 0. */
	s = rp_window_open(rows_new(six, 6, 99, RP_COL_FLAGS), &w, &err);
	size_t n;
	free(rows_all(s, 16, &n, &err));
	cr_assert_eq(n, 1);
	rp_source_close(s);
}

RP_TEST(window, agrees_with_going_row_by_row)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("window"), "tests/window", 0);
	enum { N = 2000 };
	struct rp_access *row = calloc(N, sizeof *row);
	for (unsigned run = 0; run < 100 * rp_test_scale(); run++) {
		for (size_t i = 0; i < N; i++) {
			uint64_t r = rp_rng_next(&rng);
			row[i] = (struct rp_access){ .addr = r,
				.time = ~r,
				.pc = r * 3,
				.size = 1 + (r & 7),
				.stream = (uint32_t)(r >> 8) % 6,
				.mask = (uint32_t)r,
				.kind = (r >> 16) % RP_KINDS,
				.flags = (r >> 24) % 3 };
			if ((r >> 32) % 50 == 0)
				row[i].kind = RP_COPY_BACK;
		}
		const uint64_t streams[] = { 3, 0, 5 };
		struct rp_window w = { .kinds = (unsigned)rp_rng_below(&rng, 32),
			.spaces = (unsigned)rp_rng_below(&rng, 8),
			.streams = streams,
			.n_streams = rp_rng_below(&rng, 4),
			.skip = rp_rng_below(&rng, 3) * 77,
			.limit = rp_rng_below(&rng, 3) * 333 };
		struct rp_source *s = rp_window_open(
		    rows_new(row, N, 1 + rp_rng_below(&rng, 500), RP_COL_ALL), &w, &err);
		size_t n, at = 0;
		struct rp_access *all = rows_all(s, 1 + rp_rng_below(&rng, 700), &n, &err);
		uint64_t skip = w.skip, left = w.limit ? w.limit : UINT64_MAX;
		for (size_t i = 0; i < N && left; i++) {
			const struct rp_access *a = &row[i];
			bool pass = !w.kinds || w.kinds >> a->kind & 1;
			pass = pass && (!w.spaces || !a->flags || w.spaces >> a->flags & 1);
			bool listed = !w.n_streams;
			for (size_t k = 0; k < w.n_streams; k++)
				listed |= streams[k] == a->stream;
			if (a->kind < RP_MARKS && !(pass && listed))
				continue;
			if (a->kind < RP_MARKS && skip) {
				skip--;
				continue;
			}
			cr_assert(at < n && rows_same(&all[at], a), "run %u, row %zu", run, i);
			at++;
			left -= a->kind < RP_MARKS;
		}
		cr_assert_eq(at, n);
		free(all);
		rp_source_close(s);
	}
	free(row);
}
