/* readers.c - how fast text formats are parsed, against finding the ends of the same lines with memchr, and written.
 *
 * The texts are made in memory, so that neither disk nor decompression counts: what is measured is parsing. */
#include "config.h"

#include "base/rng.h"
#include "bench/bench.h"
#include "traces/format.h"
#include "traces/format/text.h"

#include <math.h>
#include <stdlib.h>

enum { TEXT = 48 << 20, LINE = 4096, ROUNDS = 5, WRITES = 500 };

struct text {
	char *bytes;
	size_t n;
	const struct rp_format *format;
};

static void
find_lines(void *to)
{
	const struct text *t = to;
	unsigned long long lines = 0;
	for (const char *p = t->bytes, *end = p + t->n; (p = memchr(p, '\n', (size_t)(end - p)));
	     p++)
		lines++;
	bench_keep(lines);
}

static void
read_all(void *to)
{
	static const struct rp_read_opts none;
	const struct text *t = to;
	struct rp_err err = { 0 };
	struct rp_bytes *in = rp_bytes_memory(t->bytes, t->n, "memory", &err);
	struct rp_source *s = in ? rp_format_open(t->format, in, &none, &err) : NULL;
	struct rp_batch *b = s ? rp_batch_new(RP_BATCH, s->trace->columns, &err) : NULL;
	ptrdiff_t n = -1;
	while (b && (n = rp_source_pull(s, b, &err)) > 0) {
		bench_keep(b->addr[0]);
		rp_batch_clear(b);
	}
	if (n < 0)
		bench_fail(&err);
	rp_batch_free(b);
	rp_source_close(s);
}

/* An access as a program makes them: mostly near the one before, in code, heap or stack. */
static uint64_t
some_address(struct rp_rng *r, uint64_t at[3], unsigned *where)
{
	uint64_t x = rp_rng_next(r);
	*where = (unsigned)(x % 5 < 3 ? 0 : x % 5 - 2);
	at[*where] += x >> 32 & 63;
	if ((x >> 8 & 63) == 0)
		at[*where] ^= x >> 40 & 0xfff0;
	return at[*where];
}

static char *
lackey_line(char *to, struct rp_rng *r, uint64_t at[3])
{
	static const char letter[][4] = { "I  ", " L ", " S ", " M " };
	unsigned where;
	uint64_t addr = some_address(r, at, &where);
	unsigned k = where ? 1 + (unsigned)(rp_rng_next(r) % 16 + 5) / 10 : 0;
	memcpy(to, letter[k], 3);
	to = rp_put_hex(to + 3, addr, 8);
	*to++ = ',';
	to = rp_put_dec(to, where ? UINT64_C(1) << (addr & 3) : 1 + addr % 7);
	*to++ = '\n';
	return to;
}

static char *
csv_line(char *to, struct rp_rng *r, uint64_t at[3])
{
	unsigned where;
	uint64_t addr = some_address(r, at, &where);
	to = RP_PUT_TEXT(to, "0,R,0x");
	to = rp_put_hex(to, addr, 1);
	return RP_PUT_TEXT(to, ",8\n");
}

static char *
din_line(char *to, struct rp_rng *r, uint64_t at[3])
{
	unsigned where;
	uint64_t addr = some_address(r, at, &where);
	*to++ = "201"[where];
	*to++ = ' ';
	to = rp_put_hex(to, addr, 1);
	*to++ = '\n';
	return to;
}

/* An instruction of a warp as the stock tracer writes it; every other one accesses memory, in all three modes. */
static char *
traceg_line(char *to, struct rp_rng *r, uint64_t at[3])
{
	unsigned where;
	uint64_t addr = some_address(r, at, &where) & ~UINT64_C(3), pc = at[0] & 0xfff0;
	to = rp_put_hex(to, pc, 4);
	if (where == 0)
		return RP_PUT_TEXT(to, " ffffffff 1 R4 IMAD.WIDE 3 R2 R7 R255 0 0 \n");
	if (where == 1) {
		to = RP_PUT_TEXT(to, " ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f51");
		return RP_PUT_TEXT(rp_put_hex(to, addr & 0xffffffff, 8), " 4 0 \n");
	}
	to = RP_PUT_TEXT(to, " 0000ffff 0 STG.E 2 R2 R4 4 2 0x7f51");
	to = rp_put_hex(to, addr & 0xffffffff, 8);
	for (int i = 0; i < 15; i++) {
		*to++ = ' ';
		to = rp_put_dec(to, 4 * (rp_rng_next(r) & 63));
	}
	return RP_PUT_TEXT(to, " 0 \n");
}

typedef char *line_maker(char *to, struct rp_rng *r, uint64_t at[3]);

