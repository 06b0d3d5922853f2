/* mixture.h - profiles of the generator `mixture`, for others that take them by name. */
#ifndef RP_GEN_MIXTURE_H
#define RP_GEN_MIXTURE_H

#include "gen/counts.h"
#include "gen/peaks.h"

#include "base/opt.h"

/* What says which profile it is. */
struct rp_mixture_params {
	const char *sigma, *cold, *at;
	uint64_t length, index;
	uint32_t peaks, max_rd;
	unsigned recipe;
};

extern const char *const rp_recipe_names[];

/* The rows for it, where `type` has a member `mixture` of that type. */
#define RP_MIXTURE_OPT(type, field) offsetof(type, mixture.field)
#define RP_MIXTURE_ROWS(type)                                                                      \
	{ "peaks", 0, "N", RP_OPT_U32, RP_MIXTURE_OPT(type, peaks), "4", "peaks of the profile",   \
		1, RP_PEAKS_MOST },                                                                \
	    { "max-rd", 0, "D", RP_OPT_U32, RP_MIXTURE_OPT(type, max_rd), "1024",                  \
		    "reuse distances are below D", 1, RP_COUNTS_MOST },                            \
	    { "length", 0, "N", RP_OPT_U64, RP_MIXTURE_OPT(type, length), "10000",                 \
		    "accesses of each stream", 1, RP_ACCESSES_MOST },                              \
	    { "sigma", 0, "LOW..HIGH", RP_OPT_TEXT, RP_MIXTURE_OPT(type, sigma), "0..2",           \
		    "standard deviations are drawn from this range" },                             \
	    { "recipe", 0, "NAME", RP_OPT_CHOICE, RP_MIXTURE_OPT(type, recipe), "plain",           \
		    "plain, or wide: half the traces with sigma up to D/4, half with fewer cold "  \
		    "accesses",                                                                    \
		    0, 0, rp_recipe_names },                                                       \
	    { "cold", 0, "SHARE", RP_OPT_TEXT, RP_MIXTURE_OPT(type, cold), NULL,                   \
		    "share of accesses that are the first of a line; else drawn" },                \
	    { "at", 0, "MU:SIGMA:WEIGHT,...", RP_OPT_TEXT, RP_MIXTURE_OPT(type, at), NULL,         \
		    "just these peaks; their weights and cold sum to 1", 0, 0, NULL, NULL, true }, \
	{                                                                                          \
		"index", 0, "I", RP_OPT_U64, RP_MIXTURE_OPT(type, index), "0",                     \
		    "number of the trace among those of its seed, peaks and max-rd"                \
	}

/* Peaks and counts of a stream. Release with rp_mixture_free. */
struct rp_mixture {
	struct rp_peak *peak;
	size_t n;
	double cold;
	struct rp_counts counts;
};

/* Whether sigma and cold say what they can, and the range of sigma. RP_USAGE. */
bool rp_mixture_check(const struct rp_mixture_params *p, double sigma[2], struct rp_err *err);

/* The profile of stream `stream` that the parameters and the seed name. RP_USAGE: values that do not fit. */
bool rp_mixture_make(struct rp_mixture *m, const struct rp_mixture_params *p, uint64_t seed,
    uint64_t stream, struct rp_err *err);
void rp_mixture_free(struct rp_mixture *m);

/* Its peaks, {"peaks": [{"mu", "sigma", "weight"}, ...], "cold_weight"}. Gives; NULL: RP_RESOURCE. */
json_t *rp_mixture_json(const struct rp_mixture *m, struct rp_err *err);

/* What the parameters and the seed name a trace by. */
struct rp_trace_key rp_mixture_key(const struct rp_mixture_params *p, uint64_t seed);

/* Parses `key=value,...` of the rows above, and seed=, into zeroed parameters whose texts are borrowed from `text`, which is
 * changed. RP_USAGE. */
bool rp_mixture_parse(char *text, struct rp_mixture_params *p, uint64_t *seed, struct rp_err *err);

#endif
