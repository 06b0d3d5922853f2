/* memtrace.c - what NVBit's mem_trace tool prints, and tools derived from it.
 *
 * Records begin with `MEMTRACE: ` and are fields joined by ` - `; all other lines belong to the
 * application. There is no mask: a lane whose address is 0 did not take part. The warp is a
 * hardware slot of the SM, so a block has 64. */
#include "config.h"

#include "base/parse.h"
#include "traces/format/text.h"
#include "traces/warp.h"

#include <string.h>

enum { SLOTS = 64, LAUNCHES = 64, LAUNCHES_MOST = 1 << 20 };

#define MARK "MEMTRACE: "

/* A launch that may still have accesses to come. */
struct announced {
	uint64_t id;
	size_t kernel; /* its latest part in the trace */
};

struct memtrace {
	struct rp_warp_rows rows;
	struct rp_warp_seen seen;
	struct rp_block_order order;
	struct rp_trace *trace;
	bool narrow_signed, said_overlap, said_generic;
	bool any, ended; /* a record was read; the input is at its end */
	/* Accesses carry the id of their launch or, in NVBit 1.5, one less. */
	int behind; /* 0 or 1: how much less; -1: not known */
	bool banner, banner_1_5;
	struct announced recent[LAUNCHES]; /* a ring */
	size_t announced;                  /* ever */
	bool in_kernel, ends; /* a kernel is open; the end of `ending` is to be put first */
	size_t kernel, ending;
};

/* One field of a record. */
struct field {
	const char *at, *end;
};

static bool
begins(const struct field *f, const char *with)
{
	return rp_text_begins(f->at, (size_t)(f->end - f->at), with);
}

/* Cuts the field up to the next " - " off `rest`. */
static struct field
cut(struct field *rest)
{
	struct field f = *rest;
	for (const char *p = rest->at; (p = memchr(p, ' ', (size_t)(rest->end - p))); p++)
		if (rest->end - p >= 3 && p[1] == '-' && p[2] == ' ') {
			f.end = p;
			rest->at = p + 3;
			return f;
		}
	rest->at = rest->end;
	return f;
}

/* The last field of `rest`, taken off it. */
static struct field
cut_last(struct field *rest)
{
	struct field f = *rest;
	for (ptrdiff_t i = rest->end - rest->at - 3; i >= 0; i--)
		if (!memcmp(rest->at + i, " - ", 3)) {
			f.at = rest->at + i + 3;
			rest->end = rest->at + i;
			return f;
		}
	rest->end = rest->at;
	return f;
}

/* The number behind `name` in a field of that name. */
static bool
number(const struct field *f, const char *name, uint64_t most, uint64_t *out)
{
	const char *p = f->at + strlen(name);
	return rp_scan_number(&p, f->end, out) && p == f->end && *out <= most;
}

static bool
triple(const struct field *f, const char *name, uint64_t out[3])
{
	const char *p = f->at + strlen(name);
	for (int i = 0; i < 3; i++)
		if (!rp_scan_dec(&p, f->end, &out[i]) || out[i] > UINT32_MAX ||
		    (i < 2 && (p == f->end || *p++ != ',')))
			return false;
	return p == f->end;
}

static bool
bad(const struct rp_bytes *in, const struct field *f, const char *wanted, struct rp_err *err)
{
	return rp_fail_line(err, in, "'%.*s': wanted %s", RP_QUOTED(f->at, f->end), wanted);
}

static bool
take_number(const struct rp_bytes *in, const struct field *f, const char *name, uint64_t *out,
    bool *has, struct rp_err *err)
{
	*has = number(f, name, INT64_MAX, out);
	return *has || bad(in, f, "a number", err);
}

/* ---- launches ---- */

static void
end_kernel(struct memtrace *m)
{
	m->ends = m->in_kernel;
	m->ending = m->kernel;
	m->in_kernel = false;
	rp_map_free(&m->seen.map);
	rp_block_order_free(&m->order);
}

/* A new launch record, which becomes the kernel at hand. */
static struct rp_kernel_launch *
begin_kernel(struct memtrace *m, const struct rp_bytes *in, struct rp_err *err)
{
	if (m->trace->n_kernels == LAUNCHES_MOST) {
		rp_fail_line(err, in, "more than %d launches, or parts of launches that overlap",
		    LAUNCHES_MOST);
		return NULL;
	}
	end_kernel(m);
	struct rp_kernel_launch *k = rp_trace_kernel(m->trace, err);
	m->kernel = m->trace->n_kernels - 1;
	m->in_kernel = k != NULL;
	return k;
}

