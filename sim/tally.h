/* tally.h - outcomes of lookups, added up into counters. */
#ifndef RP_SIM_TALLY_H
#define RP_SIM_TALLY_H

#include "sim/cache.h"
#include "sim/counters.h"
#include "sim/lookup.h"
#include "sim/module.h"

/* How one cache counts, and what it carries from chunk to chunk. Starts as zeroes, but for the first line. */
struct rp_tally {
	const struct rp_cache_spec *spec;
	bool once; /* an access of several lines counts as one lookup */
	/* private: all bits of outcomes and classes of the access that is still open; the same before the chunk at hand */
	struct {
		uint8_t outcomes, classes;
	} open, was;
};

/* Adds a whole chunk to *to. */
void rp_tally_chunk(struct rp_tally *t, const struct rp_lookups *in, const struct rp_result *r,
    struct rp_counters *to);

/* Adds a chunk to the counters of streams: row r belongs to to[slot[r]]. Called after rp_tally_chunk on the same chunk. */
void rp_tally_streams(struct rp_tally *t, const struct rp_lookups *in, const struct rp_result *r,
    const uint32_t *slot, struct rp_counters *to);

/* Adds lines that were written back between accesses, of so many bytes together. */
void rp_tally_back(
    const struct rp_tally *t, uint64_t lines, uint64_t bytes, struct rp_counters *to);

#endif
