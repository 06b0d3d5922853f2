/* interleave.c - one order from many streams.
 *
 * Several traces in recorded order are read one after the other. Every other order works in rounds between marks: in a
 * round each stream with accesses left is a lane, the mode says whose turn it is, and when all lanes are empty the marks of
 * all sources follow, in the order of the sources. A source without a stream column is one lane that is read as it goes, so
 * that it may be endless; the streams of others are taken apart first (demux.h). */
#include "config.h"

#include "traces/interleave.h"
#include "base/parse.h"
#include "base/rng.h"
#include "traces/demux.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Streams [from, to) of a source have numbers from `number` on. */
struct block {
	uint64_t from, to, number;
};

struct part {
	struct rp_source *in;
	struct rp_demux *demux; /* NULL: one stream, read as it goes through `batch` */
	struct rp_batch *batch;
	size_t taken;      /* of batch */
	size_t marks_done; /* of demux->marks */
	bool ended;
	uint64_t last_time;

	struct block *block; /* how its streams are numbered, in ascending order */
	size_t blocks;
	uint64_t range; /* streams numbered so far */

	size_t *kernel; /* the joined trace's number of each of its launches */
	size_t kernels;
};

/* What comes first: the least `first`, then the earlier source, then the least `second`. */
struct key {
	uint64_t first, second;
};

struct lane {
	struct key key;
	uint32_t part, index; /* stream of the part's demux */
	uint32_t number;
	uint32_t next; /* of the ring, in round robin */
	uint64_t taken;
};

struct join {
	struct rp_source source;
	struct rp_interleave how;
	struct rp_rng rng;
	struct part *part;
	size_t n;
	uint64_t numbers; /* given to streams so far */

	size_t
	    current; /* recorded: the part being read; other orders: the part whose marks are next */
	uint64_t greatest; /* recorded: 1 + greatest stream of the part so far */

	struct lane *lane; /* of this round */
	size_t lanes, room;
	uint32_t *live; /* lanes with accesses left: a heap (time, rate), any order (random) */
	size_t alive;
	uint32_t last; /* round robin: the lane before the one whose turn is next */
	bool in_round, in_turn;
	uint32_t turn;      /* the lane whose turn it is */
	uint64_t turn_left; /* accesses */

	uint64_t ends; /* of kernels without a description */
	bool spilled;
	char note[128];
};

static bool
bad_order(const char *text, struct rp_err *err)
{
	return rp_fail(err, RP_USAGE,
	    "'%.40s' is none of recorded, time, rr[:QUANTUM], random, rate:R1,R2,...", text);
}

static bool
parse_rates(const char *text, struct rp_interleave *out, struct rp_err *err)
{
	size_t n = 1;
	for (const char *c = text; *c; c++)
		n += *c == ',';
	char *copy = rp_mem_string(text, err), *rest = copy;
	double *rates = copy ? rp_mem_array(n, sizeof *rates, err) : NULL;
	bool ok = rates != NULL;
	for (size_t i = 0; ok && i < n; i++) {
		const char *one = strsep(&rest, ",");
		ok = rp_parse_double(one, &rates[i], err) &&
		     (rates[i] > 0 || rp_fail(err, RP_USAGE, "rate '%.40s' is not above 0", one));
	}
	free(copy);
	if (!ok) {
		free(rates);
		return false;
	}
	out->rates = rates;
	out->n_rates = n;
	return true;
}

bool
rp_interleave_parse(const char *text, struct rp_interleave *out, struct rp_err *err)
{
	struct rp_interleave how = *out;
	how.quantum = 1;
	how.rates = NULL;
	how.n_rates = 0;
	if (!strcmp(text, "recorded")) {
		how.order = RP_RECORDED;
	} else if (!strcmp(text, "time")) {
		how.order = RP_TIME;
	} else if (!strcmp(text, "random")) {
		how.order = RP_RANDOM;
	} else if (!strcmp(text, "rr") || !strncmp(text, "rr:", 3)) {
		how.order = RP_ROUND_ROBIN;
		if (text[2] && !rp_parse_u64(text + 3, &how.quantum, err))
			return false;
		if (!how.quantum)
			return rp_fail(
			    err, RP_USAGE, "'%.40s': a turn has at least 1 access", text);
	} else if (!strncmp(text, "rate:", 5)) {
		how.order = RP_RATE;
		if (!parse_rates(text + 5, &how, err))
			return false;
	} else {
		return bad_order(text, err);
	}
	*out = how;
	return true;
}

