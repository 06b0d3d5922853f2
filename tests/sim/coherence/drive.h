/* drive.h - random traces through the engine and beside it, for the tests of coherence. */
#ifndef RP_TESTS_SIM_COHERENCE_DRIVE_H
#define RP_TESTS_SIM_COHERENCE_DRIVE_H

#include "tests/check.h"

#include "base/rng.h"
#include "sim/coherence/coherence.h"
#include "sim/coherence/engine.h"

/* Two caches of one set of two lines, a full directory, statistics by line. */
static inline struct rp_coherence_config
drive_config(void)
{
	return (struct rp_coherence_config){ .protocol = &rp_protocol_msi,
		.caches = 2,
		.line = 64,
		.word_bytes = 1,
		.sets = 1,
		.ways = 2,
		.policy = rp_policy_find("lru", NULL),
		.lines = true,
		.verify = true };
}

static inline struct rp_coherence *
drive_new(const struct rp_coherence_config *c)
{
	struct rp_err err = { 0 };
	struct rp_coherence *k = rp_coherence_new(c, &err);
	cr_assert(k, "%s", err.text);
	return k;
}

/* n random rows over the first `lines` lines. Released with rp_batch_free. */
static inline struct rp_batch *
drive_rows(const struct rp_coherence_config *c, uint32_t streams, uint32_t lines, size_t n,
    unsigned stores, struct rp_rng *rng)
{
	struct rp_batch *b = rp_batch_new(n, RP_COL_STREAM, NULL);
	cr_assert(b);
	for (size_t i = 0; i < n; i++) {
		uint64_t at = rp_rng_below(rng, (uint64_t)lines * c->line);
		uint64_t room = (uint64_t)lines * c->line - at;
		uint64_t size = 1 + rp_rng_below(rng, rp_rng_below(rng, 20) ? 8 : c->line + 8);
		rp_batch_put(b, &(struct rp_access){ .addr = at,
				    .size = (uint32_t)(size < room ? size : room),
				    .stream = (uint32_t)rp_rng_below(rng, streams),
				    .kind = rp_rng_below(rng, 100) < stores ? RP_WRITE : RP_READ });
	}
	return b;
}

/* Rows [from, from + n) of a batch as one of their own. */
static inline struct rp_batch
drive_part(const struct rp_batch *b, size_t from, size_t n)
{
	return (struct rp_batch){ .n = n,
		.cap = n,
		.addr = b->addr + from,
		.size = b->size + from,
		.kind = b->kind + from,
		.stream = b->stream + from };
}

/* All rows, with all invariants after each one if `each`. */
static inline void
drive_run(struct rp_coherence *k, const struct rp_batch *b, bool each)
{
	struct rp_err err = { 0 };
	for (size_t i = 0; i < b->n; i += each ? 1 : b->n) {
		struct rp_batch part = drive_part(b, i, each ? 1 : b->n);
		cr_assert(rp_coherence_run(k, &part, &err), "row %zu: %s", i, err.text);
	}
}

/* Whether two structs of a table of counters say the same. */
static inline void
drive_same(enum rp_coherence_group g, const void *found, const void *want, const char *whose)
{
	for (const struct rp_coherence_counter *c = rp_coherence_tables[g]; c->name; c++) {
		uint64_t x = *(const uint64_t *)((const char *)found + c->offset),
			 y = *(const uint64_t *)((const char *)want + c->offset);
		cr_assert_eq(x, y, "%s: %s is %llu, not %llu", whose, c->name,
		    (unsigned long long)x, (unsigned long long)y);
	}
}

#endif
