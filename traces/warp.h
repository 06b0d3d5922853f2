/* warp.h - warp instructions made into rows of a batch, and counted: what all GPU readers share. */
#ifndef RP_TRACES_WARP_H
#define RP_TRACES_WARP_H

#include "base/map.h"
#include "traces/coalesce.h"
#include "traces/format.h"
#include "traces/opcode.h"

/* The columns of a GPU trace. */
enum { RP_WARP_COLUMNS = RP_COL_STREAM | RP_COL_PC | RP_COL_MASK | RP_COL_FLAGS };

/* Local memory begins here. GPUs give out addresses below 2^47, so a local line is never a
 * global one; the 2^24 bytes of a window among 2^32 threads end at 2^47 + 2^56. */
#define RP_LOCAL_BASE (UINT64_C(1) << 47)

/* Threads between which local memory is interleaved unless the user says otherwise: 80 SMs of
 * 2,048. */
enum { RP_LOCAL_THREADS = 163840 };

/* Bytes of the window of generic addresses that is local memory, as Accel-Sim has it. */
enum { RP_LOCAL_WINDOW = 16 << 10 };

/* The rows of one instruction on their way to a batch. */
struct rp_warp_rows {
	struct rp_trace *trace; /* borrowed: its `gpu` and `skipped` are counted up */
	/* Windows of generic addresses: shared memory lies in [shared_base, local_base), local
	 * memory in [local_base, + RP_LOCAL_WINDOW), all else is global; both 0: all is shared.
	 * `flat`: there are no windows, all is global. */
	uint64_t shared_base, local_base;
	bool flat;
	/* private to warp.c */
	unsigned arch;
	bool descending;
	struct rp_local local;
	uint64_t pc;
	uint32_t stream;
	uint8_t kind, flags;
	size_t n, next;
	struct rp_transaction queue[RP_TRANSACTIONS_MOST], scratch[RP_TRANSACTIONS_MOST];
};

/* Borrows `t` and makes a GPU trace of it (columns, warps, has_gpu). RP_USAGE: an architecture
 * below 20, or more than 2^32 local threads. */
bool rp_warp_rows_start(
    struct rp_warp_rows *r, const struct rp_read_opts *o, struct rp_trace *t, struct rp_err *err);

/* Takes a memory instruction of warp `stream`: counts it, and queues its rows unless it never
 * reaches a cache (then it is counted in the trace's skipped). Nothing may be queued from the
 * one before. Whether rows are queued. */
bool rp_warp_rows_take(struct rp_warp_rows *r, const struct rp_op *op, const struct rp_warp *lanes,
    uint32_t stream, uint64_t pc);

/* Moves what is queued to the batch, as far as there is room; false: something is left. */
bool rp_warp_rows_put(struct rp_warp_rows *r, struct rp_batch *out);

/* Which blocks and warps of a kernel have been seen, and where the blocks ran. Starts as zeroes;
 * released with rp_map_free(&map) at the end of each kernel. */
struct rp_warp_seen {
	struct rp_map map;
};

/* Counts a block and a warp (stream = block * warps + warp) in g unless they were seen before. */
bool rp_warp_seen(struct rp_warp_seen *s, struct rp_gpu_stats *g, uint32_t block, uint32_t stream,
    struct rp_err *err);

/* The blocks of a kernel in the order in which the file begins them, held against the order of
 * their first rows: those that a later one overtakes are noted in its launch (`early`). Starts
 * as zeroes. */
struct rp_block_order {
	/* private to warp.c */
	struct rp_map map;                /* two bits for each block: begun; not waiting any more */
	uint32_t *waiting;                /* begun and not overtaken, without a row so far */
	size_t first, n, cap;             /* of `waiting`: [first, n) */
	uint64_t at;                      /* place of the first of them */
	bool has_begun, has_row;          /* the next two are set: */
	uint32_t last_begun, last_of_row; /* of the last calls */
};

/* The file is at something of `block`, which begins it if it has not. */
bool rp_block_begins(struct rp_block_order *o, uint32_t block, struct rp_err *err);

/* There is a row of `block`, which has begun. */
bool rp_block_has_row(struct rp_block_order *o, struct rp_trace *t, struct rp_kernel_launch *k,
    uint32_t block, struct rp_err *err);

void rp_block_order_free(struct rp_block_order *o); /* it is as new then */

/* Notes in the launch that `block` runs on `sm`. Blocks above RP_SM_BLOCKS_MOST are not noted. */
enum { RP_SM_BLOCKS_MOST = 1 << 24 };
#define RP_SM_UNKNOWN UINT32_MAX
bool rp_launch_sm(struct rp_trace *t, struct rp_kernel_launch *k, uint32_t block, uint32_t sm,
    struct rp_err *err);

/* Gives the launch its name, one line of valid UTF-8: what is neither becomes '?'. */
bool rp_launch_name(
    struct rp_trace *t, struct rp_kernel_launch *k, const char *name, size_t n, struct rp_err *err);

/* Sets grid, block and warps per block. */
void rp_launch_dims(struct rp_kernel_launch *k, const uint32_t grid[3], const uint32_t block[3]);

/* Linear index of block x,y,z in the grid (x fastest). false: outside of it. */
bool rp_block_index(const uint32_t grid[3], const uint64_t xyz[3], uint64_t *index);

#endif
