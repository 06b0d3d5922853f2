/* hash.h - mixing of numbers and hashing of bytes. */
#ifndef RP_BASE_HASH_H
#define RP_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* A bijection on 64 bits that spreads every bit over all (the finaliser of splitmix64: Steele, Lea, Flood, OOPSLA 2014). */
static inline uint64_t
rp_mix64(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* XXH3, 64 bits, of n bytes. */
uint64_t rp_hash_bytes(const void *bytes, size_t n);

#endif
