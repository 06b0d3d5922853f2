/* sdcm.c - hit probabilities of a set-associative cache whose lines are mapped to sets at random.
 *
 * A request hits if fewer than A of R lines fell into its set, each with probability p = A / B: a binomial distribution
 * function. One of its terms is computed by its logarithm, free of cancellation (Loader, Fast and accurate computation of
 * binomial probabilities, 2000), and the others on the same side of the mean by ratios, down to where they count no more. */
#include "config.h"

#include "validate/sdcm.h"

#include <math.h>

/* Trials, and the probabilities of success and failure of each. */
struct trials {
	double n, p, q;
};

static const double two_pi = 6.283185307179586477;

/* log(n!) - log(sqrt(2 pi n) (n / e)^n), the error of Stirling's formula; n at least 1. */
static double
stirling_error(double n)
{
	static const double of[] = { 0, 0.08106146679532725822, 0.04134069595540929409,
		0.02767792568499833915, 0.02079067210376509311, 0.01664469118982119216,
		0.01387612882307074800, 0.01189670994589177010, 0.01041126526197209650,
		0.00925546218271273292, 0.00833056343336287126, 0.00757367548795184079,
		0.00694284010720952987, 0.00640899418800420707, 0.00595137011275884774,
		0.00555473355196280137 };
	if (n <= 15)
		return of[(int)n];
	double nn = n * n;
	return (1 / 12.0 -
		   (1 / 360.0 - (1 / 1260.0 - (1 / 1680.0 - 1 / 1188.0 / nn) / nn) / nn) / nn) /
	       n;
}

/* x log(x / m) + m - x, without cancellation where x is near m. */
static double
deviance(double x, double m)
{
	if (fabs(x - m) >= 0.1 * (x + m))
		return x * log(x / m) + m - x;
	double v = (x - m) / (x + m), s = (x - m) * v, term = 2 * x * v;
	for (int j = 1; j < 1000; j++) {
		term *= v * v;
		double more = s + term / (2 * j + 1);
		if (more == s)
			break;
		s = more;
	}
	return s;
}

/* Probability of x successes. */
static double
binomial(struct trials t, double x)
{
	if (x <= 0)
		return exp(t.n * log1p(-t.p));
	if (x >= t.n)
		return exp(t.n * log(t.p));
	double log_term = stirling_error(t.n) - stirling_error(x) - stirling_error(t.n - x) -
	                  deviance(x, t.n * t.p) - deviance(t.n - x, t.n * t.q);
	return exp(log_term) * sqrt(t.n / (two_pi * x * (t.n - x)));
}

/* Probability of at most x successes, 0 <= x < n. */
static double
at_most(struct trials t, double x)
{
	double term, sum = 0;
	if (x <= t.n * t.p) {
		for (term = binomial(t, x); x >= 0 && sum + term > sum; x--) {
			sum += term;
			term *= x * t.q / ((t.n - x + 1) * t.p);
		}
		return sum < 1 ? sum : 1;
	}
	for (term = binomial(t, ++x); x <= t.n && sum + term > sum; x++) {
		sum += term;
		term *= (t.n - x) * t.p / ((x + 1) * t.q);
	}
	return sum < 1 ? 1 - sum : 0;
}

static struct trials
falling(uint64_t distance, uint64_t ways, uint64_t lines)
{
	return (struct trials){ (double)distance, (double)ways / (double)lines,
		(double)(lines - ways) / (double)lines };
}

double
rp_sdcm_hit(uint64_t distance, uint64_t ways, uint64_t lines)
{
	if (distance < ways)
		return 1;
	if (ways == lines)
		return 0;
	return at_most(falling(distance, ways, lines), (double)(ways - 1));
}

/* The sum for distances 0 .. n. The A-th line of the set comes after more than R others with probability hit(R), so the sum
 * is the mean of how many come before it, n + 1 at most: E min(A, X) / p, X being binomial over n + 1 trials; and the sum of
 * x P(X = x) for x < A is (n + 1) p times the probability of at most A - 2 in n trials. */
static double
hits_up_to(uint64_t n, uint64_t ways, uint64_t lines)
{
	if (n < ways)
		return (double)n + 1;
	if (ways == lines)
		return (double)lines;
	struct trials t = falling(n, ways, lines);
	double a = (double)ways, less = ways > 1 ? at_most(t, a - 2) : 0;
	t.n++;
	return a * (1 - at_most(t, a - 1)) / t.p + t.n * less;
}

enum { ADD_UP = 64 };

double
rp_sdcm_hits(uint64_t low, uint64_t high, uint64_t ways, uint64_t lines)
{
	if (high - low >= ADD_UP)
		return hits_up_to(high, ways, lines) - (low ? hits_up_to(low - 1, ways, lines) : 0);
	double sum = 0;
	for (uint64_t r = low; r <= high; r++)
		sum += rp_sdcm_hit(r, ways, lines);
	return sum;
}

double
rp_ppt_hit(uint64_t distance, uint64_t ways, uint64_t lines)
{
	if (!distance)
		return 1;
	if (ways == lines)
		return distance < lines;
	struct trials t = falling(distance, ways, lines);
	double mean = t.n * t.p, sd = sqrt(mean * t.q);
	return 0.5 * erfc(-fabs((double)ways - 1 - mean) / sd / sqrt(2));
}

double
rp_pascal_sdcm(const struct rp_pascal *p, uint64_t ways, uint64_t lines)
{
	double misses = 0, miss = 0;
	uint64_t rd = 0; /* of `miss`: a distance of 0 always hits */
	for (uint32_t i = 0; i < p->workers; i++) {
		uint64_t r = p->rd[p->by_rd[i]];
		if (r != rd)
			miss = 1 - rp_sdcm_hit(r, ways, lines);
		rd = r;
		misses += miss;
	}
	return misses;
}

struct rp_fraction
rp_che_miss(uint64_t blocks, uint64_t capacity)
{
	return capacity < blocks ? rp_fraction(blocks - capacity, blocks) : rp_fraction(0, 1);
}
