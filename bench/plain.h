/* plain.h - obvious loops over caches, with the same counters: the baselines of bench/replay.c. */
#ifndef RP_BENCH_PLAIN_H
#define RP_BENCH_PLAIN_H

#include "sim/cache.h"
#include "sim/counters.h"

/* Replays a batch of reads and writes through an empty write-back cache: line by line, way by way. A fully associative one
 * of lru, fifo or random by a hash table, and a list for lru. plru: a power of two of ways. */
void plain_replay(
    const struct rp_cache_spec *spec, const struct rp_batch *b, struct rp_counters *out);

/* Of bench/plain_lists.c: up to 64 ways and a power of two of sets, or one set of any size; s3fifo as published. */
typedef void plain_loop(
    const struct rp_cache_spec *spec, const struct rp_batch *b, struct rp_counters *out);
plain_loop plain_lfu, plain_sieve, plain_s3fifo, plain_arc;

#endif
