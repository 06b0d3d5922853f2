/* logbin.h - 66 bins for reuse distances and times: exact below 16, then four an octave.
 *
 * Bins begin at the capacities of all caches of 2^a times 4, 5, 6 or 7 lines. */
#ifndef RP_LEARN_LOGBIN_H
#define RP_LEARN_LOGBIN_H

#include <stdint.h>

enum { RP_LOGBINS = 66, RP_LOGBIN_OVER = 64, RP_LOGBIN_COLD = 65 };

/* Bin of a distance or time; what is 65,536 or more falls into RP_LOGBIN_OVER, and what has none is for the caller to put
 * into RP_LOGBIN_COLD. */
static inline unsigned
rp_logbin(uint64_t x)
{
	if (x < 16)
		return (unsigned)x;
	unsigned octave = 63 - (unsigned)__builtin_clzll(x);
	return x >> 16 ? RP_LOGBIN_OVER : 16 + 4 * (octave - 4) + (unsigned)(x >> (octave - 2) & 3);
}

#endif
