/* sample.h - a sample of lines, chosen by a hash of the line: all lookups of a line are in it, or none.
 *
 * The reuse distances among the lookups of a share R of the lines are, divided by R, those of the whole, on average: the
 * curve of a long trace from a few of its lines (Waldspurger, Park, Garthwaite and Ahmad, "Efficient MRC Construction with
 * SHARDS", FAST 2015). */
#ifndef RP_SIM_OBSERVE_SAMPLE_H
#define RP_SIM_OBSERVE_SAMPLE_H

#include "sim/level.h"

#include "base/hash.h"

#include <stddef.h>
#include <stdint.h>

/* The bound that takes every line. */
#define RP_SAMPLE_ALL (UINT64_C(1) << 32)

struct rp_sample {
	uint64_t salt;  /* which of all samples of that size */
	uint64_t below; /* lines whose hash is below it are in: 1 .. RP_SAMPLE_ALL */
	size_t (*loop)(const uint64_t *addr, size_t n, unsigned shift, uint64_t salt,
	    uint64_t below, uint32_t *index); /* private */
};

/* A sample of a share `rate` (above 0, at most 1) of all lines, as near as 2^-32. */
struct rp_sample rp_sample_of(double rate, uint64_t seed, enum rp_level level);

static inline double
rp_sample_rate(const struct rp_sample *s)
{
	return (double)s->below / (double)RP_SAMPLE_ALL;
}

/* 32 bits; a line is in the sample if it is below s->below. The half of the hash that this leaves is as good as independent
 * of it: rp_sample_part. */
static inline uint64_t
rp_sample_hash(const struct rp_sample *s, uint64_t line)
{
	return rp_mix64(line + s->salt) >> 32;
}

/* One of `parts` (a power of two, at most 2^16) that a line belongs to, in the sample or not. */
static inline unsigned
rp_sample_part(const struct rp_sample *s, uint64_t line, unsigned parts)
{
	return (unsigned)rp_mix64(line + s->salt) & (parts - 1);
}

/* Which of n addresses are of lines, 2^shift bytes long, in the sample: their places, ascending, in `index`, which has room
 * for n (below 2^32). How many. */
static inline size_t
rp_sample_take(
    const struct rp_sample *s, const uint64_t *addr, size_t n, unsigned shift, uint32_t *index)
{
	return s->loop(addr, n, shift, s->salt, s->below, index);
}

#endif
