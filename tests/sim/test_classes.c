/* test_classes.c - tests sim/classes.c: every lookup's class against lists that are searched end to end. */
#include "tests/sim/replay_check.h"

#include "base/rng.h"
#include "sim/classes.h"
#include "sim/module.h"

enum { LOOKUPS_MOST = 60000 };

/* The obvious model: lines in order of use, the last used first, and every line that was ever touched. */
struct slow {
	uint64_t *line, *seen;
	size_t n, cap, seens;
	bool no_write;
};

static bool
listed(const uint64_t *list, size_t n, uint64_t line, size_t *at)
{
	for (*at = 0; *at < n; (*at)++)
		if (list[*at] == line)
			return true;
	return false;
}

static void
slow_move(struct slow *s, size_t at, uint64_t line)
{
	memmove(s->line + 1, s->line, at * sizeof *s->line);
	s->line[0] = line;
}

static void
slow_drop(struct slow *s, uint64_t first, uint64_t last)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->line[i] < first || s->line[i] > last)
			s->line[kept++] = s->line[i];
	s->n = kept;
}

/* The class of a lookup that missed, or did not, in the cache. */
static uint8_t
slow_class(struct slow *s, uint64_t line, bool store, bool missed)
{
	size_t at;
	bool fresh = !listed(s->seen, s->seens, line, &at),
	     twin = !listed(s->line, s->n, line, &at);
	if (fresh)
		s->seen[s->seens++] = line;
	if (!twin) {
		slow_move(s, at, line);
	} else if (!(s->no_write && store)) {
		s->n += s->n < s->cap;
		slow_move(s, s->n - 1, line);
	}
	uint8_t full = twin ? RP_TWIN_MISSED : 0;
	if (!missed)
		return full | (twin ? RP_ANTICONFLICT : 0);
	return full | (fresh ? RP_COLD : twin ? RP_CAPACITY : RP_CONFLICT);
}

static struct slow
slow_new(const struct rp_cache_spec *s)
{
	size_t cap = (size_t)s->sets * s->ways;
	return (struct slow){ .line = calloc(cap, sizeof(uint64_t)),
		.seen = calloc(LOOKUPS_MOST, sizeof(uint64_t)),
		.cap = cap,
		.no_write = s->allocate == RP_ALLOCATE_NO_WRITE };
}

/* Replays the batch and compares the class of each lookup with the model's; counts[k] of class bit k. */
static void
expect_classes(const char *text, const struct rp_batch *b, enum rp_level level, uint64_t counts[5])
{
	static struct rp_result r;
	struct rp_cache_spec spec;
	char full[256];
	snprintf(full, sizeof full, "%s,classify=yes", text);
	cr_assert(rp_cache_spec_parse(full, 64, 1, &spec, NULL), "%s", full);
	unsigned bits = (unsigned)__builtin_ctz(spec.line);
	struct rp_module *m =
	    rp_module_new(&spec, &(struct rp_module_opts){ .level = level }, NULL);
	struct rp_expand *e = rp_expand_new(bits, false, false, level, NULL);
	struct slow s = slow_new(&spec);
	memset(counts, 0, 5 * sizeof *counts);
	for (size_t row = 0; row < b->n;) {
		if (b->kind[row] >= RP_MARKS) {
			uint64_t n, last = b->addr[row] + b->size[row] - 1;
			cr_assert(rp_module_mark(m, b, row, &n, NULL));
			if (b->kind[row] == RP_INVALIDATE)
				slow_drop(&s, b->addr[row] >> bits, last >> bits);
			row++;
			continue;
		}
		const struct rp_lookups *in = rp_expand_next(e, b, &row, UINT64_MAX);
		cr_assert(rp_module_run(m, in, &r, NULL, NULL));
		for (size_t i = 0; i < in->n; i++) {
			uint8_t want =
			    slow_class(&s, in->line[i], in->store[i], r.outcome[i] & RP_MISSED);
			cr_assert_eq(r.class[i], want,
			    "%s: lookup before row %zu: class %d, not %d", text, row, r.class[i],
			    want);
			for (unsigned k = 0; k < 5; k++)
				counts[k] += r.class[i] >> k & 1;
		}
	}
	rp_expand_free(e);
	rp_module_free(m);
	rp_cache_spec_free(&spec);
	free(s.line);
	free(s.seen);
}

