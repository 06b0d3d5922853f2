/* grid_state.h - what a grid of LRU caches keeps; private to sim/observe/grid*. */
#ifndef RP_SIM_OBSERVE_GRID_STATE_H
#define RP_SIM_OBSERVE_GRID_STATE_H

#include "sim/observe/grid.h"
#include "sim/observe/names.h"

enum { RP_GRID_CHUNK = 2048 };

/* A key is a line's name, or its number with a high bit set, and never 0, which is an empty place; wide keys have 64 bits.
 * A key halved is that of the line twice as long. Columns hold keys packed to their width. */
#define RP_GRID_WIDE (UINT64_C(1) << 62)

/* Stacks of one line size and set count. */
struct rp_stacks {
	void *memory,
	    *keys; /* [sets][lanes], last used first; keys are aligned to 64 bytes in memory */
	uint64_t
	    at[RP_GRID_WAYS + 1]; /* lookups found at a position; the last: at none of `lanes` */
};

struct rp_grid_kernels {
	/* Lookups in[0..n) through stacks of `lanes`; those not found first in their sets go to out: how many. By: wide; 8
	 * lanes, 16, any. */
	size_t (*visit[2][3])(struct rp_stacks *s, unsigned lanes, uint32_t mask, const void *in,
	    size_t n, void *out);
	/* keys of lines `shift` doublings longer than in[0..n), without repeats of the one before, *last at first: how many;
	 * *last becomes the last one. `out` may be `in`. */
	size_t (*lengthen[2])(const void *in, size_t n, unsigned shift, uint64_t *last, void *out);
};

extern const struct rp_grid_kernels rp_kernels_c_grid, rp_kernels_v3_grid;

struct rp_grid {
	const struct rp_grid_kernels *kernels;
	struct rp_grid_opts o;
	unsigned lanes;
	bool wide, drops;
	struct rp_names names;
	struct rp_stacks *stacks; /* [lines][sets] */
	uint64_t last[RP_GRID_MAX];
	uint64_t lookups[RP_GRID_MAX], writes[RP_GRID_MAX], visits;
	uint64_t line[RP_GRID_CHUNK + 64]; /* of the smallest size, of the chunk at hand */
	uint64_t list[RP_GRID_CHUNK + 64], left[2][RP_GRID_CHUNK + 64];
};

#endif
