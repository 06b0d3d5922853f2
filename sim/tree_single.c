/* tree_single.c - a hierarchy access by access, where something flows up.
 *
 * The same modules as in tree_flow.c, over chunks of one lookup: what a lookup sends down has gone all the way before the
 * next is made. An inclusive level drops from the levels above what it replaces; an exclusive one takes in what they replace,
 * and gives away what they fetch. */
#include "config.h"

#include "sim/tree_state.h"

#include <string.h>

/* One lookup of a level's cache. */
struct one {
	struct level *l;
	struct instance *in;
	struct unit *u;
	const struct rp_lookups *look; /* of one; its line is the unit's own number */
	uint32_t slot;
	const struct one *from; /* the lookup above that asks; NULL: none, or it does not matter */
};

/* What became of a lookup: its cache's result may have been written over since, by one below. */
struct done {
	uint8_t outcome;
	uint64_t back; /* dirty sectors of the line that left, a bit each */
};

/* Bytes that its cache wrote back for it. */
static uint64_t
bytes_back(const struct one *x, const struct done *d)
{
	return (uint64_t)__builtin_popcountll(d->back) * x->l->spec->cache.sector;
}

typedef bool one_fn(struct rp_tree *t, const struct one *x, struct rp_err *err);

static bool arrive(struct rp_tree *t, int level, const struct rp_access *a, uint32_t slot,
    const struct one *from, one_fn *take, struct rp_err *err);
static one_fn take_fetch, take_victim, take_clean_victim, take_other;

/* Adds to a counter of the unit and of the stream. */
#define COUNT(t, x, name, n)                                                                       \
	do {                                                                                       \
		uint64_t more = (n);                                                               \
		more = (t)->count ? more : 0;                                                      \
		(x)->u->total.name += more;                                                        \
		if ((x)->l->stream)                                                                \
			(x)->l->stream[(x)->slot].name += more;                                    \
	} while (0)

static bool
is_exclusive(const struct rp_tree *t, int level)
{
	return level != RP_MEMORY && t->level[level].spec->inclusion == RP_EXCLUSIVE;
}

static void
see(void *to, uint64_t line, bool dirty)
{
	(void)line;
	(void)dirty;
	*(bool *)to = true;
}

static bool
holds(struct unit *u, uint64_t line)
{
	bool there = false;
	rp_module_walk(u->module, line, line, see, &there);
	return there;
}

/* The bytes of the lookup's line that its access has, as an access. */
static struct rp_access
access_of(const struct one *x)
{
	uint64_t local = x->look->line[0], start = local << x->l->line_bits;
	struct rp_access a = tree_clip(x->l->one, 0, start, start + (x->l->spec->cache.sector - 1));
	a.addr += (tree_line(x->l, x->u, local) << x->l->line_bits) - start;
	return a;
}

/* What was dirty, in the levels above, of a line that leaves a level. */
struct dirt {
	uint64_t first;   /* byte of the line */
	unsigned unit;    /* log2 of the bytes of its sectors */
	uint64_t line;    /* its bytes */
	uint64_t sectors; /* those with dirty bytes above, a bit each */
	uint32_t
	    longest; /* bytes of the longest sector above that was dirty and is longer than the line; 0: none */
};

/* Takes down that `bytes` from `address` on, a sector above, were dirty. */
static void
note_dirt(struct dirt *d, uint64_t address, uint64_t bytes)
{
	if (bytes > d->line) {
		d->longest = bytes > d->longest ? (uint32_t)bytes : d->longest;
		return;
	}
	uint64_t low = (address - d->first) >> d->unit,
		 high = (address - d->first + (bytes - 1)) >> d->unit;
	d->sectors |= UINT64_MAX >> (63 - (high - low)) << low;
}

/* Dirty sectors of one line of a cache. */
struct line_dirt {
	uint64_t first; /* number of the first sector asked for */
	uint64_t dirty; /* a bit for each from there on */
};

