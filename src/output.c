/* output.c - the options that say how a trace is written, and the writing. */
#include "config.h"

#include "output.h"
#include "command.h"
#include "seen.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The format that FILE's ending names. */
static const struct rp_format *
format_of(const struct rp_output_opts *o, struct rp_err *err)
{
	if (o->to)
		return rp_format_find(o->to, err);
	const char *dot = strrchr(o->output, '.');
	for (const struct rp_format *const *f = rp_formats; dot && *f; f++)
		if ((*f)->writer && !strcmp((*f)->name, dot + 1))
			return *f;
	rp_fail(err, RP_USAGE,
	    "%s: its ending names no format that is written; say --to FORMAT (reprise help "
	    "formats)",
	    o->output);
	return NULL;
}

bool
rp_output_keeps_warps(const struct rp_output_opts *o)
{
	const struct rp_format *f = o->output ? format_of(o, NULL) : NULL;
	return f && !strcmp(f->name, "rpz");
}

/* What the copy is while it runs. */
struct copy {
	struct rp_source *source;
	struct rp_trace_out *out;
	const struct rp_format *format;
	struct rp_seen seen;
	json_t *lost;
};

static void
tell_lost(void *to, const char *reason, uint64_t n)
{
	json_object_set_new(to, reason, rp_emit_count(n));
}

static bool
copy_all(struct copy *c, const struct rp_input_opts *in, struct rp_err *err)
{
	struct rp_batch *b = rp_batch_new(RP_BATCH, c->source->trace->columns, err);
	struct rp_progress progress;
	rp_input_progress(&progress, in);
	ptrdiff_t n = b ? 1 : -1;
	while (n > 0 && !rp_interrupted) {
		rp_batch_clear(b);
		n = rp_source_pull(c->source, b, err);
		if (n > 0 && (!rp_seen_batch(&c->seen, b, err) || !rp_trace_write(c->out, b, err)))
			n = -1;
		rp_input_tell(&progress, in, c->source->trace, c->seen.accesses);
	}
	rp_progress_end(&progress);
	rp_batch_free(b);
	if (n >= 0 && rp_interrupted)
		return rp_fail(err, RP_STOPPED,
		    "interrupted after %" PRIu64 " accesses; nothing was written",
		    c->seen.accesses);
	return n >= 0;
}

static json_t *
document(struct copy *c, const struct rp_output_opts *o, bool json, const char *command,
    struct rp_err *err)
{
	const struct rp_trace *t = c->source->trace;
	struct stat st;
	json_t *trace = rp_input_json(c->source->trace, &c->seen, err);
	json_t *warnings = trace ? rp_input_warnings(c->source->trace, err) : NULL;
	json_t *doc = json_pack("{ss ss so s{ss ss sO} so}", "reprise", PACKAGE_VERSION, "command",
	    command, "trace", trace, "output", "file", o->output, "format", c->format->name, "lost",
	    c->lost, "warnings", warnings);
	if (!doc) {
		rp_fail(err, RP_RESOURCE, "out of memory: results");
		return NULL;
	}
	if (t->report)
		json_object_set_new(doc, "synthesis", t->report(t->reporter, json));
	if (!stat(o->output, &st) && S_ISREG(st.st_mode)) {
		json_t *out = json_object_get(doc, "output");
		json_object_set_new(out, "bytes", json_integer(st.st_size));
		json_object_set_new(out, "bytes_per_access",
		    c->seen.accesses ? json_real((double)st.st_size / (double)c->seen.accesses)
				     : json_null());
	}
	return doc;
}

/* What a synthesised trace has of what was asked for. */
static bool
print_synthesis(struct rp_out *to, const json_t *o, struct rp_err *err)
{
	char n[3][32];
	size_t i;
	json_t *s;
	json_array_foreach(json_object_get(o, "streams"), i, s)
	{
		json_int_t deepest = json_integer_value(json_object_get(s, "max_rd"));
		rp_print_count(n[0], (uint64_t)json_integer_value(json_object_get(s, "accesses")));
		rp_print_count(n[1], (uint64_t)json_integer_value(json_object_get(s, "lines")));
		rp_print_count(n[2], (uint64_t)json_integer_value(json_object_get(s, "moved")));
		if (!rp_out_printf(to, err,
			"%-8s  stream %" JSON_INTEGER_FORMAT
			": %s accesses to %s lines, deepest distance %" JSON_INTEGER_FORMAT "\n"
			"%-8s  realised with an L1 difference of %" JSON_INTEGER_FORMAT
			"; made cold to be feasible: %s\n",
			i ? "" : "profile", json_integer_value(json_object_get(s, "stream")), n[0],
			n[1], deepest, "", json_integer_value(json_object_get(s, "l1")), n[2]))
			return false;
	}
	return true;
}

