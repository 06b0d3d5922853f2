/* words.h - sets of up to 16 ways whose order is a word of 64 bits, for all policies but lru.
 *
 * Lines lie in sets as in sim/sets.h and stay where they were filled. What the policy knows of a set is one word; two
 * functions of a few instructions, a pick and a touch (sim/words_kernels.c), make the loop of a policy. Both are computed for
 * every lookup and what was not wanted is masked out where many miss: whether a lookup hits cannot be predicted then, and a
 * branch on it costs more than they do. Random numbers are drawn ahead, a byte each, and used one by one. */
#ifndef RP_SIM_WORDS_H
#define RP_SIM_WORDS_H

#include "sim/sets.h"

enum { RP_WORDS_WAYS = 16 };

/* The loops there are. Predictions of rrip have one bit (nru), two, or any number up to 4. */
enum rp_words_loop {
	RP_WORDS_RANDOM,
	RP_WORDS_FIFO,
	RP_WORDS_CLOCK,
	RP_WORDS_MRU,
	RP_WORDS_PLRU,
	RP_WORDS_LIP,
	RP_WORDS_BIP,
	RP_WORDS_DIP,
	RP_WORDS_NRU,
	RP_WORDS_SRRIP,
	RP_WORDS_BRRIP,
	RP_WORDS_DRRIP,
	RP_WORDS_SRRIP_ANY,
	RP_WORDS_BRRIP_ANY,
	RP_WORDS_DRRIP_ANY,
	RP_WORDS_LOOPS
};

/* Each for: up to 8 ways; up to 16; any number, with what else may be asked for. */
enum { RP_WORDS_8, RP_WORDS_16, RP_WORDS_MORE, RP_WORDS_KINDS };

struct rp_words {
	struct rp_sets sets;
	enum rp_words_loop loop;
	uint64_t *word; /* of each set; 0 at first */
	bool ahead;     /* prefetch */
	bool likely;    /* hits are, going by the last chunk */
	/* Trees of bits (sim/policy/plru.c): the nodes above a way, and those of them that point to it when set. */
	uint16_t above[RP_WORDS_WAYS], second[RP_WORDS_WAYS];
	/* Predictions: bits of one, and the lowest bit of each. */
	unsigned bits;
	uint64_t ones;
	/* Random numbers below `range`, the next of RP_CHUNK at `drawn`: for random which way, else whether it is not 0. */
	uint64_t range;
	uint8_t draw[RP_CHUNK];
	uint32_t drawn;
	/* Set duelling (sim/policy/duel.h): 1 for a set of the first policy, -1 of the second, 0 of none. */
	int8_t *side;
	bool many_lead; /* more than one set in eight: whether a set does cannot be predicted */
	int32_t duel;
	unsigned psel;
};

extern const struct rp_engine rp_engine_words_random, rp_engine_words_fifo, rp_engine_words_clock,
    rp_engine_words_mru, rp_engine_words_plru, rp_engine_words_lip, rp_engine_words_bip,
    rp_engine_words_dip, rp_engine_words_nru, rp_engine_words_srrip, rp_engine_words_brrip,
    rp_engine_words_drrip;

#endif
