/* test_csv.c - tests traces/format/csv.c. */
#include "tests/traces/format/reading.h"

RP_TEST(csv, columns_are_found_by_name)
{
	RP_READS(rp_format_csv, "stream,op,address,size\n0,R,0x10,4\n1,W,32,8\n",
	    "R 0x10 4\nW 0x20 8 stream=1\n");
	RP_READS(rp_format_csv, "pc,time,size,address,op,stream\n0x400,17,4,0x10,I,2\n",
	    "I 0x10 4 stream=2 time=17 pc=0x400\n");
	RP_READS(rp_format_csv, "op,address\nR,1\n", "R 0x1 1\n");
	RP_READS(rp_format_csv,
	    "op,address,size,mask,space\nR,0x20,32,0xff,global\nW,0x40,32,,local\nR,0,1,0,none\n",
	    "R 0x20 32 mask=0xff flags=0x1\nW 0x40 32 flags=0x2\nR 0x0 1\n");
}

RP_TEST(csv, the_trace_has_the_columns_of_the_header)
{
	static const struct {
		const char *text;
		unsigned columns;
	} row[] = { { "op,address\n", 0 }, { "stream,op,address,size\n", RP_COL_STREAM },
		{ "op,address,time,pc\n", RP_COL_TIME | RP_COL_PC },
		{ "op,address,mask\n", RP_COL_MASK }, { "op,address,bypass\n", RP_COL_FLAGS } };
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct reading r;
		rp_read(&r, &rp_format_csv, row[i].text, strlen(row[i].text), NULL, 4, 0);
		cr_assert_eq(r.columns, row[i].columns, "%s", row[i].text);
		rp_reading_free(&r);
	}
}

RP_TEST(csv, every_op_has_a_letter_small_ones_too)
{
	RP_READS(rp_format_csv, "op,address\nR,0\nW,0\nA,0\nP,0\nI,0\nr,0\nw,0\na,0\np,0\ni,0\n",
	    "R 0x0 1\nW 0x0 1\nA 0x0 1\nP 0x0 1\nI 0x0 1\nR 0x0 1\nW 0x0 1\nA 0x0 1\nP 0x0 1\nI "
	    "0x0 1\n");
}

RP_TEST(csv, a_preamble_is_announced_before_the_header)
{
	struct reading r;
	const char text[] = "# made by hand\n#preamble 12\n\nop,address\nR,0\n";
	rp_reads_as(&rp_format_csv, text, strlen(text), NULL, "R 0x0 1\n", NULL, &r);
	cr_assert_eq(r.preamble, 12);
	rp_reading_free(&r);
	RP_FAILS(rp_format_csv, "#preamble x\nop,address\n",
	    "t:1: '#preamble x': wanted #preamble and a number of accesses");
	RP_FAILS(rp_format_csv, "op,address\n#preamble 3\n",
	    "t:2: #preamble stands behind the header line");
}

RP_TEST(csv, marks_keep_their_place_and_other_comments_do_not_matter)
{
	RP_READS(rp_format_csv,
	    "op,address\n#host_copy 0x100 4096\nR,0\n# a comment\n#kernel_end 3\n#copy_back 0x40 "
	    "64\n#invalidate 64 1\n",
	    "host_copy 0x100 4096\nR 0x0 1\nkernel_end 0x3 1\ncopy_back 0x40 64\ninvalidate 0x40 "
	    "1\n");
	RP_FAILS(rp_format_csv, "op,address\n#host_copy 0x100\n",
	    "t:2: '#host_copy 0x100': wanted #host_copy and an address and a number of bytes, with "
	    "blanks between");
	RP_FAILS(rp_format_csv, "op,address\n#invalidate 0x100 0\n",
	    "t:2: '#invalidate 0x100 0': wanted #invalidate and an address and a number of bytes, "
	    "with blanks between");
	RP_FAILS(rp_format_csv, "op,address\n#kernel_end\n",
	    "t:2: '#kernel_end': wanted #kernel_end and the kernel's number, with blanks between");
	RP_FAILS(rp_format_csv, "op,address\n#copy_back 0xffffffffffffffff 2\n",
	    "t:2: 2 bytes at address 0xffffffffffffffff end beyond 2^64");
	RP_FAILS(rp_format_csv, "#kernel_end 3\nop,address\n",
	    "t:1: '#kernel_end 3' stands before the header line");
}

RP_TEST(csv, a_mark_written_wrongly_is_no_comment)
{
	static const char *const line[] = { "#kernel_end,0", "#kernel_end3", "#kernel_end 3 4",
		"#kernel_end 0x", "#host_copy", "#host_copy,0x100,64", "#host_copy 0x100,64",
		"#copy_back=0x40 64", "#copy_back 0x40 -1", "#invalidated 0x40 64" };
	for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
		char text[100], message[200];
		snprintf(text, sizeof text, "op,address\nR,0\n%s\n", line[i]);
		snprintf(message, sizeof message, "t:3: '%s': wanted ", line[i]);
		struct reading r;
		rp_read(&r, &rp_format_csv, text, strlen(text), NULL, 4, 0);
		cr_assert_eq(r.err.code, RP_INPUT, "%s", line[i]);
		cr_assert(!strncmp(r.err.text, message, strlen(message)), "%s", r.err.text);
		rp_reading_free(&r);
	}
	RP_READS(rp_format_csv,
	    "op,address\n# kernel_end,0\n#kernel end\n#Host_copy\n#kernels 3\n#\nR,0\n",
	    "R 0x0 1\n");
	RP_FAILS(rp_format_csv, "#preamble,12\nop,address\n",
	    "t:1: '#preamble,12': wanted #preamble and a number of accesses");
	RP_FAILS(rp_format_csv, "#host_copy,1\nop,address\n",
	    "t:1: '#host_copy,1' stands before the header line");
}

