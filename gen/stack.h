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
	uint64_t *value; /* by slot */
	uint64_t depth;  /* lines pushed so far, those forgotten too */
	/* private to stack.c */
	struct rp_ranks words;
	uint64_t *live;
	uint32_t top, cap, next,
	    lines; /* depth that is kept; slots, the next free one, live ones */
};

/* A line went from a slot to another, or stays where it is. Its value has to follow: value[to] = value[from]. That is left to
 * the caller, who may note some moves first and make them later, in their order, when the values have come from memory. */
struct rp_move {
	uint32_t from, to;
};

/* An empty stack whose `top` (1 to 2^30) lines on top can be asked for. Starts as zeroes; rp_stack_close also after a
 * failure. RP_RESOURCE: no memory. */
bool rp_stack_open(struct rp_stack *s, uint32_t top, struct rp_err *err);
void rp_stack_close(struct rp_stack *s);

/* Whether there is no slot left for a move; and room for some thousand more, for which all moves must have been made. */
static inline bool
rp_stack_full(const struct rp_stack *s)
{
	return s->next == s->cap;
}
void rp_stack_pack(struct rp_stack *s);

/* A new line on top, which is not to be full: where its value goes. */
uint32_t rp_stack_push(struct rp_stack *s);

/* The line with `above` others above it (fewer than `top`, and fewer than the depth), to the top. Not to be full. */
struct rp_move rp_stack_take(struct rp_stack *s, uint32_t above);

#endif
