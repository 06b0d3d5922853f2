/* sim.h - what `reprise sim` is while it runs: sim.c fills it in, sim_print.c prints it. */
#ifndef RP_SRC_SIM_H
#define RP_SRC_SIM_H

#include "input.h"
#include "law.h"
#include "seen.h"

#include "base/emit.h"
#include "base/err.h"
#include "base/opt.h"
#include "sim/plugin.h"
#include "sim/replay.h"
#include "sim/tree.h"

#include <stdbool.h>
#include <stdint.h>

struct sim_opts {
	struct rp_input_opts in;
	struct rp_texts caches, plugin_files;
	const char *sim_refs, *output, *config;
	uint32_t line, top;
	unsigned crossing, by; /* by: enum rp_top_by */
	bool json, csv, by_stream, totals, flush, keep_bypassed, law;
	uint64_t warmup, interval;
};

/* What a sim is while it runs. */
struct sim_run {
	const struct sim_opts *o;
	struct rp_source *source;
	struct rp_plugins plugins;
	/* The caches: those of --cache, or a level's each. */
	const struct rp_cache_spec **specs;
	size_t n_caches;
	struct rp_cache_spec *given; /* those of --cache */
	struct rp_replay *replay;    /* of them; NULL with --config */
	struct rp_tree_spec levels;
	struct rp_tree *tree; /* of --config; else NULL */
	struct rp_seen seen;
	struct law *law; /* of the scan; NULL: not asked for */
	uint64_t warmup;
	bool by_stream;
	double elapsed;
};

/* Values of --crossing, by its number; NULL ends them. */
extern const char *const sim_crossing_name[];

/* What a hierarchy has beside the results of caches: where a level stands, and its caches one by one, go to the level's
 * results; the file and the memory below all levels to the document. */
bool sim_tree_add(const struct sim_run *run, size_t level, json_t *results, struct rp_err *err);
void sim_tree_memory(const struct sim_run *run, json_t *doc);
/* Appends rows for CSV of a level's caches, if it has any; name and spec as in other rows. */
void sim_tree_flatten(json_t *to, json_t *results);
void sim_tree_flatten_memory(json_t *to, json_t *doc); /* memory, as a row */
/* For people: the line below a level's specification; what comes behind the tables, with each cache if `each`. */
bool sim_tree_print_level(struct rp_out *to, json_t *results, struct rp_err *err);
bool sim_tree_print(struct rp_out *to, json_t *doc, bool each, struct rp_err *err);

/* Adds "counters" to a row of the results, and "gpgpusim" where they apply to cache i. Takes the row, also if it is NULL;
 * gives it. */
json_t *sim_with_counters(
    json_t *row, const struct rp_counters *c, const struct sim_run *run, size_t i);

/* Adds to a cache's results, and to each of its intervals, the table of what missed most, if that was asked for. */
bool sim_top_add(const struct sim_run *run, size_t cache, json_t *results, struct rp_err *err);
/* Appends the rows of a cache's tables for CSV: place in `top`, name and spec as in other rows. */
void sim_top_flatten(json_t *to, json_t *results);
/* The tables of all caches as one, for people. */
bool sim_top_print(
    struct rp_out *to, const struct sim_run *run, json_t *caches, struct rp_err *err);

/* Prints the results where and how the options say. */
bool sim_print(const struct sim_run *run, struct rp_err *err);

#endif
