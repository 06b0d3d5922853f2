/* test_staged.c - tests sim/staged.c: sectors, and stalls, worked out by hand and against a slow model. */
#include "tests/sim/replay_check.h"

#include "base/rng.h"

/* What a trace comes to under each way to stall. */
struct stalled {
	const char *stall;
	uint64_t hits, misses, fetches, merged, refused, stall_units, time;
};

static void
expect_stalled(const char *spec, const char *trace, const struct stalled *want, size_t n,
    size_t refused_offset)
{
	for (size_t i = 0; i < n; i++) {
		char text[160];
		snprintf(text, sizeof text, "%s,stall=%s", spec, want[i].stall);
		struct rp_counters c = replay_text(text, trace, NULL);
		cr_assert_eq(c.hits, want[i].hits, "%s: hits %d", text, (int)c.hits);
		cr_assert_eq(c.misses, want[i].misses, "%s: misses %d", text, (int)c.misses);
		cr_assert_eq(c.fetches, want[i].fetches, "%s: fetches %d", text, (int)c.fetches);
		cr_assert_eq(c.merged, want[i].merged, "%s: merged %d", text, (int)c.merged);
		cr_assert_eq(c.mshr_full + c.merge_full + c.ways_full, want[i].refused, "%s", text);
		cr_assert_eq(
		    *(uint64_t *)((char *)&c + refused_offset), want[i].refused, "%s", text);
		cr_assert_eq(c.stall_units, want[i].stall_units, "%s", text);
		cr_assert_eq(c.mshr_time, want[i].time, "%s: time %d", text, (int)c.mshr_time);
	}
}

#define REFUSED(counter) offsetof(struct rp_counters, counter)

/* One lookup may join (formats.md 12, E3, whose string counts two requests an entry). Line 0 four times, T = 10.
 * skip: t0 miss; t1 joins; t2 the entry is full, on to 10, hit; t11 hit. Eight units waited, refused once; `unit` is refused
 * in each of the eight. drop: t2 and t3 are given up, each a request of its own; the entry is there still at the end. */
RP_TEST(staged, a_lookup_may_find_its_entry_full)
{
	static const struct stalled want[] = { { "skip", 2, 2, 1, 1, 1, 8, 12 },
		{ "unit", 2, 2, 1, 1, 8, 8, 12 }, { "drop", 0, 4, 3, 1, 2, 0, 4 } };
	expect_stalled("lru,sets=1,ways=2,line=128,mshr=4,merge=1,latency=10", "R0 R4 R8 Rc", want,
	    3, REFUSED(merge_full));
}

/* Two entries (E4): lines 0, 1, 2, 2, 0 in four sets, T = 6.
 * skip: t0 miss; t1 miss; t2 no entry, on to 6, when line 0 is there: miss; t7 joins; t8 line 0 hits.
 * drop: t2 line 2 is given up; t3 again, so a second request; t4 line 0 is on its way still: joins. */
RP_TEST(staged, a_lookup_may_find_all_entries_taken)
{
	static const struct stalled want[] = { { "skip", 1, 4, 3, 1, 1, 4, 9 },
		{ "unit", 1, 4, 3, 1, 4, 4, 9 }, { "drop", 0, 5, 4, 1, 2, 0, 5 } };
	expect_stalled("lru,sets=4,ways=2,line=128,mshr=2,latency=6", "R0 R80 R100 R104 R0", want,
	    3, REFUSED(mshr_full));
}

/* One way (E5 without sectors): lines 0, 1, 0, T = 5. A way that waits for its data is not replaced.
 * skip: t0 miss; t1 no way, on to 5: miss; t6 no way, on to 10: miss, which takes until 11.
 * drop: t1 is given up; t2 line 0 joins. */
