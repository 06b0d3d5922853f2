/* counters.h - the one list that makes the struct, the output, the manual and the checks. */
#ifndef RP_SIM_COUNTERS_H
#define RP_SIM_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* COUNTER(group, name, unit, meaning), RATIO(group, name, numerator, denominator, meaning), LAW(name, condition on c and
 * `once`). A row is printed for the caches that its group applies to. Counters
 * are whole numbers and only grow, so that an interval is the difference of two snapshots; ratios are computed on output; a
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
	COUNTER(ALWAYS, fills, "lines", "lines brought in")                                        \
	COUNTER(ALWAYS, evictions, "lines", "valid lines replaced")                                \
	COUNTER(                                                                                   \
	    ALWAYS, writebacks, "lines", "dirty lines written back, at replacement or a flush")    \
	COUNTER(ALWAYS, bytes_filled, "bytes", "brought in from below")                            \
	COUNTER(                                                                                   \
	    ALWAYS, bytes_written, "bytes", "sent down: write-backs and writes that pass through") \
	RATIO(ALWAYS, miss_ratio, misses, lookups, "misses for each lookup")                       \
	LAW(hit_or_miss, c->hits + c->misses == c->lookups)                                        \
	LAW(read_or_write, c->reads + c->writes == c->lookups)                                     \
	LAW(misses_by_kind, c->read_misses + c->write_misses == c->misses)                         \
	LAW(fetches_are_reads, c->ifetches + c->atomics + c->prefetches <= c->reads)               \
	LAW(fills_are_misses, once || c->fills <= c->misses)                                       \
	LAW(fills_leave, c->evictions <= c->fills)                                                 \
	LAW(missed_once, c->missed_accesses <= c->misses)

/* Which caches a row applies to: one bit each. */
enum rp_counter_group {
	RP_COUNT_ALWAYS = 1, /* all */
	RP_COUNT_MSHR = 2,   /* those with MSHRs */
	RP_COUNT_CLASS = 4   /* those whose misses are classified */
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

/* out = a - b, each counter. */
void rp_counters_sub(
    struct rp_counters *out, const struct rp_counters *a, const struct rp_counters *b);
void rp_counters_add(struct rp_counters *to, const struct rp_counters *b);

/* Name of the first law that does not hold, or NULL. */
const char *rp_counters_broken(const struct rp_counters *c, bool once);

#endif
