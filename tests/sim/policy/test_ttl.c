/* test_ttl.c - tests sim/ttl.c: its definition, access by access, and Theorem 2 of PASCAL (spec-pascal 3). */
#include "tests/sim/replay_check.h"

#include "base/rng.h"
#include "gen/gen.h"
#include "traces/source.h"

#include <inttypes.h>
#include <jansson.h>

/* The static model: in round k worker m reads block (k + phase[m]) mod n, in order of m; its time is its round. */
static struct rp_batch *
scan(uint64_t n, const uint64_t *phase, size_t workers, uint64_t rounds)
{
	struct rp_batch *b = rp_batch_new(workers * rounds, RP_COL_TIME, NULL);
	for (uint64_t k = 0; k < rounds; k++)
		for (size_t m = 0; m < workers; m++)
			rp_batch_put(
			    b, &(struct rp_access){
				   .addr = (k + phase[m]) % n * 64, .size = 64, .time = k });
	return b;
}

static int
by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Gaps between the distinct phases, sorted: how many. */
static size_t
gaps_of(uint64_t n, const uint64_t *phase, size_t workers, uint64_t *gap)
{
	uint64_t *y = calloc(workers, sizeof *y);
	size_t d = 0;
	memcpy(y, phase, workers * sizeof *y);
	qsort(y, workers, sizeof *y, by_size);
	for (size_t i = 0; i < workers; i++)
		if (!i || y[i] != y[i - 1])
			y[d++] = y[i];
	for (size_t i = 0; i < d; i++)
		gap[i] = i + 1 < d ? y[i + 1] - y[i] : y[0] + n - y[i];
	qsort(gap, d, sizeof *gap, by_size);
	free(y);
	return d;
}

/* The waterline's T* from the footprint itself: the largest T with U(T) = sum of min(gap, T) at most c, for c < n. */
static uint64_t
waterline(const uint64_t *gap, size_t d, uint64_t c)
{
	for (uint64_t t = 1;; t++) {
		uint64_t u = 0;
		for (size_t i = 0; i < d; i++)
			u += gap[i] < t ? gap[i] : t;
		if (u > c)
			return t - 1;
	}
}

static struct rp_counters
ttl(const struct rp_batch *b, uint64_t window, bool slotted, const struct rp_replay_opts *o)
{
	char spec[80];
	snprintf(
	    spec, sizeof spec, "ttl,window=%" PRIu64 "%s", window, slotted ? "" : ",slotted=no");
	return replay_one(spec, b, o);
}

/* In each round the misses are the gaps that are larger than the window; from an empty start a smaller one misses as often
 * as it is long, once for each block up to the next phase. */
static void
expect_theorem_2(uint64_t n, const uint64_t *phase, size_t workers, uint64_t window)
{
	uint64_t gap[64], rounds = 3 * n, steady = 0, total = 0;
	size_t d = gaps_of(n, phase, workers, gap);
	struct rp_batch *b = scan(n, phase, workers, rounds);
	for (size_t i = 0; i < d; i++) {
		steady += gap[i] > window;
		total += gap[i] > window || gap[i] > rounds ? rounds : gap[i];
	}
	char spec[80];
	struct rp_cache_spec s;
	struct rp_replay_opts o = { .interval = workers };
	snprintf(spec, sizeof spec, "ttl,window=%" PRIu64, window);
	cr_assert(rp_cache_spec_parse(spec, 64, 1, &s, NULL));
	struct rp_replay *r = rp_replay_new(&s, 1, &o, NULL);
	cr_assert(rp_replay_run(r, b, NULL) && rp_replay_end(r, NULL));
	struct rp_counters c;
	rp_replay_counters(r, 0, &c);
	cr_assert_eq(c.misses, total, "N=%d T=%d: %d misses, not %d", (int)n, (int)window,
	    (int)c.misses, (int)total);
	/* Steady from round T on where T is the waterline's; from round N on always. */
	for (uint64_t k = window < n ? window : n; k < rounds; k++) {
		rp_replay_interval(r, 0, k, &c);
		cr_assert_eq(c.misses, steady, "N=%d T=%d round %d: %d misses, not %d", (int)n,
		    (int)window, (int)k, (int)c.misses, (int)steady);
	}
	rp_replay_free(r);
	rp_cache_spec_free(&s);
	rp_batch_free(b);
}

