/* rpz_feed.h - the bytes of an .rpz file, from a file that can be sought in or from anything else. */
#ifndef RP_TRACES_FORMAT_RPZ_FEED_H
#define RP_TRACES_FORMAT_RPZ_FEED_H

#include "base/buf.h"
#include "traces/bytes.h"

enum { RP_RPZ_PEEK = 4096 };

/* Starts as zeroes. */
struct rp_rpz_feed {
	struct rp_bytes *in; /* NULL: a file, by fd */
	int fd;
	uint64_t at, size; /* size: of a file */
	const char *name;  /* borrowed from `in`, or `path` */
	char *path;
	const volatile sig_atomic_t *stop;
	unsigned char window[RP_RPZ_PEEK];
};

/* See rp_rpz_open for path and in. */
bool rp_rpz_feed_open(struct rp_rpz_feed *f, const char *path, struct rp_bytes *in,
    const volatile sig_atomic_t *stop, struct rp_err *err);
void rp_rpz_feed_close(struct rp_rpz_feed *f);

static inline bool
rp_rpz_feed_seekable(const struct rp_rpz_feed *f)
{
	return !f->in;
}

static inline void
rp_rpz_feed_seek(struct rp_rpz_feed *f, uint64_t at) /* of a seekable one */
{
	f->at = at;
}

/* Looks at the next `want` (at most RP_RPZ_PEEK) bytes without taking them: how many there are, -1 on error. */
ptrdiff_t rp_rpz_feed_peek(
    struct rp_rpz_feed *f, size_t want, const unsigned char **bytes, struct rp_err *err);

/* Takes n bytes, appended to b, which grows as they come, whatever n claims: how many there were, -1 on error. Behind
 * them RP_RPZ_SLACK bytes are readable. */
ptrdiff_t rp_rpz_feed_take(struct rp_rpz_feed *f, uint64_t n, struct rp_buf *b, struct rp_err *err);

#endif
