/* trace.h - what is known about a trace beside its accesses.
 *
 * Filled by the reader or generator as it goes, kept by `.rpz` files, printed by every command: where it came from, what
 * the reader left out, what it wants to warn of, and what a GPU trace knows of its kernels. */
#ifndef RP_TRACES_TRACE_H
#define RP_TRACES_TRACE_H

#include "base/err.h"
#include "base/mem.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rp_skip {
	const char
	    *reason; /* "shared", "constant", "zero_size", "text": one word, a key of the JSON */
	uint64_t n;
};

/* Sectors, lanes and lines of one space by opcode: the columns of `info --json`'s "gpu". */
struct rp_gpu_space {
	uint64_t instructions, lanes, read_sectors, write_sectors, lines;
};

enum { RP_GPU_GLOBAL, RP_GPU_LOCAL, RP_GPU_SHARED, RP_GPU_GENERIC, RP_GPU_SPACES };

struct rp_gpu_stats {
	uint64_t blocks, warps, instructions, memory_instructions, mask_zero;
	struct rp_gpu_space space[RP_GPU_SPACES];
};

/* `n` blocks, numbers `block` and up, that the file begins as its `at`-th block (from 0) and the following ones. */
struct rp_block_run {
	uint64_t at;
	uint32_t block, n;
};

/* One launch of a GPU kernel. Streams of a GPU trace are warps: block * warps + warp, where block is the linear index
 * (x fastest) in the grid; traces/gpu.h makes blocks or SMs of them. */
struct rp_kernel_launch {
	char *name;  /* from the arena; "" if not known */
	uint64_t id; /* the trace's own number */
	uint32_t grid[3], block[3];
	uint32_t warps; /* of a block: the divisor above, at least 1 */
	uint64_t shared_bytes;
	uint32_t *
	    sm; /* SM of each block where the trace tells (else NULL), from the arena; `blocks` of them */
	size_t blocks;
	/* Blocks that the file begins before others whose rows come first, most of them without any row: from the arena,
	 * by place, none twice. All others follow in the order of their first rows, in the places that are left. What
	 * begins behind the last row is in no list. */
	struct rp_block_run *early;
	size_t n_early;
};

struct rp_trace {
	const char *format; /* name of the format or generator; static */
	unsigned columns;   /* enum rp_column: what its batches hold; fixed once open */
	bool endless;       /* a generator that never ends by itself */
	uint64_t part,
	    whole;  /* how far reading is, in some unit (bytes of the file); whole 0: not known */
	bool warps; /* a GPU trace whose streams are warps (see above) */
	uint64_t
	    preamble; /* the first accesses that are to be simulated but not counted (`#preamble N`) */
	const char *
	    *sources; /* files as the user named them, "-" for standard input, or the gen: text */
	size_t n_sources;
	struct rp_skip skipped[32]; /* in order of first appearance */
	size_t n_skipped;
	char *warnings[32]; /* one line each; more than these are only counted */
	size_t n_warnings;
	bool has_gpu;
	struct rp_gpu_stats gpu;
	struct rp_kernel_launch *kernels; /* grown by rp_trace_kernel */
	size_t n_kernels;
	json_t *extra; /* further metadata, an object: kept by `.rpz`; NULL if none */
	/* What a generator can tell of the rows it made so far, an object that `gen` prints; `whole`: in full. Gives; NULL
	 * without memory. NULL itself: there is nothing to tell. */
	json_t *(*report)(const void *reporter, bool whole);
	const void *reporter;  /* the generator, alive as long as this */
	struct rp_arena arena; /* its strings */
};

/* An empty description. Gives (rp_trace_free). `format` is static. */
struct rp_trace *rp_trace_new(const char *format, struct rp_err *err);
void rp_trace_free(struct rp_trace *t);

bool rp_trace_source(
    struct rp_trace *t, const char *name, struct rp_err *err); /* adds a source's name */

/* Counts n things left out for a static reason. Never fails: beyond 32 reasons the last one collects. */
void rp_trace_skip(struct rp_trace *t, const char *reason, uint64_t n);

/* Adds a warning, one line; beyond 32 warnings they are only counted. Never fails: without memory it is only counted. */
void rp_trace_warn(struct rp_trace *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds an empty launch (warps = 1) and borrows it until the next call; NULL with *err filled without memory. */
struct rp_kernel_launch *rp_trace_kernel(struct rp_trace *t, struct rp_err *err);

/* Adds blocks to the end of the launch's list of early ones; those that begin where its last run does take that one's
 * place. RP_INPUT: they lie before its end, or beyond 2^32. */
bool rp_launch_early(
    struct rp_trace *t, struct rp_kernel_launch *k, struct rp_block_run run, struct rp_err *err);

/* All of it but the sources as a JSON object, for a `.rpz`, and back. rp_trace_json gives (json_decref). A member that
 * is missing keeps its value; one of a wrong type or out of range is RP_INPUT. Warnings are not kept. */
json_t *rp_trace_json(const struct rp_trace *t, struct rp_err *err);
bool rp_trace_from_json(struct rp_trace *t, const json_t *from, struct rp_err *err);

/* Adds what `from` knows to t, for a trace made of several. */
bool rp_trace_merge(struct rp_trace *t, const struct rp_trace *from, struct rp_err *err);

/* {"global": {"instructions", ...}, ...} and the totals: the "gpu" object of `info --json`. Gives. */
json_t *rp_gpu_stats_json(const struct rp_gpu_stats *g, struct rp_err *err);

#endif
