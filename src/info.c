/* info.c - `reprise info`: describe and verify traces. */
#include "config.h"

#include "command.h"
#include "input.h"
#include "seen.h"

#include "traces/format/rpz.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct info_opts {
	struct rp_input_opts in;
	const char *output;
	bool json, verify;
};

#define OPT(field) offsetof(struct info_opts, field)
static const struct rp_opt opts[] = {
	{ "verify", 0, NULL, RP_OPT_FLAG, OPT(verify), NULL,
	    "check everything that can be checked, and list all damage of a .rpz" },
	RP_INPUT_ROWS(struct info_opts),
	{ "json", 0, NULL, RP_OPT_FLAG, OPT(json), NULL, "print JSON" },
	{ "output", 'o', "FILE", RP_OPT_TEXT, OPT(output), "-", "where to print" },
	{ 0 },
};

/* What a pass over the trace finds. */
struct facts {
	struct rp_seen seen;
	uint64_t kind[RP_MARKS_END], bytes, address_min, address_max, time_min, time_max,
	    times_that_fall;
	uint32_t size_min, size_max;
	bool timed;
};

static void
look(struct facts *f, const struct rp_batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		f->kind[b->kind[i]]++;
		if (b->kind[i] >= RP_MARKS)
			continue;
		uint64_t last = b->addr[i] + b->size[i] - 1;
		f->bytes += b->size[i];
		f->address_min = b->addr[i] < f->address_min ? b->addr[i] : f->address_min;
		f->address_max = last > f->address_max ? last : f->address_max;
		f->size_min = b->size[i] < f->size_min ? b->size[i] : f->size_min;
		f->size_max = b->size[i] > f->size_max ? b->size[i] : f->size_max;
		if (b->time) {
			f->timed = true;
			f->time_min = b->time[i] < f->time_min ? b->time[i] : f->time_min;
			f->time_max = b->time[i] > f->time_max ? b->time[i] : f->time_max;
		}
	}
}

static bool
look_all(struct facts *f, struct rp_source *s, const struct rp_input_opts *in, struct rp_err *err)
{
	*f = (struct facts){
		.address_min = UINT64_MAX, .time_min = UINT64_MAX, .size_min = UINT32_MAX
	};
	struct rp_batch *b = rp_batch_new(RP_BATCH, s->trace->columns, err);
	struct rp_progress progress;
	rp_input_progress(&progress, in);
	ptrdiff_t n = b ? 1 : -1;
	while (n > 0 && !rp_interrupted) {
		rp_batch_clear(b);
		n = rp_source_pull(s, b, err);
		if (n > 0 && !rp_seen_batch(&f->seen, b, err))
			n = -1;
		if (n > 0)
			look(f, b);
		rp_input_tell(&progress, in, s->trace, f->seen.accesses);
	}
	rp_progress_end(&progress);
	rp_batch_free(b);
	return n >= 0;
}

static json_t *
hex(uint64_t x)
{
	return json_sprintf("0x%" PRIx64, x);
}

static json_t *
kernels_json(const struct rp_trace *t)
{
	json_t *list = json_array();
	for (size_t i = 0; i < t->n_kernels; i++) {
		const struct rp_kernel_launch *k = &t->kernels[i];
		json_array_append_new(list,
		    json_pack("{so sI s[III] s[III]}", "name", rp_emit_text(k->name), "id",
			(json_int_t)k->id, "grid", (json_int_t)k->grid[0], (json_int_t)k->grid[1],
			(json_int_t)k->grid[2], "block", (json_int_t)k->block[0],
			(json_int_t)k->block[1], (json_int_t)k->block[2]));
	}
	return list;
}

static json_t *
columns_json(unsigned columns)
{
	static const struct {
		unsigned bit;
		const char *name;
	} column[] = { { RP_COL_STREAM, "stream" }, { RP_COL_TIME, "time" }, { RP_COL_PC, "pc" },
		{ RP_COL_MASK, "mask" }, { RP_COL_FLAGS, "space" } };
	json_t *list = json_pack("[s s s]", "address", "size", "op");
	for (size_t i = 0; i < sizeof column / sizeof *column; i++)
		if (columns & column[i].bit)
			json_array_append_new(list, json_string(column[i].name));
	return list;
}

