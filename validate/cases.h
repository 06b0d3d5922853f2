/* cases.h - many cases, each checked by itself, on several threads.
 *
 * Jobs are runs of neighbouring cases; what they find is put together in their order, so that results, and the first
 * violation among them, do not depend on the number of threads. */
#ifndef RP_VALIDATE_CASES_H
#define RP_VALIDATE_CASES_H

#include "validate/checks.h"

#include <signal.h>

/* A part of the checks: n cases. */
struct rp_cases {
	uint64_t n;
	uint64_t each;      /* cases of a job; 0: 16 */
	const void *of;     /* what the functions below know of the part; shared by all threads */
	size_t state_bytes; /* of what a job works with, zeroed before open() */
	bool (*open)(void *state, const void *of, struct rp_err *err); /* NULL: zeroes will do */
	/* Checks case i. */
	bool (*run)(
	    void *state, const void *of, uint64_t i, struct rp_checks *c, struct rp_err *err);
	/* A job's cases are done: takes what it found besides, in their order, one job at a time. NULL: nothing. */
	void (*collect)(void *state, void *to);
	void *to;
	void (*close)(void *state); /* also after open() failed; NULL: nothing to release */
};

/* How they are run. */
struct rp_cases_how {
	unsigned threads;
	const volatile sig_atomic_t *stop; /* ends early when this is not 0; NULL: never */
	void (*progress)(void *to, uint64_t done, uint64_t all); /* NULL: not told */
	void *to;
};

/* Runs all cases and adds what was checked to *checks. false: the first case that could not be done; RP_STOPPED if how->stop
 * says so. *checks then has those before. */
bool rp_cases_run(const struct rp_cases *cases, const struct rp_cases_how *how,
    struct rp_checks *checks, struct rp_err *err);

#endif
