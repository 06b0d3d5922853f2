/* rng.c - random numbers that are the same on every machine. */
#include "config.h"

#include "base/rng.h"

#include <string.h>

struct rp_rng
rp_rng_for(uint64_t seed, const char *name, uint64_t index)
{
	uint64_t h = rp_hash_bytes(name, strlen(name));
	return (struct rp_rng){ rp_mix64(rp_mix64(seed ^ h) + rp_mix64(index)) };
}
