/* staged.c - caches whose lines come in by stages: sector by sector, or some time after they were asked for.
 *
 * Any policy through its own functions, access by access. A line has its way as soon as one of its sectors is asked for. Of
 * each sector it is known whether it is there, dirty, or on its way; under stall=count what is asked for is there at once,
 * and sim/mshr.c does the rest.
 *
 * Else an attempt to look a sector up may be refused, and is made again when something on its way has come (the MSHR model of
 * GPGPU-Sim without timing, for whole lines or sectors, any policy, allocation on miss): see attempt(). A way of which a
 * sector is on its way is pinned. lru and fifo, and what shares their order, pass over pinned ways. Where another policy
 * names one, the next way that is not pinned takes its part: the line in that way leaves, and the pinned one moves there and
 * has the standing of the line that left, for a policy knows ways, not lines. */
#include "config.h"

#include "sim/engine.h"
#include "sim/pending.h"
#include "sim/tags.h"

#include "base/mem.h"

#include <stdlib.h>

struct staged {
	struct rp_cache cache;
	struct rp_tags tags;
	unsigned shift;                    /* from sectors to lines */
	uint64_t *valid, *dirty, *pending; /* [sets * ways], a bit for each sector */
	/* Pinned ways of each set: bits, and how many. */
	uint64_t *pinned;
	uint32_t *pins;
	size_t words; /* of bits of a set */
	/* The rest is for stalls. */
	struct rp_pendings on_way; /* of sectors */
	uint64_t entries, merge;   /* UINT64_MAX: unlimited */
	uint64_t now;
	bool started;
	struct rp_waits *waits; /* NULL: no stalls */
	uint64_t back[RP_CHUNK + 64];
};

/* One lookup. */
struct want {
	uint64_t unit, bit; /* number of the sector; its bit in the line */
	bool dirties, passes;
	size_t i; /* of the chunk */
	uint64_t *victim;
};

static bool
fits(const struct rp_cache_spec *s)
{
	return !s->policy->unbounded;
}

static uint64_t
or_unlimited(uint64_t x)
{
	return x ? x : UINT64_MAX;
}

static bool
open_staged(struct rp_cache *cache, struct rp_err *err)
{
	struct staged *c = (struct staged *)cache;
	const struct rp_cache_spec *s = cache->spec;
	uint64_t lines = (uint64_t)s->sets * s->ways;
	bool stalls = s->mshr.on && s->mshr.stall != RP_STALL_COUNT;
	c->shift = rp_cache_spec_shift(s);
	c->words = (s->ways + 63) / 64;
	c->entries = or_unlimited(s->mshr.entries);
	c->merge = or_unlimited(s->mshr.merge);
	c->valid = rp_mem_array(lines, sizeof *c->valid, err);
	c->dirty = rp_mem_array(lines, sizeof *c->dirty, err);
	c->pending = rp_mem_array(lines, sizeof *c->pending, err);
	c->pinned = rp_mem_array(s->sets * c->words, sizeof *c->pinned, err);
	c->pins = rp_mem_array(s->sets, sizeof *c->pins, err);
	c->waits = stalls ? rp_mem_array(1, sizeof *c->waits, err) : NULL;
	cache->waits = c->waits;
	cache->back = rp_cache_spec_sectored(s) ? c->back : NULL;
	return c->valid && c->dirty && c->pending && c->pinned && c->pins &&
	       (c->waits || !stalls) && rp_tags_open(&c->tags, s, err);
}

static void
close_staged(struct rp_cache *cache)
{
	struct staged *c = (struct staged *)cache;
	rp_tags_close(&c->tags);
	rp_pendings_free(&c->on_way);
	free(c->valid);
	free(c->dirty);
	free(c->pending);
	free(c->pinned);
	free(c->pins);
	free(c->waits);
}

static bool
is_pinned(const uint64_t *pinned, uint32_t way)
{
	return pinned[way / 64] >> way % 64 & 1;
}

