/* future.c - when each lookup's line is looked up again.
 *
 * Both files are stacks of blocks (base/spill.h). Lines are pushed in trace order and popped backwards; next uses are pushed
 * backwards and so popped in trace order. A block of lines has names of 32 bits (sim/observe/names.h), or whole lines if
 * those run out; an invalidation is a block of its own, its first and last line behind a count of 0. A block of next uses
 * holds how many lookups lie ahead, 0 for never.
 *
 * Almost every trace can do with 32 bits all the way, and its table is of names then: else ("wide") of lines. */
#include "config.h"

#include "sim/future.h"
#include "sim/observe/names.h"

#include "base/mem.h"
#include "base/pack.h"
#include "base/spill.h"

#include <string.h>

enum {
	BLOCK = RP_CHUNK, /* lookups of a block */
	SLICE = 32,       /* blocks that a turn does */
	AHEAD = 16,       /* lookups to prefetch */
	SLOTS = 4096,     /* of the table at first */
	REGION_BITS = 20, /* lines of a named region: 2^20 */
	KEPT = 8          /* mebibytes of each file in memory */
};

#define INLINE static inline __attribute__((always_inline))

/* A line and the earliest lookup of it seen so far, going backwards. */
struct slot {
	uint64_t line;
	uint64_t at; /* 0: the slot is free; DROPPED: before an invalidation */
};

#define DROPPED UINT64_MAX

/* The same by name, of a trace without invalidations and of fewer than 2^32 lookups. */
struct narrow {
	uint32_t name, at;
};

/* In front of each block. */
struct head {
	uint32_t n;     /* lookups; 0: an invalidation */
	uint32_t named; /* lines by name */
};

struct rp_future {
	struct rp_expand *expand;
	unsigned unit_bits, sectors; /* of a lookup; log2 of the lookups of a line */
	struct rp_names names;
	bool wide;
	struct rp_spill lines, uses;
	struct rp_ahead ahead;
	uint64_t line[BLOCK + 1]; /* of the block that is collected, or gone through */
	size_t n;
	bool turned; /* the last block is pushed, the table is there */
	struct slot *slot;
	struct narrow *narrow;
	uint64_t slots; /* of either; a power of two; at most half of them are used */
	unsigned shift; /* 64 - log2(slots) */
	uint64_t left;  /* lookups that are still to be gone through */
	/* Reading. */
	uint64_t done; /* lookups */
	uint64_t use[BLOCK + 1];
	const uint32_t *near; /* instead of `use`, if not wide: in the file's block */
	size_t use_at, use_n;
	uint64_t next[RP_CHUNK + 64];
};

struct rp_future *
rp_future_new(
    unsigned unit_bits, unsigned sectors, bool bypassed, enum rp_level level, struct rp_err *err)
{
	struct rp_future *f = rp_mem_array(1, sizeof *f, err);
	if (!f)
		return NULL;
	f->unit_bits = unit_bits;
	f->sectors = sectors;
	if ((f->expand = rp_expand_new(unit_bits, false, bypassed, level, err)) &&
	    rp_names_open(&f->names, REGION_BITS, err) && rp_spill_open(&f->lines, err) &&
	    rp_spill_open(&f->uses, err)) {
		rp_spill_keep(&f->lines, KEPT);
		rp_spill_keep(&f->uses, KEPT);
		return f;
	}
	rp_future_free(f);
	return NULL;
}

void
rp_future_free(struct rp_future *f)
{
	if (!f)
		return;
	rp_expand_free(f->expand);
	rp_spill_close(&f->lines);
	rp_spill_close(&f->uses);
	rp_names_close(&f->names);
	free(f->slot);
	free(f->narrow);
	free(f);
}

uint64_t
rp_future_bytes(const struct rp_future *f)
{
	return f->ahead.bytes + rp_spill_bytes(&f->uses);
}

