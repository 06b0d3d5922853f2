/* Tests of traces/gpu.c. */
#include "tests/check.h"

#include "base/rng.h"
#include "tests/traces/rows.h"
#include "traces/format.h"
#include "traces/format/rpz.h"
#include "traces/gpu.h"
#include "traces/warp.h"

enum { COLUMNS = RP_COL_STREAM | RP_COL_PC | RP_COL_FLAGS, MOST = 4096 };

static struct rp_err err;

/* A trace written as words: `w5` a row of warp 5, `w5+` one more of the same instruction, `end`
 * the end of a kernel, `copy` a copy. Rows are numbered by their address, from 1, so that an
 * order can be told. */
static size_t
rows_of(const char *text, struct rp_access *row)
{
	size_t n = 0;
	uint64_t kernel = 0;
	for (const char *p = text; *p; p += strcspn(p, " "), p += strspn(p, " ")) {
		struct rp_access a = { .addr = n + 1, .size = 4, .pc = n };
		if (*p == 'w') {
			char *end;
			a.stream = (uint32_t)strtoul(p + 1, &end, 10);
			a.flags = *end == '+' ? RP_SAME_INSTR : 0;
		} else if (*p == 'e') {
			a = (struct rp_access){
				.addr = kernel++, .size = 1, .kind = RP_KERNEL_END
			};
		} else {
			a.kind = RP_HOST_COPY;
		}
		row[n++] = a;
	}
	return n;
}

static struct rp_source *
trace_of(const struct rp_access *row, size_t n, size_t kernels, uint32_t warps)
{
	struct rp_source *s = rows_new(row, n, 7, COLUMNS);
	s->trace->warps = true;
	for (size_t i = 0; i < kernels; i++)
		rp_trace_kernel(s->trace, NULL)->warps = warps;
	return s;
}

/* Reads the trace through rp_gpu_open and asserts what comes out: rows as `number:stream`, marks
 * as in `text`. */
static void
expect(const char *text, size_t kernels, uint32_t warps, enum rp_stream_by by,
    const struct rp_gpu_order *o, const char *want)
{
	struct rp_access row[MOST];
	size_t n = rows_of(text, row);
	for (size_t cap = 1; cap < 9; cap += 3) {
		struct rp_source *s = rp_gpu_open(trace_of(row, n, kernels, warps), by, o, &err);
		cr_assert(s, "%s", err.text);
		cr_expect_eq(s->trace->warps, by == RP_BY_WARP);
		size_t m;
		struct rp_access *all = rows_all(s, cap, &m, &err);
		cr_assert_neq(m, SIZE_MAX, "%s", err.text);
		char got[MOST], *p = got;
		for (size_t i = 0; i < m; i++)
			if (all[i].kind == RP_KERNEL_END)
				p += sprintf(p, "end ");
			else if (all[i].kind == RP_HOST_COPY)
				p += sprintf(p, "copy ");
			else
				p += sprintf(p, "%d:%u ", (int)all[i].addr, all[i].stream);
		p[-1] = '\0';
		cr_expect_str_eq(got, want, "batches of %zu: %s\n  instead of %s", cap, got, want);
		free(all);
		rp_source_close(s);
	}
}

RP_TEST(gpu, streams_are_blocks_unless_said_otherwise)
{
	static const char t[] = "copy w0 w3 w2 end w7 w8 end";
	expect(t, 2, 2, RP_BY_BLOCK, NULL, "copy 2:0 3:1 4:1 end 6:3 7:4 end");
	expect(
	    t, 2, 2, RP_BY_BLOCK, &(struct rp_gpu_order){ 0 }, "copy 2:0 3:1 4:1 end 6:3 7:4 end");
	expect(t, 2, 2, RP_BY_WARP, NULL, "copy 2:0 3:3 4:2 end 6:7 7:8 end");
}

