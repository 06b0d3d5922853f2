/* profile.h - reuse profile of a stream of lookups: its distances counted, whole and in parts, exactly or of a sample.
 *
 * Of a sample of a share R of the lines (sample.h) a distance d stands for d / R, and each lookup for 1 / R of them. That
 * adds up to other than all lookups, mostly because of the few most popular lines; what is missing, or too much, is added to
 * the first distance (SHARDS-adj of the FAST 2015 article), so that N, lookups in all, is exact. Where the
 * sample's lines are limited, R falls as new ones come, and what was counted keeps the R that it was counted with. */
#ifndef RP_SIM_OBSERVE_PROFILE_H
#define RP_SIM_OBSERVE_PROFILE_H

#include "sim/level.h"
#include "sim/observe/bins.h"
#include "sim/observe/times.h"

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeroes are the defaults: every line, whole, exactly. */
struct rp_profile_opts {
	bool kinds;     /* reads and writes apart too */
	bool intervals; /* what came since rp_profile_cut too */
	bool times;     /* reuse times too (times.h); not with `lines` */
	uint64_t
	    bound; /* distances from so many lines on are not told from first lookups; 0: all are. Not of samples */
	double rate;         /* share of the lines in the sample; 0: 1 */
	uint64_t lines;      /* and at most so many; 0: any number */
	bool error;          /* of a sample: estimate its error, for which it is done twice */
	uint64_t seed;       /* which sample */
	enum rp_level level; /* for tests: which of the loops, that all give the same */
};

/* What a number is of: all counted lookups, those of a kind, those since the last cut. */
enum rp_part { RP_PART_ALL, RP_PART_READS, RP_PART_WRITES, RP_PART_INTERVAL, RP_PARTS };

struct rp_profile;

/* Nothing seen yet. Gives (rp_profile_free). */
struct rp_profile *rp_profile_new(const struct rp_profile_opts *o, struct rp_err *err);
void rp_profile_free(struct rp_profile *p); /* accepts NULL */

/* n lookups of lines, in order; store[i] is 1 for a write, else 0; NULL: all are reads. RP_RESOURCE: no memory; nothing can
 * be asked then. */
bool rp_profile_run(
    struct rp_profile *p, const uint64_t *line, const uint8_t *store, size_t n, struct rp_err *err);

/* Counting begins here: what came before is warm-up, known to distances and counted nowhere. */
bool rp_profile_start(struct rp_profile *p, struct rp_err *err);

/* Forgets all lines: the next lookup of any is its first. Counts stay. */
bool rp_profile_forget(struct rp_profile *p, struct rp_err *err);

/* Before numbers are asked for, and after more lookups again: brings all counts up to date. */
bool rp_profile_settle(struct rp_profile *p, struct rp_err *err);

/* A new interval begins: RP_PART_INTERVAL is empty. Settle first, and ask for what is over. */
void rp_profile_cut(struct rp_profile *p);

/* Numbers of a part. Of a sample all but the lookups are estimates, and need not be whole. */
uint64_t rp_profile_lookups(const struct rp_profile *p, enum rp_part part);
/* First lookups of a line; with a bound also those of lines that are farther. */
double rp_profile_cold(const struct rp_profile *p, enum rp_part part);
/* Distinct lines: of all, or of the interval (also if they were known before). With a bound it is not known: -1. */
double rp_profile_footprint(const struct rp_profile *p, enum rp_part part);

/* Lookups whose distance lies in low..high, other lines. */
struct rp_row {
	uint64_t low, high;
	double count;
};

/* A walk over the distances of a part that occur, ascending; private. */
struct rp_walk {
	const struct rp_profile *p;
	enum rp_part part;
	uint64_t next;
	double owed;      /* still to be added, or to be taken away */
	struct rp_row at; /* with bins: read ahead */
	bool ahead;
};

void rp_walk_begin(struct rp_walk *w, const struct rp_profile *p, enum rp_part part);
/* The next row, or false. Distances are told one by one (but 256 in a doubling where a sample's lines were limited), or
 * together with others of their bin. */
bool rp_walk_next(struct rp_walk *w, struct rp_row *row);
bool rp_walk_next_bin(struct rp_walk *w, const struct rp_bins *bins, struct rp_row *row);

/* Miss ratios of fully associative LRU caches of lines[0..n) lines, ascending: ratio[i] is the share of the part's lookups
 * with a distance of lines[i] or more, cold ones too (Mattson et al., IBM Systems Journal 9(2), 1970). 0 without lookups. */
void rp_profile_misses(
    const struct rp_profile *p, enum rp_part part, const uint64_t *lines, size_t n, double *ratio);

/* The times, or NULL if they were not asked for. Borrowed. */
struct rp_times *rp_profile_times(struct rp_profile *p);

/* Of a sample: the share of the lines in it now, its lines, and its lookups of all that are counted. */
double rp_profile_rate(const struct rp_profile *p);
uint64_t rp_profile_lines(const struct rp_profile *p);
uint64_t rp_profile_sampled(const struct rp_profile *p);

/* Standard error of the miss ratio, estimated from how much the curves of RP_ERROR_PARTS smaller samples differ that the
 * sample is made of: their standard deviation / sqrt(parts). Its mean over a hundred sizes in equal steps up to the
 * footprint, and the largest, for which four sizes in each doubling below the first step are looked at too: a sample knows
 * little of caches of less than 1 / rate lines. */
struct rp_profile_error {
	double mean, most;
	uint64_t at; /* lines, where it is largest */
};
enum { RP_ERROR_PARTS = 8 };
/* All 0 where every line is in the sample. false: it was not asked for, or nothing was sampled. */
bool rp_profile_error(const struct rp_profile *p, struct rp_profile_error *e);

/* Bytes it holds. */
uint64_t rp_profile_bytes(const struct rp_profile *p);

#endif
