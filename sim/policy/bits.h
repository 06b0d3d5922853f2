/* bits.h - sets of way numbers, the least of which is found fast, for policies in the plain loop.
 *
 * A bit for each way; above that a bit for each 64-bit word that is not 0, and so on up to a single word: one word for up
 * to 64 ways, three levels for 100,000. The words of all levels lie one level behind the other. */
#ifndef RP_SIM_POLICY_BITS_H
#define RP_SIM_POLICY_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RP_BITS_LEVELS = 6 }; /* 64^6 is more than ways can be */

/* Words that a set of numbers below n takes, all zero when it is empty. */
static inline size_t
rp_bits_words(uint32_t n)
{
	size_t words = 0, level = n;
	do {
		level = (level + 63) / 64;
		words += level;
	} while (level > 1);
	return words;
}

static inline void
rp_bits_add(uint64_t *b, uint32_t n, uint32_t i)
{
	size_t level = n;
	do {
		level = (level + 63) / 64;
		b[i / 64] |= UINT64_C(1) << i % 64;
		i /= 64;
		b += level;
	} while (level > 1);
}

/* Nothing happens if i is not in. */
static inline void
rp_bits_remove(uint64_t *b, uint32_t n, uint32_t i)
{
	size_t level = n;
	do {
		level = (level + 63) / 64;
		b[i / 64] &= ~(UINT64_C(1) << i % 64);
		if (b[i / 64])
			return;
		i /= 64;
		b += level;
	} while (level > 1);
}

/* Whether there is one, and then the least. */
static inline bool
rp_bits_first(const uint64_t *b, uint32_t n, uint32_t *first)
{
	const uint64_t *at[RP_BITS_LEVELS];
	size_t level = n, i = 0;
	unsigned levels = 0;
	do {
		level = (level + 63) / 64;
		at[levels++] = b;
		b += level;
	} while (level > 1);
	if (!*at[levels - 1])
		return false;
	while (levels-- > 0)
		i = i * 64 + (unsigned)__builtin_ctzll(at[levels][i]);
	*first = (uint32_t)i;
	return true;
}

#endif
