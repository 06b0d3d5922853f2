/* test_replay.c - tests sim/replay.c and every loop below it: counters of a slow, obvious cache against all levels. */
#include "tests/sim/replay_check.h"

#include "base/rng.h"

static const enum rp_level levels[] = { RP_LEVEL_BEST, RP_LEVEL_MODEL, RP_LEVEL_C, RP_LEVEL_V3,
	RP_LEVEL_V4 };

enum { LEVELS = sizeof levels / sizeof *levels };

/* The obvious cache: each set a list of ways, searched end to end. For lru the list is in order of use, for fifo of filling,
 * for random by way. */
struct entry {
	uint64_t line;
	bool valid, dirty;
};

struct obvious {
	const struct rp_cache_spec *spec;
	struct entry *way;
	struct rp_rng rng;
	bool once;
	struct rp_counters c;
};

static struct obvious
obvious_new(const struct rp_cache_spec *s, bool once)
{
	return (struct obvious){ .spec = s,
		.way = calloc((size_t)s->sets * s->ways, sizeof(struct entry)),
		.rng = rp_rng_for(s->seed, "sim/policy", 0),
		.once = once };
}

static void
move_front(struct entry *set, uint32_t w)
{
	struct entry e = set[w];
	memmove(set + 1, set, w * sizeof *set);
	set[0] = e;
}

/* One line of an access: whether it missed. */
static bool
obvious_line(struct obvious *o, uint64_t line, uint8_t kind, uint64_t bytes)
{
	const struct rp_cache_spec *s = o->spec;
	struct entry *set = o->way + line % s->sets * s->ways;
	bool store = kind == RP_WRITE, dirties = store || kind == RP_ATOMIC,
	     back = s->write == RP_WRITE_BACK;
	bool lru = !strcmp(s->policy->name, "lru"), random = !strcmp(s->policy->name, "random");
	uint32_t w = 0;
	if (!back && dirties)
		o->c.bytes_written += bytes;
	while (w < s->ways && !(set[w].valid && set[w].line == line))
		w++;
	if (w < s->ways) {
		set[w].dirty |= dirties && back;
		if (lru)
			move_front(set, w);
		return false;
	}
	if (store && s->allocate == RP_ALLOCATE_NO_WRITE) {
		o->c.bytes_written += back ? bytes : 0;
		return true;
	}
	for (w = 0; w < s->ways && set[w].valid;)
		w++;
	if (w == s->ways) {
		w = random ? (uint32_t)rp_rng_below(&o->rng, s->ways) : s->ways - 1;
		o->c.evictions++;
		o->c.writebacks += set[w].dirty;
		o->c.bytes_written += set[w].dirty ? s->line : 0;
	}
	o->c.fills++;
	o->c.bytes_filled += s->line;
	set[w] = (struct entry){ line, true, dirties && back };
	if (!random)
		move_front(set, w);
	return true;
}

/* Bytes from low to high that row i touches. */
static uint64_t
touched(const struct rp_access *a, uint64_t low, uint64_t high)
{
	uint64_t n = 0, g = a->size > 32 ? a->size / 32 : 1, last = a->addr + a->size - 1;
	for (uint64_t at = a->addr; a->mask && at - a->addr < a->size; at++)
		n += at >= low && at <= high && (a->mask >> (at % (32 * g) / g) & 1);
	return a->mask ? n : (last < high ? last : high) - (a->addr > low ? a->addr : low) + 1;
}

static void
obvious_mark(struct obvious *o, const struct rp_access *a)
{
	const struct rp_cache_spec *s = o->spec;
	uint64_t first = a->addr / s->line, last = (a->addr + a->size - 1) / s->line;
	for (uint64_t i = 0; i < (uint64_t)s->sets * s->ways; i++) {
		struct entry *e = &o->way[i];
		if (!e->valid || e->line < first || e->line > last)
			continue;
		if (a->kind == RP_COPY_BACK && e->dirty) {
			o->c.writebacks++;
			o->c.bytes_written += s->line;
			e->dirty = false;
		}
		if (a->kind == RP_INVALIDATE)
			e->valid = e->dirty = false;
	}
	if (!strcmp(s->policy->name, "random"))
		return;
	for (uint32_t set = 0; set < s->sets; set++) /* what is left closes up, in order */
		for (uint32_t w = 0, to = 0; w < s->ways; w++) {
			struct entry *all = o->way + (size_t)set * s->ways, e = all[w];
			all[w].valid = false;
			if (e.valid)
				all[to++] = e;
		}
}

