/* sets.h - sets of cache numbers, as bits: a byte for up to 8 caches, else 64-bit words.
 *
 * Bit c % 8 of byte c / 8, so that membership does not depend on how wide a set is. */
#ifndef RP_SIM_COHERENCE_SETS_H
#define RP_SIM_COHERENCE_SETS_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes of a set for so many caches. */
static inline size_t
coh_set_bytes(size_t caches)
{
	size_t words = 1;
	while (words * 64 < caches)
		words *= 2;
	return caches <= 8 ? 1 : words * 8;
}

/* Bits that are set. The machine may have an instruction for it, but the compiler must not count on that. */
static inline unsigned
coh_bits(uint64_t x)
{
	x -= x >> 1 & UINT64_C(0x5555555555555555);
	x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)(x * UINT64_C(0x0101010101010101) >> 56);
}

static inline bool
coh_has(const uint8_t *set, uint32_t c)
{
	return set[c / 8] >> c % 8 & 1;
}

static inline void
coh_add(uint8_t *set, uint32_t c)
{
	set[c / 8] |= (uint8_t)(1 << c % 8);
}

static inline void
coh_remove(uint8_t *set, uint32_t c)
{
	set[c / 8] &= (uint8_t) ~(1 << c % 8);
}

/* A set is gone through by words of 64 members: */
static inline size_t
coh_set_words(size_t bytes)
{
	return (bytes + 7) / 8;
}

static inline uint64_t
coh_word(const uint8_t *set, size_t i, size_t bytes)
{
	uint64_t word;
	if (bytes == 1)
		return *set;
	memcpy(&word, set + 8 * i, sizeof word);
	return le64toh(word);
}

/* The members of `set` among those of word i but c. */
static inline uint64_t
coh_word_but(const uint8_t *set, size_t i, size_t bytes, uint32_t c)
{
	return coh_word(set, i, bytes) & ~(c / 64 == i ? UINT64_C(1) << c % 64 : 0);
}

static inline bool
coh_has_others(const uint8_t *set, size_t bytes, uint32_t c)
{
	for (size_t i = 0; i < coh_set_words(bytes); i++)
		if (coh_word_but(set, i, bytes, c))
			return true;
	return false;
}

static inline size_t
coh_count(const uint8_t *set, size_t bytes)
{
	size_t n = 0;
	for (size_t i = 0; i < coh_set_words(bytes); i++)
		n += coh_bits(coh_word(set, i, bytes));
	return n;
}

/* Members below c. */
static inline size_t
coh_rank(const uint8_t *set, size_t bytes, uint32_t c)
{
	size_t n = 0;
	for (size_t i = 0; i < c / 64; i++)
		n += coh_bits(coh_word(set, i, bytes));
	uint64_t below = (UINT64_C(1) << c % 64) - 1;
	return n + coh_bits(coh_word(set, c / 64, bytes) & below);
}

static inline bool
coh_is_empty(const uint8_t *set, size_t bytes)
{
	for (size_t i = 0; i < coh_set_words(bytes); i++)
		if (coh_word(set, i, bytes))
			return false;
	return true;
}

/* The set of all, or of none. */
static inline void
coh_set_all(uint8_t *set, size_t bytes, bool all)
{
	if (bytes == 1)
		*set = all ? 0xff : 0;
	else
		memset(set, all ? 0xff : 0, bytes);
}

/* The set of c alone. */
static inline void
coh_only(uint8_t *set, size_t bytes, uint32_t c)
{
	coh_set_all(set, bytes, false);
	coh_add(set, c);
}

#endif
