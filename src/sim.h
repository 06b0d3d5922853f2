/* sim.h - what `reprise sim` is while it runs: sim.c fills it in, sim_print.c prints it. */
#ifndef RP_SRC_SIM_H
#define RP_SRC_SIM_H

#include "input.h"
#include "seen.h"

#include "base/emit.h"
#include "base/err.h"
#include "base/opt.h"
#include "sim/plugin.h"
#include "sim/replay.h"

#include <stdbool.h>
#include <stdint.h>

struct sim_opts {
	struct rp_input_opts in;
	struct rp_texts caches, plugin_files;
	const char *sim_refs, *output;
	uint32_t line, top;
	unsigned crossing, by; /* by: enum rp_top_by */
	bool json, csv, by_stream, totals, flush, keep_bypassed;
	uint64_t warmup, interval;
};

/* What a sim is while it runs. */
struct sim_run {
	const struct sim_opts *o;
	struct rp_source *source;
	struct rp_plugins plugins;
	struct rp_cache_spec *specs;
	struct rp_replay *replay;
	struct rp_seen seen;
	uint64_t warmup;
	bool by_stream;
	double elapsed;
};

/* Values of --crossing, by its number; NULL ends them. */
extern const char *const sim_crossing_name[];

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
