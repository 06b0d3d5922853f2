/* tree_flow.c - a hierarchy a batch at a time, where nothing flows up.
 *
 * A level's rows, in the order of the trace, are dealt to its caches, each has its turn, and what they ask for is put in the
 * order of the rows again that caused it: that is the order in which the level below sees it, access by access too. */
#include "config.h"

#include "sim/tree_state.h"

#include "base/mem.h"

#include <string.h>

/* Rows of a level in order: number i is index[i] of `rows` if there is an index, else first + i. */
struct source {
	const struct rp_batch *rows;
	const uint32_t *index;
	const uint32_t *origin; /* by row: the trace's; NULL: it is the trace's batch */
	size_t first, n;
};

static size_t
row_of(const struct source *s, size_t i)
{
	return s->index ? s->index[i] : s->first + i;
}

static size_t
origin_of(const struct source *s, size_t row)
{
	return s->origin ? s->origin[row] : row;
}

static bool
feed_room(struct feed *f, size_t n, unsigned columns, struct rp_err *err)
{
	size_t cap = f->cap ? f->cap : 512;
	if (n <= f->cap)
		return true;
	while (cap < n)
		cap *= 2;
	struct rp_batch *rows = rp_batch_new(cap, columns, err);
	if (!rows)
		return false;
	if (f->rows)
		rp_batch_append(rows, f->rows, 0, f->rows->n);
	rp_batch_free(f->rows);
	f->rows = rows;
	uint32_t *origin = rp_mem_grow(f->origin, cap, sizeof *origin, err);
	if (!origin)
		return false;
	f->origin = origin;
	uint32_t *key = rp_mem_grow(f->key, cap, sizeof *key, err);
	if (!key)
		return false;
	f->key = key;
	f->cap = cap;
	return true;
}

static void
feed_clear(struct feed *f)
{
	if (f->rows)
		rp_batch_clear(f->rows);
}

static size_t
feed_count(const struct feed *f)
{
	return f->rows ? f->rows->n : 0;
}

static void
feed_free(struct feed *f)
{
	rp_batch_free(f->rows);
	free(f->origin);
	free(f->key);
}

static bool
feed_put(
    struct rp_tree *t, struct feed *f, const struct rp_access *a, size_t origin, struct rp_err *err)
{
	size_t n = feed_count(f);
	if (n == f->cap && !feed_room(f, n + 1, t->columns, err))
		return false;
	f->origin[n] = (uint32_t)origin;
	rp_batch_put(f->rows, a);
	return true;
}

void
tree_flow_free(struct level *l)
{
	free(l->enter.at);
	feed_free(&l->arrived);
	feed_free(&l->sorted);
}

/* Room for n numbers; what was there is lost. */
static bool
numbers(struct tree_numbers *x, size_t n, struct rp_err *err)
{
	if (n <= x->room)
		return true;
	free(x->at);
	x->room = 0;
	if (!(x->at = rp_mem_array(2 * n, sizeof *x->at, err)))
		return false;
	x->room = 2 * n;
	return true;
}

/* Turns counts into where each begins. */
static void
begin_each(uint32_t *count, size_t n)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t here = count[i];
		count[i] = sum;
		sum += here;
	}
}

/* Finds where each row enters. */
static bool
deal_entries(
    struct rp_tree *t, const struct rp_batch *b, size_t from, size_t to, struct rp_err *err)
{
	for (size_t i = 0; i < t->levels; i++) {
		struct level *l = &t->level[i];
		l->entering = 0;
		if (!numbers(&l->enter, to - from, err))
			return false;
	}
	for (size_t row = from; row < to; row++) {
		int level = tree_entry(t, b, row, t->slot[row]);
		if (level == RP_MEMORY) {
			struct rp_access a = rp_batch_get(b, row);
			tree_remember(t, &a);
			continue;
		}
		struct level *l = &t->level[level];
		l->enter.at[l->entering++] = (uint32_t)row;
	}
	return true;
}