/* What a launch line says. */
struct launch {
	uint64_t id, shared;
	uint32_t grid[3], block[3];
	bool has_id;
};

static bool
take_dims(const struct rp_bytes *in, const struct field *f, const char *name, uint32_t to[3],
    struct rp_err *err)
{
	uint64_t x[3];
	if (!triple(f, name, x))
		return bad(in, f, "x,y,z", err);
	for (int i = 0; i < 3; i++)
		to[i] = (uint32_t)x[i];
	return true;
}

static bool
take_launch_field(
    struct launch *l, const struct rp_bytes *in, const struct field *f, struct rp_err *err)
{
	bool has;
	if (begins(f, "grid launch id "))
		return take_number(in, f, "grid launch id ", &l->id, &l->has_id, err);
	if (begins(f, "shmem "))
		return take_number(in, f, "shmem ", &l->shared, &has, err);
	if (begins(f, "grid size "))
		return take_dims(in, f, "grid size ", l->grid, err);
	if (begins(f, "block size "))
		return take_dims(in, f, "block size ", l->block, err);
	return true;
}

/* The kernel's name may hold " - ", so the fields behind it are taken from the right. */
static bool
launch_line(struct memtrace *m, const struct rp_bytes *in, struct field rest, struct rp_err *err)
{
	static const char name[] = "Kernel name ";
	struct launch l = { 0 };
	while (!l.has_id && rest.at < rest.end) {
		struct field f = cut_last(&rest);
		if (!take_launch_field(&l, in, &f, err))
			return false;
	}
	if (!l.has_id || !l.grid[0] || !l.block[0])
		return rp_fail_line(
		    err, in, "a launch without grid launch id, grid size and block size");
	struct rp_kernel_launch *k = begin_kernel(m, in, err);
	if (!k)
		return false;
	k->id = l.id;
	k->shared_bytes = l.shared;
	rp_launch_dims(k, l.grid, l.block);
	k->warps = SLOTS;
	m->recent[m->announced++ % LAUNCHES] = (struct announced){ l.id, m->kernel };
	while (rest.at < rest.end && !begins(&rest, name))
		cut(&rest);
	if (rest.at < rest.end)
		rest.at += sizeof name - 1;
	return rp_launch_name(m->trace, k, rest.at, (size_t)(rest.end - rest.at), err);
}

/* The latest launch with this id. */
static struct announced *
announced(struct memtrace *m, uint64_t id)
{
	size_t n = m->announced < LAUNCHES ? m->announced : LAUNCHES;
	for (size_t i = 1; i <= n; i++) {
		struct announced *a = &m->recent[(m->announced - i) % LAUNCHES];
		if (a->id == id)
			return a;
	}
	return NULL;
}

/* The launch that an access of grid_launch_id `id` belongs to. Which of the two ways of counting
 * a file has is settled at its first access: by the banner, if such a launch was announced, else
 * by the launch announced last. */
static struct announced *
launch_of(struct memtrace *m, uint64_t id)
{
	int first = m->behind;
	if (first < 0 && m->banner)
		first = m->banner_1_5;
	else if (first < 0 && m->announced)
		first = m->recent[(m->announced - 1) % LAUNCHES].id == id + 1;
	struct announced *a = announced(m, id + (first > 0));
	if (!a) {
		first = first <= 0;
		a = announced(m, id + (first > 0));
	}
	if (a && m->behind < 0)
		m->behind = first > 0;
	return a;
}

/* Makes the launch of an access the kernel at hand. Launches that overlap are taken in parts. */
static bool
enter_kernel(struct memtrace *m, const struct rp_bytes *in, uint64_t id, struct rp_err *err)
{
	struct announced *a = launch_of(m, id);
	if (!a)
		return rp_fail_line(err, in,
		    "an access of grid_launch_id %" PRIu64
		    ", and no such launch among the %d before",
		    id, LAUNCHES);
	if (m->in_kernel && a->kernel == m->kernel)
		return true;
	if (!m->said_overlap)
		rp_trace_warn(m->trace,
		    "%s:%" PRIu64
		    ": launches overlap; each stretch of accesses counts as a kernel of its own",
		    in->name, in->line);
	m->said_overlap = true;
	struct rp_kernel_launch *k = begin_kernel(m, in, err);
	if (!k)
		return false;
	*k = m->trace->kernels[a->kernel];
	k->sm = NULL;
	k->blocks = 0;
	k->early = NULL;
	k->n_early = 0;
	a->kernel = m->kernel;
	return true;
}

