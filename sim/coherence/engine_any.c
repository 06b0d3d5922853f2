/* engine_any.c - the engine for any number of caches, any mask, any policy (sim/coherence/shape.h). */
#include "config.h"

#define COH_SHAPE 0
#include "sim/coherence/rows.h"

static bool
one(struct rp_coherence *k, const struct coh_request *q, struct coh_outcome *out,
    struct rp_err *err)
{
	return access(k, q, out, err);
}

static bool
rows(struct rp_coherence *k, const struct rp_batch *b, const uint32_t *cache, struct rp_err *err)
{
	return run_rows(k, b, cache, err);
}

static bool
leave(struct rp_coherence *k, uint32_t c, uint32_t set, size_t place, struct rp_err *err)
{
	/* Nothing fills the way at once, so its policy is told that it is free. */
	uint32_t way = (uint32_t)(place - (size_t)set * k->geometry.ways);
	bool ok = evict(k, c, set, place, err);
	coh_forget_way(&k->geometry, &k->cache[c], set, way);
	return ok;
}

const struct coh_engine coh_engine_any = { one, rows, leave };
