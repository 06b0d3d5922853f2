/* engine.h - how a cache is kept in memory and looked up.
 *
 * An engine owns layout and loop. Several may serve one policy: each says which geometries it fits. All engines of a
 * policy give the same outcome for every lookup; tests hold each against the model, the one with the policy's own
 * functions. */
#ifndef RP_SIM_ENGINE_H
#define RP_SIM_ENGINE_H

#include "sim/cache.h"

struct rp_kernels;

/* First member of every engine's state. */
struct rp_cache {
	const struct rp_cache_spec *spec;
	const struct rp_engine *engine;
	const struct rp_kernels *kernels; /* of the level */
	/* What outcome bytes cannot tell of the last chunk; NULL where there is nothing of the kind. */
	const uint64_t *back;         /* of a cache with sectors: rp_cache_back() */
	const struct rp_waits *waits; /* of a cache with MSHRs of its own: rp_cache_waits() */
	uint64_t
	    cleaned; /* bytes that the last clean() wrote back; of whole lines set by rp_cache_clean() */
};

struct rp_engine {
	const char *name;
	size_t bytes; /* of the state, zeroed before open() */
	bool (*fits)(const struct rp_cache_spec *s);
	bool (*open)(
	    struct rp_cache *c, struct rp_err *err); /* on failure, close() is called too */
	void (*close)(struct rp_cache *c);
	bool indexed; /* serves any index=; else only mod */
	bool victims; /* run() fills `victim` in, else it is always NULL; walk and soil are there */
	bool (*run)(struct rp_cache *c, const struct rp_lookups *in, uint8_t *outcome,
	    uint64_t *victim, struct rp_err *err);
	uint64_t (*clean)(struct rp_cache *c, uint64_t first, uint64_t last);
	uint64_t (*drop)(struct rp_cache *c, uint64_t first, uint64_t last);
	void (*walk)(struct rp_cache *c, uint64_t first, uint64_t last, rp_line_fn *f, void *to);
	bool (*soil)(struct rp_cache *c, uint64_t line);
	bool (*mark)(struct rp_cache *c, const struct rp_batch *b, size_t row,
	    struct rp_err *err); /* NULL: marks are nothing to it */
};

extern const struct rp_engine
    rp_engine_model; /* fits every policy and geometry, whole lines that come at once */
extern const struct rp_engine rp_engine_staged; /* fits sectors and stalls too */

#endif
