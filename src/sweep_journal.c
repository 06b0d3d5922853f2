/* sweep_journal.c - points of a sweep that are done, in a file beside the output.
 *
 * Lines of text: the first tells which sweep it is, each other one has a point's number, the trace's hash, the counters in
 * the order of their table, and a hash of the line before it. Lines are added when a pass ends and are on the disk before
 * the next begins. A line that is torn ends what is believed, and is written over. */
#include "config.h"

#include "sweep.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct sweep_journal {
	char *path;
	int fd;
	uint64_t end;  /* bytes that are good */
	bool *kept;    /* points that are in it */
	size_t points; /* how many */
	bool open;     /* ours to write, or to remove */
	struct rp_buf text;
};

static const char first_word[] = "reprise sweep journal 1";

/* What the first line says: equal for runs that may go on with each other. */
static bool
first_line(const struct sweep_run *run, struct rp_buf *to, struct rp_err *err)
{
	struct rp_buf names = { 0 };
	bool ok = rp_buf_printf(&names, err, "%s", PACKAGE_VERSION);
	for (size_t i = 0; ok && i < rp_counter_count; i++)
		ok = rp_buf_printf(&names, err, " %s", rp_counter_table[i].name);
	ok = ok && rp_buf_printf(to, err,
		       "%s, grid %016" PRIx64 ", share %" PRIu64 " of %" PRIu64
		       ", counters %016" PRIx64 "\n",
		       first_word, run->plan.hash, run->share, run->shares,
		       rp_hash_bytes(names.bytes, names.n));
	rp_buf_free(&names);
	return ok;
}

static bool
write_all(struct sweep_journal *j, struct rp_err *err)
{
	for (size_t done = 0; done < j->text.n;) {
		ssize_t n =
		    pwrite(j->fd, j->text.bytes + done, j->text.n - done, (off_t)(j->end + done));
		if (n < 0 && errno != EINTR)
			return rp_fail_errno(err, RP_RESOURCE, "writing %s", j->path);
		done += n < 0 ? 0 : (size_t)n;
	}
	if (fsync(j->fd))
		return rp_fail_errno(err, RP_RESOURCE, "writing %s", j->path);
	j->end += j->text.n;
	j->text.n = 0;
	return true;
}

/* All of the file, with a NUL behind it. */
static bool
read_all(struct sweep_journal *j, struct rp_err *err)
{
	enum { PIECE = 1 << 16 };
	ssize_t n = 1;
	while (n) {
		unsigned char *to = rp_buf_reserve(&j->text, PIECE + 1, err);
		if (!to)
			return false;
		n = pread(j->fd, to, PIECE, (off_t)j->text.n);
		if (n < 0 && errno != EINTR)
			return rp_fail_errno(err, RP_INPUT, "reading %s", j->path);
		j->text.n += n < 0 ? 0 : (size_t)n;
		n = n < 0 ? 1 : n;
	}
	j->text.bytes[j->text.n] = 0;
	return true;
}

static bool
add_hash(struct rp_buf *b, size_t from, struct rp_err *err)
{
	uint64_t hash = rp_hash_bytes(b->bytes + from, b->n - from);
	return rp_buf_printf(b, err, " %016" PRIx64 "\n", hash);
}

/* A line without its newline, if it is whole: its point is done. */
static bool
take_line(struct sweep_journal *j, struct sweep_run *run, const char *line, size_t n)
{
	const char *end = line + n, *hash = end - 16;
	uint64_t point, trace, told;
	if (n < 18 || hash[-1] != ' ' || !rp_scan_hex(&hash, end, &told) || hash != end ||
	    told != rp_hash_bytes(line, n - 17) || !rp_scan_dec(&line, end, &point) ||
	    *line++ != ' ' || !rp_scan_hex(&line, end, &trace) || point >= run->plan.n ||
	    !rp_sweep_is_own(&run->plan, (size_t)point))
		return false;
	struct rp_sweep_point *p = &run->plan.point[point];
	struct rp_counters c = { 0 };
#define READ(group, name, unit, what)                                                              \
	if (*line++ != ' ' || !rp_scan_dec(&line, end, &c.name))                                   \
		return false;
	RP_COUNTERS(READ, RP_COUNTER_NOTHING, RP_COUNTER_NOTHING)
	if (run->feed.hashed && run->feed.hash != trace)
		return false;
	*p->counters = c;
	p->done = true;
	j->kept[point] = true;
	j->points++;
	run->feed.hash = trace;
	run->feed.hashed = true;
	return true;
}