RP_TEST(gpu, each_kernel_has_its_own_number_of_warps)
{
	struct rp_access row[16];
	size_t n = rows_of("w5 end w5 end", row), m;
	struct rp_source *s = trace_of(row, n, 2, 2);
	s->trace->kernels[1].warps = 5;
	s = rp_gpu_open(s, RP_BY_BLOCK, NULL, &err);
	struct rp_access *all = rows_all(s, 16, &m, &err);
	cr_expect(m == 4 && all[0].stream == 2 && all[2].stream == 1);
	free(all);
	rp_source_close(s);
}

RP_TEST(gpu, the_recorded_sm_is_a_stream_where_it_is_known)
{
	struct rp_access row[16];
	size_t n = rows_of("w0 w3 w5 end", row), m;
	for (int known = 2; known <= 3; known++) {
		struct rp_source *s = trace_of(row, n, 1, 2);
		for (uint32_t b = 0; b < (uint32_t)known; b++)
			rp_launch_sm(s->trace, s->trace->kernels, b, 7 + b, NULL);
		s = rp_gpu_open(s, RP_BY_SM, NULL, &err);
		struct rp_access *all = rows_all(s, 16, &m, &err);
		if (known == 3) {
			cr_expect(m == 4 && all[0].stream == 7 && all[1].stream == 8 &&
				  all[2].stream == 9);
		} else {
			cr_expect_eq(m, SIZE_MAX);
			cr_expect_eq(err.code, RP_INPUT);
			cr_expect_str_eq(err.text,
			    "kernel 0 does not tell the SM of block 2; deal its blocks with --gpu "
			    "sms=N,resident=R");
		}
		free(all);
		rp_source_close(s);
	}
}

RP_TEST(gpu, blocks_are_dealt_round_robin_and_sms_take_turns)
{
	/* Blocks of two warps, in order of appearance 1, 0, 2; two SMs with one block each. SM 0
	 * has blocks 1 and 2, SM 1 has block 0. SM 0: w2 w3 w2 w3, then w4; SM 1: w0 w1 w0. */
	static const char t[] = "w2 w2 w3 w3 w0 w0 w1 w4 end";
	struct rp_gpu_order o = { 2, 1 };
	expect(t, 1, 2, RP_BY_BLOCK, &o, "1:1 5:0 3:1 7:0 2:1 6:0 4:1 8:2 end");
	expect(t, 1, 2, RP_BY_SM, &o, "1:0 5:1 3:0 7:1 2:0 6:1 4:0 8:0 end");
	expect(t, 1, 2, RP_BY_WARP, &o, "1:2 5:0 3:3 7:1 2:2 6:0 4:3 8:4 end");
	/* One SM, room for two: blocks 1 and 0 go round together; 2 gets the place of 0, which
	 * ends first. */
	o = (struct rp_gpu_order){ 1, 2 };
	expect("w2 w2 w2 w0 w4 w4 end", 1, 2, RP_BY_BLOCK, &o, "1:1 4:0 2:1 5:2 3:1 6:2 end");
	/* More SMs and places than blocks. */
	o = (struct rp_gpu_order){ UINT32_MAX, UINT32_MAX };
	expect("w2 w2 w0 end", 1, 2, RP_BY_SM, &o, "1:0 3:1 2:0 end");
	o = (struct rp_gpu_order){ 1, 0 };
	expect("w2 w0 w2 end", 1, 2, RP_BY_SM, &o, "1:0 3:0 2:0 end");
}

RP_TEST(gpu, an_instruction_stays_whole)
{
	struct rp_gpu_order o = { 2, 4 };
	expect("w0 w0+ w0+ w0+ w0 w1 w1+ end", 1, 1, RP_BY_BLOCK, &o,
	    "1:0 2:0 3:0 4:0 6:1 7:1 5:0 end");
}

RP_TEST(gpu, marks_keep_their_place_between_kernels)
{
	struct rp_gpu_order o = { 2, 2 };
	expect("copy copy w0 w0 w1 end copy w1 w0 w0 end end copy", 3, 1, RP_BY_BLOCK, &o,
	    "copy copy 3:0 5:1 4:0 end copy 8:1 9:0 10:0 end end copy");
}

