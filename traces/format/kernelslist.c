/* kernelslist.c - Accel-Sim's command list: copies from the host, and kernels one after the other.
 *
 * One kernel file is open at a time, so memory is that of one, however long the list. */
#include "config.h"

#include "base/parse.h"
#include "traces/format/accelsim.h"
#include "traces/format/text.h"

#include <string.h>

/* A mark holds a size of 32 bits; no GPU has a TiB. */
#define COPY_PIECE (UINT64_C(1) << 30)
#define COPY_MOST  (UINT64_C(1) << 40)

struct list {
	struct rp_source source;
	struct rp_bytes *in; /* the list */
	struct rp_read_opts opts;
	char *path, *file;       /* the list's; room for its folder and a kernel's name */
	size_t folder;           /* bytes of the path up to its last '/', with it */
	struct rp_bytes *kernel; /* NULL: none is open */
	struct rp_accelsim parser;
	uint64_t copy_at, copy_left; /* of a host copy */
};

static void
end_kernel(struct list *s)
{
	if (!s->kernel)
		return;
	rp_accelsim_close(&s->parser);
	rp_bytes_close(s->kernel);
	s->kernel = NULL;
}

static bool
begin_kernel(struct list *s, const char *name, size_t n, struct rp_err *err)
{
	char *p = rp_mem_grow(s->file, s->folder + n + 1, 1, err);
	if (!p)
		return false;
	s->file = p;
	memcpy(p, s->path, s->folder);
	memcpy(p + s->folder, name, n);
	p[s->folder + n] = '\0';
	s->kernel = rp_bytes_open(p, s->opts.stop, err);
	if (!s->kernel)
		return rp_err_wrap(err, "%s:%" PRIu64, s->in->name, s->in->line);
	memset(&s->parser, 0, sizeof s->parser);
	return rp_accelsim_open(
	    &s->parser, s->kernel, &s->opts, s->source.trace, RP_ACCELSIM_ANY, err);
}

/* `MemcpyHtoD,0x<hex address>,<decimal bytes>`; other copies do not matter to a cache. */
static bool
copy_line(struct list *s, const char *line, size_t n, struct rp_err *err)
{
	static const char to_device[] = "MemcpyHtoD,";
	const char *p = line + sizeof to_device - 1, *end = line + n;
	uint64_t bytes;
	if (n < sizeof to_device - 1 || memcmp(line, to_device, sizeof to_device - 1))
		return true;
	p = rp_skip_blanks(p, end);
	bool ok = rp_scan_hex(&p, end, &s->copy_at) && p < end && *p++ == ',';
	p = rp_skip_blanks(p, end);
	if (!ok || !rp_scan_dec(&p, end, &bytes) || p != end)
		return rp_fail_line(err, s->in,
		    "'%.*s': wanted MemcpyHtoD,0x<hexadecimal address>,<decimal bytes>",
		    RP_QUOTED(line, end));
	if (bytes > COPY_MOST)
		return rp_fail_line(
		    err, s->in, "a copy of %" PRIu64 " bytes: wanted at most 2^40", bytes);
	if (bytes && !rp_span_fits(s->copy_at, bytes))
		return rp_fail_line(err, s->in, RP_SPAN_WRAPS, bytes, s->copy_at);
	s->copy_left = bytes;
	return true;
}

static void
put_copy(struct list *s, struct rp_batch *out)
{
	uint64_t n = s->copy_left < COPY_PIECE ? s->copy_left : COPY_PIECE;
	struct rp_access a = { .addr = s->copy_at, .size = (uint32_t)n, .kind = RP_HOST_COPY };
	rp_batch_put(out, &a);
	s->copy_at += n;
	s->copy_left -= n;
}

static bool
list_line(struct list *s, const char *line, size_t n, struct rp_err *err)
{
	if (n == 0)
		return true;
	if (rp_text_begins(line, n, "Memcpy"))
		return copy_line(s, line, n, err);
	if (rp_text_begins(line, n, "kernel") && !memchr(line, '\0', n))
		return begin_kernel(s, line, n, err);
	return rp_fail_line(
	    err, s->in, "'%.*s': wanted a kernel file or Memcpy...", RP_QUOTED(line, line + n));
}

