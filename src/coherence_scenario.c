/* coherence_scenario.c - scenario files: a configuration, a trace, and what is expected of them. */
#include "config.h"

#include "coherence.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char schema[] = "coherence-fixture/1";
static const char *const eviction_names[] = { "explicit", "silent", NULL };

/* Members of "config", but for objects, and of its "cache". */
struct given {
	uint32_t caches, line_size, word_bytes, top, sets, ways;
	unsigned clean_eviction;
	const char *policy;
};

#define GIVEN(field) offsetof(struct given, field)
static const struct rp_opt config_rows[] = {
	{ "caches", 0, "N", RP_OPT_U32, GIVEN(caches), NULL, .least = 1, .most = UINT32_MAX },
	{ "line_size", 0, "BYTES", RP_OPT_U32, GIVEN(line_size), NULL, .least = 1,
	    .most = UINT32_MAX },
	{ "word_bytes", 0, "BYTES", RP_OPT_U32, GIVEN(word_bytes), "1", .least = 1,
	    .most = UINT32_MAX },
	{ "clean_eviction", 0, "HOW", RP_OPT_CHOICE, GIVEN(clean_eviction), "explicit",
	    .choices = eviction_names },
	{ "top", 0, "N", RP_OPT_U32, GIVEN(top), "10", .least = 0, .most = UINT32_MAX },
	{ 0 },
};
static const struct rp_opt cache_rows[] = {
	{ "sets", 0, "N", RP_OPT_U32, GIVEN(sets), NULL, .least = 1, .most = UINT32_MAX },
	{ "ways", 0, "N", RP_OPT_U32, GIVEN(ways), NULL, .least = 1, .most = UINT32_MAX },
	{ "policy", 0, "POLICY", RP_OPT_TEXT, GIVEN(policy), "lru" },
	{ 0 },
};

/* Whether a name is among some, a blank apart; NULL: none. */
static bool
is_among(const char *names, const char *name)
{
	size_t n = strlen(name);
	for (const char *at = names; at && *at; at += strcspn(at, " "), at += *at == ' ')
		if (strcspn(at, " ") == n && !strncmp(at, name, n))
			return true;
	return false;
}