RP_TEST(gpu, what_is_no_gpu_trace_is_left_alone_or_refused)
{
	struct rp_access row[1] = { { .addr = 1, .size = 1 } };
	struct rp_source *s = rows_new(row, 1, 1, 0);
	cr_expect_eq(rp_gpu_open(s, RP_BY_BLOCK, NULL, &err), s);
	cr_expect_null(rp_gpu_open(s, RP_BY_WARP, NULL, &err));
	cr_expect_eq(err.code, RP_USAGE);
	cr_expect_null(
	    rp_gpu_open(rows_new(row, 1, 1, 0), RP_BY_BLOCK, &(struct rp_gpu_order){ 1, 1 }, &err));
	cr_expect_eq(err.code, RP_USAGE);
}

RP_TEST(gpu, rows_without_a_launch_and_errors_below_are_errors)
{
	struct rp_access row[16];
	size_t n = rows_of("w0 end w1 end", row), m;
	for (int deal = 0; deal < 2; deal++) {
		struct rp_gpu_order o = { (uint32_t)deal, 1 };
		struct rp_source *s = rp_gpu_open(trace_of(row, n, 1, 2), RP_BY_BLOCK, &o, &err);
		free(rows_all(s, 16, &m, &err));
		cr_expect_eq(m, SIZE_MAX);
		cr_expect_str_eq(err.text,
		    "the trace has accesses of kernel 1, counted from 0, and tells of 1 launches");
		rp_source_close(s);
		s = trace_of(row, n, 2, 2);
		((struct rows *)s)->fail_at = 2;
		s = rp_gpu_open(s, RP_BY_BLOCK, &o, &err);
		free(rows_all(s, 16, &m, &err));
		cr_expect_eq(m, SIZE_MAX);
		cr_expect_str_eq(err.text, "row 2 is bad");
		rp_source_close(s);
	}
}

/* The order said again, slowly: every place holds its block's warps, and each turn searches them
 * for one with rows left. A block without any gives its place to the next at once. */
struct model {
	struct rp_access *row;
	size_t n;
	uint32_t warps, sms, resident;
	size_t next_of[64];            /* of each warp: its first row not taken, MOST at the end */
	uint32_t blocks[64], n_blocks; /* in the order in which the file begins them */
};

static size_t
find_row(const struct model *m, uint32_t warp, size_t from)
{
	while (from < m->n && m->row[from].stream != warp)
		from++;
	return from < m->n ? from : MOST;
}

static bool
block_left(const struct model *m, uint32_t block)
{
	for (uint32_t w = 0; w < m->warps; w++)
		if (m->next_of[block * m->warps + w] != MOST)
			return true;
	return false;
}

/* The next block of an SM that has rows. */
static uint32_t
take_block(const struct model *m, size_t *next)
{
	while (*next < m->n_blocks) {
		uint32_t b = m->blocks[*next];
		*next += m->sms;
		if (block_left(m, b))
			return b;
	}
	return UINT32_MAX;
}

