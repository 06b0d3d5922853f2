/* sort.h - many numbers into order, in time in proportion to how many there are. */
#ifndef RP_BASE_SORT_H
#define RP_BASE_SORT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rp_keyed {
	uint64_t key;
	uint32_t value;
};

/* Sorts n of them by key, ascending; those of one key stay in their order. RP_RESOURCE: without memory for a copy of them;
 * they are then as they were. */
bool rp_sort(struct rp_keyed *x, size_t n, struct rp_err *err);

#endif
