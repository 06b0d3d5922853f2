/* test_din.c - tests traces/format/din.c. */
#include "tests/traces/format/reading.h"

RP_TEST(din, each_label_has_its_kind)
{
	RP_READS(rp_format_din, "0 1fe0\n1 1fe4\n2 1fe8\n3 1fec\n4 1ff0\n5 1ff4\n",
	    "R 0x1fe0 4\nW 0x1fe4 4\nI 0x1fe8 4\nR 0x1fec 4\ncopy_back 0x1ff0 4\ninvalidate 0x1ff4 "
	    "4\n");
}

RP_TEST(din, addresses_are_rounded_down_to_a_word)
{
	struct rp_read_opts o = { .size = 8 };
	RP_READS(
	    rp_format_din, "0 1fe3\n0 ffffffffffffffff\n", "R 0x1fe0 4\nR 0xfffffffffffffffc 4\n");
	RP_READS_WITH(rp_format_din, "0 1fe3\n", &o, "R 0x1fe0 8\n");
}

RP_TEST(din, the_rest_of_a_line_and_blanks_do_not_matter)
{
	RP_READS(rp_format_din, "\n0 0x10 what ever\r\n\t1\t 20  \n\n2 30",
	    "R 0x10 4\nW 0x20 4\nI 0x30 4\n");
	RP_READS(rp_format_din, "", "");
}

RP_TEST(din, an_error_names_file_and_line)
{
	RP_FAILS(rp_format_din, "0 10\nq 20\n", "t:2: label 'q' is none of 0, 1, 2, 3, 4, 5");
	RP_FAILS(rp_format_din, "0 10\n6 20\n", "t:2: label '6' is none of 0, 1, 2, 3, 4, 5");
	RP_FAILS(rp_format_din, "0 10\n10 20\n", "t:2: label '10' is none of 0, 1, 2, 3, 4, 5");
	RP_FAILS(rp_format_din, "0 10\n0\n",
	    "t:2: address '' is no hexadecimal number of up to 64 bits");
	RP_FAILS(rp_format_din, "0 10g\n",
	    "t:1: address '10g' is no hexadecimal number of up to 64 bits");
	RP_FAILS(rp_format_din, "0 10000000000000000\n",
	    "t:1: address '10000000000000000' is no hexadecimal number of up to 64 bits");
}

RP_TEST(din, garbage_is_quoted_in_part_and_on_one_line)
{
	RP_FAILS(rp_format_din,
	    "\x01\x02"
	    "0123456789012345678901234567890123456789\n",
	    "t:1: label '??01234567890123456789012345678901234567' is none of 0, 1, 2, 3, 4, 5");
	rp_reads_as(&rp_format_din, "0 10\n\0\n", 7, NULL, NULL,
	    "t:2: label '' is none of 0, 1, 2, 3, 4, 5", NULL);
}

RP_TEST(din, a_size_of_the_users_must_not_wrap)
{
	struct rp_read_opts o = { .size = 5 };
	RP_FAILS_WITH(rp_format_din, "0 ffffffffffffffff\n", &o,
	    "t:1: 5 bytes at address 0xfffffffffffffffc end beyond 2^64");
}

RP_TEST(din, writes_what_it_reads)
{
	struct rp_buf text;
	char lost[256];
	rp_write_as(&rp_format_din,
	    "op,address,size\nR,0x1fe0,4\nW,0,4\nI,0xfffffffffffffffc,4\n#copy_back 0x10 "
	    "4\n#invalidate 0x14 4\n",
	    &text, lost);
	cr_assert_str_eq(lost, "");
	rp_reads_as(&rp_format_din, text.bytes, text.n, NULL,
	    "R 0x1fe0 4\nW 0x0 4\nI 0xfffffffffffffffc 4\ncopy_back 0x10 4\ninvalidate 0x14 4\n",
	    NULL, NULL);
	rp_buf_free(&text);
}

RP_TEST(din, tells_what_it_could_not_write)
{
	struct rp_buf text;
	char lost[256];
	rp_write_as(&rp_format_din,
	    "op,address,size,stream\nR,0x10,8,0\nW,0x11,4,1\nA,0,4,2\nP,0,4,0\n#host_copy 0 4\n",
	    &text, lost);
	cr_assert_str_eq(lost, "atomic=1 prefetch=1 stream=2 size=2 mark=1");
	rp_reads_as(&rp_format_din, text.bytes, text.n, NULL,
	    "R 0x10 4\nW 0x10 4\nR 0x0 4\nR 0x0 4\n", NULL, NULL);
	rp_buf_free(&text);
}

RP_TEST(din, the_recorded_matrix_multiply_has_its_counts)
{
	static const struct rp_read_opts none;
	const char *shared = rp_test_shared(), *name[] = { "mm32.din.xz", "mm32.xdin.xz" };
	char path[4096];
	struct reading r[2];
	if (!shared)
		cr_skip_test("no recorded traces here");
	for (int i = 0; i < 2; i++) {
		struct rp_err err = { 0 };
		snprintf(path, sizeof path, "%s/real-traces/cpu/dinero/%s", shared, name[i]);
		struct rp_source *s = rp_trace_open(path, &none, &err);
		cr_assert(s, "%s", err.text);
		cr_assert_str_eq(s->trace->format, i ? "xdin" : "din");
		rp_read_source(&r[i], s, RP_BATCH);
	}
	size_t kinds[256] = { 0 };
	for (char *p = (char *)r[0].rows.bytes; *p; p = strchr(p, '\n') + 1)
		kinds[(unsigned char)*p]++;
	cr_assert_eq(r[0].n, 265775);
	cr_assert_eq(kinds['I'], 188971);
	cr_assert_eq(kinds['R'], 70370 + 8);
	cr_assert_eq(kinds['W'], 6426);
	/* The same accesses; din knows neither their sizes nor the bytes within a word. */
	char *p[2] = { (char *)r[0].rows.bytes, (char *)r[1].rows.bytes };
	for (size_t n = 0; n < 265775; n++) {
		unsigned long long addr[2];
		cr_assert_eq(*p[0], *p[1]);
		for (int i = 0; i < 2; i++) {
			addr[i] = strtoull(p[i] + 2, NULL, 16);
			p[i] = strchr(p[i], '\n') + 1;
		}
		cr_assert_eq(addr[0], addr[1] & ~3ull);
	}
	cr_assert(!*p[0] && !*p[1]);
	rp_reading_free(&r[0]);
	rp_reading_free(&r[1]);
}
