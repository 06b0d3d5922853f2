/* rpz_check.c - what the tests of .rpz share. */
#include "tests/traces/format/rpz_check.h"

#include "traces/format/rpz_rows.h"

#include <unistd.h>

static uint32_t
draw_size(struct rp_rng *r, const struct rpz_draw *d)
{
	return d->sizes ? 1 + (uint32_t)rp_rng_below(r, d->sizes) : (uint32_t)rp_rng_next(r) | 1;
}

static struct rp_access
draw(struct rp_rng *r, const struct rpz_draw *d, uint64_t time)
{
	struct rp_access a = {
		.addr = d->span ? rp_rng_below(r, d->span) : rp_rng_next(r) >> rp_rng_below(r, 64),
		.size = draw_size(r, d),
		.kind = (uint8_t)rp_rng_below(r, d->odd ? 256 : RP_KINDS),
		.time = d->odd ? rp_rng_next(r) >> rp_rng_below(r, 64) : time,
		.pc = d->odd ? rp_rng_next(r) : 0x1000 + 16 * rp_rng_below(r, 20),
		.stream =
		    d->streams ? (uint32_t)rp_rng_below(r, d->streams) : (uint32_t)rp_rng_next(r),
		.mask = rp_rng_below(r, 3) ? UINT32_MAX : (uint32_t)rp_rng_next(r) & 0xff,
		.flags = (uint8_t)rp_rng_below(r, d->odd ? 256 : 32),
	};
	if (d->marks && !rp_rng_below(r, 50))
		a.kind = (uint8_t)(RP_MARKS + rp_rng_below(r, RP_MARKS_END - RP_MARKS));
	return a;
}

struct rp_batch *
rpz_rows(size_t n, const struct rpz_draw *d, uint64_t seed)
{
	struct rp_batch *b = rp_batch_new(n, d->columns, NULL);
	struct rp_rng r = rp_rng_for(seed, "tests/rpz", 0);
	uint64_t time = 0, last_pc = 0;
	cr_assert_not_null(b);
	for (size_t i = 0; i < n; i++) {
		time += rp_rng_below(&r, 4) ? 3 : rp_rng_below(&r, 1000);
		struct rp_access a = draw(&r, d, time);
		if (d->repeat && i >= d->repeat) {
			struct rp_access old = rp_batch_get(b, i - d->repeat);
			old.time = a.time;
			old.addr += rp_rng_below(&r, 8) ? 64 : 0;
			a = rp_rng_below(&r, 100) ? old : a;
		}
		if (!d->odd && a.flags & RP_SAME_INSTR && (d->columns & RP_COL_FLAGS))
			a.pc = last_pc;
		last_pc = a.pc;
		rp_batch_put(b, &a);
	}
	return b;
}

static struct rpz_file
temporary(void)
{
	struct rpz_file f = { .path = "/tmp/reprise-test-XXXXXX" };
	int fd = mkstemp(f.path);
	cr_assert_geq(fd, 0);
	close(fd);
	return f;
}

static void
slurp(struct rpz_file *f)
{
	FILE *in = fopen(f->path, "rb");
	cr_assert_not_null(in);
	cr_assert_eq(fseek(in, 0, SEEK_END), 0);
	f->n = (size_t)ftell(in);
	f->bytes = malloc(f->n + 1);
	rewind(in);
	cr_assert_eq(fread(f->bytes, 1, f->n, in), f->n);
	fclose(in);
}

struct rpz_file
rpz_write(const struct rp_batch *b, size_t piece, const struct rp_write_opts *o)
{
	struct rpz_file f = temporary();
	struct rp_err err = { 0 };
	struct rp_trace *t = rp_trace_new("test", &err);
	t->columns = rp_batch_columns(b);
	struct rp_batch *part = rp_batch_new(piece, t->columns, &err);
	struct rp_trace_out *w = rp_trace_create(f.path, rp_format_find("rpz", &err), t, o, &err);
	cr_assert_not_null(w, "%s", err.text);
	for (size_t from = 0; from < b->n; from += part->n) {
		size_t n = b->n - from < piece ? b->n - from : piece;
		rp_batch_clear(part);
		rp_batch_append(part, b, from, n);
		cr_assert(rp_trace_write(w, part, &err), "%s", err.text);
	}
	cr_assert(rp_trace_commit(w, NULL, NULL, &err), "%s", err.text);
	rp_batch_free(part);
	rp_trace_free(t);
	slurp(&f);
	return f;
}

