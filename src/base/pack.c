/* pack.c - columns of numbers in few bytes.
 *
 * A column is a head and, by its form: WIDTH: the low `width` bytes of each number, all others of which are those of
 * `common`. MOSTLY: the same with two bytes, 0xffff for a longer one; those follow, place and number. HALVES: the upper
 * halves there are, a byte each that says which, the lower halves. STEPS: differences to the number before, each with half a
 * byte that says how many bytes it has, 0 to 8, and those; the sign is in the lowest bit, so that small ones stay small.
 *
 * All parts begin at multiples of 8. Loops go by blocks of a fixed size, which compilers make vectors of. */
#include "config.h"

#include "base/pack.h"

#include <stdbool.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum form { WIDTH, MOSTLY, HALVES, STEPS };
enum { BLOCK = 16, LONG = 0xffff, SLOTS = 256, SHORT_LISTS = 1 << 13 };

struct head {
	uint64_t common;
	uint16_t form, width;
	uint32_t more; /* longer numbers; upper halves */
};

/* Bits in which the numbers differ. */
static uint64_t
differing(const uint64_t *x, size_t n)
{
	uint64_t any = 0, first = n ? x[0] : 0;
	size_t i = 0;
	for (; i + BLOCK <= n; i += BLOCK)
		for (size_t k = 0; k < BLOCK; k++)
			any |= x[i + k] ^ first;
	for (; i < n; i++)
		any |= x[i] ^ first;
	return any;
}

#define NARROW(type)                                                                               \
	do {                                                                                       \
		type *restrict low = to;                                                           \
		for (; i + BLOCK <= n; i += BLOCK)                                                 \
			for (size_t k = 0; k < BLOCK; k++)                                         \
				low[i + k] = (type)x[i + k];                                       \
		for (; i < n; i++)                                                                 \
			low[i] = (type)x[i];                                                       \
	} while (0)

static void
narrow(void *to, const uint64_t *x, size_t n, unsigned width)
{
	size_t i = 0;
	if (width == 1)
		NARROW(uint8_t);
	else if (width == 2)
		NARROW(uint16_t);
	else if (width == 4)
		NARROW(uint32_t);
}

#define WIDEN(type)                                                                                \
	do {                                                                                       \
		const type *restrict low = from;                                                   \
		for (; i + BLOCK <= n; i += BLOCK)                                                 \
			for (size_t k = 0; k < BLOCK; k++)                                         \
				x[i + k] = common | low[i + k];                                    \
		for (; i < n; i++)                                                                 \
			x[i] = common | low[i];                                                    \
	} while (0)

static void
widen(const void *from, uint64_t *restrict x, size_t n, unsigned width, uint64_t common)
{
	size_t i = 0;
	if (width == 1)
		WIDEN(uint8_t);
	else if (width == 2)
		WIDEN(uint16_t);
	else if (width == 4)
		WIDEN(uint32_t);
	else
		for (; i < n; i++)
			x[i] = common;
}

static size_t
whole(size_t bytes)
{
	return (bytes + 7) & ~(size_t)7;
}

/* ---- MOSTLY ---- */

/* Whether fewer than an eighth are longer than two bytes, 0xffff included. */
static bool
mostly_short(const uint64_t *x, size_t n)
{
	size_t count = 0, i = 0;
	for (; i + BLOCK <= n && count <= n / 8; i += BLOCK) {
		uint64_t some = 0;
		for (size_t k = 0; k < BLOCK; k++)
			some += ((x[i + k] + 1) >> 16) != 0;
		count += some;
	}
	for (; i < n && count <= n / 8; i++)
		count += ((x[i] + 1) >> 16) != 0;
	return count < n / 8;
}

static size_t
pack_mostly(unsigned char *to, const uint64_t *x, size_t n, uint32_t *more)
{
	uint16_t place[SHORT_LISTS + 1], *low = (uint16_t *)to;
	uint32_t count = 0;
	for (size_t i = 0; i < n; i++) {
		bool is_long = ((x[i] + 1) >> 16) != 0;
		low[i] = is_long ? LONG : (uint16_t)x[i];
		place[count] = (uint16_t)i;
		count += is_long;
	}
	*more = count;
	size_t at = whole(2 * n);
	memcpy(to + at, place, count * sizeof *place);
	at += whole(count * sizeof *place);
	uint64_t *number = (uint64_t *)(to + at);
	for (uint32_t i = 0; i < count; i++)
		number[i] = x[place[i]];
	return at + count * sizeof *number;
}

static size_t
unpack_mostly(const unsigned char *from, uint64_t *x, size_t n, uint32_t more)
{
	size_t at = whole(2 * n);
	const uint16_t *place = (const uint16_t *)(from + at);
	const uint64_t *number = (const uint64_t *)(from + at + whole(more * sizeof *place));
	widen(from, x, n, 2, 0);
	for (uint32_t i = 0; i < more; i++)
		x[place[i]] = number[i];
	return at + whole(more * sizeof *place) + more * sizeof *number;
}

/* ---- HALVES ---- */

