/* test_opt.c - tests sim/policy/opt.c, sim/opt.c and what tells them the future, against searches and an obvious MIN. */
#include "tests/sim/replay_check.h"

#include "base/rng.h"
#include "sim/cache.h"
#include "sim/lookup.h"

static const enum rp_level levels[] = { RP_LEVEL_BEST, RP_LEVEL_MODEL, RP_LEVEL_C, RP_LEVEL_V3,
	RP_LEVEL_V4 };

enum { LEVELS = sizeof levels / sizeof *levels };

/* ---- An obvious MIN: what happens, one line at a time, and how far ahead each line is wanted, found by looking ---- */

struct event {
	uint64_t line, last; /* a mark: first and last line */
	uint8_t kind;
	uint32_t bytes; /* of the line that are touched */
	bool begins;    /* its access */
};

struct events {
	struct event *e;
	size_t n, cap;
};

static void
add_event(struct events *to, struct event e)
{
	if (to->n == to->cap)
		to->e = realloc(to->e, (to->cap = to->cap ? 2 * to->cap : 64) * sizeof *to->e);
	to->e[to->n++] = e;
}

static struct events
events_of(const struct rp_batch *b, uint32_t line)
{
	struct events all = { 0 };
	for (size_t i = 0; i < b->n; i++) {
		uint64_t at = b->addr[i], end = at + b->size[i] - 1;
		if (b->kind[i] >= RP_MARKS) {
			add_event(
			    &all, (struct event){ at / line, end / line, b->kind[i], 0, true });
			continue;
		}
		for (uint64_t l = at / line; l <= end / line; l++) {
			uint64_t low = l * line, high = low + line - 1;
			low = low < at ? at : low;
			high = high > end ? end : high;
			add_event(&all, (struct event){ l, l, b->kind[i],
					    (uint32_t)(high - low + 1), l == at / line });
		}
	}
	return all;
}

enum { NEVER = INT32_MAX };

/* Number of the event that looks the line up next after event i; NEVER if it is dropped before that. */
static size_t
next_use(const struct events *all, size_t i)
{
	uint64_t line = all->e[i].line;
	for (size_t k = i + 1; k < all->n; k++) {
		const struct event *e = &all->e[k];
		if (e->kind == RP_INVALIDATE && line >= e->line && line <= e->last)
			return NEVER;
		if (e->kind < RP_MARKS && e->line == line)
			return k;
	}
	return NEVER;
}

struct way {
	uint64_t line;
	size_t next, used; /* events */
	bool valid, dirty;
};

struct min {
	const struct rp_cache_spec *spec;
	struct way *way;
	struct rp_counters c;
	bool open_missed;
};

/* The way that is wanted last; of those that are never wanted the one used longest ago. */
static struct way *
farthest(struct way *set, uint32_t ways)
{
	struct way *best = set;
	for (struct way *w = set + 1; w < set + ways; w++)
		if (w->next > best->next || (w->next == best->next && w->used < best->used))
			best = w;
	return best;
}

/* Whether the lookup missed. */
static bool
min_lookup(struct min *m, const struct events *all, size_t i)
{
	const struct rp_cache_spec *s = m->spec;
	const struct event *e = &all->e[i];
	struct way *set = m->way + e->line % s->sets * s->ways, *w = set;
	bool dirties = e->kind == RP_WRITE || e->kind == RP_ATOMIC,
	     back = s->write == RP_WRITE_BACK;
	size_t next = next_use(all, i);
	if (!back && dirties)
		m->c.bytes_written += e->bytes;
	for (; w < set + s->ways; w++)
		if (w->valid && w->line == e->line) {
			w->next = next;
			w->used = i;
			w->dirty |= dirties && back;
			return false;
		}
	for (w = set; w < set + s->ways && w->valid;)
		w++;
	bool room = w < set + s->ways;
	if (!room)
		w = farthest(set, s->ways);
	if ((e->kind == RP_WRITE && s->allocate == RP_ALLOCATE_NO_WRITE) ||
	    (!room && s->arg[0] && next > w->next)) {
		m->c.bytes_written += dirties && back ? e->bytes : 0;
		return true;
	}
	m->c.evictions += !room;
	m->c.writebacks += !room && w->dirty;
	m->c.bytes_written += !room && w->dirty ? s->line : 0;
	m->c.fills++;
	m->c.bytes_filled += s->line;
	*w = (struct way){ e->line, next, i, true, dirties && back };
	return true;
}

