/* opt.c - options as rows of a table. */
#include "config.h"

#include "base/opt.h"
#include "base/mem.h"
#include "base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 128 };

static const struct rp_opt *
exact(const struct rp_opt *rows, const char *name)
{
	for (const struct rp_opt *o = rows; o->name; o++)
		if (!strcmp(o->name, name))
			return o;
	return NULL;
}

static const struct rp_opt *
find(const struct rp_opt *rows, const char *name, bool dashes, struct rp_err *err)
{
	const char *names[NAMES_MOST];
	size_t n = 0;
	for (const struct rp_opt *o = rows; o->name; o++) {
		if (!strcmp(o->name, name))
			return o;
		if (n < NAMES_MOST)
			names[n++] = o->name;
	}
	const char *near = rp_nearest(name, names, n), *what = dashes ? "option" : "key";
	if (near)
		rp_fail(err, RP_USAGE, "no %s '%.40s'; did you mean '%s'?", what, name, near);
	else
		rp_fail(err, RP_USAGE, "no %s '%.40s'", what, name);
	return NULL;
}

static bool
in_range(const struct rp_opt *o, uint64_t x, struct rp_err *err)
{
	if ((!o->least && !o->most) || (x >= o->least && x <= o->most))
		return true;
	return rp_fail(
	    err, RP_USAGE, "%" PRIu64 " is not in %" PRIu64 "..%" PRIu64, x, o->least, o->most);
}

static bool
set_number(const struct rp_opt *o, void *field, const char *value, struct rp_err *err)
{
	bool size = o->kind == RP_OPT_SIZE || o->kind == RP_OPT_SIZE32;
	uint64_t x;
	if (!(size ? rp_parse_size : rp_parse_u64)(value, &x, err) || !in_range(o, x, err))
		return false;
	if (o->kind == RP_OPT_U64 || o->kind == RP_OPT_SIZE) {
		*(uint64_t *)field = x;
		return true;
	}
	if (x > UINT32_MAX)
		return rp_fail(err, RP_USAGE, "%" PRIu64 " is above 2^32 - 1", x);
	*(uint32_t *)field = (uint32_t)x;
	return true;
}

static bool
set_choice(const struct rp_opt *o, void *field, const char *value, struct rp_err *err)
{
	char all[256] = "";
	for (unsigned i = 0; o->choices[i]; i++) {
		if (!strcmp(o->choices[i], value)) {
			*(unsigned *)field = i;
			return true;
		}
		size_t n = strlen(all);
		snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "", o->choices[i]);
	}
	return rp_fail(err, RP_USAGE, "'%.40s' is none of %s", value, all);
}

static bool
add_text(void *field, const char *value, struct rp_err *err)
{
	struct rp_texts *t = field;
	void *p = rp_mem_grow(t->text, t->n + 1, sizeof *t->text, err);
	if (!p)
		return false;
	t->text = p;
	t->text[t->n++] = value;
	return true;
}

static bool
set_flag(void *field, const char *value, struct rp_err *err)
{
	bool yes = !strcmp(value, "yes");
	if (!yes && strcmp(value, "no"))
		return rp_fail(err, RP_USAGE, "'%.40s' is none of yes, no", value);
	*(bool *)field = yes;
	return true;
}

static bool
set(const struct rp_opt *o, void *into, const char *value, struct rp_err *err)
{
	void *field = (char *)into + o->offset;
	if (o->check && !o->check(value, err))
		return false;
	switch (o->kind) {
	case RP_OPT_FLAG:
		return set_flag(field, value, err);
	case RP_OPT_DOUBLE:
		return rp_parse_double(value, field, err);
	case RP_OPT_TEXT:
		*(const char **)field = value;
		return true;
	case RP_OPT_TEXTS:
		return add_text(field, value, err);
	case RP_OPT_CHOICE:
		return set_choice(o, field, value, err);
	default:
		return set_number(o, field, value, err);
	}
}

bool
rp_opts_default(const struct rp_opt *rows, void *into, struct rp_err *err)
{
	for (const struct rp_opt *o = rows; o->name; o++)
		if (o->usual && !set(o, into, o->usual, err))
			return rp_err_wrap(err, "default of %s", o->name);
	return true;
}