/* Puts what arrived from several levels into the order of the trace; each one's is in order. */
static bool
merge_arrived(struct rp_tree *t, struct level *l, size_t from, size_t to, struct rp_err *err)
{
	struct feed *in = &l->arrived, *out = &l->sorted, swap;
	size_t n = feed_count(in), rows = to - from;
	if (!numbers(&t->scratch, rows + n, err) || !feed_room(out, n, t->columns, err))
		return false;
	uint32_t *at = t->scratch.at, *order = at + rows;
	memset(at, 0, rows * sizeof *at);
	for (size_t i = 0; i < n; i++)
		at[in->origin[i] - from]++;
	begin_each(at, rows);
	for (size_t i = 0; i < n; i++)
		order[at[in->origin[i] - from]++] = (uint32_t)i;
	feed_clear(out);
	for (size_t i = 0; i < n; i++) {
		struct rp_access a = rp_batch_get(in->rows, order[i]);
		out->origin[i] = in->origin[order[i]];
		rp_batch_put(out->rows, &a);
	}
	swap = *in;
	*in = *out;
	*out = swap;
	return true;
}

/* What comes to a level. Its own entries join what arrived from above, if anything did. */
static bool
gather(struct rp_tree *t, struct level *l, const struct rp_batch *b, size_t from, size_t to,
    bool whole, struct source *s, struct rp_err *err)
{
	*s = (struct source){ .rows = b, .first = from, .n = to - from };
	if (whole)
		return true;
	bool below = l->spec->depth > 1;
	for (size_t i = 0; below && i < l->entering; i++) {
		struct rp_access a = rp_batch_get(b, l->enter.at[i]);
		if (!tree_count_entering(t, l, &a, t->slot[l->enter.at[i]], err) ||
		    !feed_put(t, &l->arrived, &a, l->enter.at[i], err))
			return false;
	}
	l->sources += below && l->entering;
	if (!below) {
		s->index = l->enter.at;
		s->n = l->entering;
		return true;
	}
	if (l->sources > 1 && !merge_arrived(t, l, from, to, err))
		return false;
	*s = (struct source){
		.rows = l->arrived.rows, .origin = l->arrived.origin, .n = feed_count(&l->arrived)
	};
	return true;
}

/* Parts of rows, a line each, in order: the row's number, how many lines the part's is behind the row's first, and the cache
 * that has it. */
struct parts {
	uint32_t *number, *more, *unit;
	size_t n;
};

/* Unless p->unit is NULL, fills them in; else only counts. */
static void
slice_rows(const struct rp_tree *t, const struct level *l, const struct source *s, struct parts *p)
{
	for (size_t i = p->n = 0; i < s->n; i++) {
		size_t row = row_of(s, i);
		unsigned sectors = l->slices.sectors, bits = l->line_bits + sectors;
		uint64_t first = s->rows->addr[row] >> bits,
			 last = rp_batch_last(s->rows, row) >> bits, local;
		uint32_t unit = (l->of[t->slot[origin_of(s, row)]] - 1) * l->slices.n;
		for (uint64_t line = first;; line++) {
			if (first == last || tree_touches(l, s->rows, row, line)) {
				if (p->unit) {
					p->number[p->n] = (uint32_t)i;
					p->more[p->n] = (uint32_t)(line - first);
					p->unit[p->n] =
					    unit + rp_slice_of(&l->slices, line << sectors, &local);
				}
				p->n++;
			}
			if (line == last)
				break;
		}
	}
}

/* The same where a row is one part. */
static void
share_rows(const struct rp_tree *t, const struct level *l, const struct source *s, struct parts *p)
{
	for (size_t i = 0; i < s->n; i++) {
		p->number[i] = (uint32_t)i;
		p->unit[i] = l->of[t->slot[origin_of(s, row_of(s, i))]] - 1;
	}
}

/* Copies rows src[0..n) into a feed, which has room. */
static void
take_rows(struct feed *f, const struct rp_batch *from, const uint32_t *src, size_t n)
{
	struct rp_batch *to = f->rows;
	for (size_t k = 0; k < n; k++)
		to->addr[k] = from->addr[src[k]];
	for (size_t k = 0; k < n; k++)
		to->size[k] = from->size[src[k]];
	for (size_t k = 0; k < n; k++)
		to->kind[k] = from->kind[src[k]];
	for (size_t k = 0; to->time && k < n; k++)
		to->time[k] = from->time[src[k]];
	for (size_t k = 0; to->pc && k < n; k++)
		to->pc[k] = from->pc[src[k]];
	for (size_t k = 0; to->stream && k < n; k++)
		to->stream[k] = from->stream[src[k]];
	for (size_t k = 0; to->mask && k < n; k++)
		to->mask[k] = from->mask[src[k]];
	for (size_t k = 0; to->flags && k < n; k++)
		to->flags[k] = from->flags[src[k]];
	to->n = n;
	to->marks = 0;
}