static void
min_mark(struct min *m, const struct event *e)
{
	const struct rp_cache_spec *s = m->spec;
	for (struct way *w = m->way; w < m->way + (size_t)s->sets * s->ways; w++) {
		if (!w->valid || w->line < e->line || w->line > e->last)
			continue;
		if (e->kind == RP_COPY_BACK && w->dirty) {
			m->c.writebacks++;
			m->c.bytes_written += s->line;
			w->dirty = false;
		}
		if (e->kind == RP_INVALIDATE)
			*w = (struct way){ 0 };
	}
}

static void
count_lookup(struct min *m, const struct event *e, bool missed)
{
	m->c.accesses += e->begins;
	m->c.lookups++;
	m->c.hits += !missed;
	m->c.misses += missed;
	*(e->kind == RP_WRITE ? &m->c.writes : &m->c.reads) += 1;
	*(e->kind == RP_WRITE ? &m->c.write_misses : &m->c.read_misses) += missed;
	m->c.ifetches += e->kind == RP_FETCH;
	m->c.ifetch_misses += e->kind == RP_FETCH && missed;
	m->c.atomics += e->kind == RP_ATOMIC;
	m->c.prefetches += e->kind == RP_PREFETCH;
	if (e->begins)
		m->open_missed = false;
	m->c.missed_accesses += missed && !m->open_missed;
	m->open_missed |= missed;
}

static struct rp_counters
obvious_min(const struct rp_cache_spec *s, const struct rp_batch *b, bool flush)
{
	struct events all = events_of(b, s->line);
	struct min m = { .spec = s, .way = calloc((size_t)s->sets * s->ways, sizeof *m.way) };
	for (size_t i = 0; i < all.n; i++)
		if (all.e[i].kind >= RP_MARKS)
			min_mark(&m, &all.e[i]);
		else
			count_lookup(&m, &all.e[i], min_lookup(&m, &all, i));
	if (flush)
		min_mark(&m, &(struct event){ 0, UINT64_MAX, RP_COPY_BACK, 0, true });
	free(m.way);
	free(all.e);
	return m.c;
}

/* ---- Against the replay ---- */

static struct rp_replay *
replay_by(const struct rp_cache_spec *s, size_t n, const struct rp_batch *b,
    const struct rp_replay_opts *o, size_t piece)
{
	struct rp_err err = { 0 };
	struct rp_replay *r = rp_replay_new(s, n, o, &err);
	struct rp_batch *part = rp_batch_new(piece, rp_batch_columns(b), &err);
	cr_assert(r && part, "%s", err.text);
	for (size_t at = 0; at < b->n; at += piece) {
		rp_batch_clear(part);
		rp_batch_append(part, b, at, b->n - at < piece ? b->n - at : piece);
		cr_assert(rp_replay_run(r, part, &err), "%s", err.text);
	}
	cr_assert(rp_replay_end(r, &err), "%s", err.text);
	rp_batch_free(part);
	return r;
}

static void
compare(const char *text, const struct rp_batch *b, bool flush)
{
	struct rp_cache_spec s;
	struct rp_err err = { 0 };
	cr_assert(rp_cache_spec_parse(text, 64, 3, &s, &err), "%s", err.text);
	struct rp_counters want = obvious_min(&s, b, flush), found;
	for (size_t i = 0; i < LEVELS; i++) {
		char place[160];
		struct rp_replay_opts o = { .level = levels[i], .flush = flush };
		if (!rp_level_runs(o.level))
			continue;
		struct rp_replay *r = replay_by(&s, 1, b, &o, i % 2 ? 4096 : 777);
		rp_replay_counters(r, 0, &found);
		snprintf(place, sizeof place, "%s at level %d", text, (int)o.level);
		expect_same(&found, &want, place);
		rp_replay_free(r);
	}
	rp_cache_spec_free(&s);
}

