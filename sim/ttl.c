/* ttl.c - lines that stay for a time, however many they are: a hash table, and a list in order of last lookup.
 *
 * Times never fall, so the list is in order of them too and what is over is at its end. A fill reuses the line at the end
 * if its time is over; so there are never more lines than were present at once. */
#include "config.h"

#include "sim/ttl.h"

#include "base/hash.h"
#include "base/mem.h"
#include "sim/policy/queue.h"

#include <inttypes.h>
#include <string.h>

enum { LINES_FIRST = 1024, LINES_MOST = 1 << 30 };

struct ttl {
	struct rp_cache cache;
	uint64_t window, now; /* of the last lookup: its round, or how many came before it */
	bool slotted, begun;
	struct rp_queue order; /* of the lines by number, the last looked up first */
	/* By line, room for `cap`. */
	uint32_t cap, taken, spare; /* numbers ever taken; first that is free again, + 1 */
	uint64_t *line, *last;      /* its number; the time of its last lookup */
	struct rp_hook *hook;       /* of a free one: `after` is the next free one, + 1 */
	uint8_t *dirty;
	uint32_t *table; /* number + 1, by open addressing; at most half full */
	uint32_t mask;
};

static bool
fits(const struct rp_cache_spec *s)
{
	(void)s;
	return true;
}

/* The slot of the table where a line is, or where it would go. */
static uint32_t
slot_of(const struct ttl *c, uint64_t line)
{
	uint32_t i = (uint32_t)rp_mix64(line) & c->mask;
	while (c->table[i] && c->line[c->table[i] - 1] != line)
		i = (i + 1) & c->mask;
	return i;
}

/* Takes a line out of the table: what follows moves up, so that no search ends early. */
static void
unslot(struct ttl *c, uint64_t line)
{
	uint32_t hole = slot_of(c, line);
	for (uint32_t i = (hole + 1) & c->mask; c->table[i]; i = (i + 1) & c->mask) {
		uint32_t home = (uint32_t)rp_mix64(c->line[c->table[i] - 1]) & c->mask;
		if (((i - home) & c->mask) < ((i - hole) & c->mask))
			continue;
		c->table[hole] = c->table[i];
		hole = i;
	}
	c->table[hole] = 0;
}

/* Room for twice as many lines. */
static bool
grow(struct ttl *c, struct rp_err *err)
{
	size_t cap = c->cap ? 2 * (size_t)c->cap : LINES_FIRST;
	if (cap > LINES_MOST)
		return rp_fail(
		    err, RP_RESOURCE, "ttl: more than %d lines are present at once", LINES_MOST);
	uint32_t *table = rp_mem_array(2 * cap, sizeof *table, err);
	if (!table)
		return false;
#define GROW(column)                                                                               \
	do {                                                                                       \
		void *grown = rp_mem_grow(c->column, cap, sizeof *c->column, err);                 \
		if (!grown) {                                                                      \
			free(table);                                                               \
			return false;                                                              \
		}                                                                                  \
		c->column = grown;                                                                 \
	} while (0)
	GROW(line);
	GROW(last);
	GROW(hook);
	GROW(dirty);
	free(c->table);
	c->table = table;
	c->cap = (uint32_t)cap;
	c->mask = (uint32_t)(2 * cap - 1);
	for (uint32_t n = c->order.first; n; n = c->hook[n - 1].after)
		c->table[slot_of(c, c->line[n - 1])] = n;
	return true;
}

static bool
open_ttl(struct rp_cache *cache, struct rp_err *err)
{
	struct ttl *c = (struct ttl *)cache;
	c->window = cache->spec->arg[RP_TTL_WINDOW];
	c->slotted = cache->spec->arg[RP_TTL_SLOTTED];
	return grow(c, err);
}

static void
close_ttl(struct rp_cache *cache)
{
	struct ttl *c = (struct ttl *)cache;
	free(c->line);
	free(c->last);
	free(c->hook);
	free(c->dirty);
	free(c->table);
}

/* Takes a line out; its number is free. */
static void
remove_line(struct ttl *c, uint32_t n)
{
	unslot(c, c->line[n]);
	rp_queue_take(&c->order, c->hook, n);
	c->hook[n].after = c->spare;
	c->spare = n + 1;
}

static bool
over(const struct ttl *c, uint32_t n)
{
	return c->now - c->last[n] > c->window;
}

/* A number for a new line, which there is room for: that of the oldest line, if its time is over. */
static uint32_t
take(struct ttl *c, uint8_t *outcome, uint64_t *victim)
{
	uint32_t old = c->order.last;
	if (old && over(c, old - 1)) {
		*outcome |= RP_EVICTED | (c->dirty[old - 1] ? RP_WROTE_BACK : 0);
		*victim = c->line[old - 1];
		remove_line(c, old - 1);
	}
	uint32_t n = c->spare ? c->spare - 1 : c->taken++;
	if (c->spare)
		c->spare = c->hook[n].after;
	return n;
}

