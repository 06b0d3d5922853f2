/* gpu.h - streams of a GPU trace: warps made into blocks or SMs, and blocks dealt to SMs. */
#ifndef RP_TRACES_GPU_H
#define RP_TRACES_GPU_H

#include "traces/format.h"

struct rp_gpu_order {
	uint32_t sms;      /* 0: keep the trace's order */
	uint32_t resident; /* blocks at once on an SM, at least 1 */
};

/* Wraps a source whose trace->warps is set: renumbers streams (formats.md 11 for the order of --gpu). By block: the linear
 * index in the grid; by warp: as they are; by SM: with an order, the SM dealt to, else as the trace recorded, RP_INPUT if
 * it did not. A source that is no GPU trace is returned as it is when nothing was asked (o->sms 0 and by block), else
 * RP_USAGE. Takes `in`, also on failure. */
struct rp_source *rp_gpu_open(struct rp_source *in, enum rp_stream_by by, const struct rp_gpu_order *o,
    struct rp_err *err);

#endif
