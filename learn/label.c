/* label.c - what a model is to predict: misses and merges of caches with MSHRs.
 *
 * Many caches see the same accesses, so lines are numbered once, by first access, and what a cache knows of lines on their
 * way is an array by that number. Tags and MSHRs are two passes over a chunk, as the tags change at once and do not depend
 * on what is on its way. Fills all take the same time: entries are released in the order they were made, and with a limit
 * of entries a ring of their times says how many there are. */
#include "config.h"

#include "learn/label.h"

#include "base/mem.h"
#include "sim/cache.h"
#include "sim/index.h"
#include "sim/lookup.h"

#include <stdio.h>
#include <string.h>

const char *const rp_label_stalls[] = { "count", "wait", NULL };
const char *const rp_label_indexes[] = { "mod", "xor", "ipoly", "fermi", "hash", NULL };

#define INLINE static inline __attribute__((always_inline))

enum { CHUNK = RP_CHUNK, STACK_WAYS = 64, REBASE = 1 << 30 };

struct labelled {
	struct rp_label_cache c;
	struct rp_cache_spec spec;
	struct rp_cache *cache; /* NULL: LRU in few ways, kept here */
	uint32_t *tags;         /* of it: numbers of lines and 1, those of a set in order of use */
	uint32_t *ready;        /* by line: when it comes, or came */
	uint32_t *joined;       /* by line, with max_merge: since it was asked for */
	uint32_t *ring; /* with a limit of entries: when each comes, the oldest at `first` */
	uint32_t first, held;
	uint32_t now; /* of the next access */
	struct rp_label count;
};

struct rp_labeller {
	struct labelled *cache;
	size_t n;
	uint64_t *table_line;    /* lines and their numbers, hashed */
	uint32_t *table_id;      /* number and 1; 0: free */
	size_t cap, lines, room; /* of the table; distinct lines; what `ready` has room for */
	struct rp_batch *batch;
	/* Of the chunk. */
	uint32_t id[CHUNK], set[CHUNK];
	/* What a cache's loops read, which go over it in blocks. */
	uint64_t line[CHUNK + 64];
	uint32_t row[CHUNK + 64];
	uint8_t zero[CHUNK + 64], resident[CHUNK + 64];
};

struct rp_label_rates
rp_label_rates(const struct rp_label *l)
{
	double n = (double)l->n, missed = (double)(l->primary + l->merged);
	struct rp_label_rates r = { 0 };
	if (l->n) {
		r.miss_rate = missed / n;
		r.fetch_rate = (double)l->primary / n;
	}
	if (missed > 0)
		r.merge_rate = (double)l->merged / missed;
	return r;
}

void
rp_label_add(struct rp_label *to, const struct rp_label *from)
{
	to->n += from->n;
	to->hit += from->hit;
	to->primary += from->primary;
	to->merged += from->merged;
	to->mshr_full += from->mshr_full;
	to->merge_full += from->merge_full;
	to->stall_ticks += from->stall_ticks;
}

bool
rp_label_policy(const struct rp_policy *p, struct rp_err *err)
{
	return !p->future ||
	       rp_fail(err, RP_USAGE,
		   "policy %s needs to know the future, which a trace in hand does not tell",
		   p->name);
}

/* ---- making and releasing ---- */

static bool
check(const struct rp_label_cache *c, struct rp_err *err)
{
	if (!c->sets || (c->sets & (c->sets - 1)) || !c->ways ||
	    (uint64_t)c->sets * c->ways > RP_LABEL_LINES_MOST)
		return rp_fail(err, RP_USAGE,
		    "%u sets of %u ways: wanted a power of two of sets, and at most %d lines",
		    c->sets, c->ways, RP_LABEL_LINES_MOST);
	if (c->latency > RP_LABEL_LATENCY_MOST || c->entries > RP_LABEL_LATENCY_MOST)
		return rp_fail(err, RP_USAGE, "latency %u, %u entries: wanted %d of each at most",
		    c->latency, c->entries, RP_LABEL_LATENCY_MOST);
	return true;
}

static bool
parse_spec(struct labelled *k, uint64_t seed, struct rp_err *err)
{
	const struct rp_label_cache *c = &k->c;
	char text[128];
	snprintf(text, sizeof text, "%s,sets=%u,ways=%u,line=%u,index=%s",
	    rp_policies[c->policy]->name, c->sets, c->ways, c->line, rp_label_indexes[c->index]);
	if (!rp_cache_spec_parse(text, c->line, seed, &k->spec, err))
		return rp_err_wrap(err, "%s", text);
	return rp_label_policy(k->spec.policy, err);
}

/* Tags of an empty cache. */
static bool
empty(struct labelled *k, struct rp_err *err)
{
	size_t lines = (size_t)k->c.sets * k->c.ways;
	k->first = k->held = 0;
	if (!strcmp(k->spec.policy->name, "lru") && k->c.ways <= STACK_WAYS) {
		if (!k->tags && !(k->tags = rp_mem_array(lines, sizeof *k->tags, err)))
			return false;
		memset(k->tags, 0, lines * sizeof *k->tags);
		return true;
	}
	rp_cache_free(k->cache);
	return (k->cache = rp_cache_new(&k->spec, RP_LEVEL_BEST, false, err));
}

