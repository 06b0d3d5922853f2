/* test_grid.c - a grid of LRU caches in one pass, against a replay of each of them. */
#include "sim/observe/grid.h"

#include "base/rng.h"
#include "sim/replay.h"
#include "tests/check.h"

#include <inttypes.h>

static const enum rp_level level[] = { RP_LEVEL_C, RP_LEVEL_V3, RP_LEVEL_V4 };
enum { LEVELS = 3 };

/* Misses, lookups and writes of one cache by replay. */
static struct rp_counters
replayed(const struct rp_batch *b, unsigned line_bits, unsigned set_bits, unsigned ways)
{
	struct rp_err err = { 0 };
	struct rp_cache_spec spec;
	struct rp_counters c;
	char text[96];
	snprintf(text, sizeof text, "lru,sets=%u,ways=%u,line=%u", 1u << set_bits, ways,
	    1u << line_bits);
	cr_assert(rp_cache_spec_parse(text, 64, 1, &spec, &err), "%s", err.text);
	struct rp_replay *r = rp_replay_new(&spec, 1, &(struct rp_replay_opts){ 0 }, &err);
	cr_assert(r && rp_replay_run(r, b, &err) && rp_replay_end(r, &err), "%s", err.text);
	rp_replay_counters(r, 0, &c);
	rp_replay_free(r);
	rp_cache_spec_free(&spec);
	return c;
}

/* What only a grid with `writes` counts. */
static void
check_writes(
    const struct rp_grid *g, size_t line, size_t set, unsigned ways, const struct rp_counters *c)
{
	cr_assert_eq(rp_grid_write_misses(g, line, set, ways), c->write_misses);
	cr_assert_eq(rp_grid_writebacks(g, line, set, ways), c->writebacks,
	    "%zu, %zu, %u ways: %" PRIu64 ", not %" PRIu64, line, set, ways,
	    rp_grid_writebacks(g, line, set, ways), c->writebacks);
	cr_assert_eq(c->misses - rp_grid_there(g, line, set, ways), c->evictions);
}

/* The batch in pieces through the grid, and every cache of it by replay. */
static void
check_one(const struct rp_grid_opts *o, const struct rp_batch *b, size_t piece)
{
	struct rp_err err = { 0 };
	struct rp_grid *g = rp_grid_new(o, &err);
	cr_assert_not_null(g, "%s", err.text);
	for (size_t at = 0; at < b->n; at += piece) {
		struct rp_batch part = { .n = b->n - at < piece ? b->n - at : piece,
			.addr = b->addr + at,
			.size = b->size + at,
			.kind = b->kind + at };
		cr_assert(rp_grid_run(g, &part, &err), "%s", err.text);
	}
	for (size_t l = 0; l < o->lines; l++)
		for (size_t s = 0; s < o->sets; s++)
			for (unsigned w = 1; w <= o->ways; w += 1 + w / 4) {
				struct rp_counters c =
				    replayed(b, o->line_bits[l], o->set_bits[s], w);
				cr_assert_eq(rp_grid_misses(g, l, s, w), c.misses,
				    "line 2^%u, 2^%u sets, %u ways: %" PRIu64 ", not %" PRIu64,
				    o->line_bits[l], o->set_bits[s], w, rp_grid_misses(g, l, s, w),
				    c.misses);
				cr_assert_eq(rp_grid_lookups(g, l), c.lookups);
				cr_assert_eq(rp_grid_kind(g, l, RP_WRITE), c.writes);
				if (o->writes)
					check_writes(g, l, s, w, &c);
			}
	rp_grid_free(g);
}

/* Without and with what writes do. */
static void
check(const struct rp_grid_opts *o, const struct rp_batch *b, size_t piece)
{
	struct rp_grid_opts writes = *o;
	check_one(o, b, piece);
	writes.writes = true;
	check_one(&writes, b, piece);
}

