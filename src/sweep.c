/* sweep.c - `reprise sweep`: a grid of caches in as few passes over the trace as theory allows. */
#include "config.h"

#include "command.h"
#include "sim.h"
#include "sweep.h"

#include "base/emit.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define OPT(field) offsetof(struct sweep_opts, field)
static const struct rp_opt opts[] = {
	{ "line", 0, "LIST", RP_OPT_TEXT, OPT(axes.line), "64", "line sizes: 32,64 or 16..512" },
	{ "sets", 0, "LIST", RP_OPT_TEXT, OPT(axes.sets), NULL, "numbers of sets" },
	{ "ways", 0, "LIST", RP_OPT_TEXT, OPT(axes.ways), NULL,
	    "lines in a set: 1..16, 1..16:+1 or full (one set)" },
	{ "size", 0, "LIST", RP_OPT_TEXT, OPT(axes.size), NULL,
	    "capacities: 16KiB..1MiB; --ways then gives the sets" },
	{ "policy", 0, "LIST", RP_OPT_TEXT, OPT(axes.policy), "lru",
	    "policies (reprise help policies)" },
	{ "index", 0, "LIST", RP_OPT_TEXT, OPT(axes.index), NULL,
	    "mod, xor, ipoly, fermi, hash (mod)" },
	{ "mshr", 0, "LIST", RP_OPT_TEXT, OPT(axes.mshr), NULL,
	    "MSHR entries, unlimited, or none (none)" },
	{ "merge", 0, "LIST", RP_OPT_TEXT, OPT(axes.merge), NULL,
	    "lookups that may join one on its way (unlimited)" },
	{ "latency", 0, "LIST", RP_OPT_TEXT, OPT(axes.latency), NULL,
	    "lookups from a miss to its data (100)" },
	{ "with", 0, "KEY=VALUE", RP_OPT_TEXTS, OPT(with), NULL,
	    "further key of all caches, like write=through (reprise-cache(7))" },
	{ "plugin", 0, "FILE", RP_OPT_TEXTS, OPT(plugin_files), NULL,
	    "a shared object with a policy of your own; may be given several times", 0, 0, NULL,
	    NULL, true },
	{ "counters", 0, "LIST", RP_OPT_TEXT, OPT(counters), NULL,
	    "more counters, or all (reprise help counters)" },
	{ "law", 0, NULL, RP_OPT_FLAG, OPT(law), NULL,
	    "of a gen:scan: print the closed form beside each cache's misses" },
	{ "pareto", 0, NULL, RP_OPT_FLAG, OPT(pareto), NULL,
	    "list sizes that it does not pay to double any more" },
	{ "pays", 0, "SHARE", RP_OPT_DOUBLE, OPT(pays), "0.1",
	    "what --pareto calls paying: this share of the misses is gone", 0, 0, NULL, NULL,
	    true },
	{ "target-miss-ratio", 0, "X", RP_OPT_TEXT, OPT(target_text), NULL,
	    "list the smallest caches that reach X" },
	{ "verify", 0, "K", RP_OPT_U64, OPT(verify), NULL,
	    "replay K random caches by themselves; exit 1 if one differs" },
	{ "dry-run", 0, NULL, RP_OPT_FLAG, OPT(dry_run), NULL,
	    "tell how many passes it takes, and about how long" },
	{ "shard", 0, "I/N", RP_OPT_TEXT, OPT(shard), NULL,
	    "only the I-th of N shares of the grid" },
	{ "join", 0, NULL, RP_OPT_FLAG, OPT(join), NULL,
	    "make one of shares: the operands are their outputs" },
	{ "resume", 0, NULL, RP_OPT_FLAG, OPT(resume), NULL,
	    "with -o: go on where an earlier run stopped" },
	{ "warmup", 0, "N", RP_OPT_U64, OPT(warmup), "0",
	    "replay the first N accesses without counting" },
	{ "crossing", 0, "HOW", RP_OPT_CHOICE, OPT(crossing), "split",
	    "an access that crosses lines: split (a lookup a line) or once", 0, 0,
	    sim_crossing_name, NULL, true },
	{ "flush", 0, NULL, RP_OPT_FLAG, OPT(flush), NULL, "write back what is dirty at the end", 0,
	    0, NULL, NULL, true },
	{ "keep-bypassed", 0, NULL, RP_OPT_FLAG, OPT(keep_bypassed), NULL,
	    "GPU: replay accesses that bypass L1, instead of leaving them out", 0, 0, NULL, NULL,
	    true },
	RP_INPUT_ROWS_BUT(struct sweep_opts, "access-size"),
	{ "json", 0, NULL, RP_OPT_FLAG, OPT(json), NULL, "print JSON" },
	{ "csv", 0, NULL, RP_OPT_FLAG, OPT(csv), NULL, "print CSV, as caches are done" },
	{ "output", 'o', "FILE", RP_OPT_TEXT, OPT(output), "-", "where to print" },
	{ 0 },
};

