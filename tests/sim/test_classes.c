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

/* Every policy, direct mapped to full, on traces with accesses that cross lines, with marks, at every level of the loops. */
RP_TEST(classes, are_those_of_the_model_on_random_traces)
{
	static const char *const shapes[] = { "sets=64,ways=1", "sets=13,ways=3", "sets=8,ways=8",
		"sets=2,ways=32", "size=4032", "size=20224", "sets=16,ways=4,allocate=no-write",
		"size=6400,allocate=no-write,write=through" };
	struct rp_rng rng = { rp_test_seed("classes") };
	for (size_t p = 0; rp_policies[p]; p++)
		for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
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
