/* test_interleave.c - orders worked out by hand, then against an obvious model on random traces. */
#include "tests/traces/rows.h"

#include "base/rng.h"
#include "traces/interleave.h"

static struct rp_err err;

RP_TEST(interleave_parse, what_is_documented_is_taken)
{
	struct rp_interleave how = { .seed = 5, .memory = 6 };
	cr_assert(rp_interleave_parse("recorded", &how, &err) && how.order == RP_RECORDED);
	cr_assert(rp_interleave_parse("time", &how, &err) && how.order == RP_TIME);
	cr_assert(rp_interleave_parse("random", &how, &err) && how.order == RP_RANDOM);
	cr_assert(rp_interleave_parse("rr", &how, &err) && how.order == RP_ROUND_ROBIN &&
		  how.quantum == 1);
	cr_assert(rp_interleave_parse("rr:64", &how, &err) && how.order == RP_ROUND_ROBIN &&
		  how.quantum == 64);
	cr_assert(how.seed == 5 && how.memory == 6);
	cr_assert(rp_interleave_parse("rate:2,0.5", &how, &err) && how.order == RP_RATE);
	cr_assert(how.n_rates == 2 && how.rates[0] == 2 && how.rates[1] == 0.5);
	free(how.rates);
}

RP_TEST(interleave_parse, the_rest_is_refused)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "rr:0", "'rr:0': a turn has at least 1 access" },
		{ "rate:1,0", "rate '0' is not above 0" },
		{ "rate:-1", "rate '-1' is not above 0" },
		{ "rrr", "'rrr' is none of recorded, time, rr[:QUANTUM], random, rate:R1,R2,..." },
		{ "", "'' is none of recorded, time, rr[:QUANTUM], random, rate:R1,R2,..." },
	};
	struct rp_interleave how = { .quantum = 9 };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		cr_assert_not(rp_interleave_parse(bad[i].text, &how, &err));
		cr_assert_str_eq(err.text, bad[i].message);
		cr_assert_eq(err.code, RP_USAGE);
	}
	cr_assert_not(rp_interleave_parse("rr:x", &how, &err));
	cr_assert_not(rp_interleave_parse("rate:", &how, &err));
	cr_assert_not(rp_interleave_parse("rate:1,,2", &how, &err));
	cr_assert_eq(how.quantum, 9);
}

/* Three streams: 0 has 1 2 3 4, 1 has 11 12, 2 has 21. */
static const struct rp_access three[] = {
	{ .addr = 21, .stream = 2, .size = 1, .time = 5 },
	{ .addr = 1, .stream = 0, .size = 1, .time = 3 },
	{ .addr = 11, .stream = 1, .size = 1, .time = 3 },
	{ .addr = 2, .stream = 0, .size = 1, .time = 3 },
	{ .addr = 3, .stream = 0, .size = 1, .time = 6 },
	{ .addr = 12, .stream = 1, .size = 1, .time = 9 },
	{ .addr = 4, .stream = 0, .size = 1, .time = 8 },
};

/* The same as three sources of one stream each. */
static const struct rp_access apart[3][4] = {
	{ { .addr = 1, .size = 1, .time = 3 }, { .addr = 2, .size = 1, .time = 3 },
	    { .addr = 3, .size = 1, .time = 6 }, { .addr = 4, .size = 1, .time = 8 } },
	{ { .addr = 11, .size = 1, .time = 3 }, { .addr = 12, .size = 1, .time = 9 } },
	{ { .addr = 21, .size = 1, .time = 5 } },
};
static const size_t apart_n[3] = { 4, 2, 1 };

