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
#include <stdio.h>
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
	return ok && rp_sha256_file(f->path, f->sum, err);
}

static bool
head(struct label_foreign *f, char **field, int n, struct rp_err *err)
{
	f->columns = n;
	for (int c = 0; c < COLUMNS; c++) {
		f->at[c] = -1;
		for (int i = 0; i < n; i++)
			if (!strcmp(field[i], column_name[c]))
				f->at[c] = i;
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
		return true;
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
take_cache(const struct label_foreign *f, struct row *r, char **field, struct rp_err *err)
{
	uint64_t sets, ways, line, latency, entries, merge;
	if (!number(f, r, field, SETS, 0, 1 << 24, &sets, err) ||
	    !number(f, r, field, WAYS, 0, 1 << 24, &ways, err) ||
	    !number(f, r, field, LINE, 0, 4096, &line, err) ||
	    !number(f, r, field, LATENCY, 0, RP_LABEL_LATENCY_MOST, &latency, err) ||
	    !number(f, r, field, ENTRIES, 0, RP_LABEL_LATENCY_MOST, &entries, err) ||
	    !number(f, r, field, MAX_MERGE, 0, UINT32_MAX, &merge, err) ||
	    !number(f, r, field, INTERVAL, UINT64_MAX, UINT32_MAX, &r->interval, err))
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
	return code(f, r, field, POLICY, &r->like.policy, err) &&
	       code(f, r, field, INDEX, &r->like.index, err) &&
	       code(f, r, field, STALL, &r->like.stall, err);
}

static const char *
last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* The trace of that name and line size: as it was given, or the last part of it. */
static void
find_trace(const struct label_run *run, struct row *r, const char *name)
{
	r->trace = SIZE_MAX;
	r->why = "no trace has its name";
	for (size_t i = 0; i < run->traces && r->trace == SIZE_MAX; i++) {
		const struct label_trace *t = run->trace + i;
		if (strcmp(t->name, name) && strcmp(last_part(t->name), name))
			continue;
		r->why = "its trace is not measured with its line size (--line)";
		if (!r->like.line || r->like.line == t->line) {
			r->trace = i;
			r->like.line = t->line;
			r->why = NULL;
		}
	}
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

static bool
twice(const struct label_foreign *f, const struct row *r, struct rp_err *err)
{
	for (const struct row *o = f->row; o < r; o++)
		if (!o->why && o->trace == r->trace && o->cache == r->cache &&
		    o->interval == r->interval)
			return !rp_fail(err, RP_INPUT,
			    "%s:%zu: the same trace and cache as in line %zu", f->path, r->number,
			    o->number);
	return false;
}

static bool
take_rows(struct label_run *run, struct label_foreign *f, struct rp_err *err)
{
	char *field[FIELDS], *at = f->text, *next;
	size_t number = 1;
	int n = split(at, field, &next);
	if (!head(f, field, n, err))
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
		if (!r->why && (!add_cache(run, r, err) || twice(f, r, err)))
			return false;
	}
	return true;
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
	size_t matched = 0;
	for (size_t i = 0; i < f->rows; i++) {
		const struct row *r = f->row + i;
		if (r->why)
			json_array_append_new(unmatched,
			    json_pack("{sI ss}", "line", (json_int_t)r->number, "why", r->why));
		matched += !r->why;
	}
	return json_pack("{so ss sI sI so}", "file", rp_emit_text(f->path), "sha256", f->sum,
	    "rows", (json_int_t)f->rows, "matched", (json_int_t)matched, "unmatched", unmatched);
}

/* The row for an interval of a trace and a cache; one without an interval is for all of the trace. */
static const struct row *
find_row(const struct label_foreign *f, size_t trace, size_t cache, uint64_t interval)
{
	for (size_t i = 0; i < f->rows; i++) {
		const struct row *r = f->row + i;
		if (!r->why && r->trace == trace && r->cache == cache &&
		    (r->interval == interval ||
			(r->interval == UINT64_MAX && !label_from_intervals(f))))
			return r;
	}
	return NULL;
}

bool
label_from_apply(const struct label_run *run, size_t k, struct rp_buf *rows, char *warning,
    size_t room, struct rp_err *err)
{
	const struct label_foreign *f = run->foreign;
	const unsigned char *at = rows->bytes, *end = rows->bytes + rows->n;
	struct rp_buf to = { 0 };
	struct rp_trace_row row;
	struct rp_sample_row sample;
	uint32_t *rp = rp_mem_array(2 * RP_ROW_RP, sizeof *rp, err);
	size_t wanted = 0, found = 0;
	bool ok = rp;
	while (ok && at < end) {
		struct rp_buf samples = { 0 };
		ok = rp_row_get(&at, end, &row, rp, rp + RP_ROW_RP);
		uint32_t n = row.samples;
		row.samples = 0;
		for (uint32_t i = 0; ok && i < n; i++) {
			ok = rp_sample_get(&at, end, &sample);
			const struct row *r = find_row(f, k, i, row.interval);
			if (!r)
				continue;
			sample.rates = r->rates;
			sample.origin = RP_LABEL_ELSEWHERE;
			ok = ok && rp_sample_put(&samples, &sample, err);
			row.samples++;
			found++;
		}
		ok = ok && (!row.samples || (rp_row_put(&to, &row, rp, NULL, err) &&
						rp_buf_add(&to, samples.bytes, samples.n, err)));
		rp_buf_free(&samples);
	}
	for (size_t i = 0; i < f->rows; i++)
		wanted += !f->row[i].why && f->row[i].trace == k;
	if (found < wanted)
		snprintf(warning, room, "%s: %zu rows of %s are of intervals that %s does not have",
		    f->path, wanted - found, f->path, run->trace[k].name);
	free(rp);
	rp_buf_free(rows);
	*rows = to;
	return ok;
}