static ptrdiff_t
list_pull(struct rp_source *source, struct rp_batch *out, struct rp_err *err)
{
	struct list *s = (struct list *)source;
	size_t before = out->n;
	while (out->n < out->cap) {
		if (s->copy_left) {
			put_copy(s, out);
			continue;
		}
		if (s->kernel) {
			ptrdiff_t n = rp_accelsim_read(&s->parser, s->kernel, out, err);
			if (n < 0)
				return -1;
			if (n == 0)
				end_kernel(s);
			continue;
		}
		const char *line;
		ptrdiff_t n = rp_text_line(s->in, out->n > before, &line, err);
		if (n < 0)
			return rp_text_rows(n, out->n - before);
		if (!list_line(s, line, (size_t)n, err))
			return -1;
	}
	return (ptrdiff_t)(out->n - before);
}

static void
list_close(struct rp_source *source)
{
	struct list *s = (struct list *)source;
	end_kernel(s);
	rp_bytes_close(s->in);
	rp_trace_free(s->source.trace);
	free(s->path);
	free(s->file);
	free(s);
}

/* What the parser sets for a kernel must be known before the first one is opened. */
static bool
prepare(struct list *s, const char *path, struct rp_err *err)
{
	s->source.trace = rp_trace_new("kernelslist", err);
	s->path = s->source.trace ? rp_mem_string(path, err) : NULL;
	if (!s->path)
		return false;
	const char *slash = strrchr(s->path, '/');
	s->folder = slash ? (size_t)(slash + 1 - s->path) : 0;
	return rp_warp_rows_start(&s->parser.rows, &s->opts, s->source.trace, err);
}

static struct rp_source *
open_file(const char *path, struct rp_bytes *in, const struct rp_read_opts *o, struct rp_err *err)
{
	struct list *s = rp_mem_array(1, sizeof *s, err);
	if (!s) {
		rp_bytes_close(in);
		return NULL;
	}
	s->source.pull = list_pull;
	s->source.close = list_close;
	s->opts = *o;
	s->in = in ? in : rp_bytes_open(path, o->stop, err);
	if (s->in && prepare(s, path, err))
		return &s->source;
	list_close(&s->source);
	return NULL;
}

static int
judge(const char *line, size_t n)
{
	if (n == 0)
		return 0;
	if (rp_text_begins(line, n, "Memcpy"))
		return 1;
	return rp_text_begins(line, n, "kernel") && !memchr(line, ' ', n) ? 1 : -1;
}

/* Can the line stand in nothing but a list: a copy of some kind, or a word that names a kernel's trace? */
static int
only_of_list(const char *line, size_t n)
{
	const char *end = line + n, *p = rp_skip_blanks(line, end);
	n = (size_t)(end - p);
	if (rp_text_begins(p, n, "kernel"))
		return !memchr(p, ' ', n) && memmem(p, n, ".trace", 6);
	if (!rp_text_begins(p, n, "Memcpy"))
		return 0;
	while (p < end && ((*p | 32) >= 'a' && (*p | 32) <= 'z'))
		p++;
	return p < end && *p == ',';
}

/* Is this a list by the first line that is neither empty nor a comment? Then another that is wrong does not make it
 * anything else: the reader names that one. */
static bool
begins_list(const char *p, const char *end)
{
	while (p < end) {
		const char *lf = memchr(p, '\n', (size_t)(end - p)), *stop = lf ? lf : end;
		size_t n = (size_t)rp_text_trim(p, stop - p);
		if (n && *p != '#')
			return only_of_list(p, n);
		p = lf ? lf + 1 : end;
	}
	return false;
}

static int
probe(const unsigned char *head, size_t n)
{
	if (rp_text_probe(head, n, judge))
		return 95;
	return begins_list((const char *)head, (const char *)head + n) &&
	               rp_text_probe(head, n, only_of_list)
	           ? 90
	           : 0;
}

const struct rp_format rp_format_kernelslist = {
	.name = "kernelslist",
	.what = "Accel-Sim's list of host copies and kernel files (kernelslist, kernelslist.g)",
	.source = "Accel-Sim (Khairy et al., ISCA 2020), util/tracer_nvbit",
	.probe = probe,
	.open_file = open_file,
};
