/* plain_lists.c - obvious loops over caches of lfu, sieve, s3fifo and arc: small sets as arrays in order, searched and moved
 * end to end; one set of many lines as nodes in lists, found by a hash table. */
#include "config.h"

#include "bench/bench.h"
#include "bench/plain.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

static void *
array(size_t n, size_t size)
{
	struct rp_err err = { 0 };
	void *p = rp_mem_array(n, size, &err);
	if (!p)
		bench_fail(&err);
	return p;
}

/* ---- Small sets ---- */

struct entry {
	uint64_t line, last; /* lfu: when it was used last */
	uint32_t uses;       /* lfu; s3fifo, sieve: marks */
	bool dirty;
};

enum { MOST = 64 };
struct list {
	unsigned n;
	struct entry e[MOST]; /* the newest first */
};

static inline unsigned
find(const struct list *l, uint64_t line)
{
	unsigned i = 0;
	while (i < l->n && l->e[i].line != line)
		i++;
	return i;
}

static inline void
push(struct list *l, struct entry e)
{
	memmove(l->e + 1, l->e, l->n++ * sizeof *l->e);
	l->e[0] = e;
}

static inline struct entry
take(struct list *l, unsigned i)
{
	struct entry e = l->e[i];
	memmove(l->e + i, l->e + i + 1, (--l->n - i) * sizeof *l->e);
	return e;
}

/* Four lists, a hand, a target. */
struct set {
	struct list list[4];
	unsigned hand;
	uint64_t p;
};

/* One lookup: whether it missed; what left is in *out. */
typedef bool look(struct set *s, unsigned ways, uint64_t line, bool write, uint64_t now, bool *left,
    struct entry *out);

static bool
look_lfu(struct set *s, unsigned ways, uint64_t line, bool write, uint64_t now, bool *left,
    struct entry *out)
{
	struct list *l = &s->list[0];
	unsigned i = find(l, line), least = 0;
	if (i < l->n) {
		l->e[i].uses++;
		l->e[i].last = now;
		l->e[i].dirty |= write;
		return false;
	}
	if (l->n < ways) {
		l->e[l->n++] = (struct entry){ line, now, 1, write };
		return true;
	}
	for (i = 1; i < ways; i++)
		if (l->e[i].uses < l->e[least].uses ||
		    (l->e[i].uses == l->e[least].uses && l->e[i].last < l->e[least].last))
			least = i;
	*left = true;
	*out = l->e[least];
	l->e[least] = (struct entry){ line, now, 1, write };
	return true;
}

static bool
look_sieve(struct set *s, unsigned ways, uint64_t line, bool write, uint64_t now, bool *left,
    struct entry *out)
{
	struct list *l = &s->list[0];
	unsigned i = find(l, line);
	(void)now;
	if (i < l->n) {
		l->e[i].uses = 1;
		l->e[i].dirty |= write;
		return false;
	}
	if (l->n == ways) {
		unsigned k = s->hand ? s->hand - 1 : ways - 1;
		while (l->e[k].uses) {
			l->e[k].uses = 0;
			k = k ? k - 1 : ways - 1;
		}
		*left = true;
		*out = take(l, k);
		s->hand = k;
	}
	push(l, (struct entry){ line, 0, 0, write });
	s->hand += s->hand != 0;
	return true;
}

enum { SMALL, MAIN, GHOST };

static bool
look_s3fifo(struct set *s, unsigned ways, uint64_t line, bool write, uint64_t now, bool *left,
    struct entry *out)
{
	struct list *small = &s->list[SMALL], *main = &s->list[MAIN], *ghost = &s->list[GHOST];
	unsigned most = 9 * ways / 10;
	(void)now;
	for (unsigned k = 0; k < 2; k++) {
		struct list *l = &s->list[k];
		unsigned i = find(l, line);
		if (i == l->n)
			continue;
		l->e[i].uses += l->e[i].uses < 3;
		l->e[i].dirty |= write;
		return false;
	}
	while (!*left && small->n + main->n == ways) {
		if (10 * small->n >= ways) {
			while (small->n && !*left) {
				struct entry e = take(small, small->n - 1);
				if (e.uses > 1) {
					e.uses = 0;
					push(main, e);
					continue;
				}
				if (ghost->n == most && most)
					ghost->n--;
				if (most)
					push(ghost, e);
				*left = true;
				*out = e;
			}
		} else {
			while (!*left) {
				struct entry e = take(main, main->n - 1);
				if (e.uses--) {
					push(main, e);
					continue;
				}
				*left = true;
				*out = e;
			}
		}
	}
	unsigned i = find(ghost, line);
	bool known = i < ghost->n;
	if (known)
		take(ghost, i);
	push(known ? main : small, (struct entry){ line, 0, 0, write });
	return true;
}

enum { T1, T2, B1, B2 };

