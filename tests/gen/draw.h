/* draw.h - rows of a generator, and whether counts follow probabilities. */
#ifndef RP_TESTS_GEN_DRAW_H
#define RP_TESTS_GEN_DRAW_H

#include "tests/check.h"

#include "gen/gen.h"

#include <math.h>

/* The first n rows (fewer if it ends) of a gen: text, pulled `cap` at a time. Free with rp_batch_free. */
static inline struct rp_batch *
draw_rows(const char *text, uint64_t seed, size_t n, size_t cap)
{
	struct rp_err err = { 0 };
	struct rp_source *s = rp_gen_open(text, seed, &err);
	cr_assert(s, "%s", err.text);
	struct rp_batch *all = rp_batch_new(n, RP_COL_ALL, &err),
			*b = rp_batch_new(cap, s->trace->columns, &err);
	cr_assert(all && b);
	while (all->n < n) {
		ptrdiff_t k;
		rp_batch_clear(b);
		b->cap = n - all->n < cap ? n - all->n : cap;
		k = rp_source_pull(s, b, &err);
		cr_assert_geq(k, 0);
		cr_assert_eq((size_t)k, b->n);
		if (!k)
			break;
		rp_batch_append(all, b, 0, b->n);
	}
	rp_batch_free(b);
	rp_source_close(s);
	return all;
}

/* Fails if n counts in all would stray so far from these probabilities once in a million times or less (Pearson's
 * chi-square; its quantile by Wilson and Hilferty). Neighbouring cells are joined until 20 are expected. */
static inline void
draw_follows(
    const char *what, const uint64_t *count, const long double *p, size_t cells, uint64_t n)
{
	double chi = 0, joined = 0;
	long double want = 0, rest = 1;
	uint64_t got = 0;
	for (size_t i = 0; i < cells; i++) {
		want += p[i] * (long double)n;
		rest -= p[i];
		got += count[i];
		if (want < 20 || rest * (long double)n < 20) {
			if (i + 1 < cells)
				continue;
		}
		chi += (double)(((long double)got - want) * ((long double)got - want) / want);
		joined++;
		want = 0;
		got = 0;
	}
	double free = joined - 1, v = 2 / (9 * free);
	double most = free * pow(1 - v + 4.7534 * sqrt(v), 3);
	cr_assert(joined >= 2, "%s: too few draws to tell", what);
	cr_assert(chi <= most, "%s: chi-square %.1f with %.0f degrees of freedom, at most %.1f",
	    what, chi, free, most);
}

/* The message of a text that is refused. */
static inline void
draw_refuses(const char *text, const char *message)
{
	struct rp_err err = { 0 };
	cr_assert_null(rp_gen_open(text, 1, &err), "%s", text);
	cr_assert_eq(err.code, RP_USAGE, "%s", text);
	cr_assert_str_eq(err.text, message);
}

#endif
