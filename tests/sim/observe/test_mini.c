/* test_mini.c - caches of several sizes and policies in one pass, whole and scaled down. */
#include "sim/observe/mini.h"

#include "sim/observe/profile.h"
#include "sim/replay.h"

#include "base/rng.h"
#include "tests/check.h"

#include <math.h>
#include <stdio.h>

enum { N = 30000, LINE = 32 };

static uint64_t line[N];
static uint8_t store[N];

static void
make_trace(uint64_t index)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("mini"), "mini", index);
	for (size_t i = 0; i < N; i++) {
		line[i] = rp_rng_below(&rng, 1 + rp_rng_below(&rng, 3000));
		store[i] = (uint8_t)rp_rng_below(&rng, 2);
	}
}

static struct rp_mini *
new_mini(
    const char *const *policy, size_t policies, const uint64_t *size, size_t sizes, double rate)
{
	struct rp_err err = { 0 };
	const struct rp_mini_opts o = { policy, policies, size, sizes, LINE, 1,
		rp_sample_of(rate, 1, RP_LEVEL_BEST) };
	struct rp_mini *m = rp_mini_new(&o, &err);
	cr_assert_not_null(m, "%s", err.text);
	return m;
}

/* Misses of one cache under the lookups whose line is in the sample, counted from lookup `from` on. */
static uint64_t
misses_of(const char *spec_text, const struct rp_sample *sample, size_t from)
{
	struct rp_err err = { 0 };
	struct rp_cache_spec spec;
	cr_assert(rp_cache_spec_parse(spec_text, LINE, 1, &spec, &err), "%s", err.text);
	const struct rp_replay_opts o = { 0 };
	struct rp_replay *r = rp_replay_new(&spec, 1, &o, &err);
	struct rp_batch *b = rp_batch_new(1, 0, &err);
	struct rp_counters c;
	uint64_t before = 0;
	for (size_t i = 0; i < N; i++) {
		if (i == from) {
			rp_replay_counters(r, 0, &c);
			before = c.misses;
		}
		if (rp_sample_hash(sample, line[i]) >= sample->below)
			continue;
		rp_batch_clear(b);
		const struct rp_access a = {
			.addr = line[i] * LINE, .size = 1, .kind = store[i] ? RP_WRITE : RP_READ
		};
		rp_batch_put(b, &a);
		cr_assert(rp_replay_run(r, b, &err));
	}
	cr_assert(rp_replay_end(r, &err));
	rp_replay_counters(r, 0, &c);
	rp_batch_free(b);
	rp_replay_free(r);
	rp_cache_spec_free(&spec);
	return c.misses - before;
}

RP_TEST(mini, whole_caches_miss_as_alone_and_lru_as_its_distances)
{
	static const char *const policy[] = { "lru", "fifo", "srrip,bits=3", "opt" };
	static const uint64_t size[] = { LINE, 16 * LINE, 500 * LINE, 4096 * LINE };
	struct rp_sample all = rp_sample_of(1, 1, RP_LEVEL_BEST);
	struct rp_err err = { 0 };
	make_trace(0);
	struct rp_mini *m = new_mini(policy, 4, size, 4, 1);
	struct rp_profile *p = rp_profile_new(&(struct rp_profile_opts){ 0 }, &err);
	for (size_t i = 0; i < N; i += 5000) {
		cr_assert(rp_mini_run(m, line + i, store + i, 5000, &err));
		cr_assert(rp_profile_run(p, line + i, store + i, 5000, &err));
	}
	cr_assert(rp_mini_end(m, &err));
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 4; k++) {
			char spec[80];
			snprintf(spec, sizeof spec, "%s,size=%llu", policy[i],
			    (unsigned long long)size[k]);
			double want = (double)misses_of(spec, &all, 0) / N, of_lru;
			cr_assert_lt(fabs(rp_mini_ratio(m, i, k) - want), 1e-12, "%s", spec);
			const uint64_t lines = size[k] / LINE;
			rp_profile_misses(p, RP_PART_ALL, &lines, 1, &of_lru);
			if (!i)
				cr_assert_lt(fabs(of_lru - want), 1e-12);
		}
	rp_mini_free(m);
	rp_profile_free(p);
}

RP_TEST(mini, of_a_sample_caches_are_scaled_by_its_rate)
{
	static const char *const policy[] = { "fifo", "lru" };
	static const uint64_t size[] = { LINE, 15 * LINE, 500 * LINE, 2000 * LINE };
	struct rp_err err = { 0 };
	make_trace(1);
	enum { WARMUP = 7000 };
	struct rp_mini *m = new_mini(policy, 2, size, 4, 0.125);
	struct rp_sample sample = rp_sample_of(0.125, 1, RP_LEVEL_BEST);
	cr_assert(rp_mini_run(m, line, store, WARMUP, &err));
	cr_assert(rp_mini_start(m, &err));
	cr_assert(rp_mini_run(m, line + WARMUP, store + WARMUP, N - WARMUP, &err));
	cr_assert(rp_mini_end(m, &err));
	/* 1/8 of a line is none, 15/8 are nearly two, 500/8 = 62.5, rounded up. */
	static const uint64_t scaled[] = { 0, 2, 63, 250 };
	for (size_t k = 0; k < 4; k++) {
		cr_assert_eq(rp_mini_lines(m, k), scaled[k]);
		for (size_t i = 0; i < 2; i++) {
			char spec[80];
			snprintf(spec, sizeof spec, "%s,size=%llu", policy[i],
			    (unsigned long long)scaled[k] * LINE);
			if (!scaled[k]) {
				cr_assert_eq(rp_mini_ratio(m, i, k), -1);
				continue;
			}
			double want =
			    (double)misses_of(spec, &sample, WARMUP) / ((N - WARMUP) * 0.125);
			cr_assert_lt(fabs(rp_mini_ratio(m, i, k) - fmin(want, 1)), 1e-9);
		}
	}
	rp_mini_free(m);
}

RP_TEST(mini, what_cannot_be_is_refused)
{
	static const char *const none[] = { "lur" }, *const opt[] = { "opt" };
	static const uint64_t size[] = { 64 * LINE }, odd[] = { LINE + 1 };
	struct rp_err err = { 0 };
	struct rp_mini_opts o = { none, 1, size, 1, LINE, 1, rp_sample_of(1, 1, RP_LEVEL_BEST) };
	cr_assert_null(rp_mini_new(&o, &err));
	cr_assert_eq(err.code, RP_USAGE);
	o.policy = opt;
	o.size = odd;
	cr_assert_null(rp_mini_new(&o, &err));
	cr_assert_eq(err.code, RP_USAGE);
	o.size = size;
	struct rp_mini *m = rp_mini_new(&o, &err);
	cr_assert_not(rp_mini_start(m, &err));
	cr_assert_eq(rp_mini_ratio(m, 0, 0), -1);
	rp_mini_free(m);
}
