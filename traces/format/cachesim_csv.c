/* cachesim_csv - libCacheSim's CSV: which column holds what is for the user to say.
 *
 * `time=2,id=5,size=4,op=3,delimiter=|,header=yes`: columns by number, from 1, or by the name they have in the header line.
 * What is not said is found: the delimiter is the first of comma, tab, | ; : in the first line, a first line whose id is no
 * number is a header, and without any column said those with the usual names are taken. libCacheSim's own spellings
 * (time-col, obj-id-col, obj-size-col, op-col, has-header) are known. Objects are whole, see record.h. */
#include "config.h"

#include "base/mem.h"
#include "base/opt.h"
#include "base/parse.h"
#include "traces/format.h"
#include "traces/format/record.h"

#include <strings.h>

enum what { ID, TIME, SIZE, OP, WHATS };

static const char *const what_name[WHATS] = { "id", "time", "size", "op" };

/* What headers call them. */
static const char *const usual[WHATS][10] = {
	[ID] = { "id", "obj_id", "object_id", "obj", "object", "key", "lbn", "lba", "block" },
	[TIME] = { "time", "timestamp", "ts", "clock_time", "clock" },
	[SIZE] = { "size", "obj_size", "object_size", "length", "len", "bytes" },
	[OP] = { "op", "operation", "opcode", "cmd" },
};

enum answer { UNSAID, NO, YES };

struct columns {
	char *text;              /* what the user said, cut into pieces */
	const char *said[WHATS]; /* a number or a name; NULL: not said */
	char delimiter;          /* 0: not known yet */
	enum answer header;
	uint32_t at[WHATS]; /* column from 1, 0: none */
};

struct csv {
	struct rp_trace *trace;
	struct columns columns;
	uint32_t unit, size;
	bool first; /* the first line was an access: */
	struct rp_access held;
};

struct key {
	const char *name;
	enum what what;
};

static const struct key key[] = { { "id", ID }, { "obj-id-col", ID }, { "time", TIME },
	{ "time-col", TIME }, { "size", SIZE }, { "obj-size-col", SIZE }, { "op", OP },
	{ "op-col", OP } };

static bool
set_delimiter(struct columns *c, const char *value, struct rp_err *err)
{
	if (!strcmp(value, "tab") || !strcmp(value, "\\t"))
		c->delimiter = '\t';
	else if (strlen(value) == 1)
		c->delimiter = *value;
	else if (!strcmp(value, "space"))
		c->delimiter = ' ';
	else
		return rp_fail(err, RP_USAGE,
		    "delimiter '%.40s' is no single character, nor tab or space", value);
	return true;
}

static bool
set_header(struct columns *c, const char *value, struct rp_err *err)
{
	bool yes = !strcmp(value, "yes") || !strcmp(value, "true"),
	     no = !strcmp(value, "no") || !strcmp(value, "false");
	c->header = yes ? YES : NO;
	return yes || no || rp_fail(err, RP_USAGE, "header '%.40s' is neither yes nor no", value);
}

/* For rp_spec_split. */
static bool
set_key(void *to, const char *name, const char *value, struct rp_err *err)
{
	struct columns *c = to;
	if (!strcmp(name, "delimiter"))
		return set_delimiter(c, value, err);
	if (!strcmp(name, "header") || !strcmp(name, "has-header"))
		return set_header(c, value, err);
	for (size_t i = 0; i < sizeof key / sizeof *key; i++)
		if (!strcmp(name, key[i].name)) {
			c->said[key[i].what] = value;
			return *value ||
			       rp_fail(err, RP_USAGE,
				   "%s= is empty, wanted a column's number or name", name);
		}
	return rp_fail(
	    err, RP_USAGE, "'%.40s' is none of id, time, size, op, delimiter, header", name);
}

