/* future.c - when each lookup's line is looked up again.
 *
 * Rows come from the end back, but those of a batch in order: its lines are collected, and then gone through backwards. What
 * does not fit of them is pushed to a stack of blocks (base/spill.h), an invalidation as a block of its own, its first and
 * last line behind a count of 0. The next uses are a stack too, pushed backwards and so popped in trace order: how many
 * lookups lie ahead, 0 for never.
 *
 * Lookups are numbered downwards from the last, as their count is not known. Almost every trace can do with 32 bits all the
 * way, and its table is of names (sim/observe/names.h): else, from where it cannot on ("wide"), of lines. */
#include "config.h"

#include "sim/future.h"
#include "sim/observe/names.h"

#include "base/mem.h"
#include "base/pack.h"
#include "base/spill.h"

#include <string.h>

enum {
	BLOCK = 2 * RP_CHUNK,   /* lookups of a block */
	AHEAD = 16,             /* lookups to prefetch */
	AHEAD_FROM = 256 << 10, /* bytes of a table that the second-level cache may not hold */
	SLOTS = 2 * BLOCK,      /* of the table at first */
	REGION_BITS = 20,       /* lines of a named region: 2^20 */
	KEPT = 2,               /* mebibytes of each file in memory */
	TOLD = 16               /* keys made at a time, as a vector */
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

#define LAST  UINT32_MAX          /* number of the last lookup */
#define WIDER (UINT64_C(1) << 62) /* is added to numbers when they become wide */

/* In front of the next uses of a block. */
struct head {
	uint32_t n, wide;
};

struct rp_future {
	struct rp_expand *expand;
	unsigned unit_bits, sectors; /* of a lookup; log2 of the lookups of a line */
	struct rp_names names;
	bool wide;
	struct rp_spill lines, uses;
	struct rp_ahead ahead;
	uint64_t line[BLOCK]; /* of the block that is collected, or gone through */
	size_t n;
	struct slot *slot;
	struct narrow *narrow;
	uint64_t slots;  /* of either; a power of two; at most half of them are used */
	unsigned shift;  /* 64 - log2(slots) */
	uint64_t number; /* of the lookup before those gone through */
	/* How far ahead the next uses of a block are: as they are found, and as they are read. */
	uint64_t use[BLOCK];         /* if wide, */
	uint32_t near[BLOCK + TOLD]; /* or if not */
	bool use_wide;
	size_t use_at, use_n;
	uint64_t done; /* lookups that have been told */
	uint64_t next[RP_CHUNK + 64];
};

static bool resize(struct rp_future *f, uint64_t slots, struct rp_err *err);

struct rp_future *
rp_future_new(
    unsigned unit_bits, unsigned sectors, bool bypassed, enum rp_level level, struct rp_err *err)
{
	struct rp_future *f = rp_mem_array(1, sizeof *f, err);
	if (!f)
		return NULL;
	f->unit_bits = unit_bits;
	f->sectors = sectors;
	f->number = LAST;
	if ((f->expand = rp_expand_new(unit_bits, false, bypassed, level, err)) &&
	    rp_names_open(&f->names, REGION_BITS, level, err) && rp_spill_open(&f->lines, err) &&
	    rp_spill_open(&f->uses, err) && resize(f, SLOTS, err)) {
		rp_spill_keep(&f->lines, KEPT);
		rp_spill_keep(&f->uses, KEPT);
		return f;
	}
	rp_future_free(f);
	return NULL;
}

/* What only going backwards needs. */
static void
free_table(struct rp_future *f)
{
	free(f->slot);
	free(f->narrow);
	f->slot = NULL;
	f->narrow = NULL;
	rp_names_close(&f->names);
	rp_spill_close(&f->lines);
}

void
rp_future_free(struct rp_future *f)
{
	if (!f)
		return;
	free_table(f);
	rp_expand_free(f->expand);
	rp_spill_close(&f->uses);
	free(f);
}

uint64_t
rp_future_bytes(const struct rp_future *f)
{
	return f->ahead.bytes + rp_spill_bytes(&f->uses);
}

/* ---- The table ---- */

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

/* By a hash of 32 bits, f->shift - 32 of which are left. */
INLINE uint32_t
home_of_name(uint32_t name, unsigned shift)
{
	return (name >> 2) * UINT32_C(0x9e3779b1) >> shift << 2 | (name & 3);
}

INLINE struct narrow *
find_name(struct narrow *table, uint32_t mask, unsigned shift, uint32_t name)
{
	uint32_t i = home_of_name(name, shift);
	while (table[i].at && table[i].name != name)
		i = (i + 1) & mask;
	return &table[i];
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
			*find_name(f->narrow, (uint32_t)slots - 1, f->shift - 32, named[i].name) =
			    named[i];
	free(old);
	free(named);
	return true;
}

/* From now on by lines and 64 bits. */
static bool
widen(struct rp_future *f, struct rp_err *err)
{
	struct narrow *named = f->narrow;
	if (f->wide)
		return true;
	struct slot *slot = rp_mem_table(f->slots, sizeof *slot, err);
	if (!slot)
		return false;
	f->wide = true;
	f->slot = slot;
	f->narrow = NULL;
	f->number += WIDER;
	for (uint64_t i = 0; i < f->slots; i++)
		if (named[i].at) {
			uint64_t line = rp_names_line(&f->names, named[i].name);
			*find(f, line) = (struct slot){ line, named[i].at + WIDER };
		}
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

/* ---- Backwards ---- */

/* Goes through the lines of the block and puts how far ahead their next uses are in f->use. */
static void
go_back(struct rp_future *f)
{
	uint64_t number = f->number, lines = f->ahead.lines;
	for (size_t i = f->n; i-- > 0; number--) {
		if (i >= AHEAD)
			__builtin_prefetch(&f->slot[home(f, f->line[i - AHEAD])], 1);
		struct slot *s = find(f, f->line[i]);
		uint64_t at = s->at;
		lines += !at;
		f->use[i] = at && at != DROPPED ? at - number : 0;
		s->line = f->line[i];
		s->at = number;
	}
	f->number = number;
	f->ahead.lines = lines;
}

/* The same by name, in f->near. `ahead`, a constant: prefetch. */
INLINE void
go_back_by_names(struct rp_future *f, bool ahead)
{
	struct narrow *table = f->narrow;
	const uint32_t mask = (uint32_t)f->slots - 1;
	const unsigned shift = f->shift - 32;
	uint32_t number = (uint32_t)f->number;
	uint64_t lines = f->ahead.lines;
	for (size_t i = f->n; i-- > 0; number--) {
		uint32_t name = (uint32_t)f->line[i];
		if (ahead && i >= AHEAD)
			__builtin_prefetch(
			    &table[home_of_name((uint32_t)f->line[i - AHEAD], shift)], 1);
		struct narrow *s = find_name(table, mask, shift, name);
		uint32_t at = s->at;
		lines += !at;
		f->near[i] = (at - number) & -(uint32_t)(at != 0);
		*s = (struct narrow){ name, number };
	}
	f->number = number;
	f->ahead.lines = lines;
}

static void
go_back_named(struct rp_future *f)
{
	if (f->slots * sizeof *f->narrow > AHEAD_FROM)
		go_back_by_names(f, true);
	else
		go_back_by_names(f, false);
}

/* Makes names of the block's lines; false: there are none left, and lines are what they were. */
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

/* The block's next uses. */
static bool
turn_block(struct rp_future *f, struct rp_err *err)
{
	if (!f->n)
		return true;
	bool named = !f->wide && f->number >= f->n && name_lines(f);
	if (!named && !widen(f, err))
		return false;
	if ((f->ahead.lines + f->n) * 2 > f->slots && !resize(f, f->slots * 2, err))
		return false;
	(named ? go_back_named : go_back)(f);
	struct head head = { (uint32_t)f->n, !named };
	unsigned char *to = rp_spill_room(&f->uses, sizeof head + rp_pack_room(f->n), err);
	if (!to)
		return false;
	memcpy(to, &head, sizeof head);
	to += sizeof head;
	rp_spill_push(&f->uses,
	    sizeof head + (named ? rp_pack32(to, f->near, f->n) : rp_pack(to, f->use, f->n)));
	f->ahead.lookups += f->n;
	f->n = 0;
	return true;
}

/* ---- A batch forwards ---- */

/* Puts the block that is collected, or drop[0..2) of an invalidation, on the stack. */
static bool
push_lines(struct rp_future *f, const uint64_t *line, size_t n, size_t count, struct rp_err *err)
{
	uint64_t head = count;
	unsigned char *to = rp_spill_room(&f->lines, sizeof head + n * sizeof *line, err);
	if (!to)
		return false;
	memcpy(to, &head, sizeof head);
	memcpy(to + sizeof head, line, n * sizeof *line);
	rp_spill_push(&f->lines, sizeof head + n * sizeof *line);
	uint64_t bytes = rp_spill_bytes(&f->lines);
	f->ahead.bytes = bytes > f->ahead.bytes ? bytes : f->ahead.bytes;
	f->n = 0;
	return true;
}

static bool
show_mark(struct rp_future *f, const struct rp_batch *b, size_t row, struct rp_err *err)
{
	uint64_t drop[2];
	rp_mark_lines(b, row, f->unit_bits + f->sectors, &drop[0], &drop[1]);
	f->ahead.marks += b->kind[row] == RP_COPY_BACK || b->kind[row] == RP_INVALIDATE;
	if (b->kind[row] != RP_INVALIDATE)
		return true;
	return (!f->n || push_lines(f, f->line, f->n, f->n, err)) && push_lines(f, drop, 2, 0, err);
}

static bool
collect(struct rp_future *f, const struct rp_lookups *in, struct rp_err *err)
{
	if (f->n + in->n > BLOCK && !push_lines(f, f->line, f->n, f->n, err))
		return false;
	if (!f->sectors)
		memcpy(f->line + f->n, in->line, in->n * sizeof *in->line);
	for (size_t i = 0; f->sectors && i < in->n; i++)
		f->line[f->n + i] = in->line[i] >> f->sectors;
	f->n += in->n;
	return true;
}

/* Takes a block off the stack and goes through it. */
static bool
turn_pushed(struct rp_future *f, const unsigned char *block, struct rp_err *err)
{
	uint64_t count, drop[2];
	memcpy(&count, block, sizeof count);
	block += sizeof count;
	if (count) {
		f->n = (size_t)count;
		memcpy(f->line, block, f->n * sizeof *f->line);
		return turn_block(f, err);
	}
	memcpy(drop, block, sizeof drop);
	if (!widen(f, err))
		return false;
	drop_lines(f, drop[0], drop[1]);
	return true;
}

bool
rp_future_before(struct rp_future *f, const struct rp_batch *b, struct rp_err *err)
{
	const unsigned char *block;
	size_t length;
	for (size_t row = 0; row < b->n;) {
		bool ok = b->kind[row] >= RP_MARKS
		              ? show_mark(f, b, row++, err)
		              : collect(f, rp_expand_next(f->expand, b, &row, UINT64_MAX), err);
		if (!ok)
			return false;
	}
	if (!turn_block(f, err))
		return false;
	while ((block = rp_spill_pop(&f->lines, &length, err)))
		if (!turn_pushed(f, block, err))
			return false;
	return !err->code;
}

void
rp_future_known(struct rp_future *f)
{
	free_table(f);
}

/* ---- Forwards again ---- */

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
	if (head.wide)
		rp_unpack(block + sizeof head, f->use, head.n);
	else
		rp_unpack32(block + sizeof head, f->near, head.n);
	f->use_wide = head.wide;
	f->use_at = 0;
	f->use_n = head.n;
	return true;
}

/* Keys of n lookups from number `number` on, and anything behind them. */
static void
tell(const struct rp_future *f, uint64_t number, size_t n, uint64_t *restrict next)
{
	const uint64_t *restrict use = f->use + f->use_at;
	const uint32_t *restrict near = f->near + f->use_at;
	for (size_t k = 0; !f->use_wide && k < n; k += TOLD)
		for (size_t j = k; j < k + TOLD; j++) {
			/* The later lookup, or UINT64_MAX less this one. */
			uint64_t never = -(uint64_t)(near[j] == 0), key = number + j;
			next[j] = (key ^ never) + near[j];
		}
	for (size_t k = 0; f->use_wide && k < n; k++)
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
