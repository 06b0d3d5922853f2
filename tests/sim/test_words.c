/* test_words.c - tests sim/words.c and its loops: every outcome and victim is the model's. */
#include "tests/check.h"

#include "sim/cache.h"
#include "sim/policy.h"

#include "base/rng.h"

static const char *const policies[] = { "fifo", "random", "clock", "nru", "plru", "mru", "lip",
	"bip", "bip,throttle=2", "dip", "dip,psel=3,leaders=5", "dip,psel=30,throttle=1", "srrip",
	"srrip,bits=1", "srrip,bits=3", "srrip,bits=4", "brrip", "brrip,bits=1,throttle=4000000000",
	"brrip,bits=4,throttle=3", "drrip", "drrip,bits=3,psel=1", "drrip,bits=1,psel=5,throttle=2",
	"drrip,leaders=1" };

struct pair {
	struct rp_cache *model, *words;
	struct rp_expand *expand;
	bool victims;
};

static void
run(struct pair *p, const struct rp_batch *b, const char *text)
{
	static uint8_t x[RP_CHUNK + 64], y[RP_CHUNK + 64];
	static uint64_t left[RP_CHUNK + 64], gone[RP_CHUNK + 64];
	for (size_t row = 0; row < b->n;) {
		const struct rp_lookups *l = rp_expand_next(p->expand, b, &row, UINT64_MAX);
		cr_assert(rp_cache_run(p->model, l, x, p->victims ? left : NULL, NULL));
		cr_assert(rp_cache_run(p->words, l, y, p->victims ? gone : NULL, NULL));
		for (size_t i = 0; i < l->n; i++) {
			cr_assert_eq(x[i], y[i], "%s: lookup %zu: %d, not %d", text, i, y[i], x[i]);
			if (p->victims && (x[i] & RP_EVICTED))
				cr_assert_eq(left[i], gone[i], "%s: the victim", text);
		}
	}
}

/* Some rows of reads, writes, atomics and prefetches in the manner of a few loops and much chance. */
static void
fill(struct rp_rng *rng, struct rp_batch *b, uint64_t base, uint64_t lines)
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

/* Rounds of a full batch, with lines dropped, cleaned and made dirty in between. */
static void
hold(const char *text, enum rp_level level, bool victims, uint64_t base, struct rp_rng *rng,
    size_t rows)
{
	struct rp_cache_spec s;
	struct rp_err err = { 0 };
	cr_assert(rp_cache_spec_parse(text, 64, 5, &s, &err), "%s", err.text);
	struct pair p = { rp_cache_new(&s, RP_LEVEL_MODEL, victims, &err),
		rp_cache_new(&s, level, victims, &err),
		rp_expand_new(6, false, true, RP_LEVEL_BEST, &err), victims };
	struct rp_batch *b = rp_batch_new(rows, 0, NULL);
	cr_assert(p.model && p.words && p.expand && b, "%s", err.text);
	cr_assert_str_eq(rp_cache_engine(p.words), "words", "%s", text);
	uint64_t lines = s.size / 64,
		 span = rp_rng_below(rng, 2) ? lines * 3 / 2 + 3 : lines * 15 / 16 + 1;
	for (unsigned round = 0; round < 4; round++) {
		fill(rng, b, round == 2 ? base : 0, span);
		run(&p, b, text);
		uint64_t first = rp_rng_below(rng, span),
			 last = first + rp_rng_below(rng, span / 4 + 1);
		cr_assert_eq(rp_cache_drop(p.model, first, last),
		    rp_cache_drop(p.words, first, last), "%s", text);
		cr_assert_eq(rp_cache_clean(p.model, last, last + 9),
		    rp_cache_clean(p.words, last, last + 9));
		cr_assert_eq(rp_cache_soil(p.model, last + 5), rp_cache_soil(p.words, last + 5));
	}
	rp_cache_drop(p.model, 0, UINT64_MAX);
	rp_cache_drop(p.words, 0, UINT64_MAX);
	fill(rng, b, 0, span);
	run(&p, b, text);
	rp_batch_free(b);
	rp_expand_free(p.expand);
	rp_cache_free(p.model);
	rp_cache_free(p.words);
	rp_cache_spec_free(&s);
}

RP_TEST(words, every_outcome_is_the_model_s)
{
	struct rp_rng rng = { rp_test_seed("words") };
	for (unsigned i = 0; i < 8 * rp_test_scale(); i++)
		for (size_t p = 0; p < sizeof policies / sizeof *policies; p++)
			for (enum rp_level level = RP_LEVEL_C; level < RP_LEVELS; level++) {
				char text[128];
				uint64_t r = rp_rng_next(&rng);
				if (!rp_level_runs(level))
					continue;
				snprintf(text, sizeof text,
				    "%s,sets=%u,ways=%u,write=%s,allocate=%s", policies[p],
				    1 + (unsigned)(r % (r >> 32 & 1 ? 130 : 9)),
				    i % 4 == 3 ? 16 : 1 + (unsigned)(r >> 8 & 15),
				    r >> 16 & 3 ? "back" : "through",
				    r >> 18 & 3 ? "write" : "no-write");
				hold(text, level, r >> 20 & 1,
				    r >> 21 & 1 ? UINT64_C(1) << 52 : 1 << 20, &rng, 3000);
			}
}

/* So many sets that they are prefetched. */
RP_TEST(words, every_outcome_is_the_model_s_in_large_caches)
{
	struct rp_rng rng = { rp_test_seed("large words") };
	for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
		char text[128];
		snprintf(text, sizeof text, "%s,sets=%d,ways=%d", policies[p],
		    p % 2 ? 12289 : 16384, p % 3 ? 12 : 16);
		hold(text, RP_LEVEL_BEST, p % 2, UINT64_C(1) << 40, &rng, 60000);
	}
}

/* Numbers are drawn ahead in blocks: a long trace all of whose lookups miss, in pieces of all sizes, uses each once. */
RP_TEST(words, draws_every_number_once)
{
	static const char *const specs[] = { "random,sets=4,ways=7",
		"bip,throttle=3,sets=4,ways=16", "brrip,throttle=2,sets=1,ways=3",
		"dip,psel=2,throttle=3,sets=16,ways=4" };
	struct rp_rng rng = { rp_test_seed("draws") };
	for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
		struct rp_cache_spec s;
		cr_assert(rp_cache_spec_parse(specs[k], 64, 1, &s, NULL));
		struct pair p = { rp_cache_new(&s, RP_LEVEL_MODEL, false, NULL),
			rp_cache_new(&s, RP_LEVEL_BEST, false, NULL),
			rp_expand_new(6, false, true, RP_LEVEL_BEST, NULL), false };
		uint64_t line = 0;
		for (unsigned i = 0; i < 200; i++) {
			struct rp_batch *b = rp_batch_new(1 + rp_rng_below(&rng, 3000), 0, NULL);
			while (b->n < b->cap)
				rp_batch_put(
				    b, &(struct rp_access){
					   .addr = 64 * (b->n % 8 == 7 ? line - 5 : line++),
					   .size = 1 });
			run(&p, b, specs[k]);
			rp_batch_free(b);
		}
		rp_expand_free(p.expand);
		rp_cache_free(p.model);
		rp_cache_free(p.words);
		rp_cache_spec_free(&s);
	}
}
