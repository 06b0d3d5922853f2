/* temp.h - temporary files without a name. */
#ifndef RP_BASE_TEMP_H
#define RP_BASE_TEMP_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Opens an empty file in $TMPDIR, or /tmp, that has no name and vanishes when it is closed: its descriptor (close), -1 with
 * *err filled. */
int rp_temp_open(struct rp_err *err);

/* Writes or reads n bytes at offset `at`, all of them; false with *err filled (RP_RESOURCE). */
bool rp_temp_write(int fd, const void *bytes, size_t n, uint64_t at, struct rp_err *err);
bool rp_temp_read(int fd, void *bytes, size_t n, uint64_t at, struct rp_err *err);

#endif
