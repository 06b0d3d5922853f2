/* columns.h - features as columns of numbers, under the names that data sets and models know them by.
 *
 * One table for all that store, load or learn: names, shapes and values cannot disagree. */
#ifndef RP_LEARN_COLUMNS_H
#define RP_LEARN_COLUMNS_H

#include "learn/features.h"

#include <stddef.h>

/* Values of one interval, `shape[0]` rows of `shape[1]`; shape[1] 0: a row of shape[0]. */
struct rp_feature_column {
	const char *name, *what;
	size_t shape[2]; /* shape[0] 0: as many as the interval's `rp` has */
	void (*fill)(const struct rp_features *f, float *to);
};

/* rp, lrp, srp, rtp (shares of the accesses), conf, ratio, disp, mg, pr (for each access), pz: section 9 of the specification;
 * the last has a NULL name. */
extern const struct rp_feature_column rp_feature_columns[];

/* The column called `name`; NULL: none is. */
const struct rp_feature_column *rp_feature_column(const char *name);

/* Numbers of an interval in it, whose extractor had so many bins. */
size_t rp_feature_width(const struct rp_feature_column *c, uint32_t bins);

#endif
