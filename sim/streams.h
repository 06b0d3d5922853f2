/* streams.h - the streams that have been seen, numbered in the order they came up. */
#ifndef RP_SIM_STREAMS_H
#define RP_SIM_STREAMS_H

#include "base/err.h"
#include "traces/batch.h"

#include <stddef.h>
#include <stdint.h>

struct rp_streams;

struct rp_streams *rp_streams_new(struct rp_err *err); /* gives (rp_streams_free) */
void rp_streams_free(struct rp_streams *s);            /* accepts NULL */

/* The number of each row's stream, marks included; borrowed until the next call. NULL: no memory. */
const uint32_t *rp_streams_slots(
    struct rp_streams *s, const struct rp_batch *b, struct rp_err *err);

size_t rp_streams_count(const struct rp_streams *s);
uint32_t rp_streams_name(const struct rp_streams *s, uint32_t number);

/* The k-th stream in ascending order, and its number. */
uint32_t rp_streams_sorted(struct rp_streams *s, size_t k, uint32_t *number);

#endif
