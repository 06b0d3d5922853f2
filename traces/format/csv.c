/* csv - our own text: a header line that names the columns, then an access a line. What `dump` prints.
 *
 *	#preamble 2
 *	stream,op,address,size,time
 *	0,R,0x1000,8,17
 *	#kernel_end 0
 *
 * Columns: stream, op, address, size, time, pc, mask, space, bypass, same, in any order; op and address must be there.
 * Numbers are decimal or hexadecimal with 0x. Marks (batch.h) are lines that begin with '#': kernel_end N, host_copy
 * ADDRESS BYTES, copy_back ADDRESS BYTES, invalidate ADDRESS BYTES; lines that begin otherwise are comments. */
#include "config.h"

#include "base/parse.h"
#include "traces/format.h"
#include "traces/format/text.h"

enum column { STREAM, OP, ADDRESS, SIZE, TIME, PC, MASK, SPACE, BYPASS, SAME, COLUMNS };

static const char *const column_name[COLUMNS] = { "stream", "op", "address", "size", "time", "pc",
	"mask", "space", "bypass", "same" };

static const char known[] = "stream, op, address, size, time, pc, mask, space, bypass, same";

static const unsigned column_bit[COLUMNS] = { [STREAM] = RP_COL_STREAM,
	[TIME] = RP_COL_TIME,
	[PC] = RP_COL_PC,
	[MASK] = RP_COL_MASK,
	[SPACE] = RP_COL_FLAGS,
	[BYPASS] = RP_COL_FLAGS,
	[SAME] = RP_COL_FLAGS };

static const char *const space_name[] = {
	[RP_NO_SPACE] = "none", [RP_GLOBAL] = "global", [RP_LOCAL] = "local"
};

enum { SPACES = sizeof space_name / sizeof *space_name };

static const char *const mark_name[] = { "#kernel_end", "#host_copy", "#copy_back", "#invalidate" };

enum { MARKS = sizeof mark_name / sizeof *mark_name };

static const char preamble[] = "#preamble";

struct csv {
	enum column order[COLUMNS]; /* of the fields of a line */
	size_t fields;
	uint32_t usual; /* size, where the trace tells none */
};

static bool
is_word(const char *at, const char *end, const char *word)
{
	return (size_t)(end - at) == strlen(word) && !memcmp(at, word, (size_t)(end - at));
}

/* End of the field that begins at p: the next comma, or the end of the line. */
static inline const char *
field_end(const char *p, const char *end)
{
	while (p < end && *p != ',')
		p++;
	return p;
}

/* The field without blanks around it: moves both ends. */
static inline void
strip(const char **at, const char **end)
{
	*at = rp_skip_blanks(*at, *end);
	while (*end > *at && rp_is_blank((*end)[-1]))
		--*end;
}

static enum column
find_column(const char *at, const char *end)
{
	size_t c = 0;
	while (c < COLUMNS && !is_word(at, end, column_name[c]))
		c++;
	return (enum column)c;
}

/* Reads the header line. With `in` NULL it only tries. */
static bool
parse_header(
    struct csv *s, const struct rp_bytes *in, const char *line, size_t n, struct rp_err *err)
{
	const char *end = line + n;
	unsigned seen = 0;
	for (const char *p = line;; p++) {
		const char *at = p, *stop = p = field_end(p, end);
		strip(&at, &stop);
		enum column c = find_column(at, stop);
		if (c == COLUMNS)
			return in && rp_fail_line(err, in,
					 "no column '%.*s'; the header names some of %s",
					 RP_QUOTED(at, stop), known);
		if (seen & 1u << c)
			return in &&
			       rp_fail_line(err, in, "column '%s' is named twice", column_name[c]);
		seen |= 1u << c;
		s->order[s->fields++] = c;
		if (p == end)
			break;
	}
	if (!(seen & 1u << ADDRESS) || !(seen & 1u << OP))
		return in && rp_fail_line(err, in, "the header names no '%s'; the columns are %s",
				 seen & 1u << ADDRESS ? "op" : "address", known);
	return true;
}

/* Number of the mark whose line this is or, where it is written wrongly, is meant to be; MARKS if none. */
static size_t
mark_of(const char *line, size_t n)
{
	size_t m = 0;
	while (m < MARKS && !rp_text_begins(line, n, mark_name[m]))
		m++;
	return m;
}

