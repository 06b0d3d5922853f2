/* words_kernels.c - the loops over sets whose order is a word (sim/words.h): compiled once for each level of the instruction
 * set, as kernels.c is. */
#include "config.h"

#include "sim/kernels.h"
#include "sim/policy/duel.h"
#include "sim/sets_loop.h"
#include "sim/ways.h"
#include "sim/words.h"

#include <string.h>

/* What does not change from lookup to lookup. */
struct words_at {
	unsigned ways, bits;
	uint64_t ones; /* of rrip: the lowest bit of each way's prediction */
	const uint16_t *above, *second;
};

/* The victim of a full set, with the word as it is then. */
typedef unsigned words_pick(uint64_t *word, const struct words_at *at);

/* The word after a use of a way. `miss`: it was filled, and would have been picked if the set was full; `far`: by a policy
 * that expects no hit to it soon. Both are 0 or 1. */
typedef uint64_t words_touch(
    uint64_t word, unsigned way, uint64_t miss, uint64_t far, const struct words_at *at);

/* a where miss is 1, b where it is 0, without a branch. */
RP_INLINE uint64_t
words_choose(uint64_t miss, uint64_t a, uint64_t b)
{
	return b ^ ((a ^ b) & -miss);
}

/* random: no word. */
RP_INLINE uint64_t
touch_nothing(uint64_t word, unsigned way, uint64_t miss, uint64_t far, const struct words_at *at)
{
	(void)way, (void)miss, (void)far, (void)at;
	return word;
}

/* fifo, lip, bip, dip: the ways in order, four bits each, the next victim last. 0: nothing was there yet; it is made
 * ORDER_START then, whose digits from `ways` on are never looked at. */
#define ORDER_ONES  UINT64_C(0x1111111111111111)
#define ORDER_START UINT64_C(0xfedcba9876543210)

/* Bits up to and with the top one of the way's place. */
RP_INLINE uint64_t
order_upto(uint64_t word, unsigned way)
{
	uint64_t y = word ^ way * ORDER_ONES, z = (y - ORDER_ONES) & ~y & ORDER_ONES << 3;
	return z ^ (z - 1);
}

RP_INLINE uint64_t
order_first(uint64_t word, unsigned way)
{
	uint64_t upto = order_upto(word, way);
	return (word & ~upto) | (word << 4 & upto) | way;
}

RP_INLINE uint64_t
order_last(uint64_t word, unsigned way, unsigned ways)
{
	uint64_t below = order_upto(word, way) >> 4, last = 4 * (ways - 1);
	uint64_t kept = below | ~(UINT64_MAX >> (60 - last));
	return (word & kept) | (word >> 4 & ~kept & ~(UINT64_C(15) << last)) |
	       (uint64_t)way << last;
}

RP_INLINE unsigned
pick_last(uint64_t *word, const struct words_at *at)
{
	return *word >> 4 * (at->ways - 1) & 15;
}

RP_INLINE uint64_t
touch_fifo(uint64_t word, unsigned way, uint64_t miss, uint64_t far, const struct words_at *at)
{
	(void)far, (void)at;
	return words_choose(miss, word << 4 | way, word);
}

RP_INLINE uint64_t
touch_order(uint64_t word, unsigned way, uint64_t miss, uint64_t far, const struct words_at *at)
{
	(void)at;
	return words_choose(miss & far, word, order_first(word, way));
}

/* mru: the way used last. */
RP_INLINE unsigned
pick_word(uint64_t *word, const struct words_at *at)
{
	(void)at;
	return (unsigned)*word;
}

RP_INLINE uint64_t
touch_word(uint64_t word, unsigned way, uint64_t miss, uint64_t far, const struct words_at *at)
{
	(void)word, (void)miss, (void)far, (void)at;
	return way;
}

/* clock: in the upper half the hand, in the lower the marks of the ways from the hand on. The hand passes the marks below
 * the first gap, all of them if there is none, and the way that is filled is behind it then. */
RP_INLINE unsigned
pick_clock(uint64_t *word, const struct words_at *at)
{
	uint32_t marks = (uint32_t)*word, hand = (uint32_t)(*word >> 32);
	unsigned passed = (unsigned)__builtin_ctz(~marks), way = hand + passed;
	way -= way >= at->ways ? at->ways : 0;
	hand = way + 1 < at->ways ? way + 1 : 0;
	*word = (uint64_t)hand << 32 | marks >> passed >> 1;
	return way;
}

