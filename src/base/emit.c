/* emit.c - one document, printed as JSON, as CSV or as aligned tables. */
#include "config.h"

#include "base/emit.h"
#include "base/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

json_t *
rp_emit_at(json_t *object, const char *path)
{
	while (object && *path) {
		char key[64];
		size_t n = strcspn(path, ".");
		snprintf(key, sizeof key, "%.*s", (int)n, path);
		object = json_object_get(object, key);
		path += n + (path[n] == '.');
	}
	return object;
}

void
rp_emit_begin(void)
{
	errno = 0;
}

bool
rp_emit_whole(const json_t *tree, struct rp_err *err)
{
	if (tree && errno != ENOMEM)
		return true;
	if (!err || !err->code) /* what was said first is nearer to the cause */
		rp_fail(err, RP_RESOURCE, "out of memory: results");
	return false;
}

bool
rp_emit_close(struct rp_out *to, const json_t *tree, bool ok, struct rp_err *err)
{
	if (ok && rp_emit_whole(tree, err))
		return rp_out_commit(to, err);
	rp_out_abort(to);
	return false;
}

json_t *
rp_emit_count(uint64_t n)
{
	return n <= INT64_MAX ? json_integer((json_int_t)n) : json_real((double)n);
}

json_t *
rp_emit_text(const char *text)
{
	json_t *s = json_string(text);
	char plain[1024];
	if (s)
		return s;
	snprintf(plain, sizeof plain, "%s", text);
	for (char *c = plain; *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	return json_string(plain);
}

json_t *
rp_emit_ratio(uint64_t numerator, uint64_t denominator)
{
	return denominator ? json_real((double)numerator / (double)denominator) : json_null();
}

/* Where jansson's pieces go, and why one could not. */
struct sink {
	struct rp_out *out;
	struct rp_err *err;
	bool failed;
};

static int
to_sink(const char *bytes, size_t n, void *to)
{
	struct sink *s = to;
	s->failed = s->failed || !rp_out_write(s->out, bytes, n, s->err);
	return s->failed ? -1 : 0;
}

bool
rp_emit_json(struct rp_out *to, const json_t *tree, struct rp_err *err)
{
	struct sink sink = { to, err, false };
	if (json_dump_callback(tree, to_sink, &sink, JSON_INDENT(2) | JSON_PRESERVE_ORDER))
		return !sink.failed && rp_fail(err, RP_RESOURCE, "out of memory: printing JSON");
	return rp_out_write(to, "\n", 1, err);
}

char *
rp_print_count(char *to, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof digits, "%" PRIu64, n), at = 0;
	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			to[at++] = ',';
		to[at++] = digits[i];
	}
	to[at] = 0;
	return to;
}

enum { CELL = 256 };

