/* test_rpz.c - tests that an .rpz file gives back what was written, in every way of reading. */
#include "tests/traces/format/rpz_check.h"

static const struct rp_write_opts usual;

static void
round_of(size_t n, const struct rpz_draw *d, const struct rp_write_opts *o, uint64_t seed)
{
	struct rp_batch *b = rpz_rows(n, d, seed);
	rpz_round(b, o);
	rp_batch_free(b);
}

RP_TEST(rpz, an_empty_trace)
{
	for (unsigned columns = 0; columns <= RP_COL_ALL; columns++)
		round_of(0, &(struct rpz_draw){ .columns = columns }, &usual, 1);
}

RP_TEST(rpz, every_short_length_with_every_column)
{
	uint64_t seed = rp_test_seed("rpz lengths");
	for (size_t n = 1; n <= 20; n++) {
		struct rpz_draw d = { RP_COL_ALL, .span = 1 << 20, .streams = 3, .sizes = 4,
			.marks = true };
		round_of(n, &d, &usual, seed + n);
		round_of(n, &(struct rpz_draw){ .sizes = 4 }, &usual, seed + n);
	}
}

RP_TEST(rpz, lengths_about_a_block)
{
	static const struct rpz_draw d = { 0, .span = 1 << 16, .sizes = 3, .repeat = 24 };
	for (size_t n = (1 << 17) - 1; n <= (1 << 17) + 1; n++)
		round_of(n, &d, &usual, n);
}

RP_TEST(rpz, every_set_of_columns)
{
	uint64_t seed = rp_test_seed("rpz columns");
	const struct rp_write_opts o = { .block = 700 };
	for (unsigned columns = 0; columns <= RP_COL_ALL; columns++) {
		struct rpz_draw d = { columns, .span = 1 << 24, .streams = 5, .sizes = 8,
			.repeat = 12, .marks = true };
		round_of(3000, &d, &o, seed + columns);
		d.odd = true;
		round_of(3000, &d, &o, seed + columns);
	}
}

RP_TEST(rpz, every_level)
{
	static const struct rpz_draw d = { RP_COL_ALL, .span = 1 << 20, .streams = 9, .sizes = 3,
		.repeat = 30 };
	for (int level = 1; level <= 22; level++)
		round_of(5000, &d, &(struct rp_write_opts){ .level = level, .block = 2000 }, 7);
	round_of(5000, &d, &(struct rp_write_opts){ .small = true }, 7);
	round_of(5000, &d, &(struct rp_write_opts){ .no_table = true }, 7);
}

RP_TEST(rpz, any_numbers_at_all)
{
	uint64_t seed = rp_test_seed("rpz any");
	for (unsigned k = 0; k < 4 * rp_test_scale(); k++) {
		struct rpz_draw d = { RP_COL_ALL, .odd = true };
		round_of(20000, &d, &usual, seed + k);
		d.repeat = 50;
		round_of(20000, &d, &usual, seed + k);
	}
}

/* Rows given by hand. */
static struct rp_batch *
rows_of(const struct rp_access *a, size_t n, unsigned columns)
{
	struct rp_batch *b = rp_batch_new(n, columns, NULL);
	for (size_t i = 0; i < n; i++)
		rp_batch_put(b, &a[i]);
	return b;
}

RP_TEST(rpz, the_ends_of_every_range)
{
	static const struct rp_access a[] = {
		{ .addr = 0, .size = 1 },
		{ .addr = UINT64_MAX,
		    .size = 1,
		    .time = UINT64_MAX,
		    .pc = UINT64_MAX,
		    .stream = UINT32_MAX },
		{ .addr = UINT64_C(1) << 63, .size = UINT32_MAX, .mask = UINT32_MAX, .flags = 31 },
		{ .addr = (UINT64_C(1) << 63) - 1,
		    .size = UINT32_MAX,
		    .time = 5,
		    .kind = RP_FETCH },
		{ .addr = 0, .size = 1, .kind = RP_KERNEL_END },
		{ .addr = 1, .size = 0, .kind = RP_WRITE },
	};
	for (size_t n = 1; n <= sizeof a / sizeof *a; n++) {
		struct rp_batch *b = rows_of(a, n, RP_COL_ALL);
		rpz_round(b, &usual);
		rp_batch_free(b);
	}
}

