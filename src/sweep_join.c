/* sweep_join.c - shares of a sweep made one.
 *
 * A share is the output of `reprise sweep --shard`, JSON or CSV. Each of its rows tells its number in the grid, how many
 * there are, and hashes of the grid and of the trace: so what is missing, comes twice or belongs to something else shows. */
#include "config.h"

#include "sweep.h"

#include "base/buf.h"
#include "base/emit.h"
#include "base/mem.h"
#include "base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is joined so far. */
struct joined {
	json_t *doc;       /* of the first share; its "points" are all */
	json_t **row;      /* by number: borrowed from their shares; NULL: missing */
	const char **from; /* the file each is of */
	size_t points;
	char grid[20], trace[20];
	const char *first; /* the first file with rows */
	json_t **share;    /* documents, so that rows live */
	size_t shares;
};

static bool
read_file(const char *path, struct rp_buf *to, struct rp_err *err)
{
	enum { PIECE = 1 << 16 };
	FILE *f = fopen(path, "rb");
	size_t n = PIECE;
	if (!f)
		return rp_fail_errno(err, RP_INPUT, "%s", path);
	while (n == PIECE) {
		unsigned char *at = rp_buf_reserve(to, PIECE + 1, err);
		if (!at)
			break;
		n = fread(at, 1, PIECE, f);
		to->n += n;
		at[n] = 0;
	}
	bool ok = n < PIECE && (!ferror(f) || rp_fail_errno(err, RP_INPUT, "reading %s", path));
	fclose(f);
	return ok;
}

/* The fields of a line of CSV, which are cut off in place; no field of a share has commas in it. The next line, or NULL. */
static char *
split_line(char *line, char **field, size_t room, size_t *n)
{
	char *next = strchr(line, '\n');
	if (next)
		*next++ = 0;
	line[strcspn(line, "\r")] = 0;
	*n = 0;
	for (char *p = line; p;) {
		char *comma = strchr(p, ',');
		if (comma)
			*comma++ = 0;
		if (*n < room)
			field[(*n)++] = p;
		p = comma;
	}
	return next;
}

enum { FIELDS = 192, FIRST_COUNTER = 9, SHARE_FIELDS = 4 };

/* A field as it was before it was printed: a whole number, a ratio, or a word. */
static json_t *
value_of(const char *name, const char *text)
{
	const char *p = text, *end = text + strlen(text);
	uint64_t x;
	if (!strcmp(name, "policy") || !strcmp(name, "index"))
		return json_string(text);
	if (rp_scan_dec(&p, end, &x) && p == end)
		return rp_emit_count(x);
	double ratio = strtod(text, (char **)(uintptr_t)&p);
	return p == end && p > text ? json_real(ratio) : json_string(text);
}

/* A line as a row; the last fields are its number and its share's. */
static json_t *
row_of(char **name, char **field, size_t n)
{
	size_t shares = n - SHARE_FIELDS;
	json_t *row = json_object(), *counters = json_object();
	for (size_t i = 0; i < shares; i++) {
		json_t *v = *field[i]                        ? value_of(name[i], field[i])
		            : !strcmp(name[i], "miss_ratio") ? json_null()
		                                             : NULL;
		if (v)
			json_object_set_new(i < FIRST_COUNTER ? row : counters, name[i], v);
	}
	json_object_set_new(row, "counters", counters);
	json_object_set_new(row, "point", value_of("point", field[shares]));
	return row;
}

/* {"points", "grid", "trace"} of a line. */
static json_t *
share_of(char **field, size_t n)
{
	return json_pack("{so ss ss}", "points", value_of("points", field[n - 3]), "grid",
	    field[n - 2], "trace", field[n - 1]);
}

static json_t *
bad_line(const char *path, size_t line, const char *what, json_t *doc, struct rp_err *err)
{
	rp_fail(err, RP_INPUT, "%s:%zu: %s", path, line, what);
	json_decref(doc);
	return NULL;
}

