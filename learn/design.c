/* design.c - what a data set is made of, as people write it. */
#include "config.h"

#include "learn/design.h"

#include "base/mem.h"
#include "base/opt_json.h"
#include "base/parse.h"
#include "base/rng.h"
#include "base/yaml.h"
#include "gen/mixture.h"
#include "gen/synth.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define OPT(field) offsetof(struct rp_design_text, field)
static const struct rp_opt top_keys[] = {
	{ "name", 0, "TEXT", RP_OPT_TEXT, OPT(name), "", "of the data set" },
	{ "seed", 0, "S", RP_OPT_U64, OPT(seed), "1", "of everything drawn, but the split" },
	{ "peaks", 0, "LIST", RP_OPT_TEXT, OPT(peaks), "1,2,3,4,6,8,12,16", "peaks of profiles" },
	{ "max_rd", 0, "LIST", RP_OPT_TEXT, OPT(max_rd), "12,24,48,96,192,384,768,1536,3072,4096",
	    "distances are below it" },
	{ "pairs", 0, "LIST", RP_OPT_TEXT, OPT(pairs), NULL,
	    "N:MaxRD,... instead of each of `peaks` with each of `max_rd`" },
	{ "traces", 0, "N", RP_OPT_U32, OPT(traces), "50", "of a pair", 1, 1000000 },
	{ "length", 0, "N", RP_OPT_U64, OPT(length), "10000", "accesses of a trace", 1,
	    UINT32_MAX / 4 },
	{ "line", 0, "BYTES", RP_OPT_SIZE32, OPT(line), "64", "of a line", 8, 4096 },
	{ "recipe", 0, "NAME", RP_OPT_CHOICE, OPT(recipe), "wide", "plain or wide", 0, 0,
	    rp_recipe_names },
	{ "sigma", 0, "LOW..HIGH", RP_OPT_TEXT, OPT(sigma), "0..2", "of peaks" },
	{ "cold", 0, "SHARE", RP_OPT_TEXT, OPT(cold), NULL, "of first accesses; else drawn" },
	{ "layouts", 0, "LIST", RP_OPT_TEXT, OPT(layouts),
	    "random,random,random,sequential,sequential,strided:2,strided:3,strided:8,strided:32,"
	    "tile2d:4:64:16,tile2d:16:256:16,tile2d:32:1024:32,regions:2,regions:4,regions:16,"
	    "runs:4,runs:16,runs:64",
	    "of which each stream gets one" },
	{ "several", 0, "SHARE", RP_OPT_DOUBLE, OPT(several), "0.6666666666666666",
	    "of traces that are made of several streams" },
	{ "streams", 0, "LOW..HIGH", RP_OPT_TEXT, OPT(streams), "2..8", "of those" },
	{ "turns", 0, "LIST", RP_OPT_TEXT, OPT(turns), "rr,random,phases", "how they take turns" },
	{ "burst", 0, "B", RP_OPT_U32, OPT(burst), "32", "accesses a turn, at most", 1, 1 << 20 },
	{ "share", 0, "LIST", RP_OPT_TEXT, OPT(share), "none,none,stack,alias", "what they share" },
	{ "infeasible", 0, "LIST", RP_OPT_TEXT, OPT(infeasible), "to-cold,prewarm",
	    "what is done with profiles that no trace has" },
	{ "validation", 0, "SHARE", RP_OPT_DOUBLE, OPT(validation), "0.075", "of the pairs" },
	{ "test", 0, "SHARE", RP_OPT_DOUBLE, OPT(test), "0.2", "of the pairs" },
	{ "split_seed", 0, "S", RP_OPT_U64, OPT(split_seed), "1", "of which pairs these are" },
	{ "sample", 0, "N", RP_OPT_U32, OPT(sample), "16",
	    "conflicts are counted for one reuse in so many", 1, 1 << 20 },
	{ 0 },
};
static const struct rp_opt pool_keys[] = {
	{ "count", 0, "N", RP_OPT_U32, OPT(pool.count), "24", "caches a trace; 0: all", 0,
	    1000000 },
	RP_POOL_ROWS(struct rp_design_text, pool, "_"),
	{ 0 },
};

