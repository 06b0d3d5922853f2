/* tree_spec.c - the YAML file of a hierarchy: read, completed, checked. */
#include "config.h"

#include "sim/tree_spec.h"
#include "sim/coherence/spec.h"

#include "base/buf.h"
#include "base/parse.h"
#include "base/yaml.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLICE_BLOCK = 256 /* bytes that stay together in a slice by ipoly */ };

static const char *const per_names[] = { "all", "stream", NULL };
static const char *const inclusion_names[] = { "nine", "inclusive", "exclusive", NULL };
static const char *const slice_names[] = { "mod", "ipoly", NULL };
enum { AUTO, YES, NO };
static const char *const empty_names[] = { "auto", "empty", "keep", NULL };
static const char *const warm_names[] = { "auto", "warm", "ignore", NULL };

static const char *const eviction_names[] = { "explicit", "silent", NULL };

/* What is said of a level; 0 and NULL stand for nothing. */
struct given {
	const char *name, *cache, *parent, *kinds, *groups, *coherence, *directory;
	unsigned per, inclusion, slice_hash, kernel_end, host_copy, clean_eviction;
	uint32_t streams_per, slices;
};

#define KEY(field) offsetof(struct given, field)
const struct rp_opt rp_level_keys[] = {
	{ "name", 0, "NAME", RP_OPT_TEXT, KEY(name), NULL,
	    .what = "what the output and other levels call it; else L and its place in the list" },
	{ "cache", 0, "SPEC", RP_OPT_TEXT, KEY(cache), NULL,
	    .what = "the specification of one of its caches, as of --cache (reprise-cache(7)); "
		    "required" },
	{ "parent", 0, "NAME", RP_OPT_TEXT, KEY(parent), NULL,
	    .what = "the level below, or memory; else the next in the list, and memory for the "
		    "last" },
	{ "per", 0, "all|stream", RP_OPT_CHOICE, KEY(per), "all",
	    .what = "one cache for all streams, or one for each", .choices = per_names },
	{ "streams_per", 0, "N", RP_OPT_U32, KEY(streams_per), NULL,
	    .what = "one cache for each N streams: 0 to N - 1, N to 2 N - 1, ...", .least = 1,
	    .most = UINT32_MAX },
	{ "groups", 0, "LIST", RP_OPT_TEXT, KEY(groups), NULL,
	    .what = "one cache for each group in a list of lists of streams, as [[0-3], [4, 6]]; "
		    "other streams pass the level by" },
	{ "kinds", 0, "LIST", RP_OPT_TEXT, KEY(kinds), NULL,
	    .what = "of read, write, atomic, prefetch, fetch, those that enter the tree here; else "
		    "what no other level names enters at the top" },
	{ "inclusion", 0, "nine|inclusive|exclusive", RP_OPT_CHOICE, KEY(inclusion), "nine",
	    .what = "what it has of the lines above it", .choices = inclusion_names },
	{ "slices", 0, "N", RP_OPT_U32, KEY(slices), "1",
	    .what = "each of its caches is N of that specification, with a share of the lines each",
	    .least = 1, .most = RP_SLICES_MOST },
	{ "slice_hash", 0, "mod|ipoly", RP_OPT_CHOICE, KEY(slice_hash), "mod",
	    .what = "a line's slice: line mod N, or as on a V100 (N of 16, 32, 64)",
	    .choices = slice_names },
	{ "kernel_end", 0, "empty|keep", RP_OPT_CHOICE, KEY(kernel_end), "auto",
	    .what = "what the end of a GPU kernel does to it; auto: levels with none above are "
		    "emptied, unless the level is the only one",
	    .choices = empty_names },
	{ "host_copy", 0, "warm|ignore", RP_OPT_CHOICE, KEY(host_copy), "auto",
	    .what = "whether a copy from the host brings its lines in; auto: into the levels above "
		    "memory, unless nothing is above them",
	    .choices = warm_names },
	{ "coherence", 0, "PROTOCOL", RP_OPT_TEXT, KEY(coherence), NULL,
	    .what = "its caches are kept coherent by a home below them, as of reprise coherence: "
		    "msi; for the level with none above" },
	{ "directory", 0, "KIND", RP_OPT_TEXT, KEY(directory), NULL,
	    .what = "the home's directory, as of coherence --directory; else full" },
	{ "clean_eviction", 0, "explicit|silent", RP_OPT_CHOICE, KEY(clean_eviction), "explicit",
	    .what = "whether the home is told of clean lines that are replaced",
	    .choices = eviction_names },
	{ 0 },
};

