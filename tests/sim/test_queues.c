/* test_queues.c - tests sim/queues.c and its loops: every outcome and victim is the model's. */
#include "tests/sim/engine_check.h"

#include "sim/full.h"

static const char *const policies[] = { "lfu", "sieve", "s3fifo", "s3fifo,small=90",
	"s3fifo,small=1,hits=1", "s3fifo,small=50,hits=3", "s3fifo,small=99", "arc" };
enum { POLICIES = sizeof policies / sizeof *policies };

RP_TEST(queues, every_outcome_is_the_model_s)
{
	struct rp_rng rng = { rp_test_seed("queues") };
	for (unsigned i = 0; i < 6 * rp_test_scale(); i++)
		for (size_t p = 0; p < POLICIES; p++)
			for (enum rp_level level = RP_LEVEL_C; level < RP_LEVELS; level++) {
				char text[128];
				uint64_t r = rp_rng_next(&rng);
				if (!rp_level_runs(level))
					continue;
				snprintf(text, sizeof text, "%s,size=%u,write=%s,allocate=%s",
				    policies[p], 64 * (65 + (unsigned)(r % 300)),
				    r >> 16 & 3 ? "back" : "through",
				    r >> 18 & 3 ? "write" : "no-write");
				engine_hold("queues", text, level, r >> 20 & 1,
				    r >> 21 & 1 ? UINT64_C(1) << 52 : 1 << 20, &rng, 6000);
			}
}

/* So many lines that buckets are prefetched; logs grow, and are squeezed. */
RP_TEST(queues, every_outcome_is_the_model_s_in_large_caches)
{
	struct rp_rng rng = { rp_test_seed("large queues") };
	for (size_t p = 0; p < POLICIES; p++) {
		char text[128];
		snprintf(text, sizeof text, "%s,size=%d", policies[p], p % 2 ? 256 << 10 : 640000);
		engine_hold("queues", text, RP_LEVEL_BEST, p % 2, UINT64_C(1) << 40, &rng, 60000);
	}
}

/* A cache of 100 lines knows up to 200 and has 64 or 128 buckets. Forty lines of one bucket, used now and then among others
 * that push them out, come, are remembered, go and are dropped from chains; keys of 64 bits too. */
RP_TEST(queues, a_bucket_that_overflows_keeps_its_lines)
{
	struct rp_rng rng = { rp_test_seed("overflow") };
	for (size_t p = 0; p < POLICIES; p++)
		for (unsigned far = 0; far < 2; far++) {
			char text[128];
			uint64_t from = far ? UINT64_C(1) << 55 : 0, line[40], n = 0;
			struct rp_batch *b = rp_batch_new(20000, 0, NULL);
			struct rp_cache_spec s;
			snprintf(text, sizeof text, "%s,size=6400", policies[p]);
			cr_assert(rp_cache_spec_parse(text, 64, 1, &s, NULL));
			struct engine_pair pair = { rp_cache_new(&s, RP_LEVEL_MODEL, true, NULL),
				rp_cache_new(&s, RP_LEVEL_BEST, true, NULL),
				rp_expand_new(6, false, true, RP_LEVEL_BEST, NULL), true };
			unsigned bits = ((struct rp_full *)pair.found)->bits;
			cr_assert_leq(bits, 7);
			for (uint64_t l = from; n < 40; l++)
				if (full_home(l, full_key(l >> bits), bits) == 0)
					line[n++] = l;
			for (unsigned round = 0; round < 8; round++) {
				for (rp_batch_clear(b); b->n < b->cap / 8;) {
					uint64_t r = rp_rng_next(&rng);
					rp_batch_put(
					    b, &(struct rp_access){ .size = 8,
						   .kind = r >> 16 & 1,
						   .addr = 64 * (r & 1 ? line[(r >> 8) % 40]
								       : from + (r >> 20) % 170) });
				}
				engine_run(&pair, b, text);
				uint64_t l = line[rp_rng_below(&rng, 40)];
				cr_assert_eq(rp_cache_drop(pair.model, l, l),
				    rp_cache_drop(pair.found, l, l));
			}
			rp_batch_free(b);
			rp_expand_free(pair.expand);
			rp_cache_free(pair.model);
			rp_cache_free(pair.found);
			rp_cache_spec_free(&s);
		}
}

/* lfu: lines with more uses than there are queues for are in a heap, where some are used on, some not, some are dropped;
 * sweeps of new lines and long rests then take from it. */
RP_TEST(queues, lines_used_often_leave_in_order)
{
	struct rp_rng rng = { rp_test_seed("often") };
	struct rp_cache_spec s;
	cr_assert(rp_cache_spec_parse("lfu,size=6400", 64, 1, &s, NULL));
	struct engine_pair pair = { rp_cache_new(&s, RP_LEVEL_MODEL, true, NULL),
		rp_cache_new(&s, RP_LEVEL_BEST, true, NULL),
		rp_expand_new(6, false, true, RP_LEVEL_BEST, NULL), true };
	struct rp_batch *b = rp_batch_new(3000, 0, NULL);
	for (unsigned round = 0; round < 60; round++) {
		for (rp_batch_clear(b); b->n < b->cap;) {
			uint64_t r = rp_rng_next(&rng), from = round / 4 * 37;
			/* Each new line is used some 30 times in a row of rounds, so that old ones are the fewest. */
			rp_batch_put(
			    b, &(struct rp_access){
				   .addr = 64 * (from + r % 97), .size = 4, .kind = r >> 40 & 1 });
			if (round % 4 == 3 && b->n > 2900)
				for (unsigned i = 0; i < 12 && b->n < b->cap; i++)
					rp_batch_put(b, &(struct rp_access){
							    .addr = 64 * (from + 200), .size = 4 });
		}
		engine_run(&pair, b, "lfu");
		uint64_t line = rp_rng_below(&rng, 800);
		cr_assert_eq(rp_cache_drop(pair.model, line, line + 3),
		    rp_cache_drop(pair.found, line, line + 3));
	}
	rp_batch_free(b);
	rp_expand_free(pair.expand);
	rp_cache_free(pair.model);
	rp_cache_free(pair.found);
	rp_cache_spec_free(&s);
}
