/* items.c - a list as people give it. */
#include "config.h"

#include "base/items.h"
#include "base/buf.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

enum { PIECE = 1 << 16 };

/* The whole file, with a NUL behind it. Gives (free); NULL with *err filled. */
static char *
read_file(const char *path, struct rp_err *err)
{
	struct rp_buf b = { 0 };
	FILE *f = fopen(path, "rb");
	if (!f) {
		rp_fail_errno(err, RP_INPUT, "%s", path);
		return NULL;
	}
	unsigned char *to;
	size_t n = 1;
	while ((to = rp_buf_reserve(&b, PIECE, err)) && n) {
		n = fread(to, 1, PIECE - 1, f);
		b.n += n;
	}
	bool ok = to != NULL;
	if (ok && ferror(f))
		ok = rp_fail_errno(err, RP_INPUT, "%s", path);
	else if (ok && memchr(b.bytes, 0, b.n))
		ok = rp_fail(err, RP_INPUT, "%s: a NUL: wanted a list as text", path);
	fclose(f);
	if (!ok) {
		rp_buf_free(&b);
		return NULL;
	}
	b.bytes[b.n] = 0;
	return (char *)b.bytes;
}

bool
rp_items_open(struct rp_items *it, const char *text, struct rp_err *err)
{
	*it = (struct rp_items){ .line = 1, .at_line = 1 };
	if (*text == '@')
		it->path = text + 1;
	it->text = it->path ? read_file(it->path, err) : rp_mem_string(text, err);
	it->at = it->text;
	return it->text != NULL;
}

/* Moves over white space and remarks, counting lines. */
static void
skip_blanks(struct rp_items *it)
{
	for (;; it->at++) {
		if (*it->at == '#' && it->path)
			it->at += strcspn(it->at, "\n");
		if (!*it->at || !strchr(" \t\r\n", *it->at))
			return;
		it->at_line += *it->at == '\n';
	}
}

const char *
rp_items_next(struct rp_items *it)
{
	if (it->cut)
		*it->cut = it->was;
	skip_blanks(it);
	it->line = it->at_line;
	bool more = *it->at || (it->comma && !it->path);
	it->item = more ? it->at : NULL;
	it->at += strcspn(it->at, it->path ? " \t\r\n,#" : " \t\r\n,");
	it->cut = it->at;
	it->was = *it->at;
	skip_blanks(it);
	it->comma = *it->at == ',';
	it->at += it->comma;
	*it->cut = 0;
	return it->item;
}

bool
rp_items_wrap(const struct rp_items *it, struct rp_err *err)
{
	if (!it->path)
		return false;
	if (err && err->code == RP_USAGE)
		err->code = RP_INPUT;
	return rp_err_wrap(err, "%s:%lu", it->path, it->line);
}

void
rp_items_close(struct rp_items *it)
{
	free(it->text);
	*it = (struct rp_items){ 0 };
}
