/* label_real.c - real traces as rows of a data set: their line requests, in intervals. */
#include "config.h"

#include "label_real.h"

#include "command.h"

#include "learn/measure.h"

#include "base/mem.h"
#include "base/parse.h"
#include "sim/lookup.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- one trace ---- */

struct feed {
	struct rp_measure *m;
	struct rp_expand *expand;
	uint64_t warm;           /* accesses left that are not counted */
	struct label_down *down; /* NULL: the trace as it is */
};

/* Rows [from, from + n) of a batch, as a batch. */
static struct rp_batch
rows_of(const struct rp_batch *b, size_t from, size_t n)
{
	struct rp_batch v = *b;
#define MOVE(column) v.column = b->column ? b->column + from : NULL;
	MOVE(addr)
	MOVE(time)
	MOVE(pc)
	MOVE(size)
	MOVE(stream)
	MOVE(mask)
	MOVE(kind)
	MOVE(flags)
	v.n = v.cap = n;
	v.marks = 0;
	for (size_t i = 0; i < n; i++)
		v.marks += v.kind[i] >= RP_MARKS;
	return v;
}

/* What the levels above send down for a batch's rows. */
static bool
feed_down(struct feed *f, const struct rp_batch *b, struct rp_err *err)
{
	for (size_t row = 0; row < b->n;) {
		bool warm = f->warm > 0;
		size_t end = warm ? row : b->n, n;
		for (; warm && f->warm && end < b->n; end++)
			f->warm -= b->kind[end] < RP_MARKS;
		struct rp_batch some = rows_of(b, row, end - row);
		const uint64_t *line = label_down_run(f->down, &some, &n, err);
		if (!line || !(warm ? rp_measure_warm(f->m, line, n, err)
				    : rp_measure_add(f->m, line, n, err)))
			return false;
		row = end;
	}
	return true;
}

/* The line requests of a batch's rows. */
static bool
feed_batch(struct feed *f, const struct rp_batch *b, struct rp_err *err)
{
	for (size_t row = 0; row < b->n;) {
		if (b->kind[row] >= RP_MARKS) { /* reuse is of accesses */
			row++;
			continue;
		}
		bool open = rp_expand_open(f->expand), warm = f->warm > 0;
		uint64_t most = open ? 0 : warm ? f->warm : UINT64_MAX;
		const struct rp_lookups *in = rp_expand_next(f->expand, b, &row, most);
		if (!(warm ? rp_measure_warm(f->m, in->line, in->n, err)
			   : rp_measure_add(f->m, in->line, in->n, err)))
			return false;
		if (warm)
			f->warm -= in->accesses < f->warm ? in->accesses : f->warm;
	}
	return true;
}

static bool
feed_all(struct feed *f, struct rp_source *s, struct rp_err *err)
{
	struct rp_batch *b = rp_batch_new(RP_BATCH, s->trace->columns, err);
	ptrdiff_t n = b ? 1 : -1;
	while (n > 0 && !rp_interrupted) {
		rp_batch_clear(b);
		n = rp_source_pull(s, b, err);
		if (n > 0 && !(f->down ? feed_down(f, b, err) : feed_batch(f, b, err)))
			n = -1;
	}
	rp_batch_free(b);
	if (rp_interrupted)
		return rp_fail(err, RP_STOPPED, "interrupted");
	return n == 0 && rp_measure_end(f->m, err);
}

static struct rp_measure_opts
how_measured(const struct label_run *run, size_t k)
{
	const struct label_opts *o = run->o;
	struct rp_measure_opts m = { .interval = o->interval,
		.every = o->every,
		.reset = o->reset,
		.sample = run->design.text.sample,
		.seed = o->in.seed };
	m.row = (struct rp_trace_row){ .item = (uint32_t)(run->synthetic + k),
		.source = RP_ROW_REAL,
		.split = RP_TEST,
		.line = run->trace[k].line };
	return m;
}

static bool
measure(const struct label_run *run, size_t k, struct rp_source *s, uint64_t warm,
    struct rp_buf *out, uint64_t *rows, struct rp_err *err)
{
	const struct label_trace *t = run->trace + k;
	struct rp_measure_opts o = how_measured(run, k);
	struct rp_trace_key key = { .seed = o.seed, .index = k };
	struct rp_xoshiro rng = rp_trace_chance(&key, "configurations", 0);
	struct rp_label_cache *drawn = NULL;
	if (!t->own && !rp_pool_draw(&run->design.pool, t->line, &rng, &drawn, &o.caches, err))
		return false;
	o.cache = drawn;
	if (t->own) {
		o.cache = t->own;
		o.caches = t->caches;
	}
	struct feed f = { .m = rp_measure_new(&o, out, err), .warm = warm };
	bool ok = f.m &&
	          (!run->level || (f.down = label_down_new(run->level, t->line, s->trace, err))) &&
	          (f.expand = rp_expand_new(
		       (unsigned)__builtin_ctz(t->line), false, false, RP_LEVEL_BEST, err)) &&
	          feed_all(&f, s, err);
	*rows = f.m ? rp_measure_rows(f.m) : 0;
	rp_expand_free(f.expand);
	label_down_free(f.down);
	rp_measure_free(f.m);
	free(drawn);
	return ok;
}