RP_INLINE uint64_t
touch_clock(uint64_t word, unsigned way, uint64_t miss, uint64_t far, const struct words_at *at)
{
	(void)miss, (void)far;
	unsigned hand = (unsigned)(word >> 32), from = way - hand;
	from += way < hand ? at->ways : 0;
	return word | UINT64_C(1) << from;
}

/* plru: the bits of the tree. The victim is the way all of whose nodes point to it. */
RP_INLINE unsigned
pick_plru(uint64_t *word, const struct words_at *at)
{
	return ways_led(at->above, at->second, (uint16_t)*word);
}

RP_INLINE uint64_t
touch_plru(uint64_t word, unsigned way, uint64_t miss, uint64_t far, const struct words_at *at)
{
	(void)miss, (void)far;
	return (word & ~(uint64_t)at->above[way]) | (at->above[way] ^ at->second[way]);
}

/* rrip: a prediction of `bits` bits for each way. Bit by bit from the top those ways are kept that have it, unless none
 * does: that gives the greatest prediction and who has it. All age by what it lacks to the top. */
RP_INLINE unsigned
pick_rrip(uint64_t *word, const struct words_at *at, unsigned bits)
{
	uint64_t who = at->ones, lacks = 0;
	for (unsigned b = bits; b-- > 0;) {
		uint64_t have = who & *word >> b;
		lacks |= (uint64_t)!have << b;
		who = have ? have : who;
	}
	*word += at->ones * lacks;
	return (unsigned)__builtin_ctzll(who) / bits;
}

RP_INLINE uint64_t
touch_rrip(uint64_t word, unsigned way, uint64_t miss, uint64_t far, unsigned bits)
{
	uint64_t top = (UINT64_C(1) << bits) - 1, filled = top - 1 + far;
	return (word & ~(top << bits * way)) | (filled & -miss) << bits * way;
}

#define WORDS_RRIP(name, bits)                                                                     \
	RP_INLINE unsigned pick_rrip_##name(uint64_t *word, const struct words_at *at)             \
	{                                                                                          \
		return pick_rrip(word, at, bits);                                                  \
	}                                                                                          \
	RP_INLINE uint64_t touch_rrip_##name(                                                      \
	    uint64_t word, unsigned way, uint64_t miss, uint64_t far, const struct words_at *at)   \
	{                                                                                          \
		(void)at;                                                                          \
		return touch_rrip(word, way, miss, far, bits);                                     \
	}
WORDS_RRIP(1, 1)
WORDS_RRIP(2, 2)
WORDS_RRIP(any, at->bits)

/* Replaces the numbers that have been used. x * range >> 64, as rp_rng_below has it, in two halves: range is below 2^32. */
RP_INLINE void
words_draw(struct rp_words *c, bool way)
{
	struct rp_rng rng = c->sets.rng;
	uint32_t left = RP_CHUNK - c->drawn;
	memmove(c->draw, c->draw + c->drawn, left);
	for (uint32_t i = left; i < RP_CHUNK; i++) {
		uint64_t x = rp_rng_next(&rng), low = (uint32_t)x * c->range >> 32;
		uint64_t below = ((x >> 32) * c->range + low) >> 32;
		c->draw[i] = way ? (uint8_t)below : below != 0;
	}
	c->sets.rng = rng;
	c->drawn = 0;
}

/* Traits of a policy. */
enum {
	WORDS_ORDER = 1,  /* the word is an order of the ways */
	WORDS_WAY = 2,    /* the victim is drawn, there is no word */
	WORDS_FAR = 4,    /* new lines are far, ... */
	WORDS_CHANCE = 8, /* ... if a number that is drawn is not 0, ... */
	WORDS_DUEL = 16   /* ... in sets that do as the second policy of the two */
};

