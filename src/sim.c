/* sim.c - `reprise sim`: replay through one or more caches. */
#include "config.h"

#include "command.h"
#include "sim.h"

#include "base/mem.h"
#include "base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

const char *const sim_crossing_name[] = { "split", "once", NULL };

#define OPT(field) offsetof(struct sim_opts, field)
static const struct rp_opt opts[] = {
	{ "cache", 'c', "SPEC", RP_OPT_TEXTS, OPT(caches), NULL,
	    "POLICY[,key=value]...: a cache (reprise-cache(7)); may be given several times" },
	{ "config", 0, "FILE", RP_OPT_TEXT, OPT(config), NULL,
	    "a hierarchy of caches in place of --cache (reprise-config(5))" },
	{ "D1", 0, "SIZE,WAYS,LINE", RP_OPT_TEXTS, OPT(caches), NULL,
	    "an lru cache called D1, as Cachegrind takes it" },
	{ "plugin", 0, "FILE", RP_OPT_TEXTS, OPT(plugin_files), NULL,
	    "a shared object with a replacement policy of your own; may be given several times" },
	{ "line", 0, "BYTES", RP_OPT_SIZE32, OPT(line), "64", "line size of caches that name none",
	    1, 1 << 30 },
	{ "crossing", 0, "HOW", RP_OPT_CHOICE, OPT(crossing), "split",
	    "an access that crosses lines: split (a lookup a line) or once (one count, one miss at "
	    "most)",
	    0, 0, sim_crossing_name, NULL },
	{ "warmup", 0, "N", RP_OPT_U64, OPT(warmup), "0",
	    "replay the first N accesses without counting" },
	{ "interval", 0, "N", RP_OPT_U64, OPT(interval), NULL, "counters for every N accesses too",
	    1, UINT64_MAX },
	{ "by-stream", 0, NULL, RP_OPT_FLAG, OPT(by_stream), NULL,
	    "counters by stream too (always in JSON, but for --totals)" },
	{ "totals", 0, NULL, RP_OPT_FLAG, OPT(totals), NULL,
	    "no counters by stream, which is quicker" },
	{ "top", 0, "N", RP_OPT_U32, OPT(top), NULL,
	    "tables of the N lines, pcs or streams with most misses", 1, UINT32_MAX },
	{ "by", 0, "KEY", RP_OPT_CHOICE, OPT(by), "line",
	    "what --top ranks: line (by its first byte's address), pc or stream", 0, 0,
	    rp_top_names, NULL },
	{ "law", 0, NULL, RP_OPT_FLAG, OPT(law), NULL,
	    "of a gen:scan: print the closed form beside each cache's misses" },
	{ "flush", 0, NULL, RP_OPT_FLAG, OPT(flush), NULL, "write back what is dirty at the end" },
	{ "keep-bypassed", 0, NULL, RP_OPT_FLAG, OPT(keep_bypassed), NULL,
	    "GPU: replay accesses that bypass L1, instead of leaving them out", 0, 0, NULL, NULL,
	    true },
	{ "sim-refs", 0, "N", RP_OPT_TEXT, OPT(sim_refs), NULL,
	    "end after N accesses, warm-up not included", 0, 0, NULL, rp_check_u64, true },
	RP_INPUT_ROWS(struct sim_opts),
	{ "json", 0, NULL, RP_OPT_FLAG, OPT(json), NULL, "print JSON" },
	{ "csv", 0, NULL, RP_OPT_FLAG, OPT(csv), NULL, "print CSV" },
	{ "output", 'o', "FILE", RP_OPT_TEXT, OPT(output), "-", "where to print" },
	{ 0 },
};

/* Cachegrind's SIZE,WAYS,LINE as a specification of ours. */
static bool
spec_of_cachegrind(const char *text, char *to, size_t room, struct rp_err *err)
{
	char size[32], ways[32], line[32], rest;
	if (sscanf(text, "%31[^,],%31[^,],%31[^,]%c", size, ways, line, &rest) != 3)
		return rp_fail(err, RP_USAGE, "--D1: '%.40s': wanted SIZE,WAYS,LINE", text);
	snprintf(to, room, "lru,size=%s,ways=%s,line=%s,name=D1", size, ways, line);
	return true;
}