struct rp_labeller *
rp_labeller_new(const struct rp_label_cache *cache, size_t n, uint64_t seed, struct rp_err *err)
{
	struct rp_labeller *l = rp_mem_array(1, sizeof *l, err);
	if (!l)
		return NULL;
	for (uint32_t i = 0; i < CHUNK; i++)
		l->row[i] = i;
	l->cap = 1 << 10;
	if (!(l->cache = rp_mem_array(n, sizeof *l->cache, err)) ||
	    !(l->table_line = rp_mem_array(l->cap, sizeof *l->table_line, err)) ||
	    !(l->table_id = rp_mem_array(l->cap, sizeof *l->table_id, err)) ||
	    !(l->batch = rp_batch_new(CHUNK, 0, err)))
		goto bad;
	l->batch->n = CHUNK;
	for (; l->n < n; l->n++) {
		struct labelled *k = l->cache + l->n;
		k->c = cache[l->n];
		if (!check(&k->c, err) || !parse_spec(k, seed, err) || !empty(k, err) ||
		    (k->c.entries &&
			!(k->ring = rp_mem_array(k->c.entries, sizeof *k->ring, err)))) {
			l->n++;
			goto bad;
		}
	}
	return l;
bad:
	rp_labeller_free(l);
	return NULL;
}

void
rp_labeller_free(struct rp_labeller *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++) {
		struct labelled *k = l->cache + i;
		rp_cache_free(k->cache);
		rp_cache_spec_free(&k->spec);
		free(k->tags);
		free(k->ready);
		free(k->joined);
		free(k->ring);
	}
	rp_batch_free(l->batch);
	free(l->cache);
	free(l->table_line);
	free(l->table_id);
	free(l);
}

bool
rp_labeller_reset(struct rp_labeller *l, struct rp_err *err)
{
	for (size_t i = 0; i < l->n; i++) {
		struct labelled *k = l->cache + i;
		if (l->room)
			memset(k->ready, 0, l->room * sizeof *k->ready);
		if (!empty(k, err))
			return false;
	}
	return true;
}

/* ---- numbers of lines ---- */

static size_t
place(const struct rp_labeller *l, uint64_t line)
{
	size_t at = (size_t)rp_mix64(line) & (l->cap - 1);
	while (l->table_id[at] && l->table_line[at] != line)
		at = (at + 1) & (l->cap - 1);
	return at;
}

/* Room in the table for a chunk's lines. */
static bool
widen(struct rp_labeller *l, struct rp_err *err)
{
	size_t cap = l->cap, was = l->cap;
	while (cap < 2 * (l->lines + CHUNK))
		cap *= 2;
	if (cap == was)
		return true;
	uint64_t *line = rp_mem_array(cap, sizeof *line, err), *old_line = l->table_line;
	uint32_t *id = rp_mem_array(cap, sizeof *id, err), *old_id = l->table_id;
	if (!line || !id) {
		free(line);
		free(id);
		return false;
	}
	l->table_line = line;
	l->table_id = id;
	l->cap = cap;
	for (size_t i = 0; i < was; i++) {
		if (!old_id[i])
			continue;
		size_t at = place(l, old_line[i]);
		line[at] = old_line[i];
		id[at] = old_id[i];
	}
	free(old_line);
	free(old_id);
	return true;
}

/* Zeroed room for what caches know of each line. */
static bool
grow_array(uint32_t **array, size_t had, size_t room, struct rp_err *err)
{
	uint32_t *more = rp_mem_grow(*array, room, sizeof *more, err);
	if (!more)
		return false;
	memset(more + had, 0, (room - had) * sizeof *more);
	*array = more;
	return true;
}

static bool
number(struct rp_labeller *l, const uint64_t *line, size_t n, struct rp_err *err)
{
	if (l->lines + CHUNK > UINT32_MAX)
		return rp_fail(err, RP_RESOURCE, "more than 2^32 distinct lines");
	if (!widen(l, err))
		return false;
	for (size_t i = 0; i < n; i++) {
		size_t at = place(l, line[i]);
		if (!l->table_id[at]) {
			l->table_line[at] = line[i];
			l->table_id[at] = (uint32_t)++l->lines;
		}
		l->id[i] = l->table_id[at];
	}
	if (l->lines < l->room)
		return true;
	size_t room = l->room ? l->room : 4096;
	while (room <= l->lines)
		room *= 2;
	for (size_t i = 0; i < l->n; i++) {
		struct labelled *k = l->cache + i;
		if (!grow_array(&k->ready, l->room, room, err) ||
		    (k->c.max_merge && !grow_array(&k->joined, l->room, room, err)))
			return false;
	}
	l->room = room;
	return true;
}

/* ---- the tags ---- */

