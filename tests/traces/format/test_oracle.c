/* test_oracle.c - tests traces/format/oracle.c, and that all of libCacheSim's encodings hold the same objects. */
#include "tests/traces/format/reading.h"

static const unsigned char three[72] = {
	5,
	0,
	0,
	0,
	7,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	2,
	0,
	0,
	2,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	6,
	0,
	0,
	0,
	8,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	255,
	255,
	255,
	255,
	255,
	255,
	255,
	255,
	6,
	0,
	0,
	0,
	7,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	2,
	0,
	0,
	255,
	255,
	255,
	255,
	255,
	255,
	255,
	127,
};

RP_TEST(oracle, objects_are_whole_and_empty_ones_skipped)
{
	struct rp_read_opts keep = { .keep_empty = true };
	struct reading r;
	rp_reads_as(&rp_format_oracle, three, sizeof three, NULL,
	    "R 0x1c0 1 time=5\nR 0x1c0 1 time=6\n", NULL, &r);
	cr_assert_str_eq(r.skipped, "zero_size=1");
	cr_assert_eq(r.columns, RP_COL_TIME);
	rp_reading_free(&r);
	rp_reads_as(&rp_format_oracle, three, sizeof three, &keep,
	    "R 0x1c0 1 time=5\nR 0x200 1 time=6\nR 0x1c0 1 time=6\n", NULL, NULL);
}

RP_TEST(oracle, objects_may_be_blocks_of_bytes)
{
	struct rp_read_opts o = { .object = 512, .keep_empty = true };
	rp_reads_as(&rp_format_oracle, three, sizeof three, &o,
	    "R 0xe00 512 time=5\nR 0x1000 1 time=6\nR 0xe00 512 time=6\n", NULL, NULL);
}

RP_TEST(oracle, no_two_ids_share_a_line)
{
	unsigned char r[24];
	struct rp_read_opts o = { .object = 2 };
	memcpy(r, three, sizeof r);
	r[11] = 0xfc; /* id 0xfc00000000000007 */
	rp_reads_as(&rp_format_oracle, r, sizeof r, NULL, "R 0x1ff 1 time=5\n", NULL, NULL);
	rp_reads_as(&rp_format_oracle, r, sizeof r, &o, NULL,
	    "t: offset 0: object 18158513697557839879 of 512 bytes ends beyond 2^64", NULL);
}

RP_TEST(oracle, a_record_cut_short_is_an_error)
{
	rp_reads_as(&rp_format_oracle, three, 47, NULL, NULL,
	    "t: offset 24: the last record has 23 bytes, wanted 24", NULL);
	rp_reads_as(&rp_format_oracle, three, 0, NULL, "", NULL, NULL);
}

RP_TEST(oracle, writes_what_it_reads_but_for_the_future)
{
	struct rp_buf bytes;
	char lost[256];
	struct rp_read_opts o = { .object = 1 };
	rp_write_as(&rp_format_oracle,
	    "op,address,size,time\nR,0x1c0,1,5\nR,0xffffffffffffffff,1,6\nR,0x3f,4096,4294967295\n",
	    &bytes, lost);
	cr_assert_str_eq(lost, "next_access=3");
	cr_assert_eq(bytes.n, 72);
	rp_reads_as(&rp_format_oracle, bytes.bytes, bytes.n, NULL,
	    "R 0x1c0 1 time=5\nR 0xffffffffffffffff 1 time=6\nR 0x3f 1 time=4294967295\n", NULL,
	    NULL);
	rp_reads_as(&rp_format_oracle, bytes.bytes, 24, &o, "R 0x7 1 time=5\n", NULL, NULL);
	for (size_t i = 0; i < 3; i++)
		for (size_t k = 16; k < 24; k++)
			cr_assert_eq(bytes.bytes[24 * i + k], 255);
	rp_buf_free(&bytes);
}

RP_TEST(oracle, tells_what_it_could_not_write)
{
	struct rp_buf bytes;
	char lost[256];
	rp_write_as(&rp_format_oracle,
	    "op,address,size,time,stream,pc\nW,0,1,4294967296,1,1\nA,0,1,0,0,0\nI,0,1,0,0,0\nP,0,1,"
	    "0,0,0\n#kernel_end 1\n",
	    &bytes, lost);
	cr_assert_str_eq(
	    lost, "atomic=1 prefetch=1 write=1 fetch=1 stream=1 time=1 pc=1 mark=1 next_access=4");
	rp_buf_free(&bytes);
}

/* Reads a recorded encoding; only "address" of each row is kept, and with `times` the time as well. */
static void
read_ids(const char *name, const char *format, const struct rp_read_opts *o, bool times,
    struct rp_buf *ids)
{
	char path[4096];
	struct rp_err err = { 0 };
	struct reading r;
	snprintf(path, sizeof path, "%s/real-traces/cpu/libcachesim/%s", rp_test_shared(), name);
	struct rp_source *s = rp_trace_open(path, o, &err);
	cr_assert(s, "%s: %s", name, err.text);
	cr_assert_str_eq(s->trace->format, format);
	rp_read_source(&r, s, 1000);
	cr_assert_eq(r.n, 3500, "%s", name);
	cr_assert_eq(r.err.code, RP_OK, "%s", r.err.text);
	*ids = (struct rp_buf){ 0 };
	for (char *p = (char *)r.rows.bytes; *p; p = strchr(p, '\n') + 1) {
		unsigned long long id;
		unsigned size;
		unsigned long long time = 0;
		cr_assert_geq(sscanf(p + 1, " %llx %u time=%llu", &id, &size, &time), 2);
		rp_buf_printf(ids, NULL, "%llx %llu\n", id, times ? time : 0);
	}
	rp_buf_add(ids, "", 1, NULL);
	rp_reading_free(&r);
}

static bool
same(const struct rp_buf *a, const struct rp_buf *b)
{
	return a->n == b->n && !memcmp(a->bytes, b->bytes, a->n);
}

RP_TEST(oracle, the_recorded_encodings_of_libcachesim_hold_the_same_objects)
{
	static const struct {
		const char *name, *format, *csv;
		bool times;
	} row[] = { { "cloudPhysicsIO-head.oracleGeneral.bin", "oracleGeneral", NULL, true },
		{ "cloudPhysicsIO-head.csv", "cachesim-csv", NULL, true },
		{ "cloudPhysicsIO-head.csv", "cachesim-csv", "time=2,id=5,size=4,op=3,header=yes",
		    true },
		{ "cloudPhysicsIO-head.txt", "cachesim-txt", NULL, false },
		{ "cloudPhysicsIO-head.vscsi", "vscsi", NULL, false } };
	enum { ROWS = sizeof row / sizeof *row };
	if (!rp_test_shared())
		cr_skip_test("no recorded traces here");
	for (int object = 0; object <= 1; object++) {
		struct rp_buf first[2] = { { 0 }, { 0 } }; /* without times, with */
		for (size_t i = 0; i < ROWS; i++) {
			struct rp_read_opts o = { .csv = row[i].csv, .object = (uint32_t)object };
			for (int times = 0; times <= row[i].times; times++) {
				struct rp_buf ids;
				read_ids(row[i].name, row[i].format, &o, times, &ids);
				if (i == 0)
					first[times] = ids;
				else
					cr_assert(same(&ids, &first[times]), "%s", row[i].name);
				if (i)
					rp_buf_free(&ids);
			}
		}
		rp_buf_free(&first[0]);
		rp_buf_free(&first[1]);
	}
}
