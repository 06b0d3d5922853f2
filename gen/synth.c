/* synth.c - traces with exactly the reuse profiles that are asked for. */
#include "config.h"

#include "gen/synth.h"

#include "gen/fill.h"
#include "gen/gen.h"
#include "gen/stack.h"

#include "base/hash.h"
#include "base/parse.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *const rp_infeasible_names[] = { "to-cold", "strict", "prewarm", NULL };
const char *const rp_share_names[] = { "none", "stack", "alias", NULL };
const char *const rp_turns_names[] = { "rr", "random", "phases", NULL };

/* A line in the stack: its number, which kinds of access it gets, and which comes next if it gets both. */
enum { LINE_BITS = 61 };
enum line_kind { LINE_READ, LINE_WRITE, LINE_BOTH };
#define LINE_NUMBER  ((UINT64_C(1) << LINE_BITS) - 1)
#define LINE_WRITTEN (UINT64_C(1) << 63)

/* Lines that streams share, or one has for itself. */
struct heap {
	struct rp_stack stack;
	struct rp_layout layout;
	uint64_t base;           /* line of memory that the layout begins at */
	uint64_t prewarm, lines; /* touched first; in all */
	uint64_t warm;           /* of prewarm, still to be touched */
	uint32_t top, stream;    /* deepest distance of any member, and 1; who touches them first */
};

/* A stream. */
enum {
	TOGETHER = 16,
	AHEAD = 8,
	FAR = 1 << 14
}; /* draws known before they are due, if distances reach so far */
struct member {
	struct heap *heap;
	struct rp_xoshiro order;
	uint64_t drawn[AHEAD]; /* the next words of `order`, a ring */
	unsigned next;
	struct rp_ranks budget; /* accesses left, by distance */
	uint64_t cold, left;    /* first accesses left; accesses left */
	uint64_t feasible;      /* left at distances that the stack can serve */
	size_t depth, seen;     /* deepest distance, and 1; up to where `feasible` has looked */
	struct rp_counts requested, counts; /* asked for, and feasible */
	uint64_t moved;                     /* made cold to be feasible */
	double weight;
	json_t *about;
	uint32_t id;
};

struct synth {
	struct rp_source source;
	struct member *member;
	struct heap *heap;
	size_t members, heaps;
	size_t warming; /* the heap whose preamble is under way */
	enum rp_turns turns;
	struct rp_xoshiro mix, kind, place;
	size_t turn; /* whose it is */
	uint64_t burst, burst_left;
	uint64_t write_below;               /* of 2^32 */
	uint64_t class_below[2], class_key; /* of 2^64: read, read or written; 0, 0: no classes */
	bool classes, scattered;
	uint32_t line_bits, size, offset, places;
	uint64_t base;
};

/* ---- making rows ---- */

/* The value of the next new line of a heap. */
static uint64_t
new_line(struct synth *s, struct heap *h)
{
	uint64_t line = h->base + rp_layout_next(&h->layout), kind = LINE_READ;
	if (s->classes) {
		uint64_t x = rp_mix64(line ^ s->class_key);
		kind = x < s->class_below[0]   ? LINE_READ
		       : x < s->class_below[1] ? LINE_WRITE
		                               : LINE_BOTH;
	}
	return line | kind << LINE_BITS;
}

static uint64_t
next_word(struct member *m)
{
	uint64_t *word = m->drawn + m->next++ % AHEAD, x = *word;
	*word = rp_xoshiro_next(&m->order);
	return x;
}

/* What rp_xoshiro_below makes of a word. */
static uint64_t
share_of(uint64_t word, uint64_t n)
{
	return (uint64_t)((unsigned __int128)word * n >> 64);
}

