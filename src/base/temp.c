/* temp.c - temporary files without a name. */
#include "config.h"

#include "base/temp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Bytes written at a time. The system caches a long write in pages as large, and when it has none at hand, that takes ten
 * times as long. */
enum { PIECE = 256 << 10 };

static const char *
folder(void)
{
	const char *t = getenv("TMPDIR");
	return t && *t ? t : "/tmp";
}

int
rp_temp_open(struct rp_err *err)
{
	char path[4096];
	int n = snprintf(path, sizeof path, "%s/reprise.XXXXXX", folder());
	if (n < 0 || (size_t)n >= sizeof path) {
		rp_fail(err, RP_RESOURCE, "TMPDIR: a path of more than 4 KiB");
		return -1;
	}
	int fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		rp_fail_errno(err, RP_RESOURCE, "%s: a temporary file", folder());
	else
		unlink(path);
	return fd;
}

bool
rp_temp_write(int fd, const void *bytes, size_t n, uint64_t at, struct rp_err *err)
{
	for (const char *p = bytes; n;) {
		ssize_t done = pwrite(fd, p, n < PIECE ? n : PIECE, (off_t)at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return rp_fail_errno(
			    err, RP_RESOURCE, "%s: writing a temporary file", folder());
		p += done;
		at += (uint64_t)done;
		n -= (size_t)done;
	}
	return true;
}

bool
rp_temp_read(int fd, void *bytes, size_t n, uint64_t at, struct rp_err *err)
{
	for (char *p = bytes; n;) {
		ssize_t done = pread(fd, p, n, (off_t)at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return rp_fail_errno(
			    err, RP_RESOURCE, "%s: reading a temporary file", folder());
		if (done == 0)
			return rp_fail(
			    err, RP_RESOURCE, "%s: a temporary file ends early", folder());
		p += done;
		at += (uint64_t)done;
		n -= (size_t)done;
	}
	return true;
}