RP_TEST(rpz, more_sizes_than_ops)
{
	struct rpz_draw d = { RP_COL_FLAGS, .span = 1 << 30, .sizes = 5000 };
	round_of(40000, &d, &usual, 3);
	d.sizes = 120; /* times several kinds: just over the table */
	round_of(40000, &d, &usual, 4);
	d.columns = 0;
	d.sizes = 25; /* times five kinds: just below */
	round_of(40000, &d, &usual, 5);
}

/* 128 ops, each with addresses that need every predictor and length: more tokens than there can be. */
RP_TEST(rpz, more_tokens_than_256)
{
	struct rp_rng r = rp_rng_for(rp_test_seed("rpz tokens"), "tests/rpz", 1);
	struct rp_batch *b = rp_batch_new(60000, 0, NULL);
	for (size_t i = 0; i < b->cap; i++) {
		size_t back = rp_rng_below(&r, 9);
		uint64_t from = i > back ? b->addr[i - 1 - back] : 0;
		struct rp_access a = { .addr = from + (rp_rng_next(&r) >> rp_rng_below(&r, 64)) };
		a.size = 1 + (uint32_t)rp_rng_below(&r, 32);
		a.kind = (uint8_t)rp_rng_below(&r, 4);
		rp_batch_put(b, &a);
	}
	rpz_round(b, &usual);
	rp_batch_free(b);
}

/* A constant step from a walk that is k rows away: predictor k, whatever its length. */
RP_TEST(rpz, every_predictor_and_length)
{
	struct rp_batch *b = rp_batch_new(8 * 9 * 600, 0, NULL);
	for (unsigned walks = 1; walks <= 8; walks++)
		for (unsigned bytes = 0; bytes <= 8; bytes++)
			for (unsigned i = 0; i < 600; i++) {
				uint64_t step = bytes ? UINT64_C(0x55) << 8 * (bytes - 1) : 0;
				struct rp_access a = { .size = 4 + i % walks };
				a.addr = (UINT64_C(0x123456789abcdef) * (i % walks + 1)) +
				         step * (i / walks);
				rp_batch_put(b, &a);
			}
	rpz_round(b, &usual);
	rp_batch_free(b);
}

RP_TEST(rpz, random_addresses_within_a_range_take_the_frame)
{
	struct rpz_draw d = { 0, .span = 1 << 16, .sizes = 1 };
	struct rp_batch *b = rpz_rows(50000, &d, 6);
	for (size_t i = 0; i < b->n; i++) {
		b->addr[i] = (UINT64_C(7) << 40) + 64 * b->addr[i];
		b->kind[i] = RP_READ;
	}
	struct rpz_file f = rpz_write(b, RP_BATCH, &usual);
	cr_assert_lt(f.n, b->n * 2 + 2000, "%zu bytes", f.n);
	rpz_file_free(&f);
	rpz_round(b, &usual);
	rp_batch_free(b);
}

RP_TEST(rpz, streams_mixed_access_by_access_cost_little)
{
	struct rp_batch *b = rp_batch_new(1 << 16, RP_COL_STREAM, NULL);
	for (size_t i = 0; i < b->cap; i++) {
		struct rp_access a = { .size = 8, .stream = (uint32_t)(i * 7 % 16) };
		a.addr = (uint64_t)a.stream << 32 | i / 16 * 8;
		rp_batch_put(b, &a);
	}
	struct rpz_file f = rpz_write(b, RP_BATCH, &usual);
	cr_assert_lt(f.n, b->n / 20, "%zu bytes", f.n);
	rpz_file_free(&f);
	rpz_round(b, &usual);
	rp_batch_free(b);
}

