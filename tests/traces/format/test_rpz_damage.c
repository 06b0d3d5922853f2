/* test_rpz_damage.c - tests that damage to an .rpz file is found, told with its place, and salvaged around. */
#include "tests/traces/format/rpz_check.h"

#include "base/hash.h"
#include "traces/format/rpz_decode.h"
#include "traces/format/rpz_encode.h"
#include "traces/format/rpz_layout.h"
#include "traces/format/rpz_rows.h"

#include <unistd.h>

static const struct rpz_draw some = { RP_COL_ALL, .span = 1 << 16, .streams = 3, .sizes = 3,
	.repeat = 9, .marks = true };

/* A small file of several blocks, and its rows. */
static struct rpz_file
small_file(struct rp_batch **rows)
{
	*rows = rpz_rows(60, &some, 5);
	return rpz_write(*rows, 7, &(struct rp_write_opts){ .block = 20 });
}

/* Reading: an error, and none of the rows before it are wrong. */
static void
must_fail(const struct rpz_file *f, const struct rp_batch *rows, const struct rp_rpz_opts *part,
    const char *what, size_t at)
{
	for (unsigned threads = 1; threads <= 2; threads++) {
		struct rp_err err = { 0 };
		size_t n = 0;
		struct rp_batch *b = rpz_read(f, threads, part, &n, &err);
		cr_assert_null(b, "%s at %zu: no error", what, at);
		cr_assert_eq(err.code, RP_INPUT, "%s at %zu: %s", what, at, err.text);
		cr_assert_leq(n, rows->n);
		cr_assert_not_null(
		    strstr(err.text, f->path), "%s at %zu: no file in '%s'", what, at, err.text);
	}
}

RP_TEST(rpz_damage, a_file_cut_short_anywhere_is_an_error)
{
	static const struct rp_rpz_opts piped = { .piped = true };
	struct rp_batch *rows;
	struct rpz_file f = small_file(&rows);
	for (size_t n = 0; n < f.n; n++) {
		cr_assert_eq(truncate(f.path, (off_t)(f.n - 1 - n)), 0);
		must_fail(&f, rows, NULL, "cut", f.n - 1 - n);
		if (n % 7 == 0)
			must_fail(&f, rows, &piped, "cut", f.n - 1 - n);
	}
	rpz_file_free(&f);
	rp_batch_free(rows);
}

RP_TEST(rpz_damage, the_message_tells_after_which_access)
{
	struct rp_batch *rows = rpz_rows(60, &(struct rpz_draw){ .span = 1000, .sizes = 2 }, 5);
	struct rpz_file f = rpz_write(rows, 60, &(struct rp_write_opts){ .block = 20 });
	struct rp_err err = { 0 };
	char wanted[256];
	/* The second block goes, and what is behind it. */
	size_t at = 0;
	for (unsigned block = 0; block < 2; at += 8)
		block += rp_get32(f.bytes + at) == RP_RPZ_BLOCK;
	cr_assert_eq(truncate(f.path, (off_t)at + 80), 0);
	cr_assert_null(rpz_read(&f, 1, NULL, NULL, &err));
	snprintf(wanted, sizeof wanted, "%s: cut short after access 20", f.path);
	cr_assert_str_eq(err.text, wanted);
	rpz_file_free(&f);
	rp_batch_free(rows);
}

static void
write_byte(const struct rpz_file *f, size_t at, unsigned char byte)
{
	FILE *out = fopen(f->path, "r+b");
	fseek(out, (long)at, SEEK_SET);
	fputc(byte, out);
	fclose(out);
}

RP_TEST(rpz_damage, every_byte_flipped_is_an_error)
{
	struct rp_batch *rows;
	struct rpz_file f = small_file(&rows);
	for (size_t at = 0; at < f.n; at++) {
		write_byte(&f, at, f.bytes[at] ^ (unsigned char)(1 << at % 8));
		must_fail(&f, rows, NULL, "flip", at);
		write_byte(&f, at, f.bytes[at]);
	}
	rpz_file_free(&f);
	rp_batch_free(rows);
}

static void
keep(void *to, const char *text)
{
	snprintf(to, 512, "%s", text);
}

