/* counts.h - a reuse profile in whole accesses: how many have each reuse distance, and how many are the first of a line.
 *
 * The distance of an access is how many other lines were touched since the last access to its own line. Section numbers are
 * those of the specification of MLCRP's data sets, after M. Cho, E.-Y. Chung, "MLCRP", IEEE Access, 2025. */
#ifndef RP_GEN_COUNTS_H
#define RP_GEN_COUNTS_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Distances are below RP_COUNTS_MOST; a profile has RP_ACCESSES_MOST accesses at most. */
enum { RP_COUNTS_MOST = 1 << 29, RP_ACCESSES_MOST = INT32_MAX };

/* Starts as zeroes; released with rp_counts_free. */
struct rp_counts {
	uint32_t *count; /* by distance */
	size_t n;        /* distances there is room for */
	uint64_t cold;   /* first accesses */
};

/* All 0, for n distances. */
bool rp_counts_new(struct rp_counts *c, size_t n, struct rp_err *err);
bool rp_counts_copy(struct rp_counts *to, const struct rp_counts *from, struct rp_err *err);
void rp_counts_free(struct rp_counts *c);

uint64_t rp_counts_sum(const struct rp_counts *c); /* accesses, cold ones too */

/* The largest distance that is there, and 1; 0: none is. */
size_t rp_counts_depth(const struct rp_counts *c);

/* Sum of all differences, the cold ones' too. */
uint64_t rp_counts_l1(const struct rp_counts *a, const struct rp_counts *b);

/* From `{"counts": {"0": 3, ...}, "cold": 6}`, or from what `profile --json` prints: `{"histogram": [[low, high, count],
 * ...], "cold": n}` with a distance a bin. Other members are passed by. RP_INPUT. */
bool rp_counts_from_json(struct rp_counts *c, const json_t *from, struct rp_err *err);

/* {"counts": {distance: count, ...}, "cold": n}: only those above 0. Gives; NULL: no memory. */
json_t *rp_counts_json(const struct rp_counts *c);

/* Whole counts of `length` accesses (at most RP_ACCESSES_MOST) from shares that sum to 1: floors, and what is missing to those with the
 * largest remainders, of equals to the smaller distance, the cold ones last (section 4). */
bool rp_counts_apportion(struct rp_counts *c, const double *share, size_t n, double cold,
    uint64_t length, struct rp_err *err);

/* A trace with these counts exists if and only if cold + prewarm >= depth, where `prewarm` lines were touched before
 * (section 5). Makes the deepest accesses cold, one by one, until it does: how many. */
uint64_t rp_counts_repair(struct rp_counts *c, uint64_t prewarm);

#endif
