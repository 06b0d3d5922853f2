/* law.c - the closed forms of a generated scan beside simulated misses. */
#include "config.h"

#include "law.h"

#include "base/mem.h"
#include "gen/scan.h"
#include "sim/ttl.h"
#include "validate/pascal.h"
#include "validate/sdcm.h"

#include <inttypes.h>
#include <string.h>

enum { EXACT_MOST = 2048 }; /* workers whose reuse distances are computed */

struct law {
	struct rp_pascal *p;
	uint64_t warmup, base; /* rows; address */
	uint32_t block, step;  /* bytes of a block, of an access */
};

static bool
take_params(
    void *to, const struct rp_generator *g, const void *params, uint64_t seed, struct rp_err *err)
{
	struct law *l = to;
	const struct rp_scan_params *p = params;
	struct rp_phases f;
	if (g != &rp_generator_scan)
		return rp_fail(err, RP_USAGE, "--law is about scans: wanted gen:scan,...");
	if (!rp_phases_make(&p->start, p->blocks, seed, &f, err))
		return false;
	l->p = rp_pascal_new(f.phase, f.workers, p->blocks, err);
	free(f.phase);
	l->base = p->base;
	l->block = p->block;
	l->step = p->line ? p->line : p->block;
	return l->p && (l->p->workers > EXACT_MOST || rp_pascal_distances(l->p, err));
}

struct law *
law_open(const struct rp_input_opts *in, int n, char **traces, uint64_t warmup, struct rp_err *err)
{
	if (n != 1 || strncmp(traces[0], "gen:", 4)) {
		rp_fail(
		    err, RP_USAGE, "--law is about one generated scan: wanted gen:scan,... alone");
		return NULL;
	}
	if (in->skip || in->kinds || in->streams || strcmp(in->interleave, "recorded")) {
		rp_fail(err, RP_USAGE,
		    "--law is about the whole scan in its order: no --skip, --kinds, --streams, "
		    "--interleave");
		return NULL;
	}
	struct law *l = rp_mem_array(1, sizeof *l, err);
	if (l)
		l->warmup = warmup;
	if (l && rp_gen_with(traces[0] + 4, in->seed, take_params, l, err))
		return l;
	law_free(l);
	return NULL;
}

void
law_free(struct law *l)
{
	if (!l)
		return;
	rp_pascal_free(l->p);
	free(l);
}

/* A block may be several lines that come one after the other, or an access must be a line. */
static const char *
unfit(const struct law *l, const struct rp_cache_spec *s)
{
	if (s->gpu || rp_cache_spec_sectored(s) || s->mshr.on)
		return "the cache is not of whole lines that come at once";
	if (l->step != s->line || l->base % s->line)
		return "a line of the cache is not what an access is of";
	if (!s->policy->unbounded && (uint64_t)s->sets * s->ways % (l->block / l->step))
		return "its lines are no whole number of blocks";
	return NULL;
}

/* Rounds that were counted and the first of them; false: no whole ones. */
static bool
rounds_of(const struct law *l, uint64_t accesses, uint64_t *first, uint64_t *counted)
{
	uint64_t round = l->p->workers * (uint64_t)(l->block / l->step);
	*first = l->warmup / round;
	*counted = accesses > l->warmup ? (accesses - l->warmup) / round : 0;
	return accesses >= l->warmup && accesses % round == 0 && l->warmup % round == 0;
}

/* Misses of so many rounds from empty, of those whose lag or gap x is kept or not. */
static uint64_t
from_empty(bool kept, uint64_t x, uint64_t rounds)
{
	return kept && x < rounds ? x : rounds;
}

static uint64_t
ttl_misses(const struct rp_pascal *p, uint64_t window, uint64_t rounds)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < p->distinct; i++)
		n += from_empty(p->gap[i] <= window, p->gap[i], rounds);
	return n;
}

static uint64_t
lru_misses(const struct rp_pascal *p, uint64_t capacity, uint64_t rounds)
{
	uint64_t n = 0;
	for (uint32_t m = 0; m < p->workers; m++)
		n += from_empty(p->rd[m] < capacity, p->previous[m].lag, rounds);
	return n;
}

static void
put_exact(json_t *row, uint64_t k, uint64_t lines, bool whole, uint64_t misses)
{
	json_object_set_new(row, "K", rp_emit_count(k * lines));
	if (whole)
		json_object_set_new(row, "misses", rp_emit_count(misses * lines));
}

