/* targets.c - each target's body. */
#include "config.h"

#include "fuzz/fuzz.h"

#include "base/hash.h"
#include "base/opt.h"
#include "base/parse.h"
#include "base/temp.h"
#include "gen/counts.h"
#include "gen/layout.h"
#include "gen/mixture.h"
#include "gen/phases.h"
#include "traces/codec.h"
#include "traces/format.h"
#include "traces/interleave.h"
#include "validate/fraction.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	ROWS_MOST =
	    20000, /* of one input: a few bytes of a compressed file may stand for very many */
	DECODED_MOST = 1 << 20,
};

static void
insist(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

/* What a reader said of an input. */
struct said {
	uint64_t rows, hash;
	bool more; /* than ROWS_MOST: the rest was not looked at */
	struct rp_err err;
};

static void
check_rows(const struct rp_batch *b, struct said *s)
{
	size_t marks = 0;
	for (size_t i = 0; i < b->n; i++) {
		struct rp_access a = rp_batch_get(b, i);
		bool mark = a.kind >= RP_MARKS;
		insist(a.kind < RP_KINDS || (mark && a.kind < RP_MARKS_END), "a row of no kind");
		insist(a.size >= 1, "a row of size 0");
		marks += mark;
		s->hash = rp_mix64(s->hash ^ a.addr) + rp_mix64(a.time ^ rp_mix64(a.pc)) + a.stream;
		s->hash = rp_mix64(s->hash) + ((uint64_t)a.size << 32 | a.mask) +
		          ((uint64_t)a.kind << 8 | a.flags);
	}
	insist(marks == b->marks, "marks counted wrong");
	s->rows += b->n;
}

static void
check_error(const struct rp_err *err)
{
	insist(err->code == RP_INPUT || err->code == RP_RESOURCE || err->code == RP_USAGE,
	    "an error without a code");
	insist(err->text[0] && !strchr(err->text, '\n'), "an error that is not one line");
}

/* Reads a source (taken; NULL: opening failed) to its end. */
static void
read_all(struct rp_source *s, size_t cap, struct said *said)
{
	struct rp_batch *b = s ? rp_batch_new(cap, RP_COL_ALL, NULL) : NULL;
	while (b && !said->more) {
		rp_batch_clear(b);
		ptrdiff_t n = rp_source_pull(s, b, &said->err);
		insist(n < 0 ? said->err.code != RP_OK : (size_t)n == b->n,
		    "a pull that does not say what it did");
		if (n <= 0)
			break;
		check_rows(b, said);
		said->more = said->rows > ROWS_MOST;
	}
	if (!s || said->err.code)
		check_error(&said->err);
	rp_batch_free(b);
	rp_source_close(s);
}

/* Options that change what a reader does, chosen by the input's length so that a seed stays a plain file. */
static struct rp_read_opts
options(size_t n)
{
	return (struct rp_read_opts){
		.keep_empty = n & 1,
		.object = n & 2 ? 512 : 0,
		.cloudsuite = n & 4,
		.arch = n & 1 ? 35 : 0,
		.descending = n & 2,
		.narrow_signed = n & 4,
		.salvage = n & 8,
		.csv = n & 16 ? "time=1,id=2,op=3,size=4" : NULL,
	};
}

/* A format of one stream of bytes: as a whole, then in pieces. */
static void
run_reader(const struct rp_format *f, const uint8_t *bytes, size_t n)
{
	struct rp_read_opts o = options(n);
	struct said whole = { 0 }, pieces = { 0 };
	struct rp_bytes *in = rp_bytes_memory(bytes, n, "input", &whole.err);
	read_all(in ? rp_format_open(f, in, &o, &whole.err) : NULL, RP_BATCH, &whole);
	in = rp_bytes_pieces(bytes, n, 1 + n % 61, "input", &pieces.err);
	read_all(in ? rp_format_open(f, in, &o, &pieces.err) : NULL, 1 + n % 97, &pieces);
	if (whole.more || pieces.more)
		return;
	/* Where in a compressed file damage is noticed does depend on them. */
	bool packed = strstr(whole.err.text, "of the compressed file") && pieces.err.code;
	if (!packed && strcmp(whole.err.text, pieces.err.text)) {
		fprintf(stderr, "whole: %s\npieces: %s\n", whole.err.text, pieces.err.text);
		insist(false, "an error that depends on the pieces");
	}
	insist(whole.err.code || (whole.rows == pieces.rows && whole.hash == pieces.hash),
	    "rows that depend on the pieces");
}

/* A temporary file with these bytes; *path names it while it is open. */
static int
temporary(const uint8_t *bytes, size_t n, char path[64])
{
	static int fd = -1; /* one for the whole run: opening takes longer than reading */
	struct rp_err err = { 0 };
	if (fd < 0)
		fd = rp_temp_open(&err);
	if (fd < 0 || ftruncate(fd, 0) || !rp_temp_write(fd, bytes, n, 0, &err))
		insist(false, "no temporary file");
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

/* A format that opens a path. */
static void
run_file(const struct rp_format *f, const uint8_t *bytes, size_t n)
{
	struct rp_read_opts o = options(n);
	struct said said = { 0 };
	char path[64];
	temporary(bytes, n, path);
	struct rp_bytes *in = rp_bytes_open(path, NULL, &said.err);
	read_all(in ? f->open_file(path, in, &o, &said.err) : NULL, 1 + n % 4097, &said);
}

static char folder[] = "/tmp/reprise-fuzz.XXXXXX";

static void
write_file(const char *name, const uint8_t *bytes, size_t n)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "wb");
	insist(f && fwrite(bytes, 1, n, f) == n && !fclose(f), "no temporary file");
}

