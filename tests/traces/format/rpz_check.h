/* rpz_check.h - what the tests of .rpz share: traces made at random, written to a file and read back. */
#ifndef RP_TESTS_TRACES_FORMAT_RPZ_CHECK_H
#define RP_TESTS_TRACES_FORMAT_RPZ_CHECK_H

#include "tests/check.h"

#include "base/rng.h"
#include "traces/format/rpz.h"

/* The bytes of a file. */
struct rpz_file {
	char path[64]; /* of a temporary file, removed by rpz_file_free */
	unsigned char *bytes;
	size_t n;
};

/* How rows are drawn. */
struct rpz_draw {
	unsigned columns;
	uint64_t span;    /* addresses are below this; 0: any */
	unsigned streams; /* numbers are below this; 0: any of 32 bits */
	unsigned sizes;   /* different sizes; 0: any of 32 bits, at least 1 */
	unsigned repeat;  /* rows of a pattern that repeats; 0: none */
	bool marks,
	    odd; /* odd: kinds and flags of any value, times that fall, any pc with any flags */
};

struct rp_batch *rpz_rows(size_t n, const struct rpz_draw *d, uint64_t seed);

/* Writes rows (in pieces of `piece`) and reads the file's bytes in. Gives (rpz_file_free). */
struct rpz_file rpz_write(const struct rp_batch *b, size_t piece, const struct rp_write_opts *o);
struct rpz_file rpz_from_bytes(const unsigned char *bytes, size_t n);
void rpz_file_free(struct rpz_file *f);

/* Everything a source gives, in one batch with the trace's columns; pieces of `piece` rows. NULL on error, with *err
 * filled; *n: rows before it (may be NULL). */
struct rp_batch *rpz_collect(struct rp_source *s, size_t piece, size_t *n, struct rp_err *err);

/* The file's rows, or NULL. */
struct rp_batch *rpz_read(const struct rpz_file *f, unsigned threads,
    const struct rp_rpz_opts *part, size_t *n, struct rp_err *err);

/* Rows [from, from + n) of a against all of b. */
void rpz_same(const struct rp_batch *a, size_t from, size_t n, const struct rp_batch *b);

/* Writes rows, reads them back in every way there is (threads, pipe, plain C), and compares. */
void rpz_round(const struct rp_batch *b, const struct rp_write_opts *o);

#endif