/* Accesses of up to `most` bytes with some locality, now and then a mark over a few lines. */
static struct rp_batch *
random_trace(struct rp_rng *rng, size_t n, uint64_t base, uint64_t lines, uint32_t most, bool marks)
{
	static const uint8_t kinds[] = { RP_ATOMIC, RP_PREFETCH, RP_FETCH, RP_WRITE };
	struct rp_batch *b = rp_batch_new(n, 0, NULL);
	uint64_t at = 0;
	while (b->n < n) {
		uint64_t r = rp_rng_next(rng);
		struct rp_access a = { .size = 1 + (uint32_t)rp_rng_below(rng, most),
			.kind = r >> 8 & 1 ? RP_WRITE : RP_READ };
		at = r % 8 < 2   ? at
		     : r % 8 < 5 ? rp_rng_below(rng, lines / 4 + 1)
		     : r % 8 < 7 ? rp_rng_below(rng, lines)
		                 : (at + 1) % lines;
		a.addr = base + at * 64 + (r >> 56 & 63);
		if ((r >> 16 & 15) == 0)
			a.kind = kinds[r >> 24 & 3];
		if (marks && (r >> 32 & 63) == 0) {
			a.kind = r >> 40 & 1   ? RP_INVALIDATE
			         : r >> 41 & 1 ? RP_COPY_BACK
			                       : RP_KERNEL_END;
			a.size = 64u << (r >> 48 & 3);
		}
		if (a.addr + a.size - 1 >= a.addr)
			rp_batch_put(b, &a);
	}
	return b;
}

static void
compare_random(struct rp_rng *rng, uint32_t sets, uint32_t ways, size_t n)
{
	static const uint64_t bases[] = { 0, UINT64_C(0x7f1234567000), UINT64_MAX - 0xfffff };
	char text[160];
	uint64_t r = rp_rng_next(rng), lines = (uint64_t)sets * ways;
	unsigned line = 16u << (r >> 4 & 3);
	snprintf(text, sizeof text, "opt,sets=%u,ways=%u,line=%u,write=%s,allocate=%s,bypass=%s",
	    sets, ways, line, r >> 8 & 3 ? "back" : "through", r >> 10 & 3 ? "write" : "no-write",
	    r >> 12 & 1 ? "yes" : "no");
	uint64_t footprint = 2 + lines * line / 64 * (1 + (r >> 32 & 7)) / 2;
	struct rp_batch *b = random_trace(rng, n, bases[(r >> 36 & 7) % 3],
	    footprint < 10000 ? footprint : 10000, r >> 40 & 1 ? 1 : 200, r >> 41 & 1);
	compare(text, b, r >> 44 & 1);
	rp_batch_free(b);
}

RP_TEST(belady, counts_as_the_obvious_min)
{
	struct rp_rng rng = { rp_test_seed("opt") };
	for (unsigned i = 0; i < 150 * rp_test_scale(); i++)
		compare_random(&rng, 1 + (uint32_t)rp_rng_below(&rng, i % 2 ? 9 : 64),
		    1 + (uint32_t)rp_rng_below(&rng, i % 3 ? 12 : 70), 4000);
}

RP_TEST(belady, fully_associative_it_counts_as_the_obvious_min)
{
	struct rp_rng rng = { rp_test_seed("opt full") };
	for (unsigned i = 0; i < 80 * rp_test_scale(); i++)
		compare_random(&rng, 1, 1 + (uint32_t)rp_rng_below(&rng, i % 4 ? 200 : 900), 6000);
}

