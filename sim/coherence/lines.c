/* lines.c - records of lines: found, made, widened; masks and offsets. */
#include "config.h"

#include "sim/coherence/lines.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	SLOT_BITS_FIRST = 7,
	SLOT_BITS_MOST = 31,
	/* log2 of the items in a chunk. A block of masks lies in one chunk: there may be as many as caches. */
	MASK_BITS = 20,
	OFFSET_BITS = 16
};

static size_t
round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* Where the parts of a record are. Sets of one byte begin in what is left of the header's last eight. */
static void
lay_out(struct coh_lines *l, size_t caches)
{
	l->set_bytes = coh_set_bytes(caches);
	l->sets_at = offsetof(struct coh_line, rest);
	if (l->set_bytes > 1)
		l->sets_at = round_up(l->sets_at, 8);
	size_t end = round_up(l->sets_at + l->set_bytes * (l->stats ? COH_SETS_ALL : COH_SETS), 8);
	l->hints_at = l->set_bytes == 1 && l->narrow_hints ? COH_HINTS_AT : 0;
	l->stats_at = l->hints_at ? l->hints_at + COH_NARROW * sizeof(uint16_t) : end;
	end = l->stats_at + (l->stats ? sizeof(struct coh_stats) : 0);
	/* What is looked at together is in as few cache lines as can be. */
	l->records.stride = round_up(end, 32);
	l->records.bits = COH_RECORD_BITS;
	l->offsets.stride = round_up(sizeof(struct coh_offset) + l->set_bytes, 4);
	l->offsets.bits = OFFSET_BITS;
	l->masks.stride = l->mask_words * sizeof(uint64_t);
	l->masks.bits = MASK_BITS;
	/* Up to 8 masks are made at once: growing by and by would leave more behind than it saves. */
	for (l->least_room = 1; l->least_room < 3 && (size_t)1 << l->least_room < caches;)
		l->least_room++;
}

bool
coh_lines_open(struct coh_lines *l, size_t caches, struct rp_err *err)
{
	l->slot_bits = SLOT_BITS_FIRST;
	lay_out(l, caches);
	return (l->slot = rp_mem_array((size_t)1 << l->slot_bits, sizeof *l->slot, err));
}

void
coh_lines_close(struct coh_lines *l)
{
	coh_pool_close(&l->records);
	coh_pool_close(&l->masks);
	coh_pool_close(&l->offsets);
	free(l->slot);
}

/* Masks that stood by number stand in the order of those that ever held the line. */
static void
close_ranks(const struct coh_lines *l, const struct coh_line *x)
{
	uint32_t rank = 0;
	if (!x->room)
		return;
	for (unsigned ever = *coh_set(l, x, COH_EVER); ever; ever &= ever - 1, rank++)
		memmove(coh_pool_at(&l->masks, x->unseen + rank),
		    coh_pool_at(&l->masks, x->unseen + (unsigned)__builtin_ctz(ever)),
		    l->masks.stride);
}

/* Copies what the narrower layout has into the wider one. */
static void
widen_line(const struct coh_lines *from, const struct coh_lines *to, const struct coh_line *x,
    struct coh_line *y)
{
	if (from->set_bytes == 1)
		close_ranks(from, x);
	memcpy(y, x, offsetof(struct coh_line, rest));
	for (unsigned s = 0; s < (from->stats ? COH_SETS_ALL : COH_SETS); s++)
		memcpy(coh_set(to, y, s), coh_set(from, x, s), from->set_bytes);
	if (from->stats)
		memcpy(coh_stats(to, y), coh_stats(from, x), sizeof(struct coh_stats));
}

/* Copies all records and offsets into wider ones. */
static bool
widen_all(const struct coh_lines *from, struct coh_lines *to, struct rp_err *err)
{
	for (size_t i = 0; i < from->records.n; i++) {
		uint32_t at = coh_pool_take(&to->records, 1, err);
		if (at == COH_NONE)
			return false;
		widen_line(from, to, coh_line(from, at), coh_line(to, at));
	}
	for (size_t i = 0; i < from->offsets.n; i++) {
		uint32_t at = coh_pool_take(&to->offsets, 1, err);
		if (at == COH_NONE)
			return false;
		memcpy(coh_offset(to, at), coh_offset(from, at),
		    sizeof(struct coh_offset) + from->set_bytes);
	}
	return true;
}

