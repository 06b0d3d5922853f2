/* counters.h - the one list that makes the struct, the output, the manual and the checks. */
#ifndef RP_SIM_COUNTERS_H
#define RP_SIM_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* COUNTER(name, unit, meaning), RATIO(name, numerator, denominator, meaning), LAW(name, condition on c and `once`). Counters
 * are whole numbers and only grow, so that an interval is the difference of two snapshots; ratios are computed on output; a
 * law holds after every batch. `once`: an access that crosses lines counted as one lookup, though it may fill several. */
#define RP_COUNTERS(COUNTER, RATIO, LAW)                                                           \
	COUNTER(accesses, "accesses", "records of the trace")                                      \
	COUNTER(lookups, "lookups", "line requests: a record that crosses a line makes several")   \
	COUNTER(hits, "lookups", "lookups served by data present")                                 \
	COUNTER(misses, "lookups", "lookups not served by data present")                           \
	COUNTER(reads, "lookups", "lookups that are not writes; an atomic is one")                 \
	COUNTER(read_misses, "lookups", "misses among the reads")                                  \
	COUNTER(writes, "lookups", "lookups that are writes")                                      \
	COUNTER(write_misses, "lookups", "misses among the writes")                                \
	COUNTER(ifetches, "lookups", "instruction fetches, among the reads")                       \
	COUNTER(ifetch_misses, "lookups", "misses among the instruction fetches")                  \
	COUNTER(atomics, "lookups", "atomics, among the reads")                                    \
	COUNTER(prefetches, "lookups", "prefetches, among the reads")                              \
	COUNTER(missed_accesses, "accesses", "records with at least one missed lookup")            \
	COUNTER(fills, "lines", "lines brought in")                                                \
	COUNTER(evictions, "lines", "valid lines replaced")                                        \
	COUNTER(writebacks, "lines", "dirty lines written back, at replacement or a flush")        \
	COUNTER(bytes_filled, "bytes", "brought in from below")                                    \
	COUNTER(bytes_written, "bytes", "sent down: write-backs and writes that pass through")     \
	RATIO(miss_ratio, misses, lookups, "misses for each lookup")                               \
	LAW(hit_or_miss, c->hits + c->misses == c->lookups)                                        \
	LAW(read_or_write, c->reads + c->writes == c->lookups)                                     \
	LAW(misses_by_kind, c->read_misses + c->write_misses == c->misses)                         \
	LAW(fetches_are_reads, c->ifetches + c->atomics + c->prefetches <= c->reads)               \
	LAW(fills_are_misses, once || c->fills <= c->misses)                                       \
	LAW(fills_leave, c->evictions <= c->fills)                                                 \
	LAW(missed_once, c->missed_accesses <= c->misses)

#define RP_COUNTER_FIELD(name, unit, what) uint64_t name;
#define RP_COUNTER_NOTHING(...)
struct rp_counters {
	RP_COUNTERS(RP_COUNTER_FIELD, RP_COUNTER_NOTHING, RP_COUNTER_NOTHING)
};

/* One row of the table, for output. A ratio has numerator and denominator. */
struct rp_counter {
	const char *name, *unit, *what;
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
