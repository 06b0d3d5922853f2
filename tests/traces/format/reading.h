/* reading.h - what tests of readers and writers share: a trace as text, compared with text. */
#ifndef RP_TESTS_TRACES_FORMAT_READING_H
#define RP_TESTS_TRACES_FORMAT_READING_H

#include "tests/check.h"

#include "base/buf.h"
#include "traces/format.h"

extern const struct rp_format rp_format_cachesim_csv, rp_format_cachesim_txt, rp_format_champsim,
    rp_format_csv, rp_format_din, rp_format_lackey, rp_format_oracle, rp_format_vscsi,
    rp_format_xdin;

/* What came out of a reader. */
struct reading {
	struct rp_buf
	    rows; /* a row a line: "R 0x1000 8", then "stream=1 time=2 pc=0x3 mask=0x4 flags=0x5" as not 0 */
	size_t n;
	struct rp_err err;
	unsigned columns;
	uint64_t preamble;
	char skipped[256]; /* "text=2 op=1" */
	char warning[512]; /* the first, "" if none */
};

/* Reads n bytes as format f, in batches of `cap` rows, the input coming `piece` bytes at a time (0: all at once). */
void rp_read(struct reading *r, const struct rp_format *f, const void *bytes, size_t n,
    const struct rp_read_opts *o, size_t cap, size_t piece);
void rp_read_source(
    struct reading *r, struct rp_source *s, size_t cap); /* takes s, which is not NULL */
void rp_reading_free(struct reading *r);

/* Asserts that `bytes` read as these rows, whatever the batches and however the input arrives; with `message` not NULL
 * that reading ends in this error. The result of the last way stays in *r when r is not NULL (rp_reading_free). */
void rp_reads_as(const struct rp_format *f, const void *bytes, size_t n,
    const struct rp_read_opts *o, const char *rows, const char *message, struct reading *r);
#define RP_READS(f, text, rows) rp_reads_as(&(f), (text), strlen(text), NULL, (rows), NULL, NULL)
#define RP_READS_WITH(f, text, o, rows)                                                            \
	rp_reads_as(&(f), (text), strlen(text), (o), (rows), NULL, NULL)
#define RP_FAILS(f, text, message)                                                                 \
	rp_reads_as(&(f), (text), strlen(text), NULL, NULL, (message), NULL)
#define RP_FAILS_WITH(f, text, o, message)                                                         \
	rp_reads_as(&(f), (text), strlen(text), (o), NULL, (message), NULL)

/* Writes the rows of a CSV text (our own) in format f: the file's bytes in *to (rp_buf_free), what was lost as
 * "size=2 time=1" in lost, of 256 bytes. */
void rp_write_as(const struct rp_format *f, const char *csv, struct rp_buf *to, char *lost);

/* Certainty of every format that is not 0 for these bytes: "din=70 csv=95", in the order of rp_formats. */
const char *rp_probes(const void *bytes, size_t n, char to[256]);
/* Name of the format that would be taken; "none". */
const char *rp_found(const void *bytes, size_t n);

#endif
