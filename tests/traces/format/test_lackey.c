/* test_lackey.c - tests traces/format/lackey.c. */
#include "tests/traces/format/reading.h"

RP_TEST(lackey, a_modify_is_a_read_and_a_write_of_the_same_bytes)
{
	RP_READS(rp_format_lackey, "I  04001000,3\n L 1ffe8,8\n S 1ffe0,4\n M 20,1\n",
	    "I 0x4001000 3\nR 0x1ffe8 8\nW 0x1ffe0 4\nR 0x20 1\nW 0x20 1\n");
}

RP_TEST(lackey, what_valgrind_and_the_program_say_is_skipped)
{
	struct reading r;
	const char text[] =
	    "==17== Lackey, an example Valgrind tool\n\nSB 04001000\n L 10,4\nhello, world\n"
	    "Such is life\n M\n L 18,4,77\n==17==\n";
	rp_reads_as(&rp_format_lackey, text, strlen(text), NULL, "R 0x10 4\nR 0x18 4\n", NULL, &r);
	cr_assert_str_eq(r.skipped, "text=3");
	cr_assert_str_eq(
	    r.warning, "t:5: 3 lines from 'hello, world' on are no records and were skipped");
	rp_reading_free(&r);
}

RP_TEST(lackey, lines_may_end_in_cr_blanks_or_the_file)
{
	RP_READS(rp_format_lackey, " L 10,4 \r\n\r\n   \n S 18,4\t\n L ABCdef,2x\n L 20,4",
	    "R 0x10 4\nW 0x18 4\nR 0xabcdef 2\nR 0x20 4\n");
}

RP_TEST(lackey, size_0_is_what_the_user_says_or_1)
{
	struct rp_read_opts o = { .size = 16 };
	RP_READS(rp_format_lackey, " L 10,0\n", "R 0x10 1\n");
	RP_READS_WITH(rp_format_lackey, " L 10,0\n L 10,2\n", &o, "R 0x10 16\nR 0x10 2\n");
}

RP_TEST(lackey, the_last_bytes_of_memory_can_be_touched)
{
	RP_READS(rp_format_lackey, " L ffffffffffffffff,1\n L 0,4294967295\n",
	    "R 0xffffffffffffffff 1\nR 0x0 4294967295\n");
	RP_FAILS(rp_format_lackey, " L 10,1\n L ffffffffffffffff,2\n",
	    "t:2: 2 bytes at address 0xffffffffffffffff end beyond 2^64");
}

RP_TEST(lackey, numbers_that_are_too_large_are_errors)
{
	RP_FAILS(rp_format_lackey, "\n L 10000000000000000,1\n",
	    "t:2: ' L 10000000000000000,1': an address of more than 64 or a size of more than 32 "
	    "bits");
	RP_FAILS(rp_format_lackey, " L 10,4294967296\n",
	    "t:1: ' L 10,4294967296': an address of more than 64 or a size of more than 32 bits");
}

RP_TEST(lackey, a_record_cut_short_by_the_end_is_an_error)
{
	static const char *const cut[] = { " L 10,4\n S 18,", " L 10,4\n S 1", " L 10,4\n S",
		" L 10,4\n S 18,\n" };
	for (size_t i = 0; i < sizeof cut / sizeof *cut; i++)
		RP_FAILS(rp_format_lackey, cut[i],
		    "t:2: the last record is cut short: wanted a letter, an address, a comma and a "
		    "size");
	RP_READS(rp_format_lackey, "I\n L 10,4\n", "R 0x10 4\n");
}

RP_TEST(lackey, what_holds_no_record_is_refused)
{
	RP_FAILS(rp_format_lackey, "\nhello\nworld\n",
	    "t:2: 'hello' is no record of lackey, and none follows");
	rp_reads_as(&rp_format_lackey, " L 10,4\n\0\n", 10, NULL, NULL,
	    "t:2: a NUL byte: this is no text", NULL);
	RP_READS(rp_format_lackey, "", "");
}

RP_TEST(lackey, writes_what_it_reads)
{
	struct rp_buf text;
	char lost[256];
	rp_write_as(&rp_format_lackey,
	    "stream,op,address,size\n0,R,0x1ffe8,8\n0,W,0,4294967295\n0,I,0xffffffffffffffff,1\n",
	    &text, lost);
	cr_assert_str_eq(lost, "");
	rp_reads_as(&rp_format_lackey, text.bytes, text.n, NULL,
	    "R 0x1ffe8 8\nW 0x0 4294967295\nI 0xffffffffffffffff 1\n", NULL, NULL);
	cr_assert(!memcmp(
	    text.bytes, " L 0001ffe8,8\n S 00000000,4294967295\nI  ffffffffffffffff,1\n", text.n));
	rp_buf_free(&text);
}

RP_TEST(lackey, tells_what_it_could_not_write)
{
	struct rp_buf text;
	char lost[256];
	rp_write_as(&rp_format_lackey,
	    "stream,op,address,size,time,pc,mask,space\n1,A,0x10,4,5,6,7,global\n0,P,0x20,4,0,0,0,"
	    "\n#kernel_end 0\n",
	    &text, lost);
	cr_assert_str_eq(lost, "atomic=1 prefetch=1 stream=1 time=1 pc=1 mask=1 space=1 mark=1");
	rp_reads_as(
	    &rp_format_lackey, text.bytes, text.n, NULL, "R 0x10 4\nR 0x20 4\n", NULL, NULL);
	rp_buf_free(&text);
}

RP_TEST(lackey, the_recorded_example_is_read)
{
	static const struct rp_read_opts none;
	struct rp_err err = { 0 };
	struct reading r;
	size_t kinds[256] = { 0 };
	struct rp_source *s =
	    rp_trace_open(RP_TOP_SRCDIR "/examples/traces/matmul.lackey.xz", &none, &err);
	cr_assert(s, "%s", err.text);
	cr_assert_str_eq(s->trace->format, "lackey");
	rp_read_source(&r, s, RP_BATCH);
	for (char *p = (char *)r.rows.bytes; *p; p = strchr(p, '\n') + 1)
		kinds[(unsigned char)*p]++;
	cr_assert_eq(kinds['I'], 349488);
	cr_assert_eq(kinds['R'], 76178 + 25); /* loads and the reads of modifies */
	cr_assert_eq(kinds['W'], 8388 + 25);
	cr_assert_str_eq(r.skipped, "");
	rp_reading_free(&r);
}

/* Counted by grep: lines that are I, L or S, and M twice. */
RP_TEST(lackey, the_recorded_classroom_traces_are_read)
{
	static const struct {
		const char *name;
		size_t rows; /* a modify makes two */
	} row[] = { { "yi.trace", 9 }, { "dave.trace", 5 }, { "long-head.trace", 5578 + 2 * 422 },
		{ "trans.trace", 576 + 2 * 20 } };
	if (!rp_test_shared())
		cr_skip_test("no recorded traces here");
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		static const struct rp_read_opts none;
		char path[4096];
		struct rp_err err = { 0 };
		struct reading r;
		snprintf(path, sizeof path, "%s/real-traces/cpu/lackey/%s", rp_test_shared(),
		    row[i].name);
		struct rp_source *s = rp_trace_open(path, &none, &err);
		cr_assert(s, "%s", err.text);
		cr_assert_str_eq(s->trace->format, "lackey");
		rp_read_source(&r, s, 100);
		cr_assert_eq(r.err.code, RP_OK, "%s", r.err.text);
		cr_assert_eq(r.n, row[i].rows, "%s: %zu", row[i].name, r.n);
		rp_reading_free(&r);
	}
}
