/* sweeping.h - what the tests of sim/sweep share: random traces, a sweep run whole, one cache replayed. */
#ifndef RP_TESTS_SIM_SWEEP_SWEEPING_H
#define RP_TESTS_SIM_SWEEP_SWEEPING_H

#include "base/rng.h"
#include "sim/replay.h"
#include "sim/sweep/pass.h"
#include "tests/check.h"

#include <inttypes.h>

/* Walks, jumps and repeats over `span` bytes, of all kinds; some cross lines; `marks`: some rows in a hundred are marks. */
static inline struct rp_batch *
random_rows(struct rp_rng *rng, size_t n, uint64_t span, unsigned marks)
{
	static const uint8_t mark[] = { RP_KERNEL_END, RP_HOST_COPY, RP_COPY_BACK, RP_INVALIDATE };
	struct rp_batch *b = rp_batch_new(n, RP_COL_TIME, NULL);
	uint64_t at = 0, time = 0;
	cr_assert_not_null(b);
	for (size_t i = 0; i < n; i++) {
		uint64_t what = rp_rng_below(rng, 8);
		at = what == 0 ? rp_rng_below(rng, span) : what < 5 ? (at + 8) % span : at;
		if (what == 7)
			at = rp_rng_below(rng, 1 + span / 64);
		time += rp_rng_below(rng, 3);
		struct rp_access a = { .addr = at,
			.time = time,
			.size = rp_rng_below(rng, 50) ? 8 : 1 + (uint32_t)rp_rng_below(rng, 300),
			.kind =
			    rp_rng_below(rng, 3) ? RP_READ : (uint8_t)rp_rng_below(rng, RP_KINDS) };
		if (rp_rng_below(rng, 100) < marks)
			a.kind = mark[rp_rng_below(rng, 4)];
		rp_batch_put(b, &a);
	}
	return b;
}

/* The rows in pieces of any size through all passes that the plan takes; how many those were. */
static inline size_t
sweep_all(struct rp_sweep_plan *plan, const struct rp_sweep_opts *o, const struct rp_batch *b,
    struct rp_rng *rng)
{
	struct rp_err err = { 0 };
	size_t passes = 0;
	for (; rp_sweep_plan_left(plan); passes++) {
		struct rp_sweep_pass *pass = rp_sweep_pass_new(plan, o, &err);
		cr_assert(pass, "%s", err.text);
		cr_assert_gt(rp_sweep_pass_points(pass), 0);
		for (size_t at = 0, n; at < b->n; at += n) {
			n = 1 + (size_t)rp_rng_below(rng, 5000);
			n = n < b->n - at ? n : b->n - at;
			struct rp_batch *part = rp_batch_new(n, rp_batch_columns(b), &err);
			cr_assert(part, "%s", err.text);
			rp_batch_append(part, b, at, n);
			rp_sweep_pass_give(pass, part);
			cr_assert(rp_sweep_pass_wait(pass, &err), "%s", err.text);
			rp_batch_free(part);
		}
		cr_assert(rp_sweep_pass_end(pass, &err), "%s", err.text);
		rp_sweep_pass_free(pass);
	}
	return passes;
}

/* One cache by itself. */
static inline struct rp_counters
replayed(const struct rp_cache_spec *s, const struct rp_batch *b, const struct rp_sweep_opts *o)
{
	struct rp_err err = { 0 };
	struct rp_counters c;
	const struct rp_replay_opts how = {
		.once = o->once, .flush = o->flush, .warmup = o->warmup
	};
	struct rp_replay *r = rp_replay_new(s, 1, &how, &err);
	cr_assert(r && rp_replay_run(r, b, &err), "%s", err.text);
	while (rp_replay_more(r, &err) > 0)
		;
	cr_assert(rp_replay_end(r, &err), "%s", err.text);
	rp_replay_counters(r, 0, &c);
	rp_replay_free(r);
	return c;
}

/* Two caches have the same of the counters that are wanted, as far as both have them, and of those that a sweep always
 * gives. */
static inline void
expect_same(const struct rp_sweep_wants *w, const struct rp_cache_spec *s,
    const struct rp_counters *a, const struct rp_counters *b)
{
	char *text = rp_cache_spec_print(s, NULL);
	cr_assert(a->accesses == b->accesses && a->lookups == b->lookups && a->hits == b->hits &&
		      a->misses == b->misses,
	    "%s: %" PRIu64 " misses, not %" PRIu64 ", of %" PRIu64 " lookups, not %" PRIu64, text,
	    a->misses, b->misses, a->lookups, b->lookups);
	for (size_t i = 0; i < w->n; i++)
		cr_assert_eq(rp_sweep_count(w->row[i], a), rp_sweep_count(w->row[i], b),
		    "%s: %s %" PRIu64 ", not %" PRIu64, text, w->row[i]->name,
		    rp_sweep_count(w->row[i], a), rp_sweep_count(w->row[i], b));
	free(text);
}

#endif
