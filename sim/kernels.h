/* kernels.h - the hot loops, compiled once for each level of the instruction set (sim/level.h). */
#ifndef RP_SIM_KERNELS_H
#define RP_SIM_KERNELS_H

#include "sim/full.h"
#include "sim/level.h"
#include "sim/lists.h"
#include "sim/opt.h"
#include "sim/queues.h"
#include "sim/sets.h"
#include "sim/words.h"

/* Loops over sets of 8, of 16, and of more ways (any multiple of 8 up to 64). */
enum { RP_SIZES = 3 };

/* A loop over a chunk: lookups that hit the way looked at first, if it was. victim[i], where outcome[i] says RP_EVICTED, is
 * the line that left; else it is anything. */
typedef size_t rp_sets_run(
    struct rp_sets *c, const struct rp_lookups *in, uint8_t *outcome, uint64_t *victim);

/* The same where the order is a word. `victim` may be NULL in what does more. */
typedef void rp_words_run(
    struct rp_words *c, const struct rp_lookups *in, uint8_t *outcome, uint64_t *victim);

/* Where the order is in lists (sim/lists_kernels.c): by policy; keys of 64 bits; size, more than 16 ways for sieve only.
 * `victim` may be NULL. */
typedef void rp_lists_run(
    struct rp_lists *c, const struct rp_lookups *in, uint8_t *outcome, uint64_t *victim);
struct rp_lists_kernels {
	rp_lists_run *run[RP_LISTS_LOOPS][2][RP_SIZES];
};

/* The same of one set: by policy; whole lines kept; prefetch. */
typedef void rp_queues_run(
    struct rp_queues *q, const struct rp_lookups *in, uint8_t *outcome, uint64_t *victim);
struct rp_queues_kernels {
	rp_queues_run *run[RP_LISTS_LOOPS][2][2];
};

/* Columns of rows, and where their lookups go. */
struct rp_rows {
	const uint64_t *addr;
	const uint32_t *size;
	const uint8_t *kind;
	uint64_t *line;
	uint32_t *row;
	uint8_t *kind_out, *store, *dirty;
};

enum { RP_BLOCK = 16 }; /* rows, lookups done at a time where all are alike */

typedef void rp_full_run(
    struct rp_full *c, const struct rp_lookups *in, uint8_t *outcome, uint64_t *victim);

struct rp_words_kernels {
	/* By: keys of 64 bits; whether hits are likely; what is asked for. */
	rp_words_run *run[RP_WORDS_LOOPS][2][2][RP_WORDS_KINDS];
};

struct rp_grid_kernels;
struct rp_reuse_kernels;
struct rp_mshr;
struct rp_names;
struct rp_waits;

struct rp_kernels {
	/* Whole blocks of up to n rows, the first of which is number `first`, to a lookup each: how many rows, up to the
	 * first block in which a row crosses lines. */
	size_t (*expand)(const struct rp_rows *r, size_t first, size_t n, unsigned line_bits);
	/* Computes set and key of each lookup; the largest key. */
	uint64_t (*sets_prepare)(struct rp_sets *c, const struct rp_lookups *in);
	/* By: keys of 64 bits; size; prefetch. Of the ordered ones by: victims wanted; of random they may be NULL. */
	rp_sets_run *lru[2][2][RP_SIZES][2], *lru_first[2][2][RP_SIZES][2],
	    *fifo[2][2][RP_SIZES][2], *random[2][RP_SIZES][2];
	/* For write misses that bring nothing in; any size. */
	rp_sets_run *lru_no_write[2][2], *fifo_no_write[2][2], *random_no_write[2];
	const struct rp_words_kernels *words;
	const struct rp_lists_kernels *lists;
	const struct rp_queues_kernels *queues;
	const struct rp_grid_kernels *grid;   /* sim/observe/grid_state.h */
	const struct rp_reuse_kernels *reuse; /* sim/observe/reuse_state.h */
	/* Names of lines whose regions are near: how many from the first on. NULL: no faster than one by one. */
	size_t (*names)(const struct rp_names *n, uint64_t *key, size_t count);
	/* MSHRs beside a cache, if they are few (sim/mshr_loop.h). */
	void (*mshr)(struct rp_mshr *m, const struct rp_lookups *in, uint8_t *outcome,
	    struct rp_waits *waits);
	/* The same for one set of any size; all bits of the tags and 1 more each. By: order; wide; prefetch. Victims may be
	 * NULL. */
	uint64_t (*full_prepare)(struct rp_full *c, const struct rp_lookups *in);
	void (*full_compact)(struct rp_full *c);
	rp_full_run *full[3][2][2];
	rp_full_run *full_steps[2][2]; /* of lru, full, write misses brought in */
	/* Belady's MIN. Sets by: keys of 64 bits; size; prefetch. Full: lookups [from, to) of the chunk. */
	void (*opt_prepare)(struct rp_opt_sets *c, const struct rp_lookups *in);
	void (*opt_sets[2][RP_SIZES][2])(
	    struct rp_opt_sets *c, const struct rp_lookups *in, uint8_t *outcome);
	void (*opt_full)(struct rp_opt_full *c, const struct rp_lookups *in, size_t from, size_t to,
	    uint8_t *outcome);
};

/* Files of loops are compiled with RP_KERNELS as the name of their level's table (rp_kernels_v3); what of it is a table of
 * its own is called rp_kernels_v3_words and so on. */
#define RP_KERNELS_JOINED(level, kind) level##_##kind
#define RP_KERNELS_JOIN(level, kind)   RP_KERNELS_JOINED(level, kind)
#define RP_KERNELS_PART(kind)          RP_KERNELS_JOIN(RP_KERNELS, kind)

/* The loops of a level that runs here. */
const struct rp_kernels *rp_kernels_of(enum rp_level level);

#endif