/* The number after blanks at *p. */
static bool
next_number(const char **p, const char *end, uint64_t *out)
{
	if (*p == end || !rp_is_blank(**p))
		return false;
	*p = rp_skip_blanks(*p, end);
	return rp_scan_number(p, end, out) && (*p == end || rp_is_blank(**p));
}

/* A '#' line before the header. */
static bool
parse_preamble(
    const struct rp_bytes *in, struct rp_trace *t, const char *line, size_t n, struct rp_err *err)
{
	const char *end = line + n, *p = line;
	if (mark_of(line, n) < MARKS)
		return rp_fail_line(
		    err, in, "'%.*s' stands before the header line", RP_QUOTED(line, end));
	if (!rp_text_begins(line, n, preamble))
		return true;
	p += sizeof preamble - 1;
	if (!next_number(&p, end, &t->preamble) || p != end)
		return rp_fail_line(err, in, "'%.*s': wanted #preamble and a number of accesses",
		    RP_QUOTED(line, end));
	return true;
}

/* Length of the UTF-8 byte order mark, which spreadsheets write in front of a text, where there is one. */
static size_t
order_mark(const unsigned char *at, size_t n)
{
	return n >= 3 && !memcmp(at, "\xef\xbb\xbf", 3) ? 3 : 0;
}

static bool
csv_open(void *state, struct rp_bytes *in, const struct rp_read_opts *o, struct rp_trace *t,
    struct rp_err *err)
{
	struct csv *s = state;
	const char *line;
	ptrdiff_t n;
	s->usual = o->size ? o->size : 1;
	if (!rp_bytes_more(in, 3, err))
		return false;
	in->at += order_mark(in->at, (size_t)(in->end - in->at));
	for (;;) {
		n = rp_text_line(in, false, &line, err);
		if (n == RP_TEXT_FAILED)
			return false;
		if (n == RP_TEXT_END)
			return rp_fail_line(
			    err, in, "no header line: wanted stream,op,address,size or the like");
		if (n && *line != '#')
			break;
		if (n && !parse_preamble(in, t, line, (size_t)n, err))
			return false;
	}
	if (!parse_header(s, in, line, (size_t)n, err))
		return false;
	for (size_t i = 0; i < s->fields; i++)
		t->columns |= column_bit[s->order[i]];
	return true;
}

static bool
bad_number(struct rp_err *err, const struct rp_bytes *in, enum column c, const char *at,
    const char *end, int bits)
{
	return rp_fail_line(err, in, "%s '%.*s' is no number of up to %d bits, decimal or with 0x",
	    column_name[c], RP_QUOTED(at, end), bits);
}

static bool
parse_space(const struct rp_bytes *in, const char *at, const char *end, struct rp_access *a,
    struct rp_err *err)
{
	for (unsigned k = 0; k < SPACES; k++)
		if (is_word(at, end, space_name[k])) {
			a->flags |= (uint8_t)k;
			return true;
		}
	return at == end || rp_fail_line(err, in, "space '%.*s' is none of global, local, none",
				RP_QUOTED(at, end));
}

static bool
parse_op(const struct rp_bytes *in, const char *at, const char *end, struct rp_access *a,
    struct rp_err *err)
{
	enum rp_kind kind = end - at == 1 ? rp_kind_of_letter(*at) : RP_MARKS_END;
	a->kind = (uint8_t)kind;
	return kind != RP_MARKS_END ||
	       rp_fail_line(err, in, "op '%.*s' is none of R, W, A, P, I", RP_QUOTED(at, end));
}

static bool
parse_flag(
    const struct rp_bytes *in, enum column c, uint64_t x, struct rp_access *a, struct rp_err *err)
{
	if (x > 1)
		return rp_fail_line(err, in, "%s is %" PRIu64 ", wanted 0 or 1", column_name[c], x);
	if (x)
		a->flags |= c == BYPASS ? RP_BYPASS_L1 : RP_SAME_INSTR;
	return true;
}

