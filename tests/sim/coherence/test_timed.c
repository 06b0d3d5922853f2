/* test_timed.c - timed mode: against a model that goes cycle by cycle, against functional mode, and its laws. */
#include "tests/check.h"
#include "tests/sim/coherence/timed_naive.h"

#include "base/rng.h"
#include "sim/coherence/timed.h"

struct reader {
	const struct naive_trace *t;
	size_t at[NAIVE_STREAMS];
};

static ptrdiff_t
pull(void *to, size_t i, struct rp_batch *out, uint64_t *gap, struct rp_err *err)
{
	struct reader *r = to;
	(void)err;
	/* A few at a time, so that batches end in the middle of things. */
	size_t n = 0;
	for (; n < 7 && r->at[i] < r->t->n[i]; n++, r->at[i]++) {
		gap[out->n] = r->t->gap[i][r->at[i]];
		rp_batch_put(out, &r->t->row[i][r->at[i]]);
	}
	return (ptrdiff_t)n;
}

/* The order in which accesses took effect. */
struct log {
	struct {
		size_t stream;
		uint64_t index;
	} entry[4 * NAIVE_STREAMS * NAIVE_ROWS];
	size_t n;
};

static void
note(void *to, size_t stream, uint64_t index)
{
	struct log *l = to;
	cr_assert(l->n < sizeof l->entry / sizeof *l->entry);
	l->entry[l->n].stream = stream;
	l->entry[l->n++].index = index;
}

/* A run; gives the caches for their results. */
static struct rp_coherence *
run(const struct rp_coherence_config *c, const struct naive_trace *t, struct log *log,
    struct rp_coherence_times *out)
{
	uint32_t streams[NAIVE_STREAMS] = { 0, 1, 2, 3, 4, 5 };
	struct reader r = { .t = t };
	struct rp_timed_feed feed = { &r, RP_COL_STREAM, pull };
	struct rp_err err = { 0 };
	struct rp_coherence *k = rp_coherence_new(c, &err);
	cr_assert(k, "%s", err.text);
	struct rp_timed *timed = rp_timed_new(k, streams, t->streams, &feed, &err);
	cr_assert(timed, "%s", err.text);
	if (log)
		rp_timed_watch(timed, note, log);
	int more;
	while ((more = rp_timed_run(timed, 3, &err)) > 0)
		continue;
	cr_assert(more == 0 && rp_timed_check(timed, &err), "%s", err.text);
	cr_assert(
	    rp_timed_results(timed, out, &err) && rp_coherence_check(k, &err), "%s", err.text);
	rp_timed_free(timed);
	rp_coherence_end(k);
	return k;
}

static uint64_t
some(struct rp_rng *rng, uint64_t least, uint64_t most)
{
	return least + rp_rng_below(rng, most - least + 1);
}

static struct rp_coherence_config
random_config(struct rp_rng *rng)
{
	static const char *const policies[] = { "lru", "lru", "fifo", "plru", "srrip", "random" };
	struct rp_coherence_config c = { .protocol = &rp_protocol_msi,
		.caches = (uint32_t)some(rng, 1, NAIVE_STREAMS),
		.line = 64,
		.word_bytes = 1,
		.sets = (uint32_t)some(rng, 1, 4),
		.ways = (uint32_t)some(rng, 1, 3),
		.policy = rp_policy_find(policies[some(rng, 0, 5)], NULL),
		.seed = 1,
		.silent = some(rng, 0, 1),
		.sparse = some(rng, 0, 1),
		.dir_sets = (uint32_t)some(rng, 1, 3),
		.dir_ways = (uint32_t)some(rng, 1, 3),
		.dir_fifo = some(rng, 0, 1),
		.lines = true,
		.verify = true,
		.timed = true };
	while (!strcmp(c.policy->name, "plru") && (c.ways & (c.ways - 1)))
		c.ways++;
	for (size_t i = 0; i < RP_POLICY_PARAMS; i++)
		c.arg[i] = c.policy->params[i].usual;
	c.timing = (struct rp_coherence_timing){ .l1 = some(rng, 1, 3),
		.net = some(rng, 1, 5),
		.home = some(rng, 0, 3),
		.mem = some(rng, 0, 20),
		.resp = some(rng, 0, 4),
		.pending = some(rng, 1, 6),
		.busy_nack = some(rng, 0, 1),
		.full_nack = some(rng, 0, 1),
		.backoff = some(rng, 0, 9),
		.backoff_mult = some(rng, 1, 3),
		.backoff_max = some(rng, 0, 40),
		.mshrs = some(rng, 0, 1) * some(rng, 1, 5) };
	return c;
}

