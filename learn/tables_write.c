/* tables_write.c - a data set's columns as NPZ, CSV and JSON, and what is to be told of them. */
#include "config.h"

#include "learn/tables_state.h"

#include "base/emit.h"
#include "base/npz.h"
#include "sim/policy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static size_t
rows_of(const struct rp_tables *t, enum rp_table which)
{
	return which == RP_TABLE_TRACES    ? t->traces
	       : which == RP_TABLE_SAMPLES ? t->samples
	                                   : t->aggregates;
}

/* ---- writing ---- */

bool
rp_tables_npz(const struct rp_tables *t, enum rp_table which, struct rp_out *to, struct rp_err *err)
{
	struct rp_npz *z = rp_npz_new(err);
	bool ok = z;
	for (size_t i = 0; ok && i < t->columns[which]; i++) {
		const struct rp_table_column *c = t->column[which] + i;
		uint64_t shape[] = { rows_of(t, which), c->shape[0], c->shape[1] };
		ok = rp_npz_add(z, c->name, c->type, c->data, 1 + c->dims, shape, err);
	}
	ok = ok && rp_npz_write(z, to, err);
	rp_npz_free(z);
	return ok;
}

/* The value of a cell as a double; whole numbers below 2^53, which all but seeds are, are exact. */
static double
value(const struct rp_table_column *c, size_t k)
{
	uint32_t u;
	uint64_t w;
	float f;
	switch (c->type) {
	case RP_NPY_U32:
		memcpy(&u, rp_tables_cell(c, k), sizeof u);
		return u;
	case RP_NPY_U64:
		memcpy(&w, rp_tables_cell(c, k), sizeof w);
		return (double)w;
	default:
		memcpy(&f, rp_tables_cell(c, k), sizeof f);
		return (double)f;
	}
}

static uint64_t
whole(const struct rp_table_column *c, size_t k)
{
	uint64_t w;
	if (c->type != RP_NPY_U64)
		return (uint64_t)value(c, k);
	memcpy(&w, rp_tables_cell(c, k), sizeof w);
	return w;
}

static bool
csv_cell(const struct rp_table_column *c, size_t k, char *to, size_t room)
{
	if (c->names)
		snprintf(to, room, "%s", rp_tables_name(c, whole(c, k)));
	else if (c->type == RP_NPY_F32 && isnan(value(c, k)))
		*to = 0;
	else if (c->type == RP_NPY_F32)
		snprintf(to, room, "%.9g", value(c, k));
	else
		snprintf(to, room, "%llu", (unsigned long long)whole(c, k));
	return *to;
}

/* A name as a field of CSV, where it needs them in quotes. */
static bool
csv_name(struct rp_out *to, const char *name, struct rp_err *err)
{
	if (!strpbrk(name, ",\"\r\n"))
		return rp_out_printf(to, err, "%s", name);
	bool ok = rp_out_printf(to, err, "\"");
	for (; ok && *name; name++)
		ok = rp_out_printf(to, err, *name == '"' ? "\"\"" : "%c", *name);
	return ok && rp_out_printf(to, err, "\"");
}

static const struct rp_table_column *
find_column(const struct rp_tables *t, enum rp_table which, const char *name)
{
	const struct rp_table_column *c = t->column[which];
	while (strcmp(c->name, name))
		c++;
	return c;
}

/* The name of the item of a row of traces or aggregates; "" for synthetic ones. */
static const char *
item_name(const struct rp_tables *t, enum rp_table which, size_t row)
{
	const char *name = t->block[whole(find_column(t, which, "item"), row)].name;
	return name ? name : "";
}

bool
rp_tables_csv(const struct rp_tables *t, enum rp_table which, struct rp_out *to, struct rp_err *err)
{
	const struct rp_table_column *c = t->column[which];
	bool named = which != RP_TABLE_SAMPLES, ok = true;
	for (size_t i = 0; ok && i < t->columns[which]; i++)
		if (!c[i].dims)
			ok = rp_out_printf(to, err, "%s%s", i ? "," : "", c[i].name);
	ok = ok && rp_out_printf(to, err, "%s\n", named ? ",name" : "");
	for (size_t k = 0; ok && k < rows_of(t, which); k++) {
		for (size_t i = 0; ok && i < t->columns[which]; i++) {
			char text[64];
			if (c[i].dims)
				continue;
			csv_cell(c + i, k, text, sizeof text);
			ok = rp_out_printf(to, err, "%s%s", i ? "," : "", text);
		}
		if (ok && named)
			ok = rp_out_printf(to, err, ",") &&
			     csv_name(to, item_name(t, which, k), err);
		ok = ok && rp_out_printf(to, err, "\n");
	}
	return ok;
}

