/* api.c - the public interface, over the parts it hides.
 *
 * Public structs have layouts of their own, so that what is inside may change. A batch that the library gave carries its
 * inner form along (`inside`); one of the caller's own is checked and copied into a batch of ours. */
#include "config.h"

#include "reprise.h"
#include "command.h"
#include "input.h"

#include "base/mem.h"
#include "base/opt.h"
#include "sim/plugin.h"
#include "sim/replay.h"
#include "traces/format.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The program's signal handler sets its own; nothing interrupts a library. */
volatile sig_atomic_t rp_interrupted;

/* ---- What is the same on both sides ---- */

_Static_assert((int)REPRISE_USAGE == RP_USAGE && (int)REPRISE_INPUT == RP_INPUT &&
		   (int)REPRISE_RESOURCE == RP_RESOURCE && (int)REPRISE_FAILED == RP_FAILED,
    "codes");
_Static_assert((int)REPRISE_READ == RP_READ && (int)REPRISE_FETCH == RP_FETCH &&
		   (int)REPRISE_KERNEL_END == RP_KERNEL_END &&
		   (int)REPRISE_INVALIDATE == RP_INVALIDATE,
    "kinds");
_Static_assert((int)REPRISE_SPACE == RP_SPACE && (int)REPRISE_BYPASS_L1 == RP_BYPASS_L1 &&
		   (int)REPRISE_SAME_INSTR == RP_SAME_INSTR && (int)REPRISE_LOCAL == RP_LOCAL,
    "flags");
_Static_assert(sizeof((struct reprise_error *)0)->text == sizeof((struct rp_err *)0)->text, "text");

const char *
reprise_version(void)
{
	return PACKAGE_VERSION;
}

/* Hands an error over; returns false. */
static bool
tell(struct reprise_error *to, const struct rp_err *err)
{
	if (to) {
		to->code = (enum reprise_code)(err->code ? err->code : RP_FAILED);
		memcpy(to->text, err->text, sizeof to->text);
	}
	return false;
}

static bool
tell_usage(struct reprise_error *to, const char *what)
{
	struct rp_err err = { 0 };
	rp_fail(&err, RP_USAGE, "%s", what);
	return tell(to, &err);
}

/* ---- Options as text ---- */

struct option_target {
	const struct rp_opt *rows;
	void *into;
};

static bool
set_option(void *to, const char *key, const char *value, struct rp_err *err)
{
	const struct option_target *t = to;
	return rp_opts_set(t->rows, t->into, key, value, false, err);
}

/* Fills `into` from "key=value,..." (NULL: defaults only). *copy holds the values that are text, and is to be freed
 * when they are not needed any more, also after a failure. */
static bool
parse_options(
    const struct rp_opt *rows, void *into, const char *text, char **copy, struct rp_err *err)
{
	struct option_target t = { rows, into };
	const char *word;
	*copy = NULL;
	if (!rp_opts_default(rows, into, err))
		return false;
	if (!text || !*text)
		return true;
	*copy = rp_mem_string(text, err);
	if (!*copy || !rp_spec_split(*copy, &word, set_option, &t, err))
		return false;
	return !*word || rp_fail(err, RP_USAGE, "'%.40s': wanted key=value,...", word);
}

/* ---- Reading ---- */

struct open_opts {
	struct rp_input_opts in;
};

static const struct rp_opt open_rows[] = { RP_INPUT_ROWS(struct open_opts), { 0 } };

struct reprise_trace {
	struct rp_source *source;
	struct rp_batch *batch;
	struct reprise_batch view;
	uint64_t preamble;
	char *options; /* readers borrow from it */
};

struct reprise_trace *
reprise_trace_open(
    const char *const *names, size_t n, const char *options, struct reprise_error *error)
{
	struct rp_err err = { 0 };
	struct open_opts o;
	memset(&o, 0, sizeof o);
	struct reprise_trace *t = rp_mem_array(1, sizeof *t, &err);
	char **list = rp_mem_array(n, sizeof *list, &err);
	bool ok = t && list && (n < INT_MAX || rp_fail(&err, RP_USAGE, "too many traces")) &&
	          parse_options(open_rows, &o, options, &t->options, &err);
	for (size_t i = 0; ok && i < n; i++)
		list[i] = (char *)(uintptr_t)names[i]; /* only read */
	ok = ok && (t->source = rp_input_open(&o.in, (int)n, list, false, &t->preamble, &err)) &&
	     (t->batch = rp_batch_new(RP_BATCH, t->source->trace->columns, &err));
	free(list);
	rp_opts_free(open_rows, &o);
	if (ok)
		return t;
	reprise_trace_close(t);
	tell(error, &err);
	return NULL;
}

