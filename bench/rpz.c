/* rpz.c - how fast .rpz is decoded, and how small it is.
 *
 * Decoding is held against decompressing the raw addresses alone (8 bytes each, no sizes or kinds) with zstd -3, a piece
 * at a time, in turns in one process; the size against din text (which has no sizes) under zstd -19, both of the same
 * first rows, since level 19 takes its time. A trace that repeats over far is not judged by so few rows: bench/run.sh
 * has all of sqlite's packed, once. argv[1] is the folder of inputs, or one .rpz file. */
#include "config.h"

#include "bench/bench.h"
#include "traces/format/rpz.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum {
	ROUNDS = 7,
	DIN_ROWS = 2000000,
	WRITE_ROWS = 8000000, /* thirty blocks: few leave one thread without any at the end */
	DIN_LINE = 24,
	PIECE = 1 << 17,
	RAW_LEVEL = 3,
	DIN_LEVEL = 19
};

/* Of what two independent runs at once reach. Blocks are written by whoever is free, so nothing excuses much less. Of
 * decoding only the columns are unpacked elsewhere: the rows are made where they are used, since to bring them from one
 * core's cache to another's takes longer, and they are up to two thirds of the work. A half is what one thread does. */
#define WRITE_FLOOR  0.85
#define DECODE_FLOOR 0.5

struct bytes {
	void *at;
	size_t n;
};

static void *
need(void *p)
{
	struct rp_err err = { .code = RP_RESOURCE, .text = "out of memory" };
	if (!p)
		bench_fail(&err);
	return p;
}

static struct bytes
squeeze(const void *from, size_t n, int level)
{
	struct bytes b = { need(malloc(ZSTD_compressBound(n))), 0 };
	b.n = ZSTD_compress(b.at, ZSTD_compressBound(n), from, n, level);
	if (ZSTD_isError(b.n))
		bench_fail(&(struct rp_err){ .text = "zstd" });
	return b;
}

/* The baseline: 8 bytes an access, through a buffer that stays in the cache. */
static void
unsqueeze(void *to)
{
	static char piece[PIECE];
	const struct bytes *b = to;
	ZSTD_DCtx *z = need(ZSTD_createDCtx());
	ZSTD_inBuffer in = { b->at, b->n, 0 };
	while (in.pos < in.size) {
		ZSTD_outBuffer out = { piece, sizeof piece, 0 };
		if (ZSTD_isError(ZSTD_decompressStream(z, &out, &in)))
			bench_fail(&(struct rp_err){ .text = "zstd" });
		bench_keep((unsigned char)piece[0]);
	}
	ZSTD_freeDCtx(z);
}

struct decoding {
	const char *path, *passes;
	unsigned threads;
	uint64_t rows;
};

static void
decode(void *to)
{
	struct decoding *d = to;
	struct rp_err err = { 0 };
	const struct rp_read_opts o = { .threads = d->threads };
	const struct rp_rpz_opts part = { .passes = d->passes };
	struct rp_source *s = rp_rpz_open(d->path, NULL, &o, &part, &err);
	struct rp_batch *b = s ? rp_batch_new(RP_BATCH, s->trace->columns, &err) : NULL;
	ptrdiff_t n = b ? 1 : -1;
	for (d->rows = 0; n > 0; d->rows += b->n) {
		rp_batch_clear(b);
		n = rp_source_pull(s, b, &err);
		bench_keep(b->addr[0]);
	}
	if (n < 0)
		bench_fail(&err);
	rp_batch_free(b);
	rp_source_close(s);
}

/* Two runs at once, each of its own. */
struct pair {
	void (*run)(void *);
	void *to[2];
};

static void *
run_second(void *to)
{
	const struct pair *p = to;
	p->run(p->to[1]);
	return NULL;
}

static void
run_pair(void *to)
{
	struct pair *p = to;
	pthread_t other;
	if (pthread_create(&other, NULL, run_second, p))
		bench_fail(&(struct rp_err){ .text = "no second thread" });
	p->run(p->to[0]);
	pthread_join(other, NULL);
}

