/* counters.h - what a coherence run counts: the lists that make the structs, the output, the manual and the checks.
 *
 * COUNTER(name, unit, meaning). All are line accesses, messages or events; all only grow. The names are those of the
 * specification of `reprise coherence` and of its JSON. */
#ifndef RP_SIM_COHERENCE_COUNTERS_H
#define RP_SIM_COHERENCE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

/* Of a private cache; `totals` are their sums. */
#define RP_COHERENCE_CACHE_COUNTERS(COUNTER)                                                       \
	COUNTER(accesses, "accesses", "line accesses: one that crosses a line makes several")      \
	COUNTER(reads, "accesses", "loads")                                                        \
	COUNTER(writes, "accesses", "stores; an atomic is one")                                    \
	COUNTER(read_hits, "accesses", "loads that found the line")                                \
	COUNTER(write_hits, "accesses", "stores that found it with permission to write")           \
	COUNTER(upgrades, "accesses", "stores that found it without: no misses")                   \
	COUNTER(read_misses, "accesses", "loads that did not find it")                             \
	COUNTER(write_misses, "accesses", "stores that did not find it")                           \
	COUNTER(misses, "accesses", "read_misses and write_misses")                                \
	COUNTER(cold, "misses", "the cache never held the line")                                   \
	COUNTER(capacity, "misses", "replaced, and a fully associative LRU would miss too")        \
	COUNTER(conflict, "misses", "replaced, though a fully associative LRU would hit")          \
	COUNTER(coherence, "misses", "the line was taken away: by a store or by the directory")    \
	COUNTER(coherence_true, "misses", "of these, the copy's life used a byte others wrote")    \
	COUNTER(coherence_false, "misses", "of these, it did not")                                 \
	COUNTER(coherence_dir, "misses", "of these, the directory needed its entry")               \
	COUNTER(first_ref_true, "misses", "of coherence_true, seen at the miss itself")            \
	COUNTER(open_at_end, "misses", "of coherence_false, undecided when the trace ended")       \
	COUNTER(repl_remote_written, "misses",                                                     \
	    "of capacity and conflict, on lines that others stored to since")                      \
	COUNTER(hitm, "misses", "whose data came from another cache's modified copy")              \
	COUNTER(remote_present, "misses", "that another cache held the line of, in any state")     \
	COUNTER(inv_received, "messages", "Inv that came")                                         \
	COUNTER(inv_received_stale, "messages", "of these, that found no copy")                    \
	COUNTER(back_inv_received, "messages", "of inv_received, because of the directory")        \
	COUNTER(fwd_gets_received, "messages", "Fwd-GetS that came")                               \
	COUNTER(fwd_getm_received, "messages", "Fwd-GetM that came")                               \
	COUNTER(evict_clean, "lines", "clean lines replaced")                                      \
	COUNTER(evict_dirty, "lines", "dirty lines replaced, which go to memory")                  \
	COUNTER(victim_skips, "lines", "better victims passed over, as they wait for an answer")

/* Of the home. */
#define RP_COHERENCE_HOME_COUNTERS(COUNTER)                                                        \
	COUNTER(gets, "messages", "GetS: requests to read")                                        \
	COUNTER(getm, "messages", "GetM: requests to write, upgrades among them")                  \
	COUNTER(upgrades, "messages", "GetM of caches that have a copy")                           \
	COUNTER(puts, "messages", "PutS: a clean line was replaced")                               \
	COUNTER(putm, "messages", "PutM: a dirty line was replaced")                               \
	COUNTER(inv_sent, "messages", "Inv")                                                       \
	COUNTER(inv_sent_demand, "messages", "of these, for a store")                              \
	COUNTER(inv_sent_back, "messages", "of these, for a directory entry")                      \
	COUNTER(inv_acks, "messages", "answers to Inv")                                            \
	COUNTER(fwd_gets, "messages", "Fwd-GetS: the owner shall share")                           \
	COUNTER(fwd_getm, "messages", "Fwd-GetM: the owner shall pass the line on")                \
	COUNTER(forwards, "messages", "both")                                                      \
	COUNTER(mem_reads, "lines", "read from memory")                                            \
	COUNTER(mem_writes, "lines", "written to memory")                                          \
	COUNTER(wb_putm, "lines", "of these, replaced in a cache")                                 \
	COUNTER(wb_fwd_gets, "lines", "of these, because another cache reads")                     \
	COUNTER(wb_back_inv, "lines", "of these, recalled by the directory")                       \
	COUNTER(dir_allocs, "entries", "directory entries made")                                   \
	COUNTER(dir_frees, "entries", "freed because the last copy left")                          \
	COUNTER(dir_evictions, "entries", "replaced by another line's")                            \
	COUNTER(back_invalidations, "messages", "Inv for replaced entries")                        \
	COUNTER(dir_peak_entries, "entries", "in use, at most")                                    \
	COUNTER(dir_victim_skips, "entries", "better victims passed over, as they are busy")

