/* slow_tree.h - a hierarchy as lists searched end to end, with the rules of reprise-config(5): lru and fifo, no slices.
 *
 * Written from the manual, line by line and recursively; knows nothing of chunks, batches or engines. */
#ifndef RP_TESTS_SIM_SLOW_TREE_H
#define RP_TESTS_SIM_SLOW_TREE_H

#include "tests/check.h"

#include "sim/tree.h"

enum { SLOW_LEVELS = 6, SLOW_CACHES = 16, SLOW_SETS = 64, SLOW_WAYS = 16 };

struct slow_line {
	uint64_t line;
	uint64_t there, dirty; /* sectors, a bit each */
	/* Of one that leaves, what was dirty above: its sectors, and the longest that is longer than the line, 0: none. */
	uint64_t above, longer;
};

struct slow_set {
	unsigned n;
	struct slow_line way[SLOW_WAYS + 1]; /* the next victim last */
};

struct slow_cache {
	struct slow_set set[SLOW_SETS];
	struct rp_counters c;
};

struct slow_tree {
	const struct rp_tree_spec *spec;
	struct slow_cache cache[SLOW_LEVELS][SLOW_CACHES];
	struct rp_memory memory;
};

/* One access to a line of a level by a stream. */
struct slow_at {
	struct slow_tree *t;
	int level;
	uint32_t stream;
};

static inline const struct rp_level_spec *
slow_spec(struct slow_at at)
{
	return &at.t->spec->level[at.level];
}

static inline struct slow_cache *
slow_cache(struct slow_at at)
{
	uint32_t i = rp_level_instance(slow_spec(at), at.stream);
	cr_assert_lt(i, SLOW_CACHES);
	return &at.t->cache[at.level][i];
}

static inline struct slow_at
slow_below(struct slow_at at)
{
	at.level = rp_tree_below(at.t->spec, at.level, at.stream);
	return at;
}

static inline bool
slow_exclusive(struct slow_at at)
{
	return at.level != RP_MEMORY && slow_spec(at)->inclusion == RP_EXCLUSIVE;
}

static inline struct slow_set *
slow_set(struct slow_at at, uint64_t line)
{
	return &slow_cache(at)->set[line % slow_spec(at)->cache.sets];
}

static inline int
slow_find(const struct slow_set *s, uint64_t line)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->way[i].line == line)
			return (int)i;
	return -1;
}

static inline struct slow_line
slow_remove(struct slow_set *s, int i)
{
	struct slow_line l = s->way[i];
	memmove(&s->way[i], &s->way[i + 1], (s->n - (unsigned)i - 1) * sizeof *s->way);
	s->n--;
	return l;
}

static inline void
slow_push(struct slow_set *s, struct slow_line l)
{
	memmove(&s->way[1], &s->way[0], s->n * sizeof *s->way);
	s->way[0] = l;
	s->n++;
}

static void slow_access(struct slow_at at, uint64_t addr, uint64_t size, unsigned kind);

static inline void
slow_memory(struct slow_at at, uint64_t size, unsigned kind)
{
	struct rp_memory *m = &at.t->memory;
	m->reads += kind != RP_WRITE;
	m->bytes_read += kind != RP_WRITE ? size : 0;
	m->writes += kind == RP_WRITE || kind == RP_ATOMIC;
	m->bytes_written += kind == RP_WRITE || kind == RP_ATOMIC ? size : 0;
}

/* The sectors of a line of a cache, a bit each, that have one of those bytes. */
static inline uint64_t
slow_sectors(const struct rp_cache_spec *c, uint64_t line, uint64_t first, uint64_t last)
{
	uint64_t mask = 0;
	for (uint64_t k = 0; k < c->line / c->sector; k++) {
		uint64_t at = line * c->line + k * c->sector;
		if (at <= last && at + c->sector - 1 >= first)
			mask |= UINT64_C(1) << k;
	}
	return mask;
}

