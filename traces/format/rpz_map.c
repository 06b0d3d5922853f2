/* rpz_map.c - numbers values in order of first appearance, for a block's tables. */
#include "config.h"

#include "traces/format/rpz_map.h"
#include "base/mem.h"

bool
rp_rpz_map_new(struct rp_rpz_map *m, size_t most, struct rp_err *err)
{
	size_t slots = 64;
	while (slots < 2 * most)
		slots *= 2;
	m->mask = (uint32_t)(slots - 1);
	m->value = rp_mem_array(most, sizeof *m->value, err);
	m->place = m->value ? rp_mem_array(most, sizeof *m->place, err) : NULL;
	m->slot = m->place ? rp_mem_array(slots, sizeof *m->slot, err) : NULL;
	return m->slot != NULL;
}

void
rp_rpz_map_free(struct rp_rpz_map *m)
{
	free(m->value);
	free(m->place);
	free(m->slot);
}

void
rp_rpz_map_clear(struct rp_rpz_map *m)
{
	for (uint32_t i = 0; i < m->n; i++)
		m->slot[m->place[i]] = 0;
	m->n = 0;
}
