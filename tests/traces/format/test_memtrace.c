/* Tests of traces/format/memtrace.c. */
#include "tests/check.h"

#include "tests/traces/pulled.h"
#include "traces/warp.h"

extern const struct rp_format rp_format_memtrace;

static struct rp_err err;
static struct rp_read_opts opts;

static struct rp_source *
open_text(const char *text)
{
	memset(&err, 0, sizeof err);
	struct rp_source *s = rp_format_open(rp_format_find("memtrace", &err),
	    rp_bytes_memory(text, strlen(text), "m.txt", &err), &opts, &err);
	cr_assert(s, "%s", err.text);
	return s;
}

#define CTX "MEMTRACE: CTX 0x000055d4c0de0000 - "
#define LAUNCH(id, grid)                                                                           \
	CTX "LAUNCH - Kernel pc 0x00007f5300000a00 - Kernel name k - grid launch id " #id          \
	    " - grid size " grid " - block size 64,1,1 - nregs 16 - shmem 8 - cuda stream id 0\n"
#define ZERO4  "0x0 0x0 0x0 0x0 "
#define ZERO28 ZERO4 ZERO4 ZERO4 ZERO4 ZERO4 ZERO4 ZERO4
#define ZERO31 ZERO28 "0x0 0x0 0x0 "
#define ACCESS(id, place, opcode, addr)                                                            \
	CTX "grid_launch_id " #id " - " place " - " opcode " - " addr " " ZERO31 "\n"

RP_TEST(memtrace, the_stock_tools_output_is_read)
{
	char path[4096];
	struct rp_source *s =
	    rp_trace_open(rp_test_file(path, "traces/files/memtrace/stock.txt"), &opts, &err);
	cr_assert(s, "%s", err.text);
	cr_expect_str_eq(s->trace->format, "memtrace");
	struct pulled r = pull_all(s, 4096, 1000);
	cr_assert(r.ok, "%s", r.err.text);
	/* LDG: 32 lanes of 4 bytes; LDG.64; STG, and RED by all lanes on one word. */
	cr_expect_eq(s->trace->n_kernels, 1);
	const struct rp_kernel_launch *k = s->trace->kernels;
	cr_expect_str_eq(k->name, "composed(float*, float*, int)");
	cr_expect(k->id == 0 && k->grid[0] == 2 && k->block[0] == 64 && k->warps == 64);
	cr_expect_eq(s->trace->gpu.memory_instructions, 4);
	cr_expect_eq(s->trace->gpu.blocks, 2);
	cr_expect_eq(s->trace->gpu.warps, 2);
	cr_expect(r.a[0].kind == RP_READ && r.a[0].addr == 0x7f5100000000 && r.a[0].stream == 0);
	cr_expect_eq(r.a[4].stream, 64 + 3);
	cr_expect_eq(r.a[r.n - 2].kind, RP_ATOMIC);
	cr_expect_eq(r.a[r.n - 1].kind, RP_KERNEL_END);
	cr_expect_eq(s->trace->n_warnings, 0);
	rp_source_close(s);
	free(r.a);
}

RP_TEST(memtrace, a_lane_at_address_0_is_inactive)
{
	struct rp_source *s = open_text(LAUNCH(0, "1,1,1") CTX
	    "grid_launch_id 0 - CTA 0,0,0 - warp 5 - LDG.E.64 - 0x0 0x1000 0x0 0x1010 " ZERO28
	    "\n" ACCESS(0, "CTA 0,0,0 - warp 5", "LDG.E.64", "0x0"));
	struct pulled r = pull_all(s, 4096, 1000);
	cr_assert(r.ok, "%s", r.err.text);
	cr_assert_eq(r.n, 2);
	cr_expect(r.a[0].addr == 0x1000 && r.a[0].size == 24 && r.a[0].mask == 0xff00ff);
	cr_expect_eq(s->trace->gpu.space[RP_GPU_GLOBAL].lanes, 2);
	cr_expect_eq(s->trace->gpu.mask_zero, 1);
	cr_expect_eq(skipped(s->trace, "mask_zero"), 1);
	rp_source_close(s);
	free(r.a);
}

