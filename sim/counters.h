/* counters.h - the one list that makes the struct, the output, the manual and the checks. */
#ifndef RP_SIM_COUNTERS_H
#define RP_SIM_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* COUNTER(group, name, unit, meaning), RATIO(group, name, numerator, denominator, meaning), LAW(group, name, condition on c
 * and `once`). A row is printed, and a law holds, for the caches that its group applies to. Counters are whole numbers and only grow, so that an interval is the difference of two snapshots; ratios are computed on output; a
 * law holds after every batch. `once`: an access that crosses lines counted as one lookup, though it may fill several. */
#define RP_COUNTERS(COUNTER, RATIO, LAW)                                                           \
	COUNTER(ALWAYS, accesses, "accesses", "records of the trace")                              \
	COUNTER(ALWAYS, lookups, "lookups",                                                        \
	    "line requests: a record that crosses a line makes several")                           \
	COUNTER(ALWAYS, hits, "lookups", "lookups served by data present")                         \
	COUNTER(ALWAYS, misses, "lookups", "lookups not served by data present")                   \
	COUNTER(ALWAYS, reads, "lookups", "lookups that are not writes; an atomic is one")         \
	COUNTER(ALWAYS, read_misses, "lookups", "misses among the reads")                          \
	COUNTER(ALWAYS, writes, "lookups", "lookups that are writes")                              \
	COUNTER(ALWAYS, write_misses, "lookups", "misses among the writes")                        \
	COUNTER(ALWAYS, ifetches, "lookups", "instruction fetches, among the reads")               \
	COUNTER(ALWAYS, ifetch_misses, "lookups", "misses among the instruction fetches")          \
	COUNTER(ALWAYS, atomics, "lookups", "atomics, among the reads")                            \
	COUNTER(ALWAYS, prefetches, "lookups", "prefetches, among the reads")                      \
	COUNTER(ALWAYS, missed_accesses, "accesses", "records with at least one missed lookup")    \
	COUNTER(ALWAYS, fills, "lines", "lines brought in, or sectors of lines that have them")    \
	COUNTER(ALWAYS, evictions, "lines", "valid lines replaced")                                \
	COUNTER(                                                                                   \
	    ALWAYS, writebacks, "lines", "dirty lines written back, at replacement or a flush")    \
	COUNTER(ALWAYS, bytes_filled, "bytes", "brought in from below")                            \
	COUNTER(                                                                                   \
	    ALWAYS, bytes_written, "bytes", "sent down: write-backs and writes that pass through") \
	COUNTER(CLASS, cold, "lookups", "misses on lines that nothing touched before")             \
	COUNTER(CLASS, capacity, "lookups",                                                        \
	    "other misses that a fully associative lru cache of the same size has too")            \
	COUNTER(CLASS, conflict, "lookups", "other misses, that it does not have")                 \
	COUNTER(CLASS, anticonflict, "lookups", "hits that it misses")                             \
	COUNTER(CLASS, full_misses, "lookups", "all its misses")                                   \
	RATIO(ALWAYS, miss_ratio, misses, lookups, "misses for each lookup")                       \
	COUNTER(MSHR, fetches, "requests", "read requests sent down: misses that joined none")     \
	COUNTER(MSHR, merged, "lookups", "misses that joined a request on its way")                \
	COUNTER(HIDDEN, mshr_asked, "lookups", "fetches and merged")                               \
	RATIO(MSHR, merge_ratio, merged, mshr_asked, "merged for each of merged and fetches")      \
	COUNTER(MSHR, mshr_full, "attempts", "lookups that found all MSHR entries taken")          \
	COUNTER(                                                                                   \
	    MSHR, merge_full, "attempts", "lookups that found their entry with all its merges")    \
	COUNTER(MSHR, ways_full, "attempts", "lookups that found all ways waiting for their data") \
	COUNTER(MSHR, stall_units, "units", "time that lookups waited for an entry or a way")      \
	COUNTER(MSHR, mshr_time, "units", "time that passed, as latency counts it")                \
	COUNTER(HIDDEN, mshr_held, "units", "MSHR entries in use, summed over the time")           \
	RATIO(MSHR, mshr_occupancy_mean, mshr_held, mshr_time, "MSHR entries in use, over time")   \
	COUNTER(MSHR, mshr_occupancy_max, "entries", "MSHR entries in use, at most")               \
	/* A cache of GPGPU-Sim, in its words. */                                                  \
	COUNTER(GPGPUSIM, HIT, "accesses", "sectors, or plain lines, that were there")             \
	COUNTER(GPGPUSIM, HIT_RESERVED, "accesses", "that are on their way")                       \
	COUNTER(GPGPUSIM, MISS, "accesses", "of whose line nothing was there")                     \
	COUNTER(GPGPUSIM, SECTOR_MISS, "accesses", "that were not there, though their line was")   \
	COUNTER(GPGPUSIM, MSHR_HIT, "accesses", "of these, that joined a request on its way")      \
	COUNTER(GPGPUSIM, TOTAL_ACCESS, "accesses", "all four together")                           \
	COUNTER(GPGPUSIM, RESERVATION_FAIL, "attempts", "refused, which are no accesses")          \
	COUNTER(GPGPUSIM, LINE_ALLOC_FAIL, "attempts", "of these, all lines of the set reserved")  \
	COUNTER(GPGPUSIM, MSHR_ENTRY_FAIL, "attempts", "no MSHR entry free")                       \
	COUNTER(GPGPUSIM, MSHR_MERGE_ENTRY_FAIL, "attempts", "the sector's entry full")            \
	COUNTER(GPGPUSIM, MSHR_RW_PENDING, "attempts", "its entry holds a write, then a read")     \
	COUNTER(GPGPUSIM, MISS_QUEUE_FULL, "attempts", "the miss queue full")                      \
	COUNTER(GPGPUSIM, requests, "requests", "to fill a sector, or plain line, sent down")      \
	COUNTER(GPGPUSIM, write_through, "writes", "sent down")                                    \
	COUNTER(GPGPUSIM, writeback_lines, "lines", "of which something was written back")         \
	COUNTER(GPGPUSIM, writeback_sectors, "sectors", "written back")                            \
	COUNTER(GPGPUSIM, stall, "units", "waited, by all that was refused")                       \
	COUNTER(GPGPUSIM, end_time, "units",                                                       \
	    "at the end, from when counting began; over slices a sum")                             \
	COUNTER(TREE, entered, "lookups", "lookups of all accesses that entered the hierarchy")    \
	RATIO(TREE, global_miss_ratio, misses, entered,                                            \
	    "misses for each lookup that entered the hierarchy")                                   \
	COUNTER(TREE, back_invalidations, "lines",                                                 \
	    "lines dropped because an inclusive level below replaced them")                        \
	COUNTER(TREE, back_writebacks, "lines", "dirty ones among those, also under writebacks")   \
	LAW(ALWAYS, hit_or_miss, c->hits + c->misses == c->lookups)                                \
	LAW(ALWAYS, read_or_write, c->reads + c->writes == c->lookups)                             \
	LAW(ALWAYS, misses_by_kind, c->read_misses + c->write_misses == c->misses)                 \
	LAW(ALWAYS, fetches_are_reads, c->ifetches + c->atomics + c->prefetches <= c->reads)       \
	LAW(ALWAYS, fills_are_misses, once || c->fills <= c->misses)                               \
	LAW(ALWAYS, fills_leave, c->TOTAL_ACCESS || c->evictions <= c->fills)                      \
	LAW(ALWAYS, missed_once, c->missed_accesses <= c->misses)                                  \
	LAW(CLASS, classes_of_misses, c->cold + c->capacity + c->conflict == c->misses)            \
	LAW(CLASS, classes_of_full_misses,                                                         \
	    c->cold + c->capacity + c->anticonflict == c->full_misses)                             \
	LAW(CLASS, conflicts_on_balance,                                                           \
	    c->conflict + c->full_misses == c->misses + c->anticonflict)                           \
	LAW(MSHR, asked_or_joined, c->mshr_asked == c->fetches + c->merged)                        \
	LAW(MSHR, asked_for_misses, once || c->mshr_asked <= c->misses)                            \
	LAW(MSHR, read_misses_ask, once || c->read_misses <= c->mshr_asked)                        \
	LAW(MSHR, waits_take_time, c->stall_units <= c->mshr_time)                                 \
	LAW(MSHR, held_at_most, c->mshr_held <= c->mshr_time * c->mshr_occupancy_max)              \
	LAW(GPGPUSIM, all_accesses,                                                                \
	    c->HIT + c->HIT_RESERVED + c->MISS + c->SECTOR_MISS == c->TOTAL_ACCESS)                \
	LAW(GPGPUSIM, our_hits, once || (c->hits == c->HIT && c->lookups == c->TOTAL_ACCESS))      \
	LAW(GPGPUSIM, fails_by_reason,                                                             \
	    c->LINE_ALLOC_FAIL + c->MSHR_ENTRY_FAIL + c->MSHR_MERGE_ENTRY_FAIL +                   \
		    c->MSHR_RW_PENDING + c->MISS_QUEUE_FULL ==                                     \
		c->RESERVATION_FAIL)                                                               \
	LAW(GPGPUSIM, joined_are_misses, c->MSHR_HIT <= c->TOTAL_ACCESS - c->HIT)                  \
	LAW(GPGPUSIM, sectors_of_lines,                                                            \
	    c->writeback_lines <= c->writeback_sectors &&                                          \
		c->writeback_sectors <= 4 * c->writeback_lines)                                    \
	LAW(TREE, back_writes_are_of_lines, c->back_writebacks <= c->back_invalidations)           \
	LAW(TREE, back_writes_are_writebacks, c->back_writebacks <= c->writebacks)

