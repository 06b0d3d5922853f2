/* grid_state.h - what a grid of LRU caches keeps; private to sim/observe/grid*. */
#ifndef RP_SIM_OBSERVE_GRID_STATE_H
#define RP_SIM_OBSERVE_GRID_STATE_H

#include "sim/observe/grid.h"
#include "sim/observe/names.h"

enum {
	RP_GRID_CHUNK = 2048,
	RP_GRID_ABREAST = 6, /* lists that go through stacks in turn, at most */
	RP_GRID_FEW =
	    6 /* set bits up to which lists go abreast: the stacks of all are in the first level's cache */
};

/* A key is a line's name, or its number with a high bit set, and never 0, which is an empty place; wide keys have 64 bits.
 * A key halved is that of the line twice as long. Columns hold keys packed to their width. */
#define RP_GRID_WIDE (UINT64_C(1) << 62)

/* Stacks of one line size and set count. */
struct rp_stacks {
	void *memory,
	    *keys; /* [sets][lanes], last used first; keys are aligned to 64 bytes in memory */
	/* Lookups found at a position, of those that are no writes (without opts.writes: of all) and of writes; position
	 * `lanes`: at none. */
	uint64_t at[2][RP_GRID_WAYS + 1];
	/* With opts.writes: levels of dirtiness, [sets][level_stride()], and dirty lines that left the first j + 1 ways. */
	uint8_t *level;
	uint64_t back[RP_GRID_WAYS];
};

/* Bits of a lookup of a list: it is, or the first of those that it stands for is, a write; one of them dirties the line. */
enum { RP_GRID_FIRST = 1, RP_GRID_DIRTIES = 2 };

/* Lookups on their way through stacks. */
struct rp_visit {
	size_t line; /* its number */
	struct rp_stacks *stacks;
	uint32_t mask; /* sets - 1 */
	void *list;
	uint8_t *bits; /* with opts.writes */
	size_t n;
	/* Room for those of lists abreast that go deeper (grid_slices.h). */
	uint32_t (*fallen)[RP_GRID_CHUNK + 64], (*enter)[RP_GRID_CHUNK + 64];
};

struct rp_grid_kernels {
	/* Lists of lookups through stacks of `lanes`, each through its own; those not found first in their sets, or that
	 * dirty what was not dirty in all ways, become the list. By: opts.writes; wide; 8 lanes, 16, any. */
	void (*visit[2][2][3])(struct rp_visit *v, size_t lists, unsigned lanes);
	/* keys of lines `shift` doublings longer than in[0..n), without repeats of the one before, *last at first: how many;
	 * *last becomes the last one. `out` may be `in`. */
	size_t (*lengthen[2])(const void *in, size_t n, unsigned shift, uint64_t *last, void *out);
	/* Drops lookups of two lines that repeat the two before them, in place: how many are left. pair[*pairs], ..., with
	 * *pairs moving on, become the differing bits of the keys of each two. */
	size_t (*strip[2])(void *list, size_t n, uint64_t *pair, size_t *pairs);
	/* The same with opts.writes. A lookup that repeats the last of the list before is left out only if it dirties nothing,
	 * and pairs are only dropped of lookups that dirty nothing and come for the third time at least, so that they were
	 * not dirty in one way. */
	size_t (*lengthen_bits[2])(const void *in, const uint8_t *bits, size_t n, unsigned shift,
	    uint64_t *last, void *out, uint8_t *bits_out);
	size_t (*strip_bits[2])(void *list, uint8_t *bits, size_t n, uint64_t *pair, size_t *pairs);
};

struct rp_grid {
	const struct rp_grid_kernels *kernels;
	struct rp_grid_opts o;
	unsigned lanes;
	bool wide, drops;
	bool some; /* not all caches are wanted */
	struct rp_names names;
	struct rp_stacks *stacks; /* [lines][sets] */
	uint64_t last[RP_GRID_MAX];
	uint64_t rows[RP_KINDS], more[RP_GRID_MAX][RP_KINDS]; /* lookups beyond one a row */
	uint64_t visits;
	/* By line size, pairs of lookups dropped whose lines differ first in bit k of the number. */
	uint64_t pairs[RP_GRID_MAX][64];
	uint64_t pair[RP_GRID_CHUNK];
	uint64_t line[RP_GRID_CHUNK + 64]; /* of the smallest size, of the chunk at hand */
	uint64_t list[RP_GRID_MAX][RP_GRID_CHUNK + 64]; /* by line size */
	uint32_t fallen[RP_GRID_ABREAST][RP_GRID_CHUNK + 64],
	    enter[RP_GRID_ABREAST][RP_GRID_CHUNK + 64];
	/* With opts.writes: of line[]; of list[][]. */
	uint8_t line_bits[RP_GRID_CHUNK + 64], bits[RP_GRID_MAX][RP_GRID_CHUNK + 64];
};

/* Bytes from the levels of a set to those of the next. */
static inline size_t
level_stride(unsigned lanes)
{
	return (lanes + 15u) & ~(size_t)15;
}

#endif