/* One field, blanks around it gone, into *a. Optional columns may be empty: 0. */
static inline bool
parse_field(const struct rp_bytes *in, enum column c, const char *at, const char *end,
    struct rp_access *a, struct rp_err *err)
{
	const char *p = at;
	uint64_t x = 0;
	if (c == OP)
		return parse_op(in, at, end, a, err);
	if (c == SPACE)
		return parse_space(in, at, end, a, err);
	bool wide = c == ADDRESS || c == TIME || c == PC;
	if ((at != end || c == ADDRESS) &&
	    (!rp_scan_number(&p, end, &x) || p != end || (!wide && x > UINT32_MAX)))
		return bad_number(err, in, c, at, end, wide ? 64 : 32);
	switch (c) {
	case STREAM:
		a->stream = (uint32_t)x;
		break;
	case ADDRESS:
		a->addr = x;
		break;
	case SIZE:
		a->size = (uint32_t)x;
		break;
	case TIME:
		a->time = x;
		break;
	case PC:
		a->pc = x;
		break;
	case MASK:
		a->mask = (uint32_t)x;
		break;
	default:
		return parse_flag(in, c, x, a, err);
	}
	return true;
}

static bool
parse_row(const struct csv *s, const struct rp_bytes *in, const char *line, size_t n,
    struct rp_access *a, struct rp_err *err)
{
	const char *end = line + n, *p = line;
	for (size_t i = 0; i < s->fields; i++) {
		if (i && p == end)
			return rp_fail_line(
			    err, in, "%zu fields, the header names %zu", i, s->fields);
		p += i > 0; /* the comma */
		const char *at = p, *stop = p = field_end(p, end);
		strip(&at, &stop);
		if (!parse_field(in, s->order[i], at, stop, a, err))
			return false;
	}
	if (p != end)
		return rp_fail_line(
		    err, in, "more fields than the %zu that the header names", s->fields);
	if (!a->size)
		a->size = s->usual;
	return rp_span_fits(a->addr, a->size) ||
	       rp_fail_line(err, in, RP_SPAN_WRAPS, (uint64_t)a->size, a->addr);
}

/* A '#' line after the header: 1 it was a mark, now in *a; 0 a comment; -1 with *err. */
static int
parse_mark(
    const struct rp_bytes *in, const char *line, size_t n, struct rp_access *a, struct rp_err *err)
{
	const char *end = line + n, *p;
	size_t m = mark_of(line, n);
	uint64_t bytes = 1;
	if (m == MARKS && !rp_text_begins(line, n, preamble))
		return 0;
	if (m == MARKS) {
		rp_fail_line(err, in, "#preamble stands behind the header line");
		return -1;
	}
	a->kind = (uint8_t)(RP_MARKS + m);
	p = line + strlen(mark_name[m]);
	bool ok = next_number(&p, end, &a->addr);
	if (a->kind != RP_KERNEL_END)
		ok = ok && next_number(&p, end, &bytes);
	if (!ok || p != end || !bytes || bytes > UINT32_MAX) {
		rp_fail_line(err, in, "'%.*s': wanted %s and %s, with blanks between",
		    RP_QUOTED(line, end), mark_name[m],
		    a->kind == RP_KERNEL_END ? "the kernel's number"
					     : "an address and a number of bytes");
		return -1;
	}
	a->size = (uint32_t)bytes;
	if (rp_span_fits(a->addr, bytes))
		return 1;
	rp_fail_line(err, in, RP_SPAN_WRAPS, bytes, a->addr);
	return -1;
}

static int
parse_line(void *state, struct rp_bytes *in, const char *line, size_t n, struct rp_access *a,
    struct rp_err *err)
{
	if (*line == '#')
		return parse_mark(in, line, n, a, err);
	return parse_row(state, in, line, n, a, err) ? 1 : -1;
}

static ptrdiff_t
csv_read(void *state, struct rp_bytes *in, struct rp_batch *out, struct rp_err *err)
{
	return rp_text_read(state, in, out, parse_line, err);
}

/* The header decides: only the first line that is no comment counts. */
static int
csv_probe(const unsigned char *head, size_t n)
{
	const char *p = (const char *)head + order_mark(head, n), *end = (const char *)head + n;
	while (p < end) {
		const char *lf = memchr(p, '\n', (size_t)(end - p)), *stop = lf ? lf : end;
		ptrdiff_t length = rp_text_trim(p, stop - p);
		if (length && *p != '#') {
			struct csv s = { 0 };
			return parse_header(&s, NULL, p, (size_t)length, NULL) ? 95 : 0;
		}
		p = lf ? lf + 1 : end;
	}
	return 0;
}

struct csv_out {
	const struct rp_trace *trace;
	unsigned columns;
	struct rp_lost lost;
};