/* CSV of a share as a document. Gives. */
static json_t *
read_csv(const char *path, char *text, struct rp_err *err)
{
	static const char *const last[SHARE_FIELDS] = { "point", "points", "grid", "trace" };
	char *name[FIELDS], *field[FIELDS];
	size_t names, n, line = 1;
	char *at = split_line(text, name, FIELDS, &names);
	bool ours = names > FIRST_COUNTER + SHARE_FIELDS && !strcmp(name[0], "policy");
	for (size_t i = 0; ours && i < SHARE_FIELDS; i++)
		ours = !strcmp(name[names - SHARE_FIELDS + i], last[i]);
	if (!ours) {
		rp_fail(err, RP_INPUT,
		    "%s: wanted the CSV or JSON of `reprise sweep --shard I/N`, whose rows end in "
		    "point,points,grid,trace",
		    path);
		return NULL;
	}
	json_t *doc = json_pack("{s[] s[]}", "counters", "points");
	for (size_t i = FIRST_COUNTER; i < names - SHARE_FIELDS; i++)
		json_array_append_new(json_object_get(doc, "counters"), json_string(name[i]));
	while (at && *at) {
		char *this = at;
		line++;
		at = split_line(this, field, FIELDS, &n);
		if (n != names || !at)
			return bad_line(path, line, "a row that is cut short", doc, err);
		json_t *share = share_of(field, n), *before = json_object_get(doc, "share");
		if (before && !json_equal(share, before)) {
			json_decref(share);
			return bad_line(
			    path, line, "a row of another share than those before it", doc, err);
		}
		json_object_set_new(doc, "share", share);
		json_array_append_new(json_object_get(doc, "points"), row_of(name, field, n));
	}
	return doc;
}

static json_t *
read_json(const char *path, const char *text, size_t n, struct rp_err *err)
{
	json_error_t why;
	json_t *doc = json_loadb(text, n, 0, &why);
	if (!doc) {
		rp_fail(err, RP_INPUT, "%s:%d: %s", path, why.line, why.text);
		return NULL;
	}
	if (json_is_array(json_object_get(doc, "points")) &&
	    json_is_object(json_object_get(doc, "share")) &&
	    json_is_array(json_object_get(doc, "counters")))
		return doc;
	json_decref(doc);
	rp_fail(err, RP_INPUT, "%s: wanted the CSV or JSON of `reprise sweep --shard I/N`", path);
	return NULL;
}

static json_t *
read_share(const char *path, struct rp_err *err)
{
	struct rp_buf b = { 0 };
	json_t *doc = NULL;
	if (read_file(path, &b, err)) {
		char *text = (char *)b.bytes;
		doc = text[strspn(text, " \t\r\n")] == '{' ? read_json(path, text, b.n, err)
		                                           : read_csv(path, text, err);
	}
	rp_buf_free(&b);
	return doc;
}

/* Whether a share is of the same grid, trace and counters as the first. */
static bool
check_share(struct joined *j, const char *path, json_t *share, struct rp_err *err)
{
	const char *grid = json_string_value(rp_emit_at(share, "share.grid")),
		   *trace = json_string_value(rp_emit_at(share, "share.trace"));
	json_t *points = rp_emit_at(share, "share.points");
	if (!grid || !trace || !json_is_integer(points) || json_integer_value(points) < 0 ||
	    json_integer_value(points) > RP_SWEEP_POINTS)
		return rp_fail(
		    err, RP_INPUT, "%s: its share's points, grid or trace is missing", path);
	if (!j->first) {
		j->first = path;
		j->points = (size_t)json_integer_value(points);
		snprintf(j->grid, sizeof j->grid, "%s", grid);
		snprintf(j->trace, sizeof j->trace, "%s", trace);
		j->row = rp_mem_array(j->points, sizeof *j->row, err);
		j->from = rp_mem_array(j->points, sizeof *j->from, err);
		return j->row && j->from;
	}
	if (strcmp(grid, j->grid) != 0)
		return rp_fail(err, RP_INPUT, "%s is of another grid, or counts otherwise, than %s",
		    path, j->first);
	if (strcmp(trace, j->trace) != 0)
		return rp_fail(err, RP_INPUT, "%s is of another trace than %s: %s, not %s", path,
		    j->first, trace, j->trace);
	return true;
}