static bool
print_text(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	json_t *out = json_object_get(doc, "output"), *v;
	char n[32];
	const char *key;
	size_t i;
	bool ok = rp_input_print(to, json_object_get(doc, "trace"), err) &&
	          rp_out_printf(to, err, "%-8s  %s\n", "wrote",
		      json_string_value(json_object_get(out, "file")));
	if (ok && (v = json_object_get(out, "bytes"))) {
		rp_print_count(n, (uint64_t)json_integer_value(v));
		ok = rp_out_printf(to, err, "%-8s  %s, %s bytes, %.3f bytes an access\n", "",
		    json_string_value(json_object_get(out, "format")), n,
		    json_number_value(json_object_get(out, "bytes_per_access")));
	}
	ok = ok && print_synthesis(to, json_object_get(doc, "synthesis"), err);
	json_object_foreach(json_object_get(out, "lost"), key, v)
	{
		rp_print_count(n, (uint64_t)json_integer_value(v));
		ok = ok &&
		     rp_out_printf(to, err, "warning: the format cannot say it: %s (%s)\n", key, n);
	}
	json_array_foreach(json_object_get(doc, "warnings"), i, v)
	{
		ok = ok && rp_out_printf(to, err, "warning: %s\n", json_string_value(v));
	}
	return ok;
}

/* Beside a trace on standard output only what went wrong is told, on standard error. */
static void
print_warnings(const struct copy *c, bool with_lost)
{
	const struct rp_trace *t = c->source->trace;
	const char *key;
	json_t *v;
	json_object_foreach(with_lost ? c->lost : NULL, key, v)
	{
		fprintf(stderr,
		    "reprise: warning: the format cannot say it: %s (%" JSON_INTEGER_FORMAT ")\n",
		    key, json_integer_value(v));
	}
	for (size_t i = 0; i < t->n_warnings && i < sizeof t->warnings / sizeof *t->warnings; i++)
		fprintf(stderr, "reprise: warning: %s\n", t->warnings[i] ? t->warnings[i] : "");
}

static bool
print(struct copy *c, const struct rp_output_opts *o, bool json, const char *command,
    struct rp_err *err)
{
	if (!strcmp(o->output, "-")) {
		print_warnings(c, strcmp(command, "dump") != 0); /* nobody keeps a dump */
		return true;
	}
	rp_emit_begin();
	json_t *doc = document(c, o, json, command, err);
	struct rp_out *to = rp_emit_whole(doc, err) ? rp_out_open("-", err) : NULL;
	rp_emit_begin();
	bool ok = to && (json ? rp_emit_json(to, doc, err) : print_text(to, doc, err));
	ok = rp_emit_close(to, doc, ok, err);
	json_decref(doc);
	return ok;
}

bool
rp_output_copy(struct rp_source *s, const struct rp_input_opts *in, const struct rp_output_opts *o,
    bool json, const char *command, struct rp_err *err)
{
	if (!o->output)
		return rp_fail(err, RP_USAGE, "wanted -o FILE (- is standard output)");
	struct rp_write_opts write = { .level = (int)o->level,
		.block = o->block,
		.small = o->small,
		.threads = rp_input_threads(in) };
	struct copy c = { .source = s, .lost = json_object() };
	bool ok = (c.lost || rp_fail(err, RP_RESOURCE, "out of memory: results")) &&
	          (c.format = format_of(o, err)) &&
	          (c.out = rp_trace_create(o->output, c.format, s->trace, &write, err));
	if (ok && copy_all(&c, in, err)) {
		ok = rp_trace_commit(c.out, tell_lost, c.lost, err) &&
		     print(&c, o, json, command, err);
	} else {
		ok = false;
		rp_trace_abort(c.out);
	}
	json_decref(c.lost);
	rp_seen_free(&c.seen);
	return ok;
}