RP_TEST(staged, a_lookup_may_find_all_ways_waiting)
{
	static const struct stalled want[] = { { "skip", 0, 3, 3, 0, 2, 8, 11 },
		{ "unit", 0, 3, 3, 0, 8, 8, 11 }, { "drop", 0, 3, 2, 1, 1, 0, 3 } };
	expect_stalled("lru,sets=1,ways=1,line=128,mshr=4,latency=5", "R0 R80 R0", want, 3,
	    REFUSED(ways_full));
	/* E5 itself: sectors 0 and 1 of line 0, line 1, line 0. t0, t1 misses; t2 no way to 5, then sector 1 is on its way
	 * still, to 6: miss; t7 to 11: miss. drop: t2 given up, t3 sector 0 joins. */
	static const struct stalled sectors[] = { { "skip", 0, 4, 4, 0, 3, 8, 12 },
		{ "unit", 0, 4, 4, 0, 8, 8, 12 }, { "drop", 0, 4, 3, 1, 1, 0, 4 } };
	expect_stalled("lru,sets=1,ways=1,line=128,sector=32,mshr=4,merge=3,latency=5",
	    "R0 R20 R80 R0", sectors, 3, REFUSED(ways_full));
}

/* E1 and E7: the same stream with sectors of 32 bytes and without, T = 4, one set of two ways. */
RP_TEST(staged, sectors_wait_by_themselves)
{
	static const struct stalled e1 = { "skip", 1, 6, 3, 3, 0, 0, 7 },
				    e7 = { "skip", 3, 4, 1, 3, 0, 0, 7 };
	expect_stalled("lru,sets=1,ways=2,line=128,sector=32,mshr=4,merge=3,latency=4",
	    "R0 R8 R20 R10 R24 R0 R40", &e1, 1, REFUSED(mshr_full));
	expect_stalled("lru,sets=1,ways=2,line=128,mshr=4,merge=7,latency=4",
	    "R0 R8 R20 R10 R24 R0 R40", &e7, 1, REFUSED(mshr_full));
}

/* Lines of 64 bytes in two sectors of 32, one set of two ways, written back.
 * W0: miss, sector 0 of line 0 comes, dirty. R0: hit. R20: miss, sector 1 of the same line. W24: hit, dirties it. W40: miss,
 * sector 0 of line 1, dirty. R80: line 2, replaces line 0, two dirty sectors: one write-back of 64 bytes. W60: sector 1 of
 * line 1: miss, and with it line 1 was used last. R100: line 4 replaces line 2, clean. R180: line 6 replaces line 1: one
 * write-back of 64 bytes. R1a0: sector 1 of line 6: a miss without a replacement. */
RP_TEST(staged, sectors_come_and_leave_by_themselves)
{
	struct rp_counters c = replay_text("lru,sets=1,ways=2,line=64,sector=32",
	    "W0 R0 R20 W24 W40 R80 W60 R100 R180 R1a0", NULL);
	cr_assert_eq(c.misses, 8);
	cr_assert_eq(c.hits, 2);
	cr_assert_eq(c.fills, 8);
	cr_assert_eq(c.bytes_filled, 256);
	cr_assert_eq(c.evictions, 3);
	cr_assert_eq(c.writebacks, 2);
	cr_assert_eq(c.bytes_written, 128);
	/* An access across both sectors of a line is two lookups. Only the dirty one of them is written back. */
	struct rp_batch *b = rp_batch_new(8, 0, NULL);
	rp_batch_put(b, &(struct rp_access){ .addr = 0x1c, .size = 8, .kind = RP_READ });
	put_text(b, "W20 R40 R80");
	c = replay_one("lru,sets=1,ways=2,line=64,sector=32", b, NULL);
	cr_assert_eq(c.accesses, 4);
	cr_assert_eq(c.lookups, 5);
	cr_assert_eq(c.writebacks, 1);
	cr_assert_eq(c.bytes_written, 32);
	rp_batch_free(b);
}

/* One entry: the atomic at 40 and the write at 80 are given up. The atomic's value is asked for, and its byte goes down as the
 * write's does; neither line comes in. */
RP_TEST(staged, an_atomic_that_is_given_up_goes_down_as_both)
{
	struct rp_counters c =
	    replay_text("lru,sets=1,ways=8,mshr=1,latency=50,stall=drop", "R0 A40 W80", NULL);
	cr_assert_eq(c.misses, 3);
	cr_assert_eq(c.fetches, 2);
	cr_assert_eq(c.bytes_written, 2);
	cr_assert_eq(c.fills, 1);
	cr_assert_eq(c.mshr_full, 2);
}

