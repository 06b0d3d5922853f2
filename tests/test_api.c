/* test_api.c - the public interface, through the shared library alone. */
#include "tests/check.h"

#include "reprise.h"

#include <math.h>
#include <unistd.h>

/* Accesses of one byte at these addresses, of which some write. */
struct own {
	uint64_t address[8];
	uint32_t size[8], stream[8];
	uint8_t kind[8];
};

static struct reprise_batch
batch_of(struct own *o, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!o->size[i])
			o->size[i] = 1;
	return (struct reprise_batch){
		.n = n, .address = o->address, .size = o->size, .kind = o->kind, .stream = o->stream
	};
}

static struct reprise_replay *
replay_of(const char *spec, const char *options)
{
	struct reprise_error err;
	struct reprise_replay *r = reprise_replay_new(&spec, 1, options, &err);
	cr_assert(r, "%s", err.text);
	return r;
}

static uint64_t
count(const struct reprise_replay *r, enum reprise_part part, size_t index, const char *name)
{
	struct reprise_error err;
	uint64_t value = 0;
	cr_assert(reprise_replay_count(r, 0, part, index, name, &value, &err), "%s", err.text);
	return value;
}

static struct reprise_trace *
trace_of(const char *name, const char *options)
{
	struct reprise_error err;
	struct reprise_trace *t = reprise_trace_open(&name, 1, options, &err);
	cr_assert(t, "%s", err.text);
	return t;
}

RP_TEST(api, the_version_is_that_of_the_build)
{
	cr_assert_str_eq(reprise_version(), PACKAGE_VERSION);
}

/* Two lines of 64 bytes, LRU. 0 and 63 are line 0, 64 is line 1, 128 line 2.
 * 0 miss, 63 hit, 64 write miss, 0 hit, 128 miss (evicts line 1, dirty), 64 miss (evicts line 0, clean). */
RP_TEST(api, a_batch_of_ones_own_is_replayed)
{
	struct own o = { .address = { 0, 63, 64, 0, 128, 64 }, .kind = { [2] = REPRISE_WRITE } };
	struct reprise_batch b = batch_of(&o, 6);
	struct reprise_replay *r = replay_of("lru,size=128", NULL);
	cr_assert(reprise_replay_run(r, &b, NULL));
	cr_assert(reprise_replay_end(r, NULL));
	cr_expect_eq(count(r, REPRISE_ALL, 0, "accesses"), 6);
	cr_expect_eq(count(r, REPRISE_ALL, 0, "hits"), 2);
	cr_expect_eq(count(r, REPRISE_ALL, 0, "misses"), 4);
	cr_expect_eq(count(r, REPRISE_ALL, 0, "write_misses"), 1);
	cr_expect_eq(count(r, REPRISE_ALL, 0, "evictions"), 2);
	cr_expect_eq(count(r, REPRISE_ALL, 0, "writebacks"), 1);
	double ratio;
	cr_assert(reprise_replay_ratio(r, 0, REPRISE_ALL, 0, "miss_ratio", &ratio, NULL));
	cr_expect_float_eq(ratio, 4.0 / 6, 1e-15);
	reprise_replay_free(r);
}

RP_TEST(api, streams_and_intervals_have_counters_of_their_own)
{
	struct own o = { .address = { 0, 0, 64, 64, 0, 128 }, .stream = { 7, 7, 3, 3, 3, 7 } };
	struct reprise_batch b = batch_of(&o, 6);
	struct reprise_replay *r = replay_of("lru,size=256", "by-stream=yes,interval=2,warmup=1");
	cr_assert(reprise_replay_run(r, &b, NULL));
	cr_assert(reprise_replay_end(r, NULL));
	cr_expect_eq(count(r, REPRISE_ALL, 0, "accesses"), 5);
	cr_assert_eq(reprise_replay_parts(r, REPRISE_STREAM), 2);
	cr_expect_eq(reprise_replay_stream(r, 0), 3);
	cr_expect_eq(reprise_replay_stream(r, 1), 7);
	cr_expect_eq(count(r, REPRISE_STREAM, 0, "lookups"), 3);
	cr_expect_eq(count(r, REPRISE_STREAM, 0, "hits"), 2);
	cr_expect_eq(count(r, REPRISE_STREAM, 1, "hits"), 1);
	cr_assert_eq(reprise_replay_parts(r, REPRISE_INTERVAL), 3);
	cr_expect_eq(count(r, REPRISE_INTERVAL, 0, "misses"), 1); /* 0 64 */
	cr_expect_eq(count(r, REPRISE_INTERVAL, 1, "misses"), 0); /* 64 0 */
	cr_expect_eq(count(r, REPRISE_INTERVAL, 2, "misses"), 1); /* 128 */
	reprise_replay_free(r);
}

