/* links.h - the ways of a set in an order: a list linked by way number, for policies in the plain loop.
 *
 * Links are a way's number plus one, so that zeroes are an empty list. Any number of ways costs the same. */
#ifndef RP_SIM_POLICY_LINKS_H
#define RP_SIM_POLICY_LINKS_H

#include "sim/policy.h"

#include <stddef.h>
#include <stdint.h>

struct rp_links {
	uint32_t first, last;
	struct {
		uint32_t before, after;
	} way[];
};

/* The functions of a policy (sim/policy.h) whose state is such a list. */
static inline size_t
rp_links_set_bytes(uint32_t ways, const uint64_t *arg)
{
	(void)arg;
	return sizeof(struct rp_links) + (size_t)ways * sizeof(((struct rp_links *)0)->way[0]);
}

/* Takes way w out, if it is in. */
static inline void
rp_links_out(struct rp_links *l, uint32_t w)
{
	uint32_t before = l->way[w].before, after = l->way[w].after;
	if (!before && l->first != w + 1)
		return;
	*(before ? &l->way[before - 1].after : &l->first) = after;
	*(after ? &l->way[after - 1].before : &l->last) = before;
	l->way[w].before = l->way[w].after = 0;
}

/* Puts way w first, wherever it was. */
static inline void
rp_links_first(struct rp_links *l, uint32_t w)
{
	rp_links_out(l, w);
	l->way[w].after = l->first;
	*(l->first ? &l->way[l->first - 1].before : &l->last) = w + 1;
	l->first = w + 1;
}

/* Puts way w last, wherever it was. */
static inline void
rp_links_end(struct rp_links *l, uint32_t w)
{
	rp_links_out(l, w);
	l->way[w].before = l->last;
	*(l->last ? &l->way[l->last - 1].after : &l->first) = w + 1;
	l->last = w + 1;
}

static inline void
rp_links_use(const struct rp_at *at, uint32_t way)
{
	rp_links_first(at->set, way);
}

/* A fill by chance: first for one in `throttle`, else last. */
static inline void
rp_links_bimodal(const struct rp_at *at, uint32_t way, uint64_t throttle)
{
	if (rp_rng_below(at->rng, throttle))
		rp_links_end(at->set, way);
	else
		rp_links_first(at->set, way);
}

static inline void
rp_links_drop(const struct rp_at *at, uint32_t way)
{
	rp_links_out(at->set, way);
}

/* The last way that may be replaced. */
static inline uint32_t
rp_links_last(const struct rp_at *at)
{
	const struct rp_links *l = at->set;
	uint32_t w = l->last - 1;
	while (at->pinned && at->pinned[w / 64] >> w % 64 & 1)
		w = l->way[w].before - 1;
	return w;
}

#endif
