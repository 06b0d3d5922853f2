/* test_victims.c - what engines tell of lines that leave and lines that are there, against the model. */
#include "tests/check.h"

#include "sim/cache.h"

#include "base/rng.h"

enum { ROWS = 4000, LINES_MOST = 4096 };

struct lines {
	size_t n;
	uint64_t line[LINES_MOST];
};

static void
note(void *to, uint64_t line, bool dirty)
{
	struct lines *l = to;
	cr_assert_lt(l->n, LINES_MOST);
	l->line[l->n++] = line << 1 | dirty;
}

static int
by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static void
walk(struct rp_cache *c, uint64_t first, uint64_t last, struct lines *l)
{
	l->n = 0;
	rp_cache_walk(c, first, last, note, l);
	qsort(l->line, l->n, sizeof *l->line, by_number);
}

static void
same_lines(struct rp_cache *a, struct rp_cache *b, uint64_t first, uint64_t last, const char *spec)
{
	static struct lines x, y;
	walk(a, first, last, &x);
	walk(b, first, last, &y);
	cr_assert(x.n == y.n && !memcmp(x.line, y.line, x.n * sizeof *x.line), "%s", spec);
}

/* A batch of reads and writes of lines within `span`, some far away so that keys are widened. */
static struct rp_batch *
random_rows(struct rp_rng *rng, uint64_t span, uint64_t base)
{
	struct rp_batch *b = rp_batch_new(ROWS, 0, NULL);
	for (size_t i = 0; i < ROWS; i++)
		rp_batch_put(b, &(struct rp_access){ .addr = base + 64 * rp_rng_below(rng, span),
				    .size = 4,
				    .kind = rp_rng_below(rng, 3) ? RP_READ : RP_WRITE });
	return b;
}

static void
run_both(struct rp_cache *a, struct rp_cache *b, const struct rp_batch *in, const char *spec)
{
	static uint8_t x[RP_CHUNK + 64], y[RP_CHUNK + 64];
	static uint64_t left[RP_CHUNK + 64], gone[RP_CHUNK + 64];
	struct rp_expand *e = rp_expand_new(6, false, true, RP_LEVEL_BEST, NULL);
	for (size_t row = 0; row < in->n;) {
		const struct rp_lookups *l = rp_expand_next(e, in, &row, UINT64_MAX);
		cr_assert(rp_cache_run(a, l, x, left, NULL) && rp_cache_run(b, l, y, gone, NULL));
		for (size_t i = 0; i < l->n; i++) {
			cr_assert_eq(x[i], y[i], "%s", spec);
			cr_assert(!(x[i] & RP_EVICTED) || left[i] == gone[i], "%s: %llx, not %llx",
			    spec, (unsigned long long)gone[i], (unsigned long long)left[i]);
		}
	}
	rp_expand_free(e);
}

static void
hold(const char *spec, enum rp_level level, uint64_t base, uint64_t seed)
{
	struct rp_cache_spec s;
	struct rp_err err = { 0 };
	struct rp_rng rng = { seed };
	cr_assert(rp_cache_spec_parse(spec, 64, 1, &s, &err), "%s", err.text);
	struct rp_cache *a = rp_cache_new(&s, RP_LEVEL_MODEL, true, &err),
			*b = rp_cache_new(&s, level, true, &err);
	cr_assert_str_neq(rp_cache_engine(b), "model", "%s has a loop of its own", spec);
	uint64_t lines = s.size / 64, span = 2 * lines;
	for (unsigned round = 0; round < 4 * rp_test_scale(); round++) {
		struct rp_batch *in = random_rows(&rng, span, round % 2 ? base : 0);
		run_both(a, b, in, spec);
		same_lines(a, b, 0, UINT64_MAX, spec);
		uint64_t line = rp_rng_below(&rng, span), more = rp_rng_below(&rng, 5);
		same_lines(a, b, line, line + more, spec);
		cr_assert_eq(rp_cache_soil(a, line), rp_cache_soil(b, line));
		cr_assert_eq(rp_cache_drop(a, line + 1, line + more + 1),
		    rp_cache_drop(b, line + 1, line + more + 1));
		same_lines(a, b, 0, UINT64_MAX, spec);
		rp_batch_free(in);
	}
	rp_cache_free(a);
	rp_cache_free(b);
	rp_cache_spec_free(&s);
}