/* A member's value as an option is typed; texts stay in the tree. */
static const char *
typed(const json_t *value, char *to, size_t room)
{
	if (json_is_string(value))
		return json_string_value(value);
	if (!json_is_integer(value))
		return NULL;
	snprintf(to, room, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	return to;
}

bool
coherence_members(const struct rp_opt *rows, void *into, const json_t *from, const char *needed,
    const char *objects, struct rp_err *err)
{
	const char *key;
	json_t *value;
	if (!json_is_object(from))
		return rp_fail(err, RP_INPUT, "wanted an object");
	json_object_foreach((json_t *)from, key, value)
	{
		char text[32];
		const char *as = typed(value, text, sizeof text);
		if (json_is_object(value) && is_among(objects, key))
			continue;
		if (!as)
			return rp_fail(
			    err, RP_INPUT, "%.40s: wanted a whole number or a text", key);
		if (!rp_opts_set_key(rows, into, key, as, err))
			return false;
	}
	for (const char *name = needed; name && *name;) {
		char one[32];
		size_t n = strcspn(name, " ");
		snprintf(one, sizeof one, "%.*s", (int)n, name);
		if (!json_object_get(from, one))
			return rp_fail(err, RP_INPUT, "wanted a member \"%s\"", one);
		name += n + (name[n] == ' ');
	}
	return true;
}

static bool
read_cache(const json_t *from, struct given *g, struct rp_coherence_config *c, struct rp_err *err)
{
	char text[160];
	if (!rp_opts_default(cache_rows, g, err) ||
	    !coherence_members(cache_rows, g, from, "sets ways", NULL, err))
		return rp_err_wrap(err, "config.cache");
	/* The line is said elsewhere, and need not be what a specification takes. */
	snprintf(
	    text, sizeof text, "%s,sets=%" PRIu32 ",ways=%" PRIu32, g->policy, g->sets, g->ways);
	return coherence_parse_cache(text, 64, 1, NULL, c, err) || rp_err_wrap(err, "config.cache");
}

static bool
read_config(const json_t *from, struct rp_coherence_config *c, uint32_t *top, struct rp_err *err)
{
	struct given g = { 0 };
	if (!rp_opts_default(config_rows, &g, err) ||
	    !coherence_members(
		config_rows, &g, from, "caches line_size cache", "cache directory timing", err))
		return rp_err_wrap(err, "config");
	const json_t *directory = json_object_get(from, "directory"),
		     *timing = json_object_get(from, "timing");
	if (!read_cache(json_object_get(from, "cache"), &g, c, err) ||
	    (directory && !coherence_given_directory(directory, c, err)) ||
	    (timing && !coherence_given_timing(timing, c, err)))
		return false;
	c->protocol = &rp_protocol_msi;
	c->caches = g.caches;
	c->line = g.line_size;
	c->word_bytes = g.word_bytes;
	c->silent = g.clean_eviction;
	c->lines = true;
	*top = g.top;
	return rp_coherence_config_check(c, err);
}

/* A whole number in least..most of an entry of the trace. */
static bool
number_of(const json_t *from, uint64_t least, uint64_t most, uint64_t *out)
{
	json_int_t x = json_integer_value(from);
	if (!json_is_integer(from) || x < 0 || (uint64_t)x < least || (uint64_t)x > most)
		return false;
	*out = (uint64_t)x;
	return true;
}

/* An address; one that JSON's integers cannot hold is a text, as in the output. */
static bool
address_of(const json_t *from, uint64_t *out)
{
	return json_is_string(from) ? rp_parse_u64(json_string_value(from), out, NULL)
	                            : number_of(from, 0, INT64_MAX, out);
}

static bool
read_access(const json_t *from, uint32_t caches, struct rp_access *a, uint64_t *gap)
{
	uint64_t stream, size;
	size_t n = json_array_size(from);
	const char *op = json_string_value(json_array_get(from, 1));
	*gap = 0;
	if ((n != 4 && n != 5) || !op || (strcmp(op, "R") && strcmp(op, "W")) ||
	    !number_of(json_array_get(from, 0), 0, caches - 1, &stream) ||
	    !address_of(json_array_get(from, 2), &a->addr) ||
	    !number_of(json_array_get(from, 3), 1, UINT32_MAX, &size) ||
	    (n == 5 && !number_of(json_array_get(from, 4), 0, INT64_MAX, gap)))
		return false;
	a->stream = (uint32_t)stream;
	a->size = (uint32_t)size;
	a->kind = *op == 'W' ? RP_WRITE : RP_READ;
	return true;
}

static bool
read_trace(const json_t *from, uint32_t caches, struct coherence_scenario *s, struct rp_err *err)
{
	size_t n = json_array_size(from), i;
	json_t *one;
	if (!json_is_array(from))
		return rp_fail(err, RP_INPUT, "trace: wanted an array");
	s->rows = rp_batch_new(n ? n : 1, RP_COL_STREAM, err);
	s->gap = rp_mem_array(n, sizeof *s->gap, err);
	if (!s->rows || !s->gap)
		return false;
	json_array_foreach(from, i, one)
	{
		struct rp_access a = { 0 };
		if (!read_access(one, caches, &a, &s->gap[i]))
			return rp_fail(err, RP_INPUT,
			    "trace[%zu]: wanted [stream below %" PRIu32
			    ", \"R\" or \"W\", address, size from 1 on, optional gap]",
			    i, caches);
		rp_batch_put(s->rows, &a);
	}
	return true;
}

static bool
read_root(struct coherence_scenario *s, struct rp_coherence_config *config, uint32_t *top,
    struct rp_err *err)
{
	const char *is = json_string_value(json_object_get(s->root, "schema"));
	if (!is || strcmp(is, schema))
		return rp_fail(
		    err, RP_INPUT, "schema: found '%.40s', wanted %s", is ? is : "none", schema);
	s->expect = json_object_get(s->root, "expect");
	return read_config(json_object_get(s->root, "config"), config, top, err) &&
	       read_trace(json_object_get(s->root, "trace"), config->caches, s, err);
}

/* Copies JSON; integers from 2^63 on, which jansson refuses, become the texts that they are in the output. */
static bool
quote_big(const struct rp_buf *from, struct rp_buf *to, struct rp_err *err)
{
	const char *at = (const char *)from->bytes, *end = at + from->n, *copied = at;
	char before = ' '; /* the character before `at` */
	if (!rp_buf_reserve(to, from->n + 1, err))
		return false;
	for (bool text = false; at < end;) {
		const char *number = at;
		uint64_t x;
		if (text || !rp_scan_dec(&at, end, &x)) {
			text ^= *at == '"';
			at += text && *at == '\\' && at + 1 < end ? 2 : 1;
			before = at[-1];
			continue;
		}
		bool whole = !strchr("+-.0123456789", before) && (at == end || !strchr(".eE", *at));
		if (whole && x > INT64_MAX) {
			if (!rp_buf_add(to, copied, (size_t)(number - copied), err) ||
			    !rp_buf_printf(to, err, "\"0x%" PRIx64 "\"", x))
				return false;
			copied = at;
		}
		before = at[-1];
	}
	return rp_buf_add(to, copied, (size_t)(end - copied), err);
}

/* The JSON of a file; NULL with *err filled. Gives. */
static json_t *
load(FILE *f, const char *path, struct rp_err *err)
{
	enum { PIECE = 1 << 16 };
	struct rp_buf raw = { 0 }, quoted = { 0 };
	json_error_t where;
	json_t *root = NULL;
	unsigned char *to;
	size_t n = 1;
	while (n && (to = rp_buf_reserve(&raw, PIECE, err)))
		raw.n += n = fread(to, 1, PIECE, f);
	if (!n && ferror(f)) {
		rp_fail_errno(err, RP_INPUT, "%s", path);
	} else if (!n && quote_big(&raw, &quoted, err)) {
		root = json_loadb(
		    (const char *)quoted.bytes, quoted.n, JSON_REJECT_DUPLICATES, &where);
		if (!root)
			rp_fail(err, RP_INPUT, "%s:%d: %s", path, where.line, where.text);
	}
	rp_buf_free(&raw);
	rp_buf_free(&quoted);
	return root;
}

bool
coherence_scenario_read(const char *path, struct coherence_scenario *s,
    struct rp_coherence_config *config, uint32_t *top, struct rp_err *err)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "r") : stdin;
	if (!f)
		return rp_fail_errno(err, RP_INPUT, "%s", path);
	s->root = load(f, path, err);
	if (f != stdin)
		fclose(f);
	if (!s->root)
		return false;
	if (read_root(s, config, top, err))
		return true;
	if (err && err->code == RP_USAGE)
		err->code = RP_INPUT;
	return rp_err_wrap(err, "%s", path);
}

