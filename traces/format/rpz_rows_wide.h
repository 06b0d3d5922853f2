/* rpz_rows_wide.h - what the passes with vectors share (rpz_rows_avx2.c, rpz_rows_avx512.c). */
#ifndef RP_TRACES_FORMAT_RPZ_ROWS_WIDE_H
#define RP_TRACES_FORMAT_RPZ_ROWS_WIDE_H

#include "traces/format/rpz_rows.h"

/* Where the next residual bytes are; in locals of a pass. */
struct rp_rpz_cursors {
	const uint8_t *token, *first, *second, *rest;
};

static inline struct rp_rpz_cursors
rp_rpz_cursors_of(const struct rp_rpz_rows_state *s, size_t n)
{
	return (struct rp_rpz_cursors){ s->token - n, s->first, s->second, s->rest };
}

static inline void
rp_rpz_cursors_back(struct rp_rpz_rows_state *s, const struct rp_rpz_cursors *c)
{
	s->first = c->first;
	s->second = c->second;
	s->rest = c->rest;
}

/* Residuals of more than two bytes, which are few: of the rows in `mask`, the first of which has token[0]; low: their two
 * low bytes. Returns where the next such bytes are. */
static inline const uint8_t *
rp_rpz_spread_long(const struct rp_rpz_rows_state *s, const uint8_t *token, const uint8_t *rest,
    const uint16_t *low, size_t mask, uint64_t *change)
{
	for (; mask; mask &= mask - 1) {
		unsigned i = (unsigned)__builtin_ctzll(mask);
		unsigned k = s->token_address[token[i]].more;
		uint64_t bits = rp_get64(rest) & ((UINT64_C(1) << 8 * k) - 1);
		rest += k;
		change[i] = rp_unzigzag(low[i] | bits << 16) << s->shift;
	}
	return rest;
}

/* The addresses of n rows from row i on, in `memory`, each from a place there and a change, to its slot too. Even the row
 * before is loaded: to take it from a register costs more than it saves. */
static inline __attribute__((always_inline)) void
rp_rpz_predict(uint64_t *memory, size_t i, size_t n, const uint32_t *from, const uint32_t *slot,
    const uint64_t *change)
{
	uint64_t *now = memory + RP_RPZ_NOW + i;
#pragma GCC unroll 8
	for (size_t k = 0; k < n; k++) {
		uint64_t y = memory[from[k]] + change[k];
		now[k] = y;
		memory[slot[k]] = y;
	}
}

/* Sizes, kinds and flags (NULL: not wanted) of rows `from` to n - 1, one by one. */
static inline void
rp_rpz_look(const struct rp_rpz_rows_state *s, size_t from, size_t n, uint32_t *size, uint8_t *kind,
    uint8_t *flags)
{
	const uint8_t *class = s->class + RP_RPZ_SLACK;
	for (size_t i = from; i < n; i++) {
		unsigned op = class[i] - 1u;
		size[i] = s->op_size[op];
		kind[i] = s->op_kind[op];
		if (flags)
			flags[i] = s->op_flags[op];
	}
}

/* A bit for each of the `group` rows from i on that is one of n: all of them, as a rule. */
static inline size_t
rp_rpz_rows_there(size_t i, size_t n, size_t group)
{
	return n - i < group ? ((size_t)1 << (n - i)) - 1 : SIZE_MAX;
}

#endif