/* Whether an option of the grid is not as it is by default. */
static bool
asks_for_caches(const struct sweep_opts *o)
{
	const struct rp_sweep_axes *a = &o->axes;
	return a->sets || a->ways || a->size || a->index || a->mshr || a->merge || a->latency ||
	       strcmp(a->line, "64") != 0 || strcmp(a->policy, "lru") != 0 || o->with.n ||
	       o->plugin_files.n;
}

static bool
check_opts(struct sweep_opts *o, struct rp_err *err)
{
	bool target = o->target_text != NULL;
	if (target && !rp_parse_double(o->target_text, &o->target, err))
		return rp_err_wrap(err, "--target-miss-ratio");
	if (o->json && o->csv)
		return rp_fail(err, RP_USAGE, "--json and --csv: give one of them");
	if (o->csv && o->pareto && target)
		return rp_fail(err, RP_USAGE,
		    "--pareto and --target-miss-ratio are two tables: with --csv give one of them");
	if (target && !(o->target >= 0 && o->target <= 1))
		return rp_fail(err, RP_USAGE, "--target-miss-ratio: %g is not in 0..1", o->target);
	if (!(o->pays > 0 && o->pays <= 1))
		return rp_fail(err, RP_USAGE, "--pays: %g is not above 0 and at most 1", o->pays);
	if (o->join && (o->shard || o->resume || o->dry_run || o->verify))
		return rp_fail(err, RP_USAGE,
		    "--join only reads outputs: not with --shard, --resume, --dry-run, --verify");
	if (o->join && (asks_for_caches(o) || o->counters || o->warmup || o->flush || o->law))
		return rp_fail(err, RP_USAGE,
		    "--join only reads outputs: not with what says which caches, or how they "
		    "count");
	if (o->resume && !strcmp(o->output, "-"))
		return rp_fail(
		    err, RP_USAGE, "--resume: wanted -o FILE, beside which the journal is");
	return true;
}

/* --shard I/N. */
static bool
parse_shard(struct sweep_run *run, struct rp_err *err)
{
	const char *text = run->o->shard, *end;
	run->share = run->shares = 1;
	if (!text)
		return true;
	end = text + strlen(text);
	if (!rp_scan_dec(&text, end, &run->share) || *text++ != '/' ||
	    !rp_scan_dec(&text, end, &run->shares) || text != end || !run->share ||
	    run->share > run->shares)
		return rp_fail(
		    err, RP_USAGE, "--shard: '%.40s': wanted I/N, with I in 1..N", run->o->shard);
	return true;
}

static bool
make_plan(struct sweep_run *run, struct rp_err *err)
{
	struct sweep_opts *o = run->o;
	bool classify = false;
	for (size_t i = 0; i < o->with.n; i++)
		classify |= !strcmp(o->with.text[i], "classify=yes");
	for (size_t i = 0; i < o->plugin_files.n; i++)
		if (!rp_plugins_load(&run->plugins, o->plugin_files.text[i], err))
			return rp_err_wrap(err, "--plugin");
	if (!rp_sweep_wants_parse(o->counters, classify, &run->wants, err))
		return rp_err_wrap(err, "--counters");
	run->wants.classify &= !classify; /* it is said already */
	o->axes.with = o->with.text;
	o->axes.n_with = o->with.n;
	o->axes.seed = o->in.seed;
	o->axes.plugins = &run->plugins;
	const struct rp_sweep_count count = { .once = o->crossing == 1,
		.flush = o->flush,
		.warmup = o->warmup + run->feed.preamble,
		.wants = &run->wants };
	if (!rp_sweep_plan_make(&run->plan, &o->axes, &count, err))
		return false;
	rp_sweep_plan_share(&run->plan, run->share, run->shares);
	run->how = (struct rp_sweep_opts){ .once = count.once,
		.flush = count.flush,
		.keep_bypassed = o->keep_bypassed,
		.warmup = count.warmup,
		.wants = &run->wants,
		.threads = rp_input_threads(&o->in),
		.stop = &rp_interrupted };
	return true;
}