static const char *
part_name(const struct part *p)
{
	const struct rp_trace *t = p->in->trace;
	return t->n_sources ? t->sources[0] : t->format;
}

/* --- What is known of the joined trace, from what is known of its parts. */

static void
add_gpu(struct rp_gpu_stats *to, const struct rp_gpu_stats *from)
{
	uint64_t sum[sizeof *to / sizeof(uint64_t)],
	    more[sizeof *to / sizeof(uint64_t)]; /* nothing but counts */
	memcpy(sum, to, sizeof sum);
	memcpy(more, from, sizeof more);
	for (size_t i = 0; i < sizeof sum / sizeof *sum; i++)
		sum[i] += more[i];
	memcpy(to, sum, sizeof sum);
}

/* The launches that a part has come to know. Their strings stay the part's, which lives as long as we do. */
static bool
join_kernels(struct join *j, struct part *p, struct rp_err *err)
{
	const struct rp_trace *from = p->in->trace;
	if (p->kernels == from->n_kernels)
		return true;
	void *more = rp_mem_grow(p->kernel, from->n_kernels, sizeof *p->kernel, err);
	if (!more)
		return false;
	p->kernel = more;
	while (p->kernels < from->n_kernels) {
		struct rp_kernel_launch *k = rp_trace_kernel(j->source.trace, err);
		if (!k)
			return false;
		*k = from->kernels[p->kernels];
		p->kernel[p->kernels++] = j->source.trace->n_kernels - 1;
	}
	return true;
}

static void
join_trace(struct join *j)
{
	struct rp_trace *t = j->source.trace;
	const size_t most = sizeof t->warnings / sizeof *t->warnings;
	t->n_skipped = t->n_warnings = 0;
	t->gpu = (struct rp_gpu_stats){ 0 };
	for (size_t k = 0; k < j->n; k++) {
		const struct rp_trace *from = j->part[k].in->trace;
		for (size_t i = 0; i < from->n_skipped; i++)
			rp_trace_skip(t, from->skipped[i].reason, from->skipped[i].n);
		for (size_t i = 0; i < from->n_warnings; i++) {
			if (i < most && t->n_warnings < most)
				t->warnings[t->n_warnings] = from->warnings[i];
			t->n_warnings++;
		}
		t->has_gpu |= from->has_gpu;
		add_gpu(&t->gpu, &from->gpu);
	}
	if (j->spilled) {
		if (t->n_warnings < most)
			t->warnings[t->n_warnings] = j->note;
		t->n_warnings++;
	}
}

static void
tell_spilled(struct join *j)
{
	if (j->spilled)
		return;
	j->spilled = true;
	char size[32];
	snprintf(j->note, sizeof j->note,
	    "the streams did not fit in %s of memory and went through a temporary file",
	    rp_print_size(size, sizeof size, j->how.memory));
	if (j->n == 1)
		rp_trace_warn(j->source.trace, "%s", j->note);
}

/* --- Numbers of streams and kernels. */

/* Numbers the streams below `range` of a part. */
static bool
number_streams(struct join *j, struct part *p, uint64_t range, struct rp_err *err)
{
	if (range <= p->range)
		return true;
	void *more = rp_mem_grow(p->block, p->blocks + 1, sizeof *p->block, err);
	if (!more)
		return false;
	p->block = more;
	p->block[p->blocks++] = (struct block){ p->range, range, j->numbers };
	j->numbers += range - p->range;
	p->range = range;
	if (j->numbers <= (uint64_t)UINT32_MAX + 1)
		return true;
	return rp_fail(err, RP_INPUT,
	    "%s: its streams are numbered up to %" PRIu64
	    ", too high to be told from those of the other traces",
	    part_name(p), range - 1);
}

