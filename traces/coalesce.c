/* coalesce.c - the transactions of a warp instruction.
 *
 * Lanes mostly ascend, so the list is kept sorted and a lane looks for its segment from the end. */
#include "config.h"

#include "traces/coalesce.h"

#include <string.h>

enum { WORD = 4, SECTOR = 32, FIRST_WITH_SECTORS = 40 };

/* Bits first .. first + n - 1 of 128, with first + n <= 128 and n <= 32. */
static void
span_add(uint64_t touched[2], uint32_t first, uint32_t n)
{
	uint64_t bits = (UINT64_C(1) << n) - 1;
	if (first >= 64) {
		touched[1] |= bits << (first - 64);
		return;
	}
	touched[0] |= bits << first;
	if (first + n > 64)
		touched[1] |= bits >> (64 - first);
}

/* The transaction of the segment at `base`: found, or opened at its place. */
static inline struct rp_transaction *
segment_at(struct rp_transaction *out, size_t *n, uint64_t base, uint32_t segment)
{
	size_t i = *n;
	while (i && out[i - 1].base > base)
		i--;
	if (i && out[i - 1].base == base)
		return &out[i - 1];
	memmove(&out[i + 1], &out[i], (*n - i) * sizeof *out);
	++*n;
	out[i] = (struct rp_transaction){ .base = base, .bytes = segment };
	return &out[i];
}

/* Adds the bytes [addr, addr + size) of a lane, in one segment or two. */
static inline void
touch(struct rp_transaction *out, size_t *n, uint64_t addr, uint32_t size, uint32_t lane,
    uint32_t segment)
{
	uint32_t first = (uint32_t)addr & (segment - 1);
	uint32_t here = first + size <= segment ? size : segment - first;
	struct rp_transaction *t = segment_at(out, n, addr - first, segment);
	span_add(t->touched, first, here);
	t->lanes |= UINT32_C(1) << lane;
	if (here < size)
		touch(out, n, addr + here, size - here, lane, segment);
}

uint32_t
rp_coalesce_segment(unsigned arch, uint32_t size, bool bypasses)
{
	if (arch == 0 || arch >= FIRST_WITH_SECTORS || bypasses || size == 1)
		return 32;
	return size == 2 ? 64 : 128;
}

/* Lanes that stay in the sector of the one before, as most do, only add their bytes to it. */
static size_t
coalesce_sectors(const struct rp_warp *w, struct rp_transaction *out)
{
	const uint64_t *addr = w->addr, bytes = (UINT64_C(1) << w->size) - 1;
	const uint32_t last_fit = SECTOR - w->size;
	struct rp_transaction *t = NULL;
	size_t n = 0;
	for (uint32_t left = w->active; left; left &= left - 1, addr++) {
		uint32_t first = (uint32_t)*addr & (SECTOR - 1), lane = left & -left;
		if (first > last_fit) {
			touch(out, &n, *addr, w->size, (uint32_t)__builtin_ctz(left), SECTOR);
			t = NULL;
			continue;
		}
		if (!t || t->base != *addr - first)
			t = segment_at(out, &n, *addr - first, SECTOR);
		t->touched[0] |= bytes << first;
		t->lanes |= lane;
	}
	return n;
}

size_t
rp_coalesce(const struct rp_warp *w, uint32_t segment, struct rp_transaction *out)
{
	size_t n = 0, k = 0;
	if (segment == SECTOR)
		return coalesce_sectors(w, out);
	for (uint32_t left = w->active; left; left &= left - 1)
		touch(out, &n, w->addr[k++], w->size, (uint32_t)__builtin_ctz(left), segment);
	return n;
}

/* A lane's part of one segment of 32 bytes. */
static void
touch_alone(struct rp_transaction *out, size_t *n, uint64_t addr, uint32_t size, uint32_t lane)
{
	uint64_t base = addr & ~UINT64_C(31), bits = ((UINT64_C(1) << size) - 1) << (addr & 31);
	size_t i = 0;
	while (
	    i < *n && (out[i].base < base || (out[i].base == base && (out[i].touched[0] & bits))))
		i++;
	if (i == *n || out[i].base != base) {
		memmove(&out[i + 1], &out[i], (*n - i) * sizeof *out);
		++*n;
		out[i] = (struct rp_transaction){ .base = base, .bytes = 32 };
	}
	out[i].touched[0] |= bits;
	out[i].lanes |= UINT32_C(1) << lane;
}

