/* synth.h - traces with exactly the reuse profiles that are asked for.
 *
 * Stack synthesis without replacement: each access draws from what is left of its stream's counts, among the distances that
 * the stack of lines can serve now, so the counts that come out are those that went in (section 6 of the specification of
 * MLCRP's data sets). Several streams take turns; those of a group share lines. */
#ifndef RP_GEN_SYNTH_H
#define RP_GEN_SYNTH_H

#include "gen/counts.h"
#include "gen/layout.h"
#include "gen/peaks.h"

#include "base/opt.h"
#include "traces/source.h"

enum rp_infeasible { RP_TO_COLD, RP_STRICT, RP_PREWARM };
enum rp_share {
	RP_SHARE_NONE,  /* each stream has lines of its own */
	RP_SHARE_STACK, /* all draw their distances from one stack */
	RP_SHARE_ALIAS  /* the lines of the others are the first one's, over and over */
};
enum rp_turns { RP_TURNS_RR, RP_TURNS_RANDOM, RP_TURNS_PHASES };

/* What all streams have in common, part of a generator's parameters. */
struct rp_synth_params {
	const char *layout, *offset, *weights, *line_kinds;
	uint64_t prewarm, base;
	double writes;
	uint32_t streams, burst, line, size;
	unsigned infeasible, share, turns;
};

extern const char *const rp_infeasible_names[], *const rp_share_names[], *const rp_turns_names[];

/* The rows for them, where `type` has a member `synth` of that type. */
#define RP_SYNTH_OPT(type, field) offsetof(type, synth.field)
#define RP_SYNTH_ROWS(type)                                                                        \
	{ "layout", 0, "LAYOUT", RP_OPT_TEXT, RP_SYNTH_OPT(type, layout), "random",                \
		"where lines lie: id, random[:BITS[:KEY]], sequential, strided:S, "                \
		"tile2d:WIDTH:PITCH:ROWS, regions:R, runs:M (in lines)" },                         \
	    { "prewarm", 0, "P", RP_OPT_U64, RP_SYNTH_OPT(type, prewarm), "0",                     \
		    "touch P lines in a preamble that is not counted", 0, UINT32_MAX },            \
	    { "infeasible", 0, "WHAT", RP_OPT_CHOICE, RP_SYNTH_OPT(type, infeasible), "to-cold",   \
		    "counts that no trace can have: make the deepest accesses cold, refuse "       \
		    "(strict), or touch what lines are missing in a preamble (prewarm)",           \
		    0, 0, rp_infeasible_names },                                                   \
	    { "streams", 0, "N", RP_OPT_U32, RP_SYNTH_OPT(type, streams), "1",                     \
		    "streams, each with a profile", 1, 4096 },                                     \
	    { "share", 0, "WHAT", RP_OPT_CHOICE, RP_SYNTH_OPT(type, share), "none",                \
		    "what streams share: none, one stack, or the lines of the first (alias)", 0,   \
		    0, rp_share_names },                                                           \
	    { "turns", 0, "ORDER", RP_OPT_CHOICE, RP_SYNTH_OPT(type, turns), "rr",                 \
		    "rr: in turn; random: by weight; phases: one after the other", 0, 0,           \
		    rp_turns_names },                                                              \
	    { "burst", 0, "B", RP_OPT_U32, RP_SYNTH_OPT(type, burst), "1",                         \
		    "accesses a turn, drawn from 1 to B", 1, UINT32_MAX },                         \
	    { "weights", 0, "W1,W2,...", RP_OPT_TEXT, RP_SYNTH_OPT(type, weights), NULL,           \
		    "of the streams with --turns random; else as many as a stream has accesses",   \
		    0, 0, NULL, NULL, true },                                                      \
	    { "line", 0, "BYTES", RP_OPT_SIZE32, RP_SYNTH_OPT(type, line), "64",                   \
		    "of a line, a power of two", 8, 1 << 20 },                                     \
	    { "size", 0, "BYTES", RP_OPT_SIZE32, RP_SYNTH_OPT(type, size), "4", "of an access", 1, \
		    1 << 20, NULL, NULL, true },                                                   \
	    { "offset", 0, "BYTES", RP_OPT_TEXT, RP_SYNTH_OPT(type, offset), "0",                  \
		    "of an access in its line, a multiple of its size, or random", 0, 0, NULL,     \
		    NULL, true },                                                                  \
	    { "base", 0, "ADDRESS", RP_OPT_U64, RP_SYNTH_OPT(type, base), "0",                     \
		    "address of the first line, a multiple of a line", 0, 0, NULL, NULL, true },   \
	    { "writes", 0, "SHARE", RP_OPT_DOUBLE, RP_SYNTH_OPT(type, writes), "0",                \
		    "share of the accesses that write, 0 to 1, drawn at random" },                 \
	{                                                                                          \
		"line-kinds", 0, "R,W,M", RP_OPT_TEXT, RP_SYNTH_OPT(type, line_kinds), NULL,       \
		    "instead: shares of lines that are read, written, and read and written in "    \
		    "turn",                                                                        \
		    0, 0, NULL, NULL, true                                                         \
	}

/* One stream. What is 0 or NULL is as in the common parameters. */
struct rp_synth_stream {
	struct rp_counts counts; /* requested */
	struct rp_trace_key key; /* chances of the stream: with its number in the trace */
	bool bare_seed;          /* the order is drawn from the key's seed itself */
	struct rp_layout_spec layout;
	bool has_layout;
	uint64_t prewarm;
	double weight;
	uint32_t id;
	enum rp_share share;
	json_t *about;     /* more to tell of it in the report: an object; NULL: nothing */
	const char *group; /* of those that share, by name; borrowed until rp_synth_open returns */
};

/* A source of n (at least 1) streams (taken, also on failure: counts and `about`, not the array).
 * `name` is the generator's. It ends when all counts are used up. Its trace's report, the "synthesis" of `gen --json`:
 * {"accesses", "moved", "l1", "streams": [{"stream", "accesses", "lines", "prewarm", "feasible", "moved", "max_rd", "l1",
 * "requested", "realised"}]}, where realised are the distances as they were drawn so far, l1 what of the feasible request is
 * not realised, and requested, realised and what `about` has stand only in the whole report. Gives (rp_source_close). RP_USAGE. */
struct rp_source *rp_synth_open(const char *name, struct rp_synth_stream *stream, size_t n,
    const struct rp_synth_params *p, const struct rp_trace_key *key, struct rp_err *err);

/* Accesses of such a source that were made cold, since no trace can have its profile: of all streams. */
uint64_t rp_synth_moved(const struct rp_source *s);

#endif