/* Finds a line, moves it to the front, and lets the last one go, in one pass. */
INLINE void
use(uint32_t *tags, const uint32_t *set, const uint32_t *id, uint8_t *resident, size_t n,
    uint32_t ways)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t *way = tags + (size_t)set[i] * ways, carry = id[i], w = 0;
		for (; w < ways; w++) {
			uint32_t was = way[w];
			way[w] = carry;
			if (was == id[i])
				break;
			carry = was;
		}
		resident[i] = w < ways;
	}
}

static void
use_stack(struct rp_labeller *l, struct labelled *k, const uint64_t *line, size_t n)
{
	uint32_t *tags = k->tags, mask = k->c.sets - 1;
	if (k->c.index == RP_INDEX_MOD)
		for (size_t i = 0; i < n; i++)
			l->set[i] = (uint32_t)line[i] & mask;
	else
		for (size_t i = 0; i < n; i++)
			l->set[i] = rp_index_of(&k->spec, line[i]);
	switch (k->c.ways) {
	case 1:
		use(tags, l->set, l->id, l->resident, n, 1);
		break;
	case 2:
		use(tags, l->set, l->id, l->resident, n, 2);
		break;
	case 4:
		use(tags, l->set, l->id, l->resident, n, 4);
		break;
	case 8:
		use(tags, l->set, l->id, l->resident, n, 8);
		break;
	default:
		use(tags, l->set, l->id, l->resident, n, k->c.ways);
	}
}

/* By the cache of its policy. */
static bool
use_cache(struct rp_labeller *l, struct labelled *k, size_t n, struct rp_err *err)
{
	struct rp_lookups in = { .in = l->batch,
		.n = n,
		.accesses = n,
		.kinds = { [RP_READ] = n },
		.line = l->line,
		.kind = l->zero,
		.store = l->zero,
		.dirty = l->zero,
		.row = l->row };
	if (!rp_cache_run(k->cache, &in, l->resident, NULL, err))
		return false;
	for (size_t i = 0; i < n; i++)
		l->resident[i] = !(l->resident[i] & RP_MISSED);
	return true;
}

/* ---- what is on its way ---- */

/* Times are 32 bits: before they overflow, all of them go back. */
static void
rebase(struct labelled *k, size_t lines)
{
	uint32_t now = k->now, entries = k->c.entries;
	for (size_t i = 0; i < lines; i++)
		k->ready[i] = k->ready[i] > now ? k->ready[i] - now : 0;
	for (uint32_t i = 0; i < entries; i++)
		k->ring[i] = k->ring[i] > now ? k->ring[i] - now : 0;
	k->now = 0;
}

INLINE void
release(struct labelled *k, uint32_t now)
{
	while (k->held && k->ring[k->first] <= now) {
		k->first = k->first + 1 == k->c.entries ? 0 : k->first + 1;
		k->held--;
	}
}

INLINE void
make_entry(struct labelled *k, uint32_t ready)
{
	uint32_t at = k->first + k->held;
	k->ring[at < k->c.entries ? at : at - k->c.entries] = ready;
	k->held++;
}

/* The MSHRs: which accesses are served, join an entry, or go below. */
static void
wait_for(struct rp_labeller *l, struct labelled *k, size_t n)
{
	uint32_t now = k->now, latency = k->c.latency, entries = k->c.entries, *ready = k->ready,
		 *joined = k->joined, most = k->c.max_merge;
	uint64_t hit = 0, merged = 0;
	for (size_t i = 0; i < n; i++, now++) {
		uint32_t id = l->id[i];
		if (entries)
			release(k, now);
		if (ready[id] > now) {
			if (!most || joined[id]++ < most)
				merged++;
			else
				k->count.merge_full++;
			continue;
		}
		if (l->resident[i]) {
			hit++;
			continue;
		}
		if (!latency)
			continue;
		if (entries && k->held == entries) {
			k->count.mshr_full++;
			if (k->c.stall == RP_LABEL_COUNT)
				continue;
			k->count.stall_ticks += k->ring[k->first] - now;
			now = k->ring[k->first];
			release(k, now);
		}
		ready[id] = now + latency;
		if (joined)
			joined[id] = 0;
		if (entries)
			make_entry(k, now + latency);
	}
	k->now = now;
	k->count.n += n;
	k->count.hit += hit;
	k->count.merged += merged;
	k->count.primary += n - hit - merged;
}

bool
rp_labeller_add(struct rp_labeller *l, const uint64_t *line, size_t n, struct rp_err *err)
{
	while (n) {
		size_t some = n < CHUNK ? n : CHUNK;
		if (!number(l, line, some, err))
			return false;
		memcpy(l->line, line, some * sizeof *line);
		for (size_t i = 0; i < l->n; i++) {
			struct labelled *k = l->cache + i;
			if (!k->cache)
				use_stack(l, k, line, some);
			else if (!use_cache(l, k, some, err))
				return false;
			if (k->now >= REBASE)
				rebase(k, l->room);
			wait_for(l, k, some);
		}
		line += some;
		n -= some;
	}
	return true;
}

void
rp_labeller_take(struct rp_labeller *l, struct rp_label *out)
{
	for (size_t i = 0; i < l->n; i++) {
		out[i] = l->cache[i].count;
		l->cache[i].count = (struct rp_label){ 0 };
	}
}