/* A sector of the place is on its way, or none any more. */
static void
pin(struct staged *c, uint64_t place, bool on)
{
	uint32_t set = (uint32_t)(place / c->tags.ways), way = (uint32_t)(place % c->tags.ways);
	uint64_t *word = &c->pinned[set * c->words + way / 64], bit = UINT64_C(1) << way % 64;
	bool was = *word & bit;
	if (on == was)
		return;
	c->pins[set] = on ? c->pins[set] + 1 : c->pins[set] - 1;
	*word ^= bit;
}

/* Two places of a set change lines. */
static void
swap(struct staged *c, uint64_t a, uint64_t b)
{
	uint64_t *const of[] = { c->valid, c->dirty, c->pending };
	for (size_t i = 0; i < 3; i++) {
		uint64_t x = of[i][a];
		of[i][a] = of[i][b];
		of[i][b] = x;
	}
	rp_tags_swap(&c->tags, a, b);
	pin(c, a, c->pending[a] != 0);
	pin(c, b, c->pending[b] != 0);
}

/* A way of the set for a new line: one that is free, or the policy's victim, whose line leaves. */
static uint32_t
make_room(struct staged *c, const struct rp_at *at, const struct want *x, uint8_t *outcome)
{
	struct rp_tags *t = &c->tags;
	if (rp_tags_room(t, at->index))
		return rp_tags_take(t, at->index);
	uint64_t base = (uint64_t)at->index * t->ways;
	uint32_t way = rp_tags_victim(t, at), other = way;
	while (at->pinned && is_pinned(at->pinned, other))
		other = (other + 1) % t->ways;
	if (other != way)
		swap(c, base + way, base + other);
	*outcome |= RP_EVICTED | (c->dirty[base + way] ? RP_WROTE_BACK : 0);
	*x->victim = t->line[base + way];
	c->back[x->i] = c->dirty[base + way];
	rp_tags_leave(t, base + way);
	return way;
}

/* The sector is brought in: it is there at once, or on its way. */
static uint8_t
bring(struct staged *c, const struct rp_at *at, const struct want *x, int64_t place)
{
	const struct rp_policy *p = c->tags.spec->policy;
	uint64_t base = (uint64_t)at->index * c->tags.ways;
	uint8_t outcome = RP_MISSED;
	bool fresh = place == RP_NO_PLACE;
	if (fresh) {
		place = (int64_t)(base + make_room(c, at, x, &outcome));
		rp_tags_put(&c->tags, (uint64_t)place, at->line);
		c->valid[place] = c->dirty[place] = c->pending[place] = 0;
	}
	*(c->waits ? &c->pending[place] : &c->valid[place]) |= x->bit;
	c->dirty[place] |= x->dirties ? x->bit : 0;
	if (c->waits)
		pin(c, (uint64_t)place, true);
	if (fresh ? p->fill : p->hit)
		(fresh ? p->fill : p->hit)(at, (uint32_t)((uint64_t)place - base));
	return outcome;
}

/* A sector that is there, or on its way, is used. */
static uint8_t
use(struct staged *c, const struct rp_at *at, const struct want *x, int64_t place)
{
	const struct rp_policy *p = c->tags.spec->policy;
	c->dirty[place] |= x->dirties ? x->bit : 0;
	if (p->hit)
		p->hit(at, (uint32_t)((uint64_t)place % c->tags.ways));
	return (c->pending[place] & x->bit) ? RP_MISSED | RP_PRESENT : 0;
}

/* Whether the policy leaves a line out, which it may where another would have to go for it. */
static bool
left_out(const struct staged *c, const struct rp_at *at)
{
	const struct rp_policy *p = c->tags.spec->policy;
	return p->admit && at->arg[0] && !rp_tags_room(&c->tags, at->index) && !p->admit(at);
}