/* What a flush and marks do to sectors: C40 copies back the one dirty sector of its range, D0 drops sector 0 of line 0, whose
 * sector 1 stays: 20 hits, 0 misses. The flush writes sector 1 back. */
RP_TEST(staged, marks_reach_sectors)
{
	struct rp_counters c = replay_text("lru,sets=1,ways=2,line=64,sector=32",
	    "W0 W20 C0 D0 R20 R0", &(struct rp_replay_opts){ .flush = true });
	cr_assert_eq(c.hits, 1);
	cr_assert_eq(c.writebacks, 2);
	cr_assert_eq(c.bytes_written, 64);
	/* A line that loses all its sectors leaves its way: nothing is replaced by the third line. */
	c = replay_text("lru,sets=1,ways=2,line=64,sector=32", "R0 R40 D0 R80", NULL);
	cr_assert_eq(c.evictions, 0);
}

/* A line invalidated on its way: its entry goes on, what is asked for meanwhile joins it and takes a way anew, and is there
 * when the entry ends. T = 5: t0 A miss; dropped; t1 A joins; t2 A joins; t5 (C, D, E are t3, t4, t5 in other sets) A hits. */
RP_TEST(staged, a_line_dropped_on_its_way)
{
	struct rp_counters c = replay_text(
	    "lru,sets=4,ways=1,mshr=8,latency=5,stall=skip", "R0 D0 R0 R0 R40 R80 R0", NULL);
	cr_assert_eq(c.fetches, 3);
	cr_assert_eq(c.merged, 2);
	cr_assert_eq(c.hits, 1);
	cr_assert_eq(c.ways_full + c.stall_units, 0);
	/* Dropped, and its way given to another line: the arrival changes nothing, B is not there before its own. */
	c = replay_text(
	    "lru,sets=1,ways=1,mshr=8,latency=3,stall=skip", "R0 D0 R40 R40 R40 R40", NULL);
	cr_assert_eq(c.fetches, 2);
	cr_assert_eq(
	    c.merged, 2); /* t1 asked, due at 4; t2 and t3 join, though A's entry ended at 3 */
	cr_assert_eq(c.hits, 1);
}

/* Two ways, T = 3. A asked for at t0, B at t1, A again at t2; at t3, when A is there, C comes: lru would replace B, used longest
 * ago, but B waits until 4, so A goes. */
RP_TEST(staged, waiting_ways_are_passed_over)
{
	struct rp_counters c = replay_text(
	    "lru,sets=1,ways=2,mshr=8,latency=3,stall=skip", "R0 R40 R0 R80 R40 R40 R0", NULL);
	/* t4 and t5: B hits. t6: C is there; A is a miss, and C goes, used longest ago. */
	cr_assert_eq(c.hits, 2);
	cr_assert_eq(c.fetches, 4);
	cr_assert_eq(c.evictions, 2);
	cr_assert_eq(c.stall_units, 0);
}

/* A policy that names a way that waits: mru names the way used last. Ways 0 and 1 hold A and B, T = 3, C asked for at t4, D at
 * t5: mru names C's way, which waits; the next, way 0 or 1, is the other one's, its line leaves and C moves there. So C
 * joins its entry at t6 and hits at t7, D at t8. */
RP_TEST(staged, a_policy_that_names_a_waiting_way_is_overruled)
{
	struct rp_counters c = replay_text("mru,sets=1,ways=2,mshr=8,latency=3,stall=skip",
	    "R0 R40 R40 R0 R80 Rc0 R80 R80 Rc0", NULL);
	cr_assert_eq(c.fetches, 4);
	cr_assert_eq(c.evictions, 2);
	cr_assert_eq(c.ways_full, 0);
	cr_assert_eq(c.hits, 3); /* A at t3, C at t7, D at t8 */
}

/* ---- The slow model: formats.md 10 and 11 for reads, and the manual for writes. ---- */

enum { LINES = 64, WAITING = 4096 };