RP_TEST(memtrace, derived_tools_add_fields_and_name_their_lanes)
{
	struct rp_source *s =
	    open_text("NVBit (NVidia Binary Instrumentation Tool v1.5.5)\n" LAUNCH(1, "2,2,1") CTX
		"SM_id 9 - grid_launch_id 0 - CTA 1,1,0 - warp 6 - LDG.E.SYS - pc 144 - Size 8 - "
		"MREF per "
		"threads(threadidx,data,address) : Thread0,0x0,0x0000000000002000 "
		"Thread31,0x5,0x0000000000002010 \n" CTX
		"grid_launch_id 0 - SM_id 3 - something new 5 - CTA 0,0,0 - warp 0 - Size 2 - "
		"STG.E - pc 0x40 - 0x3000 " ZERO31 "\n");
	struct pulled r = pull_all(s, 4096, 1000);
	cr_assert(r.ok, "%s", r.err.text);
	cr_assert_eq(r.n, 3);
	cr_expect(r.a[0].addr == 0x2000 && r.a[0].size == 24 && r.a[0].pc == 144 &&
		  r.a[0].stream == 3 * 64 + 6);
	cr_expect(r.a[1].addr == 0x3000 && r.a[1].size == 2 && r.a[1].pc == 0x40);
	cr_expect(s->trace->kernels[0].sm[3] == 9 && s->trace->kernels[0].sm[0] == 3 &&
		  s->trace->kernels[0].sm[1] == RP_SM_UNKNOWN);
	cr_expect_eq(s->trace->kernels[0].blocks, 4);
	rp_source_close(s);
	free(r.a);
}

/* Kernels as `k0:n k1:n`: how many rows each had before its end, with the launch's own id. */
static void
expect_kernels(const char *text, const char *want, size_t warnings)
{
	struct rp_source *s = open_text(text);
	struct pulled r = pull_all(s, 1, 1000);
	cr_assert(r.ok, "%s", r.err.text);
	char got[256] = "", *p = got;
	size_t rows = 0, kernel = 0;
	for (size_t i = 0; i < r.n; i++) {
		if (r.a[i].kind != RP_KERNEL_END) {
			rows++;
			continue;
		}
		cr_expect_eq(r.a[i].addr, kernel++);
		p += sprintf(p, "%d:%zu ", (int)s->trace->kernels[r.a[i].addr].id, rows);
		rows = 0;
	}
	cr_expect_eq(rows, 0);
	cr_expect_eq(kernel, s->trace->n_kernels);
	cr_expect_str_eq(got, want, "%s\n  instead of %s", got, want);
	cr_expect_eq(s->trace->n_warnings, warnings);
	rp_source_close(s);
	free(r.a);
}

#define A(id) ACCESS(id, "CTA 0,0,0 - warp 0", "LDG.E", "0x1000")
#define L(id) LAUNCH(id, "1,1,1")

RP_TEST(memtrace, launches_join_whether_they_count_from_their_own_id_or_one_more)
{
	expect_kernels(L(0) A(0) A(0) L(1) A(1), "0:2 1:1 ", 0);
	expect_kernels(L(1) A(0) A(0) L(2) A(1), "1:2 2:1 ", 0);
	expect_kernels(L(0) L(1) A(1) L(2), "0:0 1:1 2:0 ", 0);
	expect_kernels(L(1) L(2) A(1) L(3) A(2), "1:0 2:1 3:1 ", 0);
	/* Announced together: the banner decides how they are counted. */
	expect_kernels("NVBit (NVidia Binary Instrumentation Tool v1.7.6) Loaded\n" L(0) L(1) A(0)
			   A(1) A(0),
	    "0:0 1:0 0:1 1:1 0:1 ", 1);
	expect_kernels("NVBit (NVidia Binary Instrumentation Tool v1.5.5) Loaded\n" L(1) L(2) A(0)
			   A(1),
	    "1:0 2:0 1:1 2:1 ", 1);
	/* A banner that is wrong about it. */
	expect_kernels("NVBit (NVidia Binary Instrumentation Tool v1.5.5) Loaded\n" L(0) A(0) L(1)
			   A(1),
	    "0:1 1:1 ", 0);
}

