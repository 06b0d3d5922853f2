/* power.h - k^-s in whole numbers, the same on every machine.
 *
 * The C library's pow() differs in its last bits from one machine to the next, and where a compiler joins a product and a
 * sum so do formulas of our own; with 64-bit whole numbers there is nothing to differ in. */
#ifndef RP_GEN_POWER_H
#define RP_GEN_POWER_H

#include <stdint.h>

enum { RP_POWER_MOST = 16 }; /* largest exponent */

/* Tables for one exponent. */
struct rp_power {
	uint64_t exponent; /* in units of 2^-40 */
	uint64_t log[512]; /* log2(1 + i / 512), in units of 2^-58 */
	uint64_t exp[512]; /* 2^(-i / 512), in units of 2^-63 */
};

/* Prepares for the exponent s in [0, RP_POWER_MOST], rounded to a multiple of 2^-40. */
void rp_power_init(struct rp_power *p, double s);

/* 2^62 * k^-s, rounded; k at least 1. Right to 2^-50 of itself and one unit. */
uint64_t rp_power(const struct rp_power *p, uint32_t k);

#endif