struct line {
	bool used;
	uint64_t line, stamp;         /* of last use, or of allocation */
	uint8_t state[64], dirty[64]; /* by sector: 0 not there, 1 on its way, 2 there */
};

struct slow {
	unsigned sets, ways, sectors, sector; /* of a line; bytes */
	bool fifo, back, around, clock;
	uint64_t entries, merge, latency;
	char mode; /* s u d */
	struct line line[LINES];
	struct {
		uint64_t unit, due, merged;
	} waiting[WAITING];
	size_t n;
	uint64_t t;
	struct rp_counters c;
};

static struct line *
slow_find(struct slow *s, uint64_t line)
{
	for (unsigned w = 0; w < s->ways; w++) {
		struct line *l = &s->line[line % s->sets * s->ways + w];
		if (l->used && l->line == line)
			return l;
	}
	return NULL;
}

static bool
slow_reserved(const struct slow *s, const struct line *l)
{
	for (unsigned k = 0; k < s->sectors; k++)
		if (l->state[k] == 1)
			return true;
	return false;
}

static void
slow_arrivals(struct slow *s)
{
	while (s->n && s->waiting[0].due <= s->t) {
		uint64_t unit = s->waiting[0].unit;
		struct line *l = slow_find(s, unit / s->sectors);
		if (l && l->state[unit % s->sectors] == 1)
			l->state[unit % s->sectors] = 2;
		memmove(s->waiting, s->waiting + 1, --s->n * sizeof *s->waiting);
	}
}

/* A unit of time passes. */
static void
slow_tick(struct slow *s)
{
	s->c.mshr_time++;
	s->c.mshr_held += s->n;
	if (s->n > s->c.mshr_occupancy_max)
		s->c.mshr_occupancy_max = s->n;
	s->t++;
	slow_arrivals(s);
}

/* NULL: accepted; else the counter of what is lacking. */
static uint64_t *
slow_attempt(struct slow *s, uint64_t unit, bool write, uint64_t bytes, uint64_t number)
{
	uint64_t no = unit / s->sectors, k = unit % s->sectors;
	struct line *l = slow_find(s, no);
	uint8_t state = l ? l->state[k] : 0;
	size_t e = 0;
	while (e < s->n && s->waiting[e].unit != unit)
		e++;
	if (state == 2) {
		s->c.hits++;
	} else if (write && s->around && state != 1) {
		s->c.misses++;
		s->c.bytes_written += s->back ? bytes : 0;
		return NULL;
	} else {
		struct line *victim = NULL;
		for (unsigned w = 0; !l && w < s->ways; w++) {
			struct line *v = &s->line[no % s->sets * s->ways + w];
			if (v->used && slow_reserved(s, v))
				continue;
			if (!victim || (victim->used && (!v->used || v->stamp < victim->stamp)))
				victim = v;
		}
		if (!l && !victim)
			return &s->c.ways_full;
		if (e < s->n && s->merge && s->waiting[e].merged == s->merge)
			return &s->c.merge_full;
		if (e == s->n && s->entries && s->n == s->entries)
			return &s->c.mshr_full;
		s->c.misses++;
		if (e < s->n) {
			s->waiting[e].merged++;
			s->c.merged++;
		} else {
			s->waiting[s->n].unit = unit;
			s->waiting[s->n].merged = 0;
			s->waiting[s->n++].due = s->t + s->latency;
			s->c.fetches++;
		}
		s->c.fills += state != 1;
		if (!l) {
			uint64_t dirty = 0;
			for (unsigned i = 0; victim->used && i < s->sectors; i++)
				dirty += victim->dirty[i];
			s->c.evictions += victim->used;
			s->c.writebacks += dirty > 0;
			s->c.bytes_written += dirty * s->sector;
			*victim = (struct line){ .used = true, .line = no, .stamp = number };
			l = victim;
		}
		if (state != 1)
			l->state[k] = 1;
	}
	if (!s->fifo)
		l->stamp = number;
	if (write && s->back)
		l->dirty[k] = 1;
	return NULL;
}