/* Walks, jumps and repeats over `span` bytes from `base`; some accesses cross lines. */
static struct rp_batch *
random_batch(struct rp_rng *rng, size_t n, uint64_t base, uint64_t span)
{
	struct rp_batch *b = rp_batch_new(n, 0, NULL);
	uint64_t at = 0;
	cr_assert_not_null(b);
	for (size_t i = 0; i < n; i++) {
		uint64_t what = rp_rng_below(rng, 8);
		at = what == 0 ? rp_rng_below(rng, span) : what < 5 ? (at + 8) % span : at;
		if (what == 7)
			at = rp_rng_below(rng, 1 + span / 64);
		struct rp_access a = { .addr = base + at,
			.size = rp_rng_below(rng, 50) ? 8 : 1 + (uint32_t)rp_rng_below(rng, 300),
			.kind = rp_rng_below(rng, 3) ? RP_READ : RP_WRITE };
		rp_batch_put(b, &a);
	}
	return b;
}

RP_TEST(grid, misses_are_those_of_a_replay_of_each_cache)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("grid"), "grid", 0);
	for (unsigned k = 0; k < 2 * rp_test_scale(); k++) {
		struct rp_batch *b =
		    random_batch(&rng, 12000, rp_rng_below(&rng, 1u << 30), 4096u << 2 * (k % 4));
		for (size_t l = 0; l < LEVELS; l++) {
			if (!rp_level_runs(level[l]))
				continue;
			check(&(struct rp_grid_opts){ .line_bits = { 4, 5, 6, 9 },
				  .lines = 4,
				  .set_bits = { 0, 1, 2, 5, 9 },
				  .sets = 5,
				  .ways = 16,
				  .level = level[l] },
			    b, k ? 4096 : 1000);
			check(&(struct rp_grid_opts){ .line_bits = { 6 },
				  .lines = 1,
				  .set_bits = { 3, 4 },
				  .sets = 2,
				  .ways = k ? 8 : 5,
				  .level = level[l] },
			    b, 4096);
			check(&(struct rp_grid_opts){ .line_bits = { 2, 7 },
				  .lines = 2,
				  .set_bits = { 0, 4 },
				  .sets = 2,
				  .ways = k ? 64 : 24,
				  .level = level[l] },
			    b, 4096);
		}
		rp_batch_free(b);
	}
}

RP_TEST(grid, addresses_in_very_many_places_are_exact_too)
{
	/* More regions than there are names for, halfway: 16-byte lines in 20,000 places 2^40 apart modulo 2^64. */
	struct rp_rng rng = rp_rng_for(rp_test_seed("grid"), "grid", 1);
	struct rp_batch *b = rp_batch_new(10000, 0, NULL);
	cr_assert_not_null(b);
	for (size_t i = 0; i < 10000; i++) {
		struct rp_access a = { .addr = (rp_rng_below(&rng, i < 5000 ? 40 : 9000) << 50) +
			                       (rp_rng_below(&rng, 9) << 40) +
			                       rp_rng_below(&rng, 64),
			.size = 1,
			.kind = RP_READ };
		rp_batch_put(b, &a);
	}
	b->addr[17] = b->addr[9000] = UINT64_MAX;
	b->addr[18] = b->addr[9001] = 0;
	for (size_t l = 0; l < LEVELS; l++)
		if (rp_level_runs(level[l]))
			check(&(struct rp_grid_opts){ .line_bits = { 4, 6 },
				  .lines = 2,
				  .set_bits = { 0, 3, 6 },
				  .sets = 3,
				  .ways = 16,
				  .level = level[l] },
			    b, 4096);
	rp_batch_free(b);
}

RP_TEST(grid, a_row_that_drops_lines_is_told)
{
	struct rp_batch *b = rp_batch_new(4, 0, NULL);
	struct rp_grid *g = rp_grid_new(
	    &(struct rp_grid_opts){
		.line_bits = { 6 }, .lines = 1, .set_bits = { 0 }, .sets = 1, .ways = 4 },
	    NULL);
	cr_assert(b && g);
	rp_batch_put(b, &(struct rp_access){ .addr = 64, .size = 8, .kind = RP_READ });
	rp_batch_put(b, &(struct rp_access){ .addr = 64, .size = 8, .kind = RP_COPY_BACK });
	cr_assert(rp_grid_run(g, b, NULL));
	cr_assert_not(rp_grid_drops(g));
	rp_batch_put(b, &(struct rp_access){ .addr = 64, .size = 8, .kind = RP_INVALIDATE });
	cr_assert(rp_grid_run(g, b, NULL));
	cr_assert(rp_grid_drops(g));
	rp_grid_free(g);
	rp_batch_free(b);
}
