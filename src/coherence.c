/* coherence.c - `reprise coherence`: replay through private caches that a home directory keeps coherent. */
#include "config.h"

#include "command.h"
#include "coherence.h"

#include "base/mem.h"
#include "base/parse.h"
#include "sim/coherence/spec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *const eviction_names[] = { "explicit", "silent", NULL };
static const char *const gap_names[] = { "none", "time", NULL };

#define OPT(field) offsetof(struct coherence_opts, field)
static const struct rp_opt opts[] = {
	{ "caches", 0, "N", RP_OPT_U32, OPT(caches), NULL,
	    "stream s uses cache s modulo N; else each stream has one of its own", 1, 1 << 20 },
	{ "cache", 'c', "SPEC", RP_OPT_TEXT, OPT(cache), "lru,size=32KiB,ways=8",
	    "POLICY[,key=value]...: a private cache (reprise-cache(7))" },
	{ "directory", 0, "KIND", RP_OPT_TEXT, OPT(directory), "full",
	    "full, or sparse,sets=N,ways=N[,policy=lru|fifo]" },
	{ "clean-eviction", 0, "HOW", RP_OPT_CHOICE, OPT(clean_eviction), "explicit",
	    "whether a cache tells (explicit) or not (silent) that it replaced a clean line", 0, 0,
	    eviction_names },
	{ "protocol", 0, "NAME", RP_OPT_TEXT, OPT(protocol), "msi",
	    "the protocol (reprise help protocol msi)" },
	{ "timed", 0, "KEY=VALUE,...", RP_OPT_TEXT, OPT(timed), NULL,
	    "timed mode: l1=,net=,home=,mem=,resp=,mshrs=,..." },
	{ "gaps", 0, "FROM", RP_OPT_CHOICE, OPT(gaps), "none",
	    "timed mode: idle cycles before accesses: none, or from the trace's times", 0, 0,
	    gap_names },
	{ "word-bytes", 0, "N", RP_OPT_U32, OPT(word_bytes), NULL,
	    "bytes that are told apart when it is asked who wrote what; else 1", 1, 1 << 30 },
	{ "line", 0, "BYTES", RP_OPT_SIZE32, OPT(line), "64", "line size if --cache names none", 1,
	    1 << 30 },
	{ "top", 0, "N", RP_OPT_U32, OPT(top), "10", "lines to report" },
	{ "lines", 0, NULL, RP_OPT_FLAG, OPT(lines), NULL,
	    "keep statistics by line, for the report (the default)", 0, 0, NULL, NULL, true },
	{ "no-lines", 0, NULL, RP_OPT_FLAG, OPT(no_lines), NULL,
	    "keep none: less memory, and a report without lines" },
	{ "no-final", 0, NULL, RP_OPT_FLAG, OPT(no_final), NULL,
	    "leave what is cached at the end out of JSON" },
	{ "scenario", 0, "FILE", RP_OPT_TEXT, OPT(scenario), NULL,
	    "take configuration and trace from a scenario file" },
	{ "check", 0, NULL, RP_OPT_FLAG, OPT(check), NULL,
	    "compare with what the scenario expects; exit code 1 on any difference" },
	{ "verify", 0, NULL, RP_OPT_FLAG, OPT(verify), NULL,
	    "check invariants, of its line after every access, of all at the end; exit code 1 if "
	    "one is broken" },
	{ "warmup", 0, "N", RP_OPT_U64, OPT(warmup), "0",
	    "replay the first N accesses without counting" },
	{ "interval", 0, "N", RP_OPT_U64, OPT(interval), NULL, "totals for every N accesses too", 1,
	    UINT64_MAX },
	{ "plugin", 0, "FILE", RP_OPT_TEXTS, OPT(plugin_files), NULL,
	    "a shared object with a replacement policy of your own", 0, 0, NULL, NULL, true },
	RP_INPUT_ROWS(struct coherence_opts),
	{ "json", 0, NULL, RP_OPT_FLAG, OPT(json), NULL, "print JSON" },
	{ "csv", 0, NULL, RP_OPT_FLAG, OPT(csv), NULL, "print CSV: a row for each cache" },
	{ "output", 'o', "FILE", RP_OPT_TEXT, OPT(output), "-", "where to print" },
	{ 0 },
};

