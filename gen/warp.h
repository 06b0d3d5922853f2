/* warp.h - kernels as a GPU's warps would run them: what each warp's next memory instruction touches.
 *
 * A launch is a row of epochs, with a barrier after each (most kernels have one); an epoch is a row of tasks, one warp each; a
 * task is a row of memory instructions, of up to 32 lanes. Task t goes to warp t mod W, as with a grid-stride loop. A kernel
 * computes any instruction from its place alone, so the warps may run at different paces at no cost. */
#ifndef RP_GEN_WARP_H
#define RP_GEN_WARP_H

#include "base/err.h"
#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RP_WARP_LANES = 32, RP_WARP_ARRAYS = 8 };

/* Where an instruction is. */
struct rp_warp_at {
	uint64_t launch, epoch, task, step;
	uint64_t *lane; /* RP_WARP_LANES numbers of the warp's own, 0 when a task begins */
};

/* What it touches. */
struct rp_warp_instr {
	uint64_t addr[RP_WARP_LANES];
	unsigned lanes; /* 0: it touches no memory */
	uint32_t bytes; /* a lane */
	uint8_t kind;   /* enum rp_kind */
};

struct rp_warp_kernel;

/* A kernel with its sizes and its data. */
struct rp_warp_run {
	const struct rp_warp_kernel *kernel;
	uint64_t n, m, seed;
	uint64_t base[RP_WARP_ARRAYS]; /* of its arrays in the GPU's memory */
	uint64_t end;                  /* behind them */
	/* What its control flow depends on: a graph's first edges, their ends and levels; nodes level by level, and where a
	 * level begins. NULL where there is none. */
	uint32_t *first, *to, *level, *order, *begins;
	uint64_t levels;
};

struct rp_warp_kernel {
	const char *name, *what;
	const char *n_is, *m_is;       /* what the sizes are; m_is NULL: there is one */
	uint64_t n, n_most, m, m_most; /* by default, and at most; at least 1 */
	/* Lays out arrays (rp_warp_array) and makes data. */
	bool (*open)(struct rp_warp_run *r, struct rp_err *err);
	/* Tasks of an epoch; 0: the launch ends before it. */
	uint64_t (*tasks)(const struct rp_warp_run *r, uint64_t epoch);
	/* Instruction at->step of a task into *in, which has no lanes yet; false: the task ended before it. */
	bool (*step)(
	    const struct rp_warp_run *r, const struct rp_warp_at *at, struct rp_warp_instr *in);
};

extern const struct rp_warp_kernel rp_warp_dense[], rp_warp_sparse[]; /* end in a NULL name */

/* Array `i` has `bytes` bytes from here on; it begins at a multiple of 4 KiB. */
void rp_warp_array(struct rp_warp_run *r, unsigned i, uint64_t bytes);

static inline void
rp_warp_lane(struct rp_warp_instr *in, uint64_t addr)
{
	in->addr[in->lanes++] = addr;
}

/* All lanes the same kind of access to `bytes` bytes each. */
static inline void
rp_warp_as(struct rp_warp_instr *in, uint8_t kind, uint32_t bytes)
{
	in->kind = kind;
	in->bytes = bytes;
}

/* Elements from, from + 1, ... of an array of 4-byte numbers, a lane each; those from `limit` on are masked off. */
void rp_warp_row(const struct rp_warp_run *r, struct rp_warp_instr *in, unsigned array,
    uint64_t from, uint64_t limit, uint8_t kind);

/* The same element for all lanes. */
void rp_warp_one(const struct rp_warp_run *r, struct rp_warp_instr *in, unsigned array,
    uint64_t element, uint8_t kind);

#endif
