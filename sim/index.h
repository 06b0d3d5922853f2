/* index.h - which set a line belongs to. */
#ifndef RP_SIM_INDEX_H
#define RP_SIM_INDEX_H

#include "sim/cache.h"
#include "sim/gpu/hash.h"

#include "base/hash.h"

#include <stdint.h>

/* The set of a line (address / line size) of such a cache. */
static inline uint32_t
rp_index_of(const struct rp_cache_spec *s, uint64_t line)
{
	unsigned bits = (unsigned)__builtin_ctz(s->sets);
	if (s->sets == 1)
		return 0;
	switch (s->index) {
	case RP_INDEX_XOR:
		return rp_gpu_hash_xor(line, bits);
	case RP_INDEX_IPOLY:
		return rp_gpu_hash_polynomial(line, bits);
	case RP_INDEX_FERMI:
		return rp_gpu_hash_fermi(line << __builtin_ctz(s->line), bits);
	case RP_INDEX_HASH:
		/* Mixed numbers are spread over 2^64, each set has an equal share of them. */
		return (uint32_t)((unsigned __int128)rp_mix64(line) * s->sets >> 64);
	default:
		return (uint32_t)(line % s->sets);
	}
}

#endif