static uint32_t
number_of(const struct join *j, const struct part *p, uint64_t stream)
{
	if (j->n == 1)
		return (uint32_t)stream;
	for (size_t i = p->blocks; i > 0; i--)
		if (stream >= p->block[i - 1].from && stream < p->block[i - 1].to)
			return (uint32_t)(p->block[i - 1].number + (stream - p->block[i - 1].from));
	return 0; /* only of a mark, whose stream says nothing */
}

/* Kernels of several traces are numbered in the order in which their launches became known. */
static void
number_kernels(struct join *j, const struct part *p, struct rp_batch *out, size_t from)
{
	if (!out->marks || j->n == 1)
		return;
	for (size_t i = from; i < out->n; i++)
		if (out->kind[i] == RP_KERNEL_END)
			out->addr[i] =
			    out->addr[i] < p->kernels ? p->kernel[out->addr[i]] : j->ends++;
}

/* --- Recorded order. */

/* Rows from `from` on were pulled from a part that lacks some of the columns. */
static void
clear_missing(struct rp_batch *out, size_t from, unsigned columns)
{
	size_t n = out->n - from;
	if (out->time && !(columns & RP_COL_TIME))
		memset(out->time + from, 0, n * sizeof *out->time);
	if (out->pc && !(columns & RP_COL_PC))
		memset(out->pc + from, 0, n * sizeof *out->pc);
	if (out->mask && !(columns & RP_COL_MASK))
		memset(out->mask + from, 0, n * sizeof *out->mask);
	if (out->flags && !(columns & RP_COL_FLAGS))
		memset(out->flags + from, 0, n * sizeof *out->flags);
}

/* Streams s of the part at hand become `numbers` + s, which was the sum over those before it. */
static bool
shift_streams(
    struct join *j, struct rp_batch *out, size_t from, bool has_streams, struct rp_err *err)
{
	for (size_t i = from; i < out->n; i++) {
		uint64_t s = has_streams && out->stream ? out->stream[i] : 0;
		if (s >= j->greatest && out->kind[i] < RP_MARKS)
			j->greatest = s + 1;
		if (s + j->numbers > UINT32_MAX && out->kind[i] < RP_MARKS)
			return rp_fail(err, RP_INPUT,
			    "%s: stream %" PRIu64
			    " is too high to be told from those of the other traces",
			    part_name(&j->part[j->current]), s);
		if (out->stream)
			out->stream[i] = (uint32_t)(s + j->numbers);
	}
	return true;
}

static ptrdiff_t
pull_recorded(struct rp_source *s, struct rp_batch *out, struct rp_err *err)
{
	struct join *j = (struct join *)s;
	for (; j->current < j->n; j->current++) {
		struct part *p = &j->part[j->current];
		unsigned columns = p->in->trace->columns;
		size_t from = out->n;
		ptrdiff_t n = rp_source_pull(p->in, out, err);
		if (n < 0 || !join_kernels(j, p, err))
			return -1;
		join_trace(j);
		clear_missing(out, from, columns);
		number_kernels(j, p, out, from);
		if (n > 0)
			return shift_streams(j, out, from, columns & RP_COL_STREAM, err) ? n : -1;
		j->numbers += columns & RP_COL_STREAM ? j->greatest : 1;
		j->greatest = 0;
	}
	return 0;
}

/* --- Lanes. */

static bool
is_mark(const struct rp_batch *b, size_t i)
{
	return b->marks && b->kind[i] >= RP_MARKS;
}

static bool
times_rise(struct part *p, struct rp_err *err)
{
	const struct rp_batch *b = p->batch;
	for (size_t i = 0; i < b->n; i++) {
		if (is_mark(b, i)) { /* behind it a clock may start anew */
			p->last_time = 0;
			continue;
		}
		if (b->time[i] < p->last_time)
			return rp_fail(err, RP_INPUT,
			    "%s: time %" PRIu64 " after %" PRIu64
			    ": times that fall within a stream give no order",
			    part_name(p), b->time[i], p->last_time);
		p->last_time = b->time[i];
	}
	return true;
}

