/* lines.c - records of lines: found, made, widened; masks and offsets. */
#include "config.h"

#include "sim/coherence/lines.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	LINES_FIRST = 64,
	SLOT_BITS_FIRST = 7, /* twice as many */
	MASKS_FIRST = 64,
	OFFSETS_FIRST = 16
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
	l->stride = l->stats_at + (l->stats ? sizeof(struct coh_stats) : 0);
	l->offset_stride = (sizeof(struct coh_offset) + l->set_bytes + 3) & ~(size_t)3;
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
	l->room = LINES_FIRST;
	l->bytes = rp_mem_array(l->room, l->stride, err);
	l->slot = rp_mem_array((size_t)1 << l->slot_bits, sizeof *l->slot, err);
	return l->bytes && l->slot;
}

void
coh_lines_close(struct coh_lines *l)
{
	free(l->bytes);
	free(l->slot);
	free(l->mask);
	free(l->offset);
}

/* Copies what the narrower layout has into the wider one. */
static void
widen_line(const struct coh_lines *from, const struct coh_lines *to, const struct coh_line *x,
    struct coh_line *y)
{
	memcpy(y, x, offsetof(struct coh_line, rest));
	for (unsigned s = 0; s < (from->stats ? COH_SETS_ALL : COH_SETS); s++)
		memcpy(coh_set(to, y, s), coh_set(from, x, s), from->set_bytes);
	if (from->stats)
		memcpy(coh_stats(to, y), coh_stats(from, x), sizeof(struct coh_stats));
}

bool
coh_lines_widen(struct coh_lines *l, size_t caches, struct rp_err *err)
{
	struct coh_lines wide = *l;
	lay_out(&wide, caches);
	if (wide.set_bytes <= l->set_bytes) {
		l->least_room = wide.least_room > l->least_room ? wide.least_room : l->least_room;
		return true;
	}
	wide.bytes = rp_mem_array(l->room, wide.stride, err);
	wide.offset = rp_mem_array(l->offset_room, wide.offset_stride, err);
	if (!wide.bytes || !wide.offset) {
		free(wide.bytes);
		free(wide.offset);
		return false;
	}
	for (uint32_t i = 0; i < l->n; i++)
		widen_line(l, &wide, coh_line(l, i), coh_line(&wide, i));
	for (uint32_t i = 0; i < l->offsets; i++)
		memcpy(coh_offset(&wide, i), coh_offset(l, i),
		    sizeof(struct coh_offset) + l->set_bytes);
	free(l->bytes);
	free(l->offset);
	*l = wide;
	return true;
}

