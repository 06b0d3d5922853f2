/* power.c - k^-s in whole numbers, the same on every machine.
 *
 * k^-s = 2^(-s log2 k). Logarithm and power are each a table for the leading nine bits and a short series for the rest;
 * the tables are made by squaring and by square roots, bit by bit. A fraction is a whole number of 2^-64 unless said. */
#include "config.h"

#include "gen/power.h"

#include <stdbool.h>

__extension__ typedef unsigned __int128 u128;

#define TWO_OVER_LN2 UINT64_C(0xb8aa3b295c17f0bc) /* in units of 2^-62 */
#define LN2          UINT64_C(0xb17217f7d1cf79ac)

/* The product of two fractions. */
static uint64_t
times(uint64_t a, uint64_t b)
{
	return (uint64_t)((u128)a * b >> 64);
}

/* log2 of 1 + i / 512: squaring doubles the logarithm, and its next bit is whether that passes 1. */
static uint64_t
log_entry(uint64_t i)
{
	uint64_t x = (512 + i) << 54, log = 0; /* x in units of 2^-63 */
	for (int bit = 57; bit >= 0; bit--) {
		u128 square = (u128)x * x >> 63;
		bool over = square >> 64 != 0;
		x = (uint64_t)(square >> over);
		log |= (uint64_t)over << bit;
	}
	return log;
}

static uint64_t
root(u128 x)
{
	uint64_t r = 0;
	for (int bit = 63; bit >= 0; bit--) {
		uint64_t next = r | UINT64_C(1) << bit;
		if ((u128)next * next <= x)
			r = next;
	}
	return r;
}

void
rp_power_init(struct rp_power *p, double s)
{
	uint64_t half_power = UINT64_C(1)
	                      << 62; /* 2^-1, then 2^-1/2, 2^-1/4 ..., in units of 2^-63 */
	p->exponent = (uint64_t)(s * 0x1p40 + 0.5);
	for (unsigned i = 0; i < 512; i++) {
		p->log[i] = log_entry(i);
		p->exp[i] = UINT64_C(1) << 63;
	}
	for (unsigned bit = 256; bit; bit >>= 1) {
		half_power = root((u128)half_power << 63);
		for (unsigned i = 0; i < 512; i++)
			if (i & bit)
				p->exp[i] = (uint64_t)((u128)p->exp[i] * half_power >> 63);
	}
}

/* log2 k, in units of 2^-58. With k = 2^e (a + d) and a the leading bits, log2(1 + d / a) is 2 / ln 2 times
 * artanh z = z + z^3 / 3 + z^5 / 5 + ..., z = d / (2 a + d), which is below 2^-10. */
static uint64_t
log2_of(const struct rp_power *p, uint32_t k)
{
	unsigned e = 31 - (unsigned)__builtin_clz(k);
	uint64_t m = (uint64_t)k << (55 - e);
	uint64_t d = m & ((UINT64_C(1) << 46) - 1);
	uint64_t z = (uint64_t)(((u128)d << 64) / (2 * m - d));
	uint64_t z2 = times(z, z), z3 = times(z2, z), z5 = times(z3, z2);
	uint64_t rest = (uint64_t)((u128)(z + z3 / 3 + z5 / 5) * TWO_OVER_LN2 >> 68);
	return ((uint64_t)e << 58) + p->log[m >> 46 & 511] + rest;
}

/* 2^62 * 2^(-whole - f). For what the table leaves of f, e^-y = 1 - y (1 - y/2 (1 - y/3 (1 - y/4 (1 - y/5)))), y below
 * 2^-9. */
static uint64_t
exp2_of(const struct rp_power *p, uint64_t whole, uint64_t f)
{
	uint64_t table = p->exp[f >> 55];
	uint64_t y = times(f & ((UINT64_C(1) << 55) - 1), LN2);
	uint64_t v = y / 5;
	v = (y - times(y, v)) / 4;
	v = (y - times(y, v)) / 3;
	v = (y - times(y, v)) / 2;
	v = y - times(y, v);
	uint64_t x = table - times(table, v);
	return whole >= 63 ? 0 : ((x >> whole) + 1) >> 1;
}

uint64_t
rp_power(const struct rp_power *p, uint32_t k)
{
	u128 e = (u128)p->exponent * log2_of(p, k); /* in units of 2^-98 */
	return exp2_of(p, (uint64_t)(e >> 98), (uint64_t)(e >> 34));
}