static void
remove_folder(void)
{
	char path[128];
	snprintf(path, sizeof path, "%s/kernelslist", folder);
	unlink(path);
	snprintf(path, sizeof path, "%s/kernel-1.traceg", folder);
	unlink(path);
	rmdir(folder);
}

/* A list names other files: behind a line "%%" comes kernel-1.traceg. */
static void
run_list(const struct rp_format *f, const uint8_t *bytes, size_t n)
{
	static bool made;
	if (!made) {
		insist(mkdtemp(folder), "no temporary folder");
		atexit(remove_folder);
		made = true;
	}
	const uint8_t *cut = memmem(bytes, n, "\n%%\n", 4);
	size_t list = cut ? (size_t)(cut - bytes) + 1 : n;
	write_file("kernelslist", bytes, list);
	write_file("kernel-1.traceg", cut ? cut + 4 : bytes, cut ? n - list - 3 : 0);
	struct rp_read_opts o = options(n);
	struct said said = { 0 };
	char path[128];
	snprintf(path, sizeof path, "%s/kernelslist", folder);
	struct rp_bytes *in = rp_bytes_open(path, NULL, &said.err);
	read_all(in ? f->open_file(path, in, &o, &said.err) : NULL, 1 + n % 4097, &said);
}

/* Which format it is, found by content. */
static void
run_probe(const uint8_t *bytes, size_t n)
{
	struct said said = { 0 };
	char path[64];
	temporary(bytes, n, path);
	read_all(rp_trace_open(path, &(struct rp_read_opts){ 0 }, &said.err), RP_BATCH, &said);
}

/* Decoded bytes, at most DECODED_MOST: how many, and their hash; false on error. */
static bool
decode(struct rp_bytes *b, struct rp_err *err, uint64_t *n, uint64_t *hash)
{
	*n = *hash = 0;
	while (b && *n < DECODED_MOST && rp_bytes_more(b, 1, err) && b->at < b->end) {
		for (; b->at < b->end; b->at++, ++*n)
			*hash = *hash * 31 + *b->at;
	}
	bool ok = b && !err->code;
	if (!ok)
		check_error(err);
	rp_bytes_close(b);
	return ok;
}

static void
run_codec(const uint8_t *bytes, size_t n)
{
	struct rp_err whole = { 0 }, pieces = { 0 };
	uint64_t n_whole, n_pieces, hash_whole, hash_pieces;
	bool ok = decode(rp_bytes_memory(bytes, n, "input", &whole), &whole, &n_whole, &hash_whole);
	bool ok_pieces = decode(rp_bytes_pieces(bytes, n, 1 + n % 61, "input", &pieces), &pieces,
	    &n_pieces, &hash_pieces);
	if (n_whole >= DECODED_MOST || n_pieces >= DECODED_MOST)
		return;
	insist(ok == ok_pieces, "an error that depends on the pieces");
	insist(!ok || (n_whole == n_pieces && hash_whole == hash_pieces),
	    "bytes that depend on the pieces");
}

static bool
take_pair(void *to, const char *key, const char *value, struct rp_err *err)
{
	*(size_t *)to += strlen(key) + strlen(value);
	(void)err;
	return true;
}

/* What people type: numbers, sizes, lists, orders, WORD,key=value. */
/* Phases of a scan, but for those in a file; and exact numbers. */
static void
run_typed_scan(const char *text)
{
	struct rp_err err = { 0 };
	struct rp_phases_params p = { text, 0, false };
	struct rp_phases f;
	struct rp_fraction x;
	if (*text != '@' && !rp_phases_make(&p, 1000, 1, &f, &err))
		check_error(&err);
	else if (*text != '@') {
		insist(f.workers >= 1, "no phases");
		for (uint32_t m = 0; m < f.workers; m++)
			insist(f.phase[m] < 1000, "a phase that is no block");
		free(f.phase);
	}
	if (!rp_fraction_parse(text, &x, &err))
		check_error(&err);
	else
		insist(x.num >= 0 && x.den >= 1, "a fraction below 0");
}