static void
obvious_access(struct obvious *o, const struct rp_access *a)
{
	uint64_t line = o->spec->line, first = a->addr / line,
		 last = (a->addr + a->size - 1) / line, n = 0, missed = 0;
	for (uint64_t k = 0; k <= last - first; k++) {
		uint64_t i = first + k, bytes = touched(a, i * line, i * line + (line - 1));
		if (!bytes)
			continue; /* the mask of a transaction leaves this line out */
		missed += obvious_line(o, i, a->kind, bytes);
		n++;
	}
	o->c.accesses++;
	o->c.missed_accesses += missed > 0;
	if (o->once) {
		n = 1;
		missed = missed > 0;
	}
	o->c.lookups += n;
	o->c.misses += missed;
	o->c.hits += n - missed;
	*(a->kind == RP_WRITE ? &o->c.writes : &o->c.reads) += n;
	*(a->kind == RP_WRITE ? &o->c.write_misses : &o->c.read_misses) += missed;
	o->c.ifetches += a->kind == RP_FETCH ? n : 0;
	o->c.ifetch_misses += a->kind == RP_FETCH ? missed : 0;
	o->c.atomics += a->kind == RP_ATOMIC ? n : 0;
	o->c.prefetches += a->kind == RP_PREFETCH ? n : 0;
}

/* Counters of rows [from, ...) of the batch; those before only warm it up. */
static struct rp_counters
obvious_replay(const struct rp_cache_spec *s, const struct rp_batch *b,
    const struct rp_replay_opts *opts, uint64_t limit)
{
	struct obvious o = obvious_new(s, opts->once);
	uint64_t seen = 0;
	for (size_t i = 0; i < b->n; i++) {
		struct rp_access a = rp_batch_get(b, i);
		if (a.kind >= RP_MARKS) {
			obvious_mark(&o, &a);
			continue;
		}
		if ((a.flags & RP_BYPASS_L1) && !opts->keep_bypassed)
			continue;
		if (seen == limit)
			break;
		obvious_access(&o, &a);
		seen++;
	}
	for (uint64_t i = 0; opts->flush && i < (uint64_t)s->sets * s->ways; i++)
		if (o.way[i].valid && o.way[i].dirty) {
			o.c.writebacks++;
			o.c.bytes_written += s->line;
		}
	free(o.way);
	return o.c;
}

/* A trace with some locality over `lines` lines from `base` on; `odd`: marks, bypassing, masks, sizes up to `most`. */
static struct rp_batch *
random_trace(struct rp_rng *rng, size_t n, uint64_t base, uint64_t lines, uint32_t most, bool odd)
{
	struct rp_batch *b = rp_batch_new(n, RP_COL_STREAM | RP_COL_FLAGS | RP_COL_MASK, NULL);
	static const uint8_t marks[] = { RP_KERNEL_END, RP_HOST_COPY, RP_COPY_BACK, RP_INVALIDATE };
	uint64_t last = 0;
	while (b->n < n) {
		uint64_t r = rp_rng_next(rng),
			 at = r % 4 == 0 ? last
		                         : rp_rng_below(rng, r % 8 < 5 ? lines / 4 + 1 : lines);
		struct rp_access a = { .size = 1 + (uint32_t)rp_rng_below(rng, most),
			.stream = (uint32_t)(r >> 8 & 3) * 7777777 };
		last = at;
		a.addr = base + at * 64 + (r >> 16 & 63);
		if (a.addr + a.size - 1 < a.addr)
			continue;
		a.kind = r >> 24 & 1 ? RP_WRITE : RP_READ;
		if (odd && (r >> 32 & 7) == 0)
			a.kind = (uint8_t)(r >> 40 & 1   ? RP_ATOMIC
					   : r >> 41 & 1 ? RP_FETCH
							 : RP_PREFETCH);
		if (odd && (r >> 48 & 127) == 0)
			a.kind = marks[r >> 56 & 3];
		if (odd && (r >> 48 & 127) == 1)
			a.flags = RP_BYPASS_L1;
		if (odd && (r >> 48 & 15) == 2 && a.kind < RP_MARKS) {
			a.size = 32u << (r >> 60) % 3;
			a.addr &= ~(uint64_t)(a.size - 1);
			a.mask = (uint32_t)rp_rng_next(rng);
		}
		rp_batch_put(b, &a);
	}
	return b;
}

