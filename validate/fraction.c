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

enum { DIGITS_MOST = 18 };

/* Digits from *at on behind the number that is in *x. Moves *at behind them. How many; -1: too many. */
static int
digits(const char **at, rp_wide *x, int before)
{
	int n = 0;
	for (; **at >= '0' && **at <= '9'; (*at)++, n++) {
		if (before + n == DIGITS_MOST)
			return -1;
		*x = *x * 10 + (**at - '0');
	}
	return n;
}

bool
rp_fraction_parse(const char *text, struct rp_fraction *out, struct rp_err *err)
{
	const char *at = text;
	rp_wide num = 0, den = 1;
	int n = digits(&at, &num, 0), more = 0;
	if (n > 0 && *at == '.') {
		at++;
		more = digits(&at, &num, n);
		for (int i = 0; i < more; i++)
			den *= 10;
	} else if (n > 0 && *at == '/') {
		at++;
		den = 0;
		more = digits(&at, &den, 0);
	}
	if (n < 1 || more < 0 || *at || !den ||
	    (more == 0 && at > text && (at[-1] == '.' || at[-1] == '/')))
		return rp_fail(err, RP_USAGE,
		    "'%.40s': wanted a number like 250, 0.25 or 1/3, of at most %d digits", text,
		    DIGITS_MOST);
	*out = rp_fraction(num, den);
	return true;
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
