/* test_text.c - tests traces/format/text.c, and what all text formats have in common: probes, long lines, live pipes. */
#include "tests/traces/format/reading.h"

#include "base/rng.h"
#include "traces/format/text.h"

#include <inttypes.h>
#include <sys/resource.h>
#include <unistd.h>

RP_TEST(text, numbers_are_written_as_printf_would)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("text"), "tests/text", 0);
	for (unsigned i = 0; i < 2000 * rp_test_scale(); i++) {
		uint64_t x = i ? rp_rng_next(&rng) >> rp_rng_below(&rng, 64) : 0;
		char found[64], wanted[64];
		*rp_put_dec(found, x) = 0;
		snprintf(wanted, sizeof wanted, "%" PRIu64, x);
		cr_assert_str_eq(found, wanted);
		*rp_put_hex(found, x, 1) = 0;
		snprintf(wanted, sizeof wanted, "%" PRIx64, x);
		cr_assert_str_eq(found, wanted);
		*rp_put_hex(found, x, 8) = 0;
		snprintf(wanted, sizeof wanted, "%08" PRIx64, x);
		cr_assert_str_eq(found, wanted);
	}
}

RP_TEST(text, an_access_fits_up_to_the_last_byte)
{
	cr_assert(rp_span_fits(UINT64_MAX, 1));
	cr_assert_not(rp_span_fits(UINT64_MAX, 2));
	cr_assert(rp_span_fits(0, UINT32_MAX));
	cr_assert(rp_span_fits(UINT64_MAX - UINT32_MAX + 1, UINT32_MAX));
	cr_assert_not(rp_span_fits(UINT64_MAX - UINT32_MAX + 2, UINT32_MAX));
}

RP_TEST(text, each_format_is_found_by_its_content)
{
	static const struct {
		const char *format, *text;
	} row[] = {
		{ "lackey", " L 1ffe8,8\n" },
		{ "lackey", "I  04001000,3" },
		{ "lackey", "==12== Lackey, an example Valgrind tool\n==12== Copyright\n" },
		{ "lackey",
		    "==12== Lackey, an example Valgrind tool\nhello\nI  04001000,3\n L 10,4\n" },
		{ "din", "0 1fe0\n1 1fe4\n" },
		{ "din", "\r\n2 0x1fe0 tail\r\n4 0\r\n" },
		{ "xdin", "r 1fe0 4\nw 1fe4 10\n" },
		{ "xdin", "i 130 4" },
		{ "csv", "stream,op,address,size\n" },
		{ "csv", "# comment\n#preamble "
			 "4\n\nstream,op,address,size,time,pc\r\n0,R,0x10,4,0,0\n" },
		{ "csv", "stream,op,address,size,mask,space\n" },
		{ "cachesim-txt", "42932745\n42932746\n" },
		{ "cachesim-csv", "version,time,op,size,lbn\n1,5633898,2a,512,42932745\n" },
		{ "cachesim-csv", "1,100,2a,512,4096\n1,101,2a,512,4097\n" },
		{ "none", "" },
		{ "none", "\n\n" },
		{ "none", "hello, world\nhow, now\n" },
		{ "none", "9 1fe0\n" },
		{ "none", "r 1fe0\n" },
		{ "none", "0 1fe0\n\0011 10\n" },
		{ "none", "{\"a\": 1}\n" },
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char sure[256];
		cr_assert_str_eq(rp_found(row[i].text, strlen(row[i].text)), row[i].format,
		    "'%s': %s", row[i].text, rp_probes(row[i].text, strlen(row[i].text), sure));
	}
}

