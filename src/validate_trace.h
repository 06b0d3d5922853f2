/* validate_trace.h - parts of `reprise validate pascal`: one scan, a recorded one. */
#ifndef RP_VALIDATE_TRACE_H
#define RP_VALIDATE_TRACE_H

#include "validate.h"

/* Checks one scan at these capacities (a list as text); NULL: where something changes. */
bool validate_scan(struct validate_results *r, const struct rp_lab_scan *scan,
    const char *capacities, struct rp_err *err);

/* Checks a recorded scan, or history, of blocks of `block` bytes, of which there are `blocks` where it does not show
 * (0: found out). RP_INPUT: it is none. */
bool validate_trace(struct validate_results *r, const char *path, uint32_t block, uint64_t blocks,
    const char *capacities, struct rp_err *err);

#endif
