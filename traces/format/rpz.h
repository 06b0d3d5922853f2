/* rpz.h - what an .rpz file offers beyond being read from its start to its end: parts of it, a check, a rescue. */
#ifndef RP_TRACES_FORMAT_RPZ_H
#define RP_TRACES_FORMAT_RPZ_H

#include "traces/format.h"

struct rp_rpz_index;

/* All zeroes: the whole file, and damage is an error. */
struct rp_rpz_opts {
	uint64_t
	    skip; /* leaves out the first so many accesses (of those `only` selects); their marks pass */
	bool
	    only; /* rows of one stream, and the marks of all; the others are counted as skipped "stream" */
	uint32_t stream;
	bool
	    salvage; /* goes on behind damage: what is lost is in the trace's skipped ("damaged") and warnings */
	/* For tests and measurements: */
	const char *passes; /* "plain", "avx2", "avx512"; NULL: the quickest */
	bool unchecked;     /* hashes of blocks are not looked at */
	bool deep;          /* decoded addresses are held against their hash */
	bool piped;         /* the index is not used, as if the file came through a pipe */
	struct rp_rpz_index *observed; /* with deep: gets what the index should say of each block */
	/* Called with each piece of damage when salvaging, one line with its place. NULL: only counted. */
	void (*tell)(void *to, const char *text);
	void *to;
};

/* Opens `path` ("-": standard input). `in`, where not NULL, is `path` already opened, at its start, and taken in any
 * case; path may then be NULL. A file is read by its index where skip or only ask for a part; a pipe, or a file within
 * another compression, is read through. The trace has the file's columns, metadata and launches (from a pipe the
 * launches come as they are reached, and what was skipped at the end). Damage found by pull is RP_INPUT with the place
 * and how many accesses came before it. `part` may be NULL. Gives (rp_source_close). */
struct rp_source *rp_rpz_open(const char *path, struct rp_bytes *in, const struct rp_read_opts *o,
    const struct rp_rpz_opts *part, struct rp_err *err);

/* What the end of a file says of it. */
struct rp_rpz_info {
	uint64_t file_bytes;
	uint64_t accesses, marks, blocks, index_pages;
	uint64_t streams; /* distinct ones; 0: the trace has no stream column */
	uint32_t low_stream, high_stream;
	uint64_t first_time, last_time; /* smallest, largest; 0 without times */
	unsigned columns;               /* enum rp_column */
	int level;                      /* of zstd */
	uint32_t block;                 /* rows of a block at most */
	unsigned major, minor;          /* version of the format */
};

/* Reads the header and the end of a file, not its blocks. RP_INPUT: missing, no .rpz, damaged or cut short. */
bool rp_rpz_read_info(const char *path, struct rp_rpz_info *info, struct rp_err *err);

struct rp_rpz_report {
	uint64_t accesses, marks, blocks; /* sound ones */
	uint64_t lost;                    /* rows that are damaged or missing, as far as is known */
	uint64_t damages;                 /* calls of tell */
};

/* Reads everything: hashes of headers and payloads, every block decoded and its addresses held against their hash, the
 * index against the blocks, the totals. tell is called for each piece of damage with one line. true when the file could
 * be read at all: damages tells whether it is sound. o->threads decode. */
bool rp_rpz_verify(const char *path, const struct rp_read_opts *o,
    void (*tell)(void *to, const char *text), void *to, struct rp_rpz_report *report,
    struct rp_err *err);

extern const struct rp_writer rp_rpz_writer;

#endif
