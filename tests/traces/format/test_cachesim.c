/* test_cachesim.c - tests traces/format/cachesim_csv.c, cachesim_txt.c and vscsi.c. */
#include "tests/traces/format/reading.h"

static const struct rp_read_opts bytes_too = { .object = 512 };

RP_TEST(cachesim, a_text_line_is_an_object)
{
	RP_READS(rp_format_cachesim_txt, "7\n 8 \r\n\n0x10", "R 0x1c0 1\nR 0x200 1\nR 0x400 1\n");
	RP_READS_WITH(rp_format_cachesim_txt, "7\n", &bytes_too, "R 0xe00 1\n");
	RP_FAILS(
	    rp_format_cachesim_txt, "7\nx8\n", "t:2: object 'x8' is no number of up to 64 bits");
	RP_FAILS(
	    rp_format_cachesim_txt, "7 8\n", "t:1: object '7 8' is no number of up to 64 bits");
	RP_FAILS(rp_format_cachesim_txt, "18446744073709551616\n",
	    "t:1: object '18446744073709551616' is no number of up to 64 bits");
	RP_FAILS_WITH(rp_format_cachesim_txt, "18446744073709551615\n", &bytes_too,
	    "t:1: object 18446744073709551615 of 1 bytes ends beyond 2^64");
}

RP_TEST(cachesim, columns_are_said_by_number_or_by_name)
{
	struct rp_read_opts o = { .csv = "time=2,id=5,size=4,op=3", .object = 512 };
	static const char text[] = "version,time,op,size,lbn\n1,100,2a,512,7\n1,101,28,1024,8\n";
	static const char rows[] = "W 0xe00 512 time=100\nR 0x1000 1024 time=101\n";
	RP_READS_WITH(rp_format_cachesim_csv, text, &o, rows);
	o.csv = "time = time, id = lbn, size = size, op = op";
	RP_READS_WITH(rp_format_cachesim_csv, text, &o, rows);
	o.csv = "time-col=2,obj-id-col=5,obj-size-col=4,op-col=3,has-header=true,delimiter=,";
	RP_READS_WITH(rp_format_cachesim_csv, text, &o, rows);
	o.csv = NULL;
	RP_READS_WITH(rp_format_cachesim_csv, text, &o, rows);
	o.csv = "id=5";
	RP_READS_WITH(rp_format_cachesim_csv, text, &o, "R 0xe00 1\nR 0x1000 1\n");
}

RP_TEST(cachesim, a_header_is_where_the_id_is_no_number_or_as_said)
{
	struct rp_read_opts o = { .csv = "id=2" };
	RP_READS_WITH(rp_format_cachesim_csv, "a,1\nb,2\n", &o, "R 0x40 1\nR 0x80 1\n");
	RP_READS_WITH(rp_format_cachesim_csv, "a,b\nb,2\n", &o, "R 0x80 1\n");
	o.csv = "id=2,header=yes";
	RP_READS_WITH(rp_format_cachesim_csv, "a,1\nb,2\n", &o, "R 0x80 1\n");
	o.csv = "id=2,header=no";
	RP_FAILS_WITH(
	    rp_format_cachesim_csv, "a,b\nb,2\n", &o, "t:1: id 'b' is no number of up to 64 bits");
	o.csv = "id=name,header=no";
	RP_FAILS_WITH(rp_format_cachesim_csv, "a,name\nb,2\n", &o,
	    "columns of cachesim-csv: id=name is a name, but header=no");
}

RP_TEST(cachesim, delimiters_are_found_or_said)
{
	static const struct {
		const char *csv, *text;
	} row[] = { { "id=2", "1\t7\n" }, { "id=2", "1|7\n" }, { "id=2", "1;7\n" },
		{ "id=2", "1:7\n" }, { "id=2,delimiter=tab", "1,1\t7\n" },
		{ "id=2,delimiter=|", "1,1|7\n" }, { "id=2,delimiter=space", "1,1 7\n" },
		{ "delimiter=,,id=2", "1,7\n" }, { "id=2,delimiter=,", "x, \"7\" ,\n" } };
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct rp_read_opts o = { .csv = row[i].csv };
		RP_READS_WITH(rp_format_cachesim_csv, row[i].text, &o, "R 0x1c0 1\n");
	}
}

RP_TEST(cachesim, operations_read_write_remove_or_are_skipped)
{
	struct rp_read_opts o = { .csv = "op=1,id=2" };
	struct reading r;
	static const char text[] = "get,1\nGETS,2\nread,3\nr,4\n28,5\n88,6\nset,1\nadd,2\ncas,"
				   "3\nincr,4\nWrite,5\n2A,6\n8a,7\n"
				   "delete,9\nnop,10\n35,11\n";
	rp_reads_as(&rp_format_cachesim_csv, text, strlen(text), &o,
	    "R 0x40 1\nR 0x80 1\nR 0xc0 1\nR 0x100 1\nR 0x140 1\nR 0x180 1\nW 0x40 1\nW 0x80 1\nW "
	    "0xc0 1\nW 0x100 1\n"
	    "W 0x140 1\nW 0x180 1\nW 0x1c0 1\ninvalidate 0x240 1\n",
	    NULL, &r);
	cr_assert_str_eq(r.skipped, "op=2");
	rp_reading_free(&r);
}

