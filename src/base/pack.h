/* pack.h - columns of numbers in few bytes, quickly: for what lies in temporary files.
 *
 * All numbers of a column take 0, 1, 2 or 4 bytes, whichever is enough for what they do not have in common. If a few are
 * longer, these are kept apart; if there are few of all but the low 16 or 32 bits, a byte says which; else each has its own
 * length. Of bytes that differ in the lowest bit only that is kept. */
#ifndef RP_BASE_PACK_H
#define RP_BASE_PACK_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that n numbers take at most, and that `to` needs, at a multiple of 8. */
static inline size_t
rp_pack_room(size_t n)
{
	return 1280 + 9 * n;
}

/* Packs n numbers (65535 at most): the bytes written, a multiple of 8. */
size_t rp_pack(unsigned char *to, const uint64_t *x, size_t n);
size_t rp_pack32(unsigned char *to, const uint32_t *x, size_t n);
size_t rp_pack8(unsigned char *to, const uint8_t *x, size_t n);

/* Back: the bytes read. Reads up to 16 bytes behind them. */
size_t rp_unpack(const unsigned char *from, uint64_t *x, size_t n);
size_t rp_unpack32(const unsigned char *from, uint32_t *x, size_t n);
size_t rp_unpack8(const unsigned char *from, uint8_t *x, size_t n);

#endif
