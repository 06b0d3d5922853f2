/* trace.c - what is known about a trace beside its accesses. */
#include "config.h"

#include "traces/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	SKIPS = sizeof((struct rp_trace *)0)->skipped / sizeof(struct rp_skip),
	WARNINGS = sizeof((struct rp_trace *)0)->warnings / sizeof(char *)
};

struct rp_trace *
rp_trace_new(const char *format, struct rp_err *err)
{
	struct rp_trace *t = rp_mem_array(1, sizeof *t, err);
	if (t)
		t->format = format;
	return t;
}

void
rp_trace_free(struct rp_trace *t)
{
	if (!t)
		return;
	free(t->sources);
	free(t->kernels);
	json_decref(t->extra);
	rp_arena_free(&t->arena);
	free(t);
}

bool
rp_trace_source(struct rp_trace *t, const char *name, struct rp_err *err)
{
	char *copy = rp_arena_string(&t->arena, name, err);
	void *p = copy ? rp_mem_grow(t->sources, t->n_sources + 1, sizeof *t->sources, err) : NULL;
	if (!p)
		return false;
	t->sources = p;
	t->sources[t->n_sources++] = copy;
	return true;
}

void
rp_trace_skip(struct rp_trace *t, const char *reason, uint64_t n)
{
	size_t i = 0;
	while (i < t->n_skipped && strcmp(t->skipped[i].reason, reason))
		i++;
	if (i == t->n_skipped) {
		if (i == SKIPS)
			i--;
		else
			t->skipped[t->n_skipped++] = (struct rp_skip){ reason, 0 };
	}
	t->skipped[i].n += n;
}

void
rp_trace_warn(struct rp_trace *t, const char *format, ...)
{
	char text[512];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	size_t i = t->n_warnings++;
	if (i < WARNINGS)
		t->warnings[i] = rp_arena_string(&t->arena, text, NULL);
}

struct rp_kernel_launch *
rp_trace_kernel(struct rp_trace *t, struct rp_err *err)
{
	size_t n = t->n_kernels;
	if ((n & (n - 1)) == 0) { /* full at each power of two */
		void *p = rp_mem_grow(t->kernels, n ? 2 * n : 1, sizeof *t->kernels, err);
		if (!p)
			return NULL;
		t->kernels = p;
	}
	t->kernels[n] = (struct rp_kernel_launch){ .name = (char *)"", .warps = 1 };
	t->n_kernels++;
	return &t->kernels[n];
}

static const char *const space_name[RP_GPU_SPACES] = { "global", "local", "shared", "generic" };

static json_t *
space_json(const struct rp_gpu_space *s)
{
	return json_pack("{sI sI sI sI sI}", "instructions", (json_int_t)s->instructions, "lanes",
	    (json_int_t)s->lanes, "read_sectors", (json_int_t)s->read_sectors, "write_sectors",
	    (json_int_t)s->write_sectors, "lines", (json_int_t)s->lines);
}

static json_t *
out_of_memory(struct rp_err *err)
{
	rp_fail(err, RP_RESOURCE, "out of memory: metadata");
	return NULL;
}

json_t *
rp_gpu_stats_json(const struct rp_gpu_stats *g, struct rp_err *err)
{
	json_t *spaces = json_object();
	for (int i = 0; i < RP_GPU_SPACES; i++)
		if (json_object_set_new(spaces, space_name[i], space_json(&g->space[i]))) {
			json_decref(spaces);
			return out_of_memory(err);
		}
	json_t *o = json_pack("{sI sI sI sI sI so}", "blocks", (json_int_t)g->blocks, "warps",
	    (json_int_t)g->warps, "instructions", (json_int_t)g->instructions,
	    "memory_instructions", (json_int_t)g->memory_instructions, "mask_zero",
	    (json_int_t)g->mask_zero, "spaces", spaces);
	return o ? o : out_of_memory(err);
}

/* The list with room for one more, which has been full at each power of two. */
static bool
room_for_early(struct rp_trace *t, struct rp_kernel_launch *k, struct rp_err *err)
{
	size_t n = k->n_early;
	if (n & (n - 1))
		return true;
	struct rp_block_run *p = rp_arena_take(&t->arena, (n ? 2 * n : 1) * sizeof *p, err);
	if (!p)
		return false;
	if (n)
		memcpy(p, k->early, n * sizeof *p);
	k->early = p;
	return true;
}

