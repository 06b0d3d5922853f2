/* label_from.c - labels that another simulator, or counters of hardware, measured, joined to our features.
 *
 * A row of the file names a trace and a cache, perhaps an interval, and says its rates. Its caches are those that the trace
 * is replayed through, so our own counts stand beside. */
#include "config.h"

#include "label_real.h"

#include "base/mem.h"
#include "base/parse.h"
#include "base/sha256.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column {
	TRACE,
	SETS,
	WAYS,
	LINE,
	LATENCY,
	ENTRIES,
	MAX_MERGE,
	POLICY,
	INDEX,
	STALL,
	INTERVAL,
	MISS,
	MERGE,
	FETCH,
	COLUMNS
};
static const char *const column_name[] = { "trace", "sets", "ways", "line", "latency", "entries",
	"max_merge", "policy", "index", "stall", "interval", "miss_rate", "merge_rate",
	"fetch_rate" };

struct row {
	size_t number; /* line of the file */
	size_t trace;  /* of the run; SIZE_MAX: none has its name */
	size_t cache;  /* of the trace's */
	struct rp_label_cache like;
	struct rp_label_rates rates;
	uint64_t interval;
	const char *why; /* it does not match; NULL: it does */
};

struct label_foreign {
	const char *path;
	char sum[65];
	char *text;
	int at[COLUMNS]; /* of each column; -1: it is not there */
	int columns;
	struct row *row;
	size_t rows;
	const struct row **found; /* those that match, by trace, cache and interval */
	size_t matched;
};

enum { FIELDS = 256 };

/* Cuts a line of CSV (RFC 4180, without line ends in quotes) into fields, in place: how many; the next line in *next. */
static int
split(char *line, char **field, char **next)
{
	int n = 0;
	char *end = line + strcspn(line, "\n");
	*next = *end ? end + 1 : NULL;
	*end = 0;
	if (end > line && end[-1] == '\r')
		end[-1] = 0;
	for (char *at = line; at && n < FIELDS; n++) {
		char *to = at;
		field[n] = at;
		if (*at == '"') {
			for (at++; *at && (*at != '"' || at[1] == '"'); at++) {
				at += *at == '"';
				*to++ = *at;
			}
			at += *at == '"';
			char *comma = *at == ',' ? at : NULL;
			*to = 0;
			at = comma ? comma + 1 : NULL;
		} else {
			at = strchr(at, ',');
			if (at)
				*at++ = 0;
		}
	}
	return n;
}

static bool
read_text(struct label_foreign *f, struct rp_err *err)
{
	FILE *in = fopen(f->path, "rb");
	struct rp_buf b = { 0 };
	size_t n = 1;
	if (!in)
		return rp_fail_errno(err, RP_INPUT, "%s", f->path);
	while (n) {
		enum { PIECE = 1 << 16 };
		unsigned char *to = rp_buf_reserve(&b, PIECE + 1, err);
		if (!to)
			break;
		n = fread(to, 1, PIECE, in);
		b.n += n;
		to[n] = 0;
	}
	bool ok = !n && (!ferror(in) || rp_fail_errno(err, RP_INPUT, "reading %s", f->path));
	fclose(in);
	f->text = (char *)b.bytes;
	if (ok && strlen(f->text) < b.n)
		ok = rp_fail(err, RP_INPUT, "%s has a NUL byte: wanted CSV", f->path);
	return ok && rp_sha256_file(f->path, f->sum, err);
}

/* Which column a field of the header is; -1: one that is not ours. */
static int
column_of(const char *name)
{
	for (int c = 0; c < COLUMNS; c++)
		if (!strcmp(name, column_name[c]))
			return c;
	return -1;
}