json_t *
rp_tables_json(const struct rp_tables *t, enum rp_table which)
{
	json_t *rows = json_array();
	for (size_t k = 0; k < rows_of(t, which); k++) {
		json_t *row = json_object();
		for (size_t i = 0; i < t->columns[which]; i++) {
			const struct rp_table_column *c = t->column[which] + i;
			if (c->dims)
				continue;
			json_t *v = c->names ? json_string(rp_tables_name(c, whole(c, k)))
			            : c->type != RP_NPY_F32 ? rp_emit_count(whole(c, k))
			            : isnan(value(c, k))    ? json_null()
			                                    : json_real(value(c, k));
			json_object_set_new(row, c->name, v);
		}
		if (which != RP_TABLE_SAMPLES)
			json_object_set_new(row, "name", rp_emit_text(item_name(t, which, k)));
		json_array_append_new(rows, row);
	}
	return rows;
}

static json_t *
names_json(const char *const *names)
{
	json_t *list = json_array();
	for (; *names; names++)
		json_array_append_new(list, json_string(*names));
	return list;
}

json_t *
rp_tables_codes(void)
{
	json_t *o = json_object(), *list = json_array();
	for (int i = 0; i < 2; i++) {
		size_t n;
		const struct rp_table_column *c = rp_tables_list((enum rp_table)i, &n);
		for (size_t k = 0; k < n; k++)
			if (c[k].names && !rp_tables_of_policies(c + k))
				json_object_set_new(o, c[k].name, names_json(c[k].names));
	}
	for (size_t i = 0; rp_policies[i]; i++)
		json_array_append_new(list, json_string(rp_policies[i]->name));
	json_object_set_new(o, "policy", list);
	return o;
}

json_t *
rp_tables_columns(const struct rp_tables *t, enum rp_table which)
{
	json_t *list = json_array();
	for (size_t i = 0; i < t->columns[which]; i++) {
		const struct rp_table_column *c = t->column[which] + i;
		json_t *shape = json_pack("[I]", (json_int_t)rows_of(t, which));
		for (unsigned d = 0; d < c->dims; d++)
			json_array_append_new(shape, json_integer((json_int_t)c->shape[d]));
		const char *type = c->type == RP_NPY_F32   ? "<f4"
		                   : c->type == RP_NPY_U32 ? "<u4"
		                                           : "<u8";
		json_array_append_new(list, json_pack("{ss ss so ss}", "name", c->name, "type",
						type, "shape", shape, "what", c->what));
	}
	return list;
}

json_t *
rp_tables_spread(const struct rp_tables *t, enum rp_table which, const char *column)
{
	const struct rp_table_column *c = t->column[which], *end = c + t->columns[which];
	size_t n = rows_of(t, which);
	while (c < end && strcmp(c->name, column))
		c++;
	if (c == end || c->dims || !n)
		return json_null();
	if (c->names) {
		json_t *o = json_object();
		for (size_t k = 0; k < n; k++) {
			const char *name = rp_tables_name(c, whole(c, k));
			json_int_t had = json_integer_value(json_object_get(o, name));
			json_object_set_new(o, name, json_integer(had + 1));
		}
		return o;
	}
	double least = INFINITY, most = -INFINITY, sum = 0;
	size_t any = 0;
	for (size_t k = 0; k < n; k++) {
		double x = value(c, k);
		if (isnan(x)) /* not measured */
			continue;
		any++;
		least = fmin(least, x);
		most = fmax(most, x);
		sum += x;
	}
	return any ? json_pack("{sf sf sf}", "min", least, "max", most, "mean", sum / (double)any)
	           : json_null();
}

json_t *
rp_tables_pairs(const struct rp_tables *t)
{
	const struct rp_table_column *peaks = find_column(t, RP_TABLE_TRACES, "N"),
				     *most = find_column(t, RP_TABLE_TRACES, "max_rd"),
				     *split = find_column(t, RP_TABLE_TRACES, "split");
	json_t *list = json_array(), *last = NULL;
	uint64_t at[2] = { 0 };
	for (size_t k = 0; k < t->traces; k++) {
		uint64_t here[] = { whole(peaks, k), whole(most, k) };
		if (!here[0])
			continue;
		if (!last || here[0] != at[0] || here[1] != at[1]) {
			last = json_pack("{sI sI ss sI}", "N", (json_int_t)here[0], "max_rd",
			    (json_int_t)here[1], "split", rp_tables_name(split, whole(split, k)),
			    "traces", (json_int_t)0);
			json_array_append_new(list, last);
			memcpy(at, here, sizeof at);
		}
		json_int_t n = json_integer_value(json_object_get(last, "traces"));
		json_object_set_new(last, "traces", json_integer(n + 1));
	}
	return list;
}