struct rpz_file
rpz_from_bytes(const unsigned char *bytes, size_t n)
{
	struct rpz_file f = temporary();
	FILE *out = fopen(f.path, "wb");
	cr_assert_eq(fwrite(bytes, 1, n, out), n);
	fclose(out);
	slurp(&f);
	return f;
}

void
rpz_file_free(struct rpz_file *f)
{
	unlink(f->path);
	free(f->bytes);
}

struct rp_batch *
rpz_collect(struct rp_source *s, size_t piece, size_t *n, struct rp_err *err)
{
	struct rp_batch *b = rp_batch_new(piece, s->trace->columns, NULL), *all = NULL;
	size_t rows = 0;
	ptrdiff_t got = 0;
	do {
		rp_batch_clear(b);
		got = rp_source_pull(s, b, err);
		cr_assert(got < 0 || (size_t)got == b->n);
		size_t marks = 0;
		for (size_t i = 0; i < b->n; i++)
			marks += b->kind[i] >= RP_MARKS;
		cr_assert_eq(b->marks, marks);
		if (!all || all->cap - all->n < b->n) {
			struct rp_batch *more =
			    rp_batch_new(2 * (rows + piece), s->trace->columns, NULL);
			if (all)
				rp_batch_append(more, all, 0, all->n);
			rp_batch_free(all);
			all = more;
		}
		rp_batch_append(all, b, 0, b->n);
		rows += b->n;
	} while (got > 0);
	rp_batch_free(b);
	if (n)
		*n = rows;
	if (got == 0)
		return all;
	rp_batch_free(all);
	return NULL;
}

struct rp_batch *
rpz_read(const struct rpz_file *f, unsigned threads, const struct rp_rpz_opts *part, size_t *n,
    struct rp_err *err)
{
	const struct rp_read_opts o = { .threads = threads };
	struct rp_source *s = rp_rpz_open(f->path, NULL, &o, part, err);
	if (n)
		*n = 0;
	struct rp_batch *b = s ? rpz_collect(s, RP_BATCH, n, err) : NULL;
	rp_source_close(s);
	return b;
}

void
rpz_same(const struct rp_batch *a, size_t from, size_t n, const struct rp_batch *b)
{
	cr_assert_eq(b->n, n, "%zu rows, wanted %zu", b->n, n);
	cr_assert_eq(rp_batch_columns(a), rp_batch_columns(b));
	for (size_t i = 0; i < n; i++) {
		struct rp_access x = rp_batch_get(a, from + i), y = rp_batch_get(b, i);
		cr_assert(x.addr == y.addr && x.size == y.size && x.kind == y.kind,
		    "row %zu: %llx %u %u, %llx %u %u", i, (unsigned long long)x.addr, x.size,
		    x.kind, (unsigned long long)y.addr, y.size, y.kind);
		cr_assert(x.flags == y.flags && x.mask == y.mask && x.pc == y.pc, "row %zu", i);
		cr_assert(x.time == y.time && x.stream == y.stream, "row %zu", i);
	}
}

static void
read_same(const struct rpz_file *f, const struct rp_batch *b, unsigned threads,
    const struct rp_rpz_opts *part)
{
	struct rp_err err = { 0 };
	struct rp_batch *back = rpz_read(f, threads, part, NULL, &err);
	cr_assert_not_null(back, "%s", err.text);
	rpz_same(b, 0, b->n, back);
	rp_batch_free(back);
}

void
rpz_round(const struct rp_batch *b, const struct rp_write_opts *o)
{
	const struct rp_rpz_opts plain = { .passes = "plain", .deep = true },
				 avx2 = { .passes = "avx2" }, piped = { .piped = true };
	struct rp_write_opts threaded = *o;
	threaded.threads = 3;
	struct rpz_file f = rpz_write(b, RP_BATCH, o), same = rpz_write(b, 1000, &threaded);
	cr_assert(f.n == same.n && !memcmp(f.bytes, same.bytes, f.n), "threads change the file");
	read_same(&f, b, 1, NULL);
	read_same(&f, b, 2, NULL);
	read_same(&f, b, 1, &plain);
	if (rp_rpz_passes_find("avx2"))
		read_same(&f, b, 1, &avx2);
	read_same(&f, b, 1, &piped);
	rpz_file_free(&f);
	rpz_file_free(&same);
}