static void
random_trace(struct rp_rng *rng, size_t streams, struct naive_trace *t)
{
	uint64_t lines = some(rng, 2, 14), stores = some(rng, 0, 4), gaps = some(rng, 0, 12);
	t->streams = streams;
	for (size_t s = 0; s < streams; s++) {
		t->n[s] = some(rng, 0, 3) ? some(rng, 1, NAIVE_ROWS) : 0;
		for (size_t i = 0; i < t->n[s]; i++) {
			t->row[s][i] = (struct rp_access){ .addr = some(rng, 0, lines * 64 - 1),
				.size = (uint32_t)(some(rng, 0, 9) ? some(rng, 1, 8)
								   : some(rng, 1, 130)),
				.stream = (uint32_t)s,
				.kind = some(rng, 0, 3) < stores ? RP_WRITE : RP_READ };
			t->gap[s][i] = some(rng, 0, 2)    ? 0
			               : some(rng, 0, 20) ? some(rng, 0, gaps)
			                                  : some(rng, 400, 1600);
		}
	}
}

static void
assert_same_counts(struct rp_coherence *a, struct rp_coherence *b, unsigned trial)
{
	struct rp_coherence_counters x, y;
	struct rp_coherence_home h, g;
	struct rp_coherence_copy *p, *q;
	size_t n, m;
	cr_assert(rp_coherence_caches(a, &n, NULL) && rp_coherence_caches(b, &m, NULL) && n == m);
	rp_coherence_home(a, &h);
	rp_coherence_home(b, &g);
	cr_assert(!memcmp(&h, &g, sizeof h), "trial %u: homes differ", trial);
	for (size_t i = 0; i < n; i++) {
		size_t copies, other;
		rp_coherence_count(a, i, &x);
		rp_coherence_count(b, i, &y);
		cr_assert(!memcmp(&x, &y, sizeof x), "trial %u: cache %zu differs", trial, i);
		cr_assert(rp_coherence_copies(a, i, &p, &copies, NULL) &&
			  rp_coherence_copies(b, i, &q, &other, NULL) && copies == other);
		for (size_t j = 0; j < copies; j++)
			cr_assert(p[j].address == q[j].address && p[j].state == q[j].state);
		free(p);
		free(q);
	}
	cr_assert(rp_coherence_entries(a, &p, &n, NULL) && rp_coherence_entries(b, &q, &m, NULL) &&
		  n == m);
	for (size_t j = 0; j < n; j++)
		cr_assert(
		    p[j].address == q[j].address && p[j].state == q[j].state && p[j].n == q[j].n);
	free(p);
	free(q);
}

static void
assert_same_times(const struct rp_coherence_times *a, const struct rp_coherence_timed *count,
    const uint64_t *finish, const char *verdict, unsigned trial)
{
	const struct rp_coherence_counter *row = rp_coherence_tables[RP_COHERENCE_TIMED];
	for (; row->name; row++) {
		uint64_t x = *(const uint64_t *)((const char *)&a->count + row->offset),
			 y = *(const uint64_t *)((const char *)count + row->offset);
		cr_assert(x == y, "trial %u: %s is %llu, cycle by cycle %llu", trial, row->name,
		    (unsigned long long)x, (unsigned long long)y);
	}
	for (size_t i = 0; i < a->n; i++)
		cr_assert(a->finish[i] == finish[i], "trial %u: stream %zu", trial, i);
	cr_assert(!strcmp(a->table_verdict, verdict), "trial %u: %s, %s", trial, a->table_verdict,
	    verdict);
}

