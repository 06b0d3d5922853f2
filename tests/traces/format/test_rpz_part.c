/* test_rpz_part.c - tests parts of an .rpz file: from a position on, of one stream; and what its end tells. */
#include "tests/traces/format/rpz_check.h"

#include <unistd.h>

static const struct rpz_draw some = { RP_COL_ALL, .span = 1 << 16, .streams = 6, .sizes = 3,
	.repeat = 9, .marks = true };

/* Rows as rp_window would select them: the first `skip` accesses left out, marks kept. */
static struct rp_batch *
selected(const struct rp_batch *rows, const struct rp_rpz_opts *part)
{
	struct rp_batch *b = rp_batch_new(rows->n, rp_batch_columns(rows), NULL);
	uint64_t skip = part->skip;
	for (size_t i = 0; i < rows->n; i++) {
		bool mark = rows->kind[i] >= RP_MARKS;
		bool here = !part->only || (rows->stream ? rows->stream[i] : 0) == part->stream;
		if (mark || (here && !skip))
			rp_batch_append(b, rows, i, 1);
		else if (here)
			skip--;
	}
	return b;
}

static uint64_t
skipped(const struct rp_trace *t, const char *reason)
{
	for (size_t i = 0; i < t->n_skipped; i++)
		if (!strcmp(t->skipped[i].reason, reason))
			return t->skipped[i].n;
	return 0;
}

static void
part_of(const struct rpz_file *f, const struct rp_batch *rows, struct rp_rpz_opts part)
{
	struct rp_batch *wanted = selected(rows, &part);
	uint64_t others = 0;
	for (size_t i = 0; part.only && i < rows->n; i++)
		others += rows->kind[i] < RP_MARKS && rows->stream[i] != part.stream;
	for (unsigned k = 0; k < 4; k++) {
		const struct rp_read_opts o = { .threads = 1 + k / 2 };
		struct rp_err err = { 0 };
		part.piped = k % 2;
		struct rp_source *s = rp_rpz_open(f->path, NULL, &o, &part, &err);
		cr_assert_not_null(s, "%s", err.text);
		struct rp_batch *b = rpz_collect(s, 100, NULL, &err);
		cr_assert_not_null(b, "%s", err.text);
		rpz_same(wanted, 0, wanted->n, b);
		cr_assert_eq(skipped(s->trace, "stream"), others);
		rp_batch_free(b);
		rp_source_close(s);
	}
	rp_batch_free(wanted);
}

RP_TEST(rpz_part, from_any_access_on)
{
	static const uint64_t skip[] = { 0, 1, 99, 100, 101, 500, 2987, 2999, 3000, 100000 };
	for (unsigned marks = 0; marks < 2; marks++) {
		struct rpz_draw d = some;
		d.marks = marks;
		struct rp_batch *rows = rpz_rows(3000, &d, 5);
		struct rpz_file f = rpz_write(rows, 7, &(struct rp_write_opts){ .block = 100 });
		for (size_t k = 0; k < sizeof skip / sizeof *skip; k++)
			part_of(&f, rows, (struct rp_rpz_opts){ .skip = skip[k] });
		rpz_file_free(&f);
		rp_batch_free(rows);
	}
}

RP_TEST(rpz_part, one_stream_with_the_marks_of_all)
{
	for (unsigned marks = 0; marks < 2; marks++) {
		struct rpz_draw d = some;
		d.marks = marks;
		struct rp_batch *rows = rpz_rows(3000, &d, 5);
		/* Streams that come one after the other, so that the index leaves blocks out; and mixed ones. */
		for (size_t i = 0; i < 2000; i++)
			rows->stream[i] = (uint32_t)(i / 170);
		struct rpz_file f = rpz_write(rows, 7, &(struct rp_write_opts){ .block = 100 });
		for (uint32_t stream = 0; stream < 14; stream++) {
			part_of(&f, rows, (struct rp_rpz_opts){ .only = true, .stream = stream });
			part_of(&f, rows,
			    (struct rp_rpz_opts){ .only = true, .stream = stream, .skip = 3 });
		}
		rpz_file_free(&f);
		rp_batch_free(rows);
	}
}

RP_TEST(rpz_part, more_blocks_than_a_page_of_the_index)
{
	struct rpz_draw d = { RP_COL_STREAM, .span = 1000, .streams = 3, .sizes = 2 };
	struct rp_batch *rows = rpz_rows(7000, &d, 8);
	struct rpz_file f =
	    rpz_write(rows, 1000, &(struct rp_write_opts){ .block = 3, .threads = 2 });
	struct rp_rpz_info info;
	struct rp_err err = { 0 };
	cr_assert(rp_rpz_read_info(f.path, &info, &err), "%s", err.text);
	cr_assert_eq(info.blocks, 2334);
	cr_assert_eq(info.index_pages, 3);
	part_of(&f, rows, (struct rp_rpz_opts){ .skip = 3200 });
	part_of(&f, rows, (struct rp_rpz_opts){ .skip = 6999 });
	part_of(&f, rows, (struct rp_rpz_opts){ 0 });
	rpz_file_free(&f);
	rp_batch_free(rows);
}

