/* cache.c - one cache as GPGPU-Sim and Accel-Sim have it, without their timing.
 *
 * A line that has a sector in any state but invalid lies in a chain of a hash table, and in the list of its set, which is
 * in order of stamps (last use, or allocation): time never runs backwards, so a stamp is always put at the new end. The
 * states of a line's sectors are three disjoint masks. Latency is constant, so requests come back in the order in which
 * they were sent: the MSHR table of a slice is a ring, with a hash table to find a sector's entry. */
#include "config.h"

#include "sim/gpu/cache.h"

#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <string.h>

#define NONE UINT32_MAX

enum { LAST_SECTOR = 3, SECTOR_BITS = 2, WORD_BITS = 32 };

struct line {
	uint64_t number; /* address / line size */
	uint64_t stamp;
	uint32_t older, newer; /* in its set's list */
	uint32_t chain;        /* next of the hash table's */
	uint32_t state;        /* as below; no sector of any kind: the way is free */
};

/* Four bits of a state for each kind, one for each sector: a sector's bit, times the kind. */
enum {
	RESERVED = 1,
	NOTED = 1 << 4, /* no kind: its written bytes are noted; else there are none */
	VALID = 1 << 8,
	MARKED = 1 << 12, /* modified from the fill on */
	MODIFIED = 1 << 16,
	HIDDEN = 1 << 24, /* modified, and not readable */
	ANY_KIND = RESERVED | VALID | MARKED | MODIFIED | HIDDEN,
	ALL = 15 /* sectors */
};

struct set {
	uint32_t oldest, newest;
	uint32_t count;    /* ways that are not free */
	uint32_t reserved; /* lines with a reserved sector */
};

/* A request on its way. */
struct entry {
	uint64_t place; /* the sector, or plain line */
	uint64_t due;
	uint32_t merged; /* requests, the first too */
	uint32_t chain;  /* next of the hash table's */
	uint32_t set;
	uint32_t line;  /* where its line was put, or NONE; it may have left since */
	uint8_t marked; /* with allocation on fill: modified from then on */
	uint8_t wrote;  /* holds a write of walloc F */
	uint8_t read;   /* and a read behind it */
};

struct slice {
	uint64_t now, due;          /* time; of the first entry, or UINT64_MAX */
	uint32_t first, n;          /* of its ring */
	uint32_t modified;          /* lines */
	uint64_t queued, queued_at; /* slots of the miss queue, when that was */
	uint64_t held_at;           /* until when the event's `held` is summed */
};

struct rp_gpu_cache {
	const struct rp_gpu_spec *spec;
	unsigned line_bits, sector_bits, set_bits; /* sector_bits: 0 of plain lines */
	enum rp_gpu_hash hash;
	bool fifo, on_fill, through, lazy;
	uint32_t ways, entries, lines; /* of a set; of a slice */
	uint32_t words;                /* of a line's written bytes */
	struct line *line;             /* by slice, set and way */
	struct set *set;
	uint64_t *free; /* bits by way, free_words of a set */
	uint32_t free_words;
	uint32_t *written; /* bytes of lazily written sectors, where NOTED; NULL if not lazy */
	uint32_t *head;    /* of the lines, by hash; place + 1 */
	unsigned head_shift;
	struct entry *entry; /* by slice and place in its ring */
	uint32_t *entry_head;
	unsigned entry_shift;
	struct slice *slice;
	/* Of the access at hand. */
	struct rp_gpu_event *event;
	uint64_t *fail;
	struct rp_requests *down;
	uint32_t row;
	bool marked;                 /* there was a mark since the access before */
	struct rp_gpu_event carried; /* what it did */
};

/* Where an access goes. */
struct at {
	struct slice *slice;
	uint32_t set;    /* of all slices */
	uint64_t number; /* of the line */
	uint32_t bit;    /* of the sector */
	uint32_t line;   /* that holds it, or NONE */
};

static uint32_t
spread(uint64_t x, unsigned shift)
{
	return (uint32_t)(x * UINT64_C(0x9e3779b97f4a7c15) >> shift);
}

/* log2 of a table of at least n heads, and at least 2. */
static unsigned
table_bits(uint64_t n)
{
	unsigned bits = 1;
	while (UINT64_C(1) << bits < n)
		bits++;
	return bits;
}

/* Heads of the hash table for each line: so many that most have a line at most. */
enum { HEADS = 4 };

