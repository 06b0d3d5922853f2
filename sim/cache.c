/* cache.c - one cache: chooses the engine that keeps it. */
#include "config.h"

#include "sim/cache.h"
#include "sim/engine.h"
#include "sim/kernels.h"

#include "base/mem.h"

static bool
serves(const struct rp_engine *e, const struct rp_cache_spec *s, bool victims)
{
	return e->fits(s) && (!victims || (e->victims && e->walk)) &&
	       (e->indexed || s->index == RP_INDEX_MOD || s->sets == 1);
}

static const struct rp_engine *
choose(const struct rp_cache_spec *s, enum rp_level level, bool victims)
{
	if (rp_cache_spec_sectored(s) || (s->mshr.on && s->mshr.stall != RP_STALL_COUNT))
		return &rp_engine_staged;
	if (level != RP_LEVEL_MODEL || !s->policy->victim)
		for (size_t i = 0; i < RP_POLICY_ENGINES && s->policy->engines[i]; i++)
			if (serves(s->policy->engines[i], s, victims))
				return s->policy->engines[i];
	return &rp_engine_model;
}

struct rp_cache *
rp_cache_new(const struct rp_cache_spec *s, enum rp_level level, bool victims, struct rp_err *err)
{
	const struct rp_engine *engine = choose(s, level, victims);
	struct rp_cache *c = rp_mem_array(1, engine->bytes, err);
	if (!c)
		return NULL;
	c->spec = s;
	c->engine = engine;
	c->kernels = rp_kernels_of(level);
	if (engine->open(c, err))
		return c;
	rp_cache_free(c);
	return NULL;
}

void
rp_cache_free(struct rp_cache *c)
{
	if (!c)
		return;
	c->engine->close(c);
	free(c);
}

bool
rp_cache_run(struct rp_cache *c, const struct rp_lookups *in, uint8_t *outcome, uint64_t *victim,
    struct rp_err *err)
{
	return c->engine->run(c, in, outcome, victim, err);
}

bool
rp_cache_mark(struct rp_cache *c, const struct rp_batch *b, size_t row, struct rp_err *err)
{
	return !c->engine->mark || c->engine->mark(c, b, row, err);
}

const uint64_t *
rp_cache_back(const struct rp_cache *c)
{
	return c->back;
}

const struct rp_waits *
rp_cache_waits(const struct rp_cache *c)
{
	return c->waits;
}

uint64_t
rp_cache_clean(struct rp_cache *c, uint64_t first, uint64_t last)
{
	uint64_t lines = c->engine->clean(c, first, last);
	if (!c->back)
		c->cleaned = lines * c->spec->line;
	return lines;
}

uint64_t
rp_cache_cleaned(const struct rp_cache *c)
{
	return c->cleaned;
}

uint64_t
rp_cache_drop(struct rp_cache *c, uint64_t first, uint64_t last)
{
	return c->engine->drop(c, first, last);
}

void
rp_cache_walk(struct rp_cache *c, uint64_t first, uint64_t last, rp_line_fn *f, void *to)
{
	c->engine->walk(c, first, last, f, to);
}

bool
rp_cache_soil(struct rp_cache *c, uint64_t line)
{
	return c->engine->soil(c, line);
}

const char *
rp_cache_engine(const struct rp_cache *c)
{
	return c->engine->name;
}