static size_t
model_run(struct model *m, size_t *order)
{
	uint32_t held[8][8], position[8] = { 0 };
	size_t next[8], out = 0;
	for (uint32_t w = 0; w < 64; w++)
		m->next_of[w] = find_row(m, w, 0);
	for (uint32_t s = 0; s < m->sms; s++) {
		next[s] = s;
		for (uint32_t p = 0; p < m->resident; p++)
			held[s][p] = take_block(m, &next[s]);
	}
	while (out < m->n)
		for (uint32_t s = 0; s < m->sms; s++) {
			uint32_t round = m->resident * m->warps, tried = 0, p = 0, w = 0;
			for (; tried < round; tried++) {
				p = position[s] / m->warps;
				w = position[s] % m->warps;
				if (held[s][p] != UINT32_MAX &&
				    m->next_of[held[s][p] * m->warps + w] != MOST)
					break;
				position[s] = (position[s] + 1) % round;
			}
			if (tried == round)
				continue;
			size_t *at = &m->next_of[held[s][p] * m->warps + w];
			do {
				order[out++] = *at;
				*at = find_row(m, held[s][p] * m->warps + w, *at + 1);
			} while (*at != MOST && m->row[*at].flags);
			position[s] = (position[s] + 1) % round;
			if (!block_left(m, held[s][p])) {
				held[s][p] = take_block(m, &next[s]);
				if (position[s] / m->warps ==
				    p) /* the new ones wait for the next round */
					position[s] = (p + 1) * m->warps % round;
			}
		}
	return out;
}

/* Begins the block if it has not begun. */
static void
begin(struct model *m, struct rp_block_order *o, uint32_t block)
{
	uint32_t k = 0;
	while (k < m->n_blocks && m->blocks[k] != block)
		k++;
	if (k == m->n_blocks)
		m->blocks[m->n_blocks++] = block;
	cr_assert(rp_block_begins(o, block, &err), "%s", err.text);
}

/* Draws the order in which blocks begin: some with their first row, some before, some (those from
 * `blocks` on never have a row) at any time. Notes it in the launch as a reader does. */
static void
draw_order(struct model *m, struct rp_trace *t, uint32_t blocks, struct rp_rng *r)
{
	struct rp_block_order o = { 0 };
	uint64_t apart = 1 + rp_rng_below(r, 40);
	m->n_blocks = 0;
	for (size_t i = 0; i < m->n; i++) {
		uint32_t block = m->row[i].stream / m->warps;
		if (rp_rng_below(r, apart) == 0)
			begin(m, &o, (uint32_t)rp_rng_below(r, blocks));
		begin(m, &o, block);
		cr_assert(rp_block_has_row(&o, t, t->kernels, block, &err), "%s", err.text);
	}
	rp_block_order_free(&o);
}

RP_TEST(gpu, random_kernels_agree_with_the_order_said_slowly)
{
	struct rp_rng r = rp_rng_for(rp_test_seed("gpu"), "gpu", 0);
	for (unsigned round = 0; round < 300 * rp_test_scale(); round++) {
		static struct rp_access row[MOST + 1];
		static size_t order[MOST];
		struct model m = { .row = row,
			.n = 1 + rp_rng_below(&r, 400),
			.warps = 1 + (uint32_t)rp_rng_below(&r, 4),
			.sms = 1 + (uint32_t)rp_rng_below(&r, 4),
			.resident = 1 + (uint32_t)rp_rng_below(&r, 4) };
		uint64_t blocks = 1 + rp_rng_below(&r, 14), streams = m.warps * blocks;
		for (size_t i = 0; i < m.n; i++) {
			bool same = i && rp_rng_below(&r, 3) == 0;
			row[i] = (struct rp_access){ .addr = i,
				.size = 4,
				.stream =
				    same ? row[i - 1].stream : (uint32_t)rp_rng_below(&r, streams),
				.flags = same ? RP_SAME_INSTR : 0 };
		}
		row[m.n] = (struct rp_access){ .size = 1, .kind = RP_KERNEL_END };
		struct rp_gpu_order o = { m.sms, m.resident };
		struct rp_source *s = trace_of(row, m.n + 1, 1, m.warps);
		draw_order(&m, s->trace,
		    (uint32_t)(blocks + rp_rng_below(&r, 64 / m.warps - blocks + 1)), &r);
		cr_assert_eq(model_run(&m, order), m.n);
		s = rp_gpu_open(s, RP_BY_BLOCK, &o, &err);
		size_t n;
		struct rp_access *all = rows_all(s, 1 + rp_rng_below(&r, 100), &n, &err);
		cr_assert_eq(n, m.n + 1);
		for (size_t i = 0; i < m.n; i++)
			cr_assert_eq(all[i].addr, order[i], "round %u: row %zu is %lu, not %zu",
			    round, i, (unsigned long)all[i].addr, order[i]);
		free(all);
		rp_source_close(s);
	}
}

