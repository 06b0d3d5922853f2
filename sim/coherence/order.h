/* order.h - the ways of a set in the order of their use, as a word: four bits a way, that used last lowest.
 *
 * Free ways stand last, so the last way is free or the one to replace. */
#ifndef RP_SIM_COHERENCE_ORDER_H
#define RP_SIM_COHERENCE_ORDER_H

#include <stdint.h>

enum { COH_WORD_WAYS = 16 };

/* As it is at first; of fewer ways than 16, what follows them never moves. */
#define COH_ORDER_FIRST UINT64_C(0xfedcba9876543210)

static inline uint32_t
coh_order_at(uint64_t order, uint32_t place)
{
	return (uint32_t)(order >> 4 * place) & 15;
}

/* The bit where a way stands. */
static inline unsigned
coh_order_bit(uint64_t order, uint32_t way)
{
	const uint64_t ones = UINT64_C(0x1111111111111111);
	uint64_t other = order ^ way * ones; /* four zeroes only there */
	return (unsigned)__builtin_ctzll((other - ones) & ~other & ones << 3) & ~3U;
}

/* Moves the way at a bit to the front. */
static inline uint64_t
coh_order_front(uint64_t order, unsigned bit)
{
	uint64_t before = order & ((UINT64_C(1) << bit) - 1), way = order >> bit & 15;
	uint64_t behind = order & UINT64_C(-16) << bit;
	return behind | before << 4 | way;
}

/* Makes a way the one used last. */
static inline uint64_t
coh_order_first(uint64_t order, uint32_t way)
{
	return coh_order_front(order, coh_order_bit(order, way));
}

/* Makes a way the last of so many. */
static inline uint64_t
coh_order_last(uint64_t order, uint32_t way, uint32_t ways)
{
	unsigned bit = coh_order_bit(order, way), end = 4 * (ways - 1);
	uint64_t before = order & ((UINT64_C(1) << bit) - 1);
	uint64_t moved = order & UINT64_C(-16) << bit & ((UINT64_C(16) << end) - 1);
	uint64_t behind = order & UINT64_C(-16) << end;
	return before | moved >> 4 | (uint64_t)way << end | behind;
}

#endif