static void
expect_text(const char *spec, const char *trace, uint64_t cold, uint64_t capacity,
    uint64_t conflict, uint64_t anticonflict)
{
	struct rp_batch *b = rp_batch_new(RP_BATCH, 0, NULL);
	uint64_t n[5];
	put_text(b, trace);
	expect_classes(spec, b, RP_LEVEL_BEST, n);
	cr_assert_eq(n[0], cold, "cold %d", (int)n[0]);
	cr_assert_eq(n[1], capacity, "capacity %d", (int)n[1]);
	cr_assert_eq(n[2], conflict, "conflict %d", (int)n[2]);
	cr_assert_eq(n[3], anticonflict, "anticonflict %d", (int)n[3]);
	rp_batch_free(b);
}

/* Two sets of one way; lines 0, 2 and 4 share set 0, line 1 has set 1; the twin holds any two lines.
 *   0 cold {0}; 2 cold {2 0}; 0 replaced by 2, but the twin has it: conflict {0 2}; 2 conflict {2 0}; 1 cold {1 2};
 *   0 replaced by 2, and by 1 in the twin: capacity {0 1}; 2 capacity {2 0};
 *   1 is alone in its set, a hit, and the twin replaced it: anticonflict {1 2}. */
RP_TEST(classes, of_a_trace_worked_out_by_hand)
{
	expect_text("lru,sets=2,ways=1", "R0 R80 R0 R80 R40 R0 R80 R40", 3, 2, 2, 1);
}

/* One set of two ways. A is dropped from the cache and from the twin, so it misses in both, and it was touched before. A
 * write that brings nothing in touches its line too: the read that follows is capacity, as both caches miss. */
RP_TEST(classes, of_lines_that_were_dropped_or_not_brought_in)
{
	expect_text("lru,size=128", "R0 D0 R0 R0", 1, 1, 0, 0);
	expect_text("lru,size=128,allocate=no-write", "W0 R0 R0", 1, 1, 0, 0);
}

/* Three lines around two ways of one set: fifo replaces A at C though it was just used, and the twin, lru, replaces B.
 * A cold {A}, B cold {B A}, A hit {A B}, C cold (fifo drops A, the twin B) {C A}, A conflict (fifo drops B) {A C}, B capacity
 * (fifo drops C, the twin C) {B A}; A hit in both. */
RP_TEST(classes, of_another_policy_in_one_set)
{
	expect_text("fifo,size=128", "R0 R40 R0 R80 R0 R40 R0", 3, 1, 1, 0);
}

static struct rp_batch *
random_rows(struct rp_rng *rng, size_t n, uint64_t lines, bool marks)
{
	struct rp_batch *b = rp_batch_new(n, 0, NULL);
	while (b->n < n) {
		uint64_t r = rp_rng_next(rng), hot = r >> 8 & 1;
		struct rp_access a = { .kind = (uint8_t)(r % RP_KINDS) };
		a.addr = 64 * rp_rng_below(rng, hot ? lines / 8 + 1 : lines) + (r >> 16 & 63);
		a.size = (uint32_t)(1 + (r >> 24 & 31) + (r >> 32 & 31 ? 0 : 500));
		if (marks && !(r >> 40 & 63))
			a.kind = r >> 48 & 1 ? RP_INVALIDATE : RP_COPY_BACK;
		rp_batch_put(b, &a);
	}
	return b;
}

