/* test_mshr.c - tests sim/mshr.c: the labels of MLCRP, and a slow, obvious model of them. */
#include "tests/sim/replay_check.h"

#include "base/rng.h"

#include <jansson.h>

/* One set of four ways, T = 4, one merge an entry. Lines A = 0, B = 40, C = 80, time from 0.
 * t0 A: miss, entry due at 4. t1 A: joins. t2 A: the entry is full, asked for again. t3 B: miss, due at 7. t4: A's entry
 * ends, A hits. t5 B: joins. t6 C: miss, due at 10. t7: B's entry ends; B hits. t8 C: joins. */
RP_TEST(mshr, counts_what_joins_and_what_finds_no_room)
{
	static const char trace[] = "R0 R0 R0 R40 R0 R40 R80 R40 R80";
	struct rp_counters c =
	    replay_text("lru,sets=1,ways=4,mshr=2,merge=1,latency=4", trace, NULL);
	cr_assert_eq(c.hits, 2);
	cr_assert_eq(c.misses, 7);
	cr_assert_eq(c.fetches, 4);
	cr_assert_eq(c.merged, 3);
	cr_assert_eq(c.merge_full, 1);
	cr_assert_eq(c.mshr_full, 0);
	cr_assert_eq(c.fills, 3);
	cr_assert_eq(c.bytes_filled, 192);
	cr_assert_eq(c.mshr_time, 9);
	/* In use after each lookup: 1 1 1 2 1 1 2 1 1. */
	cr_assert_eq(c.mshr_held, 11);
	cr_assert_eq(c.mshr_occupancy_max, 2);
	/* One entry: B at t3 finds none (A's is due at 4), hits at 5 as its line is in the tags; C at t6 has the entry. */
	c = replay_text("lru,sets=1,ways=4,mshr=1,merge=unlimited,latency=4", trace, NULL);
	cr_assert_eq(c.mshr_full, 1);
	cr_assert_eq(c.merged, 3);
	cr_assert_eq(c.hits, 3);
}

/* A line that is replaced while it is on its way and asked for again joins the same entry: it is brought in twice, asked for
 * once. One way, T = 10: A miss, B miss (A goes), A again: joins (B goes). */
RP_TEST(mshr, a_line_replaced_on_its_way_is_joined_all_the_same)
{
	struct rp_counters c =
	    replay_text("lru,sets=1,ways=1,mshr=4,latency=10", "R0 R40 R0", NULL);
	cr_assert_eq(c.fetches, 2);
	cr_assert_eq(c.merged, 1);
	cr_assert_eq(c.fills, 3);
	cr_assert_eq(c.evictions, 2);
}

/* A write that goes past the cache asks for nothing and joins nothing, also while its line is on its way for a read; one to
 * a line that has its way already joins. */
RP_TEST(mshr, writes_that_pass_ask_for_nothing)
{
	struct rp_counters c = replay_text(
	    "lru,sets=1,ways=1,allocate=no-write,mshr=4,latency=9", "W0 R0 W0 R40 W0", NULL);
	cr_assert_eq(c.misses, 5);
	cr_assert_eq(c.fetches, 2);
	cr_assert_eq(c.merged, 1);
	cr_assert_eq(c.writebacks, 1); /* the write that joined has left its line dirty */
	cr_assert_eq(c.bytes_written, 64 + 2);
}

/* By the trace's clock: T = 10, stamps 100, 105, 111, 111, 130. A miss due at 110; joins at 105; hits at 111; B miss at 111,
 * due at 121; B hits at 130. Time from 100 to 130; entries in use for 10 units each. */
RP_TEST(mshr, the_clock_may_be_the_traces)
{
	static const struct {
		uint64_t addr, time;
	} row[] = { { 0, 100 }, { 0, 105 }, { 0, 111 }, { 64, 111 }, { 64, 130 } };
	struct rp_batch *b = rp_batch_new(8, RP_COL_TIME, NULL);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		rp_batch_put(
		    b, &(struct rp_access){ .addr = row[i].addr, .time = row[i].time, .size = 1 });
	struct rp_counters c =
	    replay_one("lru,sets=1,ways=4,mshr=2,latency=10,clock=time", b, NULL);
	cr_assert_eq(c.fetches, 2);
	cr_assert_eq(c.merged, 1);
	cr_assert_eq(c.hits, 2);
	cr_assert_eq(c.mshr_time, 30);
	cr_assert_eq(c.mshr_held, 20);
	cr_assert_eq(c.mshr_occupancy_max, 1);
	rp_batch_free(b);
}