static void
slice(struct rp_batch *to, const struct rp_batch *b, size_t from, size_t n)
{
	rp_batch_clear(to);
	rp_batch_append(to, b, from, n);
}

/* Replays in pieces of `piece` rows. */
static struct rp_replay *
replay_pieces(const struct rp_cache_spec *s, size_t n, const struct rp_batch *b,
    const struct rp_replay_opts *o, size_t piece)
{
	struct rp_err err = { 0 };
	struct rp_replay *r = rp_replay_new(s, n, o, &err);
	struct rp_batch *part = rp_batch_new(piece, rp_batch_columns(b), &err);
	cr_assert(r && part, "%s", err.text);
	for (size_t at = 0; at < b->n; at += piece) {
		slice(part, b, at, b->n - at < piece ? b->n - at : piece);
		cr_assert(rp_replay_run(r, part, &err), "%s", err.text);
	}
	cr_assert(rp_replay_end(r, &err), "%s", err.text);
	rp_batch_free(part);
	return r;
}

static void
compare(const char *text, const struct rp_batch *b, const struct rp_replay_opts *opts)
{
	struct rp_cache_spec s;
	struct rp_err err = { 0 };
	cr_assert(rp_cache_spec_parse(text, 64, 3, &s, &err), "%s", err.text);
	struct rp_counters want = obvious_replay(&s, b, opts, UINT64_MAX), found;
	for (size_t i = 0; i < LEVELS; i++) {
		char place[256];
		struct rp_replay_opts o = *opts;
		o.level = levels[i];
		if (!rp_level_runs(o.level))
			continue;
		struct rp_replay *r = replay_pieces(&s, 1, b, &o, 4096);
		rp_replay_counters(r, 0, &found);
		snprintf(place, sizeof place, "%s at level %d", text, (int)o.level);
		expect_same(&found, &want, place);
		cr_assert_eq(rp_replay_never_replaced(r, 0), want.evictions == 0);
		rp_replay_free(r);
	}
	rp_cache_spec_free(&s);
}

static const char *const policies[] = { "lru", "fifo", "random" };
static const uint64_t bases[] = { 0, UINT64_C(0x7f1234567000), UINT64_MAX - 65535 };

static void
compare_random(struct rp_rng *rng, uint32_t sets, uint32_t ways, uint32_t line)
{
	char text[128];
	uint64_t r = rp_rng_next(rng), lines = (uint64_t)sets * ways;
	snprintf(text, sizeof text, "%s,sets=%u,ways=%u,line=%u,write=%s,allocate=%s,seed=%u",
	    policies[r % 3], sets, ways, line, r >> 8 & 3 ? "back" : "through",
	    r >> 10 & 3 ? "write" : "no-write", (unsigned)(r >> 20 & 255));
	uint64_t footprint = 1 + lines * line / 64 * (1 + (r >> 32 & 3)) / 2;
	uint64_t base = bases[(r >> 36 & 7) % 3];
	if (base == bases[2] && footprint > 1000)
		footprint = 1000;
	struct rp_batch *b =
	    random_trace(rng, 6000, base, footprint, r >> 40 & 1 ? 8 : 200, r >> 41 & 1);
	struct rp_replay_opts o = { .once = (r >> 42 & 3) == 0,
		.flush = r >> 44 & 1,
		.by_stream = r >> 45 & 1,
		.keep_bypassed = r >> 46 & 1 };
	compare(text, b, &o);
	rp_batch_free(b);
}

