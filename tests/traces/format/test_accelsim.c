/* Tests of traces/format/accelsim.c and the formats made of it. */
#include "tests/check.h"

#include "tests/traces/pulled.h"
#include "traces/warp.h"

static struct rp_err err;
static struct rp_read_opts opts; /* a test's own */

static struct rp_source *
open_file(const char *name)
{
	char path[4096], full[64];
	snprintf(full, sizeof full, "traces/files/%s", name);
	memset(&err, 0, sizeof err);
	struct rp_source *s = rp_trace_open(rp_test_file(path, full), &opts, &err);
	cr_assert(s, "%s", err.text);
	return s;
}

static struct rp_source *
open_text(const char *format, const char *text)
{
	memset(&err, 0, sizeof err);
	const struct rp_format *f = rp_format_find(format, &err);
	struct rp_bytes *in = rp_bytes_memory(text, strlen(text), "k.traceg", &err);
	return rp_format_open(f, in, &opts, &err);
}

#define HEADER_OF(version, more)                                                                   \
	"-kernel name = k\n-kernel id = 1\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n-shmem = "  \
	"0\n"                                                                                      \
	"-shmem base_addr = 0x7f5000000000\n-local mem base_addr = 0x7f5100000000\n"               \
	"-accelsim tracer version = " version "\n" more "#traces format = x\n"
#define HEADER      HEADER_OF("5", "-enable lineinfo = 0\n")
#define WARP(lines) HEADER "#BEGIN_TB\nthread block = 1,0,0\nwarp = 1\n" lines "#END_TB\n"
enum { HEADER_LINES = 10, FIRST_LINE = HEADER_LINES + 4 };

/* Rows of the instruction lines of one warp; ends with the kernel's mark. */
static struct pulled
read_warp(const char *text)
{
	struct rp_source *s = open_text("traceg", text);
	cr_assert(s, "%s", err.text);
	struct pulled r = pull_all(s, 4096, 100000);
	cr_assert(r.ok, "%s", r.err.text);
	cr_assert(r.n && r.a[r.n - 1].kind == RP_KERNEL_END);
	r.n--;
	rp_source_close(s);
	return r;
}

static void
expect_addrs(const char *line, size_t n, const uint64_t *addr)
{
	char text[4096];
	snprintf(text, sizeof text, WARP("%s\n"), line);
	struct pulled r = read_warp(text);
	cr_expect_eq(r.n, n, "%s: %zu rows", line, r.n);
	for (size_t i = 0; i < n && i < r.n; i++)
		cr_expect_eq(r.a[i].addr, addr[i], "%s: row %zu at 0x%lx", line, i,
		    (unsigned long)r.a[i].addr);
	free(r.a);
}

#define ADDRS(line, ...)                                                                           \
	expect_addrs(line, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, (uint64_t[]){ __VA_ARGS__ })

RP_TEST(accelsim, each_address_mode_gives_its_lanes)
{
	ADDRS("0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f5100000000 4 0", 0x7f5100000000,
	    0x7f5100000020, 0x7f5100000040, 0x7f5100000060);
	ADDRS("0040 00000001 1 R4 LDG.E 1 R2 4 2 0x7f5100000080 0", 0x7f5100000080);
	ADDRS("0060 00000015 1 R4 LDG.E 1 R2 4 2 0x7f5100000000 8 -16 0", 0x7f50fffffff8,
	    0x7f5100000000);
	ADDRS("0020 00000009 0 STG.E 2 R2 R4 4 0 0x00007f5100000100 0x00007f5100000400 0",
	    0x7f5100000100, 0x7f5100000400);
	ADDRS("0020 00000009 0 STG.E 2 R2 R4 4 0 7f5100000100 7f5100000400 0", 0x7f5100000100,
	    0x7f5100000400);
	ADDRS("0020 00000003 0 STG.E 2 R2 R4 4 1 7f5100000104 -4 0", 0x7f5100000100);
	ADDRS(
	    "0020 00000003 0 STG.E 2 R2 R4 4 2 7f5100000100 32 -1", 0x7f5100000100, 0x7f5100000120);
	ADDRS("0020 ffffffff 0 STG.E 2 R2 R4 4 1 0x1008 0 0", 0x1008);
	ADDRS("0020 80000000 0 STG.E 2 R2 R4 4 1 0x1008 4 0", 0x1008);
	/* the k-th active lane, though the lanes are not consecutive */
	ADDRS("0020 80000001 0 STG.E 2 R2 R4 4 1 0x1000 64 0", 0x1000, 0x1040);
}

RP_TEST(accelsim, a_row_says_what_was_touched)
{
	struct pulled r = read_warp(WARP("00a0 00000006 1 R4 LDG.E.U16 1 R2 2 1 0x101e 2 0\n"));
	cr_assert_eq(r.n, 2);
	cr_expect(r.a[0].addr == 0x101e && r.a[0].size == 2 && r.a[0].mask == 0xc0000000);
	cr_expect(r.a[1].addr == 0x1020 && r.a[1].size == 2 && r.a[1].mask == 3);
	for (int i = 0; i < 2; i++) {
		cr_expect_eq(r.a[i].pc, 0xa0);
		cr_expect_eq(r.a[i].stream, 3, "block 1 of two warps, warp 1");
		cr_expect_eq(r.a[i].kind, RP_READ);
	}
	cr_expect_eq(r.a[0].flags, RP_GLOBAL);
	cr_expect_eq(r.a[1].flags, RP_GLOBAL | RP_SAME_INSTR);
	free(r.a);
}

RP_TEST(accelsim, opcodes_say_kind_space_and_bypass)
{
	static const struct {
		const char *opcode;
		int kind;
		unsigned flags;
	} t[] = {
		{ "LDG.E", RP_READ, RP_GLOBAL },
		{ "LDG.E.STRONG.GPU", RP_READ, RP_GLOBAL | RP_BYPASS_L1 },
		{ "LDG.E.STRONG.SYS", RP_READ, RP_GLOBAL },
		{ "LDGSTS.E", RP_READ, RP_GLOBAL },
		{ "STG.E", RP_WRITE, RP_GLOBAL },
		{ "RED.E.ADD", RP_ATOMIC, RP_GLOBAL | RP_BYPASS_L1 },
		{ "ATOMG.E.ADD", RP_ATOMIC, RP_GLOBAL | RP_BYPASS_L1 },
		{ "ATOM.E.ADD", RP_ATOMIC, RP_GLOBAL | RP_BYPASS_L1 },
		{ "LDL", RP_READ, RP_LOCAL },
		{ "STL", RP_WRITE, RP_LOCAL },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		char text[2048];
		snprintf(
		    text, sizeof text, WARP("0000 00000001 0 %s 0 4 1 0x1000 0 0\n"), t[i].opcode);
		struct pulled r = read_warp(text);
		cr_assert_eq(r.n, 1, "%s", t[i].opcode);
		cr_expect_eq(r.a[0].kind, t[i].kind, "%s", t[i].opcode);
		cr_expect_eq(r.a[0].flags, t[i].flags, "%s", t[i].opcode);
		free(r.a);
	}
}