/* Whether the output is a file, beside which a journal can be. */
static bool
is_file(const char *output)
{
	struct stat st;
	return strcmp(output, "-") != 0 && (stat(output, &st) || S_ISREG(st.st_mode));
}

/* Whether rows are printed as they are done. */
static bool
as_they_come(const struct sweep_opts *o)
{
	return o->csv && !o->pareto && !o->target_text && !strcmp(o->output, "-");
}

static bool
run_pass(struct sweep_run *run, struct rp_err *err)
{
	if (!(run->how.trace = sweep_feed_next(&run->feed, err)))
		return false;
	bool any = rp_sweep_plan_left(&run->plan) > 0;
	struct rp_sweep_pass *pass = any ? rp_sweep_pass_new(&run->plan, &run->how, err) : NULL;
	bool ok = (pass || !any) && sweep_feed_pass(&run->feed, pass, err);
	rp_sweep_pass_free(pass);
	if (ok && run->journal)
		ok = sweep_journal_keep(run->journal, run, err);
	if (ok && as_they_come(run->o))
		ok = sweep_print_rows(run, err);
	return ok;
}

/* Passes until every point is done. There is one at least, for the trace's hash. */
static bool
run_passes(struct sweep_run *run, struct rp_err *err)
{
	do
		if (!run_pass(run, err))
			return false;
	while (rp_sweep_plan_left(&run->plan));
	return true;
}

/* A counter of a point as it was computed and as a plain replay has it, where they differ. */
static void
compare(struct sweep_run *run, size_t point, const struct rp_counters *plain, struct rp_err *err)
{
	json_t *row = sweep_row(run, point, err),
	       *list = json_object_get(run->verified, "differences");
	struct rp_sweep_point *p = &run->plan.point[run->plan.point[point].as];
	struct rp_counters *was = p->counters, other = *plain;
	p->counters = &other;
	json_t *replayed = sweep_row(run, point, err), *v;
	const char *name;
	bool differs = false;
	p->counters = was;
	json_object_foreach(json_object_get(replayed, "counters"), name, v)
	{
		json_t *ours = json_object_get(json_object_get(row, "counters"), name);
		if (json_equal(ours, v))
			continue;
		differs = true;
		json_array_append_new(
		    list, json_pack("{sO ss sO sO}", "spec", json_object_get(row, "spec"),
			      "counter", name, "sweep", ours, "replay", v));
	}
	run->differ += differs;
	json_decref(row);
	json_decref(replayed);
}

/* The numbers of `k` points of this share, or all of them, drawn without putting back. */
static size_t
draw(const struct sweep_run *run, size_t *points)
{
	struct rp_rng rng = rp_rng_for(run->o->in.seed, "src/sweep/verify", 0);
	size_t n = 0, k = 0;
	for (size_t i = 0; i < run->plan.n; i++)
		if (run->plan.point[i].mine)
			points[n++] = i;
	for (; k < n && k < run->o->verify; k++) {
		size_t other = k + (size_t)rp_rng_below(&rng, n - k), was = points[k];
		points[k] = points[other];
		points[other] = was;
	}
	return k;
}

/* A plan of those points, each replayed by itself. */
static bool
plain_plan(const struct sweep_run *run, const size_t *points, size_t n, struct rp_sweep_plan *plan,
    struct rp_err *err)
{
	*plan = (struct rp_sweep_plan){ .point = rp_mem_array(n, sizeof *plan->point, err) };
	for (size_t i = 0; plan->point && i < n; i++) {
		struct rp_sweep_point *p = &plan->point[i];
		*p = (struct rp_sweep_point){ .spec = run->plan.point[points[i]].spec,
			.as = i,
			.how = RP_SWEEP_REPLAY,
			.mine = true };
		p->spec.text = NULL; /* the other plan's */
		plan->n++;
		if (!(p->counters = rp_mem_array(1, sizeof *p->counters, err)))
			return false;
	}
	return plan->point;
}

