/* bins.h - ranges that numbers are counted in: each its own, of equal width, or so many to a doubling. */
#ifndef RP_SIM_OBSERVE_BINS_H
#define RP_SIM_OBSERVE_BINS_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* Logarithmic bins: numbers below 2^(bits + 2) have one each, above these 2^bits share a doubling. With RP_LOG_BITS they
 * are the bins of reuse profiles (MLCRP's specification, 9 B): 0..15, then four an octave, so that edges fall on all caches of
 * 2^a * {4, 5, 6, 7} lines. */
enum { RP_LOG_BITS = 2 };

/* Number of bins that numbers below 2^octaves take. */
static inline unsigned
rp_log_bins(unsigned bits, unsigned octaves)
{
	return (4u << bits) + ((octaves - bits - 2) << bits);
}

/* Bin of x, from 0. */
static inline unsigned
rp_log_bin(uint64_t x, unsigned bits)
{
	if (x < UINT64_C(4) << bits)
		return (unsigned)x;
	unsigned octave = 63 - (unsigned)__builtin_clzll(x);
	return (4u << bits) + ((octave - bits - 2) << bits) +
	       ((unsigned)(x >> (octave - bits)) & ((1u << bits) - 1));
}

/* The least number of a bin. */
static inline uint64_t
rp_log_low(unsigned bin, unsigned bits)
{
	if (bin < 4u << bits)
		return bin;
	unsigned above = bin - (4u << bits), octave = bits + 2 + (above >> bits);
	return (UINT64_C(1) << octave) +
	       ((uint64_t)(above & ((1u << bits) - 1)) << (octave - bits));
}

/* The largest number in the bin of x. */
static inline uint64_t
rp_log_high(uint64_t x, unsigned bits)
{
	if (x < UINT64_C(4) << bits)
		return x;
	unsigned octave = 63 - (unsigned)__builtin_clzll(x);
	return x | ((UINT64_C(1) << (octave - bits)) - 1);
}

enum rp_bins_kind { RP_BINS_EXACT, RP_BINS_LINEAR, RP_BINS_LOG };

struct rp_bins {
	enum rp_bins_kind kind;
	uint64_t width; /* of linear ones */
};

/* "exact", "linear:W" (W from 1) or "log". RP_USAGE. */
bool rp_bins_parse(const char *text, struct rp_bins *out, struct rp_err *err);

/* The least and the largest number of the bin that x is in. */
uint64_t rp_bins_low(const struct rp_bins *b, uint64_t x);
uint64_t rp_bins_high(const struct rp_bins *b, uint64_t x);

#endif
