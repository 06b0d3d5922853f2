/* times.c - reuse times, and the curves that follow from them. */
#include "config.h"

#include "sim/observe/times.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 256, AHEAD = 16 };

/* When a line was looked up last; lookups are numbered from 1, so 0 is a free entry. */
struct entry {
	uint64_t line, last;
};

struct bin {
	uint64_t count, sum;
};

struct rp_times {
	struct entry *table; /* open addressing, `mask` + 1 entries, at most half of them in use */
	uint64_t mask, lines;
	uint64_t now, start; /* lookups that have come, and those among them that are not counted */
	uint64_t counted;    /* distinct lines among those that are */
	struct bin gap[RP_TIME_BINS];     /* between counted lookups */
	struct bin carried[RP_TIME_BINS]; /* from a counted one back to one that is not */
	struct bin first[RP_TIME_BINS], last[RP_TIME_BINS];
	/* Sums over the bins from each on; made by close. */
	struct bin outer[RP_TIME_BINS + 1], tail[RP_TIME_BINS + 1];
};

struct rp_times *
rp_times_new(struct rp_err *err)
{
	struct rp_times *t = rp_mem_array(1, sizeof *t, err);
	if (!t)
		return NULL;
	t->mask = FIRST_CAP - 1;
	if (!(t->table = rp_mem_array(FIRST_CAP, sizeof *t->table, err))) {
		free(t);
		return NULL;
	}
	return t;
}

void
rp_times_free(struct rp_times *t)
{
	if (t)
		free(t->table);
	free(t);
}

static uint64_t
entry_of(const struct rp_times *t, uint64_t line)
{
	uint64_t i = rp_mix64(line) & t->mask;
	while (t->table[i].last && t->table[i].line != line)
		i = (i + 1) & t->mask;
	return i;
}

/* Room for n more lines. */
static bool
reserve(struct rp_times *t, size_t n, struct rp_err *err)
{
	uint64_t cap = t->mask + 1;
	while (2 * (t->lines + n) > cap)
		cap *= 2;
	if (cap == t->mask + 1)
		return true;
	struct entry *old = t->table, *table = rp_mem_array(cap, sizeof *table, err);
	uint64_t entries = t->mask + 1;
	if (!table)
		return false;
	t->table = table;
	t->mask = cap - 1;
	for (uint64_t i = 0; i < entries; i++)
		if (old[i].last)
			table[entry_of(t, old[i].line)] = old[i];
	free(old);
	return true;
}

static void
put(struct bin *bins, uint64_t x)
{
	struct bin *b = &bins[rp_log_bin(x, RP_TIME_BITS)];
	b->count++;
	b->sum += x;
}

/* Lookup number `when` of a line: how many lookups ago its last one was, 0: none. */
static uint64_t
look_up(struct rp_times *t, uint64_t line, uint64_t when)
{
	struct entry *e = &t->table[entry_of(t, line)];
	uint64_t last = e->last;
	if (!last) {
		e->line = line;
		t->lines++;
	}
	e->last = when;
	if (last > t->start)
		put(t->gap, when - last);
	else {
		put(t->first, when - t->start);
		t->counted++;
		if (last)
			put(t->carried, when - last);
	}
	return last ? when - last : 0;
}

bool
rp_times_run(struct rp_times *t, const uint64_t *line, const uint32_t *index, size_t n,
    uint64_t lookups, uint64_t *since, struct rp_err *err)
{
	if (!reserve(t, n, err))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (i + AHEAD < n)
			__builtin_prefetch(&t->table[rp_mix64(line[i + AHEAD]) & t->mask], 1);
		uint64_t s = look_up(t, line[i], t->now + 1 + (index ? index[i] : i));
		if (since)
			since[i] = s;
	}
	t->now += lookups;
	return true;
}

void
rp_times_start(struct rp_times *t)
{
	memset(t->gap, 0, sizeof t->gap);
	memset(t->carried, 0, sizeof t->carried);
	memset(t->first, 0, sizeof t->first);
	t->start = t->now;
	t->counted = 0;
}

void
rp_times_forget(struct rp_times *t)
{
	memset(t->table, 0, (t->mask + 1) * sizeof *t->table);
	t->lines = 0;
}

uint64_t
rp_times_count(const struct rp_times *t, unsigned bin)
{
	return t->gap[bin].count + t->carried[bin].count;
}

uint64_t
rp_times_lookups(const struct rp_times *t)
{
	return t->now - t->start;
}

void
rp_times_close(struct rp_times *t)
{
	memset(t->last, 0, sizeof t->last);
	for (uint64_t i = 0; i <= t->mask; i++)
		if (t->table[i].last > t->start)
			put(t->last, t->now + 1 - t->table[i].last);
	for (unsigned b = RP_TIME_BINS; b--;) {
		t->outer[b].count =
		    t->outer[b + 1].count + t->gap[b].count + t->first[b].count + t->last[b].count;
		t->outer[b].sum =
		    t->outer[b + 1].sum + t->gap[b].sum + t->first[b].sum + t->last[b].sum;
		t->tail[b].count = t->tail[b + 1].count + t->gap[b].count + t->last[b].count;
		t->tail[b].sum = t->tail[b + 1].sum + t->gap[b].sum + t->last[b].sum;
	}
}

double
rp_times_footprint(const struct rp_times *t, unsigned bin)
{
	uint64_t n = rp_times_lookups(t), w = rp_log_low(bin, RP_TIME_BITS);
	/* Those in the bin are w or more, so none of the differences is negative. */
	const struct bin *beyond = &t->outer[bin];
	uint64_t missed = beyond->sum - w * beyond->count;
	return (double)t->counted - (double)missed / ((double)(n - w) + 1);
}

double
rp_times_working_set(const struct rp_times *t, unsigned bin)
{
	uint64_t n = rp_times_lookups(t), w = rp_log_low(bin, RP_TIME_BITS);
	const struct bin *beyond = &t->tail[bin];
	double shorter = (double)(t->tail[0].sum - beyond->sum);
	return n ? (shorter + (double)w * (double)beyond->count) / (double)n : 0;
}