/* Layouts and mixtures as typed. */
static void
run_typed_synthesis(const char *text)
{
	struct rp_err err = { 0 };
	struct rp_layout_spec layout;
	struct rp_mixture_params p;
	uint64_t seed = 1;
	if (!rp_layout_parse(text, &layout, &err))
		check_error(&err);
	char *copy = strdup(text);
	insist(copy, "no memory");
	struct rp_mixture m;
	if (!rp_mixture_parse(copy, &p, &seed, &err)) {
		check_error(&err);
	} else if (p.max_rd <= 10000 && p.length <= 1 << 20) {
		if (!rp_mixture_make(&m, &p, seed, 0, &err)) {
			check_error(&err);
		} else {
			insist(rp_counts_sum(&m.counts) == p.length, "a mixture of another length");
			rp_mixture_free(&m);
		}
	}
	free(copy);
}

/* A profile in a file: what is read can be made feasible. */
static void
run_profile(const uint8_t *bytes, size_t n)
{
	struct rp_err err = { 0 };
	struct rp_counts c = { 0 };
	json_t *doc =
	    n > 4096 ? NULL : json_loadb((const char *)bytes, n, JSON_REJECT_DUPLICATES, NULL);
	/* A distance of millions takes as much memory; that is as it should be, and slow. */
	if (doc && !rp_counts_from_json(&c, doc, &err)) {
		check_error(&err);
	} else if (doc) {
		uint64_t sum = rp_counts_sum(&c);
		rp_counts_repair(&c, 0);
		insist(rp_counts_sum(&c) == sum, "a repair that loses accesses");
		insist(rp_counts_depth(&c) <= c.cold, "a repair that does not repair");
	}
	rp_counts_free(&c);
	json_decref(doc);
}

static void
run_typed(const uint8_t *bytes, size_t n)
{
	if (n > 4096)
		return;
	char *text = malloc(n + 1);
	insist(text, "no memory");
	memcpy(text, bytes, n);
	text[n] = 0;
	struct rp_err err = { 0 };
	uint64_t number, *list = NULL;
	double real;
	size_t some = 0;
	struct rp_interleave how = { 0 };
	if (rp_parse_size(text, &number, &err)) {
		char back[24];
		uint64_t again;
		insist(rp_parse_size(rp_print_size(back, sizeof back, number), &again, &err) &&
			   again == number,
		    "a size that does not come back");
	}
	if (!rp_parse_u64(text, &number, &err))
		check_error(&err);
	if (!rp_parse_double(text, &real, &err))
		check_error(&err);
	for (int sizes = 0; sizes < 2; sizes++, free(list), list = NULL)
		if (!rp_parse_list(text, sizes, &list, &some, &err))
			check_error(&err);
	if (!rp_interleave_parse(text, &how, &err))
		check_error(&err);
	free(how.rates);
	run_typed_scan(text);
	run_typed_synthesis(text);
	const char *word;
	if (!rp_spec_split(text, &word, take_pair, &some, &err))
		check_error(&err);
	free(text);
}

static const struct {
	const char *name;
	void (*run)(const uint8_t *bytes, size_t n);
} other[] = { { "probe", run_probe }, { "profile", run_profile }, { "typed", run_typed } };

enum { OTHERS = sizeof other / sizeof *other };

/* Which table target i is in: its index there. */
enum kind { FORMAT, CODEC, OTHER, NONE };

static enum kind
find(size_t *i)
{
	for (const struct rp_format *const *f = rp_formats; *f; f++, --*i)
		if (!*i) {
			*i = (size_t)(f - rp_formats);
			return FORMAT;
		}
	for (const struct rp_codec *const *c = rp_codecs; *c; c++, --*i)
		if (!*i) {
			*i = (size_t)(c - rp_codecs);
			return CODEC;
		}
	return *i < OTHERS ? OTHER : NONE;
}

const char *
fuzz_name(size_t i)
{
	switch (find(&i)) {
	case FORMAT:
		return rp_formats[i]->name;
	case CODEC:
		return rp_codecs[i]->name;
	case OTHER:
		return other[i].name;
	default:
		return NULL;
	}
}

void
fuzz_run(size_t i, const uint8_t *bytes, size_t n)
{
	switch (find(&i)) {
	case FORMAT:
		if (rp_formats[i]->read)
			run_reader(rp_formats[i], bytes, n);
		else if (!strcmp(rp_formats[i]->name, "kernelslist"))
			run_list(rp_formats[i], bytes, n);
		else
			run_file(rp_formats[i], bytes, n);
		break;
	case CODEC:
		run_codec(bytes, n);
		break;
	case OTHER:
		other[i].run(bytes, n);
		break;
	default:
		insist(false, "no such target");
	}
}