/* Makes names of the lines collected; false: there are none left, and lines are what they were. */
static bool
name_lines(struct rp_future *f)
{
	size_t named = rp_names_give(&f->names, f->line, f->n);
	if (named == f->n)
		return true;
	while (named-- > 0)
		f->line[named] = rp_names_line(&f->names, (uint32_t)f->line[named]);
	return false;
}

static bool
push_lines(struct rp_future *f, struct rp_err *err)
{
	if (!f->n)
		return true;
	struct head head = { (uint32_t)f->n, !f->wide && name_lines(f) };
	size_t bytes = sizeof head + f->n * sizeof *f->line;
	unsigned char *to = rp_spill_room(&f->lines, bytes, err);
	if (!to)
		return false;
	memcpy(to, &head, sizeof head);
	if (head.named) {
		uint32_t *name = (uint32_t *)(void *)(to + sizeof head);
		for (size_t i = 0; i < f->n; i++)
			name[i] = (uint32_t)f->line[i];
		bytes = sizeof head + f->n * sizeof *name;
	} else {
		memcpy(to + sizeof head, f->line, f->n * sizeof *f->line);
		f->wide = true;
	}
	rp_spill_push(&f->lines, bytes);
	f->ahead.bytes = rp_spill_bytes(&f->lines);
	f->ahead.lookups += f->n;
	f->n = 0;
	return true;
}

static bool
push_drop(struct rp_future *f, uint64_t first, uint64_t last, struct rp_err *err)
{
	struct head head = { 0, 0 };
	uint64_t drop[2] = { first, last };
	unsigned char *to =
	    push_lines(f, err) ? rp_spill_room(&f->lines, sizeof head + sizeof drop, err) : NULL;
	if (!to)
		return false;
	memcpy(to, &head, sizeof head);
	memcpy(to + sizeof head, drop, sizeof drop);
	rp_spill_push(&f->lines, sizeof head + sizeof drop);
	f->ahead.bytes = rp_spill_bytes(&f->lines);
	f->wide = true;
	return true;
}

static bool
show_mark(struct rp_future *f, const struct rp_batch *b, size_t row, struct rp_err *err)
{
	uint64_t first, last;
	rp_mark_lines(b, row, f->unit_bits + f->sectors, &first, &last);
	f->ahead.marks += b->kind[row] == RP_COPY_BACK || b->kind[row] == RP_INVALIDATE;
	return b->kind[row] != RP_INVALIDATE || push_drop(f, first, last, err);
}

static bool
collect(struct rp_future *f, const struct rp_lookups *in, struct rp_err *err)
{
	for (size_t at = 0; at < in->n;) {
		size_t room = BLOCK - f->n, n = in->n - at < room ? in->n - at : room;
		for (size_t i = 0; i < n; i++)
			f->line[f->n + i] = in->line[at + i] >> f->sectors;
		f->n += n;
		at += n;
		if (f->n == BLOCK && !push_lines(f, err))
			return false;
	}
	return true;
}

bool
rp_future_show(struct rp_future *f, const struct rp_batch *b, struct rp_err *err)
{
	for (size_t row = 0; row < b->n;) {
		bool ok = b->kind[row] >= RP_MARKS
		              ? show_mark(f, b, row++, err)
		              : collect(f, rp_expand_next(f->expand, b, &row, UINT64_MAX), err);
		if (!ok)
			return false;
	}
	return true;
}