static bool
csv_begin(void *state, struct rp_out *out, const struct rp_trace *t, const struct rp_write_opts *o,
    struct rp_err *err)
{
	struct csv_out *w = state;
	(void)o;
	w->trace = t;
	w->columns = t->columns;
	if (t->preamble && !rp_out_printf(out, err, "#preamble %" PRIu64 "\n", t->preamble))
		return false;
	return rp_out_printf(out, err, "stream,op,address,size%s%s%s%s\n",
	    t->columns & RP_COL_TIME ? ",time" : "", t->columns & RP_COL_PC ? ",pc" : "",
	    t->columns & RP_COL_MASK ? ",mask" : "",
	    t->columns & RP_COL_FLAGS ? ",space,bypass,same" : "");
}

static char *
put_mark(char *to, uint8_t kind, uint64_t addr, uint32_t size)
{
	const char *name = mark_name[kind - RP_MARKS];
	size_t n = strlen(name);
	memcpy(to, name, n);
	to += n;
	*to++ = ' ';
	if (kind == RP_KERNEL_END) {
		to = rp_put_dec(to, addr);
	} else {
		to = rp_put_hex(RP_PUT_TEXT(to, "0x"), addr, 1);
		*to++ = ' ';
		to = rp_put_dec(to, size);
	}
	*to++ = '\n';
	return to;
}

static char *
put_flags(char *to, uint8_t flags)
{
	unsigned space = flags & RP_SPACE;
	const char *name = space_name[space < SPACES ? space : RP_NO_SPACE];
	size_t n = strlen(name);
	*to++ = ',';
	memcpy(to, name, n);
	to += n;
	*to++ = ',';
	*to++ = flags & RP_BYPASS_L1 ? '1' : '0';
	*to++ = ',';
	*to++ = flags & RP_SAME_INSTR ? '1' : '0';
	return to;
}

static inline char *
put_row(void *state, char *to, const struct rp_batch *b, size_t i)
{
	static const char op[RP_KINDS][4] = { [RP_READ] = ",R,0",
		[RP_WRITE] = ",W,0",
		[RP_ATOMIC] = ",A,0",
		[RP_PREFETCH] = ",P,0",
		[RP_FETCH] = ",I,0" };
	unsigned columns = ((struct csv_out *)state)->columns;
	if (b->kind[i] >= RP_KINDS)
		return put_mark(to, b->kind[i], b->addr[i], b->size[i]);
	to = rp_put_dec(to, b->stream ? b->stream[i] : 0);
	memcpy(to, op[b->kind[i]], 4);
	to[4] = 'x';
	to = rp_put_hex(to + 5, b->addr[i], 1);
	*to++ = ',';
	to = rp_put_dec(to, b->size[i]);
	if (columns & RP_COL_TIME) {
		*to++ = ',';
		to = rp_put_dec(to, b->time ? b->time[i] : 0);
	}
	if (columns & RP_COL_PC)
		to = rp_put_hex(RP_PUT_TEXT(to, ",0x"), b->pc ? b->pc[i] : 0, 1);
	if (columns & RP_COL_MASK)
		to = rp_put_hex(RP_PUT_TEXT(to, ",0x"), b->mask ? b->mask[i] : 0, 8);
	if (columns & RP_COL_FLAGS)
		to = put_flags(to, b->flags ? b->flags[i] : (uint8_t)0);
	*to++ = '\n';
	return to;
}

static bool
csv_write(void *state, struct rp_out *out, const struct rp_batch *b, struct rp_err *err)
{
	struct csv_out *w = state;
	rp_lost_columns(&w->lost, b, w->columns | RP_COL_STREAM);
	return rp_put_rows(state, out, b, 160, put_row, err);
}

static void
csv_lost(const void *state, void (*tell)(void *to, const char *reason, uint64_t n), void *to)
{
	const struct csv_out *w = state;
	rp_lost_tell(&w->lost, tell, to);
	if (w->trace->n_kernels)
		tell(to, "launch", w->trace->n_kernels);
}

static const struct rp_writer writer = {
	.state_bytes = sizeof(struct csv_out),
	.begin = csv_begin,
	.write = csv_write,
	.lost = csv_lost,
	.keeps = RP_COL_ALL,
	.sizes = true,
};

const struct rp_format rp_format_csv = {
	.name = "csv",
	.what = "our own text: a header stream,op,address,size[,time][,pc]..., an access a line",
	.source = "reprise-dump(1); spellings of op: R W A P I",
	.probe = csv_probe,
	.state_bytes = sizeof(struct csv),
	.open = csv_open,
	.read = csv_read,
	.writer = &writer,
};
