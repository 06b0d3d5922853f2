/* coalesce.h - the transactions of a warp instruction.
 *
 * The active lanes of a warp each touch `size` bytes; the memory system sees one transaction per
 * distinct aligned segment (Lindholm et al., IEEE Micro 28(2), 2008; the sizes are those of
 * GPGPU-Sim). Pure functions: they allocate nothing and cannot fail. */
#ifndef RP_TRACES_COALESCE_H
#define RP_TRACES_COALESCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A lane touches at most two segments, or nine 4-byte words of local memory (32 bytes that start
 * within a word). */
enum { RP_LANES = 32, RP_TRANSACTIONS_MOST = RP_LANES * 9 };

/* addr[k] is the address of the k-th set bit of `active`. No addr + size - 1 may pass 2^64 - 1. */
struct rp_warp {
	uint64_t addr[RP_LANES];
	uint32_t active; /* bit i: lane i */
	uint32_t size;   /* bytes a lane touches, 1 to 32 */
};

struct rp_transaction {
	uint64_t base;       /* of the aligned segment */
	uint64_t touched[2]; /* bit i of the two, low word first: byte base + i */
	uint32_t bytes;      /* of the segment: 32, 64 or 128 */
	uint32_t lanes;      /* bit i: lane i has a part in it */
};

/* How local memory is laid out: 4-byte word w of a thread's window lies at base + 4 * (w *
 * threads + thread), so that a full warp which uses one word covers 128 contiguous bytes. */
struct rp_local {
	uint64_t base;    /* of all local memory; a multiple of 128 */
	uint64_t threads; /* at least 1 */
	uint64_t thread;  /* of lane 0, before it is taken modulo `threads` */
};

/* Bytes of a segment on SM version `arch` (0 or 40 and above: 32). Below 40, with L1 in use, 32,
 * 64 or 128 for sizes of 1, 2 or more bytes; with L1 bypassed 32. */
uint32_t rp_coalesce_segment(unsigned arch, uint32_t size, bool bypasses);

/* Each fills `out`, which has room for RP_TRANSACTIONS_MOST, in ascending order of address, and
 * returns how many. */
size_t rp_coalesce(const struct rp_warp *w, uint32_t segment, struct rp_transaction *out);

/* Atomics, in segments of 32 bytes: lanes whose bytes overlap do not share a transaction; each
 * lane joins the first of its segment where its bytes are free. Transactions of one segment
 * stand in the order in which they were opened. */
size_t rp_coalesce_atomic(const struct rp_warp *w, struct rp_transaction *out);

/* Local memory; the addresses of w are offsets in the window. */
size_t rp_coalesce_local(const struct rp_warp *w, const struct rp_local *at, uint32_t segment,
    struct rp_transaction *out);

/* A segment of 128 bytes whose touched bytes lie in one half becomes one of 64, and that one of
 * 32. */
void rp_coalesce_shrink(struct rp_transaction *t);

/* What a row of a batch says of a transaction (see `mask` in traces/batch.h): of 32 bytes, the
 * span that is touched; of more, the whole segment. */
struct rp_row {
	uint64_t addr;
	uint32_t size, mask;
};

struct rp_row rp_transaction_row(const struct rp_transaction *t);

#endif
