/* synth.c - traces with exactly the reuse profiles that are asked for: making rows, and telling of them. */
#include "config.h"

#include "gen/synth_state.h"

#include "gen/fill.h"
#include "gen/gen.h"

#include "base/hash.h"

#include <assert.h>

/* Accesses that are drawn before they are made; distances from which on the node of a later draw may be far away. */
enum { TOGETHER = 16, FAR = 1 << 14 };

/* The value of the next new line of a heap. */
static uint64_t
new_line(struct rp_synth *s, struct rp_heap *h)
{
	uint64_t line = h->base + rp_layout_next(&h->layout), kind = RP_LINE_READ;
	if (s->classes) {
		uint64_t x = rp_mix64(line ^ s->class_key);
		kind = x < s->class_below[0]   ? RP_LINE_READ
		       : x < s->class_below[1] ? RP_LINE_WRITE
		                               : RP_LINE_BOTH;
	}
	return line | kind << RP_LINE_BITS;
}

static uint64_t
next_word(struct rp_member *m)
{
	uint64_t *word = m->drawn + m->next++ % RP_DRAWN_AHEAD, x = *word;
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
draw(struct rp_synth *s, struct rp_member *m)
{
	struct rp_stack *stack = &m->heap->stack;
	while (m->seen < m->depth && m->seen < stack->depth)
		m->feasible += m->counts.count[m->seen++];
	assert(m->feasible + m->cold > 0); /* by section 5 */
	m->left--;
	uint64_t all = m->feasible + m->cold, u = share_of(next_word(m), all);
	if (m->depth >= FAR) {
		/* Until it is due, what is left changes by a few units: the node will be the same, or almost always. */
		uint64_t soon =
		    share_of(m->drawn[(m->next + RP_DRAWN_AHEAD - 1) % RP_DRAWN_AHEAD], all);
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
put(struct rp_synth *s, struct rp_batch *out, uint64_t *slot, uint32_t stream)
{
	size_t i = out->n++;
	uint64_t offset = s->offset;
	uint8_t kind = RP_READ;
	if (s->classes) {
		enum rp_line_kind class = *slot >> RP_LINE_BITS & 3;
		kind = class == RP_LINE_READ     ? RP_READ
		       : class == RP_LINE_WRITE  ? RP_WRITE
		       : *slot & RP_LINE_WRITTEN ? RP_WRITE
		                                 : RP_READ;
		*slot ^= RP_LINE_WRITTEN;
	} else if (s->write_below) {
		kind = rp_xoshiro_next(&s->kind) >> 32 < s->write_below ? RP_WRITE : RP_READ;
	}
	if (s->scattered)
		offset = rp_xoshiro_below(&s->place, s->places) * s->size;
	out->addr[i] = s->base + ((*slot & RP_LINE_NUMBER) << s->line_bits) + offset;
	out->kind[i] = kind;
	if (out->stream)
		out->stream[i] = stream;
}

/* By weight, one of those that have accesses left. */
static size_t
any_member(struct rp_synth *s)
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
next_turn(struct rp_synth *s)
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
warm(struct rp_synth *s, struct rp_batch *out)
{
	for (; s->warming < s->heaps; s->warming++) {
		struct rp_heap *h = s->heap + s->warming;
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
some_rows(struct rp_synth *s, struct rp_batch *out, size_t n)
{
	struct {
		struct rp_member *member;
		struct rp_move move;
	} now[TOGETHER];
	size_t k = 0;
	for (; k < n && k < TOGETHER; k++) {
		if ((!s->burst_left || s->burst_left == UINT64_MAX) && !next_turn(s))
			break;
		struct rp_member *m = s->member + s->turn;
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

ptrdiff_t
rp_synth_pull(struct rp_source *source, struct rp_batch *out, struct rp_err *err)
{
	struct rp_synth *s = (struct rp_synth *)source;
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

void
rp_synth_close(struct rp_source *source)
{
	struct rp_synth *s = (struct rp_synth *)source;
	for (size_t i = 0; s->member && i < s->members; i++) {
		struct rp_member *m = s->member + i;
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
realised(const struct rp_member *m)
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
member_report(const struct rp_member *m, bool whole, uint64_t *accesses, uint64_t *l1)
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

uint64_t
rp_synth_moved(const struct rp_source *source)
{
	const struct rp_synth *s = (const struct rp_synth *)source;
	uint64_t moved = 0;
	for (size_t i = 0; i < s->members; i++)
		moved += s->member[i].moved;
	return moved;
}

json_t *
rp_synth_report(const void *reporter, bool whole)
{
	const struct rp_synth *s = reporter;
	uint64_t accesses = 0, moved = 0, l1 = 0;
	json_t *streams = json_array();
	for (size_t i = 0; i < s->members; i++) {
		const struct rp_member *m = s->member + i;
		moved += m->moved;
		json_array_append_new(streams, member_report(m, whole, &accesses, &l1));
	}
	return json_pack("{sI sI sI so}", "accesses", (json_int_t)accesses, "moved",
	    (json_int_t)moved, "l1", (json_int_t)l1, "streams", streams);
}