/* K is in lines, as the simulated misses are: every line of a block hits or misses as the block does. */
static void
put_law(const struct law *l, const struct rp_cache_spec *s, uint64_t accesses, json_t *row)
{
	const struct rp_pascal *p = l->p;
	uint64_t lines = l->block / l->step, C = (uint64_t)s->sets * s->ways / lines, first,
		 counted;
	bool whole = rounds_of(l, accesses, &first, &counted),
	     lru = !strcmp(s->policy->name, "lru");
	uint64_t all = first + counted;
	if (s->policy->unbounded) {
		uint64_t T = s->arg[RP_TTL_WINDOW];
		json_object_set_new(
		    row, "form", json_string(s->arg[RP_TTL_SLOTTED] ? "ttl" : "none"));
		if (s->arg[RP_TTL_SLOTTED])
			put_exact(row, rp_pascal_gaps_above(p, T), lines, whole,
			    ttl_misses(p, T, all) - ttl_misses(p, T, first));
		return;
	}
	json_object_set_new(row, "C", rp_emit_count(C));
	if (lru && p->rd && s->sets == 1) {
		json_object_set_new(row, "form", json_string("lru"));
		put_exact(row, rp_pascal_lru(p, C), lines, whole,
		    lru_misses(p, C, all) - lru_misses(p, C, first));
	} else if (lru && p->rd && lines == 1) {
		double k = rp_pascal_sdcm(p, s->ways, C);
		json_object_set_new(row, "form", json_string("sdcm"));
		json_object_set_new(row, "K", json_real(k));
		if (whole && first >= p->blocks)
			json_object_set_new(row, "misses", json_real(k * (double)counted));
	} else {
		json_object_set_new(row, "form", json_string("bound"));
		json_object_set_new(
		    row, "K", json_real(rp_fraction_double(rp_pascal_bound(p, C)) * (double)lines));
		/* Lines are blocks of their own that are requested in turn: as many times the misses, rounded up together. */
		uint64_t least = rp_pascal_cold_bound(p, C, counted * lines),
			 held = (C < p->blocks ? C : p->blocks) * lines;
		least = !first ? least : least > held ? least - held : 0;
		if (whole)
			json_object_set_new(row, "misses", rp_emit_count(least));
	}
}

json_t *
law_row(const struct law *l, const struct rp_cache_spec *s, uint64_t accesses, uint64_t misses,
    struct rp_err *err)
{
	json_t *row = json_object();
	const char *why = unfit(l, s);
	if (why) {
		json_object_set_new(row, "form", json_string("none"));
		json_object_set_new(row, "why", json_string(why));
	} else
		put_law(l, s, accesses, row);
	json_object_set_new(row, "simulated", rp_emit_count(misses));
	if (!row)
		rp_fail(err, RP_RESOURCE, "out of memory: results");
	return row;
}

const struct rp_view law_views[LAW_VIEWS] = { { "law", "law.form", RP_CELL_TEXT },
	{ "law_K", "law.K", RP_CELL_RATIO }, { "law_misses", "law.misses", RP_CELL_RATIO } };

bool
law_print(struct rp_out *to, json_t *rows, struct rp_err *err)
{
	static const struct rp_view view[] = { { "cache", "name", RP_CELL_TEXT },
		{ "blocks", "law.C", RP_CELL_COUNT }, { "closed form", "form", RP_CELL_TEXT },
		{ "misses a round", "k", RP_CELL_HEX }, { "misses", "total", RP_CELL_HEX },
		{ "simulated", "law.simulated", RP_CELL_COUNT } };
	static const char *const form[][2] = { { "lru", "LRU, exact" }, { "ttl", "TTL, exact" },
		{ "sdcm", "SDCM, about" }, { "bound", "at least" } };
	json_t *list = json_array(), *row;
	size_t i;
	json_array_foreach(rows, i, row)
	{
		json_t *one = json_copy(row), *law = json_object_get(row, "law"),
		       *k = json_object_get(law, "K"), *total = json_object_get(law, "misses");
		const char *name = json_string_value(json_object_get(law, "form"));
		char text[48];
		for (size_t f = 0; name && f < sizeof form / sizeof *form; f++)
			name = strcmp(name, form[f][0]) ? name : form[f][1];
		json_object_set_new(one, "form", json_string(name ? name : ""));
		snprintf(text, sizeof text, k ? "%.6g" : "-", json_number_value(k));
		json_object_set_new(one, "k", json_string(text));
		if (json_is_integer(total))
			rp_print_count(text, (uint64_t)json_integer_value(total));
		else
			snprintf(text, sizeof text, total ? "%.1f" : "-", json_number_value(total));
		json_object_set_new(one, "total", json_string(text));
		json_array_append_new(list, one);
	}
	bool ok =
	    rp_out_printf(to, err, "\nlaw of the scan (PASCAL), beside what was simulated\n") &&
	    rp_emit_table(to, list, view, sizeof view / sizeof *view, false, err);
	json_decref(list);
	return ok;
}
