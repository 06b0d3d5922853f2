/* check_scan.h - one scan with fixed phases, replayed and held against its closed forms (PASCAL, sections 3.1 to 3.4). */
#ifndef RP_VALIDATE_CHECK_SCAN_H
#define RP_VALIDATE_CHECK_SCAN_H

#include "validate/checks.h"
#include "validate/lab.h"
#include "validate/pascal.h"

#include <stdbool.h>
#include <stdint.h>

struct rp_scan_case {
	struct rp_lab_scan scan;
	uint64_t capacity; /* C, at least 1 */
};

/* How cases are checked: the same for all. */
struct rp_scan_how {
	struct rp_lab lab;
	bool without;  /* look also for where statements fail without their condition */
	bool only_own; /* of the policies only LRU, MIN and the user's own */
	/* The least misses of a demand policy in `rounds` rounds from empty, by theory; NULL: rp_pascal_cold_bound. For tests
	 * that must see a wrong one caught. */
	uint64_t (*bound)(const struct rp_pascal *p, uint64_t capacity, uint64_t rounds);
	/* Specifications of the user's, looked at beside the built-in policies in cases of their capacity; one without a size
	 * has that of each case. */
	const char *const *own;
	size_t n_own;
	/* Where their policies come from, for the command that shows a counterexample again. */
	const char *const *plugin_files;
	size_t n_plugin_files;
};

/* What a cache of the user's did in one case. */
struct rp_scan_own {
	bool fits;                     /* there is such a cache of the case's capacity */
	uint64_t misses, bound, least; /* least: of MIN of the same capacity */
};

/* What a case came to, for those who add cases up. */
struct rp_scan_result {
	uint32_t lru, ttl; /* misses of the last round */
	bool certified;    /* D <= C < N */
};

/* What is used again from case to case. */
struct rp_scan_bench;
struct rp_scan_bench *rp_scan_bench_new(const struct rp_scan_how *how, struct rp_err *err);
void rp_scan_bench_free(struct rp_scan_bench *b); /* accepts NULL */

/* Replays a case and checks it. The scan must have more rounds than blocks, so that the caches are warm. `own`: results of
 * the user's caches, or NULL. false: it could not be done; a violation is no failure. */
bool rp_scan_check(struct rp_scan_bench *b, const struct rp_scan_case *c, struct rp_checks *checks,
    struct rp_scan_own *own, struct rp_scan_result *result, struct rp_err *err);

/* Rounds for a case when the user says none: six times the blocks, as in the paper, two times where that is too many. */
uint64_t rp_scan_rounds(uint64_t blocks, uint32_t workers);

#endif
