/* slow.c - a second model of a GPGPU-Sim cache, from the text of its definition alone. */
#include "tests/sim/gpu/slow.h"

#include "tests/check.h"

enum { SECTORS = 4, SECTOR_BYTES = 256, MOST_PENDING = 4096 };

typedef enum { Invalid, Reserved, Valid, Modified } state;

struct sector {
	state is;
	bool readable;
	bool modified_at_fill; /* of a line that has its way before the fill */
	bool written[SECTOR_BYTES];
};

struct way {
	bool tagged;
	uint64_t tag; /* address of the line */
	struct sector sector[SECTORS];
	uint64_t last_access, allocated;
};

/* Requests of an entry, in order: 'r' reads and atomics, 'w' the writes of "fetch on write", 'x' other writes. */
struct pending {
	uint64_t address, due;
	char *requests;
	bool modified_at_fill; /* with allocation on fill */
};

struct part {
	struct way *way; /* [sets * ways] */
	struct pending pending[MOST_PENDING];
	unsigned n;
	uint64_t t;
	uint64_t queue_time;
	uint64_t queue_slots;
};

struct slow {
	const struct rp_gpu_spec *spec;
	const struct rp_gpu_string *g;
	uint32_t sectors, sector_bytes;
	struct part *part; /* by slice */
	struct slow_event event, carried;
};

struct slow *
slow_new(const struct rp_gpu_spec *s)
{
	struct slow *c = calloc(1, sizeof *c);
	c->spec = s;
	c->g = &s->string;
	c->sectors = s->string.type == 'S' ? 4 : 1;
	c->sector_bytes = s->string.line / c->sectors;
	cr_assert_leq(c->sector_bytes, (uint32_t)SECTOR_BYTES);
	c->part = calloc(s->slices, sizeof *c->part);
	for (uint32_t i = 0; i < s->slices; i++)
		c->part[i].way = calloc((size_t)c->g->sets * c->g->ways, sizeof(struct way));
	return c;
}

void
slow_free(struct slow *c)
{
	for (uint32_t i = 0; i < c->spec->slices; i++) {
		for (unsigned k = 0; k < c->part[i].n; k++)
			free(c->part[i].pending[k].requests);
		free(c->part[i].way);
	}
	free(c->part);
	free(c);
}

/* Section 8: the set of a line, from the address within its slice. */
static uint32_t
set_of(const struct slow *c, uint64_t address)
{
	uint64_t n = c->g->sets, line = address / c->g->line, x = 0;
	switch (c->g->hash) {
	case 'X':
		return (uint32_t)((line % n) ^ (line / n % n));
	case 'P':
		for (int bit = (n == 16 ? 17 : n == 32 ? 20 : 25) - 1; bit >= 0; bit--) {
			x = 2 * x + (line >> bit & 1);
			if (x >= n)
				x ^= n == 16 ? 19 : n == 32 ? 37 : 67;
		}
		return (uint32_t)x;
	case 'H':
		x = (address >> 13 & 1) + 2 * (address >> 14 & 1) + 4 * (address >> 15 & 1) +
		    8 * (address >> 17 & 1) + 16 * (address >> 19 & 1);
		x ^= address / 128 % 32;
		return (uint32_t)(x + (n == 64 ? 32 * (address >> 12 & 1) : 0));
	default:
		return (uint32_t)(line % n);
	}
}

/* Slices: 2 * channel + bit, or line mod slices. Which of the two spreads is tested elsewhere. */
static struct part *
part_of(struct slow *c, uint64_t address, uint64_t *local)
{
	struct rp_gpu_place p = rp_gpu_slice(
	    (enum rp_gpu_slicing)c->spec->slicing, c->spec->slices, c->g->line, address);
	*local = p.address;
	return &c->part[p.slice];
}

static bool
has(const struct slow *c, const struct way *w, state s)
{
	for (uint32_t k = 0; k < c->sectors; k++)
		if (w->sector[k].is == s)
			return true;
	return false;
}

static bool
wholly_invalid(const struct slow *c, const struct way *w)
{
	return !has(c, w, Reserved) && !has(c, w, Valid) && !has(c, w, Modified);
}

static struct way *
set_at(struct slow *c, uint64_t line, struct part **part)
{
	uint64_t local;
	*part = part_of(c, line, &local);
	return (*part)->way + (size_t)set_of(c, local) * c->g->ways;
}

/* The way that holds a line with at least one sector. */
static struct way *
look_up(struct slow *c, uint64_t line)
{
	struct part *part;
	struct way *set = set_at(c, line, &part);
	for (uint32_t i = 0; i < c->g->ways; i++)
		if (set[i].tagged && set[i].tag == line && !wholly_invalid(c, &set[i]))
			return &set[i];
	return NULL;
}