/* Bytes; 0 if there are too many upper halves, or two in one slot. */
static size_t
pack_halves(unsigned char *to, const uint64_t *x, size_t n)
{
	uint32_t *half = (uint32_t *)to, *low = half + SLOTS;
	unsigned char *code = to + 4 * SLOTS + whole(4 * n);
	bool taken[SLOTS] = { false };
	bool clash = false;
	for (size_t i = 0; i < n; i++) {
		uint32_t h = (uint32_t)(x[i] >> 32), slot = h * UINT32_C(0x9e3779b1) >> 24;
		clash |= taken[slot] & (half[slot] != h);
		taken[slot] = true;
		half[slot] = h;
		low[i] = (uint32_t)x[i];
		code[i] = (unsigned char)slot;
	}
	for (size_t i = 0; i < SLOTS; i++)
		half[i] = taken[i] ? half[i] : 0;
	return clash ? 0 : 4 * SLOTS + whole(4 * n) + whole(n);
}

static size_t
unpack_halves(const unsigned char *from, uint64_t *x, size_t n)
{
	const uint32_t *half = (const uint32_t *)from, *low = half + SLOTS;
	const unsigned char *code = from + 4 * SLOTS + whole(4 * n);
	for (size_t i = 0; i < n; i++)
		x[i] = (uint64_t)half[code[i]] << 32 | low[i];
	return 4 * SLOTS + whole(4 * n) + whole(n);
}

/* ---- STEPS ---- */

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

static size_t
pack_steps(unsigned char *to, const uint64_t *x, size_t n)
{
	unsigned char *half = to, *p = to + (n + 1) / 2;
	uint64_t before = 0;
	for (size_t i = 0; i < n; i += 2) {
		uint64_t a = x[i], b = i + 1 < n ? x[i + 1] : a;
		uint64_t y = fold(a - before), z = fold(b - a);
		unsigned u = bytes_of(y), v = bytes_of(z);
		*half++ = (unsigned char)(u | v << 4);
		put(p, y);
		put(p + u, z);
		p += u + v;
		before = b;
	}
	return (size_t)(p - to);
}

static size_t
unpack_steps(const unsigned char *from, uint64_t *x, size_t n)
{
	const unsigned char *half = from, *p = from + (n + 1) / 2;
	uint64_t before = 0;
	for (size_t i = 0; i < n; i += 2) {
		unsigned u = *half & 15, v = *half >> 4;
		uint64_t y = get(p, u), z = get(p + u, v);
		half++;
		p += u + v;
		x[i] = before + unfold(y);
		before = x[i] + unfold(z);
		if (i + 1 < n)
			x[i + 1] = before;
	}
	return (size_t)(p - from);
}

/* ---- The form that suits ---- */

static size_t
put_head(unsigned char *to, const struct head *h)
{
	memcpy(to, h, sizeof *h);
	return sizeof *h;
}

size_t
rp_pack(unsigned char *to, const uint64_t *x, size_t n)
{
	uint64_t differ = differing(x, n);
	struct head h = { .form = WIDTH };
	size_t at = sizeof h, bytes;
	h.width = !differ ? 0 : differ < 1 << 8 ? 1 : differ < 1 << 16 ? 2 : differ >> 32 ? 8 : 4;
	if (h.width >= 4 && mostly_short(x, n)) {
		h.form = MOSTLY;
		at += pack_mostly(to + at, x, n, &h.more);
	} else if (h.width < 8) {
		h.common = n ? x[0] & UINT64_MAX << 8 * h.width : 0;
		narrow(to + at, x, n, h.width);
		at += whole(h.width * n);
	} else if ((bytes = pack_halves(to + at, x, n))) {
		h.form = HALVES;
		at += bytes;
	} else {
		h.form = STEPS;
		at += whole(pack_steps(to + at, x, n));
	}
	put_head(to, &h);
	return at;
}

size_t
rp_unpack(const unsigned char *from, uint64_t *x, size_t n)
{
	struct head h;
	memcpy(&h, from, sizeof h);
	from += sizeof h;
	switch ((enum form)h.form) {
	case MOSTLY:
		return sizeof h + unpack_mostly(from, x, n, h.more);
	case HALVES:
		return sizeof h + unpack_halves(from, x, n);
	case STEPS:
		return sizeof h + whole(unpack_steps(from, x, n));
	case WIDTH:
		break;
	}
	widen(from, x, n, h.width, h.common);
	return sizeof h + whole(h.width * n);
}

size_t
rp_pack32(unsigned char *to, const uint32_t *x, size_t n)
{
	uint32_t differ = 0;
	struct head h = { .form = WIDTH };
	for (size_t i = 0; i < n; i++)
		differ |= x[i] ^ x[0];
	h.width = !differ ? 0 : differ < 1 << 8 ? 1 : differ < 1 << 16 ? 2 : 4;
	h.common = n ? x[0] & UINT64_MAX << 8 * h.width : 0;
	put_head(to, &h);
	to += sizeof h;
	for (size_t i = 0; i < n && h.width == 1; i++)
		to[i] = (unsigned char)x[i];
	for (size_t i = 0; i < n && h.width == 2; i++)
		((uint16_t *)to)[i] = (uint16_t)x[i];
	if (h.width == 4)
		memcpy(to, x, 4 * n);
	return sizeof h + whole(h.width * n);
}

size_t
rp_unpack32(const unsigned char *from, uint32_t *x, size_t n)
{
	struct head h;
	memcpy(&h, from, sizeof h);
	from += sizeof h;
	uint32_t common = (uint32_t)h.common;
	for (size_t i = 0; i < n && h.width == 0; i++)
		x[i] = common;
	for (size_t i = 0; i < n && h.width == 1; i++)
		x[i] = common | from[i];
	for (size_t i = 0; i < n && h.width == 2; i++)
		x[i] = common | ((const uint16_t *)from)[i];
	if (h.width == 4)
		memcpy(x, from, 4 * n);
	return sizeof h + whole(h.width * n);
}