static void
show(struct reprise_batch *to, const struct rp_batch *b)
{
	*to = (struct reprise_batch){
		.n = b->n,
		.address = b->addr,
		.size = b->size,
		.kind = b->kind,
		.stream = b->stream,
		.time = b->time,
		.pc = b->pc,
		.mask = b->mask,
		.flags = b->flags,
		.inside = b,
	};
}

ptrdiff_t
reprise_trace_pull(
    struct reprise_trace *t, const struct reprise_batch **batch, struct reprise_error *error)
{
	struct rp_err err = { 0 };
	rp_batch_clear(t->batch);
	ptrdiff_t n = rp_source_pull(t->source, t->batch, &err);
	if (n < 0)
		tell(error, &err);
	show(&t->view, t->batch);
	*batch = &t->view;
	return n;
}

const char *
reprise_trace_format(const struct reprise_trace *t)
{
	return t->source->trace->format;
}

uint64_t
reprise_trace_preamble(const struct reprise_trace *t)
{
	return t->preamble;
}

const char *
reprise_trace_skipped(const struct reprise_trace *t, size_t i, uint64_t *count)
{
	const struct rp_trace *trace = t->source->trace;
	if (i >= trace->n_skipped)
		return NULL;
	if (count)
		*count = trace->skipped[i].n;
	return trace->skipped[i].reason;
}

const char *
reprise_trace_warning(const struct reprise_trace *t, size_t i)
{
	const struct rp_trace *trace = t->source->trace;
	size_t most = sizeof trace->warnings / sizeof *trace->warnings;
	return i < trace->n_warnings && i < most ? trace->warnings[i] : NULL;
}

void
reprise_trace_close(struct reprise_trace *t)
{
	if (!t)
		return;
	rp_batch_free(t->batch);
	rp_source_close(t->source);
	free(t->options);
	free(t);
}

/* ---- Batches that come in ---- */

/* Why a caller's batch cannot be taken, or NULL. */
static const char *
batch_wrong(const struct reprise_batch *b)
{
	if (b->n && (!b->address || !b->size || !b->kind))
		return "a batch needs address, size and kind";
	for (size_t i = 0; i < b->n; i++) {
		if (b->kind[i] >= RP_MARKS_END || (b->kind[i] > RP_FETCH && b->kind[i] < RP_MARKS))
			return "a batch has a kind that is none of enum reprise_kind";
		if (!b->size[i])
			return "a batch has an access of size 0";
		if (b->address[i] + (b->size[i] - 1) < b->address[i])
			return "a batch has an access that wraps past 2^64";
		if (b->flags &&
		    ((b->flags[i] & ~REPRISE_FLAGS) || (b->flags[i] & RP_SPACE) > RP_LOCAL))
			return "a batch has flags that are none of enum reprise_flag";
	}
	return NULL;
}

static void
put_row(struct rp_batch *to, const struct reprise_batch *b, size_t i)
{
	struct rp_access a = {
		.addr = b->address[i],
		.size = b->size[i],
		.kind = b->kind[i],
		.stream = b->stream ? b->stream[i] : 0,
		.time = b->time ? b->time[i] : 0,
		.pc = b->pc ? b->pc[i] : 0,
		.mask = b->mask ? b->mask[i] : 0,
		.flags = b->flags ? b->flags[i] : (uint8_t)0,
	};
	rp_batch_put(to, &a);
}

typedef bool take(void *to, const struct rp_batch *b, struct rp_err *err);

/* Hands a caller's batch to `to_whom`: as it is when it is one of ours with these columns, else by way of *buffer (made
 * when needed), in pieces. */
static bool
take_batch(const struct reprise_batch *b, unsigned columns, struct rp_batch **buffer, take *to_whom,
    void *to, struct rp_err *err)
{
	if (b->inside && rp_batch_columns(b->inside) == columns)
		return to_whom(to, b->inside, err);
	const char *wrong = batch_wrong(b);
	if (wrong)
		return rp_fail(err, RP_USAGE, "%s", wrong);
	if (!*buffer && !(*buffer = rp_batch_new(RP_BATCH, columns, err)))
		return false;
	for (size_t i = 0; i < b->n;) {
		rp_batch_clear(*buffer);
		for (; i < b->n && (*buffer)->n < (*buffer)->cap; i++)
			put_row(*buffer, b, i);
		if (!to_whom(to, *buffer, err))
			return false;
	}
	return true;
}

/* ---- Writing ---- */

struct write_opts {
	const char *to, *columns;
	struct rp_write_opts write;
	uint32_t level;
};

