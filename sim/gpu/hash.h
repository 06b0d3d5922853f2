/* hash.h - the set hashes of GPGPU-Sim, as functions of a line's number or address. */
#ifndef RP_SIM_GPU_HASH_H
#define RP_SIM_GPU_HASH_H

#include <stdbool.h>
#include <stdint.h>

enum rp_gpu_hash {
	RP_GPU_LINEAR,     /* L: the low bits of the line */
	RP_GPU_XOR,        /* X: those xor the bits above them */
	RP_GPU_POLYNOMIAL, /* P: the line modulo a primitive polynomial over GF(2) */
	RP_GPU_FERMI,      /* H: bits of the address */
	RP_GPU_HASHES
};

/* Whether the hash is defined for 2^bits sets: polynomial for 16, 32 and 64, fermi for 32 and 64, the others for any. */
bool rp_gpu_hash_fits(enum rp_gpu_hash hash, unsigned bits);

/* Set of a line (address / line size) among 2^bits, bits at most 32. In 0 .. 2^bits - 1. */
static inline uint32_t
rp_gpu_hash_linear(uint64_t line, unsigned bits)
{
	return (uint32_t)(line & ((UINT64_C(1) << bits) - 1));
}

static inline uint32_t
rp_gpu_hash_xor(uint64_t line, unsigned bits)
{
	return rp_gpu_hash_linear(line ^ line >> bits, bits);
}

/* The remainder of the line, as a polynomial over GF(2), divided by x^4 + x + 1 (bits = 4), x^5 + x^2 + 1 (5) or
 * x^6 + x + 1 (6): of its low 17, 20 or 25 bits, the others are ignored (Rau, ISCA 1991, as GPGPU-Sim has it).
 *
 * Long division is short here: squaring x^4 = x + 1 gives x^8 = x^2 + 1 and x^16 = x^4 + 1, so the bits from 16 on are
 * folded onto the others by one shift and two xors, then twice those from 8 on, and twice those from 4 on; the same holds
 * of the other two. */
static inline uint32_t
rp_gpu_hash_polynomial(uint64_t line, unsigned bits)
{
	/* How many bits take part; x^bits = x^tap + 1. */
	unsigned low = bits == 4 ? 17 : bits == 5 ? 20 : 25, tap = bits == 5 ? 2 : 1;
	uint32_t x = (uint32_t)line & ((UINT32_C(1) << low) - 1);
#define RP_GPU_FOLD(n)                                                                             \
	x = (x & ((UINT32_C(1) << (n)*bits) - 1)) ^ x >> (n)*bits ^ x >> (n)*bits << (n)*tap
	RP_GPU_FOLD(4);
	RP_GPU_FOLD(2);
	RP_GPU_FOLD(2);
	RP_GPU_FOLD(1);
	RP_GPU_FOLD(1);
#undef RP_GPU_FOLD
	return x;
}

/* Fermi's L1 (Nugteren et al., HPCA 2014): address bits 7-11 xor bits 13, 14, 15, 17 and 19; with 64 sets bit 12 is the
 * set's bit 5. Of the address, whatever the line size. */
static inline uint32_t
rp_gpu_hash_fermi(uint64_t address, unsigned bits)
{
	uint32_t a = (uint32_t)address;
	uint32_t low = a >> 7 & 31, high = (a >> 13 & 7) | (a >> 17 & 1) << 3 | (a >> 19 & 1) << 4;
	return (low ^ high) | (bits == 6 ? a >> 12 & 1 : 0) << 5;
}

/* The set of a line of 2^line_bits bytes by any of them that fits. */
uint32_t rp_gpu_hash(enum rp_gpu_hash hash, uint64_t line, unsigned line_bits, unsigned bits);

#endif