/* A tree while it is read. */
struct reading {
	struct rp_tree_spec *out;
	struct rp_yaml yaml;
	const struct rp_yaml_node **level; /* by level: its map */
	struct given *given;
	uint32_t line;
	uint64_t seed;
	const struct rp_plugins *plugins;
	struct rp_err *err;
};

/* The node of a key of level i, for the place of an error; the level's own if it is not there. */
static const struct rp_yaml_node *
node_of(const struct reading *r, size_t i, const char *key)
{
	const struct rp_yaml_node *n = rp_yaml_at(r->level[i], key);
	return n ? n : r->level[i];
}

/* A list of texts as one, with commas. */
static const char *
joined(struct reading *r, const struct rp_yaml_node *list)
{
	struct rp_buf b = { 0 };
	bool ok = rp_buf_printf(&b, r->err, "%s", "");
	for (const struct rp_yaml_node *n = list->first; ok && n; n = n->next)
		ok = n->kind == RP_YAML_TEXT
		         ? rp_buf_printf(&b, r->err, "%s%s", n == list->first ? "" : ",", n->text)
		         : rp_yaml_fail(&r->yaml, n, r->err, "%s: %s in the list; wanted a text",
			       list->key, rp_yaml_kind_name(n->kind));
	char *text = ok ? rp_arena_string(&r->out->arena, (const char *)b.bytes, r->err) : NULL;
	rp_buf_free(&b);
	return text;
}

static bool
read_key(struct reading *r, struct given *g, const struct rp_yaml_node *n)
{
	const char *text = n->text;
	if (!strcmp(n->key, "groups")) {
		g->groups = "";
		return n->kind == RP_YAML_LIST ||
		       rp_yaml_fail(&r->yaml, n, r->err,
			   "groups: %s; wanted a list of lists of streams, as [[0-3], [4, 6]]",
			   rp_yaml_kind_name(n->kind));
	}
	if (n->kind == RP_YAML_LIST && !strcmp(n->key, "kinds")) {
		if (!(text = joined(r, n)))
			return false;
	} else if (n->kind != RP_YAML_TEXT) {
		return rp_yaml_fail(&r->yaml, n, r->err, "%s: %s; wanted a text", n->key,
		    rp_yaml_kind_name(n->kind));
	}
	/* {cache: lru,size=32KiB}: the comma ends the value. */
	if (strchr(n->key, '=') && !*text)
		return rp_yaml_fail(&r->yaml, n, r->err,
		    "no key '%.40s'; between { and } a specification wants quotes, as in "
		    "cache: \"lru,size=32KiB\"",
		    n->key);
	if (!rp_opts_set_key(rp_level_keys, g, n->key, text, r->err))
		return rp_yaml_wrap(&r->yaml, n, r->err);
	return *text || rp_yaml_fail(&r->yaml, n, r->err, "%s: nothing behind it", n->key);
}