/* Every policy that the module alone can run, direct mapped to full, on traces with accesses that cross lines, with marks, at every level of the loops. */
RP_TEST(classes, are_those_of_the_model_on_random_traces)
{
	static const char *const shapes[] = { "sets=64,ways=1", "sets=13,ways=3", "sets=8,ways=8",
		"sets=2,ways=32", "size=4032", "size=20224", "sets=16,ways=4,allocate=no-write",
		"size=6400,allocate=no-write,write=through" };
	struct rp_rng rng = { rp_test_seed("classes") };
	for (size_t p = 0; rp_policies[p]; p++)
		for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
			if (rp_policies[p]->unbounded || rp_policies[p]->future)
				continue;
			struct rp_batch *b = random_rows(
			    &rng, 2000 * rp_test_scale(), 40 + rp_rng_below(&rng, 500), k % 2);
			char text[128];
			uint64_t n[5];
			snprintf(text, sizeof text, "%s,%s", rp_policies[p]->name, shapes[k]);
			for (enum rp_level level = 0; level < RP_LEVELS; level++)
				if (rp_level_runs(level))
					expect_classes(text, b, level, n);
			rp_batch_free(b);
		}
}

/* A fully associative LRU cache is its own twin. */
RP_TEST(classes, of_a_full_lru_cache_know_no_conflict)
{
	struct rp_rng rng = { rp_test_seed("its own twin") };
	static const char *const specs[] = { "lru,size=1024", "lru,size=12800",
		"lru,size=12800,allocate=no-write" };
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
		struct rp_batch *b = random_rows(&rng, 6000, 300, true);
		uint64_t n[5];
		expect_classes(specs[i], b, RP_LEVEL_BEST, n);
		cr_assert_gt(n[1], 0);
		cr_assert_eq(n[2], 0);
		cr_assert_eq(n[3], 0);
		rp_batch_free(b);
	}
}

/* Of an access of several lines, with --crossing once: cold before capacity before conflict, and a miss wins over a hit. */
RP_TEST(classes, of_several_lookups_as_one)
{
	cr_assert_eq(rp_class_of_several(RP_MISSED, RP_COLD | RP_CONFLICT | RP_TWIN_MISSED),
	    RP_COLD | RP_TWIN_MISSED);
	cr_assert_eq(rp_class_of_several(RP_MISSED, RP_CONFLICT | RP_ANTICONFLICT | RP_TWIN_MISSED),
	    RP_CAPACITY | RP_TWIN_MISSED);
	cr_assert_eq(rp_class_of_several(RP_MISSED | RP_EVICTED, RP_CONFLICT), RP_CONFLICT);
	cr_assert_eq(rp_class_of_several(0, RP_ANTICONFLICT | RP_TWIN_MISSED),
	    RP_ANTICONFLICT | RP_TWIN_MISSED);
	cr_assert_eq(rp_class_of_several(0, 0), 0);
}

/* What the counters should be, row by row: the cache's own outcome of each line, the model's class of it. Streams are 0 to
 * 2; interval k of the rows after the warm-up is at [k]. */
enum { STREAMS = 3, PARTS_MOST = 64 };
struct expected {
	struct rp_counters total, stream[STREAMS], interval[PARTS_MOST];
};

static void
count_class(struct rp_counters *c, bool missed, uint8_t class)
{
	c->misses += missed;
	c->cold += !!(class & RP_COLD);
	c->capacity += !!(class & RP_CAPACITY);
	c->conflict += !!(class & RP_CONFLICT);
	c->anticonflict += !!(class & RP_ANTICONFLICT);
	c->full_misses += !!(class & RP_TWIN_MISSED);
}

