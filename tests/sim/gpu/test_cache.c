/* test_cache.c - tests sim/gpu/cache.c: the worked examples, outcome by outcome, and what they leave out. */
#include "tests/check.h"

#include "sim/gpu/cache.h"

static struct rp_gpu_spec
spec_of(const char *string, uint64_t latency)
{
	struct rp_gpu_spec s = { .latency = latency, .slices = 1 };
	struct rp_err err = { 0 };
	cr_assert(rp_gpu_string_parse(string, &s.string, &err), "%s", err.text);
	return s;
}

/* Sums of events, and what was said of each access: "M" MISS, "H" HIT, "R" HIT_RESERVED, "S" SECTOR_MISS; before it "F" for
 * each kind of refusal it met, behind it "+" if it merged. */
struct outcome {
	char text[256];
	uint64_t probe[4], merged, requests, writes, refused, fail[RP_GPU_FAILS], stall, time;
	uint64_t back_lines, back_sectors, evictions;
};

static void
note(struct outcome *o, const struct rp_gpu_event *e, const uint64_t *fail)
{
	size_t n = strlen(o->text);
	for (unsigned k = 0; (e->what & RP_GPU_REFUSED) && k < RP_GPU_FAILS; k++) {
		o->fail[k] += fail[k];
		o->refused += fail[k];
		if (fail[k])
			o->text[n++] = 'F';
	}
	o->text[n++] = "HRMS"[e->what & RP_GPU_PROBE];
	if (e->what & RP_GPU_MERGED)
		o->text[n++] = '+';
	o->text[n] = 0;
	o->probe[e->what & RP_GPU_PROBE]++;
	o->merged += !!(e->what & RP_GPU_MERGED);
	o->requests += !!(e->what & RP_GPU_REQUEST);
	o->writes += !!(e->what & RP_GPU_WRITE);
	o->stall += e->stall;
	o->time += e->time;
	o->back_lines += e->back_lines;
	o->back_sectors += e->back_sectors;
	o->evictions += e->evictions;
}

/* "r0 w20/32 a40 l4/8 K": reads, writes, atomics of that hexadecimal address and decimal size (4); lr, lw: in local memory;
 * "K": end of a kernel. None may cross a sector. */
static struct outcome
play(const struct rp_gpu_spec *s, const char *text)
{
	struct rp_err err = { 0 };
	struct rp_gpu_cache *c = rp_gpu_cache_new(s, &err);
	struct outcome o = { 0 };
	cr_assert(c, "%s", err.text);
	uint32_t grain = rp_gpu_string_grain(&s->string);
	for (; *text; text += *text == ' ') {
		struct rp_gpu_access a = { .local = *text == 'l' };
		struct rp_gpu_event e;
		uint64_t fail[RP_GPU_FAILS];
		text += *text == 'l';
		char letter = *text++;
		if (letter == 'K') {
			rp_gpu_cache_kernel_end(c);
			continue;
		}
		uint64_t at = strtoull(text, (char **)&text, 16), size = 4;
		if (*text == '/')
			size = strtoull(text + 1, (char **)&text, 10);
		uint32_t mask[4] = { 0 };
		for (uint64_t b = at % grain; b < at % grain + size; b++)
			mask[b / 32] |= UINT32_C(1) << b % 32;
		cr_assert(at % grain + size <= grain);
		a.place = at / grain;
		a.write = letter == 'w';
		a.atomic = letter == 'a';
		a.whole = size == grain;
		a.mask = mask;
		rp_gpu_cache_sets(c, &a.place, 1, &a.set);
		cr_assert(rp_gpu_cache_access(c, &a, &e, fail, NULL, &err), "%s", err.text);
		note(&o, &e, fail);
	}
	rp_gpu_cache_free(c);
	return o;
}

