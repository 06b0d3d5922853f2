/* bytes.h - decoded bytes of a file or a pipe, with the compression found by content.
 *
 * A reader looks at [at, end) and moves `at`; when it wants more it asks. Memory is bounded: a window of some 256 KiB,
 * at most RP_LINE_MOST for one line. */
#ifndef RP_TRACES_BYTES_H
#define RP_TRACES_BYTES_H

#include "base/err.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RP_LINE_MOST = 1 << 20 }; /* bytes; a line of so many, or more, is an error */

struct rp_bytes {
	const unsigned char *at, *end; /* what is decoded and not yet taken */
	uint64_t line;                 /* number of the line last given by rp_bytes_line, from 1 */
	const char
	    *name; /* for messages: as given (the end of a long one), "standard input" for "-" */
	const char *codec;              /* "none", "gzip", "zstd", "xz", "bzip2", "zip" */
	bool ended;                     /* nothing comes behind `end` */
	struct rp_bytes_inside *inside; /* private to bytes.c */
};

/* Opens a file, or standard input for "-". `stop` may be NULL; when it is set while waiting for input, the input ends
 * there as if the file did. Gives (rp_bytes_close). NULL with *err filled: missing, unreadable, a folder (RP_INPUT). */
struct rp_bytes *rp_bytes_open(
    const char *path, const volatile sig_atomic_t *stop, struct rp_err *err);

/* The same from memory, which is borrowed until close: for tests and fuzzing. */
struct rp_bytes *rp_bytes_memory(const void *bytes, size_t n, const char *name, struct rp_err *err);
/* The same, but as a pipe would give it, `piece` bytes (at least 1) at a time: for tests of readers. */
struct rp_bytes *rp_bytes_pieces(
    const void *bytes, size_t n, size_t piece, const char *name, struct rp_err *err);
void rp_bytes_close(struct rp_bytes *b); /* accepts NULL */

/* Makes [at, end) at least `want` bytes long (at most RP_LINE_MOST) unless the input ends first; true also then (look
 * at the length). false: damaged compression, a read error, named with file and offset. Moves the window: pointers into
 * it are void afterwards. */
bool rp_bytes_more(struct rp_bytes *b, size_t want, struct rp_err *err);

/* The next line, without its LF or CR LF, whose end is not a NUL: its length, -1 at the end, -2 on error. *line is good
 * until the next call. The last line may lack its newline. Counts in b->line. */
ptrdiff_t rp_bytes_line(struct rp_bytes *b, const char **line, struct rp_err *err);

/* Offset of `at` in the decoded input, for messages. */
uint64_t rp_bytes_at(const struct rp_bytes *b);

/* How far the file is read, and its size, as it is stored; a size of 0: not known (a pipe). */
void rp_bytes_progress(const struct rp_bytes *b, uint64_t *part, uint64_t *whole);

/* For messages: "name:line: " before a formatted text (rp_fail_line), "name: offset N: " (rp_fail_at). RP_INPUT. */
bool rp_fail_line(struct rp_err *err, const struct rp_bytes *b, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool rp_fail_at(struct rp_err *err, const struct rp_bytes *b, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
