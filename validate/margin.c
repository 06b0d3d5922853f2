/* margin.c - gap-margin stability (PASCAL, Proposition 7). */
#include "config.h"

#include "validate/margin.h"

#include "validate/pascal_state.h"

#include <inttypes.h>

/* Gaps with |g - theta| <= far. */
static uint32_t
gaps_within(const struct rp_pascal *p, struct rp_fraction theta, rp_wide far)
{
	rp_wide low = rp_wide_ceil(theta.num - far * theta.den, theta.den),
		high = rp_wide_floor(theta.num + far * theta.den, theta.den);
	/* Gaps are from 1 to N, so that the ends are cut to where they matter. */
	uint64_t above = low > 1 ? rp_pascal_gaps_above(p, (uint64_t)low - 1) : p->distinct;
	uint64_t beyond = high < (rp_wide)p->blocks ? rp_pascal_gaps_above(p, (uint64_t)high) : 0;
	return (uint32_t)(above - beyond);
}

static struct rp_fraction
distance(struct rp_fraction a, struct rp_fraction b)
{
	rp_wide d = a.num * b.den - b.num * a.den;
	return rp_fraction(d < 0 ? -d : d, a.den * b.den);
}

bool
rp_pascal_margin(const struct rp_pascal *p, const struct rp_pascal *q, uint64_t capacity,
    struct rp_margin *m, struct rp_err *err)
{
	struct rp_waterline w, v;
	*m = (struct rp_margin){ 0 };
	if (p->blocks != q->blocks)
		return rp_fail(err, RP_USAGE,
		    "rings of %" PRIu64 " and %" PRIu64 " blocks: wanted two of one size",
		    p->blocks, q->blocks);
	if (p->distinct != q->distinct)
		return rp_fail(err, RP_USAGE,
		    "%" PRIu32 " and %" PRIu32 " distinct phases: wanted as many", p->distinct,
		    q->distinct);
	if (!rp_pascal_waterline(p, capacity, &w) || !rp_pascal_waterline(q, capacity, &v))
		return rp_fail(err, RP_USAGE,
		    "capacity %" PRIu64 ": wanted one below the %" PRIu64 " blocks", capacity,
		    p->blocks);
	for (uint32_t i = 0; i < p->distinct; i++) {
		uint64_t a = p->sorted[i], b = q->sorted[i], by = a > b ? a - b : b - a;
		m->e = by > m->e ? by : m->e;
	}
	uint64_t half = p->distinct / 2;
	m->theta = w.theta;
	m->other = v.theta;
	m->moved = distance(w.theta, v.theta);
	m->moved_most = p->distinct * m->e;
	m->moved_sharp = half * m->e;
	m->misses = rp_pascal_ttl(p, capacity);
	m->other_misses = rp_pascal_ttl(q, capacity);
	m->change_most = gaps_within(p, w.theta, (rp_wide)(p->distinct + UINT64_C(1)) * m->e);
	m->change_sharp = gaps_within(p, w.theta, (rp_wide)(half + 1) * m->e);
	return true;
}