/* A lookup passes the cache. Of a line that is there the next use is another from now on, if the policy knows it. */
static void
pass(struct staged *c, const struct rp_at *at, int64_t place)
{
	const struct rp_policy *p = c->tags.spec->policy;
	if (place != RP_NO_PLACE && p->future)
		p->hit(at, (uint32_t)((uint64_t)place % c->tags.ways));
}

/* Without stalls. */
static uint8_t
look(struct staged *c, const struct rp_at *at, const struct want *x)
{
	int64_t place = rp_tags_find(&c->tags, at->index, at->line);
	if (place != RP_NO_PLACE && (c->valid[place] & x->bit))
		return use(c, at, x, place);
	if (x->passes || (place == RP_NO_PLACE && left_out(c, at))) {
		pass(c, at, place);
		return RP_MISSED | RP_NO_FILL;
	}
	return bring(c, at, x, place);
}

enum refused { ACCEPTED, WAYS_FULL, MERGE_FULL, MSHR_FULL };

/* Looks a sector up, or says what is lacking, in this order: a way, if the line has none and each of its set is pinned; room
 * in the sector's entry; an entry. What goes past the cache (a write, or what the policy leaves out) needs nothing, but a write
 * to a sector on its way joins it. */
static enum refused
attempt(struct staged *c, struct rp_at *at, const struct want *x, uint8_t *outcome)
{
	int64_t place = rp_tags_find(&c->tags, at->index, at->line);
	bool pending = place != RP_NO_PLACE && (c->pending[place] & x->bit);
	if (place != RP_NO_PLACE && (c->valid[place] & x->bit)) {
		*outcome = use(c, at, x, place);
		return ACCEPTED;
	}
	if ((x->passes && !pending) || (place == RP_NO_PLACE && left_out(c, at))) {
		*outcome = RP_MISSED | RP_NO_FILL;
		return ACCEPTED;
	}
	at->pinned = c->pins[at->index] ? &c->pinned[at->index * c->words] : NULL;
	if (place == RP_NO_PLACE && c->pins[at->index] == c->tags.ways)
		return WAYS_FULL;
	struct rp_pending *e = rp_pendings_find(&c->on_way, x->unit);
	bool joins = e != NULL;
	if (joins && e->merged >= c->merge)
		return MERGE_FULL;
	if (!joins && rp_pendings_count(&c->on_way) >= c->entries)
		return MSHR_FULL;
	if (joins)
		e->merged++;
	else
		rp_pendings_begin(
		    &c->on_way, x->unit, rp_later(c->now, c->tags.spec->mshr.latency));
	*outcome = (pending ? use : bring)(c, at, x, place) | (joins ? RP_MERGED : 0);
	return ACCEPTED;
}

/* What was on its way is there; unless its line was invalidated meanwhile, whatever its way now holds. */
static void
arrive(void *to, const struct rp_pending *e)
{
	struct staged *c = to;
	uint64_t line = e->line >> c->shift;
	uint64_t bit = UINT64_C(1) << (e->line & ((UINT64_C(1) << c->shift) - 1));
	int64_t place = rp_tags_find(&c->tags, rp_index_of(c->tags.spec, line), line);
	if (place == RP_NO_PLACE || !(c->pending[place] & bit))
		return;
	c->pending[place] &= ~bit;
	c->valid[place] |= bit;
	if (!c->pending[place])
		pin(c, (uint64_t)place, false);
}