/* One access, drawn from what is left and can be served: which line moves in the stack. */
static struct rp_move
draw(struct synth *s, struct member *m)
{
	struct rp_stack *stack = &m->heap->stack;
	while (m->seen < m->depth && m->seen < stack->depth)
		m->feasible += m->counts.count[m->seen++];
	assert(m->feasible + m->cold > 0); /* by section 5 */
	m->left--;
	uint64_t all = m->feasible + m->cold, u = share_of(next_word(m), all);
	if (m->depth >= FAR) {
		/* Until it is due, what is left changes by a few units: the node will be the same, or almost always. */
		uint64_t soon = share_of(m->drawn[(m->next + AHEAD - 1) % AHEAD], all);
		if (soon > m->cold)
			rp_ranks_prefetch(&m->budget, (uint32_t)(soon - m->cold));
	}
	if (u < m->cold) {
		m->cold--;
		uint32_t at = rp_stack_push(stack);
		stack->value[at] = new_line(s, m->heap);
		return (struct rp_move){ at, at };
	}
	uint32_t unit = (uint32_t)(u - m->cold);
	m->feasible--;
	return rp_stack_take(stack, (uint32_t)rp_ranks_take(&m->budget, &unit));
}

static void
put(struct synth *s, struct rp_batch *out, uint64_t *slot, uint32_t stream)
{
	size_t i = out->n++;
	uint64_t offset = s->offset;
	uint8_t kind = RP_READ;
	if (s->classes) {
		enum line_kind class = *slot >> LINE_BITS & 3;
		kind = class == LINE_READ     ? RP_READ
		       : class == LINE_WRITE  ? RP_WRITE
		       : *slot & LINE_WRITTEN ? RP_WRITE
		                              : RP_READ;
		*slot ^= LINE_WRITTEN;
	} else if (s->write_below) {
		kind = rp_xoshiro_next(&s->kind) >> 32 < s->write_below ? RP_WRITE : RP_READ;
	}
	if (s->scattered)
		offset = rp_xoshiro_below(&s->place, s->places) * s->size;
	out->addr[i] = s->base + ((*slot & LINE_NUMBER) << s->line_bits) + offset;
	out->kind[i] = kind;
	if (out->stream)
		out->stream[i] = stream;
}

/* By weight, one of those that have accesses left. */
static size_t
any_member(struct synth *s)
{
	double all = 0;
	size_t last = 0;
	for (size_t i = 0; i < s->members; i++)
		all += s->member[i].left ? s->member[i].weight : 0;
	double x = rp_xoshiro_unit(&s->mix) * all;
	for (size_t i = 0; i < s->members; i++) {
		if (!s->member[i].left)
			continue;
		last = i;
		x -= s->member[i].weight;
		if (x < 0)
			break;
	}
	return last;
}

/* Begins a turn; false: nobody has accesses left. */
static bool
next_turn(struct synth *s)
{
	size_t k = 0, first = s->turn + (s->burst_left != UINT64_MAX && s->turns == RP_TURNS_RR);
	while (k < s->members && !s->member[(first + k) % s->members].left)
		k++;
	if (k == s->members)
		return false;
	s->turn = s->turns == RP_TURNS_RANDOM ? any_member(s) : (first + k) % s->members;
	uint64_t left = s->member[s->turn].left, burst = 1;
	if (s->turns == RP_TURNS_PHASES || s->members == 1)
		burst = left;
	else if (s->burst > 1)
		burst += rp_xoshiro_below(&s->mix, s->burst);
	s->burst_left = burst < left ? burst : left;
	return true;
}

/* The preambles of all heaps, as far as there is room. */
static void
warm(struct synth *s, struct rp_batch *out)
{
	for (; s->warming < s->heaps; s->warming++) {
		struct heap *h = s->heap + s->warming;
		for (; h->warm && out->n < out->cap; h->warm--) {
			if (rp_stack_full(&h->stack))
				rp_stack_pack(&h->stack);
			uint64_t *slot = h->stack.value + rp_stack_push(&h->stack);
			*slot = new_line(s, h);
			put(s, out, slot, h->stream);
		}
		if (h->warm)
			return;
	}
}

/* Draws up to n accesses, and then makes them, so that the values of lines come from memory meanwhile: how many; 0: all are
 * done. */
