/* lackey - what `valgrind --tool=lackey --trace-mem=yes` prints.
 *
 * A record is a letter (I fetch, L load, S store, M modify), an address and a size: " L 1ffeffe7e8,8". Everything else in
 * the file is the program's or Valgrind's talk and is skipped. A modify is a read and then a write of the same bytes. */
#include "config.h"

#include "base/parse.h"
#include "traces/format.h"
#include "traces/format/text.h"

struct lackey {
	struct rp_trace *trace;
	uint32_t usual; /* size of a record that says 0 */
	bool half;      /* the read of a modify is out, its write is not: */
	struct rp_access write;
	bool some;      /* a record was found */
	uint64_t texts; /* lines that are neither records, nor Valgrind's own, nor blank */
	uint64_t first; /* number of the first of them, and how it begins */
	char said[41];
	uint64_t cut; /* number of the last line that looks like the beginning of a record */
};

enum verdict { RECORD, TEXT, CUT, WIDE };

struct record {
	char letter;
	uint64_t addr, size;
};

/* Reads `line`; CUT when it ends within a record. */
static inline enum verdict
parse(const char *line, size_t n, struct record *r)
{
	const char *end = line + n, *p = rp_skip_blanks(line, end);
	if (p == end)
		return TEXT;
	r->letter = *p++;
	if (r->letter != 'L' && r->letter != 'S' && r->letter != 'I' && r->letter != 'M')
		return TEXT;
	if (p == end)
		return CUT;
	if (!rp_is_blank(*p))
		return TEXT;
	p = rp_skip_blanks(p, end);
	if (!rp_scan_hex(&p, end, &r->addr))
		return p < end && rp_hex_digit[(unsigned char)*p] >= 0 ? WIDE : TEXT;
	if (p == end)
		return CUT;
	if (*p++ != ',')
		return TEXT;
	if (!rp_scan_dec(&p, end, &r->size))
		return p == end ? CUT : *p >= '0' && *p <= '9' ? WIDE : TEXT;
	return r->size <= UINT32_MAX ? RECORD : WIDE;
}

/* "==pid==" and "--pid--" lines, as Valgrind begins its own. */
static bool
is_valgrinds(const char *line, size_t n)
{
	return n > 1 && line[0] == line[1] && (line[0] == '=' || line[0] == '-' || line[0] == '*');
}

/* What --trace-superblocks=yes adds. */
static bool
is_superblock(const char *line, size_t n)
{
	return n > 3 && !memcmp(line, "SB ", 3);
}

static bool
skip_text(
    struct lackey *s, const struct rp_bytes *in, const char *line, size_t n, struct rp_err *err)
{
	if (n && memchr(line, 0, n))
		return rp_fail_line(err, in, "a NUL byte: this is no text");
	if (!n || is_valgrinds(line, n) || is_superblock(line, n))
		return true;
	if (!s->texts++) {
		s->first = in->line;
		snprintf(s->said, sizeof s->said, "%.*s", RP_QUOTED(line, line + n));
	}
	return true;
}

static inline bool
put_record(struct lackey *s, const struct rp_bytes *in, const struct record *r,
    struct rp_batch *out, struct rp_err *err)
{
	struct rp_access a = { .addr = r->addr, .size = (uint32_t)r->size, .kind = RP_READ };
	if (!a.size)
		a.size = s->usual;
	if (!rp_span_fits(a.addr, a.size))
		return rp_fail_line(err, in, RP_SPAN_WRAPS, (uint64_t)a.size, a.addr);
	if (r->letter == 'S')
		a.kind = RP_WRITE;
	else if (r->letter == 'I')
		a.kind = RP_FETCH;
	rp_batch_put(out, &a);
	if (r->letter == 'M') {
		s->write = a;
		s->write.kind = RP_WRITE;
		s->half = true;
	}
	s->some = true;
	return true;
}