/* ---- accesses ---- */

struct access {
	uint64_t launch, cta[3], warp, sm, pc, size;
	bool has_launch, has_cta, has_warp, has_sm;
	struct field opcode, list;
};

static bool
take_field(struct access *a, const struct rp_bytes *in, const struct field *f, bool last,
    struct rp_err *err)
{
	bool has;
	if (begins(f, "grid_launch_id "))
		return take_number(in, f, "grid_launch_id ", &a->launch, &a->has_launch, err);
	if (begins(f, "warp "))
		return take_number(in, f, "warp ", &a->warp, &a->has_warp, err);
	if (begins(f, "SM_id "))
		return take_number(in, f, "SM_id ", &a->sm, &a->has_sm, err);
	if (begins(f, "pc "))
		return take_number(in, f, "pc ", &a->pc, &has, err);
	if (begins(f, "Size "))
		return take_number(in, f, "Size ", &a->size, &has, err);
	if (begins(f, "CTA ")) {
		a->has_cta = triple(f, "CTA ", a->cta);
		return a->has_cta || bad(in, f, "CTA x,y,z", err);
	}
	if (last)
		a->list = *f;
	else if (!a->opcode.at && f->at < f->end && *f->at >= 'A' && *f->at <= 'Z' &&
		 !memchr(f->at, ' ', (size_t)(f->end - f->at)))
		a->opcode = *f;
	return true;
}

/* 32 addresses, of lanes 0 to 31. */
static bool
plain_list(const struct rp_bytes *in, const struct field *list, uint64_t addr[RP_LANES],
    struct rp_err *err)
{
	const char *p = list->at;
	size_t n = 0;
	for (; (p = rp_skip_blanks(p, list->end)) < list->end; n++) {
		const char *first = p;
		uint64_t x;
		if (!rp_scan_hex(&p, list->end, &x) || (p < list->end && !rp_is_blank(*p)))
			return rp_fail_line(err, in, "'%.*s': wanted a hexadecimal address",
			    RP_QUOTED(first, rp_word_end(first, list->end)));
		if (n < RP_LANES)
			addr[n] = x;
	}
	return n == RP_LANES || rp_fail_line(err, in, "%zu addresses: wanted %d", n, RP_LANES);
}

/* `... Thread<lane>,<data>,<address> Thread<lane>,...` */
static bool
named_list(const struct rp_bytes *in, const struct field *list, uint64_t addr[RP_LANES],
    struct rp_err *err)
{
	bool any = false;
	for (const char *p = rp_skip_blanks(list->at, list->end), *end; p < list->end;
	     p = rp_skip_blanks(end, list->end)) {
		end = rp_word_end(p, list->end);
		struct field word = { p, end };
		const char *lane_at = p + strlen("Thread"),
			   *comma = memrchr(p, ',', (size_t)(end - p));
		uint64_t lane, x;
		bool named = begins(&word, "Thread") && rp_scan_dec(&lane_at, end, &lane);
		if (!named && !any)
			continue;
		any = true;
		if (comma)
			comma++;
		if (!named || lane >= RP_LANES || !comma || !rp_scan_hex(&comma, end, &x) ||
		    comma != end)
			return bad(in, &word, "Thread<0 to 31>,<data>,<address>", err);
		addr[lane] = x;
	}
	return any || bad(in, list, "addresses", err);
}

static bool
take_lanes(
    const struct rp_bytes *in, const struct field *list, struct rp_warp *w, struct rp_err *err)
{
	uint64_t addr[RP_LANES] = { 0 };
	const char *p = list->at;
	uint64_t x;
	bool plain = rp_scan_hex(&p, list->end, &x) && (p == list->end || rp_is_blank(*p));
	if (!(plain ? plain_list : named_list)(in, list, addr, err))
		return false;
	size_t n = 0;
	w->active = 0;
	for (unsigned lane = 0; lane < RP_LANES; lane++) {
		if (!addr[lane])
			continue;
		if (!rp_span_fits(addr[lane], w->size))
			return rp_fail_line(err, in, RP_SPAN_WRAPS, (uint64_t)w->size, addr[lane]);
		w->active |= UINT32_C(1) << lane;
		w->addr[n++] = addr[lane];
	}
	return true;
}

