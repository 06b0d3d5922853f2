/* model.c - the plain loop: any policy through its own functions, any geometry.
 *
 * Every specialised loop is held against this one, and a policy without one is run by it. Ways stay where they were filled.
 * In a small set a line is searched end to end; large sets share a hash table from line to way. */
#include "config.h"

#include "sim/engine.h"
#include "sim/index.h"

#include "base/hash.h"
#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

enum { SEARCHED_WAYS = 32 }; /* up to which searching beats hashing */
enum { VALID = 1, DIRTY = 2 };

struct model {
	struct rp_cache cache;
	uint32_t sets, ways;
	uint64_t *line; /* [sets * ways] */
	uint8_t *state; /* VALID, DIRTY */
	struct {
		uint32_t valid, taken; /* ways in use; ways below this are in use */
	} * set;
	/* First place + 1 of each chain, and behind each place the next + 1; NULL: sets are searched. */
	uint32_t *table, *next;
	uint64_t table_mask;
	char *set_state;
	size_t set_bytes;
	void *all_state;
	struct rp_rng rng;
	uint64_t
	    wrong; /* a way that the policy named and that does not exist, + 1: a plug-in may */
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
	const struct rp_policy *p = s->policy;
	uint64_t lines = (uint64_t)s->sets * s->ways;
	m->sets = s->sets;
	m->ways = s->ways;
	m->rng = rp_rng_for(s->seed, "sim/policy", 0);
	m->line = rp_mem_array(lines, sizeof *m->line, err);
	m->state = rp_mem_array(lines, sizeof *m->state, err);
	m->set = rp_mem_array(s->sets, sizeof *m->set, err);
	m->set_bytes = p->set_bytes ? (p->set_bytes(s->ways, s->arg) + 15) & ~(size_t)15 : 0;
	m->set_state = rp_mem_array(s->sets, m->set_bytes, err);
	m->all_state =
	    rp_mem_array(1, p->all_bytes ? p->all_bytes(s->sets, s->ways, s->arg) : 0, err);
	if (!m->line || !m->state || !m->set || !m->set_state || !m->all_state)
		return false;
	if (s->ways > SEARCHED_WAYS && lines < UINT32_MAX) {
		uint64_t size = 64;
		while (size < 2 * lines)
			size *= 2;
		m->table = rp_mem_array(size, sizeof *m->table, err);
		m->next = rp_mem_array(lines, sizeof *m->next, err);
		m->table_mask = size - 1;
		if (!m->table || !m->next)
			return false;
	}
	for (uint32_t i = 0; p->init && i < s->sets; i++)
		p->init(&(struct rp_at){ .set = m->set_state + i * m->set_bytes,
		    .all = m->all_state,
		    .arg = s->arg,
		    .sets = s->sets,
		    .ways = s->ways,
		    .index = i,
		    .rng = &m->rng });
	return true;
}

static void
close_model(struct rp_cache *c)
{
	struct model *m = (struct model *)c;
	free(m->line);
	free(m->state);
	free(m->set);
	free(m->table);
	free(m->next);
	free(m->set_state);
	free(m->all_state);
}

/* The chain that a line is in. */
static uint32_t *
chain_of(const struct model *m, uint64_t line)
{
	return &m->table[rp_mix64(line) & m->table_mask];
}

/* Takes a place out of the chain of its line. */
static void
unchain(struct model *m, uint64_t place)
{
	uint32_t *p = chain_of(m, m->line[place]);
	while (*p != place + 1)
		p = &m->next[*p - 1];
	*p = m->next[place];
}

static void
chain(struct model *m, uint64_t place)
{
	uint32_t *p = chain_of(m, m->line[place]);
	m->next[place] = *p;
	*p = (uint32_t)(place + 1);
}

/* Place of a line of set s (set * ways + way), or UINT64_MAX. */
static uint64_t
find(const struct model *m, uint32_t s, uint64_t line)
{
	if (m->table) {
		uint64_t place = *chain_of(m, line);
		while (place && m->line[place - 1] != line)
			place = m->next[place - 1];
		return place - 1; /* UINT64_MAX at the end */
	}
	uint64_t base = (uint64_t)s * m->ways;
	for (uint64_t p = base; p < base + m->ways; p++)
		if ((m->state[p] & VALID) && m->line[p] == line)
			return p;
	return UINT64_MAX;
}