/* A value as text. `plain`: for CSV, exact. */
static void
print_cell(char to[CELL], const json_t *v, enum rp_cell cell, bool plain)
{
	to[0] = 0;
	if (!v)
		return;
	if (json_is_null(v))
		snprintf(to, CELL, "%s", plain ? "" : "-");
	else if (json_is_string(v))
		snprintf(to, CELL, "%s", json_string_value(v));
	else if (json_is_boolean(v))
		snprintf(to, CELL, "%s", json_is_true(v) ? "yes" : "no");
	else if (json_is_real(v))
		snprintf(to, CELL,
		    plain                   ? "%.17g"
		    : cell == RP_CELL_RATIO ? "%.6f"
					    : "%.6g",
		    json_real_value(v));
	else if (json_is_integer(v) && plain)
		snprintf(to, CELL, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	else if (json_is_integer(v) && json_integer_value(v) >= 0)
		rp_print_count(to, (uint64_t)json_integer_value(v));
	else if (json_is_integer(v))
		snprintf(to, CELL, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
}

static bool
csv_text(struct rp_out *to, const char *text, struct rp_err *err)
{
	if (!strpbrk(text, ",\"\n\r"))
		return rp_out_write(to, text, strlen(text), err);
	bool ok = rp_out_write(to, "\"", 1, err);
	for (; ok && *text; text++)
		ok = (*text != '"' || rp_out_write(to, "\"", 1, err)) &&
		     rp_out_write(to, text, 1, err);
	return ok && rp_out_write(to, "\"", 1, err);
}

bool
rp_emit_csv(struct rp_out *to, json_t *rows, const struct rp_view *view, size_t n, bool bare,
    struct rp_err *err)
{
	size_t r;
	json_t *row;
	for (size_t c = 0; !bare && c < n; c++)
		if (!csv_text(to, view[c].heading, err) ||
		    !rp_out_write(to, c + 1 < n ? "," : "\n", 1, err))
			return false;
	json_array_foreach(rows, r, row)
	{
		for (size_t c = 0; c < n; c++) {
			const json_t *v = rp_emit_at(row, view[c].path);
			char text[CELL];
			const char *s = text;
			if (json_is_string(v))
				s = json_string_value(v); /* whole, however long */
			else
				print_cell(text, v, view[c].cell, true);
			if (!csv_text(to, s, err) ||
			    !rp_out_write(to, c + 1 < n ? "," : "\n", 1, err))
				return false;
		}
	}
	return true;
}

/* Cells of a table to be aligned: text[r * columns + c]. */
struct grid {
	size_t rows, columns;
	char (*text)[CELL];
	bool *right; /* of each cell */
};

static bool
grid_new(struct grid *g, size_t rows, size_t columns, struct rp_err *err)
{
	*g = (struct grid){ rows, columns, NULL, NULL };
	g->text = rp_mem_array(rows * columns, sizeof *g->text, err);
	g->right = rp_mem_array(rows * columns, sizeof *g->right, err);
	return g->text && g->right;
}

/* A row of the grid; blanks are held back until something stands behind them. */
static bool
grid_line(
    struct rp_out *to, const struct grid *g, size_t r, const size_t *width, struct rp_err *err)
{
	size_t blanks = 0;
	bool ok = true;
	for (size_t c = 0; ok && c < g->columns; c++) {
		const char *text = g->text[r * g->columns + c];
		size_t n = strlen(text), pad = width[c] - n;
		bool right = g->right[r * g->columns + c];
		blanks += (c ? 2 : 0) + (right ? pad : 0);
		if (n) {
			ok = rp_out_printf(to, err, "%*s%s", (int)blanks, "", text);
			blanks = 0;
		}
		blanks += right ? 0 : pad;
	}
	return ok && rp_out_write(to, "\n", 1, err);
}

static bool
grid_print(struct rp_out *to, const struct grid *g, struct rp_err *err)
{
	size_t *width = rp_mem_array(g->columns, sizeof *width, err);
	bool ok = width != NULL;
	for (size_t i = 0; ok && i < g->rows * g->columns; i++) {
		size_t n = strlen(g->text[i]);
		if (n > width[i % g->columns])
			width[i % g->columns] = n;
	}
	for (size_t r = 0; ok && r < g->rows; r++)
		ok = grid_line(to, g, r, width, err);
	free(width);
	return ok;
}

static bool
is_absent(json_t *rows, const char *path)
{
	size_t r;
	json_t *row;
	json_array_foreach(rows, r, row)
	{
		if (rp_emit_at(row, path))
			return false;
	}
	return true;
}

bool
rp_emit_table(struct rp_out *to, json_t *rows, const struct rp_view *view, size_t n, bool turned,
    struct rp_err *err)
{
	size_t objects = json_array_size(rows), shown = 0, r;
	const struct rp_view **use = rp_mem_array(n, sizeof *use, err);
	struct grid g = { 0 };
	json_t *row;
	if (!use)
		return false;
	for (size_t c = 0; c < n; c++)
		if (!is_absent(rows, view[c].path))
			use[shown++] = &view[c];
	size_t across = turned ? objects + 1 : shown, down = turned ? shown : objects + 1;
	bool ok = grid_new(&g, down, across, err);
	for (size_t c = 0; ok && c < shown; c++) {
		size_t head = turned ? c * across : c;
		snprintf(g.text[head], CELL, "%s", use[c]->heading);
		g.right[head] = !turned && use[c]->cell != RP_CELL_TEXT;
		json_array_foreach(rows, r, row)
		{
			size_t i = turned ? c * across + r + 1 : (r + 1) * across + c;
			print_cell(g.text[i], rp_emit_at(row, use[c]->path), use[c]->cell, false);
			g.right[i] = turned || use[c]->cell != RP_CELL_TEXT;
		}
	}
	ok = ok && grid_print(to, &g, err);
	free(use);
	free(g.text);
	free(g.right);
	return ok;
}
