/* model.c - how long the closed forms of scans take.
 *
 * A million workers, which are prepared once; a thousand capacities of them against that; and the exact reuse distances of
 * 2,000 workers, against the paper's way: for each worker the union of all others' intervals, sorted anew. */
#include "config.h"

#include "bench/bench.h"
#include "gen/phases.h"
#include "validate/pascal.h"

#include <math.h>
#include <stdlib.h>

enum { MILLION = 1000000, CAPACITIES = 1000, FEW = 2000 };

static const uint64_t blocks = 10000000;

static struct rp_phases
drawn(uint32_t workers)
{
	struct rp_err err = { 0 };
	struct rp_phases_params p = { "uniform", workers, false };
	struct rp_phases f;
	if (!rp_phases_make(&p, blocks, 1, &f, &err))
		bench_fail(&err);
	return f;
}

static struct rp_pascal *
prepared(const struct rp_phases *f)
{
	struct rp_err err = { 0 };
	struct rp_pascal *p = rp_pascal_new(f->phase, f->workers, blocks, &err);
	if (!p)
		bench_fail(&err);
	return p;
}

static void
prepare(void *to)
{
	struct rp_pascal *p = prepared(to);
	bench_keep(p->distinct);
	rp_pascal_free(p);
}

/* Everything that is printed of a capacity, but LRU and SDCM. */
static void
capacities(void *to)
{
	const struct rp_pascal *p = to;
	struct rp_waterline w;
	struct rp_pascal_certificate c;
	for (uint64_t i = 1; i <= CAPACITIES; i++) {
		uint64_t capacity = i * (blocks / CAPACITIES);
		bench_keep(rp_pascal_waterline(p, capacity, &w));
		bench_keep(rp_pascal_certificate(p, capacity, &c));
		bench_keep(rp_pascal_ttl(p, capacity));
		bench_keep((uint64_t)rp_pascal_bound(p, capacity).num);
		bench_keep(rp_pascal_cold_ttl(p, capacity, 100));
	}
}

static void
distances(void *to)
{
	struct rp_err err = { 0 };
	struct rp_pascal *p = prepared(to);
	if (!rp_pascal_distances(p, &err))
		bench_fail(&err);
	bench_keep(p->rd[0]);
	rp_pascal_free(p);
}

struct interval {
	uint64_t from, to;
};

static int
by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* Section 3.3 of the paper, for one worker. */
static uint64_t
distance(const struct rp_pascal *p, uint32_t m, struct interval *at)
{
	uint64_t g = p->previous[m].lag, end = 0, size = 0;
	uint32_t j = p->previous[m].worker;
	size_t n = 0;
	for (uint32_t i = 0; i < p->workers; i++) {
		uint64_t count = g + (i > j) + (i < m) - 1;
		uint64_t from = (p->phase[i] + p->blocks - g + (i <= j)) % p->blocks,
			 to = from + count;
		if (count)
			at[n++] = (struct interval){ from, to < p->blocks ? to : p->blocks };
		if (to > p->blocks)
			at[n++] = (struct interval){ 0, to - p->blocks };
	}
	qsort(at, n, sizeof *at, by_start);
	for (size_t i = 0; i < n; i++) {
		uint64_t from = at[i].from > end ? at[i].from : end;
		if (at[i].to > from) {
			size += at[i].to - from;
			end = at[i].to;
		}
	}
	return size;
}

static void
merged(void *to)
{
	static struct interval at[2 * FEW];
	struct rp_pascal *p = prepared(to);
	for (uint32_t m = 0; m < p->workers; m++)
		bench_keep(distance(p, m, at));
	rp_pascal_free(p);
}

int
main(void)
{
	struct rp_phases many = drawn(MILLION), few = drawn(FEW);
	struct rp_pascal *p = prepared(&many);
	struct bench_variant once[] = { { prepare, &many, 0 }, { capacities, p, 0 } },
			     exact[] = { { distances, &few, 0 }, { merged, &few, 0 } };
	bench_turns(once, 2, 5, false);
	bench_row_most("pascal: 1 M workers, all but distances", once[0].best, "s", "-", NAN, 2);
	bench_row_most("pascal: and K at 1,000 capacities", once[0].best + once[1].best, "s",
	    "without them", (once[0].best + once[1].best) / once[0].best, 1.1);
	bench_turns(exact, 2, 3, false);
	bench_row_most("pascal: distances of 2,000 workers", exact[0].best, "s", "-", NAN, 2);
	bench_row("pascal: distances of 2,000 workers", FEW / exact[0].best / 1e6, "M/s",
	    "merging intervals for each", exact[1].best / exact[0].best, 100);
	rp_pascal_free(p);
	free(many.phase);
	free(few.phase);
	return 0;
}