/* Section 10.2: may the way be replaced? */
static bool
candidate(const struct slow *c, const struct way *w, bool spare_modified)
{
	return !has(c, w, Reserved) && !(spare_modified && has(c, w, Modified));
}

static struct way *
choose(struct slow *c, uint64_t line)
{
	struct part *part;
	struct way *set = set_at(c, line, &part);
	uint64_t modified = 0, all = (uint64_t)c->g->sets * c->g->ways;
	for (uint64_t i = 0; i < all; i++)
		modified += has(c, &part->way[i], Modified);
	bool spare = (double)modified / (double)all < (double)c->spec->dirty / 100;
	for (int round = 0; round < 2; round++, spare = false) {
		struct way *best = NULL;
		for (uint32_t i = 0; i < c->g->ways; i++)
			if (wholly_invalid(c, &set[i]))
				best = &set[i]; /* the highest */
		if (best)
			return best;
		for (uint32_t i = 0; i < c->g->ways; i++) {
			if (!candidate(c, &set[i], spare))
				continue;
			if (!best || (c->g->repl == 'L' ? set[i].last_access < best->last_access
							: set[i].allocated < best->allocated))
				best = &set[i];
		}
		if (best)
			return best;
	}
	return NULL;
}

/* Section 10.5. */
static void
leave_queue(struct part *p, uint64_t t)
{
	uint64_t units = t - p->queue_time;
	p->queue_slots = units > p->queue_slots ? 0 : p->queue_slots - units;
	p->queue_time = t;
}

static bool
queue_full(struct slow *c, struct part *p, uint64_t more)
{
	leave_queue(p, p->t);
	return c->spec->queue && p->queue_slots + more >= c->g->missq;
}

static void
send(struct slow *c, struct part *p, enum rp_request what, uint64_t address, uint64_t t)
{
	c->event.below += 3 * address + (unsigned)what;
	if (what == RP_ASK_FETCH)
		c->event.fetches++;
	if (what == RP_ASK_WRITE)
		c->event.writes++;
	leave_queue(p, t);
	p->queue_slots++;
}

static void
empty(struct way *w)
{
	w->tagged = false;
	memset(w->sector, 0, sizeof w->sector);
}

/* A line moves in, whatever the way held moves out. */
static void
move_in(struct slow *c, struct part *p, struct way *w, uint64_t line, uint64_t t)
{
	if (!wholly_invalid(c, w)) {
		c->event.replaced++;
		if (has(c, w, Modified) && c->g->write != 'T') {
			c->event.back_lines++;
			for (uint32_t k = 0; k < c->sectors; k++)
				if (w->sector[k].is == Modified) {
					c->event.back_sectors++;
					c->event.below +=
					    3 * (w->tag + k * c->sector_bytes) + RP_ASK_BACK;
				}
			leave_queue(p, t);
			p->queue_slots++; /* one for the line */
		}
	}
	empty(w);
	w->tagged = true;
	w->tag = line;
	w->last_access = w->allocated = t;
}

static bool
fills_on_fill(const struct slow *c)
{
	return c->g->alloc == 'f' || (c->g->alloc == 's' && c->spec->shared != RP_GPU_SHARED_NONE);
}

/* A fill, section 11. */
static void
arrive(struct slow *c, struct part *p)
{
	struct pending e = p->pending[0];
	uint64_t line = e.address / c->g->line * c->g->line;
	struct way *w = look_up(c, line);
	memmove(p->pending, p->pending + 1, --p->n * sizeof e);
	if (w && fills_on_fill(c))
		w->last_access = e.due;
	if (!w && fills_on_fill(c)) {
		w = choose(c, line);
		cr_assert(w);
		move_in(c, p, w, line, e.due);
	}
	if (w) {
		struct sector *s = &w->sector[(e.address - line) / c->sector_bytes];
		bool modified = fills_on_fill(c) ? e.modified_at_fill : s->modified_at_fill;
		s->is = modified || s->is == Modified ? Modified : Valid;
		s->readable = true;
		s->modified_at_fill = false;
	}
	free(e.requests);
}

static void
arrivals(struct slow *c, struct part *p)
{
	while (p->n && p->pending[0].due <= p->t)
		arrive(c, p);
}

struct asked {
	char kind;
	bool local;
	uint64_t address, line;        /* of the bytes; of the line */
	uint32_t size, sector, offset; /* offset: in the sector */
	uint64_t unit;                 /* address of the sector, or plain line */
};

static bool
complete(const struct slow *c, const struct sector *s)
{
	for (uint32_t b = 0; b < c->sector_bytes; b++)
		if (!s->written[b])
			return false;
	return true;
}

