/* pack.c - columns of numbers in few bytes.
 *
 * A column is a head and, by its form: WIDTH: the low `width` bytes of each number, all others of which are those of
 * `common`. MOSTLY: the same with two bytes, 0xffff for a longer one; those follow, place and number. PAGES: the lower 16
 * bits of each, a byte each that says which all others are, those there are. HALVES: the upper halves there are, a byte each
 * that says which, the lower halves. STEPS: differences to the number before, each with half a byte that says how many bytes
 * it has, 0 to 8, and those; the sign is in the lowest bit, so that small ones stay small. BITS: the lowest bit of each.
 *
 * All parts begin at multiples of 8. Loops go by blocks of a fixed size, which compilers make vectors of. */
#include "config.h"

#include "base/pack.h"

#include <stdbool.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum form { WIDTH, MOSTLY, PAGES, HALVES, STEPS, BITS };
enum { BLOCK = 16, TRIED = 16 * BLOCK, LONG = 0xffff, SLOTS = 256, SHORT_LISTS = 1 << 13 };
enum { PAGE_BITS = 16, PAGES_MOST = 128 };

struct head {
	uint64_t common;
	uint16_t form, width;
	uint32_t more; /* longer numbers; pages */
};

/* A loop body for each of n numbers, in blocks. */
#define EACH(n, i, body)                                                                           \
	do {                                                                                       \
		size_t from_ = 0, i;                                                               \
		for (; from_ + BLOCK <= (n); from_ += BLOCK)                                       \
			for (size_t k_ = 0; k_ < BLOCK; k_++) {                                    \
				i = from_ + k_;                                                    \
				body;                                                              \
			}                                                                          \
		for (i = from_; i < (n); i++)                                                      \
			body;                                                                      \
	} while (0)

#define NARROW(type)                                                                               \
	do {                                                                                       \
		type *restrict low = to;                                                           \
		EACH(n, i, low[i] = (type)x[i]);                                                   \
	} while (0)
#define WIDEN(type)                                                                                \
	do {                                                                                       \
		const type *restrict low = from;                                                   \
		EACH(n, i, x[i] = common | low[i]);                                                \
	} while (0)

/* Of numbers of 32 and 64 bits. `differing`: bits in which they differ. */
#define WIDTH_OF(suffix, number)                                                                   \
	static number differing##suffix(const number *x, size_t n)                                 \
	{                                                                                          \
		number any = 0, first = n ? x[0] : 0;                                              \
		EACH(n, i, any |= x[i] ^ first);                                                   \
		return any;                                                                        \
	}                                                                                          \
	static void narrow##suffix(void *to, const number *x, size_t n, unsigned width)            \
	{                                                                                          \
		if (width == 1)                                                                    \
			NARROW(uint8_t);                                                           \
		else if (width == 2)                                                               \
			NARROW(uint16_t);                                                          \
		else if (width == 4)                                                               \
			NARROW(uint32_t);                                                          \
	}                                                                                          \
	static void widen##suffix(                                                                 \
	    const void *from, number *restrict x, size_t n, unsigned width, number common)         \
	{                                                                                          \
		if (width == 1)                                                                    \
			WIDEN(uint8_t);                                                            \
		else if (width == 2)                                                               \
			WIDEN(uint16_t);                                                           \
		else if (width == 4)                                                               \
			WIDEN(uint32_t);                                                           \
		else                                                                               \
			EACH(n, i, x[i] = common);                                                 \
	}
WIDTH_OF(, uint64_t)
WIDTH_OF(32, uint32_t)

static size_t
whole(size_t bytes)
{
	return (bytes + 7) & ~(size_t)7;
}

/* ---- MOSTLY ---- */

