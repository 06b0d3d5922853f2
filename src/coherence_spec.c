/* coherence_spec.c - the texts and JSON members that configure `reprise coherence`. */
#include "config.h"

#include "coherence.h"

#include "base/mem.h"
#include "sim/cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = { "full", "sparse", NULL };
static const char *const order_names[] = { "lru", "fifo", NULL };
static const char *const wait_names[] = { "stall", "nack", NULL };

/* What a directory is given by. */
struct directory {
	unsigned kind, policy;
	uint32_t sets, ways;
};

const struct rp_opt coherence_directory_keys[] = {
	{ "kind", 0, "KIND", RP_OPT_CHOICE, offsetof(struct directory, kind), "full",
	    .what = "full (no limit) or sparse", .choices = kind_names },
	{ "sets", 0, "N", RP_OPT_U32, offsetof(struct directory, sets), NULL,
	    .what = "sets of a sparse one; a line goes to set line mod sets", .least = 1,
	    .most = UINT32_MAX },
	{ "ways", 0, "N", RP_OPT_U32, offsetof(struct directory, ways), NULL,
	    .what = "entries in a set", .least = 1, .most = UINT32_MAX },
	{ "policy", 0, "POLICY", RP_OPT_CHOICE, offsetof(struct directory, policy), "lru",
	    .what = "which entry is replaced", .choices = order_names },
	{ 0 },
};

/* rp_coherence_timing as options see it. */
struct timing {
	struct rp_coherence_timing t;
	unsigned busy, full;
};

#define TIMING(field) offsetof(struct timing, t.field)
#define TIMES_MOST    (UINT64_C(1) << 40) /* cycles are sums of these in 64 bits */
const struct rp_opt coherence_timing_keys[] = {
	{ "l1", 0, "T", RP_OPT_U64, TIMING(l1), "4", .what = "cycles to look into a private cache",
	    .least = 1, .most = TIMES_MOST },
	{ "net", 0, "T", RP_OPT_U64, TIMING(net), "20", .what = "cycles of a message on its way",
	    .least = 1, .most = TIMES_MOST },
	{ "home", 0, "T", RP_OPT_U64, TIMING(home), "10",
	    .what = "cycles to look into the directory", .least = 0, .most = TIMES_MOST },
	{ "mem", 0, "T", RP_OPT_U64, TIMING(mem), "150", .what = "cycles of memory", .least = 0,
	    .most = TIMES_MOST },
	{ "resp", 0, "T", RP_OPT_U64, TIMING(resp), "5",
	    .what = "cycles until a cache answers an Inv or a forward", .least = 0,
	    .most = TIMES_MOST },
	{ "pending_entries", 0, "N", RP_OPT_U64, TIMING(pending), "16",
	    .what = "entries of the home's table of transactions", .least = 1, .most = 1 << 24 },
	{ "busy_policy", 0, "HOW", RP_OPT_CHOICE, offsetof(struct timing, busy), "stall",
	    .what = "a request for a busy line waits (stall) or is refused (nack)",
	    .choices = wait_names },
	{ "full_policy", 0, "HOW", RP_OPT_CHOICE, offsetof(struct timing, full), "stall",
	    .what = "the same where the table or the directory set is full",
	    .choices = wait_names },
	{ "backoff", 0, "T", RP_OPT_U64, TIMING(backoff), "10",
	    .what = "cycles until a refused request is sent again", .least = 0,
	    .most = TIMES_MOST },
	{ "backoff_mult", 0, "N", RP_OPT_U64, TIMING(backoff_mult), "2",
	    .what = "by which that grows with every refusal", .least = 1, .most = 1 << 20 },
	{ "backoff_max", 0, "T", RP_OPT_U64, TIMING(backoff_max), "1000",
	    .what = "cycles that it is at most", .least = 0, .most = TIMES_MOST },
	{ "mshrs", 0, "N", RP_OPT_U64, TIMING(mshrs), "0",
	    .what = "misses of a cache on their way at once; 0: its stream waits for each access",
	    .least = 0, .most = 1 << 20 },
	{ 0 },
};

static bool
take_directory(const struct directory *d, struct rp_coherence_config *c, struct rp_err *err)
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

static void
take_timing(const struct timing *t, struct rp_coherence_config *c)
{
	c->timed = true;
	c->timing = t->t;
	c->timing.busy_nack = t->busy;
	c->timing.full_nack = t->full;
}

/* A table and what its rows write into, for rp_spec_split. */
struct target {
	const struct rp_opt *rows;
	void *into;
};

static bool
set_pair(void *to, const char *key, const char *value, struct rp_err *err)
{
	struct target *t = to;
	return rp_opts_set(t->rows, t->into, key, value, false, err);
}

/* `[WORD,]key=value...`; the word, if any, is the value of `first`. */
static bool
parse(
    const char *text, const struct rp_opt *rows, void *into, const char *first, struct rp_err *err)
{
	struct target t = { rows, into };
	const char *word;
	char *copy = rp_mem_string(text, err);
	bool ok = copy && rp_opts_default(rows, into, err) &&
	          rp_spec_split(copy, &word, set_pair, &t, err);
	if (ok && *word)
		ok = first ? rp_opts_set(rows, into, first, word, false, err)
		           : rp_fail(err, RP_USAGE, "'%.40s': wanted key=value,...", word);
	free(copy);
	return ok;
}

bool
coherence_parse_directory(const char *text, struct rp_coherence_config *config, struct rp_err *err)
{
	struct directory d = { 0 };
	return (parse(text, coherence_directory_keys, &d, "kind", err) &&
		   take_directory(&d, config, err)) ||
	       rp_err_wrap(err, "--directory");
}

bool
coherence_parse_timing(const char *text, struct rp_coherence_config *config, struct rp_err *err)
{
	struct timing t = { 0 };
	if (!parse(text, coherence_timing_keys, &t, NULL, err))
		return rp_err_wrap(err, "--timed");
	take_timing(&t, config);
	return true;
}

bool
coherence_given_directory(
    const json_t *from, struct rp_coherence_config *config, struct rp_err *err)
{
	struct directory d = { 0 };
	return (rp_opts_default(coherence_directory_keys, &d, err) &&
		   coherence_members(coherence_directory_keys, &d, from, NULL, err) &&
		   take_directory(&d, config, err)) ||
	       rp_err_wrap(err, "config.directory");
}

bool
coherence_given_timing(const json_t *from, struct rp_coherence_config *config, struct rp_err *err)
{
	struct timing t = { 0 };
	if (!rp_opts_default(coherence_timing_keys, &t, err) ||
	    !coherence_members(
		coherence_timing_keys, &t, from, "l1 net home mem resp pending_entries", err))
		return rp_err_wrap(err, "config.timing");
	take_timing(&t, config);
	return true;
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
	                                          : NULL;
}

static bool
take_cache(const struct rp_cache_spec *s, struct rp_coherence_config *c, struct rp_err *err)
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

bool
coherence_parse_cache(const char *text, uint32_t line, uint64_t seed,
    const struct rp_plugins *plugins, struct rp_coherence_config *config, struct rp_err *err)
{
	struct rp_cache_spec spec;
	if (!rp_cache_spec_parse_with(text, line, seed, plugins, &spec, err))
		return false;
	bool ok = take_cache(&spec, config, err);
	rp_cache_spec_free(&spec);
	return ok;
}