static size_t
some_rows(struct synth *s, struct rp_batch *out, size_t n)
{
	struct {
		struct member *member;
		struct rp_move move;
	} now[TOGETHER];
	size_t k = 0;
	for (; k < n && k < TOGETHER; k++) {
		if ((!s->burst_left || s->burst_left == UINT64_MAX) && !next_turn(s))
			break;
		struct member *m = s->member + s->turn;
		if (rp_stack_full(&m->heap->stack)) {
			if (k)
				break;
			rp_stack_pack(&m->heap->stack);
		}
		now[k].member = m;
		now[k].move = draw(s, m);
		s->burst_left--;
	}
	for (size_t i = 0; i < k; i++) {
		uint64_t *value = now[i].member->heap->stack.value, *slot = value + now[i].move.to;
		*slot = value[now[i].move.from];
		put(s, out, slot, now[i].member->id);
	}
	return k;
}

static ptrdiff_t
synth_pull(struct rp_source *source, struct rp_batch *out, struct rp_err *err)
{
	struct synth *s = (struct synth *)source;
	size_t from = out->n;
	(void)err;
	warm(s, out);
	while (out->n < out->cap && some_rows(s, out, out->cap - out->n))
		continue;
	size_t n = out->n - from;
	out->n = from;
	rp_fill_same(out->size + from, n, s->size);
	rp_fill_zero(out, source->trace->columns, n);
	out->n = from + n;
	return (ptrdiff_t)n;
}

static void
synth_close(struct rp_source *source)
{
	struct synth *s = (struct synth *)source;
	for (size_t i = 0; s->member && i < s->members; i++) {
		struct member *m = s->member + i;
		rp_ranks_close(&m->budget);
		rp_counts_free(&m->requested);
		rp_counts_free(&m->counts);
		json_decref(m->about);
	}
	for (size_t i = 0; s->heap && i < s->heaps; i++) {
		rp_stack_close(&s->heap[i].stack);
		rp_layout_close(&s->heap[i].layout);
	}
	free(s->member);
	free(s->heap);
	rp_gen_source_free(source);
}

/* ---- what was made ---- */

/* What the draws took from the counts. */
static struct rp_counts
realised(const struct member *m)
{
	struct rp_counts c;
	if (!rp_counts_new(&c, m->depth, NULL))
		return (struct rp_counts){ 0 }; /* errno tells the one who prints it */
	for (size_t d = 0; d < m->depth; d++)
		c.count[d] = m->counts.count[d] - rp_ranks_at(&m->budget, d);
	c.cold = m->counts.cold - m->cold;
	return c;
}

static json_t *
member_report(const struct member *m, bool whole, uint64_t *accesses, uint64_t *l1)
{
	struct rp_counts made = realised(m);
	uint64_t apart = rp_counts_l1(&m->counts, &made);
	json_t *o = json_pack("{sI sI sI sI sb sI sI sI}", "stream", (json_int_t)m->id, "accesses",
	    (json_int_t)rp_counts_sum(&m->counts), "lines", (json_int_t)m->heap->lines, "prewarm",
	    (json_int_t)m->heap->prewarm, "feasible", m->moved == 0, "moved", (json_int_t)m->moved,
	    "max_rd", (json_int_t)m->depth - 1, "l1", (json_int_t)apart);
	if (whole) {
		json_object_set_new(o, "requested", rp_counts_json(&m->requested));
		json_object_set_new(o, "realised", rp_counts_json(&made));
		if (m->about)
			json_object_update(o, m->about);
	}
	*accesses += rp_counts_sum(&made);
	*l1 += apart;
	rp_counts_free(&made);
	return o;
}

static json_t *
synth_report(const void *reporter, bool whole)
{
	const struct synth *s = reporter;
	uint64_t accesses = 0, moved = 0, l1 = 0;
	json_t *streams = json_array();
	for (size_t i = 0; i < s->members; i++) {
		const struct member *m = s->member + i;
		moved += m->moved;
		json_array_append_new(streams, member_report(m, whole, &accesses, &l1));
	}
	return json_pack("{sI sI sI so}", "accesses", (json_int_t)accesses, "moved",
	    (json_int_t)moved, "l1", (json_int_t)l1, "streams", streams);
}