static const char *const specs[] = {
	"lru,sets=16,ways=8",
	"lru,sets=13,ways=3",
	"lru,sets=4,ways=16",
	"lru,sets=3,ways=24",
	"lru,sets=64,ways=1",
	"lru,size=32KiB,ways=4,allocate=no-write",
	"lru,size=32KiB,ways=4,write=through",
	"fifo,sets=16,ways=8",
	"fifo,sets=7,ways=12",
	"fifo,sets=2,ways=64",
	"fifo,size=32KiB,ways=4,allocate=no-write",
	"random,sets=16,ways=8",
	"random,sets=5,ways=20",
	"random,sets=16,ways=8,allocate=no-write",
	"clock,sets=16,ways=8",
	"nru,sets=5,ways=16",
	"plru,sets=9,ways=12",
	"mru,sets=16,ways=3",
	"lip,sets=16,ways=8,allocate=no-write",
	"bip,sets=7,ways=16",
	"dip,sets=100,ways=2",
	"srrip,sets=16,ways=16,write=through",
	"brrip,sets=16,ways=8,bits=3",
	"drrip,sets=33,ways=11",
	"lru,size=64KiB",
	"fifo,size=64KiB",
	"random,size=64KiB",
	"lru,size=6400",
	"lru,sets=16,ways=8,index=hash",
	"srrip,sets=32,ways=8,index=ipoly",
	"clock,sets=16,ways=8,index=xor",
};

RP_TEST(victims, every_loop_tells_the_lines_that_leave_and_that_are_there)
{
	uint64_t seed = rp_test_seed("victims");
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
		for (enum rp_level level = RP_LEVEL_C; level < RP_LEVELS; level++)
			for (int wide = 0; wide < 2 && rp_level_runs(level); wide++)
				hold(
				    specs[i], level, wide ? UINT64_C(0xfedcba9876540000) : 0, seed);
}

/* By hand: two ways; A B C D, where C replaces A and D replaces B. */
RP_TEST(victims, are_lines_not_keys)
{
	static const uint64_t line[] = { 5, 9, 13, 17 };
	struct rp_cache_spec s;
	uint8_t outcome[64];
	uint64_t victim[64];
	cr_assert(rp_cache_spec_parse("lru,sets=4,ways=2", 64, 1, &s, NULL));
	struct rp_cache *c = rp_cache_new(&s, RP_LEVEL_BEST, true, NULL);
	struct rp_batch *b = rp_batch_new(64, 0, NULL);
	struct rp_expand *e = rp_expand_new(6, false, true, RP_LEVEL_BEST, NULL);
	size_t row = 0;
	for (size_t i = 0; i < 4; i++)
		rp_batch_put(
		    b, &(struct rp_access){ .addr = 64 * line[i], .size = 1, .kind = i == 0 });
	cr_assert(rp_cache_run(c, rp_expand_next(e, b, &row, 9), outcome, victim, NULL));
	cr_assert(outcome[2] == (RP_MISSED | RP_EVICTED | RP_WROTE_BACK) && victim[2] == 5);
	cr_assert(outcome[3] == (RP_MISSED | RP_EVICTED) && victim[3] == 9);
	cr_assert(rp_cache_soil(c, 13) && !rp_cache_soil(c, 5));
	cr_assert_eq(rp_cache_clean(c, 0, UINT64_MAX), 1);
	rp_expand_free(e);
	rp_batch_free(b);
	rp_cache_free(c);
	rp_cache_spec_free(&s);
}
