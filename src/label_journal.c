/* label_journal.c - traces of a data set that are labelled, in a file of its folder.
 *
 * A line of text says what it is; then come frames: a kind, a number of an item, a length, so many bytes, and a hash of all
 * that. The first frames are the plan and the share; an item has one of its warnings, if there are any, and one of its rows. A frame that is torn ends what is believed, and is written over. The file is for
 * machines of the byte order that wrote it; on another one no hash fits. */
#include "config.h"

#include "label.h"

#include "base/hash.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char first_line[] = "reprise label journal 2, " PACKAGE_VERSION "\n";
enum { PLAN = 1, SHARE = 2, BLOCK = 3, WARNING = 4, PAD = 16, SYNC = 512 };

struct frame {
	uint64_t kind, item, n, hash; /* hash: of the three before and the bytes */
};

struct label_journal {
	char *path;
	int fd;
	unsigned added; /* since the last sync */
	struct rp_buf text;
};

static uint64_t
frame_hash(const struct frame *f, const unsigned char *bytes)
{
	return rp_hash_bytes(f, 3 * sizeof f->kind) ^ rp_mix64(rp_hash_bytes(bytes, f->n));
}

static bool
put(struct label_journal *j, uint64_t kind, uint64_t item, const void *bytes, size_t n,
    struct rp_err *err)
{
	struct frame f = { kind, item, n, 0 };
	f.hash = frame_hash(&f, bytes);
	j->text.n = 0;
	if (!rp_buf_add(&j->text, &f, sizeof f, err) || !rp_buf_add(&j->text, bytes, n, err))
		return false;
	for (size_t done = 0; done < j->text.n;) {
		ssize_t some = write(j->fd, j->text.bytes + done, j->text.n - done);
		if (some < 0 && errno != EINTR)
			return rp_fail_errno(err, RP_RESOURCE, "writing %s", j->path);
		done += some < 0 ? 0 : (size_t)some;
	}
	return true;
}

static bool
sync_now(struct label_journal *j, struct rp_err *err)
{
	j->added = 0;
	return !fsync(j->fd) || rp_fail_errno(err, RP_RESOURCE, "writing %s", j->path);
}

/* n bytes of a file: how many there were. */
static size_t
read_some(int fd, void *to, size_t n, uint64_t at)
{
	size_t done = 0;
	while (done < n) {
		ssize_t some = pread(fd, (char *)to + done, n - done, (off_t)(at + done));
		if (some <= 0 && !(some < 0 && errno == EINTR))
			break;
		done += some < 0 ? 0 : (size_t)some;
	}
	return done;
}

/* The frame at `at`, with its bytes, which may be read `PAD` bytes beyond their end and end in a NUL. Gives; NULL: it is not
 * whole, or err->code is set. */