/* `likely`: hits are, so a branch on them pays. `more`: prefetches, leaves write misses out, tells victims, where that is asked for. */
RP_INLINE void
words(struct rp_words *c, const struct rp_lookups *in, uint8_t *restrict outcome,
    uint64_t *restrict victim, words_pick *pick, words_touch *touch, unsigned traits, bool wide,
    unsigned lanes, bool likely, bool more)
{
	const struct loop l = loop_over(&c->sets, in, wide, lanes);
	const struct words_at at = { l.ways, c->bits, c->ones, c->above, c->second };
	const bool ahead = c->ahead,
		   no_write = c->sets.cache.spec->allocate == RP_ALLOCATE_NO_WRITE;
	const uint64_t all = UINT64_MAX >> (64 - l.ways);
	const uint8_t *draw = c->draw;
	const int8_t *side = c->side;
	uint8_t *restrict taken = c->sets.taken;
	uint64_t *restrict words = c->word;
	const int32_t most = (int32_t)(UINT32_C(1) << c->psel) - 1, half = most / 2;
	const int32_t many = c->many_lead;
	int32_t duel = c->duel;
	uint64_t second = duel > half; /* sets that do not lead do as the second policy */
	if (traits & (WORDS_WAY | WORDS_CHANCE))
		words_draw(c, traits & WORDS_WAY);
	for (size_t i = 0; i < l.n; i++) {
		uint32_t s = l.set[i];
		uint64_t key = l.key[i], w = l.dirtying[i];
		unsigned char *set = l.keys + s * l.stride;
		if (more && ahead) {
			prefetch_set(&l, i + RP_AHEAD, lanes);
			if (!(traits & WORDS_WAY))
				__builtin_prefetch(words + l.set[i + RP_AHEAD], 1);
		}
		uint64_t d = dirty_get(&l, s, lanes), m = ways_match(set, key, wide, lanes);
		uint64_t miss = !m, full = 1, far = (traits & WORDS_FAR) != 0;
		if (more && no_write && (miss & l.store[i])) {
			outcome[i] = RP_MISSED | RP_NO_FILL;
			continue;
		}
		if (likely && m) {
			if (!(traits & WORDS_WAY))
				words[s] = touch(words[s], (unsigned)__builtin_ctzll(m), 0, 0, &at);
			dirty_set(&l, s, lanes, d | (m & -w));
			outcome[i] = 0;
			continue;
		}
		/* Else compilers see what miss is, and branch. */
		if (!likely)
			__asm__("" : "+r"(miss));
		if (traits & WORDS_DUEL) {
			/* A branch on what is known early: less than it leaves out, if few lead. */
			int32_t on = side[s];
			far = second;
			if (__builtin_expect((on | many) != 0, 0)) {
				duel += on & (int32_t)-miss;
				duel = duel < 0 ? 0 : duel;
				duel = duel > most ? most : duel;
				second = duel > half;
				/* What is added settles it for a set that leads: duel has up to 30 bits. */
				far = duel - on * (INT32_C(1) << RP_DUEL_PSEL) > half;
			}
		}
		if (traits & WORDS_CHANCE) {
			uint64_t drawn = miss & far;
			far &= *draw;
			draw += drawn;
		}
		uint64_t word = traits & WORDS_WAY ? 0 : words[s], then = word;
		unsigned way;
		if (__builtin_expect(taken[s] == l.ways, 1)) {
			way = traits & WORDS_WAY ? *draw : pick(&then, &at);
			draw += traits & WORDS_WAY ? miss : 0;
		} else {
			way = (unsigned)__builtin_ctzll(ways_match(set, 0, wide, lanes) & all);
			taken[s] = (uint8_t)(taken[s] + miss);
			full = 0;
			if (traits & WORDS_ORDER) {
				word = word ? word : ORDER_START;
				then = order_last(word, way, l.ways);
			}
		}
		uint64_t to = m | miss << way;
		if (!(traits & WORDS_WAY))
			words[s] = touch(words_choose(miss, then, word),
			    (unsigned)__builtin_ctzll(to), miss, far, &at);
		if (more && victim)
			victim[i] = (ways_key(set, way, wide) - 1) * l.sets + s;
		/* The address written does not depend on the match, or loads of the next sets would wait for it. */
		ways_put_if(set, way, miss, key, wide, lanes);
		dirty_set(&l, s, lanes, (d & ~(miss << way)) | (to & -w));
		outcome[i] = (uint8_t)((1 | full << 1 | (d >> way & 1) << 2) & -miss);
	}
	c->drawn = (uint32_t)(draw - c->draw);
	c->duel = duel;
}

#define WORDS_RUN(name, ...)                                                                       \
	static void name(struct rp_words *c, const struct rp_lookups *in,                          \
	    uint8_t *restrict outcome, uint64_t *restrict victim)                                  \
	{                                                                                          \
		words(c, in, outcome, victim, __VA_ARGS__);                                        \
	}