RP_TEST(cachesim, an_error_names_file_and_line_or_the_column_said)
{
	static const struct {
		const char *csv, *text, *message;
	} row[] = {
		{ NULL, "1,2\n",
		    "t:1: which column is the object's id? Wanted columns like "
		    "time=1,id=2,size=3,op=4" },
		{ "time=1", "1,2\n",
		    "t:1: which column is the object's id? Wanted columns like "
		    "time=1,id=2,size=3,op=4" },
		{ "id=3", "1,2\n", "t:1: no column 3, which is the id" },
		{ "id=1,size=2", "1,2\n3\n", "t:2: no column 2, which is the size" },
		{ "id=1", "1\n2x\n", "t:2: id '2x' is no number of up to 64 bits" },
		{ "id=1,size=2", "1,2\n1,-2\n", "t:2: size '-2' is no number of up to 64 bits" },
		{ "id=1,size=2", "1,4294967296\n",
		    "t:1: object 1 of 4294967296 bytes ends beyond 2^64" },
		{ "id=1,time=2", "1,2.5\n1,2.x\n",
		    "t:2: time '2.x' is no number of up to 64 bits" },
		{ "id=lbn", "a,b\n1,2\n", "t:1: no column 'lbn' for id= in the header" },
		{ "id=0", "1\n", "columns of cachesim-csv: id=0: columns count from 1" },
		{ "id=", "1\n",
		    "columns of cachesim-csv: id= is empty, wanted a column's number or name" },
		{ "ids=1", "1\n",
		    "columns of cachesim-csv: 'ids' is none of id, time, size, op, delimiter, "
		    "header" },
		{ "1", "1\n", "columns of cachesim-csv: '1' is no key=value" },
		{ "id=1,header=maybe", "1\n",
		    "columns of cachesim-csv: header 'maybe' is neither yes nor no" },
		{ "id=1,delimiter=ab", "1\n",
		    "columns of cachesim-csv: delimiter 'ab' is no single character, nor tab or "
		    "space" },
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct rp_read_opts o = { .csv = row[i].csv };
		RP_FAILS_WITH(rp_format_cachesim_csv, row[i].text, &o, row[i].message);
	}
}

static void
put(unsigned char *to, size_t at, uint64_t x, int bytes)
{
	for (int i = 0; i < bytes; i++)
		to[at + (size_t)i] = (unsigned char)(x >> 8 * i);
}

/* A record of either version. */
static void
vscsi_record(
    unsigned char *r, int version, unsigned command, uint64_t block, uint32_t length, uint64_t time)
{
	memset(r, 0, 40);
	put(r, version == 1 ? 12 : 0, command, 2);
	put(r, version == 1 ? 14 : 2, (uint64_t)version << 8, 2);
	put(r, version == 1 ? 4 : 8, length, 4);
	put(r, 16, block, 8);
	put(r, 24, time, 8);
}

RP_TEST(cachesim, vscsi_has_two_versions)
{
	for (int version = 1; version <= 2; version++) {
		size_t bytes = version == 1 ? 32 : 40;
		unsigned char r[6 * 40];
		struct reading got;
		static const unsigned command[] = { 0x28, 0x2a, 0x88, 0x8a, 0x35 };
		for (size_t i = 0; i < 5; i++)
			vscsi_record(r + i * bytes, version, command[i], i + 1, 1024, 100 + i);
		cr_assert_str_eq(rp_found(r, 5 * bytes), "vscsi");
		rp_reads_as(&rp_format_vscsi, r, 5 * bytes, NULL,
		    "R 0x40 1 time=100\nW 0x80 1 time=101\nR 0xc0 1 time=102\nW 0x100 1 time=103\n",
		    NULL, &got);
		cr_assert_str_eq(got.skipped, "op=1");
		rp_reading_free(&got);
		rp_reads_as(
		    &rp_format_vscsi, r, bytes, &bytes_too, "R 0x200 1024 time=100\n", NULL, NULL);
	}
}

RP_TEST(cachesim, vscsi_must_be_whole_and_of_a_known_version)
{
	unsigned char r[80];
	vscsi_record(r, 1, 0x28, 1, 512, 0);
	vscsi_record(r + 32, 1, 0x28, UINT64_MAX, 512, 0);
	rp_reads_as(&rp_format_vscsi, r, 40, NULL, NULL,
	    "t: offset 32: the last record has 8 bytes, wanted 32", NULL);
	rp_reads_as(&rp_format_vscsi, r, 64, &bytes_too, NULL,
	    "t: offset 32: object 18446744073709551615 of 512 bytes ends beyond 2^64", NULL);
	put(r, 14, 0x300, 2);
	rp_reads_as(&rp_format_vscsi, r, 64, NULL, NULL,
	    "t: offset 0: no version 1 or 2 in the first two records", NULL);
}