/* Of numbers of 32 and 64 bits. `mostly_short`: whether fewer than an eighth are longer than two bytes, 0xffff included. */
#define MOSTLY_OF(suffix, number)                                                                  \
	static bool mostly_short##suffix(const number *x, size_t n)                                \
	{                                                                                          \
		number count = 0;                                                                  \
		for (size_t from = 0; from < n && count < n / 8; from += TRIED) {                  \
			size_t end = n - from < TRIED ? n - from : TRIED;                          \
			EACH(end, i, count += x[from + i] >= LONG);                                \
		}                                                                                  \
		return count < n / 8;                                                              \
	}                                                                                          \
	static size_t pack_mostly##suffix(                                                         \
	    unsigned char *to, const number *restrict x, size_t n, uint32_t *more)                 \
	{                                                                                          \
		uint16_t place[SHORT_LISTS + 1], *restrict low = (uint16_t *)to;                   \
		uint32_t count = 0;                                                                \
		EACH(n, i, low[i] = (uint16_t)(x[i] >= LONG ? LONG : x[i]));                       \
		for (size_t from = 0; from < n; from += BLOCK) {                                   \
			size_t end = n - from < BLOCK ? n : from + BLOCK;                          \
			number some = 0;                                                           \
			EACH(end - from, i, some |= x[from + i] >= LONG);                          \
			for (size_t i = from; some && i < end; i++) {                              \
				place[count] = (uint16_t)i;                                        \
				count += x[i] >= LONG;                                             \
			}                                                                          \
		}                                                                                  \
		*more = count;                                                                     \
		size_t at = whole(2 * n);                                                          \
		memcpy(to + at, place, count * sizeof *place);                                     \
		at += whole(count * sizeof *place);                                                \
		number *longer = (number *)(to + at);                                              \
		for (uint32_t i = 0; i < count; i++)                                               \
			longer[i] = x[place[i]];                                                   \
		return at + whole(count * sizeof *longer);                                         \
	}                                                                                          \
	static size_t unpack_mostly##suffix(                                                       \
	    const unsigned char *from, number *x, size_t n, uint32_t more)                         \
	{                                                                                          \
		size_t at = whole(2 * n);                                                          \
		const uint16_t *place = (const uint16_t *)(from + at);                             \
		const number *longer = (const number *)(from + at + whole(more * sizeof *place));  \
		widen##suffix(from, x, n, 2, 0);                                                   \
		for (uint32_t i = 0; i < more; i++)                                                \
			x[place[i]] = longer[i];                                                   \
		return at + whole(more * sizeof *place) + whole(more * sizeof *longer);            \
	}
MOSTLY_OF(, uint64_t)
MOSTLY_OF(32, uint32_t)

/* ---- PAGES ---- */

/* A page has a slot of a table, where it is kept with the slot's number in the low bits, and those are listed. Bytes, less
 * than `width` for each number; 0 if there are too many pages. */
static size_t
pack_pages(unsigned char *to, const uint64_t *restrict x, size_t n, unsigned width, uint32_t *more)
{
	uint16_t *restrict low = (uint16_t *)to;
	unsigned char *restrict code = to + whole(2 * n);
	uint64_t *list = (uint64_t *)(code + whole(n)), slot[SLOTS] = { 0 }; /* page + 1 */
	size_t count = 0, most = (width - 3) * n / sizeof *list;
	most = most < PAGES_MOST ? most : PAGES_MOST;
	for (size_t i = 0; i < n; i++) {
		uint64_t page = x[i] >> PAGE_BITS;
		uint8_t s = (uint8_t)(page * UINT64_C(0x9e3779b97f4a7c15) >> 56);
		while (slot[s] != page + 1) {
			if (!slot[s] && count == most)
				return 0;
			if (slot[s]) {
				s++;
			} else {
				slot[s] = page + 1;
				list[count++] = page << PAGE_BITS | s;
			}
		}
		low[i] = (uint16_t)x[i];
		code[i] = s;
	}
	*more = (uint32_t)count;
	return whole(2 * n) + whole(n) + count * sizeof *list;
}

static size_t
unpack_pages(const unsigned char *from, uint64_t *restrict x, size_t n, uint32_t more)
{
	const uint16_t *low = (const uint16_t *)from;
	const unsigned char *code = from + whole(2 * n);
	const uint64_t *list = (const uint64_t *)(code + whole(n));
	uint64_t page[SLOTS];
	for (uint32_t i = 0; i < more; i++)
		page[list[i] % SLOTS] = list[i] >> PAGE_BITS << PAGE_BITS;
	for (size_t i = 0; i < n; i++)
		x[i] = page[code[i]] | low[i];
	return whole(2 * n) + whole(n) + more * sizeof *list;
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
	} else if (h.width >= 4 && (bytes = pack_pages(to + at, x, n, h.width, &h.more))) {
		h.form = PAGES;
		at += bytes;
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
	case PAGES:
		return sizeof h + unpack_pages(from, x, n, h.more);
	case HALVES:
		return sizeof h + unpack_halves(from, x, n);
	case STEPS:
		return sizeof h + whole(unpack_steps(from, x, n));
	case WIDTH:
	case BITS:
		break;
	}
	widen(from, x, n, h.width, h.common);
	return sizeof h + whole(h.width * n);
}

