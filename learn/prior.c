/* prior.c - miss and merge rates of a cache from the features of a trace, without any learning. */
#include "config.h"

#include "learn/prior.h"

#include "base/mem.h"

#include <math.h>

/* P(Bin(d, 1 / sets) >= ways) for d = 0, 1, 2 ... by what a line more does: q[k] is the chance of k lines in the set, of those
 * below `ways`. */
double
rp_prior_random(const uint32_t *rp, uint32_t bins, uint64_t n, uint64_t sets, uint64_t ways)
{
	enum { MOST = 4096 };
	double q[MOST], chance = 1 / (double)sets, sum = (double)rp[bins] + (double)rp[bins + 1];
	if (!n)
		return 0;
	/* Fewer than `ways` lines never miss; with one set, exactly `ways` do. */
	if (ways >= bins || sets == 1 || ways > MOST) {
		for (uint64_t d = ways; d < bins; d++)
			sum += (double)rp[d] * (sets == 1);
		return sum / (double)n;
	}
	double below = 1;
	for (uint64_t k = 0; k < ways; k++)
		q[k] = k == 0;
	for (uint32_t d = 0; d < bins; d++) {
		sum += rp[d] * (1 - below);
		below -= q[ways - 1] * chance;
		for (uint64_t k = ways; k-- > 1;)
			q[k] = q[k] * (1 - chance) + q[k - 1] * chance;
		q[0] *= 1 - chance;
	}
	return sum / (double)n;
}

double
rp_prior_erlang(uint64_t entries, double load)
{
	if (!(load > 0))
		return entries ? 0 : 1;
	/* 1 / B_k = 1 + (k / load) / B_(k - 1): it grows without bound, and B is 0 for all that is told apart then. */
	double inverse = 1;
	for (uint64_t k = 1; k <= entries && isfinite(inverse); k++)
		inverse = 1 + (double)k / load * inverse;
	return 1 / inverse;
}

static double
tag_misses(const struct rp_features *f, const struct rp_prior_cache *c)
{
	int s = rp_conflict_sets(c->sets), w = rp_conflict_ways(c->ways);
	if (s >= 0 && w >= 0)
		return f->conf[s][w];
	return rp_prior_random(f->rp, f->bins, f->n, c->sets, c->ways);
}

/* Between which rows of the surface, and how far from the first to the next, a fully associative cache misses a share p. */
static unsigned
equivalent(const struct rp_surface_counts *h, double p, double *weight)
{
	unsigned j = RP_CAPACITIES - 2;
	double n = (double)h->n;
	while (j > 0 && (double)h->missed[j] / n < p)
		j--;
	double here = (double)h->missed[j] / n, fall = here - (double)h->missed[j + 1] / n;
	*weight = fall <= 1e-4 ? 0.5 : fmin(1, fmax(0, (here - p) / fall));
	return j;
}

/* Of a table by capacity and latency, for each access. */
static double
between(const uint64_t table[][RP_LATENCIES], unsigned j, double weight, double column, double n)
{
	unsigned t = (unsigned)column < RP_LATENCIES - 1 ? (unsigned)column : RP_LATENCIES - 2;
	double right = column - t, row[2];
	for (unsigned i = 0; i < 2; i++)
		row[i] =
		    (double)table[j + i][t] * (1 - right) + (double)table[j + i][t + 1] * right;
	return (row[0] * (1 - weight) + row[1] * weight) / n;
}

/* Primaries `a` and merges `m`, for each access, of a cache whose tags miss a share p. */
static void
surface_at(const struct rp_surface_counts *h, double p, uint64_t latency, double *a, double *m)
{
	double weight, column;
	if (latency <= 1) {
		*a = p;
		*m = 0;
		return;
	}
	unsigned j = equivalent(h, p, &weight);
	column = log2((double)latency / RP_LATENCY_LEAST);
	column = fmin(RP_LATENCIES - 1, fmax(0, column));
	*a = between(h->primary, j, weight, column, (double)h->n);
	*m = between(h->merged, j, weight, column, (double)h->n);
}

struct rp_prior
rp_prior(const struct rp_features *f, const struct rp_prior_cache *c)
{
	struct rp_prior r = { 0 };
	double a, m, full = 0, latency = (double)c->latency;
	if (!f->n)
		return r;
	r.tag_miss = tag_misses(f, c);
	surface_at(&f->surface, r.tag_miss, c->latency, &a, &m);
	/* With the MSHRs full, those accesses are fetched anew that would have merged and whose line is not there. */
	double more = fmax(0, r.tag_miss - a);
	if (c->entries) {
		full = rp_prior_erlang(c->entries, a * latency);
		for (int i = 0; i < 3; i++)
			full =
			    full / 2 + rp_prior_erlang(c->entries, (a + more * full) * latency) / 2;
	}
	a += more * full;
	m *= 1 - full;
	r.miss_rate = a + m;
	r.merge_rate = r.miss_rate > 0 ? m / r.miss_rate : 0;
	r.fetch_rate = a;
	return r;
}

bool
rp_prior_touches(const double *share, size_t bins, const uint64_t *latency, size_t n,
    double *touches, struct rp_err *err)
{
	/* depth[k]: chance that the line lies below k others; above[k]: of an access to one of these. */
	double *depth = rp_mem_array(bins + 1, sizeof *depth, err),
	       *above = rp_mem_array(bins + 1, sizeof *above, err), sum = 0;
	if (!depth || !above) {
		free(depth);
		free(above);
		return false;
	}
	for (size_t k = 0; k < bins; k++)
		above[k + 1] = above[k] + share[k];
	depth[0] = 1;
	uint64_t at = 1;
	for (size_t i = 0; i < n; i++) {
		for (; at < latency[i]; at++) {
			double touched = 0;
			/* Below all bins it is touched no more. */
			for (size_t k = bins; k-- > 0;) {
				double here = depth[k], hit = share[k];
				touched += here * hit;
				depth[k] = here * above[k];
				if (k + 1 < bins)
					depth[k + 1] += here * (1 - hit - above[k]);
			}
			depth[0] += touched;
			sum += touched;
		}
		touches[i] = sum;
	}
	free(depth);
	free(above);
	return true;
}