static double
now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool
check_opts(const struct coherence_opts *o, int n, struct rp_err *err)
{
	if (o->json + o->csv + o->check > 1)
		return rp_fail(err, RP_USAGE, "--json, --csv and --check: give one of them");
	if (o->check && !o->scenario)
		return rp_fail(
		    err, RP_USAGE, "--check compares a scenario: wanted --scenario FILE");
	if (o->scenario && n)
		return rp_fail(err, RP_USAGE,
		    "--scenario brings its own trace: wanted no other, or none of it");
	if (o->gaps && (!o->timed || o->scenario))
		return rp_fail(err, RP_USAGE,
		    "--gaps time is of a trace in timed mode: wanted --timed, and no --scenario");
	if (o->lines && o->no_lines)
		return rp_fail(err, RP_USAGE, "--lines and --no-lines: give one of them");
	return true;
}

/* The configuration that the options ask for. */
static bool
configure(struct coherence_run *run, struct rp_err *err)
{
	const struct coherence_opts *o = run->o;
	struct rp_coherence_config *c = &run->config;
	for (size_t i = 0; i < o->plugin_files.n; i++)
		if (!rp_plugins_load(&run->plugins, o->plugin_files.text[i], err))
			return rp_err_wrap(err, "--plugin");
	if (!coherence_parse_cache(o->cache, o->line, o->in.seed, &run->plugins, c, err))
		return rp_err_wrap(err, "--cache");
	if (!rp_coherence_parse_directory(o->directory, c, err))
		return rp_err_wrap(err, "--directory");
	if (o->timed && !coherence_parse_timing(o->timed, c, err))
		return false;
	if (!(c->protocol = rp_protocol_find(o->protocol, err)))
		return rp_err_wrap(err, "--protocol");
	uint32_t most = 64 * RP_COHERENCE_MASK_WORDS;
	c->word_bytes = o->word_bytes ? o->word_bytes : c->line > most ? c->line / most : 1;
	c->caches = o->caches;
	c->silent = o->clean_eviction;
	c->lines = !o->no_lines;
	run->top = o->top;
	return true;
}

bool
coherence_add_interval(struct coherence_run *run, struct rp_err *err)
{
	struct rp_coherence_counters now_, part;
	rp_coherence_totals(run->k, &now_);
	rp_coherence_counters_sub(&part, &now_, &run->before);
	run->before = now_;
	json_t *row = json_pack("{sI so}", "interval", (json_int_t)json_array_size(run->intervals),
	    "totals", coherence_counters_json(RP_COHERENCE_CACHE, &part));
	return !json_array_append_new(run->intervals, row) ||
	       rp_fail(err, RP_RESOURCE, "out of memory: intervals");
}

/* How many rows from `from` on until what is counted changes: the warm-up or an interval ends. */
static size_t
rows_until(const struct coherence_run *run, const struct rp_batch *b, size_t from, uint64_t done)
{
	uint64_t every = run->o->interval, left = UINT64_MAX;
	if (done < run->warmup)
		left = run->warmup - done;
	else if (every)
		left = every - (done - run->warmup) % every;
	size_t i = from;
	for (uint64_t n = 0; i < b->n && n < left; i++)
		n += b->kind[i] < RP_MARKS;
	return i - from;
}

/* Rows of a batch, cut where counting changes. */
static bool
replay_batch(struct coherence_run *run, struct rp_batch *b, struct rp_err *err)
{
	for (size_t i = 0; i < b->n;) {
		size_t n = rows_until(run, b, i, run->replayed);
		struct rp_batch part = { .n = n,
			.cap = n,
			.addr = b->addr + i,
			.time = b->time ? b->time + i : NULL,
			.pc = b->pc ? b->pc + i : NULL,
			.size = b->size + i,
			.stream = b->stream ? b->stream + i : NULL,
			.mask = b->mask ? b->mask + i : NULL,
			.kind = b->kind + i,
			.flags = b->flags ? b->flags + i : NULL };
		if (!rp_coherence_run(run->k, &part, err))
			return false;
		for (size_t r = 0; r < n; r++)
			run->replayed += part.kind[r] < RP_MARKS;
		i += n;
		if (run->warmup && run->replayed == run->warmup && !rp_coherence_warm(run->k, err))
			return false;
		if (run->o->interval && run->replayed > run->warmup &&
		    (run->replayed - run->warmup) % run->o->interval == 0 &&
		    !coherence_add_interval(run, err))
			return false;
	}
	return true;
}