RP_TEST(replay, every_loop_counts_as_the_obvious_cache)
{
	struct rp_rng rng = { rp_test_seed("replay") };
	for (unsigned i = 0; i < 300 * rp_test_scale(); i++) {
		uint32_t ways = 1 + (uint32_t)rp_rng_below(&rng, i % 3 ? 16 : 70);
		compare_random(&rng, 1 + (uint32_t)rp_rng_below(&rng, i % 2 ? 9 : 65), ways,
		    1u << rp_rng_below(&rng, 8));
	}
}

RP_TEST(replay, fully_associative_ones_count_as_the_obvious_cache)
{
	struct rp_rng rng = { rp_test_seed("full") };
	for (unsigned i = 0; i < 100 * rp_test_scale(); i++)
		compare_random(&rng, 1, 1 + (uint32_t)rp_rng_below(&rng, i % 4 ? 300 : 1500),
		    1u << (4 + rp_rng_below(&rng, 4)));
}

/* Line size 1 and the last byte there is: the line's number has all bits set. */
RP_TEST(replay, takes_the_last_address)
{
	static const char *const specs[] = { "lru,size=4,line=1", "fifo,size=4,line=1",
		"random,size=4,line=1", "lru,sets=2,ways=2,line=1", "lru,sets=3,ways=2,line=1",
		"lru,size=256,line=1", "fifo,size=300,line=2" };
	struct rp_batch *b = rp_batch_new(64, 0, NULL);
	for (int i = 0; i < 60; i++)
		rp_batch_put(b, &(struct rp_access){ .addr = UINT64_MAX - (uint64_t)(i * i % 7),
				    .size = 1,
				    .kind = i & 1 ? RP_WRITE : RP_READ });
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
		compare(specs[i], b, &(struct rp_replay_opts){ .flush = true });
	rp_batch_free(b);
}

/* Low addresses need keys of 32 bits; a high one that comes later widens them with the lines that are there. */
RP_TEST(replay, keys_widen_on_the_way)
{
	struct rp_rng rng = { rp_test_seed("widen") };
	for (int i = 0; i < 40; i++) {
		char text[64];
		struct rp_batch *b =
		    rp_batch_new(20000, RP_COL_STREAM | RP_COL_FLAGS | RP_COL_MASK, NULL);
		struct rp_batch *low = random_trace(&rng, 9000, 0, 2000, 8, false);
		struct rp_batch *high = random_trace(&rng, 9000, UINT64_C(1) << 50, 2000, 8, false);
		rp_batch_append(b, low, 0, 9000);
		for (size_t k = 0; k < 2000; k += 100) {
			rp_batch_append(b, high, k, 100);
			rp_batch_append(b, low, k, 100);
		}
		snprintf(text, sizeof text, "%s,sets=%d,ways=%d", policies[i % 3],
		    i % 4 ? 1 + i % 8 : 1, i % 4 ? 1 + i * 3 % 64 : 100 + i * 20);
		compare(text, b, &(struct rp_replay_opts){ 0 });
		rp_batch_free(low);
		rp_batch_free(high);
		rp_batch_free(b);
	}
}

/* Any division of a trace into batches gives the same, as do several caches in one pass. */
RP_TEST(replay, batches_and_company_change_nothing)
{
	static const char *const texts[] = { "lru,size=4k,ways=4", "fifo,size=6k,ways=3,line=32",
		"random,size=20k", "lru,size=30k,write=through,line=32",
		"lru,size=4k,ways=8,allocate=no-write" };
	enum { N = sizeof texts / sizeof *texts };
	static const size_t pieces[] = { 1, 7, 1023, 4096, 20000 };
	struct rp_cache_spec s[N];
	struct rp_rng rng = { rp_test_seed("batches") };
	struct rp_batch *b = random_trace(&rng, 9001, 1 << 20, 500, 300, true);
	struct rp_replay_opts o = {
		.by_stream = true, .flush = true, .interval = 1000, .warmup = 500
	};
	for (size_t i = 0; i < N; i++)
		cr_assert(rp_cache_spec_parse(texts[i], 64, 3, &s[i], NULL));
	for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
		struct rp_replay *all = replay_pieces(s, N, b, &o, pieces[p]);
		for (size_t i = 0; i < N; i++) {
			struct rp_replay *alone = replay_pieces(&s[i], 1, b, &o, 4096);
			struct rp_counters x, y;
			rp_replay_counters(all, i, &x);
			rp_replay_counters(alone, 0, &y);
			expect_same(&x, &y, texts[i]);
			cr_assert_eq(rp_replay_intervals(all), rp_replay_intervals(alone));
			for (size_t k = 0; k < rp_replay_intervals(all); k++) {
				rp_replay_interval(all, i, k, &x);
				rp_replay_interval(alone, 0, k, &y);
				expect_same(&x, &y, texts[i]);
			}
			rp_replay_free(alone);
		}
		rp_replay_free(all);
	}
	for (size_t i = 0; i < N; i++)
		rp_cache_spec_free(&s[i]);
	rp_batch_free(b);
}

