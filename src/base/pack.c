/* pack.c - columns of numbers in few bytes.
 *
 * First the half bytes, then the numbers' own bytes, low ones first. Steps may go down: the sign is kept in the lowest bit,
 * so that small ones stay small. */
#include "config.h"

#include "base/pack.h"

#include <stdbool.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

static const uint64_t low_bytes[16] = { 0, 0xff, 0xffff, 0xffffff, 0xffffffff,
	UINT64_C(0xffffffffff), UINT64_C(0xffffffffffff), UINT64_C(0xffffffffffffff), UINT64_MAX };

INLINE void
put(unsigned char *to, uint64_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	memcpy(to, &x, sizeof x);
}

INLINE uint64_t
get(const unsigned char *from, unsigned bytes)
{
	uint64_t x;
	memcpy(&x, from, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	return x & low_bytes[bytes];
}

INLINE unsigned
bytes_of(uint64_t x)
{
	return x ? (71 - (unsigned)__builtin_clzll(x)) / 8 : 0;
}

INLINE uint64_t
fold(uint64_t step)
{
	return step << 1 ^ -(step >> 63);
}

INLINE uint64_t
unfold(uint64_t x)
{
	return x >> 1 ^ -(x & 1);
}

INLINE size_t
pack(unsigned char *to, const uint64_t *x, size_t n, bool steps)
{
	unsigned char *half = to, *p = to + (n + 1) / 2;
	uint64_t before = 0;
	for (size_t i = 0; i < n; i += 2) {
		uint64_t a = x[i], b = i + 1 < n ? x[i + 1] : steps ? a : 0;
		uint64_t y = steps ? fold(a - before) : a, z = steps ? fold(b - a) : b;
		unsigned u = bytes_of(y), v = bytes_of(z);
		*half++ = (unsigned char)(u | v << 4);
		put(p, y);
		put(p + u, z);
		p += u + v;
		before = b;
	}
	return (size_t)(p - to);
}

INLINE size_t
unpack(const unsigned char *from, uint64_t *x, size_t n, bool steps)
{
	const unsigned char *half = from, *p = from + (n + 1) / 2;
	uint64_t before = 0;
	for (size_t i = 0; i < n; i += 2) {
		unsigned u = *half & 15, v = *half >> 4;
		uint64_t y = get(p, u), z = get(p + u, v);
		half++;
		p += u + v;
		x[i] = steps ? before + unfold(y) : y;
		before = steps ? x[i] + unfold(z) : z;
		if (i + 1 < n)
			x[i + 1] = before;
	}
	return (size_t)(p - from);
}

size_t
rp_pack(unsigned char *to, const uint64_t *x, size_t n)
{
	return pack(to, x, n, false);
}

size_t
rp_pack_steps(unsigned char *to, const uint64_t *x, size_t n)
{
	return pack(to, x, n, true);
}

size_t
rp_unpack(const unsigned char *from, uint64_t *x, size_t n)
{
	return unpack(from, x, n, false);
}

size_t
rp_unpack_steps(const unsigned char *from, uint64_t *x, size_t n)
{
	return unpack(from, x, n, true);
}