size_t
rp_coalesce_atomic(const struct rp_warp *w, struct rp_transaction *out)
{
	size_t n = 0, k = 0;
	for (uint32_t left = w->active; left; left &= left - 1) {
		uint64_t addr = w->addr[k++];
		uint32_t lane = (uint32_t)__builtin_ctz(left), room = 32 - ((uint32_t)addr & 31);
		uint32_t here = w->size < room ? w->size : room;
		touch_alone(out, &n, addr, here, lane);
		if (here < w->size)
			touch_alone(out, &n, addr + here, w->size - here, lane);
	}
	return n;
}

size_t
rp_coalesce_local(const struct rp_warp *w, const struct rp_local *at, uint32_t segment,
    struct rp_transaction *out)
{
	const uint64_t first_thread = at->thread % at->threads;
	struct rp_transaction *t = NULL;
	uint32_t astray = 0;
	size_t n = 0, k = 0;
	for (uint32_t left = w->active; left; left &= left - 1)
		astray |= (uint32_t)w->addr[k++] & (WORD - 1);
	/* Word by word, since it is the same word of neighbouring lanes that lies side by side. */
	for (uint32_t i = 0; i < (astray + w->size + WORD - 1) / WORD; i++) {
		const uint64_t *addr = w->addr;
		for (uint32_t left = w->active; left; left &= left - 1, addr++) {
			uint32_t lane = (uint32_t)__builtin_ctz(left),
				 in = (uint32_t)*addr & (WORD - 1);
			/* Bytes from..to of this word, as the lane's own bytes go. */
			uint32_t from = i ? 0 : in, end = in + w->size - i * WORD;
			if (i && i * WORD >= in + w->size)
				continue;
			uint64_t thread = first_thread + lane, word = *addr / WORD + i;
			if (thread >= at->threads)
				thread %= at->threads;
			uint64_t place = at->base + WORD * (word * at->threads + thread);
			uint32_t first = (uint32_t)place & (segment - 1);
			if (!t || t->base != place - first)
				t = segment_at(out, &n, place - first, segment);
			span_add(t->touched, first + from, (end < WORD ? end : WORD) - from);
			t->lanes |= UINT32_C(1) << lane;
		}
	}
	return n;
}

void
rp_coalesce_shrink(struct rp_transaction *t)
{
	if (t->bytes == 128 && !(t->touched[0] && t->touched[1])) {
		t->base += t->touched[0] ? 0 : 64;
		t->touched[0] |= t->touched[1];
		t->touched[1] = 0;
		t->bytes = 64;
	}
	uint64_t low = t->touched[0] & UINT32_MAX, high = t->touched[0] >> 32;
	if (t->bytes == 64 && !(low && high)) {
		t->base += low ? 0 : 32;
		t->touched[0] = low | high;
		t->bytes = 32;
	}
}

/* One bit for each run of `per` bits of x that is not empty, packed at the low end. */
static uint32_t
granules(uint64_t x, uint32_t per)
{
	uint32_t m = 0;
	uint64_t run = (UINT64_C(1) << per) - 1;
	for (uint32_t i = 0; i < 64 / per; i++)
		m |= (uint32_t)((x >> i * per & run) != 0) << i;
	return m;
}

struct rp_row
rp_transaction_row(const struct rp_transaction *t)
{
	if (t->bytes == 64)
		return (struct rp_row){ t->base, 64, granules(t->touched[0], 2) };
	if (t->bytes == 128)
		return (struct rp_row){ t->base, 128,
			granules(t->touched[0], 4) | granules(t->touched[1], 4) << 16 };
	uint32_t m = (uint32_t)t->touched[0], first = (uint32_t)__builtin_ctz(m);
	return (struct rp_row){ t->base + first, 32 - (uint32_t)__builtin_clz(m) - first, m };
}
