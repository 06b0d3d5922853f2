/* wants.h - the counters that a sweep is asked for beside those it always gives. */
#ifndef RP_SIM_SWEEP_WANTS_H
#define RP_SIM_SWEEP_WANTS_H

#include "sim/counters.h"

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { RP_SWEEP_WANTS = 128 };

struct rp_sweep_wants {
	const struct rp_counter *row[RP_SWEEP_WANTS]; /* in the order asked, none twice */
	size_t n;
	bool classify; /* classes of misses are among them */
	bool
	    levels; /* so are some that only levels of dirtiness tell a grid: misses of writes, write-backs */
	bool sent;  /* so is what goes down: write-backs, bytes written */
	bool waits; /* so are some of MSHRs */
	bool evictions;
	bool no_grid, no_stack; /* some that a grid, or reuse distances, cannot tell */
};

/* The counters and ratios that every row of a sweep begins with, in that order; NULL ends them. */
extern const char *const rp_sweep_always[];

/* A list of names of counters, or `all`: of caches of lines and their MSHRs, and with `classify` their classes too. NULL:
 * none. RP_USAGE names what is not there, with the nearest. */
bool rp_sweep_wants_parse(
    const char *list, bool classify, struct rp_sweep_wants *out, struct rp_err *err);

/* Its value in counters, if it is none of the ratios. */
static inline uint64_t
rp_sweep_count(const struct rp_counter *row, const struct rp_counters *c)
{
	return *(const uint64_t *)((const char *)c + row->offset);
}

#endif