void
coherence_scenario_free(struct coherence_scenario *s)
{
	rp_batch_free(s->rows);
	free(s->gap);
	json_decref(s->root);
}

/* Differences printed so far, of values looked at. */
struct differences {
	struct rp_out *to;
	struct rp_err *err;
	uint64_t values, different;
	bool failed; /* printing */
};

/* Writes a value: a cache's whole contents may be longer than what rp_out_printf takes. NULL: there is none. */
static bool
write_value(struct differences *d, const json_t *value)
{
	char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
	const char *shown = !value ? "nothing" : text ? text : "?";
	bool ok = rp_out_write(d->to, shown, strlen(shown), d->err);
	free(text);
	return ok;
}

static void
differ(struct differences *d, const char *path, const json_t *expected, const json_t *found)
{
	d->different++;
	d->failed = d->failed || !rp_out_printf(d->to, d->err, "%s: expected ", path) ||
	            !write_value(d, expected) || !rp_out_write(d->to, ", found ", 8, d->err) ||
	            !write_value(d, found) || !rp_out_write(d->to, "\n", 1, d->err);
}

/* NULL is a value that is not there. */
static void
compare(struct differences *d, const char *path, const json_t *expected, const json_t *found)
{
	char below[512];
	const char *key;
	json_t *value;
	if (json_is_object(expected) && json_is_object(found)) {
		json_object_foreach((json_t *)expected, key, value)
		{
			snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "", key);
			compare(d, below, value, json_object_get(found, key));
		}
		return;
	}
	if (json_is_array(expected) && json_is_array(found)) {
		size_t n = json_array_size(expected), m = json_array_size(found);
		for (size_t i = 0; i < n || i < m; i++) {
			snprintf(below, sizeof below, "%s[%zu]", path, i);
			compare(d, below, json_array_get(expected, i), json_array_get(found, i));
		}
		return;
	}
	d->values++;
	if (!json_equal(expected, found))
		differ(d, path, expected, found);
}

bool
coherence_check(
    const json_t *expect, json_t *doc, const char *path, struct rp_out *to, struct rp_err *err)
{
	struct differences d = { .to = to, .err = err };
	if (!json_is_object(expect))
		return rp_fail(err, RP_INPUT, "%s: no \"expect\" to compare with", path);
	compare(&d, "", expect, doc);
	if (d.failed)
		return false;
	if (d.different)
		return rp_fail(err, RP_FAILED, "%s: %" PRIu64 " of %" PRIu64 " values differ", path,
		    d.different, d.values);
	return rp_out_printf(
	    to, err, "%s: all %" PRIu64 " values are as expected\n", path, d.values);
}