/* Of a timed run; beside these there are `finish`, a time for each stream, and `table_verdict`. */
#define RP_COHERENCE_TIMED_COUNTERS(COUNTER)                                                       \
	COUNTER(cycles, "cycles", "when the last access completes")                                \
	COUNTER(transactions, "requests", "accepted by the home")                                  \
	COUNTER(sum_residence, "cycles", "in the pending table, summed over the requests")         \
	COUNTER(max_residence, "cycles", "in the pending table, the longest")                      \
	COUNTER(occupancy_integral, "cycles", "entries of the pending table, summed over time")    \
	COUNTER(occupancy_max, "entries", "of the pending table in use, for at least a cycle")     \
	COUNTER(full_cycles, "cycles", "with the pending table full")                              \
	COUNTER(holds_busy, "requests", "that waited because their line was busy")                 \
	COUNTER(holds_full, "requests", "that waited because the table was full")                  \
	COUNTER(holds_dirset, "requests", "that waited because their directory set was busy")      \
	COUNTER(hold_cycles, "cycles", "that requests waited at the home")                         \
	COUNTER(nacks_busy, "messages", "refusals because the line was busy")                      \
	COUNTER(nacks_full, "messages", "refusals because the table was full")                     \
	COUNTER(nacks_dirset, "messages", "refusals because the directory set was busy")           \
	COUNTER(nacks, "messages", "all of them")                                                  \
	COUNTER(retries, "messages", "requests sent again")                                        \
	COUNTER(upgrade_races, "requests", "upgrades whose copy was gone when they began")         \
	COUNTER(mshr_merges, "accesses", "that joined a request of their own cache")               \
	COUNTER(mshr_stalls, "accesses", "that could not be issued at once")                       \
	COUNTER(mshr_stall_cycles, "cycles", "that these waited")                                  \
	COUNTER(sum_access_latency, "cycles", "from first try to completion, over all accesses")

#define RP_COHERENCE_FIELD(name, unit, what) uint64_t name;
struct rp_coherence_counters {
	RP_COHERENCE_CACHE_COUNTERS(RP_COHERENCE_FIELD)
};
struct rp_coherence_home {
	RP_COHERENCE_HOME_COUNTERS(RP_COHERENCE_FIELD)
};
struct rp_coherence_timed {
	RP_COHERENCE_TIMED_COUNTERS(RP_COHERENCE_FIELD)
};

/* A row of one of the tables, for output. */
struct rp_coherence_counter {
	const char *name, *unit, *what;
	size_t offset; /* of the uint64_t in its struct */
};

enum rp_coherence_group {
	RP_COHERENCE_CACHE,
	RP_COHERENCE_HOME,
	RP_COHERENCE_TIMED,
	RP_COHERENCE_GROUPS
};

/* By enum rp_coherence_group; each ends in a NULL name. */
extern const struct rp_coherence_counter *const rp_coherence_tables[RP_COHERENCE_GROUPS];

void rp_coherence_counters_add(
    struct rp_coherence_counters *to, const struct rp_coherence_counters *from);

/* out = a - b. */
void rp_coherence_counters_sub(struct rp_coherence_counters *out,
    const struct rp_coherence_counters *a, const struct rp_coherence_counters *b);
void rp_coherence_home_sub(struct rp_coherence_home *out, const struct rp_coherence_home *a,
    const struct rp_coherence_home *b);

#endif
