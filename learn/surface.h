/* surface.h - the merge surface: primaries and merges of fully associative LRU caches with unlimited MSHRs, for a grid of
 * capacities and latencies at once.
 *
 * A window opens when an access to a line goes below; accesses to the line join it for the next T - 1 accesses. So an access
 * merges while it is less than T after the start of its line's window; else it is a hit if its reuse distance is below the
 * capacity, else a primary that opens a window. What a line needs to know is the age of its window for each grid point, and
 * that only while it is below the largest T: it is kept with the line's last access among the last RP_LATENCY_MOST ones, not
 * with every line. */
#ifndef RP_LEARN_SURFACE_H
#define RP_LEARN_SURFACE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Capacities in lines: 0 (every access outside a window goes below), 8, 32 ... 8192, and infinity (only first ones do);
 * latencies in accesses: 4, 8 ... 1024. */
enum { RP_CAPACITIES = 8, RP_LATENCIES = 9, RP_LATENCY_LEAST = 4, RP_LATENCY_MOST = 1024 };

/* Of capacity i, in lines; UINT64_MAX for the last. */
uint64_t rp_capacity(unsigned i);

struct rp_surface;

struct rp_surface *rp_surface_new(struct rp_err *err); /* gives (rp_surface_free) */
void rp_surface_free(struct rp_surface *s);            /* accepts NULL */

/* The next n (2048 at most) accesses: their reuse distances, RP_COLD for first ones, and how many accesses ago the line was
 * used (recency.h; 0 for first ones). */
void rp_surface_add(
    struct rp_surface *s, const uint32_t *distance, const uint64_t *since, size_t n);

/* What was counted since the last call, or the beginning; windows stay open. */
struct rp_surface_counts {
	uint64_t n; /* accesses */
	uint64_t merged[RP_CAPACITIES][RP_LATENCIES], primary[RP_CAPACITIES][RP_LATENCIES];
	uint64_t missed[RP_CAPACITIES]; /* accesses that are no hit with latency 0 */
	/* Variance / mean of the primaries in consecutive windows of T accesses, from the first one counted on, an incomplete
	 * one at the end left out; 1, as by chance, where there is no window or no primary in any. */
	double dispersion[RP_CAPACITIES][RP_LATENCIES];
};
void rp_surface_take(struct rp_surface *s, struct rp_surface_counts *out);

#endif
