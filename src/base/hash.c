/* hash.c - hashing of bytes. */
#include "config.h"

#include "base/hash.h"

#include <xxhash.h>

uint64_t
rp_hash_bytes(const void *bytes, size_t n)
{
	return XXH3_64bits(bytes, n);
}