static void
assert_addrs(struct rp_source *s, const uint64_t *want, size_t n)
{
	cr_assert(s, "%s", err.text);
	for (size_t i = 0; i < n; i++) {
		struct rp_batch *b = rp_batch_new(1, RP_COL_ALL, &err);
		cr_assert_eq(rp_source_pull(s, b, &err), 1, "%zu: %s", i, err.text);
		cr_assert_eq(
		    b->addr[0], want[i], "place %zu: %d, not %d", i, (int)b->addr[0], (int)want[i]);
		rp_batch_free(b);
	}
	struct rp_batch *b = rp_batch_new(1, RP_COL_ALL, &err);
	cr_assert_eq(rp_source_pull(s, b, &err), 0);
	rp_batch_free(b);
	rp_source_close(s);
}

RP_TEST(interleave, hand_worked_orders_of_one_trace_and_of_three)
{
	static const struct {
		const char *how;
		uint64_t one[7], three[7];
	} order[] = {
		{ "recorded", { 21, 1, 11, 2, 3, 12, 4 }, { 1, 2, 3, 4, 11, 12, 21 } },
		/* Equal times (3): as recorded, or by source. */
		{ "time", { 1, 11, 2, 21, 3, 4, 12 }, { 1, 2, 11, 21, 3, 4, 12 } },
		{ "rr", { 1, 11, 21, 2, 12, 3, 4 }, { 1, 11, 21, 2, 12, 3, 4 } },
		{ "rr:2", { 1, 2, 11, 12, 21, 3, 4 }, { 1, 2, 11, 12, 21, 3, 4 } },
		{ "rr:3", { 1, 2, 3, 11, 12, 21, 4 }, { 1, 2, 3, 11, 12, 21, 4 } },
		/* Due: stream 0 at 1/2, 1, 3/2, 2; stream 1 at 1, 2; stream 2, with the last rate, at 1. */
		{ "rate:2,1", { 1, 2, 11, 21, 3, 4, 12 }, { 1, 2, 11, 21, 3, 4, 12 } },
		/* Stream 0 at 1, 2, 3, 4; stream 1 at 1/4, 1/2; stream 2 at 1/8. */
		{ "rate:1,4,8", { 21, 11, 12, 1, 2, 3, 4 }, { 21, 11, 12, 1, 2, 3, 4 } },
	};
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		struct rp_interleave how = { 0 };
		cr_assert(rp_interleave_parse(order[i].how, &how, &err));
		struct rp_source *in[3] = { rows_new(three, 7, 3, RP_COL_STREAM | RP_COL_TIME) };
		assert_addrs(rp_interleave_open(in, 1, &how, &err), order[i].one, 7);
		for (size_t k = 0; k < 3; k++)
			in[k] = rows_new(apart[k], apart_n[k], 2, RP_COL_TIME);
		assert_addrs(rp_interleave_open(in, 3, &how, &err), order[i].three, 7);
		free(how.rates);
	}
}

RP_TEST(interleave, nothing_to_do_returns_the_source_itself)
{
	struct rp_source *in = rows_new(three, 7, 3, RP_COL_STREAM);
	struct rp_interleave how = { .order = RP_RECORDED };
	cr_assert_eq(rp_interleave_open(&in, 1, &how, &err), in);
	rp_source_close(in);
	in = rows_new(apart[0], 4, 3, 0);
	how.order = RP_ROUND_ROBIN;
	cr_assert_eq(rp_interleave_open(&in, 1, &how, &err), in);
	rp_source_close(in);
}