/* Makes of row k, which was row `row` of the source, its part in line number `more` behind its first: where it is in the
 * slice that has it. */
static void
keep_part(const struct level *l, struct feed *f, size_t k, uint64_t more)
{
	struct rp_batch *b = f->rows;
	unsigned sectors = l->slices.sectors, bits = l->line_bits + sectors;
	uint64_t line = b->addr[k] >> bits, local, mask = l->spec->cache.line - 1;
	if (!more && line == rp_batch_last(b, k) >> bits) {
		rp_slice_of(&l->slices, line << sectors, &local);
		b->addr[k] = local << l->line_bits | (b->addr[k] & mask);
		return;
	}
	uint64_t start = (line + more) << bits;
	struct rp_access a = tree_clip(b, k, start, start | mask);
	rp_slice_of(&l->slices, (line + more) << sectors, &local);
	b->addr[k] = (local << l->line_bits) + (a.addr - start);
	b->size[k] = a.size;
	if (b->mask)
		b->mask[k] = a.mask;
}

/* Sorts the rows of a level, or their parts, by cache into l->sorted: those of cache k end before t->ends.at[k]. The keys are
 * their numbers in order. */
static bool
deal_rows(struct rp_tree *t, struct level *l, const struct source *s, struct rp_err *err)
{
	size_t units = tree_units(l);
	struct feed *f = &l->sorted;
	struct parts p = { .n = s->n };
	if (l->slices.n > 1)
		slice_rows(t, l, s, &p);
	if (!feed_room(f, p.n, t->columns, err) || !numbers(&t->ends, units, err) ||
	    !numbers(&t->scratch, 4 * p.n, err))
		return false;
	uint32_t *at = t->ends.at, *order = t->scratch.at;
	p.number = order + p.n;
	p.unit = p.number + p.n;
	p.more = p.unit + p.n;
	(l->slices.n > 1 ? slice_rows : share_rows)(t, l, s, &p);
	memset(at, 0, units * sizeof *at);
	for (size_t i = 0; i < p.n; i++)
		at[p.unit[i]]++;
	begin_each(at, units);
	for (size_t i = 0; i < p.n; i++)
		order[at[p.unit[i]]++] = (uint32_t)i;
	memcpy(f->key, order, p.n * sizeof *f->key);
	for (size_t k = 0; k < p.n; k++)
		order[k] = (uint32_t)row_of(s, p.number[order[k]]);
	take_rows(f, s->rows, order, p.n);
	for (size_t k = 0; l->slices.n > 1 && k < p.n; k++)
		keep_part(l, f, k, p.more[f->key[k]]);
	for (size_t k = 0; k < p.n; k++)
		f->origin[k] = (uint32_t)origin_of(s, order[k]);
	return true;
}

/* Whether caches of a level ask for whole lines and nothing else, as the outcome of each lookup says. */
static bool
asks_lines(const struct level *l)
{
	const struct rp_cache_spec *s = &l->spec->cache;
	return !l->wants_bytes && s->sector == s->line && !s->mshr.on && !l->coherence;
}

/* Whether what a level asks of memory is to be had from its counters: then it makes no requests. */
static bool
is_counted(const struct rp_tree *t, const struct level *l)
{
	return l->spec->parent == RP_MEMORY && t->no_groups && !t->o.told && asks_lines(l);
}

/* Counts as memory's what a cache brought in and wrote back while its counters went from `before` to `now`. */
static void
remember_counted(struct rp_tree *t, const struct rp_counters *before, const struct rp_counters *now)
{
	t->memory.reads += now->fills - before->fills;
	t->memory.bytes_read += now->bytes_filled - before->bytes_filled;
	t->memory.writes += now->writebacks - before->writebacks;
	t->memory.bytes_written += now->bytes_written - before->bytes_written;
}

/* Lookups of the next of rows *row to `to`. */
static const struct rp_lookups *
next_chunk(struct level *l, const struct rp_batch *rows, size_t *row, size_t to)
{
	/* An access that is open is one of those left, and has begun. */
	return rp_expand_next(l->expand, rows, row, to - *row - rp_expand_open(l->expand));
}

