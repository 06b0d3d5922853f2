/* map.h - numbers to numbers, off the hot path: a hash table (uthash) that only grows. */
#ifndef RP_BASE_MAP_H
#define RP_BASE_MAP_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Starts as zeroes. */
struct rp_map {
	struct rp_map_entry *head; /* private to map.c */
	size_t n;                  /* keys */
};

/* The value of `key`, 0 if it is new: borrowed until rp_map_free. NULL with *err filled without memory. */
uint64_t *rp_map_at(struct rp_map *m, uint64_t key, struct rp_err *err);

void rp_map_free(struct rp_map *m); /* it is empty then, and may be used again */

#endif