struct rp_gpu_cache *
rp_gpu_cache_new(const struct rp_gpu_spec *s, struct rp_err *err)
{
	const struct rp_gpu_string *g = &s->string;
	struct rp_gpu_cache *c = rp_mem_array(1, sizeof *c, err);
	if (!c)
		return NULL;
	uint64_t sets = (uint64_t)s->slices * g->sets, lines = sets * g->ways,
		 entries = (uint64_t)s->slices * g->entries;
	c->spec = s;
	c->line_bits = (unsigned)__builtin_ctz(g->line);
	c->sector_bits = g->type == 'S' ? SECTOR_BITS : 0;
	c->set_bits = (unsigned)__builtin_ctz(g->sets);
	c->hash = rp_gpu_string_hash(g);
	c->fifo = g->repl == 'F';
	c->on_fill = g->alloc == 'f' || (g->alloc == 's' && s->shared != RP_GPU_SHARED_NONE);
	c->through = g->write == 'T';
	c->lazy = g->walloc == 'L';
	c->ways = g->ways;
	c->entries = g->entries;
	c->lines = g->sets * g->ways;
	c->words = g->line > WORD_BITS ? g->line / WORD_BITS : 1;
	c->free_words = (g->ways + 63) / 64;
	c->head_shift = 64 - table_bits(HEADS * lines);
	c->entry_shift = 64 - table_bits(entries);
	c->line = rp_mem_aligned(64, lines, sizeof *c->line, err);
	c->set = rp_mem_array(sets, sizeof *c->set, err);
	c->free = rp_mem_array(sets, c->free_words * sizeof *c->free, err);
	c->written = c->lazy ? rp_mem_array(lines, c->words * sizeof *c->written, err) : NULL;
	c->head = rp_mem_array(UINT64_C(1) << (64 - c->head_shift), sizeof *c->head, err);
	c->entry = rp_mem_array(entries, sizeof *c->entry, err);
	c->entry_head =
	    rp_mem_array(UINT64_C(1) << (64 - c->entry_shift), sizeof *c->entry_head, err);
	c->slice = rp_mem_array(s->slices, sizeof *c->slice, err);
	if (!c->line || !c->set || !c->free || (c->lazy && !c->written) || !c->head || !c->entry ||
	    !c->entry_head || !c->slice) {
		rp_gpu_cache_free(c);
		return NULL;
	}
	for (uint64_t i = 0; i < sets; i++) {
		c->set[i] = (struct set){ .oldest = NONE, .newest = NONE };
		for (uint32_t w = 0; w < g->ways; w++)
			c->free[i * c->free_words + w / 64] |= UINT64_C(1) << w % 64;
	}
	for (uint32_t i = 0; i < s->slices; i++)
		c->slice[i].due = UINT64_MAX;
	return c;
}

void
rp_gpu_cache_free(struct rp_gpu_cache *c)
{
	if (!c)
		return;
	free(c->line);
	free(c->set);
	free(c->free);
	free(c->written);
	free(c->head);
	free(c->entry);
	free(c->entry_head);
	free(c->slice);
	free(c);
}

/* Beyond what a core has close by, lines are worth to be fetched ahead. */
enum { FAR_LINES = 8192 };

/* How many accesses ahead. */
enum { SOON = 6, NEAR = 12, FAR = 24 };

/* Always, since gcc takes a function that only prefetches for one that does nothing, and leaves calls of it out. */
#define INLINE static inline __attribute__((always_inline))

bool
rp_gpu_cache_is_far(const struct rp_gpu_cache *c, size_t caches)
{
	return (uint64_t)c->lines * c->spec->slices * caches > FAR_LINES;
}

static struct entry *
slice_entry(const struct rp_gpu_cache *c, const struct slice *s, uint32_t k)
{
	uint32_t at = s->first + k;
	at -= at >= c->entries ? c->entries : 0;
	return &c->entry[(size_t)(s - c->slice) * c->entries + at];
}

/* An entry that will be due by then, and in the end what it hangs together with: where there is one slice, each access
 * may complete one. */
INLINE void
prefetch_entry(const struct rp_gpu_cache *c, unsigned step, const struct slice *s)
{
	uint32_t k = c->spec->slices > 1 ? 0 : step == 1 ? NEAR : SOON;
	if (s->n <= k)
		return;
	const struct entry *e = slice_entry(c, s, k);
	if (step == 1) {
		__builtin_prefetch(e);
	} else {
		__builtin_prefetch(&c->line[e->line == NONE ? 0 : e->line]);
		__builtin_prefetch(&c->entry_head[spread(e->place, c->entry_shift)]);
	}
}

/* First what leads to a line, then the line and the one that it may replace, then what that one hangs together with. */
INLINE void
prefetch(const struct rp_gpu_cache *c, unsigned step, uint64_t place, uint32_t set)
{
	const uint32_t *head = &c->head[spread(place >> c->sector_bits, c->head_shift)];
	const struct set *s = &c->set[set];
	const struct line *old = &c->line[s->oldest == NONE ? 0 : s->oldest];
	const struct slice *slice = &c->slice[set >> c->set_bits];
	if (step == 0) {
		__builtin_prefetch(slice);
		__builtin_prefetch(s);
		__builtin_prefetch(head);
		__builtin_prefetch(&c->entry_head[spread(place, c->entry_shift)]);
	} else if (step == 1) {
		__builtin_prefetch(&c->line[*head ? *head - 1 : 0]);
		__builtin_prefetch(old);
		prefetch_entry(c, step, slice);
	} else {
		prefetch_entry(c, step, slice);
		__builtin_prefetch(&c->head[spread(old->number, c->head_shift)]);
		__builtin_prefetch(&c->line[old->newer == NONE ? 0 : old->newer]);
	}
}

