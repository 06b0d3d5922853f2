/* stack.h - lines in the order of their last use, the k-th of them found and moved to the top.
 *
 * Each line has a slot, later ones later; a move frees a slot and takes the next one. Live slots are bits, counted by a tree
 * (ranks.h) over words of 64, so the k-th from the top is a descent and a selection within a word. Only the top is ever
 * asked for: what is below it is forgotten when the slots are used up and the living are packed to the front, so memory is
 * in proportion to the depth that is wanted, not to how many lines there were. */
#ifndef RP_GEN_STACK_H
#define RP_GEN_STACK_H

#include "gen/ranks.h"

#include "base/err.h"

#include <stdint.h>

struct rp_stack {
	uint64_t depth; /* lines pushed so far, those forgotten too */
	/* private to stack.c */
	struct rp_ranks words;
	uint64_t *live, *value;
	uint32_t top, cap, next,
	    lines; /* depth that is kept; slots, the next free one, live ones */
};

/* An empty stack whose `top` (1 to 2^30) lines on top can be asked for. Starts as zeroes; rp_stack_close also after a
 * failure. RP_RESOURCE: no memory. */
bool rp_stack_open(struct rp_stack *s, uint32_t top, struct rp_err *err);
void rp_stack_close(struct rp_stack *s);

/* A new line on top. Its value, which may be changed, until the next call. */
uint64_t *rp_stack_push(struct rp_stack *s, uint64_t value);

/* The line with `above` others above it (fewer than `top`, and fewer than the depth), moved to the top; as above. */
uint64_t *rp_stack_take(struct rp_stack *s, uint32_t above);

#endif