RP_TEST(interleave, rows_of_an_instruction_stay_together)
{
	static const struct rp_access row[] = {
		{ .addr = 1, .stream = 0, .size = 1 },
		{ .addr = 2, .stream = 0, .size = 1, .flags = RP_SAME_INSTR },
		{ .addr = 3, .stream = 0, .size = 1, .flags = RP_SAME_INSTR },
		{ .addr = 4, .stream = 0, .size = 1 },
		{ .addr = 11, .stream = 1, .size = 1 },
		{ .addr = 12, .stream = 1, .size = 1 },
		{ .addr = 13, .stream = 1, .size = 1, .flags = RP_SAME_INSTR },
		{ .addr = 14, .stream = 1, .size = 1 },
	};
	struct rp_interleave how = { .order = RP_ROUND_ROBIN, .quantum = 1 };
	struct rp_source *in = rows_new(row, 8, 3, RP_COL_STREAM | RP_COL_FLAGS);
	assert_addrs(
	    rp_interleave_open(&in, 1, &how, &err), (uint64_t[]){ 1, 2, 3, 11, 4, 12, 13, 14 }, 8);
	how.quantum = 2;
	in = rows_new(row, 8, 3, RP_COL_STREAM | RP_COL_FLAGS);
	assert_addrs(
	    rp_interleave_open(&in, 1, &how, &err), (uint64_t[]){ 1, 2, 3, 11, 12, 13, 4, 14 }, 8);
	struct rp_source *two[] = { rows_new(row, 4, 3, RP_COL_FLAGS),
		rows_new(row + 4, 4, 3, RP_COL_FLAGS) };
	assert_addrs(
	    rp_interleave_open(two, 2, &how, &err), (uint64_t[]){ 1, 2, 3, 11, 12, 13, 4, 14 }, 8);
}

RP_TEST(interleave, no_access_crosses_a_mark)
{
	static const struct rp_access row[] = {
		{ .addr = 11, .stream = 1, .size = 1 },
		{ .addr = 12, .stream = 1, .size = 1 },
		{ .addr = 1, .stream = 0, .size = 1 },
		{ .addr = 100, .size = 1, .kind = RP_INVALIDATE },
		{ .addr = 2, .stream = 0, .size = 1 },
		{ .addr = 3, .stream = 0, .size = 1 },
		{ .addr = 13, .stream = 1, .size = 1 },
	};
	struct rp_interleave how = { .order = RP_ROUND_ROBIN, .quantum = 1 };
	struct rp_source *in = rows_new(row, 7, 9, RP_COL_STREAM);
	assert_addrs(
	    rp_interleave_open(&in, 1, &how, &err), (uint64_t[]){ 1, 11, 12, 100, 2, 13, 3 }, 7);
	/* Of two sources both go up to their marks; one has none. */
	static const struct rp_access other[] = { { .addr = 51, .size = 1 },
		{ .addr = 52, .size = 1 } };
	struct rp_source *two[] = { rows_new(row + 2, 4, 9, 0), rows_new(other, 2, 9, 0) };
	assert_addrs(
	    rp_interleave_open(two, 2, &how, &err), (uint64_t[]){ 1, 51, 52, 100, 2, 3 }, 6);
}

RP_TEST(interleave, streams_of_several_traces_get_numbers_of_their_own)
{
	for (int order = RP_RECORDED; order <= RP_RATE; order++) {
		struct rp_interleave how = { .order = (enum rp_order)order, .quantum = 1 };
		struct rp_source *in[] = { rows_new(apart[0], 4, 3, RP_COL_TIME),
			rows_new(three, 7, 3, RP_COL_STREAM | RP_COL_TIME),
			rows_new(apart[1], 2, 9, RP_COL_TIME) };
		rp_trace_source(in[0]->trace, "a", &err);
		rp_trace_source(in[1]->trace, "b", &err);
		rp_trace_skip(in[1]->trace, "text", 3);
		rp_trace_skip(in[2]->trace, "text", 4);
		if (order == RP_TIME)
			in[1]->trace->columns |= RP_COL_PC;
		struct rp_source *s = rp_interleave_open(in, 3, &how, &err);
		cr_assert(s, "%s", err.text);
		size_t n, seen[5] = { 0 };
		struct rp_access *all = rows_all(s, 5, &n, &err);
		cr_assert_eq(n, 13);
		for (size_t i = 0; i < n; i++) {
			cr_assert_lt(all[i].stream, 5);
			seen[all[i].stream]++;
		}
		cr_assert(
		    seen[0] == 4 && seen[1] == 4 && seen[2] == 2 && seen[3] == 1 && seen[4] == 2);
		cr_assert(s->trace->columns & RP_COL_STREAM);
		cr_assert_eq(!(s->trace->columns & RP_COL_PC), order != RP_TIME);
		cr_assert(s->trace->n_sources == 2 && !strcmp(s->trace->sources[1], "b"));
		cr_assert(s->trace->n_skipped == 1 && s->trace->skipped[0].n == 7);
		rp_source_close(s);
		free(all);
	}
}