/* Counters after a warm-up of n are those of the whole trace less those of its first n accesses, for any n; and the
 * intervals sum to them, each of exactly so many accesses but the last. */
RP_TEST(replay, warm_up_and_intervals_are_exact)
{
	struct rp_rng rng = { rp_test_seed("warmup") };
	struct rp_batch *b = random_trace(&rng, 5000, 0, 300, 200, true);
	struct rp_cache_spec s;
	cr_assert(rp_cache_spec_parse("lru,size=8k,ways=4", 64, 3, &s, NULL));
	for (unsigned i = 0; i < 40; i++) {
		uint64_t warmup = i < 4 ? i : rp_rng_below(&rng, 5000),
			 interval = 1 + rp_rng_below(&rng, i % 2 ? 20 : 2000);
		struct rp_replay_opts o = {
			.warmup = warmup, .interval = interval, .once = i % 5 == 0
		};
		struct rp_replay *r = replay_pieces(&s, 1, b, &o, 1000);
		struct rp_counters whole = obvious_replay(&s, b, &o, UINT64_MAX),
				   head = obvious_replay(&s, b, &o, warmup);
		struct rp_counters want, found, sum = { 0 }, one;
		rp_counters_sub(&want, &whole, &head);
		rp_replay_counters(r, 0, &found);
		expect_same(&found, &want, "after the warm-up");
		for (size_t k = 0; k < rp_replay_intervals(r); k++) {
			rp_replay_interval(r, 0, k, &one);
			cr_assert(one.accesses == interval ||
				  (k + 1 == rp_replay_intervals(r) && one.accesses < interval));
			rp_counters_add(&sum, &one);
		}
		expect_same(&sum, &want, "sum of the intervals");
		rp_replay_free(r);
	}
	rp_cache_spec_free(&s);
	rp_batch_free(b);
}

/* With no interplay between streams (each has sets of its own) a stream's counters are those of its rows alone. */
RP_TEST(replay, a_stream_counts_its_own_rows)
{
	struct rp_rng rng = { rp_test_seed("streams") };
	struct rp_batch *b = rp_batch_new(8000, RP_COL_STREAM, NULL),
			*one = rp_batch_new(8000, RP_COL_STREAM, NULL);
	static const uint32_t names[] = { 4000000000u, 3, 70000, 0 };
	for (size_t i = 0; i < 8000; i++) {
		uint64_t r = rp_rng_next(&rng), k = r % 4;
		rp_batch_put(b, &(struct rp_access){
				    .addr = (k * 8 + (r >> 8 & 7)) * 64 + (r >> 16 & 15) * 4096,
				    .size = 4,
				    .kind = r >> 24 & 1,
				    .stream = names[k] });
	}
	struct rp_cache_spec s;
	cr_assert(rp_cache_spec_parse("lru,sets=64,ways=4", 64, 3, &s, NULL));
	struct rp_replay_opts o = { .by_stream = true };
	struct rp_replay *r = replay_pieces(&s, 1, b, &o, 1024);
	static const uint32_t sorted[] = { 0, 3, 70000, 4000000000u };
	cr_assert_eq(rp_replay_streams(r), 4);
	for (size_t k = 0; k < 4; k++) {
		struct rp_counters found, want;
		cr_assert_eq(rp_replay_stream(r, k), sorted[k]);
		rp_replay_stream_counters(r, 0, k, &found);
		rp_batch_clear(one);
		for (size_t i = 0; i < b->n; i++)
			if (b->stream[i] == sorted[k])
				rp_batch_append(one, b, i, 1);
		want = obvious_replay(&s, one, &o, UINT64_MAX);
		expect_same(&found, &want, "a stream");
	}
	rp_replay_free(r);
	rp_cache_spec_free(&s);
	rp_batch_free(b);
	rp_batch_free(one);
}

