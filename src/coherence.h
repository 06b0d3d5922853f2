/* coherence.h - what `reprise coherence` is while it runs: coherence.c fills it in, coherence_json.c makes the document that
 * all output is printed from, coherence_text.c prints it for people, coherence_scenario.c reads scenario files. */
#ifndef RP_SRC_COHERENCE_H
#define RP_SRC_COHERENCE_H

#include "input.h"
#include "seen.h"

#include "base/emit.h"
#include "sim/coherence/coherence.h"
#include "sim/plugin.h"

struct coherence_opts {
	struct rp_input_opts in;
	struct rp_texts plugin_files;
	const char *cache, *directory, *timed, *protocol, *scenario, *output;
	uint32_t caches, line, word_bytes, top;
	unsigned clean_eviction, gaps;
	bool json, csv, check, lines, no_lines, no_final, verify;
	uint64_t warmup, interval;
};

/* A scenario file: its configuration is in the run's, its trace here. Starts as zeroes. */
struct coherence_scenario {
	json_t *root;          /* the file; NULL: there is none */
	const json_t *expect;  /* of it, or NULL */
	struct rp_batch *rows; /* streams are caches */
	uint64_t *gap;         /* idle cycles before row i may be issued, for timed mode */
};

struct coherence_run {
	const struct coherence_opts *o;
	struct rp_coherence_config config;
	uint32_t top;
	struct rp_plugins plugins;
	struct coherence_scenario scenario;
	struct rp_source *source; /* NULL with a scenario */
	struct rp_seen seen;
	struct rp_coherence *k;
	struct rp_coherence_times *times; /* NULL in functional mode; else: */
	struct rp_coherence_times timed;
	uint64_t warmup, replayed;           /* replayed: accesses, warm-up included */
	struct rp_coherence_counters before; /* totals when the interval at hand began */
	json_t *intervals;                   /* with --interval */
	double elapsed;
};

/* An option that is written as `key=value,...`, and members of scenario files. */
extern const struct rp_opt coherence_timing_keys[];

/* Sets config from the value of --timed and --cache. */
bool coherence_parse_timing(
    const char *text, struct rp_coherence_config *config, struct rp_err *err);
bool coherence_parse_cache(const char *text, uint32_t line, uint64_t seed,
    const struct rp_plugins *plugins, struct rp_coherence_config *config, struct rp_err *err);

/* The same from members of JSON objects. */
bool coherence_given_directory(
    const json_t *from, struct rp_coherence_config *config, struct rp_err *err);
bool coherence_given_timing(
    const json_t *from, struct rp_coherence_config *config, struct rp_err *err);

/* Sets rows of a table from the members of an object, but for the objects of the names `objects`, which somebody else reads.
 * `needed` are names that have to be there. Both are a blank apart, or NULL: none. What else is wrong fails as an option
 * would. */
bool coherence_members(const struct rp_opt *rows, void *into, const json_t *from,
    const char *needed, const char *objects, struct rp_err *err);

/* Reads a scenario file: RP_INPUT names the member, what was found and what is wanted. Released with
 * coherence_scenario_free. */
bool coherence_scenario_read(const char *path, struct coherence_scenario *s,
    struct rp_coherence_config *config, uint32_t *top, struct rp_err *err);
void coherence_scenario_free(struct coherence_scenario *s);

/* Prints each difference between `expect` and the document, with its path; RP_FAILED if there is one. */
bool coherence_check(
    const json_t *expect, json_t *doc, const char *path, struct rp_out *to, struct rp_err *err);

/* Adds the totals of an interval, which ends, and begins the next. */
bool coherence_add_interval(struct coherence_run *run, struct rp_err *err);

/* Replays in timed mode, up to run->times. */
bool coherence_replay_timed(struct coherence_run *run, int n, char **traces, struct rp_err *err);

/* Counters as an object, in the order of their table. Gives. */
json_t *coherence_counters_json(enum rp_coherence_group group, const void *counters);

/* Adds "totals", "per_cache", "streams", "home" and "report", with up to `top` lines, to an object. */
bool coherence_add(json_t *doc, struct rp_coherence *k, size_t top, struct rp_err *err);

/* The verdict of such an object, and what it rests on, for people. */
bool coherence_print_verdict(struct rp_out *to, json_t *doc, struct rp_err *err);

/* All results. Gives; NULL with *err filled. */
json_t *coherence_document(struct coherence_run *run, struct rp_err *err);

bool coherence_print_text(
    struct rp_out *to, const struct coherence_run *run, json_t *doc, struct rp_err *err);
bool coherence_print_csv(struct rp_out *to, json_t *doc, struct rp_err *err);

#endif