RP_TEST(csv, flags_of_gpu_accesses_have_columns)
{
	RP_READS(rp_format_csv,
	    "op,address,size,space,bypass,same\nR,0,1,global,1,0\nR,0,1,local,0,1\n",
	    "R 0x0 1 flags=0x9\nR 0x0 1 flags=0x12\n");
	RP_FAILS(rp_format_csv, "op,address,bypass\nR,0,2\n", "t:2: bypass is 2, wanted 0 or 1");
	RP_FAILS(rp_format_csv, "op,address,space\nR,0,shared\n",
	    "t:2: space 'shared' is none of global, local, none");
}

RP_TEST(csv, cr_blanks_and_a_missing_newline_do_not_matter)
{
	RP_READS(rp_format_csv,
	    " stream , op,address\t,size \r\n\r\n 0 , R , 0x10 , 4 \r\n0,W,0x20,4",
	    "R 0x10 4\nW 0x20 4\n");
}

RP_TEST(csv, a_byte_order_mark_in_front_is_skipped)
{
	static const char mark[] = "\xef\xbb\xbf", text[] = "\xef\xbb\xbfop,address\nR,0x10\n";
	struct reading r;
	RP_READS(rp_format_csv, text, "R 0x10 1\n");
	cr_assert_str_eq(rp_found(text, strlen(text)), "csv");
	rp_reads_as(
	    &rp_format_csv, "\xef\xbb\xbf#preamble 3\nop,address\n", 26, NULL, "", NULL, &r);
	cr_assert_eq(r.preamble, 3);
	rp_reading_free(&r);
	RP_FAILS(
	    rp_format_csv, mark, "t:0: no header line: wanted stream,op,address,size or the like");
	cr_assert_str_eq(rp_found("\xef\xbb"
				  "op,address\n",
			     13),
	    "none");
	cr_assert_str_eq(rp_found("\xef\xbb\xbf\xef\xbb\xbfop,address\n", 17), "none");
}

RP_TEST(csv, an_error_names_file_and_line)
{
	static const char columns[] =
	    "stream, op, address, size, time, pc, mask, space, bypass, same";
	char text[256];
	RP_FAILS(
	    rp_format_csv, "", "t:0: no header line: wanted stream,op,address,size or the like");
	snprintf(
	    text, sizeof text, "t:1: no column 'adress'; the header names some of %s", columns);
	RP_FAILS(rp_format_csv, "stream,op,adress,size\n", text);
	snprintf(text, sizeof text, "t:1: the header names no 'op'; the columns are %s", columns);
	RP_FAILS(rp_format_csv, "stream,address,size\n", text);
	snprintf(
	    text, sizeof text, "t:1: the header names no 'address'; the columns are %s", columns);
	RP_FAILS(rp_format_csv, "op\n", text);
	RP_FAILS(rp_format_csv, "op,address,op\n", "t:1: column 'op' is named twice");
	RP_FAILS(rp_format_csv, "op,address\nR,0\nX,0\n", "t:3: op 'X' is none of R, W, A, P, I");
	RP_FAILS(rp_format_csv, "op,address\nRW,0\n", "t:2: op 'RW' is none of R, W, A, P, I");
	RP_FAILS(rp_format_csv, "op,address\nR,\n",
	    "t:2: address '' is no number of up to 64 bits, decimal or with 0x");
	RP_FAILS(rp_format_csv, "op,address\nR,-1\n",
	    "t:2: address '-1' is no number of up to 64 bits, decimal or with 0x");
	RP_FAILS(rp_format_csv, "op,address,size\nR,0,4294967296\n",
	    "t:2: size '4294967296' is no number of up to 32 bits, decimal or with 0x");
	RP_FAILS(rp_format_csv, "op,address,size\nR,0\n", "t:2: 2 fields, the header names 3");
	RP_FAILS(rp_format_csv, "op,address,size\nR,0,4,5\n",
	    "t:2: more fields than the 3 that the header names");
	RP_FAILS(rp_format_csv, "op,address,size\nR,0xffffffffffffffff,2\n",
	    "t:2: 2 bytes at address 0xffffffffffffffff end beyond 2^64");
}

static void
comes_back(const char *csv)
{
	struct rp_buf text;
	char lost[256];
	rp_write_as(&rp_format_csv, csv, &text, lost);
	cr_assert_str_eq(lost, "");
	cr_assert_eq(text.n, strlen(csv), "%.*s", (int)text.n, text.bytes);
	cr_assert(!memcmp(text.bytes, csv, text.n), "%.*s", (int)text.n, text.bytes);
	rp_buf_free(&text);
}

RP_TEST(csv, writes_what_it_reads)
{
	comes_back("stream,op,address,size\n");
	comes_back("stream,op,address,size\n0,R,0x0,1\n4294967295,W,0xffffffffffffffff,1\n1,A,0x10,"
		   "4294967295\n");
	comes_back(
	    "#preamble "
	    "1\nstream,op,address,size,time\n0,R,0x10,4,18446744073709551615\n0,P,0x20,4,0\n");
	comes_back("stream,op,address,size,pc\n0,I,0x10,4,0xffffffffffffffff\n");
	comes_back(
	    "stream,op,address,size,time,pc,mask,space,bypass,same\n#host_copy 0x7f00 4294967295\n"
	    "7,R,0x20,32,1,0x2,0x000000ff,global,1,0\n7,W,0x40,32,1,0x2,0xffffffff,local,0,1\n"
	    "#kernel_end 0\n#copy_back 0x10 4\n#invalidate 0x10 "
	    "4\n7,W,0x40,32,1,0x2,0x00000000,none,0,0\n");
}