/* Drops the bytes of a line that leaves from every level above the instance that serves at.stream. */
static inline void
slow_invalidate(struct slow_at at, struct slow_line *out)
{
	uint64_t size = slow_spec(at)->cache.line, addr = out->line * size;
	const struct rp_tree_spec *spec = at.t->spec;
	uint32_t mine = rp_level_instance(slow_spec(at), at.stream);
	bool done[SLOW_LEVELS][SLOW_CACHES] = { 0 };
	for (uint32_t stream = 0; stream < SLOW_CACHES; stream++)
		for (int l = 0; l < (int)spec->levels; l++) {
			struct slow_at above = { at.t, l, stream };
			uint32_t i = rp_level_instance(&spec->level[l], stream);
			bool over = false;
			uint64_t whole =
			    size; /* with the lines that inclusive levels between lose */
			if (i == UINT32_MAX)
				continue;
			for (int k = l; k != RP_MEMORY && !over;
			     k = rp_tree_below(spec, k, stream)) {
				const struct rp_level_spec *between = &spec->level[k];
				over |= k == at.level && l != k &&
				        rp_level_instance(slow_spec(at), stream) == mine;
				if (k != l && k != at.level && between->inclusion == RP_INCLUSIVE &&
				    between->cache.sector > whole)
					whole = between->cache.sector;
			}
			if (!over || done[l][i])
				continue;
			done[l][i] = true;
			const struct rp_cache_spec *up = &spec->level[l].cache;
			struct rp_counters *c = &at.t->cache[l][i].c;
			uint64_t first = addr / whole * whole, last = first + whole - 1;
			for (uint64_t x = first / up->line; x <= last / up->line; x++) {
				struct slow_set *s = slow_set(above, x);
				int w = slow_find(s, x);
				uint64_t mask = slow_sectors(up, x, first, last);
				if (w < 0 || !(s->way[w].there & mask))
					continue;
				c->back_invalidations++;
				mask &= s->way[w].there;
				uint64_t dirty = s->way[w].dirty & mask;
				s->way[w].there &= ~mask;
				s->way[w].dirty &= ~mask;
				if (!s->way[w].there)
					slow_remove(s, w);
				c->back_writebacks += dirty != 0;
				c->writebacks += dirty != 0;
				for (uint64_t k = 0; k < 64; k++) {
					uint64_t b = up->sector, from = x * up->line + k * b,
						 longer = whole > b ? whole : b;
					if (!(dirty >> k & 1))
						continue;
					c->bytes_written += b;
					if (longer <= size)
						out->above |= slow_sectors(&slow_spec(at)->cache,
						    out->line, from, from + b - 1);
					else if (longer > out->longer)
						out->longer = longer;
				}
			}
		}
}

static void slow_victim(struct slow_at at, uint64_t addr, uint64_t size, bool dirty);

/* Puts a line in. *out: what left, *left: whether something did; it is gone from above if the level is inclusive. */
static inline void
slow_insert(struct slow_at at, struct slow_line l, struct slow_line *out, bool *left)
{
	struct slow_set *s = slow_set(at, l.line);
	*left = s->n == slow_spec(at)->cache.ways;
	if (*left)
		*out = slow_remove(s, (int)s->n - 1);
	slow_push(s, l);
	if (*left)
		out->above = out->longer = 0;
	if (*left && slow_spec(at)->inclusion == RP_INCLUSIVE)
		slow_invalidate(at, out);
}

/* Lines of a level, dirty or not, go to the level below; only if dirty unless that is exclusive. */
static inline void
slow_down(struct slow_at at, uint64_t addr, uint64_t size, bool dirty)
{
	struct rp_counters *c = &slow_cache(at)->c;
	struct slow_at below = slow_below(at);
	c->writebacks += dirty;
	c->bytes_written += dirty ? size : 0;
	if (slow_exclusive(below))
		for (uint64_t x = 0; x < size; x += slow_spec(below)->cache.line)
			slow_victim(below, addr + x, slow_spec(below)->cache.line, dirty);
	else if (dirty)
		slow_access(below, addr, size, RP_WRITE);
}