RP_TEST(belady, stays_right_in_long_traces)
{
	struct rp_rng rng = { rp_test_seed("opt long") };
	static const uint32_t geometry[][2] = { { 64, 32 }, { 1, 32 }, { 64, 1 }, { 13, 7 },
		{ 1, 500 }, { 1, 3 } };
	for (size_t i = 0; i < sizeof geometry / sizeof *geometry; i++)
		compare_random(&rng, geometry[i][0], geometry[i][1], 100000);
}

/* ---- Against every choice there is ---- */

enum { LINES = 6, STEPS = 18 };

/* Fewest misses from step i on when the lines of `there` are present, over all choices of what to replace, and whether
 * to bring in with `bypass`. */
static unsigned
fewest(const unsigned *trace, unsigned i, unsigned there, unsigned sets, unsigned ways, bool bypass,
    unsigned char (*memo)[1 << LINES])
{
	unsigned line, best, of_set = 0;
	if (i == STEPS)
		return 0;
	if (memo[i][there])
		return memo[i][there] - 1u;
	line = trace[i];
	for (unsigned l = 0; l < LINES; l++)
		of_set |= l % sets == line % sets ? 1u << l : 0;
	if (there >> line & 1) {
		best = fewest(trace, i + 1, there, sets, ways, bypass, memo);
	} else if ((unsigned)__builtin_popcount(there & of_set) < ways) {
		best = 1 + fewest(trace, i + 1, there | 1u << line, sets, ways, bypass, memo);
	} else {
		best =
		    bypass ? 1 + fewest(trace, i + 1, there, sets, ways, bypass, memo) : UINT8_MAX;
		for (unsigned l = 0; l < LINES; l++) {
			if (!(there & of_set & 1u << l))
				continue;
			unsigned next = (there & ~(1u << l)) | 1u << line,
				 n = 1 + fewest(trace, i + 1, next, sets, ways, bypass, memo);
			best = n < best ? n : best;
		}
	}
	memo[i][there] = (unsigned char)(best + 1);
	return best;
}

RP_TEST(belady, misses_as_few_times_as_any_choice_can)
{
	struct rp_rng rng = { rp_test_seed("exhaustive") };
	for (unsigned round = 0; round < 400 * rp_test_scale(); round++) {
		unsigned trace[STEPS], sets = 1 + round % 3,
				       ways = 1 + (unsigned)rp_rng_below(&rng, 3);
		struct rp_batch *b = rp_batch_new(STEPS, 0, NULL);
		for (unsigned i = 0; i < STEPS; i++) {
			trace[i] = (unsigned)rp_rng_below(&rng, LINES);
			rp_batch_put(b, &(struct rp_access){ .addr = trace[i] * 64, .size = 1 });
		}
		for (int bypass = 0; bypass < 2; bypass++) {
			unsigned char memo[STEPS][1 << LINES] = { { 0 } };
			unsigned want = fewest(trace, 0, 0, sets, ways, bypass, memo);
			char text[80];
			snprintf(text, sizeof text, "opt,sets=%u,ways=%u,bypass=%s", sets, ways,
			    bypass ? "yes" : "no");
			for (size_t i = 0; i < LEVELS; i++)
				if (rp_level_runs(levels[i]))
					cr_assert_eq(
					    replay_one(text, b,
						&(struct rp_replay_opts){ .level = levels[i] })
						.misses,
					    want, "%s", text);
		}
		rp_batch_free(b);
	}
}

/* ---- Worked by hand, and laws ---- */

/* The reference string of Silberschatz, Galvin and Gagne, Operating System Concepts: 7 0 1 2 0 3 0 4 2 3 0 3 2 1 2 0 1 7 0 1
 * has 9 faults with three frames under the optimal algorithm, 12 under LRU and 15 under FIFO. */
RP_TEST(belady, has_the_textbook_s_nine_faults)
{
	static const char trace[] =
	    "R1c0 R0 R40 R80 R0 Rc0 R0 R100 R80 Rc0 R0 Rc0 R80 R40 R80 R0 R40 R1c0 "
	    "R0 R40";
	cr_assert_eq(replay_text("opt,size=192", trace, NULL).misses, 9);
	cr_assert_eq(replay_text("lru,size=192", trace, NULL).misses, 12);
	cr_assert_eq(replay_text("fifo,size=192", trace, NULL).misses, 15);
}

