/* parse.h - numbers, sizes and lists as people type them. */
#ifndef RP_BASE_PARSE_H
#define RP_BASE_PARSE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* All of these fail with RP_USAGE, naming what was found and what is wanted; *out is then unchanged.
 * Whole numbers: decimal, or hexadecimal with 0x; nothing before or after. */
bool rp_parse_u64(const char *text, uint64_t *out, struct rp_err *err);
bool rp_parse_double(const char *text, double *out, struct rp_err *err); /* finite */

/* Bytes, at least 1: `4096`, `48k`, `1M`, `2G`, `1KiB`, `1MiB`, `1GiB` (k, M, G are powers of 1024). */
bool rp_parse_size(const char *text, uint64_t *out, struct rp_err *err);

/* A list of numbers, or of sizes with `sizes`: `1,2,4`, doublings `16..4096` or with a factor `16..4096:*4`, steps
 * `8..64:+8`, and these joined by commas. Gives *out (free it), *n of them, at least one, in the order written. */
bool rp_parse_list(const char *text, bool sizes, uint64_t **out, size_t *n, struct rp_err *err);

/* A size as people write it, exactly: "48KiB", "1MiB", "1000". `room` of 24 is enough. Returns `to`. */
char *rp_print_size(char *to, size_t room, uint64_t bytes);

/* The name of the `n` in `names` that is nearest to `text`, by edit distance, or NULL if none is near: for "did you
 * mean". Borrows. */
const char *rp_nearest(const char *text, const char *const *names, size_t n);

/* For readers of text, quick and bounded: digits from *at, before `end`, into *out. Moves *at behind the last digit.
 * false: no digit there, or more than 64 bits. rp_scan_hex takes an optional 0x. */
static inline bool
rp_scan_dec(const char **at, const char *end, uint64_t *out)
{
	const char *p = *at;
	uint64_t x = 0;
	for (; p < end && (unsigned char)(*p - '0') < 10; p++) {
		unsigned d = (unsigned)(*p - '0');
		if (x > (UINT64_MAX - d) / 10)
			return false;
		x = x * 10 + d;
	}
	bool some = p > *at;
	*at = p;
	*out = x;
	return some;
}

extern const signed char rp_hex_digit[256]; /* value of a hexadecimal digit, -1 for others */

static inline bool
rp_scan_hex(const char **at, const char *end, uint64_t *out)
{
	const char *p = *at;
	if (end - p > 2 && p[0] == '0' && (p[1] | 32) == 'x' &&
	    rp_hex_digit[(unsigned char)p[2]] >= 0)
		p += 2;
	const char *first = p;
	uint64_t x = 0;
	for (int d; p < end && (d = rp_hex_digit[(unsigned char)*p]) >= 0; p++) {
		if (x >> 60)
			return false;
		x = x << 4 | (unsigned)d;
	}
	*at = p;
	*out = x;
	return p > first;
}

#endif
