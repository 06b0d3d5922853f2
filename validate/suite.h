/* suite.h - the checks of PASCAL, part by part, on several threads. */
#ifndef RP_VALIDATE_SUITE_H
#define RP_VALIDATE_SUITE_H

#include "validate/cases.h"
#include "validate/check_scan.h"
#include "validate/checks.h"

#include <stdbool.h>
#include <stdint.h>

/* What a cache of the user's came to over all cases that it fits. */
struct rp_suite_own {
	uint64_t cases, below; /* below: misses less than the bound */
	uint64_t misses, bound, least;
	double bound_low, bound_high, least_low,
	    least_high; /* of misses / bound and misses / MIN */
};

struct rp_suite {
	struct rp_scan_how how;
	uint64_t seed;
	struct rp_cases_how cases;
	uint64_t blocks[2], workers[2]; /* of random rings: least and most */
	uint64_t capacity;              /* of random cases; 0: drawn */
	/* Results. */
	struct rp_checks checks;
	struct rp_suite_own *own; /* how.n_own; the caller's, or NULL */
};

/* All 2,254 scans of N = 2..6, M = 1..3, every vector of phases, 1 <= C < N (PASCAL, section 4.2), and how often each kind
 * comes up among them. Each of these adds to s->checks. false: could not be done; RP_STOPPED if s->cases.stop says so. */
bool rp_suite_exhaustive(struct rp_suite *s, struct rp_err *err);

/* n random scans, on rings of s->blocks, of s->workers; every other capacity lies on or beside a boundary. Case i depends on
 * s->seed + i alone. */
bool rp_suite_random(struct rp_suite *s, uint64_t n, struct rp_err *err);

/* n random histories: Eq. 15 on every event, Theorem 5 where all start at one block; and that it is sharp. History i depends
 * on s->seed + i alone. */
bool rp_suite_histories(struct rp_suite *s, uint64_t n, struct rp_err *err);

/* A history that was recorded, and LRU caches of these capacities. `name` is how the trace is called. */
struct rp_history;
bool rp_suite_recorded(struct rp_suite *s, const struct rp_history *h, const char *name,
    const uint64_t *capacity, size_t n, struct rp_err *err);

/* n random pipelines of two to nine buffers, walked through copy by copy (sections 3.6 and 9, Theorem 6). */
bool rp_suite_recurrence(struct rp_suite *s, uint64_t n, struct rp_err *err);

/* n random pairs of scans whose gaps differ little (Proposition 7). */
bool rp_suite_margins(struct rp_suite *s, uint64_t n, struct rp_err *err);

/* SDCM of fewer ways than lines against LRU sets that blocks are mapped to at random, for n scans. */
bool rp_suite_sets(struct rp_suite *s, uint64_t n, struct rp_err *err);

/* Statements that need a condition fail without it, in examples made for that. */
bool rp_suite_conditions(struct rp_suite *s, struct rp_err *err);

/* Those of the examples that are histories, and pipelines; rp_suite_conditions has them all. */
bool rp_suite_history_conditions(struct rp_suite *s, struct rp_err *err);
bool rp_suite_recurrence_conditions(struct rp_suite *s, struct rp_err *err);

/* One scan. */
bool rp_suite_one(struct rp_suite *s, const struct rp_scan_case *c, struct rp_err *err);

#endif