static bool
run_chunk(struct rp_tree *t, struct level *l, struct unit *u, const struct rp_lookups *in,
    struct rp_requests *asks, const uint32_t *slot, struct rp_err *err)
{
	return rp_module_run(u->module, in, &t->result, asks, err) &&
	       tree_tally(t, l, u, in, &t->result, slot, err);
}

static bool
run_rows(struct rp_tree *t, struct level *l, struct unit *u, const struct rp_batch *rows,
    size_t from, size_t to, struct rp_requests *asks, const uint32_t *slot, struct rp_err *err)
{
	for (size_t row = from; row < to;)
		if (!run_chunk(t, l, u, next_chunk(l, rows, &row, to), asks, slot, err))
			return false;
	return true;
}

/* Rows [from, to) through one cache; what it asks for is appended to t->asks, or counted if that is enough. */
static bool
run_unit(struct rp_tree *t, struct level *l, struct unit *u, const struct rp_batch *rows,
    size_t from, size_t to, const uint32_t *slot, struct rp_err *err)
{
	if (!is_counted(t, l))
		return run_rows(t, l, u, rows, from, to, &t->asks, slot, err);
	struct rp_counters before = u->total;
	if (!run_rows(t, l, u, rows, from, to, NULL, slot, err))
		return false;
	remember_counted(t, &before, &u->total);
	return true;
}

/* The streams' numbers by row; not needed if nobody counts by stream. */
static bool
stream_slots(struct rp_tree *t, const struct level *l, const struct source *s,
    const uint32_t **slot, struct rp_err *err)
{
	*slot = t->slot;
	if (!l->stream || !s->origin)
		return true;
	if (!numbers(&t->by_row, s->n, err))
		return false;
	for (size_t i = 0; i < s->n; i++)
		t->by_row.at[i] = t->slot[s->origin[i]];
	*slot = t->by_row.at;
	return true;
}

/* Passes on a request of a level. */
static bool
deliver(struct rp_tree *t, struct level *l, const struct unit *u, size_t k, const struct source *s,
    struct rp_err *err)
{
	size_t origin = origin_of(s, t->asks.row[k]);
	int below = l->below[t->slot[origin]];
	struct rp_access a = tree_request(l, u, &t->asks, k, s->rows);
	if (below != RP_MEMORY)
		return feed_put(t, &t->level[below].arrived, &a, origin, err);
	tree_remember(t, &a);
	return true;
}

/* Puts the bytes of a write that passed, request k, in place of row `at`. */
static void
rewrite(const struct level *l, struct feed *f, size_t at, const struct rp_requests *asks, size_t k,
    const struct rp_batch *from)
{
	size_t row = asks->row[k];
	uint64_t mask = l->spec->cache.sector - 1, start = asks->addr[k] & ~mask;
	if (from->addr[row] >= start && rp_batch_last(from, row) <= (start | mask)) {
		f->rows->addr[at] = from->addr[row];
		f->rows->size[at] = from->size[row];
		if (f->rows->mask)
			f->rows->mask[at] = from->mask[row];
		return;
	}
	struct rp_access a = tree_request(l, NULL, asks, k, from);
	f->rows->addr[at] = a.addr;
	f->rows->size[at] = a.size;
	if (f->rows->mask)
		f->rows->mask[at] = a.mask;
}

/* The kind of a request's access: `kind` is that of the access that caused it. */
static uint8_t
kind_of(uint8_t what, uint8_t kind)
{
	kind = kind == RP_FETCH || kind == RP_PREFETCH ? kind : RP_READ;
	return what == RP_ASK_FETCH ? kind : RP_WRITE;
}

/* What requests have of the rows that caused them, row[0..n): they become rows `at` and those behind. */
static void
take_causes(
    struct rp_batch *to, size_t at, size_t n, const struct rp_batch *from, const uint32_t *row)
{
	for (size_t k = 0; to->time && k < n; k++)
		to->time[at + k] = from->time[row[k]];
	for (size_t k = 0; to->pc && k < n; k++)
		to->pc[at + k] = from->pc[row[k]];
	for (size_t k = 0; to->stream && k < n; k++)
		to->stream[at + k] = from->stream[row[k]];
	for (size_t k = 0; to->flags && k < n; k++)
		to->flags[at + k] = from->flags[row[k]] & RP_SPACE;
	if (to->mask)
		memset(to->mask + at, 0, n * sizeof *to->mask);
	to->n = at + n;
}

/* The same for all requests of a level without slices that go to one level, in the order given: whole lines quickly, a column
 * at a time. */