/* The worked example of spec-pascal 3: gaps 1, 4, 7; with C = 6 T* = 2 and 2 misses a round. And of 19.5: T* = 0, 2 misses. */
RP_TEST(ttl, comes_out_as_in_the_worked_example)
{
	static const uint64_t phase[] = { 0, 1, 5 }, other[] = { 0, 2, 0, 0, 2, 0 };
	uint64_t gap[8];
	cr_assert_eq(gaps_of(12, phase, 3, gap), 3);
	cr_assert(gap[0] == 1 && gap[1] == 4 && gap[2] == 7);
	cr_assert_eq(waterline(gap, 3, 6), 2);
	expect_theorem_2(12, phase, 3, 2);
	struct rp_batch *b = scan(12, phase, 3, 72);
	/* From an empty start: gap 1 misses once, the gaps 4 and 7 in every round. */
	cr_assert_eq(ttl(b, 2, true, NULL).misses, 1 + 72 + 72);
	rp_batch_free(b);
	cr_assert_eq(waterline(gap, gaps_of(5, other, 6, gap), 1), 0);
	expect_theorem_2(5, other, 6, 0);
}

RP_TEST(ttl, misses_as_theorem_2_says)
{
	struct rp_rng rng = { rp_test_seed("ttl theorem 2") };
	for (unsigned i = 0; i < 200 * rp_test_scale(); i++) {
		uint64_t n = 1 + rp_rng_below(&rng, 48), phase[16], gap[16];
		size_t workers = 1 + rp_rng_below(&rng, 16);
		for (size_t m = 0; m < workers; m++)
			phase[m] = rp_rng_below(&rng, n);
		size_t d = gaps_of(n, phase, workers, gap);
		for (uint64_t c = 1; c < n; c += 1 + n / 8)
			expect_theorem_2(n, phase, workers, waterline(gap, d, c));
		expect_theorem_2(n, phase, workers, n + rp_rng_below(&rng, 9));
	}
}

/* One worker has one gap, n: every round misses as long as the window is shorter, else only the first n do. */
RP_TEST(ttl, takes_the_rounds_of_the_scan_generator)
{
	for (uint64_t window = 90; window < 110; window += 3) {
		struct rp_err err = { 0 };
		struct rp_source *s = rp_gen_open("scan,blocks=100,rounds=1000", 1, &err);
		cr_assert(s, "%s", err.text);
		struct rp_batch *b = rp_batch_new(1000, s->trace->columns, &err);
		while (rp_source_pull(s, b, &err) > 0)
			;
		cr_assert_eq(ttl(b, window, true, NULL).misses, window < 100 ? 1000 : 100);
		rp_batch_free(b);
		rp_source_close(s);
	}
}

/* Whether there is a waterline, and so something to compare. */
static bool
expect_case(json_t *one)
{
	json_t *want = json_object_get(one, "ttl_6N_cold"),
	       *phases = json_object_get(one, "phases");
	uint64_t phase[4096], n = (uint64_t)json_integer_value(json_object_get(one, "N"));
	size_t workers = json_array_size(phases);
	json_t *window = json_object_get(one, "T_star");
	if (!json_is_integer(want) || !json_is_integer(window))
		return false;
	for (size_t m = 0; m < workers; m++)
		phase[m] = (uint64_t)json_integer_value(json_array_get(phases, m));
	struct rp_batch *b = scan(n, phase, workers, 6 * n);
	cr_assert_eq(ttl(b, (uint64_t)json_integer_value(window), true, NULL).misses,
	    (uint64_t)json_integer_value(want), "%s",
	    json_string_value(json_object_get(one, "id")));
	rp_batch_free(b);
	return true;
}

RP_TEST(ttl, misses_as_the_published_cases_say)
{
	char path[4096];
	if (!rp_test_shared())
		cr_skip_test("no ../shared");
	snprintf(path, sizeof path, "%s/pascal/static_cases.json", rp_test_shared());
	json_t *all = json_load_file(path, 0, NULL), *one;
	size_t i, n = 0;
	cr_assert(all);
	json_array_foreach(all, i, one) { n += expect_case(one); }
	cr_assert_geq(n, 30);
	json_decref(all);
}

