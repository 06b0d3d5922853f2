/* input.c - the options that say which accesses a command sees, and the source they make. */
#include "config.h"

#include "input.h"
#include "command.h"

#include "base/emit.h"
#include "base/mem.h"
#include "base/opt_json.h"
#include "base/parse.h"
#include "gen/gen.h"
#include "traces/format/rpz.h"
#include "traces/interleave.h"
#include "traces/window.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
rp_check_u64(const char *value, struct rp_err *err)
{
	uint64_t x;
	return rp_parse_u64(value, &x, err);
}

/* A list of words, as bits of their places in `names`. */
static bool
parse_words(
    const char *text, const char *const *names, size_t n, unsigned *bits, struct rp_err *err)
{
	*bits = 0;
	for (const char *p = text;;) {
		size_t len = strcspn(p, ","), i = 0;
		while (
		    i < n && !(names[i] && strlen(names[i]) == len && !strncmp(names[i], p, len)))
			i++;
		if (i == n) {
			char all[128] = "";
			for (size_t k = 0; k < n; k++)
				if (names[k]) {
					size_t at = strlen(all);
					snprintf(all + at, sizeof all - at, "%s%s", at ? ", " : "",
					    names[k]);
				}
			return rp_fail(err, RP_USAGE, "'%.*s' is none of %s",
			    (int)(len < 40 ? len : 40), p, all);
		}
		*bits |= 1u << i;
		if (!p[len])
			return true;
		p += len + 1;
	}
}

static bool
parse_kinds(const char *text, unsigned *bits, struct rp_err *err)
{
	const char *names[RP_KINDS];
	for (unsigned k = 0; k < RP_KINDS; k++)
		names[k] = rp_kind_name((enum rp_kind)k);
	return parse_words(text, names, RP_KINDS, bits, err);
}

static const char *const space_name[] = { [RP_GLOBAL] = "global", [RP_LOCAL] = "local" };
static const char *const unit_name[] = {
	[RP_BY_BLOCK] = "block", [RP_BY_WARP] = "warp", [RP_BY_SM] = "sm"
};

static bool
parse_spaces(const char *text, unsigned *bits, struct rp_err *err)
{
	return parse_words(text, space_name, sizeof space_name / sizeof *space_name, bits, err);
}

static bool
parse_unit(const char *text, enum rp_stream_by *by, struct rp_err *err)
{
	unsigned bit;
	if (!parse_words(text, unit_name, 3, &bit, err))
		return false;
	*by = bit & 1 << RP_BY_BLOCK ? RP_BY_BLOCK : bit & 1 << RP_BY_WARP ? RP_BY_WARP : RP_BY_SM;
	return true;
}

bool
rp_check_kinds(const char *value, struct rp_err *err)
{
	unsigned bits;
	return parse_kinds(value, &bits, err);
}

bool
rp_check_spaces(const char *value, struct rp_err *err)
{
	unsigned bits;
	return parse_spaces(value, &bits, err);
}

bool
rp_check_stream_by(const char *value, struct rp_err *err)
{
	enum rp_stream_by by;
	return parse_unit(value, &by, err);
}

unsigned
rp_input_threads(const struct rp_input_opts *o)
{
	long n = o->threads ? (long)o->threads : sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : (unsigned)n;
}

struct asked {
	struct rp_input_opts in;
};
static const struct rp_opt asked_rows[] = { RP_INPUT_ROWS_BUT(struct asked, "access-size"), { 0 } };

json_t *
rp_input_asked(const struct rp_input_opts *o, struct rp_err *err)
{
	struct asked usual = { 0 };
	if (!rp_opts_default(asked_rows, &usual, err))
		return NULL;
	rp_emit_begin();
	json_t *all = rp_opts_json(asked_rows, o), *as_usual = rp_opts_json(asked_rows, &usual), *v;
	const char *name;
	json_object_foreach(as_usual, name, v)
	{
		if (json_equal(json_object_get(all, name), v))
			json_object_del(all, name);
	}
	json_object_del(all, "threads"); /* how it is done changes nothing */
	json_object_del(all, "progress");
	json_object_del(all, "no-progress");
	json_decref(as_usual);
	if (rp_emit_whole(all, err))
		return all;
	json_decref(all);
	return NULL;
}

