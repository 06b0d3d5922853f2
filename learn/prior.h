/* prior.h - miss and merge rates of a cache from the features of a trace, without any learning.
 *
 * A model of its own, and what learned ones start from (the specification of MLCRP's data sets, 9.1). */
#ifndef RP_LEARN_PRIOR_H
#define RP_LEARN_PRIOR_H

#include "learn/features.h"

#include <stddef.h>
#include <stdint.h>

/* An LRU cache whose set is line modulo sets. */
struct rp_prior_cache {
	uint64_t sets, ways; /* 1 and more; sets: a power of two */
	uint64_t latency;    /* of a fill, in accesses */
	uint64_t entries;    /* MSHRs; 0: unlimited */
};

struct rp_prior {
	double tag_miss;   /* ratio of the tag array: its misses for each access */
	double miss_rate;  /* of accesses, those not served by data present */
	double merge_rate; /* of these, those that join a fetch under way; 0 without a miss */
	double fetch_rate; /* miss_rate (1 - merge_rate) */
};

/* The tag misses are those of the conflict profile where sets and ways are on its grid, else those of random placement. They
 * make it equivalent to a fully associative cache, between whose neighbours on the surface's grid, and between latencies (in
 * log2 T, clamped to the grid), merges and primaries are interpolated. A latency of 0 or 1 merges nothing. Finite MSHRs are a
 * loss system: what finds them full is a primary. Cannot fail; all 0 without an access. */
struct rp_prior rp_prior(const struct rp_features *f, const struct rp_prior_cache *cache);

/* Tag miss ratio if lines fell into sets at random: the sum over d of rp[d] P(Bin(d, 1 / sets) >= ways), and what is beyond
 * rp's bins or cold, of n accesses; rp as in rp_features. */
double rp_prior_random(const uint32_t *rp, uint32_t bins, uint64_t n, uint64_t sets, uint64_t ways);

/* Share of calls that find all of `entries` servers taken at this load, both at least 0 (Erlang's B); 0 without a load. */
double rp_prior_erlang(uint64_t entries, double load);

/* How often a line is expected to be touched during the `latency` - 1 accesses after a touch, if distances are drawn
 * independently with these shares of all accesses (share[d], d below bins; what is missing to 1 goes deeper or to new lines).
 * touches[i] is for latency[i]; latencies ascend. With no better knowledge, the merge rate is about V / (1 + V). NULL-free;
 * false: no memory. */
bool rp_prior_touches(const double *share, size_t bins, const uint64_t *latency, size_t n,
    double *touches, struct rp_err *err);

#endif