static void
slow_lookup(struct slow *s, uint64_t unit, bool write, uint64_t bytes, uint64_t number)
{
	uint64_t *lacking;
	s->c.lookups++;
	s->c.bytes_written += write && !s->back ? bytes : 0;
	while ((lacking = slow_attempt(s, unit, write, bytes, number))) {
		++*lacking;
		if (s->mode == 'd') {
			s->c.misses++;
			s->c.fetches += !(write);
			s->c.bytes_written += write && s->back ? bytes : 0;
			break;
		}
		uint64_t due = s->mode == 'u' ? s->t + 1 : s->waiting[0].due;
		while (s->t < due) {
			s->c.stall_units++;
			slow_tick(s);
		}
	}
	if (s->n > s->c.mshr_occupancy_max)
		s->c.mshr_occupancy_max = s->n;
	if (!s->clock)
		slow_tick(s);
}

/* Drops the byte's sector, or writes it back. */
static void
slow_mark(struct slow *s, uint64_t unit, bool drop)
{
	struct line *l = slow_find(s, unit / s->sectors);
	if (!l)
		return;
	if (!drop && l->dirty[unit % s->sectors]) {
		s->c.writebacks++;
		s->c.bytes_written += s->sector;
	}
	l->dirty[unit % s->sectors] = 0;
	if (!drop)
		return;
	l->state[unit % s->sectors] = 0;
	l->used = false;
	for (unsigned k = 0; k < s->sectors; k++)
		l->used |= l->state[k] != 0;
}

static void
compare_random(struct rp_rng *rng)
{
	static const uint64_t latencies[] = { 1, 2, 3, 7, 20, 100 },
			      entries[] = { 0, 1, 2, 3, 8, 32 }, merges[] = { 0, 1, 2, 7 };
	static const char *const stalls[] = { "skip", "unit", "drop" };
	uint64_t r = rp_rng_next(rng);
	struct slow *s = calloc(1, sizeof *s);
	s->sets = 1 + (r & 7);
	s->ways = 1 + (r >> 3 & 7);
	s->sectors = r >> 6 & 1 ? 1 : 1u << (r >> 7 & 3);
	s->sector = 32;
	s->fifo = r >> 9 & 1;
	s->back = r >> 10 & 3;
	s->around = (r >> 12 & 3) == 0;
	s->latency = latencies[(r >> 14 & 0xff) % 6];
	s->entries = entries[(r >> 22 & 0xff) % 6];
	s->merge = merges[r >> 30 & 3];
	const char *stall = stalls[(r >> 32 & 0xff) % 3];
	s->mode = stall[0];
	bool clock = (r >> 40 & 3) == 0, marks = r >> 42 & 1, writes = r >> 43 & 3;
	uint64_t units = 1 + rp_rng_below(rng, 2 * (uint64_t)s->sets * s->ways * s->sectors + 8),
		 stamp = 500;
	struct rp_batch *b = rp_batch_new(4000, RP_COL_TIME, NULL);
	s->clock = clock;
	s->t = clock ? stamp : 0;
	for (uint64_t i = 0; i < 4000; i++) {
		uint64_t x = rp_rng_next(rng), unit = rp_rng_below(rng, units);
		struct rp_access a = { .addr = unit * 32 + (x & 15), .size = 1 + (x >> 4 & 15) };
		a.kind = writes && (x >> 8 & 3) == 0 ? RP_WRITE : RP_READ;
		stamp += i && x >> 10 & 1 ? x >> 12 & (x >> 22 & 7 ? 3 : 255) : 0;
		a.time = stamp;
		if (marks && (x >> 30 & 31) == 0) {
			a.kind = x >> 40 & 1 ? RP_COPY_BACK : RP_INVALIDATE;
			slow_mark(s, unit, a.kind == RP_INVALIDATE);
			rp_batch_put(b, &a);
			continue;
		}
		rp_batch_put(b, &a);
		while (clock && s->t < stamp)
			if (s->c.lookups)
				slow_tick(s);
			else
				s->t++;
		slow_lookup(s, unit, a.kind == RP_WRITE, a.size, i);
	}
	char spec[240];
	snprintf(spec, sizeof spec,
	    "%s,sets=%u,ways=%u,line=%u,sector=32,write=%s,allocate=%s,mshr=%d,merge=%d,latency=%d,"
	    "clock=%s,stall=%s",
	    s->fifo ? "fifo" : "lru", s->sets, s->ways, 32 * s->sectors,
	    s->back ? "back" : "through", s->around ? "no-write" : "write", (int)s->entries,
	    (int)s->merge, (int)s->latency, clock ? "time" : "lookups", stall);
	struct rp_counters c = replay_one(spec, b, NULL);
#define SAME(name)                                                                                 \
	cr_assert_eq(c.name, s->c.name, "%s: " #name " %llu, not %llu", spec,                      \
	    (unsigned long long)c.name, (unsigned long long)s->c.name)
	SAME(lookups);
	SAME(hits);
	SAME(misses);
	SAME(fills);
	SAME(evictions);
	SAME(writebacks);
	SAME(bytes_written);
	SAME(fetches);
	SAME(merged);
	SAME(mshr_full);
	SAME(merge_full);
	SAME(ways_full);
	SAME(stall_units);
	SAME(mshr_time);
	SAME(mshr_held);
	SAME(mshr_occupancy_max);
	cr_assert_eq(c.bytes_filled, s->c.fills * 32);
	rp_batch_free(b);
	free(s);
}

