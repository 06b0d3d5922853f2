/* coherence_spec.c - the texts and JSON members that configure `reprise coherence`. */
#include "config.h"

#include "coherence.h"

#include "base/mem.h"
#include "sim/coherence/spec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const wait_names[] = { "stall", "nack", NULL };

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

/* `key=value...` */
static bool
parse(const char *text, const struct rp_opt *rows, void *into, struct rp_err *err)
{
	struct target t = { rows, into };
	const char *word;
	char *copy = rp_mem_string(text, err);
	bool ok = copy && rp_opts_default(rows, into, err) &&
	          rp_spec_split(copy, &word, set_pair, &t, err);
	if (ok && *word)
		ok = rp_fail(err, RP_USAGE, "'%.40s': wanted key=value,...", word);
	free(copy);
	return ok;
}

bool
coherence_parse_timing(const char *text, struct rp_coherence_config *config, struct rp_err *err)
{
	struct timing t = { 0 };
	if (!parse(text, coherence_timing_keys, &t, err))
		return rp_err_wrap(err, "--timed");
	take_timing(&t, config);
	return true;
}

bool
coherence_given_directory(
    const json_t *from, struct rp_coherence_config *config, struct rp_err *err)
{
	struct rp_coherence_directory d = { 0 };
	return (rp_opts_default(rp_coherence_directory_keys, &d, err) &&
		   coherence_members(rp_coherence_directory_keys, &d, from, NULL, NULL, err) &&
		   rp_coherence_take_directory(&d, config, err)) ||
	       rp_err_wrap(err, "config.directory");
}

bool
coherence_given_timing(const json_t *from, struct rp_coherence_config *config, struct rp_err *err)
{
	struct timing t = { 0 };
	if (!rp_opts_default(coherence_timing_keys, &t, err) ||
	    !coherence_members(
		coherence_timing_keys, &t, from, "l1 net home mem resp pending_entries", NULL, err))
		return rp_err_wrap(err, "config.timing");
	take_timing(&t, config);
	return true;
}

bool
coherence_parse_cache(const char *text, uint32_t line, uint64_t seed,
    const struct rp_plugins *plugins, struct rp_coherence_config *config, struct rp_err *err)
{
	struct rp_cache_spec spec;
	if (!rp_cache_spec_parse_with(text, line, seed, plugins, &spec, err))
		return false;
	bool ok = rp_coherence_take_cache(&spec, config, err);
	rp_cache_spec_free(&spec);
	return ok;
}
