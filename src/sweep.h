/* sweep.h - `reprise sweep`, between its files: sweep.c the options and the order of work, sweep_feed.c the passes over the
 * trace, sweep_journal.c what survives an interruption, sweep_join.c shares, sweep_print.c the output. */
#ifndef RP_SWEEP_H
#define RP_SWEEP_H

#include "input.h"
#include "law.h"

#include "sim/plugin.h"
#include "sim/sweep/pass.h"
#include "traces/digest.h"
#include "traces/spool.h"

#include <jansson.h>

struct sweep_opts {
	struct rp_input_opts in;
	struct rp_sweep_axes axes; /* its plain texts */
	struct rp_texts with, plugin_files;
	const char *counters, *output, *shard, *target_text;
	unsigned crossing;
	uint64_t warmup, verify;
	double pays, target;
	bool flush, keep_bypassed, resume, join, dry_run, pareto, json, csv, law;
};

/* The trace, pass after pass. */
struct sweep_feed {
	const struct rp_input_opts *in;
	int n;
	char **traces;
	struct rp_source
	    *source;            /* of the pass at hand; of a trace that can be read once: of all */
	struct rp_spool *spool; /* NULL: the trace can be opened again */
	bool spooled;           /* all of it is there */
	uint64_t preamble;      /* accesses that the trace says are not to be counted */
	struct rp_seen seen;    /* of the first pass */
	uint64_t hash;          /* of the trace, once a pass has ended */
	bool hashed;
	size_t passes, pass; /* that are expected, done: for the progress */
};

struct sweep_journal;

/* All that is known of one `reprise sweep`. */
struct sweep_run {
	struct sweep_opts *o;
	struct rp_plugins plugins;
	struct rp_sweep_wants wants;
	struct rp_sweep_plan plan;
	struct rp_sweep_opts how;
	uint64_t share, shares; /* 1 of 1 without --shard */
	struct sweep_feed feed;
	struct sweep_journal *journal; /* NULL: the output is no file */
	size_t printed;                /* points whose CSV rows are on standard output already */
	bool headed;                   /* so is their header */
	json_t *verified;              /* NULL: not asked for */
	struct law *law;               /* of the scan; NULL: not asked for */
	uint64_t differ;               /* points that --verify found different */
};

/* sweep_feed.c */

/* Opens the trace, and learns its preamble. */
bool sweep_feed_open(struct sweep_feed *f, struct rp_err *err);
/* So many passes are to be expected: what can be read only once is then kept in a temporary file, which is told. */
bool sweep_feed_expect(struct sweep_feed *f, size_t passes, struct rp_err *err);
void sweep_feed_close(struct sweep_feed *f);

/* One pass: all rows to `pass`, whose options say `trace`; its points are then done. NULL: only reads. RP_INPUT: the trace
 * is another one than in the pass before. RP_STOPPED: interrupted, and the points are not done. */
bool sweep_feed_pass(struct sweep_feed *f, struct rp_sweep_pass *pass, struct rp_err *err);

/* Makes the source of the next pass ready, so that its trace can be told to it: NULL with *err filled. */
const struct rp_trace *sweep_feed_next(struct sweep_feed *f, struct rp_err *err);

/* What --dry-run tells: passes, and the time they may take, from a piece of the trace. Gives. */
json_t *sweep_estimate(struct sweep_run *run, struct rp_err *err);

/* sweep_journal.c: points that are done, beside the output, so that an interruption or a crash loses what is in hand and
 * no more. The file is the output's name and ".journal"; it goes when the output has appeared. */

/* Opens the journal of the output for this run, and marks the points that it has as done. RP_USAGE: there is one, and
 * --resume is not given; RP_INPUT: it is one of another sweep, or of another program's use of it. */
struct sweep_journal *sweep_journal_open(struct sweep_run *run, struct rp_err *err);
/* Adds the points that are done and not in it yet, and sees to it that they are on the disk. */
bool sweep_journal_keep(struct sweep_journal *j, struct sweep_run *run, struct rp_err *err);
/* `done`: removes it. Accepts NULL. */
void sweep_journal_close(struct sweep_journal *j, bool done);

/* sweep_join.c: the points of some shares as one document, as sweep_document makes it. Gives. RP_INPUT: a file is no share,
 * or they are not those of one sweep of one trace, each once. */
json_t *sweep_join(int n, char **files, struct rp_err *err);

/* sweep_rows.c */

/* A point that is done, as an object: "policy", "line" ... "latency", "spec", "counters". Gives. */
json_t *sweep_row(const struct sweep_run *run, size_t point, struct rp_err *err);
/* How "share" is told: {"index", "of", "points", "grid", "trace"}. Gives. */
json_t *sweep_share(const struct sweep_run *run);
/* A hash as text. Gives. */
json_t *sweep_hash(uint64_t hash);

/* sweep_best.c: adds "knees" and "target" to the document, as the options ask. */
bool sweep_best_add(const struct sweep_opts *o, json_t *doc, struct rp_err *err);

/* sweep_print.c */

/* The document of a sweep, with the rows that are done. Gives. */
json_t *sweep_document(const struct sweep_run *run, struct rp_err *err);
/* Prints it as the options ask. */
bool sweep_print(const struct sweep_opts *o, json_t *doc, struct rp_err *err);
/* Prints the rows of CSV that are done, up to the first that is not, to standard output. */
bool sweep_print_rows(struct sweep_run *run, struct rp_err *err);

#endif
