/* test_laws.c - what must hold between runs of sim/coherence, and against what others count. */
#include "tests/sim/coherence/drive.h"

#include "sim/replay.h"

/* Totals and home of a run. */
struct sum {
	struct rp_coherence_counters t;
	struct rp_coherence_home h;
};

static struct sum
run(const struct rp_coherence_config *c, const struct rp_batch *b)
{
	struct sum s;
	struct rp_coherence *k = drive_new(c);
	drive_run(k, b, false);
	rp_coherence_end(k);
	rp_coherence_totals(k, &s.t);
	rp_coherence_home(k, &s.h);
	rp_coherence_free(k);
	return s;
}

static void
same(const struct sum *a, const struct sum *b, const char *what)
{
	drive_same(RP_COHERENCE_CACHE, &a->t, &b->t, what);
	drive_same(RP_COHERENCE_HOME, &a->h, &b->h, what);
}

static struct rp_coherence_config
draw(struct rp_rng *rng)
{
	struct rp_coherence_config c = drive_config();
	c.caches = 2 + (uint32_t)rp_rng_below(rng, 4);
	c.sets = 1 + (uint32_t)rp_rng_below(rng, 3);
	c.ways = 1 + (uint32_t)rp_rng_below(rng, 3);
	c.silent = rp_rng_below(rng, 2);
	return c;
}

static void
make_sparse(struct rp_coherence_config *c, struct rp_rng *rng)
{
	c->sparse = rp_rng_below(rng, 2);
	c->dir_sets = 1 + (uint32_t)rp_rng_below(rng, 2);
	c->dir_ways = 1 + (uint32_t)rp_rng_below(rng, 4);
}

enum { ROUNDS = 25, ROWS = 400 };

RP_TEST(coherence_laws, renaming_the_caches_permutes_their_counters_and_leaves_the_home_alone)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("laws/rename"), "rename", 0);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct rp_coherence_config c = draw(&rng);
		make_sparse(&c, &rng);
		struct rp_batch *b = drive_rows(&c, c.caches, 10, ROWS, 40, &rng);
		struct rp_coherence *k = drive_new(&c), *r = drive_new(&c);
		drive_run(k, b, false);
		for (size_t i = 0; i < b->n; i++)
			b->stream[i] = c.caches - 1 - b->stream[i];
		drive_run(r, b, false);
		struct rp_coherence_counters x, y;
		size_t n;
		cr_assert(rp_coherence_caches(k, &n, NULL) && rp_coherence_caches(r, &n, NULL));
		for (uint32_t i = 0; i < n; i++) {
			rp_coherence_count(k, i, &x);
			rp_coherence_count(r, n - 1 - i, &y);
			drive_same(RP_COHERENCE_CACHE, &x, &y, "renamed");
		}
		drive_same(RP_COHERENCE_HOME, &k->home, &r->home, "home");
		rp_coherence_free(k);
		rp_coherence_free(r);
		rp_batch_free(b);
	}
}

RP_TEST(coherence_laws, moving_all_addresses_by_whole_caches_changes_nothing)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("laws/move"), "move", 0);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct rp_coherence_config c = draw(&rng);
		struct rp_batch *b = drive_rows(&c, c.caches, 10, ROWS, 40, &rng);
		struct sum before = run(&c, b);
		uint64_t by = (UINT64_C(1) << rp_rng_below(&rng, 40)) * c.sets * c.line;
		for (size_t i = 0; i < b->n; i++)
			b->addr[i] += by;
		struct sum after = run(&c, b);
		same(&after, &before, "moved");
		rp_batch_free(b);
	}
}

RP_TEST(coherence_laws, silent_evictions_differ_in_puts_inv_and_the_directory_alone)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("laws/silent"), "silent", 0);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct rp_coherence_config c = draw(&rng);
		struct rp_batch *b = drive_rows(&c, c.caches, 10, ROWS, 40, &rng);
		c.silent = false;
		struct sum x = run(&c, b);
		c.silent = true;
		struct sum s = run(&c, b);
		cr_assert_eq(s.t.inv_received - s.t.inv_received_stale, x.t.inv_received);
		cr_assert_eq(s.h.puts, 0);
		s.t.inv_received = x.t.inv_received;
		s.t.inv_received_stale = 0;
		s.h.puts = x.h.puts;
		s.h.inv_sent = x.h.inv_sent;
		s.h.inv_sent_demand = x.h.inv_sent_demand;
		s.h.inv_acks = x.h.inv_acks;
		s.h.dir_allocs = x.h.dir_allocs;
		s.h.dir_frees = x.h.dir_frees;
		s.h.dir_peak_entries = x.h.dir_peak_entries;
		same(&s, &x, "silent");
		rp_batch_free(b);
	}
}

RP_TEST(coherence_laws, one_cache_shares_nothing_and_more_ways_never_miss_more)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("laws/one"), "one", 0);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct rp_coherence_config c = drive_config();
		struct rp_batch *b = drive_rows(&c, 1, 12, ROWS, 40, &rng);
		uint64_t before = UINT64_MAX;
		c.caches = 1;
		for (c.ways = 1; c.ways <= 40; c.ways += c.ways < 8 ? 1 : 16) {
			struct sum s = run(&c, b);
			cr_assert_eq(s.t.coherence + s.t.conflict + s.t.hitm + s.h.inv_sent, 0);
			cr_assert_leq(s.t.misses, before);
			before = s.t.misses;
		}
		rp_batch_free(b);
	}
}

RP_TEST(coherence_laws, loads_alone_send_nobody_anything)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("laws/loads"), "loads", 0);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct rp_coherence_config c = draw(&rng);
		struct rp_batch *b = drive_rows(&c, c.caches, 10, ROWS, 0, &rng);
		struct sum s = run(&c, b);
		cr_assert_eq(s.h.inv_sent + s.h.forwards + s.h.upgrades + s.t.coherence, 0);
		rp_batch_free(b);
	}
}