/* A part that is one lane: is there a row in its batch? 1, 0 at its end, -1 on error. */
static int
fetch(const struct join *j, struct part *p, struct rp_err *err)
{
	if (p->taken < p->batch->n)
		return 1;
	rp_batch_clear(p->batch);
	p->taken = 0;
	ptrdiff_t n = p->ended ? 0 : rp_source_pull(p->in, p->batch, err);
	if (n < 0)
		return -1;
	p->ended |= n == 0;
	if (j->how.order == RP_TIME && !times_rise(p, err))
		return -1;
	return n > 0;
}

/* Moves up to `most` accesses of such a lane, and the rest of their instruction, to out; as rp_demux_pull. */
static ptrdiff_t
take_rows(const struct join *j, struct part *p, uint64_t most, uint32_t number,
    struct rp_batch *out, struct rp_err *err)
{
	size_t first = out->n;
	uint64_t left = most;
	while (out->n < out->cap) {
		int some = fetch(j, p, err);
		if (some < 0)
			return -1;
		if (!some)
			break;
		const struct rp_batch *b = p->batch;
		size_t room = out->cap - out->n, i = p->taken,
		       end = b->n - i < room ? b->n : i + room;
		for (; i < end && !is_mark(b, i); i++) {
			if (left)
				left--;
			else if (!b->flags || !(b->flags[i] & RP_SAME_INSTR))
				break;
		}
		rp_batch_append(out, b, p->taken, i - p->taken);
		p->taken = i;
		if (i < end)
			break;
	}
	for (size_t i = first; out->stream && i < out->n; i++)
		out->stream[i] = number;
	return (ptrdiff_t)(out->n - first);
}

static ptrdiff_t
lane_take(struct join *j, struct lane *l, uint64_t most, struct rp_batch *out, struct rp_err *err)
{
	struct part *p = &j->part[l->part];
	ptrdiff_t n = p->demux ? rp_demux_pull(p->demux, l->index, most, l->number, out, err)
	                       : take_rows(j, p, most, l->number, out, err);
	l->taken += n > 0 ? (uint64_t)n : 0;
	return n;
}

static double
rate_of(const struct join *j, uint32_t stream)
{
	if (!j->how.n_rates)
		return 1;
	return j->how.rates[stream < j->how.n_rates ? stream : j->how.n_rates - 1];
}

/* Gives the lane the key of its next access: 1, 0 when it is empty, -1 on error. */
static int
lane_look(struct join *j, struct lane *l, struct rp_err *err)
{
	struct part *p = &j->part[l->part];
	const struct rp_demux_row *row = NULL;
	int some;
	if (!p->demux)
		some = fetch(j, p, err);
	else if (j->how.order == RP_TIME)
		some = rp_demux_peek(p->demux, l->index, &row, err);
	else
		some = p->demux->streams[l->index].left > 0;
	if (some <= 0)
		return some;
	if (!p->demux && is_mark(p->batch, p->taken))
		return 0;
	if (j->how.order == RP_TIME) {
		l->key.first = row ? row->time : p->batch->time[p->taken];
		l->key.second = row ? row->order : 0; /* the part's only lane */
	} else if (j->how.order == RP_RATE) {
		/* The k-th access is due at k / rate. Positive doubles are ordered as their bits are. */
		double due = (double)(l->taken + 1) / rate_of(j, l->number);
		memcpy(&l->key.first, &due, sizeof due);
		l->key.second = l->number;
	}
	return 1;
}

/* --- Whose turn it is. */

static bool
before(const struct lane *a, const struct lane *b)
{
	if (a->key.first != b->key.first)
		return a->key.first < b->key.first;
	return a->part != b->part ? a->part < b->part : a->key.second < b->key.second;
}

/* Moves the lane at place i of the heap down to where it belongs. */
static void
sift_down(struct join *j, size_t i)
{
	uint32_t moving = j->live[i];
	for (size_t child; (child = 2 * i + 1) < j->alive; i = child) {
		if (child + 1 < j->alive &&
		    before(&j->lane[j->live[child + 1]], &j->lane[j->live[child]]))
			child++;
		if (!before(&j->lane[j->live[child]], &j->lane[moving]))
			break;
		j->live[i] = j->live[child];
	}
	j->live[i] = moving;
}

