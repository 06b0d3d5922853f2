/* buf.h - bytes that grow. */
#ifndef RP_BASE_BUF_H
#define RP_BASE_BUF_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Starts as zeroes; released with rp_buf_free. */
struct rp_buf {
	unsigned char *bytes;
	size_t n, room;
};

/* Room for `more` bytes behind the n in use: where they go, or NULL with *err filled. n is not changed. */
unsigned char *rp_buf_reserve(struct rp_buf *b, size_t more, struct rp_err *err);
/* Appends a copy; the same failure. `bytes` may be NULL when n is 0. */
bool rp_buf_add(struct rp_buf *b, const void *bytes, size_t n, struct rp_err *err);
/* A NUL stands behind the text, not counted in n. */
bool rp_buf_printf(struct rp_buf *b, struct rp_err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rp_buf_free(struct rp_buf *b); /* empty afterwards, may be used again */

#endif
