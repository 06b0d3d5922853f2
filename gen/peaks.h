/* peaks.h - reuse profiles as mixtures of normal distributions, and the chances that make a trace of one.
 *
 * After M. Cho, E.-Y. Chung, "MLCRP", IEEE Access, 2025; what it leaves open is settled in the specification of our data
 * sets, whose sections are meant. */
#ifndef RP_GEN_PEAKS_H
#define RP_GEN_PEAKS_H

#include "base/err.h"
#include "base/xoshiro.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RP_PEAKS_MOST = 1024 };

/* Which trace of a data set: what its random numbers depend on (section 2). */
struct rp_trace_key {
	uint64_t seed, peaks, max_rd, index;
};

/* The generator for one purpose ("profile", "order", "layout", "kind", "offset", "mix") of stream `stream` of a trace. */
struct rp_xoshiro rp_trace_chance(
    const struct rp_trace_key *key, const char *purpose, uint64_t stream);

struct rp_peak {
	double mu, sigma, weight;
};

/* How peaks are drawn: standard deviations uniform in [low, high]; and `wide`, for half the traces log-uniform in [0.3,
 * max_rd / 4], and for half of them the weight of cold accesses times 10^-3 to 1 (section 3). */
struct rp_peaks_recipe {
	double low, high;
	bool wide;
	double cold; /* share of cold accesses; below 0: drawn */
};

/* n peaks for distances below max_rd: draws, in this order, n weights and the cold one's, then mu and sigma of each; wide
 * then draws whether sigma (and, if so, each of them anew), and whether the cold weight (and, if so, by how much). Weights
 * and *cold sum to 1. */
void rp_peaks_draw(struct rp_peak *peak, size_t n, double *cold, size_t max_rd,
    const struct rp_peaks_recipe *how, struct rp_xoshiro *rng);

/* share[d], d below max_rd, becomes the share of accesses with distance d: a bin's mass is that between d - 1/2 and d + 1/2,
 * each peak keeps its weight when its tails are cut, and one without width or without any mass is a point (section 3). */
void rp_peaks_share(const struct rp_peak *peak, size_t n, double *share, size_t max_rd);

#endif
