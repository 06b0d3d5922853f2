/* label_real.h - real traces as rows of a data set. */
#ifndef RP_LABEL_REAL_H
#define RP_LABEL_REAL_H

#include "label.h"

/* The k-th real trace of a run: its rows are appended. A warning goes to `warning`, else it stays "". RP_STOPPED. */
bool label_real(const struct label_run *run, size_t k, struct rp_buf *out, char *warning,
    size_t room, struct rp_err *err);

/* The files that the options name, and the kit's, become run->trace. */
bool label_real_find(struct label_run *run, int n, char **traces, struct rp_err *err);

/* {"name", "line", "bytes", ...} of each, for the plan. Gives. */
json_t *label_real_json(const struct label_run *run);

#endif
