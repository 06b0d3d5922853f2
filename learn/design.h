/* design.h - what a data set is made of: pairs of peaks and largest distance, traces of each, caches for each trace.
 *
 * A design is a YAML file, or JSON, which is YAML too. Everything drawn depends on the seed, the pair, the number of the trace
 * and what it is for, so any trace can be made alone (sections 2, 3, 7 and 10 of the specification of MLCRP's data sets). */
#ifndef RP_LEARN_DESIGN_H
#define RP_LEARN_DESIGN_H

#include "learn/lists.h"
#include "learn/rows.h"

#include "base/mem.h"
#include "base/opt.h"
#include "gen/layout.h"
#include "gen/peaks.h"

#include <jansson.h>

/* Caches that are drawn from, or all of them. */
struct rp_pool_text {
	const char *sets, *ways, *lines, *latency, *entries, *max_merge, *policy, *index, *stall;
	uint32_t count;
};

#define RP_POOL_OPT(type, member, field) offsetof(type, member.field)
/* The rows, where `type` has a struct rp_pool_text `member`; `hyphen`: "-" or "_", between the words of a name. Without a
 * default: what is NULL is RP_POOL_DEFAULTS'. */
#define RP_POOL_ROWS(type, member, hyphen)                                                         \
	{ "sets", 0, "LIST", RP_OPT_TEXT, RP_POOL_OPT(type, member, sets), NULL,                   \
		"sets of a cache, powers of two (4..1024)" },                                      \
	    { "ways", 0, "LIST", RP_OPT_TEXT, RP_POOL_OPT(type, member, ways), NULL,               \
		    "ways of a cache (1,2,4,8,16)" },                                              \
	    { "lines", 0, "LOW..HIGH", RP_OPT_TEXT, RP_POOL_OPT(type, member, lines), NULL,        \
		    "only caches of so many lines (16..8192)" },                                   \
	    { "latency", 0, "LIST", RP_OPT_TEXT, RP_POOL_OPT(type, member, latency), NULL,         \
		    "accesses that a fill takes (8..512)" },                                       \
	    { "entries", 0, "LIST", RP_OPT_TEXT, RP_POOL_OPT(type, member, entries), NULL,         \
		    "MSHR entries; 0: unlimited (16,32,64,128,1024)" },                            \
	    { "max" hyphen "merge", 0, "LIST", RP_OPT_TEXT, RP_POOL_OPT(type, member, max_merge),  \
		    NULL, "accesses that may join an entry; 0: unlimited (0)", 0, 0, NULL, NULL,   \
		    true },                                                                        \
	    { "policy", 0, "LIST", RP_OPT_TEXT, RP_POOL_OPT(type, member, policy), NULL,           \
		    "policies, rows for each (lru)" },                                             \
	    { "index", 0, "LIST", RP_OPT_TEXT, RP_POOL_OPT(type, member, index), NULL,             \
		    "mod, xor, ipoly, fermi, hash, rows for each (mod)", 0, 0, NULL, NULL, true }, \
	{                                                                                          \
		"stall", 0, "LIST", RP_OPT_TEXT, RP_POOL_OPT(type, member, stall), NULL,           \
		    "with all MSHRs taken: count or wait, rows for each (count)", 0, 0, NULL,      \
		    NULL, true                                                                     \
	}

struct rp_pool {
	struct rp_numbers sets, ways, latency, entries, max_merge, policy, index, stall;
	uint64_t least, most; /* lines */
	uint32_t count;       /* drawn for a trace; 0: all */
};

struct rp_pair {
	uint32_t peaks, max_rd, split; /* enum rp_split */
};

/* What the file says, as text and numbers; its texts are borrowed from the design. */
struct rp_design_text {
	const char *name, *peaks, *max_rd, *pairs, *sigma, *cold, *layouts, *streams, *turns,
	    *share, *infeasible;
	double several, validation, test;
	uint64_t seed, length, split_seed;
	uint32_t traces, line, burst, sample;
	unsigned recipe;
	struct rp_pool_text pool;
};

/* Starts as zeroes; released with rp_design_free. */
struct rp_design {
	struct rp_design_text text;
	struct rp_pair *pair;
	size_t pairs;
	struct rp_pool pool;
	struct rp_layout_spec *layout;
	size_t layouts;
	uint32_t streams_least, streams_most;
	double sigma[2]; /* from, to */
	struct rp_numbers turns, share, infeasible;
	struct rp_arena arena;
};

/* Reads a design, whose seed is `seed` if it says none. What `over` has that is not NULL, and a count that is not
 * RP_POOL_USUAL, comes before what the file says. RP_INPUT: FILE:LINE, what was found and what is wanted. */
enum { RP_POOL_USUAL = UINT32_MAX };
bool rp_design_read(const char *path, uint64_t seed, const struct rp_pool_text *over,
    struct rp_design *d, struct rp_err *err);
/* One without synthetic traces, else as a file that says nothing, under `over`. RP_USAGE. */
bool rp_design_empty(const struct rp_pool_text *over, struct rp_design *d, struct rp_err *err);
void rp_design_free(struct rp_design *d);

/* All that is in it, defaults too, as an object whose members are the file's keys. Gives; NULL without memory. */
json_t *rp_design_json(const struct rp_design *d);

/* The pool that the text says. Release with rp_pool_free. RP_USAGE. */
bool rp_pool_make(struct rp_pool *p, const struct rp_pool_text *text, struct rp_err *err);
void rp_pool_free(struct rp_pool *p);

/* The caches of one trace: `count` different geometries drawn with `rng`, or all that the pool has if it has no more, each
 * with every policy, index and stall. Gives *cache (free). RP_USAGE: there is none. */
bool rp_pool_draw(const struct rp_pool *p, uint32_t line, struct rp_xoshiro *rng,
    struct rp_label_cache **cache, size_t *n, struct rp_err *err);

/* Deals n (train), then validation, then test to pairs, in an order drawn with the seed: the shares of them rounded, and
 * with three pairs or more at least one each where the share is not 0. */
void rp_design_split(struct rp_pair *pair, size_t n, double validation, double test, uint64_t seed);

/* The synthetic trace `item` (below pairs * traces): its rows are appended. RP_USAGE, RP_RESOURCE. */
bool rp_design_make(
    const struct rp_design *d, uint32_t item, struct rp_buf *out, struct rp_err *err);

#endif
