/* test_top.c - tests sim/observe/top.c against a list of keys that is searched end to end. */
#include "tests/check.h"

#include "base/rng.h"
#include "sim/classes.h"
#include "sim/observe/top.h"

enum { KEYS_MOST = 4000 };

/* The obvious table. */
struct slow {
	struct rp_top_row row[KEYS_MOST];
	size_t n;
};

static struct rp_top_row *
slow_row(struct slow *s, uint64_t key)
{
	size_t k = 0;
	while (k < s->n && s->row[k].key != key)
		k++;
	if (k == s->n)
		s->row[s->n++] = (struct rp_top_row){ .key = key };
	return &s->row[k];
}

static void
slow_add(struct rp_top_row *row, uint8_t outcome, uint8_t class)
{
	row->lookups++;
	row->misses += outcome & RP_MISSED;
	row->cold += !!(class & RP_COLD);
	row->capacity += !!(class & RP_CAPACITY);
	row->conflict += !!(class & RP_CONFLICT);
	row->anticonflict += !!(class & RP_ANTICONFLICT);
}

/* What an access came to: a lookup for each line, or one for all. */
struct access {
	uint64_t key, line[KEYS_MOST];
	uint8_t outcome[KEYS_MOST], class[KEYS_MOST];
	size_t n;
};

static void
slow_access(struct slow *s, const struct access *a, const struct rp_top_opts *o)
{
	uint8_t missed = 0, twin = 0, cold = 0;
	for (size_t i = 0; i < a->n; i++) {
		struct rp_top_row *row = slow_row(s, o->by == RP_TOP_LINE ? a->line[i] : a->key);
		uint8_t class = o->classes ? a->class[i] : 0;
		missed |= a->outcome[i] & RP_MISSED;
		twin |= class & RP_TWIN_MISSED;
		cold |= class & RP_COLD;
		if (o->by == RP_TOP_LINE || !o->once)
			slow_add(row, a->outcome[i], class);
	}
	if (o->by == RP_TOP_LINE || !o->once)
		return;
	uint8_t class = !missed && twin ? RP_ANTICONFLICT
	                : !missed       ? 0
	                : cold          ? RP_COLD
	                : twin          ? RP_CAPACITY
	                                : RP_CONFLICT;
	slow_add(slow_row(s, a->key), missed, o->classes ? class : 0);
}

static int
by_misses(const void *a, const void *b)
{
	const struct rp_top_row *x = a, *y = b;
	if (x->misses != y->misses)
		return x->misses < y->misses ? 1 : -1;
	return (x->key > y->key) - (x->key < y->key);
}

/* An outcome and a class that go together. */
static void
draw(struct rp_rng *rng, uint8_t *outcome, uint8_t *class)
{
	static const uint8_t missed[] = { RP_COLD | RP_TWIN_MISSED, RP_CAPACITY | RP_TWIN_MISSED,
		RP_CONFLICT };
	uint64_t x = rp_rng_next(rng);
	*outcome = x & 1;
	*class = x & 1 ? missed[(x >> 8) % 3] : x & 2 ? RP_ANTICONFLICT | RP_TWIN_MISSED : 0;
	*outcome |= *outcome && (x & 4) ? RP_EVICTED | (x & 8 ? RP_WROTE_BACK : 0) : 0;
}

static struct rp_batch *
random_rows(struct rp_rng *rng)
{
	struct rp_batch *b = rp_batch_new(3000, RP_COL_PC | RP_COL_STREAM, NULL);
	while (b->n < 3000) {
		uint64_t x = rp_rng_next(rng);
		rp_batch_put(b, &(struct rp_access){ .addr = rp_rng_below(rng, 20000),
				    .size = (uint32_t)(b->n == 1800 ? 64 * 2500 : 1 + x % 120),
				    .pc = (x >> 8 & 255) - 100, /* some near 2^64 */
				    .stream = (uint32_t)(x >> 16 & 7) - 3 });
	}
	return b;
}

static void
expect_table(const struct rp_top *t, struct slow *s, const char *by)
{
	static const size_t most[] = { 1, 2, 10, 100, KEYS_MOST };
	static struct rp_top_row found[KEYS_MOST];
	qsort(s->row, s->n, sizeof *s->row, by_misses);
	cr_assert_eq(rp_top_keys(t), s->n, "%s: %zu keys, not %zu", by, rp_top_keys(t), s->n);
	for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
		size_t n = rp_top_best(t, most[k], found);
		cr_assert_eq(n, most[k] < s->n ? most[k] : s->n);
		for (size_t i = 0; i < n; i++)
			cr_assert_eq(memcmp(&found[i], &s->row[i], sizeof *found), 0,
			    "%s: row %zu of %zu", by, i, n);
	}
}

