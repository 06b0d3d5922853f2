/* reuse_kernels.c - the hot loops of exact reuse distances: compiled once for each level of the instruction set. */
#include "config.h"

#include "sim/kernels.h"
#include "sim/observe/reuse_state.h"
#include "sim/ways.h"

/* Passes the lookups through the top, without a branch: a miss is a hit in the last place. Its line, the deepest, leaves.
 * Those that missed become the front of the same columns. */
RP_INLINE size_t
top_loop(struct rp_reuse *r, size_t n, uint32_t *restrict distance, bool wide)
{
	size_t missed = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t key = r->key[i], last = ways_key(r->top, RP_TOP - 1, wide);
		uint32_t m = (uint32_t)ways_match(r->top, key, wide, RP_TOP), at = r->index[i];
		uint32_t d = (uint32_t)__builtin_ctz(m | 1u << RP_TOP);
		distance[at] = d;
		r->key[missed] = key;
		r->gone[missed] = last;
		r->index[missed] = at;
		missed += m == 0;
		ways_rotate(r->top, key, wide, RP_TOP, (int)d);
	}
	return missed;
}

/* From ones16 + 31 - k on, lanes 0..k are 0 and those behind 1. */
static const uint16_t ones16[64] = { [32 ... 63] = 1 };
static const uint32_t ones32[32] = { [16 ... 31] = 1 };

/* One more, or one less, before all nodes behind that of a slot, within its parents. */
RP_INLINE void
change(struct rp_reuse *r, uint32_t slot, bool add)
{
	uint32_t w = slot >> 6, b = slot >> 11, g = slot >> 16;
	const uint16_t *one = ones16 + 31 - w % RP_WORDS;
	uint16_t *restrict lane = r->word + (size_t)b * RP_WORDS;
	for (unsigned j = 0; j < RP_WORDS; j++)
		lane[j] = (uint16_t)(add ? lane[j] + one[j] : lane[j] - one[j]);
	one = ones16 + 31 - b % RP_BLOCKS;
	lane = r->block + (size_t)g * RP_BLOCKS;
	for (unsigned j = 0; j < RP_BLOCKS; j++)
		lane[j] = (uint16_t)(add ? lane[j] + one[j] : lane[j] - one[j]);
	const uint32_t *one32 = ones32 + 15 - g % RP_GROUPS;
	uint32_t *restrict wide = r->group + (size_t)(slot >> 20) * RP_GROUPS;
	for (unsigned j = 0; j < RP_GROUPS; j++)
		wide[j] = add ? wide[j] + one32[j] : wide[j] - one32[j];
}

/* Live slots up to and with this one, which is live. */
RP_INLINE uint32_t
rank_of(const struct rp_reuse *r, uint32_t slot)
{
	uint32_t here = (uint32_t)__builtin_popcountll(r->live[slot >> 6] << (63 - slot % 64));
	return r->mega[slot >> 20] + r->group[slot >> 16] + r->block[slot >> 11] +
	       r->word[slot >> 6] + here;
}

RP_INLINE void
remove_slot(struct rp_reuse *r, uint32_t slot, uint32_t now)
{
	r->live[slot >> 6] &= ~(UINT64_C(1) << slot % 64);
	change(r, slot, false);
	for (uint32_t i = (slot >> 20) + 1; i <= now >> 20; i++)
		r->mega[i]--;
}

/* Entry of a line that is there, or the free one where it goes. */
RP_INLINE uint64_t
find(const struct rp_reuse *r, uint64_t key, bool wide)
{
	const struct rp_named *named = r->table;
	const struct rp_numbered *numbered = r->table;
	uint64_t cap = r->cap, i = rp_reuse_home(key, wide, cap);
	if (wide)
		while (numbered[i].slot && numbered[i].line != key)
			i = i + 1 < cap ? i + 1 : 0;
	else
		while (named[i].slot && named[i].name != (uint32_t)key)
			i = i + 1 < cap ? i + 1 : 0;
	return i;
}

RP_INLINE uint32_t *
slot_of(const struct rp_reuse *r, uint64_t at, bool wide)
{
	return wide ? &((struct rp_numbered *)r->table)[at].slot
	            : &((struct rp_named *)r->table)[at].slot;
}