static bool
head(const struct label_run *run, struct label_foreign *f, char **field, int n, struct rp_err *err)
{
	f->columns = n;
	for (int c = 0; c < COLUMNS; c++)
		f->at[c] = -1;
	for (int i = 0; i < n; i++) {
		int c = column_of(field[i]);
		if (c >= 0 && f->at[c] >= 0)
			return rp_fail(
			    err, RP_INPUT, "%s:1: column '%s' comes twice", f->path, field[i]);
		if (c >= 0)
			f->at[c] = i;
		else
			json_array_append_new(run->warnings,
			    json_sprintf("%s:1: column '%.40s' is left out", f->path, field[i]));
	}
	if (f->at[TRACE] < 0 || f->at[SETS] < 0 || f->at[WAYS] < 0 ||
	    (f->at[MISS] < 0 && f->at[FETCH] < 0) || f->at[MERGE] < 0)
		return rp_fail(err, RP_INPUT,
		    "%s:1: wanted a header with trace, sets, ways, merge_rate, and miss_rate or "
		    "fetch_rate",
		    f->path);
	return true;
}

/* A whole number of a column, or `usual` if that is not there or empty. */
static bool
number(const struct label_foreign *f, const struct row *r, char **field, enum column c,
    uint64_t usual, uint64_t most, uint64_t *x, struct rp_err *err)
{
	const char *text = f->at[c] >= 0 ? field[f->at[c]] : "";
	*x = usual;
	if (*text && (!rp_parse_u64(text, x, NULL) || *x > most))
		return rp_fail(err, RP_INPUT,
		    "%s:%zu: %s '%.40s': wanted a whole number up to %" PRIu64, f->path, r->number,
		    column_name[c], text, most);
	return true;
}

static bool
rate(const struct label_foreign *f, const struct row *r, char **field, enum column c, double *x,
    struct rp_err *err)
{
	const char *text = f->at[c] >= 0 ? field[f->at[c]] : "";
	return (rp_parse_double(text, x, NULL) && *x >= 0 && *x <= 1) ||
	       rp_fail(err, RP_INPUT, "%s:%zu: %s '%.40s': wanted a rate from 0 to 1", f->path,
		   r->number, column_name[c], text);
}

/* Whether a row that has all three rates has them in the sense of ours. */
static bool
fetch_agrees(const struct label_foreign *f, const struct row *r, char **field, struct rp_err *err)
{
	double fetch;
	if (f->at[FETCH] < 0 || !*field[f->at[FETCH]])
		return true;
	return rate(f, r, field, FETCH, &fetch, err) &&
	       (fabs(fetch - r->rates.fetch_rate) <= 0.01 ||
		   rp_fail(err, RP_INPUT,
		       "%s:%zu: fetch_rate %g, where miss_rate and merge_rate make %g: wanted "
		       "misses "
		       "that hold those that merge",
		       f->path, r->number, fetch, r->rates.fetch_rate));
}

static bool
take_rates(const struct label_foreign *f, struct row *r, char **field, struct rp_err *err)
{
	if (!rate(f, r, field, MERGE, &r->rates.merge_rate, err))
		return false;
	double rest = 1 - r->rates.merge_rate;
	if (f->at[MISS] >= 0 && *field[f->at[MISS]]) {
		if (!rate(f, r, field, MISS, &r->rates.miss_rate, err))
			return false;
		r->rates.fetch_rate = r->rates.miss_rate * rest;
		return fetch_agrees(f, r, field, err);
	}
	if (!rate(f, r, field, FETCH, &r->rates.fetch_rate, err))
		return false;
	if (rest <= 0 || r->rates.fetch_rate / rest > 1 + 1e-9)
		return rp_fail(err, RP_INPUT,
		    "%s:%zu: fetch_rate %g and merge_rate %g make a miss rate above 1", f->path,
		    r->number, r->rates.fetch_rate, r->rates.merge_rate);
	r->rates.miss_rate = r->rates.fetch_rate / rest;
	return true;
}

/* Number of a name in a list; a policy's in rp_policies. */
static bool
code(const struct label_foreign *f, const struct row *r, char **field, enum column c, uint32_t *x,
    struct rp_err *err)
{
	static const char *const usual[] = { [POLICY] = "lru", [INDEX] = "mod", [STALL] = "count" };
	const char *text = f->at[c] >= 0 && *field[f->at[c]] ? field[f->at[c]] : usual[c];
	const char *const *names = c == INDEX ? rp_label_indexes : rp_label_stalls;
	for (uint32_t i = 0; c == POLICY ? rp_policies[i] != NULL : names[i] != NULL; i++)
		if (!strcmp(text, c == POLICY ? rp_policies[i]->name : names[i])) {
			*x = i;
			return true;
		}
	return rp_fail(err, RP_INPUT, "%s:%zu: %s '%.40s' is not known", f->path, r->number,
	    column_name[c], text);
}