#define WRITE(field) offsetof(struct write_opts, field)
static const struct rp_opt write_rows[] = {
	{ "to", 0, "FORMAT", RP_OPT_TEXT, WRITE(to), NULL, "format; else by the path's ending" },
	{ "columns", 0, "LIST", RP_OPT_TEXT, WRITE(columns), NULL,
	    "columns beside address, size and kind" },
	{ "level", 0, "N", RP_OPT_U32, WRITE(level), NULL, "zstd level of a .rpz", 1, 22 },
	{ "block", 0, "N", RP_OPT_U32, WRITE(write.block), NULL, "accesses in a block of a .rpz", 1,
	    1 << 18 },
	{ "small", 0, NULL, RP_OPT_FLAG, WRITE(write.small), NULL, "the smallest .rpz" },
	{ "threads", 0, "N", RP_OPT_U32, WRITE(write.threads), NULL, "threads to code with", 1,
	    1024 },
	{ 0 },
};

struct reprise_writer {
	struct rp_trace_out *out;
	struct rp_trace *description; /* ours, without `like` */
	unsigned columns;
	struct rp_batch *buffer;
};

static const struct {
	const char *name;
	unsigned column;
} column_name[] = {
	{ "stream", RP_COL_STREAM },
	{ "time", RP_COL_TIME },
	{ "pc", RP_COL_PC },
	{ "mask", RP_COL_MASK },
	{ "flags", RP_COL_FLAGS },
};

static bool
parse_columns(const char *text, unsigned *columns, struct rp_err *err)
{
	enum { N = sizeof column_name / sizeof *column_name };
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, ","), k = 0;
		while (k < N &&
		       (strlen(column_name[k].name) != n || strncmp(column_name[k].name, p, n)))
			k++;
		if (k == N)
			return rp_fail(err, RP_USAGE,
			    "columns=: '%.*s' is none of stream, time, pc, mask, flags",
			    (int)(n < 40 ? n : 40), p);
		*columns |= column_name[k].column;
		p += n + (p[n] == ',');
	}
	return true;
}

/* The format asked for, or the one that the path's ending names. */
static const struct rp_format *
written_format(const char *to, const char *path, struct rp_err *err)
{
	const char *dot = strrchr(path, '.'), *name = to ? to : dot ? dot + 1 : "";
	const struct rp_format *f = rp_format_find(name, err);
	if (f && f->writer)
		return f;
	if (f || !to)
		rp_fail(err, RP_USAGE,
		    f ? "%s: '%.40s' is read, not written"
		      : "%s: its ending '%.40s' names no format; say to=FORMAT",
		    path, name);
	return NULL;
}

/* The description of a trace that the caller makes up. */
static struct rp_trace *
describe(const struct write_opts *o, struct rp_err *err)
{
	struct rp_trace *t = rp_trace_new("libreprise", err);
	if (t && o->columns && !parse_columns(o->columns, &t->columns, err)) {
		rp_trace_free(t);
		return NULL;
	}
	return t;
}

struct reprise_writer *
reprise_writer_open(const char *path, const struct reprise_trace *like, const char *options,
    struct reprise_error *error)
{
	struct rp_err err = { 0 };
	struct write_opts o;
	memset(&o, 0, sizeof o);
	char *copy = NULL;
	const struct rp_format *f = NULL;
	struct reprise_writer *w = rp_mem_array(1, sizeof *w, &err);
	bool ok = w && parse_options(write_rows, &o, options, &copy, &err) &&
	          (f = written_format(o.to, path, &err));
	if (ok && like && o.columns)
		ok = rp_fail(&err, RP_USAGE, "columns=: they are those of the trace it is like");
	if (ok && !like)
		ok = (w->description = describe(&o, &err)) != NULL;
	o.write.level = (int)o.level;
	if (ok)
		w->columns = (like ? like->source->trace : w->description)->columns;
	ok = ok && (w->out = rp_trace_create(
			path, f, like ? like->source->trace : w->description, &o.write, &err));
	free(copy);
	if (ok)
		return w;
	reprise_writer_abort(w);
	tell(error, &err);
	return NULL;
}

static bool
write_batch(void *to, const struct rp_batch *b, struct rp_err *err)
{
	return rp_trace_write(to, b, err);
}

bool
reprise_writer_put(
    struct reprise_writer *w, const struct reprise_batch *batch, struct reprise_error *error)
{
	struct rp_err err = { 0 };
	return take_batch(batch, w->columns, &w->buffer, write_batch, w->out, &err) ||
	       tell(error, &err);
}

