/* touched.c - which lines have ever been touched.
 *
 * The table is open addressing at three quarters at most, doubled when fuller. Bitmaps lie in blocks that double too and
 * never move, so a slot holds its bitmap's address. */
#include "config.h"

#include "sim/touched.h"

#include "base/mem.h"

enum {
	PAGE_BITS = 9,
	OFFSET = (1 << PAGE_BITS) - 1,
	WORDS = (1 << PAGE_BITS) / 64, /* of a bitmap */
	FEW = 6,                       /* lines that stand in the slot */
	COUNT = 7,                     /* bits of `lines` that tell how many; FEW + 1: a bitmap */
	BLOCK = 16,                    /* bitmaps in the first block */
	BLOCKS = 32,
	TABLE_BITS = 6, /* log2 of the slots at first */
	AT_ONCE = 64,   /* lines whose slots are prefetched together */
};

struct slot {
	uint64_t page; /* line / 512, and 1: 0 is an empty slot */
	/* How many, and above that their offsets, 9 bits each; or the address of a bitmap, whose low bits are free. */
	uint64_t lines;
};

typedef uint64_t bitmap[WORDS];

struct rp_touched {
	struct slot *slot;
	unsigned bits; /* log2 of the slots */
	size_t used;
	bitmap *block[BLOCKS]; /* block k has BLOCK << k */
	size_t blocks, left;   /* bitmaps of the last block that are free */
	size_t room;           /* bitmaps in all */
};

static size_t
slots(const struct rp_touched *t)
{
	return (size_t)1 << t->bits;
}

struct rp_touched *
rp_touched_new(struct rp_err *err)
{
	struct rp_touched *t = rp_mem_array(1, sizeof *t, err);
	if (!t)
		return NULL;
	t->bits = TABLE_BITS;
	t->slot = rp_mem_array(slots(t), sizeof *t->slot, err);
	if (t->slot)
		return t;
	free(t);
	return NULL;
}

void
rp_touched_free(struct rp_touched *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < BLOCKS; i++)
		free(t->block[i]);
	free(t->slot);
	free(t);
}

/* Where a page stands, or the first place behind that which is free: by the high bits of a product (Knuth, volume 3, 6.4). */
static size_t
home(const struct rp_touched *t, uint64_t page)
{
	return page * UINT64_C(0x9e3779b97f4a7c15) >> (64 - t->bits);
}

/* The slot of a page, or the empty one where it would go. */
static struct slot *
find(const struct rp_touched *t, uint64_t page)
{
	size_t i = home(t, page);
	while (t->slot[i].page && t->slot[i].page != page)
		i = (i + 1) & (slots(t) - 1);
	return &t->slot[i];
}

static bool
grow_table(struct rp_touched *t, struct rp_err *err)
{
	size_t before = slots(t);
	struct slot *old = t->slot, *new = rp_mem_array(2 * before, sizeof *new, err);
	if (!new)
		return false;
	t->slot = new;
	t->bits++;
	for (size_t i = 0; i < before; i++)
		if (old[i].page)
			*find(t, old[i].page) = old[i];
	free(old);
	return true;
}

static struct slot *
make_slot(struct rp_touched *t, uint64_t page, struct rp_err *err)
{
	if (t->used >= slots(t) / 4 * 3 && !grow_table(t, err))
		return NULL;
	struct slot *s = find(t, page);
	s->page = page;
	t->used++;
	return s;
}

static uint64_t *
bitmap_of(const struct slot *s)
{
	return (uint64_t *)(uintptr_t)(s->lines & ~(uint64_t)COUNT);
}

/* Moves the lines of a slot, which is full, to a bitmap. */
static bool
make_bitmap(struct rp_touched *t, struct slot *s, struct rp_err *err)
{
	if (!t->left) {
		size_t n = (size_t)BLOCK << t->blocks;
		if (!(t->block[t->blocks] = rp_mem_aligned(sizeof(bitmap), n, sizeof(bitmap), err)))
			return false;
		t->blocks++;
		t->left = n;
		t->room += n;
	}
	uint64_t *map = t->block[t->blocks - 1][--t->left];
	for (uint64_t left = s->lines / (COUNT + 1), i = 0; i < FEW; i++, left >>= PAGE_BITS)
		map[(left & OFFSET) / 64] |= UINT64_C(1) << left % 64;
	s->lines = (uint64_t)(uintptr_t)map | (FEW + 1);
	return true;
}

static bool
touch_bit(uint64_t *map, unsigned offset)
{
	uint64_t word = map[offset / 64];
	map[offset / 64] = word | UINT64_C(1) << offset % 64;
	return !(word >> offset % 64 & 1);
}

/* Touches a line: *fresh, whether it never was. */
static bool
touch(struct rp_touched *t, uint64_t line, bool *fresh, struct rp_err *err)
{
	uint64_t page = (line >> PAGE_BITS) + 1;
	unsigned offset = line & OFFSET;
	struct slot *s = find(t, page);
	if (!s->page && !(s = make_slot(t, page, err)))
		return false;
	uint64_t n = s->lines & COUNT, left = s->lines / (COUNT + 1);
	*fresh = false;
	for (uint64_t i = 0; n <= FEW && i < n; i++, left >>= PAGE_BITS)
		if ((left & OFFSET) == offset)
			return true;
	if (n == FEW && !make_bitmap(t, s, err))
		return false;
	*fresh = n >= FEW ? touch_bit(bitmap_of(s), offset) : true;
	if (n < FEW)
		s->lines += ((uint64_t)offset << n * PAGE_BITS) * (COUNT + 1) + 1;
	return true;
}

/* Up to AT_ONCE lines. Most have a bitmap, at their page's home. */
static bool
put(struct rp_touched *t, const uint64_t *line, const uint32_t *at, size_t n, uint8_t *fresh,
    uint8_t bit, struct rp_err *err)
{
	size_t place[AT_ONCE];
	for (size_t i = 0; i < n; i++) {
		place[i] = home(t, (line[i] >> PAGE_BITS) + 1);
		__builtin_prefetch(&t->slot[place[i]]);
	}
	unsigned bits = t->bits;
	for (size_t i = 0; i < n; i++) {
		uint64_t page = (line[i] >> PAGE_BITS) + 1;
		const struct slot *s = &t->slot[place[i]];
		bool new;
		if (bits == t->bits && s->page == page && (s->lines & COUNT) > FEW)
			new = touch_bit(bitmap_of(s), line[i] & OFFSET);
		else if (!touch(t, line[i], &new, err))
			return false;
		fresh[at[i]] |= (uint8_t)(new ? bit : 0);
	}
	return true;
}

bool
rp_touched_put(struct rp_touched *t, const uint64_t *line, unsigned shift, const uint32_t *at,
    size_t n, uint8_t *fresh, uint8_t bit, struct rp_err *err)
{
	uint64_t some[AT_ONCE];
	for (size_t i = 0; i < n; i += AT_ONCE) {
		size_t m = n - i < AT_ONCE ? n - i : AT_ONCE;
		for (size_t k = 0; k < m; k++)
			some[k] = line[at[i + k]] >> shift;
		if (!put(t, some, at + i, m, fresh, bit, err))
			return false;
	}
	return true;
}

size_t
rp_touched_bytes(const struct rp_touched *t)
{
	return sizeof *t + slots(t) * sizeof *t->slot + t->room * sizeof(bitmap);
}
