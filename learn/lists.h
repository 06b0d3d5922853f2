/* lists.h - lists of a design, as people write them. All of these fail with RP_USAGE, naming what was found. */
#ifndef RP_LEARN_LISTS_H
#define RP_LEARN_LISTS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers, or places in a table of names. Starts as zeroes; x is released with free. */
struct rp_numbers {
	uint64_t *x;
	size_t n;
};

/* Appends one. RP_RESOURCE. */
bool rp_numbers_add(struct rp_numbers *out, uint64_t x, struct rp_err *err);

/* A list as rp_parse_list has it, of numbers in least..most; `name` is for the message. */
bool rp_numbers_parse(struct rp_numbers *out, const char *name, const char *text, uint64_t least,
    uint64_t most, struct rp_err *err);

/* Names with commas between them, as their places in `known`, which ends in NULL. */
bool rp_names_parse(struct rp_numbers *out, const char *name, const char *text,
    const char *const *known, struct rp_err *err);

/* `LOW..HIGH`, or one number for both. */
bool rp_range_parse(const char *text, uint64_t *low, uint64_t *high, struct rp_err *err);

/* Calls `each` for the pieces between commas, without the blanks around them; none is empty. */
bool rp_pieces(const char *text, bool (*each)(void *to, const char *piece, struct rp_err *err),
    void *to, struct rp_err *err);

#endif
