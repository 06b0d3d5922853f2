/* test_words.c - tests sim/words.c and its loops: every outcome and victim is the model's. */
#include "tests/sim/engine_check.h"

static const char *const policies[] = { "fifo", "random", "clock", "nru", "plru", "mru", "lip",
	"bip", "bip,throttle=2", "dip", "dip,psel=3,leaders=5", "dip,psel=30,throttle=1", "srrip",
	"srrip,bits=1", "srrip,bits=3", "srrip,bits=4", "brrip", "brrip,bits=1,throttle=4000000000",
	"brrip,bits=4,throttle=3", "drrip", "drrip,bits=3,psel=1", "drrip,bits=1,psel=5,throttle=2",
	"drrip,leaders=1" };

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
				engine_hold("words", text, level, r >> 20 & 1,
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
		engine_hold("words", text, RP_LEVEL_BEST, p % 2, UINT64_C(1) << 40, &rng, 60000);
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
		struct engine_pair p = { rp_cache_new(&s, RP_LEVEL_MODEL, false, NULL),
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
			engine_run(&p, b, specs[k]);
			rp_batch_free(b);
		}
		rp_expand_free(p.expand);
		rp_cache_free(p.model);
		rp_cache_free(p.found);
		rp_cache_spec_free(&s);
	}
}