RP_TEST(interleave, kernels_of_several_traces_are_told_apart)
{
	static const struct rp_access row[] = { { .addr = 1, .size = 1 },
		{ .addr = 0, .size = 1, .kind = RP_KERNEL_END }, { .addr = 2, .size = 1 },
		{ .addr = 1, .size = 1, .kind = RP_KERNEL_END } };
	for (int order = RP_RECORDED; order <= RP_ROUND_ROBIN; order += 2) {
		for (int named = 0; named < 2; named++) {
			struct rp_source *in[] = { rows_new(row, 4, 9, 0), rows_new(row, 4, 9, 0) };
			for (int i = 0; named && i < 4; i++)
				rp_trace_kernel(in[i / 2]->trace, &err)->id = (uint64_t)i;
			struct rp_interleave how = { .order = (enum rp_order)order, .quantum = 1 };
			struct rp_source *s = rp_interleave_open(in, 2, &how, &err);
			size_t n, ends = 0;
			struct rp_access *all = rows_all(s, 5, &n, &err);
			bool seen[4] = { 0 };
			for (size_t i = 0; i < n; i++)
				if (all[i].kind == RP_KERNEL_END) {
					cr_assert(all[i].addr < 4 && !seen[all[i].addr]);
					seen[all[i].addr] = true;
					ends++;
				}
			cr_assert_eq(ends, 4);
			cr_assert_eq(s->trace->n_kernels, named ? 4 : 0);
			rp_source_close(s);
			free(all);
		}
	}
}

static void
assert_fails(struct rp_source *s, const char *text)
{
	size_t n;
	err = (struct rp_err){ 0 };
	free(rows_all(s, 4, &n, &err));
	cr_assert_eq(n, SIZE_MAX);
	cr_assert_str_eq(err.text, text);
	cr_assert_eq(err.code, RP_INPUT);
	rp_source_close(s);
}

RP_TEST(interleave, times_must_be_there_and_rise)
{
	static const struct rp_access row[] = { { .addr = 1, .size = 1, .time = 5 },
		{ .addr = 2, .size = 1, .time = 4 } };
	struct rp_interleave how = { .order = RP_TIME };
	struct rp_source *in = rows_new(row, 2, 9, RP_COL_STREAM);
	cr_assert_null(rp_interleave_open(&in, 1, &how, &err));
	cr_assert_str_eq(err.text, "rows: has no times to interleave by");
	cr_assert_eq(err.code, RP_INPUT);
	in = rows_new(row, 2, 9, RP_COL_TIME);
	assert_fails(rp_interleave_open(&in, 1, &how, &err),
	    "rows: time 4 after 5: times that fall within a stream give no order");
	in = rows_new(row, 2, 9, RP_COL_TIME | RP_COL_STREAM);
	assert_fails(rp_interleave_open(&in, 1, &how, &err),
	    "rows: time 4 after 5 in stream 0: times that fall within a stream give no order");
}

RP_TEST(interleave, errors_of_a_source_are_passed_on)
{
	for (int order = RP_RECORDED; order <= RP_RATE; order++) {
		struct rp_interleave how = { .order = (enum rp_order)order, .quantum = 1 };
		struct rp_source *in[] = { rows_new(three, 7, 9, RP_COL_STREAM | RP_COL_TIME),
			rows_new(apart[0], 4, 1, RP_COL_TIME) };
		((struct rows *)in[1])->fail_at = 2;
		assert_fails(rp_interleave_open(in, 2, &how, &err), "row 2 is bad");
	}
}

