/* rpz_map.h - numbers values in order of first appearance, for a block's tables. */
#ifndef RP_TRACES_FORMAT_RPZ_MAP_H
#define RP_TRACES_FORMAT_RPZ_MAP_H

#include "base/err.h"
#include "base/hash.h"

#include <stddef.h>
#include <stdint.h>

/* Open addressing, at most half full: never more values than it was made for. */
struct rp_rpz_map {
	uint64_t *value; /* by number */
	uint32_t *place; /* by number: its slot */
	uint32_t *slot;  /* number + 1; 0: free */
	uint32_t n, mask;
};

bool rp_rpz_map_new(struct rp_rpz_map *m, size_t most, struct rp_err *err); /* m starts as zeroes */
void rp_rpz_map_free(struct rp_rpz_map *m);
void rp_rpz_map_clear(struct rp_rpz_map *m);

/* The number of x, which is m->n - 1 when it was not there before. */
static inline uint32_t
rp_rpz_map_of(struct rp_rpz_map *m, uint64_t x)
{
	uint32_t s = (uint32_t)rp_mix64(x) & m->mask;
	for (; m->slot[s]; s = (s + 1) & m->mask)
		if (m->value[m->slot[s] - 1] == x)
			return m->slot[s] - 1;
	m->value[m->n] = x;
	m->place[m->n] = s;
	m->slot[s] = ++m->n;
	return m->n - 1;
}

#endif
