/* label.c - `reprise label`: data sets for models of caches, synthetic and from real traces. */
#include "config.h"

#include "command.h"
#include "label.h"
#include "label_real.h"

#include "base/mem.h"
#include "base/parse.h"
#include "base/sha256.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define OPT(field) offsetof(struct label_opts, field)
static const struct rp_opt opts[] = {
	{ "output", 'o', "DIR", RP_OPT_TEXT, OPT(output), NULL,
	    "folder for the data set; without it, rows are printed" },
	{ "trace", 0, "TRACE", RP_OPT_TEXTS, OPT(traces), NULL,
	    "a real trace; so are operands that do not end in .yaml, .yml, .json" },
	{ "interval", 0, "N", RP_OPT_U64, OPT(interval), "10000",
	    "line requests of a row of a real trace; 0: all of it", 0, UINT32_MAX },
	{ "every", 0, "K", RP_OPT_U64, OPT(every), "1", "rows of each K-th interval only", 1,
	    UINT32_MAX, NULL, NULL, true },
	{ "reset", 0, NULL, RP_OPT_FLAG, OPT(reset), NULL,
	    "intervals begin with empty caches, and no line seen" },
	{ "warmup", 0, "N", RP_OPT_U64, OPT(warmup), "0",
	    "the first N accesses of a real trace are not counted", 0, 0, NULL, NULL, true },
	{ "line", 0, "LIST", RP_OPT_TEXT, OPT(line), NULL,
	    "line sizes of real traces (64; with --kit 128)" },
	{ "count", 0, "N", RP_OPT_TEXT, OPT(count), NULL,
	    "caches drawn for a trace; 0: all (24 if synthetic, else 40)", 0, 0, NULL,
	    rp_check_u64 },
	RP_POOL_ROWS(struct label_opts, pool, "-"),
	{ "kit", 0, NULL, RP_OPT_FLAG, OPT(kit), NULL,
	    "also traces of GPU kernels, and of programs run under valgrind" },
	{ "config", 0, "FILE", RP_OPT_TEXT, OPT(config), NULL,
	    "a hierarchy: what reaches its --level is measured" },
	{ "level", 0, "NAME", RP_OPT_TEXT, OPT(level), NULL, "a level of it" },
	{ "labels-from", 0, "FILE", RP_OPT_TEXT, OPT(labels_from), NULL,
	    "CSV of rates measured elsewhere, to be joined to our features" },
	{ "shard", 0, "I/N", RP_OPT_TEXT, OPT(shard), NULL, "only the I-th of N shares of traces" },
	{ "join", 0, NULL, RP_OPT_FLAG, OPT(join), NULL,
	    "make one of shares: the operands are their folders" },
	{ "resume", 0, NULL, RP_OPT_FLAG, OPT(resume), NULL, "go on where an earlier run stopped" },
	RP_INPUT_ROWS_BUT(struct label_opts, "access-size"),
	{ "json", 0, NULL, RP_OPT_FLAG, OPT(json), NULL, "print JSON" },
	{ "csv", 0, NULL, RP_OPT_FLAG, OPT(csv), NULL, "print rows as CSV" },
	{ 0 },
};

static bool
check_opts(const struct label_opts *o, struct rp_err *err)
{
	if (o->json && o->csv)
		return rp_fail(err, RP_USAGE, "--json and --csv: give one of them");
	if (!o->output && (o->resume || o->shard || o->join))
		return rp_fail(err, RP_USAGE, "--resume, --shard and --join: wanted -o DIR");
	if (!o->config != !o->level)
		return rp_fail(err, RP_USAGE, "--config and --level: wanted both");
	if (o->join && (o->shard || o->resume))
		return rp_fail(err, RP_USAGE, "--join: not with --shard or --resume");
	return true;
}