bool
coh_lines_widen(struct coh_lines *l, size_t caches, struct rp_err *err)
{
	struct coh_lines wide = *l;
	wide.records = wide.offsets = (struct coh_pool){ 0 };
	lay_out(&wide, caches);
	if (wide.set_bytes <= l->set_bytes) {
		l->least_room = wide.least_room > l->least_room ? wide.least_room : l->least_room;
		return true;
	}
	if (!widen_all(l, &wide, err)) {
		coh_pool_close(&wide.records);
		coh_pool_close(&wide.offsets);
		return false;
	}
	coh_pool_close(&l->records);
	coh_pool_close(&l->offsets);
	*l = wide;
	return true;
}

/* The hash of a record's line leads to it. */
static void
put_slot(struct coh_lines *l, uint32_t i, uint64_t hash)
{
	size_t at = coh_lines_slot(l, hash), last = ((size_t)1 << l->slot_bits) - 1;
	while (l->slot[at])
		at = (at + 1) & last;
	l->slot[at] = coh_slot_tag(l, hash) | (i + 1);
}

/* Twice as many slots. */
static bool
rehash(struct coh_lines *l, struct rp_err *err)
{
	if (l->slot_bits == SLOT_BITS_MOST)
		return rp_fail(err, RP_RESOURCE, "more than 3 * 2^%d lines", SLOT_BITS_MOST - 2);
	uint32_t *slot = rp_mem_table((size_t)2 << l->slot_bits, sizeof *slot, err);
	if (!slot)
		return false;
	free(l->slot);
	l->slot = slot;
	l->slot_bits++;
	for (uint32_t i = 0; i < l->records.n; i++)
		put_slot(l, i, coh_lines_hash(coh_line(l, i)->number));
	return true;
}

uint32_t
coh_lines_make(struct coh_lines *l, uint64_t number, struct rp_err *err)
{
	uint32_t i = coh_lines_find(l, number);
	if (i != COH_NONE)
		return i;
	/* At most 3 of 4 slots are taken. */
	if (l->records.n >= ((size_t)3 << l->slot_bits) / 4 && !rehash(l, err))
		return COH_NONE;
	i = coh_pool_take(&l->records, 1, err);
	if (i == COH_NONE)
		return i;
	coh_line(l, i)->number = number;
	put_slot(l, i, coh_lines_hash(number));
	return i;
}

/* A block of 2^size masks, from those that are free or behind all others; COH_NONE: no memory. A free block's first word
 * names the next. */
static uint32_t
take_block(struct coh_lines *l, unsigned size, struct rp_err *err)
{
	if (!l->free[size])
		return coh_pool_take_raw(&l->masks, (size_t)1 << size, err);
	uint32_t block = l->free[size] - 1;
	l->free[size] = (uint32_t) * (uint64_t *)coh_pool_at(&l->masks, block);
	return block;
}

static void
give_block(struct coh_lines *l, uint32_t block, unsigned size)
{
	*(uint64_t *)coh_pool_at(&l->masks, block) = l->free[size];
	l->free[size] = block + 1;
}

/* Room for n masks, those there are kept. */
static bool
make_masks(struct coh_lines *l, struct coh_line *x, size_t n, struct rp_err *err)
{
	unsigned size = x->room ? x->room : l->least_room;
	while ((size_t)1 << size < n)
		size++;
	if (size == x->room)
		return true;
	uint32_t block = take_block(l, size, err);
	if (block == COH_NONE)
		return false;
	if (x->room) {
		memcpy(coh_pool_at(&l->masks, block), coh_pool_at(&l->masks, x->unseen),
		    l->masks.stride << x->room);
		give_block(l, x->unseen, x->room);
	}
	x->unseen = block;
	x->room = size & COH_ROOM_MOST;
	return true;
}

