/* run.h - a GPGPU-Sim cache (sim/gpu/cache.h) behind a module: chunks of lookups through it, marks, counters. */
#ifndef RP_SIM_GPU_RUN_H
#define RP_SIM_GPU_RUN_H

#include "sim/counters.h"
#include "sim/gpu/cache.h"
#include "sim/lookup.h"
#include "sim/requests.h"

#include "base/err.h"
#include "traces/batch.h"
#include "traces/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Refused attempts of a lookup, by reason. */
struct rp_gpu_refusal {
	uint32_t lookup;
	uint64_t fail[RP_GPU_FAILS];
};

/* What became of a chunk of lookups. */
struct rp_gpu_result {
	struct rp_gpu_event event[RP_CHUNK];
	size_t refusals;
	struct rp_gpu_refusal refusal[RP_CHUNK]; /* in order of lookups */
};

struct rp_gpu;

/* Borrows the spec and the trace, which tells which kernels use shared memory (NULL: none tells). Gives (rp_gpu_free). */
struct rp_gpu *rp_gpu_new(
    const struct rp_gpu_spec *s, const struct rp_trace *t, struct rp_err *err);
void rp_gpu_free(struct rp_gpu *g); /* accepts NULL */

/* Says that the cache takes turns with others like it, `caches` in all. Alone unless said; a matter of speed only. */
void rp_gpu_among(struct rp_gpu *g, size_t caches);

/* The lookups, of sectors or plain lines, in order; in->bytes is wanted. outcome[i] (enum rp_outcome) says of lookup i
 * RP_MISSED, and RP_EVICTED if a line was replaced since the one before; more is in *result, borrowed until the next call.
 * What goes below is appended to *down unless NULL. RP_USAGE: the trace's clock is asked for, and it has none. */
bool rp_gpu_run(struct rp_gpu *g, const struct rp_lookups *in, uint8_t *outcome,
    const struct rp_gpu_result **result, struct rp_requests *down, struct rp_err *err);

/* A mark, row `row` of the batch: what is written back for it. */
struct rp_gpu_written rp_gpu_mark(struct rp_gpu *g, const struct rp_batch *b, size_t row);

/* Writes back all that is modified; it stays, valid. */
struct rp_gpu_written rp_gpu_flush(struct rp_gpu *g);

/* Adds to the counters what outcomes do not say, of a whole chunk, or of its lookup i alone. */
void rp_gpu_count(const struct rp_gpu_spec *s, const struct rp_lookups *in,
    const struct rp_gpu_result *r, struct rp_counters *to);
void rp_gpu_count_one(const struct rp_gpu_spec *s, const struct rp_lookups *in,
    const struct rp_gpu_result *r, size_t i, struct rp_counters *to);
void rp_gpu_count_refusal(const struct rp_gpu_refusal *r, struct rp_counters *to);

#endif
