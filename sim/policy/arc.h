/* arc.h - the target of arc, for all that run it: a whole number of parts of a way. */
#ifndef RP_SIM_POLICY_ARC_H
#define RP_SIM_POLICY_ARC_H

#include <stdbool.h>
#include <stdint.h>

/* The least common multiple of 1..32, below 2^48: every quotient of two numbers up to 32 is a whole number of such parts. */
#define RP_ARC_PART UINT64_C(144403552893600)

/* Parts of a way: those, or 2^31 if they do not fit beside so many ways into 64 bits. */
static inline uint64_t
rp_arc_part(uint32_t ways)
{
	return ways <= 1 << 16 ? RP_ARC_PART : UINT64_C(1) << 31;
}

/* Cases II and III of the source: the target p after a miss on a line of B1, or of B2, which have b1 and b2 lines. The list
 * whose ghost was missed gets more, the more the longer the other ghost list is. */
static inline uint64_t
rp_arc_adapted(uint64_t p, bool in_b2, uint64_t b1, uint64_t b2, uint64_t part, uint32_t ways)
{
	uint64_t more = in_b2 ? b1 : b2, less = in_b2 ? b2 : b1, most = part * ways;
	uint64_t step = more <= less ? part : (uint64_t)((unsigned __int128)more * part / less);
	if (in_b2)
		return step < p ? p - step : 0;
	return step < most - p ? p + step : most;
}

#endif