RP_TEST(interleave, stream_numbers_that_do_not_fit_are_refused)
{
	static const struct rp_access high[] = { { .addr = 1, .size = 1, .stream = UINT32_MAX } };
	for (int order = RP_RECORDED; order <= RP_RATE; order++) {
		struct rp_interleave how = { .order = (enum rp_order)order, .quantum = 1 };
		struct rp_source *in[] = { rows_new(high, 1, 9, RP_COL_STREAM | RP_COL_TIME),
			rows_new(high, 1, 1, RP_COL_TIME | RP_COL_STREAM) };
		struct rp_source *s = rp_interleave_open(in, 2, &how, &err);
		size_t n;
		free(rows_all(s, 9, &n, &err));
		cr_assert_eq(n, SIZE_MAX);
		cr_assert(
		    strstr(err.text, "to be told from those of the other traces"), "%s", err.text);
		rp_source_close(s);
	}
}

/* --- Against the model. */

enum { MODEL_STREAMS = 40, SOURCES_MOST = 4 };

struct trace {
	struct rp_access *row;
	size_t n;
	unsigned columns;
};

static struct trace
random_trace(struct rp_rng *rng)
{
	struct trace t = { calloc(3000, sizeof *t.row), rp_rng_below(rng, 3000),
		RP_COL_TIME | RP_COL_FLAGS };
	uint64_t streams = 1 + rp_rng_below(rng, MODEL_STREAMS), time = 0,
		 marks = rp_rng_below(rng, 3) * 400;
	if (rp_rng_below(rng, 4))
		t.columns |= RP_COL_STREAM;
	for (size_t i = 0; i < t.n; i++) {
		struct rp_access *a = &t.row[i];
		time += rp_rng_below(rng, 3);
		a->addr = rp_rng_next(rng);
		a->size = 1;
		a->time = time;
		if (t.columns & RP_COL_STREAM)
			a->stream = (uint32_t)rp_rng_below(rng, 1 + rp_rng_below(rng, streams));
		a->flags = rp_rng_below(rng, 3) ? 0 : RP_SAME_INSTR;
		if (marks && !rp_rng_below(rng, marks))
			*a = (struct rp_access){ .addr = i, .size = 1, .kind = RP_HOST_COPY };
	}
	return t;
}

static struct rp_source *
join(const struct trace *t, size_t n, const struct rp_interleave *how, size_t piece)
{
	struct rp_source *in[SOURCES_MOST];
	for (size_t k = 0; k < n; k++)
		in[k] = rows_new(t[k].row, t[k].n, piece, t[k].columns);
	struct rp_source *s = rp_interleave_open(in, n, how, &err);
	cr_assert(s, "%s", err.text);
	return s;
}

/* A lane of the model: the rows of one stream up to the mark, by place in the source. */
struct lane {
	size_t source, *at, n, done;
	uint32_t stream;
};

static double
model_key(const struct trace *t, const struct lane *l, const struct rp_interleave *how)
{
	if (how->order == RP_TIME)
		return (double)t[l->source].row[l->at[l->done]].time;
	size_t r = l->stream < how->n_rates ? l->stream : how->n_rates - 1;
	return (double)(l->done + 1) / how->rates[r];
}

/* The lane that is next, by looking at all; SIZE_MAX when there is none. */
static size_t
model_next(const struct trace *t, const struct lane *lane, size_t n, size_t last,
    const struct rp_interleave *how)
{
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < n; i++) {
		size_t k = how->order == RP_ROUND_ROBIN ? (last + 1 + i) % n : i;
		if (lane[k].done == lane[k].n)
			continue;
		if (how->order == RP_ROUND_ROBIN)
			return k;
		if (best == SIZE_MAX) {
			best = k;
			continue;
		}
		double a = model_key(t, &lane[k], how), b = model_key(t, &lane[best], how);
		bool earlier = how->order == RP_TIME && lane[k].source == lane[best].source &&
		               lane[k].at[lane[k].done] < lane[best].at[lane[best].done];
		if (a < b || (a == b && earlier))
			best = k;
	}
	return best;
}

