/* map.c - numbers to numbers: an open hash table that only grows.
 *
 * Linear probing, at most half full. A slot holds its key plus 1, so that zeroed memory is
 * empty. */
#include "config.h"

#include "base/map.h"
#include "base/hash.h"
#include "base/mem.h"

enum { LEAST = 64 };

struct rp_map_slot {
	uint64_t key, value;
};

static struct rp_map_slot *
slot_of(struct rp_map_slot *slot, size_t cap, uint64_t key)
{
	size_t i = (size_t)rp_mix64(key) & (cap - 1);
	while (slot[i].key && slot[i].key != key)
		i = (i + 1) & (cap - 1);
	return &slot[i];
}

static bool
grow(struct rp_map *m, struct rp_err *err)
{
	size_t cap = m->cap ? 2 * m->cap : LEAST;
	struct rp_map_slot *slot = rp_mem_array(cap, sizeof *slot, err);
	if (!slot)
		return false;
	for (size_t i = 0; i < m->cap; i++)
		if (m->slot[i].key)
			*slot_of(slot, cap, m->slot[i].key) = m->slot[i];
	free(m->slot);
	m->slot = slot;
	m->cap = cap;
	return true;
}

uint64_t *
rp_map_at(struct rp_map *m, uint64_t key, struct rp_err *err)
{
	if (2 * m->n >= m->cap && !grow(m, err))
		return NULL;
	struct rp_map_slot *s = slot_of(m->slot, m->cap, key + 1);
	m->n += s->key == 0;
	s->key = key + 1;
	return &s->value;
}

void
rp_map_free(struct rp_map *m)
{
	free(m->slot);
	*m = (struct rp_map){ 0 };
}
