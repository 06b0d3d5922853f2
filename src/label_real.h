/* label_real.h - real traces as rows of a data set, and where they come from: label_real.c one trace, label_kit.c those that
 * come with the program, label_level.c what reaches a level of a hierarchy, label_from.c labels from elsewhere. */
#ifndef RP_LABEL_REAL_H
#define RP_LABEL_REAL_H

#include "label.h"

/* The k-th real trace of a run: its rows are appended, and its warnings, as lines. RP_STOPPED. */
bool label_real(const struct label_run *run, size_t k, struct rp_buf *out, struct rp_buf *warning,
    struct rp_err *err);

/* Whether the run's traces can be opened, but for standard input. What cannot be is told before anything is made. */
bool label_real_check(const struct label_run *run, struct rp_err *err);

/* The files that the options name, and the kit's, become run->trace. */
bool label_real_find(struct label_run *run, int n, char **traces, struct rp_err *err);
/* Adds one; texts are borrowed. */
bool label_real_add(
    struct label_run *run, const char *path, const char *name, uint32_t line, struct rp_err *err);

/* {"name", "line", "bytes", ...} of each, for the plan. Gives. */
json_t *label_real_json(const struct label_run *run);

/* --kit: GPU kernels, and programs of the host, whose traces are recorded in DIR/host if they are not there. */
bool label_kit(struct label_run *run, struct rp_err *err);

/* --config and --level: the levels above that one. Gives (label_level_close). RP_INPUT, RP_USAGE. */
struct label_level *label_level_open(const struct label_opts *o, struct rp_err *err);
void label_level_close(struct label_level *l);          /* accepts NULL */
uint32_t label_level_line(const struct label_level *l); /* of the level, in bytes */

/* What they send down of one trace. Gives (label_down_free). */
struct label_down;
struct label_down *label_down_new(
    const struct label_level *l, uint32_t line, const struct rp_trace *trace, struct rp_err *err);
void label_down_free(struct label_down *d); /* accepts NULL */
/* Of a batch: *n numbers of lines, borrowed until the next call. NULL with *err filled. */
const uint64_t *label_down_run(
    struct label_down *d, const struct rp_batch *b, size_t *n, struct rp_err *err);

/* --labels-from: reads the file, and gives the run's traces the caches that it names. Gives (label_from_close). RP_INPUT. */
struct label_foreign *label_from_open(struct label_run *run, struct rp_err *err);
void label_from_close(struct label_foreign *f);           /* accepts NULL */
bool label_from_intervals(const struct label_foreign *f); /* its rows are of intervals */
/* {"file", "sha256", "rows", "matched", "unmatched": [{"line", "why"}, ...]}. Gives. */
json_t *label_from_json(const struct label_foreign *f);
/* Puts its labels into the rows of the k-th trace, and leaves out those that it has none for. */
bool label_from_apply(const struct label_run *run, size_t k, struct rp_buf *rows,
    struct rp_buf *warning, struct rp_err *err);

#endif