static bool
parse_columns(struct columns *c, const char *text, struct rp_err *err)
{
	const char *word = "";
	if (!text)
		return true;
	c->text = rp_mem_string(text, err);
	if (!c->text)
		return false;
	char *to = c->text;
	for (const char *p = text; *p; p++)
		if (*p != ' ')
			*to++ = *p;
	*to = 0;
	if (rp_spec_split(c->text, &word, set_key, c, err) && *word)
		rp_fail(err, RP_USAGE, "'%.40s' is no key=value", word);
	else if (!err->code)
		return true;
	return rp_err_wrap(err, "columns of cachesim-csv");
}

/* The next field of a line that begins at *p, without blanks and quotes around it; *p goes behind its delimiter. false:
 * there is none. */
static inline bool
next_field(const char **p, const char *end, char delimiter, const char **at, const char **stop)
{
	if (*p > end)
		return false;
	const char *d = memchr(*p, delimiter, (size_t)(end - *p));
	*at = *p;
	*stop = d ? d : end;
	*p = *stop + 1;
	while (*at < *stop && rp_is_blank(**at))
		++*at;
	while (*stop > *at && rp_is_blank((*stop)[-1]))
		--*stop;
	if (*stop - *at >= 2 && **at == '"' && (*stop)[-1] == '"') {
		++*at;
		--*stop;
	}
	return true;
}

static char
find_delimiter(const char *line, size_t n)
{
	static const char tried[] = ",\t|;:";
	for (const char *d = tried; *d; d++)
		if (memchr(line, *d, n))
			return *d;
	return ',';
}

static bool
is_called(const char *at, const char *end, const char *name)
{
	return (size_t)(end - at) == strlen(name) && !strncasecmp(at, name, (size_t)(end - at));
}

/* Number of the column with this name in a header, 0 if there is none. */
static uint32_t
column_called(const char *line, size_t n, char delimiter, const char *name)
{
	const char *p = line, *at, *stop;
	for (uint32_t column = 1; next_field(&p, line + n, delimiter, &at, &stop); column++)
		if (is_called(at, stop, name))
			return column;
	return 0;
}

static uint32_t
usual_column(const char *line, size_t n, char delimiter, enum what w)
{
	for (const char *const *name = usual[w]; *name; name++) {
		uint32_t column = column_called(line, n, delimiter, *name);
		if (column)
			return column;
	}
	return 0;
}

