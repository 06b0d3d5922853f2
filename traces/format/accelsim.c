/* accelsim.c - one kernel file of Accel-Sim's tracer.
 *
 * A header of `-key = value` lines, then blocks of warps of instruction lines (grouped), or
 * instruction lines in order of arrival that begin with their block and warp (raw). An
 * instruction line is
 *     [bx by bz warp ...] [line] pc mask ndst dst... opcode nsrc src... width [mode addresses]
 * and then what is ignored.
 * Most lines access no memory, so they are scanned up to their width and forgotten. */
#include "config.h"

#include "traces/format/accelsim.h"
#include "base/hash.h"
#include "base/parse.h"
#include "traces/format/text.h"

#include <string.h>

enum {
	VERSION_MOST = 6,
	FIRST_BARE_VERSION = 3,
	FIRST_IMMEDIATE_VERSION = 5,
	PREFIX_USUAL = 4,
	PREFIX_SM = 6,
	PREFIX_CLUSTER = 11,
	REGISTERS_MOST = 64,
	WAITING_MOST = 1 << 16
};

/* A line being scanned. */
struct line {
	const char *at, *end;
	struct rp_bytes *in;
	struct rp_err *err;
};

/* Fails on the word at hand, which is not what was wanted. */
static bool
unwanted(const struct line *l, const char *wanted)
{
	const char *p = rp_skip_blanks(l->at, l->end), *end = rp_word_end(p, l->end);
	if (p == end)
		return rp_fail_line(l->err, l->in, "the line ends where %s was wanted", wanted);
	return rp_fail_line(l->err, l->in, "'%.*s' where %s was wanted", RP_QUOTED(p, end), wanted);
}

static inline bool
at_word_end(const char *p, const char *end)
{
	return p == end || *p == ' ' || *p == '\t';
}

static inline const char *
skip(const struct line *l)
{
	const char *p = l->at;
	while (p < l->end && rp_is_blank(*p))
		p++;
	return p;
}

/* The next word as a decimal number up to `most`. */
static inline bool
take_dec(struct line *l, uint64_t most, uint64_t *out)
{
	const char *p = skip(l);
	if (!rp_scan_dec(&p, l->end, out) || !at_word_end(p, l->end) || *out > most)
		return false;
	l->at = p;
	return true;
}

static inline bool
take_hex(struct line *l, uint64_t *out)
{
	const char *p = skip(l);
	if (!rp_scan_hex(&p, l->end, out) || !at_word_end(p, l->end))
		return false;
	l->at = p;
	return true;
}

/* A decimal number with a sign, as the number to add modulo 2^64. */
static inline bool
take_signed(struct line *l, uint64_t *out)
{
	const char *p = skip(l);
	bool minus = p < l->end && *p == '-';
	p += minus;
	if (!rp_scan_dec(&p, l->end, out) || !at_word_end(p, l->end))
		return false;
	if (minus)
		*out = 0 - *out;
	l->at = p;
	return true;
}

/* Three decimal numbers with commas between them, in brackets where `brackets`, up to `end`. */
static bool
scan_triple(const char *p, const char *end, bool brackets, uint64_t out[3])
{
	if (brackets) {
		if (p == end || *p++ != '(' || p == end || *--end != ')')
			return false;
	}
	for (int i = 0; i < 3; i++) {
		p = rp_skip_blanks(p, end);
		if (!rp_scan_dec(&p, end, &out[i]) || (i < 2 && (p == end || *p++ != ',')))
			return false;
	}
	return p == end;
}

/* ---- header ---- */

/* A key of the header and its value, both within the line. */
struct setting {
	const char *key, *key_end, *value, *end;
};

static bool
is_key(const struct setting *s, const char *name)
{
	size_t n = (size_t)(s->key_end - s->key);
	return strlen(name) == n && !memcmp(name, s->key, n);
}

static bool
bad_setting(const struct line *l, const struct setting *s, const char *wanted)
{
	return rp_fail_line(l->err, l->in, "%.*s = '%.*s': wanted %s",
	    RP_QUOTED(s->key, s->key_end), RP_QUOTED(s->value, s->end), wanted);
}

static bool
set_dims(const struct line *l, const struct setting *s, uint32_t to[3], bool *has)
{
	uint64_t x[3];
	if (!scan_triple(s->value, s->end, true, x) || x[0] > UINT32_MAX || x[1] > UINT32_MAX ||
	    x[2] > UINT32_MAX)
		return bad_setting(l, s, "(x,y,z)");
	for (int i = 0; i < 3; i++)
		to[i] = (uint32_t)x[i];
	return *has = true;
}

