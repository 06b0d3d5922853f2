/* axes.c - the lists that span the grid of a sweep. */
#include "config.h"

#include "sim/sweep/axes.h"

#include "base/mem.h"
#include "base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const rp_sweep_axis_name[RP_AXES] = { [RP_AXIS_POLICY] = "policy",
	[RP_AXIS_LINE] = "line",
	[RP_AXIS_SIZE] = "size",
	[RP_AXIS_SETS] = "sets",
	[RP_AXIS_WAYS] = "ways",
	[RP_AXIS_INDEX] = "index",
	[RP_AXIS_MSHR] = "mshr",
	[RP_AXIS_MERGE] = "merge",
	[RP_AXIS_LATENCY] = "latency" };

/* What an axis takes: numbers, or sizes, and words; `any`: any word. */
static const struct {
	bool numbers, sizes, any;
	const char *words[3];
} takes[RP_AXES] = { [RP_AXIS_POLICY] = { .any = true },
	[RP_AXIS_LINE] = { true, true, false, { NULL } },
	[RP_AXIS_SIZE] = { true, true, false, { NULL } },
	[RP_AXIS_SETS] = { true, false, false, { NULL } },
	[RP_AXIS_WAYS] = { true, false, false, { "full", NULL } },
	[RP_AXIS_INDEX] = { .any = true },
	[RP_AXIS_MSHR] = { true, false, false, { "none", "unlimited", NULL } },
	[RP_AXIS_MERGE] = { true, false, false, { "unlimited", NULL } },
	[RP_AXIS_LATENCY] = { true, false, false, { NULL } } };

static bool
add_text(struct rp_sweep_values *v, const char *text, struct rp_err *err)
{
	if (v->n == RP_SWEEP_POINTS)
		return rp_fail(err, RP_USAGE, "more than %d values", RP_SWEEP_POINTS);
	if (!(v->n & (v->n - 1))) {
		struct rp_sweep_value *grown =
		    rp_mem_grow(v->value, v->n ? 2 * v->n : 1, sizeof *grown, err);
		if (!grown)
			return false;
		v->value = grown;
	}
	char *own = text ? rp_mem_string(text, err) : NULL;
	if (text && !own)
		return false;
	v->value[v->n++] = (struct rp_sweep_value){ .text = own };
	return true;
}

static bool
add_numbers(struct rp_sweep_values *v, const char *text, bool sizes, struct rp_err *err)
{
	uint64_t *x;
	size_t n;
	char own[24];
	if (!rp_parse_list(text, sizes, &x, &n, err))
		return false;
	bool ok = true;
	for (size_t i = 0; ok && i < n; i++) {
		snprintf(own, sizeof own, "%" PRIu64, x[i]);
		ok = add_text(v, own, err);
	}
	free(x);
	return ok;
}

/* A piece of a list: a word, or a range of numbers. */
static bool
add_piece(struct rp_sweep_values *v, enum rp_sweep_axis axis, const char *piece,
    const struct rp_sweep_axes *axes, struct rp_err *err)
{
	for (size_t k = 0; k < 3 && takes[axis].words[k]; k++)
		if (!strcmp(piece, takes[axis].words[k]))
			return add_text(v, piece, err);
	if (takes[axis].numbers)
		return add_numbers(v, piece, takes[axis].sizes, err);
	return (axis != RP_AXIS_POLICY || rp_policy_find_with(piece, axes->plugins, err)) &&
	       add_text(v, piece, err);
}

static bool
read_list(struct rp_sweep_values *v, enum rp_sweep_axis axis, const char *list,
    const struct rp_sweep_axes *axes, struct rp_err *err)
{
	if (!list)
		return add_text(v, NULL, err);
	char *copy = rp_mem_string(list, err), *piece = copy;
	bool ok = copy;
	while (ok && piece) {
		char *comma = strchr(piece, ',');
		if (comma)
			*comma++ = 0;
		ok = add_piece(v, axis, piece, axes, err);
		piece = comma;
	}
	free(copy);
	return ok || rp_err_wrap(err, "--%s", rp_sweep_axis_name[axis]);
}

bool
rp_sweep_values_make(
    struct rp_sweep_values v[RP_AXES], const struct rp_sweep_axes *axes, struct rp_err *err)
{
	const char *const list[RP_AXES] = { [RP_AXIS_POLICY] = axes->policy ? axes->policy : "lru",
		[RP_AXIS_LINE] = axes->line ? axes->line : "64",
		[RP_AXIS_SIZE] = axes->size,
		[RP_AXIS_SETS] = axes->sets,
		[RP_AXIS_WAYS] = axes->ways,
		[RP_AXIS_INDEX] = axes->index,
		[RP_AXIS_MSHR] = axes->mshr,
		[RP_AXIS_MERGE] = axes->merge,
		[RP_AXIS_LATENCY] = axes->latency };
	memset(v, 0, RP_AXES * sizeof *v);
	for (unsigned a = 0; a < RP_AXES; a++)
		if (!read_list(&v[a], a, list[a], axes, err))
			return false;
	return true;
}

void
rp_sweep_values_free(struct rp_sweep_values v[RP_AXES])
{
	for (unsigned a = 0; a < RP_AXES; a++) {
		for (size_t i = 0; i < v[a].n; i++) {
			free(v[a].value[i].text);
			free(v[a].value[i].why);
		}
		free(v[a].value);
	}
	memset(v, 0, RP_AXES * sizeof *v);
}
