/* module.h - a cache with what stands around it: one level as replay and hierarchies see it.
 *
 * A chunk of lookups goes through the cache's engine, which gives an outcome byte each; what does not change which lines are
 * there is a pass over those bytes; what the level below is asked for is made from the end result. */
#ifndef RP_SIM_MODULE_H
#define RP_SIM_MODULE_H

#include "sim/cache.h"
#include "sim/lookup.h"
#include "sim/requests.h"

#include "base/err.h"
#include "traces/batch.h"

#include <stdbool.h>
#include <stdint.h>

struct rp_coherence;
struct rp_gpu_result;
struct rp_module;
struct rp_trace;

/* How a module is to be kept. */
struct rp_module_opts {
	enum rp_level level;          /* which of the loops, that all give the same */
	bool requests;                /* what goes to the level below may be asked for */
	bool victims;                 /* rp_result.victim is wanted, also where that is not */
	const struct rp_trace *trace; /* borrowed: what it knows of kernels; NULL: nothing */
	/* Modules that from the beginning see the same chunks and marks as this one, each of them in turn, if their lines are
	 * as long: what can be shared with one of them is. NULL ends them; NULL: none. */
	struct rp_module *const *beside;
	/* A private cache of this system, with that number (sim/coherence/cell.h); NULL: a cache by itself. It knows no
	 * marks, and its lines cannot be cleaned or dropped from outside. */
	struct rp_coherence *system;
	uint32_t number;
};

/* What became of a chunk of lookups, by lookup. Good until the module runs again. */
struct rp_result {
	uint8_t outcome[RP_CHUNK + 64]; /* enum rp_outcome */
	uint8_t class[RP_CHUNK + 64];   /* enum rp_class (sim/classes.h), with classify=yes */
	uint64_t victim[RP_CHUNK + 64]; /* line that left, where RP_EVICTED and it is wanted */
	/* The module's; NULL where there is nothing of the kind. */
	const struct rp_gpu_result *gpu; /* of a cache of GPGPU-Sim (sim/gpu/run.h) */
	const struct rp_waits *waits;    /* of a cache with MSHRs */
	const uint64_t *back;            /* of a cache with sectors: rp_cache_back() */
};

/* An empty cache of that specification (borrowed). Gives (rp_module_free). RP_RESOURCE: no memory. */
struct rp_module *rp_module_new(
    const struct rp_cache_spec *s, const struct rp_module_opts *o, struct rp_err *err);
void rp_module_free(struct rp_module *m); /* accepts NULL */

/* Says that the module takes turns with others like it, `modules` in all: what it keeps may be far away when it runs next.
 * Alone unless said; a matter of speed only. */
void rp_module_among(struct rp_module *m, size_t modules);

/* The lookups in order; what they send down is appended to *down, unless NULL (then opts.requests was set). RP_RESOURCE: no
 * memory. */
bool rp_module_run(struct rp_module *m, const struct rp_lookups *in, struct rp_result *out,
    struct rp_requests *down, struct rp_err *err);

/* What happens between two accesses: row `row` of the batch is a mark (traces/batch.h). *writebacks: lines written back for
 * it. */
bool rp_module_mark(struct rp_module *m, const struct rp_batch *b, size_t row, uint64_t *writebacks,
    struct rp_err *err);

/* Writes back what is dirty: how many lines. They stay, clean. */
uint64_t rp_module_flush(struct rp_module *m);

/* Bytes of the lines that the last rp_module_mark or rp_module_flush wrote back. */
uint64_t rp_module_back_bytes(const struct rp_module *m);
/* As rp_cache_clean, rp_cache_drop, rp_cache_walk and rp_cache_soil; the last two want opts.requests. A cache of
 * GPGPU-Sim does none of it, and tells of no lines. */
uint64_t rp_module_clean(struct rp_module *m, uint64_t first, uint64_t last);
uint64_t rp_module_drop(struct rp_module *m, uint64_t first, uint64_t last);
void rp_module_walk(struct rp_module *m, uint64_t first, uint64_t last, rp_line_fn *f, void *to);
bool rp_module_soil(struct rp_module *m, uint64_t line);

const struct rp_cache_spec *rp_module_spec(const struct rp_module *m);

#endif