/* One step for the access that comes `ahead` behind access i, and at the first one for all up to that. */
INLINE void
prefetch_ahead(const struct rp_gpu_cache *c, unsigned step, size_t ahead, const uint64_t *place,
    const uint32_t *set, size_t n, size_t i)
{
	for (size_t k = i ? i + ahead : 0; k <= i + ahead && k < n; k++)
		prefetch(c, step, place[k], set[k]);
}

void
rp_gpu_cache_prefetch(
    const struct rp_gpu_cache *c, const uint64_t *place, const uint32_t *set, size_t n, size_t i)
{
	prefetch_ahead(c, 0, FAR, place, set, n, i);
	prefetch_ahead(c, 1, NEAR, place, set, n, i);
	prefetch_ahead(c, 2, SOON, place, set, n, i);
}

bool
rp_gpu_cache_wants_mask(const struct rp_gpu_cache *c)
{
	return c->lazy;
}

/* Whether anything of the line is there: else the way is free. */
static bool
occupied(const struct line *l)
{
	return l->state & ANY_KIND * ALL;
}

/* The line of that number, or NONE. */
static uint32_t
find(const struct rp_gpu_cache *c, uint64_t number)
{
	uint32_t i = c->head[spread(number, c->head_shift)];
	while (i && c->line[i - 1].number != number)
		i = c->line[i - 1].chain;
	return i - 1;
}

/* The set of a line, numbered through all slices. */
static uint32_t
set_of(const struct rp_gpu_cache *c, uint64_t number)
{
	uint32_t slice = 0;
	if (c->spec->slices > 1) {
		struct rp_gpu_place p = rp_gpu_slice((enum rp_gpu_slicing)c->spec->slicing,
		    c->spec->slices, UINT32_C(1) << c->line_bits, number << c->line_bits);
		slice = p.slice;
		number = p.address >> c->line_bits;
	}
	return (slice << c->set_bits) + rp_gpu_hash(c->hash, number, c->line_bits, c->set_bits);
}

void
rp_gpu_cache_sets(const struct rp_gpu_cache *c, const uint64_t *place, size_t n, uint32_t *set)
{
	for (size_t i = 0; i < n; i++)
		set[i] = set_of(c, place[i] >> c->sector_bits);
}

static struct at
locate(const struct rp_gpu_cache *c, uint64_t place, uint32_t set)
{
	uint64_t number = place >> c->sector_bits;
	return (struct at){
		.slice = &c->slice[set >> c->set_bits],
		.set = set,
		.number = number,
		.bit = UINT32_C(1) << (place & ((UINT64_C(1) << c->sector_bits) - 1)),
		.line = find(c, number),
	};
}

/* The written bytes of a sector. */
static uint32_t *
written_of(const struct rp_gpu_cache *c, uint32_t i, uint32_t bit)
{
	uint32_t *w = c->written + (size_t)i * c->words;
	return c->sector_bits ? w + __builtin_ctz(bit) : w;
}

/* Words of it. */
static uint32_t
written_words(const struct rp_gpu_cache *c)
{
	return c->sector_bits ? 1 : c->words;
}

static void
forget_written(struct rp_gpu_cache *c, uint32_t i, uint32_t bit)
{
	c->line[i].state &= ~(NOTED * bit);
}

/* Whether the sector's written bytes, with these, are all there are. */
static bool
add_written(struct rp_gpu_cache *c, uint32_t i, uint32_t bit, const uint32_t *mask)
{
	uint32_t *w = written_of(c, i, bit), all = UINT32_MAX, *state = &c->line[i].state;
	uint32_t line = UINT32_C(1) << c->line_bits;
	if (!(*state & NOTED * bit))
		memset(w, 0, written_words(c) * sizeof *w);
	*state |= NOTED * bit;
	if (line < WORD_BITS) {
		*w |= *mask;
		return *w == (UINT32_C(1) << line) - 1;
	}
	for (uint32_t k = 0; k < written_words(c); k++) {
		w[k] |= mask[k];
		all &= w[k];
	}
	return all == UINT32_MAX;
}

/* Takes a line out of its set's list, and puts one at the new end. */
static void
unlist(struct rp_gpu_cache *c, struct set *s, const struct line *l)
{
	*(l->older == NONE ? &s->oldest : &c->line[l->older].newer) = l->newer;
	*(l->newer == NONE ? &s->newest : &c->line[l->newer].older) = l->older;
}

static void
list(struct rp_gpu_cache *c, struct set *s, uint32_t i)
{
	struct line *l = &c->line[i];
	l->older = s->newest;
	l->newer = NONE;
	*(s->newest == NONE ? &s->oldest : &c->line[s->newest].newer) = i;
	s->newest = i;
}

