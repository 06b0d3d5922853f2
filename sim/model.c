/* model.c - the plain loop: any policy through its own functions, any geometry.
 *
 * Every specialised loop is held against this one, and a policy without one is run by it. Ways stay where they were filled.
 * In a small set a line is searched end to end; large sets share a hash table from line to way. */
#include "config.h"

#include "sim/engine.h"
#include "sim/tags.h"

#include "base/mem.h"

#include <stdlib.h>

struct model {
	struct rp_cache cache;
	struct rp_tags tags;
	bool *dirty; /* by place */
};

static bool
fits(const struct rp_cache_spec *s)
{
	(void)s;
	return true;
}

static bool
open_model(struct rp_cache *c, struct rp_err *err)
{
	struct model *m = (struct model *)c;
	const struct rp_cache_spec *s = c->spec;
	m->dirty = rp_mem_array((uint64_t)s->sets * s->ways, sizeof *m->dirty, err);
	return m->dirty && rp_tags_open(&m->tags, s, err);
}

static void
close_model(struct rp_cache *c)
{
	struct model *m = (struct model *)c;
	free(m->dirty);
	rp_tags_close(&m->tags);
}

/* A way of the set for a new line: the first that is free, or the policy's victim, whose line leaves. */
static uint32_t
make_room(struct model *m, const struct rp_at *at, uint8_t *outcome, uint64_t *victim)
{
	struct rp_tags *t = &m->tags;
	if (rp_tags_room(t, at->index))
		return rp_tags_take(t, at->index);
	uint32_t way = rp_tags_victim(t, at);
	uint64_t place = (uint64_t)at->index * t->ways + way;
	*victim = t->line[place];
	*outcome |= RP_EVICTED | (m->dirty[place] ? RP_WROTE_BACK : 0);
	rp_tags_leave(t, place);
	return way;
}

static uint8_t
look(struct model *m, const struct rp_at *at, bool dirty, bool no_fill, uint64_t *victim)
{
	struct rp_tags *t = &m->tags;
	const struct rp_policy *p = t->spec->policy;
	int64_t place = rp_tags_find(t, at->index, at->line);
	uint64_t base = (uint64_t)at->index * t->ways;
	uint8_t outcome = RP_MISSED;
	if (place != RP_NO_PLACE) {
		m->dirty[place] |= dirty;
		if (p->hit)
			p->hit(at, (uint32_t)((uint64_t)place - base));
		return 0;
	}
	if (no_fill || (p->admit && at->arg[0] && !rp_tags_room(t, at->index) && !p->admit(at)))
		return RP_MISSED | RP_NO_FILL;
	uint32_t way = make_room(m, at, &outcome, victim);
	rp_tags_put(t, base + way, at->line);
	m->dirty[base + way] = dirty;
	if (p->fill)
		p->fill(at, way);
	return outcome;
}

static bool
run(struct rp_cache *c, const struct rp_lookups *in, uint8_t *outcome, uint64_t *victim,
    struct rp_err *err)
{
	struct model *m = (struct model *)c;
	bool back = c->spec->write == RP_WRITE_BACK,
	     allocate = c->spec->allocate == RP_ALLOCATE_WRITE;
	for (size_t i = 0; i < in->n; i++) {
		uint64_t left;
		struct rp_at at = rp_tags_at(&m->tags, in->line[i]);
		at.next = in->next ? in->next[i] : 0;
		uint32_t row = in->row[i];
		at.kind = in->kind[i];
		at.pc = in->in->pc ? in->in->pc[row] : 0;
		at.stream = in->in->stream ? in->in->stream[row] : 0;
		outcome[i] = look(m, &at, back && in->dirty[i], !allocate && in->store[i],
		    victim ? &victim[i] : &left);
	}
	return rp_tags_right(&m->tags, err);
}

static bool
clean_place(struct model *m, uint64_t place)
{
	bool was = m->dirty[place];
	m->dirty[place] = false;
	return was;
}

static bool
drop_place(struct model *m, uint64_t place)
{
	rp_tags_drop(&m->tags, place);
	return true;
}

static bool
soil_place(struct model *m, uint64_t place)
{
	m->dirty[place] = true;
	return true;
}

/* Calls f for each place that holds one of the lines; how many times it said true. */
static uint64_t
each(struct model *m, uint64_t first, uint64_t last, bool (*f)(struct model *m, uint64_t place))
{
	struct rp_tags *t = &m->tags;
	uint64_t lines = (uint64_t)t->sets * t->ways, n = 0;
	if (last - first < lines) {
		for (uint64_t i = 0; i <= last - first; i++) {
			int64_t place = rp_tags_find(t, rp_index_of(t->spec, first + i), first + i);
			n += place != RP_NO_PLACE && f(m, (uint64_t)place);
		}
		return n;
	}
	for (uint64_t place = 0; place < lines; place++)
		if (t->valid[place] && t->line[place] >= first && t->line[place] <= last)
			n += f(m, place);
	return n;
}

static uint64_t
clean(struct rp_cache *c, uint64_t first, uint64_t last)
{
	return each((struct model *)c, first, last, clean_place);
}

static uint64_t
drop(struct rp_cache *c, uint64_t first, uint64_t last)
{
	return each((struct model *)c, first, last, drop_place);
}

static void
walk(struct rp_cache *c, uint64_t first, uint64_t last, rp_line_fn *f, void *to)
{
	struct model *m = (struct model *)c;
	const struct rp_tags *t = &m->tags;
	uint64_t lines = (uint64_t)t->sets * t->ways;
	if (last - first < lines) {
		for (uint64_t i = 0; i <= last - first; i++) {
			int64_t place = rp_tags_find(t, rp_index_of(t->spec, first + i), first + i);
			if (place != RP_NO_PLACE)
				f(to, first + i, m->dirty[place]);
		}
		return;
	}
	for (uint64_t place = 0; place < lines; place++)
		if (t->valid[place] && t->line[place] >= first && t->line[place] <= last)
			f(to, t->line[place], m->dirty[place]);
}

static bool
soil(struct rp_cache *c, uint64_t line)
{
	return each((struct model *)c, line, line, soil_place);
}

const struct rp_engine rp_engine_model = {
	.name = "model",
	.bytes = sizeof(struct model),
	.fits = fits,
	.victims = true,
	.open = open_model,
	.close = close_model,
	.run = run,
	.clean = clean,
	.drop = drop,
	.walk = walk,
	.soil = soil,
};