bool
rp_launch_early(
    struct rp_trace *t, struct rp_kernel_launch *k, struct rp_block_run run, struct rp_err *err)
{
	const uint64_t most = UINT64_C(1) << 32;
	struct rp_block_run *last = k->n_early ? &k->early[k->n_early - 1] : NULL;
	bool again = last && last->at == run.at;
	if (run.n == 0 || run.at > most - run.n || run.block > most - run.n ||
	    (last && !again && run.at < last->at + last->n))
		return rp_fail(err, RP_INPUT,
		    "metadata: %" PRIu32 " blocks from %" PRIu32
		    " on cannot begin at place %" PRIu64 " of their kernel",
		    run.n, run.block, run.at);
	if (again) {
		*last = run;
		return true;
	}
	if (last && last->at + last->n == run.at && (uint64_t)last->block + last->n == run.block &&
	    last->n + (uint64_t)run.n <= UINT32_MAX) {
		last->n += run.n;
		return true;
	}
	if (!room_for_early(t, k, err))
		return false;
	k->early[k->n_early++] = run;
	return true;
}

static json_t *
early_json(const struct rp_kernel_launch *k)
{
	json_t *runs = json_array();
	for (size_t i = 0; i < k->n_early; i++)
		json_array_append_new(
		    runs, json_pack("[III]", (json_int_t)k->early[i].at,
			      (json_int_t)k->early[i].block, (json_int_t)k->early[i].n));
	return runs;
}

static json_t *
launch_json(const struct rp_kernel_launch *k)
{
	json_t *o =
	    json_pack("{ss sI s[III] s[III] sI sI}", "name", k->name, "id", (json_int_t)k->id,
		"grid", (json_int_t)k->grid[0], (json_int_t)k->grid[1], (json_int_t)k->grid[2],
		"block", (json_int_t)k->block[0], (json_int_t)k->block[1], (json_int_t)k->block[2],
		"warps", (json_int_t)k->warps, "shared_bytes", (json_int_t)k->shared_bytes);
	if (o && k->sm) {
		json_t *sm = json_array();
		for (size_t i = 0; i < k->blocks; i++)
			json_array_append_new(sm, json_integer(k->sm[i]));
		json_object_set_new(o, "sm", sm);
	}
	if (o && k->n_early)
		json_object_set_new(o, "early", early_json(k));
	return o;
}

json_t *
rp_trace_json(const struct rp_trace *t, struct rp_err *err)
{
	json_t *skipped = json_object(), *kernels = json_array(), *o = json_object();
	bool ok = skipped && kernels && o;
	for (size_t i = 0; ok && i < t->n_skipped; i++)
		ok = !json_object_set_new(
		    skipped, t->skipped[i].reason, json_integer((json_int_t)t->skipped[i].n));
	for (size_t i = 0; ok && i < t->n_kernels; i++)
		ok = !json_array_append_new(kernels, launch_json(&t->kernels[i]));
	ok = ok && !json_object_set_new(o, "format", json_string(t->format));
	ok = ok && !json_object_set(o, "skipped", skipped) &&
	     !json_object_set(o, "kernels", kernels);
	json_decref(skipped);
	json_decref(kernels);
	if (ok && t->warps)
		ok = !json_object_set_new(o, "streams", json_string("warps"));
	if (ok && t->preamble)
		ok = !json_object_set_new(o, "preamble", json_integer((json_int_t)t->preamble));
	if (ok && t->has_gpu)
		ok = !json_object_set_new(o, "gpu", rp_gpu_stats_json(&t->gpu, err));
	if (ok && t->extra)
		ok = !json_object_set(o, "extra", t->extra);
	if (ok)
		return o;
	json_decref(o);
	return out_of_memory(err);
}

/* Reads member `key`, a whole number in 0..most, into *out where it is present. */
static bool
member(const json_t *o, const char *key, uint64_t most, uint64_t *out, struct rp_err *err)
{
	const json_t *v = json_object_get(o, key);
	if (!v)
		return true;
	json_int_t x = json_integer_value(v);
	if (!json_is_integer(v) || x < 0 || (uint64_t)x > most)
		return rp_fail(
		    err, RP_INPUT, "metadata: '%s' is no whole number up to %" PRIu64, key, most);
	*out = (uint64_t)x;
	return true;
}