/* A range of streams: "3" or "0-3". */
static bool
read_range(struct reading *r, const struct rp_yaml_node *n, struct rp_stream_range *to)
{
	char low[24];
	const char *dash = n->kind == RP_YAML_TEXT ? strchr(n->text, '-') : NULL;
	uint64_t first, last;
	if (n->kind != RP_YAML_TEXT)
		return rp_yaml_fail(&r->yaml, n, r->err,
		    "groups: %s; wanted a stream, or some, as 0-3", rp_yaml_kind_name(n->kind));
	snprintf(low, sizeof low, "%.*s", dash ? (int)(dash - n->text) : 23, n->text);
	if (!rp_parse_u64(low, &first, NULL) || !rp_parse_u64(dash ? dash + 1 : low, &last, NULL) ||
	    first > last || last > UINT32_MAX)
		return rp_yaml_fail(&r->yaml, n, r->err,
		    "groups: '%.40s' is neither a stream nor some, as 0-3", n->text);
	to->first = (uint32_t)first;
	to->last = (uint32_t)last;
	return true;
}

static int
by_first(const void *a, const void *b)
{
	uint32_t x = ((const struct rp_stream_range *)a)->first,
		 y = ((const struct rp_stream_range *)b)->first;
	return (x > y) - (x < y);
}

/* Sorts ranges and joins neighbours of one group: how many are left; 0 if two overlap. */
static size_t
join_ranges(struct rp_stream_range *range, size_t n)
{
	size_t to = 0;
	qsort(range, n, sizeof *range, by_first);
	for (size_t i = 1; i < n; i++) {
		if (range[i].first <= range[to].last)
			return 0;
		if (range[i].group == range[to].group && range[i].first == range[to].last + 1)
			range[to].last = range[i].last;
		else
			range[++to] = range[i];
	}
	return to + 1;
}

/* [[0-3], [4, 6]]: a group is a list, or one text. */
static bool
read_groups(struct reading *r, const struct rp_yaml_node *list, struct rp_level_spec *l)
{
	size_t n = 0, k = 0;
	uint32_t group = 0;
	for (const struct rp_yaml_node *g = list->first; g; g = g->next)
		n += g->kind == RP_YAML_LIST ? g->n : 1;
	struct rp_stream_range *range = rp_arena_take(&r->out->arena, n * sizeof *range, r->err);
	if (!range)
		return false;
	for (const struct rp_yaml_node *g = list->first; g; g = g->next, group++) {
		const struct rp_yaml_node *one = g->kind == RP_YAML_LIST ? g->first : g;
		if (!one)
			return rp_yaml_fail(&r->yaml, g, r->err, "groups: a group without streams");
		for (; one; one = g->kind == RP_YAML_LIST ? one->next : NULL) {
			range[k].group = group;
			if (!read_range(r, one, &range[k++]))
				return false;
		}
	}
	l->range = range;
	l->ranges = n ? join_ranges(range, n) : 0;
	return l->ranges ||
	       rp_yaml_fail(&r->yaml, list, r->err,
		   n ? "groups: a stream is in two of them" : "groups: the list is empty");
}

static bool
read_kinds(struct reading *r, const char *text, const struct rp_yaml_node *at, unsigned *to)
{
	while (*text) {
		size_t n = strcspn(text, ",");
		unsigned kind = 0;
		while (kind < RP_KINDS &&
		       (strncmp(rp_kind_name(kind), text, n) || rp_kind_name(kind)[n]))
			kind++;
		if (kind == RP_KINDS || !n)
			return rp_yaml_fail(&r->yaml, at, r->err,
			    "kinds: '%.*s' is none of read, write, atomic, prefetch, fetch",
			    (int)(n < 40 ? n : 40), text);
		*to |= 1U << kind;
		text += n;
		text += *text == ',' && text[1];
	}
	return true;
}

static bool
read_share(struct reading *r, size_t i)
{
	const struct given *g = &r->given[i];
	struct rp_level_spec *l = &r->out->level[i];
	int said = (g->per != 0) + (g->streams_per != 0) + (g->groups != NULL);
	if (said > 1)
		return rp_yaml_fail(
		    &r->yaml, r->level[i], r->err, "per, streams_per, groups: give one of them");
	l->share = g->per           ? RP_SHARE_STREAM
	           : g->streams_per ? RP_SHARE_EVERY
	           : g->groups      ? RP_SHARE_GROUPS
	                            : RP_SHARE_ALL;
	l->every = g->streams_per;
	return !g->groups || read_groups(r, node_of(r, i, "groups"), l);
}

