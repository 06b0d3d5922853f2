/* spec.c - private caches and directories as people write them. */
#include "config.h"

#include "sim/coherence/spec.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = { "full", "sparse", NULL };
static const char *const order_names[] = { "lru", "fifo", NULL };

const struct rp_opt rp_coherence_directory_keys[] = {
	{ "kind", 0, "KIND", RP_OPT_CHOICE, offsetof(struct rp_coherence_directory, kind), "full",
	    .what = "full (no limit) or sparse", .choices = kind_names },
	{ "sets", 0, "N", RP_OPT_U32, offsetof(struct rp_coherence_directory, sets), NULL,
	    .what = "sets of a sparse one; a line goes to set line mod sets", .least = 1,
	    .most = UINT32_MAX },
	{ "ways", 0, "N", RP_OPT_U32, offsetof(struct rp_coherence_directory, ways), NULL,
	    .what = "entries in a set", .least = 1, .most = UINT32_MAX },
	{ "policy", 0, "POLICY", RP_OPT_CHOICE, offsetof(struct rp_coherence_directory, policy),
	    "lru", .what = "which entry is replaced", .choices = order_names },
	{ 0 },
};

bool
rp_coherence_take_directory(
    const struct rp_coherence_directory *d, struct rp_coherence_config *c, struct rp_err *err)
{
	bool sized = d->sets || d->ways;
	if (!d->kind && sized)
		return rp_fail(
		    err, RP_USAGE, "a full directory has no sets=, ways=; wanted sparse");
	if (d->kind && (!d->sets || !d->ways))
		return rp_fail(err, RP_USAGE, "a sparse directory: wanted sets= and ways=");
	c->sparse = d->kind;
	c->dir_sets = d->sets;
	c->dir_ways = d->ways;
	c->dir_fifo = d->policy;
	return true;
}

static bool
set_pair(void *to, const char *key, const char *value, struct rp_err *err)
{
	return rp_opts_set(rp_coherence_directory_keys, to, key, value, false, err);
}

bool
rp_coherence_parse_directory(
    const char *text, struct rp_coherence_config *config, struct rp_err *err)
{
	struct rp_coherence_directory d = { 0 };
	const char *word;
	char *copy = rp_mem_string(text, err);
	bool ok = copy && rp_opts_default(rp_coherence_directory_keys, &d, err) &&
	          rp_spec_split(copy, &word, set_pair, &d, err) &&
	          (!*word || set_pair(&d, "kind", word, err)) &&
	          rp_coherence_take_directory(&d, config, err);
	free(copy);
	return ok;
}

/* What of a cache's specification has no meaning in a private cache here. */
static const char *
foreign_key(const struct rp_cache_spec *s)
{
	return s->gpu                             ? "gpgpusim="
	       : rp_cache_spec_sectored(s)        ? "sector="
	       : s->index != RP_INDEX_MOD         ? "index="
	       : s->write != RP_WRITE_BACK        ? "write="
	       : s->allocate != RP_ALLOCATE_WRITE ? "allocate="
	       : s->mshr.on                       ? "mshr="
	       : s->classify                      ? "classify="
	                                          : NULL;
}

bool
rp_coherence_take_cache(
    const struct rp_cache_spec *s, struct rp_coherence_config *c, struct rp_err *err)
{
	const char *foreign = foreign_key(s);
	if (foreign)
		return rp_fail(err, RP_USAGE,
		    "%s: a coherent private cache is a write-back, write-allocate cache of whole "
		    "lines, indexed by line mod sets",
		    foreign);
	c->sets = s->sets;
	c->ways = s->ways;
	c->line = s->line;
	c->policy = s->policy;
	memcpy(c->arg, s->arg, sizeof c->arg);
	c->seed = s->seed;
	return rp_coherence_policy_fits(s->policy, s->arg, err);
}