static const struct rp_opt gpu_rows[] = {
	{ "sms", 0, "N", RP_OPT_U32, offsetof(struct rp_gpu_order, sms), NULL, "SMs", 1, 1 << 20,
	    NULL, NULL },
	{ "resident", 0, "R", RP_OPT_U32, offsetof(struct rp_gpu_order, resident), "1",
	    "blocks at once on an SM", 1, 1 << 16, NULL, NULL },
	{ 0 },
};

static bool
set_gpu(void *to, const char *key, const char *value, struct rp_err *err)
{
	return rp_opts_set(gpu_rows, to, key, value, false, err);
}

static bool
parse_gpu(const char *text, struct rp_gpu_order *order, struct rp_err *err)
{
	const char *word;
	char *copy = rp_mem_string(text, err);
	bool ok = copy && rp_opts_default(gpu_rows, order, err) &&
	          rp_spec_split(copy, &word, set_gpu, order, err);
	if (ok && (*word || !order->sms))
		ok = rp_fail(err, RP_USAGE, "'%.40s': wanted sms=N,resident=R", text);
	free(copy);
	return ok || rp_err_wrap(err, "--gpu");
}

bool
rp_input_is_rpz(const char *path)
{
	unsigned char magic[4];
	struct stat st;
	if (stat(path, &st) || !S_ISREG(st.st_mode)) /* a pipe cannot be looked at twice */
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool yes = fd >= 0 && read(fd, magic, sizeof magic) == (ssize_t)sizeof magic &&
	           !memcmp(magic, "\x89RPZ", sizeof magic);
	if (fd >= 0)
		close(fd);
	return yes;
}

/* A .rpz from access `skip` on. */
static struct rp_source *
open_at(const char *path, const struct rp_read_opts *read, uint64_t skip, struct rp_err *err)
{
	struct rp_rpz_opts part = { .skip = skip };
	struct rp_source *s = rp_rpz_open(path, NULL, read, &part, err);
	if (s && !rp_trace_source(s->trace, path, err)) {
		rp_source_close(s);
		return NULL;
	}
	return s;
}

/* One trace, with GPU streams as asked, from access `seek` on (for which it is a .rpz). */
static struct rp_source *
open_one(
    const struct rp_input_opts *o, const char *path, bool whole, uint64_t seek, struct rp_err *err)
{
	struct rp_read_opts read = {
		.from = o->from,
		.threads = rp_input_threads(o),
		.stop = &rp_interrupted,
		.salvage = o->salvage,
		.size = o->size,
		.object = o->object,
		.keep_empty = o->keep_empty,
		.cloudsuite = o->cloudsuite,
		.csv = o->csv,
		.arch = o->arch < 40 ? o->arch : 0,
		.descending = o->descending,
		.narrow_signed = o->narrow_signed,
		.local_threads = o->local_threads,
	};
	struct rp_gpu_order order = { .stop = &rp_interrupted };
	enum rp_stream_by by = o->gpu ? RP_BY_SM : RP_BY_BLOCK;
	if ((o->stream_by && !parse_unit(o->stream_by, &by, err)) ||
	    (o->gpu && !parse_gpu(o->gpu, &order, err)))
		return NULL;
	struct rp_source *s;
	if (!strncmp(path, "gen:", 4))
		s = rp_gen_open(path + 4, o->seed, err);
	else if (seek)
		s = open_at(path, &read, seek, err);
	else
		s = rp_trace_open(path, &read, err);
	if (!s || (whole && !o->stream_by && !o->gpu))
		return s;
	return rp_gpu_open(s, by, &order, err);
}

/* Whether what --skip leaves out can be told by number alone, and found by an index. */
static bool
seekable(const struct rp_input_opts *o, const char *path)
{
	struct rp_rpz_info info;
	if (o->kinds || o->space || o->gpu || o->from || o->salvage || !rp_input_is_rpz(path))
		return false;
	return !o->no_bypassed ||
	       (rp_rpz_read_info(path, &info, NULL) && !(info.columns & RP_COL_FLAGS));
}