RP_TEST(memtrace, a_kernels_name_may_hold_anything)
{
	struct rp_source *s =
	    open_text(CTX "LAUNCH - Kernel pc 0x7f - Kernel name void f<a - grid launch id 5, b - "
			  "block size 1,1,1>(int) - grid launch id 3 - grid size 1,2,3 - block "
			  "size 4,5,6 - nregs 16 - shmem 77 - "
			  "cuda stream id 0\n");
	struct pulled r = pull_all(s, 4096, 1000);
	cr_assert(r.ok, "%s", r.err.text);
	const struct rp_kernel_launch *k = s->trace->kernels;
	cr_expect_str_eq(k->name, "void f<a - grid launch id 5, b - block size 1,1,1>(int)");
	cr_expect(k->id == 3 && k->grid[2] == 3 && k->block[1] == 5 && k->shared_bytes == 77);
	rp_source_close(s);
	free(r.a);
}

RP_TEST(memtrace, generic_accesses_are_taken_for_global_with_a_warning)
{
	struct rp_source *s = open_text(L(0) ACCESS(0, "CTA 0,0,0 - warp 0", "LD.E", "0x1000")
		ACCESS(0, "CTA 0,0,0 - warp 0", "ST.E", "0x1000"));
	struct pulled r = pull_all(s, 4096, 1000);
	cr_assert(r.ok);
	cr_expect(r.n == 3 && r.a[0].flags == RP_GLOBAL && r.a[1].kind == RP_WRITE);
	cr_expect_eq(s->trace->n_warnings, 1);
	cr_expect_eq(s->trace->gpu.space[RP_GPU_GENERIC].instructions, 2);
	rp_source_close(s);
	free(r.a);
}

#define BANNER                                                                                     \
	"------------- NVBit (NVidia Binary Instrumentation Tool v1.7.1) Loaded --------------\n"
#define REGISTERS(context, name)                                                                   \
	context "CTA 0,0,0 - warp 0 - IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;:\n"                  \
		"  * " name ": 0x00000001 \n"

