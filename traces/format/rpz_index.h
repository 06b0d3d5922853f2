/* rpz_index.h - the index of an .rpz file and what its footer says: as it is written, and as it is read. */
#ifndef RP_TRACES_FORMAT_RPZ_INDEX_H
#define RP_TRACES_FORMAT_RPZ_INDEX_H

#include "base/buf.h"
#include "traces/format/rpz_encode.h"
#include "traces/format/rpz_layout.h"

struct rp_rpz_totals {
	uint64_t rows, marks, blocks, streams; /* streams: distinct ones */
	uint64_t meta;                         /* offset of the last metadata chunk */
	uint64_t first_time, last_time;
	uint32_t low, high; /* streams */
	uint32_t level, pages;
};

/* Distinct 32-bit numbers. */
struct rp_rpz_set {
	uint32_t *slot;
	size_t n, room;
	bool zero; /* whether 0 is in it: a free slot is 0 */
};

bool rp_rpz_set_add(struct rp_rpz_set *s, uint32_t x, struct rp_err *err);

/* Being written. Starts as zeroes; released with rp_rpz_index_free. */
struct rp_rpz_index {
	struct rp_rpz_totals totals;
	struct rp_buf page, directory; /* entries of the page begun; an entry for each page done */
	uint32_t n;                    /* entries of the page begun */
	struct rp_rpz_summary all;     /* of the page begun, taken together */
	struct rp_rpz_set streams;
};

void rp_rpz_index_free(struct rp_rpz_index *x);

/* Adds a block and its distinct streams. */
bool rp_rpz_index_add(struct rp_rpz_index *x, const struct rp_rpz_summary *s,
    const uint32_t *stream, size_t streams, struct rp_err *err);

/* Appends the page that was begun, which will stand at `offset`, as a chunk; nothing if it is empty. */
bool rp_rpz_index_page(
    struct rp_rpz_index *x, uint64_t offset, struct rp_buf *out, struct rp_err *err);

/* Appends the footer as a chunk. */
bool rp_rpz_index_footer(struct rp_rpz_index *x, struct rp_buf *out, struct rp_err *err);

/* Appends a chunk without rows: a header, the payload, padding. */
bool rp_rpz_chunk_add(uint32_t magic, uint32_t n, const void *payload, size_t bytes,
    struct rp_buf *out, struct rp_err *err);

/* Reading: payloads whose hash is right. false: damaged. */
bool rp_rpz_totals_from(const unsigned char *payload, size_t bytes, struct rp_rpz_totals *t);
void rp_rpz_entry_from(const unsigned char *at, struct rp_rpz_summary *s);

struct rp_source;

/* Holds what an .rpz source, read to its end, says in footer and index against what was observed; tell is called with
 * what differs. false: it could not be read. In rpz_read.c. */
bool rp_rpz_index_agrees(struct rp_source *s, const struct rp_rpz_index *seen,
    void (*tell_of)(void *to, const char *text), void *to, struct rp_err *err);

/* Offset of page k's chunk, from a footer's payload. */
uint64_t rp_rpz_page_offset(const unsigned char *footer, uint64_t k);

#endif
