/* touched.h - which lines have ever been touched.
 *
 * A page of 512 lines is a slot of 16 bytes in a hash table: up to six lines stand in the slot itself, more are a bitmap of
 * 64 bytes. So neighbours cost a fraction of a byte each, and a line far from all others its slot. */
#ifndef RP_SIM_TOUCHED_H
#define RP_SIM_TOUCHED_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rp_touched;

struct rp_touched *rp_touched_new(struct rp_err *err); /* gives (rp_touched_free) */
void rp_touched_free(struct rp_touched *t);            /* accepts NULL */

/* Touches the lines line[at[0]] >> shift, line[at[1]] >> shift ... in order: fresh[at[i]] |= bit where one never was before;
 * it is left as it was elsewhere. RP_RESOURCE: no memory; those that were done stay touched. */
bool rp_touched_put(struct rp_touched *t, const uint64_t *line, unsigned shift, const uint32_t *at,
    size_t n, uint8_t *fresh, uint8_t bit, struct rp_err *err);

/* Bytes that it holds, what is only reserved included. */
size_t rp_touched_bytes(const struct rp_touched *t);

#endif
