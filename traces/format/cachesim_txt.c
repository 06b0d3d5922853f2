/* cachesim_txt - libCacheSim's plain text: the number of an object a line, read with size 1. Objects are whole: record.h. */
#include "config.h"

#include "traces/format.h"
#include "traces/format/record.h"

struct txt {
	uint32_t unit, size;
};

static bool
txt_open(void *state, struct rp_bytes *in, const struct rp_read_opts *o, struct rp_trace *t,
    struct rp_err *err)
{
	struct txt *s = state;
	(void)in, (void)t, (void)err;
	s->unit = o->object;
	s->size = o->size ? o->size : 1;
	return true;
}

static int
parse_line(void *state, struct rp_bytes *in, const char *line, size_t n, struct rp_access *a,
    struct rp_err *err)
{
	const struct txt *s = state;
	const char *end = line + n, *at = rp_skip_blanks(line, end), *p = at;
	uint64_t id;
	bool ok = true;
	a->kind = RP_READ;
	if (!rp_scan_number(&p, end, &id) || p != end)
		ok = rp_fail_line(
		    err, in, "object '%.*s' is no number of up to 64 bits", RP_QUOTED(at, end));
	else if (!rp_object_place(a, id, s->size, s->unit))
		ok = rp_fail_line(err, in, RP_OBJECT_BEYOND, id, (uint64_t)s->size);
	return ok ? 1 : -1;
}

static ptrdiff_t
txt_read(void *state, struct rp_bytes *in, struct rp_batch *out, struct rp_err *err)
{
	return rp_text_read(state, in, out, parse_line, err);
}

static int
judge(const char *line, size_t n)
{
	const char *end = line + n, *p = rp_skip_blanks(line, end);
	uint64_t id;
	if (p == end)
		return 0;
	return rp_scan_number(&p, end, &id) && p == end ? 1 : -1;
}

static int
txt_probe(const unsigned char *head, size_t n)
{
	return rp_text_probe(head, n, judge) ? 40 : 0;
}

const struct rp_format rp_format_cachesim_txt = {
	.name = "cachesim-txt",
	.what = "libCacheSim text: an object's number a line; whole objects, each a line at 64 * "
		"id (--object N: blocks)",
	.source = "libCacheSim, doc/quickstart_cachesim.md, trace type txt",
	.probe = txt_probe,
	.state_bytes = sizeof(struct txt),
	.open = txt_open,
	.read = txt_read,
};
