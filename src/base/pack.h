/* pack.h - columns of numbers in few bytes.
 *
 * Each number takes as many bytes as it needs, 0 to 8, after half a byte that says how many. Quick rather than small: for
 * what lies in temporary files. */
#ifndef RP_BASE_PACK_H
#define RP_BASE_PACK_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that n numbers take at most, and that `to` needs. */
static inline size_t
rp_pack_room(size_t n)
{
	return (n + 1) / 2 + 8 * n + 8;
}

/* Packs n numbers: the bytes written. */
size_t rp_pack(unsigned char *to, const uint64_t *x, size_t n);

/* The same for the difference of each to the one before, the first to 0: small where numbers go by small steps. */
size_t rp_pack_steps(unsigned char *to, const uint64_t *x, size_t n);

/* Back: the bytes read. Reads up to 8 bytes behind them. */
size_t rp_unpack(const unsigned char *from, uint64_t *x, size_t n);
size_t rp_unpack_steps(const unsigned char *from, uint64_t *x, size_t n);

#endif