/* Twice as many slots. */
static bool
rehash(struct coh_lines *l, struct rp_err *err)
{
	size_t last = ((size_t)2 << l->slot_bits) - 1;
	uint64_t *slot = rp_mem_array(last + 1, sizeof *slot, err);
	if (!slot)
		return false;
	free(l->slot);
	l->slot = slot;
	l->slot_bits++;
	for (uint32_t i = 0; i < l->n; i++) {
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
	if (l->n == COH_NONE - 1) {
		rp_fail(err, RP_RESOURCE, "more than 2^32 different lines");
		return COH_NONE;
	}
	if (l->n == l->room) {
		unsigned char *more = rp_mem_grow(l->bytes, 2 * l->room, l->stride, err);
		if (!more)
			return COH_NONE;
		l->bytes = more;
		l->room *= 2;
	}
	/* At most 3 of 4 slots are taken. */
	if (l->n >= ((size_t)3 << l->slot_bits) / 4 && !rehash(l, err))
		return COH_NONE;
	i = (uint32_t)l->n++;
	memset(coh_line(l, i), 0, l->stride);
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
	if (l->free[size]) {
		uint32_t block = l->free[size] - 1;
		l->free[size] = (uint32_t)l->mask[(size_t)block * l->mask_words];
		return block;
	}
	size_t n = (size_t)1 << size;
	if (l->masks + n > l->mask_room) {
		size_t room = l->mask_room ? l->mask_room : MASKS_FIRST;
		while (room < l->masks + n)
			room *= 2;
		uint64_t *more = rp_mem_grow(l->mask, room * l->mask_words, sizeof *l->mask, err);
		if (!more)
			return COH_NONE;
		l->mask = more;
		l->mask_room = room;
	}
	if (l->masks + n >= COH_NONE) {
		rp_fail(err, RP_RESOURCE, "more than 2^32 masks of lines");
		return COH_NONE;
	}
	uint32_t block = (uint32_t)l->masks;
	l->masks += n;
	return block;
}

static void
give_block(struct coh_lines *l, uint32_t block, unsigned size)
{
	l->mask[(size_t)block * l->mask_words] = l->free[size];
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
	size_t words = l->mask_words, old = x->room ? (n - 1) * words : 0;
	uint64_t *to = l->mask + block * words;
	memcpy(to, l->mask + x->unseen * words, old * sizeof *to);
	memset(to + old, 0, (((size_t)words << size) - old) * sizeof *to);
	if (x->room)
		give_block(l, x->unseen, x->room);
	x->unseen = block;
	x->room = (uint8_t)size;
	return true;
}

bool
coh_lines_hold(struct coh_lines *l, uint32_t i, uint32_t c, struct rp_err *err)
{
	struct coh_line *x = coh_line(l, i);
	uint8_t *ever = coh_set(l, x, COH_EVER);
	if (coh_has(ever, c))
		return true;
	size_t n = coh_count(ever, l->set_bytes), words = l->mask_words;
	if (n) {
		if (!make_masks(l, x, n + 1, err))
			return false;
		size_t rank = coh_rank(ever, l->set_bytes, c);
		uint64_t *at = l->mask + (x->unseen + rank) * words;
		memmove(at + words, at, (n - rank) * words * sizeof *at);
		memset(at, 0, words * sizeof *at);
	}
	coh_add(ever, c);
	return true;
}

void
coh_lines_tell(struct coh_lines *l, const struct coh_line *x, uint32_t c, const uint64_t *mask)
{
	if (!x->room)
		return;
	const uint8_t *ever = coh_set(l, x, COH_EVER);
	size_t n = coh_count(ever, l->set_bytes), own = coh_rank(ever, l->set_bytes, c);
	uint64_t *at = l->mask + (size_t)x->unseen * l->mask_words;
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
	if (l->offsets == l->offset_room) {
		size_t room = l->offset_room ? 2 * l->offset_room : OFFSETS_FIRST;
		unsigned char *more = rp_mem_grow(l->offset, room, l->offset_stride, err);
		if (!more)
			return false;
		l->offset = more;
		l->offset_room = room;
	}
	if (l->offsets == COH_NONE - 1)
		return rp_fail(err, RP_RESOURCE, "more than 2^32 offsets of lines");
	struct coh_offset *o = coh_offset(l, (uint32_t)l->offsets++);
	memset(o, 0, l->offset_stride);
	*o = (struct coh_offset){ .next = s->offsets, .offset = offset };
	coh_add(o->caches, c);
	s->offsets = (uint32_t)l->offsets;
	return true;
}

void
coh_lines_forget(struct coh_lines *l)
{
	for (uint32_t i = 0; l->stats && i < l->n; i++) {
		struct coh_line *x = coh_line(l, i);
		memset(coh_set(l, x, COH_READERS), 0, l->set_bytes);
		memset(coh_set(l, x, COH_WRITERS), 0, l->set_bytes);
		memset(coh_stats(l, x), 0, sizeof(struct coh_stats));
	}
	l->offsets = 0;
}

size_t
coh_lines_bytes(const struct coh_lines *l)
{
	return l->n * l->stride + (sizeof *l->slot << l->slot_bits) +
	       l->masks * l->mask_words * sizeof *l->mask + l->offsets * l->offset_stride;
}