static bool
load_plugins(const struct sim_opts *o, struct rp_plugins *plugins, struct rp_err *err)
{
	for (size_t i = 0; i < o->plugin_files.n; i++)
		if (!rp_plugins_load(plugins, o->plugin_files.text[i], err))
			return rp_err_wrap(err, "--plugin");
	return true;
}

static bool
parse_specs(struct sim_run *run, struct rp_err *err)
{
	const struct sim_opts *o = run->o;
	if (!(run->given = rp_mem_array(o->caches.n, sizeof *run->given, err)))
		return false;
	for (size_t i = 0; i < o->caches.n; i++) {
		const char *text = o->caches.text[i];
		char own[160];
		if (text[0] >= '0' && text[0] <= '9') {
			if (!spec_of_cachegrind(text, own, sizeof own, err))
				return false;
			text = own;
		}
		if (!rp_cache_spec_parse_with(
			text, o->line, o->in.seed, &run->plugins, &run->given[i], err))
			return rp_err_wrap(err, "--cache");
	}
	return true;
}

/* The caches, from --cache or --config. */
static bool
find_caches(struct sim_run *run, struct rp_err *err)
{
	const struct sim_opts *o = run->o;
	if (!(o->config ? rp_tree_spec_read(
			      o->config, o->line, o->in.seed, &run->plugins, &run->levels, err)
			: parse_specs(run, err)))
		return false;
	size_t n = o->config ? run->levels.levels : o->caches.n;
	if (!(run->specs = rp_mem_array(n, sizeof *run->specs, err)))
		return false;
	for (size_t i = 0; i < n; i++)
		run->specs[i] = o->config ? &run->levels.level[i].cache : &run->given[i];
	run->n_caches = n;
	return true;
}

static bool
check_opts(const struct sim_opts *o, struct rp_err *err)
{
	if (!o->caches.n && !o->config)
		return rp_fail(err, RP_USAGE,
		    "wanted at least one --cache, like --cache lru,size=32KiB,ways=8, or --config");
	if (o->caches.n && o->config)
		return rp_fail(err, RP_USAGE, "--cache and --config: give one of them");
	if (o->law && (o->config || o->crossing))
		return rp_fail(err, RP_USAGE, "--law is about caches of --cache, a lookup a line");
	if (o->json && o->csv)
		return rp_fail(err, RP_USAGE, "--json and --csv: give one of them");
	return true;
}

static double
now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool
replay_all(struct sim_run *run, struct rp_err *err)
{
	const struct rp_input_opts *in = &run->o->in;
	struct rp_batch *b = rp_batch_new(RP_BATCH, run->source->trace->columns, err);
	struct rp_progress progress;
	rp_input_progress(&progress, in);
	double start = now();
	ptrdiff_t n = b ? 1 : -1;
	while (n > 0 && !rp_interrupted) {
		rp_batch_clear(b);
		n = rp_source_pull(run->source, b, err);
		if (n > 0 && (!rp_seen_batch(&run->seen, b, err) ||
				 !(run->tree ? rp_tree_run(run->tree, b, err)
					     : rp_replay_run(run->replay, b, err))))
			n = -1;
		rp_input_tell(&progress, in, run->source->trace, run->seen.accesses);
	}
	while (n == 0 && run->replay && (n = rp_replay_more(run->replay, err)) > 0) {
		uint64_t done = rp_replay_accesses(run->replay);
		n = 0;
		rp_progress_tell(&progress, done, done, run->seen.accesses);
	}
	run->elapsed = now() - start;
	rp_progress_end(&progress);
	rp_batch_free(b);
	return n >= 0 &&
	       (run->tree ? rp_tree_end(run->tree, err) : rp_replay_end(run->replay, err));
}

