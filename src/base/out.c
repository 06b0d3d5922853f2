/* out.c - output files that appear whole or not at all. */
#include "config.h"

#include "base/out.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 256 * 1024, PIECE = 64 * 1024, TRIES = 1000 };

struct rp_out {
	int fd;
	bool owned; /* fd is to be closed */
	bool failed;
	char *path, *temporary; /* temporary: NULL when written directly */
	size_t n;
	uint64_t flushed;
	char bytes[ROOM];
};

static void
release(struct rp_out *o)
{
	if (o->owned)
		close(o->fd);
	free(o->path);
	free(o->temporary);
	free(o);
}

/* A name beside the target, so that the rename stays on one file system. */
static bool
open_temporary(struct rp_out *o, struct rp_err *err)
{
	size_t room = strlen(o->path) + 48;
	o->temporary = rp_mem_array(room, 1, err);
	if (!o->temporary)
		return false;
	for (unsigned i = 0; i < TRIES; i++) {
		snprintf(o->temporary, room, "%s.%ld-%u.tmp", o->path, (long)getpid(), i);
		o->fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		o->owned = o->fd >= 0;
		if (o->owned || errno != EEXIST)
			break;
	}
	if (o->owned)
		return true;
	rp_fail_errno(err, RP_INPUT, "%s: cannot be created", o->path);
	free(o->temporary);
	o->temporary = NULL;
	return false;
}

/* A link to a file is followed, so that the file is replaced and not the link. */
static bool
follow(struct rp_out *o, struct rp_err *err)
{
	char *real = realpath(o->path, NULL);
	if (!real)
		return rp_fail_errno(err, RP_INPUT, "%s: cannot be written", o->path);
	free(o->path);
	o->path = real;
	return true;
}

static bool
open_target(struct rp_out *o, struct rp_err *err)
{
	struct stat st;
	if (!strcmp(o->path, "-")) {
		o->fd = STDOUT_FILENO;
		return true;
	}
	if (lstat(o->path, &st))
		return open_temporary(o, err);
	bool link = S_ISLNK(st.st_mode);
	if (link && stat(o->path, &st))
		return rp_fail_errno(err, RP_INPUT, "%s: cannot be written", o->path);
	if (S_ISREG(st.st_mode))
		return (!link || follow(o, err)) && open_temporary(o, err);
	o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
	o->owned = o->fd >= 0;
	return o->owned || rp_fail_errno(err, RP_INPUT, "%s: cannot be written", o->path);
}

struct rp_out *
rp_out_open(const char *path, struct rp_err *err)
{
	if (!*path) {
		rp_fail(err, RP_USAGE, "the name of the output is empty");
		return NULL;
	}
	struct rp_out *o = rp_mem_array(1, sizeof *o, err);
	if (!o)
		return NULL;
	o->fd = -1;
	o->path = rp_mem_string(path, err);
	if (!o->path || !open_target(o, err)) {
		release(o);
		return NULL;
	}
	return o;
}

static const char *
name(const struct rp_out *o)
{
	return strcmp(o->path, "-") ? o->path : "standard output";
}

static bool
failed_before(const struct rp_out *o, struct rp_err *err)
{
	return rp_fail(err, RP_RESOURCE, "writing %s failed before", name(o));
}

static bool
flush(struct rp_out *o, struct rp_err *err)
{
	if (o->failed)
		return failed_before(o, err);
	for (size_t done = 0; done < o->n;) {
		ssize_t k = write(o->fd, o->bytes + done, o->n - done);
		if (k < 0 && errno != EINTR) {
			o->failed = true;
			return rp_fail_errno(err, RP_RESOURCE, "writing %s", name(o));
		}
		done += k < 0 ? 0 : (size_t)k;
	}
	o->flushed += o->n;
	o->n = 0;
	return true;
}

bool
rp_out_write(struct rp_out *o, const void *bytes, size_t n, struct rp_err *err)
{
	const char *from = bytes;
	if (o->failed)
		return failed_before(o, err);
	while (n) {
		size_t k = ROOM - o->n < n ? ROOM - o->n : n;
		memcpy(o->bytes + o->n, from, k);
		o->n += k;
		from += k;
		n -= k;
		if (o->n == ROOM && !flush(o, err))
			return false;
	}
	return true;
}

char *
rp_out_room(struct rp_out *o, size_t n, struct rp_err *err)
{
	if (o->failed) {
		failed_before(o, err);
		return NULL;
	}
	if (n > PIECE) {
		rp_fail(err, RP_RESOURCE, "writing %s: %zu bytes at once, at most %d", name(o), n,
		    PIECE);
		return NULL;
	}
	return ROOM - o->n < n && !flush(o, err) ? NULL : o->bytes + o->n;
}

void
rp_out_used(struct rp_out *o, size_t n)
{
	o->n += n;
}

bool
rp_out_printf(struct rp_out *o, struct rp_err *err, const char *format, ...)
{
	char *to = rp_out_room(o, PIECE, err);
	if (!to)
		return false;
	va_list args;
	va_start(args, format);
	int n = vsnprintf(to, PIECE, format, args);
	va_end(args);
	if (n < 0 || n >= PIECE)
		return rp_fail(
		    err, RP_RESOURCE, "writing %s: a line of more than %d bytes", name(o), PIECE);
	rp_out_used(o, (size_t)n);
	return true;
}

uint64_t
rp_out_bytes(const struct rp_out *o)
{
	return o->flushed + o->n;
}

bool
rp_out_commit(struct rp_out *o, struct rp_err *err)
{
	bool ok = flush(o, err);
	/* Some file systems tell of a full disk only here. */
	if (ok && o->owned) {
		o->owned = false;
		ok = close(o->fd) == 0 || rp_fail_errno(err, RP_RESOURCE, "writing %s", name(o));
	}
	if (ok && o->temporary && rename(o->temporary, o->path))
		ok = rp_fail_errno(
		    err, RP_RESOURCE, "%s: cannot be renamed from its temporary name", o->path);
	if (!ok) {
		rp_out_abort(o);
		return false;
	}
	release(o);
	return true;
}

void
rp_out_abort(struct rp_out *o)
{
	if (!o)
		return;
	if (o->temporary)
		unlink(o->temporary);
	release(o);
}
