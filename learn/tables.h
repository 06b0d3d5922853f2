/* tables.h - a data set's files: NPZ for programs, CSV for people, a row a trace or interval, a row a trace and cache.
 *
 * Profiles are stored once: `samples` has in `tid` the number of its row of `traces`. */
#ifndef RP_LEARN_TABLES_H
#define RP_LEARN_TABLES_H

#include "learn/rows.h"

#include "base/out.h"

#include <jansson.h>

/* What was made of an item: rows as learn/rows.h puts them. */
struct rp_block {
	unsigned char *bytes; /* `n`, and 16 more that may be read */
	size_t n;
	const char *name; /* of a real trace, borrowed; NULL: it is synthetic */
};

/* All columns of all rows. Starts as zeroes; released with rp_tables_free. */
struct rp_tables {
	size_t traces, samples, aggregates; /* rows */
	/* private to tables.c */
	struct rp_table_column *column[3];
	size_t columns[3];
	const struct rp_block *block;
	size_t blocks;
};

enum rp_table { RP_TABLE_TRACES, RP_TABLE_SAMPLES, RP_TABLE_AGGREGATES };

/* Reads the blocks, which are borrowed until rp_tables_free, into columns. RP_INPUT: one is damaged. */
bool rp_tables_make(
    struct rp_tables *t, const struct rp_block *block, size_t blocks, struct rp_err *err);
void rp_tables_free(struct rp_tables *t);

/* Writes a table as NPZ (traces and samples), and as CSV without the columns that are matrices (all). */
bool rp_tables_npz(
    const struct rp_tables *t, enum rp_table which, struct rp_out *to, struct rp_err *err);
bool rp_tables_csv(
    const struct rp_tables *t, enum rp_table which, struct rp_out *to, struct rp_err *err);

/* The rows of a table as an array of objects, without matrices; names instead of codes. Gives; NULL without memory. */
json_t *rp_tables_json(const struct rp_tables *t, enum rp_table which);

/* What the codes of columns mean: {"policy": ["lru", ...], ...}. Gives. */
json_t *rp_tables_codes(void);

/* [{"name", "type", "shape", "what"}, ...] of a table's columns. Gives. */
json_t *rp_tables_columns(const struct rp_tables *t, enum rp_table which);

/* How a column's values are spread: {"min", "max", "mean"}, or {"name": rows, ...} of one with codes; null if there are no
 * values, or it is a matrix. Gives. */
json_t *rp_tables_spread(const struct rp_tables *t, enum rp_table which, const char *column);

/* [{"N", "max_rd", "split", "traces"}, ...]: the pairs of synthetic traces, in order of their rows. Gives. */
json_t *rp_tables_pairs(const struct rp_tables *t);

#endif