static void
see_dirt(void *to, uint64_t sector, bool dirty)
{
	struct line_dirt *d = to;
	d->dirty |= (uint64_t)dirty << (sector - d->first);
}

/* Drops sectors first..last, all of one line, from an instance, which counts what it loses. */
static void
drop_line(struct rp_tree *t, struct instance *in, uint64_t first, uint64_t last, uint32_t slot,
    struct dirt *d)
{
	struct level *l = &t->level[in->level];
	struct one x = { .l = l, .slot = slot };
	uint64_t local, writes, bytes = l->spec->cache.sector;
	x.u = tree_slice(l, in, first, &local);
	struct line_dirt seen = { .first = local };
	if (first != last)
		rp_module_walk(x.u->module, local, local + (last - first), see_dirt, &seen);
	writes = rp_module_clean(x.u->module, local, local + (last - first));
	if (first == last)
		seen.dirty = writes;
	COUNT(
	    t, &x, back_invalidations, rp_module_drop(x.u->module, local, local + (last - first)));
	COUNT(t, &x, back_writebacks, writes);
	COUNT(t, &x, writebacks, writes);
	COUNT(t, &x, bytes_written, (uint64_t)__builtin_popcountll(seen.dirty) * bytes);
	for (uint64_t m = seen.dirty; m; m &= m - 1)
		note_dirt(d, (first + (uint64_t)__builtin_ctzll(m)) << l->line_bits, bytes);
}

/* Drops bytes first..last from all levels above an instance, and takes down what was dirty there. */
static void
invalidate_above(struct rp_tree *t, struct instance *in, uint64_t first, uint64_t last,
    uint32_t slot, struct dirt *d)
{
	for (size_t i = 0; i < in->n_above; i++) {
		struct instance *above = in->above[i];
		struct level *l = &t->level[above->level];
		uint64_t bytes = l->spec->cache.sector, end = last >> l->line_bits,
			 in_line = (UINT64_C(1) << l->slices.sectors) - 1, part;
		for (uint64_t unit = first >> l->line_bits; unit <= end; unit = part + 1) {
			part = (unit | in_line) < end ? unit | in_line : end;
			drop_line(t, above, unit, part, slot, d);
		}
		/* An inclusive level has lost its sectors whole, of which the bytes may be a part. */
		uint64_t rest = l->spec->inclusion == RP_INCLUSIVE ? bytes - 1 : 0;
		if (rest <= last - first) {
			invalidate_above(t, above, first, last, slot, d);
			continue;
		}
		struct dirt wide = { .first = first & ~rest, .unit = l->line_bits, .line = bytes };
		invalidate_above(t, above, first & ~rest, last | rest, slot, &wide);
		if (wide.sectors || wide.longest)
			note_dirt(d, first, wide.longest > bytes ? wide.longest : bytes);
	}
}

/* Sends an access to the level below x. */
static bool
send(struct rp_tree *t, const struct one *x, unsigned what, const struct rp_access *a,
    struct rp_err *err)
{
	int below = x->l->below[x->slot];
	one_fn *take = !is_exclusive(t, below) ? take_other
	               : what == RP_ASK_FETCH  ? take_fetch
	               : what == RP_ASK_BACK   ? take_victim
	                                       : take_other;
	return arrive(t, below, a, x->slot, x, take, err);
}

/* A line left x's cache for the lookup, `back` of its sectors dirty here, which its cache has asked to write back. This is the
 * rest: what was dirty of it above, and a clean line to an exclusive level, where no cache has sectors. */
