/* duelling.h - set duelling for the slow caches of test_dip.c and test_rrip.c, as the articles describe it. */
#ifndef RP_TESTS_SIM_POLICY_DUELLING_H
#define RP_TESTS_SIM_POLICY_DUELLING_H

#include "tests/sim/policy/slow.h"

enum { FOLLOWER, FIRST, SECOND };

/* Marks each set (c->set) and puts the counter in the middle. Regions are laid out one by one, as sim/policy/duel.h says. */
static inline void
duelling_begin(struct slow *c, uint64_t leaders, uint64_t psel)
{
	uint64_t regions = c->sets / 4 ? c->sets / 4 : 1;
	if (leaders < regions)
		regions = leaders;
	uint64_t size = c->sets / regions;
	for (uint64_t k = 0; k < regions && c->sets > 1; k++) {
		uint64_t from = k * size, first = from + k % size,
			 second = from + size - 1 - k % size;
		if (second == first)
			second++;
		c->set[first] = FIRST;
		c->set[second] = SECOND;
	}
	c->all = (1ll << (psel - 1)) - 1;
}

/* A miss in the set at hand brings a line in: whether it is done as by the second policy. "A miss in a set of the first increments
 * PSEL, in a set of the second decrements it; if the most significant bit is set the followers use the second." */
static inline bool
duelling_second(struct slow *c, uint64_t psel)
{
	int64_t most = (1ll << psel) - 1;
	if (c->set[c->s] == FIRST)
		c->all = c->all + 1 > most ? most : c->all + 1;
	if (c->set[c->s] == SECOND)
		c->all = c->all - 1 < 0 ? 0 : c->all - 1;
	if (c->set[c->s] != FOLLOWER)
		return c->set[c->s] == SECOND;
	return c->all >= 1ll << (psel - 1);
}

#endif