/* How the caches of a level are kept coherent. */
static bool
read_coherence(struct reading *r, size_t i)
{
	const struct given *g = &r->given[i];
	struct rp_level_spec *l = &r->out->level[i];
	struct rp_coherence_config *c = rp_arena_take(&r->out->arena, sizeof *c, r->err);
	if (!c)
		return false;
	if (!(c->protocol = rp_protocol_find(g->coherence, r->err)))
		return rp_yaml_wrap(&r->yaml, node_of(r, i, "coherence"), r->err);
	if (g->directory && !rp_coherence_parse_directory(g->directory, c, r->err))
		return rp_yaml_wrap(&r->yaml, node_of(r, i, "directory"), r->err);
	if (!rp_coherence_take_cache(&l->cache, c, r->err))
		return rp_yaml_wrap(&r->yaml, node_of(r, i, "cache"), r->err);
	uint32_t most = 64 * RP_COHERENCE_MASK_WORDS;
	c->silent = g->clean_eviction;
	c->lines = true;
	c->word_bytes = c->line > most ? c->line / most : 1;
	l->coherence = c;
	return rp_coherence_config_check(c, r->err) ||
	       rp_yaml_wrap(&r->yaml, node_of(r, i, "cache"), r->err);
}

/* A level as far as it can be told without the others. */
static bool
read_level(struct reading *r, size_t i, const struct rp_yaml_node *map)
{
	struct given *g = &r->given[i];
	struct rp_level_spec *l = &r->out->level[i];
	char name[24];
	r->level[i] = map;
	l->line = map->line;
	if (map->kind != RP_YAML_MAP)
		return rp_yaml_fail(&r->yaml, map, r->err,
		    "a level is %s; wanted a map, as cache: SPEC", rp_yaml_kind_name(map->kind));
	if (!rp_opts_default(rp_level_keys, g, r->err))
		return false;
	for (const struct rp_yaml_node *n = map->first; n; n = n->next)
		if (!read_key(r, g, n))
			return false;
	if (!g->cache)
		return rp_yaml_fail(
		    &r->yaml, map, r->err, "wanted cache: SPEC, as cache: lru,size=32KiB,ways=8");
	if (!rp_cache_spec_parse_with(g->cache, r->line, r->seed, r->plugins, &l->cache, r->err))
		return rp_yaml_wrap(&r->yaml, node_of(r, i, "cache"), r->err);
	snprintf(name, sizeof name, "L%zu", i + 1);
	l->name = rp_arena_string(&r->out->arena,
	    g->name          ? g->name
	    : *l->cache.name ? l->cache.name
			     : name,
	    r->err);
	l->inclusion = g->inclusion;
	l->slices = g->slices;
	l->slice_hash = g->slice_hash;
	if (!g->coherence && (g->directory || g->clean_eviction))
		return rp_yaml_fail(&r->yaml, map, r->err,
		    "directory and clean_eviction are for levels with coherence: msi");
	if (g->coherence && !read_coherence(r, i))
		return false;
	return l->name && read_share(r, i) &&
	       (!g->kinds || read_kinds(r, g->kinds, node_of(r, i, "kinds"), &l->kinds));
}

/* The number of the level called so; RP_MEMORY if none is. */
static int
find_level(const struct rp_tree_spec *t, const char *name)
{
	for (size_t i = 0; i < t->levels; i++)
		if (!strcmp(t->level[i].name, name))
			return (int)i;
	return RP_MEMORY;
}

