/* test_coherence.c - tests sim/coherence against its definition, on random systems and traces. */
#include "tests/sim/coherence/drive.h"
#include "tests/sim/coherence/naive.h"

/* Whether numbers 0 .. n - 1 of the list are those of the flags. */
static bool
same_caches(const uint32_t *list, size_t n, const bool *flag, uint32_t caches)
{
	size_t at = 0;
	for (uint32_t c = 0; c < caches; c++)
		if (flag[c] && (at == n || list[at++] != c))
			return false;
	return at == n;
}

static const struct naive_line *
naive_line_at(const struct naive *m, uint64_t address)
{
	for (size_t i = 0; i < m->lines; i++)
		if (m->line[i].number * m->config.line == address)
			return &m->line[i];
	cr_assert_fail("no line %llx", (unsigned long long)address);
	return NULL;
}

static void
same_lines(struct rp_coherence *k, const struct naive *m)
{
	struct rp_coherence_report r;
	size_t shared = 0;
	cr_assert(rp_coherence_report(k, NAIVE_LINES, &r, NULL));
	for (size_t i = 0; i < m->lines; i++) {
		const struct naive_line *x = &m->line[i];
		shared += x->hitm || x->true_sharing || x->false_sharing || x->dir;
	}
	cr_assert_eq(r.n, shared);
	for (size_t i = 0; i < r.n; i++) {
		const struct rp_coherence_line *x = &r.line[i];
		const struct naive_line *y = naive_line_at(m, x->address);
		cr_assert(x->accesses == y->accesses && x->misses == y->misses &&
			      x->hitm == y->hitm && x->true_sharing == y->true_sharing &&
			      x->false_sharing == y->false_sharing && x->dir == y->dir &&
			      x->upgrades == y->upgrades && x->inv_sent == y->inv_sent &&
			      x->forwards == y->forwards,
		    "line %llx", (unsigned long long)x->address);
		cr_assert(same_caches(x->writers, x->n_writers, y->writer, m->n));
		cr_assert(same_caches(x->readers, x->n_readers, y->reader, m->n));
	}
	rp_coherence_report_free(&r);
}

static void
same_copies(struct rp_coherence *k, const struct naive *m)
{
	struct rp_coherence_copy *copy;
	size_t n, expected;
	for (uint32_t c = 0; c < m->n; c++) {
		cr_assert(rp_coherence_copies(k, c, &copy, &n, NULL));
		expected = 0;
		for (size_t i = 0; i < m->lines; i++)
			expected += m->line[i].copy[c].state != 0;
		cr_assert_eq(n, expected);
		for (size_t i = 0; i < n; i++)
			cr_assert_eq(
			    *copy[i].state, naive_line_at(m, copy[i].address)->copy[c].state);
		free(copy);
	}
	cr_assert(rp_coherence_entries(k, &copy, &n, NULL));
	expected = 0;
	for (size_t i = 0; i < m->lines; i++)
		expected += m->line[i].state != 0;
	cr_assert_eq(n, expected);
	for (size_t i = 0; i < n; i++) {
		const struct naive_line *x = naive_line_at(m, copy[i].address);
		cr_assert_eq(*copy[i].state, x->state);
		cr_assert(same_caches(copy[i].caches, copy[i].n, x->sharer, m->n));
	}
	free(copy);
}

/* Everything that both say. */
static void
same(struct rp_coherence *k, struct naive *m)
{
	struct rp_coherence_counters c;
	struct rp_coherence_home home;
	size_t n;
	char whose[32];
	naive_end(m);
	rp_coherence_end(k);
	cr_assert(rp_coherence_caches(k, &n, NULL));
	cr_assert_eq(n, m->n);
	for (uint32_t i = 0; i < m->n; i++) {
		rp_coherence_count(k, i, &c);
		snprintf(whose, sizeof whose, "cache %u", i);
		drive_same(RP_COHERENCE_CACHE, &c, &m->count[i], whose);
	}
	rp_coherence_home(k, &home);
	drive_same(RP_COHERENCE_HOME, &home, &m->home, "home");
	same_lines(k, m);
	same_copies(k, m);
}