static void
touch(struct rp_gpu_cache *c, struct set *s, uint32_t i, uint64_t now)
{
	struct line *l = &c->line[i];
	if (c->fifo)
		return;
	l->stamp = now;
	if (s->newest == i)
		return;
	unlist(c, s, l);
	list(c, s, i);
}

/* A line's new state, with what is counted of them. */
static inline void
set_line(struct slice *slice, struct set *s, struct line *l, uint32_t state)
{
	uint32_t old = l->state;
	s->reserved += (uint32_t) !(old & RESERVED * ALL) - (uint32_t) !(state & RESERVED * ALL);
	slice->modified +=
	    (uint32_t) !(old & MODIFIED * ALL) - (uint32_t) !(state & MODIFIED * ALL);
	l->state = state;
}

/* One sector becomes `to`: a kind, or 0, invalid. */
static inline void
set_state(const struct at *at, struct rp_gpu_cache *c, struct line *l, uint32_t to)
{
	set_line(at->slice, &c->set[at->set], l, (l->state & ~(ANY_KIND * at->bit)) | to * at->bit);
}

/* The way is free again. */
static void
release(struct rp_gpu_cache *c, struct slice *slice, uint32_t set, uint32_t i)
{
	struct line *l = &c->line[i];
	struct set *s = &c->set[set];
	uint32_t *to = &c->head[spread(l->number, c->head_shift)], way = i - set * c->ways;
	while (*to != i + 1)
		to = &c->line[*to - 1].chain;
	*to = l->chain;
	unlist(c, s, l);
	set_line(slice, s, l, 0);
	s->count--;
	c->free[(size_t)set * c->free_words + way / 64] |= UINT64_C(1) << way % 64;
}

/* Something is sent down: a slot of the miss queue, which loses one each unit of time. */
static void
enqueue(struct rp_gpu_cache *c, struct slice *s, uint64_t now)
{
	if (!c->spec->queue)
		return;
	uint64_t gone = now - s->queued_at;
	s->queued = s->queued > gone ? s->queued - gone : 0;
	s->queued++;
	s->queued_at = now;
}

static bool
queue_has(const struct rp_gpu_cache *c, const struct slice *s, uint64_t more)
{
	uint64_t gone = s->now - s->queued_at;
	uint64_t slots = s->queued > gone ? s->queued - gone : 0;
	return !c->spec->queue || slots + more < c->spec->string.missq;
}

static void
send_back(struct rp_gpu_cache *c, const struct line *l)
{
	uint64_t base = l->number << c->line_bits;
	if (!c->sector_bits)
		rp_requests_put(c->down, RP_ASK_BACK, base, UINT32_C(1) << c->line_bits, c->row);
	else
		for (unsigned m = l->state / MODIFIED & ALL; m; m &= m - 1)
			rp_requests_put(c->down, RP_ASK_BACK,
			    base + RP_GPU_SECTOR * (unsigned)__builtin_ctz(m), RP_GPU_SECTOR,
			    c->row);
}

/* Whether the line's modified sectors are to be written back. */
static bool
owes(const struct rp_gpu_cache *c, const struct line *l)
{
	return (l->state & MODIFIED * ALL) && !c->through;
}

static uint32_t
modified_sectors(const struct line *l)
{
	uint32_t n = 0;
	for (uint32_t m = l->state & MODIFIED * ALL; m; m &= m - 1)
		n++;
	return n;
}

static void
evict(struct rp_gpu_cache *c, const struct at *at, uint32_t i, uint64_t now)
{
	const struct line *l = &c->line[i];
	c->event->evictions++;
	if (owes(c, l)) {
		c->event->back_lines++;
		c->event->back_sectors += modified_sectors(l);
		if (c->down)
			send_back(c, l);
		enqueue(c, at->slice, now);
	}
	release(c, at->slice, at->set, i);
}

/* The highest free way of a set that has one. */
static uint32_t
free_way(const struct rp_gpu_cache *c, uint32_t set)
{
	const uint64_t *f = c->free + (size_t)set * c->free_words;
	uint32_t k = c->free_words;
	while (!f[--k])
		;
	return set * c->ways + k * 64 + 63 - (uint32_t)__builtin_clzll(f[k]);
}

/* The oldest line of a set that is not reserved nor, with `spare`, modified; the lowest way of those with its stamp. */
static uint32_t
oldest(const struct rp_gpu_cache *c, const struct set *s, bool spare)
{
	uint32_t best = NONE, never = RESERVED * ALL | (spare ? MODIFIED * ALL : 0);
	for (uint32_t i = s->oldest; i != NONE; i = c->line[i].newer) {
		const struct line *l = &c->line[i];
		if (best != NONE && l->stamp != c->line[best].stamp) {
			/* It will be the next one to leave. */
			__builtin_prefetch(&c->line[l->newer == NONE ? 0 : l->newer]);
			__builtin_prefetch(&c->head[spread(l->number, c->head_shift)]);
			break;
		}
		if (!(l->state & never) && i < best)
			best = i;
	}
	return best;
}

