/* classes.h - why lookups missed: cold, capacity, conflict (Hill and Smith, IEEE Trans. Computers 38(12), 1989).
 *
 * A cache is compared lookup by lookup with its twin: a fully associative LRU cache of the same capacity that is as the
 * cache in all else (line, sectors, writes, allocation, MSHRs), sees the same lookups and marks and is as warm. The twin of
 * a GPGPU-Sim cache has its string with one set, in each slice. A miss is
 * - cold, if nothing touched the line (not only the sector) before: a line is touched by any lookup, also by a write that
 *   does not bring it in or in the warm-up, and by a copy from the host that brings it in; it stays touched when it is
 *   invalidated;
 * - else capacity, if the twin missed too;
 * - else conflict.
 * A hit that the twin misses is an anticonflict. A cold miss misses in the twin too, so for any run of lookups
 *     cold + capacity + conflict = misses and conflict - anticonflict = misses - misses of the twin. */
#ifndef RP_SIM_CLASSES_H
#define RP_SIM_CLASSES_H

#include "sim/cache.h"

#include <stddef.h>

/* Of a lookup: a byte of these bits, at most one of the first four. */
enum rp_class {
	RP_COLD = 1,
	RP_CAPACITY = 2,
	RP_CONFLICT = 4,
	RP_ANTICONFLICT = 8,
	RP_TWIN_MISSED = 16
};

struct rp_twin;
struct rp_module_opts;

/* An empty twin of a cache, kept as its module is. Gives (rp_twin_free). RP_USAGE: it would have 2^32 lines or more. */
struct rp_twin *rp_twin_new(
    const struct rp_cache_spec *s, const struct rp_module_opts *like, struct rp_err *err);
void rp_twin_free(struct rp_twin *t); /* accepts NULL; the last of its users' releases it */

/* One twin may serve several caches that see the same chunks and marks, each of them in turn, from the beginning: *yes, and
 * there is one more user, if `t` is the twin of such a cache. false: no memory. */
bool rp_twin_join(struct rp_twin *t, const struct rp_cache_spec *s, bool *yes, struct rp_err *err);

/* Replays a chunk and classifies what it did in the cache: class[i] (enum rp_class) from outcome[i] (enum rp_outcome). Both
 * have room for the chunk's n, rounded up to a multiple of 64. */
bool rp_twin_classify(struct rp_twin *t, const struct rp_lookups *in, const uint8_t *outcome,
    uint8_t *class, struct rp_err *err);

/* What happens to the cache between two accesses happens to the twin too: as rp_module_mark, rp_module_flush. */
bool rp_twin_mark(struct rp_twin *t, const struct rp_batch *b, size_t row, struct rp_err *err);
void rp_twin_flush(struct rp_twin *t);
void rp_twin_drop(struct rp_twin *t, uint64_t first, uint64_t last); /* lines */

/* Class of what counts as one lookup but is several (--crossing once): `outcomes` and `classes` are all bits of its lookups.
 * It is a miss if one of them is, cold if one of them is. */
uint8_t rp_class_of_several(uint8_t outcomes, uint8_t classes);

/* Bytes that it holds to know the lines that were touched. */
size_t rp_twin_touched_bytes(const struct rp_twin *t);

#endif
