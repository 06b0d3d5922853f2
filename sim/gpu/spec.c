/* spec.c - the specification of a GPGPU-Sim cache: read, completed, printed. */
#include "config.h"

#include "sim/gpu/spec.h"
#include "sim/cache.h"

#include "base/mem.h"
#include "base/parse.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { SLICES_MOST = 4096, KIB = 1024, SLICE_LINE_MOST = 256 };

/* Times are sums of stamps and latencies in 64 bits. */
#define LATENCY_MOST (UINT64_C(1) << 40)

static const char *const level_names[] = { "l1", "l2", NULL };
static const char *const stall_names[] = { "skip", "unit", "drop", NULL };
static const char *const clock_names[] = { "lookups", "time", NULL };
static const char *const slicing_names[] = { "hash", "mod", NULL };

struct given {
	const char *string, *preset, *shared, *name;
	unsigned level, stall, clock, slicing;
	uint64_t latency;
	uint32_t dirty, slices;
	bool missq, copies, classify;
	bool has_dirty, has_slices; /* these were given */
};

#define KEY(field) offsetof(struct given, field)
const struct rp_opt rp_gpu_keys[] = {
	{ "gpgpusim", 0, "STRING", RP_OPT_TEXT, KEY(string), NULL,
	    .what = "a cache configuration string of GPGPU-Sim or Accel-Sim" },
	{ "preset", 0, "NAME", RP_OPT_TEXT, KEY(preset), NULL,
	    .what = "in its place, a known GPU's (reprise help presets)" },
	{ "level", 0, "LEVEL", RP_OPT_CHOICE, KEY(level), "l1",
	    .what = "l1 is emptied when a kernel ends; l2 keeps its lines; of a preset, which one",
	    .choices = level_names },
	{ "latency", 0, "T", RP_OPT_U64, KEY(latency), "100",
	    .what = "time from a request to its fill", .least = 1, .most = LATENCY_MOST },
	{ "clock", 0, "WHICH", RP_OPT_CHOICE, KEY(clock), "lookups",
	    .what = "time goes by one with each lookup, or is the trace's",
	    .choices = clock_names },
	{ "stall", 0, "HOW", RP_OPT_CHOICE, KEY(stall), "skip",
	    .what = "what is refused waits for the next fill (skip), tries again each unit of time "
		    "(unit), or goes below and changes nothing (drop)",
	    .choices = stall_names },
	{ "dirty", 0, "PERCENT", RP_OPT_U32, KEY(dirty), NULL,
	    .what =
		"share of modified lines below which they are not replaced; by default 0, or the "
		"preset's",
	    .most = 100 },
	{ "missq", 0, NULL, RP_OPT_FLAG, KEY(missq), NULL,
	    .what = "model the string's miss queue, which is infinite else" },
	{ "shared", 0, "SIZE", RP_OPT_TEXT, KEY(shared), NULL,
	    .what =
		"shared memory in use on an SM, in KiB or with a unit: it takes of a preset's L1 "
		"where the two are one, and with 0 alloc s allocates on miss; by default 0, and "
		"for alloc s what the trace says of each kernel" },
	{ "slices", 0, "N", RP_OPT_U32, KEY(slices), NULL,
	    .what =
		"so many caches, each with its own MSHRs and time, that addresses are dealt to; by "
		"default 1, or all of a preset's L2",
	    .least = 1, .most = SLICES_MOST },
	{ "slicing", 0, "HOW", RP_OPT_CHOICE, KEY(slicing), "hash",
	    .what = "to which slice an address goes", .choices = slicing_names },
	{ "copies", 0, NULL, RP_OPT_FLAG, KEY(copies), "yes",
	    .what = "l2: copies from the host bring their sectors in" },
	{ "classify", 0, NULL, RP_OPT_FLAG, KEY(classify), NULL,
	    .what = "misses by class: cold, capacity, conflict" },
	{ "name", 0, "NAME", RP_OPT_TEXT, KEY(name), NULL, .what = "what the output calls it" },
	{ 0 },
};

bool
rp_gpu_spec_is(const char *text)
{
	return !strncmp(text, "gpgpusim=", 9) || !strncmp(text, "preset=", 7) ||
	       strstr(text, ",gpgpusim=") || strstr(text, ",preset=");
}

bool
rp_gpu_spec_has_key(const char *name)
{
	for (const struct rp_opt *o = rp_gpu_keys; o->name; o++)
		if (!strcmp(o->name, name))
			return true;
	return false;
}

static bool
set_key(void *to, const char *key, const char *value, struct rp_err *err)
{
	struct given *g = to;
	if (!rp_gpu_spec_has_key(key) && rp_cache_spec_has_key(key))
		return rp_fail(err, RP_USAGE,
		    "no key '%s' beside gpgpusim= or preset=, whose string says that: wanted none "
		    "of "
		    "a policy's cache",
		    key);
	g->has_dirty |= !strcmp(key, "dirty");
	g->has_slices |= !strcmp(key, "slices");
	return rp_opts_set(rp_gpu_keys, g, key, value, false, err);
}

/* A plain number is in KiB. */
static bool
parse_shared(const char *text, uint64_t *bytes, struct rp_err *err)
{
	*bytes = 0;
	if (!text)
		return true;
	if (!text[strspn(text, "0123456789")] && rp_parse_u64(text, bytes, NULL) &&
	    *bytes <= UINT64_MAX / KIB) {
		*bytes *= KIB;
		return true;
	}
	return rp_parse_size(text, bytes, err) || rp_err_wrap(err, "shared=");
}