/* Neighbours share a cache line; four in a row are spread by the high bits of a product. */
INLINE uint64_t
home(const struct rp_future *f, uint64_t line)
{
	return (line >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> f->shift << 2 | (line & 3);
}

/* The slot of a line, or the free one where it would go. */
INLINE struct slot *
find(const struct rp_future *f, uint64_t line)
{
	uint64_t i = home(f, line);
	while (f->slot[i].at && f->slot[i].line != line)
		i = (i + 1) & (f->slots - 1);
	return &f->slot[i];
}

INLINE struct narrow *
find_name(const struct rp_future *f, uint32_t name)
{
	uint64_t i = home(f, name);
	while (f->narrow[i].at && f->narrow[i].name != name)
		i = (i + 1) & (f->slots - 1);
	return &f->narrow[i];
}

static bool
resize(struct rp_future *f, uint64_t slots, struct rp_err *err)
{
	struct slot *old = f->slot;
	struct narrow *named = f->narrow;
	uint64_t n = f->slots;
	void *made = rp_mem_table(slots, f->wide ? sizeof *old : sizeof *named, err);
	if (!made)
		return false;
	f->slot = f->wide ? made : NULL;
	f->narrow = f->wide ? NULL : made;
	f->slots = slots;
	f->shift = 64 - ((unsigned)__builtin_ctzll(slots) - 2);
	for (uint64_t i = 0; old && i < n; i++)
		if (old[i].at)
			*find(f, old[i].line) = old[i];
	for (uint64_t i = 0; named && i < n; i++)
		if (named[i].at)
			*find_name(f, named[i].name) = named[i];
	free(old);
	free(named);
	return true;
}

/* Lines first..last are dropped here: what was seen of them later on is not their next use any more. */
static void
drop_lines(struct rp_future *f, uint64_t first, uint64_t last)
{
	if (last - first < f->slots) {
		for (uint64_t i = 0; i <= last - first; i++) {
			struct slot *s = find(f, first + i);
			s->at = s->at ? DROPPED : 0;
		}
		return;
	}
	for (uint64_t i = 0; i < f->slots; i++)
		if (f->slot[i].at && f->slot[i].line >= first && f->slot[i].line <= last)
			f->slot[i].at = DROPPED;
}

/* Goes through the n lines, the last of which is lookup f->left, and puts how far ahead their next uses are in f->use. */
static void
go_back(struct rp_future *f, size_t n)
{
	uint64_t number = f->left, lines = f->ahead.lines;
	for (size_t i = n; i-- > 0; number--) {
		if (i >= AHEAD)
			__builtin_prefetch(&f->slot[home(f, f->line[i - AHEAD])], 1);
		struct slot *s = find(f, f->line[i]);
		uint64_t at = s->at;
		lines += !at;
		f->use[i] = at && at != DROPPED ? at - number : 0;
		s->line = f->line[i];
		s->at = number;
	}
	f->left = number;
	f->ahead.lines = lines;
}

/* The same by name. */
static void
go_back_named(struct rp_future *f, const uint32_t *restrict name, size_t n, uint32_t *restrict use)
{
	uint32_t number = (uint32_t)f->left;
	uint64_t lines = f->ahead.lines;
	for (size_t i = n; i-- > 0; number--) {
		if (i >= AHEAD)
			__builtin_prefetch(&f->narrow[home(f, name[i - AHEAD])], 1);
		struct narrow *s = find_name(f, name[i]);
		uint32_t at = s->at;
		lines += !at;
		use[i] = (at - number) & -(uint32_t)(at != 0);
		*s = (struct narrow){ name[i], number };
	}
	f->left = number;
	f->ahead.lines = lines;
}

static bool
push_uses(struct rp_future *f, size_t n, struct rp_err *err)
{
	struct head head = { (uint32_t)n, 0 };
	unsigned char *to = rp_spill_room(&f->uses, sizeof head + rp_pack_room(n), err);
	if (!to)
		return false;
	memcpy(to, &head, sizeof head);
	rp_spill_push(&f->uses, sizeof head + rp_pack(to + sizeof head, f->use, n));
	return true;
}

static bool
turn_named(struct rp_future *f, const uint32_t *name, size_t n, struct rp_err *err)
{
	struct head head = { (uint32_t)n, 1 };
	unsigned char *to = rp_spill_room(&f->uses, sizeof head + n * sizeof *name, err);
	if (!to)
		return false;
	memcpy(to, &head, sizeof head);
	go_back_named(f, name, n, (uint32_t *)(void *)(to + sizeof head));
	rp_spill_push(&f->uses, sizeof head + n * sizeof *name);
	return true;
}

static bool
turn_block(struct rp_future *f, const unsigned char *block, struct rp_err *err)
{
	struct head head;
	memcpy(&head, block, sizeof head);
	block += sizeof head;
	size_t n = head.n;
	if (!n) {
		uint64_t drop[2];
		memcpy(drop, block, sizeof drop);
		drop_lines(f, drop[0], drop[1]);
		return true;
	}
	if ((f->ahead.lines + n) * 2 > f->slots && !resize(f, f->slots * 2, err))
		return false;
	const uint32_t *name = (const uint32_t *)(const void *)block;
	if (!f->wide)
		return turn_named(f, name, n, err);
	if (!head.named)
		memcpy(f->line, block, n * sizeof *f->line);
	for (size_t i = 0; head.named && i < n; i++)
		f->line[i] = rp_names_line(&f->names, name[i]);
	go_back(f, n);
	return push_uses(f, n, err);
}

static bool
begin_turn(struct rp_future *f, struct rp_err *err)
{
	if (!push_lines(f, err))
		return false;
	f->wide |= f->ahead.lookups >= UINT32_MAX;
	f->left = f->ahead.lookups;
	f->turned = resize(f, SLOTS, err);
	return f->turned;
}

static void
end_turn(struct rp_future *f)
{
	free(f->slot);
	free(f->narrow);
	f->slot = NULL;
	f->narrow = NULL;
	rp_names_close(&f->names);
	rp_spill_close(&f->lines);
}

int
rp_future_turn(struct rp_future *f, struct rp_err *err)
{
	if (!f->turned && !begin_turn(f, err))
		return -1;
	for (int i = 0; i < SLICE; i++) {
		size_t length;
		const unsigned char *block =
		    f->slot || f->narrow ? rp_spill_pop(&f->lines, &length, err) : NULL;
		if (!block && err->code)
			return -1;
		if (!block) {
			end_turn(f);
			return 0;
		}
		if (!turn_block(f, block, err))
			return -1;
	}
	return 1;
}

/* More next uses from the file; there must be some. */
static bool
read_uses(struct rp_future *f, struct rp_err *err)
{
	size_t length;
	const unsigned char *block = rp_spill_pop(&f->uses, &length, err);
	struct head head;
	if (!block)
		return err->code ? false
		                 : rp_fail(err, RP_FAILED,
				       "more lookups than were foreseen: please report this");
	memcpy(&head, block, sizeof head);
	if (head.named)
		f->near = (const uint32_t *)(const void *)(block + sizeof head);
	else
		rp_unpack(block + sizeof head, f->use, head.n);
	f->use_at = 0;
	f->use_n = head.n;
	return true;
}

/* Keys of n lookups from number `number` on. */
static void
tell(const struct rp_future *f, uint64_t number, size_t n, uint64_t *restrict next)
{
	const uint64_t *restrict use = f->use + f->use_at;
	const uint32_t *restrict near = f->near ? f->near + f->use_at : NULL;
	for (size_t k = 0; near && k < n; k++) {
		uint64_t never = -(uint64_t)(near[k] == 0), key = number + k;
		next[k] = (key ^ never) + near[k]; /* UINT64_MAX - key, or the later lookup */
	}
	for (size_t k = 0; !near && k < n; k++)
		next[k] = use[k] ? number + k + use[k] : UINT64_MAX - (number + k);
}

bool
rp_future_next(struct rp_future *f, struct rp_lookups *in, struct rp_err *err)
{
	in->number = f->done + 1;
	for (size_t i = 0; i < in->n;) {
		if (f->use_at == f->use_n && !read_uses(f, err))
			return false;
		size_t have = f->use_n - f->use_at, n = in->n - i < have ? in->n - i : have;
		tell(f, in->number + i, n, f->next + i);
		f->use_at += n;
		i += n;
	}
	f->done += in->n;
	in->next = f->next;
	in->ahead = &f->ahead;
	return true;
}