RP_TEST(rpz_damage, verify_finds_every_flipped_byte_and_nothing_in_a_sound_file)
{
	struct rp_batch *rows;
	struct rpz_file f = small_file(&rows);
	struct rp_rpz_report report;
	char text[512] = "";
	struct rp_err err = { 0 };
	const struct rp_read_opts o = { .threads = 1 };
	cr_assert(rp_rpz_verify(f.path, &o, keep, text, &report, &err), "%s", err.text);
	cr_assert_eq(report.damages, 0, "%s", text);
	cr_assert_eq(report.accesses + report.marks, 60);
	cr_assert_eq(report.blocks, 3);
	for (size_t at = 0; at < f.n; at++) {
		write_byte(&f, at, f.bytes[at] ^ (unsigned char)(1 << at % 8));
		bool ok = rp_rpz_verify(f.path, &o, keep, text, &report, &err);
		cr_assert(!ok || report.damages > 0, "a flip at %zu is not found", at);
		cr_assert(at < RP_RPZ_HEAD || ok, "%zu: %s", at, err.text);
		write_byte(&f, at, f.bytes[at]);
	}
	rpz_file_free(&f);
	rp_batch_free(rows);
}

/* Where the chunks of a type are. */
static size_t
find_chunk(const struct rpz_file *f, uint32_t magic, unsigned which)
{
	for (size_t at = RP_RPZ_HEAD; at + RP_RPZ_CHUNK <= f->n; at += 8)
		if (rp_get32(f->bytes + at) == magic && !which--)
			return at;
	cr_assert(false, "no such chunk");
	return 0;
}

static uint64_t
lost_rows(const struct rp_trace *t)
{
	for (size_t i = 0; i < t->n_skipped; i++)
		if (!strcmp(t->skipped[i].reason, "damaged"))
			return t->skipped[i].n;
	return 0;
}

/* Salvages and compares what comes with rows [0, from) and [to, n). */
static void
salvaged(const struct rpz_file *f, const struct rp_batch *rows, size_t from, size_t to)
{
	for (unsigned threads = 1; threads <= 2; threads++) {
		struct rp_err err = { 0 };
		const struct rp_read_opts o = { .threads = threads };
		struct rp_source *s =
		    rp_rpz_open(f->path, NULL, &o, &(struct rp_rpz_opts){ .salvage = true }, &err);
		cr_assert_not_null(s, "%s", err.text);
		struct rp_batch *b = rpz_collect(s, 13, NULL, &err);
		cr_assert_not_null(b, "%s", err.text);
		struct rp_batch *wanted = rp_batch_new(rows->n, RP_COL_ALL, NULL);
		rp_batch_append(wanted, rows, 0, from);
		rp_batch_append(wanted, rows, to, rows->n - to);
		rpz_same(wanted, 0, wanted->n, b);
		cr_assert_geq(s->trace->n_warnings, 1);
		cr_assert_eq(lost_rows(s->trace), to - from, "%u rows, not %u, threads %u: %s",
		    (unsigned)lost_rows(s->trace), (unsigned)(to - from), threads,
		    s->trace->warnings[0]);
		rp_batch_free(wanted);
		rp_batch_free(b);
		rp_source_close(s);
	}
}

RP_TEST(rpz_damage, salvage_keeps_what_is_sound)
{
	struct rp_batch *rows;
	struct rpz_file f = small_file(&rows);
	for (unsigned block = 0; block < 3; block++) {
		size_t at = find_chunk(&f, RP_RPZ_BLOCK, block);
		static const size_t where[] = { 0, 9, 60, RP_RPZ_CHUNK, RP_RPZ_CHUNK + 40 };
		for (size_t k = 0; k < sizeof where / sizeof *where; k++) {
			write_byte(&f, at + where[k], f.bytes[at + where[k]] ^ 64);
			salvaged(&f, rows, 20 * block, 20 * block + 20);
			write_byte(&f, at + where[k], f.bytes[at + where[k]]);
		}
	}
	rpz_file_free(&f);
	rp_batch_free(rows);
}

RP_TEST(rpz_damage, salvage_of_a_file_cut_short_keeps_the_whole_blocks)
{
	struct rp_batch *rows;
	struct rpz_file f = small_file(&rows);
	size_t at = find_chunk(&f, RP_RPZ_BLOCK, 2);
	cr_assert_eq(truncate(f.path, (off_t)at + 100), 0);
	struct rp_err err = { 0 };
	struct rp_batch *b = rpz_read(&f, 1, &(struct rp_rpz_opts){ .salvage = true }, NULL, &err);
	cr_assert_not_null(b, "%s", err.text);
	rpz_same(rows, 0, 40, b);
	rp_batch_free(b);
	rpz_file_free(&f);
	rp_batch_free(rows);
}

RP_TEST(rpz_damage, salvage_is_an_option_of_opening_any_trace)
{
	struct rp_batch *rows;
	struct rpz_file f = small_file(&rows);
	struct rp_err err = { 0 };
	size_t n = 0;
	write_byte(&f, find_chunk(&f, RP_RPZ_BLOCK, 1) + 70, 255);
	struct rp_source *s =
	    rp_trace_open(f.path, &(struct rp_read_opts){ .salvage = true }, &err);
	cr_assert_not_null(s, "%s", err.text);
	rp_batch_free(rpz_collect(s, 13, &n, &err));
	cr_assert_eq(n, 40, "%s", err.text);
	rp_source_close(s);
	rpz_file_free(&f);
	rp_batch_free(rows);
}

