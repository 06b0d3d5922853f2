/* xdin - Dinero IV's extended text: a letter, a hexadecimal address and a hexadecimal size a line, "r 1fe0 4".
 *
 * Letters: r read, w write, i instruction fetch, m miscellaneous (a read), c copy back, v invalidate. Sizes are exact and
 * accesses may span blocks. */
#include "config.h"

#include "base/parse.h"
#include "traces/format.h"
#include "traces/format/text.h"

enum { WORD = 4, NONE = 255 };

struct xdin {
	uint32_t usual; /* size of an access that says 0 */
};

static bool
xdin_open(void *state, struct rp_bytes *in, const struct rp_read_opts *o, struct rp_trace *t,
    struct rp_err *err)
{
	struct xdin *s = state;
	(void)in, (void)t, (void)err;
	s->usual = o->size ? o->size : WORD;
	return true;
}

static uint8_t
kind_of(char letter)
{
	switch (letter | 32) {
	case 'r':
	case 'm':
		return RP_READ;
	case 'w':
		return RP_WRITE;
	case 'i':
		return RP_FETCH;
	case 'c':
		return RP_COPY_BACK;
	case 'v':
		return RP_INVALIDATE;
	default:
		return NONE;
	}
}

/* A hexadecimal number at *p that is a word of its own. */
static inline bool
hex_word(const char **p, const char *end, uint64_t *out)
{
	*p = rp_skip_blanks(*p, end);
	return rp_scan_hex(p, end, out) && (*p == end || rp_is_blank(**p));
}

static bool
parse(const struct xdin *s, const struct rp_bytes *in, const char *line, size_t n,
    struct rp_access *a, struct rp_err *err)
{
	const char *end = line + n, *p = rp_skip_blanks(line, end), *word = rp_word_end(p, end);
	uint64_t size;
	a->kind = kind_of(*p);
	if (word - p != 1 || a->kind == NONE)
		return rp_fail_line(
		    err, in, "label '%.*s' is none of r, w, i, m, c, v", RP_QUOTED(p, word));
	const char *at = p = rp_skip_blanks(word, end);
	if (!hex_word(&p, end, &a->addr))
		return rp_fail_line(err, in,
		    "address '%.*s' is no hexadecimal number of up to 64 bits",
		    RP_QUOTED(at, rp_word_end(at, end)));
	at = p = rp_skip_blanks(p, end);
	if (!hex_word(&p, end, &size) || size > UINT32_MAX)
		return rp_fail_line(err, in,
		    "size '%.*s' is no hexadecimal number of up to 32 bits",
		    RP_QUOTED(at, rp_word_end(at, end)));
	/* Dinero takes a copy back or invalidation of size 0 for the whole cache, which a mark cannot say. */
	if (!size && a->kind >= RP_MARKS)
		return rp_fail_line(
		    err, in, "'%c' of size 0, the whole cache, is not supported", *line);
	a->size = size ? (uint32_t)size : s->usual;
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
xdin_read(void *state, struct rp_bytes *in, struct rp_batch *out, struct rp_err *err)
{
	return rp_text_read(state, in, out, parse_line, err);
}

static int
judge(const char *line, size_t n)
{
	const char *end = line + n, *p = rp_skip_blanks(line, end);
	uint64_t x;
	if (p == end)
		return 0;
	if (kind_of(*p) == NONE || ++p == end || !rp_is_blank(*p))
		return -1;
	return hex_word(&p, end, &x) && hex_word(&p, end, &x) ? 1 : -1;
}

static int
xdin_probe(const unsigned char *head, size_t n)
{
	return rp_text_probe(head, n, judge) ? 75 : 0;
}

static inline char *
put_row(void *state, char *to, const struct rp_batch *b, size_t i)
{
	static const char letter[RP_MARKS_END] = { [RP_READ] = 'r',
		[RP_WRITE] = 'w',
		[RP_ATOMIC] = 'r',
		[RP_PREFETCH] = 'r',
		[RP_FETCH] = 'i',
		[RP_COPY_BACK] = 'c',
		[RP_INVALIDATE] = 'v' };
	struct rp_lost *lost = state;
	uint8_t kind = b->kind[i];
	if (!letter[kind]) {
		lost->mark++;
		return to;
	}
	lost->atomic += kind == RP_ATOMIC;
	lost->prefetch += kind == RP_PREFETCH;
	*to++ = letter[kind];
	*to++ = ' ';
	to = rp_put_hex(to, b->addr[i], 1);
	*to++ = ' ';
	to = rp_put_hex(to, b->size[i], 1);
	*to++ = '\n';
	return to;
}

static bool
xdin_write(void *state, struct rp_out *out, const struct rp_batch *b, struct rp_err *err)
{
	rp_lost_columns(state, b, 0);
	return rp_put_rows(state, out, b, 32, put_row, err);
}

static const struct rp_writer writer = {
	.state_bytes = sizeof(struct rp_lost),
	.write = xdin_write,
	.lost = rp_lost_told,
	.sizes = true,
};

const struct rp_format rp_format_xdin = {
	.name = "xdin",
	.what = "Dinero extended din: letter r w i m c v, hexadecimal address and size",
	.source = "Dinero IV manual page, 'extended din format' (Edler, Hill)",
	.probe = xdin_probe,
	.state_bytes = sizeof(struct xdin),
	.open = xdin_open,
	.read = xdin_read,
	.writer = &writer,
};
