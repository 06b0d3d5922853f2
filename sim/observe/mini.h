/* mini.h - miss ratios of any policy at several sizes: all caches in one pass, or small ones for a sample of lines.
 *
 * A fully associative cache of C lines under the lookups of a share R of the lines, chosen by a hash, misses as one of C / R
 * lines does under all of them (Waldspurger, Saemundsson, Ahmad and Park, "Cache Modeling and Optimization using Miniature
 * Simulations", USENIX ATC 2017). So of a sample each cache is scaled down by its rate. As with distances (profile.h), lookups
 * that the sample has more or less than its share are taken as hits. */
#ifndef RP_SIM_OBSERVE_MINI_H
#define RP_SIM_OBSERVE_MINI_H

#include "sim/observe/sample.h"

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rp_mini_opts {
	/* n policies, each as in a cache specification: "fifo", "srrip,bits=3". Borrowed for the call. */
	const char *const *policy;
	size_t policies;
	const uint64_t *size; /* bytes of data, multiples of `line`. Borrowed for the call */
	size_t sizes;
	uint32_t line;           /* bytes, a power of two */
	uint64_t seed;           /* of policies that draw */
	struct rp_sample sample; /* its rate may be 1 */
};

struct rp_mini;

/* Empty caches. Gives (rp_mini_free). RP_USAGE: a policy that there is not, or that cannot have such a size; RP_RESOURCE. */
struct rp_mini *rp_mini_new(const struct rp_mini_opts *o, struct rp_err *err);
void rp_mini_free(struct rp_mini *m); /* accepts NULL */

/* n lookups of lines in order; store[i] is 1 for a write, else 0. RP_RESOURCE: no memory, or no disk for a policy that
 * needs the future. */
bool rp_mini_run(
    struct rp_mini *m, const uint64_t *line, const uint8_t *store, size_t n, struct rp_err *err);

/* Counting begins here. RP_USAGE: a policy needs the future, and sees nothing before the end. */
bool rp_mini_start(struct rp_mini *m, struct rp_err *err);

/* The trace has ended; ratios can be asked for then. */
bool rp_mini_end(struct rp_mini *m, struct rp_err *err);

/* Misses for each lookup; -1: the cache scaled down is less than a line, or there was no lookup. */
double rp_mini_ratio(const struct rp_mini *m, size_t policy, size_t size);

/* Lines of the cache that stood for this size. */
uint64_t rp_mini_lines(const struct rp_mini *m, size_t size);

#endif
