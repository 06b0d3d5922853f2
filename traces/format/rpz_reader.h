/* rpz_reader.h - an .rpz file while it is read: what reading ahead (rpz_ahead.c) and handing on rows (rpz_read.c) share. */
#ifndef RP_TRACES_FORMAT_RPZ_READER_H
#define RP_TRACES_FORMAT_RPZ_READER_H

#include "traces/format/rpz.h"
#include "base/work.h"
#include "traces/format/rpz_decode.h"
#include "traces/format/rpz_feed.h"
#include "traces/format/rpz_index.h"
#include "traces/format/rpz_layout.h"

/* A chunk on its way: a block to decode, or launches to take in before the next. */
struct rp_rpz_job {
	const struct rp_rpz_head *head;
	const struct rp_rpz_opts *part;
	struct rp_rpz_chunk chunk;
	uint64_t offset;
	struct rp_buf payload;
	struct rp_rpz_decoder *decoder;
	struct rp_batch *
	    rows; /* all of them, in the block's order; unless they are decoded as they are pulled */
	size_t at;       /* rows of it delivered */
	uint64_t wanted; /* accesses of it that a filter by stream let pass */
	bool whole, ok;
	struct rp_err err;
};

/* How reading ahead ended. */
enum rp_rpz_end { RP_RPZ_GOING, RP_RPZ_ENDED, RP_RPZ_CUT_SHORT, RP_RPZ_BROKEN };

struct rp_rpz_reader {
	struct rp_source source;
	struct rp_rpz_feed feed;
	struct rp_rpz_head head;
	struct rp_rpz_opts part;
	const volatile sig_atomic_t *stop;
	struct rp_work *work;
	struct rp_rpz_job *jobs, *job; /* job: the one being delivered */
	size_t n_jobs;
	struct rp_batch *aside; /* rows of which not all are wanted */
	/* Reading ahead: */
	enum rp_rpz_end end;
	struct rp_err why;   /* RP_RPZ_BROKEN */
	uint64_t loaded;     /* rows of blocks given out or left out */
	bool footed;         /* a footer was found at the end: launches are known */
	bool indexed;        /* going by the index */
	uint64_t block;      /* number of the next one in the index */
	uint64_t skip_ahead; /* accesses still to skip, as far as has been read ahead */
	struct rp_buf footer, page, scratch;
	struct rp_rpz_totals totals;
	uint64_t page_number; /* of the page in memory, + 1 */
	bool ended_by_footer;
	/* Delivered: */
	uint64_t rows, marks, blocks; /* of the file, up to here */
	uint64_t accesses;            /* handed on */
	uint64_t skip_left;
	bool finished; /* the end was reached, and all was well */
	bool pending;  /* an error that waits for the rows before it to be used */
	struct rp_err error;
};

/* Metadata: the last chunk of it where the file can be sought in, else what the first tells. A file without a sound end
 * is read from its start, and the end is then found wanting. */
bool rp_rpz_reader_learn(struct rp_rpz_reader *r, struct rp_err *err);

/* Follows the last bytes of a seekable file to its footer. */
bool rp_rpz_reader_find_footer(struct rp_rpz_reader *r, struct rp_err *err);

/* Entry `block` of the index, with its page in memory. */
bool rp_rpz_reader_entry(struct rp_rpz_reader *r, struct rp_rpz_summary *s, struct rp_err *err);

/* Reads ahead as far as there are free jobs. */
void rp_rpz_reader_read_ahead(struct rp_rpz_reader *r);

/* Tells of damage that is salvaged around. */
void rp_rpz_reader_tell(struct rp_rpz_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
