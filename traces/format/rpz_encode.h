/* rpz_encode.h - makes one block of an .rpz file from rows. */
#ifndef RP_TRACES_FORMAT_RPZ_ENCODE_H
#define RP_TRACES_FORMAT_RPZ_ENCODE_H

#include "base/buf.h"
#include "traces/batch.h"

/* What the index says of a block. */
struct rp_rpz_summary {
	uint64_t offset, position;      /* in the file; rows before */
	uint32_t n, marks;              /* rows; those that are marks */
	uint64_t first_time, last_time; /* the smallest and the largest; 0 without times */
	uint32_t low, high;             /* streams; 0 without streams */
};

/* Fills all of *s but the offset, for a block of rows b (in any order) whose distinct streams are given, ascending. */
void rp_rpz_summarise(const struct rp_batch *b, uint64_t position, const uint32_t *stream,
    size_t streams, struct rp_rpz_summary *s);

struct rp_rpz_encoder;

/* For blocks of up to `rows` rows with these optional columns. level: zstd's, 1 to 19. `table`: use predictor 7. Gives
 * (rp_rpz_encoder_free). */
struct rp_rpz_encoder *rp_rpz_encoder_new(
    uint32_t rows, unsigned columns, int level, bool table, struct rp_err *err);
void rp_rpz_encoder_free(struct rp_rpz_encoder *e); /* accepts NULL */

/* Appends the chunk of rows b (at least one, at most 128 pairs of kind and flags), which has the encoder's columns, to
 * `out`, padded to 8 bytes. Fills *s but the offset. The bytes depend on nothing but the arguments. */
bool rp_rpz_encode(struct rp_rpz_encoder *e, const struct rp_batch *b, uint64_t position,
    struct rp_buf *out, struct rp_rpz_summary *s, struct rp_err *err);

/* The distinct streams of the block last encoded, ascending: borrowed until the next. */
const uint32_t *rp_rpz_encoder_streams(const struct rp_rpz_encoder *e, size_t *n);

#endif