RP_INLINE void
prefetch(const struct rp_reuse *r, uint64_t key, bool wide)
{
	__builtin_prefetch(slot_of(r, rp_reuse_home(key, wide, r->cap), wide), 1);
}

/* Takes entry `at` out of the table: those behind it that would no longer be found move up. */
RP_INLINE void
drop_entry(struct rp_reuse *r, uint64_t at, bool wide)
{
	struct rp_named *named = r->table;
	struct rp_numbered *numbered = r->table;
	uint64_t cap = r->cap;
	for (uint64_t i = at;;) {
		uint32_t slot;
		i = i + 1 < cap ? i + 1 : 0;
		if (!(slot = *slot_of(r, i, wide)))
			break;
		uint64_t home = rp_reuse_home(wide ? numbered[i].line : named[i].name, wide, cap);
		/* Found from its home without passing the hole. */
		if (at < i ? home > at && home <= i : home > at || home <= i)
			continue;
		if (wide)
			numbered[at] = numbered[i];
		else
			named[at] = named[i];
		if (slot != RP_SLOT_TOP)
			r->place[slot] = (uint32_t)at;
		at = i;
	}
	*slot_of(r, at, wide) = 0;
}

/* Forgets the deep line that was looked up longest ago. */
RP_INLINE void
forget_oldest(struct rp_reuse *r, bool wide)
{
	uint32_t w = r->tail;
	while (!r->live[w])
		w++;
	uint32_t slot = w * 64 + (uint32_t)__builtin_ctzll(r->live[w]);
	r->tail = w;
	drop_entry(r, r->place[slot], wide);
	remove_slot(r, slot, r->now);
	r->deep--;
	r->lines--;
}

RP_INLINE void
deep_loop(struct rp_reuse *r, size_t n, uint32_t *restrict distance, bool wide, bool bounded)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t key = r->key[i], gone = r->gone[i];
		prefetch(r, r->key[i + RP_REUSE_AHEAD], wide);
		prefetch(r, r->gone[i + RP_REUSE_AHEAD], wide);
		uint64_t at = find(r, key, wide);
		uint32_t *slot = slot_of(r, at, wide), p = *slot;
		if (!p) {
			distance[r->index[i]] = RP_COLD;
			if (wide)
				((struct rp_numbered *)r->table)[at].line = key;
			else
				((struct rp_named *)r->table)[at].name = (uint32_t)key;
			r->lines++;
		} else {
			distance[r->index[i]] = RP_TOP + (uint32_t)r->deep - rank_of(r, p);
			remove_slot(r, p, r->now);
			r->deep--;
		}
		*slot = RP_SLOT_TOP;
		at = find(r, gone, wide);
		uint32_t now = r->now++;
		*slot_of(r, at, wide) = now;
		r->place[now] = (uint32_t)at;
		if (!(now & ((1u << 20) - 1)))
			r->mega[now >> 20] = (uint32_t)r->deep;
		r->live[now >> 6] |= UINT64_C(1) << now % 64;
		change(r, now, true);
		r->deep++;
		if (bounded && r->deep > r->deep_most)
			forget_oldest(r, wide);
	}
}

static size_t
top_named(struct rp_reuse *r, size_t n, uint32_t *distance)
{
	return top_loop(r, n, distance, false);
}

static size_t
top_numbered(struct rp_reuse *r, size_t n, uint32_t *distance)
{
	return top_loop(r, n, distance, true);
}

#define DEEP(name, wide, bounded)                                                                  \
	static void name(struct rp_reuse *r, size_t n, uint32_t *distance)                         \
	{                                                                                          \
		deep_loop(r, n, distance, wide, bounded);                                          \
	}

DEEP(deep_named, false, false)
DEEP(deep_named_bounded, false, true)
DEEP(deep_numbered, true, false)
DEEP(deep_numbered_bounded, true, true)

#include "sim/observe/sample_loop.h"

extern const struct rp_reuse_kernels RP_KERNELS_PART(reuse);
const struct rp_reuse_kernels RP_KERNELS_PART(reuse) = {
	.top = { top_named, top_numbered },
	.deep = { { deep_named, deep_named_bounded }, { deep_numbered, deep_numbered_bounded } },
	.sample = sample,
};
