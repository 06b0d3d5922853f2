/* engine_check.h - holds an engine against the model: every outcome and victim, with lines dropped, cleaned and soiled in
 * between. */
#ifndef RP_TESTS_SIM_ENGINE_CHECK_H
#define RP_TESTS_SIM_ENGINE_CHECK_H

#include "tests/check.h"

#include "sim/cache.h"
#include "sim/policy.h"

#include "base/rng.h"

struct engine_pair {
	struct rp_cache *model, *found;
	struct rp_expand *expand;
	bool victims;
};

/* Runs a batch through both: every outcome and victim is the same. */
static inline void
engine_run(struct engine_pair *p, const struct rp_batch *b, const char *text)
{
	static uint8_t x[RP_CHUNK + 64], y[RP_CHUNK + 64];
	static uint64_t left[RP_CHUNK + 64], gone[RP_CHUNK + 64];
	for (size_t row = 0; row < b->n;) {
		const struct rp_lookups *l = rp_expand_next(p->expand, b, &row, UINT64_MAX);
		cr_assert(rp_cache_run(p->model, l, x, p->victims ? left : NULL, NULL));
		cr_assert(rp_cache_run(p->found, l, y, p->victims ? gone : NULL, NULL));
		for (size_t i = 0; i < l->n; i++) {
			cr_assert_eq(x[i], y[i], "%s: lookup %zu: %d, not %d", text, i, y[i], x[i]);
			if (p->victims && (x[i] & RP_EVICTED))
				cr_assert_eq(left[i], gone[i], "%s: the victim", text);
		}
	}
}

/* Some rows of reads, writes, atomics and prefetches in the manner of a few loops and much chance. */
static inline void
engine_fill(struct rp_rng *rng, struct rp_batch *b, uint64_t base, uint64_t lines)
{
	uint64_t at = 0;
	rp_batch_clear(b);
	while (b->n < b->cap) {
		uint64_t r = rp_rng_next(rng);
		at = r % 4 == 0   ? at + 1
		     : r % 4 == 1 ? at
		                  : rp_rng_below(rng, r % 4 == 2 ? lines : lines / 3 + 1);
		rp_batch_put(b, &(struct rp_access){ .addr = base + at % lines * 64,
				    .size = 1,
				    .kind = (r >> 8 & 7) == 0   ? RP_ATOMIC
		                            : (r >> 8 & 7) == 1 ? RP_PREFETCH
		                            : r >> 16 & 1       ? RP_WRITE
		                                                : RP_READ });
	}
}

/* A cache whose lookups such an engine runs: rounds of a full batch, with lines dropped, cleaned and made dirty in between. */
static inline void
engine_hold(const char *engine, const char *text, enum rp_level level, bool victims, uint64_t base,
    struct rp_rng *rng, size_t rows)
{
	struct rp_cache_spec s;
	struct rp_err err = { 0 };
	cr_assert(rp_cache_spec_parse(text, 64, 5, &s, &err), "%s", err.text);
	struct engine_pair p = { rp_cache_new(&s, RP_LEVEL_MODEL, victims, &err),
		rp_cache_new(&s, level, victims, &err),
		rp_expand_new(6, false, true, RP_LEVEL_BEST, &err), victims };
	struct rp_batch *b = rp_batch_new(rows, 0, NULL);
	cr_assert(p.model && p.found && p.expand && b, "%s", err.text);
	cr_assert_str_eq(rp_cache_engine(p.found), engine, "%s", text);
	uint64_t lines = s.size / 64,
		 span = rp_rng_below(rng, 2) ? lines * 3 / 2 + 3 : lines * 15 / 16 + 1;
	for (unsigned round = 0; round < 4; round++) {
		engine_fill(rng, b, round == 2 ? base : 0, span);
		engine_run(&p, b, text);
		uint64_t first = rp_rng_below(rng, span),
			 last = first + rp_rng_below(rng, span / 4 + 1);
		cr_assert_eq(rp_cache_drop(p.model, first, last),
		    rp_cache_drop(p.found, first, last), "%s", text);
		cr_assert_eq(rp_cache_clean(p.model, last, last + 9),
		    rp_cache_clean(p.found, last, last + 9));
		cr_assert_eq(rp_cache_soil(p.model, last + 5), rp_cache_soil(p.found, last + 5));
	}
	rp_cache_drop(p.model, 0, UINT64_MAX);
	rp_cache_drop(p.found, 0, UINT64_MAX);
	engine_fill(rng, b, 0, span);
	engine_run(&p, b, text);
	rp_batch_free(b);
	rp_expand_free(p.expand);
	rp_cache_free(p.model);
	rp_cache_free(p.found);
	rp_cache_spec_free(&s);
}

#endif