/* A random trace whose times rise now and then. */
static struct rp_batch *
random_trace(struct rp_rng *rng, size_t n, uint64_t lines)
{
	struct rp_batch *b = rp_batch_new(n, RP_COL_TIME, NULL);
	uint64_t time = rp_rng_below(rng, 3) << 40;
	for (size_t i = 0; i < n; i++) {
		uint64_t r = rp_rng_next(rng);
		time += r % 5 == 0 ? r / 5 % 3 : 0;
		rp_batch_put(b, &(struct rp_access){ .addr = rp_rng_below(rng, lines) * 64,
				    .size = 1,
				    .kind = r >> 32 & 1 ? RP_WRITE : RP_READ,
				    .time = time });
	}
	return b;
}

/* By the definition, looking back: misses of a trace of whole-line lookups. Slotted: what was read in the window rounds
 * before, or in this one. Not slotted: at most `window` lookups ago. */
static uint64_t
misses_by_definition(const struct rp_batch *b, uint64_t window, bool slotted)
{
	uint64_t misses = 0;
	for (size_t i = 0; i < b->n; i++) {
		bool hit = false;
		for (size_t j = i; j-- > 0 && !hit;)
			if (b->addr[j] == b->addr[i])
				hit = slotted ? b->time[j] + window >= b->time[i] : i - j <= window;
		misses += !hit;
	}
	return misses;
}

RP_TEST(ttl, is_its_definition)
{
	struct rp_rng rng = { rp_test_seed("ttl") };
	for (unsigned i = 0; i < 60 * rp_test_scale(); i++) {
		struct rp_batch *b =
		    random_trace(&rng, 2000, 1 + rp_rng_below(&rng, i % 2 ? 30 : 1500));
		uint64_t window = rp_rng_below(&rng, i % 3 ? 50 : 1500);
		bool slotted = i % 4 < 2;
		struct rp_counters c =
		    ttl(b, window, slotted, &(struct rp_replay_opts){ .flush = true });
		cr_assert_eq(c.misses, misses_by_definition(b, window, slotted));
		cr_assert_eq(c.fills, c.misses);
		rp_batch_free(b);
	}
}

/* Lookups ago, window 2: A B A hits, A B C A does not; window 0 never hits. */
RP_TEST(ttl, counts_lookups_when_it_is_not_slotted)
{
	cr_assert_eq(replay_text("ttl,window=2,slotted=no", "R0 R40 R0", NULL).misses, 2);
	cr_assert_eq(replay_text("ttl,window=2,slotted=no", "R0 R40 R80 R0", NULL).misses, 4);
	cr_assert_eq(replay_text("ttl,window=0,slotted=no", "R0 R0 R0", NULL).misses, 3);
	cr_assert_eq(replay_text("ttl,window=1,slotted=no", "R0 R0 R0", NULL).misses, 1);
}

/* Window 1 of lookups. A is written, B, C: A's time is over when C comes, which takes its place; A is written back. C again;
 * then A comes back, in the place of B, which was clean. The second C is dirty at the end. */
RP_TEST(ttl, writes_back_what_is_replaced_after_its_time)
{
	static const char trace[] = "W0 R40 R80 W80 R0";
	struct rp_counters c = replay_text("ttl,window=1,slotted=no", trace, NULL);
	cr_assert(c.misses == 4 && c.evictions == 2 && c.writebacks == 1);
	struct rp_replay_opts o = { .flush = true };
	cr_assert_eq(replay_text("ttl,window=1,slotted=no", trace, &o).writebacks, 2);
	/* The line that comes back may be its own predecessor, which was dirty. */
	c = replay_text("ttl,window=0,slotted=no", "W0 R0", NULL);
	cr_assert(c.misses == 2 && c.evictions == 1 && c.writebacks == 1);
}

/* B is invalidated and misses again; A, clean after a copy back, is replaced without a write-back. A write that brings
 * nothing in leaves nothing. */
RP_TEST(ttl, heeds_marks_and_the_write_policy)
{
	cr_assert_eq(replay_text("ttl,window=9,slotted=no", "R0 R40 D40 R40 R0", NULL).misses, 3);
	struct rp_counters c = replay_text("ttl,window=0,slotted=no", "W0 C0 R40 R80", NULL);
	cr_assert(c.evictions == 2 && c.writebacks == 1);
	c = replay_text("ttl,window=9,slotted=no,allocate=no-write", "W0 W0 R0 W0", NULL);
	cr_assert(c.misses == 3 && c.fills == 1);
	c = replay_text("ttl,window=9,slotted=no,write=through", "W0 W0", NULL);
	cr_assert(c.misses == 1 && c.bytes_written == 2);
}

