/* duel.h - set duelling: some sets are dedicated to one of two policies, and the others do as the one that misses less there.
 *
 * A counter of `psel` bits, common to all sets, goes up by one for each line brought into a set of the first policy and
 * down for the second, and stays between 0 and 2^psel - 1. While its highest bit is set the other sets follow the second.
 * It starts at 2^(psel - 1) - 1: the first is followed, and one miss of its more than of the second changes that.
 *
 * Which sets: "complement select" (Qureshi et al., ISCA 2007). The sets are cut into `leaders` regions; in region k the
 * first policy has set k of the region, and the second the k-th from its end (k modulo the size of the region). In the
 * article's 1024 sets and 32 leaders these are the sets whose two halves of bits are equal, or complements. What it leaves
 * open is decided so: regions have at least 4 sets, that is, at most a quarter of the sets is dedicated to either policy;
 * where both would have the middle set of a region, the second has the one behind it; sets that are over follow. Of 2 or 3
 * sets one is dedicated to each, and one set alone follows the first for good. */
#ifndef RP_SIM_POLICY_DUEL_H
#define RP_SIM_POLICY_DUEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RP_DUEL_PSEL = 30 }; /* bits of the counter, at most */

enum rp_duel_role { RP_DUEL_FOLLOWS, RP_DUEL_FIRST, RP_DUEL_SECOND };

static inline enum rp_duel_role
rp_duel_role(uint32_t set, uint32_t sets, uint64_t leaders)
{
	if (sets < 2)
		return RP_DUEL_FOLLOWS;
	uint32_t most = sets < 8 ? 1 : sets / 4,
		 regions = leaders < most ? (uint32_t)leaders : most;
	uint32_t region = sets / regions, k = set / region, at = set % region, first = k % region;
	uint32_t second = region - 1 - first;
	second += second == first;
	if (k >= regions)
		return RP_DUEL_FOLLOWS;
	return at == first ? RP_DUEL_FIRST : at == second ? RP_DUEL_SECOND : RP_DUEL_FOLLOWS;
}

static inline uint32_t
rp_duel_start(uint64_t psel)
{
	return (UINT32_C(1) << (psel - 1)) - 1;
}

/* rp_policy.all_bytes of a policy that keeps the counter and nothing else for all sets. */
static inline size_t
rp_duel_all_bytes(uint32_t sets, uint32_t ways, const uint64_t *arg)
{
	(void)sets, (void)ways, (void)arg;
	return sizeof(uint32_t);
}

/* Counts a line brought into a set of that role: whether the set does as the second policy. */
static inline bool
rp_duel_miss(uint32_t *counter, enum rp_duel_role role, uint64_t psel)
{
	*counter += role == RP_DUEL_FIRST && *counter < (UINT32_C(1) << psel) - 1;
	*counter -= role == RP_DUEL_SECOND && *counter > 0;
	return role == RP_DUEL_SECOND || (role == RP_DUEL_FOLLOWS && *counter >> (psel - 1));
}

#endif