/* Sectors of a line go down, neighbours together. */
static inline void
slow_runs(struct slow_at at, uint64_t line, uint64_t mask)
{
	const struct rp_cache_spec *c = &slow_spec(at)->cache;
	for (uint64_t k = 0, n; k < 64; k += n + 1) {
		for (n = 0; k + n < 64 && mask >> (k + n) & 1; n++)
			;
		if (!n)
			continue;
		slow_cache(at)->c.bytes_written += n * c->sector;
		slow_access(
		    slow_below(at), line * c->line + k * c->sector, n * c->sector, RP_WRITE);
	}
}

/* A line has left a level. */
static inline void
slow_leave(struct slow_at at, struct slow_line l)
{
	uint64_t bytes = slow_spec(at)->cache.line, addr = l.line * bytes;
	bool whole = slow_exclusive(slow_below(at));
	if (whole && (!l.longer || l.dirty))
		slow_down(at, addr, bytes, l.dirty || l.above);
	if (!whole) {
		slow_cache(at)->c.writebacks += l.dirty || (l.above && !l.longer);
		slow_runs(at, l.line, l.dirty);
	}
	if (l.longer)
		slow_down(at, addr / l.longer * l.longer, l.longer, true);
	else if (!whole)
		slow_runs(at, l.line, l.above & ~l.dirty);
}

/* Whether all inclusive levels below have those bytes. */
static inline bool
slow_included(struct slow_at at, uint64_t addr, uint64_t size)
{
	for (at = slow_below(at); at.level != RP_MEMORY; at = slow_below(at)) {
		uint64_t bytes = slow_spec(at)->cache.line;
		for (uint64_t x = addr / bytes; x <= (addr + size - 1) / bytes; x++)
			if (slow_spec(at)->inclusion == RP_INCLUSIVE &&
			    slow_find(slow_set(at, x), x) < 0)
				return false;
	}
	return true;
}

/* A line that was replaced above comes to an exclusive level. */
static inline void
slow_victim(struct slow_at at, uint64_t addr, uint64_t size, bool dirty)
{
	struct rp_counters *c = &slow_cache(at)->c;
	uint64_t line = addr / size;
	bool through = slow_spec(at)->cache.write == RP_WRITE_THROUGH, left;
	struct slow_line out;
	struct slow_set *s = slow_set(at, line);
	if (!slow_included(at, addr, size)) {
		c->bytes_written += dirty ? size : 0;
		if (dirty && slow_exclusive(slow_below(at)))
			slow_victim(slow_below(at), addr, size, true);
		else if (dirty)
			slow_access(slow_below(at), addr, size, RP_WRITE);
		return;
	}
	if (dirty && through) {
		c->bytes_written += size;
		slow_access(slow_below(at), addr, size, RP_WRITE);
		dirty = false;
	}
	int w = slow_find(s, line);
	if (w >= 0) {
		dirty |= s->way[w].dirty & 1;
		if (!strcmp(slow_spec(at)->cache.policy->name, "lru"))
			slow_push(s, slow_remove(s, w));
		s->way[slow_find(s, line)].dirty = dirty;
		return;
	}
	c->fills++;
	slow_insert(at, (struct slow_line){ line, 1, dirty, 0, 0 }, &out, &left);
	c->evictions += left;
	if (left)
		slow_leave(at, out);
}

/* A line is fetched for the cache `to` above, where it is already. */
static inline void
slow_fetch(struct slow_at at, struct slow_at to, uint64_t addr, uint64_t size, unsigned kind)
{
	if (!slow_exclusive(at)) {
		slow_access(at, addr, size, kind);
		return;
	}
	struct rp_counters *c = &slow_cache(at)->c;
	uint64_t line = addr / size;
	int w = slow_find(slow_set(at, line), line);
	c->accesses++;
	c->lookups++;
	c->reads++;
	c->ifetches += kind == RP_FETCH;
	c->prefetches += kind == RP_PREFETCH;
	c->hits += w >= 0;
	if (w < 0) {
		c->misses++;
		c->read_misses++;
		c->missed_accesses++;
		c->ifetch_misses += kind == RP_FETCH;
		slow_fetch(slow_below(at), to, addr, size, kind);
	} else if (slow_remove(slow_set(at, line), w).dirty) {
		struct slow_set *s = slow_set(to, line);
		int up = slow_find(s, line);
		if (slow_spec(to)->cache.write == RP_WRITE_BACK && up >= 0)
			s->way[up].dirty = 1;
		else
			slow_leave(at, (struct slow_line){ line, 1, 1, 0, 0 });
	}
}