RP_TEST(api, a_wrong_batch_is_refused_and_changes_nothing)
{
	struct reprise_error err;
	struct reprise_replay *r = replay_of("lru,size=128", NULL);
	for (int what = 0; what < 5; what++) {
		struct own o = { .address = { 0, 64 } };
		struct reprise_batch b = batch_of(&o, 2);
		uint8_t flags[2] = { 0, REPRISE_SPACE };
		if (what == 0)
			o.kind[1] = 5;
		else if (what == 1)
			o.kind[1] = REPRISE_INVALIDATE + 1;
		else if (what == 2)
			o.size[1] = 0;
		else if (what == 3)
			o.address[1] = UINT64_MAX, o.size[1] = 2;
		else
			b.flags = flags;
		cr_expect_not(reprise_replay_run(r, &b, &err));
		cr_expect_eq(err.code, REPRISE_USAGE, "%d: %s", what, err.text);
	}
	cr_assert(reprise_replay_end(r, NULL));
	cr_expect_eq(count(r, REPRISE_ALL, 0, "accesses"), 0);
	double ratio;
	cr_assert(reprise_replay_ratio(r, 0, REPRISE_ALL, 0, "miss_ratio", &ratio, NULL));
	cr_expect(isnan(ratio));
	reprise_replay_free(r);
}

RP_TEST(api, every_counter_of_the_table_can_be_asked_for)
{
	struct reprise_replay *r = replay_of("fifo,size=4KiB,ways=4", NULL);
	struct reprise_trace *t = trace_of("gen:zipf,lines=500", "limit=20000");
	struct reprise_error err = { 0 };
	cr_assert(reprise_replay_trace(r, t, &err), "%s", err.text);
	const struct reprise_counter *c;
	uint64_t n;
	double x;
	size_t i = 0;
	for (; (c = reprise_counter(i)); i++) {
		cr_expect(*c->what && (c->ratio || *c->unit));
		cr_expect_eq(
		    reprise_replay_count(r, 0, REPRISE_ALL, 0, c->name, &n, NULL), !c->ratio);
		cr_assert(reprise_replay_ratio(r, 0, REPRISE_ALL, 0, c->name, &x, NULL));
		cr_expect(c->ratio || x == (double)n);
	}
	cr_expect_gt(i, 10);
	cr_expect_eq(count(r, REPRISE_ALL, 0, "accesses"), 20000);
	cr_expect_not(reprise_replay_count(r, 0, REPRISE_ALL, 0, "mises", &n, &err));
	cr_expect_eq(err.code, REPRISE_USAGE);
	cr_expect_not(reprise_replay_count(r, 1, REPRISE_ALL, 0, "misses", &n, &err));
	cr_expect_not(reprise_replay_count(r, 0, REPRISE_INTERVAL, 0, "misses", &n, &err));
	cr_expect_str_eq(reprise_replay_spec(r, 0),
	    "fifo,size=4KiB,sets=16,ways=4,line=64,write=back,allocate=write");
	cr_expect_null(reprise_replay_spec(r, 1));
	reprise_trace_close(t);
	reprise_replay_free(r);
}