RP_TEST(text, a_nul_or_garbage_is_nobodys_text)
{
	static const struct rp_format *const text_format[] = { &rp_format_lackey, &rp_format_din,
		&rp_format_xdin, &rp_format_cachesim_txt, &rp_format_cachesim_csv };
	static const char *const good[] = { " L 1ffe8,8\n", "0 1fe0\n", "r 1fe0 4\n", "12\n",
		"id,size\n1,2\n" };
	for (size_t i = 0; i < 5; i++) {
		char bytes[64];
		size_t n = strlen(good[i]);
		memcpy(bytes, good[i], n + 1);
		cr_assert(text_format[i]->probe((unsigned char *)bytes, n));
		cr_assert_not(text_format[i]->probe((unsigned char *)bytes, n + 1),
		    "%s takes a NUL", text_format[i]->name);
	}
	struct rp_rng rng = rp_rng_for(rp_test_seed("text"), "tests/text", 1);
	for (unsigned k = 0; k < 200 * rp_test_scale(); k++) {
		unsigned char bytes[4096];
		for (size_t i = 0; i < sizeof bytes; i++)
			bytes[i] = (unsigned char)rp_rng_next(&rng);
		char sure[256];
		cr_assert_str_eq(rp_probes(bytes, sizeof bytes, sure), "");
	}
}

/* Whatever the bytes, a reader ends, in rows or in one line of error. */
static void
survives(const struct rp_format *f, const void *bytes, size_t n, const struct rp_read_opts *o)
{
	struct reading r;
	rp_read(&r, f, bytes, n, o, 7, 0);
	cr_assert(r.err.code == RP_OK || r.err.code == RP_INPUT, "%s: %s", f->name, r.err.text);
	cr_assert(!strchr(r.err.text, '\n'));
	rp_reading_free(&r);
}

RP_TEST(text, readers_survive_damage)
{
	static const struct rp_format *const format[] = { &rp_format_lackey, &rp_format_din,
		&rp_format_xdin, &rp_format_csv, &rp_format_cachesim_csv, &rp_format_cachesim_txt,
		&rp_format_champsim, &rp_format_oracle, &rp_format_vscsi };
	static const char *const good[] = { "==1== x\n L 1ffe8,8\nI  10,3\n M 10,1\n",
		"0 1fe0\n4 10\n2 ffff\n", "r 1fe0 4\nv 10 10\n",
		("#preamble 1\nstream,op,address,size,mask,space\n"
		 "0,R,0x10,4,0xff,local\n#kernel_end 3\n"),
		"1,2,3,4\n5,6,7,8\n", "1\n22\n333\n", "", "", "" };
	struct rp_read_opts o = { .csv = "id=2,time=1,size=3" };
	struct rp_rng rng = rp_rng_for(rp_test_seed("text"), "tests/text", 2);
	for (size_t f = 0; f < 9; f++)
		for (unsigned k = 0; k < 300 * rp_test_scale(); k++) {
			char bytes[512] = { 0 };
			size_t n = strlen(good[f]);
			memcpy(bytes, good[f], n);
			if (!n || k % 3 == 0)
				for (n = rp_rng_below(&rng, sizeof bytes); n && k % 2; n--)
					bytes[n] = (char)rp_rng_next(&rng);
			for (uint64_t flips = rp_rng_below(&rng, 3); n && flips; flips--)
				bytes[rp_rng_below(&rng, n)] ^= (char)(1 << rp_rng_below(&rng, 8));
			n = rp_rng_below(&rng, n + 1);
			survives(format[f], bytes, n, &o);
		}
}