/* Attempts until the lookup is accepted or given up. Entries in use, summed over the time that it waited. */
static uint64_t
insist(struct staged *c, struct rp_at *at, const struct want *x, uint8_t *outcome)
{
	unsigned stall = c->tags.spec->mshr.stall;
	struct rp_refusal f = { .lookup = (uint32_t)x->i };
	uint64_t held = 0;
	enum refused why;
	bool refused = false;
	while ((why = attempt(c, at, x, outcome)) != ACCEPTED) {
		uint64_t due = rp_pendings_first(&c->on_way)->due, units = due - c->now,
			 times = stall == RP_STALL_UNIT ? units : 1;
		*(why == WAYS_FULL      ? &f.ways_full
		    : why == MERGE_FULL ? &f.merge_full
					: &f.mshr_full) += times;
		refused = true;
		if (stall == RP_STALL_DROP) {
			*outcome = RP_MISSED | RP_NO_FILL;
			break;
		}
		f.stall += units;
		held += rp_pendings_pass(&c->on_way, &c->now, due, arrive, c);
	}
	if (refused)
		c->waits->refusal[c->waits->refusals++] = f;
	return held;
}

/* One lookup by the clock, which then moves on by one, unless it is the trace's. */
static uint8_t
look_in_time(struct staged *c, struct rp_at *at, const struct want *x, const struct rp_lookups *in)
{
	uint8_t outcome;
	bool clock = c->tags.spec->mshr.clock;
	uint64_t stamp = clock ? in->in->time[in->row[x->i]] : 0;
	if (!c->started)
		c->now = stamp;
	c->started = true;
	uint64_t from = c->now, before = rp_pendings_count(&c->on_way), after;
	uint64_t held =
	    rp_pendings_pass(&c->on_way, &c->now, stamp > from ? stamp : from, arrive, c);
	held += insist(c, at, x, &outcome);
	after = rp_pendings_count(&c->on_way);
	if (!clock)
		held += rp_pendings_pass(&c->on_way, &c->now, rp_later(c->now, 1), arrive, c);
	rp_waits_put(c->waits, x->i, c->now - from, held, before > after ? before : after);
	return outcome;
}

/* Before a chunk. */
static bool
get_ready(struct staged *c, const struct rp_lookups *in, struct rp_err *err)
{
	uint64_t free = c->entries - rp_pendings_count(&c->on_way);
	rp_waits_begin(c->waits, true);
	return rp_pendings_room(&c->on_way, in->n < free ? in->n : free, err) &&
	       (!c->tags.spec->mshr.clock || rp_mshr_has_time(in, err));
}

static bool
run(struct rp_cache *cache, const struct rp_lookups *in, uint8_t *outcome, uint64_t *victim,
    struct rp_err *err)
{
	struct staged *c = (struct staged *)cache;
	bool back = cache->spec->write == RP_WRITE_BACK,
	     around = cache->spec->allocate == RP_ALLOCATE_NO_WRITE;
	if (c->waits && !get_ready(c, in, err))
		return false;
	for (size_t i = 0; i < in->n; i++) {
		uint64_t unit = in->line[i], left;
		struct rp_at at = rp_tags_at(&c->tags, unit >> c->shift);
		uint32_t row = in->row[i];
		at.next = in->next ? in->next[i] : 0;
		at.kind = in->kind[i];
		at.pc = in->in->pc ? in->in->pc[row] : 0;
		at.stream = in->in->stream ? in->in->stream[row] : 0;
		struct want x = { .unit = unit,
			.bit = UINT64_C(1) << (unit & ((UINT64_C(1) << c->shift) - 1)),
			.dirties = back && in->dirty[i],
			.passes = around && in->store[i],
			.i = i,
			.victim = victim ? &victim[i] : &left };
		outcome[i] = c->waits ? look_in_time(c, &at, &x, in) : look(c, &at, &x);
	}
	return rp_tags_right(&c->tags, err);
}

/* What is done with a line: `mask` are those of its sectors that are meant. How many lines it was something to. */
typedef uint64_t line_fn(struct staged *c, uint64_t place, uint64_t mask, void *to);

static uint64_t
clean_line(struct staged *c, uint64_t place, uint64_t mask, void *to)
{
	uint64_t dirty = c->dirty[place] & mask;
	c->dirty[place] &= ~mask;
	*(uint64_t *)to += (uint64_t)__builtin_popcountll(dirty) * c->cache.spec->sector;
	return dirty != 0;
}