static bool
triple(const json_t *o, const char *key, uint32_t out[3], struct rp_err *err)
{
	const json_t *v = json_object_get(o, key);
	for (size_t i = 0; v && i < 3; i++) {
		json_int_t x = json_integer_value(json_array_get(v, i));
		if (x < 0 || x > UINT32_MAX)
			return rp_fail(err, RP_INPUT, "metadata: '%s' is not three numbers", key);
		out[i] = (uint32_t)x;
	}
	return true;
}

static bool
sm_from(struct rp_trace *t, struct rp_kernel_launch *k, const json_t *sm, struct rp_err *err)
{
	if (!json_is_array(sm))
		return true;
	k->blocks = json_array_size(sm);
	k->sm = rp_arena_take(&t->arena, k->blocks * sizeof *k->sm, err);
	for (size_t i = 0; k->sm && i < k->blocks; i++)
		k->sm[i] = (uint32_t)json_integer_value(json_array_get(sm, i));
	return k->sm != NULL;
}

static bool
early_from(struct rp_trace *t, struct rp_kernel_launch *k, const json_t *runs, struct rp_err *err)
{
	if (runs && !json_is_array(runs))
		return rp_fail(err, RP_INPUT, "metadata: 'early' is no list");
	for (size_t i = 0; i < json_array_size(runs); i++) {
		const json_t *run = json_array_get(runs, i);
		json_int_t x[3];
		for (size_t j = 0; j < 3; j++) {
			const json_t *v = json_array_get(run, j);
			x[j] = json_integer_value(v);
			if (!json_is_integer(v) || x[j] < 0 || x[j] > UINT32_MAX)
				return rp_fail(err, RP_INPUT,
				    "metadata: 'early' is not made of three numbers");
		}
		if (!rp_launch_early(t, k,
			(struct rp_block_run){ (uint64_t)x[0], (uint32_t)x[1], (uint32_t)x[2] },
			err))
			return false;
	}
	return true;
}

/* What has become known of a launch that is there already. */
static bool
more_early_from(struct rp_trace *t, const json_t *o, struct rp_err *err)
{
	uint64_t kernel = UINT64_MAX;
	if (!o)
		return true;
	if (!member(o, "kernel", INT64_MAX, &kernel, err))
		return false;
	if (kernel >= t->n_kernels)
		return rp_fail(err, RP_INPUT, "metadata: 'early' is of no kernel that is known");
	return early_from(t, &t->kernels[kernel], json_object_get(o, "runs"), err);
}

static bool
launch_from(struct rp_trace *t, const json_t *o, struct rp_err *err)
{
	struct rp_kernel_launch *k = rp_trace_kernel(t, err);
	uint64_t warps = 1;
	const char *name = json_string_value(json_object_get(o, "name"));
	if (!k || (name && !(k->name = rp_arena_string(&t->arena, name, err))))
		return false;
	if (!member(o, "id", INT64_MAX, &k->id, err) ||
	    !member(o, "warps", UINT32_MAX, &warps, err) ||
	    !member(o, "shared_bytes", INT64_MAX, &k->shared_bytes, err) ||
	    !triple(o, "grid", k->grid, err) || !triple(o, "block", k->block, err))
		return false;
	k->warps = warps ? (uint32_t)warps : 1;
	return early_from(t, k, json_object_get(o, "early"), err) &&
	       sm_from(t, k, json_object_get(o, "sm"), err);
}

static bool
space_from(const json_t *o, struct rp_gpu_space *s, struct rp_err *err)
{
	return member(o, "instructions", INT64_MAX, &s->instructions, err) &&
	       member(o, "lanes", INT64_MAX, &s->lanes, err) &&
	       member(o, "read_sectors", INT64_MAX, &s->read_sectors, err) &&
	       member(o, "write_sectors", INT64_MAX, &s->write_sectors, err) &&
	       member(o, "lines", INT64_MAX, &s->lines, err);
}

