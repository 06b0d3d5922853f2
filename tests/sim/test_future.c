/* test_future.c - tests sim/future.c: each next use against looking for it. */
#include "tests/check.h"

#include "base/rng.h"
#include "sim/future.h"

static struct rp_err err;

enum { ROWS = 9000 };

/* What the future has to tell, one lookup or mark at a time. */
struct event {
	uint64_t first, last;
	bool drop;
};

static uint64_t
key_of(const struct event *e, size_t n, size_t i, uint64_t number)
{
	uint64_t next = number;
	for (size_t k = i + 1; k < n; k++) {
		next += !e[k].drop;
		if (e[i].first < e[k].first || e[i].first > e[k].last)
			continue;
		return e[k].drop ? UINT64_MAX - number : next;
	}
	return UINT64_MAX - number;
}

static size_t
events_of(const struct rp_batch *b, unsigned bits, struct event *e)
{
	size_t n = 0;
	for (size_t i = 0; i < b->n; i++) {
		uint64_t first = b->addr[i] >> bits, last = (b->addr[i] + b->size[i] - 1) >> bits;
		if (b->kind[i] == RP_INVALIDATE)
			e[n++] = (struct event){ first, last, true };
		for (uint64_t l = first; b->kind[i] < RP_MARKS && l <= last; l++)
			e[n++] = (struct event){ l, l, false };
	}
	return n;
}

static struct rp_batch *
random_rows(struct rp_rng *rng, uint64_t base, uint64_t lines, bool marks)
{
	struct rp_batch *b = rp_batch_new(ROWS, 0, NULL);
	while (b->n < ROWS) {
		uint64_t r = rp_rng_next(rng);
		struct rp_access a = {
			.addr = base + rp_rng_below(rng, r & 1 ? lines : lines / 9 + 1) * 64,
			.size = 1 + (uint32_t)rp_rng_below(rng, 100)
		};
		if (marks && (r >> 8 & 127) == 0) {
			a.kind = r >> 16 & 1 ? RP_INVALIDATE : RP_COPY_BACK;
			a.size = r >> 17 & 3 ? 200 : 1000000;
		}
		rp_batch_put(b, &a);
	}
	return b;
}

/* In parts of any size, the last one first. */
static void
show(struct rp_future *f, const struct rp_batch *b)
{
	for (size_t end = b->n, n = 1; end; end -= n, n = 1 + end * 7 % 5000) {
		n = n < end ? n : end;
		struct rp_batch *part = rp_batch_new(n, 0, &err);
		cr_assert(part, "%s", err.text);
		rp_batch_append(part, b, end - n, n);
		cr_assert(rp_future_before(f, part, &err), "%s", err.text);
		rp_batch_free(part);
	}
	rp_future_known(f);
}

static void
check(const struct rp_batch *b, unsigned bits)
{
	struct rp_future *f = rp_future_new(bits, 0, false, RP_LEVEL_BEST, &err);
	struct rp_expand *x = rp_expand_new(bits, false, false, RP_LEVEL_BEST, &err);
	struct event *e = calloc(3 * ROWS + 20000, sizeof *e);
	size_t n = events_of(b, bits, e), at = 0, row = 0;
	uint64_t number = 0;
	cr_assert(f && x, "%s", err.text);
	show(f, b);
	while (row < b->n) {
		if (b->kind[row] >= RP_MARKS) {
			at += b->kind[row++] == RP_INVALIDATE;
			continue;
		}
		struct rp_lookups in = *rp_expand_next(x, b, &row, 1 + row % 1000);
		cr_assert(rp_future_next(f, &in, &err), "%s", err.text);
		cr_assert_eq(in.number, number + 1);
		for (size_t i = 0; i < in.n; i++, at++)
			cr_assert_eq(in.next[i], key_of(e, n, at, ++number));
		cr_assert_geq(in.ahead->lookups, number);
	}
	cr_assert_eq(at, n);
	rp_future_free(f);
	rp_expand_free(x);
	free(e);
}

RP_TEST(future, tells_each_next_use)
{
	struct rp_rng rng = { rp_test_seed("future") };
	static const uint64_t bases[] = { 0, UINT64_C(0x7f0000000000), UINT64_MAX - 0x3ffffff };
	for (unsigned i = 0; i < 12 * rp_test_scale(); i++) {
		struct rp_batch *b = random_rows(&rng, bases[i % 3], i % 4 ? 3000 : 100, i % 5 < 3);
		check(b, i % 2 ? 6 : 5);
		rp_batch_free(b);
	}
}

/* Every line its own, to make the table grow; and lines that share their low and high bits. */
RP_TEST(future, finds_lines_that_look_alike)
{
	for (unsigned shift = 6; shift < 50; shift += 7) {
		struct rp_batch *b = rp_batch_new(ROWS, 0, NULL);
		for (uint64_t i = 0; i < ROWS; i++)
			rp_batch_put(
			    b, &(struct rp_access){ .addr = (i % 5000) << shift, .size = 1 });
		check(b, 6);
		rp_batch_free(b);
	}
}

/* One access of more lines than a block, which all come again. */
RP_TEST(future, takes_long_accesses)
{
	struct rp_batch *b = rp_batch_new(3, 0, NULL);
	for (int i = 0; i < 2; i++)
		rp_batch_put(b, &(struct rp_access){ .addr = 64, .size = 64 * 7000 });
	check(b, 6);
	rp_batch_free(b);
}