static void
slow_replay(const struct rp_cache_spec *spec, const struct rp_batch *b,
    const struct rp_replay_opts *o, struct expected *to)
{
	static struct rp_result r;
	struct rp_cache_spec plain = *spec;
	struct slow s = slow_new(spec);
	plain.classify = false;
	struct rp_module *m = rp_module_new(&plain, &(struct rp_module_opts){ 0 }, NULL);
	struct rp_expand *e =
	    rp_expand_new((unsigned)__builtin_ctz(spec->line), false, false, RP_LEVEL_BEST, NULL);
	memset(to, 0, sizeof *to);
	uint64_t begun = 0;
	for (size_t row = 0; row < b->n; begun++) {
		uint8_t missed = 0, twin = 0, cold = 0, class;
		struct rp_counters sum = { 0 };
		size_t at = row;
		do {
			const struct rp_lookups *in =
			    rp_expand_next(e, b, &row, !rp_expand_open(e));
			cr_assert(rp_module_run(m, in, &r, NULL, NULL));
			for (size_t i = 0; i < in->n; i++) {
				bool miss = r.outcome[i] & RP_MISSED;
				class = slow_class(&s, in->line[i], in->store[i], miss);
				missed |= miss;
				twin |= class & RP_TWIN_MISSED;
				cold |= class & RP_COLD;
				count_class(&sum, miss, class);
			}
		} while (rp_expand_open(e));
		if (o->once) {
			class = missed ? (cold      ? RP_COLD
					     : twin ? RP_CAPACITY
						    : RP_CONFLICT)
			        : twin ? RP_ANTICONFLICT
			               : 0;
			sum = (struct rp_counters){ 0 };
			count_class(&sum, missed, class | twin);
		}
		if (begun < o->warmup)
			continue;
		rp_counters_add(&to->total, &sum);
		rp_counters_add(&to->stream[b->stream[at]], &sum);
		rp_counters_add(&to->interval[(begun - o->warmup) / o->interval], &sum);
	}
	rp_expand_free(e);
	rp_module_free(m);
	free(s.line);
	free(s.seen);
}

#define SAME(field)                                                                                \
	cr_assert_eq(a->field, b->field, "%s, %s: " #field " %d, not %d", spec, place,             \
	    (int)a->field, (int)b->field)
static void
expect_same_classes(
    const struct rp_counters *a, const struct rp_counters *b, const char *spec, const char *place)
{
	SAME(misses);
	SAME(cold);
	SAME(capacity);
	SAME(conflict);
	SAME(anticonflict);
	SAME(full_misses);
}

/* Several classified caches in one pass, in batches of `piece` rows. */
static void
expect_replay(const char *const *texts, size_t n, const struct rp_batch *b,
    const struct rp_replay_opts *o, size_t piece)
{
	struct rp_cache_spec spec[8];
	static struct expected want;
	struct rp_counters c;
	for (size_t i = 0; i < n; i++)
		cr_assert(rp_cache_spec_parse(texts[i], 64, 1, &spec[i], NULL), "%s", texts[i]);
	struct rp_replay *r = rp_replay_new(spec, n, o, NULL);
	struct rp_batch *part = rp_batch_new(piece, RP_COL_STREAM, NULL);
	struct rp_err err = { 0 };
	for (size_t at = 0; at < b->n; at += piece) {
		rp_batch_clear(part);
		rp_batch_append(part, b, at, b->n - at < piece ? b->n - at : piece);
		cr_assert(rp_replay_run(r, part, &err), "%s", err.text);
	}
	cr_assert(rp_replay_end(r, &err), "%s", err.text);
	for (size_t i = 0; i < n; i++) {
		slow_replay(&spec[i], b, o, &want);
		rp_replay_counters(r, i, &c);
		expect_same_classes(&c, &want.total, texts[i], "total");
		cr_assert_eq(rp_replay_streams(r), STREAMS);
		for (size_t k = 0; k < STREAMS; k++) {
			rp_replay_stream_counters(r, i, k, &c);
			expect_same_classes(&c, &want.stream[k], texts[i], "stream");
		}
		cr_assert_geq(rp_replay_intervals(r), 3);
		for (size_t k = 0; k < rp_replay_intervals(r); k++) {
			rp_replay_interval(r, i, k, &c);
			expect_same_classes(&c, &want.interval[k], texts[i], "interval");
		}
		rp_cache_spec_free(&spec[i]);
	}
	rp_batch_free(part);
	rp_replay_free(r);
}

