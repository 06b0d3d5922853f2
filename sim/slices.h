/* slices.h - which slice of a sliced cache a line is in, and its number there.
 *
 * Both are one-to-one: slice and local line give the line back. */
#ifndef RP_SIM_SLICES_H
#define RP_SIM_SLICES_H

#include "sim/gpu/hash.h"
#include "sim/tree_spec.h"

#include <stdint.h>

struct rp_slices {
	uint32_t n;
	bool ipoly, power; /* n is a power of two */
	unsigned bits;     /* log2 of n, if it is one */
	unsigned sectors;  /* log2 of a line's, which stay together */
	unsigned sub;      /* ipoly: log2 of the lines, or sectors, that stay together, 256 bytes */
};

static inline struct rp_slices
rp_slices_of(const struct rp_level_spec *l)
{
	return (struct rp_slices){ .n = l->slices,
		.ipoly = l->slice_hash == RP_SLICE_IPOLY,
		.power = (l->slices & (l->slices - 1)) == 0,
		.bits = 31 - (unsigned)__builtin_clz(l->slices),
		.sectors = rp_cache_spec_shift(&l->cache),
		.sub = 8 - rp_cache_spec_unit_bits(&l->cache) };
}

/* Slice of a line, and in *local its number in that slice; of a cache with sectors: of a sector, and the sector's.
 *
 * mod: line mod n, so that n slices of s sets are one cache of n * s sets. ipoly, as on a V100 (n = 64): blocks of 256 bytes
 * go round n / 2 channels of two slices; slice bit and channel, and all bits above them, are hashed by a polynomial. */
static inline uint32_t
rp_slice_of(const struct rp_slices *s, uint64_t line, uint64_t *local)
{
	if (!s->ipoly) {
		uint64_t whole = line >> s->sectors, sector = line - (whole << s->sectors);
		uint64_t quotient = s->power ? whole >> s->bits : whole / s->n;
		*local = quotient << s->sectors | sector;
		return (uint32_t)(s->power ? whole & (s->n - 1) : whole - quotient * s->n);
	}
	uint64_t block = line >> s->sub, rest = block >> s->bits;
	uint64_t channel = block & (s->n / 2 - 1), bit = block >> (s->bits - 1) & 1;
	*local = rest << s->sub | (line & ((UINT64_C(1) << s->sub) - 1));
	return rp_gpu_hash_polynomial(rest << s->bits | channel << 1 | bit, s->bits);
}

static inline uint64_t
rp_slice_line(const struct rp_slices *s, uint32_t slice, uint64_t local)
{
	if (!s->ipoly)
		return ((local >> s->sectors) * s->n + slice) << s->sectors |
		       (local & ((UINT64_C(1) << s->sectors) - 1));
	uint64_t rest = local >> s->sub;
	/* The hash is linear: without what rest gives it is channel and slice bit. */
	uint64_t index = slice ^ rp_gpu_hash_polynomial(rest << s->bits, s->bits);
	uint64_t block = rest << s->bits | (index & 1) << (s->bits - 1) | index >> 1;
	return block << s->sub | (local & ((UINT64_C(1) << s->sub) - 1));
}

#endif