/* Numbers of streams: those below range[k][i] from base[k][i] on, i growing with the rounds. */
struct numbers {
	uint32_t range[SOURCES_MOST];
	uint32_t number[SOURCES_MOST][MODEL_STREAMS];
	uint32_t all;
};

static size_t
model(const struct trace *t, size_t n, const struct rp_interleave *how, struct rp_access *out)
{
	struct numbers num = { .all = 0 };
	size_t at[SOURCES_MOST] = { 0 }, made = 0;
	for (bool more = true; more;) {
		struct lane lane[SOURCES_MOST * MODEL_STREAMS];
		size_t lanes = 0, end[SOURCES_MOST];
		more = false;
		for (size_t k = 0; k < n; k++) {
			uint32_t greatest = t[k].columns & RP_COL_STREAM ? 0 : 1;
			for (end[k] = at[k]; end[k] < t[k].n && t[k].row[end[k]].kind < RP_MARKS;
			     end[k]++)
				if (t[k].row[end[k]].stream >= greatest)
					greatest = t[k].row[end[k]].stream + 1;
			for (; num.range[k] < greatest; num.range[k]++)
				num.number[k][num.range[k]] = n == 1 ? num.range[k] : num.all++;
			for (uint32_t s = 0; s < MODEL_STREAMS; s++) {
				struct lane l = { k, calloc(3000, sizeof *l.at), 0, 0,
					num.number[k][s] };
				for (size_t i = at[k]; i < end[k]; i++)
					if (t[k].row[i].stream == s)
						l.at[l.n++] = i;
				if (l.n)
					lane[lanes++] = l;
				else
					free(l.at);
			}
		}
		for (size_t last = lanes - 1, next;
		     (next = model_next(t, lane, lanes, last, how)) != SIZE_MAX; last = next) {
			struct lane *l = &lane[next];
			const struct rp_access *row = t[l->source].row;
			uint64_t turn = how->order == RP_ROUND_ROBIN ? how->quantum : 1;
			for (uint64_t i = 0;
			     l->done < l->n &&
			     (i < turn || row[l->at[l->done]].flags & RP_SAME_INSTR);
			     i++) {
				out[made] = row[l->at[l->done++]];
				out[made++].stream = l->stream;
			}
		}
		for (size_t i = 0; i < lanes; i++)
			free(lane[i].at);
		for (size_t k = 0; k < n; k++)
			for (at[k] = end[k]; at[k] < t[k].n && t[k].row[at[k]].kind >= RP_MARKS;
			     at[k]++) {
				out[made] = t[k].row[at[k]];
				out[made++].stream = n == 1         ? 0
				                     : num.range[k] ? num.number[k][0]
				                                    : 0;
			}
		for (size_t k = 0; k < n; k++)
			more |= at[k] < t[k].n;
	}
	return made;
}

