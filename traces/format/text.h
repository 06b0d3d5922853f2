/* text.h - what formats share: lines and fields in, digits out, and the one check of an access's bytes. */
#ifndef RP_TRACES_FORMAT_TEXT_H
#define RP_TRACES_FORMAT_TEXT_H

#include "base/out.h"
#include "traces/batch.h"
#include "traces/bytes.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The bytes of an access lie below 2^64: one that would wrap is bad input (RP_INPUT), in every reader. `size` is at
 * least 1. */
static inline bool
rp_span_fits(uint64_t addr, uint64_t size)
{
	return size - 1 <= UINT64_MAX - addr;
}

/* How a reader says so, with the size and the address. */
#define RP_SPAN_WRAPS "%" PRIu64 " bytes at address 0x%" PRIx64 " end beyond 2^64"

/* What rp_text_line returns when there is no line. */
enum { RP_TEXT_END = -1, RP_TEXT_FAILED = -2, RP_TEXT_LATER = -3 };

static inline bool
rp_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline const char *
rp_skip_blanks(const char *p, const char *end)
{
	while (p < end && rp_is_blank(*p))
		p++;
	return p;
}

/* Length of the line without the blanks and CR at its end. */
static inline ptrdiff_t
rp_text_trim(const char *line, ptrdiff_t n)
{
	while (n > 0 && (rp_is_blank(line[n - 1]) || line[n - 1] == '\r'))
		n--;
	return n;
}

/* The next line as rp_bytes_line gives it, without blanks at its end. With `have` (the caller has rows to hand over) it
 * does not wait for a line that is not there yet: RP_TEXT_LATER. */
static inline ptrdiff_t
rp_text_line(struct rp_bytes *in, bool have, const char **line, struct rp_err *err)
{
	size_t there = (size_t)(in->end - in->at);
	const unsigned char *lf = there ? memchr(in->at, '\n', there) : NULL;
	ptrdiff_t n;
	if (lf && lf - in->at < RP_LINE_MOST) {
		*line = (const char *)in->at;
		n = lf - in->at;
		in->at = lf + 1;
		in->line++;
	} else if (!lf && have && !in->ended) {
		return RP_TEXT_LATER;
	} else {
		n = rp_bytes_line(in, line, err);
	}
	return n > 0 ? rp_text_trim(*line, n) : n;
}

/* What a reader returns once rp_text_line gave no line: the rows it has, or -1. */
static inline ptrdiff_t
rp_text_rows(ptrdiff_t line, size_t rows)
{
	return line == RP_TEXT_FAILED ? -1 : (ptrdiff_t)rows;
}

/* What makes of a line (not empty, without blanks at its end) a row: 1, nothing: 0, or -1 with *err. *a is zeroes. */
typedef int rp_text_parse(void *state, struct rp_bytes *in, const char *line, size_t n,
    struct rp_access *a, struct rp_err *err);

/* read() of a format whose lines each make at most one row. `parse` is a constant, to be inlined. */
static inline __attribute__((always_inline)) ptrdiff_t
rp_text_read(void *state, struct rp_bytes *in, struct rp_batch *out, rp_text_parse *parse,
    struct rp_err *err)
{
	size_t from = out->n;
	while (out->n < out->cap) {
		const char *line;
		struct rp_access a = { 0 };
		ptrdiff_t n = rp_text_line(in, out->n > from, &line, err);
		if (n < 0)
			return rp_text_rows(n, out->n - from);
		int row = n ? parse(state, in, line, (size_t)n, &a, err) : 0;
		if (row < 0)
			return -1;
		if (row)
			rp_batch_put(out, &a);
	}
	return (ptrdiff_t)(out->n - from);
}

/* A field of a text line, at most 40 bytes of it, for "%.*s" in a message. */
#define RP_QUOTED(at, end) ((end) - (at) < 40 ? (int)((end) - (at)) : 40), (at)

/* A decimal number, or a hexadecimal one with 0x, from *at; as rp_scan_dec. */
bool rp_scan_number(const char **at, const char *end, uint64_t *out);

/* End of the word that begins at p: the next blank, or `end`. */
const char *rp_word_end(const char *p, const char *end);

/* Whether the n bytes of a line begin with this text. */
bool rp_text_begins(const char *line, size_t n, const char *with);

/* What a probe says of one line, without blanks at its end: 1 mine, 0 it might stand in any text, -1 not mine. */
typedef int rp_text_judge(const char *line, size_t n);

/* Has `judge` look at up to 64 lines of the head of an input, without a last one that is cut short by the head's end
 * unless it is the only one. How many were its own; 0 when one was not, or when the head is no text (a NUL or another
 * control character in it). */
int rp_text_probe(const unsigned char *head, size_t n, rp_text_judge *judge);

/* Writes a number, decimal or hexadecimal (without 0x, at least `least` digits), without a NUL: the end. Room for 20 and
 * 16 bytes is enough. */
static inline char *
rp_put_dec(char *to, uint64_t x)
{
	char digits[20], *p = digits + sizeof digits;
	do {
		*--p = (char)('0' + x % 10);
		x /= 10;
	} while (x);
	size_t n = (size_t)(digits + sizeof digits - p);
	memcpy(to, p, n);
	return to + n;
}

static inline char *
rp_put_hex(char *to, uint64_t x, unsigned least)
{
	unsigned n = x ? (67u - (unsigned)__builtin_clzll(x)) / 4 : 1;
	if (n < least)
		n = least;
	for (unsigned shift = 4 * n; shift; *to++ = "0123456789abcdef"[x >> shift & 15])
		shift -= 4;
	return to;
}

#define RP_PUT_TEXT(to, text) ((char *)memcpy((to), (text), sizeof(text) - 1) + sizeof(text) - 1)

/* Things that a writer cannot say, by reason (static words), counted as it goes. */
struct rp_lost {
	uint64_t atomic, prefetch, write, fetch, stream, time, pc, mask, space, size, mark,
	    next_access;
};

/* Tells of those that are not 0. */
void rp_lost_tell(
    const struct rp_lost *l, void (*tell)(void *to, const char *reason, uint64_t n), void *to);

/* rp_writer.lost of a writer whose state is a struct rp_lost. */
void rp_lost_told(
    const void *state, void (*tell)(void *to, const char *reason, uint64_t n), void *to);

/* Counts the values other than 0 in the optional columns of b that are not in `keeps`. */
void rp_lost_columns(struct rp_lost *l, const struct rp_batch *b, unsigned keeps);

/* Writes the rows of a batch through put(), which appends row i at `to` in at most `most` bytes and returns the end. It is
 * inlined with its put, so that there is no call for each row. */
typedef char *rp_put_row(void *state, char *to, const struct rp_batch *b, size_t i);

static inline __attribute__((always_inline)) bool
rp_put_rows(void *state, struct rp_out *out, const struct rp_batch *b, size_t most, rp_put_row *put,
    struct rp_err *err)
{
	enum { ROWS = 128 };
	for (size_t i = 0; i < b->n;) {
		size_t stop = b->n - i < ROWS ? b->n : i + ROWS;
		char *to = rp_out_room(out, ROWS * most, err), *p = to;
		if (!to)
			return false;
		for (; i < stop; i++)
			p = put(state, p, b, i);
		rp_out_used(out, (size_t)(p - to));
	}
	return true;
}

#endif