static void
start_turns(struct join *j)
{
	j->alive = j->lanes;
	for (uint32_t i = 0; i < j->lanes; i++) {
		j->live[i] = i;
		j->lane[i].next = i + 1 < j->lanes ? i + 1 : 0;
	}
	j->last = j->lanes ? (uint32_t)j->lanes - 1 : 0;
	if (j->how.order == RP_TIME || j->how.order == RP_RATE)
		for (size_t i = j->lanes / 2; i-- > 0;)
			sift_down(j, i);
}

static void
start_turn(struct join *j)
{
	j->in_turn = true;
	j->turn_left = 1;
	switch (j->how.order) {
	case RP_ROUND_ROBIN:
		j->turn = j->lane[j->last].next;
		j->turn_left = j->how.quantum;
		break;
	case RP_RANDOM: /* `turn` is a place in live[] until the turn ends */
		j->turn = (uint32_t)rp_rng_below(&j->rng, j->alive);
		break;
	default:
		j->turn = 0; /* the top of the heap */
	}
}

static struct lane *
turn_lane(struct join *j)
{
	return &j->lane[j->how.order == RP_ROUND_ROBIN ? j->turn : j->live[j->turn]];
}

static bool
end_turn(struct join *j, struct rp_err *err)
{
	int some = lane_look(j, turn_lane(j), err);
	if (some < 0)
		return false;
	j->in_turn = false;
	if (!some)
		j->alive--;
	switch (j->how.order) {
	case RP_ROUND_ROBIN:
		if (some)
			j->last = j->turn;
		else
			j->lane[j->last].next = j->lane[j->turn].next;
		break;
	case RP_RANDOM:
		if (!some)
			j->live[j->turn] = j->live[j->alive];
		break;
	default:
		if (!some)
			j->live[0] = j->live[j->alive];
		if (j->alive)
			sift_down(j, 0);
	}
	return true;
}

/* --- Rounds. */

static bool
add_lane(struct join *j, const struct lane *l, struct rp_err *err)
{
	if (j->lanes == j->room) {
		size_t room = j->room ? 2 * j->room : 64;
		void *lane = rp_mem_grow(j->lane, room, sizeof *j->lane, err);
		if (lane)
			j->lane = lane;
		void *live = lane ? rp_mem_grow(j->live, room, sizeof *j->live, err) : NULL;
		if (!live)
			return false;
		j->live = live;
		j->room = room;
	}
	j->lane[j->lanes] = *l;
	int some = lane_look(j, &j->lane[j->lanes], err);
	j->lanes += some > 0;
	return some >= 0;
}

struct order {
	uint32_t stream, index;
};

static int
by_stream(const void *a, const void *b)
{
	uint32_t x = ((const struct order *)a)->stream, y = ((const struct order *)b)->stream;
	return (x > y) - (x < y);
}

/* The streams of a part that was taken apart become lanes, in the order of their numbers. */
static bool
add_streams(struct join *j, struct part *p, struct rp_err *err)
{
	struct rp_demux *d = p->demux;
	struct order *order = rp_mem_array(d->n, sizeof *order, err);
	bool ok = order != NULL;
	for (size_t i = 0; ok && i < d->n; i++)
		order[i] = (struct order){ d->streams[i].stream, (uint32_t)i };
	if (ok && d->n) {
		qsort(order, d->n, sizeof *order, by_stream);
		ok = j->n == 1 || number_streams(j, p, (uint64_t)order[d->n - 1].stream + 1, err);
	}
	for (size_t i = 0; ok && i < d->n; i++)
		ok = add_lane(j,
		    &(struct lane){ .part = (uint32_t)(p - j->part),
			.index = order[i].index,
			.number = number_of(j, p, order[i].stream) },
		    err);
	free(order);
	return ok;
}