/* For any number of ways, with what else may be asked for. */
#define WORDS_SOME(name, ...)                                                                      \
	WORDS_RUN(words_##name##_more_32, __VA_ARGS__, false, c->sets.lanes, false, true)          \
	WORDS_RUN(words_##name##_more_64, __VA_ARGS__, true, c->sets.lanes, false, true)           \
	WORDS_RUN(words_##name##_more_32_likely, __VA_ARGS__, false, c->sets.lanes, true, true)    \
	WORDS_RUN(words_##name##_more_64_likely, __VA_ARGS__, true, c->sets.lanes, true, true)
/* And for 8 and 16, but for keys of 64 bits only where hits are likely: such keys come with few sets. */
#define WORDS_RUNS(name, ...)                                                                      \
	WORDS_SOME(name, __VA_ARGS__)                                                              \
	WORDS_RUN(words_##name##_8_32, __VA_ARGS__, false, 8, false, false)                        \
	WORDS_RUN(words_##name##_16_32, __VA_ARGS__, false, 16, false, false)                      \
	WORDS_RUN(words_##name##_8_32_likely, __VA_ARGS__, false, 8, true, false)                  \
	WORDS_RUN(words_##name##_16_32_likely, __VA_ARGS__, false, 16, true, false)                \
	WORDS_RUN(words_##name##_8_64_likely, __VA_ARGS__, true, 8, true, false)                   \
	WORDS_RUN(words_##name##_16_64_likely, __VA_ARGS__, true, 16, true, false)

WORDS_RUNS(random, pick_word, touch_nothing, WORDS_WAY)
WORDS_RUNS(fifo, pick_last, touch_fifo, WORDS_ORDER)
WORDS_RUNS(clock, pick_clock, touch_clock, 0)
WORDS_RUNS(mru, pick_word, touch_word, 0)
WORDS_RUNS(plru, pick_plru, touch_plru, 0)
WORDS_RUNS(lip, pick_last, touch_order, WORDS_ORDER | WORDS_FAR)
WORDS_RUNS(bip, pick_last, touch_order, WORDS_ORDER | WORDS_FAR | WORDS_CHANCE)
WORDS_RUNS(dip, pick_last, touch_order, WORDS_ORDER | WORDS_DUEL | WORDS_CHANCE)
WORDS_RUNS(nru, pick_rrip_1, touch_rrip_1, 0)
WORDS_RUNS(srrip, pick_rrip_2, touch_rrip_2, 0)
WORDS_RUNS(brrip, pick_rrip_2, touch_rrip_2, WORDS_FAR | WORDS_CHANCE)
WORDS_RUNS(drrip, pick_rrip_2, touch_rrip_2, WORDS_DUEL | WORDS_CHANCE)
WORDS_SOME(srrip_any, pick_rrip_any, touch_rrip_any, 0)
WORDS_SOME(brrip_any, pick_rrip_any, touch_rrip_any, WORDS_FAR | WORDS_CHANCE)
WORDS_SOME(drrip_any, pick_rrip_any, touch_rrip_any, WORDS_DUEL | WORDS_CHANCE)

/* By what rp_words_kernels has them by. */
#define THREE(f)                                                                                   \
	{                                                                                          \
		f, f, f                                                                            \
	}
#define SOME_TABLE(name)                                                                           \
	{                                                                                          \
		{ THREE(words_##name##_more_32), THREE(words_##name##_more_32_likely) },           \
		    { THREE(words_##name##_more_64), THREE(words_##name##_more_64_likely) },       \
	}
#define TABLE(name)                                                                                \
	{                                                                                          \
		{ { words_##name##_8_32, words_##name##_16_32, words_##name##_more_32 },           \
			{ words_##name##_8_32_likely, words_##name##_16_32_likely,                 \
			    words_##name##_more_32_likely } },                                     \
		    { THREE(words_##name##_more_64),                                               \
			    { words_##name##_8_64_likely, words_##name##_16_64_likely,             \
				words_##name##_more_64_likely } },                                 \
	}

extern const struct rp_words_kernels RP_KERNELS_PART(words);
const struct rp_words_kernels RP_KERNELS_PART(words) = {
	.run = { TABLE(random), TABLE(fifo), TABLE(clock), TABLE(mru), TABLE(plru), TABLE(lip),
	    TABLE(bip), TABLE(dip), TABLE(nru), TABLE(srrip), TABLE(brrip), TABLE(drrip),
	    SOME_TABLE(srrip_any), SOME_TABLE(brrip_any), SOME_TABLE(drrip_any) },
};
