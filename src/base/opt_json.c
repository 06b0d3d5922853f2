/* opt_json.c - the values of a table of options as JSON. */
#include "config.h"

#include "base/opt_json.h"

#include "base/emit.h"

#include <inttypes.h>
#include <stdio.h>

static json_t *
whole(uint64_t n)
{
	char text[24];
	if (n <= INT64_MAX)
		return json_integer((json_int_t)n);
	snprintf(text, sizeof text, "%" PRIu64, n);
	return json_string(text);
}

/* NULL: it has none. */
static json_t *
value(const struct rp_opt *row, const void *at)
{
	const char *text;
	switch (row->kind) {
	case RP_OPT_FLAG:
		return json_boolean(*(const bool *)at);
	case RP_OPT_U64:
	case RP_OPT_SIZE:
		return whole(*(const uint64_t *)at);
	case RP_OPT_U32:
	case RP_OPT_SIZE32:
		return json_integer(*(const uint32_t *)at);
	case RP_OPT_DOUBLE:
		return json_real(*(const double *)at);
	case RP_OPT_CHOICE:
		return json_string(row->choices[*(const unsigned *)at]);
	case RP_OPT_TEXT:
		text = *(const char *const *)at;
		return text ? rp_emit_text(text) : NULL;
	default:
		return NULL;
	}
}

json_t *
rp_opts_json(const struct rp_opt *rows, const void *values)
{
	json_t *o = json_object();
	for (; rows->name; rows++) {
		json_t *v = value(rows, (const char *)values + rows->offset);
		if (v)
			json_object_set_new(o, rows->name, v);
	}
	return o;
}
