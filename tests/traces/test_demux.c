/* test_demux.c - streams taken apart, in memory and through the temporary file. */
#include "tests/traces/rows.h"

#include "base/rng.h"
#include "traces/demux.h"

static struct rp_err err;

enum { A = 7, B = 3 };

static const struct rp_access small[] = {
	{ .addr = 1, .stream = A, .size = 4 },
	{ .addr = 2, .stream = B, .size = 4 },
	{ .addr = 3, .stream = A, .size = 4 },
	{ .addr = 4, .stream = A, .size = 4, .flags = RP_SAME_INSTR },
	{ .addr = 5, .stream = A, .size = 4, .flags = RP_SAME_INSTR },
	{ .addr = 6, .stream = A, .size = 4 },
	{ .addr = 0, .size = 1, .kind = RP_KERNEL_END },
	{ .addr = 9, .size = 1, .kind = RP_HOST_COPY },
	{ .addr = 7, .stream = B, .size = 4 },
};

RP_TEST(demux, streams_are_queues_in_order_of_appearance)
{
	for (size_t piece = 1; piece < 12; piece++) {
		struct rp_source *s = rows_new(small, 9, piece, RP_COL_ALL);
		struct rp_demux *d = rp_demux_open(s, 0, &err);
		struct rp_batch *out = rp_batch_new(16, RP_COL_ALL, &err);
		cr_assert_eq(rp_demux_segment(d, &err), 1);
		cr_assert_eq(d->n, 2);
		cr_assert(d->streams[0].stream == A && d->streams[0].left == 5);
		cr_assert(d->streams[1].stream == B && d->streams[1].left == 1);
		cr_assert_eq(d->marks->n, 2);
		cr_assert(d->marks->kind[0] == RP_KERNEL_END && d->marks->addr[1] == 9);
		/* One instruction at a time: 1; 3 4 5; 6. */
		cr_assert_eq(rp_demux_pull(d, 0, 1, 70, out, &err), 1);
		cr_assert_eq(rp_demux_pull(d, 0, 1, 70, out, &err), 3);
		cr_assert_eq(rp_demux_pull(d, 1, 1, 30, out, &err), 1);
		cr_assert_eq(rp_demux_pull(d, 1, 1, 30, out, &err), 0);
		const struct rp_demux_row *row;
		cr_assert_eq(rp_demux_peek(d, 0, &row, &err), 1);
		cr_assert(row->addr == 6 && row->order == 5);
		cr_assert_eq(rp_demux_peek(d, 1, &row, &err), 0);
		static const uint64_t want[] = { 1, 3, 4, 5, 2 };
		for (size_t i = 0; i < 5; i++)
			cr_assert(
			    out->addr[i] == want[i] && out->stream[i] == (want[i] == 2 ? 30 : 70));
		/* What is left (6) is dropped. */
		cr_assert_eq(rp_demux_segment(d, &err), 1);
		cr_assert(d->n == 1 && d->streams[0].stream == B && d->marks->n == 0);
		cr_assert_eq(rp_demux_pull(d, 0, 5, 0, out, &err), 1);
		cr_assert_eq(out->addr[5], 7);
		cr_assert_eq(rp_demux_segment(d, &err), 0);
		cr_assert_eq(d->spilled, 0);
		rp_batch_free(out);
		rp_demux_close(d);
		rp_source_close(s);
	}
}

RP_TEST(demux, an_instruction_cut_by_a_full_batch_goes_on)
{
	struct rp_source *s = rows_new(small, 9, 99, RP_COL_ALL);
	struct rp_demux *d = rp_demux_open(s, 0, &err);
	struct rp_batch *out = rp_batch_new(3, RP_COL_ALL, &err);
	const struct rp_demux_row *row;
	rp_demux_segment(d, &err);
	cr_assert_eq(rp_demux_pull(d, 0, 2, 0, out, &err), 3); /* 1; 3 4 */
	cr_assert(rp_demux_peek(d, 0, &row, &err) == 1 && row->flags == RP_SAME_INSTR);
	rp_batch_clear(out);
	cr_assert_eq(rp_demux_pull(d, 0, 0, 0, out, &err), 1); /* 5 */
	cr_assert_eq(out->addr[0], 5);
	rp_batch_free(out);
	rp_demux_close(d);
	rp_source_close(s);
}

