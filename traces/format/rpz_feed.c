/* rpz_feed.c - the bytes of an .rpz file, from a file that can be sought in or from anything else. */
#include "config.h"

#include "traces/format/rpz_feed.h"
#include "base/mem.h"
#include "traces/format/rpz_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 256 * 1024 };

/* A plain file is read by offset; false: it is something else, or gone, which `in` can tell better. */
static bool
open_plain(struct rp_rpz_feed *f, const char *path)
{
	struct stat st;
	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (f->fd >= 0 && !fstat(f->fd, &st) && S_ISREG(st.st_mode)) {
		f->size = (uint64_t)st.st_size;
		return true;
	}
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	return false;
}

bool
rp_rpz_feed_open(struct rp_rpz_feed *f, const char *path, struct rp_bytes *in,
    const volatile sig_atomic_t *stop, struct rp_err *err)
{
	f->fd = -1;
	f->stop = stop;
	f->in = in ? in : rp_bytes_open(path, stop, err);
	if (!f->in)
		return false;
	f->name = f->in->name;
	if (!path || !strcmp(path, "-") || strcmp(f->in->codec, "none") || !open_plain(f, path))
		return true;
	rp_bytes_close(f->in);
	f->in = NULL;
	f->path = rp_mem_string(path, err);
	f->name = f->path;
	return f->path != NULL;
}

void
rp_rpz_feed_close(struct rp_rpz_feed *f)
{
	if (f->fd >= 0)
		close(f->fd);
	rp_bytes_close(f->in);
	free(f->path);
}

/* As many of n bytes as there are at an offset of the file. */
static ptrdiff_t
read_at(const struct rp_rpz_feed *f, unsigned char *to, size_t n, uint64_t at, struct rp_err *err)
{
	size_t done = 0;
	while (done < n) {
		ssize_t k = pread(f->fd, to + done, n - done, (off_t)(at + done));
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0) {
			rp_fail_errno(err, RP_INPUT, "%s: reading", f->name);
			return -1;
		}
		if (!k)
			break;
		done += (size_t)k;
	}
	return (ptrdiff_t)done;
}

ptrdiff_t
rp_rpz_feed_peek(
    struct rp_rpz_feed *f, size_t want, const unsigned char **bytes, struct rp_err *err)
{
	if (!f->in) {
		*bytes = f->window;
		return read_at(f, f->window, want, f->at, err);
	}
	if ((size_t)(f->in->end - f->in->at) < want && !rp_bytes_more(f->in, want, err))
		return -1;
	size_t n = (size_t)(f->in->end - f->in->at);
	*bytes = f->in->at;
	return (ptrdiff_t)(n < want ? n : want);
}

/* Some of the next bytes, at most n; 0 at the end. */
static ptrdiff_t
take_some(struct rp_rpz_feed *f, unsigned char *to, size_t n, struct rp_err *err)
{
	if (!f->in)
		return read_at(f, to, n, f->at, err);
	if (f->in->at == f->in->end && !rp_bytes_more(f->in, 1, err))
		return -1;
	size_t have = (size_t)(f->in->end - f->in->at);
	have = have < n ? have : n;
	if (have)
		memcpy(to, f->in->at, have);
	f->in->at += have;
	return (ptrdiff_t)have;
}

ptrdiff_t
rp_rpz_feed_take(struct rp_rpz_feed *f, uint64_t n, struct rp_buf *b, struct rp_err *err)
{
	uint64_t left = n;
	unsigned char *to = rp_buf_reserve(b, RP_RPZ_SLACK, err);
	if (!to)
		return -1;
	while (left) {
		size_t piece = left < PIECE ? (size_t)left : PIECE;
		to = rp_buf_reserve(b, piece + RP_RPZ_SLACK, err);
		ptrdiff_t got = to ? take_some(f, to, piece, err) : -1;
		if (got < 0)
			return -1;
		if (!got)
			break;
		b->n += (size_t)got;
		f->at += (uint64_t)got;
		left -= (uint64_t)got;
	}
	memset(b->bytes + b->n, 0, RP_RPZ_SLACK);
	return (ptrdiff_t)(n - left);
}