RP_TEST(staged, counts_as_the_slow_model)
{
	struct rp_rng rng = { rp_test_seed("staged") };
	for (unsigned i = 0; i < 300 * rp_test_scale(); i++)
		compare_random(&rng);
}

/* Without sectors and stalls the loop is the model's: every policy, with marks. The engine is taken for a stall that never
 * happens: an access every 1000 units by the clock, so that each fill has come before the next lookup. */
static void
compare_with_plain(struct rp_rng *rng, const struct rp_policy *p)
{
	char text[2][200];
	uint64_t r = rp_rng_next(rng);
	uint32_t sets = 1 + (r & 7), ways = 1 + (uint32_t)rp_rng_below(rng, r >> 3 & 3 ? 9 : 50);
	const char *write = r >> 5 & 1 ? "back" : "through",
		   *allocate = r >> 6 & 1 ? "write" : "no-write";
	for (int i = 0; i < 2; i++)
		snprintf(text[i], sizeof text[i], "%s,sets=%u,ways=%u,write=%s,allocate=%s%s",
		    p->name, sets, ways, write, allocate,
		    i ? ",mshr=3,latency=10,clock=time,stall=skip" : "");
	struct rp_cache_spec s;
	if (!rp_cache_spec_parse(text[1], 64, 1, &s, NULL))
		return; /* the policy is not for so many ways, has none, or knows no stalls */
	rp_cache_spec_free(&s);
	struct rp_batch *b = rp_batch_new(3000, RP_COL_TIME, NULL);
	for (uint64_t i = 0; i < 3000; i++) {
		uint64_t x = rp_rng_next(rng);
		struct rp_access a = { .addr = 64 * rp_rng_below(rng, 2 * sets * ways + 3),
			.size = 8,
			.time = 1000 * i };
		a.kind = x & 1 ? RP_WRITE : x & 2 ? RP_ATOMIC : RP_READ;
		if ((x >> 8 & 63) == 0)
			a.kind = x >> 20 & 1 ? RP_COPY_BACK : RP_INVALIDATE;
		rp_batch_put(b, &a);
	}
	struct rp_counters want = replay_one(text[0], b, NULL),
			   found = replay_one(text[1], b, NULL);
	cr_assert_eq(found.stall_units + found.merged, 0);
	found.fetches = found.mshr_asked = found.mshr_time = found.mshr_held = 0;
	found.mshr_occupancy_max = 0;
	expect_same(&found, &want, text[1]);
	rp_batch_free(b);
}

RP_TEST(staged, is_as_the_plain_loop_where_nothing_waits)
{
	struct rp_rng rng = { rp_test_seed("plain") };
	for (size_t p = 0; rp_policies[p]; p++)
		for (unsigned i = 0; i < 8 * rp_test_scale(); i++)
			compare_with_plain(&rng, rp_policies[p]);
}

