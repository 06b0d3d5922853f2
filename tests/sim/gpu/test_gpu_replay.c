/* test_gpu_replay.c - GPGPU-Sim caches behind modules and in replay: tests sim/gpu/run.c and sim/gpu/spec.c. */
#include "tests/check.h"
#include "tests/sim/gpu/slow.h"

#include "base/rng.h"
#include "sim/gpu/spec.h"
#include "sim/replay.h"

enum { ROWS = 6000 };

/* Rows as a GPU reader gives them: transactions of 32 bytes, some of 64 or 128, with the mask of what they touch; marks. */
static struct rp_batch *
draw_rows(struct rp_rng *r, bool marks)
{
	struct rp_batch *b = rp_batch_new(ROWS, RP_COL_ALL, NULL);
	uint64_t time = 0;
	while (b->n < ROWS) {
		uint64_t segment = rp_rng_below(r, 3) ? rp_rng_below(r, 60) : rp_rng_below(r, 2000);
		uint32_t bytes = rp_rng_below(r, 8) ? 32 : 64 << rp_rng_below(r, 2);
		uint32_t mask = (uint32_t)rp_rng_next(r);
		mask = rp_rng_below(r, 3) ? UINT32_MAX : mask ? mask : 1;
		struct rp_access a = { .kind = (uint8_t)rp_rng_below(r, 3),
			.addr = segment * 32,
			.size = bytes,
			.mask = mask,
			.stream = (uint32_t)rp_rng_below(r, 5),
			.flags = (uint8_t)(rp_rng_below(r, 4) ? RP_GLOBAL : RP_LOCAL),
			.time = time += rp_rng_below(r, 4) };
		if (bytes > 32)
			a.addr &= ~(uint64_t)(bytes - 1);
		else if (mask != UINT32_MAX) { /* the span that is touched, as readers give it */
			uint32_t first = (uint32_t)__builtin_ctz(mask);
			a.addr += first;
			a.size = 32 - (uint32_t)__builtin_clz(mask) - first;
		}
		if (marks && !rp_rng_below(r, 300))
			a = (struct rp_access){ .kind =
						    (uint8_t)(RP_KERNEL_END + rp_rng_below(r, 4)),
				.addr = segment * 32,
				.size = 1 + (uint32_t)rp_rng_below(r, 500),
				.stream = a.stream };
		rp_batch_put(b, &a);
	}
	return b;
}

static const char *const specs[] = {
	"gpgpusim=S:4:128:4,L:B:m:L:L,A:8:4,latency=20",
	"gpgpusim=S:4:128:4,L:L:m:F:X,A:8:4,latency=20,stall=unit",
	"gpgpusim=S:16:128:3,F:T:m:W:P,A:8:2,9,latency=15,missq=yes",
	"gpgpusim=S:4:128:8,L:T:s:N:L,A:32:8,latency=50,stall=drop,dirty=25",
	"gpgpusim=N:8:32:4,L:E:m:L:L,A:4:4,latency=9,clock=time",
	"gpgpusim=N:8:128:2,L:R:f:N:L,S:4:4,latency=30",
	"gpgpusim=S:4:128:2,L:B:m:L:L,A:8:4,level=l2,slices=8",
	"lru,size=8KiB,ways=4,line=32,write=through",
	"preset=rtx2060,shared=40",
};

enum { SPECS = sizeof specs / sizeof *specs };

/* Replays rows, in batches of `step`, through specs from..to. */
static struct rp_replay *
replay(const struct rp_cache_spec *s, size_t n, const struct rp_batch *all, size_t step,
    const struct rp_replay_opts *o)
{
	struct rp_err err = { 0 };
	struct rp_replay *r = rp_replay_new(s, n, o, &err);
	struct rp_batch *b = rp_batch_new(step, RP_COL_ALL, &err);
	cr_assert(r && b, "%s", err.text);
	for (size_t i = 0; i < all->n; i += step) {
		rp_batch_clear(b);
		rp_batch_append(b, all, i, all->n - i < step ? all->n - i : step);
		cr_assert(rp_replay_run(r, b, &err), "%s", err.text);
	}
	cr_assert(rp_replay_end(r, &err), "%s", err.text);
	rp_batch_free(b);
	return r;
}

static void
parse(const char *text, struct rp_cache_spec *s)
{
	struct rp_err err = { 0 };
	cr_assert(rp_cache_spec_parse(text, 64, 1, s, &err), "%s", err.text);
}

