/* ranks.c - counts in a row: room for them, and filling it. */
#include "config.h"

#include "gen/ranks.h"

#include "base/mem.h"

#include <stdlib.h>

const uint32_t rp_ranks_ones[2 * RP_LANES] = { [RP_LANES... 2 * RP_LANES - 1] = 1 };

bool
rp_ranks_open(struct rp_ranks *r, size_t n, struct rp_err *err)
{
	size_t nodes[RP_RANKS_DEEP], all = 0;
	unsigned levels = 0;
	do {
		n = (n + RP_LANES - 1) / RP_LANES;
		nodes[levels++] = n;
		all += n;
	} while (n > 1);
	uint32_t *m = rp_mem_table(all, RP_LANES * sizeof *m, err);
	if (!m)
		return false;
	*r = (struct rp_ranks){ .levels = levels, .memory = m, .lanes = nodes[0] * RP_LANES };
	for (unsigned l = 0; l < levels; l++) {
		r->level[l] = m;
		m += nodes[levels - 1 - l] * RP_LANES;
	}
	return true;
}

void
rp_ranks_close(struct rp_ranks *r)
{
	free(r->memory);
	*r = (struct rp_ranks){ 0 };
}

/* Makes the lanes of n nodes sums within each, and returns nothing: the parent's lanes are then the nodes' last ones. */
static void
sum_nodes(uint32_t *lane, size_t n, uint32_t *parent)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t *node = lane + i * RP_LANES;
		for (size_t j = 1; j < RP_LANES; j++)
			node[j] += node[j - 1];
		if (parent)
			parent[i] = node[RP_LANES - 1];
	}
}

void
rp_ranks_set(struct rp_ranks *r, const uint32_t *count, size_t n)
{
	size_t lanes = r->lanes;
	uint32_t *leaf = r->level[r->levels - 1];
	memcpy(leaf, count, n * sizeof *leaf);
	memset(leaf + n, 0, (lanes - n) * sizeof *leaf);
	for (unsigned l = r->levels; l-- > 0;) {
		size_t nodes = lanes / RP_LANES,
		       above = (nodes + RP_LANES - 1) / RP_LANES * RP_LANES;
		uint32_t *parent = l ? r->level[l - 1] : NULL;
		if (parent)
			memset(parent, 0, above * sizeof *parent);
		sum_nodes(r->level[l], nodes, parent);
		lanes = above;
	}
}
