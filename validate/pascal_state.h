/* pascal_state.h - what the files of pascal.h share. */
#ifndef RP_VALIDATE_PASCAL_STATE_H
#define RP_VALIDATE_PASCAL_STATE_H

#include "validate/pascal.h"

/* The workers at one distinct phase. */
struct rp_pascal_group {
	uint64_t phase;
	uint32_t first, last; /* the lowest and the highest of them */
};

/* How many of the n ascending values are below x. */
size_t pascal_below(const uint64_t *ascending, size_t n, uint64_t x);

#endif