#define SAME_ROW(group, name, unit, what)                                                          \
	cr_assert_eq(a->name, b->name, "%s: " #name " %llu, not %llu", place,                      \
	    (unsigned long long)a->name, (unsigned long long)b->name);
static void
expect_equal(const struct rp_counters *a, const struct rp_counters *b,
    const char *place){ RP_COUNTERS(SAME_ROW, RP_COUNTER_NOTHING, RP_COUNTER_NOTHING) }

RP_TEST(gpu_replay, alone_and_in_a_group_and_in_any_batches_it_is_the_same)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("gpu_replay"), "group", 0);
	struct rp_batch *rows = draw_rows(&rng, true);
	struct rp_cache_spec s[SPECS];
	const struct rp_replay_opts o = { .by_stream = true, .flush = true, .interval = 700 };
	for (size_t i = 0; i < SPECS; i++)
		parse(specs[i], &s[i]);
	struct rp_replay *group = replay(s, SPECS, rows, 4096, &o);
	for (size_t i = 0; i < SPECS; i++) {
		struct rp_replay *alone = replay(&s[i], 1, rows, i % 2 ? 1 : 77, &o);
		struct rp_counters a, b, sum = { 0 };
		rp_replay_counters(group, i, &a);
		rp_replay_counters(alone, 0, &b);
		expect_equal(&a, &b, specs[i]);
		for (size_t k = 0; k < rp_replay_intervals(alone); k++) {
			rp_replay_interval(group, i, k, &a);
			rp_replay_interval(alone, 0, k, &b);
			expect_equal(&a, &b, specs[i]);
			rp_counters_add(&sum, &b);
		}
		rp_replay_counters(alone, 0, &b);
		expect_equal(&sum, &b, specs[i]);
		rp_replay_free(alone);
	}
	rp_replay_free(group);
	for (size_t i = 0; i < SPECS; i++)
		rp_cache_spec_free(&s[i]);
	rp_batch_free(rows);
}

/* What is counted after a warm-up is the whole less what the warm-up alone would count. */
RP_TEST(gpu_replay, a_warm_up_is_replayed_and_not_counted)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("gpu_replay"), "warm", 0);
	struct rp_batch *rows = draw_rows(&rng, false);
	for (size_t i = 0; i < SPECS; i++) {
		struct rp_cache_spec s;
		struct rp_counters whole, first, rest, sum;
		parse(specs[i], &s);
		const struct rp_replay_opts plain = { 0 }, warm = { .warmup = 1000 };
		struct rp_replay *r = replay(&s, 1, rows, 512, &plain);
		rp_replay_counters(r, 0, &whole);
		rp_replay_free(r);
		r = replay(&s, 1, rows, 512, &warm);
		rp_replay_counters(r, 0, &rest);
		rp_replay_free(r);
		size_t n = rows->n;
		rows->n = 1000;
		r = replay(&s, 1, rows, 512, &plain);
		rows->n = n;
		rp_replay_counters(r, 0, &first);
		rp_replay_free(r);
		sum = first;
		rp_counters_add(&sum, &rest);
		expect_equal(&sum, &whole, specs[i]);
		rp_cache_spec_free(&s);
	}
	rp_batch_free(rows);
}

/* The whole way, from rows with masks to counters, against the second model, which is given the touched bytes. Masks must
 * be runs here, since that model takes spans. */
