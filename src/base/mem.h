/* mem.h - memory: checked arrays and an arena. */
#ifndef RP_BASE_MEM_H
#define RP_BASE_MEM_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* n elements of `size` bytes, zeroed, released with free(). NULL, with *err (RP_RESOURCE) filled, when the product
 * overflows or there is no memory; never NULL for n = 0. */
void *rp_mem_array(size_t n, size_t size, struct rp_err *err) __attribute__((malloc));

/* The same, at an address that is a multiple of `align` (a power of two, at least 8). Zeroed; released with free(). */
void *rp_mem_aligned(size_t align, size_t n, size_t size, struct rp_err *err)
    __attribute__((malloc));

/* The same for a large table that is looked up at random: at a multiple of 64, in huge pages where the system has them. All
 * of it is touched. */
void *rp_mem_table(size_t n, size_t size, struct rp_err *err) __attribute__((malloc));

/* `bytes` to be written and read in order: not zeroed, at a multiple of 2 MiB, in huge pages where the system has them, as
 * each page costs more when it is touched first than what is written to it. */
void *rp_mem_pages(size_t bytes, struct rp_err *err) __attribute__((malloc));

/* Grows `old` (from rp_mem_array or NULL) to n elements; what is new is not zeroed. On failure NULL, and `old` is
 * still the caller's. */
void *rp_mem_grow(void *old, size_t n, size_t size, struct rp_err *err);

/* A copy of a string, released with free(); NULL with *err filled when there is no memory. */
char *rp_mem_string(const char *text, struct rp_err *err) __attribute__((malloc));

/* What lives as long as a run: many small pieces, released together. Starts as zeroes. */
struct rp_arena {
	struct rp_arena_block *last; /* private to mem.c */
};

/* `size` zeroed bytes, aligned to 16, that live until rp_arena_free. NULL with *err filled on failure. */
void *rp_arena_take(struct rp_arena *arena, size_t size, struct rp_err *err);
char *rp_arena_string(struct rp_arena *arena, const char *text, struct rp_err *err);
void rp_arena_free(struct rp_arena *arena); /* the arena may be used again */

#endif