/* A way of the set for a new line: the first that is free, or the policy's victim. */
static uint32_t
make_room(struct model *m, const struct rp_at *at, uint8_t *outcome, uint64_t *victim)
{
	uint64_t base = (uint64_t)at->index * m->ways;
	uint32_t w = 0;
	if (m->set[at->index].valid < m->ways) {
		for (w = m->set[at->index].taken; m->state[base + w] & VALID;)
			w++;
		m->set[at->index].taken = w + 1;
		m->set[at->index].valid++;
		return w;
	}
	w = m->cache.spec->policy->victim(at);
	if (w >= m->ways) {
		m->wrong = w + UINT64_C(1);
		w = 0;
	}
	*victim = m->line[base + w];
	*outcome |= RP_EVICTED | ((m->state[base + w] & DIRTY) ? RP_WROTE_BACK : 0);
	if (m->table)
		unchain(m, base + w);
	return w;
}

static uint8_t
look(struct model *m, const struct rp_at *at, bool dirty, bool no_fill, uint64_t *victim)
{
	const struct rp_policy *p = m->cache.spec->policy;
	uint64_t base = (uint64_t)at->index * m->ways, place = find(m, at->index, at->line);
	uint8_t outcome = RP_MISSED;
	if (place != UINT64_MAX) {
		m->state[place] |= dirty ? DIRTY : 0;
		if (p->hit)
			p->hit(at, (uint32_t)(place - base));
		return 0;
	}
	if (no_fill ||
	    (p->admit && at->arg[0] && m->set[at->index].valid == m->ways && !p->admit(at)))
		return RP_MISSED | RP_NO_FILL;
	uint32_t w = make_room(m, at, &outcome, victim);
	m->line[base + w] = at->line;
	m->state[base + w] = dirty ? VALID | DIRTY : VALID;
	if (m->table)
		chain(m, base + w);
	if (p->fill)
		p->fill(at, w);
	return outcome;
}

static struct rp_at
at_line(struct model *m, uint64_t line)
{
	uint32_t index = rp_index_of(m->cache.spec, line);
	return (struct rp_at){ .set = m->set_state + index * m->set_bytes,
		.all = m->all_state,
		.arg = m->cache.spec->arg,
		.sets = m->sets,
		.ways = m->ways,
		.index = index,
		.line = line,
		.rng = &m->rng,
		.draw = rp_rng_below };
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
		struct rp_at at = at_line(m, in->line[i]);
		at.next = in->next ? in->next[i] : 0;
		uint32_t row = in->row[i];
		at.kind = in->kind[i];
		at.pc = in->in->pc ? in->in->pc[row] : 0;
		at.stream = in->in->stream ? in->in->stream[row] : 0;
		outcome[i] = look(m, &at, back && in->dirty[i], !allocate && in->store[i],
		    victim ? &victim[i] : &left);
	}
	if (m->wrong)
		return rp_fail(err, RP_USAGE,
		    "policy '%s' wants to replace way %" PRIu64 " of a set of %" PRIu32
		    " (0 is the first)",
		    c->spec->policy->name, m->wrong - 1, m->ways);
	return true;
}

static bool
clean_place(struct model *m, uint64_t place)
{
	bool dirty = m->state[place] & DIRTY;
	m->state[place] &= (uint8_t)~DIRTY;
	return dirty;
}

static bool
drop_place(struct model *m, uint64_t place)
{
	struct rp_at at = at_line(m, m->line[place]);
	uint32_t way = (uint32_t)(place % m->ways), *taken = &m->set[at.index].taken;
	*taken = way < *taken ? way : *taken;
	m->set[at.index].valid--;
	if (m->cache.spec->policy->drop)
		m->cache.spec->policy->drop(&at, way);
	if (m->table)
		unchain(m, place);
	m->state[place] = 0;
	return true;
}

static bool
soil_place(struct model *m, uint64_t place)
{
	m->state[place] |= DIRTY;
	return true;
}

/* Calls f for each place that holds one of the lines; how many times it said true. */
static uint64_t
each(struct model *m, uint64_t first, uint64_t last, bool (*f)(struct model *m, uint64_t place))
{
	uint64_t lines = (uint64_t)m->sets * m->ways, n = 0;
	if (last - first < lines) {
		for (uint64_t i = 0; i <= last - first; i++) {
			uint64_t place = find(m, rp_index_of(m->cache.spec, first + i), first + i);
			n += place != UINT64_MAX && f(m, place);
		}
		return n;
	}
	for (uint64_t place = 0; place < lines; place++)
		if ((m->state[place] & VALID) && m->line[place] >= first && m->line[place] <= last)
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
	uint64_t lines = (uint64_t)m->sets * m->ways;
	if (last - first < lines) {
		for (uint64_t i = 0; i <= last - first; i++) {
			uint64_t place = find(m, rp_index_of(m->cache.spec, first + i), first + i);
			if (place != UINT64_MAX)
				f(to, first + i, m->state[place] & DIRTY);
		}
		return;
	}
	for (uint64_t place = 0; place < lines; place++)
		if ((m->state[place] & VALID) && m->line[place] >= first && m->line[place] <= last)
			f(to, m->line[place], m->state[place] & DIRTY);
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