/* Two ways of 64 bytes; W0 dirties A, C writes it back once, the second C finds it clean. D drops B, which is dirty, without
 * writing it back; its next read misses. K and H do nothing. Then Rc0 replaces A, clean: no write-back. */
RP_TEST(replay, marks_copy_back_and_drop)
{
	struct rp_counters c =
	    replay_text("lru,size=128", "W0 C0 C0 W40 D40 K0 R0 R40 R0 R40 Rc0 C0 C40", NULL);
	cr_assert_eq(c.writebacks, 1);
	cr_assert_eq(c.bytes_written, 64);
	cr_assert_eq(c.misses, 4);
	cr_assert_eq(c.evictions, 1);
	cr_assert_eq(c.accesses, 7);
}

/* One set of one way. Back: A is dirty when B comes, B's write is in the cache at the end. Through: 1 byte a write. Without
 * allocation the writes pass by, and B's read brings B in. */
RP_TEST(replay, write_policies_send_down_what_they_should)
{
	static const char trace[] = "W0 W40 R40 W40 W0";
	struct rp_counters back = replay_text("lru,size=64", trace, NULL);
	struct rp_counters flushed =
	    replay_text("lru,size=64", trace, &(struct rp_replay_opts){ .flush = true });
	struct rp_counters through = replay_text("lru,size=64,write=through", trace, NULL);
	struct rp_counters around =
	    replay_text("lru,size=64,write=through,allocate=no-write", trace, NULL);
	struct rp_counters both = replay_text("lru,size=64,allocate=no-write", trace, NULL);
	cr_assert_eq(back.bytes_written, 128);
	cr_assert_eq(back.fills, 3);
	cr_assert_eq(flushed.bytes_written, 192);
	cr_assert_eq(flushed.evictions, 2);
	cr_assert_eq(through.bytes_written, 4);
	cr_assert_eq(through.writebacks, 0);
	cr_assert_eq(through.fills, 3);
	cr_assert_eq(around.bytes_written, 4);
	cr_assert_eq(around.fills, 1);
	cr_assert_eq(around.misses, 4);
	cr_assert_eq(
	    both.bytes_written, 3); /* W0, W40 and the last W0 pass; W40 dirties B, which stays */
	cr_assert_eq(both.writebacks, 0);
}

/* An access of 100 lines, and one of more than a chunk holds, once and split. */
RP_TEST(replay, long_accesses_count_once_or_by_line)
{
	struct rp_batch *b = rp_batch_new(8, 0, NULL);
	rp_batch_put(b, &(struct rp_access){ .addr = 32, .size = 6400, .kind = RP_WRITE });
	rp_batch_put(b, &(struct rp_access){ .addr = 0, .size = 64 * 10000, .kind = RP_READ });
	rp_batch_put(b, &(struct rp_access){ .addr = 64 * 9999, .size = 1, .kind = RP_READ });
	struct rp_counters split = replay_one("lru,size=1M", b, NULL);
	struct rp_counters once =
	    replay_one("lru,size=1M", b, &(struct rp_replay_opts){ .once = true, .interval = 1 });
	cr_assert_eq(split.accesses, 3);
	cr_assert_eq(split.lookups, 10102);
	cr_assert_eq(split.misses, 10000);
	cr_assert_eq(split.missed_accesses, 2);
	cr_assert_eq(once.accesses, 3);
	cr_assert_eq(once.lookups, 3);
	cr_assert_eq(once.misses, 2);
	cr_assert_eq(once.fills, 10000);
	rp_batch_free(b);
}

