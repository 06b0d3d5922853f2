/* tally.h - outcomes of lookups, added up into counters. */
#ifndef RP_SIM_TALLY_H
#define RP_SIM_TALLY_H

#include "sim/cache.h"
#include "sim/counters.h"
#include "sim/lookup.h"

/* How one cache counts, and what it carries from chunk to chunk. Starts as zeroes, but for the first line. */
struct rp_tally {
	const struct rp_cache_spec *spec;
	bool once;        /* an access of several lines counts as one lookup */
	bool open_missed; /* private: the access that is still open has missed */
	bool was_open;    /* private: the same before the chunk at hand */
};

/* Adds a whole chunk to *to. */
void rp_tally_chunk(struct rp_tally *t, const struct rp_lookups *in, const uint8_t *outcome,
    struct rp_counters *to);

/* Adds a chunk to the counters of streams: row r belongs to to[slot[r]]. Called after rp_tally_chunk on the same chunk. */
void rp_tally_streams(struct rp_tally *t, const struct rp_lookups *in, const uint8_t *outcome,
    const uint32_t *slot, struct rp_counters *to);

#endif