static bool
set_version(struct rp_accelsim *a, const struct line *l, const struct setting *s)
{
	const char *p = s->value;
	uint64_t v;
	if (!rp_scan_dec(&p, s->end, &v) || (p < s->end && *p != '.') || v == 0 || v > VERSION_MOST)
		return bad_setting(l, s, "a version from 1.2 to 6");
	a->version = (unsigned)v;
	return true;
}

/* Some files hold nonsense in shmem, nregs and binary version (swapped fields): those are never
 * an error. */
static bool
setting(struct rp_accelsim *a, const struct line *l, const struct setting *s)
{
	struct rp_kernel_launch *k = &a->trace->kernels[a->kernel];
	const char *p = s->value;
	uint64_t x;
	if (is_key(s, "kernel name"))
		return rp_launch_name(a->trace, k, s->value, (size_t)(s->end - s->value), l->err);
	if (is_key(s, "kernel id"))
		return (rp_scan_dec(&p, s->end, &k->id) && p == s->end && k->id <= INT64_MAX) ||
		       bad_setting(l, s, "a decimal number");
	if (is_key(s, "grid dim"))
		return set_dims(l, s, a->grid, &a->has_grid);
	if (is_key(s, "block dim"))
		return set_dims(l, s, a->block_dim, &a->has_block);
	if (is_key(s, "shmem"))
		k->shared_bytes =
		    rp_scan_dec(&p, s->end, &x) && p == s->end && x <= INT64_MAX ? x : 0;
	if (is_key(s, "shmem base_addr"))
		return (rp_scan_hex(&p, s->end, &a->rows.shared_base) && p == s->end) ||
		       bad_setting(l, s, "a hexadecimal address");
	if (is_key(s, "local mem base_addr"))
		return (rp_scan_hex(&p, s->end, &a->rows.local_base) && p == s->end) ||
		       bad_setting(l, s, "a hexadecimal address");
	if (is_key(s, "accelsim tracer version"))
		return set_version(a, l, s);
	if (is_key(s, "enable lineinfo")) {
		if (!rp_scan_dec(&p, s->end, &x) || p != s->end || x > 1)
			return bad_setting(l, s, "0 or 1");
		a->lineinfo = x == 1;
	}
	return true;
}

/* A line `-key = value`. One without `=` has nothing to say. */
static bool
header_line(struct rp_accelsim *a, const struct line *l)
{
	const char *eq = memchr(l->at, '=', (size_t)(l->end - l->at));
	struct setting s = { l->at + 1, eq, eq, l->end };
	if (!eq)
		return true;
	while (s.key_end > s.key && rp_is_blank(s.key_end[-1]))
		s.key_end--;
	s.value = rp_skip_blanks(eq + 1, l->end);
	return setting(a, l, &s);
}

static bool
header_done(struct rp_accelsim *a, const struct line *l)
{
	struct rp_kernel_launch *k = &a->trace->kernels[a->kernel];
	if (!a->has_grid || !a->has_block)
		return rp_fail_line(l->err, l->in, "the header ends without '-%s dim = (x,y,z)'",
		    a->has_grid ? "block" : "grid");
	rp_launch_dims(k, a->grid, a->block_dim);
	a->warps = k->warps;
	return true;
}

static bool hash_line(struct rp_accelsim *a, const struct line *l);

bool
rp_accelsim_open(struct rp_accelsim *a, struct rp_bytes *in, const struct rp_read_opts *o,
    struct rp_trace *t, enum rp_accelsim_form form, struct rp_err *err)
{
	a->trace = t;
	a->form = form;
	a->prefix = -1;
	a->narrow_signed = o->narrow_signed;
	if (!rp_warp_rows_start(&a->rows, o, t, err) || !rp_trace_kernel(t, err))
		return false;
	a->kernel = t->n_kernels - 1;
	for (;;) {
		struct line l = { .in = in, .err = err };
		ptrdiff_t n = rp_text_line(in, false, &l.at, err);
		if (n == RP_TEXT_FAILED)
			return false;
		if (n == RP_TEXT_END)
			return rp_fail_line(err, in,
			    "the file ends within its header, before a line that begins with '#'");
		l.end = l.at + n;
		if (n == 0)
			continue;
		if (*l.at == '#')
			return header_done(a, &l) && hash_line(a, &l);
		if (*l.at != '-')
			return unwanted(&l, "'-key = value' or '#'");
		if (!header_line(a, &l))
			return false;
	}
}

