/* label.h - what a model is to predict: misses and merges of caches with MSHRs, counted access by access.
 *
 * The model is that of the specification of MLCRP's data sets, section 7: time is the number of the access, a line is in the
 * tags as soon as it is asked for, and a fetch takes `latency` accesses. State goes on from interval to interval. */
#ifndef RP_LEARN_LABEL_H
#define RP_LEARN_LABEL_H

#include "sim/policy.h"

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rp_label_stall {
	RP_LABEL_COUNT, /* what finds all entries taken goes below without one, and is counted */
	RP_LABEL_WAIT   /* it waits for the oldest entry, and so does all that comes after it */
};
extern const char *const rp_label_stalls[]; /* "count", "wait"; ends in NULL */
extern const char
    *const rp_label_indexes[]; /* by enum rp_index (sim/cache.h), "mod" first; ends in NULL */

/* Whether a policy can label: RP_USAGE if it needs to know the future. */
bool rp_label_policy(const struct rp_policy *p, struct rp_err *err);

enum { RP_LABEL_LATENCY_MOST = 1 << 20, RP_LABEL_LINES_MOST = 1 << 28 };

struct rp_label_cache {
	uint32_t sets, ways; /* sets: a power of two */
	uint32_t line;       /* bytes, a power of two; index=fermi looks at it */
	uint32_t latency;    /* of a fill, in accesses */
	uint32_t entries;    /* MSHRs; 0: unlimited */
	uint32_t
	    max_merge;   /* accesses that may join an entry, the first not counted; 0: unlimited */
	uint32_t policy; /* number in rp_policies */
	uint32_t index;  /* enum rp_index */
	uint32_t stall;  /* enum rp_label_stall */
};

/* Counts of accesses: n = hit + primary + merged. */
struct rp_label {
	uint64_t n, hit, primary, merged;
	uint64_t mshr_full,
	    merge_full;       /* primaries that found all entries taken, or their line's full */
	uint64_t stall_ticks; /* time waited; 0 with RP_LABEL_COUNT */
};

/* Shares: of accesses not served by data present; of these, those that joined a fetch under way (0 without any); of accesses
 * that went below. */
struct rp_label_rates {
	double miss_rate, merge_rate, fetch_rate;
};
struct rp_label_rates rp_label_rates(const struct rp_label *l);

void rp_label_add(struct rp_label *to, const struct rp_label *from);

struct rp_labeller;

/* Empty caches. Gives (rp_labeller_free). RP_USAGE: one that cannot be, or whose policy needs the future. RP_RESOURCE. */
struct rp_labeller *rp_labeller_new(
    const struct rp_label_cache *cache, size_t n, uint64_t seed, struct rp_err *err);
void rp_labeller_free(struct rp_labeller *l); /* accepts NULL */

/* The next n accesses of all caches, by line number. RP_RESOURCE: memory, 4 bytes for each distinct line and cache (8 with
 * max_merge). */
bool rp_labeller_add(struct rp_labeller *l, const uint64_t *line, size_t n, struct rp_err *err);

/* What was counted of each cache since the last call; state goes on. */
void rp_labeller_take(struct rp_labeller *l, struct rp_label *out);

/* All caches are empty again, and nothing is on its way. */
bool rp_labeller_reset(struct rp_labeller *l, struct rp_err *err);

#endif