/* The line that a new one of this set replaces, a free way if there is one; NONE: all are reserved. */
static uint32_t
victim(const struct rp_gpu_cache *c, const struct at *at)
{
	const struct set *s = &c->set[at->set];
	if (s->count < c->ways)
		return free_way(c, at->set);
	if (s->reserved == c->ways)
		return NONE;
	bool spare = (uint64_t)at->slice->modified * 100 < (uint64_t)c->spec->dirty * c->lines;
	uint32_t i = oldest(c, s, spare);
	return i == NONE ? oldest(c, s, false) : i;
}

/* The line of `at` takes way i, whose line leaves; its sectors are all invalid for the moment. */
static void
take(struct rp_gpu_cache *c, struct at *at, uint32_t i, uint64_t now)
{
	struct set *s = &c->set[at->set];
	struct line *l = &c->line[i];
	uint32_t way = i - at->set * c->ways, *head = &c->head[spread(at->number, c->head_shift)];
	if (occupied(l))
		evict(c, at, i, now);
	c->free[(size_t)at->set * c->free_words + way / 64] &= ~(UINT64_C(1) << way % 64);
	s->count++;
	l->number = at->number;
	l->stamp = now;
	l->chain = *head;
	*head = i + 1;
	list(c, s, i);
	at->line = i;
}

/* The entry of a sector or plain line, or NULL. */
static struct entry *
pending(const struct rp_gpu_cache *c, uint64_t place)
{
	uint32_t i = c->entry_head[spread(place, c->entry_shift)];
	while (i && c->entry[i - 1].place != place)
		i = c->entry[i - 1].chain;
	return i ? &c->entry[i - 1] : NULL;
}

/* What the entry asked for is there: at its due time. */
static void
fill(struct rp_gpu_cache *c, struct slice *slice, const struct entry *e)
{
	struct at at = { .slice = slice,
		.set = e->set,
		.number = e->place >> c->sector_bits,
		.bit = UINT32_C(1) << (e->place & ((UINT64_C(1) << c->sector_bits) - 1)) };
	at.line = e->line;
	if (at.line == NONE || c->line[at.line].number != at.number || !occupied(&c->line[at.line]))
		at.line = find(c, at.number);
	bool there = at.line != NONE;
	if (!there && !c->on_fill)
		return;
	if (!there)
		take(c, &at, victim(c, &at), e->due);
	else if (c->on_fill)
		touch(c, &c->set[at.set], at.line, e->due);
	/* A mark is the line's: it is gone where that was replaced in between, and came back. */
	struct line *l = &c->line[at.line];
	bool marked = c->on_fill ? e->marked : l->state & MARKED * at.bit;
	set_state(&at, c, l, marked || (l->state & MODIFIED * at.bit) ? MODIFIED : VALID);
}

/* Takes the first entry of a slice out. */
static void
complete_first(struct rp_gpu_cache *c, struct slice *s)
{
	struct entry *e = slice_entry(c, s, 0);
	uint32_t number = (uint32_t)(e - c->entry) + 1;
	uint32_t *to = &c->entry_head[spread(e->place, c->entry_shift)];
	while (*to != number)
		to = &c->entry[*to - 1].chain;
	*to = e->chain;
	fill(c, s, e);
	s->n--;
	s->first = s->first + 1 == c->entries ? 0 : s->first + 1;
	s->due = s->n ? slice_entry(c, s, 0)->due : UINT64_MAX;
}

/* Adds up the entries in use until `now`. */
static void
hold(struct rp_gpu_cache *c, struct slice *s, uint64_t now)
{
	c->event->held += s->n * (now - s->held_at);
	s->held_at = now;
}

/* Completes what is due. */
static inline void
complete(struct rp_gpu_cache *c, struct slice *s)
{
	while (s->due <= s->now) {
		hold(c, s, s->due);
		complete_first(c, s);
	}
}

/* An attempt's end: a reason of enum rp_gpu_fail, or */
enum { ACCEPTED = RP_GPU_FAILS };

static void
send_fetch(struct rp_gpu_cache *c, const struct rp_gpu_access *a, struct slice *s)
{
	c->event->what |= RP_GPU_REQUEST;
	if (c->down)
		rp_requests_put(c->down, RP_ASK_FETCH, a->place << (c->line_bits - c->sector_bits),
		    UINT32_C(1) << (c->line_bits - c->sector_bits), c->row);
	enqueue(c, s, s->now);
}

static void
send_write(struct rp_gpu_cache *c, const struct rp_gpu_access *a, struct slice *s)
{
	c->event->what |= RP_GPU_WRITE;
	if (c->down)
		rp_requests_put(c->down, RP_ASK_WRITE, a->first, a->bytes, c->row);
	enqueue(c, s, s->now);
}