static bool
put_warnings(const struct label_trace *t, const struct rp_trace *trace, struct rp_buf *to,
    struct rp_err *err)
{
	json_t *list = rp_input_warnings(trace, err), *text;
	bool ok = list;
	size_t i;
	json_array_foreach(list, i, text)
	{
		ok = ok && rp_buf_printf(to, err, "%s: %s\n", t->name, json_string_value(text));
	}
	json_decref(list);
	return ok;
}

/* The source of a trace, as the options and the kit want it. */
static struct rp_source *
open_trace(const struct label_run *run, size_t k, uint64_t *warm, struct rp_err *err)
{
	const struct label_trace *t = run->trace + k;
	struct rp_input_opts in = run->o->in;
	char *path = (char *)(uintptr_t)t->path;
	in.threads = 1; /* traces are what is done at once */
	in.no_bypassed = !run->level;
	in.from = t->from ? t->from : in.from;
	in.limit = t->limit && !in.limit ? t->limit : in.limit;
	in.kinds = t->kinds && !in.kinds ? t->kinds : in.kinds;
	return rp_input_open(&in, 1, &path, false, warm, err);
}

bool
label_real(const struct label_run *run, size_t k, struct rp_buf *out, struct rp_buf *warning,
    struct rp_err *err)
{
	const struct label_trace *t = run->trace + k;
	uint64_t warm = 0, rows;
	struct rp_source *s = open_trace(run, k, &warm, err);
	bool ok = s && measure(run, k, s, warm + run->o->warmup, out, &rows, err);
	if (ok && run->foreign)
		ok = label_from_apply(run, k, out, warning, err);
	ok = ok && (!s->trace->n_warnings || put_warnings(t, s->trace, warning, err));
	if (ok && !rows)
		ok = rp_buf_printf(warning, err, "%s: no access is left: it has no row\n", t->name);
	rp_source_close(s);
	if (!ok && err->code != RP_STOPPED)
		rp_err_wrap(err, "%s", t->name);
	return ok;
}

bool
label_real_check(const struct label_run *run, struct rp_err *err)
{
	for (size_t k = 0; k < run->traces; k++) {
		const struct label_trace *t = run->trace + k;
		uint64_t warm = 0;
		if (!strcmp(t->path, "-") || (k && !strcmp(t->path, t[-1].path)))
			continue;
		struct rp_source *s = open_trace(run, k, &warm, err);
		if (!s)
			return rp_err_wrap(err, "%s", t->name);
		rp_source_close(s);
	}
	return true;
}

/* ---- which there are ---- */

bool
label_real_add(
    struct label_run *run, const char *path, const char *name, uint32_t line, struct rp_err *err)
{
	struct stat st;
	struct label_trace *more = rp_mem_grow(run->trace, run->traces + 1, sizeof *more, err);
	if (!more)
		return false;
	run->trace = more;
	run->trace[run->traces++] = (struct label_trace){ .path = path,
		.name = name,
		.line = line,
		.bytes = !stat(path, &st) && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0 };
	return true;
}

static bool
add_lines(
    struct label_run *run, const char *path, const uint64_t *line, size_t lines, struct rp_err *err)
{
	if (!strcmp(path, "-") && lines > 1)
		return rp_fail(err, RP_USAGE,
		    "--line: standard input can be read once only: wanted one line size");
	for (size_t i = 0; i < lines; i++)
		if (!label_real_add(run, path, path, (uint32_t)line[i], err))
			return false;
	return true;
}

static bool
parse_lines(const char *text, uint64_t **line, size_t *n, struct rp_err *err)
{
	if (!rp_parse_list(text, true, line, n, err))
		return rp_err_wrap(err, "--line");
	for (size_t i = 0; i < *n; i++)
		if ((*line)[i] < 8 || (*line)[i] > 4096 || ((*line)[i] & ((*line)[i] - 1)))
			return rp_fail(
			    err, RP_USAGE, "--line: wanted powers of two from 8 to 4096");
	return true;
}

/* The size of lines where --line says none: those of the level, or of GPUs with the kit. */
static const char *
usual_line(const struct label_run *run, char *text, size_t room)
{
	if (run->o->line)
		return run->o->line;
	snprintf(text, room, "%u",
	    run->level    ? label_level_line(run->level)
	    : run->o->kit ? 128
			  : 64);
	return text;
}

bool
label_real_find(struct label_run *run, int n, char **traces, struct rp_err *err)
{
	const struct label_opts *o = run->o;
	uint64_t *line = NULL;
	size_t lines = 0;
	char text[16];
	bool ok = parse_lines(usual_line(run, text, sizeof text), &line, &lines, err) &&
	          (!o->kit || label_kit(run, err));
	for (size_t i = 0; ok && i < o->traces.n; i++)
		ok = add_lines(run, o->traces.text[i], line, lines, err);
	for (int i = 0; ok && i < n; i++)
		ok = add_lines(run, traces[i], line, lines, err);
	free(line);
	return ok;
}

json_t *
label_real_json(const struct label_run *run)
{
	json_t *list = json_array();
	for (size_t i = 0; i < run->traces; i++) {
		const struct label_trace *t = run->trace + i;
		json_t *one = json_pack(
		    "{so sI}", "name", rp_emit_text(t->name), "line", (json_int_t)t->line);
		if (t->bytes)
			json_object_set_new(one, "bytes", rp_emit_count(t->bytes));
		json_array_append_new(list, one);
	}
	return list;
}