/* Which caches a row applies to: one bit each. */
enum rp_counter_group {
	RP_COUNT_HIDDEN = 0,   /* none: only there for a ratio */
	RP_COUNT_ALWAYS = 1,   /* all */
	RP_COUNT_MSHR = 2,     /* those with MSHRs */
	RP_COUNT_CLASS = 4,    /* those whose misses are classified */
	RP_COUNT_GPGPUSIM = 8, /* those of GPGPU-Sim, in its words */
	RP_COUNT_TREE = 64     /* those of a hierarchy */
};

#define RP_COUNTER_FIELD(group, name, unit, what) uint64_t name;
#define RP_COUNTER_NOTHING(...)
struct rp_counters {
	RP_COUNTERS(RP_COUNTER_FIELD, RP_COUNTER_NOTHING, RP_COUNTER_NOTHING)
};

/* One row of the table, for output. A ratio has numerator and denominator. */
struct rp_counter {
	const char *name, *unit, *what;
	unsigned group;     /* enum rp_counter_group */
	size_t offset;      /* of the uint64_t in struct rp_counters; of a ratio: its numerator */
	size_t denominator; /* of a ratio: offset; else 0 */
	bool ratio;
};

extern const struct rp_counter rp_counter_table[];
extern const size_t rp_counter_count;

/* out = a - b, each counter; but mshr_occupancy_max, which is no sum, as in a: whoever takes snapshots lets it begin anew. */
void rp_counters_sub(
    struct rp_counters *out, const struct rp_counters *a, const struct rp_counters *b);
/* Adds each counter; of mshr_occupancy_max the greater is taken. */
void rp_counters_add(struct rp_counters *to, const struct rp_counters *b);

/* Name of the first law of these groups (bits of enum rp_counter_group) that does not hold, or NULL. */
const char *rp_counters_broken(const struct rp_counters *c, unsigned groups, bool once);

#endif
