/* rpz_decode.h - rows from one block of an .rpz file.
 *
 * Input is hostile: every length and index is checked before it is used, and what cannot be checked beforehand without
 * slowing every access (tokens, residual bytes) cannot leave its arrays and is an error afterwards. */
#ifndef RP_TRACES_FORMAT_RPZ_DECODE_H
#define RP_TRACES_FORMAT_RPZ_DECODE_H

#include "traces/batch.h"
#include "traces/format/rpz_layout.h"

struct rp_rpz_decoder;

/* passes: "plain", "avx2" or NULL for the quickest here. Gives (rp_rpz_decoder_free). NULL, with *err filled, without
 * memory. */
struct rp_rpz_decoder *rp_rpz_decoder_new(const char *passes, struct rp_err *err);
void rp_rpz_decoder_free(struct rp_rpz_decoder *d); /* accepts NULL */

/* Takes a block apart: `c` is its header, `payload` its c->stored bytes, readable for RP_RPZ_SLACK more; both borrowed
 * until its last row is read. `head` is the file's. With `check` the payload's hash is looked at first. RP_INPUT,
 * without a place, when it is damaged; RP_RESOURCE without memory. */
bool rp_rpz_unpack(struct rp_rpz_decoder *d, const struct rp_rpz_head *head,
    const struct rp_rpz_chunk *c, const unsigned char *payload, bool check, struct rp_err *err);

/* Appends the block's next rows, in the block's order (by stream), until `out` is full: how many, 0 at the end, -1 when
 * the block turns out to be damaged. Streams are not filled in unless there is only one. */
ptrdiff_t rp_rpz_rows_next(struct rp_rpz_decoder *d, struct rp_batch *out, struct rp_err *err);

/* Marks of the block, as it says; rows_next checks them at its end. */
uint32_t rp_rpz_decoder_marks(const struct rp_rpz_decoder *d);

/* Its distinct streams, ascending, *n of them: borrowed until the next unpack. */
const uint32_t *rp_rpz_decoder_streams(const struct rp_rpz_decoder *d, size_t *n);

/* Whether rows must be put in order: the block has several streams. */
bool rp_rpz_mixed(const struct rp_rpz_decoder *d);

/* Which rows of a mixed block are wanted. */
struct rp_rpz_filter {
	bool only; /* rows of `stream`, and marks */
	uint32_t stream;
};

/* Appends rows in the trace's order, streams filled in, until `out` is full: how many, 0 at the end. `sorted` are all
 * rows of the block, from rp_rpz_rows_next. For mixed blocks. */
size_t rp_rpz_order_next(struct rp_rpz_decoder *d, const struct rp_batch *sorted,
    const struct rp_rpz_filter *f, struct rp_batch *out);

#endif