static json_t *
document(const struct facts *f, struct rp_trace *t, struct rp_err *err)
{
	json_t *kinds = json_object(), *doc;
	json_t *trace = rp_input_json(t, &f->seen, err);
	for (unsigned k = 0; k < RP_MARKS_END; k++)
		if (f->kind[k])
			json_object_set_new(
			    kinds, rp_kind_name((enum rp_kind)k), rp_emit_count(f->kind[k]));
	doc = json_pack("{ss ss so so so so}", "reprise", PACKAGE_VERSION, "command", "info",
	    "trace", trace, "kinds", kinds, "columns", columns_json(t->columns), "bytes",
	    rp_emit_count(f->bytes));
	if (!doc) {
		rp_fail(err, RP_RESOURCE, "out of memory: results");
		return NULL;
	}
	if (f->seen.accesses) {
		json_object_set_new(doc, "address_min", hex(f->address_min));
		json_object_set_new(doc, "address_max", hex(f->address_max));
		json_object_set_new(doc, "size_min", rp_emit_count(f->size_min));
		json_object_set_new(doc, "size_max", rp_emit_count(f->size_max));
	}
	if (f->timed) {
		json_object_set_new(doc, "time_min", rp_emit_count(f->time_min));
		json_object_set_new(doc, "time_max", rp_emit_count(f->time_max));
	}
	if (t->preamble)
		json_object_set_new(doc, "preamble", rp_emit_count(t->preamble));
	if (t->n_kernels)
		json_object_set_new(doc, "kernels", kernels_json(t));
	if (t->has_gpu)
		json_object_set_new(doc, "gpu", rp_gpu_stats_json(&t->gpu, err));
	json_object_set_new(doc, "warnings", rp_input_warnings(t, err));
	return doc;
}

/* One line for each member that is a plain value. */
static bool
print_plain(struct rp_out *to, json_t *o, const char *const *keys, struct rp_err *err)
{
	for (; *keys; keys++) {
		json_t *v = json_object_get(o, *keys);
		char n[32];
		if (json_is_string(v) &&
		    !rp_out_printf(to, err, "%-12s  %s\n", *keys, json_string_value(v)))
			return false;
		if (json_is_integer(v) && !rp_out_printf(to, err, "%-12s  %s\n", *keys,
					      rp_print_count(n, (uint64_t)json_integer_value(v))))
			return false;
	}
	return true;
}

static bool
print_gpu(struct rp_out *to, json_t *gpu, struct rp_err *err)
{
	static const char *const plain[] = { "blocks", "warps", "instructions",
		"memory_instructions", "mask_zero", NULL };
	static const struct rp_view view[] = { { "space", "space", RP_CELL_TEXT },
		{ "instructions", "instructions", RP_CELL_COUNT },
		{ "lanes", "lanes", RP_CELL_COUNT },
		{ "read sectors", "read_sectors", RP_CELL_COUNT },
		{ "write sectors", "write_sectors", RP_CELL_COUNT },
		{ "lines", "lines", RP_CELL_COUNT } };
	const char *key;
	json_t *rows = json_array(), *v;
	json_object_foreach(json_object_get(gpu, "spaces"), key, v)
	{
		json_t *row = json_copy(v);
		json_object_set_new(row, "space", json_string(key));
		json_array_append_new(rows, row);
	}
	bool ok = rp_out_printf(to, err, "\nGPU\n") && print_plain(to, gpu, plain, err) &&
	          rp_emit_table(to, rows, view, sizeof view / sizeof *view, false, err);
	json_decref(rows);
	return ok;
}

