/* rpz_block.h - a block that has been taken apart: private to rpz_unpack.c, rpz_side.c, rpz_order.c, rpz_decode.c. */
#ifndef RP_TRACES_FORMAT_RPZ_BLOCK_H
#define RP_TRACES_FORMAT_RPZ_BLOCK_H

#include "traces/format/rpz_decode.h"
#include "traces/format/rpz_numbers.h"
#include "traces/format/rpz_rows.h"

#include <zstd.h>

/* Memory that grows to the largest need, for arrays of one block after the other. */
struct rp_rpz_room {
	void *at;
	size_t bytes;
};

/* Makes room for n elements of `size` bytes and RP_RPZ_SLACK more; what was there is lost. What is new is zeroed. */
bool rp_rpz_room(struct rp_rpz_room *r, size_t n, size_t size, struct rp_err *err);

/* The times of a block, of which some have been read. */
struct rp_rpz_times {
	struct rp_rpz_reading codes;
	uint64_t last, step;
};

struct rp_rpz_decoder {
	ZSTD_DCtx *zstd;
	const struct rp_rpz_passes *passes;
	const struct rp_rpz_chunk *c;
	unsigned columns; /* the file's */
	uint32_t marks, pcs, masks, flags;
	/* Columns by id, unpacked; NULL: not there. */
	const uint8_t *column[RP_RPZ_IDS];
	uint32_t length[RP_RPZ_IDS];
	struct rp_rpz_room address, others; /* where they were unpacked to */
	/* What rpz_side.c made of them. */
	uint64_t *pc, *table; /* table: of a dictionary */
	struct rp_rpz_times times;
	uint32_t *mask, *follows;
	uint32_t *stream, *start; /* of each stream; start also of the end */
	uint32_t *run_stream, *run_length;
	struct rp_rpz_room rooms[8]; /* of the arrays above */
	uint32_t row;                /* how many have been read */
	uint32_t seen_marks;
	bool mark_ops;              /* an op is a mark */
	struct rp_rpz_reading size; /* explicit ones */
	size_t sizes_left;
	/* rpz_order.c: */
	uint32_t run, run_left;
	uint32_t *cursor; /* by stream: its next row */
	struct rp_rpz_rows_state rows;
};

/* false with *err "damaged: what". */
bool rp_rpz_damaged(struct rp_err *err, const char *what);

/* Fills rows, marks ... and column, length of a payload. */
bool rp_rpz_unpack_columns(
    struct rp_rpz_decoder *d, const unsigned char *payload, struct rp_err *err);

/* Makes streams, runs, times, pcs and masks of the columns. */
bool rp_rpz_unpack_streams(struct rp_rpz_decoder *d, struct rp_err *err);
bool rp_rpz_unpack_side(struct rp_rpz_decoder *d, struct rp_err *err);

/* The times of the next n rows; only where the file has them. */
void rp_rpz_times_next(struct rp_rpz_decoder *d, size_t n, uint64_t *time);

/* The four columns under `id` as n numbers (tokens masked by `mask` are lengths, at most `most`); false: they are not. */
bool rp_rpz_numbers_of(const struct rp_rpz_decoder *d, unsigned id, size_t n, uint8_t mask,
    uint8_t most, struct rp_rpz_reading *out, struct rp_err *err);

#endif