/* Lanes of the next round; *some: there is a round, if only of marks. */
static bool
start_round(struct join *j, bool *some, struct rp_err *err)
{
	*some = false;
	j->lanes = 0;
	for (size_t k = 0; k < j->n; k++) {
		struct part *p = &j->part[k];
		int more = p->demux ? rp_demux_segment(p->demux, err) : fetch(j, p, err);
		if (more < 0 || (j->n > 1 && !join_kernels(j, p, err)))
			return false;
		p->marks_done = 0;
		*some |= more;
		if (p->demux && p->demux->spilled)
			tell_spilled(j);
		if (p->demux
			? !add_streams(j, p, err)
			: !number_streams(j, p, 1, err) || !add_lane(j,
							       &(struct lane){ .part = (uint32_t)k,
								   .number = number_of(j, p, 0) },
							       err))
			return false;
	}
	start_turns(j);
	j->in_round = *some;
	j->in_turn = false;
	j->current = 0;
	return true;
}

static void
put_mark(struct join *j, const struct part *p, const struct rp_batch *from, size_t i,
    struct rp_batch *out)
{
	struct rp_access a = rp_batch_get(from, i);
	a.stream = number_of(j, p, a.stream);
	rp_batch_put(out, &a);
	number_kernels(j, p, out, out->n - 1);
}

/* The marks of a part that close the round: 1 when all are out, 0 when out is full, -1 on error. */
static int
put_marks(struct join *j, struct part *p, struct rp_batch *out, struct rp_err *err)
{
	while (p->demux && p->marks_done < p->demux->marks->n) {
		if (out->n == out->cap)
			return 0;
		put_mark(j, p, p->demux->marks, p->marks_done++, out);
	}
	while (!p->demux) {
		int some = fetch(j, p, err);
		if (some < 0)
			return -1;
		if (!some || !is_mark(p->batch, p->taken))
			break;
		if (j->n > 1 && !join_kernels(j, p, err))
			return -1;
		if (out->n == out->cap)
			return 0;
		put_mark(j, p, p->batch, p->taken++, out);
	}
	return 1;
}

/* Takes turns until out is full or every lane is empty. */
static bool
put_turns(struct join *j, struct rp_batch *out, struct rp_err *err)
{
	while (out->n < out->cap && (j->in_turn || j->alive)) {
		if (!j->in_turn)
			start_turn(j);
		ptrdiff_t n = lane_take(j, turn_lane(j), j->turn_left, out, err);
		if (n < 0)
			return false;
		j->turn_left -= (uint64_t)n < j->turn_left ? (uint64_t)n : j->turn_left;
		/* With no room left the instruction may go on in the next batch. */
		if (out->n < out->cap && !end_turn(j, err))
			return false;
	}
	return true;
}

static bool
fill(struct join *j, struct rp_batch *out, struct rp_err *err)
{
	while (out->n < out->cap) {
		bool some = true;
		if (!j->in_round && !start_round(j, &some, err))
			return false;
		if (!some)
			return true;
		if (!put_turns(j, out, err))
			return false;
		while (out->n < out->cap && j->current < j->n) {
			int done = put_marks(j, &j->part[j->current], out, err);
			if (done < 0)
				return false;
			j->current += (size_t)done;
		}
		j->in_round = j->in_turn || j->alive || j->current < j->n;
	}
	return true;
}

static ptrdiff_t
pull_turns(struct rp_source *s, struct rp_batch *out, struct rp_err *err)
{
	struct join *j = (struct join *)s;
	size_t first = out->n, marks = out->marks;
	if (!fill(j, out, err))
		return -1;
	/* Streams that were not read to their end give another order: of that, nothing is handed on. */
	if (j->how.stop && *j->how.stop) {
		out->n = first;
		out->marks = marks;
		return 0;
	}
	if (j->n > 1)
		join_trace(j);
	return (ptrdiff_t)(out->n - first);
}

/* --- Opening and closing. */