static bool
find_parent(struct reading *r, size_t i)
{
	struct rp_tree_spec *t = r->out;
	const char *name = r->given[i].parent;
	struct rp_level_spec *l = &t->level[i];
	if (!strcmp(l->name, "memory") || find_level(t, l->name) != (int)i)
		return rp_yaml_fail(&r->yaml, node_of(r, i, "name"), r->err, "name: '%.40s' is %s",
		    l->name,
		    strcmp(l->name, "memory") ? "another level's too" : "what is below all levels");
	l->parent = !name ? (i + 1 < t->levels ? (int)i + 1 : RP_MEMORY) : find_level(t, name);
	if (name && l->parent == RP_MEMORY && strcmp(name, "memory"))
		return rp_yaml_fail(&r->yaml, node_of(r, i, "parent"), r->err,
		    "parent: no level is called '%.40s'", name);
	return true;
}

/* Sets each level's depth. A level from which memory is not reached is refused. */
static bool
find_depths(struct reading *r)
{
	struct rp_tree_spec *t = r->out;
	for (size_t i = 0; i < t->levels; i++) {
		unsigned depth = 1;
		for (int k = (int)i; k != RP_MEMORY; k = t->level[k].parent, depth++) {
			if (depth > t->levels)
				return rp_yaml_fail(&r->yaml, node_of(r, i, "parent"), r->err,
				    "parent: %.40s is below itself", t->level[i].name);
			if (t->level[k].depth < depth)
				t->level[k].depth = depth;
		}
	}
	return true;
}

static bool
check_slices(struct reading *r, size_t i)
{
	const struct rp_level_spec *l = &r->out->level[i];
	if (l->slice_hash != RP_SLICE_IPOLY)
		return true;
	if (l->slices != 16 && l->slices != 32 && l->slices != 64)
		return rp_yaml_fail(&r->yaml, node_of(r, i, "slices"), r->err,
		    "slices: %" PRIu32 "; slice_hash: ipoly is for 16, 32 or 64", l->slices);
	if (l->cache.line > SLICE_BLOCK)
		return rp_yaml_fail(&r->yaml, node_of(r, i, "cache"), r->err,
		    "cache: lines of %" PRIu32 " bytes; slice_hash: ipoly is for up to %d",
		    l->cache.line, SLICE_BLOCK);
	return true;
}

/* What it has of the lines above it: of each level that sends to it. */
static bool
check_inclusion(struct reading *r, size_t i)
{
	const struct rp_tree_spec *t = r->out;
	const struct rp_level_spec *l = &t->level[i];
	const struct rp_yaml_node *at = node_of(r, i, "inclusion");
	if (l->inclusion == RP_NINE)
		return true;
	if (l->depth == 1)
		return rp_yaml_fail(
		    &r->yaml, at, r->err, "inclusion: no level is above %.40s", l->name);
	for (size_t k = 0; k < t->levels && l->inclusion == RP_EXCLUSIVE; k++)
		if (t->level[k].parent == (int)i && t->level[k].cache.line != l->cache.line)
			return rp_yaml_fail(&r->yaml, at, r->err,
			    "inclusion: exclusive wants lines as long as those of %.40s above it: "
			    "%" PRIu32 ", not %" PRIu32,
			    t->level[k].name, t->level[k].cache.line, l->cache.line);
	return true;
}

/* Where coherent caches may stand: at the top, above levels that take nothing away from them. */
static bool
check_coherence(struct reading *r, size_t i)
{
	const struct rp_tree_spec *t = r->out;
	const struct rp_level_spec *l = &t->level[i];
	const struct given *g = &r->given[i];
	if (!l->coherence)
		return true;
	if (l->depth != 1)
		return rp_yaml_fail(&r->yaml, node_of(r, i, "coherence"), r->err,
		    "coherence: a level is above %.40s; wanted the private caches at the top",
		    l->name);
	if (l->slices > 1 || g->kernel_end != AUTO || g->host_copy != AUTO)
		return rp_yaml_fail(&r->yaml, node_of(r, i, "coherence"), r->err,
		    "coherence: such caches have no slices, kernel_end and host_copy");
	for (int k = l->parent; k != RP_MEMORY; k = t->level[k].parent)
		if (t->level[k].inclusion != RP_NINE)
			return rp_yaml_fail(&r->yaml, node_of(r, (size_t)k, "inclusion"), r->err,
			    "inclusion: %.40s is below coherent caches, and so neither inclusive "
			    "nor "
			    "exclusive",
			    t->level[k].name);
	return true;
}

