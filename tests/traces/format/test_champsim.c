/* test_champsim.c - tests traces/format/champsim.c. */
#include "tests/traces/format/reading.h"

/* The six instructions of tests/traces/files/tiny.champsimtrace. */
static const char tiny[] =
    "I 0x401000 8 pc=0x401000\nR 0x7ffd1000 8 pc=0x401000\n"
    "I 0x401004 8 pc=0x401004\nW 0x7ffd0ff8 8 pc=0x401004\n"
    "I 0x401008 8 pc=0x401008\nR 0x602040 8 pc=0x401008\nW 0x602040 8 pc=0x401008\n"
    "I 0x40100b 8 pc=0x40100b\n"
    "I 0x401000 8 pc=0x401000\nR 0x7ffd1040 8 pc=0x401000\nR 0x7ffd1080 8 pc=0x401000\n"
    "I 0x401004 8 pc=0x401004\n";

RP_TEST(champsim, an_instruction_is_a_fetch_then_reads_then_writes)
{
	static const char *const name[] = { "tiny.champsimtrace", "tiny.champsimtrace.gz",
		"tiny.champsimtrace.xz" };
	for (size_t i = 0; i < 3; i++) {
		static const struct rp_read_opts none;
		char path[4096], file[64];
		struct rp_err err = { 0 };
		struct reading r;
		snprintf(file, sizeof file, "traces/files/%s", name[i]);
		struct rp_source *s = rp_trace_open(rp_test_file(path, file), &none, &err);
		cr_assert(s, "%s", err.text);
		cr_assert_str_eq(s->trace->format, "champsim");
		rp_read_source(&r, s, RP_BATCH);
		cr_assert_str_eq((char *)r.rows.bytes, tiny);
		cr_assert_eq(r.columns, RP_COL_PC);
		rp_reading_free(&r);
	}
}

static void
put64(unsigned char *to, uint64_t x)
{
	for (int i = 0; i < 8; i++)
		to[i] = (unsigned char)(x >> 8 * i);
}

/* One instruction with every slot in use; `most` is the greatest address. */
static void
full_record(unsigned char *r, bool cloudsuite, uint64_t most)
{
	memset(r, 0, 96);
	put64(r, 0x401000);
	r[8] = 1;
	for (unsigned k = 0; k < (cloudsuite ? 4 : 2); k++)
		put64(r + (cloudsuite ? 24 : 16) + 8 * k, k == 1 ? most : 0x1000 + k);
	for (unsigned k = 0; k < 4; k++)
		put64(r + (cloudsuite ? 56 : 32) + 8 * k, 0x2000 + k);
}

RP_TEST(champsim, every_slot_is_read)
{
	unsigned char r[96];
	struct rp_read_opts o = { .size = 4, .cloudsuite = true };
	full_record(r, false, 0x1001);
	rp_reads_as(&rp_format_champsim, r, 64, NULL,
	    "I 0x401000 8 pc=0x401000\nR 0x2000 8 pc=0x401000\nR 0x2001 8 pc=0x401000\nR 0x2002 8 "
	    "pc=0x401000\n"
	    "R 0x2003 8 pc=0x401000\nW 0x1000 8 pc=0x401000\nW 0x1001 8 pc=0x401000\n",
	    NULL, NULL);
	full_record(r, true, 0x1001);
	rp_reads_as(&rp_format_champsim, r, 96, &o,
	    "I 0x401000 4 pc=0x401000\nR 0x2000 4 pc=0x401000\nR 0x2001 4 pc=0x401000\nR 0x2002 4 "
	    "pc=0x401000\n"
	    "R 0x2003 4 pc=0x401000\nW 0x1000 4 pc=0x401000\nW 0x1001 4 pc=0x401000\nW 0x1002 4 "
	    "pc=0x401000\n"
	    "W 0x1003 4 pc=0x401000\n",
	    NULL, NULL);
}

RP_TEST(champsim, the_other_record_size_is_suspected)
{
	unsigned char r[192];
	struct reading got;
	full_record(r, true, 0x1001);
	full_record(r + 96, true, 0x1001);
	cr_assert_str_eq(rp_found(r, sizeof r), "champsim");
	rp_read(&got, &rp_format_champsim, r, sizeof r, NULL, RP_BATCH, 0);
	cr_assert_str_eq(
	    got.warning, "t: looks like records of 96 bytes, read as 64 (option --cloudsuite)");
	rp_reading_free(&got);
}

RP_TEST(champsim, a_partial_last_record_is_dropped_with_a_warning)
{
	unsigned char r[128] = { 0 };
	struct reading got;
	put64(r, 0x401000);
	rp_reads_as(&rp_format_champsim, r, 100, NULL, "I 0x401000 8 pc=0x401000\n", NULL, &got);
	cr_assert_str_eq(
	    got.warning, "t: offset 64: the last record has 36 of 64 bytes and was dropped");
	rp_reading_free(&got);
}

RP_TEST(champsim, an_access_that_wraps_is_an_error)
{
	unsigned char r[160];
	memset(r, 0, 64);
	put64(r, 0x401000);
	full_record(r + 64, false, UINT64_MAX - 6);
	rp_reads_as(&rp_format_champsim, r, 128, NULL, NULL,
	    "t: offset 64: 8 bytes at address 0xfffffffffffffff9 end beyond 2^64", NULL);
}
