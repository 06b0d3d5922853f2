/* reuse_state.h - what exact reuse distances keep; private to sim/observe/reuse*.
 *
 * The lines looked up last, RP_TOP of them, stand in exact order in a few vectors: most lookups end there. A line that is
 * pushed out has seen RP_TOP others since its own last lookup, so lines leave in the order of their last lookups, and the
 * rest, the deep part, can keep the time of leaving instead: a slot number. Only lookups that miss the top touch it, and
 *
 *     distance = RP_TOP + deep lines whose slot is later than this one's.
 *
 * Live slots are bits, counted by a tree of fixed fan-out in which a node holds how many are live before it within its
 * parent; a new slot is always the last one, so that adding and removing one changes a part of one node of each level.
 * When the slots are used up, the living are packed to the front.
 *
 * Lines go by 32-bit names (names.h). When they run out, everything is done anew with whole line numbers (`wide`). */
#ifndef RP_SIM_OBSERVE_REUSE_STATE_H
#define RP_SIM_OBSERVE_REUSE_STATE_H

#include "sim/observe/reuse.h"

#include "sim/level.h"
#include "sim/observe/names.h"

enum {
	RP_TOP = 16,         /* lines kept in order */
	RP_REGION_BITS = 20, /* lines of a named region: 2^20, 64 MiB of 64-byte lines */
	RP_REUSE_AHEAD = 16  /* deep lookups to prefetch */
};

/* No slot: the line is in the top. Slots begin at 1, so that 0 is an entry nobody uses. */
#define RP_SLOT_TOP UINT32_MAX

/* A line in the table of all lines. */
struct rp_named {
	uint32_t name, slot;
};
struct rp_numbered {
	uint64_t line;
	uint32_t slot, unused;
};

/* Slots that are live before a node, within its parent: fan-out 32, 32, 16 over words of 64. */
enum { RP_WORDS = 32, RP_BLOCKS = 32, RP_GROUPS = 16 };

struct rp_reuse_kernels;

struct rp_reuse {
	const struct rp_reuse_kernels *kernels;
	bool wide;
	uint32_t top_lines; /* in use */
	/* Names, or line numbers, last one first. */
	_Alignas(64) unsigned char top[RP_TOP * sizeof(uint64_t)];
	/* Open addressing from place hash * cap / 2^32; struct rp_named or, wide, rp_numbered. */
	void *table;
	uint64_t cap;
	uint64_t lines, deep; /* in the table; of these with a slot */
	uint64_t deep_most;   /* lines with a slot that are kept, 0: all */
	uint32_t now, slots;  /* the next slot, and the first that is not there */
	uint32_t tail;        /* words of `live` below it are 0; only where lines are bounded */
	uint32_t *place;      /* [slots] in the table */
	uint64_t *live;       /* bits by slot */
	uint16_t *word;       /* by 64 slots, within 2^11 */
	uint16_t *block;      /* by 2^11, within 2^16 */
	uint32_t *group;      /* by 2^16, within 2^20 */
	uint32_t *mega;       /* by 2^20 */
	void *memory;         /* of these */
	struct rp_names names;
	uint64_t last; /* the line looked up last */
	bool any;
	uint64_t bytes;
	/* Of the chunk at hand: lookups that are no repeats, then those of them that missed the top, with what that pushed
	 * out. */
	uint32_t index[RP_REUSE_CHUNK + RP_REUSE_AHEAD];
	uint64_t key[RP_REUSE_CHUNK + RP_REUSE_AHEAD], gone[RP_REUSE_CHUNK + RP_REUSE_AHEAD];
};

/* The loops, once for each level of the instruction set. */
struct rp_reuse_kernels {
	/* key[0..n) through the full top: distances of those that are there; the others become the deep list, in place. How
	 * many. */
	size_t (*top[2])(struct rp_reuse *r, size_t n, uint32_t *distance);
	/* The deep list, of n lookups; table and slots have room. By: wide; whether deep lines are bounded. */
	void (*deep[2][2])(struct rp_reuse *r, size_t n, uint32_t *distance);
	/* sample.h: rp_sample_take. */
	size_t (*sample)(const uint64_t *addr, size_t n, unsigned shift, uint64_t salt,
	    uint64_t below, uint32_t *index);
};

/* Where the search for a line begins. */
static inline uint64_t
rp_reuse_home(uint64_t key, bool wide, uint64_t cap)
{
	uint32_t h = wide ? (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32)
	                  : (uint32_t)key * UINT32_C(0x9e3779b1);
	return h * cap >> 32;
}

#endif
