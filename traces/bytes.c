/* bytes.c - decoded bytes of a file, a pipe or memory.
 *
 * Raw bytes come from a descriptor or from memory; a codec, if the first of them name one, turns them into the window
 * [origin, end). Nothing is read while what was asked for is there, so a live pipe never waits for a full window. */
#include "config.h"

#include "traces/bytes.h"
#include "base/mem.h"
#include "traces/codec.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW = 256 << 10, STOP_POLL_MS = 100, NAME_MOST = 200 };

struct rp_bytes_inside {
	int fd;    /* -1: memory */
	bool live; /* a pipe, a terminal, a socket: reading may wait */
	bool ours; /* fd is closed with us */
	const volatile sig_atomic_t *stop;
	const unsigned char *memory, *memory_end; /* what is left of it */
	size_t piece;                             /* most bytes of one read */

	const unsigned char *origin; /* byte `base` of the decoded input */
	unsigned char *window; /* room bytes; NULL: the window is the borrowed memory itself */
	size_t room;
	uint64_t base;

	const struct rp_codec *codec; /* NULL: none */
	void *state;
	unsigned char *raw; /* WINDOW bytes of compressed input, those in `io` not yet taken */
	struct rp_codec_io io;
	uint64_t raw_bytes; /* read from the input so far */
	uint64_t raw_size;  /* of a regular file; else 0 */
	bool raw_ended, stopped;
	char *name;
	struct rp_err failed; /* the error that every later call repeats */
};

/* Waits until the descriptor has something; false when told to stop. A signal between a look at *stop and a blocking
 * read would be missed, so the wait is cut into short ones. */
static bool
await(const struct rp_bytes_inside *in)
{
	struct pollfd p = { .fd = in->fd, .events = POLLIN };
	while (!*in->stop) {
		int n = poll(&p, 1, STOP_POLL_MS);
		if (n > 0 || (n < 0 && errno != EINTR))
			return true; /* read() tells what is wrong, if something is */
	}
	return false;
}

/* Raw bytes, at least one unless the input ends: how many, -1 on error. */
static ptrdiff_t
raw_read(struct rp_bytes *b, unsigned char *to, size_t room, struct rp_err *err)
{
	struct rp_bytes_inside *in = b->inside;
	if (room > in->piece)
		room = in->piece;
	if (in->fd < 0) {
		size_t left = (size_t)(in->memory_end - in->memory), n = left < room ? left : room;
		if (n)
			memcpy(to, in->memory, n);
		in->memory += n;
		in->raw_bytes += n;
		return (ptrdiff_t)n;
	}
	for (;;) {
		if (in->live && in->stop && !await(in)) {
			in->stopped = true;
			return 0;
		}
		ssize_t n = read(in->fd, to, room);
		if (n >= 0) {
			in->raw_bytes += (uint64_t)n;
			return n;
		}
		if (errno != EINTR && errno != EAGAIN) {
			rp_fail_errno(err, RP_INPUT, "%s: offset %" PRIu64 ": reading", b->name,
			    in->raw_bytes);
			return -1;
		}
		if (errno == EAGAIN) /* somebody made the descriptor non-blocking */
			poll(&(struct pollfd){ .fd = in->fd, .events = POLLIN }, 1, STOP_POLL_MS);
	}
}

/* Could `n` first bytes be of this codec? 1: they are; 0: more of them must tell; -1: no. */
static int
magic_fits(const struct rp_codec *c, const unsigned char *head, size_t n)
{
	int fits = -1;
	for (const struct rp_magic *m = c->magic; m < c->magic + RP_MAGICS; m++) {
		size_t k = n < m->n ? n : m->n;
		if (!m->n || (k && ((head[0] ^ m->bytes[0]) & ~m->any)) ||
		    (k > 1 && memcmp(head + 1, m->bytes + 1, k - 1)))
			continue;
		if (n >= m->n)
			return 1;
		fits = 0;
	}
	return fits;
}

/* Reads until the first bytes tell the codec or rule all out: a live pipe is not asked for more. */
static bool
find_codec(struct rp_bytes *b, unsigned char *head, size_t *n, struct rp_err *err)
{
	struct rp_bytes_inside *in = b->inside;
	*n = 0;
	for (bool open = true; open && !in->raw_ended;) {
		ptrdiff_t got = raw_read(b, head + *n, WINDOW - *n, err);
		if (got < 0)
			return false;
		*n += (size_t)got;
		in->raw_ended = got == 0;
		open = false;
		for (const struct rp_codec *const *c = rp_codecs; *c; c++) {
			int fits = magic_fits(*c, head, *n);
			open |= fits == 0;
			if (fits > 0)
				in->codec = *c;
		}
	}
	return true;
}