/* Replays some points by the plainest loops, and compares. */
static bool
verify(struct sweep_run *run, struct rp_err *err)
{
	struct rp_sweep_plan plan = { 0 };
	struct rp_sweep_opts how = run->how;
	size_t *points = rp_mem_array(run->plan.n, sizeof *points, err);
	size_t n = points ? draw(run, points) : 0;
	how.level = RP_LEVEL_C;
	bool ok = points && plain_plan(run, points, n, &plan, err);
	while (ok && rp_sweep_plan_left(&plan)) {
		ok = (how.trace = sweep_feed_next(&run->feed, err));
		struct rp_sweep_pass *pass = ok ? rp_sweep_pass_new(&plan, &how, err) : NULL;
		ok = pass && sweep_feed_pass(&run->feed, pass, err);
		rp_sweep_pass_free(pass);
	}
	run->verified = json_pack("{sI s[]}", "points", (json_int_t)n, "differences");
	for (size_t i = 0; ok && i < n; i++)
		compare(run, points[i], plan.point[i].counters, err);
	rp_sweep_plan_free(&plan);
	free(points);
	return ok;
}

static bool
print_estimate_text(struct rp_out *to, json_t *e, struct rp_err *err)
{
	char n[6][32];
	static const char *const name[] = { "points", "grid", "stack", "replayed", "accesses",
		"passes" };
	for (size_t i = 0; i < 6; i++)
		rp_print_count(n[i], (uint64_t)json_integer_value(json_object_get(e, name[i])));
	double s = json_number_value(json_object_get(e, "estimated_s"));
	json_int_t threads = json_integer_value(json_object_get(e, "threads"));
	return rp_out_printf(to, err,
	    "caches    %s\n"
	    "          %s with all lru caches of their line size, in one pass\n"
	    "          %s from reuse distances, in the same\n"
	    "          %s replayed\n"
	    "          the others are equal to one of these\n"
	    "passes    %s over some %s accesses\n"
	    "time      about %.1f s with %" JSON_INTEGER_FORMAT " thread%s\n",
	    n[0], n[1], n[2], n[3], n[5], n[4], s, threads, threads > 1 ? "s" : "");
}

/* --dry-run. */
static bool
print_estimate(struct sweep_run *run, struct rp_err *err)
{
	static const struct rp_view view[] = { { "points", "points", RP_CELL_COUNT },
		{ "computed", "computed", RP_CELL_COUNT }, { "grid", "grid", RP_CELL_COUNT },
		{ "stack", "stack", RP_CELL_COUNT }, { "replayed", "replayed", RP_CELL_COUNT },
		{ "passes", "passes", RP_CELL_COUNT }, { "threads", "threads", RP_CELL_COUNT },
		{ "accesses", "accesses", RP_CELL_COUNT },
		{ "estimated_s", "estimated_s", RP_CELL_RATIO } };
	const struct sweep_opts *o = run->o;
	rp_emit_begin();
	json_t *e = sweep_estimate(run, err);
	json_t *doc = e ? json_pack("{ss ss so}", "reprise", PACKAGE_VERSION, "command", "sweep",
			      "dry_run", e)
	                : NULL;
	struct rp_out *to = doc && rp_emit_whole(doc, err) ? rp_out_open(o->output, err) : NULL;
	rp_emit_begin();
	json_t *rows = json_pack("[O]", e);
	bool ok =
	    to && (o->json     ? rp_emit_json(to, doc, err)
		      : o->csv ? rp_emit_csv(to, rows, view, sizeof view / sizeof *view, false, err)
			       : print_estimate_text(to, e, err));
	ok = rp_emit_close(to, doc, ok, err);
	json_decref(rows);
	json_decref(doc);
	return ok;
}

