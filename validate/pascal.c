/* pascal.c - gaps, waterline and slotted TTL of scans with fixed phases.
 *
 * Everything about footprints follows from the sorted gaps and their prefix sums: the i smallest gaps add up to gap_sum[i],
 * the D - i others are cut off at t. */
#include "config.h"

#include "validate/pascal_state.h"

#include "base/mem.h"
#include "base/sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES_BITS = 62 }; /* N M is below 2^62: what is added to it stays below 2^63 */

size_t
pascal_below(const uint64_t *ascending, size_t n, uint64_t x)
{
	size_t low = 0;
	while (low < n) {
		size_t middle = low + (n - low) / 2;
		if (ascending[middle] < x)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/* The n values in ascending order, and the sums of the first i of them for i = 0 .. n. Gives both (free). `room` is for n. */
static bool
sort_and_sum(const uint64_t *x, size_t n, struct rp_keyed *room, uint64_t **sorted, uint64_t **sum,
    struct rp_err *err)
{
	*sorted = rp_mem_array(n, sizeof **sorted, err);
	*sum = rp_mem_array(n + 1, sizeof **sum, err);
	if (!*sorted || !*sum)
		return false;
	for (size_t i = 0; i < n; i++)
		room[i] = (struct rp_keyed){ x[i], 0 };
	if (!rp_sort(room, n, err))
		return false;
	for (size_t i = 0; i < n; i++) {
		(*sorted)[i] = room[i].key;
		(*sum)[i + 1] = (*sum)[i] + room[i].key;
	}
	return true;
}

/* Groups of workers at one phase, and the gaps between them. `place` holds the workers by phase, and by index at each. */
static bool
make_groups(struct rp_pascal *p, const struct rp_keyed *place, struct rp_err *err)
{
	for (uint32_t i = 0; i < p->workers; i++)
		p->distinct += !i || place[i].key != place[i - 1].key;
	p->group = rp_mem_array(p->distinct, sizeof *p->group, err);
	p->gap = rp_mem_array(p->distinct, sizeof *p->gap, err);
	if (!p->group || !p->gap)
		return false;
	struct rp_pascal_group *g = p->group;
	for (uint32_t i = 0; i < p->workers; i++) {
		if (!i || place[i].key != place[i - 1].key)
			*g++ = (struct rp_pascal_group){ place[i].key, place[i].value, 0 };
		g[-1].last = place[i].value;
	}
	for (uint32_t i = 0; i < p->distinct; i++)
		p->gap[i] = i + 1 < p->distinct ? p->group[i + 1].phase - p->group[i].phase
		                                : p->group[0].phase + p->blocks - p->group[i].phase;
	return true;
}

/* The previous request of each worker's block (section 3.4): by the next lower worker at the same phase; the lowest one there
 * follows, a gap behind, the highest worker of the next phase on. */
static void
make_previous(struct rp_pascal *p, const struct rp_keyed *place)
{
	uint32_t group = 0;
	for (uint32_t i = 0; i < p->workers; i++) {
		uint32_t m = place[i].value;
		struct rp_pascal_reuse *r = &p->previous[m];
		if (i && place[i].key == place[i - 1].key)
			*r = (struct rp_pascal_reuse){ 0, place[i - 1].value };
		else {
			*r = (struct rp_pascal_reuse){ p->gap[group],
				p->group[(group + 1) % p->distinct].last };
			group++;
		}
		p->delta[m] = r->lag * p->workers + m - r->worker;
	}
}

static bool
prepare(struct rp_pascal *p, struct rp_err *err)
{
	struct rp_keyed *place = rp_mem_array(p->workers, sizeof *place, err);
	p->previous = rp_mem_array(p->workers, sizeof *p->previous, err);
	p->delta = rp_mem_array(p->workers, sizeof *p->delta, err);
	bool ok = place && p->previous && p->delta;
	for (uint32_t m = 0; ok && m < p->workers; m++)
		place[m] = (struct rp_keyed){ p->phase[m], m };
	ok = ok && rp_sort(place, p->workers, err) && make_groups(p, place, err);
	if (ok)
		make_previous(p, place);
	ok = ok && sort_and_sum(p->gap, p->distinct, place, &p->sorted, &p->gap_sum, err) &&
	     sort_and_sum(p->delta, p->workers, place, &p->delta_sorted, &p->delta_sum, err);
	free(place);
	return ok;
}

static bool
is_sound(const uint64_t *phase, uint32_t workers, uint64_t blocks, struct rp_err *err)
{
	if (!workers || !blocks || blocks > (UINT64_C(1) << TIMES_BITS) / workers)
		return rp_fail(err, RP_USAGE,
		    "%" PRIu32 " workers on %" PRIu64
		    " blocks: wanted at least one of each and at most 2^%d of their product",
		    workers, blocks, TIMES_BITS);
	for (uint32_t m = 0; m < workers; m++)
		if (phase[m] >= blocks)
			return rp_fail(err, RP_USAGE,
			    "phase %" PRIu64 " of worker %" PRIu32
			    ": wanted a block, 0 to %" PRIu64,
			    phase[m], m, blocks - 1);
	return true;
}

struct rp_pascal *
rp_pascal_new(const uint64_t *phase, uint32_t workers, uint64_t blocks, struct rp_err *err)
{
	if (!is_sound(phase, workers, blocks, err))
		return NULL;
	struct rp_pascal *p = rp_mem_array(1, sizeof *p, err);
	if (!p)
		return NULL;
	p->blocks = blocks;
	p->workers = workers;
	p->phase = rp_mem_array(workers, sizeof *p->phase, err);
	if (p->phase)
		memcpy(p->phase, phase, workers * sizeof *phase);
	if (p->phase && prepare(p, err))
		return p;
	rp_pascal_free(p);
	return NULL;
}

void
rp_pascal_free(struct rp_pascal *p)
{
	if (!p)
		return;
	free(p->phase);
	free(p->gap);
	free(p->sorted);
	free(p->previous);
	free(p->delta);
	free(p->rd);
	free(p->group);
	free(p->gap_sum);
	free(p->delta_sorted);
	free(p->delta_sum);
	free(p->by_rd);
	free(p->cold_sum);
	free(p);
}

uint64_t
rp_pascal_footprint(const struct rp_pascal *p, uint64_t t)
{
	if (t >= p->blocks)
		return p->blocks;
	size_t below = pascal_below(p->sorted, p->distinct, t);
	return p->gap_sum[below] + (p->distinct - below) * t;
}

uint32_t
rp_pascal_gaps_above(const struct rp_pascal *p, uint64_t t)
{
	if (t >= p->blocks)
		return 0;
	return p->distinct - (uint32_t)pascal_below(p->sorted, p->distinct, t + 1);
}

bool
rp_pascal_waterline(const struct rp_pascal *p, uint64_t capacity, struct rp_waterline *w)
{
	if (capacity >= p->blocks)
		return false;
	/* The first j whose next gap's footprint, gap_sum[j] + (D - j) sorted[j], is more than C: it rises with j, and is N
	 * at the last. */
	size_t j = 0, n = p->distinct - 1;
	while (j < n) {
		size_t middle = j + (n - j) / 2;
		if (p->gap_sum[middle] + (p->distinct - middle) * p->sorted[middle] <= capacity)
			j = middle + 1;
		else
			n = middle;
	}
	uint64_t over = capacity - p->gap_sum[j], gaps = p->distinct - j;
	w->theta = rp_fraction(over, gaps);
	w->window = over / gaps;
	return true;
}

uint32_t
rp_pascal_ttl(const struct rp_pascal *p, uint64_t capacity)
{
	struct rp_waterline w;
	return rp_pascal_waterline(p, capacity, &w) ? rp_pascal_gaps_above(p, w.window) : 0;
}

bool
rp_pascal_certificate(const struct rp_pascal *p, uint64_t capacity, struct rp_pascal_certificate *c)
{
	struct rp_waterline w;
	if (p->distinct > capacity || !rp_pascal_waterline(p, capacity, &w))
		return false;
	/* D <= C, so that a window of one round fits: T* is at least 1. */
	c->lo = rp_pascal_gaps_above(p, w.window + 1);
	c->hi = rp_pascal_gaps_above(p, w.window - 1);
	c->lo_sharp = c->lo ? c->lo : 1;
	return true;
}

uint64_t
rp_pascal_cold_ttl(const struct rp_pascal *p, uint64_t capacity, uint64_t rounds)
{
	struct rp_waterline w = { .window = p->blocks };
	rp_pascal_waterline(p, capacity, &w);
	/* Gaps up to the window miss until they have gone by once, longer ones in every round. */
	uint64_t till = w.window < rounds ? w.window : rounds;
	size_t short_gaps = pascal_below(p->sorted, p->distinct, till + 1);
	return p->gap_sum[short_gaps] + (p->distinct - short_gaps) * rounds;
}

uint32_t
rp_pascal_clusters(const struct rp_pascal *p, uint64_t gap)
{
	uint32_t n = rp_pascal_gaps_above(p, gap);
	return n ? n : 1;
}