static bool
send_rest(
    struct rp_tree *t, const struct one *x, const struct dirt *d, uint64_t back, struct rp_err *err)
{
	const struct rp_cache_spec *s = &x->l->spec->cache;
	int below = x->l->below[x->slot];
	struct rp_access a = { .addr = d->first, .size = s->line, .kind = RP_WRITE };
	if (d->longest) { /* a longer line, of which this one is a part */
		a.addr &= ~((uint64_t)d->longest - 1);
		a.size = d->longest;
		COUNT(t, x, writebacks, 1);
		COUNT(t, x, bytes_written, a.size);
		return send(t, x, RP_ASK_BACK, &a, err);
	}
	uint64_t rest = d->sectors & ~back;
	COUNT(t, x, writebacks, rest && !back);
	while (rest) { /* neighbours as one */
		unsigned k = (unsigned)__builtin_ctzll(rest), n = 0;
		while (k + n < 64 && rest >> (k + n) & 1)
			rest &= ~(UINT64_C(1) << (k + n++));
		a.addr = d->first + (uint64_t)k * s->sector;
		a.size = n * s->sector;
		COUNT(t, x, bytes_written, a.size);
		if (!send(t, x, RP_ASK_BACK, &a, err))
			return false;
	}
	return d->sectors || back || !is_exclusive(t, below) ||
	       arrive(t, below, &a, x->slot, x, take_clean_victim, err);
}

/* Coherent caches write back for each other too: what another one stored is read here, or its directory entry goes. */
static void
count_shared_writes(
    struct rp_tree *t, const struct one *x, const struct rp_requests *asks, bool own)
{
	uint64_t lines = 0;
	for (size_t k = 0; k < asks->n; k++)
		lines += asks->what[k] == RP_ASK_BACK;
	lines -= own;
	COUNT(t, x, writebacks, lines);
	COUNT(t, x, bytes_written, lines * x->l->spec->cache.line);
}

/* Makes the lookup. What it replaces is dropped from above, if the level is inclusive, then what it asks for goes down.
 * `bring`: the line is put in without a lookup being counted or the line fetched. */
static bool
make_lookup(
    struct rp_tree *t, const struct one *x, bool bring, struct done *done, struct rp_err *err)
{
	struct rp_requests *asks = &x->l->asks;
	const struct rp_cache_spec *s = &x->l->spec->cache;
	struct dirt dirt = { .unit = x->l->line_bits, .line = s->line };
	asks->n = 0;
	if (!rp_module_run(x->u->module, x->look, &t->result, asks, err))
		return false;
	uint8_t o = t->result.outcome[0];
	uint64_t back = o & RP_WROTE_BACK ? t->result.back ? t->result.back[0] : 1 : 0;
	*done = (struct done){ o, back };
	if (!bring && !tree_tally(t, x->l, x->u, x->look, &t->result, &x->slot, err))
		return false;
	if (!bring && x->l->coherence)
		count_shared_writes(t, x, asks, o & RP_WROTE_BACK);
	if (o & RP_EVICTED) {
		uint64_t sector = t->result.victim[0] << x->l->slices.sectors;
		dirt.first = tree_line(x->l, x->u, sector) << x->l->line_bits;
		if (x->l->spec->inclusion == RP_INCLUSIVE)
			invalidate_above(
			    t, x->in, dirt.first, dirt.first + (s->line - 1), x->slot, &dirt);
	}
	for (size_t k = 0; k < asks->n; k++) {
		struct rp_access a = tree_request(x->l, x->u, asks, k, x->l->one);
		if (!(bring && asks->what[k] == RP_ASK_FETCH) &&
		    !send(t, x, asks->what[k], &a, err))
			return false;
	}
	return !(o & RP_EVICTED) || send_rest(t, x, &dirt, back, err);
}

/* Counts a lookup of an exclusive level that changes nothing in its cache but what `take` did. */
static bool
count_lookup(struct rp_tree *t, const struct one *x, bool hit, struct rp_err *err)
{
	t->result.outcome[0] = hit ? 0 : RP_MISSED | RP_NO_FILL;
	t->result.waits = NULL;
	return tree_tally(t, x->l, x->u, x->look, &t->result, &x->slot, err);
}

