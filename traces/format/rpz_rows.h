/* rpz_rows.h - from tokens and residual bytes to addresses, sizes and kinds, a few hundred rows at a time.
 *
 * Passes over arrays that stay in the first-level cache: tokens are split into ops and how addresses are made, and ops
 * looked up; residual bytes are spread to differences; keys are made into places to predict from; the addresses are
 * predicted, which alone must go row by row. With AVX2 or AVX-512 all but the last are wide. The three that make
 * addresses are one loop: with vectors over groups of rows, of which the next is prepared while the one before is
 * predicted, in plain C row by row without branches. Either way the results are the same, and nothing leaves its arrays, whatever the tokens
 * say. */
#ifndef RP_TRACES_FORMAT_RPZ_ROWS_H
#define RP_TRACES_FORMAT_RPZ_ROWS_H

#include "traces/format/rpz_predict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RP_RPZ_STEP = 512,  /* rows of a pass */
	RP_RPZ_HISTORY = 8, /* rows before that predictors and keys look at, rounded up */
	RP_RPZ_NOW =
	    RP_RPZ_SLOTS + RP_RPZ_HISTORY, /* where the step's first address stands in `memory` */
	RP_RPZ_LAST = RP_RPZ_SLOTS,        /* in `from`: the row before, which is not looked up */
	RP_RPZ_BAD = 0x80                  /* the code of a token that there is not */
};

/* How a row's address is made, in a byte: its predictor, whether that is the table, and whether its residual has more than
 * two bytes, a second, a first. These stand where a shift or none makes them signs. */
enum {
	RP_RPZ_PREDICTOR = 7,
	RP_RPZ_OF_TABLE = 8,
	RP_RPZ_LONG = 0x20,
	RP_RPZ_SECOND_BYTE = 0x40,
	RP_RPZ_FIRST_BYTE = 0x80
};

/* What a token says of a row's address, as a loop without branches wants it. */
struct rp_rpz_token {
	uint16_t mask;               /* of the first and the second byte of the residual */
	uint8_t first, second, more; /* bytes there: 0 or 1, 0 or 1, 0 to 6 */
	uint8_t back;                /* predictors 0 to 6: rows before the last */
	bool last;                   /* predictor 0 */
	int8_t table;                /* predictor 7: -1, all bits; else 0 */
};

/* What is known of the tokens of a block, and where its rows stand. */
struct rp_rpz_rows_state {
	/* The block's: */
	uint8_t token_op[256], token_code[256]; /* a token that there is not: op 0, RP_RPZ_BAD */
	uint8_t token_how[256];
	struct rp_rpz_token token_address[256];
	uint32_t token_size[256]; /* the op's */
	uint8_t token_kind[256];
	uint32_t op_size[256]; /* 0: explicit */
	uint8_t op_kind[256], op_flags[256];
	unsigned tokens, ops;
	bool small_sizes; /* all below 256 */
	uint8_t shift, key;
	/* Cursors; what they point into has room for every row of the block and RP_RPZ_SLACK more bytes. */
	const uint8_t *token, *first, *second, *rest;
	/* The step's, with room for loads and stores of whole vectors: */
	uint8_t bad; /* all codes together */
	uint8_t how[RP_RPZ_STEP + RP_RPZ_SLACK];
	uint8_t class[RP_RPZ_SLACK + RP_RPZ_STEP +
		      RP_RPZ_SLACK]; /* op + 1; the step's first row at RP_RPZ_SLACK */
	uint16_t slot[RP_RPZ_STEP + RP_RPZ_SLACK], from[RP_RPZ_STEP + RP_RPZ_SLACK];
	uint64_t change[RP_RPZ_STEP + RP_RPZ_SLACK];
	/* Predictor 7's table, then the last addresses, then the step's: one array, so that one index tells any of them. */
	uint64_t memory[RP_RPZ_NOW + RP_RPZ_STEP];
	/* For shuffles by a mask of 8 bits: byte k is how many of the bits below k are set, 0x80 where bit k is not. */
	uint8_t spread[256][8];
};

/* The passes, over n (at most RP_RPZ_STEP) rows. */
struct rp_rpz_passes {
	/* token[i] to class and how, gathering `bad`, and to sizes (explicit ones as 0), kinds and flags (NULL: not
	 * wanted). Moves the cursor. */
	void (*split)(
	    struct rp_rpz_rows_state *s, size_t n, uint32_t *size, uint8_t *kind, uint8_t *flags);
	/* Bytes at first, second and rest, which move, to change[i]: the difference, times 2^shift. */
	void (*spread)(struct rp_rpz_rows_state *s, size_t n);
	/* What split left, and the bytes at first, second and rest, which move, to addresses in `memory`, with the key
	 * of ops. */
	void (*keyed)(struct rp_rpz_rows_state *s, size_t n);
};

extern const struct rp_rpz_passes rp_rpz_passes_plain;
/* Same results; only where the machine has AVX2, and AVX-512 with VBMI and VBMI2. */
extern const struct rp_rpz_passes rp_rpz_passes_avx2, rp_rpz_passes_avx512;

/* What there is for this machine: the quickest, or, for tests and measurements, the one called "plain", "avx2" or
 * "avx512"; NULL if there is none such here. */
const struct rp_rpz_passes *rp_rpz_passes_find(const char *name);

/* When token_op and token_code, op_size and op_kind are there: the tables made of them. */
void rp_rpz_rows_tables(struct rp_rpz_rows_state *s);

/* Before the first row of a block. */
void rp_rpz_rows_begin(struct rp_rpz_rows_state *s, uint64_t base);

/* Changes to addresses in `memory`: without a key, from `how`, and with one, from slot and from. */
void rp_rpz_rows_predict(struct rp_rpz_rows_state *s, size_t n);

/* Takes the step's n addresses out of `memory`. */
void rp_rpz_rows_take(struct rp_rpz_rows_state *s, size_t n, uint64_t *addr);

/* After n rows: moves the history. */
void rp_rpz_rows_step(struct rp_rpz_rows_state *s, size_t n);

/* from[i] of a row that is made so and has this slot. */
static inline uint16_t
rp_rpz_from(size_t i, unsigned how, unsigned slot)
{
	unsigned p = how & RP_RPZ_PREDICTOR;
	unsigned back = p ? RP_RPZ_NOW - 1 + (unsigned)i - p : RP_RPZ_LAST;
	return (uint16_t)(p == RP_RPZ_TABLE ? slot : back);
}

#endif
