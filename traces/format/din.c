/* din - Dinero's traditional trace text: a label and a hexadecimal address a line, "0 1fe0".
 *
 * Labels: 0 read, 1 write, 2 instruction fetch, 3 miscellaneous (a read), 4 copy back, 5 invalidate. There are no sizes:
 * Dinero rounds an address down to a word of 4 bytes and touches that word. Anything behind the address is ignored. */
#include "config.h"

#include "base/parse.h"
#include "traces/format.h"
#include "traces/format/text.h"

enum { WORD = 4 };

static const uint8_t kind_of_label[] = { RP_READ, RP_WRITE, RP_FETCH, RP_READ, RP_COPY_BACK,
	RP_INVALIDATE };

struct din {
	uint32_t size;
};

static bool
din_open(void *state, struct rp_bytes *in, const struct rp_read_opts *o, struct rp_trace *t,
    struct rp_err *err)
{
	struct din *s = state;
	(void)in, (void)t, (void)err;
	s->size = o->size ? o->size : WORD;
	return true;
}

static bool
parse(const struct din *s, const struct rp_bytes *in, const char *line, size_t n,
    struct rp_access *a, struct rp_err *err)
{
	const char *end = line + n, *p = rp_skip_blanks(line, end), *word = rp_word_end(p, end);
	unsigned label = (unsigned)(*p - '0');
	if (word - p != 1 || label >= sizeof kind_of_label)
		return rp_fail_line(
		    err, in, "label '%.*s' is none of 0, 1, 2, 3, 4, 5", RP_QUOTED(p, word));
	const char *at = p = rp_skip_blanks(word, end);
	if (!rp_scan_hex(&p, end, &a->addr) || (p < end && !rp_is_blank(*p)))
		return rp_fail_line(err, in,
		    "address '%.*s' is no hexadecimal number of up to 64 bits",
		    RP_QUOTED(at, rp_word_end(at, end)));
	a->addr &= ~(uint64_t)(WORD - 1);
	a->size = s->size;
	a->kind = kind_of_label[label];
	return rp_span_fits(a->addr, a->size) ||
	       rp_fail_line(err, in, RP_SPAN_WRAPS, (uint64_t)a->size, a->addr);
}

static int
parse_line(void *state, struct rp_bytes *in, const char *line, size_t n, struct rp_access *a,
    struct rp_err *err)
{
	return parse(state, in, line, n, a, err) ? 1 : -1;
}

static ptrdiff_t
din_read(void *state, struct rp_bytes *in, struct rp_batch *out, struct rp_err *err)
{
	return rp_text_read(state, in, out, parse_line, err);
}

static int
judge(const char *line, size_t n)
{
	const char *end = line + n, *p = rp_skip_blanks(line, end);
	uint64_t addr;
	if (p == end)
		return 0;
	if (*p < '0' || *p > '5' || ++p == end || !rp_is_blank(*p))
		return -1;
	p = rp_skip_blanks(p, end);
	return rp_scan_hex(&p, end, &addr) && (p == end || rp_is_blank(*p)) ? 1 : -1;
}

static int
din_probe(const unsigned char *head, size_t n)
{
	return rp_text_probe(head, n, judge) ? 70 : 0;
}

static inline char *
put_row(void *state, char *to, const struct rp_batch *b, size_t i)
{
	static const char label[RP_MARKS_END] = { [RP_READ] = '0',
		[RP_WRITE] = '1',
		[RP_ATOMIC] = '0',
		[RP_PREFETCH] = '0',
		[RP_FETCH] = '2',
		[RP_COPY_BACK] = '4',
		[RP_INVALIDATE] = '5' };
	struct rp_lost *lost = state;
	uint8_t kind = b->kind[i];
	if (!label[kind]) {
		lost->mark++;
		return to;
	}
	lost->atomic += kind == RP_ATOMIC;
	lost->prefetch += kind == RP_PREFETCH;
	lost->size += b->size[i] != WORD || b->addr[i] % WORD;
	*to++ = label[kind];
	*to++ = ' ';
	to = rp_put_hex(to, b->addr[i], 1);
	*to++ = '\n';
	return to;
}

static bool
din_write(void *state, struct rp_out *out, const struct rp_batch *b, struct rp_err *err)
{
	rp_lost_columns(state, b, 0);
	return rp_put_rows(state, out, b, 24, put_row, err);
}

static const struct rp_writer writer = {
	.state_bytes = sizeof(struct rp_lost),
	.write = din_write,
	.lost = rp_lost_told,
};

const struct rp_format rp_format_din = {
	.name = "din",
	.what = "Dinero din: label 0..5 and hexadecimal address; words of 4 bytes",
	.source =
	    "Dinero IV manual page, 'traditional din format' (Edler, Hill; formats of Dinero III)",
	.probe = din_probe,
	.state_bytes = sizeof(struct din),
	.open = din_open,
	.read = din_read,
	.writer = &writer,
};