/* A random system. */
static struct rp_coherence_config
draw_config(struct rp_rng *rng, uint32_t caches)
{
	static const uint32_t lines[] = { 64, 64, 32, 48, 128, 256 };
	struct rp_coherence_config c = drive_config();
	c.caches = caches;
	c.line = lines[rp_rng_below(rng, 6)];
	c.word_bytes = 1U << rp_rng_below(rng, 4);
	/* The order of up to 16 ways is a word, of more it is linked. */
	bool many = !rp_rng_below(rng, 5);
	c.sets = 1 + (uint32_t)rp_rng_below(rng, many ? 2 : 4);
	c.ways = (many ? 14 : 1) + (uint32_t)rp_rng_below(rng, 5);
	c.policy = rp_policy_find(rp_rng_below(rng, 4) ? "lru" : "fifo", NULL);
	c.silent = rp_rng_below(rng, 2);
	c.sparse = rp_rng_below(rng, 2);
	c.dir_sets = 1 + (uint32_t)rp_rng_below(rng, 3);
	c.dir_ways = 1 + (uint32_t)rp_rng_below(rng, 6);
	c.dir_fifo = rp_rng_below(rng, 2);
	return c;
}

static void
compare(uint32_t caches, size_t rows, struct rp_rng *rng)
{
	struct rp_coherence_config c = draw_config(rng, caches);
	struct rp_coherence *k = drive_new(&c);
	struct naive *m = naive_new(&c, caches);
	uint32_t lines = 1 + (uint32_t)rp_rng_below(rng, c.sets * c.ways * 2 + 8);
	struct rp_batch *b =
	    drive_rows(&c, caches, lines, rows, (unsigned)rp_rng_below(rng, 101), rng);
	drive_run(k, b, false);
	for (size_t i = 0; i < b->n; i++)
		naive_access(m, b->stream[i], b->kind[i] == RP_WRITE, b->addr[i], b->size[i]);
	same(k, m);
	rp_batch_free(b);
	rp_coherence_free(k);
	free(m);
}

RP_TEST(coherence, is_as_defined_for_a_few_caches)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("coherence/few"), "few", 0);
	for (unsigned i = 0; i < 150 * rp_test_scale(); i++)
		compare(1 + (uint32_t)rp_rng_below(&rng, 8), 600, &rng);
}

RP_TEST(coherence, is_as_defined_for_more_caches_than_a_byte_or_a_word_has_bits)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("coherence/many"), "many", 0);
	for (unsigned i = 0; i < 6 * rp_test_scale(); i++) {
		compare(9, 800, &rng);
		compare(33, 800, &rng);
		compare(65 + (uint32_t)rp_rng_below(&rng, 10), 800, &rng);
	}
}

/* Streams 1000 apart, the last first; caches are made as they come up, and records widen. */
RP_TEST(coherence, caches_made_one_by_one_are_numbered_by_their_streams)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("coherence/made"), "made", 0);
	for (unsigned round = 0; round < 4; round++) {
		struct rp_coherence_config c = draw_config(&rng, 70);
		struct naive *m = naive_new(&c, 70);
		c.caches = 0;
		struct rp_coherence *k = drive_new(&c);
		struct rp_batch *b = drive_rows(&c, 70, 20, 1500, 30, &rng);
		for (size_t i = 0; i < b->n; i++) {
			/* More and more of them. */
			uint32_t s = 69 - (uint32_t)rp_rng_below(&rng, 1 + i * 70 / b->n);
			s = i < 70 ? 69 - (uint32_t)i : s;
			naive_access(m, s, b->kind[i] == RP_WRITE, b->addr[i], b->size[i]);
			b->stream[i] = 1000 * s + 5;
		}
		drive_run(k, b, false);
		same(k, m);
		cr_assert_eq(rp_coherence_stream(k, 69), 69005);
		rp_batch_free(b);
		rp_coherence_free(k);
		free(m);
	}
}

