/* paces.h - who requests next: orders in which workers make their way through a scan (Algorithm 2 of PASCAL).
 *
 * A history is a sequence of events, each a request by one worker. Only the order of the workers is told here; what a
 * worker requests with its k-th request is the scan's business. */
#ifndef RP_GEN_PACES_H
#define RP_GEN_PACES_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum rp_paces_model {
	RP_LOCKSTEP, /* rounds: each worker once, in order */
	RP_LEAD, /* one of the workers whose step keeps everybody within `lead` requests, all alike */
	RP_RATES, /* worker i in proportion to its rate, whatever was before */
	RP_SHARPNESS, /* two workers, who show that Theorem 5 is sharp at lead `lead`; 3 * lead - 1 events */
	RP_PACES_MODELS
};

struct rp_paces_params {
	enum rp_paces_model model;
	uint32_t workers; /* 1 .. RP_PACES_WORKERS */
	/* Of lead and sharpness: the most that a worker may be ahead of another, in requests, over the whole history. At
	 * least 1, of sharpness 2; at most RP_PACES_LEAD. */
	uint32_t lead;
	const double *rate; /* of rates: each above 0; borrowed during rp_paces_new */
	uint64_t
	    requests; /* of each worker, at least 1, who then stops; UINT64_MAX: they never do */
	uint64_t seed;
};

enum { RP_PACES_WORKERS = 1 << 24, RP_PACES_LEAD = 1 << 28 };

struct rp_paces;

/* Gives (rp_paces_free). RP_RESOURCE: no memory; 4 bytes a worker, and a request of lead, and some. */
struct rp_paces *rp_paces_new(const struct rp_paces_params *p, struct rp_err *err);
void rp_paces_free(struct rp_paces *h); /* accepts NULL */

/* The next n events: who[i] requests at time[i] (NULL: not asked for), the round of lockstep, else the number of the event
 * from 0. How many; fewer than n only at the end; -1 with *err filled without memory. */
ptrdiff_t rp_paces_next(
    struct rp_paces *h, uint32_t *who, uint64_t *time, size_t n, struct rp_err *err);

#endif