static bool
foresees_nothing(const struct label_foreign *f, const struct row *r, struct rp_err *err)
{
	struct rp_err why;
	return rp_label_policy(rp_policies[r->like.policy], &why) ||
	       rp_fail(err, RP_INPUT, "%s:%zu: %s", f->path, r->number, why.text);
}

static bool
take_cache(const struct label_foreign *f, struct row *r, char **field, struct rp_err *err)
{
	uint64_t sets, ways, line, latency, entries, merge;
	if (!number(f, r, field, SETS, 0, 1 << 24, &sets, err) ||
	    !number(f, r, field, WAYS, 0, 1 << 24, &ways, err) ||
	    !number(f, r, field, LINE, 0, 4096, &line, err) ||
	    !number(f, r, field, LATENCY, 0, RP_LABEL_LATENCY_MOST, &latency, err) ||
	    !number(f, r, field, ENTRIES, 0, RP_LABEL_LATENCY_MOST, &entries, err) ||
	    !number(f, r, field, MAX_MERGE, 0, UINT32_MAX, &merge, err) ||
	    !number(f, r, field, INTERVAL, 0, UINT32_MAX, &r->interval, err))
		return false;
	if (!sets || (sets & (sets - 1)) || !ways || sets * ways > RP_LABEL_LINES_MOST)
		return rp_fail(err, RP_INPUT,
		    "%s:%zu: %" PRIu64 " sets of %" PRIu64 " ways: wanted a power of two of sets",
		    f->path, r->number, sets, ways);
	r->like = (struct rp_label_cache){ .sets = (uint32_t)sets,
		.ways = (uint32_t)ways,
		.line = (uint32_t)line,
		.latency = (uint32_t)latency,
		.entries = (uint32_t)entries,
		.max_merge = (uint32_t)merge };
	return code(f, r, field, POLICY, &r->like.policy, err) && foresees_nothing(f, r, err) &&
	       code(f, r, field, INDEX, &r->like.index, err) &&
	       code(f, r, field, STALL, &r->like.stall, err);
}

static const char *
last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* How many traces have a name, as a whole or as its last part, and the row's line size if it says one: *last is the last of
 * these; *named whether any has the name. */
static size_t
traces_named(const struct label_run *run, const struct row *r, const char *name, bool whole,
    size_t *last, bool *named)
{
	size_t n = 0;
	for (size_t i = 0; i < run->traces; i++) {
		const struct label_trace *t = run->trace + i;
		if (strcmp(whole ? t->name : last_part(t->name), name))
			continue;
		*named = true;
		if (r->like.line && r->like.line != t->line)
			continue;
		*last = i;
		n++;
	}
	return n;
}

static const char *const reasons[] = { "no trace has its name",
	"its trace is not measured with its line size (--line)",
	"several traces have its name: wanted more of the path, or its line size" };

/* The trace of that name and line size. */
static void
find_trace(const struct label_run *run, struct row *r, const char *name)
{
	bool named = false;
	size_t n = traces_named(run, r, name, true, &r->trace, &named);
	if (!named)
		n = traces_named(run, r, name, false, &r->trace, &named);
	r->why = n == 1 ? NULL : reasons[n > 1 ? 2 : named];
	if (!r->why)
		r->like.line = run->trace[r->trace].line;
}

/* Adds the row's cache to its trace, if it is not among those there. */
static bool
add_cache(struct label_run *run, struct row *r, struct rp_err *err)
{
	struct label_trace *t = run->trace + r->trace;
	for (r->cache = 0; r->cache < t->caches; r->cache++)
		if (!memcmp(t->own + r->cache, &r->like, sizeof r->like))
			return true;
	struct rp_label_cache *more = rp_mem_grow(t->own, t->caches + 1, sizeof *more, err);
	if (!more)
		return false;
	t->own = more;
	t->own[t->caches++] = r->like;
	return true;
}

