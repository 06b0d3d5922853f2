/* engine_64.c - the engine for up to 64 caches, masks of one word, LRU (sim/coherence/shape.h). */
#include "config.h"

#define COH_SHAPE 64
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

const struct coh_engine coh_engine_64 = { one, rows };