/* A preamble is counted in accesses from the trace's beginning, which selecting, joining or reordering would shift. */
static bool
keeps_preamble(const struct rp_input_opts *o, int n, const char *trace, const struct rp_source *s,
    struct rp_err *err)
{
	if (!s->trace->preamble)
		return true;
	if (n == 1 && !o->kinds && !o->space && !o->streams && !o->gpu &&
	    !strcmp(o->interleave, "recorded"))
		return true;
	return rp_fail(err, RP_USAGE,
	    "%s announces a preamble, which is counted from its beginning: it can be neither "
	    "joined, "
	    "reordered nor filtered",
	    trace);
}

static struct rp_source *
open_all(const struct rp_input_opts *o, int n, char **traces, bool whole, struct rp_window *w,
    struct rp_err *err)
{
	struct rp_interleave how = { 0 };
	if (!rp_interleave_parse(o->interleave, &how, err))
		return NULL;
	how.seed = o->seed;
	how.stop = &rp_interrupted;
	bool plain = n == 1 && how.order == RP_RECORDED && !o->streams;
	uint64_t seek = 0;
	whole = whole && plain;
	/* What is skipped by number alone need not even be decoded, where there is an index. */
	if (plain && w->skip && seekable(o, traces[0])) {
		seek = w->skip;
		w->skip = 0;
	}
	struct rp_source **s = rp_mem_array((size_t)n, sizeof *s, err), *all = NULL;
	int open = 0;
	bool ok = s != NULL;
	while (ok && open < n && (s[open] = open_one(o, traces[open], whole, seek, err))) {
		ok = keeps_preamble(o, n, traces[open], s[open], err);
		if (ok && s[open]->trace->endless && !w->has_limit)
			ok = rp_fail(
			    err, RP_USAGE, "%s never ends by itself: say --limit N", traces[open]);
		open++;
	}
	if (ok && open == n)
		all = n == 1 && how.order == RP_RECORDED
		          ? s[0]
		          : rp_interleave_open(s, (size_t)n, &how, err);
	else
		while (open > 0)
			rp_source_close(s[--open]);
	free(s);
	free(how.rates);
	return all;
}

struct rp_source *
rp_input_open(const struct rp_input_opts *o, int n, char **traces, bool whole, uint64_t *warmup,
    struct rp_err *err)
{
	struct rp_window w = { .stop = &rp_interrupted };
	uint64_t *streams = NULL;
	if (n < 1) {
		rp_fail(
		    err, RP_USAGE, "wanted a trace: a file, - for standard input, or gen:KIND,...");
		return NULL;
	}
	if ((o->kinds && !parse_kinds(o->kinds, &w.kinds, err)) ||
	    (o->space && !parse_spaces(o->space, &w.spaces, err)) ||
	    (o->skip && !rp_parse_u64(o->skip, &w.skip, err)) ||
	    (o->limit && !rp_parse_u64(o->limit, &w.limit, err)))
		return NULL;
	uint64_t skip = w.skip;
	w.has_limit = o->limit != NULL;
	w.no_bypassed = o->no_bypassed;
	if (o->streams) {
		if (!rp_parse_list(o->streams, false, &streams, &w.n_streams, err)) {
			rp_err_wrap(err, "--streams");
			return NULL;
		}
		w.streams = streams;
	}
	struct rp_source *s = open_all(o, n, traces, whole, &w, err);
	if (s) {
		uint64_t preamble = s->trace->preamble;
		s->trace->preamble = preamble > skip ? preamble - skip : 0;
		s = rp_window_open(s, &w, err);
	}
	if (s && warmup)
		*warmup = s->trace->preamble;
	free(streams);
	return s;
}