/* Asks for the access's sector: a new entry, or a part in one. `mark`: it is modified from the fill on. */
static unsigned
ask(struct rp_gpu_cache *c, const struct at *at, const struct rp_gpu_access *a, bool mark,
    struct entry **asked)
{
	const struct rp_gpu_string *g = &c->spec->string;
	bool rewrite = a->write && g->walloc == 'F';
	struct slice *s = at->slice;
	struct entry *e = pending(c, a->place);
	if (e) {
		if (e->merged >= g->merge)
			return RP_GPU_MSHR_MERGE_ENTRY_FAIL;
		if (rewrite && e->read)
			return RP_GPU_MSHR_RW_PENDING;
		e->merged++;
		c->event->what |= RP_GPU_MERGED;
	} else {
		if (s->n == c->entries)
			return RP_GPU_MSHR_ENTRY_FAIL;
		e = slice_entry(c, s, s->n);
		uint32_t *head = &c->entry_head[spread(a->place, c->entry_shift)];
		*e = (struct entry){ .place = a->place,
			.due = s->now + c->spec->latency,
			.merged = 1,
			.chain = *head,
			.set = at->set,
			.line = at->line };
		*head = (uint32_t)(e - c->entry) + 1;
		s->due = s->n++ ? s->due : e->due;
		send_fetch(c, a, s);
	}
	*asked = e;
	e->marked |= mark;
	e->read |= !a->write && e->wrote;
	e->wrote |= rewrite;
	return ACCEPTED;
}

/* A read, or a write that fetches: `mark` as above. */
static unsigned
fetch(struct rp_gpu_cache *c, struct at *at, const struct rp_gpu_access *a, bool mark)
{
	enum rp_gpu_probe probe = (enum rp_gpu_probe)(c->event->what & RP_GPU_PROBE);
	uint32_t i = NONE;
	if (probe == RP_GPU_MISS && !c->on_fill && (i = victim(c, at)) == NONE)
		return RP_GPU_LINE_ALLOC_FAIL;
	bool kept = probe == RP_GPU_SECTOR_MISS && (c->line[at->line].state & MODIFIED * at->bit);
	struct entry *asked;
	unsigned end = ask(c, at, a, mark || kept, &asked);
	if (end != ACCEPTED || c->on_fill)
		return end;
	if (probe == RP_GPU_MISS) {
		take(c, at, i, at->slice->now);
		asked->line = i;
	} else {
		touch(c, &c->set[at->set], at->line, at->slice->now);
	}
	if (probe == RP_GPU_SECTOR_MISS && !kept)
		forget_written(c, at->line, at->bit);
	if (probe != RP_GPU_HIT_RESERVED || mark)
		set_state(at, c, &c->line[at->line], mark || kept ? RESERVED | MARKED : RESERVED);
	return end;
}

static unsigned
read(struct rp_gpu_cache *c, struct at *at, const struct rp_gpu_access *a)
{
	if ((c->event->what & RP_GPU_PROBE) == RP_GPU_HIT) {
		touch(c, &c->set[at->set], at->line, at->slice->now);
		if (a->atomic) /* it read the sector, so that is readable */
			set_state(at, c, &c->line[at->line], MODIFIED);
		return ACCEPTED;
	}
	if (!queue_has(c, at->slice, 1))
		return RP_GPU_MISS_QUEUE_FULL;
	return fetch(c, at, a, a->atomic);
}

/* The sector becomes modified; it is readable if it was or if all its bytes are there. */
static void
modify(struct rp_gpu_cache *c, const struct at *at, const struct rp_gpu_access *a, bool readable)
{
	struct line *l = &c->line[at->line];
	bool hidden = !readable && !a->whole && !add_written(c, at->line, at->bit, a->mask);
	set_state(at, c, l, hidden ? MODIFIED | HIDDEN : MODIFIED);
}

static unsigned
write_hit(struct rp_gpu_cache *c, struct at *at, const struct rp_gpu_access *a)
{
	char policy = c->spec->string.write;
	bool stays = policy == 'B' || policy == 'T' || (policy == 'L' && a->local);
	struct line *l = &c->line[at->line];
	if (policy != 'B' && !(policy == 'L' && a->local)) {
		if (!queue_has(c, at->slice, 0))
			return RP_GPU_MISS_QUEUE_FULL;
		send_write(c, a, at->slice);
	}
	if (stays) {
		touch(c, &c->set[at->set], at->line, at->slice->now);
		modify(c, at, a, !(l->state & HIDDEN * at->bit));
		return ACCEPTED;
	}
	set_state(at, c, l, 0);
	forget_written(c, at->line, at->bit);
	if (!occupied(l))
		release(c, at->slice, at->set, at->line);
	return ACCEPTED;
}

