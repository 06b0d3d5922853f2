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
	uint64_t warm; /* accesses left that are not counted */
};

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
		if (n > 0 && !feed_batch(f, b, err))
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
	if (!t->cache && !rp_pool_draw(&run->design.pool, t->line, &rng, &drawn, &o.caches, err))
		return false;
	o.cache = drawn;
	if (t->cache) {
		o.cache = t->cache;
		o.caches = t->caches;
	}
	struct feed f = { .m = rp_measure_new(&o, out, err), .warm = warm };
	bool ok = f.m &&
	          (f.expand = rp_expand_new(
		       (unsigned)__builtin_ctz(t->line), false, false, RP_LEVEL_BEST, err)) &&
	          feed_all(&f, s, err);
	*rows = f.m ? rp_measure_rows(f.m) : 0;
	rp_expand_free(f.expand);
	rp_measure_free(f.m);
	free(drawn);
	return ok;
}

bool
label_real(const struct label_run *run, size_t k, struct rp_buf *out, char *warning, size_t room,
    struct rp_err *err)
{
	const struct label_trace *t = run->trace + k;
	struct rp_input_opts in = run->o->in;
	uint64_t warm = 0, rows;
	char *path = (char *)(uintptr_t)t->path;
	in.threads = 1; /* traces are what is done at once */
	in.no_bypassed = true;
	in.from = t->from ? t->from : in.from;
	struct rp_source *s = rp_input_open(&in, 1, &path, false, &warm, err);
	bool ok = s && measure(run, k, s, warm + run->o->warmup, out, &rows, err);
	if (ok && s->trace->n_warnings)
		snprintf(warning, room, "%s: %s", t->name, s->trace->warnings[0]);
	if (ok && !rows)
		snprintf(warning, room, "%s: no access is left: it has no row", t->name);
	rp_source_close(s);
	return ok || err->code == RP_STOPPED || rp_err_wrap(err, "%s", t->name);
}

/* ---- which there are ---- */

static bool
add_trace(
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
		if (!add_trace(run, path, path, (uint32_t)line[i], err))
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

bool
label_real_find(struct label_run *run, int n, char **traces, struct rp_err *err)
{
	const struct label_opts *o = run->o;
	uint64_t *line = NULL;
	size_t lines = 0;
	bool ok = parse_lines(o->line, &line, &lines, err);
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