static bool
set_named(const struct rp_opt *o, void *into, const char *value, bool dashes, struct rp_err *err)
{
	return set(o, into, value, err) || rp_err_wrap(err, dashes ? "--%s" : "%s=", o->name);
}

bool
rp_opts_set(const struct rp_opt *rows, void *into, const char *name, const char *value, bool dashes,
    struct rp_err *err)
{
	const struct rp_opt *o = find(rows, name, dashes, err);
	return o && set_named(o, into, value, dashes, err);
}

bool
rp_opts_set_key(
    const struct rp_opt *rows, void *into, const char *name, const char *value, struct rp_err *err)
{
	const struct rp_opt *o = find(rows, name, false, err);
	return o && (set(o, into, value, err) || rp_err_wrap(err, "%s", name));
}

/* `--name`, `--name=value` or `--name value`; *i moves over what was used. `--no-name` turns a flag off. */
static bool
parse_long(const struct rp_opt *rows, void *into, int argc, char **argv, int *i, struct rp_err *err)
{
	char name[64];
	const char *text = argv[*i] + 2, *equals = strchr(text, '=');
	snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - text) : 63, text);
	const struct rp_opt *o = exact(rows, name);
	if (!o && !equals && !strncmp(name, "no-", 3) && (o = exact(rows, name + 3)) &&
	    o->kind == RP_OPT_FLAG)
		return set_named(o, into, "no", true, err);
	if (!(o = find(rows, name, true, err)))
		return false;
	if (o->kind == RP_OPT_FLAG)
		return set_named(o, into, equals ? equals + 1 : "yes", true, err);
	if (!equals && *i + 1 >= argc)
		return rp_fail(err, RP_USAGE, "--%s: wanted %s behind it", o->name, o->arg);
	return set_named(o, into, equals ? equals + 1 : argv[++*i], true, err);
}

/* `-x`, `-xVALUE` or `-x VALUE`; flags may be joined. */
static bool
parse_short(
    const struct rp_opt *rows, void *into, int argc, char **argv, int *i, struct rp_err *err)
{
	for (const char *c = argv[*i] + 1; *c; c++) {
		const struct rp_opt *o = rows;
		while (o->name && o->letter != *c)
			o++;
		if (!o->name)
			return rp_fail(err, RP_USAGE, "no option '-%c'", *c);
		if (o->kind == RP_OPT_FLAG) {
			if (!set_named(o, into, "yes", true, err))
				return false;
			continue;
		}
		if (c[1])
			return set_named(o, into, c + 1, true, err);
		if (*i + 1 >= argc)
			return rp_fail(err, RP_USAGE, "-%c: wanted %s behind it", *c, o->arg);
		return set_named(o, into, argv[++*i], true, err);
	}
	return true;
}

bool
rp_opts_parse(
    const struct rp_opt *rows, void *into, int argc, char **argv, int *first, struct rp_err *err)
{
	char **operand = rp_mem_array((size_t)argc + 1, sizeof *operand, err);
	char **option = rp_mem_array((size_t)argc + 1, sizeof *option, err);
	size_t n_operands = 0, n_options = 0;
	bool ok = operand && option;
	for (int i = 1; ok && i < argc; i++) {
		int from = i;
		if (!strcmp(argv[i], "--")) {
			option[n_options++] = argv[i++];
			for (; i < argc; i++)
				operand[n_operands++] = argv[i];
			break;
		}
		if (argv[i][0] != '-' || !argv[i][1]) {
			operand[n_operands++] = argv[i];
			continue;
		}
		ok =
		    (argv[i][1] == '-' ? parse_long : parse_short)(rows, into, argc, argv, &i, err);
		for (; ok && from <= i; from++)
			option[n_options++] = argv[from];
	}
	if (ok) {
		memcpy(argv + 1, option, n_options * sizeof *argv);
		memcpy(argv + 1 + n_options, operand, n_operands * sizeof *argv);
		*first = (int)(1 + n_options);
	}
	free(operand);
	free(option);
	return ok;
}

void
rp_opts_free(const struct rp_opt *rows, void *into)
{
	for (const struct rp_opt *o = rows; o->name; o++)
		if (o->kind == RP_OPT_TEXTS) {
			struct rp_texts *t = (void *)((char *)into + o->offset);
			free(t->text);
			*t = (struct rp_texts){ 0 };
		}
}

enum { HELP_INDENT = 28, HELP_WIDTH = 79 };

