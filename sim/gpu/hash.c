/* hash.c - the set hashes of GPGPU-Sim, chosen by name. */
#include "config.h"

#include "sim/gpu/hash.h"

bool
rp_gpu_hash_fits(enum rp_gpu_hash hash, unsigned bits)
{
	if (hash == RP_GPU_POLYNOMIAL)
		return bits >= 4 && bits <= 6;
	return hash != RP_GPU_FERMI || bits == 5 || bits == 6;
}

uint32_t
rp_gpu_hash(enum rp_gpu_hash hash, uint64_t line, unsigned line_bits, unsigned bits)
{
	switch (hash) {
	case RP_GPU_XOR:
		return rp_gpu_hash_xor(line, bits);
	case RP_GPU_POLYNOMIAL: /* constants make shifts of it */
		return bits == 4   ? rp_gpu_hash_polynomial(line, 4)
		       : bits == 5 ? rp_gpu_hash_polynomial(line, 5)
		                   : rp_gpu_hash_polynomial(line, 6);
	case RP_GPU_FERMI:
		return rp_gpu_hash_fermi(line << line_bits, bits);
	default:
		return rp_gpu_hash_linear(line, bits);
	}
}