RP_TEST(accelsim, what_never_reaches_a_cache_is_counted)
{
	struct rp_source *s =
	    open_text("traceg", WARP("0000 ffffffff 1 R1 LDS 1 R3 4 1 0x0 4 0\n"
				     "0010 ffffffff 1 R1 LDC 1 R3 4 1 0x0 4 0\n"
				     "0020 ffffffff 1 R1 TEX 1 R3 4 1 0x0 4 0\n"
				     "0030 ffffffff 1 R1 UBLKCP 1 R3 4 1 0x0 4 0\n"
				     "0030 ffffffff 1 R1 UBLKCP 1 R3 4 1 0x0 4 0\n"
				     "0040 00000000 1 R1 LDG 1 R3 4 1 0x0 0 0\n"
				     "0050 00000000 1 R1 LDS 1 R3 4 0\n"));
	struct pulled r = pull_all(s, 4096, 100);
	const struct rp_trace *t = s->trace;
	cr_assert(r.ok, "%s", r.err.text);
	cr_expect_eq(r.n, 1, "only the end of the kernel");
	cr_expect_eq(skipped(t, "shared"), 1);
	cr_expect_eq(skipped(t, "constant"), 1);
	cr_expect_eq(skipped(t, "texture"), 1);
	cr_expect_eq(skipped(t, "unknown_opcode"), 2);
	cr_expect_eq(skipped(t, "mask_zero"), 2);
	cr_expect_eq(t->gpu.memory_instructions, 7);
	cr_expect_eq(t->gpu.mask_zero, 2);
	cr_expect_eq(t->n_warnings, 1);
	cr_expect_str_eq(t->warnings[0],
	    "k.traceg:17: opcode 'UBLKCP' with a width is not known; it is left out");
	rp_source_close(s);
	free(r.a);
}

RP_TEST(accelsim, generic_accesses_go_where_their_window_says)
{
	static const struct {
		const char *shared, *local, *addr;
		int space; /* RP_NO_SPACE: left out as shared */
	} t[] = {
		{ "0x1000000", "0x2000000", "0x1000000", RP_NO_SPACE },
		{ "0x1000000", "0x2000000", "0x1ffffff", RP_NO_SPACE },
		{ "0x1000000", "0x2000000", "0xfffffc", RP_GLOBAL },
		{ "0x1000000", "0x2000000", "0x2000000", RP_LOCAL },
		{ "0x1000000", "0x2000000", "0x2003ffc", RP_LOCAL },
		{ "0x1000000", "0x2000000", "0x2004000", RP_GLOBAL },
		{ "0x2000000", "0x1000000", "0x2000000", RP_GLOBAL },
		{ "0x0", "0x0", "0x7f0000000000", RP_NO_SPACE },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		char text[2048];
		/* The second lane is in global memory: the first decides. */
		snprintf(text, sizeof text,
		    "-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem base_addr = %s\n-local mem "
		    "base_addr = %s\n"
		    "#\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n"
		    "0000 00000001 1 R1 LD.E 1 R2 4 0 %s 0\n",
		    t[i].shared, t[i].local, t[i].addr);
		struct pulled r = read_warp(text);
		cr_expect_eq(r.n, t[i].space != RP_NO_SPACE, "row %zu", i);
		if (r.n)
			cr_expect_eq(r.a[0].flags & RP_SPACE, t[i].space, "row %zu", i);
		free(r.a);
	}
}

RP_TEST(accelsim, local_memory_is_interleaved_by_thread)
{
	/* Stream 3: threads 96 to 127. Word 0xfffbd0 / 4 of them, then the word behind it. */
	struct pulled r = read_warp(WARP("0000 ffffffff 0 STL.64 2 R1 R4 8 1 0xfffbd0 0 0\n"));
	cr_assert_eq(r.n, 8);
	for (size_t i = 0; i < 8; i++) {
		uint64_t word = 0xfffbd0 / 4 + i / 4;
		cr_expect_eq(
		    r.a[i].addr, (UINT64_C(1) << 47) + 4 * (word * 163840 + 96) + i % 4 * 32);
		cr_expect_eq(r.a[i].mask, UINT32_MAX);
	}
	free(r.a);
	opts.local_threads = 100; /* threads 96 .. 99, then 0 .. 27 */
	r = read_warp(WARP("0000 ffffffff 0 STL 2 R1 R4 4 1 0x8 0 0\n"));
	cr_expect_eq(r.a[0].addr, (UINT64_C(1) << 47) + 4 * 200);
	cr_expect_eq(r.a[r.n - 1].addr + r.a[r.n - 1].size, (UINT64_C(1) << 47) + 4 * 300);
	free(r.a);
	/* A generic address in the local window is the offset behind its base. */
	opts.local_threads = 0;
	r = read_warp(WARP("0000 00000001 0 ST 2 R1 R4 4 0 0x7f5100000008 0\n"));
	cr_assert_eq(r.n, 1);
	cr_expect_eq(r.a[0].addr, (UINT64_C(1) << 47) + 4 * (UINT64_C(2) * 163840 + 96));
	free(r.a);
}

