/* fraction.c - exact fractions of 128-bit whole numbers. */
#include "config.h"

#include "validate/fraction.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide_size;

static wide_size
size_of(rp_wide x)
{
	return x < 0 ? -(wide_size)x : (wide_size)x;
}

struct rp_fraction
rp_fraction(rp_wide num, rp_wide den)
{
	wide_size a = size_of(num), b = size_of(den);
	while (b) {
		wide_size rest = a % b;
		a = b;
		b = rest;
	}
	rp_wide by = den < 0 ? -(rp_wide)a : (rp_wide)a;
	return (struct rp_fraction){ num / by, den / by };
}

double
rp_fraction_double(struct rp_fraction f)
{
	return (double)f.num / (double)f.den;
}

rp_wide
rp_wide_floor(rp_wide num, rp_wide den)
{
	return num / den - (num % den < 0);
}

rp_wide
rp_wide_ceil(rp_wide num, rp_wide den)
{
	return num / den + (num % den > 0);
}

char *
rp_wide_print(char *to, rp_wide x)
{
	char digits[RP_WIDE_ROOM], *p = digits + sizeof digits;
	wide_size left = size_of(x);
	*--p = 0;
	do
		*--p = (char)('0' + (int)(left % 10));
	while (left /= 10);
	if (x < 0)
		*--p = '-';
	return memcpy(to, p, (size_t)(digits + sizeof digits - p));
}
