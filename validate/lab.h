/* lab.h - the simulated side of the checks: scans made by the generator, caches as `reprise sim` has them.
 *
 * Nothing here knows a closed form. */
#ifndef RP_VALIDATE_LAB_H
#define RP_VALIDATE_LAB_H

#include "sim/replay.h"

#include "traces/source.h"

#include <stdbool.h>
#include <stdint.h>

/* A scan of `workers` phases, and how many of its rounds are looked at. */
struct rp_lab_scan {
	const uint64_t *phase;
	uint32_t workers;
	uint64_t blocks, rounds;
	uint32_t block; /* bytes of a block: the line of the caches */
};

/* The scan as gen scan makes it: rows of rounds 0 .. rounds - 1. Gives (rp_source_close). */
struct rp_source *rp_lab_open(const struct rp_lab_scan *s, struct rp_err *err);

/* What a cache is there for. */
enum rp_lab_role { RP_LAB_LRU, RP_LAB_TTL, RP_LAB_MIN, RP_LAB_BYPASS, RP_LAB_OTHER };

/* Caches to be replayed together. Starts as zeroes; released with rp_lab_caches_free. */
struct rp_lab_caches {
	struct rp_cache_spec *spec;
	size_t n, room;
};
void rp_lab_caches_free(struct rp_lab_caches *c);

/* What makes caches. `tamper`, for tests that must see a wrong cache caught, may change a specification before it is used;
 * NULL: none. */
struct rp_lab {
	uint32_t line; /* bytes */
	uint64_t seed;
	const struct rp_plugins *plugins; /* NULL: none */
	void (*tamper)(void *to, enum rp_lab_role role, struct rp_cache_spec *spec);
	void *to;
};

/* Adds a cache of `blocks` lines: lru, opt, opt with bypass, all fully associative; a slotted ttl of `blocks` rounds. */
bool rp_lab_add(const struct rp_lab *lab, struct rp_lab_caches *c, enum rp_lab_role role,
    uint64_t blocks, struct rp_err *err);

/* Adds LRU sets of so many ways, `blocks` lines in all; blocks is a multiple of ways. */
bool rp_lab_add_lru_sets(const struct rp_lab *lab, struct rp_lab_caches *c, uint64_t blocks,
    uint64_t ways, struct rp_err *err);

/* Adds one or two of every policy that fetches on demand, knows no future and has a capacity: fully associative, unless that
 * would be slow, and with sets, as far as there are such caches of `blocks` lines. */
bool rp_lab_add_policies(
    const struct rp_lab *lab, struct rp_lab_caches *c, uint64_t blocks, struct rp_err *err);

/* Adds the user's cache if its capacity is `blocks` lines, or if it names none and there is one of that capacity: *fits. RP_USAGE
 * never comes of a size that does not fit. */
bool rp_lab_add_own(const struct rp_lab *lab, struct rp_lab_caches *c, const char *text,
    uint64_t blocks, bool *fits, struct rp_err *err);

/* The capacity in lines that a user's text names; 0: none, so that it fits several. RP_USAGE: it is no cache that the bound is
 * about (one of whole lines and a capacity, that fetches on demand), or never fits. *line becomes its line size. */
bool rp_lab_own_capacity(const struct rp_lab *lab, const char *text, uint64_t *capacity,
    uint32_t *line, struct rp_err *err);

/* Misses of a cache so far. */
uint64_t rp_lab_misses(const struct rp_replay *r, size_t cache);

/* Replays the scan through one cache, as rp_lab_add makes it of `size`: its misses behind the first `warm` rounds. */
bool rp_lab_scan_misses(const struct rp_lab *lab, const struct rp_lab_scan *scan,
    enum rp_lab_role role, uint64_t size, uint64_t warm, uint64_t *misses, struct rp_err *err);

#endif