/* Section 10.3, step 3. -1: granted. */
static int
through_mshr(struct slow *c, struct part *p, const struct asked *a, bool modified_at_fill)
{
	struct pending *e = NULL;
	char letter = a->kind != 'w' ? 'r' : c->g->walloc == 'F' ? 'w' : 'x';
	for (unsigned i = 0; i < p->n; i++)
		if (p->pending[i].address == a->unit)
			e = &p->pending[i];
	if (!e) {
		if (p->n == c->g->entries)
			return RP_GPU_MSHR_ENTRY_FAIL;
		cr_assert_lt(p->n, (unsigned)MOST_PENDING);
		e = &p->pending[p->n++];
		*e = (struct pending){ .address = a->unit, .due = p->t + c->spec->latency };
		e->requests = calloc(c->g->merge + 1, 1);
		send(c, p, RP_ASK_FETCH, a->unit, p->t);
	} else {
		if (strlen(e->requests) == c->g->merge)
			return RP_GPU_MSHR_MERGE_ENTRY_FAIL;
		const char *write = strchr(e->requests, 'w');
		if (letter == 'w' && write && strchr(write, 'r'))
			return RP_GPU_MSHR_RW_PENDING;
		c->event.mshr_hit = true;
	}
	e->requests[strlen(e->requests)] = letter;
	e->modified_at_fill |= modified_at_fill;
	return -1;
}

/* A fetch for a read, or for a write that allocates so. */
static int
fetch_it(
    struct slow *c, struct part *p, const struct asked *a, struct way *w, bool modified_at_fill)
{
	const char *r = c->event.result;
	struct way *victim = NULL;
	bool was_modified = false;
	if (!strcmp(r, "MISS") && !fills_on_fill(c) && !(victim = choose(c, a->line)))
		return RP_GPU_LINE_ALLOC_FAIL;
	if (!strcmp(r, "SECTOR_MISS"))
		was_modified = w->sector[a->sector].is == Modified;
	int no = through_mshr(c, p, a, modified_at_fill || was_modified);
	if (no >= 0 || fills_on_fill(c))
		return no;
	if (victim) {
		move_in(c, p, victim, a->line, p->t);
		w = victim;
	}
	w->last_access = p->t;
	if (strcmp(r, "HIT_RESERVED")) {
		if (!was_modified)
			memset(&w->sector[a->sector], 0, sizeof w->sector[a->sector]);
		w->sector[a->sector].is = Reserved;
		w->sector[a->sector].modified_at_fill = was_modified;
	}
	w->sector[a->sector].modified_at_fill |= modified_at_fill;
	return -1;
}

static int
read_it(struct slow *c, struct part *p, const struct asked *a, struct way *w)
{
	if (!strcmp(c->event.result, "HIT")) {
		w->last_access = p->t;
		if (a->kind == 'a') {
			w->sector[a->sector].is = Modified;
			w->sector[a->sector].readable = true;
		}
		return -1;
	}
	if (queue_full(c, p, 1))
		return RP_GPU_MISS_QUEUE_FULL;
	return fetch_it(c, p, a, w, a->kind == 'a');
}

static void
write_bytes(struct slow *c, struct sector *s, const struct asked *a, bool readable)
{
	for (uint32_t b = 0; b < a->size; b++)
		s->written[a->offset + b] = true;
	s->is = Modified;
	s->readable = readable || complete(c, s);
}

static int
write_hit(struct slow *c, struct part *p, const struct asked *a, struct way *w)
{
	struct sector *s = &w->sector[a->sector];
	char policy = c->g->write;
	if (policy == 'L')
		policy = a->local ? 'B' : 'E';
	if (policy != 'B' && queue_full(c, p, 0))
		return RP_GPU_MISS_QUEUE_FULL;
	if (policy != 'B')
		send(c, p, RP_ASK_WRITE, a->address, p->t);
	if (policy == 'B' || policy == 'T') {
		w->last_access = p->t;
		write_bytes(c, s, a, s->is == Valid || s->readable);
		return -1;
	}
	memset(s, 0, sizeof *s);
	return -1;
}

/* Without a fetch: the rows L, and F of whole sectors. */
static int
write_lazily(struct slow *c, struct part *p, const struct asked *a, struct way *w)
{
	if (queue_full(c, p, 0))
		return RP_GPU_MISS_QUEUE_FULL;
	if (!strcmp(c->event.result, "MISS")) {
		if (!(w = choose(c, a->line)))
			return RP_GPU_LINE_ALLOC_FAIL;
		move_in(c, p, w, a->line, p->t);
	}
	if (c->g->write == 'T')
		send(c, p, RP_ASK_WRITE, a->address, p->t);
	w->last_access = p->t;
	if (!strcmp(c->event.result, "SECTOR_MISS"))
		memset(&w->sector[a->sector], 0, sizeof w->sector[a->sector]);
	write_bytes(c, &w->sector[a->sector], a, false);
	return -1;
}