/* ---- instructions ---- */

/* What an instruction line says before its addresses. */
struct instr {
	uint64_t prefix[PREFIX_CLUSTER];
	uint64_t pc, mask, width;
	const char *opcode, *opcode_end;
};

/* pc and mask: hexadecimal, at least 4 and exactly 8 digits. */
static inline bool
take_pc_and_mask(struct line *l, struct instr *i)
{
	const char *first = skip(l);
	if (!take_hex(l, &i->pc) || l->at - first < 4)
		return false;
	first = skip(l);
	return take_hex(l, &i->mask) && l->at - first == 8;
}

static bool
take_prefix(struct line *l, int n, bool lineinfo, struct instr *i)
{
	uint64_t source_line;
	for (int k = 0; k < n; k++)
		if (!take_dec(l, UINT32_MAX, &i->prefix[k]))
			return false;
	return !lineinfo || take_dec(l, UINT64_MAX, &source_line);
}

/* Decides from the first instruction line how many numbers stand before pc and mask. */
static bool
find_prefix(struct rp_accelsim *a, const struct line *l)
{
	static const int raw[] = { PREFIX_USUAL, PREFIX_SM, PREFIX_CLUSTER, -1 },
			 old[] = { PREFIX_USUAL, -1 }, any[] = { 0, PREFIX_USUAL, -1 };
	const int *try = a->form == RP_ACCELSIM_RAW ? raw : a->version ? old : any;
	for (; *try >= 0; try++) {
		struct line copy = *l;
		struct instr i;
		if (take_prefix(&copy, *try, a->lineinfo, &i) && take_pc_and_mask(&copy, &i)) {
			a->prefix = *try;
			return true;
		}
	}
	return rp_fail_line(l->err, l->in,
	    a->form == RP_ACCELSIM_RAW ? "'%.*s': wanted an instruction that begins with 4, 6 or "
					 "11 numbers%s, a pc and 8 digits of mask"
				       : "'%.*s': wanted an instruction that begins with 4 "
					 "numbers%s, a pc and 8 digits of mask",
	    RP_QUOTED(l->at, l->end), a->lineinfo ? ", a source line" : "");
}

/* A count and that many registers. */
static inline bool
take_registers(struct line *l, const char *wanted)
{
	uint64_t n;
	if (!take_dec(l, REGISTERS_MOST, &n))
		return unwanted(l, wanted);
	while (n--) {
		const char *p = skip(l);
		if (p == l->end || *p < 'A' || *p > 'Z')
			return unwanted(l, "a register");
		do
			p++;
		while (p < l->end && !rp_is_blank(*p));
		l->at = p;
	}
	return true;
}

static inline bool
take_instr(struct rp_accelsim *a, struct line *l, struct instr *i)
{
	if (a->prefix < 0 && !find_prefix(a, l))
		return false;
	if ((a->prefix || a->lineinfo) && !take_prefix(l, a->prefix, a->lineinfo, i))
		return unwanted(l, "a decimal number");
	if (!take_pc_and_mask(l, i))
		return unwanted(l, "a pc of 4 or more and a mask of 8 hexadecimal digits");
	if (!take_registers(l, "a count of destination registers"))
		return false;
	i->opcode = skip(l);
	if (i->opcode == l->end || *i->opcode < 'A' || *i->opcode > 'Z')
		return unwanted(l, "an opcode");
	l->at = i->opcode_end = rp_word_end(i->opcode, l->end);
	if (!take_registers(l, "a count of source registers"))
		return false;
	return take_dec(l, UINT32_MAX, &i->width) || unwanted(l, "a width in bytes");
}

static bool
too_few(const struct line *l, size_t have, size_t want)
{
	const char *p = skip(l), *end = rp_word_end(p, l->end);
	if (p == end)
		return rp_fail_line(
		    l->err, l->in, "%zu addresses for %zu active lanes", have, want);
	return rp_fail_line(l->err, l->in, "'%.*s' where address %zu of %zu was wanted",
	    RP_QUOTED(p, end), have + 1, want);
}

