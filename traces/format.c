/* format.c - finds the format of a trace, opens it for reading and for writing. */
#include "config.h"

#include "traces/format.h"
#include "base/parse.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_MOST = 64, PROBE_LEAST = 4096, PROBE_SURE = 1, PROBE_PLAUSIBLE = 50 };

const struct rp_format *
rp_format_find(const char *name, struct rp_err *err)
{
	const char *names[NAMES_MOST];
	size_t n = 0;
	for (const struct rp_format *const *f = rp_formats; *f; f++) {
		if (!strcmp((*f)->name, name))
			return *f;
		if (n < NAMES_MOST)
			names[n++] = (*f)->name;
	}
	const char *near = rp_nearest(name, names, n);
	if (near)
		rp_fail(err, RP_USAGE,
		    "no format '%.40s'; did you mean '%s'? (reprise help formats)", name, near);
	else
		rp_fail(err, RP_USAGE, "no format '%.40s' (reprise help formats)", name);
	return NULL;
}

/* A source over a format that reads one stream of bytes. */
struct reader {
	struct rp_source source;
	const struct rp_format *format;
	struct rp_bytes *in;
	const volatile sig_atomic_t *stop;
	void *state;
};

static ptrdiff_t
reader_pull(struct rp_source *s, struct rp_batch *out, struct rp_err *err)
{
	struct reader *r = (struct reader *)s;
	size_t from = out->n;
	ptrdiff_t n = r->format->read(r->state, r->in, out, err);
	rp_bytes_progress(r->in, &s->trace->part, &s->trace->whole);
	if (n >= 0 || !r->stop || !*r->stop)
		return n;
	/* Interrupted within a line or a record: that is no fault of the input. */
	if (err)
		*err = (struct rp_err){ 0 };
	return (ptrdiff_t)(out->n - from);
}

static void
reader_close(struct rp_source *s)
{
	struct reader *r = (struct reader *)s;
	if (r->state && r->format->close)
		r->format->close(r->state);
	free(r->state);
	rp_bytes_close(r->in);
	rp_trace_free(r->source.trace);
	free(r);
}

struct rp_source *
rp_format_open(const struct rp_format *f, struct rp_bytes *in, const struct rp_read_opts *o,
    struct rp_err *err)
{
	struct reader *r = rp_mem_array(1, sizeof *r, err);
	if (!r) {
		rp_bytes_close(in);
		return NULL;
	}
	r->source.pull = reader_pull;
	r->source.close = reader_close;
	r->format = f;
	r->in = in;
	r->stop = o->stop;
	r->source.trace = rp_trace_new(f->name, err);
	r->state = r->source.trace ? rp_mem_array(1, f->state_bytes, err) : NULL;
	if (!r->state || (f->open && !f->open(r->state, in, o, r->source.trace, err))) {
		reader_close(&r->source);
		return NULL;
	}
	return &r->source;
}

/* The format that one of the endings of a file's name names (t.oracleGeneral.zst), or NULL. */
static const struct rp_format *
of_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	for (const char *dot = strchr(slash ? slash : path, '.'); dot; dot = strchr(dot + 1, '.'))
		for (const struct rp_format *const *f = rp_formats; *f; f++) {
			size_t n = strlen((*f)->name);
			if (!strncmp(dot + 1, (*f)->name, n) && (!dot[1 + n] || dot[1 + n] == '.'))
				return *f;
		}
	return NULL;
}

/* The format that is surest of what the input begins with. Where that is only plausible, or there is nothing to go by,
 * the file's name decides. */
static const struct rp_format *
probe(const struct rp_bytes *in, const char *path, struct rp_err *err)
{
	const struct rp_format *best = NULL, *named = of_name(path);
	int most = 0;
	for (const struct rp_format *const *f = rp_formats; *f; f++) {
		int sure = (*f)->probe ? (*f)->probe(in->at, (size_t)(in->end - in->at)) : 0;
		if (sure > most) {
			most = sure;
			best = *f;
		}
	}
	if (named && most < PROBE_PLAUSIBLE)
		return named;
	if (most >= PROBE_SURE)
		return best;
	rp_fail(err, RP_INPUT, "%s: %s; name the format with --from (reprise help formats)",
	    in->name, in->at == in->end ? "empty" : "no format known here begins like this");
	return NULL;
}

struct rp_source *
rp_trace_open(const char *path, const struct rp_read_opts *o, struct rp_err *err)
{
	const struct rp_format *f = o->from ? rp_format_find(o->from, err) : NULL;
	if (o->from && !f)
		return NULL;
	struct rp_bytes *in = rp_bytes_open(path, o->stop, err);
	if (!in || !rp_bytes_more(in, PROBE_LEAST, err) || (!f && !(f = probe(in, path, err)))) {
		rp_bytes_close(in);
		return NULL;
	}
	struct rp_source *s =
	    f->open_file ? f->open_file(path, in, o, err) : rp_format_open(f, in, o, err);
	if (s && !rp_trace_source(s->trace, path, err)) {
		rp_source_close(s);
		return NULL;
	}
	return s;
}

struct rp_trace_out {
	struct rp_out *out;
	const struct rp_writer *writer;
	void *state;
	uint64_t preamble; /* that the format has no word for */
};

struct rp_trace_out *
rp_trace_create(const char *path, const struct rp_format *f, const struct rp_trace *t,
    const struct rp_write_opts *o, struct rp_err *err)
{
	if (!f->writer) {
		rp_fail(err, RP_USAGE, "format '%s' is read, not written", f->name);
		return NULL;
	}
	struct rp_trace_out *w = rp_mem_array(1, sizeof *w, err);
	if (!w)
		return NULL;
	w->writer = f->writer;
	w->preamble =
	    f->writer->begin ? 0 : t->preamble; /* who keeps it says so before the first row */
	w->state = rp_mem_array(1, f->writer->state_bytes, err);
	w->out = w->state ? rp_out_open(path, err) : NULL;
	if (!w->out || (f->writer->begin && !f->writer->begin(w->state, w->out, t, o, err))) {
		rp_trace_abort(w);
		return NULL;
	}
	return w;
}

bool
rp_trace_write(struct rp_trace_out *w, const struct rp_batch *b, struct rp_err *err)
{
	return w->writer->write(w->state, w->out, b, err);
}

static void
release(struct rp_trace_out *w)
{
	if (w->state && w->writer->release)
		w->writer->release(w->state);
	free(w->state);
	free(w);
}

bool
rp_trace_commit(struct rp_trace_out *w, void (*tell)(void *to, const char *reason, uint64_t n),
    void *to, struct rp_err *err)
{
	if (w->writer->end && !w->writer->end(w->state, w->out, err)) {
		rp_trace_abort(w);
		return false;
	}
	if (tell && w->writer->lost)
		w->writer->lost(w->state, tell, to);
	if (tell && w->preamble)
		tell(to, "preamble", w->preamble);
	bool ok = rp_out_commit(w->out, err);
	release(w);
	return ok;
}

void
rp_trace_abort(struct rp_trace_out *w)
{
	if (!w)
		return;
	rp_out_abort(w->out);
	release(w);
}