static int
by_place(const void *a, const void *b)
{
	const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;
	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	if (x->cache != y->cache)
		return x->cache < y->cache ? -1 : 1;
	return (x->interval > y->interval) - (x->interval < y->interval);
}

/* The rows that match, in order; none may come twice. */
static bool
sort_rows(struct label_foreign *f, struct rp_err *err)
{
	if (!(f->found = rp_mem_array(f->rows, sizeof *f->found, err)))
		return false;
	for (size_t i = 0; i < f->rows; i++)
		if (!f->row[i].why)
			f->found[f->matched++] = f->row + i;
	qsort(f->found, f->matched, sizeof *f->found, by_place);
	for (size_t i = 1; i < f->matched; i++) {
		const struct row *x = f->found[i - 1], *y = f->found[i];
		if (!by_place(f->found + i - 1, f->found + i))
			return rp_fail(err, RP_INPUT,
			    "%s:%zu: the same trace and cache as in line %zu", f->path,
			    x->number > y->number ? x->number : y->number,
			    x->number < y->number ? x->number : y->number);
	}
	return true;
}

/* Adds a line of the file to a list of them, `3,7-9`: *last is the one before, *first where its range begins; 0: none. */
static bool
put_line(struct rp_buf *to, size_t line, size_t *first, size_t *last, struct rp_err *err)
{
	bool ok = true;
	if (*last && line == *last + 1) {
		*last = line;
		return true;
	}
	if (*last > *first)
		ok = rp_buf_printf(to, err, "-%zu", *last);
	ok = ok && (!line || rp_buf_printf(to, err, "%s%zu", *last ? "," : "", line));
	*first = *last = line;
	return ok;
}

/* Tells of the rows that do not match. */
static bool
tell_unmatched(const struct label_run *run, const struct label_foreign *f, struct rp_err *err)
{
	bool ok = true;
	for (size_t k = 0; ok && k < sizeof reasons / sizeof *reasons; k++) {
		struct rp_buf lines = { 0 };
		size_t first = 0, last = 0;
		for (size_t i = 0; ok && i < f->rows; i++)
			if (f->row[i].why == reasons[k])
				ok = put_line(&lines, f->row[i].number, &first, &last, err);
		ok = ok && put_line(&lines, 0, &first, &last, err);
		if (ok && lines.n)
			json_array_append_new(
			    run->warnings, json_sprintf("%s:%s: left out: %s", f->path,
					       (char *)lines.bytes, reasons[k]));
		rp_buf_free(&lines);
	}
	return ok;
}

static bool
take_rows(struct label_run *run, struct label_foreign *f, struct rp_err *err)
{
	char *field[FIELDS], *at = f->text, *next;
	size_t number = 1;
	int n = split(at, field, &next);
	if (!head(run, f, field, n, err))
		return false;
	for (at = next; at && *at; at = next) {
		number++;
		n = split(at, field, &next);
		if (n == 1 && !*field[0])
			continue;
		if (n != f->columns)
			return rp_fail(err, RP_INPUT, "%s:%zu: %d fields: wanted %d, as its header",
			    f->path, number, n, f->columns);
		struct row *more = rp_mem_grow(f->row, f->rows + 1, sizeof *more, err);
		if (!more)
			return false;
		f->row = more;
		struct row *r = f->row + f->rows++;
		*r = (struct row){ .number = number };
		if (!take_cache(f, r, field, err) || !take_rates(f, r, field, err))
			return false;
		find_trace(run, r, field[f->at[TRACE]]);
		if (!r->why && !add_cache(run, r, err))
			return false;
	}
	return sort_rows(f, err) && tell_unmatched(run, f, err);
}

struct label_foreign *
label_from_open(struct label_run *run, struct rp_err *err)
{
	struct label_foreign *f = rp_mem_array(1, sizeof *f, err);
	if (!f)
		return NULL;
	f->path = run->o->labels_from;
	if (read_text(f, err) && take_rows(run, f, err))
		return f;
	label_from_close(f);
	return NULL;
}

void
label_from_close(struct label_foreign *f)
{
	if (!f)
		return;
	free(f->text);
	free(f->row);
	free(f->found);
	free(f);
}

bool
label_from_intervals(const struct label_foreign *f)
{
	return f->at[INTERVAL] >= 0;
}