bool
reprise_writer_commit(struct reprise_writer *w, struct reprise_error *error)
{
	struct rp_err err = { 0 };
	bool ok = rp_trace_commit(w->out, NULL, NULL, &err);
	w->out = NULL;
	reprise_writer_abort(w);
	return ok || tell(error, &err);
}

void
reprise_writer_abort(struct reprise_writer *w)
{
	if (!w)
		return;
	rp_trace_abort(w->out);
	rp_trace_free(w->description);
	rp_batch_free(w->buffer);
	free(w);
}

/* ---- Replaying ---- */

struct replay_opts {
	struct rp_replay_opts replay;
	unsigned crossing;
	uint32_t line;
	uint64_t seed;
	struct rp_texts plugins;
};

static const char *const crossing_name[] = { "split", "once", NULL };

#define REPLAY(field) offsetof(struct replay_opts, field)
static const struct rp_opt replay_rows[] = {
	{ "crossing", 0, "HOW", RP_OPT_CHOICE, REPLAY(crossing), "split",
	    "an access that crosses lines", 0, 0, crossing_name },
	{ "flush", 0, NULL, RP_OPT_FLAG, REPLAY(replay.flush), NULL,
	    "write back what is dirty at the end" },
	{ "keep-bypassed", 0, NULL, RP_OPT_FLAG, REPLAY(replay.keep_bypassed), NULL,
	    "replay GPU accesses that bypass L1" },
	{ "by-stream", 0, NULL, RP_OPT_FLAG, REPLAY(replay.by_stream), NULL,
	    "counters by stream too" },
	{ "warmup", 0, "N", RP_OPT_U64, REPLAY(replay.warmup), NULL,
	    "accesses that are replayed first and not counted" },
	{ "interval", 0, "N", RP_OPT_U64, REPLAY(replay.interval), NULL,
	    "counters for every N accesses" },
	{ "line", 0, "BYTES", RP_OPT_SIZE32, REPLAY(line), "64", "of specifications that name none",
	    1, 1u << 31 },
	{ "seed", 0, "S", RP_OPT_U64, REPLAY(seed), "1", "of specifications that name none" },
	{ "plugin", 0, "FILE", RP_OPT_TEXTS, REPLAY(plugins), NULL,
	    "a shared object with a policy" },
	{ 0 },
};

struct reprise_replay {
	struct rp_plugins plugins;
	struct rp_replay *replay;
	struct rp_cache_spec *spec;
	char **text; /* of each specification, complete */
	size_t n;
	struct rp_batch *buffer;
};

static bool
parse_specs(struct reprise_replay *r, const char *const *specs, size_t n,
    const struct replay_opts *o, struct rp_err *err)
{
	r->spec = rp_mem_array(n, sizeof *r->spec, err);
	r->text = r->spec ? rp_mem_array(n, sizeof *r->text, err) : NULL;
	if (!r->text)
		return false;
	for (size_t i = 0; i < o->plugins.n; i++)
		if (!rp_plugins_load(&r->plugins, o->plugins.text[i], err))
			return false;
	for (; r->n < n; r->n++) {
		if (!rp_cache_spec_parse_with(
			specs[r->n], o->line, o->seed, &r->plugins, &r->spec[r->n], err))
			return false;
		r->text[r->n] = rp_cache_spec_print(&r->spec[r->n], err);
		if (!r->text[r->n]) {
			rp_cache_spec_free(&r->spec[r->n]);
			return false;
		}
	}
	return true;
}

struct reprise_replay *
reprise_replay_new(
    const char *const *specs, size_t n, const char *options, struct reprise_error *error)
{
	struct rp_err err = { 0 };
	struct replay_opts o;
	memset(&o, 0, sizeof o);
	char *copy = NULL;
	struct reprise_replay *r = rp_mem_array(1, sizeof *r, &err);
	bool ok = r && (n || rp_fail(&err, RP_USAGE, "wanted at least one cache")) &&
	          parse_options(replay_rows, &o, options, &copy, &err) &&
	          parse_specs(r, specs, n, &o, &err);
	o.replay.once = o.crossing == 1;
	ok = ok && (r->replay = rp_replay_new(r->spec, n, &o.replay, &err));
	rp_opts_free(replay_rows, &o);
	free(copy);
	if (ok)
		return r;
	reprise_replay_free(r);
	tell(error, &err);
	return NULL;
}

static bool
run_batch(void *to, const struct rp_batch *b, struct rp_err *err)
{
	return rp_replay_run(to, b, err);
}

