/* counters.c - the tables of coherence counters, and their sums. */
#include "config.h"

#include "sim/coherence/counters.h"

#define CACHE_ROW(name, unit, what)                                                                \
	{ #name, unit, what, offsetof(struct rp_coherence_counters, name) },
#define HOME_ROW(name, unit, what) { #name, unit, what, offsetof(struct rp_coherence_home, name) },
#define TIMED_ROW(name, unit, what)                                                                \
	{ #name, unit, what, offsetof(struct rp_coherence_timed, name) },

static const struct rp_coherence_counter cache_rows[] = { RP_COHERENCE_CACHE_COUNTERS(CACHE_ROW){
    NULL } };
static const struct rp_coherence_counter home_rows[] = { RP_COHERENCE_HOME_COUNTERS(HOME_ROW){
    NULL } };
static const struct rp_coherence_counter timed_rows[] = { RP_COHERENCE_TIMED_COUNTERS(TIMED_ROW){
    NULL } };

const struct rp_coherence_counter *const rp_coherence_tables[RP_COHERENCE_GROUPS] = {
	[RP_COHERENCE_CACHE] = cache_rows,
	[RP_COHERENCE_HOME] = home_rows,
	[RP_COHERENCE_TIMED] = timed_rows,
};

void
rp_coherence_counters_add(
    struct rp_coherence_counters *to, const struct rp_coherence_counters *from)
{
#define ADD(name, unit, what) to->name += from->name;
	RP_COHERENCE_CACHE_COUNTERS(ADD)
}

void
rp_coherence_counters_sub(struct rp_coherence_counters *out, const struct rp_coherence_counters *a,
    const struct rp_coherence_counters *b)
{
#define SUB(name, unit, what) out->name = a->name - b->name;
	RP_COHERENCE_CACHE_COUNTERS(SUB)
}

void
rp_coherence_home_sub(struct rp_coherence_home *out, const struct rp_coherence_home *a,
    const struct rp_coherence_home *b)
{
	RP_COHERENCE_HOME_COUNTERS(SUB)
}
