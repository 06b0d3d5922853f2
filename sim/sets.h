/* sets.h - sets of up to 64 ways, each a few vectors of keys.
 *
 * A key is 1 + the line without its set: line / sets; 0 is an empty way. Keys have 32 bits until a line comes that needs
 * more, then all are widened to 64. For lru and fifo the ways are in order, the next victim last and empty ones behind, and
 * the dirty bits in the same order: a hit and a miss are the same step, "rotate ways 0..k by one", without a branch. For
 * random they stay where they were filled. */
#ifndef RP_SIM_SETS_H
#define RP_SIM_SETS_H

#include "sim/engine.h"

enum rp_sets_order { RP_SETS_LRU, RP_SETS_FIFO, RP_SETS_RANDOM };
enum { RP_SETS_WAYS = 64, RP_AHEAD = 16 /* lookups to prefetch */ };

struct rp_sets {
	struct rp_cache cache;
	enum rp_sets_order order;
	bool wide;            /* keys of 64 bits */
	unsigned ways, lanes; /* lanes: ways rounded up to whole vectors */
	uint32_t sets;
	/* line / sets and line mod sets: by shift, or by a multiplication (see sets_prepare). */
	bool power;
	unsigned shift;
	uint64_t magic;
	unsigned char *keys; /* [sets][lanes] */
	uint64_t *dirty;     /* bits by way; of up to 16 ways they are uint16_t */
	void *memory;        /* that keys lie in */
	unsigned mru_rest;   /* chunks to go without looking at the first way first */
	struct rp_rng rng;
	/* Of the chunk at hand. */
	uint32_t set[RP_CHUNK + 64];
	uint64_t key[RP_CHUNK + 64];
};

/* What divides a line by `sets`, no power of two, by a multiplication: the factor, and *shift. */
uint64_t rp_sets_division(uint32_t sets, unsigned *shift);

extern const struct rp_engine rp_engine_sets_lru, rp_engine_sets_fifo, rp_engine_sets_random;

#endif