static bool
start(struct rp_bytes *b, struct rp_err *err)
{
	struct rp_bytes_inside *in = b->inside;
	size_t n;
	unsigned char *first = rp_mem_array(WINDOW, 1, err);
	in->window = first; /* ours to free from here on */
	in->room = WINDOW;
	if (!first || !find_codec(b, first, &n, err))
		return false;
	b->at = b->end = in->origin = first;
	if (!in->codec) {
		b->codec = "none";
		b->end = first + n;
		b->ended = in->raw_ended;
		return true;
	}
	b->codec = in->codec->name;
	in->raw = first;
	in->io = (struct rp_codec_io){ .in = first, .in_end = first + n, .last = in->raw_ended };
	b->ended = in->stopped;
	in->window = rp_mem_array(WINDOW, 1, err);
	b->at = b->end = in->origin = in->window;
	in->state = in->window ? rp_mem_array(1, in->codec->state_bytes, err) : NULL;
	if (!in->state)
		return false;
	if (!in->codec->open(in->state, err)) {
		free(in->state); /* so that close is not called for what was not opened */
		in->state = NULL;
		return rp_err_wrap(err, "%s: %s", b->name, b->codec);
	}
	return true;
}

static struct rp_bytes *
new_bytes(const char *name, struct rp_err *err)
{
	struct rp_bytes *b = rp_mem_array(1, sizeof *b, err);
	struct rp_bytes_inside *in = b ? rp_mem_array(1, sizeof *in, err) : NULL;
	if (!in) {
		free(b);
		return NULL;
	}
	b->inside = in;
	in->fd = -1;
	in->piece = WINDOW;
	/* A message has little room: of a long path the end says more. */
	size_t length = strlen(name);
	b->name = in->name =
	    rp_mem_string(length > NAME_MOST ? name + length - NAME_MOST : name, err);
	if (!in->name) {
		rp_bytes_close(b);
		return NULL;
	}
	return b;
}