RP_TEST(timed, a_model_that_goes_cycle_by_cycle_gives_the_same_numbers)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("timed"), "cycles", 0);
	struct naive_trace t;
	struct rp_coherence_timed all = { 0 };
	for (unsigned trial = 0; trial < 300 * rp_test_scale(); trial++) {
		struct rp_coherence_config c = random_config(&rng);
		random_trace(&rng, c.caches, &t);
		struct rp_coherence_times fast;
		struct rp_coherence_timed count;
		uint64_t finish[NAIVE_STREAMS];
		const char *verdict;
		struct rp_coherence *k = run(&c, &t, NULL, &fast),
				    *slow = rp_coherence_new(&c, NULL);
		naive_timed(slow, &t, &count, finish, &verdict);
		rp_coherence_end(slow);
		assert_same_times(&fast, &count, finish, verdict, trial);
		assert_same_counts(k, slow, trial);
		const struct rp_coherence_counter *row = rp_coherence_tables[RP_COHERENCE_TIMED];
		for (; row->name; row++)
			*(uint64_t *)((char *)&all + row->offset) +=
			    *(const uint64_t *)((const char *)&count + row->offset);
		free(fast.finish);
		rp_coherence_free(k);
		rp_coherence_free(slow);
	}
	/* Each thing that can happen did. */
	const struct rp_coherence_counter *row = rp_coherence_tables[RP_COHERENCE_TIMED];
	for (; row->name; row++)
		cr_assert(
		    *(const uint64_t *)((const char *)&all + row->offset), "no %s", row->name);
}

/* Line accesses in the order of the log, as rows. */
static struct rp_batch *
logged_rows(const struct naive_trace *t, const struct log *log)
{
	struct rp_batch *b = rp_batch_new(log->n + 1, RP_COL_STREAM, NULL);
	for (size_t e = 0; e < log->n; e++) {
		size_t s = log->entry[e].stream;
		uint64_t left = log->entry[e].index;
		for (size_t i = 0; i < t->n[s]; i++) {
			struct rp_access a = t->row[s][i];
			uint64_t first = a.addr / 64,
				 pieces = (a.addr + a.size - 1) / 64 - first + 1;
			if (left >= pieces) {
				left -= pieces;
				continue;
			}
			uint64_t from = left ? (first + left) * 64 : a.addr,
				 to = left + 1 < pieces ? (first + left + 1) * 64 : a.addr + a.size;
			a.addr = from;
			a.size = (uint32_t)(to - from);
			rp_batch_put(b, &a);
			break;
		}
	}
	cr_assert(b->n == log->n);
	return b;
}

RP_TEST(timed, functional_mode_in_the_order_of_effects_gives_the_same_counters)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("timed"), "order", 0);
	struct naive_trace t;
	unsigned compared = 0;
	struct log *log = malloc(sizeof *log);
	for (unsigned trial = 0; trial < 300 * rp_test_scale(); trial++) {
		struct rp_coherence_config c = random_config(&rng);
		random_trace(&rng, c.caches, &t);
		struct rp_coherence_times times;
		struct rp_coherence_counters totals;
		struct rp_coherence_home home;
		log->n = 0;
		struct rp_coherence *k = run(&c, &t, log, &times), *functional;
		rp_coherence_totals(k, &totals);
		rp_coherence_home(k, &home);
		if (!totals.victim_skips && !home.dir_victim_skips) {
			struct rp_batch *rows = logged_rows(&t, log);
			functional = rp_coherence_new(&c, NULL);
			cr_assert(rp_coherence_run(functional, rows, NULL));
			rp_coherence_end(functional);
			assert_same_counts(k, functional, trial);
			rp_coherence_free(functional);
			rp_batch_free(rows);
			compared++;
		}
		free(times.finish);
		rp_coherence_free(k);
	}
	free(log);
	cr_assert(compared > 100);
}

RP_TEST(timed, one_blocking_stream_never_waits_and_takes_no_less_time_when_a_latency_grows)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("timed"), "one", 0);
	struct naive_trace t;
	for (unsigned trial = 0; trial < 100 * rp_test_scale(); trial++) {
		struct rp_coherence_config c = random_config(&rng);
		c.caches = 1;
		c.timing.mshrs = 0;
		random_trace(&rng, 1, &t);
		struct rp_coherence_times base, more;
		uint64_t gaps = 0;
		rp_coherence_free(run(&c, &t, NULL, &base));
		const struct rp_coherence_timed *n = &base.count;
		cr_assert(n->holds_busy + n->holds_full + n->holds_dirset + n->nacks == 0);
		/* It does one thing at a time. */
		for (size_t i = 0; i < t.n[0]; i++)
			gaps += t.gap[0][i];
		cr_assert(n->cycles == n->sum_access_latency + gaps);
		uint64_t *const latency[] = { &c.timing.l1, &c.timing.net, &c.timing.home,
			&c.timing.mem, &c.timing.resp };
		for (size_t i = 0; i < sizeof latency / sizeof *latency; i++) {
			*latency[i] += some(&rng, 1, 9);
			rp_coherence_free(run(&c, &t, NULL, &more));
			cr_assert(more.count.cycles >= base.count.cycles);
			free(base.finish);
			base = more;
		}
		free(base.finish);
	}
}