RP_TEST(rpz, full_masks_and_known_pcs_cost_next_to_nothing)
{
	struct rp_batch *b = rp_batch_new(1 << 16, RP_COL_PC | RP_COL_MASK | RP_COL_FLAGS, NULL);
	for (size_t i = 0; i < b->cap; i++) {
		struct rp_access a = {
			.size = 32, .addr = i * 32, .mask = UINT32_MAX, .flags = RP_GLOBAL
		};
		a.flags |= i % 4 ? RP_SAME_INSTR : 0;
		a.pc = 0x100 + i / 4 % 10 * 16;
		rp_batch_put(b, &a);
	}
	struct rpz_file f = rpz_write(b, RP_BATCH, &usual);
	cr_assert_lt(f.n, 2500, "%zu bytes", f.n);
	rpz_file_free(&f);
	rpz_round(b, &usual);
	rp_batch_free(b);
}

RP_TEST(rpz, pulls_may_be_of_any_size)
{
	static const struct rpz_draw d = { RP_COL_ALL, .span = 1 << 20, .streams = 4, .sizes = 4,
		.marks = true };
	static const size_t piece[] = { 1, 2, 7, 8, 9, 511, 512, 513, 100000 };
	const struct rp_write_opts o = { .block = 1500 };
	for (unsigned streams = 1; streams <= 4; streams += 3) {
		struct rpz_draw one = d;
		one.streams = streams;
		struct rp_batch *b = rpz_rows(4000, &one, 9);
		struct rpz_file f = rpz_write(b, 333, &o);
		for (size_t k = 0; k < sizeof piece / sizeof *piece; k++) {
			struct rp_err err = { 0 };
			struct rp_source *s =
			    rp_rpz_open(f.path, NULL, &(struct rp_read_opts){ 0 }, NULL, &err);
			struct rp_batch *back = rpz_collect(s, piece[k], NULL, &err);
			rpz_same(b, 0, b->n, back);
			rp_batch_free(back);
			rp_source_close(s);
		}
		rpz_file_free(&f);
		rp_batch_free(b);
	}
}

RP_TEST(rpz, a_batch_without_the_columns_gets_the_others)
{
	static const struct rpz_draw d = { RP_COL_ALL, .span = 1 << 20, .streams = 4, .sizes = 4 };
	struct rp_batch *b = rpz_rows(4000, &d, 9), *few = rp_batch_new(4000, 0, NULL);
	struct rpz_file f = rpz_write(b, 333, &usual);
	struct rp_err err = { 0 };
	struct rp_source *s = rp_rpz_open(f.path, NULL, &(struct rp_read_opts){ 0 }, NULL, &err);
	cr_assert_eq(rp_source_pull(s, few, &err), 4000);
	for (size_t i = 0; i < b->n; i++)
		cr_assert(few->addr[i] == b->addr[i] && few->size[i] == b->size[i] &&
			  few->kind[i] == b->kind[i]);
	rp_source_close(s);
	rpz_file_free(&f);
	rp_batch_free(b);
	rp_batch_free(few);
}

RP_TEST(rpz, it_is_found_by_its_content)
{
	static const struct rpz_draw d = { 0, .span = 1 << 20, .sizes = 4 };
	struct rp_batch *b = rpz_rows(100, &d, 9);
	struct rpz_file f = rpz_write(b, 333, &usual);
	struct rp_err err = { 0 };
	struct rp_source *s = rp_trace_open(f.path, &(struct rp_read_opts){ 0 }, &err);
	cr_assert_not_null(s, "%s", err.text);
	cr_assert_str_eq(s->trace->format, "rpz");
	struct rp_batch *back = rpz_collect(s, 10, NULL, &err);
	rpz_same(b, 0, b->n, back);
	rp_batch_free(back);
	rp_source_close(s);
	rpz_file_free(&f);
	rp_batch_free(b);
}

RP_TEST(rpz, levels_and_blocks_out_of_range_are_refused)
{
	static const struct rp_write_opts bad[] = { { .level = 23 }, { .level = -1 },
		{ .block = 1 + (1 << 18) } };
	struct rp_err err = { 0 };
	struct rp_trace *t = rp_trace_new("test", &err);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		err = (struct rp_err){ 0 };
		cr_assert_null(rp_trace_create(
		    "/tmp/reprise-none.rpz", rp_format_find("rpz", NULL), t, &bad[i], &err));
		cr_assert_eq(err.code, RP_USAGE);
	}
	cr_assert_str_eq(err.text, "blocks of 262145 accesses: .rpz has at most 262144");
	rp_trace_free(t);
}
