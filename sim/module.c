/* module.c - a cache with what stands around it. */
#include "config.h"

#include "sim/module.h"
#include "sim/classes.h"
#include "sim/coherence/cell.h"
#include "sim/gpu/run.h"

#include "base/mem.h"

#include <stdlib.h>

struct rp_module {
	const struct rp_cache_spec *spec;
	struct rp_cache *cache; /* NULL: a cache of GPGPU-Sim, */
	struct rp_gpu *gpu;     /* which is this */
	struct rp_cell *cell;   /* or one of several that are kept coherent */
	struct rp_twin *twin;   /* NULL: classify=no */
	struct rp_mshr *mshr;   /* NULL: none, or the engine's own */
	struct rp_waits *waits; /* of those; NULL like them */
	uint64_t back_bytes;    /* of the last mark or flush */
	bool victims;           /* told although no requests are made */
};

/* One that it shares with a module beside it, or a new one. */
static bool
find_twin(struct rp_module *m, const struct rp_module_opts *o, struct rp_err *err)
{
	for (struct rp_module *const *other = o->beside; other && *other; other++) {
		bool yes = false;
		struct rp_twin *twin = (*other)->twin;
		if (twin && !rp_twin_join(twin, m->spec, &yes, err))
			return false;
		if (yes) {
			m->twin = twin;
			return true;
		}
	}
	m->twin = rp_twin_new(m->spec, o, err);
	return m->twin;
}

struct rp_module *
rp_module_new(const struct rp_cache_spec *s, const struct rp_module_opts *o, struct rp_err *err)
{
	struct rp_module *m = rp_mem_array(1, sizeof *m, err);
	if (!m)
		return NULL;
	m->spec = s;
	m->victims = o->victims;
	if (s->gpu && !(m->gpu = rp_gpu_new(s->gpu, o->trace, err)))
		goto bad;
	if (o->system) {
		if ((m->cell = rp_cell_new(o->system, o->number, err)))
			return m;
		goto bad;
	}
	if (!s->gpu && !(m->cache = rp_cache_new(s, o->level, o->requests || o->victims, err)))
		goto bad;
	bool beside = s->mshr.on && s->mshr.stall == RP_STALL_COUNT;
	if (beside && !(m->waits = rp_mem_array(1, sizeof *m->waits, err)))
		goto bad;
	if (beside && !(m->mshr = rp_mshr_new(&s->mshr, o->level, err)))
		goto bad;
	if (s->classify && !find_twin(m, o, err))
		goto bad;
	return m;
bad:
	rp_module_free(m);
	return NULL;
}

void
rp_module_free(struct rp_module *m)
{
	if (!m)
		return;
	rp_cache_free(m->cache);
	rp_gpu_free(m->gpu);
	rp_cell_free(m->cell);
	rp_twin_free(m->twin);
	rp_mshr_free(m->mshr);
	free(m->waits);
	free(m);
}

void
rp_module_among(struct rp_module *m, size_t modules)
{
	if (m->gpu)
		rp_gpu_among(m->gpu, modules);
}

bool
rp_module_run(struct rp_module *m, const struct rp_lookups *in, struct rp_result *out,
    struct rp_requests *down, struct rp_err *err)
{
	uint64_t *victim = down || m->victims ? out->victim : NULL;
	out->gpu = NULL;
	out->waits = NULL;
	out->back = NULL;
	if (m->cell)
		return rp_cell_run(m->cell, in, out->outcome, victim, down, err);
	if (m->gpu && !rp_gpu_run(m->gpu, in, out->outcome, &out->gpu, down, err))
		return false;
	if (m->cache && !rp_cache_run(m->cache, in, out->outcome, victim, err))
		return false;
	if (m->mshr && !rp_mshr_run(m->mshr, in, out->outcome, m->waits, err))
		return false;
	if (m->cache) {
		out->waits = m->waits ? m->waits : rp_cache_waits(m->cache);
		out->back = rp_cache_back(m->cache);
	}
	if (m->twin && !rp_twin_classify(m->twin, in, out->outcome, out->class, err))
		return false;
	return m->gpu || !down ||
	       rp_requests_of(down, m->spec, in, out->outcome, victim, out->back, err);
}

bool
rp_module_mark(struct rp_module *m, const struct rp_batch *b, size_t row, uint64_t *writebacks,
    struct rp_err *err)
{
	uint64_t first, last;
	rp_mark_lines(b, row, rp_cache_spec_unit_bits(m->spec), &first, &last);
	*writebacks = 0;
	m->back_bytes = 0;
	if (m->cell)
		return true;
	if (m->twin && !rp_twin_mark(m->twin, b, row, err))
		return false;
	if (m->gpu) {
		struct rp_gpu_written w = rp_gpu_mark(m->gpu, b, row);
		m->back_bytes = w.sectors * m->spec->line;
		*writebacks = w.lines;
		return true;
	}
	if (b->kind[row] == RP_COPY_BACK) {
		*writebacks = rp_cache_clean(m->cache, first, last);
		m->back_bytes = rp_cache_cleaned(m->cache);
	} else if (b->kind[row] == RP_INVALIDATE) {
		rp_cache_drop(m->cache, first, last);
	}
	return rp_cache_mark(m->cache, b, row, err);
}

uint64_t
rp_module_flush(struct rp_module *m)
{
	uint64_t lines;
	if (m->twin)
		rp_twin_flush(m->twin);
	if (m->gpu) {
		struct rp_gpu_written w = rp_gpu_flush(m->gpu);
		m->back_bytes = w.sectors * m->spec->line;
		return w.lines;
	}
	lines = rp_cache_clean(m->cache, 0, UINT64_MAX);
	m->back_bytes = rp_cache_cleaned(m->cache);
	return lines;
}

uint64_t
rp_module_back_bytes(const struct rp_module *m)
{
	return m->back_bytes;
}

uint64_t
rp_module_clean(struct rp_module *m, uint64_t first, uint64_t last)
{
	return m->cache ? rp_cache_clean(m->cache, first, last) : 0;
}

uint64_t
rp_module_drop(struct rp_module *m, uint64_t first, uint64_t last)
{
	if (m->twin)
		rp_twin_drop(m->twin, first, last);
	return m->cache ? rp_cache_drop(m->cache, first, last) : 0;
}

void
rp_module_walk(struct rp_module *m, uint64_t first, uint64_t last, rp_line_fn *f, void *to)
{
	if (m->cache)
		rp_cache_walk(m->cache, first, last, f, to);
	else if (m->cell)
		rp_cell_walk(m->cell, first, last, f, to);
}

bool
rp_module_soil(struct rp_module *m, uint64_t line)
{
	return m->cache && rp_cache_soil(m->cache, line);
}

const struct rp_cache_spec *
rp_module_spec(const struct rp_module *m)
{
	return m->spec;
}