static const struct rp_pool_text pool_defaults = { .sets = "4..1024",
	.ways = "1,2,4,8,16",
	.lines = "16..8192",
	.latency = "8..512",
	.entries = "16,32,64,128,1024",
	.max_merge = "0",
	.policy = "lru",
	.index = "mod",
	.stall = "count",
	.count = 24 };

/* What `over` says, in place of what is there. */
static void
lay_over(struct rp_pool_text *to, const struct rp_pool_text *over)
{
#define OVER(field) to->field = over->field ? over->field : to->field;
	OVER(sets)
	OVER(ways)
	OVER(lines)
	OVER(latency)
	OVER(entries)
	OVER(max_merge)
	OVER(policy)
	OVER(index)
	OVER(stall)
	to->count = over->count != RP_POOL_USUAL ? over->count : to->count;
}

static bool
add_policy(void *to, const char *piece, struct rp_err *err)
{
	const struct rp_policy *p = rp_policy_find(piece, err);
	uint64_t i = 0;
	while (p && rp_policies[i] != p)
		i++;
	return p && rp_label_policy(p, err) && rp_numbers_add(to, i, err);
}

static bool
add_layout(void *to, const char *piece, struct rp_err *err)
{
	struct rp_design *d = to;
	struct rp_layout_spec *more = rp_mem_grow(d->layout, d->layouts + 1, sizeof *more, err);
	if (!more)
		return false;
	d->layout = more;
	return rp_layout_parse(piece, &d->layout[d->layouts++], err);
}

/* ---- the pool ---- */

/* All geometries of the pool, in order of their lists. Gives. */
static uint64_t *
geometries(const struct rp_pool *p, size_t *n, struct rp_err *err)
{
	uint64_t *all = rp_mem_array(p->sets.n * p->ways.n, sizeof *all, err);
	*n = 0;
	for (size_t s = 0; all && s < p->sets.n; s++)
		for (size_t w = 0; w < p->ways.n; w++) {
			uint64_t lines = p->sets.x[s] * p->ways.x[w];
			if (lines >= p->least && lines <= p->most)
				all[(*n)++] = p->sets.x[s] << 32 | p->ways.x[w];
		}
	if (all && !*n)
		rp_fail(err, RP_USAGE,
		    "no cache of these sets and ways has %" PRIu64 "..%" PRIu64 " lines", p->least,
		    p->most);
	if (all && *n)
		return all;
	free(all);
	return NULL;
}

bool
rp_pool_make(struct rp_pool *p, const struct rp_pool_text *t, struct rp_err *err)
{
	*p = (struct rp_pool){ .count = t->count };
	if (!rp_numbers_parse(&p->sets, "sets", t->sets, 1, 1 << 24, err) ||
	    !rp_numbers_parse(&p->ways, "ways", t->ways, 1, 1 << 24, err) ||
	    !rp_numbers_parse(&p->latency, "latency", t->latency, 0, RP_LABEL_LATENCY_MOST, err) ||
	    !rp_numbers_parse(&p->entries, "entries", t->entries, 0, RP_LABEL_LATENCY_MOST, err) ||
	    !rp_numbers_parse(&p->max_merge, "max_merge", t->max_merge, 0, UINT32_MAX, err) ||
	    !rp_names_parse(&p->index, "index", t->index, rp_label_indexes, err) ||
	    !rp_names_parse(&p->stall, "stall", t->stall, rp_label_stalls, err))
		return false;
	for (size_t i = 0; i < p->sets.n; i++)
		if (p->sets.x[i] & (p->sets.x[i] - 1))
			return rp_fail(
			    err, RP_USAGE, "sets: %" PRIu64 ": wanted powers of two", p->sets.x[i]);
	if (!rp_pieces(t->policy, add_policy, &p->policy, err))
		return rp_err_wrap(err, "policy");
	if (!rp_range_parse(t->lines, &p->least, &p->most, err))
		return rp_err_wrap(err, "lines");
	size_t n;
	uint64_t *geometry = geometries(p, &n, err);
	free(geometry);
	return geometry;
}

