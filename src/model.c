/* model.c - `reprise model`: closed forms without a trace; and what its parts share. */
#include "config.h"

#include "model.h"

#include "base/parse.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

bool
model_numbers(const char *option, const char *text, uint64_t least, struct model_numbers *to,
    struct rp_err *err)
{
	if (!text)
		return true;
	bool ok = rp_parse_list(text, false, &to->x, &to->n, err);
	for (size_t i = 0; ok && i < to->n; i++)
		if (to->x[i] < least)
			ok = rp_fail(
			    err, RP_USAGE, "%" PRIu64 " is not at least %" PRIu64, to->x[i], least);
	return ok || rp_err_wrap(err, "%s", option);
}

json_t *
model_wide(rp_wide x)
{
	char digits[RP_WIDE_ROOM];
	if (x >= INT64_MIN && x <= INT64_MAX)
		return json_integer((json_int_t)x);
	return json_string(rp_wide_print(digits, x));
}

json_t *
model_fraction(struct rp_fraction f)
{
	return json_pack("[oo]", model_wide(f.num), model_wide(f.den));
}

json_t *
model_list(const uint64_t *x, size_t n)
{
	json_t *list = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, rp_emit_count(x[i]));
	return list;
}

json_t *
model_count(double x)
{
	return x == trunc(x) && x < 0x1p53 ? json_integer((json_int_t)x) : json_real(x);
}

/* A term of a fraction, as a number and as its digits. */
static double
term(const json_t *v, char digits[RP_WIDE_ROOM])
{
	if (json_is_string(v)) {
		snprintf(digits, RP_WIDE_ROOM, "%s", json_string_value(v));
		return strtod(digits, NULL);
	}
	rp_wide_print(digits, json_integer_value(v));
	return json_number_value(v);
}

static void
add_text(json_t *row, const char *name, json_t *v)
{
	char key[64];
	snprintf(key, sizeof key, "%s_text", name);
	json_object_set(row, key, v);
}

static void
add_flat(json_t *row, const char *name, const json_t *fraction)
{
	char num[RP_WIDE_ROOM], den[RP_WIDE_ROOM], key[64];
	double x = term(json_array_get(fraction, 0), num) / term(json_array_get(fraction, 1), den);
	json_object_set_new(row, name, json_real(x));
	snprintf(key, sizeof key, "%s_num", name);
	json_object_set(row, key, json_array_get(fraction, 0));
	snprintf(key, sizeof key, "%s_den", name);
	json_object_set(row, key, json_array_get(fraction, 1));
	snprintf(key, sizeof key, "%s_text", name);
	json_object_set_new(row, key,
	    strcmp(den, "1") ? json_sprintf("%.6g = %s/%s", x, num, den) : json_string(num));
}

json_t *
model_flat(json_t *row, const char *const *names)
{
	json_t *flat = json_copy(row);
	for (; *names; names++) {
		json_t *v = json_object_get(row, *names);
		if (json_is_array(v))
			add_flat(flat, *names, v);
		else if (v) /* null: "-" */
			add_text(flat, *names, v);
	}
	return flat;
}

json_t *
model_document(const char *model)
{
	return json_pack(
	    "{ss ss ss}", "reprise", PACKAGE_VERSION, "command", "model", "model", model);
}

bool
model_print(const struct model_out *o, json_t *doc,
    bool (*text)(struct rp_out *to, json_t *doc, struct rp_err *err),
    bool (*csv)(struct rp_out *to, json_t *doc, struct rp_err *err), struct rp_err *err)
{
	if (!doc && err->code)
		return false;
	struct rp_out *to = rp_emit_whole(doc, err) ? rp_out_open(o->output, err) : NULL;
	rp_emit_begin();
	bool ok = to && (o->json     ? rp_emit_json(to, doc, err)
			    : o->csv ? csv(to, doc, err)
				     : text(to, doc, err));
	ok = rp_emit_close(to, doc, ok, err);
	json_decref(doc);
	return ok;
}

bool
model_warn(struct rp_out *to, json_t *doc, struct rp_err *err)
{
	size_t i;
	json_t *w;
	json_array_foreach(json_object_get(doc, "warnings"), i, w)
	{
		if (!rp_out_printf(to, err, "%swarning: %s\n", i ? "" : "\n", json_string_value(w)))
			return false;
	}
	return true;
}

bool
model_takes(const struct model_out *o, int n, char **argv, int most, struct rp_err *err)
{
	if (n > most)
		return rp_fail(err, RP_USAGE, "'%.40s': %s", argv[most],
		    most ? "wanted one profile" : "a model takes no trace");
	return !(o->json && o->csv) || rp_fail(err, RP_USAGE, "--json and --csv: give one of them");
}

static const struct rp_command *const models[] = { &rp_command_model_pascal, &rp_command_model_sdcm,
	&rp_command_model_che, &rp_command_model_recurrence, NULL };

const struct rp_command rp_command_model = {
	.name = "model",
	.what = "closed forms without a trace",
	.operands = "KIND [OPTIONS]",
	.example = "reprise model pascal --blocks 12 --capacity 6 --phases 0,1,5",
	.parts = models,
};