/* `text` in words from column HELP_INDENT on; the cursor stands at column `at`. */
static bool
wrap_words(struct rp_buf *to, const char *text, size_t at, struct rp_err *err)
{
	bool ok = true, fresh = true;
	if (at >= HELP_INDENT) {
		ok = rp_buf_printf(to, err, "\n");
		at = 0;
	}
	ok = ok && rp_buf_printf(to, err, "%*s", (int)(HELP_INDENT - at), "");
	at = HELP_INDENT;
	while (ok && *text) {
		size_t n = strcspn(text, " ");
		if (!fresh && at + 1 + n > HELP_WIDTH) {
			ok = rp_buf_printf(to, err, "\n%*s", HELP_INDENT, "");
			at = HELP_INDENT;
			fresh = true;
		}
		ok = ok && rp_buf_printf(to, err, "%s%.*s", fresh ? "" : " ", (int)n, text);
		at += n + !fresh;
		fresh = false;
		text += n + strspn(text + n, " ");
	}
	return ok && rp_buf_printf(to, err, "\n");
}

/* What the row says, and its default. A flag that is off says nothing more, one that is on how to turn it off. */
static bool
describe(const struct rp_opt *o, struct rp_buf *to, struct rp_err *err)
{
	if (!rp_buf_printf(to, err, "%s", o->what))
		return false;
	if (!o->usual || (o->kind == RP_OPT_FLAG && !strcmp(o->usual, "no")))
		return true;
	if (o->kind == RP_OPT_FLAG)
		return rp_buf_printf(to, err, " (usual; --no-%s: not)", o->name);
	return rp_buf_printf(to, err, " (%s)", o->usual);
}

static bool
help(const struct rp_opt *rows, bool rare, struct rp_buf *to, struct rp_err *err)
{
	struct rp_buf what = { 0 };
	bool ok = true;
	for (const struct rp_opt *o = rows; ok && o->name; o++) {
		if (o->rare != rare)
			continue;
		size_t from = to->n;
		what.n = 0;
		ok = o->letter ? rp_buf_printf(to, err, "  -%c, ", o->letter)
		               : rp_buf_printf(to, err, "      ");
		ok = ok && rp_buf_printf(to, err, "--%s%s%s", o->name, o->arg ? " " : "",
			       o->arg ? o->arg : "");
		ok = ok && describe(o, &what, err) &&
		     wrap_words(to, (char *)what.bytes, to->n - from, err);
	}
	rp_buf_free(&what);
	return ok;
}

bool
rp_opts_help(const struct rp_opt *rows, struct rp_buf *to, struct rp_err *err)
{
	return help(rows, false, to, err);
}

bool
rp_opts_help_rare(const struct rp_opt *rows, struct rp_buf *to, struct rp_err *err)
{
	return help(rows, true, to, err);
}

enum { SPEC_KEYS = 64 }; /* so many are looked at for doubles */

/* Does a `key=` stand here? */
static bool
is_key(const char *p)
{
	size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789_-");
	return n && p[n] == '=';
}

bool
rp_spec_split(char *text, const char **word,
    bool (*set_pair)(void *to, const char *key, const char *value, struct rp_err *err), void *to,
    struct rp_err *err)
{
	char *p = text;
	const char *seen[SPEC_KEYS];
	size_t keys = 0;
	*word = "";
	if (!is_key(p)) {
		*word = p;
		p += strcspn(p, ",");
		if (*p) {
			*p++ = 0;
			if (!*p)
				return rp_fail(err, RP_USAGE,
				    "nothing behind '%.40s,': wanted key=value", *word);
		}
	}
	while (*p) {
		if (!is_key(p))
			return rp_fail(err, RP_USAGE, "'%.40s': wanted key=value", p);
		char *value = strchr(p, '=');
		*value++ = 0;
		char *comma = strchr(value, ',');
		while (comma && !is_key(comma + 1))
			comma = strchr(comma + 1, ',');
		if (comma)
			*comma++ = 0;
		for (size_t i = 0; i < keys; i++)
			if (!strcmp(seen[i], p))
				return rp_fail(err, RP_USAGE, "%s= is given twice", p);
		if (keys < SPEC_KEYS)
			seen[keys++] = p;
		if (!set_pair(to, p, value, err))
			return false;
		if (!comma)
			break;
		p = comma;
	}
	return true;
}
