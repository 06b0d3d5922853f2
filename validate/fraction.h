/* fraction.h - exact fractions of 128-bit whole numbers.
 *
 * Closed forms decide hits and misses by these and by whole numbers, never by floating point. */
#ifndef RP_VALIDATE_FRACTION_H
#define RP_VALIDATE_FRACTION_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 rp_wide;

/* In lowest terms; den is at least 1. */
struct rp_fraction {
	rp_wide num, den;
};

/* num / den in lowest terms; den is not 0. */
struct rp_fraction rp_fraction(rp_wide num, rp_wide den);

/* `250`, `0.25`, `1/3`: at least 0, at most 18 digits on each side. RP_USAGE; *out is then unchanged. */
bool rp_fraction_parse(const char *text, struct rp_fraction *out, struct rp_err *err);

/* The nearest double, but for a rounding of each term. */
double rp_fraction_double(struct rp_fraction f);

/* num / den rounded down, and up; den above 0. */
rp_wide rp_wide_floor(rp_wide num, rp_wide den);
rp_wide rp_wide_ceil(rp_wide num, rp_wide den);

/* A whole number in decimal. `to` needs RP_WIDE_ROOM bytes. Returns it. */
enum { RP_WIDE_ROOM = 44 };
char *rp_wide_print(char *to, rp_wide x);

#endif