/* What does not go with a hierarchy, or with the place in it. */
static bool
check_cache(struct reading *r, size_t i)
{
	const struct rp_tree_spec *t = r->out;
	const struct rp_level_spec *l = &t->level[i];
	const struct given *g = &r->given[i];
	const struct rp_yaml_node *at = node_of(r, i, "cache");
	if (l->cache.policy && l->cache.policy->future)
		return rp_yaml_fail(&r->yaml, at, r->err,
		    "cache: %s has to know what comes, and a level of a hierarchy does not",
		    l->cache.policy->name);
	bool gives = l->parent != RP_MEMORY && t->level[l->parent].inclusion == RP_EXCLUSIVE;
	if (l->cache.policy && l->cache.policy->unbounded && (gives || l->inclusion != RP_NINE))
		return rp_yaml_fail(&r->yaml, at, r->err,
		    "cache: lines of a %s go when their time is over, and not to a level below, so "
		    "it "
		    "is neither inclusive nor exclusive, nor right above one that is exclusive",
		    l->cache.policy->name);
	if (l->inclusion == RP_EXCLUSIVE && (l->cache.mshr.on || l->cache.classify))
		return rp_yaml_fail(&r->yaml, at, r->err, "cache: %s= is not for exclusive levels",
		    l->cache.classify ? "classify" : "mshr");
	for (size_t k = 0; k < t->levels && rp_cache_spec_sectored(&l->cache); k++)
		if (t->level[k].inclusion == RP_EXCLUSIVE)
			return rp_yaml_fail(&r->yaml, at, r->err,
			    "cache: where a level is exclusive, as %.40s, all keep whole lines; "
			    "wanted no sector=",
			    t->level[k].name);
	if (!l->cache.gpu)
		return true;
	if (l->slices > 1)
		return rp_yaml_fail(&r->yaml, node_of(r, i, "slices"), r->err,
		    "slices: a cache of GPGPU-Sim has slices of its own, slices= in its "
		    "specification");
	if (g->kernel_end != AUTO || g->host_copy != AUTO)
		return rp_yaml_fail(&r->yaml,
		    node_of(r, i, g->kernel_end != AUTO ? "kernel_end" : "host_copy"), r->err,
		    "%s: level= and copies= in its specification tell that of a cache of GPGPU-Sim",
		    g->kernel_end != AUTO ? "kernel_end" : "host_copy");
	for (int k = (int)i; k != RP_MEMORY; k = t->level[k].parent)
		if (t->level[k].inclusion != RP_NINE)
			return rp_yaml_fail(&r->yaml, node_of(r, (size_t)k, "inclusion"), r->err,
			    "inclusion: %.40s is a cache of GPGPU-Sim, which is neither inclusive "
			    "nor exclusive, nor above one that is",
			    l->name);
	return true;
}

/* The instance of a level that serves all streams from first to last; UINT32_MAX: no single one does. */
static uint32_t
one_instance(const struct rp_level_spec *l, uint32_t first, uint32_t last)
{
	switch (l->share) {
	case RP_SHARE_ALL:
		return 0;
	case RP_SHARE_STREAM:
		return first == last ? first : UINT32_MAX;
	case RP_SHARE_EVERY:
		return first / l->every == last / l->every ? first / l->every : UINT32_MAX;
	default:
		for (size_t i = 0; i < l->ranges; i++)
			if (first >= l->range[i].first && last <= l->range[i].last)
				return l->range[i].group;
		return UINT32_MAX;
	}
}