/* Goes on with what is there. */
static bool
resume(struct sweep_journal *j, struct sweep_run *run, struct rp_err *err)
{
	struct rp_buf first = { 0 };
	bool ok = read_all(j, err) && first_line(run, &first, err);
	if (ok && j->text.n >= first.n && memcmp(j->text.bytes, first.bytes, first.n) != 0)
		ok = rp_fail(err, RP_INPUT,
		    "%s is of another sweep, or share, or version: remove it to begin anew",
		    j->path);
	/* Less than a first line was written when the machine stopped, or it is no journal at all. */
	if (ok && j->text.n < first.n && memcmp(j->text.bytes, first.bytes, j->text.n) != 0)
		ok = rp_fail(err, RP_INPUT, "%s is no journal of a sweep", j->path);
	const char *at = ok && j->text.n >= first.n ? (char *)j->text.bytes + first.n : NULL, *end;
	j->end = at ? first.n : 0;
	while (at && (end = strchr(at, '\n')) && take_line(j, run, at, (size_t)(end - at))) {
		at = end + 1;
		j->end = (uint64_t)((const unsigned char *)at - j->text.bytes);
	}
	j->text.n = 0;
	rp_buf_free(&first);
	return ok;
}

static bool
open_file(struct sweep_journal *j, bool again, struct rp_err *err)
{
	int flags = O_RDWR | O_CREAT | O_CLOEXEC | (again ? 0 : O_EXCL);
	j->fd = open(j->path, flags, 0666);
	if (j->fd < 0 && errno == EEXIST && !again)
		return rp_fail(err, RP_USAGE,
		    "%s is there: a sweep that did not end; wanted --resume to go on with it, or "
		    "that "
		    "you remove it",
		    j->path);
	if (j->fd < 0)
		return rp_fail_errno(err, RP_INPUT, "%s: cannot be opened", j->path);
	if (flock(j->fd, LOCK_EX | LOCK_NB))
		return rp_fail(err, RP_USAGE, "%s is in use by another sweep", j->path);
	return true;
}

struct sweep_journal *
sweep_journal_open(struct sweep_run *run, struct rp_err *err)
{
	struct sweep_journal *j = rp_mem_array(1, sizeof *j, err);
	size_t room = strlen(run->o->output) + sizeof ".journal";
	if (!j)
		return NULL;
	j->fd = -1;
	if (!(j->path = rp_mem_array(room, 1, err)) ||
	    !(j->kept = rp_mem_array(run->plan.n, sizeof *j->kept, err)))
		goto bad;
	snprintf(j->path, room, "%s.journal", run->o->output);
	if (!open_file(j, run->o->resume, err) || !resume(j, run, err))
		goto bad;
	if (ftruncate(j->fd, (off_t)j->end)) {
		rp_fail_errno(err, RP_RESOURCE, "writing %s", j->path);
		goto bad;
	}
	j->open = true;
	if (j->end || (first_line(run, &j->text, err) && write_all(j, err)))
		return j;
bad:
	sweep_journal_close(j, false);
	return NULL;
}

bool
sweep_journal_keep(struct sweep_journal *j, struct sweep_run *run, struct rp_err *err)
{
	bool ok = true;
	for (size_t i = 0; ok && i < run->plan.n; i++) {
		const struct rp_sweep_point *p = &run->plan.point[i];
		size_t from = j->text.n;
		if (!rp_sweep_is_own(&run->plan, i) || !p->done || j->kept[i])
			continue;
		ok = rp_buf_printf(&j->text, err, "%zu %016" PRIx64, i, run->feed.hash);
#define WRITE(group, name, unit, what)                                                             \
	ok = ok && rp_buf_printf(&j->text, err, " %" PRIu64, p->counters->name);
		RP_COUNTERS(WRITE, RP_COUNTER_NOTHING, RP_COUNTER_NOTHING)
		ok = ok && add_hash(&j->text, from, err);
		j->kept[i] = true;
		j->points++;
	}
	return ok && write_all(j, err);
}

void
sweep_journal_close(struct sweep_journal *j, bool done)
{
	if (!j)
		return;
	/* Without a point there is nothing to go on with, and the next run need not be told so. */
	if (done || (j->open && !j->points))
		unlink(j->path);
	if (j->fd >= 0)
		close(j->fd);
	free(j->path);
	free(j->kept);
	rp_buf_free(&j->text);
	free(j);
}