void
rp_pool_free(struct rp_pool *p)
{
	free(p->sets.x);
	free(p->ways.x);
	free(p->latency.x);
	free(p->entries.x);
	free(p->max_merge.x);
	free(p->policy.x);
	free(p->index.x);
	free(p->stall.x);
	*p = (struct rp_pool){ 0 };
}

/* Number `k` of all combinations. */
static struct rp_label_cache
combination(const struct rp_pool *p, const uint64_t *geometry, uint64_t k, uint32_t line)
{
	struct rp_label_cache c = { .line = line };
	c.max_merge = (uint32_t)p->max_merge.x[k % p->max_merge.n];
	k /= p->max_merge.n;
	c.entries = (uint32_t)p->entries.x[k % p->entries.n];
	k /= p->entries.n;
	c.latency = (uint32_t)p->latency.x[k % p->latency.n];
	k /= p->latency.n;
	c.sets = (uint32_t)(geometry[k] >> 32);
	c.ways = (uint32_t)geometry[k];
	return c;
}

/* Every variant of a cache, at `to`: how many. */
static size_t
variants(const struct rp_pool *p, const struct rp_label_cache *c, struct rp_label_cache *to)
{
	size_t n = 0;
	for (size_t a = 0; a < p->policy.n; a++)
		for (size_t b = 0; b < p->index.n; b++)
			for (size_t s = 0; s < p->stall.n; s++) {
				to[n] = *c;
				to[n].policy = (uint32_t)p->policy.x[a];
				to[n].index = (uint32_t)p->index.x[b];
				to[n++].stall = (uint32_t)p->stall.x[s];
			}
	return n;
}

bool
rp_pool_draw(const struct rp_pool *p, uint32_t line, struct rp_xoshiro *rng,
    struct rp_label_cache **cache, size_t *n, struct rp_err *err)
{
	size_t places, each = p->policy.n * p->index.n * p->stall.n;
	uint64_t *geometry = geometries(p, &places, err);
	if (!geometry)
		return false;
	uint64_t all = places * p->latency.n * p->entries.n * p->max_merge.n,
		 count = p->count && p->count < all ? p->count : all, *drawn = NULL;
	*n = 0;
	*cache = NULL;
	if (count > 1000000)
		rp_fail(err, RP_USAGE, "%" PRIu64 " caches for each trace: wanted a count, or less",
		    count);
	else if ((drawn = rp_mem_array(count, sizeof *drawn, err)))
		*cache = rp_mem_array(count * each, sizeof **cache, err);
	for (uint64_t i = 0; *cache && i < count; i++) {
		uint64_t k = count == all ? i : rp_xoshiro_below(rng, all), before = 0;
		while (count < all && before < i) { /* once each */
			before = 0;
			while (before < i && drawn[before] != k)
				before++;
			if (before < i)
				k = rp_xoshiro_below(rng, all);
		}
		drawn[i] = k;
		struct rp_label_cache c = combination(p, geometry, k, line);
		*n += variants(p, &c, *cache + *n);
	}
	free(drawn);
	free(geometry);
	return *cache;
}

/* ---- pairs ---- */

void
rp_design_split(struct rp_pair *pair, size_t n, double validation, double test, uint64_t seed)
{
	size_t n_test = (size_t)(test * (double)n + 0.5),
	       n_validation = (size_t)(validation * (double)n + 0.5);
	if (n >= 3) {
		n_test += test > 0 && !n_test;
		n_validation += validation > 0 && !n_validation;
	}
	struct rp_rng rng = rp_rng_for(seed, "learn/design/split", 0);
	/* Of those not dealt yet, any: all of test, then all of validation. */
	for (size_t i = 0; i < n; i++)
		pair[i].split = RP_TRAIN;
	for (size_t k = 0; k < n_test + n_validation && k < n; k++) {
		size_t skip = (size_t)rp_rng_below(&rng, n - k), i = 0;
		for (;; i++)
			if (pair[i].split == RP_TRAIN && !skip--)
				break;
		pair[i].split = k < n_test ? RP_TEST : RP_VALIDATION;
	}
}