/* The first access has more lines than a chunk: what follows it is not part of its warm-up or interval. */
RP_TEST(replay, a_long_access_ends_where_it_ends)
{
	struct rp_batch *b = rp_batch_new(8, 0, NULL);
	rp_batch_put(b, &(struct rp_access){ .addr = 0, .size = 64 * 5000, .kind = RP_READ });
	rp_batch_put(b, &(struct rp_access){ .addr = 64 * 6000, .size = 1, .kind = RP_READ });
	rp_batch_put(b, &(struct rp_access){ .addr = 64 * 7000, .size = 1, .kind = RP_READ });
	struct rp_counters warm =
	    replay_one("lru,size=1M", b, &(struct rp_replay_opts){ .warmup = 1 });
	cr_assert_eq(warm.accesses, 2);
	cr_assert_eq(warm.lookups, 2);
	struct rp_cache_spec s;
	struct rp_counters c;
	cr_assert(rp_cache_spec_parse("lru,size=1M", 64, 1, &s, NULL));
	struct rp_replay *r = rp_replay_new(&s, 1, &(struct rp_replay_opts){ .interval = 1 }, NULL);
	cr_assert(rp_replay_run(r, b, NULL) && rp_replay_end(r, NULL));
	cr_assert_eq(rp_replay_intervals(r), 3);
	for (size_t k = 0; k < 3; k++) {
		rp_replay_interval(r, 0, k, &c);
		cr_assert_eq(c.accesses, 1);
		cr_assert_eq(c.lookups, k ? 1 : 5000);
	}
	rp_replay_free(r);
	rp_cache_spec_free(&s);
	rp_batch_free(b);
}

/* At fixed sets more ways never miss more under lru (inclusion: Mattson et al., 1970). */
RP_TEST(replay, more_ways_never_hurt_lru)
{
	struct rp_rng rng = { rp_test_seed("inclusion") };
	struct rp_batch *b = random_trace(&rng, 20000, 0, 900, 64, false);
	for (int sets = 1; sets < 20; sets += 6) {
		uint64_t before = UINT64_MAX;
		for (int ways = 1; ways < 80; ways++) {
			char text[64];
			snprintf(text, sizeof text, "lru,sets=%d,ways=%d", sets, ways);
			uint64_t now = replay_one(text, b, NULL).misses;
			cr_assert_leq(now, before);
			before = now;
		}
	}
	rp_batch_free(b);
}

/* A cache of 10 GiB is memory reserved, not used. */
RP_TEST(replay, a_huge_cache_costs_what_is_used)
{
	static const char *const specs[] = { "lru,size=10GiB", "lru,size=10GiB,ways=16",
		"fifo,size=10GiB", "random,size=10GiB" };
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
		cr_assert_eq(
		    replay_text(specs[i], "R0 W1000000000 R0 R1000000000 R40", NULL).misses, 3);
}

/* What a mark writes back is counted for the stream of the access before it, wherever batches end. */
RP_TEST(replay, a_mark_goes_with_the_access_before_it_wherever_batches_end)
{
	struct rp_cache_spec s;
	cr_assert(rp_cache_spec_parse("lru,sets=4,ways=2", 64, 1, &s, NULL));
	for (size_t first = 1; first <= 3; first++) {
		struct rp_batch *b = rp_batch_new(3, RP_COL_STREAM, NULL);
		struct rp_replay *r =
		    rp_replay_new(&s, 1, &(struct rp_replay_opts){ .by_stream = true }, NULL);
		cr_assert(b && r);
		const struct rp_access row[] = {
			{ .addr = 0, .size = 8, .kind = RP_WRITE, .stream = 3 },
			{ .addr = 64, .size = 8, .kind = RP_WRITE, .stream = 5 },
			{ .addr = 0, .size = 128, .kind = RP_COPY_BACK }
		};
		for (size_t i = 0; i < 3; i++) {
			rp_batch_put(b, &row[i]);
			if (i + 1 != first && i != 2)
				continue;
			cr_assert(rp_replay_run(r, b, NULL));
			rp_batch_clear(b);
		}
		struct rp_counters c;
		cr_assert(rp_replay_end(r, NULL));
		cr_assert_eq(rp_replay_stream(r, 1), 5);
		rp_replay_stream_counters(r, 0, 1, &c);
		cr_assert_eq(c.writebacks, 2, "first batch of %zu", first);
		rp_replay_free(r);
		rp_batch_free(b);
	}
	rp_cache_spec_free(&s);
}
