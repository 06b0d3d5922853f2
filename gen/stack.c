/* stack.c - lines in the order of their last use. */
#include "config.h"

#include "gen/stack.h"

#include "base/mem.h"

#include <stdlib.h>

enum { SPARE = 4096, WORD = 64 };

bool
rp_stack_open(struct rp_stack *s, uint32_t top, struct rp_err *err)
{
	uint32_t cap = (2 * top + SPARE + WORD - 1) / WORD * WORD;
	*s = (struct rp_stack){ .top = top, .cap = cap };
	return rp_ranks_open(&s->words, cap / WORD, err) &&
	       (s->live = rp_mem_array(cap / WORD, sizeof *s->live, err)) &&
	       (s->value = rp_mem_table(cap, sizeof *s->value, err));
}

void
rp_stack_close(struct rp_stack *s)
{
	rp_ranks_close(&s->words);
	free(s->live);
	free(s->value);
	*s = (struct rp_stack){ 0 };
}

/* The living, but those below the top, in order to the front. */
void
rp_stack_pack(struct rp_stack *s)
{
	uint32_t gone = s->lines > s->top ? s->lines - s->top : 0, n = 0, seen = 0;
	for (uint32_t w = 0; w < s->cap / WORD; w++)
		for (uint64_t bits = s->live[w]; bits; bits &= bits - 1)
			if (seen++ >= gone)
				s->value[n++] =
				    s->value[w * WORD + (unsigned)__builtin_ctzll(bits)];
	/* The tree is made of a count for each word; these have their place in the words themselves meanwhile. */
	uint32_t *count = (uint32_t *)(void *)s->live;
	for (uint32_t w = 0; w < s->cap / WORD; w++)
		count[w] = n >= (w + 1) * WORD ? WORD : n > w * WORD ? n - w * WORD : 0;
	rp_ranks_set(&s->words, count, s->cap / WORD);
	for (uint32_t w = 0; w < s->cap / WORD; w++)
		s->live[w] = n >= (w + 1) * WORD ? UINT64_MAX
		             : n > w * WORD      ? (UINT64_C(1) << n % WORD) - 1
		                                 : 0;
	s->lines = s->next = n;
}

/* Where bit number k of x that is set is; there is one. Sums of bits by byte, then within the byte, without a branch
 * (Vigna, Broadword Implementation of Rank/Select Queries, WEA 2008). */
static unsigned
select_bit(uint64_t x, uint32_t k)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
	uint64_t s = x - (x >> 1 & UINT64_C(0x5555555555555555));
	s = (s & UINT64_C(0x3333333333333333)) + (s >> 2 & UINT64_C(0x3333333333333333));
	s = ((s + (s >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * ones;
	unsigned byte = (unsigned)(((((k * ones | high) - s) & high) >> 7) * ones >> 56) * 8;
	uint64_t left = k - (s << 8 >> byte & 255);
	uint64_t bit = (x >> byte & 255) * ones & UINT64_C(0x8040201008040201);
	bit = ((bit + (high - ones)) >> 7 & ones) * ones;
	return byte + (unsigned)(((((left * ones | high) - bit) & high) >> 7) * ones >> 56);
}

static uint32_t
put(struct rp_stack *s)
{
	uint32_t at = s->next++;
	s->live[at / WORD] |= UINT64_C(1) << at % WORD;
	rp_ranks_add(&s->words, at / WORD);
	s->lines++;
	return at;
}

uint32_t
rp_stack_push(struct rp_stack *s)
{
	s->depth++;
	return put(s);
}

struct rp_move
rp_stack_take(struct rp_stack *s, uint32_t above)
{
	if (!above) /* the line on top has the last slot */
		return (struct rp_move){ s->next - 1, s->next - 1 };
	uint32_t k = s->lines - 1 - above;
	uint32_t word = (uint32_t)rp_ranks_take(&s->words, &k);
	unsigned bit = select_bit(s->live[word], k);
	s->live[word] &= ~(UINT64_C(1) << bit);
	s->lines--;
	uint32_t from = word * WORD + bit;
	__builtin_prefetch(s->value + from);
	return (struct rp_move){ from, put(s) };
}
