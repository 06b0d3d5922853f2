/* presets.c - the caches of known GPUs, and what depends on them: adaptive L1, slices of L2. */
#include "config.h"

#include "sim/gpu/presets.h"

#include "base/parse.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { INTERLEAVE = 256, PER_CHANNEL = 2, KIB = 1024, NAME_ROOM = 64 };

#define VOLTA_L1        "S:4:128:64,L:T:m:L:L,A:512:8,16:0,32"
#define VOLTA_L2        "S:32:128:24,L:B:m:L:P,A:192:4,32:0,32"
#define TURING_L2       "S:64:128:16,L:B:m:L:P,A:192:4,32:0,32"
#define PASCAL_L2(sets) "S:" sets ":128:16,L:B:m:L:P,A:256:64,16:0,32"

/* Configurations of GPGPU-Sim and Accel-Sim; the last two are not validated against hardware there. */
const struct rp_gpu_preset rp_gpu_presets[] = {
	{ "gtx480", "GTX 480 (Fermi)", "N:32:128:4,L:L:m:N:H,S:64:8,8",
	    "S:64:128:8,L:B:m:L:L,A:256:4,4:0,32", 0, { -1 }, 6, 2, 15, 0, false },
	{ "titan", "Titan (Kepler)", "S:4:128:32,L:L:s:N:L,A:256:8,16:0,32", PASCAL_L2("32"), 0,
	    { -1 }, 12, 2, 14, 0, true },
	{ "titanx", "Titan X (Pascal)", "S:4:128:96,L:L:s:N:L,A:256:8,16:0,32", PASCAL_L2("64"), 0,
	    { -1 }, 12, 2, 28, 0, true },
	{ "titanv", "Titan V (Volta)", VOLTA_L1, VOLTA_L2, 128, { 0, 8, 16, 32, 64, 96, -1 }, 24, 2,
	    80, 25, false },
	{ "v100", "V100, Quadro GV100 (Volta)", VOLTA_L1, VOLTA_L2, 128,
	    { 0, 8, 16, 32, 64, 96, -1 }, 32, 2, 80, 25, false },
	{ "rtx2060", "RTX 2060 (Turing)", "S:4:128:64,L:T:m:L:L,A:256:32,16:0,32", TURING_L2, 96,
	    { 32, 64, -1 }, 12, 2, 30, 25, false },
	{ "rtx2060super", "RTX 2060 Super (Turing)", "S:1:128:512,L:L:s:N:L,A:256:8,16:0,32",
	    TURING_L2, 0, { -1 }, 16, 2, 34, 0, false },
	{ "rtx3070", "RTX 3070 (Ampere)", "S:4:128:256,L:T:m:L:L,A:384:48,16:0,32", TURING_L2, 128,
	    { 0, 8, 16, 32, 64, 100, -1 }, 16, 2, 46, 25, false },
	{ "a100", "A100 (Ampere; tuned, unofficial)", "S:4:128:64,L:T:m:L:L,A:512:64,16:0,32",
	    "S:256:128:16,L:B:m:L:X,A:192:4,32:0,32", 192, { 0, 8, 16, 32, 64, 164, -1 }, 40, 2,
	    108, 25, false },
	{ "h100", "H100 (Hopper; experimental, shared memory as on V100)", VOLTA_L1,
	    "S:64:128:40,L:B:m:L:P,A:192:4,32:0,32", 128, { 0, 8, 16, 32, 64, 96, -1 }, 80, 2, 132,
	    25, false },
	{ 0 },
};

/* Further names that people know the boards by. */
static const struct {
	const char *name, *of;
} alias[] = {
	{ "keplertitan", "titan" },
	{ "gtxtitan", "titan" },
	{ "titanxpascal", "titanx" },
	{ "qv100", "v100" },
	{ "gv100", "v100" },
	{ "v100qv100", "v100" },
};

enum { ALIASES = sizeof alias / sizeof *alias };

static const struct rp_gpu_preset *
named(const char *name)
{
	const struct rp_gpu_preset *p = rp_gpu_presets;
	for (size_t i = 0; i < ALIASES; i++)
		if (!strcmp(alias[i].name, name))
			name = alias[i].of;
	while (p->name && strcmp(p->name, name))
		p++;
	return p->name ? p : NULL;
}

const struct rp_gpu_preset *
rp_gpu_preset_find(const char *name, struct rp_err *err)
{
	const char *names[sizeof rp_gpu_presets / sizeof *rp_gpu_presets];
	char plain[NAME_ROOM];
	size_t n = 0;
	for (const char *c = name; *c && n + 1 < NAME_ROOM; c++)
		if (isalnum((unsigned char)*c))
			plain[n++] = (char)tolower((unsigned char)*c);
	plain[n] = 0;
	const struct rp_gpu_preset *p = named(plain);
	if (p)
		return p;
	for (n = 0; rp_gpu_presets[n].name; n++)
		names[n] = rp_gpu_presets[n].name;
	const char *near = rp_nearest(plain, names, n);
	rp_fail(err, RP_USAGE, "no preset '%.40s'%s%s%s (reprise help presets)", name,
	    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	return NULL;
}

/* The strings of the table parse. */
static void
read_string(const char *text, struct rp_gpu_string *out)
{
	bool ok = rp_gpu_string_parse(text, out, NULL);
	assert(ok);
	(void)ok;
}

bool
rp_gpu_preset_l1(
    const struct rp_gpu_preset *p, uint64_t shared, struct rp_gpu_string *out, struct rp_err *err)
{
	read_string(p->l1, out);
	if (!p->unified_kib)
		return true;
	const int *o = p->share_kib;
	while (*o >= 0 && (uint64_t)*o * KIB < shared)
		o++;
	if (*o < 0)
		return rp_fail(err, RP_USAGE,
		    "shared=: an SM of %s has at most %d KiB of shared memory, not %" PRIu64
		    " bytes",
		    p->name, o[-1], shared);
	/* ways * U / size * (1 - o / U), to the nearest. */
	uint64_t size = (uint64_t)out->sets * out->line * out->ways;
	uint64_t left = (uint64_t)(p->unified_kib - (uint32_t)*o) * KIB * out->ways;
	out->ways = (uint32_t)((2 * left + size) / (2 * size));
	return true;
}

void
rp_gpu_preset_l2(const struct rp_gpu_preset *p, struct rp_gpu_string *out)
{
	read_string(p->l2, out);
}

struct rp_gpu_place
rp_gpu_slice(enum rp_gpu_slicing how, uint32_t slices, uint32_t line, uint64_t address)
{
	if (slices == 1)
		return (struct rp_gpu_place){ 0, address };
	if (how == RP_GPU_SLICE_MOD) {
		uint64_t number = address / line;
		return (struct rp_gpu_place){ (uint32_t)(number % slices),
			number / slices * line + address % line };
	}
	unsigned bits = (unsigned)__builtin_ctz(slices);
	bool power = slices == UINT32_C(1) << bits;
	uint64_t unit = address / INTERLEAVE, above = power ? unit >> bits : unit / slices;
	uint32_t channels = slices / PER_CHANNEL, in = (uint32_t)(unit - above * slices);
	uint32_t bit = in >= channels, slice = PER_CHANNEL * (in - bit * channels) + bit;
	if (power && rp_gpu_hash_fits(RP_GPU_POLYNOMIAL, bits))
		slice = rp_gpu_hash(RP_GPU_POLYNOMIAL, above << bits | slice, 0, bits);
	return (struct rp_gpu_place){ slice, above * INTERLEAVE + address % INTERLEAVE };
}