/* The first builds of version 3 listed the lanes before predication, under a mask after it. */
static void
say_more(struct rp_accelsim *a, const struct line *l)
{
	if (!a->said_more)
		rp_trace_warn(a->trace,
		    "%s:%" PRIu64
		    ": more addresses than active lanes; such lines are read by their "
		    "first ones",
		    l->in->name, l->in->line);
	a->said_more = true;
}

static bool
take_list(struct rp_accelsim *a, struct line *l, struct rp_warp *w, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (!take_hex(l, &w->addr[k]))
			return too_few(l, k, n);
	const char *p = skip(l);
	if (l->end - p > 2 && p[0] == '0' && p[1] == 'x')
		say_more(a, l);
	return true;
}

static bool
take_stride(struct line *l, struct rp_warp *w, size_t n)
{
	uint64_t stride;
	if (!take_hex(l, &w->addr[0]))
		return unwanted(l, "a base address");
	if (!take_signed(l, &stride))
		return unwanted(l, "a stride");
	for (size_t k = 1; k < n; k++)
		w->addr[k] = w->addr[k - 1] + stride;
	return true;
}

static bool
take_deltas(struct rp_accelsim *a, struct line *l, struct rp_warp *w, size_t n)
{
	uint64_t delta;
	if (!take_hex(l, &w->addr[0]))
		return unwanted(l, "a base address");
	for (size_t k = 1; k < n; k++) {
		if (!take_signed(l, &delta))
			return too_few(l, k, n);
		w->addr[k] = w->addr[k - 1] + delta;
	}
	/* In later versions an immediate follows. */
	if (a->version == FIRST_BARE_VERSION && skip(l) < l->end)
		say_more(a, l);
	return true;
}

/* Since version 5 an immediate always follows the addresses. Without one the last of the numbers
 * that were taken for them was it. */
static bool
immediate_follows(const struct rp_accelsim *a, const struct line *l, size_t n)
{
	const char *p = skip(l);
	if (a->version < FIRST_IMMEDIATE_VERSION)
		return true;
	if (p == l->end)
		return rp_fail_line(l->err, l->in,
		    "too few numbers for %zu active lanes: the line ends where the immediate "
		    "behind their addresses was wanted",
		    n);
	p += *p == '-';
	return (p < l->end && *p >= '0' && *p <= '9') ||
	       unwanted(l, "the immediate behind the addresses");
}

static bool
take_addresses(struct rp_accelsim *a, struct line *l, struct rp_warp *w)
{
	size_t n = (size_t)__builtin_popcount(w->active);
	uint64_t mode, highest = 0;
	if (!take_dec(l, 2, &mode))
		return unwanted(l, "an address mode, 0, 1 or 2");
	if (n == 0)
		return true;
	bool ok = mode == 0   ? take_list(a, l, w, n)
	          : mode == 1 ? take_stride(l, w, n)
	                      : take_deltas(a, l, w, n);
	ok = ok && immediate_follows(a, l, n);
	for (size_t k = 0; ok && k < n; k++)
		highest = w->addr[k] > highest ? w->addr[k] : highest;
	if (ok && !rp_span_fits(highest, w->size))
		return rp_fail_line(l->err, l->in, RP_SPAN_WRAPS, (uint64_t)w->size, highest);
	return ok;
}

static void
say_unknown(struct rp_accelsim *a, const struct line *l, const struct instr *i)
{
	size_t n = (size_t)(i->opcode_end - i->opcode);
	uint64_t h = rp_hash_bytes(i->opcode, n);
	for (unsigned k = 0; k < a->unknown; k++)
		if (a->unknown_hash[k] == h)
			return;
	if (a->unknown == sizeof a->unknown_hash / sizeof *a->unknown_hash)
		return;
	a->unknown_hash[a->unknown++] = h;
	rp_trace_warn(a->trace,
	    "%s:%" PRIu64 ": opcode '%.*s' with a width is not known; it is left out", l->in->name,
	    l->in->line, RP_QUOTED(i->opcode, i->opcode_end));
}

/* Tracers put the local window below the shared one. By the rule that Accel-Sim uses no generic
 * address is shared then. */
static void
say_windows(struct rp_accelsim *a, const struct line *l)
{
	if (!a->said_windows && a->rows.shared_base > a->rows.local_base && a->rows.local_base)
		rp_trace_warn(a->trace,
		    "%s:%" PRIu64
		    ": generic accesses, and the local window lies below the shared one: those "
		    "to shared memory are taken for global",
		    l->in->name, l->in->line);
	a->said_windows = true;
}

