/* accelsim.h - one kernel file of Accel-Sim's tracer, grouped (`.traceg`) or raw (`.trace`):
 * what its formats share.
 *
 * Versions 1.2 to 6. The rows of the file are followed by the mark of the kernel's end. */
#ifndef RP_TRACES_FORMAT_ACCELSIM_H
#define RP_TRACES_FORMAT_ACCELSIM_H

#include "traces/warp.h"

/* How the lines of the body are arranged; RP_ACCELSIM_ANY: as its first line says. */
enum rp_accelsim_form { RP_ACCELSIM_ANY, RP_ACCELSIM_GROUPED, RP_ACCELSIM_RAW };

/* Starts as zeroes. */
struct rp_accelsim {
	struct rp_warp_rows rows; /* private to accelsim.c, from here on */
	struct rp_warp_seen seen;
	struct rp_block_order order;
	struct rp_map
	    pairs; /* raw: the pc, plus 1, of the LDGSTS whose second line is to come, by stream */
	uint64_t waiting, unpaired; /* such lines now; those that another followed */
	struct rp_trace *trace;
	size_t kernel; /* its launch in the trace */
	enum rp_accelsim_form form;
	bool narrow_signed;
	/* from the header */
	unsigned version; /* 0: not told */
	bool lineinfo, has_grid, has_block;
	uint32_t grid[3], block_dim[3], warps;
	/* where the body is */
	int prefix; /* numbers before each instruction; -1: not known yet */
	bool in_block, has_block_id, has_warp, has_insts;
	uint64_t block, warp, insts, insts_seen;
	uint32_t stream;
	/* what has been said once */
	bool said_more, said_windows, said_sm;
	unsigned unknown; /* opcodes reported */
	uint64_t unknown_hash[8];
	enum { RP_ACCELSIM_BODY, RP_ACCELSIM_END_MARK, RP_ACCELSIM_DONE } stage;
};

/* Reads the header and adds a launch to `t`. Borrows `t` until close. */
bool rp_accelsim_open(struct rp_accelsim *a, struct rp_bytes *in, const struct rp_read_opts *o,
    struct rp_trace *t, enum rp_accelsim_form form, struct rp_err *err);

/* As pull: rows, then the mark of the kernel's end, then 0. */
ptrdiff_t rp_accelsim_read(
    struct rp_accelsim *a, struct rp_bytes *in, struct rp_batch *out, struct rp_err *err);

void rp_accelsim_close(struct rp_accelsim *a);

/* How surely these bytes begin a file of this form. */
int rp_accelsim_probe(const unsigned char *head, size_t n, enum rp_accelsim_form form);

#endif