RP_TEST(interleave, agrees_with_the_model)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("interleave"), "tests/interleave", 0);
	static double rates[] = { 3, 0.7, 1, 1, 10 };
	struct rp_access *want = calloc(3000 * SOURCES_MOST, sizeof *want);
	for (unsigned i = 0; i < 60 * rp_test_scale(); i++) {
		static const enum rp_order orders[] = { RP_TIME, RP_ROUND_ROBIN, RP_RATE };
		struct rp_interleave how = { .order = orders[i % 3],
			.rates = rates,
			.n_rates = 1 + rp_rng_below(&rng, 5),
			.quantum = 1 + rp_rng_below(&rng, 5),
			.memory = i % 2 ? 1 : 0 };
		struct trace t[SOURCES_MOST];
		size_t n = 1 + rp_rng_below(&rng, SOURCES_MOST), got;
		for (size_t k = 0; k < n; k++)
			t[k] = random_trace(&rng);
		struct rp_source *s = join(t, n, &how, 1 + rp_rng_below(&rng, 5000));
		struct rp_access *all = rows_all(s, 1 + rp_rng_below(&rng, 500), &got, &err);
		size_t made = model(t, n, &how, want);
		cr_assert_eq(got, made, "%zu rows, not %zu: %s", got, made, err.text);
		for (size_t r = 0; r < made; r++)
			cr_assert(rows_same(&all[r], &want[r]),
			    "run %u (order %d, %zu sources): row %zu: stream %u, not %u", i,
			    how.order, n, r, all[r].stream, want[r].stream);
		rp_source_close(s);
		free(all);
		for (size_t k = 0; k < n; k++)
			free(t[k].row);
	}
	free(want);
}

static int
by_place(const void *a, const void *b)
{
	uint64_t x = ((const struct rp_access *)a)->addr, y = ((const struct rp_access *)b)->addr;
	return (x > y) - (x < y);
}

RP_TEST(interleave, random_keeps_each_stream_and_depends_on_the_seed_alone)
{
	struct rp_rng rng = rp_rng_for(rp_test_seed("interleave_random"), "tests/interleave", 1);
	for (unsigned i = 0; i < 10 * rp_test_scale(); i++) {
		struct trace t = random_trace(&rng);
		t.columns |= RP_COL_STREAM;
		for (size_t r = 0; r < t.n; r++)
			t.row[r].addr = r;
		struct rp_interleave how = { .order = RP_RANDOM, .seed = i };
		struct rp_source *s = join(&t, 1, &how, 4096);
		size_t n, again;
		struct rp_access *all = rows_all(s, 4096, &n, &err);
		rp_source_close(s);
		cr_assert_eq(n, t.n);
		uint64_t next[MODEL_STREAMS] = { 0 }, least = 0;
		for (size_t r = 0; r < n; r++) {
			uint64_t *after = &next[all[r].stream];
			cr_assert(all[r].addr >= *after && all[r].addr >= least);
			*after = all[r].addr + 1;
			if (all[r].kind >= RP_MARKS) {
				cr_assert_eq(all[r].addr,
				    r); /* a barrier: as many rows before it as there were */
				least = r;
			}
		}
		how.memory = 1;
		s = join(&t, 1, &how, 77);
		struct rp_access *spilled = rows_all(s, 33, &again, &err);
		cr_assert_eq(again, n);
		for (size_t r = 0; r < n; r++)
			cr_assert(rows_same(&all[r], &spilled[r]));
		rp_source_close(s);
		qsort(all, n, sizeof *all, by_place);
		for (size_t r = 0; r < n; r++)
			cr_assert(rows_same(&all[r], &t.row[r]) || t.row[r].kind >= RP_MARKS);
		free(all);
		free(spilled);
		free(t.row);
	}
}

RP_TEST(interleave, random_is_even_between_streams)
{
	/* Of two streams of 2,000, the first 2,000 rows hold 1,000 of each, give or take 5 sigma (22 each). */
	static struct rp_access row[4000];
	for (size_t i = 0; i < 4000; i++)
		row[i] = (struct rp_access){ .addr = i, .size = 1, .stream = i >= 2000 };
	struct rp_interleave how = { .order = RP_RANDOM, .seed = 42 };
	struct rp_source *in = rows_new(row, 4000, 4000, RP_COL_STREAM),
			 *s = rp_interleave_open(&in, 1, &how, &err);
	size_t n, first = 0;
	struct rp_access *all = rows_all(s, 4096, &n, &err);
	for (size_t i = 0; i < 2000; i++)
		first += all[i].stream == 0;
	cr_assert(first > 890 && first < 1110, "%zu", first);
	rp_source_close(s);
	free(all);
}