/* Masks that caches with these numbers have. By number, the highest decides. */
static size_t
masks_of(const struct coh_lines *l, const uint8_t *caches)
{
	return l->set_bytes > 1 ? coh_count(caches, l->set_bytes)
	       : *caches        ? 32 - (unsigned)__builtin_clz(*caches)
	                        : 0;
}

bool
coh_lines_make_masks(struct coh_lines *l, struct coh_line *x, struct rp_err *err)
{
	return make_masks(l, x, masks_of(l, coh_set(l, x, COH_EVER)), err);
}

bool
coh_lines_hold(struct coh_lines *l, uint32_t i, uint32_t c, struct rp_err *err)
{
	struct coh_line *x = coh_line(l, i);
	uint8_t *ever = coh_set(l, x, COH_EVER);
	if (coh_has(ever, c))
		return true;
	coh_add(ever, c);
	if (!x->room)
		return true;
	size_t n = masks_of(l, ever), words = l->mask_words;
	if (!make_masks(l, x, n, err))
		return false;
	if (l->set_bytes == 1)
		return true;
	/* Those behind move on. */
	uint64_t *at = coh_unseen(l, x, c);
	memmove(at + words, at, (n - 1 - coh_mask_place(l, x, c)) * words * sizeof *at);
	return true;
}

void
coh_lines_tell(struct coh_lines *l, const struct coh_line *x, uint32_t c, const uint64_t *mask)
{
	const uint8_t *ever = coh_set(l, x, COH_EVER);
	uint8_t *news = coh_set(l, x, COH_NEWS);
	uint64_t *first = coh_pool_at(&l->masks, x->unseen);
	size_t words = l->mask_words, bytes = l->set_bytes, at = 0;
	for (size_t i = 0; i < coh_set_words(bytes); i++)
		for (uint64_t m = coh_word(ever, i, bytes); m; m &= m - 1, at++) {
			uint32_t d = (uint32_t)(i * 64) + (unsigned)__builtin_ctzll(m);
			uint64_t *to = first + (bytes == 1 ? d : at) * words;
			if (d == c)
				continue;
			bool had = coh_has(news, d);
			for (size_t w = 0; w < words; w++)
				to[w] = (had ? to[w] : 0) | mask[w];
			coh_add(news, d);
		}
}

bool
coh_lines_offset(struct coh_lines *l, uint32_t i, uint32_t offset, uint32_t c, struct rp_err *err)
{
	struct coh_stats *s = coh_stats(l, coh_line(l, i));
	for (uint32_t o = s->offsets; o; o = coh_offset(l, o - 1)->next)
		if (coh_offset(l, o - 1)->offset == offset) {
			coh_add(coh_offset(l, o - 1)->caches, c);
			return true;
		}
	uint32_t at = coh_pool_take(&l->offsets, 1, err);
	if (at == COH_NONE)
		return false;
	struct coh_offset *o = coh_offset(l, at);
	*o = (struct coh_offset){ .next = s->offsets, .offset = offset };
	coh_add(o->caches, c);
	s->offsets = at + 1;
	return true;
}

void
coh_lines_forget(struct coh_lines *l)
{
	for (uint32_t i = 0; l->stats && i < l->records.n; i++) {
		struct coh_line *x = coh_line(l, i);
		memset(coh_set(l, x, COH_READERS), 0, l->set_bytes);
		memset(coh_set(l, x, COH_WRITERS), 0, l->set_bytes);
		memset(coh_stats(l, x), 0, sizeof(struct coh_stats));
	}
	coh_pool_close(&l->offsets);
}

size_t
coh_lines_bytes(const struct coh_lines *l)
{
	return coh_pool_bytes(&l->records) + coh_pool_bytes(&l->masks) +
	       coh_pool_bytes(&l->offsets) + (sizeof *l->slot << l->slot_bits);
}