bool
reprise_replay_run(
    struct reprise_replay *r, const struct reprise_batch *batch, struct reprise_error *error)
{
	struct rp_err err = { 0 };
	unsigned columns = batch->inside ? rp_batch_columns(batch->inside) : RP_COL_ALL;
	return take_batch(batch, columns, &r->buffer, run_batch, r->replay, &err) ||
	       tell(error, &err);
}

bool
reprise_replay_end(struct reprise_replay *r, struct reprise_error *error)
{
	struct rp_err err = { 0 };
	return rp_replay_end(r->replay, &err) || tell(error, &err);
}

bool
reprise_replay_trace(struct reprise_replay *r, struct reprise_trace *t, struct reprise_error *error)
{
	const struct reprise_batch *batch;
	ptrdiff_t n;
	while ((n = reprise_trace_pull(t, &batch, error)) > 0)
		if (!reprise_replay_run(r, batch, error))
			return false;
	return n == 0 && reprise_replay_end(r, error);
}

const char *
reprise_replay_spec(const struct reprise_replay *r, size_t cache)
{
	return cache < r->n ? r->text[cache] : NULL;
}

size_t
reprise_replay_parts(const struct reprise_replay *r, enum reprise_part part)
{
	switch (part) {
	case REPRISE_ALL:
		return 1;
	case REPRISE_STREAM:
		return rp_replay_streams(r->replay);
	case REPRISE_INTERVAL:
		return rp_replay_intervals(r->replay);
	}
	return 0;
}

uint32_t
reprise_replay_stream(const struct reprise_replay *r, size_t index)
{
	return index < rp_replay_streams(r->replay) ? rp_replay_stream(r->replay, index) : 0;
}

#define COUNTER_ROW(group, name, unit, what)                 { #name, unit, what, false },
#define RATIO_ROW(group, name, numerator, denominator, what) { #name, "", what, true },
static const struct reprise_counter counter[] = { RP_COUNTERS(
    COUNTER_ROW, RATIO_ROW, RP_COUNTER_NOTHING) };

const struct reprise_counter *
reprise_counter(size_t i)
{
	return i < sizeof counter / sizeof *counter ? &counter[i] : NULL;
}

/* The row called `name`, and the counters it is to be read from. */
static const struct rp_counter *
look_up(const struct reprise_replay *r, size_t cache, enum reprise_part part, size_t index,
    const char *name, struct rp_counters *c, struct reprise_error *error)
{
	size_t i = 0;
	if (cache >= r->n || index >= reprise_replay_parts(r, part)) {
		tell_usage(error, cache >= r->n ? "no such cache" : "no such part");
		return NULL;
	}
	while (i < rp_counter_count && strcmp(rp_counter_table[i].name, name))
		i++;
	if (i == rp_counter_count) {
		tell_usage(error, "no counter of that name (reprise help counters)");
		return NULL;
	}
	if (part == REPRISE_STREAM)
		rp_replay_stream_counters(r->replay, cache, index, c);
	else if (part == REPRISE_INTERVAL)
		rp_replay_interval(r->replay, cache, index, c);
	else
		rp_replay_counters(r->replay, cache, c);
	return &rp_counter_table[i];
}

static uint64_t
field(const struct rp_counters *c, size_t offset)
{
	uint64_t x;
	memcpy(&x, (const char *)c + offset, sizeof x);
	return x;
}

bool
reprise_replay_count(const struct reprise_replay *r, size_t cache, enum reprise_part part,
    size_t index, const char *name, uint64_t *value, struct reprise_error *error)
{
	struct rp_counters c;
	const struct rp_counter *row = look_up(r, cache, part, index, name, &c, error);
	if (!row)
		return false;
	if (row->ratio)
		return tell_usage(error, "a ratio is no count: reprise_replay_ratio");
	*value = field(&c, row->offset);
	return true;
}

bool
reprise_replay_ratio(const struct reprise_replay *r, size_t cache, enum reprise_part part,
    size_t index, const char *name, double *value, struct reprise_error *error)
{
	struct rp_counters c;
	const struct rp_counter *row = look_up(r, cache, part, index, name, &c, error);
	if (!row)
		return false;
	double over = row->ratio ? (double)field(&c, row->denominator) : 1;
	*value = over > 0 ? (double)field(&c, row->offset) / over : NAN;
	return true;
}

void
reprise_replay_free(struct reprise_replay *r)
{
	if (!r)
		return;
	rp_replay_free(r->replay);
	for (size_t i = 0; i < r->n; i++) {
		rp_cache_spec_free(&r->spec[i]);
		free(r->text[i]);
	}
	free(r->spec);
	free(r->text);
	rp_plugins_free(&r->plugins);
	rp_batch_free(r->buffer);
	free(r);
}