#define IS(o, member, n)                                                                           \
	cr_assert_eq((o).member, n, #member ": %llu", (unsigned long long)(o).member)

static void
expect_counts(const struct outcome *o, uint64_t hit, uint64_t reserved, uint64_t miss,
    uint64_t sector_miss, uint64_t merged, uint64_t requests)
{
	IS(*o, probe[RP_GPU_HIT], hit);
	IS(*o, probe[RP_GPU_HIT_RESERVED], reserved);
	IS(*o, probe[RP_GPU_MISS], miss);
	IS(*o, probe[RP_GPU_SECTOR_MISS], sector_miss);
	IS(*o, merged, merged);
	IS(*o, requests, requests);
}

static const char stream[] = "r0 r8 r20 r10 r24 r0 r40";

RP_TEST(gpu_cache, example_1_sectors_wait_for_their_fills)
{
	struct rp_gpu_spec s = spec_of("S:1:128:2,L:B:m:L:L,A:4:4", 4);
	struct outcome o = play(&s, stream);
	cr_assert_str_eq(o.text, "MR+SR+R+HS");
	expect_counts(&o, 1, 3, 1, 2, 3, 3);
	IS(o, refused, 0);
	IS(o, time, 7);
}

RP_TEST(gpu_cache, example_2_on_fill_nothing_is_reserved)
{
	struct rp_gpu_spec s = spec_of("S:1:128:2,L:T:f:N:L,A:4:4", 4);
	struct outcome o = play(&s, stream);
	cr_assert_str_eq(o.text, "MM+MM+S+HS");
	expect_counts(&o, 1, 0, 4, 2, 3, 3);
}

RP_TEST(gpu_cache, example_3_the_merge_limit)
{
	struct rp_gpu_spec s = spec_of("S:1:128:2,L:B:m:L:L,A:4:2", 10);
	struct outcome o = play(&s, "r0 r4 r8 rc");
	cr_assert_str_eq(o.text, "MR+FHH");
	expect_counts(&o, 2, 1, 1, 0, 1, 1);
	IS(o, fail[RP_GPU_MSHR_MERGE_ENTRY_FAIL], 1);
	IS(o, refused, 1);
	IS(o, stall, 8);
	IS(o, time, 12);
	s.stall = RP_GPU_UNIT;
	o = play(&s, "r0 r4 r8 rc");
	IS(o, fail[RP_GPU_MSHR_MERGE_ENTRY_FAIL], 8);
	IS(o, refused, 8);
	IS(o, stall, 8);
	IS(o, time, 12);
	s.stall = RP_GPU_DROP; /* r8 and rc give up: each a MISS and a request, one unit of time */
	o = play(&s, "r0 r4 r8 rc");
	cr_assert_str_eq(o.text, "MR+FMFM");
	expect_counts(&o, 0, 1, 3, 0, 1, 3);
	IS(o, refused, 2);
	IS(o, stall, 0);
	IS(o, time, 4);
}

RP_TEST(gpu_cache, example_4_two_entries)
{
	struct rp_gpu_spec s = spec_of("S:4:128:2,L:B:m:L:L,A:2:8", 6);
	struct outcome o = play(&s, "r0 r80 r100 r104 r0");
	cr_assert_str_eq(o.text, "MMFMR+H");
	expect_counts(&o, 1, 1, 3, 0, 1, 3);
	IS(o, fail[RP_GPU_MSHR_ENTRY_FAIL], 1);
	IS(o, stall, 4);
	s.stall = RP_GPU_UNIT;
	o = play(&s, "r0 r80 r100 r104 r0");
	IS(o, fail[RP_GPU_MSHR_ENTRY_FAIL], 4);
	IS(o, stall, 4);
}

RP_TEST(gpu_cache, example_5_one_way_that_is_reserved)
{
	struct rp_gpu_spec s = spec_of("S:1:128:1,L:B:m:L:L,A:4:4", 5);
	struct outcome o = play(&s, "r0 r20 r80 r0");
	cr_assert_str_eq(o.text, "MSFMFM");
	expect_counts(&o, 0, 0, 3, 1, 0, 4);
	IS(o, fail[RP_GPU_LINE_ALLOC_FAIL], 3);
	IS(o, stall, 8);
	s.stall = RP_GPU_UNIT;
	o = play(&s, "r0 r20 r80 r0");
	IS(o, fail[RP_GPU_LINE_ALLOC_FAIL], 8);
	IS(o, stall, 8);
}

RP_TEST(gpu_cache, example_6_lazy_fetch)
{
	struct rp_gpu_spec s = spec_of("S:1:128:1,L:B:m:L:L,A:4:4", 2);
	struct outcome o = play(&s, "w0 r4 w20/32 r20 r0 r0 r80");
	cr_assert_str_eq(o.text, "MSSHHHM");
	expect_counts(&o, 3, 0, 2, 2, 0, 2);
	IS(o, back_lines, 1);
	IS(o, back_sectors, 2);
}

RP_TEST(gpu_cache, example_7_plain_lines)
{
	struct rp_gpu_spec s = spec_of("N:1:128:2,L:B:m:L:L,A:4:8", 4);
	struct outcome o = play(&s, stream);
	cr_assert_str_eq(o.text, "MR+R+R+HHH");
	expect_counts(&o, 3, 3, 1, 0, 3, 1);
}