static void
expect_slow(const char *text, struct rp_rng *rng)
{
	struct rp_batch *rows = draw_rows(rng, false);
	struct rp_cache_spec s;
	parse(text, &s);
	struct slow *w = slow_new(s.gpu);
	struct rp_counters c, want = { 0 };
	uint32_t grain = s.line;
	for (size_t i = 0; i < rows->n; i++) {
		struct rp_access a = rp_batch_get(rows, i);
		uint64_t base = a.addr & ~UINT64_C(31), span = 1 + rp_rng_below(rng, 32);
		uint32_t first = (uint32_t)rp_rng_below(rng, 33 - span);
		rows->mask[i] = (uint32_t)((UINT64_C(1) << span) - 1) << first;
		rows->addr[i] = base + first;
		rows->size[i] = (uint32_t)span;
		for (uint64_t at = base + first; at < base + first + span;) {
			uint64_t end = at / grain * grain + grain;
			uint64_t n = (end < base + first + span ? end : base + first + span) - at;
			struct slow_event e = slow_access(w, "rwa"[a.kind],
			    (a.flags & RP_SPACE) == RP_LOCAL, at, (uint32_t)n, a.time);
			want.HIT += !strcmp(e.result, "HIT");
			want.HIT_RESERVED += !strcmp(e.result, "HIT_RESERVED");
			want.MISS += !strcmp(e.result, "MISS");
			want.SECTOR_MISS += !strcmp(e.result, "SECTOR_MISS");
			want.MSHR_HIT += e.mshr_hit;
			want.requests += e.fetches;
			want.write_through += e.writes;
			want.writeback_sectors += e.back_sectors;
			want.evictions += e.replaced;
			want.stall += e.stall;
			want.LINE_ALLOC_FAIL += e.fails[RP_GPU_LINE_ALLOC_FAIL];
			want.MISS_QUEUE_FULL += e.fails[RP_GPU_MISS_QUEUE_FULL];
			want.bytes_written += e.back_sectors * grain + (e.writes ? n : 0);
			at += n;
		}
	}
	const struct rp_replay_opts o = { 0 };
	struct rp_replay *r = replay(&s, 1, rows, 1000, &o);
	rp_replay_counters(r, 0, &c);
#define SAME_AS_SLOW(name)                                                                         \
	cr_assert_eq(c.name, want.name, "%s: " #name " %llu, not %llu", text,                      \
	    (unsigned long long)c.name, (unsigned long long)want.name)
	SAME_AS_SLOW(HIT);
	SAME_AS_SLOW(HIT_RESERVED);
	SAME_AS_SLOW(MISS);
	SAME_AS_SLOW(SECTOR_MISS);
	SAME_AS_SLOW(MSHR_HIT);
	SAME_AS_SLOW(requests);
	SAME_AS_SLOW(write_through);
	SAME_AS_SLOW(writeback_sectors);
	SAME_AS_SLOW(evictions);
	SAME_AS_SLOW(stall);
	SAME_AS_SLOW(LINE_ALLOC_FAIL);
	SAME_AS_SLOW(MISS_QUEUE_FULL);
	SAME_AS_SLOW(bytes_written);
	rp_replay_free(r);
	slow_free(w);
	rp_cache_spec_free(&s);
	rp_batch_free(rows);
}

RP_TEST(gpu_replay, rows_with_masks_are_what_the_second_model_sees)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("gpu_replay"), "masks", 0);
	for (size_t i = 0; i < SPECS; i++)
		if (rp_gpu_spec_is(specs[i]))
			expect_slow(specs[i], &rng);
	expect_slow("gpgpusim=N:8:8:4,L:B:m:L:L,A:4:4,latency=9", &rng);
	expect_slow("gpgpusim=N:8:64:4,L:B:m:L:L,A:4:4,latency=9", &rng);
}

/* Of a transaction of 128 bytes a bit of the mask is 4 bytes: halves of it fill two sectors each. */
RP_TEST(gpu_replay, wide_transactions_touch_the_sectors_of_their_mask)
{
	struct rp_cache_spec s;
	struct rp_counters c;
	struct rp_batch *b = rp_batch_new(4, RP_COL_MASK | RP_COL_FLAGS, NULL);
	const struct rp_replay_opts o = { 0 };
	struct rp_access a[] = {
		{ .kind = RP_WRITE, .addr = 0x80, .size = 128, .mask = 0x0000ffff },
		{ .kind = RP_READ, .addr = 0x80, .size = 4, .mask = 0xf },
		{ .kind = RP_WRITE, .addr = 0x80, .size = 128, .mask = 0x00030000 },
		{ .kind = RP_READ, .addr = 0xc0, .size = 4, .mask = 0xf }
	};
	for (size_t i = 0; i < 4; i++)
		rp_batch_put(b, &a[i]);
	parse("gpgpusim=S:1:128:2,L:B:m:L:L,A:4:4,latency=100", &s);
	struct rp_replay *r = replay(&s, 1, b, 4, &o);
	rp_replay_counters(r, 0, &c);
	/* Two sectors written whole: MISS, SECTOR_MISS; the read HITs; 8 bytes: SECTOR_MISS, unreadable, so another. */
	cr_assert_eq(c.TOTAL_ACCESS, 5);
	cr_assert_eq(c.HIT, 1);
	cr_assert_eq(c.MISS, 1);
	cr_assert_eq(c.SECTOR_MISS, 3);
	cr_assert_eq(c.requests, 1);
	rp_replay_free(r);
	rp_cache_spec_free(&s);
	rp_batch_free(b);
}

