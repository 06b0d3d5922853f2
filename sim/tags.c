/* tags.c - which line lies in which way. */
#include "config.h"

#include "sim/tags.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SEARCHED_WAYS = 32 }; /* up to which searching beats hashing */

bool
rp_tags_open(struct rp_tags *t, const struct rp_cache_spec *s, struct rp_err *err)
{
	const struct rp_policy *p = s->policy;
	uint64_t lines = (uint64_t)s->sets * s->ways;
	t->spec = s;
	t->sets = s->sets;
	t->ways = s->ways;
	t->rng = rp_rng_for(s->seed, "sim/policy", 0);
	t->line = rp_mem_array(lines, sizeof *t->line, err);
	t->valid = rp_mem_array(lines, sizeof *t->valid, err);
	t->set = rp_mem_array(s->sets, sizeof *t->set, err);
	t->set_bytes = p->set_bytes ? (p->set_bytes(s->ways, s->arg) + 15) & ~(size_t)15 : 0;
	t->set_state = rp_mem_array(s->sets, t->set_bytes, err);
	t->all_state =
	    rp_mem_array(1, p->all_bytes ? p->all_bytes(s->sets, s->ways, s->arg) : 0, err);
	if (!t->line || !t->valid || !t->set || !t->set_state || !t->all_state)
		return false;
	if (s->ways > SEARCHED_WAYS && lines < UINT32_MAX) {
		uint64_t size = 64;
		while (size < 2 * lines)
			size *= 2;
		t->table = rp_mem_array(size, sizeof *t->table, err);
		t->next = rp_mem_array(lines, sizeof *t->next, err);
		t->table_mask = size - 1;
		if (!t->table || !t->next)
			return false;
	}
	for (uint32_t i = 0; p->init && i < s->sets; i++)
		p->init(&(struct rp_at){ .set = t->set_state + i * t->set_bytes,
		    .all = t->all_state,
		    .arg = s->arg,
		    .sets = s->sets,
		    .ways = s->ways,
		    .index = i,
		    .rng = &t->rng });
	return true;
}

void
rp_tags_close(struct rp_tags *t)
{
	free(t->line);
	free(t->valid);
	free(t->set);
	free(t->table);
	free(t->next);
	free(t->set_state);
	free(t->all_state);
}

uint32_t
rp_tags_take(struct rp_tags *t, uint32_t s)
{
	uint64_t base = (uint64_t)s * t->ways;
	uint32_t w = t->set[s].taken;
	while (t->valid[base + w])
		w++;
	t->set[s].taken = w + 1;
	t->set[s].valid++;
	return w;
}

uint32_t
rp_tags_victim(struct rp_tags *t, const struct rp_at *at)
{
	uint32_t way = t->spec->policy->victim(at);
	if (way < t->ways)
		return way;
	t->wrong = way + UINT64_C(1);
	return 0;
}

bool
rp_tags_right(const struct rp_tags *t, struct rp_err *err)
{
	return !t->wrong || rp_fail(err, RP_USAGE,
				"policy '%s' wants to replace way %" PRIu64 " of a set of %" PRIu32
				" (0 is the first)",
				t->spec->policy->name, t->wrong - 1, t->ways);
}

static void
chain(struct rp_tags *t, uint64_t place)
{
	uint32_t *p = rp_tags_chain(t, t->line[place]);
	t->next[place] = *p;
	*p = (uint32_t)(place + 1);
}

static void
unchain(struct rp_tags *t, uint64_t place)
{
	uint32_t *p = rp_tags_chain(t, t->line[place]);
	while (*p != place + 1)
		p = &t->next[*p - 1];
	*p = t->next[place];
}

void
rp_tags_put(struct rp_tags *t, uint64_t place, uint64_t line)
{
	t->line[place] = line;
	t->valid[place] = true;
	if (t->table)
		chain(t, place);
}

void
rp_tags_leave(struct rp_tags *t, uint64_t place)
{
	if (t->table)
		unchain(t, place);
	t->valid[place] = false;
}

void
rp_tags_swap(struct rp_tags *t, uint64_t a, uint64_t b)
{
	uint64_t line = t->line[a], other = t->line[b];
	rp_tags_leave(t, a);
	rp_tags_leave(t, b);
	rp_tags_put(t, a, other);
	rp_tags_put(t, b, line);
}

void
rp_tags_drop(struct rp_tags *t, uint64_t place)
{
	struct rp_at at = rp_tags_at(t, t->line[place]);
	uint32_t way = (uint32_t)(place % t->ways), *taken = &t->set[at.index].taken;
	*taken = way < *taken ? way : *taken;
	t->set[at.index].valid--;
	if (t->spec->policy->drop)
		t->spec->policy->drop(&at, way);
	rp_tags_leave(t, place);
}