static int
write_miss(struct slow *c, struct part *p, const struct asked *a, struct way *w)
{
	int no;
	if (c->g->walloc == 'N' || c->g->write == 'R') {
		if (queue_full(c, p, 0))
			return RP_GPU_MISS_QUEUE_FULL;
		send(c, p, RP_ASK_WRITE, a->address, p->t);
		return -1;
	}
	if (c->g->walloc == 'L' || (c->g->walloc == 'F' && a->size == c->sector_bytes))
		return write_lazily(c, p, a, w);
	if (queue_full(c, p, c->g->walloc == 'F' ? 1 : 2))
		return RP_GPU_MISS_QUEUE_FULL;
	no = fetch_it(c, p, a, w, c->g->walloc == 'F');
	if (no < 0 && c->g->walloc == 'W')
		send(c, p, RP_ASK_WRITE, a->address, p->t);
	return no;
}

/* Section 10.2. */
static const char *
probe(const struct way *w, const struct asked *a)
{
	if (!w)
		return "MISS";
	const struct sector *s = &w->sector[a->sector];
	switch (s->is) {
	case Reserved:
		return "HIT_RESERVED";
	case Valid:
		return "HIT";
	case Modified:
		return a->kind == 'w' || s->readable ? "HIT" : "SECTOR_MISS";
	default:
		return "SECTOR_MISS";
	}
}

static int
attempt(struct slow *c, struct part *p, const struct asked *a)
{
	arrivals(c, p);
	struct way *w = look_up(c, a->line);
	c->event.result = probe(w, a);
	if (a->kind != 'w')
		return read_it(c, p, a, w);
	return !strcmp(c->event.result, "HIT") ? write_hit(c, p, a, w) : write_miss(c, p, a, w);
}

struct slow_event
slow_access(struct slow *c, char kind, bool local, uint64_t address, uint32_t size, uint64_t time)
{
	struct asked a = { .kind = kind,
		.local = local,
		.address = address,
		.size = size,
		.line = address / c->g->line * c->g->line,
		.unit = address / c->sector_bytes * c->sector_bytes };
	uint64_t in_slice;
	struct part *p = part_of(c, a.line, &in_slice);
	int no;
	a.sector = (uint32_t)((a.unit - a.line) / c->sector_bytes);
	a.offset = (uint32_t)(address - a.unit);
	c->event = c->carried;
	memset(&c->carried, 0, sizeof c->carried);
	if (c->spec->clock && time > p->t)
		p->t = time;
	while ((no = attempt(c, p, &a)) >= 0) {
		c->event.fails[no]++;
		if (c->spec->stall == RP_GPU_DROP) {
			c->event.result = "MISS";
			c->event.dropped = true;
			send(c, p, kind == 'w' ? RP_ASK_WRITE : RP_ASK_FETCH,
			    kind == 'w' ? address : a.unit, p->t);
			break;
		}
		uint64_t to = p->n ? p->pending[0].due : p->t + 1;
		if (c->spec->stall == RP_GPU_UNIT)
			to = p->t + 1;
		c->event.stall += to - p->t;
		p->t = to;
	}
	if (!c->spec->clock)
		p->t++;
	c->event.end = p->t;
	return c->event;
}

void
slow_kernel_end(struct slow *c)
{
	if (c->spec->level != RP_GPU_L1)
		return;
	c->event = c->carried;
	for (uint32_t i = 0; i < c->spec->slices; i++) {
		struct part *p = &c->part[i];
		while (p->n)
			arrive(c, p);
		for (size_t k = 0; k < (size_t)c->g->sets * c->g->ways; k++)
			empty(&p->way[k]);
	}
	c->carried = c->event;
	c->carried.below = 0; /* nobody asks what marks send */
}

void
slow_host_copy(struct slow *c, uint64_t address, uint64_t bytes)
{
	if (c->spec->level != RP_GPU_L2 || !c->spec->copies || !bytes)
		return;
	c->event = c->carried;
	uint64_t at = address / c->sector_bytes * c->sector_bytes;
	for (; at < address + bytes; at += c->sector_bytes) {
		uint64_t line = at / c->g->line * c->g->line, in_slice;
		struct part *p = part_of(c, line, &in_slice);
		arrivals(c, p);
		struct way *w = look_up(c, line);
		if (!w) {
			if (!(w = choose(c, line)))
				continue;
			move_in(c, p, w, line, p->t);
		}
		struct sector *s = &w->sector[(at - line) / c->sector_bytes];
		if (s->is == Invalid || (s->is == Modified && !s->readable))
			w->last_access = p->t;
		s->is = Valid;
		s->readable = true;
	}
	c->carried = c->event;
	c->carried.below = 0;
}

void
slow_invalidate(struct slow *c, uint64_t line)
{
	struct way *w = look_up(c, line);
	if (w)
		empty(w);
}