/* Whether streams that share an instance of a level share one of the next level too, as far as that can be told without
 * the trace (rp_tree_run looks at each stream). */
static bool
nests(const struct rp_level_spec *l, const struct rp_level_spec *below)
{
	if (below->share == RP_SHARE_ALL || l->share == RP_SHARE_STREAM)
		return true;
	if (l->share == RP_SHARE_ALL)
		return false;
	if (l->share == RP_SHARE_EVERY)
		return l->every == 1 || below->share == RP_SHARE_GROUPS ||
		       (below->share == RP_SHARE_EVERY && below->every % l->every == 0);
	for (size_t i = 0; i < l->ranges; i++)
		for (size_t k = 0; k < l->ranges; k++) {
			const struct rp_stream_range *a = &l->range[i], *b = &l->range[k];
			uint32_t x = one_instance(below, a->first, a->last),
				 y = one_instance(below, b->first, b->last);
			if (a->group == b->group && (x == UINT32_MAX || x != y))
				return false;
		}
	return true;
}

static bool
overlap(const struct rp_level_spec *a, const struct rp_level_spec *b)
{
	if (a->share != RP_SHARE_GROUPS || b->share != RP_SHARE_GROUPS)
		return true;
	for (size_t i = 0; i < a->ranges; i++)
		for (size_t k = 0; k < b->ranges; k++)
			if (a->range[i].first <= b->range[k].last &&
			    b->range[k].first <= a->range[i].last)
				return true;
	return false;
}

/* Two levels must not both be where an access enters. */
static bool
check_entries(struct reading *r, size_t i)
{
	const struct rp_level_spec *l = &r->out->level[i];
	for (size_t k = 0; k < i; k++) {
		const struct rp_level_spec *o = &r->out->level[k];
		unsigned both = l->kinds & o->kinds;
		bool tops = !l->kinds && !o->kinds && l->depth == 1 && o->depth == 1;
		if ((both || tops) && overlap(l, o))
			return rp_yaml_fail(&r->yaml, node_of(r, i, "kinds"), r->err,
			    "%.40s and %.40s both take %s%s of the same streams%s", o->name,
			    l->name,
			    both ? rp_kind_name((unsigned)__builtin_ctz(both)) : "all accesses",
			    both ? " accesses" : "",
			    both ? "" : "; one of them wants kinds, or groups");
	}
	return true;
}

static bool
complete(struct reading *r)
{
	struct rp_tree_spec *t = r->out;
	for (size_t i = 0; i < t->levels; i++)
		if (!find_parent(r, i))
			return false;
	if (!find_depths(r))
		return false;
	for (size_t i = 0; i < t->levels; i++) {
		struct rp_level_spec *l = &t->level[i];
		bool top = l->depth == 1, last = l->parent == RP_MEMORY;
		l->empties = r->given[i].kernel_end == YES ||
		             (r->given[i].kernel_end == AUTO && top && t->levels > 1);
		l->empties = l->empties && !l->coherence;
		l->warms =
		    r->given[i].host_copy == YES || (r->given[i].host_copy == AUTO && last && !top);
		if (!check_slices(r, i) || !check_inclusion(r, i) || !check_cache(r, i) ||
		    !check_coherence(r, i) || !check_entries(r, i))
			return false;
		if (!last && !nests(l, &t->level[l->parent]))
			return rp_yaml_fail(&r->yaml, r->level[i], r->err,
			    "streams that share one %.40s do not share one %.40s, the level below",
			    l->name, t->level[l->parent].name);
	}
	return true;
}

