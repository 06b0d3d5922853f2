/* rpz_meta.h - what is known of a trace as the JSON of a metadata chunk, and back. */
#ifndef RP_TRACES_FORMAT_RPZ_META_H
#define RP_TRACES_FORMAT_RPZ_META_H

#include "base/buf.h"
#include "traces/trace.h"

/* Appends a metadata chunk. */
bool rp_rpz_meta_add(const struct rp_trace *t, struct rp_buf *out, struct rp_err *err);

/* What is written of the launches. Starts as zeroes. */
struct rp_rpz_launched {
	size_t n;      /* launches */
	size_t early;  /* of the last one: runs of early blocks, */
	uint32_t last; /* and the blocks of the last run */
};

/* Appends a chunk of the kernel launches that are new, and of the early blocks that became known of the one before
 * them; nothing if there are none. */
bool rp_rpz_launches_add(
    const struct rp_trace *t, struct rp_rpz_launched *done, struct rp_buf *out, struct rp_err *err);

enum rp_rpz_when {
	RP_RPZ_WHOLE,      /* all of it, for a trace of which nothing is known yet */
	RP_RPZ_FIRST_LOOK, /* from a pipe, at its start: not what grows while a trace is read */
	RP_RPZ_LAST_LOOK   /* at its end: that, but for launches that are there already */
};

/* Takes in a chunk's payload. RP_INPUT, without a place. */
bool rp_rpz_meta_from(struct rp_trace *t, const void *payload, size_t bytes, enum rp_rpz_when when,
    struct rp_err *err);

#endif