RP_TEST(rpz_damage, salvage_gets_over_lost_bytes)
{
	struct rp_batch *rows;
	struct rpz_file f = small_file(&rows);
	size_t from = find_chunk(&f, RP_RPZ_BLOCK, 1), to = find_chunk(&f, RP_RPZ_BLOCK, 2);
	memmove(f.bytes + from + 16, f.bytes + to, f.n - to);
	struct rpz_file cut = rpz_from_bytes(f.bytes, f.n - (to - from - 16));
	salvaged(&cut, rows, 20, 40);
	rpz_file_free(&cut);
	rpz_file_free(&f);
	rp_batch_free(rows);
}

RP_TEST(rpz_damage, blocks_that_changed_places_are_an_error)
{
	struct rp_batch *rows;
	struct rpz_file f = small_file(&rows);
	size_t a = find_chunk(&f, RP_RPZ_BLOCK, 0), b = find_chunk(&f, RP_RPZ_BLOCK, 1);
	size_t c = find_chunk(&f, RP_RPZ_BLOCK, 2);
	unsigned char *swapped = malloc(f.n);
	memcpy(swapped, f.bytes, f.n);
	memcpy(swapped + a, f.bytes + b, c - b);
	memcpy(swapped + a + (c - b), f.bytes + a, b - a);
	struct rpz_file g = rpz_from_bytes(swapped, f.n);
	must_fail(&g, rows, NULL, "swap", 0);
	rpz_file_free(&g);
	rpz_file_free(&f);
	free(swapped);
	rp_batch_free(rows);
}

RP_TEST(rpz_damage, bytes_behind_the_end_are_an_error)
{
	struct rp_batch *rows;
	struct rpz_file f = small_file(&rows);
	cr_assert_eq(truncate(f.path, (off_t)f.n + 3), 0);
	must_fail(&f, rows, NULL, "more", 3);
	rpz_file_free(&f);
	rp_batch_free(rows);
}

/* The header with a field changed and its hash made right again. */
static void
refused(struct rpz_file *f, size_t at, unsigned char byte, const char *wanted)
{
	unsigned char head[RP_RPZ_HEAD];
	char text[512];
	struct rp_err err = { 0 };
	memcpy(head, f->bytes, sizeof head);
	head[at] = byte;
	rp_put64(head + 32, rp_hash_bytes(head, 32));
	struct rpz_file g = rpz_from_bytes(head, sizeof head);
	cr_assert_null(rpz_read(&g, 1, NULL, NULL, &err));
	cr_assert_eq(err.code, RP_INPUT);
	snprintf(text, sizeof text, "%s: %s", g.path, wanted);
	cr_assert_str_eq(err.text, text);
	rpz_file_free(&g);
}

RP_TEST(rpz_damage, other_versions_and_features_are_refused_by_name)
{
	struct rp_batch *rows;
	struct rpz_file f = small_file(&rows);
	refused(&f, 8, 2, "version 2.0 of .rpz; this program reads version 1");
	refused(&f, 16, 4,
	    "version 1.0 of .rpz with features 0x4; this program reads version 1.0 without");
	refused(&f, 26, 255, "the file header is damaged: a value out of range");
	rpz_file_free(&f);
	rp_batch_free(rows);
}

/* A header that claims a payload of 4 GB, a metadata chunk, a block of many rows: in a file of some 100 bytes. */
RP_TEST(rpz_damage, large_claims_of_a_small_file_cost_nothing)
{
	static const uint32_t types[] = { RP_RPZ_META, RP_RPZ_BLOCK, RP_RPZ_INDEX, RP_RPZ_FOOTER };
	for (size_t k = 0; k < 4; k++) {
		unsigned char bytes[RP_RPZ_HEAD + RP_RPZ_CHUNK + 16] = { 0 };
		struct rp_rpz_chunk c = {
			.magic = types[k], .n = k == 1 ? 1 << 18 : 0, .stored = UINT32_MAX
		};
		struct rp_err err = { 0 };
		rp_rpz_put_head(bytes, &(struct rp_rpz_head){ 1 << 18, 0 });
		rp_rpz_put_chunk(bytes + RP_RPZ_HEAD, &c);
		struct rpz_file f = rpz_from_bytes(bytes, sizeof bytes);
		cr_assert_null(rpz_read(&f, 2, NULL, NULL, &err));
		cr_assert_eq(err.code, RP_INPUT, "%s", err.text);
		rpz_file_free(&f);
	}
}

enum { PASSES = 3 };