size_t
rp_pack32(unsigned char *to, const uint32_t *x, size_t n)
{
	uint32_t differ = differing32(x, n);
	struct head h = { .form = WIDTH };
	size_t bytes;
	h.width = !differ ? 0 : differ < 1 << 8 ? 1 : differ < 1 << 16 ? 2 : 4;
	h.common = n ? x[0] & UINT64_MAX << 8 * h.width : 0;
	if (h.width == 4 && mostly_short32(x, n)) {
		h.form = MOSTLY;
		bytes = pack_mostly32(to + sizeof h, x, n, &h.more);
	} else {
		narrow32(to + sizeof h, x, n, h.width);
		bytes = whole(h.width * n);
	}
	return put_head(to, &h) + bytes;
}

size_t
rp_unpack32(const unsigned char *from, uint32_t *x, size_t n)
{
	struct head h;
	memcpy(&h, from, sizeof h);
	if (h.form == MOSTLY)
		return sizeof h + unpack_mostly32(from + sizeof h, x, n, h.more);
	widen32(from + sizeof h, x, n, h.width, (uint32_t)h.common);
	return sizeof h + whole(h.width * n);
}

/* ---- Bytes ---- */

#define LOWEST UINT64_C(0x0101010101010101)

/* The lowest bit of each of eight. */
INLINE unsigned char
gather_bits(const uint8_t *x, size_t n)
{
	uint64_t eight = 0;
	memcpy(&eight, x, n);
	return (unsigned char)((eight & LOWEST) * UINT64_C(0x0102040810204080) >> 56);
}

INLINE void
scatter_bits(unsigned char from, uint8_t *x, size_t n, uint64_t common)
{
	uint64_t each = from * LOWEST & UINT64_C(0x8040201008040201);
	uint64_t eight = common | ((each + LOWEST * 0x7f) >> 7 & LOWEST);
	memcpy(x, &eight, n);
}

static size_t
pack_bits(unsigned char *to, const uint8_t *x, size_t n)
{
	size_t i = 0;
	for (; i + 8 <= n; i += 8)
		to[i / 8] = gather_bits(x + i, 8);
	if (i < n)
		to[i / 8] = gather_bits(x + i, n - i);
	return whole((n + 7) / 8);
}

static size_t
unpack_bits(const unsigned char *from, uint8_t *x, size_t n, uint64_t common)
{
	size_t i = 0;
	for (; i + 8 <= n; i += 8)
		scatter_bits(from[i / 8], x + i, 8, common * LOWEST);
	if (i < n)
		scatter_bits(from[i / 8], x + i, n - i, common * LOWEST);
	return whole((n + 7) / 8);
}

size_t
rp_pack8(unsigned char *to, const uint8_t *x, size_t n)
{
	uint8_t differ = 0, first = n ? x[0] : 0;
	EACH(n, i, differ |= x[i] ^ first);
	struct head h = { .form = differ == 1 ? BITS : WIDTH, .width = differ > 1 };
	h.common = n && differ < 2 ? (x[0] & (differ ? ~1u : UINT32_MAX)) : 0;
	put_head(to, &h);
	if (h.form == BITS)
		return sizeof h + pack_bits(to + sizeof h, x, n);
	memcpy(to + sizeof h, x, h.width * n);
	return sizeof h + whole(h.width * n);
}

size_t
rp_unpack8(const unsigned char *from, uint8_t *x, size_t n)
{
	struct head h;
	memcpy(&h, from, sizeof h);
	if (h.form == BITS)
		return sizeof h + unpack_bits(from + sizeof h, x, n, h.common);
	if (h.width)
		memcpy(x, from + sizeof h, n);
	else
		memset(x, (int)h.common, n);
	return sizeof h + whole(h.width * n);
}