RP_TEST(text, a_line_of_100_MB_is_refused_in_bounded_memory)
{
	enum { LONG = 100 << 20, PIECE = 1 << 16 };
	static const struct rp_format *const format[] = { &rp_format_lackey, &rp_format_din,
		&rp_format_xdin, &rp_format_csv, &rp_format_cachesim_txt };
	static const char *const head[] = { " L 10,4\n L 1", "0 10\n0 1", "r 10 4\nr 1",
		"op,address\nR,", "1\n" };
	static const struct rp_read_opts none;
	static char piece[PIECE];
	memset(piece, '0', sizeof piece);
	for (size_t i = 0; i < 5; i++) {
		char path[] = "/tmp/reprise-test-XXXXXX";
		struct rp_err err = { 0 };
		struct reading r;
		struct rusage before, after;
		FILE *file = fdopen(mkstemp(path), "w");
		cr_assert(file);
		fputs(head[i], file);
		for (size_t n = 0; n < LONG; n += PIECE)
			fwrite(piece, 1, PIECE, file);
		fclose(file);
		getrusage(RUSAGE_SELF, &before);
		struct rp_bytes *in = rp_bytes_open(path, NULL, &err);
		cr_assert(in);
		rp_read_source(&r, rp_format_open(format[i], in, &none, &err), RP_BATCH);
		getrusage(RUSAGE_SELF, &after);
		unlink(path);
		cr_assert_eq(r.err.code, RP_INPUT);
		cr_assert(strstr(r.err.text, ":2: "), "%s: %s", format[i]->name, r.err.text);
		cr_assert_leq(after.ru_maxrss - before.ru_maxrss, 16 << 10, "%ld KiB",
		    after.ru_maxrss - before.ru_maxrss);
		rp_reading_free(&r);
	}
}

RP_TEST(text, a_live_pipe_gives_what_is_there)
{
	static const struct {
		const struct rp_format *format;
		const char *first, *second;
	} row[] = { { &rp_format_lackey, " L 10,4\n L 20", ",4\n" },
		{ &rp_format_din, "0 10\n1", " 20\n" }, { &rp_format_xdin, "r 10 4\nw 2", "0 4\n" },
		{ &rp_format_csv, "op,address\nR,16\nW", ",32\n" },
		{ &rp_format_cachesim_txt, "1\n", "2\n" } };
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		static const struct rp_read_opts none;
		int end[2];
		char path[64];
		struct rp_err err = { 0 };
		struct rp_batch *b = rp_batch_new(RP_BATCH, 0, NULL);
		cr_assert_eq(pipe(end), 0);
		snprintf(path, sizeof path, "/dev/fd/%d", end[0]);
		cr_assert_eq(write(end[1], row[i].first, strlen(row[i].first)),
		    (ssize_t)strlen(row[i].first));
		struct rp_bytes *in = rp_bytes_open(path, NULL, &err);
		cr_assert(in, "%s", err.text);
		struct rp_source *s = rp_format_open(row[i].format, in, &none, &err);
		cr_assert(s, "%s", err.text);
		cr_assert_eq(rp_source_pull(s, b, &err),
		    1); /* the writer is still there: waiting would hang */
		cr_assert_eq(write(end[1], row[i].second, strlen(row[i].second)),
		    (ssize_t)strlen(row[i].second));
		close(end[1]);
		cr_assert_eq(rp_source_pull(s, b, &err), 1);
		cr_assert_eq(rp_source_pull(s, b, &err), 0);
		rp_source_close(s);
		rp_batch_free(b);
		close(end[0]);
	}
}

/* An interrupt ends the input anywhere, and what was read until then counts. */
RP_TEST(text, an_input_that_an_interrupt_ends_within_a_line_is_no_error)
{
	static const struct {
		const struct rp_format *format;
		const char *text;
	} row[] = { { &rp_format_lackey, " L 10,4\n S 1" }, { &rp_format_din, "0 10\n1" },
		{ &rp_format_xdin, "r 10 4\nw 2" }, { &rp_format_csv, "op,address\nR,16\nW" } };
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		volatile sig_atomic_t stop = 0;
		struct rp_read_opts o = { .stop = &stop };
		struct rp_err err = { 0 };
		struct rp_batch *b = rp_batch_new(RP_BATCH, 0, NULL);
		struct rp_bytes *in = rp_bytes_memory(row[i].text, strlen(row[i].text), "t", NULL);
		struct rp_source *s = rp_format_open(row[i].format, in, &o, &err);
		cr_assert(s, "%s", err.text);
		stop = 1;
		cr_assert_eq(rp_source_pull(s, b, &err), 1, "%s", err.text);
		cr_assert_eq(err.code, RP_OK);
		rp_batch_free(b);
		rp_source_close(s);
	}
}