/* ---- opening ---- */

static struct heap *
heap_of(struct synth *s, const struct rp_synth_stream *streams, size_t i)
{
	const struct rp_synth_stream *t = streams + i;
	if (t->share == RP_SHARE_STACK)
		for (size_t k = 0; k < i; k++)
			if (streams[k].share == RP_SHARE_STACK &&
			    !strcmp(streams[k].group, t->group))
				return s->member[k].heap;
	return s->heap + s->heaps++;
}

/* Makes the counts feasible as asked, or refuses. */
static bool
make_feasible(struct member *m, uint64_t *prewarm, enum rp_infeasible how, struct rp_err *err)
{
	uint64_t depth = rp_counts_depth(&m->counts), have = m->counts.cold + *prewarm;
	if (have >= depth)
		return true;
	if (how == RP_STRICT)
		return rp_fail(err, RP_INPUT,
		    "stream %" PRIu32 ": a distance of %" PRIu64 " needs %" PRIu64
		    " lines touched before, and there are %" PRIu64 " cold accesses and %" PRIu64
		    " lines of a preamble: %" PRIu64 " are missing",
		    m->id, depth - 1, depth, m->counts.cold, *prewarm, depth - have);
	if (how == RP_PREWARM)
		*prewarm = depth - m->counts.cold;
	else
		m->moved = rp_counts_repair(&m->counts, *prewarm);
	return true;
}

static bool
open_member(struct member *m, struct rp_synth_stream *t, const struct rp_synth_params *p,
    struct rp_err *err)
{
	uint64_t prewarm = t->prewarm > m->heap->prewarm ? t->prewarm : m->heap->prewarm;
	m->requested = t->counts;
	t->counts = (struct rp_counts){ 0 };
	m->about = t->about;
	t->about = NULL;
	m->id = t->id;
	uint64_t sum = rp_counts_sum(&m->requested);
	if (!sum || sum > RP_ACCESSES_MOST)
		return rp_fail(err, RP_USAGE,
		    "stream %" PRIu32 " has %" PRIu64 " accesses: wanted 1 to %" PRIu32, m->id, sum,
		    RP_ACCESSES_MOST);
	if (!rp_counts_copy(&m->counts, &m->requested, err) ||
	    !make_feasible(m, &prewarm, p->infeasible, err))
		return false;
	m->heap->prewarm = prewarm;
	m->depth = rp_counts_depth(&m->counts);
	m->heap->top = m->heap->top > m->depth ? m->heap->top : (uint32_t)m->depth;
	m->heap->lines += m->counts.cold;
	m->cold = m->counts.cold;
	m->left = sum;
	m->weight = t->weight > 0 ? t->weight : (double)sum;
	m->order =
	    t->bare_seed ? rp_xoshiro_seed(t->key.seed) : rp_trace_chance(&t->key, "order", t->id);
	for (int i = 0; i < AHEAD; i++)
		m->drawn[i] = rp_xoshiro_next(&m->order);
	if (m->depth && !rp_ranks_open(&m->budget, m->depth, err))
		return false;
	if (m->depth)
		rp_ranks_set(&m->budget, m->counts.count, m->depth);
	return true;
}

/* The first stream whose lines the i-th has too, under other numbers; itself if there is none. */
static size_t
original(const struct rp_synth_stream *streams, size_t i)
{
	for (size_t k = 0; streams[i].share == RP_SHARE_ALIAS && k < i; k++)
		if (streams[k].share == RP_SHARE_ALIAS &&
		    !strcmp(streams[k].group, streams[i].group))
			return k;
	return i;
}

