/* alias.c - numbers drawn with given weights, in constant time. */
#include "config.h"

#include "gen/alias.h"
#include "base/mem.h"

#define SLOT (UINT64_C(1) << 32)

/* Rescales the weights so that they sum to n slots exactly: what rounding down leaves goes to the numbers behind. */
static void
rescale(uint64_t *weight, uint32_t n)
{
	unsigned __int128 total = 0, left = 0;
	for (uint32_t i = 0; i < n; i++)
		total += weight[i];
	for (uint32_t i = 0; i < n; i++) {
		left += (unsigned __int128)weight[i] * ((uint64_t)n << 32);
		weight[i] = (uint64_t)(left / total);
		left -= weight[i] * total;
	}
}

/* The first number from `at` on that has more than a slot's weight; n if there is none. */
static uint32_t
next_heavy(const uint64_t *weight, uint32_t n, uint32_t at)
{
	while (at < n && weight[at] <= SLOT)
		at++;
	return at;
}

/* Goes once over the light numbers; the heavy one whose turn it is fills up their slots until it is light itself, and
 * is then the next to be filled up. A weight of just a slot is done: neither light nor heavy. */
static void
sweep(struct rp_alias_slot *slot, uint64_t *weight, uint32_t n)
{
	uint32_t heavy = next_heavy(weight, n, 0);
	for (uint32_t i = 0; i < n && heavy < n; i++) {
		uint32_t light = i;
		while (weight[light] < SLOT && heavy < n) {
			slot[light] = (struct rp_alias_slot){ (uint32_t)weight[light], heavy };
			weight[heavy] -= SLOT - weight[light];
			weight[light] = SLOT;
			light = heavy;
			if (weight[heavy] <= SLOT)
				heavy = next_heavy(weight, n, heavy + 1);
		}
	}
}

bool
rp_alias_build(struct rp_alias *a, uint64_t *weight, uint32_t n, struct rp_err *err)
{
	a->n = n;
	a->slot = rp_mem_array(n, sizeof *a->slot, err);
	if (!a->slot)
		return false;
	for (uint32_t i = 0; i < n; i++)
		a->slot[i].other = i;
	rescale(weight, n);
	sweep(a->slot, weight, n);
	return true;
}

void
rp_alias_free(struct rp_alias *a)
{
	free(a->slot);
	a->slot = NULL;
}