/* A write miss that takes its place without a fetch. */
static unsigned
write_lazy(struct rp_gpu_cache *c, struct at *at, const struct rp_gpu_access *a)
{
	enum rp_gpu_probe probe = (enum rp_gpu_probe)(c->event->what & RP_GPU_PROBE);
	uint32_t i = NONE;
	if (!queue_has(c, at->slice, 0))
		return RP_GPU_MISS_QUEUE_FULL;
	if (probe == RP_GPU_MISS && (i = victim(c, at)) == NONE)
		return RP_GPU_LINE_ALLOC_FAIL;
	if (c->through)
		send_write(c, a, at->slice);
	if (probe == RP_GPU_MISS)
		take(c, at, i, at->slice->now);
	else
		touch(c, &c->set[at->set], at->line, at->slice->now);
	if (probe == RP_GPU_SECTOR_MISS)
		forget_written(c, at->line, at->bit);
	modify(c, at, a, false);
	return ACCEPTED;
}

static unsigned
write_miss(struct rp_gpu_cache *c, struct at *at, const struct rp_gpu_access *a)
{
	char walloc = c->spec->string.write == 'R' ? 'N' : c->spec->string.walloc;
	unsigned end;
	switch (walloc) {
	case 'L':
		return write_lazy(c, at, a);
	case 'F':
		if (a->whole)
			return write_lazy(c, at, a);
		return queue_has(c, at->slice, 1) ? fetch(c, at, a, true) : RP_GPU_MISS_QUEUE_FULL;
	case 'W':
		if (!queue_has(c, at->slice, 2))
			return RP_GPU_MISS_QUEUE_FULL;
		end = fetch(c, at, a, false);
		if (end == ACCEPTED)
			send_write(c, a, at->slice);
		return end;
	default:
		if (!queue_has(c, at->slice, 0))
			return RP_GPU_MISS_QUEUE_FULL;
		send_write(c, a, at->slice);
		return ACCEPTED;
	}
}

static enum rp_gpu_probe
probe(const struct rp_gpu_cache *c, const struct at *at, bool write)
{
	if (at->line == NONE)
		return RP_GPU_MISS;
	const struct line *l = &c->line[at->line];
	if (l->state & RESERVED * at->bit)
		return RP_GPU_HIT_RESERVED;
	if ((l->state & (VALID | MODIFIED) * at->bit) && (write || !(l->state & HIDDEN * at->bit)))
		return RP_GPU_HIT;
	return RP_GPU_SECTOR_MISS;
}

static unsigned
attempt(struct rp_gpu_cache *c, struct at *at, const struct rp_gpu_access *a)
{
	enum rp_gpu_probe p = probe(c, at, a->write);
	c->event->what = (c->event->what & ~(uint32_t)RP_GPU_PROBE) | p;
	if (!a->write)
		return read(c, at, a);
	return p == RP_GPU_HIT ? write_hit(c, at, a) : write_miss(c, at, a);
}

/* A refused attempt gives up. */
static void
drop(struct rp_gpu_cache *c, struct slice *s, const struct rp_gpu_access *a)
{
	c->event->what = (c->event->what & ~(uint32_t)RP_GPU_PROBE) | RP_GPU_MISS | RP_GPU_DROPPED;
	if (a->write)
		send_write(c, a, s);
	else
		send_fetch(c, a, s);
}

/* Counts a refusal and moves time on to the next attempt; false: there is none. */
static bool
refuse(struct rp_gpu_cache *c, struct slice *s, const struct rp_gpu_access *a, unsigned why)
{
	struct rp_gpu_event *e = c->event;
	uint64_t times = 1, wait;
	if (!(e->what & RP_GPU_REFUSED))
		memset(c->fail, 0, RP_GPU_FAILS * sizeof *c->fail);
	e->what |= RP_GPU_REFUSED;
	if (c->spec->stall == RP_GPU_DROP) {
		c->fail[why]++;
		drop(c, s, a);
		return false;
	}
	/* Without a fill to wait for it is the miss queue that is full; it loses a slot each unit. With unit, nothing but a
	 * queue changes before the next fill. */
	wait = s->n ? s->due - s->now : 1;
	if (c->spec->stall == RP_GPU_UNIT)
		c->spec->queue ? (wait = 1) : (times = wait);
	c->fail[why] += times;
	e->stall += wait;
	s->now += wait;
	return true;
}

/* Requests that an access may send: its own two, and those of the lines that it and the fills before it replace. */
static bool
room_below(const struct slice *s, struct rp_requests *down, struct rp_err *err)
{
	return rp_requests_room(down, 2 + (size_t)(LAST_SECTOR + 1) * (s->n + 1), err);
}

bool
rp_gpu_cache_access(struct rp_gpu_cache *c, const struct rp_gpu_access *a, struct rp_gpu_event *e,
    uint64_t fail[RP_GPU_FAILS], struct rp_requests *down, struct rp_err *err)
{
	struct at at = locate(c, a->place, a->set);
	struct slice *s = at.slice;
	uint64_t before = s->now;
	uint32_t entries = s->n;
	if (down && !room_below(s, down, err))
		return false;
	*e = (struct rp_gpu_event){ 0 };
	if (c->marked) {
		*e = c->carried;
		c->carried = (struct rp_gpu_event){ 0 };
		c->marked = false;
	}
	c->event = e;
	c->fail = fail;
	c->down = down;
	c->row = a->row;
	if (c->spec->clock && a->time > s->now)
		s->now = a->time;
	for (unsigned end = RP_GPU_FAILS + 1; end != ACCEPTED;) {
		if (s->due <= s->now) {
			complete(c, s);
			at.line = find(c, at.number);
		}
		end = attempt(c, &at, a);
		if (end != ACCEPTED && !refuse(c, s, a, end))
			end = ACCEPTED;
	}
	s->now += !c->spec->clock;
	hold(c, s, s->now);
	e->time = s->now - before;
	e->entries = s->n > entries ? s->n : entries;
	return true;
}