static bool
print_kernels(struct rp_out *to, json_t *kernels, struct rp_err *err)
{
	size_t i;
	json_t *k;
	bool ok = rp_out_printf(to, err, "\nkernels\n");
	json_array_foreach(kernels, i, k)
	{
		json_t *g = json_object_get(k, "grid"), *b = json_object_get(k, "block");
		ok = ok && rp_out_printf(to, err,
			       "%4" JSON_INTEGER_FORMAT "  grid %" JSON_INTEGER_FORMAT
			       ",%" JSON_INTEGER_FORMAT ",%" JSON_INTEGER_FORMAT
			       "  block %" JSON_INTEGER_FORMAT ",%" JSON_INTEGER_FORMAT
			       ",%" JSON_INTEGER_FORMAT "  %.40s\n",
			       json_integer_value(json_object_get(k, "id")),
			       json_integer_value(json_array_get(g, 0)),
			       json_integer_value(json_array_get(g, 1)),
			       json_integer_value(json_array_get(g, 2)),
			       json_integer_value(json_array_get(b, 0)),
			       json_integer_value(json_array_get(b, 1)),
			       json_integer_value(json_array_get(b, 2)),
			       json_string_value(json_object_get(k, "name")));
	}
	return ok;
}

static bool
print_text(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	static const char *const plain[] = { "bytes", "address_min", "address_max", "size_min",
		"size_max", "time_min", "time_max", "preamble", NULL };
	static const char *const rpz[] = { "version", "file_bytes", "blocks", "block", "level",
		NULL };
	const char *key;
	json_t *v;
	size_t i;
	char n[32];
	bool ok =
	    rp_input_print(to, json_object_get(doc, "trace"), err) && rp_out_printf(to, err, "\n");
	json_object_foreach(json_object_get(doc, "kinds"), key, v)
	{
		ok = ok && rp_out_printf(to, err, "%-12s  %s\n", key,
			       rp_print_count(n, (uint64_t)json_integer_value(v)));
	}
	ok = ok && print_plain(to, doc, plain, err);
	if (ok && (v = json_object_get(doc, "rpz")))
		ok = rp_out_printf(to, err, "\n.rpz\n") && print_plain(to, v, rpz, err);
	if (ok && (v = json_object_get(doc, "kernels")))
		ok = print_kernels(to, v, err);
	if (ok && (v = json_object_get(doc, "gpu")))
		ok = print_gpu(to, v, err);
	json_array_foreach(json_object_get(doc, "warnings"), i, v)
	{
		ok = ok &&
		     rp_out_printf(to, err, "%swarning: %s\n", i ? "" : "\n", json_string_value(v));
	}
	return ok;
}

static bool
print(const struct info_opts *o, json_t *doc, struct rp_err *err)
{
	struct rp_out *to = doc ? rp_out_open(o->output, err) : NULL;
	rp_emit_begin();
	bool ok = to && (o->json ? rp_emit_json(to, doc, err) : print_text(to, doc, err));
	return rp_emit_close(to, doc, ok, err);
}

/* What --verify found in one file. */
static void
add_damage(void *to, const char *text)
{
	json_array_append_new(to, rp_emit_text(text));
}

/* A .rpz is checked block by block; of any other trace, reading it through is the check. */
static json_t *
verify_one(const struct info_opts *o, char *path, struct rp_err *err)
{
	struct rp_read_opts read = { .threads = rp_input_threads(&o->in), .stop = &rp_interrupted };
	struct rp_rpz_report report = { 0 };
	struct facts f = { 0 };
	json_t *damage = json_array();
	struct rp_source *s = NULL;
	bool rpz = rp_input_is_rpz(path), ok;
	if (rpz) {
		ok = rp_rpz_verify(path, &read, add_damage, damage, &report, err);
	} else {
		s = rp_input_open(&o->in, 1, &path, false, NULL, err);
		ok = s && look_all(&f, s, &o->in, err);
		report.accesses = f.seen.accesses;
	}
	rp_source_close(s);
	rp_seen_free(&f.seen);
	if (!ok) { /* not to be read at all: that is an error, not a finding */
		json_decref(damage);
		return NULL;
	}
	json_t *one = json_pack("{so so sI so}", "file", rp_emit_text(path), "sound",
	    json_boolean(json_array_size(damage) == 0), "accesses", (json_int_t)report.accesses,
	    "damage", damage);
	if (one && rpz)
		json_object_set_new(one, "blocks", rp_emit_count(report.blocks));
	return one;
}

