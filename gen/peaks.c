/* peaks.c - reuse profiles as mixtures of normal distributions. */
#include "config.h"

#include "gen/peaks.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

struct rp_xoshiro
rp_trace_chance(const struct rp_trace_key *key, const char *purpose, uint64_t stream)
{
	const uint64_t part[] = { rp_hash_bytes(purpose, strlen(purpose)), key->peaks, key->max_rd,
		key->index, stream };
	uint64_t h = key->seed;
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		h = rp_mix64(h + UINT64_C(0x9e3779b97f4a7c15)) ^ part[i];
	return rp_xoshiro_seed(h);
}

static void
widen(struct rp_peak *peak, size_t n, double *cold, size_t max_rd, struct rp_xoshiro *rng)
{
	if (rp_xoshiro_unit(rng) < 0.5) {
		double low = log(0.3), high = log(fmax(0.3, (double)max_rd / 4));
		for (size_t i = 0; i < n; i++)
			peak[i].sigma = exp(low + (high - low) * rp_xoshiro_unit(rng));
	}
	if (rp_xoshiro_unit(rng) < 0.5)
		*cold *= pow(10, -3 * rp_xoshiro_unit(rng));
}

void
rp_peaks_draw(struct rp_peak *peak, size_t n, double *cold, size_t max_rd,
    const struct rp_peaks_recipe *how, struct rp_xoshiro *rng)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += peak[i].weight = rp_xoshiro_unit(rng);
	*cold = rp_xoshiro_unit(rng);
	for (size_t i = 0; i < n; i++) {
		peak[i].mu = rp_xoshiro_unit(rng) * (double)max_rd;
		peak[i].sigma = how->low + (how->high - how->low) * rp_xoshiro_unit(rng);
	}
	if (how->wide)
		widen(peak, n, cold, max_rd, rng);
	double rest = how->cold >= 0 ? (1 - how->cold) / sum : 1 / (sum + *cold);
	for (size_t i = 0; i < n; i++)
		peak[i].weight *= rest;
	*cold = how->cold >= 0 ? how->cold : *cold * rest;
}

/* The normal distribution function at (x - mu) / sigma. */
static double
below(const struct rp_peak *p, double x)
{
	return 0.5 * (1 + erf((x - p->mu) / p->sigma / M_SQRT2));
}

/* Bins of a peak that can have mass, [*first, *last): within 8 sigma + 1. */
static void
range(const struct rp_peak *p, size_t max_rd, size_t *first, size_t *last)
{
	double reach = 8 * p->sigma + 1, low = ceil(p->mu - reach), high = floor(p->mu + reach) + 1;
	*first = low > 0 ? low < (double)max_rd ? (size_t)low : max_rd : 0;
	*last = high > 0 ? high < (double)max_rd ? (size_t)high : max_rd : 0;
}

static void
add_point(const struct rp_peak *p, double *share, size_t max_rd)
{
	double at = floor(p->mu + 0.5);
	share[at > 0 ? at < (double)max_rd ? (size_t)at : max_rd - 1 : 0] += p->weight;
}

static void
add_peak(const struct rp_peak *p, double *share, size_t max_rd)
{
	size_t first, last;
	range(p, max_rd, &first, &last);
	double low = p->sigma < 1e-3 ? 0 : below(p, (double)first - 0.5),
	       mass = p->sigma < 1e-3 ? 0 : below(p, (double)last - 0.5) - low;
	if (first >= last || !(mass > 0)) {
		add_point(p, share, max_rd);
		return;
	}
	for (size_t d = first; d < last; d++) {
		double high = below(p, (double)d + 0.5);
		share[d] += p->weight / mass * (high - low);
		low = high;
	}
}

void
rp_peaks_share(const struct rp_peak *peak, size_t n, double *share, size_t max_rd)
{
	memset(share, 0, max_rd * sizeof *share);
	for (size_t i = 0; i < n; i++)
		add_peak(peak + i, share, max_rd);
}