/* One lookup at time c->now. */
static bool
look(struct ttl *c, uint64_t line, bool dirty, bool no_fill, uint8_t *outcome, uint64_t *victim,
    struct rp_err *err)
{
	uint32_t n = c->table[slot_of(c, line)] - 1;
	bool there = n != UINT32_MAX;
	*outcome = there && !over(c, n) ? 0 : RP_MISSED;
	if (*outcome && no_fill) {
		*outcome |= RP_NO_FILL;
		return true;
	}
	if (there) {
		if (*outcome) {
			*outcome |= RP_EVICTED | (c->dirty[n] ? RP_WROTE_BACK : 0);
			*victim = line;
			c->dirty[n] = false;
		}
		rp_queue_take(&c->order, c->hook, n);
	} else {
		if (!c->spare && c->taken == c->cap && !grow(c, err))
			return false;
		n = take(c, outcome, victim);
		c->line[n] = line;
		c->dirty[n] = false;
		c->table[slot_of(c, line)] = n + 1;
	}
	rp_queue_push(&c->order, c->hook, n);
	c->dirty[n] |= dirty;
	c->last[n] = c->now;
	return true;
}

/* The round of a row becomes the time. */
static bool
take_round(struct ttl *c, uint64_t round, struct rp_err *err)
{
	if (c->begun && round < c->now)
		return rp_fail(err, RP_INPUT,
		    "ttl: round %" PRIu64 " comes after round %" PRIu64
		    "; wanted rounds (the trace's time) that never fall, as with --interleave time",
		    round, c->now);
	c->now = round;
	c->begun = true;
	return true;
}

static bool
run(struct rp_cache *cache, const struct rp_lookups *in, uint8_t *outcome, uint64_t *victim,
    struct rp_err *err)
{
	struct ttl *c = (struct ttl *)cache;
	bool back = cache->spec->write == RP_WRITE_BACK,
	     allocate = cache->spec->allocate == RP_ALLOCATE_WRITE;
	const uint64_t *time = in->in->time;
	if (c->slotted && !time)
		return rp_fail(err, RP_USAGE,
		    "ttl: the trace has no times, which are its rounds; wanted one that has, or "
		    "slotted=no");
	for (size_t i = 0; i < in->n; i++) {
		uint64_t left;
		if (c->slotted && !take_round(c, time[in->row[i]], err))
			return false;
		if (!look(c, in->line[i], back && in->dirty[i], !allocate && in->store[i],
			&outcome[i], victim ? &victim[i] : &left, err))
			return false;
		c->now += !c->slotted;
	}
	return true;
}

static bool
clean_line(struct ttl *c, uint32_t n)
{
	bool dirty = c->dirty[n];
	c->dirty[n] = false;
	return dirty;
}

/* What is over is not there any more, so it is not counted. */
static bool
drop_line(struct ttl *c, uint32_t n)
{
	bool there = !over(c, n);
	remove_line(c, n);
	return there;
}

/* Calls f for each of the lines that is there; how many times it said true. */
static uint64_t
each(struct ttl *c, uint64_t first, uint64_t last, bool (*f)(struct ttl *c, uint32_t n))
{
	uint64_t sum = 0;
	if (last - first < c->order.n) {
		for (uint64_t i = 0; i <= last - first; i++) {
			uint32_t n = c->table[slot_of(c, first + i)];
			sum += n && f(c, n - 1);
		}
		return sum;
	}
	for (uint32_t n = c->order.first, after; n; n = after) {
		after = c->hook[n - 1].after;
		if (c->line[n - 1] >= first && c->line[n - 1] <= last)
			sum += f(c, n - 1);
	}
	return sum;
}

static uint64_t
clean(struct rp_cache *c, uint64_t first, uint64_t last)
{
	return each((struct ttl *)c, first, last, clean_line);
}

static uint64_t
drop(struct rp_cache *c, uint64_t first, uint64_t last)
{
	return each((struct ttl *)c, first, last, drop_line);
}

/* What is over but not replaced yet is told of too: it may be dirty. */
static void
walk(struct rp_cache *cache, uint64_t first, uint64_t last, rp_line_fn *f, void *to)
{
	struct ttl *c = (struct ttl *)cache;
	if (last - first < c->order.n) {
		for (uint64_t i = 0; i <= last - first; i++) {
			uint32_t n = c->table[slot_of(c, first + i)];
			if (n)
				f(to, first + i, c->dirty[n - 1]);
		}
		return;
	}
	for (uint32_t n = c->order.first; n; n = c->hook[n - 1].after)
		if (c->line[n - 1] >= first && c->line[n - 1] <= last)
			f(to, c->line[n - 1], c->dirty[n - 1]);
}

static bool
soil(struct rp_cache *cache, uint64_t line)
{
	struct ttl *c = (struct ttl *)cache;
	uint32_t n = c->table[slot_of(c, line)];
	if (!n || over(c, n - 1))
		return false;
	c->dirty[n - 1] = true;
	return true;
}

const struct rp_engine rp_engine_ttl = {
	.name = "ttl",
	.bytes = sizeof(struct ttl),
	.fits = fits,
	.victims = true,
	.open = open_ttl,
	.close = close_ttl,
	.run = run,
	.clean = clean,
	.drop = drop,
	.walk = walk,
	.soil = soil,
};