static unsigned char *
read_frame(int fd, uint64_t size, uint64_t at, struct frame *f, struct rp_err *err)
{
	if (read_some(fd, f, sizeof *f, at) < sizeof *f || f->n > size - at - sizeof *f)
		return NULL;
	unsigned char *bytes = rp_mem_array(f->n + PAD, 1, err);
	if (bytes && (read_some(fd, bytes, f->n, at + sizeof *f) < f->n ||
			 frame_hash(f, bytes) != f->hash)) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

bool
label_journal_read(
    int fd, const char *path, const struct label_reader *r, uint64_t *end, struct rp_err *err)
{
	char line[sizeof first_line - 1];
	struct stat st;
	uint64_t at = sizeof line;
	struct frame f, g;
	if (fstat(fd, &st))
		return rp_fail_errno(err, RP_INPUT, "%s", path);
	uint64_t size = (uint64_t)st.st_size;
	size_t n = read_some(fd, line, sizeof line, 0);
	if (memcmp(line, first_line, n))
		return rp_fail(err, RP_INPUT,
		    "%s is not what this version of `reprise label` leaves: wanted a share", path);
	unsigned char *plan = n == sizeof line ? read_frame(fd, size, at, &f, err) : NULL;
	unsigned char *share = plan ? read_frame(fd, size, at + sizeof f + f.n, &g, err) : NULL;
	*end = 0;
	if (!share || f.kind != PLAN || g.kind != SHARE) { /* nothing was done yet */
		free(plan);
		free(share);
		return !err->code;
	}
	bool ok = r->plan(r->to, (char *)plan, (char *)share, err);
	free(plan);
	free(share);
	at += 2 * sizeof f + f.n + g.n;
	for (unsigned char *bytes; ok && (bytes = read_frame(fd, size, at, &f, err));) {
		at += sizeof f + f.n;
		ok =
		    (f.kind == WARNING ? r->warn : r->take)(r->to, (size_t)f.item, bytes, f.n, err);
	}
	*end = at;
	return ok && !err->code;
}

/* ---- the one of a run ---- */

static void
share_text(const struct label_run *run, char *to, size_t room)
{
	snprintf(to, room, "%" PRIu64 "/%" PRIu64, run->share, run->shares);
}

static bool
same_plan(void *to, const char *plan, const char *share, struct rp_err *err)
{
	const struct label_run *run = to;
	char own[64];
	share_text(run, own, sizeof own);
	return (!strcmp(plan, run->plan) && !strcmp(share, own)) ||
	       rp_fail(err, RP_INPUT,
		   "%s has the beginning of another data set, or share: remove it to begin anew",
		   run->o->output);
}

static bool
take(void *to, size_t item, unsigned char *bytes, size_t n, struct rp_err *err)
{
	struct label_run *run = to;
	if (item >= run->items || run->done[item] || !label_is_own(run, item)) {
		free(bytes);
		return rp_fail(err, RP_INPUT,
		    "the journal in %s has item %zu, which is none of "
		    "this share, or twice",
		    run->o->output, item);
	}
	run->block[item].bytes = bytes;
	run->block[item].n = n;
	run->done[item] = true;
	return true;
}

static bool
warn(void *to, size_t item, unsigned char *text, size_t n, struct rp_err *err)
{
	struct label_run *run = to;
	(void)n;
	if (item >= run->items) {
		free(text);
		return rp_fail(
		    err, RP_INPUT, "the journal in %s has no item %zu", run->o->output, item);
	}
	free(run->warning[item]); /* a run that was killed wrote it, but not the block */
	run->warning[item] = (char *)text;
	return true;
}

/* ---- one that is done ---- */

struct comparing {
	const struct label_run *run;
	bool same;
};

static bool
compare_plan(void *to, const char *plan, const char *share, struct rp_err *err)
{
	struct comparing *c = to;
	struct rp_err ignored;
	(void)err;
	c->same = same_plan((void *)(uintptr_t)c->run, plan, share, &ignored);
	return true;
}

static bool
pass_over(void *to, size_t item, unsigned char *bytes, size_t n, struct rp_err *err)
{
	(void)to, (void)item, (void)n, (void)err;
	free(bytes);
	return true;
}

bool
label_journal_same(const struct label_run *run, const char *path, bool *same, struct rp_err *err)
{
	struct comparing c = { run, false };
	struct label_reader r = { &c, compare_plan, pass_over, pass_over };
	uint64_t end;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return rp_fail_errno(err, RP_INPUT, "%s", path);
	bool ok = label_journal_read(fd, path, &r, &end, err);
	close(fd);
	*same = c.same;
	return ok;
}

/* ---- opening, adding, closing ---- */

static bool
open_file(struct label_journal *j, bool again, struct rp_err *err)
{
	int flags = O_RDWR | O_CREAT | O_CLOEXEC | (again ? 0 : O_EXCL);
	j->fd = open(j->path, flags, 0666);
	if (j->fd < 0 && errno == EEXIST && !again)
		return rp_fail(err, RP_USAGE,
		    "%s is there: a data set that was not ended; wanted --resume to go on with it, "
		    "or that you remove it",
		    j->path);
	if (j->fd < 0)
		return rp_fail_errno(err, RP_INPUT, "%s: cannot be opened", j->path);
	return !flock(j->fd, LOCK_EX | LOCK_NB) ||
	       rp_fail(err, RP_USAGE, "%s is in use by another run", j->path);
}

static bool
begin(struct label_journal *j, const struct label_run *run, struct rp_err *err)
{
	char own[64];
	share_text(run, own, sizeof own);
	if (ftruncate(j->fd, 0) || lseek(j->fd, 0, SEEK_SET) < 0 ||
	    write(j->fd, first_line, sizeof first_line - 1) != (ssize_t)sizeof first_line - 1)
		return rp_fail_errno(err, RP_RESOURCE, "writing %s", j->path);
	return put(j, PLAN, 0, run->plan, strlen(run->plan), err) &&
	       put(j, SHARE, 0, own, strlen(own), err);
}

struct label_journal *
label_journal_open(struct label_run *run, struct rp_err *err)
{
	struct label_journal *j = rp_mem_array(1, sizeof *j, err);
	struct label_reader r = { run, same_plan, take, warn };
	uint64_t end;
	bool fresh = false; /* nothing was done in it */
	if (!j)
		return NULL;
	j->fd = -1;
	if ((j->path = label_path(run, "label.journal", err)) &&
	    open_file(j, run->o->resume, err) &&
	    label_journal_read(j->fd, j->path, &r, &end, err)) {
		fresh = !end;
		if (!end ? begin(j, run, err)
			 : !ftruncate(j->fd, (off_t)end) && lseek(j->fd, 0, SEEK_END) >= 0)
			return j;
		if (!err->code)
			rp_fail_errno(err, RP_RESOURCE, "writing %s", j->path);
	}
	label_journal_close(j, fresh, NULL, NULL);
	return NULL;
}

bool
label_journal_keep(
    struct label_journal *j, const struct label_run *run, size_t item, struct rp_err *err)
{
	const struct rp_block *b = run->block + item;
	const char *warning = run->warning[item];
	if (warning && !put(j, WARNING, item, warning, strlen(warning), err))
		return false;
	return put(j, BLOCK, item, b->bytes, b->n, err) && (++j->added < SYNC || sync_now(j, err));
}

bool
label_journal_close(struct label_journal *j, bool remove, const char *name, struct rp_err *err)
{
	if (!j)
		return true;
	bool ok = true;
	if (name)
		ok = sync_now(j, err) && (!rename(j->path, name) ||
					     rp_fail_errno(err, RP_RESOURCE, "writing %s", name));
	else if (remove)
		unlink(j->path);
	if (j->fd >= 0)
		close(j->fd);
	free(j->path);
	rp_buf_free(&j->text);
	free(j);
	return ok;
}