RP_TEST(accelsim, options_change_order_sizes_and_segments)
{
	opts.descending = true;
	ADDRS("0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 0", 0x1060, 0x1040, 0x1020, 0x1000);
	opts.descending = false;
	opts.narrow_signed = true;
	struct pulled r = read_warp(WARP("0000 00000001 1 R4 LDG.E.S8 1 R2 1 1 0x1000 4 0\n"));
	cr_expect_eq(r.a[0].size, 1);
	free(r.a);
	opts.narrow_signed = false;
	opts.arch = 35;
	r = read_warp(
	    WARP("0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 0\n"     /* all of a line */
		 "0010 0000ffff 1 R4 LDG.E 1 R2 4 1 0x1040 4 0\n"     /* half of one */
		 "0020 0000ffff 1 R4 LDG.E.U16 1 R2 2 1 0x1020 2 0\n" /* 32 bytes of 64 */
		 "0030 00000003 1 R4 LDG.E.U8 1 R2 1 1 0x101f 1 0\n"  /* two sectors */
		 "0040 ffffffff 1 R4 LDG.E.STRONG.GPU 1 R2 4 1 0x1000 4 0\n" /* past L1 */));
	static const struct rp_access want[] = {
		{ .addr = 0x1000, .size = 128, .mask = UINT32_MAX },
		{ .addr = 0x1040, .size = 64, .mask = UINT32_MAX },
		{ .addr = 0x1020, .size = 32, .mask = UINT32_MAX },
		{ .addr = 0x101f, .size = 1, .mask = 0x80000000 },
		{ .addr = 0x1020, .size = 1, .mask = 1 },
		{ .addr = 0x1000, .size = 32, .mask = UINT32_MAX },
	};
	cr_expect_eq(r.n, 9);
	for (size_t i = 0; i < sizeof want / sizeof *want; i++)
		cr_expect(r.a[i].addr == want[i].addr && r.a[i].size == want[i].size &&
			      r.a[i].mask == want[i].mask,
		    "row %zu", i);
	free(r.a);
	opts.arch = 7;
	cr_expect_null(open_text("traceg", HEADER));
	cr_expect_str_eq(err.text, "architecture 7: wanted an SM number, 20 or above");
	cr_expect_eq(err.code, RP_USAGE);
	opts.arch = 0;
	opts.local_threads = UINT64_C(1) << 33;
	cr_expect_null(open_text("traceg", HEADER));
	cr_expect_eq(err.code, RP_USAGE);
	opts.local_threads = 0;
}

RP_TEST(accelsim, each_version_reads_its_lines)
{
	static const struct {
		const char *version, *more, *line;
	} t[] = {
		{ "1.2", "",
		    "1 0 0 1 0010 00000001 1 R4 LDG.E.SYS 1 R2 4 1 0x0000000000001000 4 " },
		{ "3", "", "0010 00000001 1 R4 LDG.E.SYS 1 R2 4 2 0x1000" },
		{ "4", "-enable lineinfo = 1\n",
		    "12 0010 00000001 1 R4 LDG.E.SYS 1 R2 4 0 0x1000 " },
		{ "4", "-enable lineinfo = 0\n",
		    "0010 00000001 1 R4 LDG.E.SYS 1 R2 4 1 0x1000 4 0 " },
		{ "5", "", "0010 00000001 1 R4 LDG.E 5 R2 R3 R4 R5 R6 4 2 0x1000 0 0" },
		{ "6", "", "0010 00000001 1 UR4 LDG.E 2 UR2 R255 4 1 0x1000 4 0 0 Val 1 5 1 7 " },
		{ "6", "", "0010 00000001 3 R4 R5 R6 LDG.E 0 4 1 0x1000 4 0 0 NoVal " },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		char text[2048];
		snprintf(text, sizeof text,
		    HEADER_OF("%s", "%s") "\n\n#BEGIN_TB\n\nthread block = 1,0,0\n"
					  "cluster id = 0,0,0\ncluster rank = 1\n\nwarp = 1\ninsts "
					  "= 1\n\n%s\r\n\n\n#END_TB\n",
		    t[i].version, t[i].more, t[i].line);
		struct rp_source *s = open_text("traceg", text);
		cr_assert(s, "%s", err.text);
		struct pulled r = pull_all(s, 4096, 100);
		cr_assert(r.ok, "%s: %s", t[i].line, r.err.text);
		cr_expect_eq(r.n, 2, "%s", t[i].line);
		cr_expect(r.a[0].addr == 0x1000 && r.a[0].size == 4 && r.a[0].pc == 0x10 &&
			  r.a[0].stream == 3);
		cr_expect_eq(s->trace->n_warnings, 0);
		cr_expect_eq(s->trace->gpu.blocks, 1);
		cr_expect_eq(s->trace->gpu.warps, 1);
		rp_source_close(s);
		free(r.a);
	}
}

RP_TEST(accelsim, a_launch_keeps_what_the_header_says)
{
	struct rp_source *s =
	    open_text("traceg", "-cuda stream id = 12345678901234567\n-block dim = (8,8,3)\n-nregs "
				"= nonsense\n-shmem = 0x12\n-what is this\n"
				"-kernel name = void f<a, (b)1>(int\x01 \xc3\xa9 = 3)\n-binary "
				"version = 4096\n-grid dim = (3,4,5)\n"
				"-kernel id = 77\n-some key = some value\n\n#traces\n");
	cr_assert(s, "%s", err.text);
	const struct rp_kernel_launch *k = s->trace->kernels;
	cr_assert_eq(s->trace->n_kernels, 1);
	cr_expect_str_eq(k->name, "void f<a, (b)1>(int? \xc3\xa9 = 3)");
	cr_expect_eq(k->id, 77);
	cr_expect(k->grid[0] == 3 && k->grid[1] == 4 && k->grid[2] == 5);
	cr_expect_eq(k->warps, 6);
	cr_expect_eq(k->shared_bytes, 0);
	cr_expect(s->trace->warps && s->trace->has_gpu);
	struct pulled r = pull_all(s, 1, 10);
	cr_expect(r.ok && r.n == 1 && r.a[0].kind == RP_KERNEL_END && r.a[0].addr == 0);
	rp_source_close(s);
	free(r.a);
}

RP_TEST(accelsim, a_name_that_is_no_unicode_becomes_one)
{
	struct rp_source *s = open_text(
	    "traceg", "-kernel name = a\xff\xc3(\n-grid dim = (1,1,1)\n-block dim = (1,1,1)\n#\n");
	cr_assert(s, "%s", err.text);
	cr_expect_str_eq(s->trace->kernels[0].name, "a?\?(");
	rp_source_close(s);
}