static bool
add_pair(struct rp_design *d, uint64_t peaks, uint64_t max_rd, struct rp_err *err)
{
	if (!peaks || peaks > RP_PEAKS_MOST || !max_rd || max_rd > RP_ROW_BINS)
		return rp_fail(err, RP_USAGE,
		    "pair %" PRIu64 ":%" PRIu64 ": wanted 1..%d peaks and distances below 1..%d",
		    peaks, max_rd, RP_PEAKS_MOST, RP_ROW_BINS);
	for (size_t i = 0; i < d->pairs; i++)
		if (d->pair[i].peaks == peaks && d->pair[i].max_rd == max_rd)
			return rp_fail(err, RP_USAGE, "pair %" PRIu64 ":%" PRIu64 " comes twice",
			    peaks, max_rd);
	struct rp_pair *more = rp_mem_grow(d->pair, d->pairs + 1, sizeof *more, err);
	if (!more)
		return false;
	d->pair = more;
	d->pair[d->pairs++] = (struct rp_pair){ (uint32_t)peaks, (uint32_t)max_rd, RP_TRAIN };
	return true;
}

static bool
add_pair_text(void *to, const char *piece, struct rp_err *err)
{
	uint64_t peaks, max_rd;
	const char *at = piece, *end = piece + strlen(piece);
	if (!rp_scan_dec(&at, end, &peaks) || *at++ != ':' || !rp_scan_dec(&at, end, &max_rd) ||
	    at != end)
		return rp_fail(err, RP_USAGE, "'%.40s': wanted N:MaxRD, as 4:384", piece);
	return add_pair(to, peaks, max_rd, err);
}

static bool
make_pairs(struct rp_design *d, struct rp_err *err)
{
	struct rp_numbers peaks = { 0 }, max_rd = { 0 };
	if (d->text.pairs)
		return rp_pieces(d->text.pairs, add_pair_text, d, err) || rp_err_wrap(err, "pairs");
	bool ok = rp_numbers_parse(&peaks, "peaks", d->text.peaks, 1, RP_PEAKS_MOST, err) &&
	          rp_numbers_parse(&max_rd, "max_rd", d->text.max_rd, 1, RP_ROW_BINS, err);
	for (size_t i = 0; ok && i < peaks.n; i++)
		for (size_t k = 0; ok && k < max_rd.n; k++)
			ok = add_pair(d, peaks.x[i], max_rd.x[k], err);
	free(peaks.x);
	free(max_rd.x);
	return ok;
}

/* ---- the whole ---- */

static bool
share(const char *name, double x, struct rp_err *err)
{
	return (x >= 0 && x <= 1) ||
	       rp_fail(err, RP_USAGE, "%s: %g: wanted a share from 0 to 1", name, x);
}

/* What the texts mean. */
static bool
make(struct rp_design *d, struct rp_err *err)
{
	const struct rp_design_text *t = &d->text;
	uint64_t low, high;
	if (!share("several", t->several, err) || !share("validation", t->validation, err) ||
	    !share("test", t->test, err) ||
	    !share("validation and test", t->validation + t->test, err))
		return false;
	struct rp_mixture_params mixture = { .sigma = t->sigma, .cold = t->cold };
	if (!rp_mixture_check(&mixture, d->sigma, err))
		return false;
	if (t->line & (t->line - 1))
		return rp_fail(err, RP_USAGE, "line: %u: wanted a power of two", t->line);
	if (!make_pairs(d, err) || !rp_pool_make(&d->pool, &t->pool, err))
		return false;
	if (!rp_pieces(t->layouts, add_layout, d, err))
		return rp_err_wrap(err, "layouts");
	if (!rp_range_parse(t->streams, &low, &high, err) || !low || high > 4096)
		return rp_fail(
		    err, RP_USAGE, "streams: '%.40s': wanted LOW..HIGH in 1..4096", t->streams);
	d->streams_least = (uint32_t)low;
	d->streams_most = (uint32_t)high;
	if (t->several > 0 && t->length < high)
		return rp_fail(err, RP_USAGE, "length: wanted an access for each of %u streams",
		    d->streams_most);
	rp_design_split(d->pair, d->pairs, t->validation, t->test, t->split_seed);
	if (d->pairs * (uint64_t)t->traces > UINT32_MAX / 2)
		return rp_fail(err, RP_USAGE, "more than 2^31 traces");
	return rp_names_parse(&d->turns, "turns", t->turns, rp_turns_names, err) &&
	       rp_names_parse(&d->share, "share", t->share, rp_share_names, err) &&
	       rp_names_parse(
		   &d->infeasible, "infeasible", t->infeasible, rp_infeasible_names, err);
}