/* Regions of memory: one after the other, from the second on each a little off what is aligned. */
static bool
open_heap(struct synth *s, const struct rp_synth_stream *streams, size_t i, uint64_t *end,
    struct rp_err *err)
{
	enum { GAP = 20 };
	struct member *m = s->member + i, *like = s->member + original(streams, i);
	const struct rp_synth_stream *t = streams + (like - s->member);
	struct rp_xoshiro chance = rp_trace_chance(&t->key, "layout", t->id);
	struct heap *h = m->heap;
	if (h->stack.top) /* another member of its group came before */
		return true;
	h->warm = h->prewarm;
	h->stream = m->id;
	if (!rp_stack_open(&h->stack, h->top ? h->top : 1, err) ||
	    !rp_layout_open(&h->layout, &t->layout, like->heap->lines, chance, err))
		return false;
	if (like != m) {
		h->base = like->heap->base;
		return true;
	}
	if (i) {
		chance = rp_trace_chance(&t->key, "region", t->id);
		*end = ((*end >> GAP) + 1) << GAP;
		*end += rp_xoshiro_below(&chance, UINT64_C(1) << GAP);
	}
	h->base = *end;
	uint64_t last;
	if (__builtin_add_overflow(*end, rp_layout_span(&h->layout), end) || *end > LINE_NUMBER ||
	    *end > UINT64_MAX >> s->line_bits ||
	    __builtin_add_overflow((*end << s->line_bits) - 1, s->base, &last))
		return rp_fail(
		    err, RP_USAGE, "the lines of stream %" PRIu32 " do not fit below 2^64", m->id);
	return true;
}

static bool
open_all(struct synth *s, struct rp_synth_stream *streams, size_t n,
    const struct rp_synth_params *p, struct rp_err *err)
{
	uint64_t end = 0;
	s->member = rp_mem_array(n, sizeof *s->member, err);
	s->heap = rp_mem_array(n, sizeof *s->heap, err);
	if (!s->member || !s->heap)
		return false;
	s->members = n;
	for (size_t i = 0; i < n; i++) {
		s->member[i].heap = heap_of(s, streams, i);
		if (!open_member(s->member + i, streams + i, p, err))
			return false;
	}
	for (size_t i = 0; i < s->heaps; i++)
		s->heap[i].lines += s->heap[i].prewarm;
	for (size_t i = 0; i < n; i++)
		if (!open_heap(s, streams, i, &end, err))
			return false;
	for (size_t i = 0; i < s->heaps; i++)
		s->source.trace->preamble += s->heap[i].prewarm;
	return true;
}

/* Three shares that sum to 1. */
static bool
parse_line_kinds(struct synth *s, const char *text, struct rp_err *err)
{
	double x[3];
	char *end;
	const char *at = text;
	for (int i = 0; i < 3; i++) {
		x[i] = strtod(at, &end);
		if (end == at || !(x[i] >= 0 && x[i] <= 1) || *end != (i < 2 ? ',' : '\0'))
			return rp_fail(err, RP_USAGE,
			    "line-kinds=%.40s: wanted three shares from 0 to 1, R,W,M", text);
		at = end + 1;
	}
	if (fabs(x[0] + x[1] + x[2] - 1) > 1e-9)
		return rp_fail(err, RP_USAGE, "line-kinds=%.40s sums to %g: wanted 1", text,
		    x[0] + x[1] + x[2]);
	for (int i = 0; i < 2; i++) {
		double share = i ? x[0] + x[1] : x[0];
		s->class_below[i] = share < 1 ? (uint64_t)(share * 0x1p64) : UINT64_MAX;
	}
	s->classes = true;
	return true;
}

