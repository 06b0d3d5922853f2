/* same.c - caches whose counters are equal by construction. */
#include "config.h"

#include "sim/sweep/same.h"

#include <string.h>

/* A policy of ours that brings in every line that misses; nothing is known of a plug-in. */
static bool
fills_always(const struct rp_cache_spec *s)
{
	const struct rp_policy *p = s->policy;
	return !p->unbounded && !(p->admit && s->arg[0]) && rp_policy_find(p->name, NULL) == p;
}

static void
make_lru(struct rp_cache_spec *s)
{
	s->policy = rp_policy_find("lru", NULL);
	memset(s->arg, 0, sizeof s->arg);
	for (size_t i = 0; i < RP_POLICY_PARAMS; i++)
		s->arg[i] = s->policy->params[i].usual;
}

static void
plain_waiting(struct rp_cache_spec *s, const struct rp_sweep_wants *wants)
{
	struct rp_mshr_spec *m = &s->mshr;
	if (m->stall != RP_STALL_COUNT || m->clock)
		return;
	if (m->latency < 2 && !wants->waits) {
		*m = (struct rp_mshr_spec){ 0 };
		return;
	}
	if (m->entries >= m->latency)
		m->entries = 0;
	if (m->merge + 1 >= m->latency)
		m->merge = 0;
}

struct rp_cache_spec
rp_sweep_plainest(const struct rp_cache_spec *from, const struct rp_sweep_wants *wants)
{
	struct rp_cache_spec s = *from;
	s.name = "";
	if (s.gpu)
		return s;
	if (s.sets == 1)
		s.index = RP_INDEX_MOD;
	if (s.mshr.on)
		plain_waiting(&s, wants);
	/* A way that waits for its data cannot be chosen, so policies come to differ. */
	bool choose = !s.mshr.on || s.mshr.stall == RP_STALL_COUNT;
	if (choose && fills_always(&s) &&
	    (s.ways == 1 || (s.ways == 2 && !strcmp(s.policy->name, "plru"))))
		make_lru(&s);
	if (!wants->sent)
		s.write = s.allocate == RP_ALLOCATE_WRITE ? RP_WRITE_BACK : s.write;
	return s;
}
