/* yaml.c - a YAML file as a tree in which every node knows its line.
 *
 * libyaml gives the events; they are taken by descent, as deep as files of ours could reasonably be. */
#include "config.h"

#include "base/yaml.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

enum { DEPTH_MOST = 32 };

struct reading {
	struct rp_yaml *out;
	yaml_parser_t parser;
	struct rp_err *err;
};

static bool fail_at(const struct reading *r, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* `line` counts from 0, as libyaml's marks do. */
static bool
fail_at(const struct reading *r, size_t line, const char *format, ...)
{
	char text[384];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return rp_fail(r->err, RP_INPUT, "%s:%zu: %s", r->out->path, line + 1, text);
}

static bool
parse_failed(const struct reading *r)
{
	const yaml_parser_t *p = &r->parser;
	if (p->error == YAML_MEMORY_ERROR)
		return rp_fail(r->err, RP_RESOURCE, "out of memory: reading %s", r->out->path);
	if (p->error == YAML_READER_ERROR && errno)
		return rp_fail_errno(r->err, RP_INPUT, "reading %s", r->out->path);
	return fail_at(r, p->problem_mark.line, "not YAML: %s%s%s",
	    p->problem ? p->problem : "it cannot be read", p->context ? " " : "",
	    p->context ? p->context : "");
}

/* The next event, which the caller deletes. */
static bool
next(struct reading *r, yaml_event_t *e)
{
	errno = 0;
	if (!yaml_parser_parse(&r->parser, e))
		return parse_failed(r);
	const yaml_char_t *anchor =
	    e->type == YAML_SCALAR_EVENT           ? e->data.scalar.anchor
	    : e->type == YAML_SEQUENCE_START_EVENT ? e->data.sequence_start.anchor
	    : e->type == YAML_MAPPING_START_EVENT  ? e->data.mapping_start.anchor
						   : NULL;
	const yaml_char_t *tag = e->type == YAML_SCALAR_EVENT           ? e->data.scalar.tag
	                         : e->type == YAML_SEQUENCE_START_EVENT ? e->data.sequence_start.tag
	                         : e->type == YAML_MAPPING_START_EVENT  ? e->data.mapping_start.tag
	                                                                : NULL;
	bool ok = true;
	if (anchor || e->type == YAML_ALIAS_EVENT)
		ok = fail_at(r, e->start_mark.line, "anchors and aliases are not taken");
	else if (tag)
		ok = fail_at(r, e->start_mark.line, "tags (!name) are not taken");
	if (!ok)
		yaml_event_delete(e);
	return ok;
}

static char *
text_of(struct reading *r, const yaml_event_t *e)
{
	const char *value = (const char *)e->data.scalar.value;
	if (strlen(value) != e->data.scalar.length) {
		fail_at(r, e->start_mark.line, "a text holds a zero byte");
		return NULL;
	}
	return rp_arena_string(&r->out->arena, value, r->err);
}

static struct rp_yaml_node *read_node(struct reading *r, const yaml_event_t *e, unsigned depth);

/* The key of a member of `map`, from its event: not there before. */
static const char *
read_key(struct reading *r, const struct rp_yaml_node *map, const yaml_event_t *e)
{
	if (e->type != YAML_SCALAR_EVENT) {
		fail_at(r, e->start_mark.line, "a key is a text");
		return NULL;
	}
	const char *key = text_of(r, e);
	if (key && rp_yaml_at(map, key)) {
		fail_at(r, e->start_mark.line, "%.60s: comes twice; first in line %u", key,
		    rp_yaml_at(map, key)->line);
		return NULL;
	}
	return key;
}

/* The members of a list or a map, up to its end. */
static bool
read_members(struct reading *r, struct rp_yaml_node *of, unsigned depth)
{
	struct rp_yaml_node **to = &of->first;
	for (;; of->n++) {
		yaml_event_t e;
		const char *key = NULL;
		size_t line;
		if (!next(r, &e))
			return false;
		line = e.start_mark.line;
		bool end = e.type == YAML_SEQUENCE_END_EVENT || e.type == YAML_MAPPING_END_EVENT;
		bool ok = end || of->kind == RP_YAML_LIST || (key = read_key(r, of, &e));
		if (ok && key) {
			yaml_event_delete(&e);
			if (!next(r, &e))
				return false;
		}
		*to = ok && !end ? read_node(r, &e, depth + 1) : NULL;
		yaml_event_delete(&e);
		if (!*to)
			return ok && end;
		(*to)->key = key;
		(*to)->line = (unsigned)line + 1;
		to = &(*to)->next;
	}
}

static struct rp_yaml_node *
read_node(struct reading *r, const yaml_event_t *e, unsigned depth)
{
	if (depth == DEPTH_MOST) {
		fail_at(r, e->start_mark.line, "nested more than %d deep", DEPTH_MOST);
		return NULL;
	}
	struct rp_yaml_node *node = rp_arena_take(&r->out->arena, sizeof *node, r->err);
	if (!node)
		return NULL;
	node->line = (unsigned)e->start_mark.line + 1;
	node->kind = e->type == YAML_SCALAR_EVENT           ? RP_YAML_TEXT
	             : e->type == YAML_SEQUENCE_START_EVENT ? RP_YAML_LIST
	                                                    : RP_YAML_MAP;
	bool ok = node->kind == RP_YAML_TEXT ? (node->text = text_of(r, e)) != NULL
	                                     : read_members(r, node, depth);
	return ok ? node : NULL;
}

/* The document, which is all there is. */
static bool
read_document(struct reading *r)
{
	yaml_event_t e;
	for (;;) {
		if (!next(r, &e))
			return false;
		yaml_event_type_t type = e.type;
		size_t line = e.start_mark.line;
		bool ok = true;
		if (type == YAML_SCALAR_EVENT || type == YAML_SEQUENCE_START_EVENT ||
		    type == YAML_MAPPING_START_EVENT)
			ok = (r->out->root = read_node(r, &e, 0));
		else if (type == YAML_DOCUMENT_START_EVENT && r->out->root)
			ok = fail_at(r, line, "a second document; wanted one");
		yaml_event_delete(&e);
		if (!ok)
			return false;
		if (type == YAML_STREAM_END_EVENT)
			return r->out->root || fail_at(r, 0, "the file is empty");
	}
}

bool
rp_yaml_read(const char *path, struct rp_yaml *out, struct rp_err *err)
{
	struct reading r = { .out = out, .err = err };
	*out = (struct rp_yaml){ 0 };
	FILE *f = fopen(path, "rb");
	if (!f)
		return rp_fail_errno(err, RP_INPUT, "%s", path);
	out->path = rp_arena_string(&out->arena, path, err);
	bool ok = out->path != NULL;
	if (ok && !yaml_parser_initialize(&r.parser))
		ok = rp_fail(err, RP_RESOURCE, "out of memory: reading %s", path);
	else if (ok) {
		yaml_parser_set_input_file(&r.parser, f);
		ok = read_document(&r);
		yaml_parser_delete(&r.parser);
	}
	fclose(f);
	if (!ok)
		rp_yaml_free(out);
	return ok;
}

void
rp_yaml_free(struct rp_yaml *y)
{
	rp_arena_free(&y->arena);
	*y = (struct rp_yaml){ 0 };
}

const struct rp_yaml_node *
rp_yaml_at(const struct rp_yaml_node *map, const char *key)
{
	for (const struct rp_yaml_node *n = map->first; n; n = n->next)
		if (n->key && !strcmp(n->key, key))
			return n;
	return NULL;
}

const char *
rp_yaml_kind_name(enum rp_yaml_kind kind)
{
	return kind == RP_YAML_TEXT ? "a text" : kind == RP_YAML_LIST ? "a list" : "a map";
}

bool
rp_yaml_fail(const struct rp_yaml *y, const struct rp_yaml_node *at, struct rp_err *err,
    const char *format, ...)
{
	char text[384];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return rp_fail(err, RP_INPUT, "%s:%u: %s", y->path, at->line, text);
}

bool
rp_yaml_wrap(const struct rp_yaml *y, const struct rp_yaml_node *at, struct rp_err *err)
{
	if (err && err->code != RP_RESOURCE)
		err->code = RP_INPUT;
	return rp_err_wrap(err, "%s:%u", y->path, at->line);
}