static bool
replay_source(struct coherence_run *run, struct rp_err *err)
{
	const struct rp_input_opts *in = &run->o->in;
	struct rp_batch *b = rp_batch_new(RP_BATCH, run->source->trace->columns, err);
	struct rp_progress progress;
	rp_input_progress(&progress, in);
	ptrdiff_t n = b ? 1 : -1;
	while (n > 0 && !rp_interrupted) {
		rp_batch_clear(b);
		n = rp_source_pull(run->source, b, err);
		if (n > 0 && (!rp_seen_batch(&run->seen, b, err) || !replay_batch(run, b, err)))
			n = -1;
		rp_input_tell(&progress, in, run->source->trace, run->seen.accesses);
	}
	rp_progress_end(&progress);
	rp_batch_free(b);
	return n >= 0;
}

static bool
replay(struct coherence_run *run, int n, char **traces, struct rp_err *err)
{
	if (run->o->interval && !(run->intervals = json_array()))
		return rp_fail(err, RP_RESOURCE, "out of memory: intervals");
	double start = now();
	bool ok = run->config.timed ? coherence_replay_timed(run, n, traces, err)
	          : run->source     ? replay_source(run, err)
	                            : replay_batch(run, run->scenario.rows, err);
	run->elapsed = now() - start;
	if (!ok)
		return false;
	rp_coherence_end(run->k);
	if (run->o->interval && run->replayed > run->warmup &&
	    (run->replayed - run->warmup) % run->o->interval && !coherence_add_interval(run, err))
		return false;
	return !rp_coherence_config(run->k)->verify || rp_coherence_check(run->k, err);
}

static bool
print(struct coherence_run *run, struct rp_err *err)
{
	const struct coherence_opts *o = run->o;
	rp_emit_begin();
	json_t *doc = coherence_document(run, err);
	struct rp_out *to = rp_emit_whole(doc, err) ? rp_out_open(o->output, err) : NULL;
	bool ok = to, differs = false;
	rp_emit_begin();
	if (to && o->check) {
		ok = coherence_check(run->scenario.expect, doc, o->scenario, to, err);
		differs = !ok && err->code == RP_FAILED; /* what differs is printed all the same */
	} else if (to) {
		ok = o->json  ? rp_emit_json(to, doc, err)
		     : o->csv ? coherence_print_csv(to, doc, err)
		              : coherence_print_text(to, run, doc, err);
	}
	ok = rp_emit_close(to, doc, ok || differs, err) && ok;
	json_decref(doc);
	return ok;
}

static void
close_run(struct coherence_run *run)
{
	rp_coherence_free(run->k);
	rp_source_close(run->source);
	rp_seen_free(&run->seen);
	coherence_scenario_free(&run->scenario);
	json_decref(run->intervals);
	free(run->timed.finish);
	rp_plugins_free(&run->plugins);
}

/* Where the accesses come from, and what they go through. */
static bool
open_run(struct coherence_run *run, int n, char **traces, struct rp_err *err)
{
	struct coherence_opts *o = (struct coherence_opts *)run->o;
	uint64_t preamble = 0;
	if (o->scenario) {
		if (!coherence_scenario_read(
			o->scenario, &run->scenario, &run->config, &run->top, err) ||
		    (o->timed && !coherence_parse_timing(o->timed, &run->config, err)))
			return false;
	} else {
		o->in.no_bypassed = true;
		if (!configure(run, err) ||
		    !(run->source = rp_input_open(&o->in, n, traces, false, &preamble, err)))
			return false;
	}
	run->warmup = o->warmup + preamble;
	run->config.verify = o->verify;
	return (run->k = rp_coherence_new(&run->config, err));
}

static bool
run_coherence(void *options, int n, char **traces, struct rp_err *err)
{
	struct coherence_run run = { .o = options };
	if (!check_opts(run.o, n, err))
		return false;
	bool ok =
	    open_run(&run, n, traces, err) && replay(&run, n, traces, err) && print(&run, err);
	if (ok && rp_interrupted)
		ok = rp_fail(err, RP_STOPPED,
		    "interrupted; the results are those of the first %" PRIu64 " accesses",
		    run.replayed);
	close_run(&run);
	return ok;
}

const struct rp_command rp_command_coherence = {
	.name = "coherence",
	.what = "replay through coherent private caches; is sharing the problem?",
	.operands = "TRACE...",
	.example = "reprise coherence --cache lru,size=32KiB,ways=8 t.rpz",
	.opts = opts,
	.bytes = sizeof(struct coherence_opts),
	.run = run_coherence,
};
