/* test_laws.c - what holds for every policy of the table, or for some for reasons of their own. */
#include "tests/sim/replay_check.h"

#include "base/rng.h"

/* A trace of reads and writes over `lines` lines, with a time column; a third of it are repeats. */
static struct rp_batch *
trace_of(struct rp_rng *rng, size_t n, uint64_t lines)
{
	struct rp_batch *b = rp_batch_new(n, RP_COL_TIME, NULL);
	for (size_t i = 0; i < n; i++) {
		uint64_t r = rp_rng_next(rng), x = rp_rng_below(rng, lines);
		uint64_t line = r % 3 == 0 ? x : r % 3 == 1 ? x * x / lines : i % lines;
		rp_batch_put(b, &(struct rp_access){ .addr = line * 64,
				    .size = 1,
				    .kind = r >> 32 & 1 ? RP_WRITE : RP_READ,
				    .time = i / 4 });
	}
	return b;
}

/* A specification of the policy, with `geometry` if it has one; parameters that it wants are large. */
static char *
spec_of(char to[128], const struct rp_policy *p, const char *geometry)
{
	int n = snprintf(to, 128, "%s%s", p->name, p->unbounded ? "" : geometry);
	for (size_t i = 0; i < RP_POLICY_PARAMS && p->params[i].name; i++)
		if (p->params[i].wanted)
			n += snprintf(to + n, 128 - (size_t)n, ",%s=1000000", p->params[i].name);
	return to;
}

static struct rp_counters
replay_parts(const char *spec, const struct rp_batch *b, size_t piece)
{
	struct rp_cache_spec s;
	struct rp_err err = { 0 };
	struct rp_counters c;
	struct rp_batch *part = rp_batch_new(piece, rp_batch_columns(b), NULL);
	cr_assert(rp_cache_spec_parse(spec, 64, 1, &s, &err), "%s", err.text);
	struct rp_replay *r = rp_replay_new(&s, 1, &(struct rp_replay_opts){ .flush = true }, &err);
	for (size_t at = 0; at < b->n; at += piece) {
		rp_batch_clear(part);
		rp_batch_append(part, b, at, b->n - at < piece ? b->n - at : piece);
		cr_assert(rp_replay_run(r, part, &err), "%s: %s", spec, err.text);
	}
	cr_assert(rp_replay_end(r, &err), "%s: %s", spec, err.text);
	rp_replay_counters(r, 0, &c);
	rp_replay_free(r);
	rp_batch_free(part);
	rp_cache_spec_free(&s);
	return c;
}

/* Each policy in turn that is replayed as the accesses come: not one that has to see the future first. */
#define EACH_POLICY(p) (const struct rp_policy *const *p = rp_policies; *p; p++) if (!(*p)->future)

static const char *const geometries[] = { ",sets=16,ways=4", ",sets=3,ways=3", ",sets=7,ways=12",
	",sets=1,ways=24", ",sets=64,ways=1", ",size=64k", ",sets=5,ways=16,write=through",
	",sets=4,ways=8,allocate=no-write" };

enum { GEOMETRIES = sizeof geometries / sizeof *geometries };

RP_TEST(laws, batches_change_nothing_for_any_policy)
{
	struct rp_rng rng = { rp_test_seed("laws batches") };
	struct rp_batch *b = trace_of(&rng, 8000, 700);
	for
		EACH_POLICY(p)
	for (int g = 0; g < GEOMETRIES; g++) {
		char spec[128];
		spec_of(spec, *p, geometries[g]);
		struct rp_counters all = replay_parts(spec, b, 4096),
				   one = replay_parts(spec, b, 1), some = replay_parts(spec, b, 97);
		expect_same(&one, &all, spec);
		expect_same(&some, &all, spec);
		cr_assert_eq(all.hits + all.misses, 8000);
		cr_assert_eq(all.reads + all.writes, 8000);
	}
	rp_batch_free(b);
}

/* All policies in one pass count as each of them alone, by every loop. */
RP_TEST(laws, company_changes_nothing_for_any_policy)
{
	static const enum rp_level levels[] = { RP_LEVEL_BEST, RP_LEVEL_MODEL, RP_LEVEL_C,
		RP_LEVEL_V3, RP_LEVEL_V4 };
	struct rp_rng rng = { rp_test_seed("laws company") };
	struct rp_batch *b = trace_of(&rng, 8000, 700);
	struct rp_cache_spec s[64];
	char spec[64][128];
	for (int g = 0; g < GEOMETRIES; g++) {
		size_t n = 0;
		for
			EACH_POLICY(p)
			{
				spec_of(spec[n], *p, geometries[g]);
				cr_assert(rp_cache_spec_parse(spec[n], 64, 1, &s[n], NULL));
				n++;
			}
		for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
			if (!rp_level_runs(levels[l]))
				continue;
			struct rp_replay_opts o = { .level = levels[l], .flush = true };
			struct rp_err err = { 0 };
			struct rp_replay *r = rp_replay_new(s, n, &o, &err);
			cr_assert(r && rp_replay_run(r, b, &err) && rp_replay_end(r, &err), "%s",
			    err.text);
			for (size_t i = 0; i < n; i++) {
				struct rp_counters together, alone = replay_parts(spec[i], b, 8000);
				rp_replay_counters(r, i, &together);
				expect_same(&together, &alone, spec[i]);
			}
			rp_replay_free(r);
		}
		for (size_t i = 0; i < n; i++)
			rp_cache_spec_free(&s[i]);
	}
	rp_batch_free(b);
}