static bool
deliver_lines(struct rp_tree *t, struct level *l, const struct source *s, const uint32_t *order,
    struct rp_err *err)
{
	const struct rp_requests *asks = &t->asks;
	struct feed *f = &t->level[l->spec->parent].arrived;
	size_t at = feed_count(f), n = asks->n;
	if (!n)
		return true;
	if (!feed_room(f, at + n, t->columns, err) || !numbers(&t->cause, n, err))
		return false;
	const struct rp_batch *from = s->rows;
	struct rp_batch *to = f->rows;
	uint32_t *row = t->cause.at;
	for (size_t k = 0; k < n; k++) {
		size_t i = order ? order[k] : k;
		row[k] = asks->row[i];
		to->addr[at + k] = asks->addr[i];
		to->size[at + k] = asks->bytes[i];
		to->kind[at + k] = kind_of(asks->what[i], from->kind[row[k]]);
		f->origin[at + k] = (uint32_t)origin_of(s, row[k]);
	}
	take_causes(to, at, n, from, row);
	for (size_t k = 0; k < n; k++) {
		size_t i = order ? order[k] : k;
		if (asks->what[i] == RP_ASK_WRITE)
			rewrite(l, f, at + k, asks, i, from);
	}
	return true;
}

static bool
is_quick(const struct rp_tree *t, const struct level *l)
{
	return l->spec->parent != RP_MEMORY && t->no_groups && l->slices.n == 1;
}

/* Counts all requests as memory's. */
static void
remember_all(struct rp_tree *t)
{
	uint64_t n[2] = { 0 }, bytes[2] = { 0 };
	for (size_t k = 0; k < t->asks.n; k++) {
		bool write = t->asks.what[k] != RP_ASK_FETCH;
		n[write]++;
		bytes[write] += t->asks.bytes[k];
	}
	if (!t->count)
		return;
	t->memory.reads += n[0];
	t->memory.bytes_read += bytes[0];
	t->memory.writes += n[1];
	t->memory.bytes_written += bytes[1];
}

static bool
deliver_all(struct rp_tree *t, struct level *l, const struct unit *u, const struct source *s,
    struct rp_err *err)
{
	bool ok = true;
	if (l->spec->parent == RP_MEMORY && t->no_groups && !t->o.told)
		remember_all(t);
	else if (is_quick(t, l))
		ok = deliver_lines(t, l, s, NULL, err);
	else
		for (size_t k = 0; ok && k < t->asks.n; k++)
			ok = deliver(t, l, u, k, s, err);
	t->asks.n = 0;
	return ok;
}

/* Passes on what the caches of a level asked for, each its own in turn, in the order of the rows that caused it. */
static bool
deliver_in_order(struct rp_tree *t, struct level *l, const struct source *s, const uint32_t *ends,
    struct rp_err *err)
{
	size_t n = t->asks.n;
	const uint32_t *key = l->sorted.key, *row = t->asks.row;
	if (!numbers(&t->scratch, s->n + 2 * n, err))
		return false;
	uint32_t *at = t->scratch.at, *order = at + s->n, *unit = order + n;
	memset(at, 0, s->n * sizeof *at);
	for (size_t k = 0, u = 0; k < n; k++) {
		while (row[k] >= ends[u])
			u++;
		unit[k] = (uint32_t)u;
		at[key[row[k]]]++;
	}
	begin_each(at, s->n);
	for (size_t k = 0; k < n; k++)
		order[at[key[row[k]]]++] = (uint32_t)k;
	if (is_quick(t, l))
		return deliver_lines(t, l, s, order, err);
	for (size_t k = 0; k < n; k++)
		if (!deliver(t, l, tree_unit(l, unit[order[k]]), order[k], s, err))
			return false;
	return true;
}

/* A level's rows, which are dealt to its caches. */
static bool
run_units(struct rp_tree *t, struct level *l, const struct source *in, struct rp_err *err)
{
	if (!deal_rows(t, l, in, err))
		return false;
	struct source s = {
		.rows = l->sorted.rows, .origin = l->sorted.origin, .n = feed_count(&l->sorted)
	};
	const uint32_t *slot, *ends = t->ends.at;
	bool last = l->spec->parent == RP_MEMORY && !t->o.told; /* memory asks for no order */
	if (!stream_slots(t, l, &s, &slot, err))
		return false;
	for (size_t k = 0, from = 0, units = tree_units(l); k < units; from = ends[k++]) {
		struct unit *u = tree_unit(l, k);
		rp_module_among(u->module, units);
		if (!run_unit(t, l, u, s.rows, from, ends[k], slot, err) ||
		    (last && !deliver_all(t, l, u, &s, err)))
			return false;
	}
	return last || deliver_in_order(t, l, &s, ends, err);
}

