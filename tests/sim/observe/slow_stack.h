/* slow_stack.h - reuse distances by a list searched from its front, the last line first: slow and obvious. */
#ifndef RP_TESTS_SLOW_STACK_H
#define RP_TESTS_SLOW_STACK_H

#include "sim/observe/reuse.h"

#include <stdint.h>
#include <string.h>

/* `list` has room for every line that comes. */
struct slow_stack {
	uint64_t *list;
	size_t n;
};

static inline uint32_t
slow_distance(struct slow_stack *s, uint64_t line)
{
	size_t at = 0;
	while (at < s->n && s->list[at] != line)
		at++;
	uint32_t d = at < s->n ? (uint32_t)at : RP_COLD;
	s->n += at == s->n;
	memmove(s->list + 1, s->list, at * sizeof *s->list);
	s->list[0] = line;
	return d;
}

#endif