/* Block, warp and SM of an access. */
static bool
place(struct memtrace *m, const struct rp_bytes *in, const struct access *a, uint32_t *stream,
    struct rp_err *err)
{
	struct rp_kernel_launch *k = &m->trace->kernels[m->kernel];
	uint64_t block;
	if (!rp_block_index(k->grid, a->cta, &block))
		return rp_fail_line(err, in,
		    "CTA %" PRIu64 ",%" PRIu64 ",%" PRIu64 " lies outside the grid of %" PRIu32
		    ",%" PRIu32 ",%" PRIu32,
		    a->cta[0], a->cta[1], a->cta[2], k->grid[0], k->grid[1], k->grid[2]);
	if (a->warp >= SLOTS)
		return rp_fail_line(err, in, "warp %" PRIu64 ": an SM has %d", a->warp, SLOTS);
	if (block > UINT32_MAX / SLOTS)
		return rp_fail_line(err, in,
		    "block %" PRIu64 " of %d warps: more than 2^32 warps are not read", block,
		    SLOTS);
	*stream = (uint32_t)(block * SLOTS + a->warp);
	if (a->has_sm && a->sm < RP_SM_UNKNOWN &&
	    !rp_launch_sm(m->trace, k, (uint32_t)block, (uint32_t)a->sm, err))
		return false;
	return rp_block_begins(&m->order, (uint32_t)block, err) &&
	       rp_warp_seen(&m->seen, &m->trace->gpu, (uint32_t)block, *stream, err);
}

static bool
access_line(struct memtrace *m, const struct rp_bytes *in, struct field rest, struct rp_err *err)
{
	struct access a = { 0 };
	uint32_t stream = 0;
	while (rest.at < rest.end) {
		struct field f = cut(&rest);
		if (!take_field(&a, in, &f, rest.at == rest.end, err))
			return false;
	}
	if (!a.has_launch || !a.has_cta || !a.has_warp || !a.opcode.at || !a.list.at)
		return rp_fail_line(err, in, "an access without %s",
		    !a.has_launch  ? "grid_launch_id"
		    : !a.has_cta   ? "CTA x,y,z"
		    : !a.has_warp  ? "warp"
		    : !a.opcode.at ? "opcode"
				   : "addresses");
	if (!enter_kernel(m, in, a.launch, err) || !place(m, in, &a, &stream, err))
		return false;
	struct rp_op op =
	    rp_op_decode(a.opcode.at, (size_t)(a.opcode.end - a.opcode.at), m->narrow_signed);
	if (a.size && a.size <= RP_OP_MOST)
		op.size = (uint32_t)a.size;
	struct rp_warp w = { .size = op.size };
	if (!take_lanes(in, &a.list, &w, err))
		return false;
	if (op.space == RP_OP_GENERIC && !m->said_generic) {
		rp_trace_warn(m->trace,
		    "%s:%" PRIu64 ": generic accesses (LD, ST): mem_trace does not tell the "
		    "windows of shared and "
		    "local memory, so they are taken for global",
		    in->name, in->line);
		m->said_generic = true;
	}
	m->trace->gpu.instructions++;
	return !rp_warp_rows_take(&m->rows, &op, &w, stream, a.pc) ||
	       rp_block_has_row(
		   &m->order, m->trace, &m->trace->kernels[m->kernel], stream / SLOTS, err);
}

/* ---- lines ---- */

/* Is this `* Reg<n>_T<lane>: 0x...`, as record_reg_vals prints registers? Newer versions put blanks in front and write
 * lanes with two digits. */
static bool
is_registers(const char *line, const char *end)
{
	static const char name[] = "* Reg", thread[] = "_T";
	struct field f = { rp_skip_blanks(line, end), end };
	uint64_t number;
	if (!begins(&f, name))
		return false;
	f.at += sizeof name - 1;
	if (!rp_scan_dec(&f.at, end, &number) || !begins(&f, thread))
		return false;
	f.at += sizeof thread - 1;
	return rp_scan_dec(&f.at, end, &number) && begins(&f, ": 0x");
}

/* Lines that are not records: the banner tells the version, other tools' output that this is the
 * wrong one. */