static bool
print_verified(const struct info_opts *o, json_t *doc, struct rp_err *err)
{
	struct rp_out *to = rp_out_open(o->output, err);
	json_t *one, *d;
	size_t i, k;
	bool ok = to != NULL;
	rp_emit_begin();
	if (ok && o->json)
		ok = rp_emit_json(to, doc, err);
	json_array_foreach(o->json ? NULL : json_object_get(doc, "verify"), i, one)
	{
		char n[32];
		const char *file = json_string_value(json_object_get(one, "file"));
		rp_print_count(n, (uint64_t)json_integer_value(json_object_get(one, "accesses")));
		ok =
		    ok && rp_out_printf(to, err, "%s: %s, %s accesses\n", file,
			      json_is_true(json_object_get(one, "sound")) ? "sound" : "DAMAGED", n);
		json_array_foreach(json_object_get(one, "damage"), k, d)
		{
			ok = ok && rp_out_printf(to, err, "  %s\n", json_string_value(d));
		}
	}
	return rp_emit_close(to, doc, ok, err);
}

static bool
verify(const struct info_opts *o, int n, char **traces, struct rp_err *err)
{
	json_t *list = json_array();
	unsigned damaged = 0;
	bool ok = list != NULL;
	if (n < 1)
		ok = rp_fail(err, RP_USAGE, "wanted a trace to verify");
	for (int i = 0; ok && i < n; i++) {
		json_t *one = verify_one(o, traces[i], err);
		ok = one != NULL;
		damaged += ok && !json_is_true(json_object_get(one, "sound"));
		json_array_append_new(list, one);
	}
	json_t *doc =
	    json_pack("{ss ss so}", "reprise", PACKAGE_VERSION, "command", "info", "verify", list);
	ok = ok && print_verified(o, doc, err);
	json_decref(doc);
	if (ok && damaged)
		ok = rp_fail(err, RP_FAILED, "%u of %d trace%s damaged", damaged, n,
		    n == 1 ? " is" : "s are");
	return ok;
}

/* The container of a single .rpz: version, blocks, size. */
static bool
add_rpz(json_t *doc, const char *path, struct rp_err *err)
{
	struct rp_rpz_info i;
	if (!rp_rpz_read_info(path, &i, err))
		return false;
	rp_emit_begin();
	json_object_set_new(doc, "rpz",
	    json_pack("{so sI sI sI sI so}", "version", json_sprintf("%u.%u", i.major, i.minor),
		"file_bytes", (json_int_t)i.file_bytes, "blocks", (json_int_t)i.blocks, "block",
		(json_int_t)i.block, "level", (json_int_t)i.level, "bytes_per_access",
		i.accesses ? json_real((double)i.file_bytes / (double)i.accesses) : json_null()));
	return rp_emit_whole(doc, err);
}

static bool
run_info(void *options, int n, char **traces, struct rp_err *err)
{
	const struct info_opts *o = options;
	struct facts f = { 0 };
	if (o->verify)
		return verify(o, n, traces, err);
	struct rp_source *s = rp_input_open(&o->in, n, traces, false, NULL, err);
	bool ok = s && look_all(&f, s, &o->in, err);
	if (ok) {
		rp_emit_begin();
		json_t *doc = document(&f, s->trace, err);
		ok = rp_emit_whole(doc, err);
		if (ok && n == 1 && rp_input_is_rpz(traces[0]))
			ok = add_rpz(doc, traces[0], err);
		ok = ok && print(o, doc, err);
		json_decref(doc);
	}
	if (ok && rp_interrupted)
		ok = rp_fail(err, RP_STOPPED,
		    "interrupted; this describes the first %" PRIu64 " accesses", f.seen.accesses);
	rp_source_close(s);
	rp_seen_free(&f.seen);
	return ok;
}

const struct rp_command rp_command_info = {
	.name = "info",
	.what = "describe and verify traces",
	.operands = "TRACE...",
	.example = "reprise info --verify t.rpz",
	.opts = opts,
	.bytes = sizeof(struct info_opts),
	.run = run_info,
};
