/* test_codec.c - every compression: whole, in pieces, cut short, flipped, and asking for too much. */
#include "tests/check.h"

#include "base/rng.h"
#include "traces/bytes.h"
#include "traces/codec.h"

#include <lzma.h>
#include <zlib.h>

static struct rp_err err;

struct bytes {
	unsigned char *p;
	size_t n;
};

static struct bytes
load(const char *name)
{
	char path[4096], full[256];
	snprintf(full, sizeof full, "traces/files/codec/%s", name);
	FILE *f = fopen(rp_test_file(path, full), "rb");
	cr_assert(f, "%s", path);
	struct bytes b = { malloc(1 << 20), 0 };
	b.n = fread(b.p, 1, 1 << 20, f);
	fclose(f);
	return b;
}

/* All of a source of bytes, appended to `to`; false on error. */
static bool
drain(struct rp_bytes *b, struct bytes *to)
{
	to->n = 0;
	while (rp_bytes_more(b, 1, &err)) {
		size_t n = (size_t)(b->end - b->at);
		if (!n)
			return true;
		cr_assert(to->n + n <= 1 << 20);
		memcpy(to->p + to->n, b->at, n);
		to->n += n;
		b->at = b->end;
	}
	return false;
}

static bool
decode(const void *in, size_t n, size_t piece, struct bytes *to)
{
	err = (struct rp_err){ 0 };
	struct rp_bytes *b =
	    piece ? rp_bytes_pieces(in, n, piece, "f", &err) : rp_bytes_memory(in, n, "f", &err);
	bool ok = b && drain(b, to);
	rp_bytes_close(b);
	cr_assert(ok || (err.code && strlen(err.text) > 3));
	return ok;
}

static bool
same(const struct bytes *a, const struct bytes *b)
{
	return a->n == b->n && !memcmp(a->p, b->p, a->n);
}

/* Files that hold `text`, and how many flips of one of their bytes leave it readable and the same (header fields that
 * nobody needs: time, name, level). A flip must never give other bytes. */
static const struct file {
	const char *name, *codec;
	int harmless_most; /* of three flips a byte */
	bool unchecked;    /* no checksum over the content */
} file[] = {
	{ "text.gz", "gzip", 3 * 6 + 2,
	    false }, /* time, level, system; flag "text"; padding bits */
	{ "two.gz", "gzip", 2 * (3 * 6 + 2), false },
	{ "text.zlib", "gzip", 2, false }, /* padding bits */
	{ "text.zst", "zstd", 10, false }, /* unused bits, a larger window */
	{ "two.zst", "zstd", 40, false },  /* and a skipped frame */
	{ "nocheck.zst", "zstd", 1000, true },
	{ "text.xz", "xz", 0, false },
	{ "two.xz", "xz", 0, false },
	{ "text.bz2", "bzip2", 6, false }, /* level, padding bits */
	{ "two.bz2", "bzip2", 12, false },
	{ "two.zip", "zip", 1000, false },
	{ "streamed.zip", "zip", 1000, false },
	{ "zip64.zip", "zip", 1000, false },
	{ "streamed64.zip", "zip", 1000, false },
	{ "stored.zip", "zip", 1000, false },
	{ "infozip.zip", "zip", 1000, false },
};

enum { FILES = sizeof file / sizeof *file };

RP_TEST(codec, every_kind_is_found_by_content_and_decoded_in_any_pieces)
{
	static const size_t piece[] = { 0, 1, 2, 3, 7, 64, 100000 };
	struct bytes text = load("text"), got = load("text");
	for (const struct file *f = file; f < file + FILES; f++) {
		struct bytes in = load(f->name);
		for (size_t i = 0; i < sizeof piece / sizeof *piece; i++) {
			cr_assert(decode(in.p, in.n, piece[i], &got), "%s: %s", f->name, err.text);
			cr_assert(same(&text, &got), "%s in pieces of %zu", f->name, piece[i]);
		}
		struct rp_bytes *b = rp_bytes_memory(in.p, in.n, "f", &err);
		cr_assert_str_eq(b->codec, f->codec);
		rp_bytes_close(b);
		free(in.p);
	}
	free(text.p);
	free(got.p);
}