/* The addresses of a memory instruction, handed to the rows. */
static bool
memory(struct rp_accelsim *a, struct line *l, const struct instr *i, const struct rp_op *op)
{
	struct rp_warp w;
	w.active = (uint32_t)i->mask;
	w.size = op->size;
	if (op->space == RP_OP_UNKNOWN)
		say_unknown(a, l, i);
	if (op->space == RP_OP_GENERIC)
		say_windows(a, l);
	if ((int)op->space < RP_GPU_SPACES && !take_addresses(a, l, &w))
		return false;
	return !rp_warp_rows_take(&a->rows, op, &w, a->stream, i->pc) ||
	       rp_block_has_row(
		   &a->order, a->trace, &a->trace->kernels[a->kernel], (uint32_t)a->block, l->err);
}

/* ---- body ---- */

static bool
set_stream(struct rp_accelsim *a, const struct line *l)
{
	if (a->warp >= a->warps)
		return rp_fail_line(
		    l->err, l->in, "warp %" PRIu64 " of a block of %" PRIu32, a->warp, a->warps);
	if (a->block > (UINT32_MAX - a->warp) / a->warps)
		return rp_fail_line(l->err, l->in,
		    "block %" PRIu64 " of %" PRIu32 " warps: more than 2^32 warps are not read",
		    a->block, a->warps);
	a->stream = (uint32_t)(a->block * a->warps + a->warp);
	return true;
}

static bool
set_block(struct rp_accelsim *a, const struct line *l, const uint64_t xyz[3])
{
	if (!rp_block_index(a->grid, xyz, &a->block))
		return rp_fail_line(l->err, l->in,
		    "thread block %" PRIu64 ",%" PRIu64 ",%" PRIu64
		    " lies outside the grid of %" PRIu32 ",%" PRIu32 ",%" PRIu32,
		    xyz[0], xyz[1], xyz[2], a->grid[0], a->grid[1], a->grid[2]);
	return true;
}

static void
end_warp(struct rp_accelsim *a, const struct rp_bytes *in)
{
	if (a->has_warp && a->has_insts && a->insts != a->insts_seen)
		rp_trace_warn(a->trace,
		    "%s:%" PRIu64 ": warp %" PRIu64 " of block %" PRIu64 " has %" PRIu64
		    " instructions, 'insts = %" PRIu64 "'",
		    in->name, in->line, a->warp, a->block, a->insts_seen, a->insts);
	a->has_warp = a->has_insts = false;
	a->insts_seen = 0;
}

/* Block and warp that a raw line names; counts them when they are new. */
static bool
raw_place(struct rp_accelsim *a, const struct line *l, const struct instr *i)
{
	struct rp_kernel_launch *k = &a->trace->kernels[a->kernel];
	a->warp = i->prefix[3];
	if (!set_block(a, l, i->prefix) || !set_stream(a, l))
		return false;
	if (a->prefix == PREFIX_SM &&
	    !rp_launch_sm(a->trace, k, (uint32_t)a->block, (uint32_t)i->prefix[4], l->err))
		return false;
	return rp_block_begins(&a->order, (uint32_t)a->block, l->err) &&
	       rp_warp_seen(&a->seen, &a->trace->gpu, (uint32_t)a->block, a->stream, l->err);
}

/* A raw trace has each LDGSTS of a warp twice: the first line is its shared side, which grouping
 * drops. */
static bool
is_first_of_pair(struct rp_accelsim *a, const struct line *l, const struct instr *i, bool *first)
{
	uint64_t *waits = rp_map_at(&a->pairs, a->stream, l->err);
	if (!waits)
		return false;
	*first = *waits != i->pc + 1;
	if (!*first)
		a->waiting--;
	else if (*waits)
		a->unpaired++;
	else if (++a->waiting > WAITING_MOST)
		return rp_fail_line(
		    l->err, l->in, "more than %d LDGSTS wait for their second line", WAITING_MOST);
	*waits = *first ? i->pc + 1 : 0;
	return true;
}

static bool
is_ldgsts(const struct instr *i)
{
	size_t n = (size_t)(i->opcode_end - i->opcode);
	return n >= 6 && !memcmp(i->opcode, "LDGSTS", 6) && (n == 6 || i->opcode[6] == '.');
}