RP_TEST(accelsim, blocks_come_in_any_order_and_a_warp_ends_with_the_next)
{
	/* block 0,0,1 of a grid 2,1,2 is number 2 */
	struct rp_source *s = open_file("accelsim/v5-modes-masks/kernel-7.traceg");
	struct pulled r = pull_all(s, 7, 1000);
	cr_assert(r.ok, "%s", r.err.text);
	cr_expect_eq(r.a[0].stream, 2, "block 1, two warps, warp 0");
	cr_expect_eq(r.a[r.n - 2].stream, 5, "block 2, warp 1");
	cr_expect_eq(s->trace->n_warnings, 0);
	rp_source_close(s);
	free(r.a);

	s = open_text("traceg",
	    HEADER "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n"
		   "0000 ffffffff 0 EXIT 0 0\nwarp = 1\n0000 ffffffff 0 EXIT 0 0\n");
	r = pull_all(s, 7, 1000);
	cr_expect(r.ok);
	cr_assert_eq(s->trace->n_warnings, 2);
	cr_expect_str_eq(s->trace->warnings[0],
	    "k.traceg:16: warp 0 of block 0 has 1 instructions, 'insts = 2'");
	cr_expect_str_eq(
	    s->trace->warnings[1], "k.traceg:17: the file ends within a block, without '#END_TB'");
	cr_expect_eq(s->trace->gpu.instructions, 2);
	rp_source_close(s);
	free(r.a);
}

RP_TEST(accelsim, early_lines_of_version_3_hold_more_than_their_lanes)
{
	struct rp_source *s = open_text("traceg",
	    HEADER_OF("3", "") "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n"
			       "0000 00000003 1 R1 LDG 1 R2 4 0 0x1000 0x1020 0x1040\n"
			       "0000 00000003 1 R1 LDG 1 R2 4 2 0x2000 32 32\n#END_TB\n");
	struct pulled r = pull_all(s, 4096, 1000);
	cr_assert(r.ok, "%s", r.err.text);
	cr_assert_eq(r.n, 5);
	cr_expect(r.a[1].addr == 0x1020 && r.a[3].addr == 0x2020);
	cr_assert_eq(s->trace->n_warnings, 1);
	cr_expect_str_eq(s->trace->warnings[0], "k.traceg:13: more addresses than active lanes; "
						"such lines are read by their first ones");
	rp_source_close(s);
	free(r.a);
}

RP_TEST(accelsim, the_size_of_batches_does_not_matter)
{
	struct pulled whole, piece;
	struct rp_source *s = open_file("accelsim/v5-atomics/kernel-1.traceg");
	whole = pull_all(s, 4096, 100000);
	rp_source_close(s);
	for (size_t cap = 1; cap < 40; cap += 1 + cap / 3) {
		s = open_file("accelsim/v5-atomics/kernel-1.traceg");
		piece = pull_all(s, cap, 100000);
		cr_expect(pulled_same(&whole, &piece), "batches of %zu", cap);
		rp_source_close(s);
		free(piece.a);
	}
	free(whole.a);
}

RP_TEST(accelsim, atomics_are_counted_by_sector_and_sent_by_conflict)
{
	struct rp_source *s = open_file("accelsim/v5-atomics/kernel-1.traceg");
	struct pulled r = pull_all(s, 4096, 100000);
	size_t atomics = 0, local = 0;
	for (size_t i = 0; i < r.n; i++) {
		atomics += r.a[i].kind == RP_ATOMIC;
		local += (r.a[i].flags & RP_SPACE) == RP_LOCAL;
	}
	/* RED: 32 lanes on one word; ATOMG: four rounds of eight words; CAS.64: eight lanes in
	 * two sectors. */
	cr_expect_eq(atomics, 32 + 4 + 2);
	cr_expect_eq(local, 16);
	cr_expect_eq(s->trace->gpu.space[RP_GPU_GLOBAL].read_sectors, 40);
	cr_expect_eq(skipped(s->trace, "shared"), 1);
	rp_source_close(s);
	free(r.a);
}

/* ---- raw ---- */

RP_TEST(accelsim, a_raw_trace_is_in_order_of_arrival_and_drops_the_shared_half_of_ldgsts)
{
	struct rp_source *s = open_file("accelsim/v5-raw-ungrouped/kernel-1.trace");
	cr_expect_str_eq(s->trace->format, "accelsim-raw");
	struct pulled r = pull_all(s, 4096, 100000);
	cr_assert(r.ok, "%s", r.err.text);
	static const uint32_t stream[] = { 0, 2, 1 };
	for (size_t i = 0; i < 3; i++)
		cr_expect_eq(r.a[4 * i].stream, stream[i]);
	cr_expect_eq(r.n, 3 * 4 + 16 + 4 + 1);
	cr_expect_eq(r.a[12].addr, 0x7f5100001000);
	const struct rp_gpu_stats *g = &s->trace->gpu;
	cr_expect(
	    g->blocks == 2 && g->warps == 3 && g->instructions == 6 && g->memory_instructions == 5);
	cr_expect_eq(s->trace->n_warnings, 0);
	rp_source_close(s);
	free(r.a);
}

RP_TEST(accelsim, pairs_of_ldgsts_are_found_though_other_warps_come_between)
{
	struct rp_source *s = open_text("accelsim-raw",
	    HEADER "0 0 0 0 0010 00000001 0 LDGSTS.E 2 R3 R8 4 1 0x0 16 0\n"
		   "1 0 0 0 0010 00000001 0 LDGSTS.E 2 R3 R8 4 1 0x10 16 0\n"
		   "0 0 0 0 0010 00000001 0 LDGSTS.E 2 R3 R8 4 1 0x1000 16 0\n"
		   "0 0 0 1 0010 00000001 0 LDGSTS.E 2 R3 R8 4 1 0x20 16 0\n"
		   "1 0 0 0 0010 00000001 0 LDGSTS.E 2 R3 R8 4 1 0x2000 16 0\n"
		   "0 0 0 0 0010 00000001 0 LDGSTS.E 2 R3 R8 4 1 0x0 16 0\n"
		   "0 0 0 0 0010 00000001 0 LDGSTS.E 2 R3 R8 4 1 0x3000 16 0\n"
		   "0 0 0 1 0020 00000001 0 LDGSTS.E 2 R3 R8 4 1 0x20 16 0\n"
		   "0 0 0 1 0020 00000001 0 LDGSTS.E 2 R3 R8 4 1 0x4000 16 0\n");
	struct pulled r = pull_all(s, 4096, 100);
	cr_assert(r.ok, "%s", r.err.text);
	cr_assert_eq(r.n, 5);
	for (size_t i = 0; i < 4; i++)
		cr_expect_eq(r.a[i].addr, 0x1000 * (i + 1));
	cr_assert_eq(s->trace->n_warnings, 1);
	cr_expect_str_eq(
	    s->trace->warnings[0], "k.traceg: 1 LDGSTS without their second line are left out");
	rp_source_close(s);
	free(r.a);
}