static const struct rp_codec *
find(const char *name)
{
	for (const struct rp_codec *const *c = rp_codecs; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	cr_assert_fail("no codec %s", name);
	return NULL;
}

/* The magic of a codec that an input begins with, but for the bits that may be either. */
static const struct rp_magic *
magic_of(const struct rp_codec *c, const unsigned char *in)
{
	const struct rp_magic *m = c->magic;
	while (m->bytes[1] != in[1])
		cr_assert(++m < c->magic + RP_MAGICS);
	return m;
}

/* Through the codec alone, with the room it has for output also in pieces. */
static int
step_all(const struct rp_codec *c, const struct bytes *in, size_t in_piece, size_t out_piece,
    struct bytes *to)
{
	void *state = calloc(1, c->state_bytes);
	cr_assert(c->open(state, &err));
	struct rp_codec_io io = { .in = in->p, .in_end = in->p, .out = to->p, .out_end = to->p };
	int more = 1;
	while (more > 0) {
		size_t left = (size_t)(in->p + in->n - io.in_end);
		if (io.in == io.in_end) {
			io.last = left == 0;
			io.in_end += left < in_piece ? left : in_piece;
		}
		io.out_end = io.out + out_piece;
		const unsigned char *was_in = io.in, *was_out = io.out;
		more = c->step(state, &io, &err);
		cr_assert(
		    more <= 0 || io.in == io.in_end || io.out == io.out_end, "stopped half way");
		cr_assert(more <= 0 || io.in > was_in || io.out > was_out || io.in == io.in_end);
	}
	to->n = (size_t)(io.out - to->p);
	c->close(state);
	free(state);
	return more;
}

RP_TEST(codec, output_comes_in_any_pieces_too)
{
	static const size_t piece[] = { 1, 2, 5, 1000, 70000 };
	struct bytes text = load("text"), got = load("text");
	for (const struct file *f = file; f < file + FILES; f++) {
		struct bytes in = load(f->name);
		for (size_t i = 0; i < 25; i++) {
			cr_assert_eq(
			    step_all(find(f->codec), &in, piece[i / 5], piece[i % 5], &got), 0,
			    "%s: %s", f->name, err.text);
			cr_assert(same(&text, &got), "%s: pieces of %zu, %zu", f->name,
			    piece[i / 5], piece[i % 5]);
		}
		free(in.p);
	}
	free(text.p);
	free(got.p);
}

/* Is a file cut after n bytes whole: just behind a member of those that may follow each other? */
static bool
may_end(const struct file *f, const struct bytes *got, const struct bytes *text)
{
	return !strncmp(f->name, "two", 3) && strcmp(f->codec, "zip") && got->n == 700 &&
	       !memcmp(got->p, text->p, 700);
}

RP_TEST(codec, cut_anywhere_is_an_error)
{
	struct bytes text = load("text"), got = load("text");
	for (const struct file *f = file; f < file + FILES; f++) {
		struct bytes in = load(f->name);
		for (size_t n = 8; n < in.n; n++) {
			if (decode(in.p, n, n % 2 ? 0 : 1 + n % 50, &got))
				cr_assert(may_end(f, &got, &text),
				    "%s cut after %zu bytes is taken", f->name, n);
			else
				cr_assert(err.code == RP_INPUT && strstr(err.text, "cut short"),
				    "%s", err.text);
		}
		free(in.p);
	}
	free(text.p);
	free(got.p);
}

RP_TEST(codec, a_flipped_byte_is_an_error_or_harmless)
{
	static const unsigned char flip[] = { 0xff, 1, 0x80 };
	struct bytes text = load("text"), got = load("text");
	for (const struct file *f = file; f < file + FILES; f++) {
		struct bytes in = load(f->name);
		int harmless = 0, other = 0, errors = 0;
		for (size_t i = 0; i < 3 * in.n; i++) {
			size_t magic = magic_of(find(f->codec), in.p)->n;
			if (i / 3 < magic)
				continue; /* then it is no compressed file at all */
			in.p[i / 3] ^= flip[i % 3];
			bool ok = decode(in.p, in.n, 0, &got);
			errors += !ok;
			harmless += ok && same(&text, &got);
			other += ok && !same(&text, &got);
			in.p[i / 3] ^= flip[i % 3];
		}
		fprintf(stderr, "%s: of %zu flips %d errors, %d harmless, %d other bytes\n",
		    f->name, 3 * in.n, errors, harmless, other);
		cr_assert(harmless <= f->harmless_most, "%s: %d", f->name, harmless);
		cr_assert(f->unchecked || !other, "%s", f->name);
		free(in.p);
	}
	free(text.p);
	free(got.p);
}

RP_TEST(codec, bytes_behind_the_end_are_an_error)
{
	static const char *const garbage[] = { "x", "\n", "garbage behind" };
	struct bytes got = load("text");
	for (const struct file *f = file; f < file + FILES; f++) {
		struct bytes in = load(f->name);
		for (size_t i = 0; i < 3; i++) {
			memcpy(in.p + in.n, garbage[i], strlen(garbage[i]));
			cr_assert_not(
			    decode(in.p, in.n + strlen(garbage[i]), i, &got), "%s", f->name);
			cr_assert_eq(err.code, RP_INPUT);
			cr_assert(
			    strlen(garbage[i]) < 4 || strstr(err.text, "bytes behind the end"),
			    "%s: %s", f->name, err.text);
		}
		free(in.p);
	}
	free(got.p);
}

static void
assert_fails(const void *in, size_t n, enum rp_code code, const char *text)
{
	struct bytes got = { malloc(1 << 20), 0 };
	cr_assert_not(decode(in, n, 0, &got));
	cr_assert_str_eq(err.text, text);
	cr_assert_eq(err.code, code);
	free(got.p);
}

static void
assert_file_fails(const char *name, const char *text)
{
	struct bytes in = load(name);
	assert_fails(in.p, in.n, RP_INPUT, text);
	free(in.p);
}

RP_TEST(codec, zip_members_that_cannot_be_read_are_named)
{
	assert_file_fails("bzip2.zip",
	    "f: offset 30 of the compressed file: zip: member 1 is packed by method 12; "
	    "stored (0) and deflated (8) ones are read");
	assert_file_fails(
	    "encrypted.zip", "f: offset 30 of the compressed file: zip: member 1 is encrypted");
	assert_file_fails("stored_streamed.zip",
	    "f: offset 40 of the compressed file: zip: member 'chunk.0000' is "
	    "stored with its size behind it, so its end cannot be found");
}

RP_TEST(codec, a_window_of_gigabytes_is_refused)
{
	/* One frame: window descriptor of 2^31 bytes, one raw block of one byte. */
	static const unsigned char wide[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 21 << 3, 9, 0, 0, 'x' };
	assert_fails(wide, sizeof wide, RP_INPUT,
	    "f: offset 0 of the compressed file: zstd: needs a window of more than 128 MiB, the "
	    "most that is allowed");
	unsigned char most[sizeof wide];
	memcpy(most, wide, sizeof wide);
	most[5] = 17 << 3;
	struct bytes got = { malloc(1 << 20), 0 };
	cr_assert(decode(most, sizeof most, 0, &got), "%s", err.text);
	cr_assert(got.n == 1 && got.p[0] == 'x');
	free(got.p);
}

RP_TEST(codec, a_dictionary_of_gigabytes_is_refused)
{
	/* The first block's header follows the 12 bytes of the stream's: size, flags, filter 0x21, 1, dictionary. */
	struct bytes in = load("text.xz");
	unsigned char *block = in.p + 12;
	size_t n = ((size_t)block[0] + 1) * 4;
	size_t at = 2;
	while (block[at] != 0x21)
		at++;
	block[at + 2] = 40; /* 4 GiB - 1 */
	uint32_t crc = lzma_crc32(block, n - 4, 0);
	for (int i = 0; i < 4; i++)
		block[n - 4 + i] = (unsigned char)(crc >> 8 * i);
	struct bytes got = { malloc(1 << 20), 0 };
	cr_assert_not(decode(in.p, in.n, 0, &got));
	cr_assert_eq(err.code, RP_INPUT);
	cr_assert(
	    strstr(err.text, "MiB of memory; 256 MiB is the most that is allowed"), "%s", err.text);
	free(got.p);
	free(in.p);
}

/* A frame that decoders skip (RFC 8878, 3.1.2): a magic, the length, so many bytes. pzstd begins its files with one. */
RP_TEST(codec, a_zstd_file_may_begin_with_a_skippable_frame)
{
	struct bytes text = load("text"), got = load("text"), in = load("text.zst");
	for (unsigned kind = 0; kind < 16; kind++) {
		unsigned char skipped[1000] = { (unsigned char)(0x50 + kind), 0x2a, 0x4d, 0x18, 3,
			0, 0, 0, 'p', 'q', 'r' };
		cr_assert(11 + in.n <= sizeof skipped);
		memcpy(skipped + 11, in.p, in.n);
		cr_assert(decode(skipped, 11 + in.n, kind, &got), "%s", err.text);
		cr_assert(same(&text, &got), "kind %u", kind);
		cr_assert_not(decode(skipped, 9, kind, &got));
		cr_assert(strstr(err.text, "zstd: cut short"), "%s", err.text);
	}
	free(text.p);
	free(got.p);
	free(in.p);
}

RP_TEST(codec, zeroes_behind_a_gzip_file_are_padding)
{
	static const char *const name[] = { "text.gz", "two.gz", "text.zlib" };
	static const size_t zeroes[] = { 1, 2, 17, 512, 10000 };
	struct bytes text = load("text"), got = load("text");
	for (size_t k = 0; k < 15; k++) {
		struct bytes in = load(name[k % 3]);
		size_t n = in.n + zeroes[k / 3];
		memset(in.p + in.n, 0, zeroes[k / 3] + 1);
		for (size_t piece = 0; piece < 4; piece++) {
			cr_assert(decode(in.p, n, piece, &got), "%s: %s", name[k % 3], err.text);
			cr_assert(same(&text, &got), "%s", name[k % 3]);
		}
		cr_assert_eq(step_all(find("gzip"), &(struct bytes){ in.p, n }, 7, 50, &got), 0);
		in.p[n] = 0x1f; /* no member follows padding */
		cr_assert_not(decode(in.p, n + 1, k, &got));
		cr_assert(strstr(err.text, "bytes behind the end that are no further member"), "%s",
		    err.text);
		free(in.p);
	}
	free(text.p);
	free(got.p);
}

RP_TEST(codec, a_zlib_stream_of_any_level_is_found)
{
	struct bytes text = load("text"), got = load("text"), in = load("text.zlib");
	for (int level = 0; level <= 9; level++) {
		uLongf n = 1 << 20;
		cr_assert_eq(compress2(in.p, &n, text.p, text.n, level), Z_OK);
		cr_assert(decode(in.p, n, (size_t)level, &got), "level %d: %s", level, err.text);
		cr_assert(same(&text, &got), "level %d", level);
	}
	free(text.p);
	free(got.p);
	free(in.p);
	in = load("text.zlib");
	assert_fails(in.p, 20, RP_INPUT, "f: offset 20 of the compressed file: gzip: cut short");
	in.p[in.n - 1] ^= 1;
	char want[128];
	snprintf(want, sizeof want,
	    "f: offset %zu of the compressed file: gzip: damaged (incorrect data check)", in.n);
	assert_fails(in.p, in.n, RP_INPUT, want);
	free(in.p);
}

RP_TEST(codec, messages_say_what_and_where)
{
	struct bytes in = load("text.gz");
	assert_fails(in.p, 20, RP_INPUT, "f: offset 20 of the compressed file: gzip: cut short");
	memcpy(in.p + in.n, "more", 4);
	assert_fails(in.p, in.n + 4, RP_INPUT,
	    "f: offset 311 of the compressed file: gzip: bytes behind the end that are no further "
	    "member");
	in.p[in.n - 5] ^= 1;
	assert_fails(in.p, in.n, RP_INPUT,
	    "f: offset 305 of the compressed file: gzip: damaged (incorrect data check)");
	free(in.p);
}

RP_TEST(codec, random_bytes_behind_a_magic_do_no_harm)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("random_bytes"), "tests/codec", 0);
	struct bytes got = { malloc(1 << 20), 0 };
	for (const struct rp_codec *const *c = rp_codecs; *c; c++) {
		for (unsigned i = 0; i < 300 * rp_test_scale(); i++) {
			unsigned char in[100];
			for (size_t k = 0; k < sizeof in; k++)
				in[k] = (unsigned char)rp_rng_next(&rng);
			const struct rp_magic *m = &(*c)->magic[i % RP_MAGICS];
			memcpy(in, m->bytes, m->n);
			decode(in, sizeof in, i % 5, &got);
		}
	}
	free(got.p);
}