/* Alone and in a group, where caches of one size may share what they are compared with; split and once; one row at a time
 * and all at once; after a warm-up, by stream and by interval. One access has more lines than a chunk. */
RP_TEST(classes, are_counted_as_the_model_counts_them)
{
	static const char *const specs[] = { "lru,sets=16,ways=4,classify=yes",
		"fifo,sets=32,ways=2,classify=yes",
		"random,sets=8,ways=8,allocate=no-write,classify=yes", "lru,size=4096,classify=yes",
		"lru,sets=16,ways=8,line=32,classify=yes" };
	enum { N = sizeof specs / sizeof *specs };
	struct rp_rng rng = { rp_test_seed("counted classes") };
	for (unsigned round = 0; round < 4 * rp_test_scale(); round++) {
		struct rp_batch *b = rp_batch_new(3000, RP_COL_STREAM, NULL);
		while (b->n < 2500) {
			uint64_t x = rp_rng_next(&rng);
			rp_batch_put(b, &(struct rp_access){ .kind = (uint8_t)(x % RP_KINDS),
					    .addr = 64 * rp_rng_below(&rng, x >> 8 & 1 ? 40 : 300) +
			                            (x >> 16 & 63),
					    .size = (uint32_t)(1 + (x >> 24 & 63)),
					    .stream = (uint32_t)((x >> 32) % STREAMS) });
			if (b->n == 1500)
				rp_batch_put(b, &(struct rp_access){
						    .addr = 640, .size = 64 * 3000, .stream = 1 });
		}
		struct rp_replay_opts o = {
			.by_stream = true, .once = round % 2, .warmup = round * 100, .interval = 700
		};
		expect_replay(specs, N, b, &o, 4096);
		for (size_t i = 0; i < N; i++)
			expect_replay(&specs[i], 1, b, &o, round & 2 ? 1 : 17);
		rp_batch_free(b);
	}
}

/* A twin as one would write it by hand, for caches with more to them: the classes follow from its outcomes, the cache's own
 * without classify=yes, and whether the line was there before. */
static const struct by_hand {
	const char *cache, *twin;
	unsigned sectors; /* log2 of those of a line */
} by_hand[] = {
	{ "fifo,sets=8,ways=4,mshr=4,merge=2,latency=20", "lru,size=2048,mshr=4,merge=2,latency=20",
	    0 },
	{ "lru,sets=16,ways=2,mshr=2,latency=9", "lru,size=2048,mshr=2,latency=9", 0 },
	{ "srrip,sets=5,ways=6,write=through", "lru,size=1920,write=through", 0 },
	{ "gpgpusim=S:8:128:2,L:B:m:L:X,A:16:4,latency=20",
	    "gpgpusim=S:1:128:16,L:B:m:L:L,A:16:4,latency=20", 2 },
	{ "gpgpusim=N:16:64:2,F:L:f:W:L,A:8:8,latency=30,stall=drop",
	    "gpgpusim=N:1:64:32,L:L:f:W:L,A:8:8,latency=30,stall=drop", 0 },
	{ "gpgpusim=S:4:128:4,L:T:s:N:L,A:8:8,slices=2,slicing=mod,level=l2,dirty=20",
	    "gpgpusim=S:1:128:16,L:T:s:N:L,A:8:8,slices=2,slicing=mod,level=l2,dirty=20", 2 },
};

static struct rp_module *
open_module(const char *text, const char *more, struct rp_cache_spec *spec)
{
	char full[256];
	struct rp_err err = { 0 };
	snprintf(full, sizeof full, "%s%s", text, more);
	cr_assert(rp_cache_spec_parse(full, 64, 1, spec, &err), "%s: %s", full, err.text);
	struct rp_module *m = rp_module_new(spec, &(struct rp_module_opts){ 0 }, &err);
	cr_assert(m, "%s: %s", full, err.text);
	return m;
}