/* What two threads make of one run, against what this machine makes of two independent runs at once: its two processors
 * may be one core's two threads, or share their caches and what feeds them, and then no program is twice as fast. `v`
 * have been measured by the clock: one thread, two threads, a pair. */
static void
two_threads(const char *text, double rows, const struct bench_variant *v, double floor)
{
	bench_row(text, rows / v[1].best / 1e6, "M/s", "two of -j 1 at once (by the clock)",
	    v[2].best / 2 / v[1].best, floor);
	bench_row("  the same", v[0].best / v[1].best, "x", "-j 1", NAN, NAN);
	bench_row("  two of -j 1 at once", 2 * v[0].best / v[2].best, "x", "-j 1", NAN, NAN);
}

static void
speed_row(const char *name, const char *what, double rows, double took, const char *baseline,
    double against, double floor)
{
	char text[128];
	snprintf(text, sizeof text, "%s: decode .rpz, %s", name, what);
	bench_row(text, rows / took / 1e6, "M/s", baseline, against / took, floor);
}

/* floor: of decoding by the best path, against the baseline. */
static void
speed(const char *name, const char *path, const struct rp_batch *b, double floor)
{
	struct bytes raw = squeeze(b->addr, b->n * sizeof *b->addr, RAW_LEVEL);
	struct decoding plain = { .path = path, .passes = "plain", .threads = 1 };
	struct decoding best = { .path = path, .threads = 1 };
	struct bench_variant v[] = { { unsqueeze, &raw, 0 }, { decode, &plain, 0 },
		{ decode, &best, 0 } };
	bench_turns(v, 3, ROUNDS, false);
	double rows = (double)b->n;
	bench_row(name, rows / v[0].best / 1e6, "M/s", "(zstd -3 of raw addresses)", NAN, NAN);
	speed_row(name, "plain C", rows, v[1].best, "zstd -3 of raw addresses", v[0].best, NAN);
	speed_row(name, "best path", rows, v[2].best, "zstd -3 of raw addresses", v[0].best, floor);
	bench_row("  the same, M/s alone", rows / v[2].best / 1e6, "M/s", "", NAN, 150);

	struct decoding two = { .path = path, .threads = 2 }, beside = best;
	struct pair pair = { decode, { &best, &beside } };
	struct bench_variant t[] = { { decode, &best, 0 }, { decode, &two, 0 },
		{ run_pair, &pair, 0 } };
	char text[128];
	bench_turns(t, 3, ROUNDS, true);
	snprintf(text, sizeof text, "%s: decode .rpz, -j 2", name);
	two_threads(text, rows, t, DECODE_FLOOR);
	free(raw.at);
}

static struct bytes
din_of(const struct rp_batch *b, size_t rows)
{
	struct bytes text = { need(malloc(rows * DIN_LINE)), 0 };
	for (size_t i = 0; i < rows; i++)
		text.n += (size_t)sprintf((char *)text.at + text.n, "%d %llx\n",
		    b->kind[i] == RP_WRITE, (unsigned long long)b->addr[i]);
	return text;
}

/* Writes the first rows as .rpz. */
static void
write_rows(const char *path, const struct rp_batch *b, size_t rows, const struct rp_write_opts *o)
{
	struct rp_err err = { 0 };
	struct rp_trace *t = rp_trace_new("bench", &err);
	struct rp_trace_out *w =
	    t ? rp_trace_create(path, rp_format_find("rpz", NULL), t, o, &err) : NULL;
	struct rp_batch *piece = w ? rp_batch_new(RP_BATCH, 0, &err) : NULL;
	bool ok = piece != NULL;
	for (size_t at = 0; ok && at < rows; at += piece->n) {
		rp_batch_clear(piece);
		rp_batch_append(piece, b, at, rows - at < RP_BATCH ? rows - at : RP_BATCH);
		ok = rp_trace_write(w, piece, &err);
	}
	if (!ok || !rp_trace_commit(w, NULL, NULL, &err))
		bench_fail(&err);
	rp_trace_free(t);
	rp_batch_free(piece);
}

