/* mshr.h - misses on their way below: which lookups wait for what was asked for before.
 *
 * A miss takes an entry of the MSHRs for `latency` units of time; a lookup of the same line (or sector) meanwhile is a miss
 * too, and joins the entry. Time begins at 0, and each lookup takes one unit; by the trace's clock it begins at the first
 * stamp, and a lookup takes none: time moves up to its access's stamp, if that is later. */
#ifndef RP_SIM_MSHR_H
#define RP_SIM_MSHR_H

#include "sim/level.h"
#include "sim/lookup.h"

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What becomes of a lookup that finds no entry, or no room in its line's entry. */
enum rp_stall {
	RP_STALL_COUNT, /* it is counted, and goes below all the same, without an entry */
	RP_STALL_SKIP,  /* it waits: time moves on to when the next entry is due */
	RP_STALL_UNIT,  /* the same, tried again each unit of time, and counted each time */
	RP_STALL_DROP   /* it goes below and brings nothing in */
};

struct rp_mshr_spec {
	bool on;          /* there are MSHRs */
	bool clock;       /* time is the trace's */
	unsigned stall;   /* enum rp_stall */
	uint64_t entries; /* 0: unlimited */
	uint64_t merge;   /* lookups that may join an entry, the first not counted; 0: unlimited */
	uint64_t latency; /* units of time from miss to fill */
};

/* Attempts of a lookup that were refused. */
struct rp_refusal {
	uint32_t lookup;                           /* of the chunk */
	uint64_t mshr_full, merge_full, ways_full; /* attempts, by what was lacking */
	uint64_t stall;                            /* units of time that it waited */
};

/* What a chunk of lookups has to say beside its outcomes. */
struct rp_waits {
	/* Of the whole chunk: time that it took, entries in use summed over that time, and at most. */
	uint64_t time, held;
	uint32_t most;
	bool timed;
	/* If timed: units of time from the lookup before until after this one, entries in use, summed over them, and at most. */
	uint64_t time_of[RP_CHUNK + 64], held_of[RP_CHUNK + 64];
	uint32_t most_of[RP_CHUNK + 64];
	/* If not, each lookup took a unit: entries in use before the chunk, and bits of lookups that ended one, that began one. */
	uint64_t before, ended[RP_CHUNK / 64 + 1], began[RP_CHUNK / 64 + 1];
	size_t refusals;
	struct rp_refusal refusal[RP_CHUNK]; /* those of which there are, in order of lookups */
};

/* Begins what is said of a chunk. */
static inline void
rp_waits_begin(struct rp_waits *w, bool timed)
{
	w->time = w->held = 0;
	w->most = 0;
	w->refusals = 0;
	w->timed = timed;
}

/* Lookup i of a timed chunk. */
static inline void
rp_waits_put(struct rp_waits *w, size_t i, uint64_t time, uint64_t held, uint64_t entries)
{
	w->time_of[i] = time;
	w->held_of[i] = held;
	w->most_of[i] = (uint32_t)entries;
	w->time += time;
	w->held += held;
	if (entries > w->most)
		w->most = (uint32_t)entries;
}

struct rp_mshr;

/* MSHRs for stall=count, empty. Gives (rp_mshr_free). */
struct rp_mshr *rp_mshr_new(const struct rp_mshr_spec *s, enum rp_level level, struct rp_err *err);
void rp_mshr_free(struct rp_mshr *m); /* accepts NULL */

/* The pass of stall=count over a chunk that a cache has run, whose tags changed at once: sets RP_MISSED, RP_PRESENT,
 * RP_MERGED, RP_MSHR_FULL and RP_MERGE_FULL in its outcomes and fills *waits in. A miss that is not merged is a request to
 * the level below, but for a write that went past the cache. RP_USAGE: the trace's clock is asked for, and it has none.
 * RP_RESOURCE: no memory. */
bool rp_mshr_run(struct rp_mshr *m, const struct rp_lookups *in, uint8_t *outcome,
    struct rp_waits *waits, struct rp_err *err);

/* Fails with RP_USAGE if the lookups have no time stamps. */
bool rp_mshr_has_time(const struct rp_lookups *in, struct rp_err *err);

#endif