RP_TEST(mshr, a_clock_that_the_trace_has_not_is_an_error)
{
	struct rp_cache_spec s;
	struct rp_err err = { 0 };
	struct rp_batch *b = rp_batch_new(8, 0, NULL);
	put_text(b, "R0");
	cr_assert(rp_cache_spec_parse("lru,size=1k,mshr=2,clock=time", 64, 1, &s, NULL));
	struct rp_replay *r = rp_replay_new(&s, 1, &(struct rp_replay_opts){ 0 }, NULL);
	cr_assert_not(rp_replay_run(r, b, &err));
	cr_assert_eq(err.code, RP_USAGE);
	cr_assert(strstr(err.text, "clock=time"), "%s", err.text);
	rp_replay_free(r);
	rp_cache_spec_free(&s);
	rp_batch_free(b);
}

static uint64_t
label(const json_t *l, const char *name)
{
	const json_t *x = json_object_get(l, name);
	cr_assert(json_is_integer(x), "%s", name);
	return (uint64_t)json_integer_value(x);
}

static double
rate(const json_t *l, const char *name)
{
	return json_real_value(json_object_get(l, name));
}

static void
check_label(const struct rp_batch *b, const json_t *l)
{
	char spec[160];
	snprintf(spec, sizeof spec, "lru,sets=%d,ways=%d,mshr=%d,merge=%d,latency=%d",
	    (int)label(l, "sets"), (int)label(l, "ways"), (int)label(l, "entries"),
	    (int)label(l, "max_merge"), (int)label(l, "latency"));
	struct rp_counters c = replay_one(spec, b, NULL);
	cr_assert_eq(c.lookups, label(l, "n"), "%s", spec);
	cr_assert_eq(c.hits, label(l, "hit"), "%s", spec);
	cr_assert_eq(c.fetches, label(l, "primary"), "%s", spec);
	cr_assert_eq(c.merged, label(l, "merged"), "%s", spec);
	cr_assert_eq(c.mshr_full, label(l, "mshr_full"), "%s", spec);
	cr_assert_eq(c.merge_full, label(l, "merge_full"), "%s", spec);
	cr_assert_eq((double)c.misses / (double)c.lookups, rate(l, "miss_rate"), "%s", spec);
	cr_assert_eq((double)c.fetches / (double)c.lookups, rate(l, "fetch_rate"), "%s", spec);
	cr_assert_eq(c.mshr_asked ? (double)c.merged / (double)c.mshr_asked : 0,
	    rate(l, "merge_rate"), "%s", spec);
}

RP_TEST(mshr, gives_the_labels_of_mlcrp)
{
	char path[4096];
	json_t *doc = json_load_file(rp_test_file(path, "sim/files/mlcrp-labels.json"), 0, NULL),
	       *one, *l, *line;
	size_t i, k, n = 0;
	json_array_foreach(json_object_get(doc, "cases"), i, one)
	{
		json_t *trace = json_object_get(one, "trace");
		struct rp_batch *b = rp_batch_new(json_array_size(trace), 0, NULL);
		json_array_foreach(trace, k, line) rp_batch_put(
		    b, &(struct rp_access){
			   .addr = 64 * (uint64_t)json_integer_value(line), .size = 1 });
		json_array_foreach(json_object_get(one, "labels"), k, l)
		{
			check_label(b, l);
			n++;
		}
		rp_batch_free(b);
	}
	json_decref(doc);
	cr_assert_eq(n, 21);
}

/* The slow model: tags as a list of lines in order of use or of filling, entries as a list searched end to end. */
enum { WAYS = 8, SETS = 4, ENTRIES = 4000 };

struct slow {
	uint64_t tag[SETS][WAYS]; /* line + 1, the last to go first; 0: none */
	bool dirty[SETS][WAYS];
	unsigned sets, ways;
	bool fifo, no_write, through;
	uint64_t entries, merge, latency; /* 0: unlimited */
	struct {
		uint64_t line, ready, joined;
	} entry[ENTRIES];
	size_t n;
	struct rp_counters c;
};

