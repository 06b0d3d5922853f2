/* gpu.h - streams of a GPU trace: warps made into blocks or SMs, and blocks dealt to SMs. */
#ifndef RP_TRACES_GPU_H
#define RP_TRACES_GPU_H

#include "traces/format.h"

struct rp_gpu_order {
	uint32_t sms;      /* 0: keep the trace's order */
	uint32_t resident; /* blocks at once on an SM; 0 counts as 1 */
	/* Once *stop, the trace ends with what was pulled before; NULL: never. */
	const volatile sig_atomic_t *stop;
};

/* Wraps a source whose trace->warps is set: renumbers streams, and with an order deals each
 * kernel anew. By block: the linear index in the grid; by warp: as they are; by SM: with an
 * order, the SM dealt to, else as the trace recorded, from pull RP_INPUT if it did not.
 * trace->warps is cleared when streams are warps no longer. A source that is no GPU trace is
 * returned as it is when nothing was asked (o->sms 0 and by block), else RP_USAGE. `o` may be
 * NULL (no order). Takes `in`, also on failure.
 *
 * The order, kernel by kernel: the i-th block that the file begins goes to SM i mod sms; one without
 * rows is over at once. An SM holds its first `resident` blocks; a place that becomes free takes the
 * SM's next block. The SM goes round the warps of its places (by place, then by number of the
 * warp), one instruction each; the warps of a new block wait for the next round. The SMs take
 * turns, one instruction each. A kernel is held in memory up to 32 MiB, then in a temporary
 * file. */
struct rp_source *rp_gpu_open(
    struct rp_source *in, enum rp_stream_by by, const struct rp_gpu_order *o, struct rp_err *err);

#endif