/* The part of an access in one sector, or line. */
static inline bool
slow_lookup(struct slow_at at, uint64_t sector, uint64_t lo, uint64_t hi, unsigned kind)
{
	const struct rp_cache_spec *spec = &slow_spec(at)->cache;
	struct rp_counters *c = &slow_cache(at)->c;
	uint64_t line = sector * spec->sector / spec->line,
		 bit = UINT64_C(1) << sector % (spec->line / spec->sector);
	struct slow_set *s = slow_set(at, line);
	bool write = kind == RP_WRITE, dirties = write || kind == RP_ATOMIC,
	     through = spec->write == RP_WRITE_THROUGH,
	     around = write && spec->allocate == RP_ALLOCATE_NO_WRITE, left;
	int w = slow_find(s, line);
	c->lookups++;
	*(write ? &c->writes : &c->reads) += 1;
	c->ifetches += kind == RP_FETCH;
	c->atomics += kind == RP_ATOMIC;
	c->prefetches += kind == RP_PREFETCH;
	if (w >= 0 && s->way[w].there & bit) {
		c->hits++;
		s->way[w].dirty |= dirties && !through ? bit : 0;
		if (!strcmp(spec->policy->name, "lru"))
			slow_push(s, slow_remove(s, w));
		if (dirties && through) {
			c->bytes_written += hi - lo + 1;
			slow_access(slow_below(at), lo, hi - lo + 1, RP_WRITE);
		}
		return false;
	}
	c->misses++;
	*(write ? &c->write_misses : &c->read_misses) += 1;
	c->ifetch_misses += kind == RP_FETCH;
	if (slow_exclusive(at) || around) {
		c->bytes_written += dirties ? hi - lo + 1 : 0;
		slow_access(slow_below(at), lo, hi - lo + 1, kind);
		return true;
	}
	struct slow_line out, in = { line, bit, dirties && !through ? bit : 0, 0, 0 };
	c->fills++;
	c->bytes_filled += spec->sector;
	left = false;
	if (w >= 0) {
		s->way[w].there |= bit;
		s->way[w].dirty |= in.dirty;
		if (!strcmp(spec->policy->name, "lru"))
			slow_push(s, slow_remove(s, w));
	} else {
		slow_insert(at, in, &out, &left);
	}
	c->evictions += left;
	slow_fetch(slow_below(at), at, sector * spec->sector, spec->sector,
	    kind == RP_FETCH || kind == RP_PREFETCH ? kind : RP_READ);
	if (dirties && through) {
		c->bytes_written += hi - lo + 1;
		slow_access(slow_below(at), lo, hi - lo + 1, RP_WRITE);
	}
	if (left)
		slow_leave(at, out);
	return true;
}

static void
slow_access(struct slow_at at, uint64_t addr, uint64_t size, unsigned kind)
{
	if (at.level == RP_MEMORY) {
		slow_memory(at, size, kind);
		return;
	}
	uint64_t bytes = slow_spec(at)->cache.sector, last = addr + size - 1;
	bool missed = false;
	slow_cache(at)->c.accesses++;
	for (uint64_t x = addr / bytes; x <= last / bytes; x++) {
		uint64_t lo = x * bytes > addr ? x * bytes : addr,
			 hi = x * bytes + bytes - 1 < last ? x * bytes + bytes - 1 : last;
		missed |= slow_lookup(at, x, lo, hi, kind);
	}
	slow_cache(at)->c.missed_accesses += missed;
}

/* An access of the trace. */
static inline void
slow_enter(struct slow_tree *t, uint32_t stream, uint64_t addr, uint64_t size, unsigned kind)
{
	slow_access(
	    (struct slow_at){ t, rp_tree_entry(t->spec, kind, stream), stream }, addr, size, kind);
}

#endif