/* Two lines A B fit. C is wanted after both: with bypass=yes it is left out and A and B hit; without, B goes for C, since A
 * is wanted sooner, and B's miss then replaces C. The write of C is left out too: its byte goes down. Then A is dirty,
 * nothing is wanted any more, and D replaces B, used longer ago. */
RP_TEST(belady, leaves_out_what_is_wanted_last)
{
	struct rp_counters demand = replay_text("opt,size=128", "R0 R40 W80 R0 R40 W0 Rc0", NULL);
	struct rp_counters bypass =
	    replay_text("opt,size=128,bypass=yes", "R0 R40 W80 R0 R40 W0 Rc0", NULL);
	cr_assert_eq(demand.misses, 5);
	cr_assert_eq(demand.fills, 5);
	cr_assert_eq(demand.writebacks, 1); /* C */
	cr_assert_eq(bypass.misses, 4);
	cr_assert_eq(bypass.fills, 3);
	cr_assert_eq(bypass.evictions, 1);
	cr_assert_eq(bypass.writebacks, 0);
	cr_assert_eq(bypass.bytes_written, 1);
}

/* A is used again before B, but dropped before that: so A goes for C, and B hits. */
/* One sector an access, of which rows 0 to i - 1 have been seen. Sets of lines with sectors, and whether writes pass. */
struct sectored {
	uint32_t sets, ways, sectors;
	bool around;
};

/* Row that looks the same line up next, or n. */
static size_t
next_row(const struct rp_batch *b, size_t i, uint64_t line_bytes)
{
	size_t k = i + 1;
	while (k < b->n && b->addr[k] / line_bytes != b->addr[i] / line_bytes)
		k++;
	return k;
}

/* Misses of the obvious MIN: every lookup of a line that is there, of any kind, tells when it is wanted next. */
static uint64_t
sectored_misses(const struct sectored *g, const struct rp_batch *b)
{
	struct {
		uint64_t line, valid;
		size_t next;
	} way[4][4] = { 0 }, *w;
	uint64_t misses = 0;
	for (size_t i = 0; i < b->n; i++) {
		uint64_t unit = b->addr[i] / 32, line = unit / g->sectors, set = line % g->sets,
			 bit = UINT64_C(1) << unit % g->sectors;
		bool passes = g->around && b->kind[i] == RP_WRITE;
		uint32_t k = 0, last = 0;
		while (k < g->ways && !(way[set][k].valid && way[set][k].line == line))
			k++;
		if (k < g->ways)
			way[set][k].next = next_row(b, i, 32 * (uint64_t)g->sectors);
		misses += k == g->ways || !(way[set][k].valid & bit);
		if (passes)
			continue;
		if (k == g->ways) {
			for (k = 0; k < g->ways && way[set][k].valid; k++)
				last = way[set][k].next > way[set][last].next ? k : last;
			w = &way[set][k < g->ways ? k : last];
			w->line = line;
			w->valid = 0;
			w->next = next_row(b, i, 32 * (uint64_t)g->sectors);
		} else {
			w = &way[set][k];
		}
		w->valid |= bit;
	}
	return misses;
}

