/* lists.h - small sets of lfu, sieve, s3fifo and arc: what sim/policy/ keeps in linked queues, in a few words a set.
 *
 * Lines lie in sets as in sim/sets.h. For sieve they lie in the order of its queue, so that taking a line out of the middle
 * and putting one in front is the same step as for fifo, "rotate ways 0..k by one", and the mark of a line is a bit in the
 * same order. For the others they stay where they were filled, and a queue is a word of up to 16 ways, four bits each, the
 * first lowest. What a set remembers of lines that left are 16 keys beside it, searched as the set itself is. */
#ifndef RP_SIM_LISTS_H
#define RP_SIM_LISTS_H

#include "sim/sets.h"

enum { RP_LISTS_WAYS = 16 }; /* of all but sieve, which takes RP_SETS_WAYS */

enum rp_lists_loop { RP_LISTS_LFU, RP_LISTS_SIEVE, RP_LISTS_S3FIFO, RP_LISTS_ARC, RP_LISTS_LOOPS };

/* lfu: all ways in order of uses, those used longest ago last among equals; an empty way has no uses, so it is last. */
struct rp_lfu_set {
	_Alignas(64) int32_t uses[RP_LISTS_WAYS];
};

struct rp_sieve_set {
	uint64_t used;
	uint64_t hand; /* place + 1; 0: the last */
};

struct rp_s3fifo_set {
	_Alignas(64) uint64_t ghost[RP_LISTS_WAYS]; /* keys, the newest first, 0 behind the last */
	uint64_t small, main;                       /* queues */
	uint32_t uses;                              /* two bits a way */
	uint8_t n_small, n_main, n_ghost;
};

enum { RP_ARC_T1, RP_ARC_T2, RP_ARC_B1, RP_ARC_B2 };
struct rp_arc_set {
	_Alignas(64) uint64_t ghost[RP_LISTS_WAYS]; /* keys, by slot; 0: free */
	uint64_t list[4];                           /* T1 and T2 of ways, B1 and B2 of slots */
	uint64_t p;                                 /* in parts of a way, RP_ARC_PART of them */
	uint8_t n[4];
	uint16_t in_t2, in_b2; /* bits by way and by slot */
};

struct rp_lists {
	struct rp_sets sets;
	enum rp_lists_loop loop;
	bool ahead;      /* prefetch */
	void *state;     /* of each set, one of the structs above; 0 at first */
	uint64_t *order; /* of each set; lfu only; 0: no way was used yet */
	/* Parameters of s3fifo: lines from which on the small queue gives one; hits that move a line; ghosts at most. */
	uint32_t small_least, hits, ghosts;
};

extern const struct rp_engine rp_engine_lists_lfu, rp_engine_lists_sieve, rp_engine_lists_s3fifo,
    rp_engine_lists_arc;

#endif