static bool
parse_place(struct synth *s, const struct rp_synth_params *p, struct rp_err *err)
{
	uint64_t offset = 0;
	if (p->line & (p->line - 1))
		return rp_fail(err, RP_USAGE, "line=%" PRIu32 ": wanted a power of two", p->line);
	if (p->size > p->line)
		return rp_fail(
		    err, RP_USAGE, "size=%" PRIu32 " is more than line=%" PRIu32, p->size, p->line);
	if (p->base % p->line)
		return rp_fail(err, RP_USAGE,
		    "base=%" PRIu64 ": wanted a multiple of line=%" PRIu32, p->base, p->line);
	s->scattered = !strcmp(p->offset, "random");
	if (!s->scattered && (!rp_parse_u64(p->offset, &offset, NULL) || offset % p->size ||
				 offset + p->size > p->line))
		return rp_fail(err, RP_USAGE,
		    "offset=%.40s: wanted random, or a multiple of size=%" PRIu32
		    " that leaves the access in its line",
		    p->offset, p->size);
	s->line_bits = (uint32_t)__builtin_ctz(p->line);
	s->size = p->size;
	s->offset = (uint32_t)offset;
	s->places = p->line / p->size;
	s->base = p->base;
	return true;
}

static bool
parse_common(struct synth *s, const struct rp_synth_params *p, const struct rp_trace_key *key,
    struct rp_err *err)
{
	if (!(p->writes >= 0 && p->writes <= 1))
		return rp_fail(err, RP_USAGE, "writes=%g: wanted a share from 0 to 1", p->writes);
	if (p->line_kinds && p->writes > 0)
		return rp_fail(err, RP_USAGE,
		    "writes= and line-kinds= both say what writes: wanted one of them");
	s->write_below = (uint64_t)(p->writes * 0x1p32 + 0.5);
	s->mix = rp_trace_chance(key, "mix", 0);
	s->kind = rp_trace_chance(key, "kind", 0);
	s->place = rp_trace_chance(key, "offset", 0);
	s->class_key = rp_xoshiro_next(&s->kind);
	s->turns = p->turns;
	s->burst = p->burst;
	s->burst_left = UINT64_MAX; /* no turn was before */
	return parse_place(s, p, err) &&
	       (!p->line_kinds || parse_line_kinds(s, p->line_kinds, err));
}

/* W1,W2,...: the last one is that of all behind it too. */
static bool
parse_weights(struct rp_synth_stream *streams, size_t n, const char *text, struct rp_err *err)
{
	double last = 0;
	for (size_t i = 0; i < n; i++) {
		char *end;
		if (*text) {
			last = strtod(text, &end);
			if (end == text || !(last > 0 && isfinite(last)) || (*end && *end != ','))
				return rp_fail(err, RP_USAGE,
				    "weights=...%.40s: wanted numbers above 0", text);
			text = *end ? end + 1 : end;
		}
		streams[i].weight = last;
	}
	return !*text || rp_fail(err, RP_USAGE, "weights=: more than there are streams");
}

static bool
complete(
    struct rp_synth_stream *streams, size_t n, const struct rp_synth_params *p, struct rp_err *err)
{
	struct rp_layout_spec layout;
	if (!rp_layout_parse(p->layout, &layout, err) ||
	    (p->weights && !parse_weights(streams, n, p->weights, err)))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!streams[i].has_layout)
			streams[i].layout = layout;
		if (!streams[i].prewarm)
			streams[i].prewarm = p->prewarm;
		if (streams[i].share == RP_SHARE_NONE && !streams[i].group) {
			streams[i].share = p->share;
			streams[i].group = "";
		}
	}
	return true;
}

struct rp_source *
rp_synth_open(const char *name, struct rp_synth_stream *streams, size_t n,
    const struct rp_synth_params *p, const struct rp_trace_key *key, struct rp_err *err)
{
	struct synth *s = rp_gen_source_new(
	    sizeof *s, name, n > 1 || streams->id ? RP_COL_STREAM : 0, synth_pull, err);
	bool ok = s != NULL;
	if (s) {
		s->source.close = synth_close;
		s->source.trace->report = synth_report;
		s->source.trace->reporter = s;
		ok = complete(streams, n, p, err) && parse_common(s, p, key, err) &&
		     open_all(s, streams, n, p, err);
	}
	for (size_t i = 0; i < n; i++) {
		rp_counts_free(&streams[i].counts);
		json_decref(streams[i].about);
		streams[i].about = NULL;
	}
	if (ok)
		return &s->source;
	rp_source_close(s ? &s->source : NULL);
	return NULL;
}