static uint64_t
drop_line(struct staged *c, uint64_t place, uint64_t mask, void *to)
{
	bool there = ((c->valid[place] | c->pending[place]) & mask) != 0;
	(void)to;
	c->valid[place] &= ~mask;
	c->dirty[place] &= ~mask;
	c->pending[place] &= ~mask;
	if (!c->pending[place])
		pin(c, place, false);
	if (!(c->valid[place] | c->pending[place]))
		rp_tags_drop(&c->tags, place);
	return there;
}

static uint64_t
soil_line(struct staged *c, uint64_t place, uint64_t mask, void *to)
{
	uint64_t there = (c->valid[place] | c->pending[place]) & mask;
	(void)to;
	c->dirty[place] |= there;
	return there != 0;
}

struct walk {
	rp_line_fn *f;
	void *to;
};

static uint64_t
walk_line(struct staged *c, uint64_t place, uint64_t mask, void *to)
{
	const struct walk *w = to;
	uint64_t there = (c->valid[place] | c->pending[place]) & mask,
		 first = c->tags.line[place] << c->shift;
	for (uint64_t m = there; m; m &= m - 1) {
		unsigned k = (unsigned)__builtin_ctzll(m);
		w->f(w->to, first + k, c->dirty[place] >> k & 1);
	}
	return there != 0;
}

/* The sectors of a line that are among first..last. */
static uint64_t
sectors_of(const struct staged *c, uint64_t line, uint64_t first, uint64_t last)
{
	uint64_t in_line = (UINT64_C(1) << c->shift) - 1, mask = UINT64_MAX;
	if (line == first >> c->shift)
		mask &= UINT64_MAX << (first & in_line);
	if (line == last >> c->shift)
		mask &= UINT64_MAX >> (63 - (last & in_line));
	return mask;
}

/* f for each line of which sectors first..last may be a part: the sum of what it said. */
static uint64_t
each(struct staged *c, uint64_t first, uint64_t last, line_fn *f, void *to)
{
	struct rp_tags *t = &c->tags;
	uint64_t lines = (uint64_t)t->sets * t->ways, n = 0, low = first >> c->shift,
		 high = last >> c->shift;
	if (high - low < lines) {
		for (uint64_t i = 0; i <= high - low; i++) {
			int64_t place = rp_tags_find(t, rp_index_of(t->spec, low + i), low + i);
			if (place != RP_NO_PLACE)
				n += f(c, (uint64_t)place, sectors_of(c, low + i, first, last), to);
		}
		return n;
	}
	for (uint64_t place = 0; place < lines; place++)
		if (t->valid[place] && t->line[place] >= low && t->line[place] <= high)
			n += f(c, place, sectors_of(c, t->line[place], first, last), to);
	return n;
}

static uint64_t
clean(struct rp_cache *cache, uint64_t first, uint64_t last)
{
	cache->cleaned = 0;
	return each((struct staged *)cache, first, last, clean_line, &cache->cleaned);
}

static uint64_t
drop(struct rp_cache *cache, uint64_t first, uint64_t last)
{
	return each((struct staged *)cache, first, last, drop_line, NULL);
}

static void
walk(struct rp_cache *cache, uint64_t first, uint64_t last, rp_line_fn *f, void *to)
{
	struct walk w = { f, to };
	each((struct staged *)cache, first, last, walk_line, &w);
}

static bool
soil(struct rp_cache *cache, uint64_t unit)
{
	return each((struct staged *)cache, unit, unit, soil_line, NULL);
}

const struct rp_engine rp_engine_staged = {
	.name = "staged",
	.bytes = sizeof(struct staged),
	.fits = fits,
	.open = open_staged,
	.close = close_staged,
	.indexed = true,
	.victims = true,
	.run = run,
	.clean = clean,
	.drop = drop,
	.walk = walk,
	.soil = soil,
};