/* --sim-refs N is --limit with the warm-up added. */
static bool
limit_of_sim_refs(struct sim_opts *o, char text[32], struct rp_err *err)
{
	uint64_t n;
	if (!o->sim_refs)
		return true;
	if (o->in.limit)
		return rp_fail(
		    err, RP_USAGE, "--sim-refs and --limit say the same: give one of them");
	if (!rp_parse_u64(o->sim_refs, &n, err))
		return false;
	snprintf(text, 32, "%" PRIu64, n + o->warmup < n ? UINT64_MAX : n + o->warmup);
	o->in.limit = text;
	return true;
}

static bool
check_top(const struct sim_opts *o, const struct rp_trace *t, struct rp_err *err)
{
	if (!o->top && o->by != RP_TOP_LINE)
		return rp_fail(err, RP_USAGE, "--by: wanted --top N too");
	if (o->top && o->by == RP_TOP_PC && !(t->columns & RP_COL_PC))
		return rp_fail(err, RP_USAGE,
		    "--by pc: the trace has no program counters; wanted --by line or --by stream");
	return true;
}

/* The replay or the hierarchy that the options ask for. */
static bool
open_run(struct sim_run *run, uint64_t preamble, struct rp_err *err)
{
	const struct sim_opts *o = run->o;
	const struct rp_trace *t = run->source->trace;
	run->by_stream = !o->totals && (o->json || o->by_stream);
	run->warmup = o->warmup + preamble;
	bool by_stream = run->by_stream && (t->columns & RP_COL_STREAM);
	if (o->config) {
		const struct rp_tree_opts tree = { .once = o->crossing == 1,
			.by_stream = by_stream,
			.flush = o->flush,
			.keep_bypassed = o->keep_bypassed,
			.warmup = run->warmup,
			.trace = t,
			.interval = o->interval,
			.top = o->top,
			.by = o->by };
		return (run->tree = rp_tree_new(&run->levels, &tree, err));
	}
	const struct rp_replay_opts replay = { .once = o->crossing == 1,
		.by_stream = by_stream,
		.flush = o->flush,
		.keep_bypassed = o->keep_bypassed,
		.warmup = run->warmup,
		.trace = t,
		.interval = o->interval,
		.top = o->top,
		.by = o->by,
		.stop = &rp_interrupted };
	return (run->replay = rp_replay_new(run->given, run->n_caches, &replay, err));
}

static void
close_run(struct sim_run *run)
{
	rp_replay_free(run->replay);
	rp_tree_free(run->tree);
	rp_seen_free(&run->seen);
	law_free(run->law);
	rp_source_close(run->source);
	for (size_t i = 0; run->given && i < run->o->caches.n; i++)
		rp_cache_spec_free(&run->given[i]);
	free(run->given);
	free(run->specs);
	rp_tree_spec_free(&run->levels);
	rp_plugins_free(&run->plugins);
}

static bool
run_sim(void *options, int n, char **traces, struct rp_err *err)
{
	struct sim_opts *o = options;
	struct sim_run run = { .o = o };
	uint64_t preamble = 0;
	char limit[32];
	if (!check_opts(o, err))
		return false;
	o->in.no_bypassed = !o->keep_bypassed && !o->config;
	bool ok = load_plugins(o, &run.plugins, err) && find_caches(&run, err) &&
	          limit_of_sim_refs(o, limit, err) &&
	          (run.source = rp_input_open(&o->in, n, traces, false, &preamble, err)) &&
	          check_top(o, run.source->trace, err) && open_run(&run, preamble, err) &&
	          (!o->law || (run.law = law_open(&o->in, n, traces, run.warmup, err))) &&
	          replay_all(&run, err) && sim_print(&run, err);
	if (ok && rp_interrupted)
		ok = rp_fail(err, RP_STOPPED,
		    "interrupted; the results are those of the first %" PRIu64 " accesses",
		    run.tree ? rp_tree_accesses(run.tree) : rp_replay_accesses(run.replay));
	close_run(&run);
	return ok;
}

const struct rp_command rp_command_sim = {
	.name = "sim",
	.what = "replay through one or more caches, or a hierarchy of them",
	.operands = "TRACE...",
	.example = "reprise sim --cache lru,size=48KiB,ways=12,line=64 --json t.rpz",
	.opts = opts,
	.bytes = sizeof(struct sim_opts),
	.run = run_sim,
};