/* Two blocking streams store to one line (l1 1, net 5, home 2, mem 20, resp 3). The first arrives at 6 and is answered at
 * 6 + 2 + 20 + 5 = 33. The second, held from 6 on, then needs 2 + 5 + 3 + 5 = 15 cycles, until 48. The first's next store
 * arrives at 39, is held until 48 and answered at 63; the second's arrives at 54, is held until 63 and answered at 78. */
RP_TEST(timed, two_streams_that_store_to_one_line_take_turns)
{
	struct rp_coherence_config c = { .protocol = &rp_protocol_msi,
		.caches = 2,
		.line = 64,
		.word_bytes = 1,
		.sets = 1,
		.ways = 2,
		.policy = rp_policy_find("lru", NULL),
		.timed = true,
		.timing = { .l1 = 1,
		    .net = 5,
		    .home = 2,
		    .mem = 20,
		    .resp = 3,
		    .pending = 4,
		    .backoff_mult = 1 } };
	struct naive_trace t = { .streams = 2, .n = { 2, 2 } };
	for (size_t s = 0; s < 2; s++)
		for (size_t i = 0; i < 2; i++)
			t.row[s][i] = (struct rp_access){
				.addr = 8 * s, .size = 8, .stream = (uint32_t)s, .kind = RP_WRITE
			};
	struct rp_coherence_times times;
	rp_coherence_free(run(&c, &t, NULL, &times));
	cr_assert(times.finish[0] == 63 && times.finish[1] == 78 && times.count.cycles == 78);
	cr_assert(times.count.holds_busy == 3 && times.count.hold_cycles == 27 + 9 + 9);
	cr_assert(times.count.sum_residence == 27 + 3 * 15);
	cr_assert(!strcmp(times.table_verdict, "not limiting"));
	free(times.finish);
}

RP_TEST(timed, streams_without_rows_and_no_streams_at_all_take_no_time)
{
	struct rp_rng rng = rp_rng_for(1, "empty", 0);
	struct rp_coherence_config c = random_config(&rng);
	struct naive_trace t = { .streams = c.caches };
	struct rp_coherence_times times;
	rp_coherence_free(run(&c, &t, NULL, &times));
	cr_assert(times.n == c.caches && times.count.cycles == 0 && times.count.transactions == 0);
	free(times.finish);
	t.streams = c.caches = 0;
	rp_coherence_free(run(&c, &t, NULL, &times));
	cr_assert(times.n == 0 && times.count.cycles == 0);
	free(times.finish);
}

RP_TEST(timed, gaps_that_go_beyond_all_time_are_an_error)
{
	struct rp_rng rng = rp_rng_for(2, "late", 0);
	struct rp_coherence_config c = random_config(&rng);
	struct naive_trace t = { .streams = 1, .n = { 2 } };
	uint32_t stream = 0;
	c.caches = 1;
	for (size_t i = 0; i < 2; i++) {
		t.row[0][i] = (struct rp_access){ .size = 1 };
		t.gap[0][i] = UINT64_MAX - 100;
	}
	struct reader r = { .t = &t };
	struct rp_timed_feed feed = { &r, RP_COL_STREAM, pull };
	struct rp_err err = { 0 };
	struct rp_coherence *k = rp_coherence_new(&c, &err);
	struct rp_timed *timed = rp_timed_new(k, &stream, 1, &feed, &err);
	cr_assert(rp_timed_run(timed, UINT64_MAX, &err) == -1 && err.code == RP_INPUT);
	cr_assert(strstr(err.text, "beyond 2^64"));
	rp_timed_free(timed);
	rp_coherence_free(k);
}
