/* reading.c - what tests of readers and writers share. */
#include "tests/traces/format/reading.h"

#include <inttypes.h>
#include <stdarg.h>
#include <unistd.h>

static void
add_row(struct rp_buf *to, const struct rp_access *a)
{
	char letter[2] = { rp_kind_letter(a->kind), 0 };
	rp_buf_printf(to, NULL, "%s 0x%" PRIx64 " %" PRIu32,
	    *letter ? letter : rp_kind_name(a->kind), a->addr, a->size);
	if (a->stream)
		rp_buf_printf(to, NULL, " stream=%" PRIu32, a->stream);
	if (a->time)
		rp_buf_printf(to, NULL, " time=%" PRIu64, a->time);
	if (a->pc)
		rp_buf_printf(to, NULL, " pc=0x%" PRIx64, a->pc);
	if (a->mask)
		rp_buf_printf(to, NULL, " mask=0x%" PRIx32, a->mask);
	if (a->flags)
		rp_buf_printf(to, NULL, " flags=0x%x", a->flags);
	rp_buf_add(to, "\n", 1, NULL);
}

static void
add_text(char *to, size_t room, const char *format, ...)
{
	size_t n = strlen(to);
	va_list args;
	va_start(args, format);
	vsnprintf(to + n, room - n, format, args);
	va_end(args);
}

void
rp_read_source(struct reading *r, struct rp_source *s, size_t cap)
{
	*r = (struct reading){ .columns = s->trace->columns, .preamble = s->trace->preamble };
	struct rp_batch *b = rp_batch_new(cap, RP_COL_ALL, NULL);
	ptrdiff_t n;
	while ((n = rp_source_pull(s, b, &r->err)) > 0) {
		cr_assert_eq((size_t)n, b->n);
		for (size_t i = 0; i < b->n; i++) {
			struct rp_access a = rp_batch_get(b, i);
			add_row(&r->rows, &a);
		}
		r->n += b->n;
		rp_batch_clear(b);
	}
	cr_assert_eq(n < 0, r->err.code != RP_OK);
	rp_buf_add(&r->rows, "", 1, NULL);
	const struct rp_trace *t = s->trace;
	for (size_t i = 0; i < t->n_skipped; i++)
		add_text(r->skipped, sizeof r->skipped, "%s%s=%" PRIu64, i ? " " : "",
		    t->skipped[i].reason, t->skipped[i].n);
	if (t->n_warnings)
		add_text(r->warning, sizeof r->warning, "%s", t->warnings[0]);
	rp_batch_free(b);
	rp_source_close(s);
}

void
rp_read(struct reading *r, const struct rp_format *f, const void *bytes, size_t n,
    const struct rp_read_opts *o, size_t cap, size_t piece)
{
	static const struct rp_read_opts none;
	struct rp_err err = { 0 };
	struct rp_bytes *in = piece ? rp_bytes_pieces(bytes, n, piece, "t", &err)
	                            : rp_bytes_memory(bytes, n, "t", &err);
	cr_assert(in, "%s", err.text);
	struct rp_source *s = rp_format_open(f, in, o ? o : &none, &err);
	if (s) {
		rp_read_source(r, s, cap);
		return;
	}
	*r = (struct reading){ .err = err };
	rp_buf_add(&r->rows, "", 1, NULL);
}

void
rp_reading_free(struct reading *r)
{
	rp_buf_free(&r->rows);
}

void
rp_reads_as(const struct rp_format *f, const void *bytes, size_t n, const struct rp_read_opts *o,
    const char *rows, const char *message, struct reading *last)
{
	static const struct {
		size_t cap, piece;
	} way[] = { { 1, 0 }, { 1, 1 }, { 3, 1 }, { 3, 7 }, { RP_BATCH, 1 }, { RP_BATCH, 0 } };
	enum { WAYS = sizeof way / sizeof *way };
	for (size_t i = 0; i < WAYS; i++) {
		struct reading r;
		rp_read(&r, f, bytes, n, o, way[i].cap, way[i].piece);
		if (message) {
			cr_assert_str_eq(
			    r.err.text, message, "found '%s', wanted '%s'", r.err.text, message);
		} else {
			cr_assert_eq(r.err.code, RP_OK, "%s", r.err.text);
			cr_assert_str_eq((char *)r.rows.bytes, rows,
			    "batches of %zu, pieces of %zu: found\n%swanted\n%s", way[i].cap,
			    way[i].piece, r.rows.bytes, rows);
		}
		if (last && i == WAYS - 1)
			*last = r;
		else
			rp_reading_free(&r);
	}
}

static void
add_lost(void *to, const char *reason, uint64_t n)
{
	add_text(to, 256, "%s%s=%" PRIu64, *(char *)to ? " " : "", reason, n);
}

static void
read_file(const char *path, struct rp_buf *to)
{
	FILE *file = fopen(path, "r");
	cr_assert(file);
	unsigned char piece[4096];
	for (size_t n; (n = fread(piece, 1, sizeof piece, file));)
		rp_buf_add(to, piece, n, NULL);
	fclose(file);
}

void
rp_write_as(const struct rp_format *f, const char *csv, struct rp_buf *to, char *lost)
{
	static const struct rp_read_opts none;
	static const struct rp_write_opts how;
	struct rp_err err = { 0 };
	char path[] = "/tmp/reprise-test-XXXXXX";
	int fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	close(fd);
	*lost = 0;
	*to = (struct rp_buf){ 0 };
	struct rp_source *s = rp_format_open(
	    &rp_format_csv, rp_bytes_memory(csv, strlen(csv), "t.csv", NULL), &none, &err);
	cr_assert(s, "%s", err.text);
	struct rp_trace_out *w = rp_trace_create(path, f, s->trace, &how, &err);
	cr_assert(w, "%s", err.text);
	struct rp_batch *b = rp_batch_new(5, s->trace->columns, NULL);
	while (rp_source_pull(s, b, &err) > 0) {
		cr_assert(rp_trace_write(w, b, &err), "%s", err.text);
		rp_batch_clear(b);
	}
	cr_assert(!err.code && rp_trace_commit(w, add_lost, lost, &err), "%s", err.text);
	rp_batch_free(b);
	rp_source_close(s);
	read_file(path, to);
	unlink(path);
}

const char *
rp_probes(const void *bytes, size_t n, char to[256])
{
	*to = 0;
	for (const struct rp_format *const *f = rp_formats; *f; f++) {
		int sure = (*f)->probe ? (*f)->probe(bytes, n) : 0;
		if (sure)
			add_text(to, 256, "%s%s=%d", *to ? " " : "", (*f)->name, sure);
	}
	return to;
}

const char *
rp_found(const void *bytes, size_t n)
{
	const char *best = "none";
	int most = 0;
	for (const struct rp_format *const *f = rp_formats; *f; f++) {
		int sure = (*f)->probe ? (*f)->probe(bytes, n) : 0;
		if (sure > most) {
			most = sure;
			best = (*f)->name;
		}
	}
	return best;
}
