/* classes.c - why lookups missed: cold, capacity, conflict. */
#include "config.h"

#include "sim/classes.h"
#include "sim/module.h"
#include "sim/touched.h"

#include "base/mem.h"
#include "base/parse.h"

#include <inttypes.h>
#include <string.h>

enum { FRESH = 128 }; /* beside the bits of enum rp_outcome: the line was never touched before */

struct rp_twin {
	struct rp_cache_spec spec;
	struct rp_module *module;
	struct rp_touched *touched;
	/* Of the chunk at hand. */
	struct rp_result result;
	uint32_t missed[RP_CHUNK + 64];
};

bool
rp_twin_spec(const struct rp_cache_spec *s, struct rp_cache_spec *out, struct rp_err *err)
{
	uint64_t lines = (uint64_t)s->sets * s->ways;
	*out = *s;
	out->policy = rp_policy_find("lru", err);
	if (lines > UINT32_MAX)
		return rp_fail(err, RP_USAGE,
		    "classify=yes: %" PRIu64 " lines; wanted fewer than 2^32", lines);
	memset(out->arg, 0, sizeof out->arg);
	out->sets = 1;
	out->ways = (uint32_t)lines;
	out->seed = 0;
	out->name = "";
	out->classify = false;
	return out->policy != NULL;
}

struct rp_twin *
rp_twin_new(const struct rp_cache_spec *s, enum rp_level level, struct rp_err *err)
{
	struct rp_twin *t = rp_mem_array(1, sizeof *t, err);
	if (!t)
		return NULL;
	const struct rp_module_opts o = { .level = level };
	if (rp_twin_spec(s, &t->spec, err) && (t->module = rp_module_new(&t->spec, &o, err)) &&
	    (t->touched = rp_touched_new(err)))
		return t;
	rp_twin_free(t);
	return NULL;
}

void
rp_twin_free(struct rp_twin *t)
{
	if (!t)
		return;
	rp_module_free(t->module);
	rp_touched_free(t->touched);
	free(t);
}

/* A line that was never touched is not in the twin: only of what missed there it is asked. */
static bool
mark_fresh(struct rp_twin *t, const struct rp_lookups *in, struct rp_err *err)
{
	size_t n = 0;
	for (size_t i = 0; i < in->n; i++) {
		t->missed[n] = (uint32_t)i;
		n += t->result.outcome[i] & RP_MISSED;
	}
	return rp_touched_put(t->touched, in->line, t->missed, n, t->result.outcome, FRESH, err);
}

/* Of a lookup that missed, or did not, in the cache and in the twin. */
static inline uint8_t
class_of(unsigned missed, unsigned twin, unsigned fresh)
{
	unsigned cold = missed & fresh, again = missed & ~fresh;
	return (uint8_t)(cold * RP_COLD | (again & twin) * RP_CAPACITY |
			 (again & ~twin) * RP_CONFLICT | (~missed & twin) * RP_ANTICONFLICT |
			 twin * RP_TWIN_MISSED);
}

bool
rp_twin_classify(struct rp_twin *t, const struct rp_lookups *in, const uint8_t *outcome,
    uint8_t *class, struct rp_err *err)
{
	if (!rp_module_run(t->module, in, &t->result, NULL, err) || !mark_fresh(t, in, err))
		return false;
	const uint8_t *restrict twin = t->result.outcome;
	for (size_t i = 0; i < in->n; i++)
		class[i] = class_of(outcome[i] & RP_MISSED, twin[i] & RP_MISSED, twin[i] / FRESH);
	return true;
}

bool
rp_twin_mark(struct rp_twin *t, const struct rp_batch *b, size_t row, struct rp_err *err)
{
	uint64_t writebacks;
	return rp_module_mark(t->module, b, row, &writebacks, err);
}

void
rp_twin_flush(struct rp_twin *t)
{
	rp_module_flush(t->module);
}

uint8_t
rp_class_of_several(uint8_t outcomes, uint8_t classes)
{
	return class_of(outcomes & RP_MISSED, !!(classes & RP_TWIN_MISSED), classes & RP_COLD);
}

size_t
rp_twin_touched_bytes(const struct rp_twin *t)
{
	return rp_touched_bytes(t->touched);
}