/* Of a way: p is a whole number of them (sim/policy/arc.c). */
#define PART UINT64_C(144403552893600)

/* The target after a miss on a line of B1, or of B2; the lists are so long. */
static inline uint64_t
adapted(uint64_t p, bool in_b2, uint64_t b1, uint64_t b2, uint64_t ways)
{
	uint64_t step = in_b2 ? (b2 >= b1 ? PART : (uint64_t)((unsigned __int128)b1 * PART / b2))
	                      : (b1 >= b2 ? PART : (uint64_t)((unsigned __int128)b2 * PART / b1));
	if (in_b2)
		return step < p ? p - step : 0;
	return step < ways * PART - p ? p + step : ways * PART;
}

static void
replace(struct set *s, bool in_b2, bool *left, struct entry *out)
{
	struct list *t1 = &s->list[T1];
	bool first = t1->n && (t1->n * PART > s->p || (in_b2 && t1->n * PART == s->p));
	struct list *t = first ? t1 : &s->list[T2];
	*left = true;
	*out = take(t, t->n - 1);
	push(&s->list[first ? B1 : B2], *out);
}

static bool
look_arc(struct set *s, unsigned ways, uint64_t line, bool write, uint64_t now, bool *left,
    struct entry *out)
{
	struct list *l = s->list;
	(void)now;
	for (unsigned k = T1; k <= T2; k++) {
		unsigned i = find(&l[k], line);
		if (i == l[k].n)
			continue;
		struct entry e = take(&l[k], i);
		e.dirty |= write;
		push(&l[T2], e);
		return false;
	}
	struct entry new = { line, 0, 0, write };
	for (unsigned k = B1; k <= B2; k++) {
		unsigned i = find(&l[k], line);
		if (i == l[k].n)
			continue;
		s->p = adapted(s->p, k == B2, l[B1].n, l[B2].n, ways);
		take(&l[k], i);
		replace(s, k == B2, left, out);
		push(&l[T2], new);
		return true;
	}
	unsigned l1 = l[T1].n + l[B1].n, all = l1 + l[T2].n + l[B2].n;
	if (l1 == ways && l[T1].n == ways) {
		*left = true;
		*out = take(&l[T1], l[T1].n - 1);
	} else if (l1 == ways || all >= ways) {
		if (l1 == ways)
			l[B1].n--;
		else if (all == 2 * ways)
			l[B2].n--;
		replace(s, false, left, out);
	}
	push(&l[T1], new);
	return true;
}

static inline __attribute__((always_inline)) void
sets(const struct rp_cache_spec *spec, const struct rp_batch *b, struct rp_counters *out, look *f)
{
	struct set *set = array(spec->sets, sizeof *set);
	unsigned bits = (unsigned)__builtin_ctz(spec->line), ways = spec->ways;
	uint64_t mask = spec->sets - 1;
	struct rp_counters c = { 0 };
	for (size_t i = 0; i < b->n; i++) {
		bool write = b->kind[i] == RP_WRITE;
		uint64_t end = (b->addr[i] + b->size[i] - 1) >> bits;
		c.accesses++;
		for (uint64_t line = b->addr[i] >> bits; line <= end; line++) {
			bool left = false;
			struct entry e;
			c.lookups++;
			c.writes += write;
			if (!f(&set[line & mask], ways, line, write, i, &left, &e))
				continue;
			c.misses++;
			c.write_misses += write;
			c.evictions += left;
			c.writebacks += left && e.dirty;
		}
	}
	*out = c;
	free(set);
}

/* ---- One set of many lines ---- */

/* Node 0 stands for none; lists are rings through nodes of their own, 1 to 8. Ghosts are nodes too. */
struct node {
	uint64_t line;
	uint32_t chain, before, after, list, uses;
	bool dirty;
};

enum { RINGS = 4 };
struct full {
	struct node *node;
	uint32_t *head, mask, used, spare, hand;
	uint32_t n[RINGS + 1]; /* things in each ring */
	uint64_t p;
	uint32_t ways;
};

static inline void
unlink_node(struct full *f, uint32_t n)
{
	struct node *x = &f->node[n];
	f->node[x->before].after = x->after;
	f->node[x->after].before = x->before;
	f->n[x->list]--;
}

static inline void
link_first(struct full *f, uint32_t n, uint32_t ring)
{
	struct node *x = &f->node[n];
	x->list = ring;
	x->before = ring;
	x->after = f->node[ring].after;
	f->node[x->after].before = n;
	f->node[ring].after = n;
	f->n[ring]++;
}

static inline uint32_t
lookup(const struct full *f, uint64_t line)
{
	uint32_t n = f->head[rp_mix64(line) & f->mask];
	while (n && f->node[n].line != line)
		n = f->node[n].chain;
	return n;
}