RP_TEST(belady, a_write_that_passes_a_line_with_sectors_is_a_use_of_it)
{
	struct rp_rng rng = { rp_test_seed("sectored MIN") };
	for (unsigned round = 0; round < 100 * rp_test_scale(); round++) {
		struct sectored g = { 1 + (uint32_t)rp_rng_below(&rng, 4),
			1 + (uint32_t)rp_rng_below(&rng, 4), 1u << rp_rng_below(&rng, 3),
			round & 1 };
		uint64_t units = 2 + rp_rng_below(&rng, 3 * (uint64_t)g.sets * g.ways * g.sectors);
		struct rp_batch *b = rp_batch_new(800, 0, NULL);
		char spec[160];
		for (size_t i = 0; i < 800; i++) {
			struct rp_access a = { .addr = 32 * rp_rng_below(&rng, units),
				.size = 4,
				.kind = rp_rng_below(&rng, 3) ? RP_READ : RP_WRITE };
			rp_batch_put(b, &a);
		}
		snprintf(spec, sizeof spec, "opt,sets=%u,ways=%u,line=%u,sector=32,allocate=%s",
		    g.sets, g.ways, 32 * g.sectors, g.around ? "no-write" : "write");
		cr_assert_eq(replay_one(spec, b, NULL).misses, sectored_misses(&g, b), "%s", spec);
		rp_batch_free(b);
	}
}

RP_TEST(belady, does_not_keep_what_will_be_invalidated)
{
	cr_assert_eq(replay_text("opt,size=128", "R0 R40 R80 D0 R0 R40 R80", NULL).misses, 5);
	cr_assert_eq(replay_text("opt,size=128", "R0 R40 R80 D0 R40 R80", NULL).misses, 3);
}

RP_TEST(belady, never_misses_more_than_another_policy)
{
	struct rp_rng rng = { rp_test_seed("others") };
	for (unsigned round = 0; round < 6 * rp_test_scale(); round++) {
		uint32_t sets = 1u << rp_rng_below(&rng, 5), ways = 1u << rp_rng_below(&rng, 6);
		struct rp_batch *b = random_trace(
		    &rng, 20000, 0, (uint64_t)sets * ways * (2 + round) / 2, 100, false);
		char text[80];
		snprintf(text, sizeof text, "opt,sets=%u,ways=%u", sets, ways);
		uint64_t least = replay_one(text, b, NULL).misses;
		snprintf(text, sizeof text, "opt,sets=%u,ways=%u,bypass=yes", sets, ways);
		cr_assert_leq(replay_one(text, b, NULL).misses, least);
		for (const struct rp_policy *const *p = rp_policies; *p; p++) {
			struct rp_cache_spec s;
			snprintf(text, sizeof text, "%s,sets=%u,ways=%u", (*p)->name, sets, ways);
			if (!rp_cache_spec_parse(text, 64, 1, &s, NULL))
				continue; /* its definition forbids the geometry, or it wants more keys */
			rp_cache_spec_free(&s);
			cr_assert_geq(replay_one(text, b, NULL).misses, least, "%s", text);
		}
		rp_batch_free(b);
	}
}

/* More ways at the same sets never hurt (Mattson et al., 1970: MIN is a stack algorithm). */
RP_TEST(belady, never_misses_more_with_more_ways)
{
	struct rp_rng rng = { rp_test_seed("inclusion") };
	struct rp_batch *b = random_trace(&rng, 8000, 0, 500, 64, false);
	for (int sets = 1; sets < 20; sets += 6) {
		uint64_t before = UINT64_MAX;
		for (int ways = 1; ways < 70; ways += 3) {
			char text[64];
			snprintf(text, sizeof text, "opt,sets=%d,ways=%d", sets, ways);
			uint64_t now = replay_one(text, b, NULL).misses;
			cr_assert_leq(now, before);
			before = now;
		}
	}
	rp_batch_free(b);
}