/* The bytes that the first rows have as .rpz. */
static double
written(const struct rp_batch *b, size_t rows)
{
	char path[] = "/tmp/reprise-bench-XXXXXX";
	struct stat st = { 0 };
	int fd = mkstemp(path);
	write_rows(path, b, rows, &(struct rp_write_opts){ 0 });
	if (stat(path, &st))
		bench_fail(&(struct rp_err){ .text = "no temporary file" });
	unlink(path);
	if (fd >= 0)
		close(fd);
	return (double)st.st_size;
}

/* most: bytes an access of all of the trace, share: of what its first rows have as din text; NAN: not judged. */
static void
size(const char *name, const char *path, const struct rp_batch *b, double most, double share)
{
	struct stat st = { 0 };
	size_t rows = b->n < DIN_ROWS ? b->n : DIN_ROWS;
	char text[128];
	struct bytes din = din_of(b, rows), small = squeeze(din.at, din.n, DIN_LEVEL);
	double bytes = written(b, rows);
	snprintf(
	    text, sizeof text, "%s: size of .rpz, first %.1f M accesses", name, (double)rows / 1e6);
	bench_row_most(text, bytes / (double)rows, "B/acc", "din text, zstd -19",
	    bytes / (double)small.n, share);
	free(din.at);
	free(small.at);
	if (stat(path, &st))
		return;
	snprintf(text, sizeof text, "%s: size of .rpz, all of it", name);
	bench_row_most(text, (double)st.st_size / (double)b->n, "B/acc", "", NAN, most);
}

struct encoding {
	const struct rp_batch *b;
	size_t rows;
	unsigned threads;
};

/* To nowhere: how fast a disk takes it is another question. */
static void
encode(void *to)
{
	const struct encoding *e = to;
	write_rows("/dev/null", e->b, e->rows, &(struct rp_write_opts){ .threads = e->threads });
}

static void
writing(const char *name, const struct rp_batch *b)
{
	size_t n = b->n < WRITE_ROWS ? b->n : WRITE_ROWS;
	struct encoding one = { b, n, 1 }, two = { b, n, 2 };
	struct pair pair = { encode, { &one, &one } };
	struct bench_variant v[] = { { encode, &one, 0 }, { encode, &two, 0 },
		{ run_pair, &pair, 0 } };
	char text[128];
	bench_turns(v, 3, 3, true);
	snprintf(text, sizeof text, "%s: write .rpz, -j 2", name);
	two_threads(text, (double)n, v, WRITE_FLOOR);
}

static void
measure(char **argv, const char *name, double floor, double most, double share)
{
	char path[4096], file[64];
	struct stat st;
	char *here[] = { argv[0], path, NULL };
	bool folder = argv[1] && !stat(argv[1], &st) && S_ISDIR(st.st_mode);
	snprintf(file, sizeof file, "%s.rpz", name);
	snprintf(path, sizeof path, "%s", argv[1] ? argv[1] : "");
	struct rp_batch *b = NULL;
	if (folder) {
		b = bench_load(here, file, 0, 0);
		snprintf(path, sizeof path, "%s/%s", argv[1], file);
	} else {
		struct rp_err err = { 0 };
		struct rp_source *s =
		    rp_rpz_open(path, NULL, &(struct rp_read_opts){ 0 }, NULL, &err);
		if (!s)
			bench_fail(&err);
		b = bench_collect(s, 0, 0);
		rp_source_close(s);
	}
	if (!b)
		return;
	speed(name, path, b, floor);
	writing(name, b);
	size(name, path, b, most, share);
	rp_batch_free(b);
}

int
main(int argc, char **argv)
{
	struct stat st;
	if (argc > 1 && !stat(argv[1], &st) && !S_ISDIR(st.st_mode)) {
		measure(argv, "file", NAN, NAN, NAN);
		return 0;
	}
	measure(argv, "gzip", 2.5, 0.45, 0.6);
	/* Its addresses repeat so much that zstd -3 has little more to do than to copy. */
	measure(argv, "sqlite", NAN, 0.09, NAN);
	return 0;
}