/* 16 KiB in order, lines of 256 bytes in sectors of 16: a miss a sector, and 64 lines into 32 ways. */
RP_TEST(staged, reading_in_order_misses_once_a_sector)
{
	struct rp_batch *b = rp_batch_new(4096, 0, NULL);
	for (uint64_t i = 0; i < 4096; i++)
		rp_batch_put(b, &(struct rp_access){ .addr = 4 * i, .size = 4 });
	struct rp_counters c = replay_one("srrip,size=8k,ways=4,line=256,sector=16", b, NULL);
	cr_assert_eq(c.misses, 1024);
	cr_assert_eq(c.bytes_filled, 16384);
	cr_assert_eq(c.evictions, 64 - 32);
	rp_batch_free(b);
}

/* An lru or fifo cache does with reads what GPGPU-Sim's model does of the same string: whole lines as type N, four sectors as
 * type S. */
static void
compare_with_gpu(struct rp_rng *rng)
{
	static const char *const stalls[] = { "skip", "unit", "drop" }, *const index[][2] = {
		{ "L", "mod" }, { "X", "xor" }, { "P", "ipoly" }
	};
	uint64_t r = rp_rng_next(rng), k = (r & 0xff) % 3;
	unsigned sets = 16u << (r >> 8 & 1), ways = 1 + (unsigned)(r >> 9 & 7),
		 entries = 1 + (unsigned)(r >> 12 & 15), merge = 1 + (unsigned)(r >> 16 & 7),
		 latency = 1 + (unsigned)(r >> 20 & 63);
	bool fifo = r >> 30 & 1, sectors = r >> 31 & 1;
	const char *stall = stalls[(r >> 32 & 0xff) % 3];
	char plain[240], gpu[240];
	snprintf(plain, sizeof plain,
	    "%s,sets=%u,ways=%u,line=128,sector=%d,index=%s,mshr=%u,merge=%u,latency=%u,stall=%s",
	    fifo ? "fifo" : "lru", sets, ways, sectors ? 32 : 128, index[k][1], entries, merge,
	    latency, stall);
	snprintf(gpu, sizeof gpu, "gpgpusim=%s:%u:128:%u,%s:B:m:L:%s,A:%u:%u,latency=%u,stall=%s",
	    sectors ? "S" : "N", sets, ways, fifo ? "F" : "L", index[k][0], entries, merge + 1,
	    latency, stall);
	struct rp_batch *b = rp_batch_new(3000, 0, NULL);
	uint64_t lines = 1 + rp_rng_below(rng, 2 * sets * ways + 8);
	for (size_t i = 0; i < 3000; i++)
		rp_batch_put(b, &(struct rp_access){ .addr = 128 * rp_rng_below(rng, lines) +
		                                             32 * rp_rng_below(rng, 4),
				    .size = 4 });
	struct rp_counters p = replay_one(plain, b, NULL), g = replay_one(gpu, b, NULL);
#define AGREE(ours, theirs)                                                                        \
	cr_assert_eq(                                                                              \
	    p.ours, g.theirs, "%s: " #ours " %d, %s: %d", plain, (int)p.ours, gpu, (int)g.theirs)
	AGREE(lookups, lookups);
	AGREE(hits, hits);
	AGREE(misses, misses);
	AGREE(fetches, fetches);
	AGREE(merged, merged);
	AGREE(fetches, requests);
	AGREE(merged, MSHR_HIT);
	AGREE(ways_full, LINE_ALLOC_FAIL);
	AGREE(mshr_full, MSHR_ENTRY_FAIL);
	AGREE(merge_full, MSHR_MERGE_ENTRY_FAIL);
	AGREE(stall_units, stall);
	AGREE(mshr_time, end_time);
	AGREE(writebacks, writebacks);
	rp_batch_free(b);
}

RP_TEST(staged, does_with_reads_as_a_string_of_gpgpusim)
{
	struct rp_rng rng = { rp_test_seed("strings") };
	for (unsigned i = 0; i < 100 * rp_test_scale(); i++)
		compare_with_gpu(&rng);
}