/* A value as text: a list of texts is joined by commas. */
static char *
value_text(
    struct rp_design *d, const struct rp_yaml *y, const struct rp_yaml_node *v, struct rp_err *err)
{
	struct rp_buf b = { 0 };
	bool ok = true;
	if (v->kind == RP_YAML_MAP) {
		rp_yaml_fail(y, v, err, "%s: wanted a text or a list", v->key);
		return NULL;
	}
	if (v->kind == RP_YAML_TEXT)
		return rp_arena_string(&d->arena, v->text, err);
	ok = rp_buf_reserve(&b, 1, err);
	for (const struct rp_yaml_node *i = v->first; ok && i; i = i->next)
		ok = i->kind == RP_YAML_TEXT
		         ? rp_buf_printf(&b, err, "%s%s", b.n ? "," : "", i->text)
		         : rp_yaml_fail(y, i, err, "%s: wanted a list of texts", v->key);
	char *text = ok ? rp_arena_string(&d->arena, b.n ? (char *)b.bytes : "", err) : NULL;
	rp_buf_free(&b);
	return text;
}

static bool
take_keys(struct rp_design *d, const struct rp_yaml *y, const struct rp_yaml_node *map,
    const struct rp_opt *keys, const char *nested, struct rp_err *err)
{
	if (map->kind != RP_YAML_MAP)
		return rp_yaml_fail(
		    y, map, err, "found %s: wanted keys", rp_yaml_kind_name(map->kind));
	for (const struct rp_yaml_node *v = map->first; v; v = v->next) {
		if (nested && !strcmp(v->key, nested)) {
			if (!take_keys(d, y, v, pool_keys, NULL, err))
				return false;
			continue;
		}
		char *text = value_text(d, y, v, err);
		if (!text)
			return false;
		if (!rp_opts_set_key(keys, &d->text, v->key, text, err))
			return rp_yaml_wrap(y, v, err);
	}
	return true;
}

bool
rp_design_read(const char *path, uint64_t seed, const struct rp_pool_text *over,
    struct rp_design *d, struct rp_err *err)
{
	struct rp_yaml y = { 0 };
	bool ok = rp_opts_default(top_keys, &d->text, err) && rp_yaml_read(path, &y, err);
	d->text.seed = seed;
	d->text.pool = pool_defaults;
	ok = ok && take_keys(d, &y, y.root, top_keys, "configurations", err);
	lay_over(&d->text.pool, over);
	if (ok && !(ok = make(d, err)) && err->code != RP_RESOURCE) {
		rp_err_wrap(err, "%s", path);
		err->code = RP_INPUT;
	}
	rp_yaml_free(&y);
	if (!ok)
		rp_design_free(d);
	return ok;
}

bool
rp_design_empty(const struct rp_pool_text *over, struct rp_design *d, struct rp_err *err)
{
	if (!rp_opts_default(top_keys, &d->text, err))
		return false;
	d->text.pool = pool_defaults;
	lay_over(&d->text.pool, over);
	if (rp_pool_make(&d->pool, &d->text.pool, err))
		return true;
	rp_design_free(d);
	return false;
}

void
rp_design_free(struct rp_design *d)
{
	rp_pool_free(&d->pool);
	free(d->pair);
	free(d->layout);
	free(d->turns.x);
	free(d->share.x);
	free(d->infeasible.x);
	rp_arena_free(&d->arena);
	*d = (struct rp_design){ 0 };
}

json_t *
rp_design_json(const struct rp_design *d)
{
	json_t *o = rp_opts_json(top_keys, &d->text);
	if (d->text.pairs) {
		json_object_del(o, "peaks");
		json_object_del(o, "max_rd");
	}
	json_object_set_new(o, "configurations", rp_opts_json(pool_keys, &d->text));
	return o;
}