static bool
read_levels(struct reading *r, const struct rp_yaml_node *list)
{
	struct rp_tree_spec *t = r->out;
	if (list->kind != RP_YAML_LIST || !list->n)
		return rp_yaml_fail(&r->yaml, list, r->err, "levels: wanted a list of levels");
	r->level = rp_arena_take(&t->arena, list->n * sizeof *r->level, r->err);
	r->given = rp_arena_take(&t->arena, list->n * sizeof *r->given, r->err);
	t->level = rp_arena_take(&t->arena, list->n * sizeof *t->level, r->err);
	if (!r->level || !r->given || !t->level)
		return false;
	for (const struct rp_yaml_node *n = list->first; n; n = n->next)
		if (!read_level(r, t->levels++, n))
			return false;
	return complete(r);
}

static bool
read_file(struct reading *r)
{
	static const char *const known[] = { "levels" };
	const struct rp_yaml_node *root = r->yaml.root;
	if (root->kind != RP_YAML_MAP)
		return rp_yaml_fail(&r->yaml, root, r->err,
		    "the file is %s; wanted levels: and a list", rp_yaml_kind_name(root->kind));
	for (const struct rp_yaml_node *n = root->first; n; n = n->next)
		if (strcmp(n->key, known[0])) {
			bool near = rp_nearest(n->key, known, 1);
			return rp_yaml_fail(&r->yaml, n, r->err, "no key '%.40s'; %s", n->key,
			    near ? "did you mean 'levels'?" : "the one key here is 'levels'");
		}
	const struct rp_yaml_node *levels = rp_yaml_at(root, known[0]);
	return levels ? read_levels(r, levels)
	              : rp_yaml_fail(&r->yaml, root, r->err, "wanted levels: and a list");
}

bool
rp_tree_spec_read(const char *path, uint32_t line, uint64_t seed, const struct rp_plugins *plugins,
    struct rp_tree_spec *out, struct rp_err *err)
{
	struct reading r = {
		.out = out, .line = line, .seed = seed, .plugins = plugins, .err = err
	};
	*out = (struct rp_tree_spec){ 0 };
	if (!rp_yaml_read(path, &r.yaml, err))
		return false;
	out->path = rp_arena_string(&out->arena, path, err);
	bool ok = out->path && read_file(&r);
	rp_yaml_free(&r.yaml);
	if (!ok)
		rp_tree_spec_free(out);
	return ok;
}

void
rp_tree_spec_free(struct rp_tree_spec *t)
{
	for (size_t i = 0; i < t->levels; i++)
		rp_cache_spec_free(&t->level[i].cache);
	rp_arena_free(&t->arena);
	*t = (struct rp_tree_spec){ 0 };
}

uint32_t
rp_level_instance(const struct rp_level_spec *l, uint32_t stream)
{
	return one_instance(l, stream, stream);
}

static bool
serves(const struct rp_level_spec *l, uint32_t stream)
{
	return l->share != RP_SHARE_GROUPS || rp_level_instance(l, stream) != UINT32_MAX;
}

int
rp_tree_entry(const struct rp_tree_spec *t, unsigned kind, uint32_t stream)
{
	int top = RP_MEMORY, any = RP_MEMORY;
	for (size_t i = t->levels; i-- > 0;) {
		const struct rp_level_spec *l = &t->level[i];
		if (!serves(l, stream))
			continue;
		if (l->kinds >> kind & 1)
			return (int)i;
		if (!l->kinds && l->depth == 1)
			top = (int)i;
		else if (!l->kinds)
			any = (int)i;
	}
	return top != RP_MEMORY ? top : any;
}

int
rp_tree_below(const struct rp_tree_spec *t, int level, uint32_t stream)
{
	do
		level = t->level[level].parent;
	while (level != RP_MEMORY && !serves(&t->level[level], stream));
	return level;
}

bool
rp_tree_flows_down(const struct rp_tree_spec *t)
{
	for (size_t i = 0; i < t->levels; i++)
		if (t->level[i].inclusion != RP_NINE || t->level[i].coherence)
			return false;
	return true;
}
