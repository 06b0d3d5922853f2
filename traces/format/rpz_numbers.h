/* rpz_numbers.h - a column of whole numbers, most of them small.
 *
 * A token a number, its length in bytes (0 to 8), and its bytes in three strings: the first of each, the second of
 * each, the rest together. zstd sees repeating tokens as what they are. Four columns of the file, of which those that
 * are empty are left out; tokens that are all zero too. */
#ifndef RP_TRACES_FORMAT_RPZ_NUMBERS_H
#define RP_TRACES_FORMAT_RPZ_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rp_rpz_numbers {
	uint8_t *token, *first, *second,
	    *rest; /* room for n, n, n and 6 n bytes (and RP_RPZ_SLACK each) */
	size_t n, n_first, n_second, n_rest;
	bool some; /* a token that is not zero */
};

static inline unsigned
rp_rpz_length(uint64_t x) /* bytes, 0 for 0 */
{
	return x ? (71 - (unsigned)__builtin_clzll(x)) / 8 : 0;
}

/* Appends the low `length` bytes (0 to 8) of x under a token. */
static inline void
rp_rpz_number_put(struct rp_rpz_numbers *c, uint8_t token, unsigned length, uint64_t x)
{
	c->token[c->n++] = token;
	c->some |= token != 0;
	if (length > 0)
		c->first[c->n_first++] = (uint8_t)x;
	if (length > 1)
		c->second[c->n_second++] = (uint8_t)(x >> 8);
	for (unsigned k = 2; k < length; k++)
		c->rest[c->n_rest++] = (uint8_t)(x >> 8 * k);
}

static inline void
rp_rpz_number_add(struct rp_rpz_numbers *c, uint64_t x)
{
	unsigned length = rp_rpz_length(x);
	rp_rpz_number_put(c, (uint8_t)length, length, x);
}

static inline void
rp_rpz_numbers_clear(struct rp_rpz_numbers *c)
{
	c->n = c->n_first = c->n_second = c->n_rest = 0;
	c->some = false;
}

/* For reading: the strings as they were unpacked, and cursors into them. */
struct rp_rpz_reading {
	const uint8_t *token, *first, *second, *rest; /* token NULL: all zero */
};

/* The next number. rp_rpz_numbers_fit has been asked before, so there is no check here. */
static inline uint64_t
rp_rpz_number_get(struct rp_rpz_reading *c, unsigned length)
{
	uint64_t x = 0;
	if (length > 0)
		x = *c->first++;
	if (length > 1)
		x |= (uint64_t)*c->second++ << 8;
	for (unsigned k = 2; k < length; k++)
		x |= (uint64_t)*c->rest++ << 8 * k;
	return x;
}

static inline uint64_t
rp_rpz_number_next(struct rp_rpz_reading *c)
{
	return c->token ? rp_rpz_number_get(c, *c->token++) : 0;
}

/* Whether n tokens (NULL: zeroes), whose lengths are token & mask, are all at most `most`, with a length of at most 8,
 * and use exactly so many bytes of each string. */
bool rp_rpz_numbers_fit(const uint8_t *token, size_t n, uint8_t mask, uint8_t most, size_t first,
    size_t second, size_t rest);

#endif