/* Writes a trace as it is to a file, in .rpz with blocks of so many rows (0: the usual ones). */
static void
convert(const char *from, const char *to, uint32_t block)
{
	struct rp_read_opts o = { 0 };
	struct rp_write_opts w = { .block = block };
	struct rp_source *s = rp_trace_open(from, &o, &err);
	cr_assert(s, "%s", err.text);
	struct rp_trace_out *out =
	    rp_trace_create(to, rp_format_find("rpz", &err), s->trace, &w, &err);
	cr_assert(out, "%s", err.text);
	struct rp_batch *b = rp_batch_new(block ? block : 1000, s->trace->columns, &err);
	ptrdiff_t n;
	while ((n = rp_source_pull(s, b, &err)) > 0) {
		cr_assert(rp_trace_write(out, b, &err), "%s", err.text);
		rp_batch_clear(b);
	}
	cr_assert_eq(n, 0, "%s", err.text);
	cr_assert(rp_trace_commit(out, NULL, NULL, &err), "%s", err.text);
	rp_batch_free(b);
	rp_source_close(s);
}

/* The rows of a trace; of an .rpz as if through a pipe where `piped`. */
static struct rp_access *
ordered(const char *path, bool piped, enum rp_stream_by by, uint32_t sms, size_t *n)
{
	struct rp_read_opts o = { 0 };
	struct rp_gpu_order order = { sms, 4 };
	struct rp_source *s =
	    piped ? rp_rpz_open(path, NULL, &o, &(struct rp_rpz_opts){ .piped = true }, &err)
		  : rp_trace_open(path, &o, &err);
	cr_assert(s, "%s", err.text);
	s = rp_gpu_open(s, by, &order, &err);
	cr_assert(s, "%s", err.text);
	struct rp_access *all = rows_all(s, 777, n, &err);
	cr_assert_neq(*n, SIZE_MAX, "%s", err.text);
	rp_source_close(s);
	return all;
}

RP_TEST(gpu, a_kernel_and_the_rpz_made_of_it_give_the_same_rows_in_every_order)
{
	static const char *const file[] = {
		"tests/traces/files/accelsim/v5-modes-masks/kernelslist.g",
		"tests/traces/files/accelsim/v5-atomics/kernel-1.traceg",
		"tests/traces/files/accelsim/v5-raw-ungrouped/kernelslist",
		"tests/traces/files/accelsim/v4-lineinfo-mode0/kernelslist.g",
		"tests/traces/files/memtrace/stock.txt", "examples/traces/kernelslist.g"
	};
	char dir[] = "/tmp/rp-gpu-XXXXXX", rpz[64], path[4096];
	cr_assert(mkdtemp(dir));
	snprintf(rpz, sizeof rpz, "%s/t.rpz", dir);
	for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
		snprintf(path, sizeof path, "%s/%s", RP_TOP_SRCDIR, file[i]);
		convert(path, rpz, 0);
		for (int by = RP_BY_BLOCK; by <= RP_BY_SM; by++)
			for (uint32_t sms = by == RP_BY_SM; sms < 4; sms += 3 - sms % 2) {
				size_t n, m;
				struct rp_access *a =
				    ordered(path, false, (enum rp_stream_by)by, sms, &n);
				struct rp_access *b =
				    ordered(rpz, false, (enum rp_stream_by)by, sms, &m);
				cr_assert_eq(n, m, "%s", file[i]);
				cr_assert_gt(n, 10);
				for (size_t k = 0; k < n; k++)
					cr_assert(rows_same(&a[k], &b[k]),
					    "%s: by %d, %u SMs: row %zu", file[i], by, sms, k);
				free(a);
				free(b);
			}
		remove(rpz);
	}
	remove(dir);
}