void
rp_gpu_cache_streams(struct rp_gpu_cache *c, bool shared)
{
	if (c->spec->string.alloc == 's')
		c->on_fill = shared;
}

/* Calls between accesses count for the next one, and send nothing. */
static void
begin_mark(struct rp_gpu_cache *c)
{
	c->event = &c->carried;
	c->down = NULL;
	c->marked = true;
}

void
rp_gpu_cache_kernel_end(struct rp_gpu_cache *c)
{
	if (c->spec->level != RP_GPU_L1)
		return;
	begin_mark(c);
	for (uint32_t i = 0; i < c->spec->slices; i++)
		while (c->slice[i].n)
			complete_first(c, &c->slice[i]);
	rp_gpu_cache_drop(c, 0, UINT64_MAX);
}

static void
copy_sector(struct rp_gpu_cache *c, uint64_t place)
{
	struct at at = locate(c, place, set_of(c, place >> c->sector_bits));
	if (at.slice->due <= at.slice->now) {
		complete(c, at.slice);
		at.line = find(c, at.number);
	}
	uint64_t now = at.slice->now;
	if (at.line == NONE) {
		uint32_t i = victim(c, &at);
		if (i == NONE)
			return;
		take(c, &at, i, now);
	} else if (probe(c, &at, false) == RP_GPU_SECTOR_MISS) {
		touch(c, &c->set[at.set], at.line, now);
	}
	bool marked = c->line[at.line].state & MARKED * at.bit;
	set_state(&at, c, &c->line[at.line], marked ? VALID | MARKED : VALID);
}

void
rp_gpu_cache_host_copy(struct rp_gpu_cache *c, uint64_t address, uint64_t bytes)
{
	unsigned bits = c->line_bits - c->sector_bits;
	uint64_t more = bytes ? bytes - 1 : 0;
	uint64_t last = address + more < more ? UINT64_MAX : address + more;
	if (c->spec->level != RP_GPU_L2 || !c->spec->copies)
		return;
	begin_mark(c);
	for (uint64_t place = address >> bits; place <= last >> bits; place++)
		copy_sector(c, place);
}

/* Calls f for each line first..last that is there: what it gave, summed. */
static uint64_t
each(struct rp_gpu_cache *c, uint64_t first, uint64_t last,
    uint64_t (*f)(struct rp_gpu_cache *c, uint32_t i))
{
	uint64_t all = (uint64_t)c->lines * c->spec->slices, sum = 0;
	if (last - first < all) {
		for (uint64_t k = 0; k <= last - first; k++) {
			uint32_t i = find(c, first + k);
			sum += i == NONE ? 0 : f(c, i);
		}
		return sum;
	}
	for (uint32_t i = 0; i < all; i++) {
		const struct line *l = &c->line[i];
		if (occupied(l) && l->number >= first && l->number <= last)
			sum += f(c, i);
	}
	return sum;
}

/* Lines in the high half, sectors in the low one. What is not readable is gone then. */
static uint64_t
clean_line(struct rp_gpu_cache *c, uint32_t i)
{
	struct line *l = &c->line[i];
	uint32_t set = i / c->ways, state = l->state;
	struct slice *slice = &c->slice[set >> c->set_bits];
	uint32_t readable = state / MODIFIED & ~(state / HIDDEN) & ALL;
	uint64_t sectors = owes(c, l) ? modified_sectors(l) : 0;
	state = (state & (RESERVED | MARKED | NOTED | VALID) * ALL) | VALID * readable;
	if (state & ANY_KIND * ALL)
		set_line(slice, &c->set[set], l, state);
	else
		release(c, slice, set, i);
	return sectors ? UINT64_C(1) << 32 | sectors : 0;
}

struct rp_gpu_written
rp_gpu_cache_clean(struct rp_gpu_cache *c, uint64_t first, uint64_t last)
{
	uint64_t sum = each(c, first, last, clean_line);
	return (struct rp_gpu_written){ sum >> 32, (uint32_t)sum };
}

static uint64_t
drop_line(struct rp_gpu_cache *c, uint32_t i)
{
	uint32_t set = i / c->ways;
	release(c, &c->slice[set >> c->set_bits], set, i);
	return 1;
}

uint64_t
rp_gpu_cache_drop(struct rp_gpu_cache *c, uint64_t first, uint64_t last)
{
	return each(c, first, last, drop_line);
}
