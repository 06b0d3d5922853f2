/* counters.c - the table of counters, their sums and differences, and the laws that hold between them. */
#include "config.h"

#include "sim/counters.h"

#define COUNTER_ROW(group, name, unit, what)                                                       \
	{ #name, unit, what, RP_COUNT_##group, offsetof(struct rp_counters, name), 0, false },
#define RATIO_ROW(group, name, numerator, denominator, what)                                       \
	{ #name, "", what, RP_COUNT_##group, offsetof(struct rp_counters, numerator),              \
		offsetof(struct rp_counters, denominator), true },

const struct rp_counter rp_counter_table[] = { RP_COUNTERS(
    COUNTER_ROW, RATIO_ROW, RP_COUNTER_NOTHING) };

const size_t rp_counter_count = sizeof rp_counter_table / sizeof *rp_counter_table;

void
rp_counters_sub(struct rp_counters *out, const struct rp_counters *a, const struct rp_counters *b)
{
	uint64_t most = a->mshr_occupancy_max;
#define SUB(group, name, unit, what) out->name = a->name - b->name;
	RP_COUNTERS(SUB, RP_COUNTER_NOTHING, RP_COUNTER_NOTHING)
	out->mshr_occupancy_max = most;
}

void
rp_counters_add(struct rp_counters *to, const struct rp_counters *b)
{
	uint64_t most = to->mshr_occupancy_max > b->mshr_occupancy_max ? to->mshr_occupancy_max
	                                                               : b->mshr_occupancy_max;
#define ADD(group, name, unit, what) to->name += b->name;
	RP_COUNTERS(ADD, RP_COUNTER_NOTHING, RP_COUNTER_NOTHING)
	to->mshr_occupancy_max = most;
}

const char *
rp_counters_broken(const struct rp_counters *c, unsigned groups, bool once)
{
#define LAW(group, name, condition)                                                                \
	if ((groups & RP_COUNT_##group) && !(condition))                                           \
		return #name;
	RP_COUNTERS(RP_COUNTER_NOTHING, RP_COUNTER_NOTHING, LAW)
	(void)once;
	return NULL;
}