RP_TEST(interleave, spilling_is_told)
{
	struct rp_access *row = calloc(5000, sizeof *row);
	for (size_t i = 0; i < 5000; i++)
		row[i] = (struct rp_access){ .addr = i, .size = 1, .stream = i % 7 };
	struct rp_interleave how = { .order = RP_ROUND_ROBIN, .memory = 65536 };
	struct rp_source *in[2] = { rows_new(row, 5000, 4000, RP_COL_STREAM) };
	struct rp_source *s = rp_interleave_open(in, 1, &how, &err);
	size_t n;
	free(rows_all(s, 4096, &n, &err));
	cr_assert_eq(s->trace->n_warnings, 1);
	cr_assert_str_eq(s->trace->warnings[0],
	    "the streams did not fit in 64KiB of memory and went through a temporary file");
	rp_source_close(s);
	in[0] = rows_new(row, 5000, 4000, RP_COL_STREAM);
	in[1] = rows_new(row, 5000, 4000, RP_COL_STREAM);
	s = rp_interleave_open(in, 2, &how, &err);
	free(rows_all(s, 4096, &n, &err));
	cr_assert_eq(s->trace->n_warnings, 1);
	rp_source_close(s);
	free(row);
}

RP_TEST(interleave, ten_thousand_streams_take_turns)
{
	enum { STREAMS = 10000, EACH = 6 };
	struct rp_access *row = calloc(STREAMS * EACH, sizeof *row);
	for (uint32_t i = 0; i < STREAMS * EACH; i++)
		row[i] = (struct rp_access){
			.addr = i % EACH, .size = 1, .stream = i / EACH, .time = i % EACH
		};
	for (int order = RP_TIME; order <= RP_RATE; order++) {
		if (order == RP_RANDOM)
			continue;
		/* All alike: every stream's first, every stream's second ... */
		struct rp_interleave how = {
			.order = (enum rp_order)order, .quantum = 1, .memory = 1 << 20
		};
		struct rp_source *in =
		    rows_new(row, STREAMS * EACH, 9999, RP_COL_STREAM | RP_COL_TIME);
		struct rp_source *s = rp_interleave_open(&in, 1, &how, &err);
		size_t n;
		struct rp_access *all = rows_all(s, 4096, &n, &err);
		cr_assert_eq(n, STREAMS * EACH, "%s", err.text);
		for (uint32_t i = 0; i < n; i++)
			cr_assert(all[i].stream == i % STREAMS && all[i].addr == i / STREAMS);
		free(all);
		rp_source_close(s);
	}
	free(row);
}

RP_TEST(interleave, nothing_is_handed_on_once_stopped)
{
	volatile sig_atomic_t stop = 0;
	struct rp_interleave how = { .order = RP_ROUND_ROBIN, .stop = &stop };
	struct rp_source *in = rows_new(three, 7, 2, RP_COL_STREAM);
	struct rp_source *s = rp_interleave_open(&in, 1, &how, &err);
	struct rp_batch *b = rp_batch_new(2, RP_COL_ALL, &err);
	cr_assert_eq(rp_source_pull(s, b, &err), 2);
	stop = 1;
	rp_batch_clear(b);
	cr_assert(rp_source_pull(s, b, &err) == 0 && b->n == 0);
	rp_source_close(s);
	rp_batch_free(b);
}

RP_TEST(interleave, streams_that_never_end_are_refused)
{
	struct rp_interleave how = { .order = RP_ROUND_ROBIN };
	struct rp_source *in = rows_new(three, 7, 2, RP_COL_STREAM);
	in->trace->endless = true;
	cr_assert_null(rp_interleave_open(&in, 1, &how, &err));
	cr_assert_eq(err.code, RP_USAGE);
	cr_assert_str_eq(
	    err.text, "rows never ends by itself: to interleave its streams, wanted limit=N in it");
}