static bool
open_file(struct rp_bytes *b, const char *path, struct rp_err *err)
{
	struct rp_bytes_inside *in = b->inside;
	struct stat st;
	if (!strcmp(path, "-")) {
		in->fd = STDIN_FILENO;
	} else {
		do
			in->fd = open(path, O_RDONLY | O_CLOEXEC);
		while (in->fd < 0 && errno == EINTR && !(in->stop && *in->stop));
		if (in->fd < 0)
			return rp_fail_errno(
			    err, errno == EINTR ? RP_STOPPED : RP_INPUT, "%s: opening", path);
		in->ours = true;
	}
	if (fstat(in->fd, &st))
		return rp_fail_errno(err, RP_INPUT, "%s: reading", b->name);
	if (S_ISDIR(st.st_mode))
		return rp_fail(err, RP_INPUT, "%s: a folder; a file is wanted", b->name);
	in->live = !S_ISREG(st.st_mode);
	in->raw_size = in->live ? 0 : (uint64_t)st.st_size;
	if (!in->live)
		posix_fadvise(in->fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* advice: no harm if refused */
	return start(b, err);
}

struct rp_bytes *
rp_bytes_open(const char *path, const volatile sig_atomic_t *stop, struct rp_err *err)
{
	struct rp_bytes *b = new_bytes(strcmp(path, "-") ? path : "standard input", err);
	if (!b)
		return NULL;
	b->inside->stop = stop;
	if (open_file(b, path, err))
		return b;
	rp_bytes_close(b);
	return NULL;
}

/* Memory that is not compressed is its own window. */
static bool
start_memory(struct rp_bytes *b, const void *bytes, size_t n, struct rp_err *err)
{
	struct rp_bytes_inside *in = b->inside;
	in->memory = bytes;
	in->memory_end = in->memory + n;
	for (const struct rp_codec *const *c = rp_codecs; *c; c++)
		if (magic_fits(*c, bytes, n) > 0)
			return start(b, err);
	b->codec = "none";
	b->at = in->origin = bytes;
	b->end = b->at + n;
	b->ended = true;
	in->memory = in->memory_end;
	return true;
}

struct rp_bytes *
rp_bytes_memory(const void *bytes, size_t n, const char *name, struct rp_err *err)
{
	struct rp_bytes *b = new_bytes(name, err);
	if (b && !start_memory(b, n ? bytes : "", n, err)) {
		rp_bytes_close(b);
		return NULL;
	}
	return b;
}

struct rp_bytes *
rp_bytes_pieces(const void *bytes, size_t n, size_t piece, const char *name, struct rp_err *err)
{
	struct rp_bytes *b = new_bytes(name, err);
	if (!b)
		return NULL;
	b->inside->memory = n ? bytes : (const void *)"";
	b->inside->memory_end = b->inside->memory + n;
	b->inside->piece = piece ? piece : 1;
	if (start(b, err))
		return b;
	rp_bytes_close(b);
	return NULL;
}

void
rp_bytes_close(struct rp_bytes *b)
{
	if (!b)
		return;
	struct rp_bytes_inside *in = b->inside;
	if (in->state && in->codec->close)
		in->codec->close(in->state);
	free(in->state);
	free(in->raw);
	free(in->window);
	free(in->name);
	if (in->ours)
		close(in->fd);
	free(in);
	free(b);
}

/* Moves what is left to the front of a window that has room for `want` bytes. */
static bool
make_room(struct rp_bytes *b, size_t want, struct rp_err *err)
{
	struct rp_bytes_inside *in = b->inside;
	size_t have = (size_t)(b->end - b->at);
	in->base += (uint64_t)(b->at - in->origin);
	memmove(in->window, b->at, have);
	if (want > in->room) {
		size_t room = in->room;
		while (room < want)
			room *= 2;
		unsigned char *p = rp_mem_grow(in->window, room, 1, err);
		if (p) {
			in->window = p;
			in->room = room;
		}
	}
	b->at = in->origin = in->window;
	b->end = b->at + have;
	return want <= in->room;
}

static bool
decode(struct rp_bytes *b, struct rp_err *err)
{
	struct rp_bytes_inside *in = b->inside;
	unsigned char *to = in->window + (b->end - b->at);
	in->io.out = to;
	in->io.out_end = in->window + in->room;
	int more = in->codec->step(in->state, &in->io, err);
	b->end = in->io.out;
	if (more < 0)
		return rp_err_wrap(err, "%s: offset %" PRIu64 " of the compressed file: %s",
		    b->name, in->raw_bytes - (uint64_t)(in->io.in_end - in->io.in), b->codec);
	if (!more)
		b->ended = true;
	if (!more || in->io.out > to || in->io.in < in->io.in_end)
		return true;
	ptrdiff_t n = raw_read(b, in->raw, WINDOW, err);
	if (n < 0)
		return false;
	in->io.in = in->raw;
	in->io.in_end = in->raw + n;
	in->io.last = n == 0;
	b->ended = in->stopped; /* what the codec still misses is nobody's fault */
	return true;
}

static bool
fill(struct rp_bytes *b, size_t want, struct rp_err *err)
{
	struct rp_bytes_inside *in = b->inside;
	if (!make_room(b, want, err))
		return false;
	while ((size_t)(b->end - b->at) < want && !b->ended) {
		if (in->codec) {
			if (!decode(b, err))
				return false;
			continue;
		}
		size_t have = (size_t)(b->end - b->at);
		ptrdiff_t n = raw_read(b, in->window + have, in->room - have, err);
		if (n < 0)
			return false;
		b->end += n;
		b->ended = n == 0;
	}
	return true;
}

void
rp_bytes_progress(const struct rp_bytes *b, uint64_t *part, uint64_t *whole)
{
	*part = b->inside->raw_bytes;
	*whole = b->inside->raw_size;
}

bool
rp_bytes_more(struct rp_bytes *b, size_t want, struct rp_err *err)
{
	struct rp_bytes_inside *in = b->inside;
	if (in->failed.code) {
		if (err)
			*err = in->failed;
		return false;
	}
	if ((size_t)(b->end - b->at) >= want || b->ended)
		return true;
	if (want > RP_LINE_MOST)
		want = RP_LINE_MOST;
	if (fill(b, want, &in->failed))
		return true;
	if (err)
		*err = in->failed;
	return false;
}

/* Takes a line of n bytes and what ends it (`skip` bytes). */
static ptrdiff_t
take_line(struct rp_bytes *b, const char **line, size_t n, size_t skip, struct rp_err *err)
{
	b->line++;
	if (n >= RP_LINE_MOST) {
		rp_fail_line(
		    err, b, "a line of %d bytes or more; shorter ones are wanted", RP_LINE_MOST);
		return -2;
	}
	*line = (const char *)b->at;
	b->at += n + skip;
	if (n && (*line)[n - 1] == '\r')
		n--;
	return (ptrdiff_t)n;
}

ptrdiff_t
rp_bytes_line(struct rp_bytes *b, const char **line, struct rp_err *err)
{
	for (size_t seen = 0;;) {
		size_t have = (size_t)(b->end - b->at);
		const unsigned char *lf =
		    have > seen ? memchr(b->at + seen, '\n', have - seen) : NULL;
		if (lf)
			return take_line(b, line, (size_t)(lf - b->at), 1, err);
		if (b->ended && !have)
			return -1;
		if (b->ended || have >= RP_LINE_MOST)
			return take_line(b, line, have, 0, err);
		seen = have;
		if (!rp_bytes_more(b, have + 1, err))
			return -2;
	}
}

uint64_t
rp_bytes_at(const struct rp_bytes *b)
{
	return b->inside->base + (uint64_t)(b->at - b->inside->origin);
}

bool
rp_fail_line(struct rp_err *err, const struct rp_bytes *b, const char *format, ...)
{
	char text[sizeof err->text];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return rp_fail(err, RP_INPUT, "%s:%" PRIu64 ": %s", b->name, b->line, text);
}

bool
rp_fail_at(struct rp_err *err, const struct rp_bytes *b, const char *format, ...)
{
	char text[sizeof err->text];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return rp_fail(err, RP_INPUT, "%s: offset %" PRIu64 ": %s", b->name, rp_bytes_at(b), text);
}
