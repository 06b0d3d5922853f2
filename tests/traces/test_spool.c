/* test_spool.c - tests traces/spool.c. */
#include "tests/check.h"

#include "base/rng.h"
#include "traces/spool.h"

static struct rp_err err;

static struct rp_access
random_row(struct rp_rng *rng)
{
	uint64_t r = rp_rng_next(rng);
	return (struct rp_access){ .addr = rp_rng_next(rng) >> (r & 63),
		.time = rp_rng_next(rng) >> (r >> 6 & 63),
		.pc = rp_rng_next(rng) >> (r >> 12 & 63),
		.size = (uint32_t)(rp_rng_next(rng) >> (32 + (r >> 18 & 31))),
		.stream = (uint32_t)(rp_rng_next(rng) >> (32 + (r >> 23 & 31))),
		.mask = (uint32_t)rp_rng_next(rng),
		.kind = (uint8_t)(r >> 30 & 63 ? (r >> 36 & 7) % RP_KINDS
					       : RP_KERNEL_END + (r >> 40 & 3)),
		.flags = (uint8_t)(r >> 48) };
}

static void
expect_same_row(const struct rp_batch *a, size_t i, const struct rp_batch *b, size_t k)
{
	struct rp_access x = rp_batch_get(a, i), y = rp_batch_get(b, k);
	cr_assert(x.addr == y.addr && x.time == y.time && x.pc == y.pc && x.size == y.size &&
		  x.stream == y.stream && x.mask == y.mask && x.kind == y.kind &&
		  x.flags == y.flags);
}

/* A batch holds rows [at, ...) of all, with their columns. */
static void
expect_rows(
    const struct rp_batch *b, const struct rp_batch *all, size_t at, const unsigned *columns)
{
	size_t marks = 0;
	for (size_t i = 0; i < b->n; i++) {
		cr_assert_eq(rp_batch_columns(b), columns[at + i]);
		expect_same_row(b, i, all, at + i);
		marks += b->kind[i] >= RP_MARKS;
	}
	cr_assert_eq(b->marks, marks);
}

/* Rows in batches of any size, whose columns change on the way, come back in order and in reverse, each with its columns. */
RP_TEST(spool, rows_come_back)
{
	struct rp_rng rng = { rp_test_seed("spool") };
	static const size_t counts[] = { 0, 1, 2047, 2048, 2049, 30000 };
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
		struct rp_spool *s = rp_spool_new(&err);
		struct rp_batch *all = rp_batch_new(counts[c] + 1, RP_COL_ALL, &err);
		unsigned *columns = calloc(counts[c] + 1, sizeof *columns);
		cr_assert(s && all, "%s", err.text);
		while (all->n < counts[c]) {
			size_t n = 1 + (size_t)rp_rng_below(&rng, 5000);
			unsigned has = (unsigned)rp_rng_below(&rng, 4)
			                   ? RP_COL_ALL & 21
			                   : (unsigned)rp_rng_below(&rng, 32);
			struct rp_batch *b = rp_batch_new(n, has, &err);
			for (; b->n < n && all->n + b->n < counts[c];) {
				struct rp_access a = random_row(&rng);
				columns[all->n + b->n] = has;
				rp_batch_put(b, &a);
			}
			rp_batch_append(all, b, 0, b->n);
			cr_assert(rp_spool_put(s, b, &err), "%s", err.text);
			rp_batch_free(b);
		}
		for (unsigned again = 0; again < 3; again++) {
			size_t at = 0;
			cr_assert(rp_spool_rewind(s, &err), "%s", err.text);
			for (const struct rp_batch *b; (b = rp_spool_next(s, &err)); at += b->n)
				expect_rows(b, all, at, columns);
			cr_assert_eq(err.code, RP_OK);
			cr_assert_eq(at, counts[c]);
			cr_assert(rp_spool_unwind(s, &err), "%s", err.text);
			for (const struct rp_batch *b; (b = rp_spool_before(s, &err));)
				expect_rows(b, all, at -= b->n, columns);
			cr_assert_eq(err.code, RP_OK);
			cr_assert_eq(at, 0);
		}
		rp_spool_free(s);
		rp_batch_free(all);
		free(columns);
	}
}