static void
slow_lookup(struct slow *s, uint64_t line, bool write, uint64_t t)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->entry[i].ready > t)
			s->entry[kept++] = s->entry[i];
	s->n = kept;
	uint64_t *tag = s->tag[line % s->sets];
	bool *dirty = s->dirty[line % s->sets];
	unsigned w = 0;
	while (w < s->ways && tag[w] != line + 1)
		w++;
	bool present = w < s->ways, passes = !present && write && s->no_write;
	if (!passes) {
		bool was = present && dirty[w];
		if (!present) {
			w = s->ways - 1;
			s->c.fills++;
			s->c.evictions += tag[w] != 0;
			s->c.writebacks += tag[w] && dirty[w];
		}
		if (!present || !s->fifo) {
			memmove(tag + 1, tag, w * sizeof *tag);
			memmove(dirty + 1, dirty, w * sizeof *dirty);
			w = 0;
			tag[0] = line + 1;
		}
		dirty[w] = was || (write && !s->through);
	}
	s->c.lookups++;
	size_t e = 0;
	while (e < s->n && s->entry[e].line != line)
		e++;
	if (passes) {
		s->c.misses++;
	} else if (e < s->n) {
		s->c.misses++;
		bool full = s->merge && s->entry[e].joined == s->merge;
		*(full ? &s->c.fetches : &s->c.merged) += 1;
		s->c.merge_full += full;
		s->entry[e].joined += !full;
	} else if (present) {
		s->c.hits++;
	} else {
		s->c.misses++;
		s->c.fetches++;
		if (s->entries && s->n == s->entries)
			s->c.mshr_full++;
		else if (s->latency) {
			s->entry[s->n].line = line;
			s->entry[s->n].joined = 0;
			s->entry[s->n++].ready = t + s->latency;
		}
	}
}

/* The same by units of time: entries in use in each unit until the one after t, from *now on. */
static void
slow_time(struct slow *s, uint64_t *now, uint64_t t)
{
	for (; *now < t; ++*now) {
		uint64_t n = 0;
		for (size_t i = 0; i < s->n; i++)
			n += s->entry[i].ready > *now;
		s->c.mshr_time++;
		s->c.mshr_held += n;
		if (n > s->c.mshr_occupancy_max)
			s->c.mshr_occupancy_max = n;
	}
}

/* Entries in use at a time when lookups are made. */
static void
slow_seen(struct slow *s, uint64_t t)
{
	uint64_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		n += s->entry[i].ready > t;
	if (n > s->c.mshr_occupancy_max)
		s->c.mshr_occupancy_max = n;
}

static void
compare_random(struct rp_rng *rng)
{
	static const uint64_t latencies[] = { 0, 1, 2, 5, 10, 30, 100, 700, 3000 },
			      entries[] = { 0, 1, 2, 3, 8, 32, 1024 }, merges[] = { 0, 1, 2, 7 };
	uint64_t r = rp_rng_next(rng);
	struct slow *s = calloc(1, sizeof *s);
	s->sets = 1 + (r & 3);
	s->ways = 1 + (r >> 2 & 7);
	s->fifo = r >> 5 & 1;
	s->no_write = (r >> 6 & 3) == 0;
	s->through = (r >> 8 & 3) == 0;
	s->latency = latencies[(r >> 10 & 0xff) % 9];
	s->entries = entries[(r >> 18 & 0xff) % 7];
	s->merge = merges[r >> 26 & 3];
	bool clock = (r >> 28 & 3) == 0;
	/* Lines whose halves are equal all have the same hash (sim/pending.h). */
	uint64_t apart = (r >> 30 & 3) == 0 ? UINT64_C(64) << 32 | 64 : 64;
	enum rp_level level = (enum rp_level)(RP_LEVEL_MODEL + rp_rng_below(rng, 4));
	uint64_t lines = 1 + rp_rng_below(rng, 2 * (uint64_t)s->sets * s->ways + 8), stamp = 1000,
		 t = stamp;
	struct rp_batch *b = rp_batch_new(5000, RP_COL_TIME, NULL);
	for (size_t i = 0; i < 5000; i++) {
		uint64_t x = rp_rng_next(rng);
		struct rp_access a = { .addr = apart * rp_rng_below(rng, lines), .size = 1 };
		a.kind = x & 1 ? RP_WRITE : RP_READ;
		stamp += x >> 1 & 1 ? 0 : x >> 2 & (x >> 10 & 7 ? 3 : 1023);
		a.time = stamp;
		rp_batch_put(b, &a);
		uint64_t at = clock && stamp > t ? stamp : t;
		if (i)
			slow_time(s, &t, at);
		t = at;
		slow_lookup(s, a.addr / 64, a.kind == RP_WRITE, at);
		slow_seen(s, at);
		if (!clock)
			slow_time(s, &t, at + 1);
	}
	char spec[200];
	snprintf(spec, sizeof spec,
	    "%s,sets=%u,ways=%u,write=%s,allocate=%s,mshr=%d,merge=%d,latency=%d,clock=%s",
	    s->fifo ? "fifo" : "lru", s->sets, s->ways, s->through ? "through" : "back",
	    s->no_write ? "no-write" : "write", (int)s->entries, (int)s->merge, (int)s->latency,
	    clock ? "time" : "lookups");
	if (!rp_level_runs(level))
		level = RP_LEVEL_BEST;
	struct rp_counters c = replay_one(spec, b, &(struct rp_replay_opts){ .level = level });
#define SAME(name)                                                                                 \
	cr_assert_eq(c.name, s->c.name, "%s: " #name " %llu, not %llu", spec,                      \
	    (unsigned long long)c.name, (unsigned long long)s->c.name)
	SAME(hits);
	SAME(misses);
	SAME(fills);
	SAME(evictions);
	SAME(writebacks);
	SAME(fetches);
	SAME(merged);
	SAME(mshr_full);
	SAME(merge_full);
	SAME(mshr_time);
	SAME(mshr_held);
	SAME(mshr_occupancy_max);
	rp_batch_free(b);
	free(s);
}