static bool
parse_shard(struct label_run *run, struct rp_err *err)
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
is_design(const char *operand)
{
	const char *dot = strrchr(operand, '.');
	return strncmp(operand, "gen:", 4) && dot &&
	       (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml") || !strcmp(dot, ".json"));
}

/* Takes the design out of the operands: how many are left, all traces; -1: two of them. */
static int
take_design(struct label_run *run, int n, char **operand, struct rp_err *err)
{
	int left = 0;
	for (int i = 0; i < n; i++) {
		if (!is_design(operand[i])) {
			operand[left++] = operand[i];
		} else if (run->file) {
			rp_fail(
			    err, RP_USAGE, "%s and %s: wanted one design", run->file, operand[i]);
			return -1;
		} else {
			run->file = operand[i];
		}
	}
	return left;
}

static bool
make_design(struct label_run *run, struct rp_err *err)
{
	struct label_opts *o = run->o;
	uint64_t count = run->file ? RP_POOL_USUAL : 40;
	if (o->count && !rp_parse_u64(o->count, &count, err))
		return false;
	if (o->count && count > 1000000)
		return rp_fail(err, RP_USAGE, "--count: wanted 1000000 at most");
	o->pool.count = (uint32_t)count;
	if (!run->file)
		return rp_design_empty(&o->pool, &run->design, err);
	return rp_design_read(run->file, o->in.seed, &o->pool, &run->design, err);
}

/* What is done with real traces. */
static json_t *
plan_real(const struct label_run *run, struct rp_err *err)
{
	const struct label_opts *o = run->o;
	char sum[65];
	json_t *asked = rp_input_asked(&o->in, err);
	if (!asked || (o->config && !rp_sha256_file(o->config, sum, err))) {
		json_decref(asked);
		return NULL;
	}
	rp_emit_begin();
	json_t *plan = json_pack("{so so so sb so so}", "input", asked, "interval",
	    rp_emit_count(o->interval), "every", rp_emit_count(o->every), "reset", o->reset,
	    "warmup", rp_emit_count(o->warmup), "seed", rp_emit_count(o->in.seed));
	if (o->config)
		json_object_set_new(plan, "level",
		    json_pack("{so ss so}", "config", rp_emit_text(o->config), "sha256", sum,
			"name", rp_emit_text(o->level)));
	if (run->foreign)
		json_object_set_new(plan, "labels", label_from_json(run->foreign));
	if (rp_emit_whole(plan, err))
		return plan;
	json_decref(plan);
	return NULL;
}

/* The items, and what tells them from those of other runs. */
static bool
make_plan(struct label_run *run, struct rp_err *err)
{
	run->synthetic = run->design.pairs * run->design.text.traces;
	run->items = run->synthetic + run->traces;
	run->block = rp_mem_array(run->items, sizeof *run->block, err);
	run->done = rp_mem_array(run->items, sizeof *run->done, err);
	run->warning = rp_mem_array(run->items, sizeof *run->warning, err);
	if (!run->block || !run->done || !run->warning)
		return false;
	for (size_t i = 0; i < run->traces; i++)
		run->block[run->synthetic + i].name = run->trace[i].name;
	json_t *real = run->traces ? plan_real(run, err) : json_object();
	if (!real)
		return run->traces ? false : rp_fail(err, RP_RESOURCE, "out of memory");
	rp_emit_begin();
	json_t *plan = json_pack("{ss so sI so}", "reprise", PACKAGE_VERSION, "design",
	    rp_design_json(&run->design), "synthetic", (json_int_t)run->synthetic, "traces",
	    label_real_json(run));
	json_object_update(plan, real);
	run->plan = rp_emit_whole(plan, err) ? json_dumps(plan, JSON_COMPACT) : NULL;
	json_decref(real);
	json_decref(plan);
	return run->plan || (err->code == RP_OK && rp_fail(err, RP_RESOURCE, "out of memory"));
}

/* Without a folder: also what there is when it is interrupted. */
static bool
print_rows(struct label_run *run, struct rp_err *err)
{
	bool all = label_make(run, err);
	struct rp_err printing = { 0 };
	if (!all && err->code != RP_STOPPED)
		return false;
	if (label_print_rows(run, &printing))
		return all;
	*err = printing;
	return false;
}

/* A run that failed before anything was done has nothing to go on with. */
static void
leave_nothing(struct label_run *run)
{
	for (size_t i = 0; i < run->items; i++)
		if (run->done[i])
			return;
	label_journal_close(run->journal, true, NULL, NULL);
	run->journal = NULL;
	if (run->made)
		rmdir(run->o->output); /* not if --kit has recorded traces */
}

/* Rows, and what becomes of them. */
static bool
make_rows(struct label_run *run, struct rp_err *err)
{
	const struct label_opts *o = run->o;
	if (!o->output)
		return print_rows(run, err);
	bool finished;
	if (!label_folder(run, &finished, err))
		return false;
	if (finished)
		return label_print_summary(run, err);
	if (!(run->journal = label_journal_open(run, err)) || !label_make(run, err)) {
		if (err->code != RP_STOPPED)
			leave_nothing(run);
		return false;
	}
	if (run->shares > 1) {
		char *path = label_share_path(run, err);
		bool ok = path && label_journal_close(run->journal, false, path, err);
		free(path);
		run->journal = NULL;
		return ok && label_print_summary(run, err);
	}
	bool ok = label_write(run, err);
	label_journal_close(run->journal, ok, NULL, NULL);
	run->journal = NULL;
	return ok && label_print_summary(run, err);
}

static bool
join(struct label_run *run, int n, char **shares, struct rp_err *err)
{
	bool finished;
	if (!label_join(run, n, shares, err) || !label_folder(run, &finished, err))
		return false;
	return (finished || label_write(run, err)) && label_print_summary(run, err);
}

/* Real traces, what of them is measured, and who labels them. */
static bool
find_traces(struct label_run *run, int n, char **operand, struct rp_err *err)
{
	struct label_opts *o = run->o;
	if (o->config && !(run->level = label_level_open(o, err)))
		return false;
	if (!label_real_find(run, n, operand, err))
		return false;
	if (!o->labels_from)
		return true;
	if (run->file)
		return rp_fail(err, RP_USAGE,
		    "--labels-from is for real traces: wanted no design (%s)", run->file);
	if (!(run->foreign = label_from_open(run, err)))
		return false;
	if (!label_from_intervals(run->foreign))
		o->interval = 0;
	return true;
}

static bool
run_label(void *options, int n, char **operand, struct rp_err *err)
{
	struct label_run run = { .o = options, .warnings = json_array() };
	bool ok = check_opts(run.o, err) && parse_shard(&run, err);
	if (ok && run.o->join) {
		ok = join(&run, n, operand, err);
	} else if (ok) {
		n = take_design(&run, n, operand, err);
		ok = n >= 0 && find_traces(&run, n, operand, err) &&
		     (!run.o->output || label_real_check(&run, err));
		if (ok && !run.file && !run.traces)
			ok = rp_fail(err, RP_USAGE,
			    "wanted a DESIGN.yaml, or traces, or --kit (reprise label --help)");
		ok = ok && make_design(&run, err) && make_plan(&run, err) && make_rows(&run, err);
	}
	label_journal_close(run.journal, false, NULL, NULL);
	rp_design_free(&run.design);
	for (size_t i = 0; i < run.items; i++) {
		if (run.block)
			free(run.block[i].bytes);
		if (run.warning)
			free(run.warning[i]);
	}
	free(run.block);
	free(run.done);
	free(run.warning);
	for (size_t i = 0; i < run.traces; i++)
		free(run.trace[i].own);
	free(run.trace);
	label_from_close(run.foreign);
	label_level_close(run.level);
	free(run.plan);
	json_decref(run.warnings);
	rp_arena_free(&run.arena);
	return ok;
}

const struct rp_command rp_command_label = {
	.name = "label",
	.what = "data sets for models of caches, labelled by simulation",
	.operands = "[DESIGN.yaml] [TRACE...]",
	.example = "reprise label quick.yaml -o quick",
	.opts = opts,
	.bytes = sizeof(struct label_opts),
	.run = run_label,
};