/* What the passes of one kind make of a block: rows, their number or -1, and the error. */
struct decoded {
	struct rp_batch *rows;
	ptrdiff_t n;
	struct rp_err err;
};

static void
decode(const char *passes, const struct rp_rpz_head *head, const struct rp_rpz_chunk *c,
    const unsigned char *payload, struct decoded *out)
{
	struct rp_rpz_decoder *d = rp_rpz_decoder_new(passes, &out->err);
	out->rows = rp_batch_new(RP_RPZ_ROWS_MOST, head->columns, NULL);
	out->n = rp_rpz_unpack(d, head, c, payload, false, &out->err)
	             ? rp_rpz_rows_next(d, out->rows, &out->err)
	             : -1;
	if (out->n > 0 && rp_rpz_mixed(d)) {
		struct rp_batch *b = rp_batch_new(c->n, head->columns, NULL);
		cr_assert_eq(
		    rp_rpz_order_next(d, out->rows, &(struct rp_rpz_filter){ 0 }, b), c->n);
		rp_batch_free(b);
	}
	rp_rpz_decoder_free(d);
}

/* A block changed at random, with the hashes not looked at: whatever comes, it stays within its arrays (the sanitizers
 * see to that) and all sets of passes that this machine has agree. */
static void
decode_mutant(
    const struct rp_rpz_head *head, const struct rp_rpz_chunk *c, const unsigned char *payload)
{
	static const char *const passes[PASSES] = { "plain", "avx2", NULL };
	struct decoded all[PASSES] = { 0 };
	for (unsigned k = 0; k < PASSES; k++) {
		const struct decoded *plain = &all[0], *d = &all[k];
		if (passes[k] && !rp_rpz_passes_find(passes[k]))
			continue;
		decode(passes[k], head, c, payload, &all[k]);
		cr_assert(d->n == plain->n && !strcmp(d->err.text, plain->err.text), "%s; %s",
		    plain->err.text, d->err.text);
		if (d->n > 0 && !(head->columns & RP_COL_STREAM))
			rpz_same(plain->rows, 0, (size_t)plain->n, d->rows);
	}
	for (unsigned k = 0; k < PASSES; k++)
		rp_batch_free(all[k].rows);
}

static void
mutate(struct rp_rng *r, unsigned char *bytes, size_t n)
{
	for (uint64_t k = 1 + rp_rng_below(r, 3); k; k--) {
		size_t at =
		    rp_rng_below(r, 2) ? rp_rng_below(r, n) : rp_rng_below(r, n < 300 ? n : 300);
		bytes[at] = rp_rng_below(r, 2)
		                ? (unsigned char)rp_rng_next(r)
		                : bytes[at] ^ (unsigned char)(1 << rp_rng_below(r, 8));
	}
}

RP_TEST(rpz_damage, mutated_blocks_stay_within_their_arrays)
{
	uint64_t seed = rp_test_seed("rpz mutants");
	struct rp_rng r = rp_rng_for(seed, "tests/rpz", 2);
	for (unsigned k = 0; k < 60 * rp_test_scale(); k++) {
		struct rpz_draw d = { .columns = k % 32,
			.span = k % 5 ? 1 << 12 : 0,
			.streams = 1 + k % 7,
			.sizes = k % 11 ? 3 : 900,
			.repeat = 11,
			.odd = k % 3 == 0 };
		struct rp_batch *b = rpz_rows(20 + rp_rng_below(&r, 600), &d, seed + k);
		struct rp_rpz_encoder *e = rp_rpz_encoder_new(1000, d.columns, 1, true, NULL);
		struct rp_buf block = { 0 };
		struct rp_rpz_summary s;
		/* Too many kinds and flags for one block are for the writer to cut. */
		b->n = d.odd && b->n > 100 ? 100 : b->n;
		cr_assert(rp_rpz_encode(e, b, 0, &block, &s, NULL));
		cr_assert_not_null(rp_buf_reserve(&block, RP_RPZ_SLACK, NULL));
		unsigned char *copy = calloc(1, block.n + RP_RPZ_SLACK);
		const struct rp_rpz_head head = { 1000, d.columns };
		for (unsigned m = 0; m < 50; m++) {
			struct rp_rpz_chunk c;
			memcpy(copy, block.bytes, block.n);
			if (m)
				mutate(&r, copy, block.n);
			size_t stored = rp_get32(block.bytes + 12);
			if (!rp_rpz_get_chunk(copy, false, &c, NULL))
				continue;
			c.stored = c.stored < stored ? c.stored : (uint32_t)stored;
			decode_mutant(&head, &c, copy + RP_RPZ_CHUNK);
		}
		free(copy);
		rp_buf_free(&block);
		rp_rpz_encoder_free(e);
		rp_batch_free(b);
	}
}