static bool
instruction(struct rp_accelsim *a, struct line *l)
{
	struct instr i;
	if (!take_instr(a, l, &i))
		return false;
	if (a->form == RP_ACCELSIM_RAW) {
		bool drop = false;
		if (!raw_place(a, l, &i) ||
		    (i.width && is_ldgsts(&i) && !is_first_of_pair(a, l, &i, &drop)))
			return false;
		if (drop)
			return true;
	} else if (a->prefix) {
		uint64_t block;
		if (!rp_block_index(a->grid, i.prefix, &block) || block != a->block ||
		    i.prefix[3] != a->warp)
			return rp_fail_line(l->err, l->in,
			    "an instruction of another block or warp than the lines above say");
	}
	a->insts_seen++;
	a->trace->gpu.instructions++;
	if (!i.width)
		return true;
	struct rp_op op =
	    rp_op_decode(i.opcode, (size_t)(i.opcode_end - i.opcode), a->narrow_signed);
	return memory(a, l, &i, &op);
}

/* `text` up to an `=`: the value behind it in *value. */
static bool
is_assignment(const struct line *l, const char *text, const char **value)
{
	size_t n = strlen(text);
	if ((size_t)(l->end - l->at) < n || memcmp(l->at, text, n))
		return false;
	const char *p = rp_skip_blanks(l->at + n, l->end);
	if (p == l->end || *p != '=')
		return false;
	*value = rp_skip_blanks(p + 1, l->end);
	return true;
}

static bool
scan_number_line(const struct line *l, const char *value, uint64_t *out)
{
	if (rp_scan_dec(&value, l->end, out) && value == l->end)
		return true;
	return rp_fail_line(
	    l->err, l->in, "'%.*s': wanted a decimal number behind '='", RP_QUOTED(l->at, l->end));
}

static bool
begin_warp(struct rp_accelsim *a, const struct line *l, const char *value)
{
	end_warp(a, l->in);
	if (!a->has_block_id)
		return rp_fail_line(l->err, l->in, "a warp before 'thread block = x,y,z'");
	if (!scan_number_line(l, value, &a->warp) || !set_stream(a, l))
		return false;
	a->trace->gpu.warps++;
	return a->has_warp = true;
}

/* A line of a block that is no instruction. Newer tracers tell more by `name = value`. */
static bool
block_line(struct rp_accelsim *a, const struct line *l)
{
	const char *value;
	uint64_t xyz[3];
	if (is_assignment(l, "thread block", &value)) {
		end_warp(a, l->in);
		if (!scan_triple(value, l->end, false, xyz))
			return rp_fail_line(l->err, l->in, "'%.*s': wanted 'thread block = x,y,z'",
			    RP_QUOTED(l->at, l->end));
		/* The warps of a block beyond 2^32 are refused. */
		return a->has_block_id = set_block(a, l, xyz) &&
		                         (a->block > UINT32_MAX || rp_block_begins(&a->order,
								       (uint32_t)a->block, l->err));
	}
	if (is_assignment(l, "warp", &value))
		return begin_warp(a, l, value);
	if (is_assignment(l, "insts", &value))
		return a->has_insts = scan_number_line(l, value, &a->insts);
	return memchr(l->at, '=', (size_t)(l->end - l->at)) ||
	       unwanted(l, "an instruction, 'name = value' or '#END_TB'");
}

static bool
begin_block(struct rp_accelsim *a, const struct line *l)
{
	if (a->form == RP_ACCELSIM_RAW)
		return rp_fail_line(
		    l->err, l->in, "'#BEGIN_TB' in a raw trace: grouped ones are --from traceg");
	if (a->in_block)
		return rp_fail_line(
		    l->err, l->in, "'#BEGIN_TB' within a block: wanted '#END_TB' before it");
	a->form = RP_ACCELSIM_GROUPED;
	if (a->version >= FIRST_BARE_VERSION)
		a->prefix = 0;
	a->in_block = true;
	a->has_block_id = false;
	a->trace->gpu.blocks++;
	return true;
}

static bool
hash_line(struct rp_accelsim *a, const struct line *l)
{
	size_t n = (size_t)(l->end - l->at);
	if (n == 9 && !memcmp(l->at, "#BEGIN_TB", n))
		return begin_block(a, l);
	if (n == 7 && !memcmp(l->at, "#END_TB", n)) {
		if (!a->in_block)
			return rp_fail_line(l->err, l->in,
			    "'#END_TB' outside a block: wanted '#BEGIN_TB' before it");
		end_warp(a, l->in);
		a->in_block = false;
	}
	return true;
}