static void
make(struct text *t, const char *format, const char *head, line_maker *line, const char *tail)
{
	struct rp_err err = { 0 };
	struct rp_rng r = rp_rng_for(1, "bench/readers", 0);
	uint64_t at[3] = { 0x401000, 0x4a2f040, 0x1ffeffe700 };
	t->format = rp_format_find(format, &err);
	t->bytes = rp_mem_array(TEXT + LINE, 1, &err);
	if (!t->format || !t->bytes)
		bench_fail(&err);
	char *p = t->bytes + strlen(strcpy(t->bytes, head));
	while (p < t->bytes + TEXT)
		p = line(p, &r, at);
	t->n = (size_t)(p - t->bytes) + strlen(strcpy(p, tail));
}

static void
measure(const char *format, const char *head, line_maker *line, const char *tail, double floor)
{
	struct text t = { 0 };
	char what[64];
	make(&t, format, head, line, tail);
	struct bench_variant v[] = { { .run = find_lines, .to = &t },
		{ .run = read_all, .to = &t } };
	bench_turns(v, 2, ROUNDS, false);
	snprintf(what, sizeof what, "parse %s text, share of the baseline's speed", format);
	bench_row(what, (double)t.n / 1e6 / v[1].best, "MB/s", "memchr for the ends of its lines",
	    v[0].best / v[1].best, NAN);
	snprintf(what, sizeof what, "parse %s text, at least %g MB/s", format, floor);
	bench_row(what, (double)t.n / 1e6 / v[1].best, "MB/s", "-", NAN, floor);
	free(t.bytes);
}

/* Rows in every column a writer may want, over and over, into nothing. */
struct rows {
	const struct rp_format *format;
	struct rp_batch *batch;
	struct rp_trace *trace;
};

static void
write_all(void *to)
{
	static const struct rp_write_opts none;
	const struct rows *r = to;
	struct rp_err err = { 0 };
	struct rp_trace_out *w = rp_trace_create("/dev/null", r->format, r->trace, &none, &err);
	bool ok = w;
	for (int i = 0; ok && i < WRITES; i++)
		ok = rp_trace_write(w, r->batch, &err);
	if (!ok || !rp_trace_commit(w, NULL, NULL, &err))
		bench_fail(&err);
}

static void
measure_writer(const char *format, double floor)
{
	struct rp_err err = { 0 };
	struct rp_rng rng = rp_rng_for(1, "bench/readers", 1);
	uint64_t at[3] = { 0x401000, 0x4a2f040, 0x1ffeffe700 };
	struct rows r = { .format = rp_format_find(format, &err),
		.batch = rp_batch_new(RP_BATCH, 0, &err),
		.trace = rp_trace_new(format, &err) };
	char what[64];
	if (!r.format || !r.batch || !r.trace)
		bench_fail(&err);
	while (r.batch->n < r.batch->cap) {
		unsigned where;
		struct rp_access a = { .addr = some_address(&rng, at, &where), .size = 8 };
		a.kind = (uint8_t)(where ? where - 1 : RP_FETCH);
		rp_batch_put(r.batch, &a);
	}
	struct bench_variant v = { .run = write_all, .to = &r };
	bench_turns(&v, 1, ROUNDS, false);
	snprintf(what, sizeof what, "write %s", format);
	bench_row(what, WRITES * (double)RP_BATCH / 1e6 / v.best, "M/s", "-", NAN, floor);
	rp_batch_free(r.batch);
	rp_trace_free(r.trace);
}

static const char kernel[] =
    "-kernel name = bench\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = "
    "0\n-nregs = 32\n"
    "-binary version = 80\n-cuda stream id = 0\n-shmem base_addr = 0x00007f0000000000\n"
    "-local mem base_addr = 0x00007f0001000000\n-nvbit version = 1.5.5\n-accelsim tracer version = "
    "5\n"
    "-enable lineinfo = 0\n\n#traces format = PC mask dest_num [reg_dests] opcode src_num "
    "[reg_srcs] mem_width "
    "[adrrescompress?] [mem_addresses] immediate\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\n"
    "insts = 1000000\n";

int
main(void)
{
	measure("lackey", "==1== Lackey, an example Valgrind tool\n", lackey_line, "", 100);
	measure("din", "", din_line, "", 100);
	measure("csv", "stream,op,address,size\n", csv_line, "", 100);
	measure("traceg", kernel, traceg_line, "#END_TB\n", 100);
	measure_writer("lackey", 10);
	measure_writer("din", 10);
	measure_writer("xdin", 10);
	measure_writer("csv", 10);
	measure_writer("oracleGeneral", 10);
	return 0;
}