static bool
apply_preset(const struct given *g, uint64_t shared, struct rp_gpu_spec *s, struct rp_err *err)
{
	const struct rp_gpu_preset *p = rp_gpu_preset_find(g->preset, err);
	if (!p)
		return rp_err_wrap(err, "preset=");
	s->unified = p->unified_kib && s->level == RP_GPU_L1;
	s->bypassed = p->global_bypass && s->level == RP_GPU_L1;
	if (s->level == RP_GPU_L1) {
		s->dirty = p->dirty;
		return rp_gpu_preset_l1(p, shared, &s->string, err);
	}
	rp_gpu_preset_l2(p, &s->string);
	s->slices = p->channels * p->slices;
	return true;
}

static bool
check(const struct given *g, const struct rp_gpu_spec *s, struct rp_err *err)
{
	const struct rp_gpu_string *t = &s->string;
	uint32_t least = t->walloc == 'W' ? 3 : 2;
	if (s->queue && t->missq < least)
		return rp_fail(err, RP_USAGE,
		    "missq=yes: the string's miss queue of %" PRIu32
		    " would never take a miss; wanted at least %" PRIu32,
		    t->missq, least);
	if (g->shared && !s->unified && t->alloc != 's')
		return rp_fail(err, RP_USAGE,
		    "shared= only says something of alloc s, and of presets whose L1 and shared "
		    "memory are one");
	if (s->slices > 1 && s->slicing == RP_GPU_SLICE_HASH &&
	    (s->slices % 2 || t->line > SLICE_LINE_MOST))
		return rp_fail(err, RP_USAGE,
		    "slicing=hash wants an even number of slices and lines of up to %d bytes",
		    SLICE_LINE_MOST);
	if ((uint64_t)s->slices * t->sets * t->ways > RP_GPU_LINES_MOST ||
	    (uint64_t)s->slices * t->entries > RP_GPU_LINES_MOST)
		return rp_fail(err, RP_USAGE,
		    "all slices together have more than %d lines or entries", RP_GPU_LINES_MOST);
	return true;
}

static bool
build(const struct given *g, struct rp_gpu_spec *s, struct rp_err *err)
{
	uint64_t shared;
	if (!parse_shared(g->shared, &shared, err))
		return false;
	*s = (struct rp_gpu_spec){ .latency = g->latency,
		.stall = g->stall,
		.level = g->level,
		.clock = g->clock,
		.queue = g->missq,
		.copies = g->copies,
		.classify = g->classify,
		.slices = 1,
		.slicing = g->slicing };
	if (g->string && g->preset)
		return rp_fail(err, RP_USAGE, "gpgpusim= and preset=: give one of them");
	if (g->preset ? !apply_preset(g, shared, s, err)
		      : !rp_gpu_string_parse(g->string, &s->string, err) &&
			    !rp_err_wrap(err, "gpgpusim="))
		return false;
	if (g->shared && s->string.alloc == 's')
		s->shared = shared ? RP_GPU_SHARED_SOME : RP_GPU_SHARED_NONE;
	s->dirty = g->has_dirty ? g->dirty : s->dirty;
	s->slices = g->has_slices ? g->slices : s->slices;
	return check(g, s, err);
}

struct rp_gpu_spec *
rp_gpu_spec_parse(char *text, const char **name, struct rp_err *err)
{
	struct given g = { .name = "" };
	const char *word;
	struct rp_gpu_spec *s = rp_mem_array(1, sizeof *s, err);
	if (!s)
		return NULL;
	if (!rp_opts_default(rp_gpu_keys, &g, err) || !rp_spec_split(text, &word, set_key, &g, err))
		goto bad;
	if (*word) {
		rp_fail(
		    err, RP_USAGE, "'%.40s' beside gpgpusim= or preset=: wanted only keys", word);
		goto bad;
	}
	if (!build(&g, s, err))
		goto bad;
	*name = g.name ? g.name : "";
	return s;
bad:
	free(s);
	return NULL;
}

bool
rp_gpu_spec_print(const struct rp_gpu_spec *s, struct rp_buf *to, struct rp_err *err)
{
	char text[RP_GPU_STRING_ROOM];
	bool ok = rp_buf_printf(to, err,
	    "gpgpusim=%s,level=%s,latency=%" PRIu64 ",clock=%s,stall=%s,dirty=%u,missq=%s",
	    rp_gpu_string_print(text, &s->string), level_names[s->level], s->latency,
	    clock_names[s->clock], stall_names[s->stall], s->dirty, s->queue ? "yes" : "no");
	if (s->shared)
		ok = ok && rp_buf_printf(to, err, ",shared=%d", s->shared == RP_GPU_SHARED_SOME);
	if (s->slices > 1)
		ok = ok && rp_buf_printf(to, err, ",slices=%" PRIu32 ",slicing=%s", s->slices,
			       slicing_names[s->slicing]);
	if (s->level == RP_GPU_L2)
		ok = ok && rp_buf_printf(to, err, ",copies=%s", s->copies ? "yes" : "no");
	if (s->classify)
		ok = ok && rp_buf_printf(to, err, ",classify=yes");
	return ok;
}

const char *
rp_gpu_spec_warning(const struct rp_gpu_spec *s, unsigned k)
{
	if (s->bypassed && !k--)
		return "on this GPU global accesses bypass L1 by default; here they are cached "
		       "(leave them out with --space local)";
	return rp_gpu_string_warning(&s->string, k);
}
