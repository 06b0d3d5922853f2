/* policy.h - what a replacement policy is.
 *
 * A policy is one file in sim/policy/ that ends in one `const struct rp_policy`; the table of all is made by the build. It
 * allocates nothing and cannot fail: the cache owns every byte of its state. */
#ifndef RP_SIM_POLICY_H
#define RP_SIM_POLICY_H

#include "base/rng.h"
#include "traces/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RP_POLICY_ABI = 1, RP_POLICY_PARAMS = 4 };

/* A number of the policy's. One of 0..1 is written, and printed, as no or yes. */
struct rp_param {
	const char *name, *what;
	uint64_t least, most, usual;
	bool wanted; /* must be given: there is no usual value */
};

static inline bool
rp_param_is_yes_no(const struct rp_param *p)
{
	return p->least == 0 && p->most == 1;
}

/* Where in the cache a call happens. */
struct rp_at {
	void *set, *all;           /* the set's bytes; those common to all sets; zero at first */
	const uint64_t *arg;       /* values of `params`, in its order */
	uint32_t sets, ways;       /* of the cache */
	uint32_t index;            /* of this set */
	uint64_t line;             /* address / line size */
	const struct rp_batch *in; /* the access is in->addr[i] ... */
	size_t i;
	struct rp_rng *rng;
	uint64_t
	    next; /* if the policy wants the future: when the line is looked up again (sim/future.h) */
};

typedef void rp_touch(const struct rp_at *at, uint32_t way);
typedef uint32_t rp_pick(const struct rp_at *at);

struct rp_engine;
enum { RP_POLICY_ENGINES = 3 };
struct rp_policy {
	uint32_t abi; /* RP_POLICY_ABI; a plug-in built for another is refused */
	const char *name, *what, *source;
	struct rp_param params[RP_POLICY_PARAMS]; /* "srrip,bits=3"; a NULL name ends them */
	size_t (*set_bytes)(uint32_t ways, const uint64_t *arg); /* of a set; NULL: none */
	size_t (*all_bytes)(
	    uint32_t sets, uint32_t ways, const uint64_t *arg); /* common; NULL: none */
	void (*init)(const struct rp_at *at);                   /* a set; NULL: zeroes will do */
	rp_touch *hit, *fill;                                   /* NULL: nothing to do */
	rp_touch *drop; /* the way was invalidated from outside; NULL: fill resets it */
	/* Called with every way valid; fill() follows for the same line and the way that it names. NULL: only the engines
	 * below can run the policy, and one of them fits everything. */
	rp_pick *victim;
	/* Whether to bring the line in, or let the access pass: called before `victim` if the first parameter is not 0. */
	bool (*admit)(const struct rp_at *at);
	bool future;    /* wants `next`: the trace is gone through twice */
	bool chance;    /* draws from `rng`: the seed is part of the specification */
	bool unbounded; /* no capacity: no size, sets, ways; the specification has 0, 1 and 0 */
	/* Specialised loops, each for some geometries (sim/engine.h), that give what the plain one gives with the functions
	 * above; the first that fits is taken, and the plain one if none does. NULL ends them. */
	const struct rp_engine *engines[RP_POLICY_ENGINES];
};

extern const struct rp_policy *const rp_policies[]; /* ends in NULL; made by the build */

/* The policy called `name`; NULL with *err (RP_USAGE, with the nearest name). */
const struct rp_policy *rp_policy_find(const char *name, struct rp_err *err);

#endif
