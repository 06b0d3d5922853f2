/* test_presets.c - tests sim/gpu/presets.c. */
#include "tests/check.h"

#include "sim/gpu/presets.h"

static const struct rp_gpu_preset *
preset(const char *name)
{
	struct rp_err err = { 0 };
	const struct rp_gpu_preset *p = rp_gpu_preset_find(name, &err);
	cr_assert(p, "%s", err.text);
	return p;
}

enum { KIB = 1024 };

static uint64_t
kib(const struct rp_gpu_string *s)
{
	return (uint64_t)s->sets * s->line * s->ways / KIB;
}

/* Sizes as the table of presets gives them, KiB: the L1 string's own, an L2 slice's, all of L2. */
static const struct {
	const char *name;
	uint64_t l1, slice, l2;
	uint32_t sms;
	unsigned dirty;
	bool bypass;
} sizes[] = {
	{ "GTX 480", 16, 64, 768, 15, 0, false },
	{ "Kepler Titan", 16, 64, 1536, 14, 0, true },
	{ "Titan X (Pascal)", 48, 128, 3072, 28, 0, true },
	{ "Titan V", 32, 96, 4608, 80, 25, false },
	{ "V100 (QV100)", 32, 96, 6144, 80, 25, false },
	{ "RTX 2060", 32, 128, 3072, 30, 25, false },
	{ "RTX 2060 Super", 64, 128, 4096, 34, 0, false },
	{ "RTX 3070", 128, 128, 4096, 46, 25, false },
	{ "A100", 32, 512, 40960, 108, 25, false },
	{ "H100", 32, 320, 51200, 132, 25, false },
};

RP_TEST(gpu_presets, have_the_sizes_of_their_gpus)
{
	size_t n = 0;
	for (; n < sizeof sizes / sizeof *sizes; n++) {
		const struct rp_gpu_preset *p = preset(sizes[n].name);
		struct rp_gpu_string l1, l2;
		struct rp_err err = { 0 };
		cr_assert_eq(p, &rp_gpu_presets[n], "%s", sizes[n].name);
		cr_assert(rp_gpu_string_parse(p->l1, &l1, &err), "%s", err.text);
		rp_gpu_preset_l2(p, &l2);
		cr_assert_eq(kib(&l1), sizes[n].l1, "%s", p->name);
		cr_assert_eq(kib(&l2), sizes[n].slice, "%s", p->name);
		cr_assert_eq(kib(&l2) * p->channels * p->slices, sizes[n].l2, "%s", p->name);
		cr_assert_eq(p->sms, sizes[n].sms, "%s", p->name);
		cr_assert_eq(p->dirty, sizes[n].dirty, "%s", p->name);
		cr_assert_eq(p->global_bypass, sizes[n].bypass, "%s", p->name);
	}
	cr_assert_null(rp_gpu_presets[n].name);
}

RP_TEST(gpu_presets, print_their_strings_as_they_are)
{
	for (const struct rp_gpu_preset *p = rp_gpu_presets; p->name; p++) {
		struct rp_gpu_string s;
		char text[RP_GPU_STRING_ROOM];
		cr_assert(rp_gpu_string_parse(p->l1, &s, NULL));
		cr_assert_str_eq(rp_gpu_string_print(text, &s), p->l1);
		rp_gpu_preset_l2(p, &s);
		cr_assert_str_eq(rp_gpu_string_print(text, &s), p->l2);
	}
}

/* KiB of shared memory asked for, and the ways that are left. */
static const struct {
	const char *name;
	uint64_t shared;
	uint32_t ways;
} adaptive[] = {
	{ "v100", 0, 256 },
	{ "v100", 64, 128 },
	{ "v100", 96, 64 },
	{ "v100", 65, 64 },
	{ "v100", 1, 240 },
	{ "v100", 33, 128 },
	{ "h100", 96, 64 },
	{ "titanv", 16, 224 },
	{ "rtx3070", 100, 56 },
	{ "rtx3070", 0, 256 },
	{ "rtx2060", 0, 128 },
	{ "rtx2060", 33, 64 },
	{ "a100", 0, 384 },
	{ "a100", 164, 56 },
	{ "gtx480", 48, 4 },
	{ "rtx2060super", 0, 512 },
};

