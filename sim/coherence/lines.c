/* lines.c - records of lines: found, made, widened; masks and offsets. */
#include "config.h"

#include "sim/coherence/lines.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	SLOT_BITS_FIRST = 7,
	/* log2 of the items in a chunk. A block of masks lies in one chunk: there may be as many as caches. */
	MASK_BITS = 20,
	OFFSET_BITS = 16
};

/* Where the parts of a record are. Sets of one byte begin in what is left of the header's last eight. */
static void
lay_out(struct coh_lines *l, size_t caches)
{
	l->set_bytes = coh_set_bytes(caches);
	l->sets_at = offsetof(struct coh_line, rest);
	if (l->set_bytes > 1)
		l->sets_at = (l->sets_at + 7) & ~(size_t)7;
	size_t end = l->sets_at + l->set_bytes * (l->stats ? COH_SETS_ALL : COH_SETS);
	l->stats_at = (end + 7) & ~(size_t)7;
	l->records.stride = l->stats_at + (l->stats ? sizeof(struct coh_stats) : 0);
	l->records.bits = COH_RECORD_BITS;
	l->offsets.stride = (sizeof(struct coh_offset) + l->set_bytes + 3) & ~(size_t)3;
	l->offsets.bits = OFFSET_BITS;
	l->masks.stride = l->mask_words * sizeof(uint64_t);
	l->masks.bits = MASK_BITS;
	/* Up to 8 masks are made at once: growing by and by would leave more behind than it saves. */
	for (l->least_room = 1; l->least_room < 3 && (size_t)1 << l->least_room < caches;)
		l->least_room++;
}

bool
coh_lines_open(
    struct coh_lines *l, size_t caches, unsigned mask_words, bool stats, struct rp_err *err)
{
	l->stats = stats;
	l->mask_words = mask_words;
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

/* Twice as many slots. */
static bool
rehash(struct coh_lines *l, struct rp_err *err)
{
	size_t last = ((size_t)2 << l->slot_bits) - 1;
	uint64_t *slot = rp_mem_table(last + 1, sizeof *slot, err);
	if (!slot)
		return false;
	free(l->slot);
	l->slot = slot;
	l->slot_bits++;
	for (uint32_t i = 0; i < l->records.n; i++) {
		uint64_t hash = coh_lines_hash(coh_line(l, i)->number);
		size_t at = coh_lines_slot(l, hash);
		while (slot[at])
			at = (at + 1) & last;
		slot[at] = hash << 32 | (i + 1);
	}
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
	uint64_t hash = coh_lines_hash(number);
	size_t at = coh_lines_slot(l, hash), last = ((size_t)1 << l->slot_bits) - 1;
	while (l->slot[at])
		at = (at + 1) & last;
	l->slot[at] = hash << 32 | (i + 1);
	return i;
}

/* A block of 2^size masks, from those that are free or behind all others; COH_NONE: no memory. A free block's first word
 * names the next. */
static uint32_t
take_block(struct coh_lines *l, unsigned size, struct rp_err *err)
{
	if (!l->free[size])
		return coh_pool_take(&l->masks, (size_t)1 << size, err);
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
	size_t bytes = l->masks.stride, old = x->room ? bytes << x->room : 0;
	unsigned char *to = coh_pool_at(&l->masks, block);
	if (x->room) {
		memcpy(to, coh_pool_at(&l->masks, x->unseen), old);
		give_block(l, x->unseen, x->room);
	}
	memset(to + old, 0, (bytes << size) - old);
	x->unseen = block;
	x->room = (uint8_t)size;
	return true;
}

/* Where masks stand in the order of those that ever held the line, those behind move on. */
static bool
insert_mask(struct coh_lines *l, struct coh_line *x, uint32_t c, size_t n, struct rp_err *err)
{
	size_t words = l->mask_words;
	if (!make_masks(l, x, n + 1, err))
		return false;
	size_t rank = coh_mask_place(l, x, c);
	uint64_t *at = coh_pool_at(&l->masks, x->unseen + (uint32_t)rank);
	memmove(at + words, at, (n - rank) * words * sizeof *at);
	return true;
}

bool
coh_lines_hold(struct coh_lines *l, uint32_t i, uint32_t c, struct rp_err *err)
{
	struct coh_line *x = coh_line(l, i);
	uint8_t *ever = coh_set(l, x, COH_EVER);
	if (coh_has(ever, c))
		return true;
	if (!coh_is_empty(ever, l->set_bytes)) {
		/* The highest number among the caches decides where masks stand by number. */
		size_t last = l->set_bytes == 1 ? 32 - (unsigned)__builtin_clz(*ever | 1U << c) : 0;
		if (l->set_bytes == 1 ? !make_masks(l, x, last, err)
				      : !insert_mask(l, x, c, coh_count(ever, l->set_bytes), err))
			return false;
		coh_mask_clear(coh_unseen(l, x, c), l->mask_words);
	}
	coh_add(ever, c);
	return true;
}

void
coh_lines_tell(struct coh_lines *l, const struct coh_line *x, uint32_t c, const uint64_t *mask)
{
	if (!x->room)
		return;
	/* The masks of caches that never held the line may get anything: they are cleared when these do. */
	size_t n = l->set_bytes == 1 ? (size_t)1 << x->room
	                             : coh_count(coh_set(l, x, COH_EVER), l->set_bytes);
	size_t own = coh_mask_place(l, x, c);
	uint64_t *at = coh_pool_at(&l->masks, x->unseen);
	if (l->mask_words == 1) {
		uint64_t kept = at[own];
		for (size_t i = 0; i < n; i++)
			at[i] |= *mask;
		at[own] = kept;
		return;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t w = 0; i != own && w < l->mask_words; w++)
			at[i * l->mask_words + w] |= mask[w];
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
