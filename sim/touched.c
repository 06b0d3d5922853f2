/* touched.c - which lines have ever been touched.
 *
 * The table is open addressing at three quarters at most, doubled when fuller. Bitmaps lie in blocks that double too and
 * never move. */
#include "config.h"

#include "sim/touched.h"

#include "base/hash.h"
#include "base/mem.h"

enum {
	PAGE_BITS = 9,
	OFFSET = (1 << PAGE_BITS) - 1,
	WORDS = (1 << PAGE_BITS) / 64, /* of a bitmap */
	FEW = 6,                       /* lines that stand in the slot */
	COUNT = 7,                     /* bits of `lines` that tell how many; FEW + 1: a bitmap */
	BLOCK = 16,                    /* bitmaps in the first block */
	BLOCKS = 32,
	TABLE = 64, /* slots at first */
	AHEAD = 8   /* lines whose slots are prefetched */
};

struct slot {
	uint64_t page; /* line / 512, and 1: 0 is an empty slot */
	uint64_t
	    lines; /* how many, and behind that their offsets, 9 bits each; or the bitmap's number */
};

typedef uint64_t bitmap[WORDS];

struct rp_touched {
	struct slot *slot;
	size_t mask, used;
	/* Block k holds BLOCK << k bitmaps; so bitmap i + BLOCK has the block's number in its highest bit. */
	bitmap *block[BLOCKS];
	size_t bitmaps, room;
};

struct rp_touched *
rp_touched_new(struct rp_err *err)
{
	struct rp_touched *t = rp_mem_array(1, sizeof *t, err);
	if (!t)
		return NULL;
	t->mask = TABLE - 1;
	t->slot = rp_mem_array(TABLE, sizeof *t->slot, err);
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

static size_t
home(const struct rp_touched *t, uint64_t page)
{
	return rp_mix64(page) & t->mask;
}

/* The slot of a page, or the empty one where it would go. */
static struct slot *
find(const struct rp_touched *t, uint64_t page)
{
	size_t i = home(t, page);
	while (t->slot[i].page && t->slot[i].page != page)
		i = (i + 1) & t->mask;
	return &t->slot[i];
}

static bool
grow_table(struct rp_touched *t, struct rp_err *err)
{
	size_t size = 2 * (t->mask + 1);
	struct slot *old = t->slot, *new = rp_mem_array(size, sizeof *new, err);
	if (!new)
		return false;
	t->slot = new;
	t->mask = size - 1;
	for (size_t i = 0; i < size / 2; i++)
		if (old[i].page)
			*find(t, old[i].page) = old[i];
	free(old);
	return true;
}

static uint64_t *
bitmap_at(const struct rp_touched *t, uint64_t number)
{
	uint64_t i = number + BLOCK;
	unsigned high = 63 - (unsigned)__builtin_clzll(i);
	return t->block[high - (unsigned)__builtin_ctz(BLOCK)][i ^ UINT64_C(1) << high];
}

/* Moves the lines of a slot, which is full, to a bitmap. */
static bool
make_bitmap(struct rp_touched *t, struct slot *s, struct rp_err *err)
{
	if (t->bitmaps == t->room) {
		unsigned k = (unsigned)__builtin_ctzll(t->room / BLOCK + 1);
		if (!(t->block[k] = rp_mem_array((size_t)BLOCK << k, sizeof(bitmap), err)))
			return false;
		t->room += (size_t)BLOCK << k;
	}
	uint64_t *map = bitmap_at(t, t->bitmaps);
	for (uint64_t left = s->lines / (COUNT + 1), i = 0; i < FEW; i++, left >>= PAGE_BITS)
		map[(left & OFFSET) / 64] |= UINT64_C(1) << left % 64;
	s->lines = t->bitmaps++ * (COUNT + 1) + FEW + 1;
	return true;
}

/* Touches the line at an offset of a page: whether it never was. */
static bool
touch(struct rp_touched *t, struct slot *s, unsigned offset, bool *failed, struct rp_err *err)
{
	uint64_t n = s->lines & COUNT, left = s->lines / (COUNT + 1);
	if (n <= FEW) {
		for (uint64_t i = 0; i < n; i++, left >>= PAGE_BITS)
			if ((left & OFFSET) == offset)
				return false;
		if (n < FEW) {
			s->lines += ((uint64_t)offset << n * PAGE_BITS) * (COUNT + 1) + 1;
			return true;
		}
		if (!make_bitmap(t, s, err)) {
			*failed = true;
			return false;
		}
		left = s->lines / (COUNT + 1);
	}
	uint64_t *word = &bitmap_at(t, left)[offset / 64], bit = UINT64_C(1) << offset % 64;
	bool fresh = !(*word & bit);
	if (fresh)
		*word |= bit;
	return fresh;
}

bool
rp_touched_put(struct rp_touched *t, const uint64_t *line, const uint32_t *at, size_t n,
    uint8_t *fresh, uint8_t bit, struct rp_err *err)
{
	bool failed = false;
	for (size_t i = 0; i < n; i++) {
		uint64_t page = (line[at[i]] >> PAGE_BITS) + 1;
		if (i + AHEAD < n)
			__builtin_prefetch(
			    &t->slot[home(t, (line[at[i + AHEAD]] >> PAGE_BITS) + 1)]);
		struct slot *s = find(t, page);
		if (!s->page) {
			if (t->used >= (t->mask + 1) / 4 * 3) {
				if (!grow_table(t, err))
					return false;
				s = find(t, page);
			}
			s->page = page;
			t->used++;
		}
		if (touch(t, s, line[at[i]] & OFFSET, &failed, err))
			fresh[at[i]] |= bit;
		if (failed)
			return false;
	}
	return true;
}

size_t
rp_touched_bytes(const struct rp_touched *t)
{
	return sizeof *t + (t->mask + 1) * sizeof *t->slot + t->room * sizeof(bitmap);
}