/* A level above fetches a line from an exclusive one: it leaves here, with what is dirty. */
static bool
take_fetch(struct rp_tree *t, const struct one *x, struct rp_err *err)
{
	uint64_t line = x->look->line[0];
	bool dirty = rp_module_clean(x->u->module, line, line),
	     hit = rp_module_drop(x->u->module, line, line);
	struct rp_access a = access_of(x);
	int below = x->l->below[x->slot];
	if (!count_lookup(t, x, hit, err))
		return false;
	if (!hit)
		return arrive(t, below, &a, x->slot, x->from,
		    is_exclusive(t, below) ? take_fetch : take_other, err);
	const struct one *up = x->from;
	if (!dirty || (up->l->spec->cache.write == RP_WRITE_BACK &&
			  rp_module_soil(up->u->module, up->look->line[0])))
		return true;
	/* What is above keeps no dirty lines. */
	COUNT(t, x, writebacks, 1);
	COUNT(t, x, bytes_written, a.size);
	a.kind = RP_WRITE;
	return send(t, x, RP_ASK_BACK, &a, err);
}

/* Puts a line in by a lookup that is a read, whatever it was, and leaves the line dirty or not. */
static bool
put_in(struct rp_tree *t, const struct one *x, bool dirty, struct done *done, struct rp_err *err)
{
	static const uint8_t none[64];
	static const uint32_t no_bytes[64];
	uint8_t dirtying[64] = { dirty };
	struct rp_lookups look = *x->look;
	struct one y = *x;
	memset(look.kinds, 0, sizeof look.kinds);
	look.kinds[RP_READ] = 1;
	look.kind = look.store = none;
	look.dirty = dirtying;
	look.bytes = look.bytes ? no_bytes : NULL;
	y.look = &look;
	return make_lookup(t, &y, true, done, err);
}

/* Whether every inclusive level below an instance has bytes first..last. */
static bool
included_below(struct rp_tree *t, const struct instance *in, uint64_t first, uint64_t last)
{
	for (in = in->below; in; in = in->below) {
		const struct level *l = &t->level[in->level];
		if (l->spec->inclusion != RP_INCLUSIVE)
			continue;
		for (uint64_t line = first >> l->line_bits; line <= last >> l->line_bits; line++) {
			uint64_t local;
			struct unit *u = tree_slice(l, in, line, &local);
			if (!holds(u, local))
				return false;
		}
	}
	return true;
}

/* A line that a level above replaced comes to an exclusive one; not if an inclusive level below lost it meanwhile, to what
 * was fetched in its place: then it only passes. */
static bool
take_line(struct rp_tree *t, const struct one *x, bool dirty, struct rp_err *err)
{
	struct rp_access a = access_of(x);
	struct done done;
	if (!included_below(t, x->in, a.addr, a.addr + (a.size - 1))) {
		COUNT(t, x, bytes_written, dirty ? a.size : 0);
		return !dirty || send(t, x, RP_ASK_BACK, &a, err);
	}
	if (dirty && x->l->spec->cache.write == RP_WRITE_THROUGH) {
		COUNT(t, x, bytes_written, a.size);
		if (!send(t, x, RP_ASK_WRITE, &a, err))
			return false;
	}
	if (!put_in(t, x, dirty, &done, err))
		return false;
	COUNT(t, x, fills, (done.outcome & RP_MISSED) && !(done.outcome & RP_NO_FILL));
	COUNT(t, x, evictions, !!(done.outcome & RP_EVICTED));
	COUNT(t, x, writebacks, !!(done.outcome & RP_WROTE_BACK));
	COUNT(t, x, bytes_written, bytes_back(x, &done));
	return true;
}

static bool
take_victim(struct rp_tree *t, const struct one *x, struct rp_err *err)
{
	return take_line(t, x, true, err);
}