RP_TEST(api, options_that_are_none_name_the_nearest)
{
	struct reprise_error err;
	const char *zipf = "gen:zipf,lines=5", *lru = "lru,size=4KiB", *missing = "no/such.rpz";
	cr_expect_null(reprise_trace_open(&zipf, 1, "limti=5", &err));
	cr_expect(err.code == REPRISE_USAGE && strstr(err.text, "'limit'"), "%s", err.text);
	cr_expect_null(reprise_trace_open(&zipf, 1, NULL, &err), "endless, and no limit");
	cr_expect_eq(err.code, REPRISE_USAGE);
	cr_expect_null(reprise_trace_open(&zipf, 0, NULL, &err));
	cr_expect_eq(err.code, REPRISE_USAGE);
	cr_expect_null(reprise_trace_open(&missing, 1, NULL, &err));
	cr_expect(err.code == REPRISE_INPUT && strstr(err.text, missing), "%s", err.text);
	cr_expect_null(reprise_replay_new(&lru, 1, "warmpu=5", &err));
	cr_expect(err.code == REPRISE_USAGE && strstr(err.text, "'warmup'"), "%s", err.text);
	cr_expect_null(reprise_replay_new(&lru, 0, NULL, &err));
	cr_expect_null(reprise_writer_open("x.unknown", NULL, NULL, &err));
	cr_expect_eq(err.code, REPRISE_USAGE);
	cr_expect_null(reprise_writer_open("x.csv", NULL, "columns=stream,tiem", &err));
	cr_expect(err.code == REPRISE_USAGE && strstr(err.text, "tiem"), "%s", err.text);
	cr_expect_null(reprise_trace_open(&missing, 1, NULL, NULL));
}

/* A file name of this test process's own. */
static const char *
temporary(char to[64], const char *ending)
{
	snprintf(to, 64, "/tmp/reprise-api-%ld.%s", (long)getpid(), ending);
	return to;
}

static void
expect_rows(const char *path, const struct own *o, size_t n)
{
	struct reprise_trace *t = trace_of(path, NULL);
	const struct reprise_batch *b;
	cr_assert_eq(reprise_trace_pull(t, &b, NULL), (ptrdiff_t)n);
	for (size_t i = 0; i < n; i++) {
		cr_expect_eq(b->address[i], o->address[i]);
		cr_expect_eq(b->size[i], o->size[i]);
		cr_expect_eq(b->kind[i], o->kind[i]);
		cr_expect_eq(b->stream[i], o->stream[i]);
	}
	cr_expect_eq(reprise_trace_pull(t, &b, NULL), 0);
	reprise_trace_close(t);
}

RP_TEST(api, what_is_written_is_read_again)
{
	static const char *const ending[] = { "rpz", "csv" };
	struct own o = { .address = { 5, 1 << 20, UINT64_MAX, 77 },
		.size = { 4, 128, 1, 8 },
		.kind = { REPRISE_READ, REPRISE_WRITE, REPRISE_ATOMIC, REPRISE_FETCH },
		.stream = { 1, 0, 9, 1 } };
	struct reprise_batch b = batch_of(&o, 4);
	struct reprise_error err = { 0 };
	for (size_t i = 0; i < 2; i++) {
		char path[64], again[64];
		struct reprise_writer *w =
		    reprise_writer_open(temporary(path, ending[i]), NULL, "columns=stream", &err);
		cr_assert(w, "%s", err.text);
		cr_assert(reprise_writer_put(w, &b, &err), "%s", err.text);
		cr_expect(access(path, F_OK), "it appears before it is whole");
		cr_assert(reprise_writer_commit(w, &err), "%s", err.text);
		expect_rows(path, &o, 4);

		struct reprise_trace *t = trace_of(path, NULL);
		const struct reprise_batch *rows;
		w = reprise_writer_open(temporary(again, ending[!i]), t, NULL, &err);
		cr_assert(w, "%s", err.text);
		while (reprise_trace_pull(t, &rows, &err) > 0)
			cr_assert(reprise_writer_put(w, rows, &err), "%s", err.text);
		cr_assert(reprise_writer_commit(w, &err), "%s", err.text);
		reprise_trace_close(t);
		expect_rows(again, &o, 4);
		unlink(path);
		unlink(again);
	}
}

RP_TEST(api, an_abandoned_file_does_not_appear)
{
	char path[64];
	struct own o = { .address = { 1 } };
	struct reprise_batch b = batch_of(&o, 1);
	struct reprise_writer *w = reprise_writer_open(temporary(path, "csv"), NULL, NULL, NULL);
	cr_assert(w && reprise_writer_put(w, &b, NULL));
	reprise_writer_abort(w);
	cr_expect(access(path, F_OK));
	reprise_writer_abort(NULL);
	reprise_trace_close(NULL);
	reprise_replay_free(NULL);
}