RP_TEST(memtrace, other_tools_of_nvbit_are_found_so_that_they_can_be_refused_by_name)
{
	static const struct {
		const char *text;
		bool found;
	} t[] = {
		{ REGISTERS("", "Reg0_T00"), true },
		{ REGISTERS("CTX 0x000055d4c0de0000 - ", "Reg0_T0"), true },
		{ BANNER REGISTERS("", "Reg0_T00"), true },
		{ "kernel 0 - vecAdd - #thread-blocks 2,  kernel instructions 12\n", true },
		{ "* Regular expressions\n", false },
		{ "* Reg0\n * Reg0_T\n * Reg0_T0 0x1\nx * Reg0_T0: 0x1\n", false },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		cr_expect_eq(rp_format_memtrace.probe(
				 (const unsigned char *)t[i].text, strlen(t[i].text)) > 0,
		    t[i].found, "%s", t[i].text);
}

RP_TEST(memtrace, what_is_wrong_is_named_with_its_line)
{
	static const struct {
		const char *text, *want;
	} t[] = {
		{ "", "m.txt:0: the input ends, and no line begins with 'MEMTRACE: '" },
		{ "hello\n MEMTRACE: x\n",
		    "m.txt:2: the input ends, and no line begins with 'MEMTRACE: '" },
		{ "CTA 0,0,0 - warp 0 - IMAD R1:\n* Reg0_T0: 0x00000000 Reg0_T1: 0x00000000\n",
		    "m.txt:2: registers, as NVBit's record_reg_vals prints them, and no addresses: "
		    "wanted mem_trace" },
		{ REGISTERS("", "Reg0_T00"),
		    "m.txt:2: registers, as NVBit's record_reg_vals prints them, and no addresses: "
		    "wanted mem_trace" },
		{ BANNER REGISTERS("CTX 0x000055d4c0de0000 - ", "Reg12_T00"),
		    "m.txt:3: registers, as NVBit's record_reg_vals prints them, and no addresses: "
		    "wanted mem_trace" },
		{ "\nkernel 0 - vecAdd - #thread-blocks 2,  kernel instructions 12, total "
		  "instructions 12\n  LDG.E = 4\n",
		    "m.txt:2: counts of opcodes, as NVBit's opcode_hist prints them, and no "
		    "addresses: wanted mem_trace" },
		{ A(0), "m.txt:1: an access of grid_launch_id 0, and no such launch among the 64 "
			"before" },
		{ L(0) A(7), "m.txt:2: an access of grid_launch_id 7, and no such launch among the "
			     "64 before" },
		{ CTX "LAUNCH - Kernel name k - grid launch id 1 - grid size 1,1,1\n",
		    "m.txt:1: a launch without grid launch id, grid size and block size" },
		{ CTX "LAUNCH - Kernel name k - grid launch id x - grid size 1,1,1 - block size "
		      "1,1,1\n",
		    "m.txt:1: 'grid launch id x': wanted a number" },
		{ CTX "LAUNCH - Kernel name k - grid launch id 1 - grid size 1,1 - block size "
		      "1,1,1\n",
		    "m.txt:1: 'grid size 1,1': wanted x,y,z" },
		{ CTX "LAUNCH - Kernel name k - grid launch id 1 - grid size 1,1,1 - shmem -1\n",
		    "m.txt:1: 'shmem -1': wanted a number" },
		{ L(0) ACCESS(0, "CTA 1,0,0 - warp 0", "LDG", "0x1000"),
		    "m.txt:2: CTA 1,0,0 lies outside the grid of 1,1,1" },
		{ L(0) ACCESS(0, "CTA 0,0,0 - warp 64", "LDG", "0x1000"),
		    "m.txt:2: warp 64: an SM has 64" },
		{ L(0) ACCESS(0, "CTA 0,0,0 - warp x", "LDG", "0x1000"),
		    "m.txt:2: 'warp x': wanted a number" },
		{ L(0) ACCESS(0, "CTA 0,0 - warp 1", "LDG", "0x1000"),
		    "m.txt:2: 'CTA 0,0': wanted CTA x,y,z" },
		{ L(0) ACCESS(0, "CTA 0,0,0 - warp 0", "LDG", "0xq"),
		    "m.txt:2: '0xq 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 ': wanted addresses" },
		{ L(0) ACCESS(0, "CTA 0,0,0 - warp 0", "LDG", "0x1 0xq"),
		    "m.txt:2: '0xq': wanted a hexadecimal address" },
		{ L(0) ACCESS(0, "CTA 0,0,0 - warp 0", "LDG", "0x1 0x2"),
		    "m.txt:2: 33 addresses: wanted 32" },
		{ L(0) CTX "grid_launch_id 0 - CTA 0,0,0 - warp 0 - LDG - 0x1000\n",
		    "m.txt:2: 1 addresses: wanted 32" },
		{ L(0) CTX "grid_launch_id 0 - CTA 0,0,0 - warp 0 - LDG - what is this\n",
		    "m.txt:2: 'what is this': wanted addresses" },
		{ L(0) CTX "grid_launch_id 0 - CTA 0,0,0 - warp 0 - LDG - Thread32,0x0,0x10\n",
		    "m.txt:2: 'Thread32,0x0,0x10': wanted Thread<0 to 31>,<data>,<address>" },
		{ L(0) CTX "grid_launch_id 0 - CTA 0,0,0 - warp 0 - LDG - Thread3,0x0,0x10 x\n",
		    "m.txt:2: 'x': wanted Thread<0 to 31>,<data>,<address>" },
		{ L(0) CTX "grid_launch_id 0 - CTA 0,0,0 - warp 0 - 0x0\n",
		    "m.txt:2: an access without opcode" },
		{ L(0) CTX "grid_launch_id 0 - CTA 0,0,0 - LDG - 0x0\n",
		    "m.txt:2: an access without warp" },
		{ L(0) CTX "grid_launch_id 0 - warp 0 - LDG - 0x0\n",
		    "m.txt:2: an access without CTA x,y,z" },
		{ L(0) CTX "CTA 0,0,0 - warp 0 - LDG - 0x0\n",
		    "m.txt:2: an access without grid_launch_id" },
		{ L(0) "MEMTRACE: x\n", "m.txt:2: an access without grid_launch_id" },
		{ L(0) ACCESS(0, "CTA 0,0,0 - warp 0", "LDG.64", "0xfffffffffffffff9"),
		    "m.txt:2: 8 bytes at address 0xfffffffffffffff9 end beyond 2^64" },
		{ LAUNCH(0, "4294967295,1,1")
			ACCESS(0, "CTA 4294967294,0,0 - warp 0", "LDG", "0x10"),
		    "m.txt:2: block 4294967294 of 64 warps: more than 2^32 warps are not read" },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct rp_source *s = open_text(t[i].text);
		struct pulled r = pull_all(s, 4096, 1000);
		cr_expect_not(r.ok, "%s", t[i].want);
		cr_expect_str_eq(
		    r.err.text, t[i].want, "%s\n  instead of %s", r.err.text, t[i].want);
		cr_expect_eq(r.err.code, RP_INPUT);
		rp_source_close(s);
		free(r.a);
	}
}

RP_TEST(memtrace, it_is_found_by_its_content)
{
	static const struct {
		const char *text;
		bool ours;
	} t[] = {
		{ "alloc 5\n" L(0), true },
		{ "------------- NVBit (NVidia Binary Instrumentation Tool v1.7.6) Loaded "
		  "--------------\n",
		    true },
		{ "* Reg0_T0: 0x00000000\n", true },
		{ "kernel 0 - vecAdd - #thread-blocks 2,  kernel instructions 12\n", true },
		{ "R 0x10 4\n", false },
		{ "", false },
	};
	const struct rp_format *f = rp_format_find("memtrace", &err);
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		cr_expect_eq(f->probe((const unsigned char *)t[i].text, strlen(t[i].text)) > 0,
		    t[i].ours, "%s", t[i].text);
}

RP_TEST(memtrace, a_recorded_variant_is_read)
{
	const char *base = rp_test_shared();
	char path[4096];
	if (!base)
		cr_skip_test("../shared is not there");
	snprintf(
	    path, sizeof path, "%s/real-traces/gpu/nvbit-memtrace-variant/check-head.txt", base);
	struct rp_source *s = rp_trace_open(path, &opts, &err);
	cr_assert(s, "%s", err.text);
	struct pulled r = pull_all(s, 4096, SIZE_MAX);
	cr_assert(r.ok, "%s", r.err.text);
	cr_expect_str_eq(s->trace->format, "memtrace");
	/* 93 lines of 32 lanes, 4 bytes each and next to each other. */
	cr_expect_eq(s->trace->gpu.memory_instructions, 93);
	cr_expect_eq(s->trace->gpu.space[RP_GPU_GLOBAL].read_sectors, 93 * 4);
	cr_expect_eq(s->trace->gpu.blocks, 2);
	cr_expect_eq(r.n, 93 * 4 + 1);
	cr_expect(s->trace->kernels[0].sm[0] == 0 && s->trace->kernels[0].sm[1] == 2);
	cr_expect_eq(s->trace->n_kernels, 1);
	cr_expect_eq(r.a[0].pc, 144);
	rp_source_close(s);
	free(r.a);
}
