/* test_xdin.c - tests traces/format/xdin.c. */
#include "tests/traces/format/reading.h"

RP_TEST(xdin, each_letter_has_its_kind_and_sizes_are_hexadecimal)
{
	RP_READS(rp_format_xdin, "r 1fe0 4\nw 1fe1 10\ni 0x3 0x1\nm 5 2\nc 40 ff\nv 80 20\nR 1 1\n",
	    "R 0x1fe0 4\nW 0x1fe1 16\nI 0x3 1\nR 0x5 2\ncopy_back 0x40 255\ninvalidate 0x80 32\nR "
	    "0x1 1\n");
}

RP_TEST(xdin, blanks_cr_and_further_fields_do_not_matter)
{
	RP_READS(rp_format_xdin, "\n r  10\t4 \r\n\nw 20 8 more\ni 30 2",
	    "R 0x10 4\nW 0x20 8\nI 0x30 2\n");
}

RP_TEST(xdin, size_0_is_a_word_unless_the_user_says)
{
	struct rp_read_opts o = { .size = 8 };
	RP_READS(rp_format_xdin, "r 10 0\n", "R 0x10 4\n");
	RP_READS_WITH(rp_format_xdin, "r 10 0\n", &o, "R 0x10 8\n");
}

RP_TEST(xdin, an_error_names_file_and_line)
{
	RP_FAILS(rp_format_xdin, "r 10 4\nq 20 4\n", "t:2: label 'q' is none of r, w, i, m, c, v");
	RP_FAILS(rp_format_xdin, "0 10\n", "t:1: label '0' is none of r, w, i, m, c, v");
	RP_FAILS(rp_format_xdin, "rw 10 4\n", "t:1: label 'rw' is none of r, w, i, m, c, v");
	RP_FAILS(rp_format_xdin, "r 1x 4\n",
	    "t:1: address '1x' is no hexadecimal number of up to 64 bits");
	RP_FAILS(
	    rp_format_xdin, "r\n", "t:1: address '' is no hexadecimal number of up to 64 bits");
	RP_FAILS(
	    rp_format_xdin, "r 10\n", "t:1: size '' is no hexadecimal number of up to 32 bits");
	RP_FAILS(rp_format_xdin, "r 10 100000000\n",
	    "t:1: size '100000000' is no hexadecimal number of up to 32 bits");
	RP_FAILS(rp_format_xdin, "r ffffffffffffffff 2\n",
	    "t:1: 2 bytes at address 0xffffffffffffffff end beyond 2^64");
	RP_FAILS(
	    rp_format_xdin, "c 0 0\n", "t:1: 'c' of size 0, the whole cache, is not supported");
}

RP_TEST(xdin, writes_what_it_reads)
{
	static const char rows[] =
	    "R 0x1fe0 1\nW 0x0 4294967295\nI 0xffffffffffffffff 1\ncopy_back 0x10 64\n"
	    "invalidate 0x15 3\n";
	struct rp_buf text;
	char lost[256];
	rp_write_as(&rp_format_xdin,
	    "op,address,size\nR,0x1fe0,1\nW,0,4294967295\nI,0xffffffffffffffff,1\n#copy_back 0x10 "
	    "64\n"
	    "#invalidate 0x15 3\n",
	    &text, lost);
	cr_assert_str_eq(lost, "");
	rp_reads_as(&rp_format_xdin, text.bytes, text.n, NULL, rows, NULL, NULL);
	rp_buf_free(&text);
}

RP_TEST(xdin, tells_what_it_could_not_write)
{
	struct rp_buf text;
	char lost[256];
	rp_write_as(&rp_format_xdin,
	    "op,address,size,stream,time\nA,0,4,2,9\nP,0,4,0,0\n#kernel_end 0\n", &text, lost);
	cr_assert_str_eq(lost, "atomic=1 prefetch=1 stream=1 time=1 mark=1");
	rp_buf_free(&text);
}