RP_TEST(accelsim, a_raw_line_begins_with_4_6_or_11_numbers)
{
	static const char *const prefix[] = { "1 0 0 1", "1 0 0 1 9 40", "1 0 0 1 0 0 0 1 0 0 0",
		"1 0 0 1 17", "1 0 0 1 9 40 17" };
	for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++) {
		char text[1024];
		snprintf(text, sizeof text,
		    HEADER_OF("5", "-enable lineinfo = %d\n") "%s 0010 00000001 1 R4 LDG.E 1 R2 4 "
							      "1 0x1000 4 0\n",
		    i > 2, prefix[i]);
		struct rp_source *s = open_text("accelsim-raw", text);
		struct pulled r = pull_all(s, 4096, 100);
		cr_assert(r.ok, "%s", r.err.text);
		cr_expect(r.n == 2 && r.a[0].addr == 0x1000 && r.a[0].stream == 3, "%s", prefix[i]);
		const struct rp_kernel_launch *k = s->trace->kernels;
		if (i % 3 == 1)
			cr_expect(k->blocks == 2 && k->sm[1] == 9 && k->sm[0] == RP_SM_UNKNOWN);
		else
			cr_expect_null(k->sm);
		rp_source_close(s);
		free(r.a);
	}
}

/* ---- lists ---- */

RP_TEST(kernelslist, copies_become_marks_and_kernels_follow_each_other)
{
	struct rp_source *s = open_file("accelsim/v5-modes-masks/kernelslist.g");
	cr_expect_str_eq(s->trace->format, "kernelslist");
	struct pulled r = pull_all(s, 4096, 100000);
	cr_assert(r.ok, "%s", r.err.text);
	cr_expect(
	    r.a[0].kind == RP_HOST_COPY && r.a[0].addr == 0x7f5100000000 && r.a[0].size == 4096);
	cr_expect_eq(r.a[1].kind, RP_READ);
	cr_expect(r.a[r.n - 1].kind == RP_KERNEL_END && r.a[r.n - 1].addr == 0);
	rp_source_close(s);
	free(r.a);

	s = open_file("accelsim/several/kernelslist");
	r = pull_all(s, 3, 100000);
	cr_assert(r.ok, "%s", r.err.text);
	static const struct rp_access want[] = {
		{ .addr = 0x10000000000, .size = 1 << 30, .kind = RP_HOST_COPY },
		{ .addr = 0x10040000000, .size = 1 << 30, .kind = RP_HOST_COPY },
		{ .addr = 0x10080000000, .size = 5, .kind = RP_HOST_COPY },
		{ .addr = 0x1000, .size = 4, .kind = RP_READ },
		{ .addr = 0, .size = 1, .kind = RP_KERNEL_END },
		{ .addr = 0x2000, .size = 4, .kind = RP_WRITE },
		{ .addr = 1, .size = 1, .kind = RP_KERNEL_END },
		{ .addr = 0x1000, .size = 4, .kind = RP_READ },
		{ .addr = 2, .size = 1, .kind = RP_KERNEL_END },
	};
	cr_assert_eq(r.n, sizeof want / sizeof *want);
	for (size_t i = 0; i < r.n; i++)
		cr_expect(r.a[i].addr == want[i].addr && r.a[i].size == want[i].size &&
			      r.a[i].kind == want[i].kind,
		    "row %zu", i);
	cr_assert_eq(s->trace->n_kernels, 3);
	cr_expect_eq(s->trace->kernels[0].warps, 1);
	cr_expect_eq(s->trace->kernels[1].warps, 2, "a raw one in the same list");
	rp_source_close(s);
	free(r.a);
}

