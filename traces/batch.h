/* batch.h - accesses in trace order, by column.
 *
 * A batch holds accesses and, rarely, marks: things that happen between two accesses and concern caches (the end of a
 * GPU kernel, a copy from the host). A mark is a row like any other whose kind is RP_MARKS or above, so it keeps its
 * place through filters, interleaving and files; `marks` counts them, and code that has nothing to do with marks takes
 * its fast path when it is 0. Where "accesses" are counted, marks are not. */
#ifndef RP_TRACES_BATCH_H
#define RP_TRACES_BATCH_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum rp_kind {
	RP_READ,
	RP_WRITE,
	RP_ATOMIC,
	RP_PREFETCH,
	RP_FETCH, /* of an instruction */
	RP_KINDS,

	RP_MARKS = 8,
	RP_KERNEL_END = 8, /* addr: number of the kernel in the trace, from 0; size 1 */
	RP_HOST_COPY,  /* host to device: addr, size in bytes (a longer copy is several marks) */
	RP_COPY_BACK,  /* write the bytes back if they are dirty (din label 4, a flush) */
	RP_INVALIDATE, /* drop the bytes from every cache (din label 5) */
	RP_MARKS_END
};

/* Bits of `flags`. */
enum rp_flag {
	RP_SPACE = 7, /* these three bits: enum rp_space */
	RP_BYPASS_L1 = 8,
	RP_SAME_INSTR = 16, /* same instruction as the row before of this stream */
};

enum rp_space { RP_NO_SPACE, RP_GLOBAL, RP_LOCAL }; /* no space: a CPU's trace */

/* Which optional columns there are. addr, size and kind always are. */
enum rp_column {
	RP_COL_STREAM = 1, /* absent: all of stream 0 */
	RP_COL_TIME = 2,
	RP_COL_PC = 4,
	RP_COL_MASK = 8,
	RP_COL_FLAGS = 16,
	RP_COL_ALL = 31
};

enum { RP_BATCH = 4096 }; /* usual room of a batch, in rows */

/* Rows in trace order. A column that the trace does not have is NULL. */
struct rp_batch {
	size_t n, cap;              /* rows in use, room */
	size_t marks;               /* rows of the n that are marks */
	uint64_t *addr, *time, *pc; /* bytes; source's clock; instruction */
	uint32_t *size, *stream;    /* bytes, at least 1; core, SM, block, warp or thread */
	/* Bytes touched by a GPU transaction, 0 if not known: bit i stands for bytes [i * g, (i + 1) * g) of the aligned
	 * segment that holds addr, g = 1 with segments of 32 bytes; a transaction of 64 or 128 bytes (coalescing before
	 * Maxwell) is aligned, and g = size / 32. */
	uint32_t *mask;
	uint8_t *kind, *flags; /* enum rp_kind; enum rp_flag */
};

/* One row. */
struct rp_access {
	uint64_t addr, time, pc;
	uint32_t size, stream, mask;
	uint8_t kind, flags;
};

/* A batch with room for cap rows and the optional `columns` (enum rp_column). Gives (rp_batch_free). The columns are
 * readable for 64 bytes past their end. */
struct rp_batch *rp_batch_new(size_t cap, unsigned columns, struct rp_err *err);
void rp_batch_free(struct rp_batch *b);

static inline void
rp_batch_clear(struct rp_batch *b)
{
	b->n = b->marks = 0;
}

/* The columns a batch has. */
unsigned rp_batch_columns(const struct rp_batch *b);

/* Appends a row; there must be room. Columns the batch lacks are left out. */
static inline void
rp_batch_put(struct rp_batch *b, const struct rp_access *a)
{
	size_t i = b->n++;
	b->addr[i] = a->addr;
	b->size[i] = a->size;
	b->kind[i] = a->kind;
	b->marks += a->kind >= RP_MARKS;
	if (b->stream)
		b->stream[i] = a->stream;
	if (b->time)
		b->time[i] = a->time;
	if (b->pc)
		b->pc[i] = a->pc;
	if (b->mask)
		b->mask[i] = a->mask;
	if (b->flags)
		b->flags[i] = a->flags;
}

/* Row i; what the batch has no column for is 0. */
static inline struct rp_access
rp_batch_get(const struct rp_batch *b, size_t i)
{
	return (struct rp_access){
		.addr = b->addr[i],
		.time = b->time ? b->time[i] : 0,
		.pc = b->pc ? b->pc[i] : 0,
		.size = b->size[i],
		.stream = b->stream ? b->stream[i] : 0,
		.mask = b->mask ? b->mask[i] : 0,
		.kind = b->kind[i],
		.flags = b->flags ? b->flags[i] : (uint8_t)0,
	};
}

/* Address of the last byte of row i. Readers refuse what wraps; here it would end at the top. */
static inline uint64_t
rp_batch_last(const struct rp_batch *b, size_t i)
{
	uint64_t more = b->size[i] ? b->size[i] - 1 : 0;
	return b->addr[i] + more < more ? UINT64_MAX : b->addr[i] + more;
}

/* Appends rows [from, from + n) of `in` to `out`, which has room. Columns only `out` has become 0. Counts marks. */
void rp_batch_append(struct rp_batch *out, const struct rp_batch *in, size_t from, size_t n);

/* Drops the first n rows, moving the rest to the front. Counts marks anew. */
void rp_batch_drop(struct rp_batch *b, size_t n);

/* Name of a kind ("read", "kernel_end"), its letter in our CSV (R W A P I; 0 for marks), and back (RP_MARKS_END: none
 * such; small letters too). */
const char *rp_kind_name(enum rp_kind kind);
char rp_kind_letter(enum rp_kind kind);
enum rp_kind rp_kind_of_letter(char letter);

#endif