RP_TEST(mshr, counts_as_the_slow_model)
{
	struct rp_rng rng = { rp_test_seed("mshr") };
	for (unsigned i = 0; i < 150 * rp_test_scale(); i++)
		compare_random(&rng);
}

/* What lookups of a stream and of an interval saw sums up to the whole; the most entries in use is the greatest of them. */
RP_TEST(mshr, streams_and_intervals_sum_up)
{
	struct rp_rng rng = { rp_test_seed("mshr parts") };
	struct rp_batch *b = rp_batch_new(5000, RP_COL_STREAM | RP_COL_TIME, NULL);
	static const char *const specs[] = { "lru,sets=4,ways=4,mshr=8,merge=2,latency=40",
		"fifo,sets=4,ways=4,mshr=unlimited,latency=20,clock=time" };
	for (size_t i = 0; i < 5000; i++)
		rp_batch_put(
		    b, &(struct rp_access){ .addr = 64 * rp_rng_below(&rng, i < 2000 ? 8 : 40),
			   .size = 1,
			   .time = 3 * i,
			   .stream = (uint32_t)rp_rng_below(&rng, 3) });
	for (size_t k = 0; k < 2; k++) {
		struct rp_cache_spec s;
		struct rp_err err = { 0 };
		struct rp_counters whole, part, sum = { 0 }, plain = replay_one(specs[k], b, NULL);
		cr_assert(rp_cache_spec_parse(specs[k], 64, 1, &s, NULL));
		struct rp_replay *r = rp_replay_new(
		    &s, 1, &(struct rp_replay_opts){ .by_stream = true, .interval = 700 }, NULL);
		cr_assert(rp_replay_run(r, b, &err) && rp_replay_end(r, &err), "%s", err.text);
		rp_replay_counters(r, 0, &whole);
		expect_same(&whole, &plain, "with parts");
		uint64_t least = UINT64_MAX;
		for (size_t i = 0; i < rp_replay_intervals(r); i++) {
			rp_replay_interval(r, 0, i, &part);
			rp_counters_add(&sum, &part);
			least = part.mshr_occupancy_max < least ? part.mshr_occupancy_max : least;
		}
		expect_same(&sum, &whole, "intervals");
		cr_assert_lt(least, whole.mshr_occupancy_max); /* each has one of its own */
		sum = (struct rp_counters){ 0 };
		for (size_t i = 0; i < rp_replay_streams(r); i++) {
			rp_replay_stream_counters(r, 0, i, &part);
			rp_counters_add(&sum, &part);
		}
		expect_same(&sum, &whole, "streams");
		rp_replay_free(r);
		rp_cache_spec_free(&s);
	}
	rp_batch_free(b);
}
