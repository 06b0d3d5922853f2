/* demux.h - the streams of a source taken apart, each a queue.
 *
 * Works segment by segment: the rows up to the next mark (a barrier, batch.h) are all read and queued by stream, in
 * memory first, then in an unlinked temporary file (in $TMPDIR or /tmp) once `memory` bytes are used; beyond that, memory
 * grows only with the number of streams. */
#ifndef RP_TRACES_DEMUX_H
#define RP_TRACES_DEMUX_H

#include "traces/source.h"

#include <signal.h>

/* A row as it is queued. `order` is its position in the source's recorded order, counted over all segments. */
struct rp_demux_row {
	uint64_t addr, time, pc, order;
	uint32_t size, mask;
	uint8_t kind, flags;
};

struct rp_demux_stream {
	uint32_t stream; /* its number in the source */
	uint64_t left;   /* rows not yet pulled */
	/* private to demux.c */
	struct rp_demux_chunk *head, *tail, *before;
	uint64_t head_at, last_time;
	size_t slot;
	uint32_t head_cap, used;
};

struct rp_demux {
	struct rp_demux_stream
	    *streams; /* n of them, in order of first appearance in the segment */
	size_t n;
	struct rp_batch *marks; /* those that follow the segment's rows */
	uint64_t spilled;       /* bytes written to the temporary file, all segments together */
	bool by_time; /* set it after open: a time that falls within a stream is RP_INPUT */
	const volatile sig_atomic_t
	    *stop; /* set it after open; once *stop, no more is read; may be NULL */
	struct rp_demux_inside *inside; /* private to demux.c */
};

/* Borrows `in` until close; memory 0: 64 MiB. Gives (rp_demux_close); NULL with *err filled without memory. */
struct rp_demux *rp_demux_open(struct rp_source *in, uint64_t memory, struct rp_err *err);

/* Reads the next segment, dropping what is left of the one before: 1, 0 at the end of the trace, -1 on error. A segment may
 * have no rows (two runs of marks; the trace begins with marks), and the last one no marks. Once *stop, the trace ends there:
 * the segment may lack rows. */
int rp_demux_segment(struct rp_demux *d, struct rp_err *err);

/* The next row of streams[i], borrowed until the next call for that stream: 1, 0 when the stream is empty, -1 on error. */
int rp_demux_peek(
    struct rp_demux *d, size_t i, const struct rp_demux_row **row, struct rp_err *err);

/* Moves rows of streams[i] to `out`, which has room for at least one: `most` of them, and then the rest of the instruction
 * they belong to (rows with RP_SAME_INSTR), as far as there is room. `number` becomes their stream. How many rows, 0 when
 * the stream is empty, -1 on error. With most = 1 that is one instruction; when `out` became full, peek tells by
 * RP_SAME_INSTR whether it was cut (pulling 0 rows then moves the rest). */
ptrdiff_t rp_demux_pull(struct rp_demux *d, size_t i, uint64_t most, uint32_t number,
    struct rp_batch *out, struct rp_err *err);

void rp_demux_close(struct rp_demux *d); /* accepts NULL */

#endif