static bool
other_line(
    struct memtrace *m, const struct rp_bytes *in, const struct field *line, struct rp_err *err)
{
	static const char tool[] = "NVBit (NVidia Binary Instrumentation Tool v";
	const char *v = memmem(line->at, (size_t)(line->end - line->at), tool, sizeof tool - 1);
	if (v) {
		v += sizeof tool - 1;
		m->banner = true;
		m->banner_1_5 =
		    line->end - v >= 3 && (!memcmp(v, "1.5", 3) || !memcmp(v, "1.4", 3));
	}
	if (m->any)
		return true;
	if (is_registers(line->at, line->end))
		return rp_fail_line(err, in,
		    "registers, as NVBit's record_reg_vals prints them, and no addresses: wanted "
		    "mem_trace");
	if (begins(line, "kernel ") &&
	    memmem(line->at, (size_t)(line->end - line->at), " - #thread-blocks ", 18))
		return rp_fail_line(err, in,
		    "counts of opcodes, as NVBit's opcode_hist prints them, and no addresses: "
		    "wanted mem_trace");
	return true;
}

static bool
any_line(
    struct memtrace *m, const struct rp_bytes *in, const char *line, size_t n, struct rp_err *err)
{
	struct field rest = { line, line + n };
	if (!begins(&rest, MARK))
		return other_line(m, in, &rest, err);
	m->any = true;
	rest.at += sizeof MARK - 1;
	struct field look = rest;
	cut(&look); /* CTX */
	if (begins(&look, "LAUNCH - "))
		return launch_line(m, in, rest, err);
	return access_line(m, in, rest, err);
}

static bool
memtrace_open(void *state, struct rp_bytes *in, const struct rp_read_opts *o, struct rp_trace *t,
    struct rp_err *err)
{
	struct memtrace *m = state;
	(void)in;
	m->trace = t;
	m->behind = -1;
	m->narrow_signed = o->narrow_signed;
	m->rows.flat = true;
	return rp_warp_rows_start(&m->rows, o, t, err);
}

/* Puts the end of the kernel before, then the rows of the access at hand, as far as there is
 * room. */
static bool
put(struct memtrace *m, struct rp_batch *out)
{
	if (m->ends) {
		struct rp_access end = { .addr = m->ending, .size = 1, .kind = RP_KERNEL_END };
		if (out->n == out->cap)
			return false;
		rp_batch_put(out, &end);
		m->ends = false;
	}
	return rp_warp_rows_put(&m->rows, out);
}

static ptrdiff_t
memtrace_read(void *state, struct rp_bytes *in, struct rp_batch *out, struct rp_err *err)
{
	struct memtrace *m = state;
	size_t before = out->n;
	while (put(m, out) && !m->ended) {
		const char *line;
		ptrdiff_t n = rp_text_line(in, out->n > before, &line, err);
		if (n == RP_TEXT_END) {
			if (!m->any && !rp_fail_line(err, in,
					   "the input ends, and no line begins with '" MARK "'"))
				return -1;
			m->ended = true;
			end_kernel(m);
		} else if (n < 0) {
			return rp_text_rows(n, out->n - before);
		} else if (!any_line(m, in, line, (size_t)n, err)) {
			return -1;
		}
	}
	return (ptrdiff_t)(out->n - before);
}

static void
memtrace_close(void *state)
{
	struct memtrace *m = state;
	rp_map_free(&m->seen.map);
	rp_block_order_free(&m->order);
}

static bool
has_registers(const char *p, const char *end)
{
	for (const char *lf; p < end; p = lf ? lf + 1 : end) {
		lf = memchr(p, '\n', (size_t)(end - p));
		if (is_registers(p, lf ? lf : end))
			return true;
	}
	return false;
}

static int
probe(const unsigned char *head, size_t n)
{
	static const struct {
		const char *text;
		bool begins_line;
		int sure;
	} sign[] = { { MARK, true, 95 }, { "NVBit (NVidia Binary Instrumentation Tool", false, 60 },
		{ " - #thread-blocks ", false, 30 } };
	for (size_t i = 0; i < sizeof sign / sizeof *sign; i++) {
		const unsigned char *p = memmem(head, n, sign[i].text, strlen(sign[i].text));
		if (p && (!sign[i].begins_line || p == head || p[-1] == '\n'))
			return sign[i].sure;
	}
	return has_registers((const char *)head, (const char *)head + n) ? 30 : 0;
}

const struct rp_format rp_format_memtrace = {
	.name = "memtrace",
	.what = "what NVBit's mem_trace and tools derived from it print",
	.source = "NVBit (Villa et al., MICRO 2019), tools/mem_trace",
	.probe = probe,
	.state_bytes = sizeof(struct memtrace),
	.open = memtrace_open,
	.read = memtrace_read,
	.close = memtrace_close,
};