/* Whether the first word can be a pc or another number, so that the line is an instruction. */
static inline bool
begins_with_digits(const struct line *l)
{
	const char *p = l->at;
	while (p < l->end && rp_hex_digit[(unsigned char)*p] >= 0)
		p++;
	return p > l->at && p < l->end && rp_is_blank(*p) && p + 1 < l->end && p[1] != '=';
}

static bool
body_line(struct rp_accelsim *a, struct line *l)
{
	l->at = rp_skip_blanks(l->at, l->end);
	if (l->at == l->end)
		return true;
	if (*l->at == '#')
		return hash_line(a, l);
	if (a->in_block) {
		if (!begins_with_digits(l))
			return block_line(a, l);
		return a->has_warp
		           ? instruction(a, l)
		           : rp_fail_line(l->err, l->in, "an instruction before 'warp = n'");
	}
	if (a->form == RP_ACCELSIM_GROUPED)
		return unwanted(l, "'#BEGIN_TB'");
	a->form = RP_ACCELSIM_RAW;
	return instruction(a, l);
}

static void
end_body(struct rp_accelsim *a, const struct rp_bytes *in)
{
	end_warp(a, in);
	if (a->in_block)
		rp_trace_warn(a->trace,
		    "%s:%" PRIu64 ": the file ends within a block, without '#END_TB'", in->name,
		    in->line);
	if (a->waiting + a->unpaired)
		rp_trace_warn(a->trace,
		    "%s: %" PRIu64 " LDGSTS without their second line are left out", in->name,
		    a->waiting + a->unpaired);
}

ptrdiff_t
rp_accelsim_read(
    struct rp_accelsim *a, struct rp_bytes *in, struct rp_batch *out, struct rp_err *err)
{
	size_t before = out->n;
	if (a->stage == RP_ACCELSIM_DONE)
		return 0;
	while (a->stage == RP_ACCELSIM_BODY && rp_warp_rows_put(&a->rows, out)) {
		struct line l = { .in = in, .err = err };
		ptrdiff_t n = rp_text_line(in, out->n > before, &l.at, err);
		if (n == RP_TEXT_END) {
			end_body(a, in);
			a->stage = RP_ACCELSIM_END_MARK;
		} else if (n < 0) {
			return rp_text_rows(n, out->n - before);
		} else {
			l.end = l.at + n;
			if (n > 0 && !body_line(a, &l))
				return -1;
		}
	}
	if (a->stage == RP_ACCELSIM_END_MARK && out->n < out->cap) {
		struct rp_access end = { .addr = a->kernel, .size = 1, .kind = RP_KERNEL_END };
		rp_batch_put(out, &end);
		a->stage = RP_ACCELSIM_DONE;
	}
	return (ptrdiff_t)(out->n - before);
}

void
rp_accelsim_close(struct rp_accelsim *a)
{
	rp_map_free(&a->seen.map);
	rp_map_free(&a->pairs);
	rp_block_order_free(&a->order);
}

/* ---- probe ---- */

static const char *
next_line(const char **p, const char *end, size_t *n)
{
	const char *line = *p, *lf = memchr(line, '\n', (size_t)(end - line));
	*p = lf ? lf + 1 : end;
	*n = (size_t)rp_text_trim(line, (lf ? lf : end) - line);
	return line;
}

int
rp_accelsim_probe(const unsigned char *head, size_t n, enum rp_accelsim_form form)
{
	enum { SURE = 95, LIKELY = 80 };
	const char *p = (const char *)head, *end = p + n, *line;
	size_t len, keys = 0;
	do { /* the header */
		line = next_line(&p, end, &len);
		keys += len > 1 && *line == '-' && memchr(line, '=', len);
	} while (p < end && (len == 0 || *line == '-'));
	if (!keys || (len && *line != '-' && *line != '#'))
		return 0;
	/* Without a body in sight it is taken for a grouped one. */
	bool grouped = true, body = false;
	while (!body) {
		if (len > 8 && !memcmp(line, "#BEGIN_TB", 9))
			body = true;
		else if (len && *line != '#' && *line != '-')
			body = !(grouped = false);
		else if (p == end)
			break;
		else
			line = next_line(&p, end, &len);
	}
	if (grouped != (form == RP_ACCELSIM_GROUPED))
		return 0;
	return body ? SURE : LIKELY;
}
