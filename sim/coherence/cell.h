/* cell.h - one of several private caches that are kept coherent, as the level of a hierarchy has them: lookups in, outcomes
 * and requests out.
 *
 * What the home reads from memory and what is written to it are requests to the level below; a miss that another cache
 * serves has none. A write-back is the request of the lookup that caused it, whichever cache had the line. */
#ifndef RP_SIM_COHERENCE_CELL_H
#define RP_SIM_COHERENCE_CELL_H

#include "sim/cache.h"
#include "sim/coherence/coherence.h"
#include "sim/requests.h"

struct rp_cell;

/* One more cache of the system (config.caches is 0), for a stream or with that number; borrows the system. Gives
 * (rp_cell_free). */
struct rp_cell *rp_cell_new(struct rp_coherence *k, uint32_t number, struct rp_err *err);
void rp_cell_free(struct rp_cell *c); /* accepts NULL */

/* The lookups in order; outcome[i] (enum rp_outcome) tells of lookup i, victim[i], unless NULL, which line left for it.
 * Requests are appended to *down, unless NULL. RP_RESOURCE: no memory. */
bool rp_cell_run(struct rp_cell *c, const struct rp_lookups *in, uint8_t *outcome, uint64_t *victim,
    struct rp_requests *down, struct rp_err *err);

/* Calls f for each of lines first..last that is in this cache. */
void rp_cell_walk(struct rp_cell *c, uint64_t first, uint64_t last, rp_line_fn *f, void *to);

#endif