/* Writes a list to a temporary folder of its own and reads it; the error's text goes to err. */
static void
expect_list_error(const char *list, const char *kernel, const char *want)
{
	char dir[] = "/tmp/rp-list-XXXXXX", path[64], file[64], text[600];
	cr_assert(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/kernelslist.g", dir);
	snprintf(file, sizeof file, "%s/kernel-1.traceg", dir);
	FILE *f = fopen(path, "w");
	fputs(list, f);
	fclose(f);
	if (kernel) {
		f = fopen(file, "w");
		fputs(kernel, f);
		fclose(f);
	}
	memset(&err, 0, sizeof err);
	opts.from = "kernelslist";
	struct rp_source *s = rp_trace_open(path, &opts, &err);
	opts.from = NULL;
	cr_assert(s, "%s", err.text);
	struct pulled r = pull_all(s, 4096, 1000);
	cr_expect_not(r.ok);
	cr_expect_eq(r.err.code, RP_INPUT);
	snprintf(text, sizeof text, "%s/%s", dir, want);
	/* A second place in the message, too, stands in that folder. */
	char *at = strstr(text, "DIR");
	if (at) {
		char tail[300];
		snprintf(tail, sizeof tail, "%s%s", dir, at + 3);
		snprintf(at, sizeof text - (size_t)(at - text), "%s", tail);
	}
	cr_expect_str_eq(r.err.text, text, "%s", r.err.text);
	rp_source_close(s);
	free(r.a);
	remove(path);
	remove(file);
	remove(dir);
}

RP_TEST(kernelslist, errors_name_the_list_and_the_line)
{
	expect_list_error("\nMemcpyDtoH,x\nkernel-1.traceg\n", NULL,
	    "kernelslist.g:3: DIR/kernel-1.traceg: opening: No such file or directory");
	expect_list_error("kernel-1.traceg\n", "-grid dim = (1,1)\n",
	    "kernel-1.traceg:1: grid dim = '(1,1)': wanted (x,y,z)");
	expect_list_error(
	    "what\n", NULL, "kernelslist.g:1: 'what': wanted a kernel file or Memcpy...");
	expect_list_error("\n# mine\nkernel-1.traceg\n", NULL,
	    "kernelslist.g:2: '# mine': wanted a kernel file or Memcpy...");
	expect_list_error(" kernel-1.traceg\n", NULL,
	    "kernelslist.g:1: ' kernel-1.traceg': wanted a kernel file or Memcpy...");
	expect_list_error("MemcpyHtoD,0x10\n", NULL,
	    "kernelslist.g:1: 'MemcpyHtoD,0x10': wanted "
	    "MemcpyHtoD,0x<hexadecimal address>,<decimal bytes>");
	expect_list_error("MemcpyHtoD,0x10,x\n", NULL,
	    "kernelslist.g:1: 'MemcpyHtoD,0x10,x': wanted "
	    "MemcpyHtoD,0x<hexadecimal address>,<decimal bytes>");
	expect_list_error("MemcpyHtoD,0x0,18446744073709551615\n", NULL,
	    "kernelslist.g:1: a copy of 18446744073709551615 bytes: wanted at most 2^40");
	expect_list_error("MemcpyHtoD,0xffffffffffffffff,2\n", NULL,
	    "kernelslist.g:1: 2 bytes at address 0xffffffffffffffff end beyond 2^64");
}

/* ---- bad input ---- */

static void
expect_error(const char *format, const char *text, const char *want)
{
	struct rp_source *s = open_text(format, text);
	struct pulled r = { .err = err };
	if (s)
		r = pull_all(s, 4096, 100000);
	cr_expect_not(r.ok, "%s: read", want);
	cr_expect_str_eq(r.err.text, want, "%s\n  instead of %s", r.err.text, want);
	cr_expect_eq(r.err.code, RP_INPUT);
	rp_source_close(s);
	free(r.a);
}

RP_TEST(accelsim, an_error_of_the_header_names_its_line)
{
	static const struct {
		const char *text, *want;
	} t[] = {
		{ "", "k.traceg:0: the file ends within its header, before a line that begins with "
		      "'#'" },
		{ "-kernel id = 1\n", "k.traceg:1: the file ends within its header, before a line "
				      "that begins with '#'" },
		{ "-kernel id = 1\nx y\n",
		    "k.traceg:2: 'x' where '-key = value' or '#' was wanted" },
		{ "-kernel id = 1a\n", "k.traceg:1: kernel id = '1a': wanted a decimal number" },
		{ "-kernel id = 9223372036854775808\n",
		    "k.traceg:1: kernel id = '9223372036854775808': wanted a decimal number" },
		{ "-grid dim = 1,1,1\n", "k.traceg:1: grid dim = '1,1,1': wanted (x,y,z)" },
		{ "-grid dim = (1,1,1\n", "k.traceg:1: grid dim = '(1,1,1': wanted (x,y,z)" },
		{ "-grid dim = (1,1,4294967296)\n",
		    "k.traceg:1: grid dim = '(1,1,4294967296)': wanted (x,y,z)" },
		{ "-block dim = (1,,1)\n", "k.traceg:1: block dim = '(1,,1)': wanted (x,y,z)" },
		{ "-shmem base_addr = q\n",
		    "k.traceg:1: shmem base_addr = 'q': wanted a hexadecimal address" },
		{ "-local mem base_addr = 0x1g\n",
		    "k.traceg:1: local mem base_addr = '0x1g': wanted a hexadecimal address" },
		{ "-accelsim tracer version = 7\n",
		    "k.traceg:1: accelsim tracer version = '7': wanted a version from 1.2 to 6" },
		{ "-accelsim tracer version = 0.9\n",
		    "k.traceg:1: accelsim tracer version = '0.9': wanted a version from 1.2 to 6" },
		{ "-accelsim tracer version = new\n",
		    "k.traceg:1: accelsim tracer version = 'new': wanted a version from 1.2 to 6" },
		{ "-accelsim tracer version =\n",
		    "k.traceg:1: accelsim tracer version = '': wanted a version from 1.2 to 6" },
		{ "-enable lineinfo = 2\n", "k.traceg:1: enable lineinfo = '2': wanted 0 or 1" },
		{ "-grid dim = (1,1,1)\n#\n",
		    "k.traceg:2: the header ends without '-block dim = (x,y,z)'" },
		{ "-block dim = (1,1,1)\n#\n",
		    "k.traceg:2: the header ends without '-grid dim = (x,y,z)'" },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		expect_error("traceg", t[i].text, t[i].want);
}

RP_TEST(accelsim, an_error_of_the_body_names_its_line)
{
	static const struct {
		const char *text,
		    *want; /* the text behind the header; the message behind the file */
	} t[] = {
		{ "0000 ffffffff 0 EXIT 0 0\n", "11: '0000' where '#BEGIN_TB' was wanted" },
		{ "#END_TB\n", "11: '#END_TB' outside a block: wanted '#BEGIN_TB' before it" },
		{ "#BEGIN_TB\n#BEGIN_TB\n",
		    "12: '#BEGIN_TB' within a block: wanted '#END_TB' before it" },
		{ "#BEGIN_TB\nwarp = 0\n", "12: a warp before 'thread block = x,y,z'" },
		{ "#BEGIN_TB\n0000 ffffffff 0 EXIT 0 0\n", "12: an instruction before 'warp = n'" },
		{ "#BEGIN_TB\nthread block = 0,0\n",
		    "12: 'thread block = 0,0': wanted 'thread block = x,y,z'" },
		{ "#BEGIN_TB\nthread block = 2,0,0\n",
		    "12: thread block 2,0,0 lies outside the grid of 2,1,1" },
		{ "#BEGIN_TB\nthread block = 0,0,0\nwarp = 2\n", "13: warp 2 of a block of 2" },
		{ "#BEGIN_TB\nthread block = 0,0,0\nwarp = x\n",
		    "13: 'warp = x': wanted a decimal number behind '='" },
		{ "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = -1\n",
		    "14: 'insts = -1': wanted a decimal number behind '='" },
		{ "#BEGIN_TB\nhello\n",
		    "12: 'hello' where an instruction, 'name = value' or '#END_TB' was wanted" },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		char text[1024], want[256];
		snprintf(text, sizeof text, HEADER "%s", t[i].text);
		snprintf(want, sizeof want, "k.traceg:%s", t[i].want);
		expect_error("traceg", text, want);
	}
	expect_error("accelsim-raw", HEADER "#BEGIN_TB\n",
	    "k.traceg:11: '#BEGIN_TB' in a raw trace: grouped ones are --from traceg");
	expect_error("accelsim-raw", HEADER "0 0 0 0 10 ffffffff 0 EXIT 0 0\n",
	    "k.traceg:11: '0 0 0 0 10 ffffffff 0 EXIT 0 0': wanted an instruction that begins with "
	    "4, 6 or 11 numbers, a pc "
	    "and 8 digits of mask");
	expect_error("accelsim-raw", HEADER "0 0 1 0 0010 ffffffff 0 EXIT 0 0\n",
	    "k.traceg:11: thread block 0,0,1 lies outside the grid of 2,1,1");
	expect_error("traceg",
	    HEADER_OF("1.2",
		"") "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n0 0 0 1 0000 ffffffff 0 EXIT 0 0\n",
	    "k.traceg:13: an instruction of another block or warp than the lines above say");
	expect_error("traceg",
	    "-grid dim = (4294967295,4294967295,1)\n-block dim = (1024,1,1)\n#\n#BEGIN_TB\n"
	    "thread block = 4294967294,0,0\nwarp = 31\n",
	    "k.traceg:6: block 4294967294 of 32 warps: more than 2^32 warps are not read");
}

RP_TEST(accelsim, an_error_of_an_instruction_names_what_was_found_and_wanted)
{
	static const struct {
		const char *line, *want;
	} t[] = {
		{ "0000", "'0000' where an instruction, 'name = value' or '#END_TB' was wanted" },
		{ "000 ffffffff 0 EXIT 0 0", "'ffffffff' where a pc of 4 or more and a mask of 8 "
					     "hexadecimal digits was wanted" },
		{ "0000 fffffff 0 EXIT 0 0",
		    "'0' where a pc of 4 or more and a mask of 8 hexadecimal digits was wanted" },
		{ "0000 fffffffff 0 EXIT 0 0",
		    "'0' where a pc of 4 or more and a mask of 8 hexadecimal digits was wanted" },
		{ "0000 ffffffff",
		    "the line ends where a count of destination registers was wanted" },
		{ "0000 ffffffff R1 EXIT 0 0",
		    "'R1' where a count of destination registers was wanted" },
		{ "0000 ffffffff 65 EXIT 0 0",
		    "'65' where a count of destination registers was wanted" },
		{ "0000 ffffffff 1 4 EXIT 0 0", "'4' where a register was wanted" },
		{ "0000 ffffffff 0", "the line ends where an opcode was wanted" },
		{ "0000 ffffffff 0 exit 0 0", "'exit' where an opcode was wanted" },
		{ "0000 ffffffff 0 EXIT",
		    "the line ends where a count of source registers was wanted" },
		{ "0000 ffffffff 0 EXIT 2 R1", "the line ends where a register was wanted" },
		{ "0000 ffffffff 0 EXIT 0", "the line ends where a width in bytes was wanted" },
		{ "0000 ffffffff 0 EXIT 0 -4", "'-4' where a width in bytes was wanted" },
		{ "0000 ffffffff 0 LDG 0 4",
		    "the line ends where an address mode, 0, 1 or 2 was wanted" },
		{ "0000 ffffffff 0 LDG 0 4 3 0x0",
		    "'3' where an address mode, 0, 1 or 2 was wanted" },
		{ "0000 00000003 0 LDG 0 4 0 0x0", "1 addresses for 2 active lanes" },
		{ "0000 00000003 0 LDG 0 4 0 0x0 -4", "'-4' where address 2 of 2 was wanted" },
		{ "0000 00000003 0 LDG 0 4 1", "the line ends where a base address was wanted" },
		{ "0000 00000003 0 LDG 0 4 1 0x10000000000000000 4",
		    "'0x10000000000000000' where a base address was wanted" },
		{ "0000 00000003 0 LDG 0 4 1 0x10", "the line ends where a stride was wanted" },
		{ "0000 00000003 0 LDG 0 4 1 0x10 0x4", "'0x4' where a stride was wanted" },
		{ "0000 00000003 0 LDG 0 4 1 0x10 --4", "'--4' where a stride was wanted" },
		{ "0000 00000007 0 LDG 0 4 2 0x10 4", "2 addresses for 3 active lanes" },
		{ "0000 00000007 0 LDG 0 4 2 0x10 4 q", "'q' where address 3 of 3 was wanted" },
		{ "0000 00000001 0 LDG 0 4 0 0xfffffffffffffffd 0",
		    "4 bytes at address 0xfffffffffffffffd end beyond 2^64" },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		char text[1024], want[256];
		snprintf(text, sizeof text, WARP("%s\n"), t[i].line);
		snprintf(want, sizeof want, "k.traceg:%d: %s", FIRST_LINE, t[i].want);
		expect_error("traceg", text, want);
	}
}

RP_TEST(accelsim, an_immediate_of_version_5_is_not_taken_for_an_address)
{
	static const struct {
		const char *addresses;
		size_t rows; /* of a version before 5, in which there need not be one */
	} t[] = { { "0 0x10 0", 1 }, { "2 0x10 0", 1 }, { "1 0x10 4", 1 } };
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		for (unsigned version = 3; version <= 6; version++) {
			char text[1024];
			snprintf(text, sizeof text,
			    HEADER_OF("%u", "") "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n"
						"0000 00000003 1 R4 LDG.E 1 R2 4 %s\n#END_TB\n",
			    version, t[i].addresses);
			if (version >= 5) {
				expect_error("traceg", text,
				    "k.traceg:13: too few numbers for 2 active lanes: the line "
				    "ends "
				    "where the immediate behind their addresses was wanted");
				continue;
			}
			struct pulled r = read_warp(text);
			cr_expect_eq(r.n, t[i].rows, "%s: %zu", t[i].addresses, r.n);
			free(r.a);
		}
	expect_error("traceg", WARP("0000 00000003 1 R4 LDG.E 1 R2 4 1 0x10 4 NoVal\n"),
	    "k.traceg:14: 'NoVal' where the immediate behind the addresses was wanted");
	ADDRS("0000 00000003 1 R4 LDG.E 1 R2 4 0 0x10 0x40 -16 0 NoVal", 0x10, 0x40);
}

RP_TEST(accelsim, a_file_cut_anywhere_is_an_error_or_a_shorter_trace)
{
	static const char text[] = WARP("0000 0000000f 1 R4 LDG.E 1 R2 4 2 0x1000 400 -200 44 0\n"
					"0010 00000003 1 R4 STG.E 1 R2 4 0 0x3000 0x5000 0\n");
	for (size_t n = 0; n < sizeof text; n++) {
		char *copy = malloc(n + 1);
		memcpy(copy, text, n);
		copy[n] = '\0';
		struct rp_source *s = open_text("traceg", copy);
		struct pulled r = { 0 };
		if (s)
			r = pull_all(s, 4096, 1000);
		cr_expect(r.ok ? r.n <= 7 : s == NULL || r.err.code == RP_INPUT);
		rp_source_close(s);
		free(r.a);
		free(copy);
	}
}

RP_TEST(accelsim, a_format_is_found_by_its_content)
{
	static const struct {
		const char *text, *format;
	} t[] = {
		{ HEADER "\n\n#BEGIN_TB\n", "traceg" },
		{ HEADER, "traceg" },
		{ "-kernel name = x\n", "traceg" },
		{ HEADER "\n0 0 0 0 0000 ffffffff 0 EXIT 0 0\n", "accelsim-raw" },
		{ "MemcpyHtoD,0x10,4\nkernel-1.traceg\n", "kernelslist" },
		{ "\nkernel-3-ctx_0x55dfecb31820.traceg.xz\n", "kernelslist" },
		{ "kernel-7.traceg\nfoo bar\n", "kernelslist" },
		{ "# mine\n\nkernel-7.traceg\n", "kernelslist" },
		{ "  kernel-7.traceg.xz\n", "kernelslist" },
		{ "MemcpyHtoD, 0x10 4\nx\n", "kernelslist" },
		{ "foo bar\nkernel-7.traceg\n", NULL },
		{ "kernel-7.traceg is missing\n", NULL },
		{ "kernel\nfoo bar\n", NULL },
		{ "Memcpy of a line, then\nanother\n", NULL },
		{ "# kernel-7.traceg\nfoo bar\n", NULL },
		{ "kernel-7.traceg\n\001\n", NULL },
		{ "-1\n-2\n", NULL },
		{ "- a = b\nplain text\n", NULL },
		{ "kernel panic at noon\n", NULL },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		const char *best = NULL;
		int most = 0;
		for (const struct rp_format *const *f = rp_formats; *f; f++) {
			int sure = (*f)->probe ? (*f)->probe((const unsigned char *)t[i].text,
						     strlen(t[i].text))
			                       : 0;
			bool ours = strstr("traceg accelsim-raw kernelslist", (*f)->name) != NULL;
			cr_expect(
			    t[i].format || !ours || !sure, "%s takes '%s'", (*f)->name, t[i].text);
			if (sure > most) {
				most = sure;
				best = (*f)->name;
			}
		}
		if (t[i].format)
			cr_expect_str_eq(best ? best : "none", t[i].format, "%s", t[i].text);
	}
}

/* ---- the kernel that is shipped ---- */

RP_TEST(kernelslist, the_shipped_kernel_counts_as_its_algorithm_says)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/examples/traces/kernelslist.g", RP_TOP_SRCDIR);
	struct rp_source *s = rp_trace_open(path, &opts, &err);
	cr_assert(s, "%s", err.text);
	struct pulled r = pull_all(s, 4096, SIZE_MAX);
	cr_assert(r.ok, "%s", r.err.text);
	const struct rp_gpu_stats *g = &s->trace->gpu;
	cr_expect_eq(s->trace->n_warnings, 0);
	cr_expect(g->blocks == 16 && g->warps == 128);
	/* By warp: C 2 stores of 2 rows of 4 sectors, its transpose 4 of 16 (a sector for each
	 * of 16 rows), the stencil 4 of 4. */
	cr_expect_eq(g->space[RP_GPU_GLOBAL].write_sectors, 128 * (2 * 8 + 4 * 16 + 4 * 4));
	/* Spilled once: a store and a load of one word at the same offset. */
	cr_expect(
	    g->space[RP_GPU_LOCAL].instructions == 256 && g->space[RP_GPU_LOCAL].lanes == 8192);
	/* Of 8 steps: 3 stores, 8 loads. */
	cr_expect_eq(g->space[RP_GPU_SHARED].instructions, 128 * 8 * 11);
	cr_expect_eq(skipped(s->trace, "shared"), 128 * 8 * 11);
	/* The ticket and what follows it, by all but the first warp of a block; what lies above
	 * and below the matrix. */
	cr_expect_eq(g->mask_zero, 16 * 7 * 2 + 2 * 4);
	/* Inside, 5 points; each edge of the matrix lacks one of 128. */
	uint64_t stencil = 5 * 128 * 128 - 4 * 128, counted = 0, tickets = 0;
	for (size_t i = 0; i < r.n; i++) {
		tickets += r.a[i].kind == RP_ATOMIC && r.a[i].addr == 0x7f2a40060400;
		counted += r.a[i].kind == RP_ATOMIC && r.a[i].addr < 0x7f2a40060400;
	}
	cr_expect_eq(tickets, 16);
	cr_expect_gt(counted, 0);
	uint64_t lanes = 32 * 128 * (8 * 2 + 2 + 4 + 4 + 2 * 2) + stencil + 16 * 2;
	/* The rest are the lanes that count an odd value: about half of 8,192. */
	cr_expect(g->space[RP_GPU_GLOBAL].lanes > lanes + 3500 &&
		  g->space[RP_GPU_GLOBAL].lanes < lanes + 4700);
	rp_source_close(s);
	free(r.a);
}

/* ---- the counts of expected-coalescing.csv ---- */

static void
check_counts(const char *base, char *row)
{
	char *file = strtok(row, ","), path[4096];
	uint64_t want[17];
	for (int i = 0; i < 17; i++)
		want[i] = strtoull(strtok(NULL, ","), NULL, 10);
	snprintf(path, sizeof path, "%s/real-traces/%s", base, file);
	memset(&err, 0, sizeof err);
	struct rp_source *s = rp_trace_open(path, &opts, &err);
	cr_assert(s, "%s", err.text);
	struct pulled r = pull_all(s, 4096, SIZE_MAX);
	cr_assert(r.ok, "%s", r.err.text);
	const struct rp_gpu_stats *g = &s->trace->gpu;
	const struct rp_gpu_space *gl = &g->space[RP_GPU_GLOBAL], *lo = &g->space[RP_GPU_LOCAL],
				  *sh = &g->space[RP_GPU_SHARED];
	const uint64_t have[17] = { g->blocks, g->warps, g->instructions, g->memory_instructions,
		g->mask_zero, gl->instructions, gl->lanes, gl->read_sectors, gl->write_sectors,
		gl->lines, lo->instructions, lo->lanes, lo->read_sectors, lo->write_sectors,
		lo->lines, sh->instructions, sh->lanes };
	for (int i = 0; i < 17; i++)
		cr_expect_eq(have[i], want[i], "%s: column %d: %lu, not %lu", file, i + 2,
		    (unsigned long)have[i], (unsigned long)want[i]);
	rp_source_close(s);
	free(r.a);
}

RP_TEST(accelsim, the_counts_of_all_recorded_files_come_out)
{
	const char *base = rp_test_shared();
	char path[4096], row[512];
	if (!base)
		cr_skip_test("../shared is not there");
	snprintf(path, sizeof path, "%s/real-traces/expected-coalescing.csv", base);
	FILE *f = fopen(path, "r");
	cr_assert(f && fgets(row, sizeof row, f));
	int rows = 0;
	while (fgets(row, sizeof row, f)) {
		check_counts(base, row);
		rows++;
	}
	fclose(f);
	cr_expect_eq(rows, 24);
}