/* A cache in which every line has room only has cold misses, and replaces nothing. */
RP_TEST(laws, what_fits_misses_once_whatever_the_policy)
{
	struct rp_rng rng = { rp_test_seed("laws fits") };
	static const char *const holds[] = { ",sets=16,ways=32", ",size=32k", ",sets=512,ways=1",
		",sets=32,ways=16", ",size=64k,ways=full", ",sets=1,ways=512" };
	struct rp_batch *b = trace_of(&rng, 10000, 512);
	bool seen[512] = { false };
	uint64_t footprint = 0;
	for (size_t i = 0; i < b->n; i++) {
		footprint += !seen[b->addr[i] / 64];
		seen[b->addr[i] / 64] = true;
	}
	for
		EACH_POLICY(p)
	for (size_t g = 0; g < sizeof holds / sizeof *holds; g++) {
		char spec[128];
		struct rp_counters c = replay_parts(spec_of(spec, *p, holds[g]), b, 4096);
		cr_assert_eq(c.misses, footprint, "%s: %d misses", spec, (int)c.misses);
		cr_assert_eq(c.evictions, 0, "%s", spec);
	}
	rp_batch_free(b);
}

/* One line holds the last one used, so with one way all online policies that bring every line in are the same. */
RP_TEST(laws, with_one_way_there_is_nothing_to_choose)
{
	static const char *const names[] = { "fifo", "random", "lfu", "arc", "s3fifo", "sieve" };
	struct rp_rng rng = { rp_test_seed("laws one way") };
	struct rp_batch *b = trace_of(&rng, 10000, 300);
	struct rp_counters lru = replay_parts("lru,sets=100,ways=1", b, 4096);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char spec[128];
		snprintf(spec, sizeof spec, "%s,sets=100,ways=1", names[i]);
		struct rp_counters c = replay_parts(spec, b, 4096);
		expect_same(&c, &lru, spec);
	}
	rp_batch_free(b);
}

/* LRU keeps the lines used last, so what a smaller set has a larger one has too (Mattson et al. 1970). */
RP_TEST(laws, more_ways_never_hurt_lru)
{
	struct rp_rng rng = { rp_test_seed("laws inclusion") };
	for (int k = 0; k < 4; k++) {
		struct rp_batch *b = trace_of(&rng, 10000, 50 + 300 * (uint64_t)k);
		uint64_t last = UINT64_MAX;
		for (unsigned ways = 1; ways <= 100; ways += 1 + ways / 8) {
			char spec[128];
			snprintf(spec, sizeof spec, "lru,sets=%d,ways=%u", 1 + 3 * k, ways);
			uint64_t misses = replay_parts(spec, b, 4096).misses;
			cr_assert(misses <= last, "%s: %d misses, more than %d", spec, (int)misses,
			    (int)last);
			last = misses;
		}
		rp_batch_free(b);
	}
}

/* Fully associative, 200,000 lines: a loop over as many hits from the second round on, and one over a line more does not
 * take longer: this test would, if a lookup took time in proportion to the ways. */
RP_TEST(laws, a_lookup_takes_the_same_time_with_many_ways)
{
	enum { LINES = 200000 };
	struct rp_batch *b = rp_batch_new(3 * LINES + 3, RP_COL_TIME, NULL);
	for (uint64_t i = 0; i < 3 * LINES + 3; i++)
		rp_batch_put(
		    b, &(struct rp_access){ .addr = i % (LINES + 1) * 64, .size = 1, .time = i });
	for
		EACH_POLICY(p)
		{
			char spec[128];
			struct rp_counters c =
			    replay_parts(spec_of(spec, *p, ",size=12800064"), b, 4096);
			cr_assert_eq(c.misses, LINES + 1, "%s", spec);
			c = replay_parts(spec_of(spec, *p, ",size=12800000"), b, 4096);
			cr_assert_geq(c.misses, LINES + 1, "%s", spec);
		}
	rp_batch_free(b);
}