RP_TEST(gpu_presets, share_an_l1_with_shared_memory)
{
	for (size_t i = 0; i < sizeof adaptive / sizeof *adaptive; i++) {
		struct rp_gpu_string s;
		struct rp_err err = { 0 };
		cr_assert(
		    rp_gpu_preset_l1(preset(adaptive[i].name), adaptive[i].shared * KIB, &s, &err),
		    "%s", err.text);
		cr_assert_eq(s.ways, adaptive[i].ways, "%s, %llu KiB: %u", adaptive[i].name,
		    (unsigned long long)adaptive[i].shared, s.ways);
	}
}

RP_TEST(gpu_presets, more_shared_memory_than_there_is_is_an_error)
{
	struct rp_gpu_string s;
	struct rp_err err = { 0 };
	cr_assert_not(rp_gpu_preset_l1(preset("v100"), 96 * KIB + 1, &s, &err));
	cr_assert_eq(err.code, RP_USAGE);
	cr_assert(strstr(err.text, "at most 96 KiB"), "%s", err.text);
}

RP_TEST(gpu_presets, an_unknown_name_gets_the_nearest)
{
	struct rp_err err = { 0 };
	cr_assert_null(rp_gpu_preset_find("RTX 3080", &err));
	cr_assert_eq(err.code, RP_USAGE);
	cr_assert(strstr(err.text, "did you mean 'rtx3070'?"), "%s", err.text);
}

/* Of a V100's L2: slice, address in it, set of 32 by P. */
static const struct {
	uint64_t address, local;
	uint32_t slice, set;
} worked[] = {
	{ 0x2000, 0x0, 1, 0 },
	{ 0x4000, 0x100, 3, 2 },
	{ 0x12345680, 0x48d180, 10, 14 },
};

RP_TEST(gpu_slices, give_the_worked_examples)
{
	for (size_t i = 0; i < sizeof worked / sizeof *worked; i++) {
		struct rp_gpu_place p = rp_gpu_slice(RP_GPU_SLICE_HASH, 64, 128, worked[i].address);
		cr_assert_eq(p.slice, worked[i].slice);
		cr_assert_eq(p.address, worked[i].local);
		cr_assert_eq(rp_gpu_hash(RP_GPU_POLYNOMIAL, p.address / 128, 7, 5), worked[i].set);
	}
}

/* Whatever the number of slices, no two addresses share a place, and slices get equal parts. */
RP_TEST(gpu_slices, part_the_addresses_evenly)
{
	static const uint32_t counts[] = { 1, 2, 12, 24, 32, 48, 64, 80, 160 };
	enum { UNITS = 160 * 48 };
	for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
		for (int how = 0; how < 2; how++) {
			uint32_t n = counts[k];
			unsigned char *seen = calloc(UNITS * 2, 1);
			for (uint32_t i = 0; i < UNITS * 2 / n * n; i++) {
				struct rp_gpu_place p =
				    rp_gpu_slice((enum rp_gpu_slicing)how, n, 128, i * 128u);
				uint64_t at = p.address / 128 * n + p.slice;
				cr_assert_lt(p.slice, n);
				cr_assert_lt(at, (uint64_t)UNITS * 2, "%u slices, how %d, line %u",
				    n, how, i);
				cr_assert_not(seen[at]);
				seen[at] = 1;
			}
			free(seen);
		}
}

RP_TEST(gpu_slices, by_modulus_take_turns)
{
	struct rp_gpu_place p = rp_gpu_slice(RP_GPU_SLICE_MOD, 12, 128, 25 * 128 + 40);
	cr_assert_eq(p.slice, 1);
	cr_assert_eq(p.address, 2 * 128 + 40);
}