/* ---- blocks without rows ---- */

#define HEAD                                                                                       \
	"-kernel name = k\n-kernel id = 1\n-grid dim = (64,1,1)\n-block dim = (32,1,1)\n"          \
	"-accelsim tracer version = 5\n#traces format = x\n"
#define LDS " ffffffff 1 R1 LDS 1 R3 4 1 0x0 4 0\n"
#define LDG " 00000001 1 R1 LDG.E 1 R2 4 1 0x1000 4 0\n"
#define OFF " 00000000 1 R1 LDG.E 1 R2 4 1 0x0 0 0\n"
#define LDL " 00000001 1 R1 LDL 1 R2 4 1 0x8 4 0\n"
#define BLOCK(b, line)                                                                             \
	"#BEGIN_TB\nthread block = " #b ",0,0\nwarp = 0\ninsts = 1\n0000" line "#END_TB\n"

/* Asserts the SM of each row of a kernel dealt to two, `block:sm` by block: from its file, from an
 * .rpz of it with blocks of 1 to 3 rows, and from a pipe of that. */
static void
expect_sms(const char *name, const char *text, const char *want)
{
	char dir[] = "/tmp/rp-gpu-XXXXXX", path[64], rpz[64];
	cr_assert(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/%s", dir, name);
	snprintf(rpz, sizeof rpz, "%s/t.rpz", dir);
	FILE *f = fopen(path, "w");
	cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
	for (unsigned way = 0; way < 7; way++) {
		uint32_t sm[64], rows[64] = { 0 };
		if (way % 2)
			convert(path, rpz, way / 2 + 1);
		size_t n, m;
		const char *from = way ? rpz : path;
		bool piped = way && way % 2 == 0;
		struct rp_access *a = ordered(from, piped, RP_BY_SM, 2, &n);
		struct rp_access *b = ordered(from, piped, RP_BY_BLOCK, 2, &m);
		cr_assert_eq(n, m);
		for (size_t i = 0; i < n; i++)
			if (a[i].kind < RP_MARKS) {
				cr_assert(!rows[b[i].stream] || sm[b[i].stream] == a[i].stream);
				sm[b[i].stream] = a[i].stream;
				rows[b[i].stream]++;
			}
		char got[1024] = "", *p = got;
		for (uint32_t k = 0; k < 64; k++)
			if (rows[k])
				p += sprintf(p, "%u:%u ", k, sm[k]);
		cr_expect_str_eq(got, want, "way %u: %s\n  instead of %s", way, got, want);
		free(a);
		free(b);
	}
	remove(rpz);
	remove(path);
	remove(dir);
}

RP_TEST(gpu, a_block_without_rows_is_dealt_like_any_other)
{
	expect_sms("k.traceg", HEAD BLOCK(0, LDS) BLOCK(1, LDG) BLOCK(2, LDG) BLOCK(3, LDL),
	    "1:1 2:0 3:1 ");
	/* Mask 0, no memory instruction, no instruction at all; not in the order of numbers. */
	expect_sms("k.traceg",
	    HEAD BLOCK(9, LDG) BLOCK(4, OFF) BLOCK(5, " ffffffff 0 EXIT 0 0\n")
		BLOCK(2, LDG) "#BEGIN_TB\nthread block = 6,0,0\n#END_TB\n" BLOCK(7, LDG)
		    BLOCK(1, LDG) BLOCK(3, LDS),
	    "1:0 2:1 7:1 9:0 ");
}

RP_TEST(gpu, a_block_of_a_raw_trace_begins_with_its_first_line)
{
	/* Block 0 begins first, and its row comes last; 3 begins second and has none. */
	expect_sms("k.trace",
	    HEAD "0 0 0 0 0000" LDS "3 0 0 0 0000" LDS "1 0 0 0 0000" LDG "2 0 0 0 0000" LDS
		 "5 0 0 0 0000" LDG "0 0 0 0 0010" LDG "1 0 0 0 0010" LDG "2 0 0 0 0010" LDG,
	    "0:0 1:0 2:1 5:0 ");
}

RP_TEST(gpu, random_files_with_blocks_without_rows_are_dealt_as_they_say)
{
	struct rp_rng r = rp_rng_for(rp_test_seed("gpu"), "gpu", 1);
	static char text[1 << 16];
	for (unsigned round = 0; round < 20 * rp_test_scale(); round++) {
		uint32_t sm[64], place = 0, first = (uint32_t)rp_rng_below(&r, 64);
		char *p = text + sprintf(text, HEAD), want[1024] = "", *q = want;
		uint64_t rare = 1 + rp_rng_below(&r, 6);
		for (uint32_t i = 0; i < 64; i++) {
			uint32_t b = (first + 13 * i) % 64;
			sm[b] = UINT32_MAX;
			if (rp_rng_below(&r, 5) == 0)
				continue;
			bool has = rp_rng_below(&r, rare) == 0;
			p += sprintf(p,
			    "#BEGIN_TB\nthread block = %u,0,0\nwarp = 0\ninsts = 1\n0000%s"
			    "#END_TB\n",
			    b, has ? LDG : LDS);
			if (has)
				sm[b] = place % 2;
			place++;
		}
		for (uint32_t b = 0; b < 64; b++)
			if (sm[b] != UINT32_MAX)
				q += sprintf(q, "%u:%u ", b, sm[b]);
		expect_sms("k.traceg", text, want);
	}
}

RP_TEST(gpu, a_list_of_early_blocks_that_cannot_be_is_refused)
{
	static const struct {
		const char *json, *want;
	} t[] = {
		{ "{'kernels':[{'early':[[0,5,2],[2,9,1],[7,0,1]]}]}", NULL },
		{ "{'kernels':[{'early':[[4294967295,4294967295,1]]}]}", NULL },
		{ "{'kernels':[{'early':[[0,5,2]]}],'early':{'kernel':0,'runs':[]}}",
		    "metadata: 'early' is of no kernel that is known" },
		{ "{'early':{'runs':[]}}", "metadata: 'early' is of no kernel that is known" },
		{ "{'kernels':[{'early':7}]}", "metadata: 'early' is no list" },
		{ "{'kernels':[{'early':[7]}]}", "metadata: 'early' is not made of three numbers" },
		{ "{'kernels':[{'early':[[1,2]]}]}",
		    "metadata: 'early' is not made of three numbers" },
		{ "{'kernels':[{'early':[[-1,2,3]]}]}",
		    "metadata: 'early' is not made of three numbers" },
		{ "{'kernels':[{'early':[[0,5,2],[1,9,1]]}]}",
		    "metadata: 1 blocks from 9 on cannot begin at place 1 of their kernel" },
		{ "{'kernels':[{'early':[[0,5,0]]}]}",
		    "metadata: 0 blocks from 5 on cannot begin at place 0 of their kernel" },
		{ "{'kernels':[{'early':[[0,4294967295,2]]}]}",
		    "metadata: 2 blocks from 4294967295 on cannot begin at place 0 of their "
		    "kernel" },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		char text[256];
		snprintf(text, sizeof text, "%s", t[i].json);
		for (char *p = text; *p; p++)
			*p = *p == '\'' ? '"' : *p;
		json_t *o = json_loads(text, 0, NULL);
		struct rp_trace *trace = rp_trace_new("rows", NULL);
		memset(&err, 0, sizeof err);
		cr_assert(o);
		cr_expect_eq(rp_trace_from_json(trace, o, &err), t[i].want == NULL, "%s", text);
		cr_expect_str_eq(err.text, t[i].want ? t[i].want : "");
		if (t[i].want)
			cr_expect_eq(err.code, RP_INPUT);
		rp_trace_free(trace);
		json_decref(o);
	}
}