/* An L1 is empty after a kernel, an L2 is not, and takes in what the host copies. */
RP_TEST(gpu_replay, kernels_and_copies_matter_by_level)
{
	static const struct {
		const char *level;
		uint64_t hits;
	} want[] = { { "l1", 1 }, { "l2", 4 }, { "l2,copies=no", 2 } };
	struct rp_access a[] = { { .kind = RP_HOST_COPY, .addr = 0x1000, .size = 64 },
		{ .kind = RP_READ, .addr = 0x1000, .size = 4 },
		{ .kind = RP_READ, .addr = 0x1000, .size = 4 },
		{ .kind = RP_KERNEL_END, .size = 1 },
		{ .kind = RP_READ, .addr = 0x1000, .size = 4 },
		{ .kind = RP_READ, .addr = 0x1020, .size = 4 } };
	struct rp_batch *b = rp_batch_new(8, 0, NULL);
	for (size_t i = 0; i < sizeof a / sizeof *a; i++)
		rp_batch_put(b, &a[i]);
	for (size_t i = 0; i < 3; i++) {
		char text[128];
		struct rp_cache_spec s;
		struct rp_counters c;
		const struct rp_replay_opts o = { 0 };
		snprintf(text, sizeof text, "gpgpusim=S:4:128:2,L:B:m:L:L,A:4:4,latency=1,level=%s",
		    want[i].level);
		parse(text, &s);
		struct rp_replay *r = replay(&s, 1, b, 8, &o);
		rp_replay_counters(r, 0, &c);
		cr_assert_eq(c.HIT, want[i].hits, "%s: %llu", text, (unsigned long long)c.HIT);
		cr_assert_eq(c.TOTAL_ACCESS, 4);
		rp_replay_free(r);
		rp_cache_spec_free(&s);
	}
	rp_batch_free(b);
}

/* Streaming allocation follows the kernels of the trace: the first uses shared memory, and its lines wait for their fill. */
RP_TEST(gpu_replay, alloc_s_is_as_each_kernel_uses_shared_memory)
{
	struct rp_trace *t = rp_trace_new("test", NULL);
	struct rp_access a[] = { { .kind = RP_READ, .addr = 0, .size = 4 },
		{ .kind = RP_READ, .addr = 0, .size = 4 }, { .kind = RP_KERNEL_END, .size = 1 },
		{ .kind = RP_READ, .addr = 0, .size = 4 },
		{ .kind = RP_READ, .addr = 0, .size = 4 } };
	struct rp_batch *b = rp_batch_new(8, 0, NULL);
	struct rp_cache_spec s;
	struct rp_counters c;
	rp_trace_kernel(t, NULL)->shared_bytes = 1024;
	rp_trace_kernel(t, NULL);
	for (size_t i = 0; i < sizeof a / sizeof *a; i++)
		rp_batch_put(b, &a[i]);
	static const struct {
		const char *shared;
		uint64_t reserved;
	} want[] = { { "", 1 }, { ",shared=1", 0 }, { ",shared=0", 2 } };
	for (size_t i = 0; i < 3; i++) {
		char text[128];
		const struct rp_replay_opts o = { .trace = t };
		snprintf(text, sizeof text, "gpgpusim=S:4:128:2,L:T:s:N:L,A:4:4%s", want[i].shared);
		parse(text, &s);
		struct rp_replay *r = replay(&s, 1, b, 8, &o);
		rp_replay_counters(r, 0, &c);
		cr_assert_eq(c.HIT_RESERVED, want[i].reserved, "%s", text);
		cr_assert_eq(c.MSHR_HIT, 2);
		rp_replay_free(r);
		rp_cache_spec_free(&s);
	}
	rp_batch_free(b);
	rp_trace_free(t);
}