/* Streams of very different lengths, pulled in random order, must give back each stream's rows. */
static void
check_random(struct rp_rng *rng, uint64_t memory, bool *spilled)
{
	enum { N = 60000, STREAMS = 300 };
	struct rp_access *row = calloc(N, sizeof *row);
	for (size_t i = 0; i < N; i++) {
		uint64_t r = rp_rng_next(rng);
		row[i] = (struct rp_access){ .addr = r,
			.time = i,
			.pc = ~r,
			.size = 1 + (r & 63),
			.kind = r >> 8 & 1,
			.stream = (uint32_t)(rp_rng_below(rng, 1 + rp_rng_below(rng, STREAMS)) *
					     1000003) };
		if (r % 20011 == 0)
			row[i].kind = RP_KERNEL_END;
	}
	struct rp_source *s = rows_new(row, N, 1000, RP_COL_STREAM | RP_COL_TIME | RP_COL_PC);
	struct rp_demux *d = rp_demux_open(s, memory, &err);
	struct rp_batch *out = rp_batch_new(64, RP_COL_ALL, &err);
	size_t at = 0, rows = 0;
	while (rp_demux_segment(d, &err) == 1) {
		size_t *next = calloc(d->n + 1, sizeof *next), end = at;
		while (end < N && row[end].kind < RP_MARKS)
			end++;
		for (size_t i = 0; i < d->n; i++)
			next[i] = at;
		for (size_t live = d->n; live;) {
			size_t i = rp_rng_below(rng, d->n);
			rp_batch_clear(out);
			ptrdiff_t n = rp_demux_pull(
			    d, i, 1 + rp_rng_below(rng, 9), d->streams[i].stream, out, &err);
			cr_assert(n >= 0, "%s", err.text);
			live -= n > 0 && !d->streams[i].left;
			for (ptrdiff_t k = 0; k < n; k++) {
				while (row[next[i]].stream != d->streams[i].stream)
					next[i]++;
				struct rp_access a = rp_batch_get(out, (size_t)k);
				cr_assert(next[i] < end && rows_same(&a, &row[next[i]]));
				next[i]++;
				rows++;
			}
		}
		free(next);
		for (size_t k = 0; k < d->marks->n; k++, rows++)
			cr_assert_eq(d->marks->addr[k], row[end + k].addr);
		at = end + d->marks->n;
	}
	cr_assert_eq(rows, N);
	*spilled = d->spilled > 0;
	rp_batch_free(out);
	rp_demux_close(d);
	rp_source_close(s);
	free(row);
}

RP_TEST(demux, spilled_or_not_every_stream_comes_back_whole)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("demux"), "tests/demux", 0);
	for (unsigned i = 0; i < 3 * rp_test_scale(); i++) {
		bool spilled;
		check_random(&rng, 0, &spilled);
		cr_assert_not(spilled);
		check_random(&rng, 1, &spilled);
		cr_assert(spilled);
		check_random(&rng, 400000, &spilled);
		cr_assert(spilled);
	}
}

RP_TEST(demux, what_is_left_when_closed_is_released)
{
	struct rp_access row[3000];
	for (size_t i = 0; i < 3000; i++)
		row[i] = (struct rp_access){ .addr = i, .size = 1, .stream = i % 3 };
	struct rp_source *s = rows_new(row, 3000, 3000, RP_COL_STREAM);
	struct rp_demux *d = rp_demux_open(s, 4096, &err);
	struct rp_batch *out = rp_batch_new(500, RP_COL_ALL, &err);
	cr_assert_eq(rp_demux_segment(d, &err), 1);
	cr_assert_eq(rp_demux_pull(d, 1, 500, 0, out, &err), 500);
	rp_batch_free(out);
	rp_demux_close(d);
	rp_source_close(s);
}

RP_TEST(demux, errors_of_the_source_and_of_the_disk_are_passed_on)
{
	struct rp_source *s = rows_new(small, 9, 99, RP_COL_ALL);
	((struct rows *)s)->fail_at = 4;
	struct rp_demux *d = rp_demux_open(s, 0, &err);
	cr_assert_eq(rp_demux_segment(d, &err), -1);
	cr_assert_str_eq(err.text, "row 4 is bad");
	rp_demux_close(d);
	rp_source_close(s);
	setenv("TMPDIR", "/nowhere", 1);
	s = rows_new(small, 9, 99, RP_COL_ALL);
	d = rp_demux_open(s, 1, &err);
	cr_assert_eq(rp_demux_segment(d, &err), -1);
	cr_assert_str_eq(err.text, "/nowhere: a temporary file: No such file or directory");
	cr_assert_eq(err.code, RP_RESOURCE);
	rp_demux_close(d);
	rp_source_close(s);
}

RP_TEST(demux, once_stopped_no_more_is_read)
{
	volatile sig_atomic_t stop = 1;
	struct rp_source *s = rows_new(small, 9, 99, RP_COL_ALL);
	struct rp_demux *d = rp_demux_open(s, 0, &err);
	d->stop = &stop;
	cr_assert_eq(rp_demux_segment(d, &err), 0);
	rp_demux_close(d);
	rp_source_close(s);
}
