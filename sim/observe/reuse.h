/* reuse.h - exact reuse distances of a stream of lines, all of it in one pass.
 *
 * The reuse distance of a lookup is how many other lines were looked up since the last lookup of its own line (exclusive:
 * A A has 0), so a fully associative LRU cache of C lines hits exactly those below C (Mattson et al., IBM Systems Journal
 * 9(2), 1970). Its reuse time is how many lookups ago that was (A A has 1). */
#ifndef RP_SIM_OBSERVE_REUSE_H
#define RP_SIM_OBSERVE_REUSE_H

#include "sim/level.h"

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Distance of the first lookup of a line. */
#define RP_COLD UINT32_MAX

/* Lines that rp_reuse_run takes at a time, at most. */
enum { RP_REUSE_CHUNK = 2048 };

struct rp_reuse;

/* Nothing seen yet. `level` chooses among loops that all give the same. Gives (rp_reuse_free). */
struct rp_reuse *rp_reuse_new(enum rp_level level, struct rp_err *err);
void rp_reuse_free(struct rp_reuse *r); /* accepts NULL */

/* distance[i] becomes the reuse distance of line[i], in other lines, or RP_COLD; n is at most RP_REUSE_CHUNK. Memory is in
 * proportion to the lines seen: some 40 bytes each. RP_RESOURCE: it is not there, or there are more than 2^29 lines; nothing
 * can be asked of *r then. */
bool rp_reuse_run(
    struct rp_reuse *r, const uint64_t *line, size_t n, uint32_t *distance, struct rp_err *err);

/* From now on only the `lines` (17 at least, else it is 17) lines looked up last are known: distances below that stay exact,
 * and a lookup of a line that is farther gets RP_COLD. Memory is in proportion to `lines` then. Before the first lookup. */
void rp_reuse_bound(struct rp_reuse *r, uint64_t lines);

/* Calls f for each line seen, the one looked up longest ago first; f must leave *r alone. */
void rp_reuse_walk(const struct rp_reuse *r, void (*f)(void *to, uint64_t line), void *to);

/* Distinct lines seen; of bounded ones, those known. */
uint64_t rp_reuse_lines(const struct rp_reuse *r);

/* Bytes it holds. */
uint64_t rp_reuse_bytes(const struct rp_reuse *r);

/* Forgets all lines: the next lookup of any is its first. Keeps its memory. */
void rp_reuse_reset(struct rp_reuse *r);

#endif
