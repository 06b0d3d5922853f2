/* coherence.h - private caches kept coherent by a home directory: what the commands use.
 *
 * Two modes share one core. In functional mode an access is one atomic transaction, in trace order (rp_coherence_run). In
 * timed mode the same transactions are ordered by events (sim/coherence/timed.h), and this file's results hold as they
 * are. See man/reprise-coherence.1 for what is counted. */
#ifndef RP_SIM_COHERENCE_COHERENCE_H
#define RP_SIM_COHERENCE_COHERENCE_H

#include "sim/coherence/counters.h"
#include "sim/coherence/protocol.h"
#include "sim/policy.h"

#include "base/err.h"
#include "traces/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RP_COHERENCE_MASK_WORDS = 64 }; /* 64-bit words of a byte mask, at most */

/* Of timed mode, in cycles. */
struct rp_coherence_timing {
	uint64_t l1, net; /* lookup in a cache; a message's way; at least 1 */
	uint64_t home, mem, resp;
	uint64_t pending;                            /* entries of the home's table, at least 1 */
	bool busy_nack, full_nack;                   /* refuse in place of letting wait */
	uint64_t backoff, backoff_mult, backoff_max; /* the factor is at least 1 */
	uint64_t mshrs; /* of a cache; 0: a stream waits for each access */
};

struct rp_coherence_config {
	const struct rp_protocol *protocol;
	/* 0: one for each stream, made when it comes up. Else stream s uses cache s modulo this. */
	uint32_t caches;
	uint32_t line, word_bytes; /* bytes: of a line; that a bit of a mask stands for */
	/* A private cache; the policy is one that rp_coherence_policy_fits. */
	uint32_t sets, ways;
	const struct rp_policy *policy;
	uint64_t arg[RP_POLICY_PARAMS];
	uint64_t seed;
	bool silent; /* replacing a clean line tells nobody */
	bool sparse; /* the directory has dir_sets x dir_ways entries */
	uint32_t dir_sets, dir_ways;
	bool dir_fifo; /* else lru */
	bool lines;    /* keep statistics by line; without them the report has no lines */
	bool verify;   /* look at versions and invariants after every access */
	bool timed;
	struct rp_coherence_timing timing;
};

/* Fails with RP_USAGE, by name, unless the numbers fit together. */
bool rp_coherence_config_check(const struct rp_coherence_config *c, struct rp_err *err);

/* Fails with RP_USAGE unless a private cache can have that policy: one that needs no future, no rounds. */
bool rp_coherence_policy_fits(const struct rp_policy *p, const uint64_t *arg, struct rp_err *err);

struct rp_coherence;

/* Nothing is cached. Copies the config. Gives (rp_coherence_free). */
struct rp_coherence *rp_coherence_new(const struct rp_coherence_config *c, struct rp_err *err);
void rp_coherence_free(struct rp_coherence *k); /* accepts NULL */
const struct rp_coherence_config *rp_coherence_config(const struct rp_coherence *k);

/* Functional mode: the rows of a batch in order. Loads are all but writes and atomics; a prefetch's touch is no use of
 * bytes others wrote. Marks are left out. RP_FAILED: an invariant is broken (with `verify`). */
bool rp_coherence_run(struct rp_coherence *k, const struct rp_batch *b, struct rp_err *err);

/* What was counted so far is forgotten; what is cached stays. For a warm-up. RP_RESOURCE: no memory. */
bool rp_coherence_warm(struct rp_coherence *k, struct rp_err *err);

/* The trace is at its end: lifetimes that are undecided become false sharing. Once, before the results. */
void rp_coherence_end(struct rp_coherence *k);

/* ---- Results. Caches are numbered here by their streams, ascending. ---- */

/* How many caches there are; first of all, and again after a run, as it numbers them. RP_RESOURCE: no memory. */
bool rp_coherence_caches(struct rp_coherence *k, size_t *n, struct rp_err *err);
/* The stream of cache i, or i where config.caches is given; its counters. */
uint32_t rp_coherence_stream(const struct rp_coherence *k, size_t i);
void rp_coherence_count(const struct rp_coherence *k, size_t i, struct rp_coherence_counters *out);
void rp_coherence_totals(const struct rp_coherence *k, struct rp_coherence_counters *out);
void rp_coherence_home(const struct rp_coherence *k, struct rp_coherence_home *out);
uint64_t rp_coherence_footprint(const struct rp_coherence *k); /* different lines so far */
size_t rp_coherence_bytes(const struct rp_coherence *k);       /* of memory that is in use */

/* An offset in a line, and the caches whose hit-modified misses had it. */
struct rp_coherence_offset {
	uint32_t offset;
	uint32_t *caches; /* ascending */
	size_t n;
};

enum rp_sharing {
	RP_SHARING_NONE,
	RP_SHARING_UNBOUND, /* of the whole run: not coherence-bound */
	RP_SHARING_TRUE,
	RP_SHARING_FALSE,           /* by masks */
	RP_SHARING_FALSE_CANDIDATE, /* by offsets */
	RP_SHARING_MIXED
};
extern const char *const rp_sharing_names[];

struct rp_coherence_line {
	uint64_t address; /* of its first byte */
	uint64_t accesses, misses, hitm, true_sharing, false_sharing, dir, upgrades, inv_sent,
	    forwards;
	uint32_t *writers, *readers; /* ascending */
	size_t n_writers, n_readers;
	struct rp_coherence_offset *offset; /* ascending */
	size_t n_offsets;
	enum rp_sharing by_offsets, by_masks;
};

/* Starts as zeroes; released with rp_coherence_report_free. */
struct rp_coherence_report {
	bool naive_flag, coherence_bound, directory_bound;
	bool has_hot; /* bound, and lines are kept */
	uint64_t hot_line;
	enum rp_sharing by_offsets, by_masks; /* of the hot line; RP_SHARING_UNBOUND */
	struct rp_coherence_line *line;       /* those with most hit-modified misses */
	size_t n;
};

/* The verdict, and the first `top` lines. */
bool rp_coherence_report(
    struct rp_coherence *k, size_t top, struct rp_coherence_report *out, struct rp_err *err);
void rp_coherence_report_free(struct rp_coherence_report *r);

/* A copy in a cache, or a directory entry: with its caches, one of them if it is owned. */
struct rp_coherence_copy {
	uint64_t address;
	const char *state;
	const uint32_t *caches; /* of an entry; borrowed until the next call */
	size_t n;
};

/* All copies in cache i, and all entries, by address. Gives *out (free) and *n. */
bool rp_coherence_copies(struct rp_coherence *k, size_t i, struct rp_coherence_copy **out,
    size_t *n, struct rp_err *err);
bool rp_coherence_entries(
    struct rp_coherence *k, struct rp_coherence_copy **out, size_t *n, struct rp_err *err);

/* What a timed run adds. Its engine fills it in. */
struct rp_coherence_times {
	struct rp_coherence_timed count;
	uint64_t *finish; /* when each cache's stream completes, in the order of results */
	size_t n;
	const char *table_verdict;
};

/* All of the invariants, of everything: RP_FAILED names the first that does not hold. Those of versions only with
 * config.verify. */
bool rp_coherence_check(struct rp_coherence *k, struct rp_err *err);

#endif