/* Requests for lines that lie, n of them, in the columns of a feed behind its last row become rows. */
static void
take_lines(struct feed *f, const struct source *s, const struct rp_lookups *in, size_t n)
{
	struct rp_batch *to = f->rows;
	size_t at = to->n;
	uint32_t *row = f->origin + at;
	uint8_t *restrict kind = to->kind + at;
	bool same = !in->kinds[RP_FETCH] && !in->kinds[RP_PREFETCH];
	for (size_t k = 0; same && k < n; k++) /* becomes vectors */
		kind[k] = kind[k] == RP_ASK_FETCH ? RP_READ : RP_WRITE;
	for (size_t k = 0; !same && k < n; k++)
		kind[k] = kind_of(kind[k], s->rows->kind[row[k]]);
	take_causes(to, at, n, s->rows, row);
	for (size_t k = 0; s->origin && k < n; k++)
		row[k] = s->origin[row[k]];
}

/* All rows of a level, which is one cache, where it asks one level for lines: requests are made where they arrive. */
static bool
run_lines(struct rp_tree *t, struct level *l, const struct source *s, const uint32_t *slot,
    struct rp_err *err)
{
	struct feed *f = &t->level[l->spec->parent].arrived;
	for (size_t row = s->first, to = s->first + s->n; row < to;) {
		const struct rp_lookups *in = next_chunk(l, s->rows, &row, to);
		size_t at = feed_count(f), most = rp_requests_most(&l->spec->cache, in);
		if (!feed_room(f, at + most, t->columns, err))
			return false;
		struct rp_requests asks = { .cap = most,
			.addr = f->rows->addr + at,
			.bytes = f->rows->size + at,
			.row = f->origin + at,
			.what = f->rows->kind + at };
		if (!run_chunk(t, l, tree_unit(l, 0), in, &asks, slot, err))
			return false;
		take_lines(f, s, in, asks.n);
	}
	return true;
}

static bool
run_level(struct rp_tree *t, struct level *l, const struct source *in, struct rp_err *err)
{
	const uint32_t *slot;
	t->asks.n = 0;
	if (tree_units(l) > 1 || in->index)
		return run_units(t, l, in, err);
	struct unit *u = tree_unit(l, 0);
	if (!stream_slots(t, l, in, &slot, err))
		return false;
	if (is_quick(t, l) && asks_lines(l))
		return run_lines(t, l, in, slot, err);
	return run_unit(t, l, u, in->rows, in->first, in->first + in->n, slot, err) &&
	       deliver_all(t, l, u, in, err);
}

/* Whether a row bypasses L1. */
static bool
some_bypass(const struct rp_tree *t, const struct rp_batch *b, size_t from, size_t to)
{
	uint8_t any = 0;
	for (size_t i = from; b->flags && i < to; i++)
		any |= b->flags[i];
	return (any & RP_BYPASS_L1) && !t->o.keep_bypassed;
}

/* A level has had its turn: those to which it sent something have one more run of rows. */
static void
count_sources(struct rp_tree *t)
{
	for (size_t i = 0; i < t->levels; i++) {
		struct level *l = &t->level[i];
		l->sources += feed_count(&l->arrived) > l->seen;
		l->seen = feed_count(&l->arrived);
	}
}

bool
tree_flow(struct rp_tree *t, const struct rp_batch *b, size_t from, size_t to, struct rp_err *err)
{
	bool whole = t->only != RP_MEMORY && !some_bypass(t, b, from, to);
	if (!whole && !deal_entries(t, b, from, to, err))
		return false;
	for (size_t i = 0; i < t->levels; i++) {
		struct level *l = &t->level[t->order[i]];
		struct source s;
		bool enter = whole && (int)t->order[i] == t->only;
		if (!gather(t, l, b, from, to, enter, &s, err) ||
		    (s.n && !run_level(t, l, &s, err)))
			return false;
		feed_clear(&l->arrived);
		l->sources = 0;
		l->entering = l->seen = 0;
		count_sources(t);
	}
	return true;
}