static void
expect_twin(const struct by_hand *h, const struct rp_batch *b)
{
	static struct rp_result r[3]; /* classified, without, twin */
	struct rp_cache_spec spec[3];
	struct rp_module *m[3] = { open_module(h->cache, ",classify=yes", &spec[0]),
		open_module(h->cache, "", &spec[1]), open_module(h->twin, "", &spec[2]) };
	struct slow s = slow_new(&spec[0]); /* only for what was seen */
	struct rp_expand *e =
	    rp_expand_new((unsigned)__builtin_ctz(spec[0].line), true, false, RP_LEVEL_BEST, NULL);
	uint64_t n[9] = { 0 };
	for (size_t row = 0; row < b->n;) {
		if (b->kind[row] >= RP_MARKS) {
			uint64_t back;
			for (size_t k = 0; k < 3; k++)
				cr_assert(rp_module_mark(m[k], b, row, &back, NULL));
			row++;
			continue;
		}
		const struct rp_lookups *in = rp_expand_next(e, b, &row, UINT64_MAX);
		for (size_t k = 0; k < 3; k++)
			cr_assert(rp_module_run(m[k], in, &r[k], NULL, NULL));
		for (size_t i = 0; i < in->n; i++) {
			bool miss = r[1].outcome[i] & RP_MISSED, twin = r[2].outcome[i] & RP_MISSED;
			bool fresh =
			    slow_class(&s, in->line[i] >> h->sectors, false, true) & RP_COLD;
			uint8_t want = miss   ? (fresh     ? RP_COLD
						    : twin ? RP_CAPACITY
							   : RP_CONFLICT)
			               : twin ? RP_ANTICONFLICT
			                      : 0;
			cr_assert_eq(r[0].outcome[i], r[1].outcome[i]);
			cr_assert_eq(r[0].class[i], want | (twin ? RP_TWIN_MISSED : 0), "%s: %d",
			    h->cache, r[0].class[i]);
			n[want]++;
		}
	}
	cr_assert(
	    n[RP_COLD] && n[RP_CAPACITY] && n[RP_CONFLICT] && n[RP_ANTICONFLICT], "%s", h->cache);
	rp_expand_free(e);
	for (size_t k = 0; k < 3; k++) {
		rp_module_free(m[k]);
		rp_cache_spec_free(&spec[k]);
	}
	free(s.line);
	free(s.seen);
}

RP_TEST(classes, follow_from_a_twin_written_by_hand)
{
	struct rp_rng rng = { rp_test_seed("by hand") };
	for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++) {
		struct rp_batch *b = random_rows(&rng, 4000 * rp_test_scale(), 80, i % 2);
		expect_twin(&by_hand[i], b);
		rp_batch_free(b);
	}
}

/* A copy from the host brings lines 0 to 3 of 128 bytes into an L2 of GPGPU-Sim. It has two sets of one way and is left with
 * 2 and 3; the twin has two ways, takes the highest free one first and, of lines as old, replaces the one in the lowest: 0
 * stays, 1 and 2 go. No lookup touched 1 before, but the copy did, and it misses in both: capacity. 4 is cold. */
RP_TEST(classes, of_lines_that_a_copy_brought_in)
{
	static const char spec[] = "gpgpusim=S:2:128:1,L:B:m:L:L,A:8:8,level=l2,classify=yes";
	struct rp_batch *b = rp_batch_new(8, 0, NULL);
	rp_batch_put(b, &(struct rp_access){ .addr = 0, .size = 512, .kind = RP_HOST_COPY });
	rp_batch_put(b, &(struct rp_access){ .addr = 128, .size = 4 });
	rp_batch_put(b, &(struct rp_access){ .addr = 512, .size = 4 });
	struct rp_counters c = replay_one(spec, b, NULL);
	cr_assert_eq(c.misses, 2);
	cr_assert_eq(c.capacity, 1, "cold %d, capacity %d, conflict %d", (int)c.cold,
	    (int)c.capacity, (int)c.conflict);
	cr_assert_eq(c.cold, 1);
	rp_batch_free(b);
}