/* Any division into batches, and any company, gives the same: lines of several sizes, several caches of one. */
RP_TEST(belady, batches_and_company_change_nothing)
{
	static const char *const texts[] = { "opt,size=4k,ways=4", "lru,size=4k,ways=4",
		"opt,size=6k,ways=3,line=32,bypass=yes", "opt,size=20k",
		"opt,size=30k,write=through,line=32", "opt,size=4k,ways=8,allocate=no-write",
		"opt,size=16k,line=16", "fifo,size=6k,line=16" };
	enum { N = sizeof texts / sizeof *texts };
	static const size_t pieces[] = { 1, 7, 1023, 4096, 20000 };
	struct rp_cache_spec s[N];
	struct rp_rng rng = { rp_test_seed("batches") };
	struct rp_batch *rows = random_trace(&rng, 9001, 1 << 20, 500, 300, true),
			*b = rp_batch_new(9001, RP_COL_STREAM | RP_COL_FLAGS | RP_COL_TIME, NULL);
	rp_batch_append(b, rows, 0, rows->n);
	for (size_t i = 0; i < b->n; i++) {
		b->stream[i] = (uint32_t)(i / 3 % 4) * 1234567;
		b->flags[i] = i % 50 ? 0 : RP_BYPASS_L1;
	}
	struct rp_replay_opts o = {
		.by_stream = true, .flush = true, .interval = 1000, .warmup = 500
	};
	uint64_t spilled = 0;
	for (size_t i = 0; i < N; i++)
		cr_assert(rp_cache_spec_parse(texts[i], 64, 3, &s[i], NULL));
	for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
		o.once = p == 2;
		struct rp_replay *all = replay_by(s, N, b, &o, pieces[p]);
		cr_assert(p == 0 || rp_replay_spilled(all) == spilled);
		spilled = rp_replay_spilled(all);
		for (size_t i = 0; i < N; i++) {
			struct rp_replay *alone = replay_by(&s[i], 1, b, &o, 4096);
			struct rp_counters x, y;
			rp_replay_counters(all, i, &x);
			rp_replay_counters(alone, 0, &y);
			expect_same(&x, &y, texts[i]);
			cr_assert_eq(rp_replay_accesses(all), rp_replay_accesses(alone));
			cr_assert_eq(rp_replay_bypassed(all), rp_replay_bypassed(alone));
			cr_assert_eq(rp_replay_intervals(all), rp_replay_intervals(alone));
			for (size_t k = 0; k < rp_replay_intervals(all); k++) {
				rp_replay_interval(all, i, k, &x);
				rp_replay_interval(alone, 0, k, &y);
				expect_same(&x, &y, texts[i]);
			}
			for (size_t k = 0; k < rp_replay_streams(all); k++) {
				rp_replay_stream_counters(all, i, k, &x);
				rp_replay_stream_counters(alone, 0, k, &y);
				expect_same(&x, &y, texts[i]);
			}
			rp_replay_free(alone);
		}
		rp_replay_free(all);
	}
	for (size_t i = 0; i < N; i++)
		rp_cache_spec_free(&s[i]);
	rp_batch_free(rows);
	rp_batch_free(b);
}

/* The first n accesses miss as often whatever comes after them: what is wanted beyond goes before what is wanted sooner, in
 * any order. So a warm-up is exact, and an interrupted run has the fewest misses of what it saw. */
RP_TEST(belady, a_beginning_misses_as_if_it_were_all)
{
	struct rp_rng rng = { rp_test_seed("beginning") };
	for (int i = 0; i < 20; i++) {
		struct rp_batch *b = random_trace(&rng, 5000, 0, 200, 1, false);
		const char *text = i % 2 ? "opt,size=4k,ways=4" : "opt,size=4k";
		uint64_t n = 1 + rp_rng_below(&rng, 4999);
		struct rp_counters whole = replay_one(text, b, NULL),
				   rest =
				       replay_one(text, b, &(struct rp_replay_opts){ .warmup = n });
		b->n = n;
		cr_assert_eq(replay_one(text, b, NULL).misses, whole.misses - rest.misses);
		rp_batch_free(b);
	}
}

/* An access of more lines than a chunk and than a block of the temporary file. */
RP_TEST(belady, takes_long_accesses)
{
	struct rp_batch *b = rp_batch_new(8, 0, NULL);
	rp_batch_put(b, &(struct rp_access){ .addr = 32, .size = 6400, .kind = RP_WRITE });
	rp_batch_put(b, &(struct rp_access){ .addr = 0, .size = 64 * 10000, .kind = RP_READ });
	rp_batch_put(b, &(struct rp_access){ .addr = 64 * 9999, .size = 1, .kind = RP_READ });
	compare("opt,size=1M", b, true);
	compare("opt,size=4k", b, true);
	compare("opt,size=4k,ways=2", b, false);
	compare("opt,size=4k,ways=2,bypass=yes", b, true);
	rp_batch_free(b);
}