static inline uint32_t
create(struct full *f, uint64_t line, bool write)
{
	uint32_t n = f->spare ? f->spare : ++f->used, *h = &f->head[rp_mix64(line) & f->mask];
	if (f->spare)
		f->spare = f->node[n].chain;
	f->node[n] = (struct node){ .line = line, .chain = *h, .dirty = write };
	*h = n;
	return n;
}

static inline void
destroy(struct full *f, uint32_t n)
{
	uint32_t *p = &f->head[rp_mix64(f->node[n].line) & f->mask];
	while (*p != n)
		p = &f->node[*p].chain;
	*p = f->node[n].chain;
	f->node[n].chain = f->spare;
	f->spare = n;
}

typedef bool look_full(struct full *f, uint64_t line, bool write, bool *left, bool *dirty);

static bool
full_sieve(struct full *f, uint64_t line, bool write, bool *left, bool *dirty)
{
	uint32_t n = lookup(f, line);
	if (n) {
		f->node[n].uses = 1;
		f->node[n].dirty |= write;
		return false;
	}
	if (f->n[1] == f->ways) {
		uint32_t k = f->hand ? f->hand : f->node[1].before;
		while (k == 1 || f->node[k].uses) {
			f->node[k].uses = 0;
			k = f->node[k].before;
		}
		f->hand = f->node[k].before == 1 ? 0 : f->node[k].before;
		*left = true;
		*dirty = f->node[k].dirty;
		unlink_node(f, k);
		destroy(f, k);
	}
	link_first(f, create(f, line, write), 1);
	return true;
}

static void
leave(struct full *f, uint32_t n, bool *left, bool *dirty)
{
	*left = true;
	*dirty = f->node[n].dirty;
	unlink_node(f, n);
}

static bool
full_s3fifo(struct full *f, uint64_t line, bool write, bool *left, bool *dirty)
{
	uint32_t n = lookup(f, line), most = (uint32_t)(9 * (uint64_t)f->ways / 10);
	if (n && f->node[n].list <= 2) {
		f->node[n].uses += f->node[n].uses < 3;
		f->node[n].dirty |= write;
		return false;
	}
	while (!*left && f->n[1] + f->n[2] == f->ways) {
		bool small = 10 * (uint64_t)f->n[1] >= f->ways;
		while (!*left && f->n[small ? 1 : 2]) {
			uint32_t t = f->node[small ? 1 : 2].before;
			if (small && f->node[t].uses < 2) {
				leave(f, t, left, dirty);
				if (f->n[3] == most) {
					uint32_t old = f->node[3].before;
					unlink_node(f, old);
					destroy(f, old);
				}
				link_first(f, t, 3);
			} else if (!small && !f->node[t].uses) {
				leave(f, t, left, dirty);
				destroy(f, t);
			} else {
				unlink_node(f, t);
				f->node[t].uses = small ? 0 : f->node[t].uses - 1;
				link_first(f, t, 2);
			}
		}
	}
	n = lookup(f, line);
	if (n) {
		unlink_node(f, n);
		f->node[n].dirty = write;
		f->node[n].uses = 0;
		link_first(f, n, 2);
	} else {
		link_first(f, create(f, line, write), 1);
	}
	return true;
}

static void
full_replace(struct full *f, bool in_b2, bool *left, bool *dirty)
{
	bool first = f->n[1] && (f->n[1] * PART > f->p || (in_b2 && f->n[1] * PART == f->p));
	uint32_t t = f->node[first ? 1 : 2].before;
	leave(f, t, left, dirty);
	link_first(f, t, first ? 3 : 4);
}

static bool
full_arc(struct full *f, uint64_t line, bool write, bool *left, bool *dirty)
{
	uint32_t n = lookup(f, line), list = n ? f->node[n].list : 0;
	if (list == 1 || list == 2) {
		unlink_node(f, n);
		f->node[n].dirty |= write;
		link_first(f, n, 2);
		return false;
	}
	if (list) {
		f->p = adapted(f->p, list == 4, f->n[3], f->n[4], f->ways);
		unlink_node(f, n);
		full_replace(f, list == 4, left, dirty);
		f->node[n].dirty = write;
		link_first(f, n, 2);
		return true;
	}
	uint32_t l1 = f->n[1] + f->n[3], all = l1 + f->n[2] + f->n[4], gone = 0;
	if (l1 == f->ways && f->n[1] == f->ways) {
		gone = f->node[1].before;
		leave(f, gone, left, dirty);
	} else if (l1 == f->ways || all >= f->ways) {
		gone = l1 == f->ways        ? f->node[3].before
		       : all == 2 * f->ways ? f->node[4].before
		                            : 0;
		if (gone)
			unlink_node(f, gone);
		full_replace(f, false, left, dirty);
	}
	if (gone)
		destroy(f, gone);
	link_first(f, create(f, line, write), 1);
	return true;
}

