/* output.h - the options that say how a trace is written, and the writing. */
#ifndef RP_OUTPUT_H
#define RP_OUTPUT_H

#include "input.h"

#include "traces/format.h"

struct rp_output_opts {
	const char *output, *to;
	uint32_t level, block;
	bool small;
};

/* The rows, for a table whose struct has a `struct rp_output_opts out`. */
#define RP_OUTPUT_OPT(T, field) offsetof(T, out.field)
#define RP_OUTPUT_ROWS(T)                                                                          \
	{ "output", 'o', "FILE", RP_OPT_TEXT, RP_OUTPUT_OPT(T, output), NULL,                      \
		"where to write; - is standard output" },                                          \
	    { "to", 0, "FORMAT", RP_OPT_TEXT, RP_OUTPUT_OPT(T, to), NULL,                          \
		    "format to write; else by FILE's ending (.rpz .csv .din .xdin .lackey "        \
		    ".oracleGeneral)" },                                                           \
	    { "level", 0, "N", RP_OPT_U32, RP_OUTPUT_OPT(T, level), NULL,                          \
		    "zstd level of a .rpz; else 9", 1, 22 },                                       \
	    { "block", 0, "N", RP_OPT_U32, RP_OUTPUT_OPT(T, block), NULL,                          \
		    "accesses in a block of a .rpz; else 262144", 1, 1 << 18 },                    \
	{                                                                                          \
		"small", 0, NULL, RP_OPT_FLAG, RP_OUTPUT_OPT(T, small), NULL,                      \
		    "the smallest .rpz: zstd level 19; slow to write"                              \
	}

/* Whether what is written keeps the warps of a GPU trace, so that streams may be made of them later on; else a stream is what
 * is asked for. */
bool rp_output_keeps_warps(const struct rp_output_opts *o);

/* Writes all of s as the options say, and prints what was done; when the trace itself goes to standard
 * output, only warnings, on standard error. `command` is for the JSON. The source stays the caller's. Nothing appears under the file's name
 * unless all is well. */
bool rp_output_copy(struct rp_source *s, const struct rp_input_opts *in,
    const struct rp_output_opts *o, bool json, const char *command, struct rp_err *err);

#endif
