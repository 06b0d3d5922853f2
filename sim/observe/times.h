/* times.h - reuse times, and what follows from them: how many lines a window of a trace touches.
 *
 * The reuse time of a lookup is how many lookups ago its line was looked up last (A A has 1). Times are counted in
 * logarithmic bins of RP_TIME_BITS (bins.h), each with its sum, so memory does not grow with the length of the trace, and the
 * curves are exact where a bin begins: at 0, 1, 2 ... 255, and 64 lengths in every doubling above.
 *
 * With n lookups, m lines, r(i) lookups of reuse time i, f(k) the number (from 1) of the first lookup of line k, and l(k)
 * that of its last one counted from the end:
 *
 * - The footprint of windows of w lookups, the average of distinct lines over all n - w + 1 windows (Xiang, Bao, Ding and Gao,
 *   "Linear-time Modeling of Program Working Set in Shared Cache", PACT 2011), is
 *       m - (sum over i > w of (i - w) r(i) + sum over k of max(0, f(k) - w) + max(0, l(k) - w)) / (n - w + 1).
 * - The working set of w lookups, the average over all n lookups of the distinct lines among the w that end there (Denning
 *   and Schwartz, "Properties of the Working-Set Model", CACM 15(3), 1972), where the first windows are shorter, is
 *       (sum over i of min(i, w) r(i) + sum over k of min(l(k), w)) / n. */
#ifndef RP_SIM_OBSERVE_TIMES_H
#define RP_SIM_OBSERVE_TIMES_H

#include "sim/observe/bins.h"

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RP_TIME_BITS = 6 };

struct rp_times;

/* Nothing seen yet. Gives (rp_times_free). */
struct rp_times *rp_times_new(struct rp_err *err);
void rp_times_free(struct rp_times *t); /* accepts NULL */

/* The next `lookups` lookups have come, of which n are of the lines line[0..n), the index[i]-th (from 0, ascending; NULL: all
 * of them, n = lookups); the others are of lines that nobody asks for (sample.h). since[i], unless `since` is NULL, becomes
 * the reuse time of lookup i, 0: it is the first of its line. Memory is in proportion to the lines seen: some 24 to 48 bytes
 * each. RP_RESOURCE. */
bool rp_times_run(struct rp_times *t, const uint64_t *line, const uint32_t *index, size_t n,
    uint64_t lookups, uint64_t *since, struct rp_err *err);

/* What comes from here on is counted, what came before is not: but reuse times go back to it. */
void rp_times_start(struct rp_times *t);

/* Forgets all lines, but not what was counted: the next lookup of any is its first. */
void rp_times_forget(struct rp_times *t);

/* How many counted lookups have a reuse time in log bin `bin`, 0 .. RP_TIME_BINS - 1. */
#define RP_TIME_BINS ((4u << RP_TIME_BITS) + ((64u - RP_TIME_BITS - 2) << RP_TIME_BITS))
uint64_t rp_times_count(const struct rp_times *t, unsigned bin);

/* Lookups counted so far, of lines that were asked for and others. */
uint64_t rp_times_lookups(const struct rp_times *t);

/* The curves, of the lines that were asked for, at the window where a bin begins: rp_log_low(bin, RP_TIME_BITS), at most
 * rp_times_lookups. Call rp_times_close first; it takes time in proportion to the lines. Not after rp_times_forget. */
void rp_times_close(struct rp_times *t);
double rp_times_footprint(const struct rp_times *t, unsigned bin);
double rp_times_working_set(const struct rp_times *t, unsigned bin);

#endif
