/* grid.h - misses of all LRU caches of a grid of line sizes, set counts and ways, in one pass.
 *
 * For one line size and one number of sets, a stack of lines by time of use in each set serves every number of ways at once:
 * a lookup found at position p (from 0) hits in p + 1 ways or more (Mattson et al., IBM Systems Journal 9(2), 1970). One
 * list of lookups serves every number of sets: where a line is first in its set it is first in its set of any larger power
 * of two, where it hits and changes nothing, so it is dropped from the list for those (inclusion over sets: Hill and Smith,
 * IEEE ToC 38(12), 1989). The list of a line size, without repeats, serves the next larger one.
 *
 * Write-backs come from one more byte a line: the least number of ways in which it is dirty (after Wang and Baer, Efficient
 * trace-driven simulation methods for cache performance analysis, ACM TOCS 9(3), 1991; grid_levels.h). */
#ifndef RP_SIM_OBSERVE_GRID_H
#define RP_SIM_OBSERVE_GRID_H

#include "sim/level.h"

#include "base/err.h"
#include "traces/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RP_GRID_WAYS = 64,      /* at most */
	RP_GRID_SET_BITS = 24,  /* 2^24 sets at most */
	RP_GRID_LINE_BITS = 2,  /* lines of 4 bytes at least, */
	RP_GRID_LINE_MOST = 30, /* of 2^30 at most */
	RP_GRID_MAX = 32
};

/* Line sizes and set counts as exponents of two, ascending; every line size with every set count. */
struct rp_grid_opts {
	unsigned line_bits[RP_GRID_MAX], set_bits[RP_GRID_MAX];
	size_t lines, sets;
	unsigned ways; /* 1..ways */
	uint32_t wanted
	    [RP_GRID_MAX]; /* by line size: bit s: its caches of set count number s; all 0: every one */
	bool
	    writes; /* misses of writes and write-backs too, of write-back caches that allocate on writes */
	enum rp_level level; /* which of the loops, that all give the same */
};

struct rp_grid;

/* Empty caches. Gives (rp_grid_free). RP_RESOURCE: no memory: it takes lines * 2^set_bits * ways rounded up to 8, times 4
 * or, for addresses in very many places, 8 bytes; and with `writes` ways rounded up to 16 bytes more. */
struct rp_grid *rp_grid_new(const struct rp_grid_opts *o, struct rp_err *err);
void rp_grid_free(struct rp_grid *g); /* accepts NULL */

/* The rows of a batch through all caches; a row that crosses lines is a lookup of each. What a mark cleans changes no
 * lookup, but write-backs; rows that drop lines (RP_INVALIDATE), or with `writes` clean some (RP_COPY_BACK), are more than
 * stacks can do: rp_grid_drops says that there was one, and then no figure is good. RP_RESOURCE: no memory. */
bool rp_grid_run(struct rp_grid *g, const struct rp_batch *b, struct rp_err *err);
bool rp_grid_drops(const struct rp_grid *g);

/* Lookups so far of line size number `line`; of them, those of a kind. */
uint64_t rp_grid_lookups(const struct rp_grid *g, size_t line);
uint64_t rp_grid_kind(const struct rp_grid *g, size_t line, enum rp_kind kind);

/* Misses so far of line size and set count by their numbers, and ways in 1..opts.ways. */
uint64_t rp_grid_misses(const struct rp_grid *g, size_t line, size_t set, unsigned ways);

/* Of the same, lines that are there now. Takes time in proportion to the sets. */
uint64_t rp_grid_there(const struct rp_grid *g, size_t line, size_t set, unsigned ways);

/* The same with opts.writes: misses of writes; dirty lines replaced so far; lines that are dirty now, as rp_grid_there. */
uint64_t rp_grid_write_misses(const struct rp_grid *g, size_t line, size_t set, unsigned ways);
uint64_t rp_grid_writebacks(const struct rp_grid *g, size_t line, size_t set, unsigned ways);
uint64_t rp_grid_dirty(const struct rp_grid *g, size_t line, size_t set, unsigned ways);

/* Stacks searched so far, over all line sizes and set counts. */
uint64_t rp_grid_visits(const struct rp_grid *g);

#endif
