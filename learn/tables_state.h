/* tables_state.h - a data set's columns, between the files that fill them (tables.c) and write them (tables_write.c). */
#ifndef RP_LEARN_TABLES_STATE_H
#define RP_LEARN_TABLES_STATE_H

#include "learn/tables.h"

#include "base/npz.h"

struct rp_table_column {
	const char *name, *what;
	enum rp_npy type;
	const char *const *names; /* of codes; NULL: a number */
	unsigned dims;            /* beside the row */
	uint64_t shape[2];
	size_t width; /* bytes of a row */
	unsigned char *data;
};

/* A column's cell of row k. */
static inline void *
rp_tables_cell(const struct rp_table_column *c, size_t k)
{
	return c->data + k * c->width;
}

/* The columns of a table, without data. */
const struct rp_table_column *rp_tables_list(enum rp_table which, size_t *n);

/* What a code of a column stands for; and whether its codes are numbers in rp_policies, not in `names`. */
const char *rp_tables_name(const struct rp_table_column *c, uint64_t code);
bool rp_tables_of_policies(const struct rp_table_column *c);

#endif