/* At the end of the input: it must not have stopped within a record, and must have held one. */
static bool
check_end(struct lackey *s, const struct rp_bytes *in, struct rp_err *err)
{
	if (s->cut && s->cut == in->line)
		return rp_fail_line(err, in,
		    "the last record is cut short: wanted a letter, an address, a comma and a "
		    "size");
	if (!s->texts)
		return true;
	if (!s->some)
		return rp_fail(err, RP_INPUT,
		    "%s:%" PRIu64 ": '%s' is no record of lackey, and none follows", in->name,
		    s->first, s->said);
	rp_trace_skip(s->trace, "text", s->texts);
	rp_trace_warn(s->trace,
	    "%s:%" PRIu64 ": %" PRIu64 " lines from '%s' on are no records and were skipped",
	    in->name, s->first, s->texts, s->said);
	s->texts = 0;
	return true;
}

static bool
lackey_open(void *state, struct rp_bytes *in, const struct rp_read_opts *o, struct rp_trace *t,
    struct rp_err *err)
{
	struct lackey *s = state;
	(void)in, (void)err;
	s->trace = t;
	s->usual = o->size ? o->size : 1;
	return true;
}

static ptrdiff_t
lackey_read(void *state, struct rp_bytes *in, struct rp_batch *out, struct rp_err *err)
{
	struct lackey *s = state;
	size_t from = out->n;
	while (out->n < out->cap) {
		const char *line;
		struct record r;
		if (s->half) {
			rp_batch_put(out, &s->write);
			s->half = false;
			continue;
		}
		ptrdiff_t n = rp_text_line(in, out->n > from, &line, err);
		if (n == RP_TEXT_END && !check_end(s, in, err))
			return -1;
		if (n < 0)
			return rp_text_rows(n, out->n - from);
		enum verdict v = parse(line, (size_t)n, &r);
		if (v == WIDE) {
			rp_fail_line(err, in,
			    "'%.*s': an address of more than 64 or a size of more than 32 bits",
			    RP_QUOTED(line, line + n));
			return -1;
		}
		if (v == CUT)
			s->cut = in->line;
		if (v == RECORD ? !put_record(s, in, &r, out, err)
				: !skip_text(s, in, line, (size_t)n, err))
			return -1;
	}
	return (ptrdiff_t)(out->n - from);
}

static int
judge(const char *line, size_t n)
{
	struct record r;
	if (n > 2 && is_valgrinds(line, n))
		return memmem(line, n, "Lackey, an example Valgrind tool", 32) != NULL;
	return n > 2 && parse(line, n, &r) == RECORD;
}

/* Programs may talk in between, so records alone count; their form is unlike any other format's. */
static int
lackey_probe(const unsigned char *head, size_t n)
{
	return rp_text_probe(head, n, judge) ? 90 : 0;
}

static inline char *
put_row(void *state, char *to, const struct rp_batch *b, size_t i)
{
	static const char before[RP_KINDS][4] = { [RP_READ] = " L ",
		[RP_WRITE] = " S ",
		[RP_ATOMIC] = " L ",
		[RP_PREFETCH] = " L ",
		[RP_FETCH] = "I  " };
	struct rp_lost *lost = state;
	uint8_t kind = b->kind[i];
	if (kind >= RP_KINDS) {
		lost->mark++;
		return to;
	}
	lost->atomic += kind == RP_ATOMIC;
	lost->prefetch += kind == RP_PREFETCH;
	memcpy(to, before[kind], 3);
	to = rp_put_hex(to + 3, b->addr[i], 8);
	*to++ = ',';
	to = rp_put_dec(to, b->size[i]);
	*to++ = '\n';
	return to;
}

static bool
lackey_write(void *state, struct rp_out *out, const struct rp_batch *b, struct rp_err *err)
{
	rp_lost_columns(state, b, 0);
	return rp_put_rows(state, out, b, 32, put_row, err);
}

static const struct rp_writer writer = {
	.state_bytes = sizeof(struct rp_lost),
	.write = lackey_write,
	.lost = rp_lost_told,
	.sizes = true,
};

const struct rp_format rp_format_lackey = {
	.name = "lackey",
	.what = "Valgrind lackey: ' L 1ffe8,8'; M is a read and a write; other lines are skipped",
	.source = "Valgrind manual, section 'Lackey: an example tool'; valgrind --tool=lackey "
		  "--trace-mem=yes",
	.probe = lackey_probe,
	.state_bytes = sizeof(struct lackey),
	.open = lackey_open,
	.read = lackey_read,
	.writer = &writer,
};
