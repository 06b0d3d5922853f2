/* rows.h - what a data set has of a trace, or an interval of one: features, and what caches made of it.
 *
 * Rows travel as bytes: from the threads that make them, through the journal, to the tables. A block of them is of one item, the
 * unit that is made at once: a synthetic trace, or a real one with all of its intervals. */
#ifndef RP_LEARN_ROWS_H
#define RP_LEARN_ROWS_H

#include "learn/features.h"
#include "learn/label.h"
#include "learn/prior.h"

#include "base/buf.h"

enum { RP_ROW_BINS = 4096, RP_ROW_RP = RP_ROW_BINS + 2 };
enum rp_row_source { RP_ROW_SYNTHETIC, RP_ROW_REAL };
enum rp_split { RP_TRAIN, RP_VALIDATION, RP_TEST };
enum rp_row_origin { RP_LABEL_OURS, RP_LABEL_ELSEWHERE };
enum { RP_LAYOUT_MIXED = 7 }; /* streams of different layouts; else enum rp_layout_kind */

/* A trace or interval. What only synthetic ones have is 0 in others. */
struct rp_trace_row {
	uint64_t seed, interval, first; /* number of the interval, of its first access */
	uint64_t n, cold;               /* accesses; first ones of a line */
	uint64_t moved;                 /* made cold since no trace can have the profile */
	uint64_t prewarm;               /* lines touched before */
	uint32_t item, index;           /* of the data set; of the traces of its pair */
	uint32_t source, split;         /* enum rp_row_source, enum rp_split */
	uint32_t peaks, max_rd;         /* N and MaxRD of its pair */
	uint32_t recipe, layout, streams, turns, burst, share, infeasible, line;
	uint32_t n_peaks, seen_max_rd; /* C of features.h */
	float sigma_low, sigma_high;
	float conf[RP_SETS][RP_CONFLICT_WAYS], ratio[RP_SETS], disp[RP_SETS];
	float mg[RP_CAPACITIES][RP_LATENCIES], pr[RP_CAPACITIES][RP_LATENCIES],
	    pz[RP_CAPACITIES][RP_LATENCIES];
	uint32_t lrp[RP_LOGBINS], srp[RP_LOGBINS], rtp[RP_LOGBINS];
	uint32_t samples; /* that follow */
};

/* A cache, and what it made of the trace above. */
struct rp_sample_row {
	struct rp_label_cache cache;
	uint32_t origin;       /* enum rp_row_origin */
	struct rp_label count; /* zeroes if not ours */
	struct rp_label_rates rates;
	struct rp_prior prior;
};

/* The features of an interval into *row; its counts of distances are f->rp, with RP_ROW_BINS bins. */
void rp_row_features(struct rp_trace_row *row, const struct rp_features *f);

/* Appends a row with its counts by distance, realised and (NULL: none) requested, RP_ROW_RP of each. Its samples follow. */
bool rp_row_put(struct rp_buf *to, const struct rp_trace_row *row, const uint32_t *rp,
    const uint32_t *requested, struct rp_err *err);
bool rp_sample_put(struct rp_buf *to, const struct rp_sample_row *row, struct rp_err *err);

/* Reads the next row, or sample, from *at on, which moves behind it; false: less than one is left before `end`, or it is
 * damaged. requested becomes zeroes if there is none. Bytes up to 16 behind `end` are read. */
bool rp_row_get(const unsigned char **at, const unsigned char *end, struct rp_trace_row *row,
    uint32_t *rp, uint32_t *requested);
bool rp_sample_get(const unsigned char **at, const unsigned char *end, struct rp_sample_row *row);

#endif
