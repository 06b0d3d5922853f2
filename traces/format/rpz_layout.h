/* rpz_layout.h - where things stand in an .rpz file: constants, and the headers to and from bytes.
 *
 * reprise-rpz(5) is the definition; names here are its. All numbers are little-endian. A file is a header and chunks at
 * multiples of 8, each a header of 64 bytes with its own hash (so that a length is trusted before it is followed) and a
 * payload with another. */
#ifndef RP_TRACES_FORMAT_RPZ_LAYOUT_H
#define RP_TRACES_FORMAT_RPZ_LAYOUT_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	RP_RPZ_MAJOR = 1,
	RP_RPZ_MINOR = 0,
	RP_RPZ_HEAD = 40,           /* bytes of the file header */
	RP_RPZ_CHUNK = 64,          /* of a chunk header */
	RP_RPZ_TRAILER = 24,        /* of the end of the file */
	RP_RPZ_PREFIX = 16,         /* at the start of a block's payload */
	RP_RPZ_COLUMN = 12,         /* of an entry of the column directory */
	RP_RPZ_OP = 6,              /* of an entry of the op table */
	RP_RPZ_ENTRY = 48,          /* of an entry of an index page, or of the page directory */
	RP_RPZ_TOTALS = 80,         /* of the footer before the page directory */
	RP_RPZ_PAGE = 1024,         /* blocks of an index page */
	RP_RPZ_ROWS_MOST = 1 << 18, /* of a block */
	RP_RPZ_OPS_MOST = 128,
	RP_RPZ_TOKENS_MOST = 256,
	RP_RPZ_SLACK = 64 /* readable bytes behind every array that wide loads go over */
};

/* Chunk types. The high bits make them unlike text. */
#define RP_RPZ_META UINT32_C(0xa7e5d1c1) /* JSON: all that is known; the last one counts */
#define RP_RPZ_LAUNCH                                                                              \
	UINT32_C(0xb3e9d2c2) /* JSON: kernel launches that came since the chunk before */
#define RP_RPZ_BLOCK  UINT32_C(0xc5f1d3c3)
#define RP_RPZ_INDEX  UINT32_C(0xd9e3d4c4)
#define RP_RPZ_FOOTER UINT32_C(0xe3f7d5c5)

/* Ids of a block's columns. Those of four are numbers: tokens, first bytes, second bytes, rest (rpz_numbers.h). */
enum {
	RP_RPZ_TOKENS = 1, /* or, with coding 1, ops */
	RP_RPZ_FIRST = 2,
	RP_RPZ_SECOND = 3,
	RP_RPZ_REST = 4,
	RP_RPZ_SIZES = 8,
	RP_RPZ_STREAMS = 12,
	RP_RPZ_PLANES = 16, /* eight of them */
	RP_RPZ_COUNTS = 24,
	RP_RPZ_RUN_STREAMS = 28,
	RP_RPZ_RUN_LENGTHS = 32,
	RP_RPZ_TIMES = 36,
	RP_RPZ_PCS = 40,
	RP_RPZ_PC_CODES = 44,
	RP_RPZ_MASKS = 48,
	RP_RPZ_MASK_CODES = 52,
	RP_RPZ_IDS = 64
};

enum { RP_RPZ_STORED, RP_RPZ_ZSTD };                  /* codec of a column */
enum { RP_RPZ_PREDICTED, RP_RPZ_FRAME };              /* coding of the addresses */
enum { RP_RPZ_NO_KEY, RP_RPZ_OP_KEY, RP_RPZ_PC_KEY }; /* of predictor 7 */
enum { RP_RPZ_PC_ALWAYS = 1 }; /* prefix flags: rows with RP_SAME_INSTR store their pc too */

struct rp_rpz_head {
	uint32_t limit;   /* rows a block has at most */
	uint32_t columns; /* enum rp_column */
};

struct rp_rpz_chunk {
	uint32_t magic;
	uint8_t coding, shift, key, columns;
	uint32_t n, stored; /* rows; bytes of the payload */
	uint64_t position;  /* rows before */
	uint64_t base;
	uint16_t ops, tokens; /* tokens: less one */
	uint32_t streams, addr_hash, runs;
	uint64_t payload_hash;
};

static inline uint16_t
rp_get16(const void *from)
{
	uint16_t x;
	memcpy(&x, from, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap16(x);
#endif
	return x;
}

static inline uint32_t
rp_get32(const void *from)
{
	uint32_t x;
	memcpy(&x, from, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap32(x);
#endif
	return x;
}

static inline uint64_t
rp_get64(const void *from)
{
	uint64_t x;
	memcpy(&x, from, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	return x;
}

static inline void
rp_put16(void *to, uint16_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap16(x);
#endif
	memcpy(to, &x, sizeof x);
}

static inline void
rp_put32(void *to, uint32_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap32(x);
#endif
	memcpy(to, &x, sizeof x);
}

static inline void
rp_put64(void *to, uint64_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	memcpy(to, &x, sizeof x);
}

/* Small differences of either sign as small numbers, mod 2^64: 0, -1, 1, -2 ... become 0, 1, 2, 3 ... */
static inline uint64_t
rp_zigzag(uint64_t x)
{
	return x << 1 ^ (0 - (x >> 63));
}

static inline uint64_t
rp_unzigzag(uint64_t x)
{
	return x >> 1 ^ (0 - (x & 1));
}

static inline uint64_t
rp_rpz_pad(uint64_t n) /* to the next multiple of 8 */
{
	return (n + 7) & ~UINT64_C(7);
}

extern const unsigned char rp_rpz_magic[8];

/* To bytes, RP_RPZ_HEAD, RP_RPZ_CHUNK and RP_RPZ_TRAILER of them; hashes of the headers are filled in. */
void rp_rpz_put_head(unsigned char *to, const struct rp_rpz_head *h);
void rp_rpz_put_chunk(unsigned char *to, const struct rp_rpz_chunk *c);
void rp_rpz_put_trailer(unsigned char *to, uint64_t footer);

/* And back. RP_INPUT, without a place: not an .rpz, a newer version, a feature unknown here, damage. With `check` false
 * the hash of a chunk's header is not looked at (for tests of what comes after it). */
bool rp_rpz_get_head(const unsigned char *from, struct rp_rpz_head *h, struct rp_err *err);
bool rp_rpz_get_chunk(
    const unsigned char *from, bool check, struct rp_rpz_chunk *c, struct rp_err *err);
bool rp_rpz_payload_sound(
    const struct rp_rpz_chunk *c, const unsigned char *payload); /* its hash is right */
bool rp_rpz_get_trailer(const unsigned char *from, uint64_t *footer, struct rp_err *err);

#endif