static bool
gpu_from(struct rp_gpu_stats *g, const json_t *o, struct rp_err *err)
{
	const json_t *spaces = json_object_get(o, "spaces");
	for (int i = 0; i < RP_GPU_SPACES; i++)
		if (!space_from(json_object_get(spaces, space_name[i]), &g->space[i], err))
			return false;
	return member(o, "blocks", INT64_MAX, &g->blocks, err) &&
	       member(o, "warps", INT64_MAX, &g->warps, err) &&
	       member(o, "instructions", INT64_MAX, &g->instructions, err) &&
	       member(o, "memory_instructions", INT64_MAX, &g->memory_instructions, err) &&
	       member(o, "mask_zero", INT64_MAX, &g->mask_zero, err);
}

static bool
skipped_from(struct rp_trace *t, json_t *o, struct rp_err *err)
{
	const char *key;
	json_t *v;
	json_object_foreach(o, key, v)
	{
		uint64_t n = 0;
		const char *reason = rp_arena_string(&t->arena, key, err);
		if (!reason || !member(o, key, INT64_MAX, &n, err))
			return false;
		rp_trace_skip(t, reason, n);
	}
	return true;
}

bool
rp_trace_from_json(struct rp_trace *t, const json_t *from, struct rp_err *err)
{
	const char *streams = json_string_value(json_object_get(from, "streams"));
	const json_t *kernels = json_object_get(from, "kernels"),
		     *gpu = json_object_get(from, "gpu");
	json_t *extra = json_object_get(from, "extra");
	if (!json_is_object(from))
		return rp_fail(err, RP_INPUT, "metadata: not an object");
	if (streams && !strcmp(streams, "warps"))
		t->warps = true;
	if (!member(from, "preamble", INT64_MAX, &t->preamble, err) ||
	    !skipped_from(t, json_object_get(from, "skipped"), err))
		return false;
	if (!more_early_from(t, json_object_get(from, "early"), err))
		return false;
	for (size_t i = 0; i < json_array_size(kernels); i++)
		if (!launch_from(t, json_array_get(kernels, i), err))
			return false;
	if (gpu) {
		t->has_gpu = true;
		if (!gpu_from(&t->gpu, gpu, err))
			return false;
	}
	if (json_is_object(extra)) {
		json_decref(t->extra);
		t->extra = json_incref(extra);
	}
	return true;
}

static void
gpu_add(struct rp_gpu_stats *to, const struct rp_gpu_stats *g)
{
	to->blocks += g->blocks;
	to->warps += g->warps;
	to->instructions += g->instructions;
	to->memory_instructions += g->memory_instructions;
	to->mask_zero += g->mask_zero;
	for (int i = 0; i < RP_GPU_SPACES; i++) {
		to->space[i].instructions += g->space[i].instructions;
		to->space[i].lanes += g->space[i].lanes;
		to->space[i].read_sectors += g->space[i].read_sectors;
		to->space[i].write_sectors += g->space[i].write_sectors;
		to->space[i].lines += g->space[i].lines;
	}
}

bool
rp_trace_merge(struct rp_trace *t, const struct rp_trace *from, struct rp_err *err)
{
	for (size_t i = 0; i < from->n_sources; i++)
		if (!rp_trace_source(t, from->sources[i], err))
			return false;
	for (size_t i = 0; i < from->n_skipped; i++) {
		const char *reason = rp_arena_string(&t->arena, from->skipped[i].reason, err);
		if (!reason)
			return false;
		rp_trace_skip(t, reason, from->skipped[i].n);
	}
	for (size_t i = 0; i < from->n_warnings && i < WARNINGS; i++)
		rp_trace_warn(t, "%s", from->warnings[i] ? from->warnings[i] : "");
	for (size_t i = 0; i < from->n_kernels; i++) {
		struct rp_kernel_launch *k = rp_trace_kernel(t, err);
		if (!k)
			return false;
		*k = from->kernels[i];
		k->sm = NULL;
		k->blocks = 0;
		k->early = NULL;
		k->n_early = 0;
		if (!(k->name = rp_arena_string(&t->arena, from->kernels[i].name, err)))
			return false;
	}
	t->has_gpu |= from->has_gpu;
	gpu_add(&t->gpu, &from->gpu);
	return true;
}
