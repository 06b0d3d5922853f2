/* input.h - the options that say which accesses a command sees, and the source they make. */
#ifndef RP_INPUT_H
#define RP_INPUT_H

#include "seen.h"

#include "base/opt.h"
#include "base/emit.h"
#include "base/progress.h"
#include "seen.h"
#include "traces/format.h"
#include "traces/gpu.h"

struct rp_input_opts {
	const char *from, *interleave, *streams, *kinds, *space, *skip, *limit, *stream_by, *gpu,
	    *csv;
	uint32_t size, object, arch, threads;
	bool salvage, no_bypassed; /* set by convert and sim: no rows here */
	bool cloudsuite, keep_empty, descending, narrow_signed, progress, no_progress;
	uint64_t seed, local_threads;
};

/* The rows, for a table whose struct has a `struct rp_input_opts in`. */
#define RP_INPUT_OPT(T, field) offsetof(T, in.field)
#define RP_INPUT_ROWS(T)       RP_INPUT_ROWS_BUT(T, "size")
/* The same, for a command whose --size is something else: what that option is called then. */
#define RP_INPUT_ROWS_BUT(T, size_name)                                                            \
	{ "from", 0, "FORMAT", RP_OPT_TEXT, RP_INPUT_OPT(T, from), NULL,                           \
		"format of the traces; else found by content (reprise help formats)" },            \
	    { "skip", 0, "N", RP_OPT_TEXT, RP_INPUT_OPT(T, skip), NULL,                            \
		    "leave out the first N accesses", 0, 0, NULL, rp_check_u64 },                  \
	    { "limit", 0, "N", RP_OPT_TEXT, RP_INPUT_OPT(T, limit), NULL,                          \
		    "end after N accesses, warm-up included", 0, 0, NULL, rp_check_u64 },          \
	    { "kinds", 0, "LIST", RP_OPT_TEXT, RP_INPUT_OPT(T, kinds), NULL,                       \
		    "only these of read,write,atomic,prefetch,fetch", 0, 0, NULL,                  \
		    rp_check_kinds },                                                              \
	    { "streams", 0, "LIST", RP_OPT_TEXT, RP_INPUT_OPT(T, streams), NULL,                   \
		    "only these streams" },                                                        \
	    { "interleave", 0, "ORDER", RP_OPT_TEXT, RP_INPUT_OPT(T, interleave), "recorded",      \
		    "order of the streams: recorded, time, rr[:QUANTUM], random, "                 \
		    "rate:R1,R2,..." },                                                            \
	    { "seed", 0, "S", RP_OPT_U64, RP_INPUT_OPT(T, seed), "1", "of everything random" },    \
	    { "space", 0, "LIST", RP_OPT_TEXT, RP_INPUT_OPT(T, space), NULL,                       \
		    "GPU: only these of global,local", 0, 0, NULL, rp_check_spaces },              \
	    { "stream-by", 0, "UNIT", RP_OPT_TEXT, RP_INPUT_OPT(T, stream_by), NULL,               \
		    "GPU: a stream is a block (default), a warp or an sm", 0, 0, NULL,             \
		    rp_check_stream_by },                                                          \
	    { "gpu", 0, "sms=N,resident=R", RP_OPT_TEXT, RP_INPUT_OPT(T, gpu), NULL,               \
		    "GPU: deal blocks to N SMs, at most R at once on each" },                      \
	    { "arch", 0, "SM", RP_OPT_U32, RP_INPUT_OPT(T, arch), "80",                            \
		    "GPU: coalesce as this SM number does (20..38: Fermi, Kepler)", 20, 999, NULL, \
		    NULL, true },                                                                  \
	    { "descending", 0, NULL, RP_OPT_FLAG, RP_INPUT_OPT(T, descending), NULL,               \
		    "GPU: transactions of an instruction from the highest address down", 0, 0,     \
		    NULL, NULL, true },                                                            \
	    { "narrow-signed", 0, NULL, RP_OPT_FLAG, RP_INPUT_OPT(T, narrow_signed), NULL,         \
		    "GPU: S8 and S16 in an opcode are 1 and 2 bytes, not 4", 0, 0, NULL, NULL,     \
		    true },                                                                        \
	    { "local-threads", 0, "T", RP_OPT_U64, RP_INPUT_OPT(T, local_threads), "163840",       \
		    "GPU: threads that local memory is interleaved over", 32, UINT64_C(1) << 24,   \
		    NULL, NULL, true },                                                            \
	    { size_name, 0, "BYTES", RP_OPT_SIZE32, RP_INPUT_OPT(T, size), NULL,                   \
		    "of accesses whose format tells none; else the format's own", 0, 0, NULL,      \
		    NULL, true },                                                                  \
	    { "cloudsuite", 0, NULL, RP_OPT_FLAG, RP_INPUT_OPT(T, cloudsuite), NULL,               \
		    "ChampSim: records of 96 bytes", 0, 0, NULL, NULL, true },                     \
	    { "columns", 0, "SPEC", RP_OPT_TEXT, RP_INPUT_OPT(T, csv), NULL,                       \
		    "libCacheSim csv: which column is what: time=1,id=2,size=3,op=4", 0, 0, NULL,  \
		    NULL, true },                                                                  \
	    { "object", 0, "BYTES", RP_OPT_SIZE32, RP_INPUT_OPT(T, object), NULL,                  \
		    "libCacheSim, vscsi: objects are blocks of so many bytes; else each is one "   \
		    "line",                                                                        \
		    0, 0, NULL, NULL, true },                                                      \
	    { "keep-empty", 0, NULL, RP_OPT_FLAG, RP_INPUT_OPT(T, keep_empty), NULL,               \
		    "oracleGeneral: keep requests of size 0", 0, 0, NULL, NULL, true },            \
	    { "threads", 'j', "N", RP_OPT_U32, RP_INPUT_OPT(T, threads), NULL,                     \
		    "threads to decode with; else one for each processor", 1, 1024 },              \
	    { "progress", 0, NULL, RP_OPT_FLAG, RP_INPUT_OPT(T, progress), NULL,                   \
		    "show progress on standard error also when that is no terminal", 0, 0, NULL,   \
		    NULL, true },                                                                  \
	{                                                                                          \
		"no-progress", 0, NULL, RP_OPT_FLAG, RP_INPUT_OPT(T, no_progress), NULL,           \
		    "show none", 0, 0, NULL, NULL, true                                            \
	}