json_t *
label_from_json(const struct label_foreign *f)
{
	json_t *unmatched = json_array();
	for (size_t i = 0; i < f->rows; i++) {
		const struct row *r = f->row + i;
		if (r->why)
			json_array_append_new(unmatched,
			    json_pack("{sI ss}", "line", (json_int_t)r->number, "why", r->why));
	}
	return json_pack("{so ss sI sI so}", "file", rp_emit_text(f->path), "sha256", f->sum,
	    "rows", (json_int_t)f->rows, "matched", (json_int_t)f->matched, "unmatched", unmatched);
}

/* The place in f->found of the row for an interval of a trace and a cache; f->matched: there is none. */
static size_t
find_row(const struct label_foreign *f, size_t trace, size_t cache, uint64_t interval)
{
	struct row like = {
		.trace = trace, .cache = cache, .interval = label_from_intervals(f) ? interval : 0
	};
	const struct row *key = &like,
			 **at = bsearch(&key, f->found, f->matched, sizeof *f->found, by_place);
	return at ? (size_t)(at - f->found) : f->matched;
}

/* Puts labels into the samples of a row, and drops those that have none. */
static bool
apply_row(const struct label_foreign *f, size_t k, struct rp_trace_row *row,
    const unsigned char **at, const unsigned char *end, struct rp_buf *samples, bool *used,
    struct rp_err *err)
{
	struct rp_sample_row sample;
	uint32_t n = row->samples;
	bool ok = true;
	row->samples = 0;
	for (uint32_t i = 0; ok && i < n; i++) {
		ok = rp_sample_get(at, end, &sample);
		size_t place = find_row(f, k, i, row->interval);
		if (place == f->matched)
			continue;
		used[place] = true;
		row->samples++;
		sample.rates = f->found[place]->rates;
		sample.origin = RP_LABEL_ELSEWHERE;
		ok = ok && rp_sample_put(samples, &sample, err);
	}
	return ok;
}

/* Tells of the rows of the file for intervals that the trace does not have. */
static bool
tell_unused(const struct label_run *run, size_t k, const bool *used, struct rp_buf *warning,
    struct rp_err *err)
{
	const struct label_foreign *f = run->foreign;
	struct rp_buf lines = { 0 };
	size_t first = 0, last = 0;
	bool ok = true;
	for (size_t i = 0; ok && i < f->rows; i++) {
		const struct row *r = f->row + i;
		if (!r->why && r->trace == k && !used[find_row(f, k, r->cache, r->interval)])
			ok = put_line(&lines, r->number, &first, &last, err);
	}
	ok = ok && put_line(&lines, 0, &first, &last, err) &&
	     (!lines.n || rp_buf_printf(warning, err, "%s:%s: left out: %s has no such interval\n",
			      f->path, (char *)lines.bytes, run->trace[k].name));
	rp_buf_free(&lines);
	return ok;
}

bool
label_from_apply(const struct label_run *run, size_t k, struct rp_buf *rows, struct rp_buf *warning,
    struct rp_err *err)
{
	enum { PAD = 16 }; /* is read behind the rows */
	const struct label_foreign *f = run->foreign;
	struct rp_buf to = { 0 }, samples = { 0 };
	struct rp_trace_row row;
	uint32_t *rp = rp_mem_array(2 * RP_ROW_RP, sizeof *rp, err);
	bool *used = rp_mem_array(f->matched + 1, sizeof *used, err);
	bool ok = rp && used && rp_buf_reserve(rows, PAD, err);
	const unsigned char *at = rows->bytes, *end = at + rows->n;
	while (ok && at < end) {
		samples.n = 0;
		ok = rp_row_get(&at, end, &row, rp, rp + RP_ROW_RP) &&
		     apply_row(f, k, &row, &at, end, &samples, used, err);
		ok = ok && (!row.samples || (rp_row_put(&to, &row, rp, NULL, err) &&
						rp_buf_add(&to, samples.bytes, samples.n, err)));
	}
	ok = ok && tell_unused(run, k, used, warning, err);
	free(rp);
	free(used);
	rp_buf_free(&samples);
	rp_buf_free(rows);
	*rows = to;
	return ok;
}