RP_TEST(coherence_laws, caches_that_keep_to_their_own_lines_share_nothing)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("laws/own"), "own", 0);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct rp_coherence_config c = draw(&rng);
		make_sparse(&c, &rng);
		struct rp_batch *b = drive_rows(&c, c.caches, 6, ROWS, 40, &rng);
		for (size_t i = 0; i < b->n; i++)
			b->addr[i] += (uint64_t)b->stream[i] << 20;
		struct sum s = run(&c, b);
		cr_assert_eq(s.t.coherence_true + s.t.coherence_false + s.t.hitm, 0);
		rp_batch_free(b);
	}
}

RP_TEST(coherence_laws, words_as_long_as_the_line_make_all_sharing_true_at_once)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("laws/words"), "words", 0);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct rp_coherence_config c = draw(&rng);
		make_sparse(&c, &rng);
		c.word_bytes = c.line;
		struct rp_batch *b = drive_rows(&c, c.caches, 8, ROWS, 40, &rng);
		struct sum s = run(&c, b);
		cr_assert_eq(s.t.coherence_true, s.t.coherence - s.t.coherence_dir);
		cr_assert_eq(s.t.first_ref_true, s.t.coherence_true);
		rp_batch_free(b);
	}
}

/* The lesson's program: two caches of a few lines, each access a store. */
struct lesson {
	uint64_t cache[2][8];
	unsigned held[2], cap;
	bool ever[2][16], lost[2][16];
	uint64_t cold, coherence, capacity, hitm;
};

static void
lesson_store(struct lesson *m, unsigned core, uint64_t line)
{
	unsigned other = 1 - core, at = 0, there = 0;
	while (at < m->held[core] && m->cache[core][at] != line)
		at++;
	bool hit = at < m->held[core]; /* all copies are modified */
	if (!hit) {
		*(!m->ever[core][line]    ? &m->cold
		    : m->lost[core][line] ? &m->coherence
					  : &m->capacity) += 1;
		while (there < m->held[other] && m->cache[other][there] != line)
			there++;
		if (there < m->held[other]) {
			m->hitm++;
			m->held[other]--;
			memmove(&m->cache[other][there], &m->cache[other][there + 1],
			    (m->held[other] - there) * sizeof **m->cache);
			m->lost[other][line] = true;
		}
		if (m->held[core] == m->cap) {
			m->lost[core][m->cache[core][0]] = false;
			at = 0;
		}
	}
	if (at < m->held[core]) {
		m->held[core]--;
		memmove(&m->cache[core][at], &m->cache[core][at + 1],
		    (m->held[core] - at) * sizeof **m->cache);
	}
	m->cache[core][m->held[core]++] = line;
	m->ever[core][line] = true;
	m->lost[core][line] = false;
}

RP_TEST(coherence_laws, stores_of_two_caches_are_counted_as_the_lesson_counts_them)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("laws/lesson"), "lesson", 0);
	for (unsigned round = 0; round < 50; round++) {
		struct rp_coherence_config c = drive_config();
		struct lesson m = { .cap = 1 + (unsigned)rp_rng_below(&rng, 6) };
		c.ways = m.cap;
		struct rp_batch *b = drive_rows(&c, 2, 10, 300, 100, &rng);
		for (size_t i = 0; i < b->n; i++) {
			b->size[i] = 1;
			lesson_store(&m, b->stream[i], b->addr[i] / 64);
		}
		struct sum s = run(&c, b);
		cr_assert_eq(s.t.cold, m.cold);
		cr_assert_eq(s.t.coherence, m.coherence);
		cr_assert_eq(s.t.capacity, m.capacity);
		cr_assert_eq(s.t.hitm, m.hitm);
		cr_assert_eq(s.t.remote_present, m.hitm);
		rp_batch_free(b);
	}
}

RP_TEST(coherence_laws, one_stream_alone_has_the_classes_of_a_classified_cache)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("laws/sim"), "sim", 0);
	static const char *const specs[] = { "lru,sets=4,ways=2", "fifo,sets=2,ways=4",
		"lru,sets=8,ways=1", "srrip,sets=2,ways=4", "plru,sets=4,ways=4" };
	for (unsigned round = 0; round < 20; round++) {
		char text[96];
		struct rp_err err = { 0 };
		struct rp_cache_spec spec;
		struct rp_counters want;
		snprintf(text, sizeof text, "%s,classify=yes", specs[round % 5]);
		cr_assert(rp_cache_spec_parse(text, 64, 1, &spec, &err), "%s", err.text);
		struct rp_coherence_config c = drive_config();
		c.caches = 1;
		c.sets = spec.sets;
		c.ways = spec.ways;
		c.policy = spec.policy;
		memcpy(c.arg, spec.arg, sizeof c.arg);
		struct rp_batch *b = drive_rows(&c, 1, 24, 2000, 30, &rng);
		struct rp_replay *r = rp_replay_new(&spec, 1, &(struct rp_replay_opts){ 0 }, &err);
		cr_assert(r && rp_replay_run(r, b, &err) && rp_replay_end(r, &err), "%s", err.text);
		rp_replay_counters(r, 0, &want);
		struct sum s = run(&c, b);
		cr_assert_eq(s.t.accesses, want.lookups);
		cr_assert_eq(s.t.misses, want.misses);
		cr_assert_eq(s.t.cold, want.cold);
		cr_assert_eq(s.t.capacity, want.capacity);
		cr_assert_eq(s.t.conflict, want.conflict);
		rp_replay_free(r);
		rp_cache_spec_free(&spec);
		rp_batch_free(b);
	}
}