json_t *
rp_input_json(struct rp_trace *t, const struct rp_seen *seen, struct rp_err *err)
{
	json_t *sources = json_array(), *skipped = json_object();
	for (size_t i = 0; i < t->n_sources; i++)
		json_array_append_new(sources, rp_emit_text(t->sources[i]));
	for (size_t i = 0; i < t->n_skipped; i++)
		if (t->skipped[i].n)
			json_object_set_new(
			    skipped, t->skipped[i].reason, rp_emit_count(t->skipped[i].n));
	json_t *o = json_pack("{so ss so sI so}", "sources", sources, "format", t->format,
	    "accesses", rp_emit_count(seen->accesses), "streams", (json_int_t)seen->streams,
	    "skipped", skipped);
	if (!o)
		rp_fail(err, RP_RESOURCE, "out of memory: results");
	if (o && seen->times_fall) {
		json_object_set_new(o, "times_fall", rp_emit_count(seen->times_fall));
		rp_trace_warn(
		    t, "%" PRIu64 " time stamps fall within their stream", seen->times_fall);
	}
	return o;
}

json_t *
rp_input_warnings(const struct rp_trace *t, struct rp_err *err)
{
	size_t most = sizeof t->warnings / sizeof *t->warnings,
	       kept = t->n_warnings < most ? t->n_warnings : most;
	json_t *list = json_array();
	for (size_t i = 0; list && i < kept; i++)
		json_array_append_new(list, rp_emit_text(t->warnings[i] ? t->warnings[i] : ""));
	if (list && rp_interrupted)
		json_array_append_new(
		    list, json_string("interrupted: this is of a part of the trace"));
	if (list && t->n_warnings > kept)
		json_array_append_new(
		    list, json_sprintf("%zu more warnings", t->n_warnings - kept));
	if (!list)
		rp_fail(err, RP_RESOURCE, "out of memory: warnings");
	return list;
}

enum { SOURCES_SHOWN = 3 };

bool
rp_input_print(struct rp_out *to, json_t *trace, struct rp_err *err)
{
	char accesses[32], streams[32];
	json_t *sources = json_object_get(trace, "sources"),
	       *skipped = json_object_get(trace, "skipped"), *v;
	const char *key, *order = json_string_value(json_object_get(trace, "interleave"));
	size_t i, n = json_array_size(sources);
	bool ok = true;
	json_array_foreach(sources, i, v)
	{
		if (i < SOURCES_SHOWN || n == SOURCES_SHOWN + 1)
			ok = ok && rp_out_printf(to, err, "%-8s  %s\n", i ? "" : "trace",
				       json_string_value(v));
	}
	if (ok && n > SOURCES_SHOWN + 1)
		ok = rp_out_printf(to, err, "%-8s  and %zu more\n", "", n - SOURCES_SHOWN);
	rp_print_count(accesses, (uint64_t)json_integer_value(json_object_get(trace, "accesses")));
	rp_print_count(streams, (uint64_t)json_integer_value(json_object_get(trace, "streams")));
	ok = ok && rp_out_printf(to, err, "%-8s  %s, %s accesses, %s stream%s\n", "",
		       json_string_value(json_object_get(trace, "format")), accesses, streams,
		       strcmp(streams, "1") ? "s" : "");
	const char *label = "left out";
	json_object_foreach(skipped, key, v)
	{
		char count[32];
		rp_print_count(count, (uint64_t)json_integer_value(v));
		ok = ok && rp_out_printf(to, err, "%-8s  %s (%s)\n", label, count, key);
		label = "";
	}
	if (ok && order)
		ok = rp_out_printf(to, err, "%-8s  %s\n", "order", order);
	return ok;
}

void
rp_input_progress(struct rp_progress *p, const struct rp_input_opts *o)
{
	bool wanted = o->progress || (!o->no_progress && isatty(STDERR_FILENO));
	rp_progress_begin(p, wanted ? stderr : NULL);
}

void
rp_input_tell(struct rp_progress *p, const struct rp_input_opts *o, const struct rp_trace *t,
    uint64_t accesses)
{
	uint64_t limit = 0;
	if (o->limit && rp_parse_u64(o->limit, &limit, NULL) && limit)
		rp_progress_tell(p, accesses, accesses, limit);
	else
		rp_progress_tell(p, accesses, t->part, t->whole);
}