bool rp_check_u64(const char *value, struct rp_err *err);
bool rp_check_kinds(const char *value, struct rp_err *err);
bool rp_check_spaces(const char *value, struct rp_err *err);
bool rp_check_stream_by(const char *value, struct rp_err *err);

/* Whether `path` is a regular file that holds a .rpz as it is: it can be read by its index. */
bool rp_input_is_rpz(const char *path);

/* The options that say what is read of traces, where they are not as usual: {"skip": "5", ...}. Equal ones read the same. Gives;
 * NULL with *err filled. */
json_t *rp_input_asked(const struct rp_input_opts *o, struct rp_err *err);

/* Number of threads asked for, or of processors. */
unsigned rp_input_threads(const struct rp_input_opts *o);

/* The source that n traces (files, `-`, `gen:...`) and the options make. `whole`: GPU streams stay warps if nothing asks
 * for another unit, so that a `.rpz` keeps everything. `warmup`, if not NULL, gets the trace's preamble that is left
 * after --skip. Gives (rp_source_close). RP_USAGE without a trace, or for an endless generator without a limit. */
struct rp_source *rp_input_open(const struct rp_input_opts *o, int n, char **traces, bool whole,
    uint64_t *warmup, struct rp_err *err);

/* {"sources", "format", "accesses", "streams", "skipped"}: what JSON calls "trace"; "times_fall" where time stamps do. A
 * warning for that is added to the trace, so this comes before rp_input_warnings. Gives. */
json_t *rp_input_json(struct rp_trace *t, const struct rp_seen *seen, struct rp_err *err);

/* The lines that tell of it in the text output: the trace, what was left out, the order. */
bool rp_input_print(struct rp_out *to, json_t *trace, struct rp_err *err);

/* Starts a progress line on standard error, if the options and the terminal want one; and tells it how far a trace is. */
void rp_input_progress(struct rp_progress *p, const struct rp_input_opts *o);
void rp_input_tell(struct rp_progress *p, const struct rp_input_opts *o, const struct rp_trace *t,
    uint64_t accesses);

/* The trace's warnings as a JSON array; more can be appended. Gives. */
json_t *rp_input_warnings(const struct rp_trace *t, struct rp_err *err);

#endif