/* The passes over the trace; what is left of the points when one fails is still to be done. */
static bool
run_trace(struct sweep_run *run, struct rp_err *err)
{
	struct sweep_opts *o = run->o;
	size_t passes = rp_sweep_passes(&run->plan, &run->how, err);
	if (passes == SIZE_MAX ||
	    !sweep_feed_expect(&run->feed, passes + (passes == 0) + (o->verify > 0), err))
		return false;
	return run_passes(run, err) && (!o->verify || verify(run, err));
}

/* All that is done, as the options ask. */
static bool
print_all(struct sweep_run *run, struct rp_err *err)
{
	rp_emit_begin();
	json_t *doc = sweep_document(run, err);
	bool ok = doc && sweep_best_add(run->o, doc, err) && sweep_print(run->o, doc, err);
	json_decref(doc);
	return ok;
}

/* What an interrupted run has: on standard output all that is done; a file appears only whole, and its journal has it. */
static bool
stop(struct sweep_run *run, struct rp_err *err)
{
	size_t left = rp_sweep_plan_left(&run->plan), all = rp_sweep_plan_computed(&run->plan);
	struct rp_err other = { 0 };
	if (!run->journal && !as_they_come(run->o) && !print_all(run, &other))
		return rp_fail(err, other.code, "%s", other.text);
	return rp_fail(err, RP_STOPPED, "interrupted: %zu of %zu caches are done%s", all - left,
	    all, run->journal ? "; --resume goes on with the others" : "");
}

/* The order of work: the trace, which tells of its preamble; the plan; the journal; the passes; the output. */
static bool
run_all(struct sweep_run *run, struct rp_err *err)
{
	struct sweep_opts *o = run->o;
	if (!sweep_feed_open(&run->feed, err) || !make_plan(run, err))
		return false;
	if (o->law &&
	    !(run->law = law_open(&o->in, run->feed.n, run->feed.traces, run->how.warmup, err)))
		return false;
	if (o->dry_run)
		return print_estimate(run, err);
	if (is_file(o->output) && !(run->journal = sweep_journal_open(run, err)))
		return false;
	if (!run_trace(run, err))
		return err->code == RP_STOPPED && stop(run, err);
	bool ok = as_they_come(o) || print_all(run, err);
	sweep_journal_close(run->journal, ok);
	run->journal = NULL;
	if (ok && run->plan.left_out && as_they_come(o))
		fprintf(stderr,
		    "reprise: sweep: %" PRIu64 " combinations are no cache and are left out, "
		    "the first: %s\n",
		    run->plan.left_out, run->plan.why);
	return ok &&
	       (!run->differ ||
		   rp_fail(err, RP_FAILED,
		       "%" PRIu64 " of %" JSON_INTEGER_FORMAT
		       " caches differ from a replay: please report this",
		       run->differ, json_integer_value(json_object_get(run->verified, "points"))));
}

/* --join. */
static bool
join(const struct sweep_opts *o, int n, char **files, struct rp_err *err)
{
	rp_emit_begin();
	json_t *doc = sweep_join(n, files, err);
	bool ok = doc && sweep_best_add(o, doc, err) && sweep_print(o, doc, err);
	json_decref(doc);
	return ok;
}

static bool
run_sweep(void *options, int n, char **traces, struct rp_err *err)
{
	struct sweep_opts *o = options;
	struct sweep_run run = { .o = o, .feed = { .in = &o->in, .n = n, .traces = traces } };
	if (!check_opts(o, err))
		return false;
	if (o->join)
		return join(o, n, traces, err);
	o->in.no_bypassed = !o->keep_bypassed;
	bool ok = parse_shard(&run, err) && run_all(&run, err);
	sweep_journal_close(run.journal, false);
	sweep_feed_close(&run.feed);
	rp_sweep_plan_free(&run.plan);
	rp_plugins_free(&run.plugins);
	json_decref(run.verified);
	law_free(run.law);
	return ok;
}

const struct rp_command rp_command_sweep = {
	.name = "sweep",
	.what = "a grid of caches in as few passes over a trace as theory allows",
	.operands = "TRACE...",
	.example = "reprise sweep --csv --line 32..256 --sets 1..1024 --ways 1..16 t.rpz",
	.opts = opts,
	.bytes = sizeof(struct sweep_opts),
	.run = run_sweep,
};