static bool
take_clean_victim(struct rp_tree *t, const struct one *x, struct rp_err *err)
{
	return take_line(t, x, false, err);
}

/* Any other lookup. In an exclusive level it finds what is there and brings nothing in. */
static bool
take_other(struct rp_tree *t, const struct one *x, struct rp_err *err)
{
	struct done done;
	if (x->l->spec->inclusion != RP_EXCLUSIVE || holds(x->u, x->look->line[0]))
		return make_lookup(t, x, false, &done, err);
	struct rp_access a = access_of(x);
	return count_lookup(t, x, false, err) &&
	       arrive(t, x->l->below[x->slot], &a, x->slot, NULL, take_other, err);
}

/* Each lookup of the chunk by itself. */
static bool
take_chunk(
    struct rp_tree *t, struct one *x, const struct rp_lookups *in, one_fn *take, struct rp_err *err)
{
	for (size_t i = 0; i < in->n; i++) {
		bool begins = in->crossings ? in->crossing->begins && !i : !i;
		struct rp_crossing part = { .n = 1, .begins = begins };
		struct rp_lookups look = {
			.in = in->in,
			.n = 1,
			.accesses = begins,
			.line = in->line + i,
			.kind = in->kind + i,
			.store = in->store + i,
			.dirty = in->dirty + i,
			.row = in->row + i,
			.bytes = in->bytes ? in->bytes + i : NULL,
			.crossing = &part,
			.crossings = in->crossings,
		};
		look.kinds[in->kind[i]] = 1;
		x->look = &look;
		if (!take(t, x, err))
			return false;
	}
	return true;
}

/* The lookup of an access that lies in one line, as rp_expand_next would make it. */
static const struct rp_lookups *
single_look(struct level *l, const struct rp_access *a)
{
	struct single *s = &l->single;
	struct rp_lookups *look = &s->look;
	if (!look->in)
		*look = (struct rp_lookups){ .in = l->one,
			.n = 1,
			.accesses = 1,
			.line = s->line,
			.kind = s->kind,
			.store = s->store,
			.dirty = s->dirty,
			.row = s->row,
			.bytes = l->wants_bytes ? s->bytes : NULL };
	look->kinds[s->kind[0]] = 0;
	look->kinds[a->kind] = 1;
	s->line[0] = a->addr >> l->line_bits;
	s->kind[0] = a->kind;
	s->store[0] = a->kind == RP_WRITE;
	s->dirty[0] = a->kind == RP_WRITE || a->kind == RP_ATOMIC;
	if (l->wants_bytes)
		s->bytes[0] = s->dirty[0] ? (uint32_t)tree_bytes(a) : 0;
	return look;
}

static bool
take_row(
    struct rp_tree *t, struct one *x, const struct rp_access *a, one_fn *take, struct rp_err *err)
{
	size_t row = 0;
	uint32_t bytes = x->l->spec->cache.sector;
	rp_batch_clear(x->l->one);
	rp_batch_put(x->l->one, a);
	if (a->size && (a->addr & (bytes - 1)) + a->size <= bytes) {
		x->look = single_look(x->l, a);
		return take(t, x, err);
	}
	while (row < 1) {
		const struct rp_lookups *in = rp_expand_next(x->l->expand, x->l->one, &row, 1);
		if (!take_chunk(t, x, in, take, err))
			return false;
	}
	return true;
}

/* The same for a level of slices: each line's part goes to the slice that has it. */
static bool
take_parts(
    struct rp_tree *t, struct one *x, const struct rp_access *a, one_fn *take, struct rp_err *err)
{
	struct level *l = x->l;
	rp_batch_clear(t->row);
	rp_batch_put(t->row, a);
	unsigned sectors = l->slices.sectors, bits = l->line_bits + sectors;
	uint64_t first = a->addr >> bits, last = rp_batch_last(t->row, 0) >> bits;
	for (uint64_t line = first;; line++) {
		uint64_t local, start = line << bits;
		rp_batch_clear(t->row);
		rp_batch_put(t->row, a);
		if (first == last || tree_touches(l, t->row, 0, line)) {
			struct rp_access part =
			    tree_clip(t->row, 0, start, start + (l->spec->cache.line - 1));
			x->u = tree_slice(l, x->in, line << sectors, &local);
			part.addr = (local << l->line_bits) + (part.addr - start);
			if (!take_row(t, x, &part, take, err))
				return false;
		}
		if (line == last)
			return true;
	}
}

