/* rpz_address.h - the address column of a block, on its way out: which predictor and how many bytes, row by row. */
#ifndef RP_TRACES_FORMAT_RPZ_ADDRESS_H
#define RP_TRACES_FORMAT_RPZ_ADDRESS_H

#include "traces/format/rpz_numbers.h"
#include "traces/format/rpz_predict.h"

/* Starts as zeroes. */
struct rp_rpz_address {
	uint64_t base;
	uint8_t shift, key;
	unsigned tokens;               /* in use */
	uint64_t set[RP_RPZ_OPS_MOST]; /* codes in use, a bit each, by op */
	/* private to rpz_address.c */
	uint8_t *code;                  /* by row */
	uint64_t *residual, *y, *table; /* y: rows, behind RP_RPZ_BACK zeroes */
	uint16_t *slot;
	uint32_t count[RP_RPZ_OPS_MOST * RP_RPZ_CODES];
};

/* Rows to code, in the order of the block: ops, and the columns that keys are made of (pc may be NULL). class[i] is op
 * + 1; RP_RPZ_SLACK bytes before class[0] are 0. */
struct rp_rpz_rows {
	size_t n, ops;
	const uint64_t *addr, *pc;
	const uint8_t *class, *flags; /* flags may be NULL */
};

bool rp_rpz_address_new(struct rp_rpz_address *a, size_t rows, struct rp_err *err);
void rp_rpz_address_free(struct rp_rpz_address *a);

/* Chooses for every row the predictor with the fewest bytes of residual, the lowest of several, with the key that is
 * best (none where predictor 7 is of no use, or not `table`); appends tokens and residuals to `to`. */
void rp_rpz_address_predict(struct rp_rpz_address *a, const struct rp_rpz_rows *rows, bool table,
    struct rp_rpz_numbers *to);

/* Frame of reference: base and shift, and the number of byte planes needed; plane k of row i is
 * (addr[i] - base) >> shift >> 8 k. */
unsigned rp_rpz_address_frame(const struct rp_rpz_rows *rows, uint64_t *base, uint8_t *shift);

#endif
