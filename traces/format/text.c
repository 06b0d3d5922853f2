/* text.c - what formats share: lines and fields in, digits out. */
#include "config.h"

#include "traces/format/text.h"
#include "base/parse.h"

enum { PROBE_LINES = 64 };

bool
rp_scan_number(const char **at, const char *end, uint64_t *out)
{
	const char *p = *at;
	bool hex = end - p > 2 && p[0] == '0' && (p[1] | 32) == 'x';
	return hex ? rp_scan_hex(at, end, out) : rp_scan_dec(at, end, out);
}

const char *
rp_word_end(const char *p, const char *end)
{
	while (p < end && !rp_is_blank(*p))
		p++;
	return p;
}

static bool
is_text(const unsigned char *head, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (head[i] == 0x7f ||
		    (head[i] < ' ' && head[i] != '\t' && head[i] != '\n' && head[i] != '\r'))
			return false;
	return true;
}

bool
rp_text_begins(const char *line, size_t n, const char *with)
{
	size_t k = strlen(with);
	return n >= k && !memcmp(line, with, k);
}

int
rp_text_probe(const unsigned char *head, size_t n, rp_text_judge *judge)
{
	const char *p = (const char *)head, *end = p + n;
	int mine = 0;
	if (!is_text(head, n))
		return 0;
	for (int lines = 0; p < end && lines < PROBE_LINES; lines++) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		if (!lf && lines)
			break;
		const char *stop = lf ? lf : end;
		int said = judge(p, (size_t)rp_text_trim(p, stop - p));
		if (said < 0)
			return 0;
		mine += said;
		p = lf ? lf + 1 : end;
	}
	return mine;
}

void
rp_lost_tell(
    const struct rp_lost *l, void (*tell)(void *to, const char *reason, uint64_t n), void *to)
{
	const struct {
		const char *reason;
		uint64_t n;
	} rows[] = {
		{ "atomic", l->atomic },
		{ "prefetch", l->prefetch },
		{ "write", l->write },
		{ "fetch", l->fetch },
		{ "stream", l->stream },
		{ "time", l->time },
		{ "pc", l->pc },
		{ "mask", l->mask },
		{ "space", l->space },
		{ "size", l->size },
		{ "mark", l->mark },
		{ "next_access", l->next_access },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].n)
			tell(to, rows[i].reason, rows[i].n);
}

static uint64_t
others_than_0(const uint32_t *x, size_t n)
{
	uint64_t some = 0;
	for (size_t i = 0; i < n; i++)
		some += x[i] != 0;
	return some;
}

static uint64_t
wide_others_than_0(const uint64_t *x, size_t n)
{
	uint64_t some = 0;
	for (size_t i = 0; i < n; i++)
		some += x[i] != 0;
	return some;
}

void
rp_lost_told(const void *state, void (*tell)(void *to, const char *reason, uint64_t n), void *to)
{
	rp_lost_tell(state, tell, to);
}

void
rp_lost_columns(struct rp_lost *l, const struct rp_batch *b, unsigned keeps)
{
	unsigned gone = rp_batch_columns(b) & ~keeps;
	if (gone & RP_COL_STREAM)
		l->stream += others_than_0(b->stream, b->n);
	if (gone & RP_COL_MASK)
		l->mask += others_than_0(b->mask, b->n);
	if (gone & RP_COL_TIME)
		l->time += wide_others_than_0(b->time, b->n);
	if (gone & RP_COL_PC)
		l->pc += wide_others_than_0(b->pc, b->n);
	for (size_t i = 0; gone & RP_COL_FLAGS && i < b->n; i++)
		l->space += b->flags[i] != 0;
}