RP_TEST(coherence, invariants_hold_after_every_access_with_any_policy)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("coherence/any"), "any", 0);
	for (const struct rp_policy *const *p = rp_policies; *p; p++) {
		uint64_t arg[RP_POLICY_PARAMS] = { 0 };
		for (size_t i = 0; i < RP_POLICY_PARAMS && (*p)->params[i].name; i++)
			arg[i] = (*p)->params[i].usual;
		if (!rp_coherence_policy_fits(*p, arg, NULL))
			continue;
		for (unsigned round = 0; round < 2; round++) {
			struct rp_coherence_config c = draw_config(&rng, 4);
			c.policy = *p;
			memcpy(c.arg, arg, sizeof arg);
			/* Many ways are found by a hash. */
			c.ways = round ? 40 : 4;
			c.sets = 1U << rp_rng_below(&rng, 2);
			struct rp_coherence *k = drive_new(&c);
			struct rp_batch *b = drive_rows(&c, 4, 3 * c.ways, 500, 40, &rng);
			drive_run(k, b, true);
			rp_batch_free(b);
			rp_coherence_free(k);
		}
	}
}

RP_TEST(coherence, a_warm_up_is_left_out_of_everything)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("coherence/warm"), "warm", 0);
	struct rp_coherence_counters a, b, part;
	struct rp_coherence_home h;
	for (unsigned round = 0; round < 20; round++) {
		struct rp_coherence_config c = draw_config(&rng, 4);
		struct rp_coherence *k = drive_new(&c);
		struct rp_batch *rows = drive_rows(&c, 4, 12, 400, 40, &rng);
		struct rp_batch first = drive_part(rows, 0, 150), rest = drive_part(rows, 150, 250);
		drive_run(k, &first, false);
		rp_coherence_totals(k, &a);
		cr_assert(rp_coherence_warm(k, NULL));
		drive_run(k, &rest, false);
		rp_coherence_end(k);
		rp_coherence_totals(k, &part);
		cr_assert_eq(part.coherence,
		    part.coherence_true + part.coherence_false + part.coherence_dir);
		cr_assert_eq(
		    part.misses, part.cold + part.capacity + part.conflict + part.coherence);
		rp_coherence_home(k, &h);
		cr_assert_eq(part.misses, h.gets + h.getm - h.upgrades);
		rp_coherence_free(k);
		k = drive_new(&c);
		drive_run(k, rows, false);
		rp_coherence_totals(k, &b);
		cr_assert_eq(a.misses + part.misses, b.misses);
		cr_assert_eq(a.inv_received + part.inv_received, b.inv_received);
		rp_coherence_free(k);
		rp_batch_free(rows);
	}
}

RP_TEST(coherence, a_prefetch_brings_a_line_but_uses_none_of_it)
{
	struct rp_coherence_config c = drive_config();
	struct rp_coherence *k = drive_new(&c);
	struct rp_batch *b = rp_batch_new(8, RP_COL_STREAM, NULL);
	struct rp_coherence_counters t;
	rp_batch_put(b, &(struct rp_access){ .size = 8, .kind = RP_READ });
	rp_batch_put(b, &(struct rp_access){ .size = 8, .stream = 1, .kind = RP_WRITE });
	rp_batch_put(b, &(struct rp_access){ .size = 8, .kind = RP_PREFETCH });
	rp_batch_put(b, &(struct rp_access){ .addr = 8, .size = 8, .kind = RP_READ });
	drive_run(k, b, false);
	rp_coherence_totals(k, &t);
	cr_assert_eq(t.coherence, 1);
	cr_assert_eq(t.coherence_true, 0);
	b->n = 0;
	rp_batch_put(b, &(struct rp_access){ .addr = 4, .size = 8, .kind = RP_READ });
	drive_run(k, b, false);
	rp_coherence_totals(k, &t);
	cr_assert_eq(t.coherence_true, 1);
	cr_assert_eq(t.first_ref_true, 0);
	rp_batch_free(b);
	rp_coherence_free(k);
}

RP_TEST(coherence, numbers_that_do_not_fit_are_refused)
{
	struct rp_err err = { 0 };
	struct rp_coherence_config c = drive_config();
	c.word_bytes = 65;
	cr_assert_not(rp_coherence_new(&c, &err));
	cr_assert(strstr(err.text, "word of 65 bytes: wanted 1 to 64"), "%s", err.text);
	c = drive_config();
	c.line = 8192;
	cr_assert_not(rp_coherence_new(&c, &err));
	cr_assert(strstr(err.text, "more than 4096 words"), "%s", err.text);
	c = drive_config();
	c.policy = rp_policy_find("opt", NULL);
	cr_assert_not(rp_coherence_new(&c, &err));
	cr_assert(strstr(err.text, "needs the future"), "%s", err.text);
}