static const struct {
	const char *text, *print;
} good[] = {
	{ "gpgpusim=S:4:128:64,L:T:m:L:L,A:512:8,latency=50,dirty=25",
	    "gpgpusim=S:4:128:64,L:T:m:L:L,A:512:8,level=l1,latency=50,clock=lookups,stall=skip,"
	    "dirty=25,missq=no" },
	{ "preset=V100,name=L1",
	    "gpgpusim=S:4:128:256,L:T:m:L:L,A:512:8,16:0,32,level=l1,latency=100,clock=lookups,"
	    "stall=skip,dirty=25,missq=no,name=L1" },
	{ "name=x,preset=rtx3070,shared=100KiB,dirty=10,clock=time,stall=drop,missq=yes",
	    "gpgpusim=S:4:128:56,L:T:m:L:L,A:384:48,16:0,32,level=l1,latency=100,clock=time,stall="
	    "drop,dirty=10,missq=yes,name=x" },
	{ "preset=v100,level=l2",
	    "gpgpusim=S:32:128:24,L:B:m:L:P,A:192:4,32:0,32,level=l2,latency=100,clock=lookups,"
	    "stall=skip,dirty=0,missq=no,slices=64,slicing=hash,copies=yes" },
	{ "preset=a100,level=l2,slices=1,copies=no",
	    "gpgpusim=S:256:128:16,L:B:m:L:X,A:192:4,32:0,32,level=l2,latency=100,clock=lookups,"
	    "stall=skip,dirty=0,missq=no,copies=no" },
	{ "preset=titanx,shared=0",
	    "gpgpusim=S:4:128:96,L:L:s:N:L,A:256:8,16:0,32,level=l1,latency=100,clock=lookups,"
	    "stall=skip,dirty=0,missq=no,shared=0" },
	{ "preset=titanx,shared=48",
	    "gpgpusim=S:4:128:96,L:L:s:N:L,A:256:8,16:0,32,level=l1,latency=100,clock=lookups,"
	    "stall=skip,dirty=0,missq=no,shared=1" },
};

RP_TEST(gpu_spec, is_completed_and_printed)
{
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		for (int again = 0; again < 2; again++) {
			struct rp_cache_spec s;
			struct rp_err err = { 0 };
			parse(again ? good[i].print : good[i].text, &s);
			char *found = rp_cache_spec_print(&s, &err);
			cr_assert_str_eq(found, good[i].print, "%s", found);
			free(found);
			rp_cache_spec_free(&s);
		}
}

#define STRING "gpgpusim=S:4:128:64,L:T:m:L:L,A:512:8"
static const struct {
	const char *text, *says;
} bad[] = {
	{ "preset=v200", "no preset 'v200'" },
	{ "preset=v100," STRING, "give one of them" },
	{ "lru," STRING, "wanted only keys" },
	{ STRING ",latency=0", "latency=: 0 is not in 1.." },
	{ STRING ",latency=x", "latency=" },
	{ STRING ",stall=count", "stall=: 'count' is none of skip, unit, drop" },
	{ STRING ",dirty=101", "dirty=: 101 is not in" },
	{ STRING ",level=l3", "level=: 'l3' is none of l1, l2" },
	{ STRING ",missq=yes", "would never take a miss" },
	{ STRING ",shared=4", "shared= only says something" },
	{ "preset=v100,shared=1q", "shared=: '1q'" },
	{ "preset=gtx480,shared=16", "shared= only says something" },
	{ STRING ",slices=0", "slices=: 0 is not in" },
	{ STRING ",slices=3", "an even number of slices" },
	{ "gpgpusim=N:4:512:4,L:T:m:L:L,A:8:8,slices=4", "lines of up to 256 bytes" },
	{ STRING ",sets=4", "no key 'sets' beside gpgpusim= or preset=, whose string says that" },
	{ STRING ",merge=4", "no key 'merge' beside gpgpusim= or preset=" },
	{ "lru,size=1k,dirty=25", "no key 'dirty' of lru: wanted it beside gpgpusim= or preset=" },
	{ "gpgpusim=", "group 1" },
	{ "gpgpusim=none", "none is no cache" },
};

RP_TEST(gpu_spec, an_error_names_the_key_and_what_is_wanted)
{
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct rp_cache_spec s;
		struct rp_err err = { 0 };
		cr_assert_not(rp_cache_spec_parse(bad[i].text, 64, 1, &s, &err), "%s", bad[i].text);
		cr_assert_eq(err.code, RP_USAGE);
		cr_assert(strstr(err.text, bad[i].says), "%s: %s", bad[i].text, err.text);
	}
}