RP_TEST(belady, a_huge_cache_costs_what_is_used)
{
	static const char *const specs[] = { "opt,size=10GiB", "opt,size=10GiB,ways=16" };
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
		cr_assert_eq(
		    replay_text(specs[i], "R0 W1000000000 R0 R1000000000 R40", NULL).misses, 3);
}

RP_TEST(belady, without_rows_there_is_nothing_to_do)
{
	struct rp_batch *b = rp_batch_new(1, 0, NULL);
	cr_assert_eq(
	    replay_one("opt,size=4k", b, &(struct rp_replay_opts){ .flush = true }).lookups, 0);
	rp_batch_free(b);
}

static volatile sig_atomic_t stop;

RP_TEST(belady, stops_when_told)
{
	struct rp_rng rng = { rp_test_seed("stop") };
	struct rp_batch *b = random_trace(&rng, 20000, 0, 500, 8, false);
	struct rp_replay_opts o = { .stop = &stop };
	struct rp_cache_spec s;
	cr_assert(rp_cache_spec_parse("opt,size=4k", 64, 1, &s, NULL));
	for (int replayed = 0; replayed < 2; replayed++) {
		struct rp_err err = { 0 };
		struct rp_replay *r = rp_replay_new(&s, 1, &o, &err);
		cr_assert(r && rp_replay_run(r, b, &err));
		while (replayed && !rp_replay_accesses(r))
			cr_assert_eq(rp_replay_more(r, &err), 1);
		stop = 1;
		cr_assert_eq(rp_replay_end(r, &err), replayed);
		cr_assert_eq(err.code, replayed ? RP_OK : RP_STOPPED);
		cr_assert_lt(rp_replay_accesses(r), b->n);
		rp_replay_free(r);
		stop = 0;
	}
	rp_cache_spec_free(&s);
	rp_batch_free(b);
}

/* In a trace of 2^31 lookups or more keys have 64 bits: the same lookups, as if so many came before, have the same outcome. */
RP_TEST(belady, long_numbers_change_nothing)
{
	static const char *const texts[] = { "opt,sets=4,ways=3", "opt,sets=5,ways=11,bypass=yes",
		"opt,sets=2,ways=40", "opt,size=1280" };
	enum { N = 1500 };
	struct rp_rng rng = { rp_test_seed("long numbers") };
	static uint64_t line[N], next[2][N];
	static uint8_t dirty[N], outcome[2][N + 64];
	uint64_t before[2] = { 0, UINT64_C(1) << 40 };
	for (size_t i = 0; i < N; i++) {
		line[i] = rp_rng_below(&rng, 90);
		dirty[i] = rp_rng_next(&rng) & 1;
	}
	for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
		struct rp_cache_spec s;
		cr_assert(rp_cache_spec_parse(texts[t], 64, 1, &s, NULL));
		for (size_t w = 0; w < 2; w++) {
			struct rp_ahead ahead = { .lookups = before[w] + N, .lines = 90 };
			struct rp_lookups in = { .n = N,
				.line = line,
				.store = dirty,
				.dirty = dirty,
				.next = next[w],
				.number = before[w] + 1,
				.ahead = &ahead };
			for (size_t i = 0; i < N; i++) {
				size_t k = i + 1;
				while (k < N && line[k] != line[i])
					k++;
				next[w][i] = k < N ? in.number + k : UINT64_MAX - (in.number + i);
			}
			struct rp_cache *c = rp_cache_new(&s, RP_LEVEL_BEST, false, NULL);
			cr_assert(c && rp_cache_run(c, &in, outcome[w], NULL, NULL));
			rp_cache_free(c);
		}
		cr_assert(!memcmp(outcome[0], outcome[1], N), "%s", texts[t]);
		rp_cache_spec_free(&s);
	}
}