/* lfu: a ring of lines for each number of uses, made and removed as they come: rings are linked by their own numbers. */
struct level {
	uint64_t uses;
	uint32_t first, last, lower, higher;
};
static struct {
	struct level *level;
	uint32_t used, spare, lowest;
} lfu;

static void
level_out(struct full *f, uint32_t n)
{
	struct node *x = &f->node[n];
	struct level *l = &lfu.level[x->list];
	*(x->before ? &f->node[x->before].after : &l->first) = x->after;
	*(x->after ? &f->node[x->after].before : &l->last) = x->before;
	if (l->first)
		return;
	*(l->lower ? &lfu.level[l->lower].higher : &lfu.lowest) = l->higher;
	if (l->higher)
		lfu.level[l->higher].lower = l->lower;
	l->higher = lfu.spare;
	lfu.spare = x->list;
}

/* Into the level of `uses`, which is the one above `lower` (0: the lowest) or is made there. */
static void
level_in(struct full *f, uint32_t n, uint32_t lower, uint64_t uses)
{
	uint32_t k = lower ? lfu.level[lower].higher : lfu.lowest;
	if (!k || lfu.level[k].uses != uses) {
		uint32_t new = lfu.spare ? lfu.spare : ++lfu.used;
		if (lfu.spare)
			lfu.spare = lfu.level[new].higher;
		lfu.level[new] = (struct level){ .uses = uses, .lower = lower, .higher = k };
		*(lower ? &lfu.level[lower].higher : &lfu.lowest) = new;
		if (k)
			lfu.level[k].lower = new;
		k = new;
	}
	struct node *x = &f->node[n];
	x->list = k;
	x->before = 0;
	x->after = lfu.level[k].first;
	*(x->after ? &f->node[x->after].before : &lfu.level[k].last) = n;
	lfu.level[k].first = n;
}

static bool
full_lfu(struct full *f, uint64_t line, bool write, bool *left, bool *dirty)
{
	uint32_t n = lookup(f, line);
	if (n) {
		uint32_t k = f->node[n].list;
		uint64_t uses = lfu.level[k].uses + 1;
		uint32_t lower = lfu.level[k].first == lfu.level[k].last ? lfu.level[k].lower : k;
		level_out(f, n);
		level_in(f, n, lower, uses);
		f->node[n].dirty |= write;
		return false;
	}
	if (f->n[0] == f->ways) {
		uint32_t k = lfu.level[lfu.lowest].last;
		*left = true;
		*dirty = f->node[k].dirty;
		level_out(f, k);
		destroy(f, k);
		f->n[0]--;
	}
	n = create(f, line, write);
	level_in(f, n, 0, 1);
	f->n[0]++;
	return true;
}

static inline __attribute__((always_inline)) void
full(const struct rp_cache_spec *spec, const struct rp_batch *b, struct rp_counters *out,
    look_full *g)
{
	struct full f = { .ways = spec->ways, .mask = 63, .used = RINGS };
	while (f.mask < 4 * (uint64_t)spec->ways)
		f.mask = 2 * f.mask + 1;
	f.head = array(f.mask + (size_t)1, sizeof *f.head);
	f.node = array(2 * (size_t)spec->ways + RINGS + 2, sizeof *f.node);
	memset(&lfu, 0, sizeof lfu);
	lfu.level = array((size_t)spec->ways + 2, sizeof *lfu.level);
	for (uint32_t i = 0; i <= RINGS; i++)
		f.node[i].before = f.node[i].after = i;
	unsigned bits = (unsigned)__builtin_ctz(spec->line);
	struct rp_counters c = { 0 };
	for (size_t i = 0; i < b->n; i++) {
		bool write = b->kind[i] == RP_WRITE;
		uint64_t end = (b->addr[i] + b->size[i] - 1) >> bits;
		c.accesses++;
		for (uint64_t line = b->addr[i] >> bits; line <= end; line++) {
			bool left = false, dirty = false;
			c.lookups++;
			c.writes += write;
			if (!g(&f, line, write, &left, &dirty))
				continue;
			c.misses++;
			c.write_misses += write;
			c.evictions += left;
			c.writebacks += left && dirty;
		}
	}
	*out = c;
	free(f.head);
	free(f.node);
	free(lfu.level);
}

#define PLAIN(policy)                                                                              \
	void plain_##policy(                                                                       \
	    const struct rp_cache_spec *spec, const struct rp_batch *b, struct rp_counters *out)   \
	{                                                                                          \
		if (spec->sets == 1)                                                               \
			full(spec, b, out, full_##policy);                                         \
		else                                                                               \
			sets(spec, b, out, look_##policy);                                         \
	}
PLAIN(lfu)
PLAIN(sieve)
PLAIN(s3fifo)
PLAIN(arc)
