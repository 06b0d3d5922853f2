/* model_profile.h - a histogram of reuse distances, as `reprise profile --json` prints it. */
#ifndef RP_MODEL_PROFILE_H
#define RP_MODEL_PROFILE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model_profile {
	struct model_bin {
		uint64_t low, high; /* distances, both included */
		double count;
	} * bin; /* rising, apart from each other */
	size_t bins;
	double cold, lookups; /* lookups: all of them, the cold ones too */
	uint64_t footprint;   /* lines; 0: not told */
};

/* Reads a file, or standard input for "-". Gives (model_profile_free). RP_INPUT: no such file, no JSON, no such profile, with
 * what is wrong. */
bool model_profile_read(struct model_profile *p, const char *path, struct rp_err *err);
void model_profile_free(struct model_profile *p);

/* Misses of a fully associative LRU cache of that many lines: cold ones and distances from there on; of a bin across the
 * boundary, the share of its distances. */
double model_profile_lru(const struct model_profile *p, uint64_t lines);

/* Misses that SDCM expects of a set-associative one. */
double model_profile_sdcm(const struct model_profile *p, uint64_t ways, uint64_t lines);

#endif