RP_TEST(rpz_part, the_end_tells_what_there_is)
{
	struct rpz_draw d = { RP_COL_STREAM | RP_COL_TIME, .span = 1000, .streams = 3, .sizes = 2,
		.marks = true };
	struct rp_batch *rows = rpz_rows(1000, &d, 8);
	uint64_t marks = 0;
	for (size_t i = 0; i < rows->n; i++) {
		marks += rows->kind[i] >= RP_MARKS;
		rows->time[i] = 5000 - i;
		rows->stream[i] = 10 * (rows->stream[i] + 1);
	}
	struct rpz_file f =
	    rpz_write(rows, 1000, &(struct rp_write_opts){ .block = 300, .level = 3 });
	struct rp_rpz_info i;
	struct rp_err err = { 0 };
	cr_assert(rp_rpz_read_info(f.path, &i, &err), "%s", err.text);
	cr_assert(
	    i.file_bytes == f.n && i.accesses == 1000 - marks && i.marks == marks && i.blocks == 4);
	cr_assert(i.streams == 3 && i.low_stream == 10 && i.high_stream == 30);
	cr_assert(i.first_time == 4001 && i.last_time == 5000);
	cr_assert(i.level == 3 && i.block == 300 && i.columns == d.columns);
	cr_assert(i.major == 1 && i.minor == 0 && i.index_pages == 1);
	cr_assert_eq(truncate(f.path, (off_t)f.n - 1), 0);
	cr_assert(!rp_rpz_read_info(f.path, &i, &err));
	cr_assert_eq(err.code, RP_INPUT);
	rpz_file_free(&f);
	rp_batch_free(rows);
}

/* Metadata that grows while the trace is written: launches come before the rows that need them, also from a pipe. */
RP_TEST(rpz_part, metadata_survives)
{
	struct rp_err err = { 0 };
	struct rp_trace *t = rp_trace_new("traceg", &err);
	struct rp_batch *b = rpz_rows(100, &(struct rpz_draw){ .span = 1000, .sizes = 2 }, 8);
	const struct rp_write_opts o = { .block = 100 };
	t->warps = true;
	rp_trace_skip(t, "early", 3);
	struct rp_trace_out *w =
	    rp_trace_create("/tmp/reprise-test-meta.rpz", rp_format_find("rpz", NULL), t, &o, &err);
	for (unsigned k = 0; k < 3; k++) {
		struct rp_kernel_launch *l = rp_trace_kernel(t, &err);
		l->name = rp_arena_string(&t->arena, k ? "second" : "first", &err);
		l->id = 7 + k;
		l->warps = 8;
		l->grid[0] = k + 1;
		cr_assert(rp_trace_write(w, b, &err), "%s", err.text);
	}
	rp_trace_skip(t, "late", 5);
	cr_assert(rp_trace_commit(w, NULL, NULL, &err), "%s", err.text);
	for (unsigned piped = 0; piped < 2; piped++) {
		struct rp_source *s = rp_rpz_open("/tmp/reprise-test-meta.rpz", NULL,
		    &(struct rp_read_opts){ 0 }, &(struct rp_rpz_opts){ .piped = piped }, &err);
		cr_assert_not_null(s, "%s", err.text);
		cr_assert(s->trace->warps);
		cr_assert_eq(s->trace->n_kernels, piped ? 0 : 3);
		struct rp_batch *in = rp_batch_new(100, 0, &err);
		for (unsigned k = 0; k < 3; k++) {
			rp_batch_clear(in);
			cr_assert_eq(rp_source_pull(s, in, &err), 100, "%s", err.text);
			cr_assert_geq(s->trace->n_kernels, k + 1);
		}
		rp_batch_clear(in);
		cr_assert_eq(rp_source_pull(s, in, &err), 0);
		cr_assert_eq(s->trace->n_kernels, 3);
		cr_assert_str_eq(s->trace->kernels[0].name, "first");
		cr_assert_eq(s->trace->kernels[2].id, 9);
		cr_assert_eq(s->trace->kernels[2].grid[0], 3);
		cr_assert_eq(skipped(s->trace, "early"), 3);
		cr_assert_eq(skipped(s->trace, "late"), 5);
		rp_batch_free(in);
		rp_source_close(s);
	}
	unlink("/tmp/reprise-test-meta.rpz");
	rp_batch_free(b);
	rp_trace_free(t);
}
