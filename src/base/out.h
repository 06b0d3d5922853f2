/* out.h - output files that appear whole or not at all.
 *
 * Bytes go to a temporary file beside the target; commit renames it. "-" is standard output, written as it comes. */
#ifndef RP_BASE_OUT_H
#define RP_BASE_OUT_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct rp_out;

/* Opens `path`, or standard output for "-". A target that exists and is no regular file (a device, a pipe) is written
 * directly, a link is followed. Gives (rp_out_commit or rp_out_abort); NULL with *err filled: the folder does not exist or
 * cannot be written. */
struct rp_out *rp_out_open(const char *path, struct rp_err *err);

/* Appends, through a buffer. false: disk full, pipe closed (RP_RESOURCE). After a failure every later call fails too. */
bool rp_out_write(struct rp_out *o, const void *bytes, size_t n, struct rp_err *err);
bool rp_out_printf(struct rp_out *o, struct rp_err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Room for n bytes (at most 64 KiB) in the buffer, to be written in place and then counted with rp_out_used; NULL with
 * *err filled on failure. For writers that format many short lines. */
char *rp_out_room(struct rp_out *o, size_t n, struct rp_err *err);
void rp_out_used(struct rp_out *o, size_t n);

uint64_t rp_out_bytes(const struct rp_out *o); /* appended so far */

/* Flushes, renames, releases. false with *err filled: nothing appeared under the target's name. */
bool rp_out_commit(struct rp_out *o, struct rp_err *err);
/* Removes what was written and releases; accepts NULL. */
void rp_out_abort(struct rp_out *o);

#endif
