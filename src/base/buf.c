/* buf.c - bytes that grow. */
#include "config.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned char *
rp_buf_reserve(struct rp_buf *b, size_t more, struct rp_err *err)
{
	size_t need;
	if (__builtin_add_overflow(b->n, more, &need)) {
		rp_fail(err, RP_RESOURCE, "out of memory: %zu more bytes", more);
		return NULL;
	}
	if (need > b->room) {
		size_t room;
		if (__builtin_add_overflow(need, need / 2 + 256, &room))
			room = need;
		void *p = rp_mem_grow(b->bytes, room, 1, err);
		if (!p)
			return NULL;
		b->bytes = p;
		b->room = room;
	}
	return b->bytes + b->n;
}

bool
rp_buf_add(struct rp_buf *b, const void *bytes, size_t n, struct rp_err *err)
{
	if (!n)
		return true;
	unsigned char *to = rp_buf_reserve(b, n, err);
	if (!to)
		return false;
	memcpy(to, bytes, n);
	b->n += n;
	return true;
}

bool
rp_buf_printf(struct rp_buf *b, struct rp_err *err, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	unsigned char *to = n < 0 ? NULL : rp_buf_reserve(b, (size_t)n + 1, err);
	if (to) {
		vsnprintf((char *)to, (size_t)n + 1, format, again);
		b->n += (size_t)n;
	}
	va_end(again);
	return to != NULL;
}

void
rp_buf_free(struct rp_buf *b)
{
	free(b->bytes);
	*b = (struct rp_buf){ 0 };
}
