/* synth_open.c - traces with exactly the reuse profiles that are asked for: options, feasible counts, where lines lie. */
#include "config.h"

#include "gen/synth_state.h"

#include "gen/gen.h"

#include "base/mem.h"
#include "base/parse.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *const rp_infeasible_names[] = { "to-cold", "strict", "prewarm", NULL };
const char *const rp_share_names[] = { "none", "stack", "alias", NULL };
const char *const rp_turns_names[] = { "rr", "random", "phases", NULL };

static struct rp_heap *
heap_of(struct rp_synth *s, const struct rp_synth_stream *streams, size_t i)
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
make_feasible(struct rp_member *m, uint64_t *prewarm, enum rp_infeasible how, struct rp_err *err)
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
open_member(struct rp_member *m, struct rp_synth_stream *t, const struct rp_synth_params *p,
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
	for (int i = 0; i < RP_DRAWN_AHEAD; i++)
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
open_heap(struct rp_synth *s, const struct rp_synth_stream *streams, size_t i, uint64_t *end,
    struct rp_err *err)
{
	enum { GAP = 20 };
	struct rp_member *m = s->member + i, *like = s->member + original(streams, i);
	const struct rp_synth_stream *t = streams + (like - s->member);
	struct rp_xoshiro chance = rp_trace_chance(&t->key, "layout", t->id);
	struct rp_heap *h = m->heap;
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
	if (__builtin_add_overflow(*end, rp_layout_span(&h->layout), end) ||
	    *end > RP_LINE_NUMBER || *end > UINT64_MAX >> s->line_bits ||
	    __builtin_add_overflow((*end << s->line_bits) - 1, s->base, &last))
		return rp_fail(
		    err, RP_USAGE, "the lines of stream %" PRIu32 " do not fit below 2^64", m->id);
	return true;
}

static bool
open_all(struct rp_synth *s, struct rp_synth_stream *streams, size_t n,
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
parse_line_kinds(struct rp_synth *s, const char *text, struct rp_err *err)
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
parse_place(struct rp_synth *s, const struct rp_synth_params *p, struct rp_err *err)
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
parse_common(struct rp_synth *s, const struct rp_synth_params *p, const struct rp_trace_key *key,
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
	struct rp_synth *s = rp_gen_source_new(
	    sizeof *s, name, n > 1 || streams->id ? RP_COL_STREAM : 0, rp_synth_pull, err);
	bool ok = s != NULL;
	if (s) {
		s->source.close = rp_synth_close;
		s->source.trace->report = rp_synth_report;
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