static bool
arrive(struct rp_tree *t, int level, const struct rp_access *a, uint32_t slot,
    const struct one *from, one_fn *take, struct rp_err *err)
{
	if (level == RP_MEMORY) {
		tree_remember(t, a);
		return true;
	}
	struct level *l = &t->level[level];
	struct one x = { .l = l, .in = l->instance[l->of[slot] - 1], .slot = slot, .from = from };
	if (!l->one && !(l->one = rp_batch_new(1, t->columns, err)))
		return false;
	x.u = &x.in->unit[0];
	return (l->slices.n > 1 ? take_parts : take_row)(t, &x, a, take, err);
}

bool
tree_count_entering(struct rp_tree *t, struct level *l, const struct rp_access *a, uint32_t slot,
    struct rp_err *err)
{
	size_t row = 0;
	if (!l->one && !(l->one = rp_batch_new(1, t->columns, err)))
		return false;
	rp_batch_clear(l->one);
	rp_batch_put(l->one, a);
	while (t->count && row < 1) {
		uint64_t n = rp_expand_next(l->expand, l->one, &row, 1)->n;
		t->entered += n;
		if (t->entered_stream)
			t->entered_stream[slot] += n;
	}
	return true;
}

bool
tree_single(struct rp_tree *t, const struct rp_batch *b, size_t row, struct rp_err *err)
{
	uint32_t slot = t->slot[row];
	int level = tree_entry(t, b, row, slot);
	struct rp_access a = rp_batch_get(b, row);
	if (level != RP_MEMORY && t->level[level].spec->depth > 1 &&
	    !tree_count_entering(t, &t->level[level], &a, slot, err))
		return false;
	return arrive(t, level, &a, slot, NULL, take_other, err);
}

static bool
held_above(struct rp_tree *t, const struct instance *in, uint64_t first, uint64_t last)
{
	for (size_t i = 0; i < in->n_above; i++) {
		struct instance *above = in->above[i];
		struct level *l = &t->level[above->level];
		for (uint64_t line = first >> l->line_bits; line <= last >> l->line_bits; line++) {
			uint64_t local;
			struct unit *u = tree_slice(l, above, line, &local);
			if (holds(u, local))
				return true;
		}
		if (held_above(t, above, first, last))
			return true;
	}
	return false;
}

/* What goes into a cache that a host copy warms. */
static bool
take_copy(struct rp_tree *t, const struct one *x, struct rp_err *err)
{
	struct done done;
	uint64_t line = x->l->spec->cache.line, at = tree_line(x->l, x->u, x->look->line[0])
	                                             << x->l->line_bits;
	if (x->l->spec->inclusion == RP_EXCLUSIVE && held_above(t, x->in, at, at + (line - 1)))
		return true;
	if (!put_in(t, x, false, &done, err))
		return false;
	COUNT(t, x, writebacks, !!(done.outcome & RP_WROTE_BACK));
	COUNT(t, x, bytes_written, bytes_back(x, &done));
	return true;
}

bool
tree_warm(struct rp_tree *t, struct instance *in, uint64_t line, struct rp_err *err)
{
	struct level *l = &t->level[in->level];
	struct rp_access a = {
		.addr = line << l->line_bits, .size = l->spec->cache.sector, .kind = RP_READ
	};
	return arrive(t, (int)in->level, &a, in->slot, NULL, take_copy, err);
}