static bool
take_rows(struct joined *j, const char *path, json_t *share, struct rp_err *err)
{
	size_t i;
	json_t *row;
	json_array_foreach(json_object_get(share, "points"), i, row)
	{
		json_t *number = json_object_get(row, "point");
		json_int_t k = json_integer_value(number);
		if (!json_is_integer(number) || k < 0 || (uint64_t)k >= j->points)
			return rp_fail(err, RP_INPUT,
			    "%s: row %zu: its point is none of the grid's %zu", path, i + 1,
			    j->points);
		if (j->row[k])
			return rp_fail(err, RP_INPUT,
			    "%s and %s overlap: both have point %" JSON_INTEGER_FORMAT, j->from[k],
			    path, k);
		j->row[k] = row;
		j->from[k] = path;
	}
	return true;
}

static bool
add_share(struct joined *j, const char *path, struct rp_err *err)
{
	json_t *share = read_share(path, err);
	if (!share)
		return false;
	j->share[j->shares++] = share;
	/* A share of no points tells nothing in CSV. */
	if (!json_object_get(share, "share"))
		return true;
	return check_share(j, path, share, err) && take_rows(j, path, share, err);
}

/* Caches computed in all shares; NULL if a share does not tell, as CSV does not. */
static json_t *
sum_computed(const struct joined *j)
{
	json_int_t sum = 0;
	for (size_t i = 0; i < j->shares; i++) {
		json_t *n = json_object_get(j->share[i], "computed");
		if (!json_is_integer(n))
			return NULL;
		sum += json_integer_value(n);
	}
	return json_integer(sum);
}

/* All rows in order, without what told their share. */
static bool
collect(struct joined *j, struct rp_err *err)
{
	size_t missing = 0, first = 0;
	for (size_t i = j->points; i-- > 0;)
		if (!j->row[i]) {
			missing++;
			first = i;
		}
	if (!j->first)
		return rp_fail(err, RP_INPUT, "no share has a row");
	if (missing)
		return rp_fail(err, RP_INPUT,
		    "%zu of the grid's %zu points are in none of the files, the first: point %zu",
		    missing, j->points, first);
	json_t *points = json_array();
	for (size_t i = 0; i < j->points; i++) {
		json_object_del(j->row[i], "point");
		json_array_append(points, j->row[i]);
	}
	for (size_t i = 0; !j->doc && i < j->shares; i++)
		if (json_object_get(j->share[i], "share"))
			j->doc = json_incref(j->share[i]);
	json_t *computed = sum_computed(j);
	if (computed)
		json_object_set_new(j->doc, "computed", computed);
	else
		json_object_del(j->doc, "computed");
	if (!json_object_get(j->doc, "trace"))
		json_object_set_new(j->doc, "trace", json_pack("{ss}", "hash", j->trace));
	json_object_set_new(j->doc, "points", points);
	json_object_del(j->doc, "share");
	json_object_del(j->doc, "verify");
	json_object_del(j->doc, "pareto");
	json_object_del(j->doc, "target");
	return true;
}

json_t *
sweep_join(int n, char **files, struct rp_err *err)
{
	struct joined j = { 0 };
	if (n < 1) {
		rp_fail(err, RP_USAGE, "--join: wanted the outputs of all shares");
		return NULL;
	}
	j.share = rp_mem_array((size_t)n, sizeof *j.share, err);
	bool ok = j.share;
	for (int i = 0; ok && i < n; i++)
		ok = add_share(&j, files[i], err);
	ok = ok && collect(&j, err);
	for (size_t i = 0; i < j.shares; i++)
		json_decref(j.share[i]);
	free(j.share);
	free(j.row);
	free(j.from);
	if (!ok)
		json_decref(j.doc);
	return ok ? j.doc : NULL;
}