/* Feeds random outcomes, in chunks of up to `most` accesses; now and then what is counted moves to the whole. */
static void
expect_same_table(struct rp_rng *rng, const struct rp_top_opts *o, uint64_t most)
{
	struct rp_batch *b = random_rows(rng);
	struct rp_expand *e = rp_expand_new(6, false, false, RP_LEVEL_BEST, NULL);
	struct rp_top *t = rp_top_new(o, NULL), *whole = rp_top_new(o, NULL);
	static struct slow s;
	static struct access a;
	static uint8_t outcome[RP_CHUNK], class[RP_CHUNK];
	static uint64_t victim[RP_CHUNK];
	s.n = a.n = 0;
	size_t last = SIZE_MAX;
	for (size_t row = 0; row < b->n;) {
		const struct rp_lookups *in =
		    rp_expand_next(e, b, &row, rp_expand_open(e) ? 0 : most);
		for (size_t i = 0; i < in->n; i++) {
			draw(rng, &outcome[i], &class[i]);
			victim[i] = in->line[rp_rng_below(rng, i + 1)];
			if (in->row[i] != last && a.n) {
				slow_access(&s, &a, o);
				a.n = 0;
			}
			last = in->row[i];
			a.key = o->by == RP_TOP_PC ? b->pc[last] : b->stream[last];
			a.line[a.n] = in->line[i];
			a.outcome[a.n] = outcome[i];
			a.class[a.n++] = class[i];
			if (outcome[i] & RP_WROTE_BACK)
				slow_row(&s, o->by == RP_TOP_LINE ? victim[i] : a.key)
				    ->writebacks++;
		}
		cr_assert(rp_top_chunk(t, in, outcome, class, victim, NULL));
		if (!rp_expand_open(e) && rp_rng_next(rng) % 4 == 0)
			cr_assert(rp_top_move(whole, t, NULL));
	}
	slow_access(&s, &a, o);
	cr_assert(rp_top_move(whole, t, NULL));
	cr_assert_eq(rp_top_keys(t), 0);
	expect_table(whole, &s, rp_top_names[o->by]);
	rp_top_free(t);
	rp_top_free(whole);
	rp_expand_free(e);
	rp_batch_free(b);
}

RP_TEST(top, tables_are_those_of_a_list)
{
	struct rp_rng rng = { rp_test_seed("top") };
	for (unsigned i = 0; i < 12 * rp_test_scale(); i++) {
		struct rp_top_opts o = { .by = i % 3, .once = i / 3 % 2, .classes = i / 6 % 2 };
		expect_same_table(&rng, &o, 1 + rp_rng_below(&rng, 700));
		expect_same_table(&rng, &o, UINT64_MAX);
	}
}

/* Three lines that miss once each: the smaller first. Without columns all is pc 0 and stream 0. */
RP_TEST(top, of_equals_the_smaller_key_comes_first)
{
	static const uint64_t addr[] = { 640, 64, 6400 };
	struct rp_batch *b = rp_batch_new(8, 0, NULL);
	uint8_t outcome[RP_CHUNK] = { RP_MISSED, RP_MISSED, RP_MISSED };
	struct rp_expand *e = rp_expand_new(6, false, false, RP_LEVEL_BEST, NULL);
	for (size_t i = 0; i < 3; i++)
		rp_batch_put(b, &(struct rp_access){ .addr = addr[i], .size = 1 });
	size_t row = 0;
	const struct rp_lookups *in = rp_expand_next(e, b, &row, UINT64_MAX);
	for (enum rp_top_by by = RP_TOP_LINE; by <= RP_TOP_STREAM; by++) {
		struct rp_top *t = rp_top_new(&(struct rp_top_opts){ .by = by }, NULL);
		struct rp_top_row rows[4];
		cr_assert(rp_top_chunk(t, in, outcome, NULL, NULL, NULL));
		size_t n = rp_top_best(t, 4, rows);
		if (by == RP_TOP_LINE) {
			cr_assert_eq(n, 3);
			cr_assert(rows[0].key == 1 && rows[1].key == 10 && rows[2].key == 100);
		} else {
			cr_assert_eq(n, 1);
			cr_assert(rows[0].key == 0 && rows[0].misses == 3);
		}
		rp_top_free(t);
	}
	rp_expand_free(e);
	rp_batch_free(b);
}