static void
close_join(struct rp_source *s)
{
	struct join *j = (struct join *)s;
	if (j->n > 1)
		rp_trace_free(j->source.trace);
	for (size_t k = 0; k < j->n; k++) {
		struct part *p = &j->part[k];
		rp_demux_close(p->demux);
		rp_batch_free(p->batch);
		rp_source_close(p->in);
		free(p->block);
		free(p->kernel);
	}
	free(j->part);
	free(j->lane);
	free(j->live);
	free(j->how.rates);
	free(j);
}

/* Anything but recorded order goes through queues or batches of our own. */
static bool
open_part(struct join *j, struct part *p, struct rp_err *err)
{
	unsigned columns = p->in->trace->columns;
	if (j->how.order == RP_TIME && !(columns & RP_COL_TIME))
		return rp_fail(err, RP_INPUT, "%s: has no times to interleave by", part_name(p));
	if (columns & RP_COL_STREAM) {
		if (p->in->trace->endless)
			return rp_fail(err, RP_USAGE,
			    "%s never ends by itself: to interleave its streams, wanted limit=N in "
			    "it",
			    part_name(p));
		p->demux = rp_demux_open(p->in, j->how.memory / j->n + 1, err);
		if (p->demux) {
			p->demux->by_time = j->how.order == RP_TIME;
			p->demux->stop = j->how.stop;
		}
		return p->demux != NULL;
	}
	p->batch = rp_batch_new(RP_BATCH, columns, err);
	return p->batch != NULL;
}

static bool
describe(struct join *j, struct rp_err *err)
{
	struct rp_trace *t = rp_trace_new(j->part[0].in->trace->format, err);
	if (!t)
		return false;
	j->source.trace = t;
	t->columns = RP_COL_STREAM;
	for (size_t k = 0; k < j->n; k++) {
		const struct rp_trace *from = j->part[k].in->trace;
		t->columns |= from->columns;
		t->endless |= from->endless;
		if (strcmp(from->format, t->format))
			t->format = "mixed";
		for (size_t i = 0; i < from->n_sources; i++)
			if (!rp_trace_source(t, from->sources[i], err))
				return false;
	}
	t->preamble = j->part[0].in->trace->preamble;
	join_trace(j);
	return true;
}

static bool
set_up(struct join *j, const struct rp_interleave *how, struct rp_err *err)
{
	j->how.rates = rp_mem_array(how->n_rates, sizeof *how->rates, err);
	if (!j->how.rates)
		return false;
	if (how->n_rates)
		memcpy(j->how.rates, how->rates, how->n_rates * sizeof *how->rates);
	if (j->n == 1)
		j->source.trace = j->part[0].in->trace;
	else if (!describe(j, err))
		return false;
	for (size_t k = 0; j->how.order != RP_RECORDED && k < j->n; k++)
		if (!open_part(j, &j->part[k], err))
			return false;
	return true;
}

static void
close_all(struct rp_source **sources, size_t n)
{
	for (size_t k = 0; k < n; k++)
		rp_source_close(sources[k]);
}

struct rp_source *
rp_interleave_open(
    struct rp_source **sources, size_t n, const struct rp_interleave *how, struct rp_err *err)
{
	bool one_stream = n == 1 && !(sources[0]->trace->columns & RP_COL_STREAM);
	if (n == 1 && (how->order == RP_RECORDED || (one_stream && how->order != RP_TIME)))
		return sources[0];
	struct join *j = rp_mem_array(1, sizeof *j, err);
	struct part *part = j ? rp_mem_array(n, sizeof *part, err) : NULL;
	if (!part) {
		free(j);
		close_all(sources, n);
		return NULL;
	}
	j->part = part;
	j->n = n;
	for (size_t k = 0; k < n; k++)
		part[k].in = sources[k];
	j->how = *how;
	j->how.rates = NULL;
	j->how.quantum = how->quantum ? how->quantum : 1;
	j->how.memory = how->memory ? how->memory : UINT64_C(64) << 20;
	j->rng = rp_rng_for(how->seed, "traces/interleave", 0);
	j->source.close = close_join;
	j->source.pull = how->order == RP_RECORDED ? pull_recorded : pull_turns;
	if (set_up(j, how, err))
		return &j->source;
	close_join(&j->source);
	return NULL;
}
