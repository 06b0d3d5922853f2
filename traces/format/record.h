/* record.h - what formats of binary records and formats of objects share. */
#ifndef RP_TRACES_FORMAT_RECORD_H
#define RP_TRACES_FORMAT_RECORD_H

#include "traces/batch.h"
#include "traces/bytes.h"
#include "traces/format/text.h"

/* Little-endian numbers at any address. */
static inline uint16_t
rp_le16(const unsigned char *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t
rp_le32(const unsigned char *p)
{
	return rp_le16(p) | (uint32_t)rp_le16(p + 2) << 16;
}

static inline uint64_t
rp_le64(const unsigned char *p)
{
	return rp_le32(p) | (uint64_t)rp_le32(p + 4) << 32;
}

/* Whether a record of `bytes` is at in->at: 1, or as rp_text_line: RP_TEXT_END with fewer bytes left (maybe none),
 * RP_TEXT_LATER when a live input has no more at the moment and the caller has rows, RP_TEXT_FAILED. */
static inline int
rp_record_ready(struct rp_bytes *in, bool have, size_t bytes, struct rp_err *err)
{
	if ((size_t)(in->end - in->at) >= bytes)
		return 1;
	if (have && !in->ended)
		return RP_TEXT_LATER;
	if (!rp_bytes_more(in, bytes, err))
		return RP_TEXT_FAILED;
	return (size_t)(in->end - in->at) >= bytes ? 1 : RP_TEXT_END;
}

/* An object of a key-value, web or block cache as an access. With `unit` 0 objects are whole: each is one line of 64
 * bytes by itself, whatever its size, at address 64 * id (an id of 2^58 or more has its upper six bits at the bottom of
 * the address, so that no two ids meet in one) with size 1: one lookup in a cache of 64-byte lines. With a unit, ids
 * number blocks of that many bytes: address unit * id, and the size is the object's. false: it ends beyond 2^64. */
static inline bool
rp_object_place(struct rp_access *a, uint64_t id, uint32_t size, uint32_t unit)
{
	a->addr = id << 6 | id >> 58;
	a->size = 1;
	if (!unit)
		return true;
	a->size = size ? size : 1;
	return !__builtin_mul_overflow(id, (uint64_t)unit, &a->addr) &&
	       rp_span_fits(a->addr, a->size);
}

#define RP_OBJECT_BEYOND "object %" PRIu64 " of %" PRIu64 " bytes ends beyond 2^64"

/* The id of which rp_object_place without a unit makes this address. */
static inline uint64_t
rp_object_id(uint64_t addr)
{
	return addr >> 6 | addr << 58;
}

#endif
