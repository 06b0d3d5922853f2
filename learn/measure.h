/* measure.h - a stream of accesses made into rows of a data set: features and labels of each of its intervals. */
#ifndef RP_LEARN_MEASURE_H
#define RP_LEARN_MEASURE_H

#include "learn/rows.h"

struct rp_measure_opts {
	const struct rp_label_cache *cache; /* borrowed while measuring */
	size_t caches;
	uint64_t interval;         /* accesses of one; 0: the whole stream is one */
	uint64_t every;            /* one interval of so many becomes rows; 0 and 1: all */
	bool reset;                /* each interval begins with empty caches and no line seen */
	uint32_t sample;           /* of features.h */
	uint64_t seed;             /* of what is sampled, and of policies */
	struct rp_trace_row row;   /* what is the same for all rows */
	const uint32_t *requested; /* as in rp_row_put; NULL: none */
};

struct rp_measure;

/* Rows are appended to *out (borrowed). Gives (rp_measure_free). RP_USAGE: rp_labeller_new's. RP_RESOURCE. */
struct rp_measure *rp_measure_new(
    const struct rp_measure_opts *o, struct rp_buf *out, struct rp_err *err);
void rp_measure_free(struct rp_measure *m); /* accepts NULL */

/* The next n accesses, by line number. rp_measure_warm: they change state, and are not counted; before all others. */
bool rp_measure_warm(struct rp_measure *m, const uint64_t *line, size_t n, struct rp_err *err);
bool rp_measure_add(struct rp_measure *m, const uint64_t *line, size_t n, struct rp_err *err);

/* Ends the last interval, which may be shorter. */
bool rp_measure_end(struct rp_measure *m, struct rp_err *err);

uint64_t rp_measure_rows(const struct rp_measure *m); /* that were appended */

#endif