static void
add_line(void *to, uint64_t line, bool dirty)
{
	*(uint64_t *)to += 100 * line + dirty;
}

/* As a level of a hierarchy: lines 1 (dirty) and 2 are told of, one by one or all; a line whose time is over, 1, is not made
 * dirty any more, and one that is there is. */
RP_TEST(ttl, tells_its_lines)
{
	static uint8_t outcome[RP_CHUNK + 64];
	struct rp_cache_spec s;
	struct rp_batch *b = rp_batch_new(RP_BATCH, 0, NULL);
	cr_assert(rp_cache_spec_parse("ttl,window=1,slotted=no", 64, 1, &s, NULL));
	struct rp_cache *c = rp_cache_new(&s, RP_LEVEL_BEST, true, NULL);
	struct rp_expand *e = rp_expand_new(6, false, false, RP_LEVEL_BEST, NULL);
	uint64_t one = 0, all = 0, soiled = 0, victim[RP_CHUNK + 64];
	size_t row = 0;
	put_text(b, "W40 R80");
	const struct rp_lookups *in = rp_expand_next(e, b, &row, UINT64_MAX);
	cr_assert(rp_cache_run(c, in, outcome, victim, NULL));
	rp_cache_walk(c, 1, 1, add_line, &one);
	rp_cache_walk(c, 0, UINT64_MAX, add_line, &all);
	cr_assert(one == 101 && all == 301);
	cr_assert(!rp_cache_soil(c, 1) && !rp_cache_soil(c, 3) && rp_cache_soil(c, 2));
	rp_cache_walk(c, 0, UINT64_MAX, add_line, &soiled);
	cr_assert_eq(soiled, 302);
	rp_expand_free(e);
	rp_cache_free(c);
	rp_cache_spec_free(&s);
	rp_batch_free(b);
}

/* The same counters whatever the batches are, with more lines than the tables start with. */
RP_TEST(ttl, does_not_depend_on_batches)
{
	struct rp_rng rng = { rp_test_seed("ttl batches") };
	struct rp_batch *b = random_trace(&rng, 60000, 9000),
			*part = rp_batch_new(1, RP_COL_TIME, NULL);
	struct rp_cache_spec s;
	struct rp_counters whole, pieces;
	cr_assert(rp_cache_spec_parse("ttl,window=4000", 64, 1, &s, NULL));
	whole = ttl(b, 4000, true, NULL);
	struct rp_replay *r = rp_replay_new(&s, 1, &(struct rp_replay_opts){ 0 }, NULL);
	for (size_t i = 0; i < b->n; i++) {
		rp_batch_clear(part);
		rp_batch_append(part, b, i, 1);
		cr_assert(rp_replay_run(r, part, NULL));
	}
	cr_assert(rp_replay_end(r, NULL));
	rp_replay_counters(r, 0, &pieces);
	expect_same(&pieces, &whole, "one by one");
	cr_assert_gt(whole.evictions, 100);
	rp_replay_free(r);
	rp_cache_spec_free(&s);
	rp_batch_free(b);
	rp_batch_free(part);
}

static void
expect_failure(const struct rp_batch *b, enum rp_code code, const char *says)
{
	struct rp_cache_spec s;
	struct rp_err err = { 0 };
	cr_assert(rp_cache_spec_parse("ttl,window=3", 64, 1, &s, &err));
	struct rp_replay *r = rp_replay_new(&s, 1, &(struct rp_replay_opts){ 0 }, &err);
	cr_assert_not(rp_replay_run(r, b, &err));
	cr_assert_eq(err.code, code);
	cr_assert(strstr(err.text, says), "%s", err.text);
	rp_replay_free(r);
	rp_cache_spec_free(&s);
}

RP_TEST(ttl, wants_rounds_that_never_fall)
{
	struct rp_batch *none = rp_batch_new(8, 0, NULL),
			*falls = rp_batch_new(8, RP_COL_TIME, NULL);
	put_text(none, "R0 R40");
	expect_failure(none, RP_USAGE, "the trace has no times");
	rp_batch_put(falls, &(struct rp_access){ .size = 1, .time = 7 });
	rp_batch_put(falls, &(struct rp_access){ .size = 1, .time = 6 });
	expect_failure(falls, RP_INPUT, "round 6 comes after round 7");
	rp_batch_free(none);
	rp_batch_free(falls);
}
