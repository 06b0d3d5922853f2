/* features.h - what a model is told of an interval of accesses: its reuse profile, and what says more than that.
 *
 * All of it comes from one pass and depends on no cache. Letters are those of the specification of MLCRP's data sets, section
 * 9, after M. Cho, E.-Y. Chung, "MLCRP", IEEE Access, 2025. The pass goes on from interval to interval: distances, times and
 * windows reach back into earlier ones, as in a cache that nobody empties (section 8). */
#ifndef RP_LEARN_FEATURES_H
#define RP_LEARN_FEATURES_H

#include "learn/logbin.h"
#include "learn/recency.h"
#include "learn/surface.h"

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { RP_CONFLICT_WAYS = 5 }; /* 1, 2, 4, 8, 16 */

struct rp_extractor_opts {
	uint32_t bins;   /* M of A: distances below it have a bin each; 0: 4096 */
	uint32_t window; /* of D, in accesses; 0: 256 */
	uint32_t sample; /* F and G look at one reuse in so many; 0: 16; 1: at all */
	uint64_t seed;   /* decides which */
};

/* Of an interval. Starts as zeroes; released with rp_features_free. */
struct rp_features {
	uint64_t n, cold; /* accesses; of these first ones */
	/* A: counts by reuse distance; rp[bins]: `bins` or more, rp[bins + 1]: first accesses. */
	uint32_t bins, *rp;
	/* B, D and E: counts by logarithmic bins (logbin.h) of distances; of the distances of reuses whose reuse time, the
	 * number of accesses in between, is below the window, all other accesses in the last bin; of reuse times. */
	uint32_t lrp[RP_LOGBINS], srp[RP_LOGBINS], rtp[RP_LOGBINS];
	/* C: bins of B but the last above 1 % of n, above the one before and not below the next; largest distance, 0 without
	 * a reuse. */
	uint32_t n_peaks, max_rd;
	/* F: for 2^2 .. 2^10 sets, share of accesses that at least 1, 2, 4, 8, 16 other lines of their set came before since
	 * their line was used: the miss ratio of an LRU cache of so many sets and ways; exactly, if every reuse is looked at. */
	double conf[RP_SETS][RP_CONFLICT_WAYS];
	/* G: lines in the same set beside what random placement makes expect, rd / sets, where that is at least 1/2: the sum
	 * of the one over that of the other, and the squared differences over the variances expected. 1 as by chance, both
	 * too where the sum expected is 3 or less. */
	double ratio[RP_SETS], disp[RP_SETS];
	/* H: mg, pr and pz of section 9 times n, n, and 1. */
	struct rp_surface_counts surface;
};

struct rp_extractor;

/* Nothing seen yet. Gives (rp_extractor_free). RP_RESOURCE. */
struct rp_extractor *rp_extractor_new(const struct rp_extractor_opts *o, struct rp_err *err);
void rp_extractor_free(struct rp_extractor *x); /* accepts NULL */

/* The next n accesses, by line number. RP_RESOURCE: memory, which is in proportion to the distinct lines, some 150 bytes each;
 * then it may only be released. */
bool rp_extractor_add(struct rp_extractor *x, const uint64_t *line, size_t n, struct rp_err *err);

/* Accesses since the interval began. */
uint64_t rp_extractor_accesses(const struct rp_extractor *x);

/* Ends the interval: fills *out, and begins the next one. RP_RESOURCE. */
bool rp_extractor_take(struct rp_extractor *x, struct rp_features *out, struct rp_err *err);

/* Forgets all lines: the next access to any is its first. For intervals that begin with an empty cache. */
void rp_extractor_forget(struct rp_extractor *x);

void rp_features_free(struct rp_features *f);

/* Where sets and ways stand in F; -1: not on its grid. */
int rp_conflict_sets(uint64_t sets);
int rp_conflict_ways(uint64_t ways);

#endif