static bool
is_number(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

/* Column number of what the user said; a name is looked up in the first line. */
static bool
find_said(struct columns *c, enum what w, const struct rp_bytes *in, const char *line, size_t n,
    struct rp_err *err)
{
	uint64_t column = 0;
	if (is_number(c->said[w])) {
		if (!rp_parse_u64(c->said[w], &column, err) || !column || column > UINT32_MAX)
			return rp_fail(err, RP_USAGE,
			    "columns of cachesim-csv: %s=%.40s: columns count from 1", what_name[w],
			    c->said[w]);
	} else {
		column = column_called(line, n, c->delimiter, c->said[w]);
		if (!column)
			return rp_fail_line(err, in, "no column '%.40s' for %s= in the header",
			    c->said[w], what_name[w]);
		if (c->header == NO)
			return rp_fail(err, RP_USAGE,
			    "columns of cachesim-csv: %s=%.40s is a name, but header=no",
			    what_name[w], c->said[w]);
		c->header = YES;
	}
	c->at[w] = (uint32_t)column;
	return true;
}

static bool
find_columns(
    struct columns *c, const struct rp_bytes *in, const char *line, size_t n, struct rp_err *err)
{
	bool any = false;
	if (!c->delimiter)
		c->delimiter = find_delimiter(line, n);
	for (enum what w = 0; w < WHATS; w++)
		any |= c->said[w] != NULL;
	for (enum what w = 0; w < WHATS; w++) {
		if (c->said[w] && !find_said(c, w, in, line, n, err))
			return false;
		if (!any && (c->at[w] = usual_column(line, n, c->delimiter, w)))
			c->header = YES;
	}
	return c->at[ID] ||
	       rp_fail_line(err, in,
		   "which column is the object's id? Wanted columns like time=1,id=2,size=3,op=4");
}

/* The operations of libCacheSim (enum req_op) and SCSI's commands; RP_KINDS for those that move no data. */
static uint8_t
kind_of(const char *at, const char *end)
{
	static const char *const reads[] = { "r", "read", "rs", "get", "gets", "28", "88", "0x28",
		"0x88", NULL };
	static const char *const writes[] = { "w", "write", "ws", "set", "put", "add", "cas",
		"replace", "append", "prepend", "incr", "decr", "update", "2a", "8a", "0x2a",
		"0x8a", NULL };
	for (const char *const *r = reads; *r; r++)
		if (is_called(at, end, *r))
			return RP_READ;
	for (const char *const *w = writes; *w; w++)
		if (is_called(at, end, *w))
			return RP_WRITE;
	return is_called(at, end, "delete") ? RP_INVALIDATE : RP_KINDS;
}

/* A whole number; of a time the fraction is dropped. */
static bool
number_field(const struct rp_bytes *in, enum what w, const char *at, const char *stop,
    uint64_t *out, struct rp_err *err)
{
	const char *p = at;
	bool ok = rp_scan_number(&p, stop, out);
	if (ok && w == TIME && p < stop && *p == '.')
		for (p++; p < stop && *p >= '0' && *p <= '9';)
			p++;
	return (ok && p == stop) || rp_fail_line(err, in, "%s '%.*s' is no number of up to 64 bits",
					what_name[w], RP_QUOTED(at, stop));
}

/* 1: *a; 0: an operation that moves no data; -1 with *err. */
static int
parse_row(struct csv *s, const struct rp_bytes *in, const char *line, size_t n, struct rp_access *a,
    struct rp_err *err)
{
	const struct columns *c = &s->columns;
	const char *p = line, *at, *stop;
	uint64_t x[WHATS] = { [SIZE] = s->size };
	unsigned missing = 0;
	for (enum what w = 0; w < WHATS; w++)
		missing |= c->at[w] ? 1u << w : 0;
	a->kind = RP_READ;
	for (uint32_t column = 1; missing && next_field(&p, line + n, c->delimiter, &at, &stop);
	     column++)
		for (enum what w = 0; w < WHATS; w++) {
			if (column != c->at[w])
				continue;
			missing &= ~(1u << w);
			if (w == OP)
				a->kind = kind_of(at, stop);
			else if (!number_field(in, w, at, stop, &x[w], err))
				return -1;
		}
	if (missing) {
		unsigned w = (unsigned)__builtin_ctz(missing);
		rp_fail_line(err, in, "no column %u, which is the %s", c->at[w], what_name[w]);
		return -1;
	}
	a->time = x[TIME];
	if (x[SIZE] > UINT32_MAX || !rp_object_place(a, x[ID], (uint32_t)x[SIZE], s->unit)) {
		rp_fail_line(err, in, RP_OBJECT_BEYOND, x[ID], x[SIZE]);
		return -1;
	}
	return a->kind != RP_KINDS;
}

/* Whether the id's field of the first line is no number. */
static bool
is_header(const struct columns *c, const char *line, size_t n)
{
	const char *p = line, *at = line, *stop = line;
	uint64_t x;
	for (uint32_t column = 1; next_field(&p, line + n, c->delimiter, &at, &stop); column++)
		if (column == c->at[ID])
			return !rp_scan_number(&at, stop, &x) || at != stop;
	return false;
}

static bool
csv_open(void *state, struct rp_bytes *in, const struct rp_read_opts *o, struct rp_trace *t,
    struct rp_err *err)
{
	struct csv *s = state;
	struct columns *c = &s->columns;
	const char *line;
	ptrdiff_t n;
	s->trace = t;
	s->unit = o->object;
	s->size = o->size ? o->size : 1;
	if (!parse_columns(c, o->csv, err))
		return false;
	while ((n = rp_text_line(in, false, &line, err)) == 0)
		;
	if (n == RP_TEXT_FAILED)
		return false;
	if (n == RP_TEXT_END)
		return true;
	if (!find_columns(c, in, line, (size_t)n, err))
		return false;
	if (c->at[TIME])
		t->columns = RP_COL_TIME;
	if (c->header == UNSAID)
		c->header = is_header(c, line, (size_t)n) ? YES : NO;
	int row = c->header == NO ? parse_row(s, in, line, (size_t)n, &s->held, err) : 0;
	if (!row && c->header == NO)
		rp_trace_skip(t, "op", 1);
	s->first = row > 0;
	return row >= 0;
}

static ptrdiff_t
csv_read(void *state, struct rp_bytes *in, struct rp_batch *out, struct rp_err *err)
{
	struct csv *s = state;
	size_t from = out->n;
	while (out->n < out->cap) {
		const char *line;
		struct rp_access a = { 0 };
		if (s->first) {
			s->first = false;
			rp_batch_put(out, &s->held);
			continue;
		}
		ptrdiff_t n = rp_text_line(in, out->n > from, &line, err);
		if (n < 0)
			return rp_text_rows(n, out->n - from);
		if (n == 0)
			continue;
		int row = parse_row(s, in, line, (size_t)n, &a, err);
		if (row < 0)
			return -1;
		if (row)
			rp_batch_put(out, &a);
		else
			rp_trace_skip(s->trace, "op", 1);
	}
	return (ptrdiff_t)(out->n - from);
}

static void
csv_close(void *state)
{
	free(((struct csv *)state)->columns.text);
}

static size_t
count_char(const char *p, const char *end, char c)
{
	size_t n = 0;
	for (; p < end; p++)
		n += *p == c;
	return n;
}

static int
any_text(const char *line, size_t n)
{
	(void)line;
	return n > 0;
}

static bool
has_number(const char *line, size_t n, char delimiter)
{
	const char *p = line, *at, *stop;
	uint64_t x;
	while (next_field(&p, line + n, delimiter, &at, &stop))
		if (rp_scan_dec(&at, stop, &x) && at == stop)
			return true;
	return false;
}

/* A table: the same number of delimiters in each line, a number in each but the first. Rather sure when the first names
 * an id; else it is found only to say that the columns must be told. */
static int
csv_probe(const unsigned char *head, size_t n)
{
	const char *p = (const char *)head, *end = p + n, *lf = n ? memchr(p, '\n', n) : NULL;
	if (!lf || !rp_text_probe(head, n, any_text))
		return 0;
	size_t first = (size_t)rp_text_trim(p, lf - p);
	char delimiter = find_delimiter(p, first);
	size_t wanted = count_char(p, p + first, delimiter);
	bool named = usual_column(p, first, delimiter, ID) != 0;
	size_t rows = 0;
	if (!wanted)
		return 0;
	for (const char *q = lf + 1; q < end && (lf = memchr(q, '\n', (size_t)(end - q)));
	     q = lf + 1) {
		size_t length = (size_t)rp_text_trim(q, lf - q);
		if (length && (count_char(q, q + length, delimiter) != wanted ||
				  !has_number(q, length, delimiter)))
			return 0;
		rows += length > 0;
	}
	return named ? 50 : rows ? 10 : 0;
}

const struct rp_format rp_format_cachesim_csv = {
	.name = "cachesim-csv",
	.what = "libCacheSim CSV, columns as --columns says: "
		"time=1,id=2,size=3,op=4[,delimiter=X][,header=yes|no]",
	.source = "libCacheSim, doc/quickstart_cachesim.md, trace type csv",
	.probe = csv_probe,
	.state_bytes = sizeof(struct csv),
	.open = csv_open,
	.read = csv_read,
	.close = csv_close,
};
